"""Histories: runs, approvals and comparisons are stored once, and read back as they were."""

import math
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, event
from tests.support.stored_runs import DAY, NAN, START, a_comparison, a_run, an_approval

from semscale.errors import InputError, UnknownNameError
from semscale.history.history import open_history
from semscale.history.items import Item, Output, digest_items
from semscale.history.runs import new_id
from semscale.history.stored_comparison import GateCheck, Outcome, StoredFigure, pack, unpack


def test_nothing_heavy_is_loaded_before_a_history_is_opened():
    script = """
import sys
import semscale, semscale.drift, semscale.history.runs, semscale.history.stored_comparison
heavy = {"sqlalchemy", "alembic", "pg8000"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


@pytest.mark.exhaustive
def test_alembic_is_loaded_only_to_change_tables(tmp_path):
    script = """
import sys
from semscale.history.history import open_history
with open_history(sys.argv[1]) as history:
    history.runs()
sys.exit(0 if ("alembic" in sys.modules) == (sys.argv[2] == "new") else 1)
"""
    for state in ("new", "old"):
        command = [sys.executable, "-c", script, str(tmp_path / "history.sqlite"), state]
        assert subprocess.run(command, check=False).returncode == 0


ODD = (
    Item("zulu", (Output("NUL \0, half a pair \ud83d, 😀, \"quotes\", 'single', %s :x ? \\ \r\n"),)),
    Item("alpha", (), input="nothing came"),
    Item("ids may hold \0, too", (Output(None), Output("  "), Output("", {"credits": 0.5}))),
    Item(
        "mike", (Output("a", {"credits": -1.25, "seconds": 1e300}),), groups={"exercise": "6715", "år": "ü"}
    ),
)


class TestRuns:
    def test_every_text_and_number_comes_back(self, history):
        run = a_run(items=ODD, revision="abc123", note="with tabs\tand\nlines", model="modèle")
        history.record(run)
        assert history.run(run.id) == run

    def test_a_field_that_is_nan_stays_nan(self, history):
        run = a_run(items=(Item("a", (Output("text", {"credits": NAN}),)),))
        history.record(run)
        (item,) = history.run(run.id).items
        assert math.isnan(item.outputs[0].fields["credits"])

    def test_items_beyond_a_single_statement_stay_in_order(self, history):
        run = a_run(2345)
        history.record(run)
        assert [item.id for item in history.run(run.id).items] == [f"item-{index}" for index in range(2345)]

    def test_moments_come_back_in_utc(self, history):
        there = timezone(timedelta(hours=-5, minutes=-30))
        run = a_run(recorded=datetime(2026, 3, 1, 20, 0, 0, 1, tzinfo=there))
        history.record(run)
        # 20:00 at UTC-5:30 is half past one of the next day.
        expected = datetime(2026, 3, 2, 1, 30, 0, 1, tzinfo=UTC)
        for result in (history.run(run.id).recorded, history.runs()[0].recorded):
            assert result == expected
            assert result.utcoffset() == timedelta(0)

    def test_another_opening_finds_it(self, history, where):
        run = a_run()
        history.record(run)
        with open_history(where, create=False) as again:
            assert again.run(run.id) == run

    def test_an_id_is_recorded_once(self, history):
        run = a_run()
        history.record(run)
        with pytest.raises(InputError, match=f"has a run '{run.id}' already: nothing is ever replaced"):
            history.record(a_run(id=run.id, model="model-b"))
        assert history.run(run.id) == run

    @pytest.mark.parametrize("text", ["NUL \0", "half \ud83d"])
    def test_a_name_that_no_database_takes(self, history, text):
        with pytest.raises(InputError, match="dataset must be text that a database can store"):
            history.record(a_run(dataset=text))
        assert history.runs() == []

    @pytest.mark.parametrize("text", ["NUL \0", "half \ud83d"])
    def test_a_note_may_be_any_text(self, history, text):
        history.record(run := a_run(note=text))
        assert history.run(run.id).note == text

    def test_a_moment_without_a_time_zone(self, history):
        with pytest.raises(InputError, match="recorded must have a time zone, got 2026-03-01T00:00:00"):
            history.record(a_run(recorded=datetime(2026, 3, 1)))

    def test_an_infinite_number(self, history):
        with pytest.raises(InputError, match="credits of item 'a' must be finite, got -inf"):
            history.record(a_run(items=(Item("a", (Output("text", {"credits": -math.inf}),)),)))


class TestListing:
    def test_oldest_first_and_by_dataset(self, history):
        late, early = a_run(recorded=START + DAY), a_run(5, note="first", revision="abc")
        other = a_run(dataset="feedback", recorded=START + 2 * DAY)
        for run in (late, other, early):
            history.record(run)
        assert [run.id for run in history.runs()] == [early.id, late.id, other.id]
        assert [run.id for run in history.runs("answers")] == [early.id, late.id]
        assert history.runs("nothing") == []
        assert history.datasets() == ["answers", "feedback"]

    def test_a_summary_says_all_but_the_items(self, history):
        run = a_run(5, note="first", revision="abc")
        history.record(run)
        history.record(rerun := a_run(recorded=START + DAY, rerun_of=run.id))
        first, second = history.runs()
        assert (first.id, first.dataset, first.model, first.recorded) == (run.id, "answers", "model-a", START)
        assert (first.n_items, first.note, first.revision, first.rerun_of) == (5, "first", "abc", None)
        assert first.signature == str(run.signature)
        assert (second.id, second.n_items, second.rerun_of, second.note) == (rerun.id, 3, run.id, None)


class TestNames:
    @pytest.fixture
    def history(self, history):
        for name in ("abcd1111", "abcd2222", "ABCE3333"):
            history.record(a_run(id=name, dataset=name))
        return history

    @pytest.mark.parametrize(("name", "expected"), [("abcd1", "abcd1111"), ("ABCE", "ABCE3333")])
    def test_its_beginning_is_enough(self, history, name, expected):
        assert history.run(name).dataset == expected

    @pytest.mark.exhaustive
    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("abcd", "run 'abcd' is ambiguous: 'abcd1111', 'abcd2222' begin with it; use more characters"),
            ("ABC", "run must be an id or at least its first 4 characters, got 'ABC'"),
            ("abcd1112", "unknown run 'abcd1112': did you mean 'abcd1111'"),
            ("_bcd", "unknown run '_bcd'"),
            ("%", "unknown run '%' (known: 'ABCE3333', 'abcd1111', 'abcd2222')"),
            ("", "run must be an id"),
        ],
    )
    def test_a_name_that_does_not_do(self, history, name, message):
        with pytest.raises(UnknownNameError) as caught:
            history.run(name)
        assert str(caught.value).startswith(message)

    def test_long_ids_are_shown_by_as_many_characters_as_tell_them_apart(self, where):
        with open_history(where) as history:
            for name in ("0123456789aa", "0123456789bb", "ffffffff0000"):
                history.record(a_run(id=name, note=name))
            with pytest.raises(UnknownNameError) as caught:
                history.run("zzzz")
            # Ten characters are the same in two of them.
            assert str(caught.value) == (
                "unknown run 'zzzz' (known: '0123456789a', '0123456789b', 'ffffffff000')"
            )
            with pytest.raises(UnknownNameError, match="did you mean 'ffffffff000'"):
                history.run("ffffffff0001")

    def test_a_history_without_runs(self, where):
        with open_history(where) as empty, pytest.raises(UnknownNameError, match="the history has none"):
            empty.run("abcd")


class TestReruns:
    def test_reruns_of_a_run_come_oldest_first(self, history):
        run = a_run()
        history.record(run)
        second = a_run(rerun_of=run.id, recorded=START + 2 * DAY, note="second")
        first = a_run(rerun_of=run.id, recorded=START + DAY)
        history.record(second)
        history.record(first)
        history.record(a_run(recorded=START + DAY, note="no rerun"))
        assert history.reruns(run.id) == [first, second]
        assert history.reruns(first.id) == []

    def test_of_a_run_that_is_not_there(self, history):
        history.record(a_run(id="abcdef"))
        with pytest.raises(
            UnknownNameError, match="rerun_of names no run, got 'abcdee': did you mean 'abcdef'"
        ):
            history.record(a_run(rerun_of="abcdee"))
        with pytest.raises(UnknownNameError, match="unknown run 'other'"):
            history.reruns("other")

    def test_of_a_run_of_another_dataset(self, history):
        history.record(a_run(id="abcdef"))
        with pytest.raises(
            InputError, match="must name a run of dataset 'feedback', got 'abcdef' of 'answers'"
        ):
            history.record(a_run(dataset="feedback", rerun_of="abcdef"))


class TestBaseline:
    def test_the_latest_approval_counts(self, history):
        first, second = a_run(), a_run(model="model-b")
        for run in (first, second):
            history.record(run)
        late = an_approval(second, approved=START + DAY, by="Bo", why="")
        early = an_approval(first)
        history.approve(late)
        history.approve(early)
        assert history.approvals("answers") == [early, late]
        assert history.baseline("answers") == (second, late)
        assert history.baseline("answers", at=START + DAY / 2) == (first, early)

    def test_stale_approval_names_its_author_and_the_remedy(self, history):
        run = a_run(id="0123456789abcdef")
        history.record(run)
        approval = an_approval(run, expires=START + DAY)
        history.approve(approval)
        assert history.baseline("answers", at=START + DAY / 2) == (run, approval)
        with pytest.raises(InputError) as caught:
            history.baseline("answers", at=START + DAY)
        assert str(caught.value) == (
            "the baseline of 'answers' is stale: Ana approved run 01234567 on 2026-03-01 until "
            "2026-03-02 12:30 UTC; review it again, then semscale drift approve RUN, such as 01234567"
        )

    def test_now_is_when_it_must_not_be_stale(self, history):
        run = a_run()
        history.record(run)
        long_ago = datetime(2020, 1, 1, tzinfo=UTC)
        history.approve(an_approval(run, approved=long_ago, expires=long_ago + DAY))
        with pytest.raises(InputError, match="is stale"):
            history.baseline("answers")

    def test_none_is_approved(self, history):
        history.record(a_run(id="0123456789"))
        with pytest.raises(
            InputError, match=r"'answers' has no approved baseline: .* approve RUN, .* 01234567"
        ):
            history.baseline("answers")
        with pytest.raises(UnknownNameError, match="unknown dataset 'answer': did you mean 'answers'"):
            history.baseline("answer")

    def test_a_run_that_cannot_be_approved(self, history):
        run = a_run(id="abcdef")
        history.record(run)
        for approval, message in (
            (an_approval(run, run_id="abcdee"), "unknown run 'abcdee': did you mean 'abcdef'"),
            (
                an_approval(run, dataset="feedback"),
                "is of dataset 'answers', so it cannot be the baseline of 'fe",
            ),
            (an_approval(run, expires=START), "expires must be later than the approval"),
        ):
            with pytest.raises(InputError, match=message):
                history.approve(approval)
        assert history.approvals("answers") == []


def test_nothing_is_ever_updated_or_deleted(history, where):
    verbs = []

    def listen(_connection, _cursor, statement, *_):
        verbs.append(statement.split()[0].upper())

    event.listen(Engine, "before_cursor_execute", listen)
    try:
        history.record(run := a_run())
        history.approve(an_approval(run))
        history.record_comparison(a_comparison())
        history.baseline("answers")
        history.scores(history.comparisons()[0].id)
    finally:
        event.remove(Engine, "before_cursor_execute", listen)
    assert set(verbs) <= {"BEGIN", "SELECT", "INSERT"}
    assert "INSERT" in verbs


def test_history_address_is_shown_without_the_password(history, where):
    shown = re.sub(r":[^:/@]*@", "@", where.partition("?")[0])
    assert history.where == shown
    assert repr(history) == f"History({shown!r})"


def ids(runs):
    return [run.id for run in runs]


def test_recording_the_same_run_again_returns_the_stored_run(history):
    first = history.record(a_run(revision="abc", note="one"))
    again = history.record(a_run(revision="abc", note="one", recorded=START + DAY))
    assert again == first
    assert ids(history.runs()) == [first.id]


@pytest.mark.parametrize(
    "other",
    [
        {"model": "model-b"},
        {"dataset": "questions"},
        {"note": "once more"},
        {"revision": "def"},
        {"items": (Item("item-0", (Output("Another answer."),)),)},
    ],
)
def test_run_that_differs_in_any_field_is_a_new_run(history, other):
    first = history.record(a_run(1))
    second = history.record(a_run(1, **other))
    assert set(ids(history.runs())) == {first.id, second.id}
    assert first.id != second.id


def test_a_rerun_with_the_outputs_of_its_original_is_another_run(history):
    first = history.record(a_run())
    rerun = history.record(a_run(rerun_of=first.id))
    assert ids(history.reruns(first.id)) == [rerun.id]
    assert history.record(a_run(rerun_of=first.id)).id == rerun.id


def test_same_run_skips_the_runs_in_besides(history):
    history.record(baseline := a_run())
    assert history.same_run(a_run()) == baseline
    assert history.same_run(a_run(), besides=[baseline.id]) is None
    # A candidate may have the content of its baseline.
    history.record_comparison(a_comparison(baseline_id=baseline.id), candidate=(candidate := a_run()))
    assert history.same_run(a_run(), besides=[baseline.id]) == candidate


def test_keeping_the_same_comparison_again_returns_the_stored_comparison(history):
    history.record(baseline := a_run(id="baseline"))
    candidate = a_run(id="candidate", model="model-b")
    first = history.record_comparison(a_comparison(), candidate=candidate)
    same = replace(candidate, id="candidate-2", recorded=START + DAY)
    again = history.record_comparison(
        a_comparison(candidate_id=same.id, compared=START + DAY), candidate=same
    )
    assert (again.id, again.candidate_id) == (first.id, candidate.id)
    assert ids(history.runs()) == [baseline.id, candidate.id]
    assert ids(history.comparisons()) == [first.id]


def test_a_candidate_with_the_baselines_outputs_is_another_run(history):
    history.record(baseline := a_run(id="baseline"))
    stored = history.record_comparison(
        a_comparison(candidate_id="again"), candidate=replace(baseline, id="again")
    )
    assert stored.candidate_id == "again"
    assert set(ids(history.runs())) == {"baseline", "again"}


FIGURE = StoredFigure("match", None, 0.25, 0.125, float("nan"), 0.1875, 0.05, 2, 0)


@pytest.mark.parametrize(
    "other",
    [
        {"outcome": "pass"},
        {"outcome": None},
        {"signature": "semscale 1|drift"},
        {"baseline_id": "another"},
        {"figures": (replace(FIGURE, drift=0.126),)},
        {"figures": (FIGURE, replace(FIGURE, metric="cosine"))},
    ],
)
@pytest.mark.exhaustive
def test_comparison_that_differs_in_any_field_is_a_new_comparison(history, other):
    first = history.record_comparison(a_comparison(figures=(FIGURE,)))
    second = history.record_comparison(a_comparison(**{"figures": (FIGURE,)} | other))
    assert set(ids(history.comparisons())) == {first.id, second.id}
    assert first.id != second.id


class TestComparisons:
    def test_figures_and_scores_come_back(self, history):
        stored = a_comparison()
        history.record_comparison(stored)
        (result,) = history.comparisons()
        assert result.scores == {}
        for name in (
            "id",
            "baseline_id",
            "candidate_id",
            "model",
            "dataset",
            "signature",
            "outcome",
            "compared",
        ):
            assert getattr(result, name) == getattr(stored, name)
        whole, group = result.figures
        assert whole == stored.figures[0]
        assert group.group == ("exercise", "6715")
        assert (group.loss, group.drift, group.n, group.n_left_out) == (0.5, 0.25, 1, 1)
        assert math.isnan(group.low)
        assert math.isnan(group.high)

    def test_scores_come_back_bit_by_bit(self, history):
        rng = np.random.default_rng(0)
        scores = {"match": rng.random(1000), "cosine": np.array([NAN, 0.1, -0.0, 5e-324])}
        history.record_comparison(stored := a_comparison(scores=scores))
        result = history.scores(stored.id)
        assert sorted(result) == ["cosine", "match"]
        for metric, values in scores.items():
            np.testing.assert_array_equal(result[metric], values)
            assert result[metric].dtype == np.float64

    def test_oldest_first_and_as_asked(self, history):
        late = a_comparison(compared=START + DAY, baseline_id="another", outcome=None)
        early, other = a_comparison(), a_comparison(dataset="feedback", figures=(), scores={})
        for comparison in (late, other, early):
            history.record_comparison(comparison)
        assert [entry.id for entry in history.comparisons(dataset="answers")] == [early.id, late.id]
        assert [entry.id for entry in history.comparisons(baseline_id="another")] == [late.id]
        assert history.comparisons(dataset="feedback", baseline_id="another") == []
        assert history.comparisons(baseline_id="another")[0].outcome is None
        assert history.comparisons(dataset="feedback")[0].figures == ()
        assert history.scores(other.id) == {}

    def test_what_integers_of_numpy_say_comes_back(self, history):
        figure = StoredFigure("match", None, *np.full(5, 0.5), np.int64(3), np.int64(0))
        history.record_comparison(a_comparison(figures=(figure,)))
        assert history.comparisons()[0].figures == (
            StoredFigure("match", None, 0.5, 0.5, 0.5, 0.5, 0.5, 3, 0),
        )

    def test_comparison_id_can_be_stored_only_once(self, history):
        stored = a_comparison()
        history.record_comparison(stored)
        with pytest.raises(InputError, match="has a comparison .* already"):
            history.record_comparison(a_comparison(id=stored.id, figures=()))
        assert len(history.comparisons()[0].figures) == 2

    def test_scores_of_an_unknown_comparison_are_refused(self, history):
        with pytest.raises(UnknownNameError, match="unknown comparison"):
            history.scores(new_id())

    def test_the_digest_of_the_candidates_outputs_comes_with_it(self, history):
        first, same, other = a_run(), a_run(note="the same outputs"), a_run(4)
        for run in (first, same, other):
            history.record(run)
            history.record_comparison(a_comparison(candidate_id=run.id, id=new_id()))
        history.record_comparison(a_comparison(candidate_id="elsewhere", id=new_id()))
        digests = {stored.candidate_id: stored.candidate_digest for stored in history.comparisons()}
        assert digests[first.id] == digests[same.id] == digest_items(first.items)
        assert digests[other.id] not in {digests[first.id], None}
        assert digests["elsewhere"] is None


def test_a_candidate_is_stored_with_its_comparison_or_not_at_all(history):
    run = a_run()
    history.record_comparison(a_comparison(id="one", candidate_id=run.id), candidate=run)
    assert history.run(run.id) == run
    assert [stored.id for stored in history.comparisons()] == ["one"]
    other = a_run(note="other")
    with pytest.raises(InputError, match="has a comparison 'one' already"):
        history.record_comparison(a_comparison(id="one", candidate_id=other.id), candidate=other)
    assert [entry.id for entry in history.runs()] == [run.id]


@given(st.lists(st.floats()))
def test_packed_scores_come_back_bit_for_bit(values):
    scores = np.array(values, np.float64)
    assert unpack(pack(scores)).tobytes() == scores.tobytes()


def test_packed_scores_are_little_endian_doubles():
    # 1.0 is 3ff0000000000000 in hexadecimal.
    assert pack(np.array([1.0])) == bytes.fromhex("000000000000f03f")


CHECKS = (
    GateCheck("limit", "silenced", Outcome.FAIL, "two lost", None, 2.0, 0.0, ("q1", "q\ud800"), ("q2",), 9),
    GateCheck("limit", "changed_numbers", Outcome.UNDECIDED, "one may", ("exercise", "6715"), 0.0, 0.25),
    GateCheck("must_pass", "q1", Outcome.FAIL, "q1 became worse", reasons=("it lost all outputs",)),
    GateCheck("threshold", "min_match", Outcome.FAIL, "match is .5", None, 0.5, 0.75, metric="match"),
    GateCheck("threshold", "min_cosine", Outcome.FAIL, "cosine is nan", None, NAN, 0.75, metric="cosine"),
)


def test_checks_come_back_as_they_were(history):
    history.record_comparison(a_comparison(checks=CHECKS))
    (result,) = history.comparisons()
    # A must-pass item has no numbers, and NaN equals nothing.
    assert [repr(check) for check in result.checks] == [repr(check) for check in CHECKS]
    assert [check.name for check in result.broken] == ["silenced", "q1", "min_match", "min_cosine"]


def test_no_checks_are_other_than_none_that_were_stored(history):
    for name, checks in (("none", None), ("empty", ())):
        history.record_comparison(a_comparison(id=name, checks=checks))
    assert {result.id: result.checks for result in history.comparisons()} == {"none": None, "empty": ()}
