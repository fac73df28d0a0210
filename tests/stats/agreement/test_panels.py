"""Judges of a panel: pairs, severities, and how many judges they amount to."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.stats.agreement.kappa import weighted_kappa
from semscale.stats.agreement.panels import effective_judges, mean_correlation, pairwise_agreement, severities


def judges(n, k, shared, seed=0):
    """Ratings of a truth whose errors correlate by ``shared``, and the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    errors = np.sqrt(shared) * rng.normal(size=(n, 1)) + np.sqrt(1 - shared) * rng.normal(size=(n, k))
    return truth[:, None] + errors, truth


def test_every_pair_is_there_with_its_own_items():
    table = np.array([[1.0, 1, 2], [2, 2, 2], [3, np.nan, 1], [1, 2, np.nan]])
    pairs = pairwise_agreement(table)
    assert [(pair.first, pair.second) for pair in pairs] == [(0, 1), (0, 2), (1, 2)]
    assert [(pair.kappa.n, pair.kappa.n_left_out) for pair in pairs] == [(3, 1), (3, 1), (2, 2)]
    assert pairs[1].kappa.value == weighted_kappa(table[:, 0], table[:, 2]).value


def test_severity_by_hand():
    # Item 1: the others' means are 3.5, 3 and 2.5; item 2 has two judges; nobody else rated item 3.
    table = np.array([[2.0, 3, 4], [1, np.nan, 2], [np.nan, 5, np.nan]])
    found = severities(table)
    assert [judge.value for judge in found] == pytest.approx([(-1.5 - 1) / 2, 0, (1.5 + 1) / 2])
    assert [(judge.n, judge.n_left_out) for judge in found] == [(2, 1), (1, 2), (2, 1)]


@given(st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=8))
def test_severities_of_complete_tables_cancel(rows):
    found = [judge.value for judge in severities(np.array(rows))]
    assert sum(found) == pytest.approx(0, abs=1e-9)


def test_a_lenient_judge_is_found():
    table, _ = judges(400, 3, 0.0, seed=1)
    table[:, 1] += 0.5
    found = severities(table)
    # .5 above the others; the others have it in their reference by half.
    assert found[1].low < 0.5 < found[1].high
    assert found[0].low < -0.25 < found[0].high
    assert found[1].low > 0


@pytest.mark.parametrize(("shared", "expected"), [(0.0, 5.0), (0.5, 5 / 3), (0.2, 5 / 1.8)])
def test_effective_number_with_a_truth(shared, expected):
    table, truth = judges(6000, 5, shared)
    found = effective_judges(table, truth=truth)
    assert found.of == "errors"
    assert found.value == pytest.approx(expected, rel=0.06)
    assert found.low < expected < found.high


def test_the_mean_is_as_good_as_that_many_judges():
    """The formula's promise: the variance of the panel's mean is that of one judge over the number."""
    table, truth = judges(5000, 4, 0.4)
    errors = table - truth[:, None]
    promised = errors.var() / effective_judges(table, truth=truth).value
    assert errors.mean(axis=1).var() == pytest.approx(promised, rel=0.05)


def test_without_a_truth_it_is_a_lower_bound():
    table, truth = judges(3000, 5, 0.1)
    blind, informed = effective_judges(table), effective_judges(table, truth=truth)
    assert blind.of == "ratings"
    # Ratings share the truth too: correlation (1 + .1) / 2.
    assert blind.value == pytest.approx(5 / (1 + 4 * 0.55), rel=0.06)
    assert blind.value < informed.value


@pytest.mark.parametrize("seed", range(20))
def test_judges_who_rate_at_random_are_never_said_to_amount_to_many(seed):
    """Three judges, 20 items: the mean correlation lies about 0, below it in half of all draws."""
    found = effective_judges(np.random.default_rng(seed).normal(size=(20, 3)))
    assert np.isnan(found.value) or found.low <= found.value <= found.high <= 3
    if found.correlation.value <= 0:
        assert np.isnan([found.value, found.low, found.high]).all()
        assert found.note == "their scores are not shown to agree beyond chance"


def test_judges_who_agree_have_a_bound_of_at_most_their_number():
    table, _ = judges(3000, 5, 0.1)
    found = effective_judges(table)
    assert found.note is None
    assert 1 < found.low < found.value < found.high < 5


def test_judges_who_are_alike_are_one():
    column = np.random.default_rng(0).normal(size=(30, 1))
    assert effective_judges(np.repeat(column, 4, axis=1)).value == pytest.approx(1)


def test_errors_that_cancel_have_no_bound():
    up = np.random.default_rng(0).normal(size=20)
    assert effective_judges(np.column_stack([up, -up]), truth=np.zeros(20)).value == np.inf
    assert np.isnan(effective_judges(np.column_stack([up, -up])).value)


def test_missing_truths_and_scores_are_left_out():
    table, truth = judges(50, 3, 0.2)
    truth[:10], table[10:15, :2] = np.nan, np.nan
    found = effective_judges(table, truth=truth)
    assert (found.correlation.n, found.correlation.n_left_out) == (35, 15)


def test_constant_judges_leave_nothing():
    found = effective_judges(np.ones((20, 3)))
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.note == found.correlation.note == "no two judges have scores that vary"


def test_mean_correlation_by_numpy():
    table, _ = judges(40, 4, 0.3, seed=5)
    expected = np.corrcoef(table.T)[np.triu_indices(4, 1)].mean()
    assert mean_correlation(table)(np.ones((1, 40)))[0] == pytest.approx(expected)


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="two raters"):
        severities(np.ones((3, 1)))
    with pytest.raises(InputError, match="truth must have 3"):
        effective_judges(np.ones((3, 2)), truth=np.ones(2))
