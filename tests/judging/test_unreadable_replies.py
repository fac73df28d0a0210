"""Replies without a score: the run stops after 20 in a row, and a later run may ask again."""

import polars as pl
import pytest
from tests.judging.conftest import Scripted, material

from semscale.chat.pacing import Retries, UnreadableReplies
from semscale.chat.runner import Running
from semscale.chat.settings import Limits
from semscale.judging.audit import audit
from semscale.judging.comparing import compare_systems
from semscale.judging.judge import Judge, Panel
from semscale.judging.settings import JudgeColumns
from semscale.judging.table import judge_table
from semscale.judging.templates import side_by_side_template
from semscale.results.table_runs import PartSettings
from semscale.store.reading import open_table

pytestmark = pytest.mark.filterwarnings("ignore::semscale.errors.UnfinishedWarning")

N = 100
QUESTIONS = [f"question {row}" for row in range(N)]
ANSWERS = [f"answer {row}" for row in range(N)]
VAGUE = "It is a fine answer."


def judge_of(model, **settings):
    return Judge(model, structured=False, logprobs=False, **settings)


@pytest.fixture
def running(tmp_path):
    def running(**settings):
        return Running(retries=Retries(0), **{"ledger": tmp_path / "ledger.sqlite"} | settings)

    return running


@pytest.mark.parametrize(("concurrency", "corrections"), [(1, 0), (16, 2), (64, 5)])
@pytest.mark.exhaustive
def test_a_model_without_readable_replies_is_asked_about_20_times(running, concurrency, corrections):
    model = Scripted(lambda _: VAGUE)
    verdicts = judge_of(model, corrections=corrections).judge(
        QUESTIONS, ANSWERS, running=running(limits=Limits(concurrency=concurrency))
    )
    # At most eight conversations are open, whose replies may still come.
    assert 20 <= len(model.requests) <= 27
    assert "replies in a row could not be read, such as 'It is a fine answer.'" in verdicts.stopped
    assert verdicts.counts.get("unfinished", 0) >= N - 27
    assert verdicts.n_scored == 0


def test_a_model_whose_corrections_are_readable_is_asked_to_the_end(running):
    model = Scripted(lambda request: "Score: 4" if len(request.messages) > 2 else VAGUE)
    verdicts = judge_of(model).judge(QUESTIONS, ANSWERS, running=running(limits=Limits(concurrency=64)))
    assert (verdicts.stopped, verdicts.n_scored) == (None, N)
    assert len(model.requests) == 2 * N


def test_readable_replies_end_a_row(running):
    # Each tenth answer can be read, so that no row has 20 replies without one.
    model = Scripted(lambda request: "Score: 4" if material(request).endswith("0") else VAGUE)
    verdicts = judge_of(model, corrections=0).judge(
        QUESTIONS, ANSWERS, running=running(limits=Limits(concurrency=1))
    )
    assert verdicts.stopped is None
    assert {str(status): n for status, n in verdicts.counts.items()} == {"scored": 10, "unparsable": 90}


def test_a_model_that_loses_its_form_in_the_middle_stops_the_run(running):
    model = Scripted(lambda request: "Score: 4" if int(material(request).split()[1]) < 50 else VAGUE)
    verdicts = judge_of(model).judge(QUESTIONS, ANSWERS, running=running(limits=Limits(concurrency=4)))
    assert verdicts.n_scored == 50
    assert len(model.requests) <= 50 + 28
    assert verdicts.stopped is not None


@pytest.mark.exhaustive
def test_unreadable_judge_of_a_panel_stops_alone(running):
    vague, clear = Scripted(lambda _: VAGUE, name="vague"), Scripted(lambda _: "Score: 4", name="clear")
    verdicts = Panel([judge_of(vague), judge_of(clear)]).judge(QUESTIONS, ANSWERS, running=running())
    assert len(vague.requests) <= 27
    assert len(clear.requests) == N
    assert verdicts.n_scored == N
    assert verdicts.stopped is not None


def test_a_comparison_stops_before_it_pays_for_every_pair(running):
    model = Scripted(lambda _: VAGUE)
    summary, _ = compare_systems(
        judge_of(model, template=side_by_side_template()),
        QUESTIONS,
        {"a": ANSWERS, "b": QUESTIONS},
        running=running(),
    )
    assert len(model.requests) <= 27
    assert (summary.failed, summary.sides.best) == (None, None)
    assert "could not be read" in summary.stopped


