"""Raking: margins, bounds, and what cannot be met."""

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.survey.raking import rake

SEX = ["f", "f", "f", "m", "m", "f"]
AGE = ["young", "old", "old", "young", "old", "young"]


def drawn(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 4, n) for name in ("a", "b", "c")}
    targets = {
        "a": {0: 0.4, 1: 0.3, 2: 0.2, 3: 0.1},
        "b": {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.4},
        "c": {0: 0.25, 1: 0.25, 2: 0.4, 3: 0.1},
    }
    return columns, targets, rng.uniform(0.5, 2, n)


def shares(weights, column):
    return np.bincount(column, weights) / weights.sum()


def test_weights_meet_every_margin_and_sum_to_the_rows():
    columns, targets, weights = drawn()
    found = rake(columns, targets, weights=weights)
    assert found.converged
    assert found.unmet == ()
    for name, goals in targets.items():
        assert shares(found.weights, columns[name]) == pytest.approx(list(goals.values()), abs=1e-7)
    assert found.weights.sum() == pytest.approx(2000)


def test_targets_may_be_totals_or_percentages():
    in_people = rake({"sex": SEX}, {"sex": {"f": 300, "m": 300}})
    assert in_people.weights.tolist() == [75, 75, 75, 150, 150, 75]
    in_percent = rake({"sex": SEX}, {"sex": {"f": 50, "m": 50}}, total=600)
    assert in_percent.weights.tolist() == [75, 75, 75, 150, 150, 75]


def test_bounds_hold_together_with_the_margins():
    columns, targets, weights = drawn()
    found = rake(columns, targets, weights=weights, bounds=(0.3, 3))
    assert found.weights.mean() == pytest.approx(1)
    assert found.weights.min() >= 0.3 - 1e-12
    assert found.weights.max() <= 3 + 1e-12
    assert found.n_trimmed > 0
    for name, goals in targets.items():
        assert shares(found.weights, columns[name]) == pytest.approx(list(goals.values()), abs=1e-7)
    # Within the bounds, log weights are a sum of one term for each margin, as raking has it.
    free = (found.weights > 0.3 + 1e-9) & (found.weights < 3 - 1e-9)
    terms = np.column_stack([columns[name][free, None] == np.arange(4) for name in columns]).astype(float)
    factors = np.log(found.weights[free] / weights[free])
    left = factors - terms @ np.linalg.lstsq(terms, factors, rcond=None)[0]
    assert np.abs(left).max() < 1e-6


def test_rows_without_weight_stay_without():
    found = rake({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, weights=[0, 1, 1, 1, 1, 1])
    assert found.weights[0] == 0
    assert found.weights.sum() == pytest.approx(5)


def test_what_is_not_met_is_said():
    # Everyone who is young is f, so half f and .6 young cannot both be.
    columns = {"sex": ["f", "f", "m", "m"], "age": ["young", "young", "old", "old"]}
    targets = {"sex": {"f": 0.5, "m": 0.5}, "age": {"young": 0.6, "old": 0.4}}
    with pytest.raises(InputError, match=r"margin 'sex' cannot be met together .* 'f' reaches 2.4, .* is 2"):
        rake(columns, targets)
    found = rake(columns, targets, allow_unmet=True)
    assert not found.converged
    assert (found.unmet[0].margin, found.unmet[0].category) == ("sex", "f")
    assert found.largest_gap == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("columns", "targets", "settings", "message"),
    [
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.4, "x": 0.1}}, {}, "'sex', category 'x' has no rows"),
        ({"sex": SEX}, {"sex": {"f": 1.0}}, {}, r"'sex' has no target for category 'm' in row 4"),
        (
            {"sex": [*SEX[:5], None]},
            {"sex": {"f": 0.5, "m": 0.5}},
            {},
            "no target for category None in row 6",
        ),
        ({"sex": SEX}, {"sex": {"f": 1.5, "m": -0.5}}, {}, "'m': target must be >= 0, got -0.5"),
        ({"sex": SEX, "age": AGE}, {"sex": {"f": 0.5, "m": 0.5}}, {}, "'age' is missing in targets"),
        ({"sex": SEX}, {"sex": {"f": 1, "m": 1}, "age": {"old": 2}}, {}, "'age' is missing in columns"),
        (
            {"sex": SEX, "age": AGE},
            {"sex": {"f": 50, "m": 50}, "age": {"young": 60, "old": 60}},
            {},
            "'sex' sums to 100 and 'age' to 120",
        ),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"weights": [1, 1, 1, 0, 0, 1]}, "'m' has no rows"),
        (
            {"sex": SEX},
            {"sex": {"f": 0.1, "m": 0.9}},
            {"bounds": (0.2, 2)},
            "'sex' cannot be met within the bounds: 4 rows of category 'f' reach 0.8 to 8, .* is 0.6",
        ),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"bounds": (1.5, 2)}, "bounds must be"),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"total": 0}, "total must be > 0"),
        ({"sex": SEX}, {"sex": {"f": 0.5, "m": 0.5}}, {"most_rounds": 0}, "most_rounds must be >= 1"),
        (
            {"sex": SEX, "age": AGE[:3]},
            {"sex": {"f": 1, "m": 1}, "age": {"old": 2}},
            {},
            "'age' must have 6 rows",
        ),
        ({}, {"sex": {"f": 1}}, {}, "columns must name at least one variable"),
        ({"sex": SEX}, {}, {}, "targets must name at least one margin"),
    ],
)
def test_what_cannot_be_is_refused(columns, targets, settings, message):
    with pytest.raises(InputError, match=message):
        rake(columns, targets, **settings)
