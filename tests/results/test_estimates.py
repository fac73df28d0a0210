"""Estimates: weights, groups and respondents, values added part by part, and notes on few rows."""

from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from scipy import stats

import semscale
from semscale.errors import InputError
from semscale.results.estimates import NO_VALUE, Grouping, Tallies, estimate_values
from semscale.results.weights import as_weights
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, estimate_mean, scale_figures, value_figure
from semscale.types import Status


@pytest.mark.parametrize(
    "column",
    [[1, 2.5, None], np.array([1, 2.5, np.nan]), pl.Series([1.0, 2.5, None]), [Decimal(1), 2.5, None]],
)
def test_weights_keep_missing_missing(column):
    np.testing.assert_array_equal(as_weights(column), [1.0, 2.5, np.nan])


UNIT = (0.0, 1.0)


def estimated(values, **settings):
    values = np.asarray(values, dtype=np.float64)
    status = np.where(np.isnan(values), Status.EMPTY, Status.SCORED)
    return estimate_values(
        {"score": values}, status, bounds={"score": UNIT}, signature=Signature.of("match"), **settings
    )


def test_rows_without_a_score_are_left_out_by_their_status():
    overall = estimated([0.2, np.nan, 0.4]).overall
    assert (overall.n, overall.left_out, overall.n_left_out) == (2, {"empty": 1}, 1)
    assert overall.mean.value == pytest.approx(0.3)


def test_weights_count():
    # (1 * .2 + 3 * .6) / 4; Kish: 16 / 10
    overall = estimated([0.2, 0.6], weights=[1, 3]).overall
    assert overall.mean.value == pytest.approx(0.5)
    assert overall.effective_n == pytest.approx(1.6)


def test_respondents_are_resampled_together():
    # Eight equal rows a person: the honest interval is sqrt(8) = 2.8 times as wide.
    values = np.repeat(np.random.default_rng(1).uniform(size=25), 8)
    rows = estimated(values).overall.mean
    estimates = estimated(values, respondents=np.repeat(np.arange(25), 8))
    people = estimates.overall.mean
    assert (people.high - people.low) / (rows.high - rows.low) == pytest.approx(8**0.5, rel=0.25)
    assert estimates.clustered
    assert ("clusters", "respondents") in estimates.signature.fields


def test_intervals_are_those_of_a_mean_over_items():
    values = np.random.default_rng(0).uniform(size=60)
    for plan in (IntervalPlan(0.9, seed=3, replicates=500), IntervalPlan(method="linearized")):
        mean = estimated(
            values, interval=plan.interval, method=plan.method, seed=plan.seed, replicates=plan.replicates
        ).overall.mean
        alone = estimate_mean(values, bounds=UNIT, plan=plan)
        assert (mean.value, mean.low, mean.high) == (alone.value, alone.low, alone.high)


def test_intervals_stay_within_the_bounds():
    mean = estimated([0.0, 1.0]).overall.mean
    assert (mean.low, mean.high) == UNIT


def test_groups_keep_the_name_of_their_column():
    estimates = estimated([0.1, 0.2, 0.3], by=pl.Series("region", ["south", None, "north"]))
    assert estimates.by == "region"
    assert [group.group for group in estimates.groups] == ["south", "north", None]  # no group is last


def test_groups_come_in_the_order_of_their_names_or_of_the_survey():
    brackets = estimated([0.1, 0.2, 0.3], by=["35+", "under 18", "18-34"])
    assert [group.group for group in brackets.groups] == ["under 18", "18-34", "35+"]
    grouping = Grouping("region", "Where do you live?", ("north", "west", "south"))
    tallies = Tallies([value_figure("score", (0, 1))], Signature.of("match"), grouping=grouping)
    by = pl.Series("region", ["abroad", "south", None, "north"])
    tallies.add(np.array([[0.1], [0.2], [0.3], [0.4]]), [Status.SCORED] * 4, by=by)
    estimates = tallies.estimates()
    assert [group.group for group in estimates.groups] == ["north", "south", "abroad", None]
    assert [group.mean.value for group in estimates.groups] == [0.4, 0.2, 0.1, 0.3]
    assert (estimates.by, estimates.group_title) == ("region", "Where do you live?")


