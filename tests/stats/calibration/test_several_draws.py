"""Probabilities of labels that were drawn in several rounds."""

from itertools import combinations

import numpy as np
import pytest

from semscale.stats.calibration.several_draws import NextDraw

Y = np.array([1.0, 5.0, 2.0, 8.0, 3.0])


def totals(before, left):
    """Weighted totals after each further draw of one row of those that are left, all alike."""
    for new in left:
        plan = NextDraw.after(before, 1)
        joined = plan.joined_before(before)
        joined[new] = plan.joined_now(np.array([1 / len(left)]))[0]
        assert np.nanmax(joined) <= 1
        yield joined


def test_totals_of_two_and_of_three_draws_are_unbiased():
    # Every way to draw two of five rows alike (p = .4), then one of the three that are left, then one of two.
    seconds, thirds = [], []
    for first in combinations(range(5), 2):
        before = np.full(5, np.nan)
        before[list(first)] = 0.4
        left = [row for row in range(5) if row not in first]
        for joined, new in zip(totals(before, left), left, strict=True):
            seconds.append(np.nansum(Y / joined))
            rest = [row for row in left if row != new]
            thirds += [np.nansum(Y / each) for each in totals(joined, rest)]
    assert np.mean(seconds) == pytest.approx(Y.sum())
    assert np.mean(thirds) == pytest.approx(Y.sum())


def test_labels_of_unknown_origin_stand_for_themselves():
    plan = NextDraw.after(np.array([0.0, 0.5, np.nan, np.nan]), 1)
    assert plan.share == 0
    assert plan.joined_before(np.array([0.0, 0.5])).tolist() == [1, 1]


def test_where_all_the_rest_is_drawn_every_label_counts_once():
    plan = NextDraw.after(np.array([0.5, np.nan]), 1)
    assert (plan.share, plan.most) == (0, 1)
