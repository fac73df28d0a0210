"""What was recorded, what was approved, and what a history holds, as documents."""

from dataclasses import replace
from datetime import timedelta

import pytest
from made_up import START, run, stored_comparison

from semscale.drift.nights.history_summary import DatasetHistory, HistorySummary
from semscale.drift.nights.trend import trends
from semscale.drift.runs.run_summaries import ApprovedBaseline, RecordedRun
from semscale.history.items import Item, Output
from semscale.history.runs import Approval
from semscale.history.summaries import Merged, RunSummary
from semscale.report.document import Count
from semscale.report.drift_runs import approved_document, history_document, recorded_document
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.terminal import print_document

APPROVAL = Approval("b" * 32, "answers", "Ann", "read them", START, START + timedelta(days=90))


@pytest.fixture
def screen(capsys):
    def shown(document):
        print_document(document)
        return capsys.readouterr().out.splitlines()

    return shown


def listed(n, *, approval=APPROVAL, is_stale=False, compared=0, name="answers"):
    runs = [
        RunSummary(
            f"{day:08d}" + "0" * 24, name, "model-b", START + timedelta(days=day), None, None, None, 3, "s"
        )
        for day in range(n)
    ]
    kept = [stored_comparison({"match": 0.1, "silence": 0.0}, day=day) for day in range(compared)]
    followed = trends(kept) if kept else None
    return DatasetHistory(name, tuple(runs), approval, is_stale, tuple(kept), followed)


def test_versions_of_a_dataset_are_numbered_and_listed(screen):
    old, new = "0123456789ab", "ba9876543210"
    runs = [
        RunSummary(f"{day:032d}", "exam", "m", START + timedelta(days=day), None, None, None, n, signature)
        for day, (n, signature) in enumerate(
            [(3, f"semscale 0|run|inputs:{old}"), (4, f"semscale 0|run|inputs:{new}"), (3, f"x|inputs:{old}")]
        )
    ]
    dataset = DatasetHistory("exam", tuple(runs), None, False, (), None)
    assert dataset.record()["versions"] == [
        {"version": old, "items": 3, "runs": 2, "since": START},
        {"version": new, "items": 4, "runs": 1, "since": START + timedelta(days=1)},
    ]
    shown = screen(history_document(HistorySummary("h.sqlite", (dataset,))))
    assert [line.split("  ")[-2].strip() for line in shown if "2026-01-0" in line] == [
        "1 (01234567)",
        "2 (ba987654)",
        "1 (01234567)",
    ]


def test_a_recorded_run_is_counted(screen):
    items = (
        Item("1", (Output("Yes.", {"credits": 1.0}), Output("No.")), groups={"topic": "a"}),
        Item("2", (Output(" "),), groups={"topic": "b"}),
    )
    recorded = RecordedRun(run(2, items=items, note="first"), "team.sqlite")
    assert (recorded.n_outputs, recorded.n_silent, recorded.without_number) == (2, 1, {"credits": 1})
    lines = [line.split(maxsplit=1) for line in screen(recorded_document(recorded))]
    assert ["outputs", "2"] in lines
    assert ["silent", "1"] in lines
    (table,) = recorded_document(recorded).sections[0].blocks
    assert [value for _, value in table.rows if isinstance(value, Count)] == [Count(2), Count(2), Count(1)]
    assert ["fields", "credits (missing in 1 output)"] in lines
    assert ["groups", "topic (2)"] in lines
    assert ["note", "first"] in lines
    assert repr(recorded) == "RecordedRun(model='model-a', dataset='answers', items=2)"


def test_a_rerun_with_the_outputs_of_its_original_is_a_caution():
    rerun = run(2, rerun_of="c" * 32)
    assert recorded_document(RecordedRun(rerun, "h.sqlite")).cautions == ()
    (said,) = recorded_document(RecordedRun(rerun, "h.sqlite", repeats_original=True)).cautions
    assert said.startswith("This rerun has the outputs of its original, word for word")


