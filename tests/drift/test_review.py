"""What a person reviews of a gated run: from the history alone, without a model."""

import json
import math
import re

import pytest
from tests.support.made_up_gate import START, gate_of
from tests.support.reviewed_history import BASELINE, FAILED, PASSED, write_history

from semscale.drift.approving import approve, reject
from semscale.drift.decision import with_rejection
from semscale.drift.history_summary import summarize_history
from semscale.drift.review import review_run
from semscale.errors import InputError
from semscale.history.history import open_history
from semscale.history.runs import Rejection
from semscale.history.stored_comparison import Outcome, dump_figure, load_figure
from semscale.report.drift_history import trend_figure
from semscale.report.drift_review import list_runs, reasons_of
from semscale.report.drift_site import page_name
from semscale.report.html import page

HISTORY = "semscale-history.sqlite"


@pytest.fixture
def history(tmp_path):
    write_history(tmp_path / HISTORY)
    with open_history(tmp_path / HISTORY) as opened:
        yield opened


def test_reasons_of_a_stored_gate_are_those_of_the_gate_in_the_same_order(history):
    failed = gate_of(contradicted=8, silent=2)
    stored = review_run(history, FAILED).gate
    reasons = [reason for reason in reasons_of(stored) if reason.level == "fail"]
    assert [reason.sentence for reason in reasons] == [failure.sentence for failure in failed.failures]
    items = failed.comparison.baseline.items
    assert list(reasons[0].items) == [items[index].id for index in failed.failures[0].items]


def test_the_page_of_a_failed_run_states_verdict_reasons_texts_and_limits(history):
    html = page(review_run(history, FAILED).document())
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", html))
    assert "“model-b” is worse than the baseline" in text
    assert "Contradictions rose from 0 % to 40 % of outputs." in text  # 8 of 20
    assert "2 of 20 items lost all outputs (limit 0): item-18, item-19." in text
    assert 'The dose of case 00 is <mark class="added">not</mark> safe.' in html
    assert "the candidate has no such output" in text
    assert "approve the run only if this change is intended" in text
    # each reason once, and every counted test by name, also the one whose limit is broken
    assert text.count("Contradictions rose from 0 % to 40 %") == 1
    assert "warn Lost outputs: within the margin on average, but a limit is broken." in text
    assert "pass Within the margin: lost content." in text
    assert "Look at item-00, item-01 and item-02 (contradictions), item-18 and item-19 (lost all" in text
    assert re.search(r"<summary>5 more items</summary>.*item-07", html, re.DOTALL)


def test_the_trend_counts_broken_limits_that_an_average_hides(history):
    rows = trend_figure(summarize_history(history).datasets[0]).table.rows
    # lost content, contradictions (0.4 / 0.11), lost outputs, broken limits
    values = [[round(float(cell.value), 1) for cell in row[1:]] for row in rows]
    assert values[0] == [0, 0, 0, 0]
    # The average of lost outputs, 0, would contradict the broken limit on them.
    assert values[1] == pytest.approx([0, 3.6, math.nan, 1], nan_ok=True)


def test_the_list_has_the_latest_run_first_with_its_gravest_reason(history):
    dataset = summarize_history(history).datasets[0]
    passed, failed, baseline = list_runs(dataset, 10)
    assert [run.run.id for run in (passed, failed, baseline)] == [PASSED, FAILED, BASELINE]
    assert (passed.outcome, failed.outcome, baseline.outcome) == ("passed", "failed", "")
    assert failed.reason.startswith("Contradictions rose")
    assert baseline.is_baseline
    assert baseline.decision == "Approved by Ann: “read by hand”"
    assert baseline.n_reruns == 2


def test_an_approved_run_becomes_the_baseline_and_a_rejected_one_does_not_stay_it(history):
    approve(history, history.run(PASSED), "Ann", "equally good", "30d")
    assert history.baseline("feedback")[0].id == PASSED
    assert review_run(history, PASSED).approval.why == "equally good"
    assert review_run(history, BASELINE).approval is None
    assert reject(history, history.run(PASSED), "Bo", "found a fault").was_baseline
    review = review_run(history, PASSED)
    assert (review.approval, review.rejection.by) == (None, "Bo")
    assert "Rejected by Bo: “found a fault”." in page(review.document())
    with pytest.raises(InputError, match="why must not be empty"):
        reject(history, history.run(FAILED), "Bo", "  ")


def test_a_gate_of_rejected_outputs_fails_and_names_the_person(history):
    summary = gate_of()
    assert summary.decision.outcome is Outcome.PASS
    rejection = Rejection(PASSED, "feedback", "Bo", "rude", rejected=START)
    decision = with_rejection(summary.decision, rejection)
    assert decision.outcome is Outcome.FAIL
    assert decision.reasons == ("Bo rejected these outputs on 2026-03-02: rude",)
    assert with_rejection(summary.decision, None) is summary.decision


def test_noise_and_items_of_figures_are_stored_and_older_figures_have_none():
    figure = gate_of(contradicted=8, silent=2).stored.tested[0]
    assert figure.items
    assert load_figure(json.loads(json.dumps(dump_figure(figure)))) == figure
    older = {name: value for name, value in dump_figure(figure).items() if name not in {"noise", "items"}}
    assert load_figure(older).items == ()


def test_pages_link_to_each_other_and_need_nothing_else(semscale, tmp_path):
    write_history(tmp_path / HISTORY, text="<script>alert(1)</script> ")
    ended = semscale("drift", "history", "--report", "site")
    assert ended.code == 0, ended.err
    index = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    pages = {path.name for path in (tmp_path / "site").iterdir()}
    assert pages == {"index.html", *map(page_name, (BASELINE, FAILED, PASSED))}
    assert set(re.findall(r'href="([^"#]*)"', index)) == pages - {"index.html"}
    for name in pages:
        content = (tmp_path / "site" / name).read_text(encoding="utf-8")
        assert "<script" not in content
        assert not re.search(r'(?:src|href)="(?:https?:|/)', content)


def test_commands_show_and_reject_a_run(semscale, tmp_path):
    write_history(tmp_path / HISTORY)
    shown = semscale("drift", "show", "cccccccc", "--report", "run.html")
    assert shown.code == 0, shown.err
    assert "Contradictions rose from 0 % to 40 % of outputs." in shown.out
    ended = semscale("drift", "reject", "cccccccc", "--rejected-by", "Bo", "--why", "denies safety")
    assert ended.code == 0, ended.err
    assert "rejected by Bo, until the run is approved: denies safety" in ended.out
    assert "denies safety" in semscale("drift", "history").out
    shown = json.loads(semscale("drift", "show", "cccccccc", "--json").out)
    assert (shown["outcome"], shown["is_rejected"]) == ("fail", True)
    assert [decision["by"] for decision in shown["decisions"]] == ["Bo"]
    (dataset,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert dataset["rejections"][0]["why"] == "denies safety"
