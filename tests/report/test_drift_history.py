"""Pages about recorded runs, approvals, histories, plans and self-tests."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.support.made_up_gate import START, gate_of

from semscale.drift.anchors import RecordedAnchors
from semscale.drift.history_summary import DatasetHistory, HistorySummary
from semscale.drift.runs import ApprovedBaseline, AskedFacts, RecordedRun, SharedIds
from semscale.drift.simulation import GatePlan, PlannedSize, SelfTest, SelfTestRow
from semscale.history.anchor_sets import AnchorPair, AnchorSet
from semscale.history.chain import Flaw, Verification
from semscale.history.runs import RunSummary
from semscale.report.drift_gate import gravest_facts
from semscale.report.drift_history import (
    anchors_document,
    approval_document,
    history_document,
    plan_document,
    record_document,
    self_test_document,
    verification_document,
)
from semscale.report.html import page
from semscale.report.terminal import print_document
from semscale.signature import Signature
from semscale.stats.intervals import Estimate

BASELINE = gate_of().comparison.baseline
PLAN = GatePlan(
    20,
    1,
    False,
    (PlannedSize(20, 1, 0, 0.0, 0.3, 0.7), PlannedSize(20, 3, 40, 0.05, 0.8, 0.15)),
    power=0.8,
    draws=200,
    seed=0,
)


def compared_daily(*contradicted, **changes):
    """Comparisons of successive candidates with the same baseline, a day apart."""
    return tuple(
        replace(
            gate_of(contradicted=n).stored,
            candidate_id=f"{day}" * 32,
            candidate_digest=str(day),
            compared=START + timedelta(days=day),
            **changes,
        )
        for day, n in enumerate(contradicted)
    )


def run_of(comparison):
    """The compared run, which was recorded a day before."""
    recorded = comparison.compared - timedelta(days=1)
    return RunSummary(comparison.candidate_id, "feedback", "m", recorded, None, None, None, 20, "semscale")


def history_of(comparisons, runs=None, **changes):
    approval = gate_of().approval
    runs = map(run_of, comparisons) if runs is None else runs
    dataset = DatasetHistory("feedback", tuple(runs), approval, False, tuple(comparisons))
    return HistorySummary("history.sqlite", (replace(dataset, **changes),))


def shown(document, capsys):
    print_document(document)
    return capsys.readouterr().out


def test_a_recorded_run_lists_its_counts(capsys):
    out = shown(record_document(RecordedRun(BASELINE, "history.sqlite")), capsys)
    lines = {line.split("  ")[0]: line.split()[-1] for line in out.splitlines() if line.strip()}
    assert lines["items"] == lines["outputs"] == "20"
    assert lines["items without output"] == "0"
    assert lines["fields"] == "credits"


def test_a_recorded_run_states_what_asking_took_and_what_failed(capsys):
    facts = AskedFacts(
        prompts="items.jsonl", settings={}, n_calls=18, n_kept=2,
        sums={"cost": 0.25}, n_known={"cost": 18}, currency="USD", latency=1.5,
        reasons={"refused": 2}, n_cut=1, left_out=(),
    )  # fmt: skip
    out = shown(RecordedRun(BASELINE, "h", asked=facts).document(), capsys)
    assert "0.25 USD for 18 outputs" in out
    assert "2 answers without an output: refused" in out
    assert "1 reply cut at the limit of tokens (--max-tokens)" in out


def test_a_run_without_common_ids_is_cautioned(capsys):
    shared = SharedIds("4c44e2e2d1", is_baseline=True, n=0, n_earlier=30)
    out = shown(record_document(RecordedRun(BASELINE, "h", shared=shared)), capsys)
    assert "no id is shared with the baseline 4c44e2e2 of dataset “feedback”" in out


def test_recorded_anchors_state_their_pairs_and_labels(capsys):
    pairs = tuple(
        AnchorPair(f"{n}", f"Reference {n}.", f"Output {n}.", n / 10 if n else None) for n in range(10)
    )
    anchors = AnchorSet("feedback", "pairs", pairs)
    out = shown(
        anchors_document(RecordedAnchors("h", anchors, is_new=True, references=(), errors={})), capsys
    )
    assert "10 anchors stored." in out
    assert re.search(r"human labels +9\n", out)


def test_an_approval_names_person_reason_and_expiry(capsys):
    approval = replace(gate_of().approval, expires=START + timedelta(days=90))
    out = shown(approval_document(ApprovedBaseline(BASELINE, approval)), capsys)
    assert "approved by Ann, until 2026-05-31 09:30 UTC: read by hand" in out


def test_an_approval_states_how_the_last_gate_of_the_run_ended(capsys):
    approval = gate_of().approval
    # 8 of 20 outputs contradict: .4, and the margin is .11. One item lost all outputs.
    failed = replace(gate_of(contradicted=8, silent=1).stored, compared=START)
    out = shown(approval_document(ApprovedBaseline(BASELINE, approval, last_gate=failed)), capsys)
    reasons = "silenced (1 item) and contradictions 3.6 times the margin"
    assert f"Its last gate, on 2026-03-02 09:30 UTC, failed: {reasons}." in out
    passed = replace(gate_of().stored, compared=START)
    out = shown(approval_document(ApprovedBaseline(BASELINE, approval, last_gate=passed)), capsys)
    assert "Its last gate, on 2026-03-02 09:30 UTC, passed." in out
    later = ApprovedBaseline(BASELINE, approval, gated_later=failed)
    assert "latest is the run that was recorded last. Run cccccccc of model-b was gated after it" in shown(
        approval_document(later), capsys
    )


def test_a_history_lists_comparisons_with_outcome_and_greatest_drift(capsys):
    out = shown(history_document(history_of(compared_daily(0, 8))), capsys)
    latest, first = [line for line in out.splitlines() if line.startswith("2026-03-0")]
    # 8 of 20 outputs contradict all three other runs, which agree: the drift is .4, and the margin .11.
    assert "fail" in latest
    assert latest.endswith("contradictions 3.6")
    assert "pass" in first
    assert first.endswith("none")


def test_a_history_states_the_greatest_drift_of_the_metrics_that_the_gate_tests(capsys):
    # The similarity is not tested: 2 of 20 items lose .3, a drift of .3^2 * 2 / 20 = .009, 9 times a margin
    # of .001. The 2 contradictions are a drift of .1, .9 times the margin of .11.
    summary = gate_of(contradicted=2)
    figures = [replace(figure, margin=0.001) if figure.metric == "match" else figure
               for figure in summary.stored.figures]  # fmt: skip
    comparison = replace(summary.stored, figures=tuple(figures))
    (row,) = [
        line
        for line in shown(history_document(history_of((comparison,))), capsys).splitlines()
        if "model-b" in line
    ]
    assert row.endswith("contradictions 0.9")


def test_gate_and_history_agree_that_there_was_no_drift(capsys):
    summary = gate_of()
    assert gravest_facts(summary) == ("No drift was found",)
    assert "  none" in shown(history_document(history_of((summary.stored,))), capsys)


def test_a_history_draws_comparisons_with_the_same_baseline_and_settings_only():
    alike = compared_daily(0, 2, 8)
    other = compared_daily(8, 8)
    other_runs = (
        replace(other[0], baseline_id="d" * 32),
        replace(other[1], signature="semscale 0.1|drift|match:x"),
    )
    figure, *_ = history_document(history_of((*other_runs, *alike))).figures()
    assert [row[0].text for row in figure.table.rows] == [
        "model-b, 2026-03-03, failed (22222222)",
        "model-b, 2026-03-02, undecided (11111111)",
        "model-b, 2026-03-01, passed (00000000)",
    ]


def test_a_history_names_the_baseline_and_its_expiry(capsys):
    out = shown(history_document(history_of((), is_stale=True)), capsys)
    assert "baseline bbbbbbbb, approved by Ann on 2026-03-02: “read by hand” (expired)" in out


def test_a_history_names_the_model_of_the_baseline(capsys):
    run = RunSummary("b" * 32, "feedback", "model-a", START, None, None, None, 20, "semscale")
    out = shown(history_document(history_of((), [run])), capsys)
    assert "baseline model-a (bbbbbbbb), approved by Ann on 2026-03-02: “read by hand”" in out


def test_a_history_of_a_dataset_without_approval_tells_how_to_approve(capsys):
    run = RunSummary(
        "e" * 32, "feedback", "m", START, None, None, "nightly", 20, "semscale 0.1|run|inputs:ab12cd34ef"
    )
    out = shown(history_of((), [run], approval=None).document(), capsys)
    assert "no baseline: semscale drift approve RUN" in out
    assert "eeeeeeee  2026-03-02 09:30  m         20  1 (ab12cd34)" in out


def test_a_plan_begins_with_its_result_and_draws_it(capsys):
    document = plan_document(PLAN)
    assert str(document.full_introduction[0]) == "With 2 more reruns 85 % of such drifts are decided."
    assert [figure.name for figure in document.figures()] == ["sizes"]
    out = shown(document, capsys)
    assert "items  reruns  more answers needed  gate decides  passes  fails  undecided" in out
    assert out.splitlines()[-1].split() == ["20", "3", "40", "85", "%", "5", "%", "80", "%", "15", "%"]


def rate(value):
    return Estimate(value, max(value - 0.1, 0.0), min(value + 0.1, 1.0))


def row(kind, share, failed, *, harmful=True, draws=40):
    passed = rate(0.0 if harmful else 1 - failed)
    undecided = rate(1 - failed if harmful else 0.0)
    return SelfTestRow(
        kind, harmful, share, 20, 20, draws, rate(failed), passed, undecided, {"match": failed}
    )


@pytest.fixture
def tested():
    rows = (
        row("paraphrase", 1.0, 0.0, harmful=False),
        row("negate", 0.25, 0.4),
        row("negate", 1.0, 1.0),
        row("drop", 1.0, 0.9),
    )
    return SelfTest(rows, 2, Signature.of("drift"))


def test_a_self_test_leads_with_what_it_detects(tested, capsys):
    document = self_test_document(tested)
    assert [figure.name for figure in document.figures()] == ["detections", "false-alarms"]
    assert "1 of 2 kinds of damage to all items are detected" in document.full_introduction[0]
    assert document.full_introduction[0].endswith("Detected less often: drop.")
    out = shown(document, capsys)
    assert out.index("Damage: the gate should fail") < out.index("Harmless changes: the gate should not fail")


def test_a_self_test_without_reruns_tells_what_it_cannot_know(tested):
    cautions = self_test_document(replace(tested, n_reruns=1)).sentences("caution")
    assert "Record a second rerun" in cautions[0]


def test_changed_history_is_reported_first(capsys, read_page):
    flaw = Flaw("run", "e" * 32, "feedback", "its content does not match its hash")
    changed = Verification("h", 12, (flaw,), {"feedback": "ab" * 32})
    out = shown(verification_document(changed), capsys)
    assert out.splitlines()[0] == "History changed  h"
    assert "1 entry changed; the first is" in out.splitlines()[1]
    read_page(page(verification_document(changed))).assert_harmless()
    many = replace(changed, flaws=(flaw,) * 30)
    assert re.search(r"\d+ more entries", shown(verification_document(many), capsys))
    unchanged = shown(verification_document(replace(changed, flaws=())), capsys)
    assert unchanged.splitlines()[1] == "12 entries unchanged since recording."


def test_a_self_test_of_few_damaged_items_states_their_share():
    few = SelfTest((row("negate", 0.25, 0.4), row("drop", 0.25, 1.0)), 1, Signature.of("drift"))
    (reading,) = self_test_document(few).full_introduction
    assert str(reading).startswith("1 of 2 kinds of damage to 25\N{NO-BREAK SPACE}% of items are detected")
