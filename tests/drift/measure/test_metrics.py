"""The table of metrics is all that says what is measured: a new metric is one entry."""

import math
import re
from pathlib import Path

import pytest

from semscale.drift import DriftSummary, GateSettings, Item, Output, Run, compare, decide
from semscale.drift.measure.metrics import TEXT_METRICS, Metric, field_metric, metric_label, usual_metrics
from semscale.errors import InputError
from semscale.report.document import Label

BEFORE = ("The cell swells in water.", "Mitochondria make ATP.")
AFTER = ("The cell swells in water.", "The wall keeps the cell whole.")


def run(model, *texts):
    return Run("answers", model, (Item("1", tuple(Output(text) for text in texts)),))


def least_alike(item):
    """One minus the match of the pair that is least alike."""
    return 1 - min(pair.scores["match"] for pair in item.scores) if item.scores else math.nan


@pytest.fixture
def worst_pair(monkeypatch):
    metric = Metric("worst_pair", "least alike pair", least_alike, True)
    monkeypatch.setitem(TEXT_METRICS, metric.name, metric)
    return metric


def test_a_metric_that_is_entered_is_measured_gated_and_shown(worst_pair):
    compared = compare(run("old", *BEFORE), run("new", *AFTER))
    matches = [pair.scores["match"] for pair in compared.measured.pairs]
    assert compared.losses("worst_pair").tolist() == [1 - min(matches)]
    assert 0 < min(matches) < max(matches) == 1

    decision = decide(compared, GateSettings(thresholds={"min_worst_pair": 0.999}))
    assert "worst_pair" in [test.metric for test in decision.tests]
    (check,) = decision.thresholds
    # A similarity, as people know it: 1 - (1 - x) is x but for rounding.
    assert (check.value, check.passed) == (pytest.approx(min(matches), rel=1e-12), False)

    summary = DriftSummary(compared, decision)
    section = next(section for section in summary.document().sections if section.name == "metrics")
    tables = [block for block in section.blocks if hasattr(block, "rows")]
    assert Label("least alike pair", brief="worst_pair") in [row[0] for row in tables[0].rows]
    assert "worst_pair" in [figure.metric for figure in summary.stored.figures]


def test_a_margin_of_its_own_is_checked_against_its_span(worst_pair):
    with pytest.raises(InputError, match="worst_pair must lie below 1"):
        GateSettings(material={"worst_pair": 2})


def test_what_a_gate_tests_by_itself_stands_in_the_table():
    assert usual_metrics() == ("match", "bertscore_f1", "contradictions", "output_count", "silence")


def test_the_direction_says_how_people_know_a_metric():
    match, silence = TEXT_METRICS["match"], TEXT_METRICS["silence"]
    assert (match.side, match.in_its_terms(0.25)) == ("min", 0.75)
    assert (silence.side, silence.in_its_terms(0.25)) == ("max", 0.25)


def test_labels_have_no_underscores():
    assert not any("_" in metric.label for metric in TEXT_METRICS.values())
    assert field_metric("word_count", 5.0).label == "word count difference"
    assert metric_label("word_count_difference") == "word count difference"


def test_the_page_of_the_docs_has_every_metric_and_says_whether_it_is_tested():
    page = (Path(__file__).parents[3] / "docs" / "drift.md").read_text("utf-8").split("| metric | loss |")[1]
    rows = re.findall(r"^\| `(\w+)`(?:, \.\.\.)? \| .+ \| (yes)? *\|$", page, re.MULTILINE)
    assert {name: bool(tested) for name, tested in rows} == {
        **{name: metric.is_usual for name, metric in TEXT_METRICS.items()},
        "credits_difference": True,
    }
