import dataclasses

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.matching.matches import Matches, compare_matches
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.types import Status


def matches(score, **settings):
    score = np.array(score, dtype=float)
    status = np.where(np.isnan(score), Status.EMPTY, Status.SCORED).astype(object)
    zeros = np.zeros(len(score), np.int64)
    return Matches(score, status, zeros, zeros, Signature.of("match", **{"method": "cosine", **settings}))


def test_difference_is_estimated_from_pairs():
    rng = np.random.default_rng(0)
    first = rng.random(200)
    compared = compare_matches(matches(first), matches(first * 0.999 + 0.0005))
    # Items differ widely, but each by next to nothing, so that the interval is as narrow as the change.
    assert abs(compared.difference.value) < 0.001
    assert compared.difference.high - compared.difference.low < 0.001


def test_items_scored_on_a_single_side_are_counted():
    compared = compare_matches(matches([0.5, np.nan, 0.5, 0.5]), matches([0.7, 0.9, np.nan, 0.7]))
    assert compared.difference.value == pytest.approx(0.2)
    assert (compared.n_only_first, compared.n_only_second) == (1, 1)
    assert compared.difference.n_left_out == 2


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(1)
    shift = np.repeat(rng.normal(0, 0.1, 20), 10)
    first, second = matches(np.full(200, 0.5)), matches(0.5 + shift)
    alone = compare_matches(first, second).difference
    together = compare_matches(first, second, clusters=np.repeat(np.arange(20), 10)).difference
    assert together.high - together.low > 2 * (alone.high - alone.low)
    assert together.n_clusters == 20


def test_differing_signatures_are_refused_and_the_field_is_named():
    with pytest.raises(InputError, match="method is 'cosine' in the first and 'bertscore' in the second"):
        compare_matches(matches([0.5]), matches([0.5], method="bertscore"))
    with pytest.raises(InputError, match="corpus is 'a' .*give both the same corpus="):
        compare_matches(matches([0.5], corpus="a"), matches([0.5], corpus="b", baseline=1))
    with pytest.raises(InputError, match="same items, got 1 and 2"):
        compare_matches(matches([0.5]), matches([0.5, 0.6]))


def test_the_interval_can_be_chosen():
    first, second = matches([0.1, 0.4, 0.5] * 20), matches([0.3, 0.4, 0.9] * 20)
    wide = compare_matches(first, second, plan=IntervalPlan(0.99)).difference
    narrow = compare_matches(first, second, plan=IntervalPlan(0.5)).difference
    assert wide.low < narrow.low < narrow.high < wide.high
    assert dataclasses.replace(narrow, low=wide.low, high=wide.high) == wide