def test_differences_are_between_groups_in_the_order_of_the_survey():
    grouping = Grouping("g", order=("b", "a"))
    tallies = Tallies([value_figure("score", (0, 1))], Signature.of("match"), grouping=grouping)
    values = np.tile([[0.1], [0.3]], (10, 1)) + np.repeat([[0.0], [0.5]], 10, axis=0)
    tallies.add(values, [Status.SCORED] * 20, by=["a"] * 10 + ["b"] * 10)
    (difference,) = tallies.differences()
    assert (difference.first, difference.second) == ("b", "a")
    assert difference.difference.value == pytest.approx(0.5)  # .7 in b, .2 in a


def test_settings_are_checked():
    with pytest.raises(InputError, match="interval must lie between 0 and 1"):
        estimated([0.1], interval=95)
    with pytest.raises(InputError, match="weights must not all be 0"):
        estimated([0.1], weights=[0])


NAN = float("nan")


def tallies_of(*figures, main=0):
    return Tallies(figures or [scale_figures(np.arange(1.0, 5.0))], Signature.of("rate"), main=main)


def test_parts_give_what_the_whole_gives():
    rng = np.random.default_rng(7)
    pmf = rng.dirichlet(np.ones(4), 90)
    columns = {
        "weights": rng.uniform(0, 2, 90),
        "by": rng.choice(["x", "y", "z"], 90),
        "respondents": rng.integers(0, 30, 90),
    }
    parts, once = tallies_of(), tallies_of()
    once.add(pmf, [Status.SCORED] * 90, **columns)
    for start in range(0, 90, 25):
        part = slice(start, start + 25)
        columns_here = {name: column[part] for name, column in columns.items()}
        parts.add(pmf[part], [Status.SCORED] * len(pmf[part]), **columns_here)
    merged, whole = parts.estimates(), once.estimates()
    for first, other in zip((merged.overall, *merged.groups), (whole.overall, *whole.groups), strict=True):
        assert (first.group, first.n) == (other.group, other.n)
        np.testing.assert_allclose(
            [first.mean.value, first.mean.low, first.mean.high, first.effective_n],
            [other.mean.value, other.mean.low, other.mean.high, other.effective_n],
        )


def test_refits_widen_the_intervals_overall_and_per_group():
    # Two equal halves; under the refits all means are .2 lower, as they are, and .2 higher, but those of y
    # do not move. Half of the rows move, so the whole moves by .1.
    rng = np.random.default_rng(3)
    pmf = rng.dirichlet(np.ones(4), 60) * 0.5 + 0.125
    by = np.repeat(["x", "y"], 30)
    shift = np.array([0.2, 0, 0, -0.2]) / 3
    refits = np.stack([pmf + step * shift * (by == "x")[:, None] for step in (-1, 0, 1)], axis=1)
    plain, widened, in_parts = tallies_of(), tallies_of(), tallies_of()
    plain.add(pmf, [Status.SCORED] * 60, by=by)
    widened.add(pmf, [Status.SCORED] * 60, by=by, refits=refits)
    for part in (slice(40), slice(40, 60)):
        scored = [Status.SCORED] * len(pmf[part])
        in_parts.add(pmf[part], scored, by=by[part], refits=refits[part])
    before, after, again = (first.estimates(method="linearized") for first in (plain, widened, in_parts))
    t = 4.30265  # of .975 with 2 degrees of freedom
    for first, other, third, step in zip(
        (before.overall, *before.groups),
        (after.overall, *after.groups),
        (again.overall, *again.groups),
        (0.1, 0.2, 0.0),
        strict=True,
    ):
        error = np.sqrt(2 / 3 * 2 * step**2)
        half = np.hypot(first.mean.high - first.mean.value, t * error)
        assert other.mean.value == first.mean.value
        assert other.mean.high == pytest.approx(min(4, first.mean.value + half), abs=1e-4)
        assert third.mean.high == pytest.approx(other.mean.high)
    assert (before.refits, after.refits) == (0, 3)
    assert "refits" not in dict(before.signature.fields)
    assert dict(after.signature.fields)["refits"] == "3"


