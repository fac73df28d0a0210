"""Variance components."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.agreement import intraclass_correlation
from semscale.stats.intervals import IntervalPlan, Moments
from semscale.stats.variance_components import (
    Effect,
    FacetTable,
    QuadraticForms,
    component_solver,
    crossed_components,
    separable_effects,
    variance_components,
)

PLAN = IntervalPlan(replicates=200)

RESPONDENT, SETS, MODEL, SAMPLE = "respondent", "anchor set", "model", "sample"


def crossed(table):
    """Lay a table of respondents by sets out as ratings."""
    n, s = table.shape
    facets = {RESPONDENT: np.repeat(np.arange(n), s), SETS: np.tile(np.arange(s), n)}
    return FacetTable(table.ravel(), facets, RESPONDENT)


def drawn(rng, n=40, samples=2, sets=4, models=2, *, sizes=(1.0, 0.5, 0.25, 0.5, 0.4)):
    """Ratings of respondents by models, samples within both, under all sets; sizes are their spreads."""
    r, m, s, a = (item.ravel() for item in np.indices((n, models, samples, sets)))
    person, sample, anchor, model, rest = sizes
    replies = (r * models + m) * samples + s
    values = (
        person * rng.standard_normal(n)[r]
        + sample * rng.standard_normal(n * models * samples)[replies]
        + anchor * rng.standard_normal(sets)[a]
        + model * rng.standard_normal(models)[m]
        + rest * rng.standard_normal(len(r))
    )
    facets = {RESPONDENT: r, MODEL: m, SAMPLE: s, SETS: a}
    return FacetTable(values, facets, RESPONDENT, nested={SAMPLE: (RESPONDENT, MODEL)})


def estimate_components(table):
    return {item.name: item.variance.value for item in variance_components(table, plan=PLAN).components}


def test_balanced_ratings_by_hand():
    # Row means 1.5, 2.5, 4 with variance 1.58333: mean square 3.16667. Differences 1, 1, 2
    # with variance 1/3: mean square of the rest 1/6. Column means 2, 3.33333: mean square 3 * .88889.
    components = estimate_components(crossed(np.array([[1.0, 2], [2, 3], [3, 5]])))
    assert components[RESPONDENT] == pytest.approx((3.166667 - 1 / 6) / 2, abs=1e-6)
    assert components[SETS] == pytest.approx((8 / 3 - 1 / 6) / 3)
    assert components["residual"] == pytest.approx(1 / 6)


def test_running_sums_give_the_same_as_ratings():
    table = np.random.default_rng(0).normal(size=(30, 4)) + np.arange(4) / 2
    sums = crossed_components(Moments.empty(4).with_clusters(np.hstack([table, np.ones((30, 1))])), 4)
    ratings = estimate_components(crossed(table))
    assert sums.respondent.value == pytest.approx(ratings[RESPONDENT])
    assert sums.anchor_set.value == pytest.approx(ratings[SETS])
    assert sums.residual.value == pytest.approx(ratings["residual"])
    assert sums.anchor_set.low < sums.anchor_set.value < sums.anchor_set.high


def test_the_intraclass_correlations_are_those_of_shrout_and_fleiss():
    table = np.random.default_rng(5).normal(size=(25, 3)) + np.random.default_rng(6).normal(size=(25, 1))
    sums = crossed_components(Moments.empty(3).with_clusters(np.hstack([table, np.ones((25, 1))])), 3)
    assert sums.icc == pytest.approx(intraclass_correlation(table, form="2,1").value)
    assert sums.icc_of_all == pytest.approx(intraclass_correlation(table, form="2,k").value)


def test_separable_effects_are_listed():
    table = drawn(np.random.default_rng(0))
    assert [effect.name for effect in separable_effects(table)] == [
        "respondent", "model", "anchor set", "respondent x model", "respondent x anchor set",
        "model x anchor set", "respondent x model x sample", "respondent x model x anchor set", "residual",
    ]  # fmt: skip
    single_model = drawn(np.random.default_rng(0), models=1, samples=1)
    assert [effect.name for effect in separable_effects(single_model)] == [
        "respondent",
        "anchor set",
        "residual",
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_unbiased_with_and_without_gaps(share_missing):
    rng = np.random.default_rng(1)
    names, sums = None, 0.0
    for _ in range(150):
        table = drawn(rng)
        present = rng.random(len(table.values)) >= share_missing
        facets = {name: levels[present] for name, levels in table.facets.items()}
        thinned = FacetTable(table.values[present], facets, RESPONDENT, nested=table.nested)
        effects = separable_effects(thinned)
        names = [effect.name for effect in effects]
        base = Effect((), np.zeros(present.sum(), dtype=np.int64))
        forms = QuadraticForms(thinned.values, facets[RESPONDENT], RESPONDENT)
        sums = sums + component_solver(forms, effects, base)(np.ones((1, 40)))[0]
    means = dict(zip(names, sums / 150, strict=True))
    assert means["respondent"] == pytest.approx(1.0, abs=0.08)
    assert means["respondent x model x sample"] == pytest.approx(0.25, abs=0.03)
    assert means["residual"] == pytest.approx(0.16, abs=0.02)
    assert means["anchor set"] == pytest.approx(0.0625, abs=0.02)
    assert means["model"] == pytest.approx(0.25, abs=0.12)
    assert means["respondent x model"] == pytest.approx(0.0, abs=0.05)


def test_a_unit_that_is_there_twice_counts_as_two():
    table = drawn(np.random.default_rng(2), n=6)
    keep = np.random.default_rng(3).random(len(table.values)) < 0.8
    facets = {name: levels[keep] for name, levels in table.facets.items()}
    once = FacetTable(table.values[keep], facets, RESPONDENT, nested=table.nested)
    counts = np.array([[2.0, 0, 1, 1, 3, 1]])
    repeats = [
        np.flatnonzero(facets[RESPONDENT] == unit) for unit in range(6) for _ in range(int(counts[0, unit]))
    ]
    rows = np.concatenate(repeats)
    again = {name: levels[rows] for name, levels in facets.items()}
    again[RESPONDENT] = np.repeat(np.arange(len(repeats)), [len(item) for item in repeats])
    twice = FacetTable(once.values[rows], again, RESPONDENT, nested=table.nested)

    def solved(facet_table, weights):
        effects = separable_effects(facet_table)
        forms = QuadraticForms(facet_table.values, facet_table.facets[RESPONDENT], RESPONDENT)
        base = Effect((), np.zeros(len(facet_table.values), dtype=np.int64))
        return component_solver(forms, effects, base)(weights)[0]

    np.testing.assert_allclose(solved(once, counts), solved(twice, np.ones((1, len(repeats)))), atol=1e-9)


def test_strata_have_separate_means():
    table = crossed(np.array([[1.0, 2], [2, 3], [3, 5]]))
    both = FacetTable(
        np.concatenate([table.values, table.values + 100]),
        {name: np.tile(levels, 2) for name, levels in table.facets.items()},
        RESPONDENT,
        strata=np.repeat([0, 1], 6),
    )
    assert estimate_components(both) == pytest.approx(estimate_components(table))


def test_negative_variance_estimates_are_reported_unchanged():
    # Rows alike, and each set turned round: rows differ less than by chance.
    components = variance_components(crossed(np.array([[1.0, 3], [3, 1], [1, 3], [3, 1]])), plan=PLAN)
    values = {item.name: item.variance.value for item in components.components}
    assert values[RESPONDENT] < 0
    assert components.components[0].share == 0


def test_the_decision_study_by_hand_says_mend_the_anchors():
    # Variances .16 respondents, .5 sets, 0 rest: 4 respondents and 2 sets give .16 / 4 + .5 / 2 = .29.
    people, sets = np.array([1.0, 1.8, 1.0, 1.8]), np.array([0.0, 1.0])
    study = variance_components(crossed(people[:, None] + sets), plan=PLAN).decision
    person = 0.64 / 3
    assert study.error == pytest.approx(np.sqrt(person / 4 + 0.5 / 2))
    assert study.doubled[RESPONDENT] == pytest.approx(np.sqrt(person / 8 + 0.5 / 2))
    assert study.doubled[SETS] == pytest.approx(np.sqrt(person / 4 + 0.5 / 4))
    assert study.best == SETS


def test_the_interval_of_anchor_sets_covers():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(200):
        table = rng.standard_normal((60, 1)) + rng.standard_normal(6) + rng.standard_normal((60, 6))
        sums = crossed_components(Moments.empty(6).with_clusters(np.hstack([table, np.ones((60, 1))])), 6)
        held += sums.anchor_set.low <= 1 <= sums.anchor_set.high
    assert 0.91 <= held / 200 <= 0.985


@pytest.mark.parametrize(
    ("values", "facets", "unit", "message"),
    [
        ([1.0, np.nan], {"a": [0, 1]}, "a", "one finite number or more"),
        ([1.0, 2.0], {"a": [0]}, "a", "facet a must have 2 levels"),
        ([1.0, 2.0], {"a": [0, 1]}, "b", "must name facets"),
    ],
)
def test_what_does_not_fit_is_refused(values, facets, unit, message):
    with pytest.raises(InputError, match=message):
        FacetTable(np.array(values), {name: np.array(levels) for name, levels in facets.items()}, unit)