@pytest.mark.exhaustive
def test_an_audit_leaves_out_a_change_whose_replies_cannot_be_read(running):
    model = Scripted(lambda request: VAGUE if "A:" in str(request.messages) else "Score: 3")
    result = audit(judge_of(model), QUESTIONS, ANSWERS, running=running())
    skipped = {check.name: check.skipped for check in result.checks if check.skipped}
    assert "could not be read" in skipped["relabelled"]
    assert result.stopped is None


def test_a_cut_reply_suggests_more_tokens():
    from semscale.chat.messages import Reply

    unreadable = UnreadableReplies()
    for _ in range(20):
        assert unreadable.reason is None
        unreadable.note(Reply("Let me think", finish_reason="length"), is_readable=False)
    assert unreadable.reason.endswith("raise the maximum number of tokens")


def test_a_readable_reply_in_flight_does_not_revoke_the_end_of_a_run():
    from semscale.chat.messages import Reply

    unreadable = UnreadableReplies()
    for _ in range(20):
        unreadable.note(Reply("Let me think"), is_readable=False)
    unreadable.note(Reply("Score: 4"), is_readable=True)
    assert unreadable.reason.startswith("20 replies in a row could not be read")


def test_stored_unreadable_replies_are_asked_again_only_on_request(running):
    model = Scripted(lambda _: VAGUE)
    judge = judge_of(model)
    judge.judge(QUESTIONS[:5], ANSWERS[:5], running=running())
    assert len(model.requests) == 15  # three for each row
    model._say = lambda _: "Score: 4"
    replayed = judge.judge(QUESTIONS[:5], ANSWERS[:5], running=running())
    assert (replayed.n_scored, len(model.requests)) == (0, 15)
    again = judge.judge(QUESTIONS[:5], ANSWERS[:5], running=running(retry_unreadable=True))
    assert (again.n_scored, len(model.requests)) == (5, 20)
    # The new replies are the stored ones from now on.
    for settings in ({}, {"retry_unreadable": True}):
        assert judge.judge(QUESTIONS[:5], ANSWERS[:5], running=running(**settings)).n_scored == 5
    assert len(model.requests) == 20


def test_after_other_settings_every_row_is_asked_about(running):
    model = Scripted(lambda _: VAGUE)
    judge_of(model).judge(QUESTIONS[:5], ANSWERS[:5], running=running())
    model._say = lambda _: "Score: 4"
    assert judge_of(model, max_tokens=4096).judge(QUESTIONS[:5], ANSWERS[:5], running=running()).n_scored == 5


@pytest.mark.parametrize("retries", [False, True])
@pytest.mark.exhaustive
def test_a_stopped_table_repeats_parts_with_unparsable_rows_on_request(running, tmp_path, retries):
    path, out = tmp_path / "answers.csv", tmp_path / "out.parquet"
    pl.DataFrame({"q": QUESTIONS, "a": ANSWERS}).write_csv(path)
    model = Scripted(lambda request: "Score: 4" if material(request) == "answer 0" else VAGUE)

    def run(**settings):
        return judge_table(
            open_table(path),
            JudgeColumns(question="q", answer="a"),
            judge=judge_of(model),
            running=running(limits=Limits(concurrency=1), **settings),
            out=out,
            settings=PartSettings(4),
        )

    stopped = run().counts
    n_unparsable = stopped["unparsable"]
    assert (stopped["scored"], stopped["unfinished"]) == (1, N - 1 - n_unparsable)
    assert 6 <= n_unparsable <= 8
    model._say = lambda _: "Score: 4"
    expected = {"scored": N} if retries else {"scored": N - n_unparsable, "unparsable": n_unparsable}
    assert run(retry_unreadable=retries).counts == expected
    assert (pl.read_parquet(out)["semscale_status"] == "scored").sum() == expected["scored"]


def test_the_reason_of_a_stop_is_the_same_in_each_run_and_names_what_helps(running):
    model = Scripted(lambda _: VAGUE)
    reasons = [
        judge_of(model)
        .judge(QUESTIONS, ANSWERS, running=running(limits=Limits(concurrency=concurrency)))
        .stopped
        for concurrency in (8, 1)
    ]
    stop = "20 replies in a row could not be read, such as 'It is a fine answer.': choose another model, "
    remedy = (
        "template or form of reply; the same command reads the stored replies again and stops as before; "
        "--retry-unparsable asks for them anew"
    )
    assert reasons == [stop + remedy] * 2