def test_a_wrong_weight_is_named_by_its_row_in_the_whole():
    tallies = tallies_of()
    tallies.add(np.eye(4)[:3], [Status.SCORED] * 3, weights=[1, 1, 1])
    with pytest.raises(InputError, match=r"\(counted from 1\): 5$"):
        tallies.add(np.eye(4)[:3], [Status.SCORED] * 3, weights=[1, -1, 1])


def test_a_column_with_too_many_groups_is_refused():
    pmf = np.tile(np.eye(4)[:1], (100_001, 1))
    with pytest.raises(InputError, match="at most 100,000 groups"):
        tallies_of().add(pmf, [Status.SCORED] * 100_001, by=list(range(100_001)))


def test_figure_missing_in_some_rows_uses_the_remaining_rows():
    unit = (0.0, 1.0)
    tallies = tallies_of(value_figure("first", unit), value_figure("second", unit))
    # Rows 0 and 1 count; row 1 lacks the second figure, and row 2 the first, which is the main one.
    values = np.array([[0.2, 0.6], [0.4, NAN], [NAN, 0.8], [0.9, 0.9]])
    tallies.add(values, [Status.SCORED] * 3 + [Status.EMPTY])
    overall = tallies.estimates().overall
    assert overall.left_out == {"empty": 1, NO_VALUE: 1}
    assert (overall.n, overall.mean) == (2, overall.figures["first"])
    assert overall.mean.value == pytest.approx(0.3)
    assert overall.figures["second"].value == pytest.approx(0.7)
    assert list(overall.bases) == []  # both are made of two rows, linearized


def test_a_figure_of_fewer_rows_says_how_many_it_has():
    unit = (0.0, 1.0)
    tallies = tallies_of(value_figure("second", unit), value_figure("first", unit), main=1)
    second = np.where(np.arange(12) < 3, np.linspace(0, 1, 12), NAN)
    tallies.add(np.column_stack([second, np.linspace(0, 1, 12)]), [Status.SCORED] * 12)
    estimates = tallies.estimates()
    assert list(estimates.overall.figures) == ["second", "first"]
    assert estimates.overall.method == "bootstrap"
    mean = estimates.overall_mean("second")
    assert (mean.n, mean.n_left_out, mean.n_clusters, mean.method) == (3, 9, 3, "linearized")
    assert mean.value == pytest.approx(1 / 11)  # 0, 1/11, 2/11
    assert estimates.to_frame()["n"].to_list() == [3, 12]


def score_estimates(values, **settings):
    return estimate_values(
        {"score": np.array(values)},
        [Status.SCORED] * len(values),
        bounds={"score": (0, 1)},
        signature=Signature.of("match"),
        **settings,
    )


def test_two_nearly_equal_values_raise_an_interval_note():
    # .50 and .51 differ by 1 % of the range, which is 0 to 1.
    assert score_estimates([0.5] * 10 + [0.51] * 10).notes == (
        "all 20 rows have nearly the same value: the interval depends on small differences, and is probably "
        "too narrow",
    )
    assert score_estimates([0.5] * 10 + [0.6] * 10).notes == ()


def test_single_different_row_raises_an_interval_note():
    estimates = score_estimates([0.5] * 19 + [0.6])
    assert estimates.notes == (
        "19 of 20 rows have one value, or nearly one: the interval depends on the other, and is probably too "
        "narrow",
    )
    assert estimates.notes_about("prompt")[0].startswith("19 of 20 prompts")
    # Without rows that differ the bound is exact, and says so.
    assert score_estimates([0.5] * 20).notes[0].startswith("all 20 rows have the same value")


def test_five_rows_that_differ_are_enough():
    assert score_estimates([0.0] * 15 + [1.0] * 5).notes == ()
    assert score_estimates([0.0] * 16 + [1.0] * 4).notes[0].startswith("16 of 20 rows")


def test_fewer_than_ten_rows_have_a_single_note():
    assert len(score_estimates([0.5] * 8 + [0.6]).notes) == 1


def test_groups_in_which_few_rows_differ_are_counted():
    values = [0.5] * 19 + [0.6] + [0.1, 0.9] * 10
    notes = score_estimates(values, by=["a"] * 20 + ["b"] * 20).notes
    assert notes == (
        "1 group has one value, or nearly one, in all but a few rows: its interval is probably too narrow",
    )


