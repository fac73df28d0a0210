"""A history keeps comparisons: figures to list, and every score to the last bit."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored_runs import DAY, NAN, START, a_comparison, a_run

from semscale.errors import InputError, UnknownNameError
from semscale.history.items import digest_items
from semscale.history.runs import new_id
from semscale.history.stored_comparison import StoredCheck, StoredFigure, pack, unpack


class TestComparisons:
    def test_figures_and_scores_come_back(self, history):
        kept = a_comparison()
        history.keep(kept)
        (found,) = history.comparisons()
        assert found.scores == {}
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
            assert getattr(found, name) == getattr(kept, name)
        whole, group = found.figures
        assert whole == kept.figures[0]
        assert group.group == ("exercise", "6715")
        assert (group.loss, group.drift, group.n, group.n_left_out) == (0.5, 0.25, 1, 1)
        assert math.isnan(group.low)
        assert math.isnan(group.high)

    def test_scores_come_back_bit_by_bit(self, history):
        rng = np.random.default_rng(0)
        scores = {"match": rng.random(1000), "cosine": np.array([NAN, 0.1, -0.0, 5e-324])}
        history.keep(kept := a_comparison(scores=scores))
        found = history.scores(kept.id)
        assert sorted(found) == ["cosine", "match"]
        for metric, values in scores.items():
            np.testing.assert_array_equal(found[metric], values)
            assert found[metric].dtype == np.float64

    def test_oldest_first_and_as_asked(self, history):
        late = a_comparison(compared=START + DAY, baseline_id="another", outcome=None)
        early, other = a_comparison(), a_comparison(dataset="feedback", figures=(), scores={})
        for comparison in (late, other, early):
            history.keep(comparison)
        assert [each.id for each in history.comparisons(dataset="answers")] == [early.id, late.id]
        assert [each.id for each in history.comparisons(baseline_id="another")] == [late.id]
        assert history.comparisons(dataset="feedback", baseline_id="another") == []
        assert history.comparisons(baseline_id="another")[0].outcome is None
        assert history.comparisons(dataset="feedback")[0].figures == ()
        assert history.scores(other.id) == {}

    def test_what_integers_of_numpy_say_comes_back(self, history):
        figure = StoredFigure("match", None, *np.full(5, 0.5), np.int64(3), np.int64(0))
        history.keep(a_comparison(figures=(figure,)))
        assert history.comparisons()[0].figures == (
            StoredFigure("match", None, 0.5, 0.5, 0.5, 0.5, 0.5, 3, 0),
        )

    def test_an_id_is_kept_once(self, history):
        kept = a_comparison()
        history.keep(kept)
        with pytest.raises(InputError, match="has a comparison .* already"):
            history.keep(a_comparison(id=kept.id, figures=()))
        assert len(history.comparisons()[0].figures) == 2

    def test_scores_of_one_that_is_not_there(self, history):
        with pytest.raises(UnknownNameError, match="unknown comparison"):
            history.scores(new_id())

    def test_the_digest_of_the_candidates_outputs_comes_with_it(self, history):
        first, same, other = a_run(), a_run(), a_run(4)
        for run in (first, same, other):
            history.record(run)
            history.keep(a_comparison(candidate_id=run.id, id=new_id()))
        history.keep(a_comparison(candidate_id="elsewhere", id=new_id()))
        digests = {kept.candidate_id: kept.candidate_digest for kept in history.comparisons()}
        assert digests[first.id] == digests[same.id] == digest_items(first.items)
        assert digests[other.id] not in {digests[first.id], None}
        assert digests["elsewhere"] is None


def test_a_candidate_is_stored_with_its_comparison_or_not_at_all(history):
    run = a_run()
    history.keep(a_comparison(id="one", candidate_id=run.id), candidate=run)
    assert history.run(run.id) == run
    assert [kept.id for kept in history.comparisons()] == ["one"]
    other = a_run()
    with pytest.raises(InputError, match="has a comparison 'one' already"):
        history.keep(a_comparison(id="one", candidate_id=other.id), candidate=other)
    assert [each.id for each in history.runs()] == [run.id]


@given(st.lists(st.floats()))
def test_packed_scores_come_back_bit_for_bit(values):
    scores = np.array(values, np.float64)
    assert unpack(pack(scores)).tobytes() == scores.tobytes()


def test_packed_scores_are_little_endian_doubles():
    # 1.0 is 3ff0000000000000 in hexadecimal.
    assert pack(np.array([1.0])) == bytes.fromhex("000000000000f03f")


CHECKS = (
    StoredCheck("limit", "silenced", False, None, 2.0, 0.0, ("q1", "q\ud800")),
    StoredCheck("limit", "changed_numbers", True, ("exercise", "6715"), 0.0, 0.25),
    StoredCheck("must_pass", "q1", False, reasons=("it lost all outputs",)),
    StoredCheck("threshold", "min_match", False, None, 0.5, 0.75),
    StoredCheck("threshold", "min_cosine", False, None, NAN, 0.75),
)


def test_checks_come_back_as_they_were(history):
    history.keep(a_comparison(checks=CHECKS))
    (found,) = history.comparisons()
    # A must-pass item has no numbers, and NaN equals nothing.
    assert [repr(check) for check in found.checks] == [repr(check) for check in CHECKS]
    assert [check.name for check in found.broken] == ["silenced", "q1", "min_match", "min_cosine"]


def test_no_checks_are_other_than_none_that_were_stored(history):
    for name, checks in (("none", None), ("empty", ())):
        history.keep(a_comparison(id=name, checks=checks))
    assert {found.id: found.checks for found in history.comparisons()} == {"none": None, "empty": ()}
