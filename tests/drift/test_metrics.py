"""The table of metrics: losses of one item by hand, formulas, directions, and a new entry in the table."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.drift import DriftSummary, GateSettings, Item, Output, Run, compare, decide
from semscale.drift.metrics import (
    QUALITY_METRICS,
    TEXT_METRICS,
    AlignedItem,
    ItemTexts,
    Metric,
    PairScores,
    difference_share,
    field_metrics,
    metric_label,
    number_differences,
    number_distances,
    number_loss,
    similarity_loss,
    span_of,
)
from semscale.drift.settings import is_lower_by_name, read_directions, usual_direction
from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.report.markdown import markdown

NONE = np.empty((0, 2), np.int64)
NAN = math.nan


def test_a_missing_output_has_no_similarity():
    # Aligned .5 and 1, one of three lacks: (.5 + 1 + 0) / 3 = .5.
    assert similarity_loss([0.5, 1.0], 3) == 0.5


def test_equal_outputs_lose_nothing_at_all():
    assert similarity_loss([1.0] * 7, 7) == 0.0


def test_similarities_outside_of_0_to_1_are_clipped():
    assert similarity_loss([-0.25, 1.0000001], 2) == 0.5


def test_unreadable_outputs_count_as_lost():
    assert similarity_loss([NAN, 1.0], 2) == 0.5


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.randoms())
@pytest.mark.exhaustive
def test_the_order_of_pairs_changes_no_bit(similarities, random):
    mixed = random.sample(similarities, len(similarities))
    assert similarity_loss(mixed, 6) == similarity_loss(similarities, 6)


@pytest.mark.parametrize(("first", "other", "share"), [(4, 1, 0.75), (1, 4, 0.75), (0, 2, 1.0), (0, 0, 0.0)])
def test_difference_of_sizes(first, other, share):
    assert difference_share(first, other) == share


def test_numbers_of_aligned_outputs():
    pairs = np.array([[0, 1], [1, 0]])
    # |1 - .5| and |2 - 2|: .25 on average.
    assert number_loss(np.array([1.0, 2.0]), np.array([2.0, 0.5]), pairs, 4.0) == 0.25


def test_a_number_without_a_partner_counts_the_span():
    pairs = np.array([[0, 0]])
    # 0 for the pair and 4 for what the candidate lacks.
    assert number_loss(np.array([1.0, 2.0]), np.array([1.0]), pairs, 4.0) == 2.0
    # The same for what it has in addition.
    assert number_loss(np.array([1.0]), np.array([1.0, 3.0]), pairs, 4.0) == 2.0
    # A number on one side of a pair only.
    assert number_loss(np.array([1.0]), np.array([NAN]), pairs, 4.0) == 4.0


def test_outputs_without_a_number_are_left_out():
    pairs = np.array([[0, 0], [1, 1]])
    assert number_loss(np.array([1.0, NAN]), np.array([2.0, NAN]), pairs, 4.0) == 1.0
    assert math.isnan(number_loss(np.array([NAN]), np.array([NAN]), np.array([[0, 0]]), 4.0))
    assert math.isnan(number_loss(np.array([]), np.array([NAN]), NONE, 4.0))


def test_no_difference_counts_more_than_the_span():
    assert number_loss(np.array([1.0]), np.array([100.0]), np.array([[0, 0]]), 2.5) == 2.5


def test_distances_by_several_numbers():
    left, right = np.array([[1.0, 0.0]]), np.array([[2.0, NAN], [1.0, 0.0]])
    # First: 1 of 2, and one that only one has: (.5 + 1) / 2. Second: the same numbers.
    assert number_distances(left, right, np.array([2.0, 1.0])).tolist() == [[0.75, 0.0]]


def test_distances_without_a_field():
    assert number_distances(np.empty((2, 0)), np.empty((1, 0)), np.empty(0)).tolist() == [[0.0], [0.0]]


def test_spans_hold_0():
    # An output that is not there has no credits: from 2 to 3 it may miss by 3.
    assert span_of([2.0, 3.0]) == 3.0
    assert span_of([-1.0, -3.0]) == 3.0


@pytest.mark.parametrize(
    ("direction", "expected"), [("either", [0.5, 0.5]), ("lower", [0.5, 0.0]), ("higher", [0.0, 0.5])]
)
def test_only_changes_for_the_worse_count_if_a_direction_is_set(direction, expected):
    # The first number rises from 1 to 1.5, the second falls from 1 to .5.
    pairs = np.array([[0, 0], [1, 1]])
    values = number_differences(np.array([1.0, 1.0]), np.array([1.5, 0.5]), pairs, 2.0, direction)
    assert values.tolist() == expected


def test_a_missing_number_is_the_worst_case_in_any_direction():
    first, none = np.array([1.0]), np.array([np.nan])
    for direction in ("lower", "higher"):
        assert number_differences(first, none, np.array([[0, 0]]), 2.0, direction).tolist() == [2.0]


def item_texts(n: int, *, numbers: Sequence[float] = (), characters: int = 10) -> ItemTexts:
    """Texts 0 to n - 1; with numbers, of one field."""
    columns = np.array(numbers, np.float64).reshape(n, -1) if n else np.empty((0, int(bool(numbers))))
    return ItemTexts(tuple(range(n)), tuple(range(n)), columns, characters if n else 0)


def pair_scores(match: float, *, negated: bool = False) -> PairScores:
    finding = Finding("negation", "negated-prediction", "One text negates.", None, None)
    scores = dict.fromkeys(("match", "bertscore_f1", "cosine", "recall", "precision"), match)
    return PairScores(scores, (finding,) if negated else ())


def aligned(baseline: ItemTexts, candidate: ItemTexts, *scores: PairScores) -> AlignedItem:
    """The first outputs paired with the first."""
    pairs = np.array([[index, index] for index in range(len(scores))], np.int64).reshape(-1, 2)
    return AlignedItem(baseline, candidate, pairs, scores)


METRICS = {**TEXT_METRICS, **{metric.name: metric for metric in field_metrics("credits", 2.0)}}


def losses(item):
    """The loss of an item in each metric, measured in one direction."""
    return {name: metric.losses(item)[0] for name, metric in METRICS.items()}


def test_equal_outputs_lose_nothing():
    first = item_texts(2, numbers=[1.0, 0.5])
    assert losses(aligned(first, first, pair_scores(1.0), pair_scores(1.0))) == dict.fromkeys(METRICS, 0.0)


def test_all_metrics_by_hand():
    baseline = item_texts(2, numbers=[1.0, 0.5], characters=20)
    candidate = item_texts(1, numbers=[0.5], characters=8)
    values = losses(aligned(baseline, candidate, pair_scores(0.8, negated=True)))
    assert values["match"] == pytest.approx(0.6)  # 1 - .8 / 2
    assert values["lost_content"] == pytest.approx(0.6)  # .2 of the first output, all of the second
    assert values["added_content"] == pytest.approx(0.2)  # .2 of the only output
    assert values["contradictions"] == 1.0
    assert (values["fewer_outputs"], values["more_outputs"]) == (0.5, -0.5)
    assert values["output_count"] == 0.5
    assert values["length"] == pytest.approx(0.6)  # 12 of 20 characters
    assert values["credits_difference"] == 1.25  # .5, and 2 for the output without a partner
    assert values["credits_change"] == 0.5  # of the pair alone


def test_a_silent_candidate_has_the_worst_losses_adds_nothing_and_contradicts_nothing():
    values = losses(aligned(item_texts(1, numbers=[1.0]), item_texts(0, numbers=[0.0])))
    assert all(math.isnan(values.pop(name)) for name in ("contradictions", "changed_numbers"))
    silent = {"added_content": 0.0, "credits_change": 0.0, "more_outputs": -1.0}
    assert values == {
        name: silent.get(name, metric.span) for name, metric in METRICS.items() if name in values
    }


def test_two_runs_without_outputs_have_no_loss():
    nothing = item_texts(0, numbers=[0.0])
    assert all(math.isnan(loss) for loss in losses(aligned(nothing, nothing)).values())


def test_outputs_of_a_candidate_without_baseline_outputs_count_as_added():
    values = losses(aligned(item_texts(0, numbers=[0.0]), item_texts(1, numbers=[1.0])))
    assert (values["match"], values["lost_content"], values["added_content"]) == (1.0, 0.0, 1.0)
    assert (values["fewer_outputs"], values["more_outputs"]) == (-1.0, 1.0)
    assert math.isnan(values["contradictions"])  # no pair for a guard


def test_the_numbers_of_a_call_may_be_unknown():
    # The baseline's price is known, the candidate's is not in the second output; the third has no partner.
    (metric,) = field_metrics("call_cost", 4.0)
    baseline = item_texts(3, numbers=[2.0, 3.0, 4.0])
    scores = pair_scores(1.0), pair_scores(1.0)
    partly, unknown = item_texts(2, numbers=[2.5, NAN]), item_texts(2, numbers=[NAN, NAN])
    assert metric.losses(aligned(baseline, partly, *scores))[0] == 0.5
    assert math.isnan(metric.losses(aligned(baseline, unknown, *scores))[0])
    assert math.isnan(metric.losses(aligned(baseline, item_texts(0, numbers=[0.0])))[0])


def test_a_configured_direction_is_stored_even_if_it_is_either():
    # Without the last one a cost would be better where it is lower.
    given = {"credits": "lower", "score": "higher", "cost": "either"}
    assert read_directions(given) == given


@pytest.mark.parametrize(
    "field",
    ["cost", "Cost", "costs", "cost_usd", "price", "price-eur", "latency", "latency_ms", "latencyMs",
     "duration", "duration_seconds", "duration.s"],
)  # fmt: skip
def test_a_name_says_that_lower_is_better(field):
    assert is_lower_by_name(field)
    assert usual_direction(field) == "lower"


@pytest.mark.parametrize(
    "field",
    ["credits", "product_price", "price_rank", "cost_ms", "latency_usd", "costume", "ms", "", "score"],
)
def test_an_unknown_field_name_has_no_direction(field):
    assert not is_lower_by_name(field)
    assert usual_direction(field) == "either"


@pytest.mark.parametrize("field", ["call_cost", "call_latency", "call_tokens"])
def test_lower_is_better_for_fields_of_calls_without_assumption(field):
    assert usual_direction(field) == "lower"
    assert not field_metrics(field, 1.0)[0].is_assumed


def test_a_metric_says_whether_its_direction_was_assumed():
    assert [field_metrics("cost", 1.0, direction=way)[0].is_assumed for way in (None, "lower", "either")] == [
        True,
        False,
        False,
    ]


def test_an_unknown_direction_is_refused():
    with pytest.raises(InputError, match="fields.cost must be one of lower, higher, either, got 'less'"):
        read_directions({"cost": "less"})


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
    matches = [pair.scores["match"] for pair in compared.pairs]
    assert compared.losses("worst_pair").tolist() == [1 - min(matches)]
    assert 0 < min(matches) < max(matches) == 1

    decision = decide(compared, GateSettings(thresholds={"min_worst_pair": 0.999}))
    assert "worst_pair" in [test.metric for test in decision.tests]
    (check,) = decision.thresholds
    # A similarity, as people know it: 1 - (1 - x) is x but for rounding.
    assert (check.value, check.passed) == (pytest.approx(min(matches), rel=1e-12), False)

    summary = DriftSummary(compared, decision)
    assert "worst_pair" in [figure.metric for figure in summary.stored.figures]
    assert "least alike pair" in markdown(summary.document()).casefold()


def test_the_margin_of_a_new_metric_is_checked_against_its_span(worst_pair):
    compared = compare(run("old", *BEFORE), run("new", *AFTER))
    with pytest.raises(InputError, match="worst_pair must be below 1"):
        decide(compared, GateSettings(margins={"worst_pair": 2}))


def test_similarities_are_stated_as_such():
    match, length = TEXT_METRICS["match"], TEXT_METRICS["length"]
    assert (match.side, match.to_value(0.25)) == ("min", 0.75)
    assert (length.side, length.to_value(0.25)) == ("max", 0.25)


def test_labels_have_no_underscores():
    assert not any("_" in metric.label for metric in TEXT_METRICS.values())
    assert field_metrics("word_count", 5.0)[0].label == "word count difference"
    assert metric_label("word_count_difference") == "word count difference"


def test_the_page_of_the_docs_has_every_metric_and_the_margins_of_those_that_are_tested():
    losses = (Path(__file__).parents[2] / "docs" / "gate.md").read_text("utf-8").split("## Drift")[0]
    margins = dict(re.findall(r"^\| `(\w+)`(?:, \.\.\.)? \| .+ \| (\.\d+)\b.* \|$", losses, re.MULTILINE))
    for name, metric in (TEXT_METRICS | QUALITY_METRICS).items():
        assert f"`{name}`" in losses
        assert (name in margins) == metric.is_usual
        assert float(margins.get(name, ".06")) == metric.margin