def test_respondents_are_what_is_counted():
    # Ten respondents with two rows each; one of them differs.
    notes = score_estimates([0.5] * 18 + [0.6] * 2, respondents=[f"r{row // 2}" for row in range(20)]).notes
    assert notes[0].startswith("9 of 10 respondents have one value, or nearly one")


def test_the_signature_says_exact_where_nothing_is_drawn():
    estimates = score_estimates([0.5] * 12)
    fields = dict(estimates.signature.fields)
    assert (fields["method"], fields["replicates"], fields["seed"]) == ("exact", "none", "none")
    assert (estimates.method, estimates.replicates, estimates.seed) == ("exact", 0, None)
    drawn = dict(score_estimates([0.5] * 12 + [0.6]).signature.fields)
    assert (drawn["method"], drawn["replicates"], drawn["seed"]) == ("bootstrap", "2000", "0")


def test_screen_page_and_json_have_the_caution():
    texts = ["I might buy it."] * 19 + ["I might buy it!"]
    document = semscale.rate(texts).summarize(texts).document()
    assert any(
        caution.startswith("19 of 20 rows have one value, or nearly one")
        for caution in document.sentences("caution")
    )


def compared(values, groups, **columns):
    """Differences of groups of texts whose ratings are all on one number."""
    tallies = Tallies([value_figure("mean", (0.0, 10.0))], Signature.of("rate"))
    for part in (slice(0, 7), slice(7, None)):
        rows = {name: column[part] for name, column in columns.items()}
        tallies.add(
            np.array(values, dtype=float)[part, None],
            [Status.SCORED] * len(values[part]),
            by=groups[part],
            **rows,
        )
    return tallies.differences(0.95)


def test_two_groups_are_compared_by_welchs_test():
    rng = np.random.default_rng(0)
    values, groups = rng.uniform(0, 10, 60), ["a"] * 40 + ["b"] * 20
    (difference,) = compared(values, groups)
    expected = stats.ttest_ind(values[:40], values[40:], equal_var=False)
    assert (difference.first, difference.second) == ("a", "b")
    assert difference.difference.value == pytest.approx(values[:40].mean() - values[40:].mean())
    assert difference.p_value == difference.adjusted == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval(0.95)
    assert [difference.difference.low, difference.difference.high] == pytest.approx([low, high])


def test_groups_of_the_same_respondents_have_the_error_of_pairs():
    rng = np.random.default_rng(1)
    person = rng.uniform(2, 8, 30)
    values = np.concatenate([person + rng.uniform(0, 1, 30), person + 1 + rng.uniform(0, 1, 30)])
    people = [f"p{n}" for n in range(30)] * 2
    (difference,) = compared(values, ["a"] * 30 + ["b"] * 30, respondents=people)
    gaps = values[:30] - values[30:]
    error = gaps.std(ddof=1) / np.sqrt(30)
    half = (difference.difference.high - difference.difference.low) / 2
    # Welch's degrees of freedom lie between 29 and 58.
    assert stats.t.ppf(0.975, 58) * error <= half <= stats.t.ppf(0.975, 29) * error
    (alone,) = compared(values, ["a"] * 30 + ["b"] * 30)
    assert alone.difference.high - alone.difference.low > 3 * 2 * half


def test_pairs_of_groups_are_adjusted_by_holm_and_small_groups_left_out():
    rng = np.random.default_rng(2)
    groups = ["a"] * 20 + ["b"] * 20 + ["c"] * 20 + ["few"] * 9 + [None] * 20
    differences = compared(rng.uniform(0, 10, len(groups)), groups)
    assert [(pair.first, pair.second) for pair in differences] == [("a", "b"), ("a", "c"), ("b", "c")]
    p_values = sorted(pair.p_value for pair in differences)
    assert min(pair.adjusted for pair in differences) == pytest.approx(min(1, 3 * p_values[0]))


def test_more_than_thirty_groups_are_not_compared():
    groups = [f"g{row % 31}" for row in range(31 * 10)]
    assert compared(list(range(10)) * 31, groups) == ()