def test_an_approval_names_who_and_until_when(screen):
    approved = ApprovedBaseline(run(2, id="b" * 32, rerun_of="c" * 32), APPROVAL)
    lines = screen(approved_document(approved))
    assert lines[:4] == [
        "Baseline  answers",
        "bbbbbbbb  model-a  2026-01-01 00:00 UTC",
        "approved by Ann, until 2026-04-01 00:00 UTC: read them",
        "It was recorded as a rerun of cccccccc.",
    ]
    for shown in (page(approved_document(approved)), markdown(approved_document(approved))):
        for said in ("bbbbbbbb  model-a", "approved by Ann, until 2026-04-01 00:00 UTC: read them"):
            assert said.replace("  ", " ") in shown.replace("  ", " ")
    silent = run(1, items=(Item("1", (Output(None),)),))
    (caution,) = approved_document(ApprovedBaseline(silent, APPROVAL)).cautions
    assert caution.startswith("No item of it says anything")


def test_the_latest_runs_come_first_and_others_are_counted(screen):
    lines = screen(history_document(HistorySummary("h.sqlite", (listed(25),))))
    first = lines.index("Runs, the latest first") + 2
    assert [line[:8] for line in lines[first : first + 3]] == ["00000024", "00000023", "00000022"]
    assert "... and 5 more runs; --json has all" in lines
    assert "answers  25 runs, 0 comparisons" in lines


def test_a_page_has_the_latest_200(read_page):
    shown = read_page(page(history_document(HistorySummary("h.sqlite", (listed(230, compared=3),)))))
    shown.assert_harmless()
    assert "How “answers” developed" in shown.text
    assert "The latest 200; the history has 30 earlier ones." in shown.text
    assert "00000030" in shown.text  # of 230, counted from 0, the first that is shown
    assert "00000029" not in shown.text


def test_what_is_missing_or_expired_is_said(screen):
    none, old = listed(1, approval=None, name="quiz"), listed(1, is_stale=True)
    merged = {"other.sqlite": Merged(1, 0, 2)}
    lines = screen(history_document(HistorySummary("h.sqlite", (none, old), merged)))
    assert lines[:2] == ["History  h.sqlite", "taken in from other.sqlite: 1 run, 0 approvals, 2 comparisons"]
    assert "no baseline: semscale drift approve RUN --by NAME --why REASON" in lines
    document = history_document(HistorySummary("h.sqlite", (listed(9, compared=3),), merged))
    for shown in (page(document), markdown(document)):
        assert "taken in from other.sqlite: 1 run" in shown
    assert any(line.startswith("baseline bbbbbbbb") and line.endswith("(expired)") for line in lines)


def test_a_revision_is_shown_as_its_author_wrote_it():
    revision = "v1_*beta*"
    dataset = listed(1)
    runs = tuple(replace(one, revision=revision) for one in dataset.runs)
    kept = history_document(HistorySummary("h.sqlite", (replace(dataset, runs=runs),)))
    recorded = recorded_document(RecordedRun(run(1, revision=revision), "h.sqlite"))
    for document in (kept, recorded):
        assert f"`{revision}`" in markdown(document)


def test_an_empty_history_says_what_to_do(screen):
    lines = screen(history_document(HistorySummary("h.sqlite", ())))
    assert lines == ["History  h.sqlite", "It holds no run yet: semscale drift record OUTPUTS --model NAME"]


def test_the_metric_that_drifted_by_the_most_margins_is_named(screen):
    lines = screen(history_document(HistorySummary("h.sqlite", (listed(1, compared=2),))))
    (latest,) = [line for line in lines if line.startswith("2026-01-02 00:00  ")]
    assert latest.split()[-2:] == ["match", "+0.100"]  # .1 of a margin of .05; silence did not drift
    assert any(line.startswith("Trend over 2 runs against bbbbbbbb") for line in lines)


def test_where_nothing_became_worse_no_metric_is_named(screen):
    history = listed(1, compared=1)
    better = tuple(
        replace(kept, figures=tuple(replace(one, drift=-0.122) for one in kept.figures))
        for kept in history.comparisons
    )
    lines = screen(history_document(HistorySummary("h.sqlite", (replace(history, comparisons=better),))))
    (latest,) = [line for line in lines if line.startswith("2026-01-01 00:00  ") and "none" in line]
    assert latest.endswith("none")
    assert any("compared (UTC)" in line and line.endswith("greatest worsening") for line in lines)
