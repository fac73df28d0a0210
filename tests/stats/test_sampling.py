"""Samples of rows, and texts that are drawn for labels."""

from itertools import combinations

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats import sampling
from semscale.stats.sampling import (
    ColumnSample,
    LabelledSample,
    NextDraw,
    RowSample,
    SampleDesign,
    draw_texts,
    inclusion_probabilities,
    labels_hash,
    priorities,
    validate_inclusion,
)


def test_priorities_depend_on_row_and_seed_alone():
    rows = np.arange(1000)
    whole = priorities(rows, seed=7)
    assert np.array_equal(whole[rows[::-1]], priorities(rows[::-1], seed=7))
    assert len(np.unique(whole)) == 1000
    assert not np.isin(whole, priorities(rows, seed=8)).any()


@pytest.mark.parametrize("seed", [0, 1, -1, 2**70])
def test_priorities_are_uniform(seed):
    shares = priorities(np.arange(100_000), seed).astype(float) / 2**64
    counts, _ = np.histogram(shares, bins=20, range=(0, 1))
    # Each bin expects 5,000 with a standard deviation of sqrt(100000 * .05 * .95) = 69; five of them are 345.
    assert np.abs(counts - 5000).max() < 345
    assert abs(np.corrcoef(np.arange(100_000), shares)[0, 1]) < 5 / np.sqrt(100_000)


def test_splitmix64_as_published():
    # With state 0 the generator's first outputs are known (Vigna's reference implementation, seed 0).
    state = np.arange(1, 4, dtype=np.uint64) * sampling._GAMMA
    with np.errstate(over="ignore"):
        assert [hex(number) for number in sampling._mix(state)] == [
            "0xe220a8397b1dcdaf",
            "0x6e789e6aa1b965f4",
            "0x6c45d188009454f",
        ]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_a_sample_does_not_depend_on_the_parts(size):
    sample = RowSample[str](20, seed=3)
    for start in range(0, 100, size):
        sample.add((row, f"row {row}") for row in range(start, min(start + size, 100)))
    lowest = np.sort(np.argsort(priorities(np.arange(100), 3))[:20])
    assert sample.items == [f"row {row}" for row in lowest]
    assert sample.n == 100


def test_small_sample_holds_all_rows():
    sample = RowSample[int](20, seed=3)
    sample.add([])
    sample.add((row, row) for row in range(0, 40, 4))
    assert sample.items == list(range(0, 40, 4))


def sampled(n, most, part, seed=0):
    sample = ColumnSample(most, seed)
    for start in range(0, n, part):
        rows = np.arange(start, min(n, start + part))
        sample.add({"row": rows, "half": rows / 2})
    return sample


@pytest.mark.parametrize("part", [1, 7, 100])
def test_table_sample_holds_all_rows_if_few(part):
    sample = sampled(20, 20, part)
    assert sample.rows.tolist() == list(range(20))
    assert sample.columns["half"].tolist() == [row / 2 for row in range(20)]


@pytest.mark.parametrize("part", [1, 7, 31, 1000])
def test_it_is_the_sample_of_row_sampling_in_any_parts(part):
    draw = RowSample[int](30, seed=4)
    draw.add((row, row) for row in range(1000))
    sample = sampled(1000, 30, part, seed=4)
    assert sample.rows.tolist() == draw.items
    assert sample.columns["row"].tolist() == draw.items
    assert (sample.columns["half"] * 2 == sample.rows).all()


def test_it_may_be_looked_at_between_parts():
    sample, other = ColumnSample(5), sampled(40, 5, 40)
    for row in range(40):
        sample.add({"row": np.array([row]), "half": np.array([row / 2])})
        assert len(sample.rows) == min(row + 1, 5)
    assert sample.rows.tolist() == other.rows.tolist()


def test_nothing_was_added():
    assert ColumnSample(3).rows.tolist() == []
    assert ColumnSample(3).columns == {}


def retained(most, size, n=100, labelled=(3, 50, 99)):
    sample = LabelledSample(most, seed=4)
    has_label = np.isin(np.arange(n), labelled)
    for start in range(0, n, size):
        rows = np.arange(start, min(start + size, n))
        sample.add({"score": rows * 0.5, "pair": np.stack([rows, -rows], axis=1)}, has_label[rows])
    return sample.rows()


def test_few_rows_are_all_sampled_once():
    result = retained(100, 30)
    assert result.rows.tolist() == list(range(100))
    assert (result.drawn, result.n_drawn, result.n) == (None, None, 100)
    assert result.in_draw.all()


def test_many_rows_are_sampled_with_the_labelled_rows_in_order():
    result = retained(10, 30)
    assert result.n_drawn == result.drawn.sum() == 10
    assert {3, 50, 99} <= set(result.rows.tolist())
    assert result.rows.tolist() == sorted(set(result.rows.tolist()))
    assert result.columns["score"].tolist() == (result.rows * 0.5).tolist()
    assert result.columns["pair"].tolist() == np.stack([result.rows, -result.rows], axis=1).tolist()


def test_the_size_of_parts_changes_nothing():
    assert retained(10, 30).rows.tolist() == retained(10, 1).rows.tolist() == retained(10, 100).rows.tolist()


def test_sampled_rows_represent_all_rows_and_labelled_rows_themselves():
    result = retained(10, 30)
    labelled = np.isin(result.rows, [3, 50, 99])
    weights = result.standing_for(labelled)
    assert weights[labelled].tolist() == [1, 1, 1]
    assert weights.sum() == 100


VALUES = np.arange(1.0, 6.0)

PMF = np.random.default_rng(0).dirichlet(np.full(5, 0.5), size=400)


def test_every_part_of_the_scale_gets_its_share():
    # A systematic sample of 40 of 400 has exactly four of each tenth of the texts in order.
    drawn = draw_texts(PMF, VALUES, 40, seed=3)
    rank = np.argsort(np.argsort(PMF @ VALUES, kind="stable"), kind="stable")
    assert np.bincount(rank[drawn.rows] // 40, minlength=10).tolist() == [4] * 10
    assert set(drawn.probability.tolist()) == {0.1}


@pytest.mark.parametrize("by_interest", [False, True])
def test_weighted_means_are_unbiased(by_interest):
    # The weighted total of anything is right on average over draws; here over 600 of them.
    wanted = np.random.default_rng(1).normal(size=400) + PMF @ VALUES
    draws = [draw_texts(PMF, VALUES, 30, by_interest=by_interest, seed=seed) for seed in range(600)]
    means = np.array([(wanted[draw.rows] / draw.probability).sum() / 400 for draw in draws])
    assert abs(means.mean() - wanted.mean()) < 4 * means.std() / np.sqrt(600)


def test_by_interest_draws_wide_ratings_more_often_and_no_text_never():
    narrow, wide = np.tile([0, 1.0, 0, 0, 0], (200, 1)), np.tile([0.5, 0, 0, 0, 0.5], (200, 1))
    drawn = draw_texts(np.vstack([narrow, wide]), VALUES, 40, by_interest=True)
    # Deviations 0 and 2, average 1: probabilities go as .5 to 1.5.
    assert sorted(set(drawn.probability.round(6).tolist())) == [0.05, 0.15]
    assert (drawn.rows >= 200).sum() == 30


def test_rows_without_a_rating_are_never_drawn_and_few_are_drawn_whole():
    pmf = PMF[:5].copy()
    pmf[2] = np.nan
    drawn = draw_texts(pmf, VALUES, 100)
    assert sorted(drawn.rows.tolist()) == [0, 1, 3, 4]
    assert drawn.probability.tolist() == [1.0] * 4


def test_the_draw_depends_on_its_seed_alone():
    draw, other = draw_texts(PMF, VALUES, 10, seed=1), draw_texts(PMF, VALUES, 10, seed=2)
    assert draw.rows.tolist() == draw_texts(PMF, VALUES, 10, seed=1).rows.tolist() != other.rows.tolist()


def test_sizes_that_exceed_their_share_are_certain():
    result = inclusion_probabilities(np.array([1.0, 2.0, 3.0, 100.0, 50.0]), 3)
    np.testing.assert_allclose(result, [1 / 6, 2 / 6, 3 / 6, 1, 1])


@pytest.mark.parametrize(
    ("pmf", "n", "message"), [(PMF, 0, "n must be at least 1"), (np.full((3, 5), np.nan), 2, "no text")]
)
def test_nothing_to_draw_is_refused(pmf, n, message):
    with pytest.raises(InputError, match=message):
        draw_texts(pmf, VALUES, n)


Y = np.array([1.0, 5.0, 2.0, 8.0, 3.0])


def totals(before, left):
    """Weighted totals after each further draw of one row of those that are left, all alike."""
    for new in left:
        plan = NextDraw.after(before, 1)
        joined = plan.combine_before(before)
        joined[new] = plan.combine_now(np.array([1 / len(left)]))[0]
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
            thirds += [np.nansum(Y / total) for total in totals(joined, rest)]
    assert np.mean(seconds) == pytest.approx(Y.sum())
    assert np.mean(thirds) == pytest.approx(Y.sum())


def test_labels_of_unknown_origin_stand_for_themselves():
    plan = NextDraw.after(np.array([0.0, 0.5, np.nan, np.nan]), 1)
    assert plan.share == 0
    assert plan.combine_before(np.array([0.0, 0.5])).tolist() == [1, 1]


def test_where_all_the_rest_is_drawn_every_label_counts_once():
    plan = NextDraw.after(np.array([0.5, np.nan]), 1)
    assert (plan.share, plan.most) == (0, 1)


def test_a_design_with_anything_in_it_is_not_plain():
    assert SampleDesign().is_plain
    for name in ("weights", "inclusion", "clusters"):
        assert not SampleDesign(**{name: np.ones(2)}).is_plain


def test_some_items_keep_their_columns():
    retained = SampleDesign(inclusion=np.array([0.5, 1.0]), clusters=np.array([4, 7])).some(
        np.array([True, False])
    )
    assert (retained.weights, retained.inclusion.tolist(), retained.clusters.tolist()) == (None, [0.5], [4])


def test_probabilities_that_are_no_numbers_are_refused():
    with pytest.raises(InputError, match="inclusion must be a list of numbers"):
        validate_inclusion(["half"], np.array([True]))


ROWS, LABELS = np.array([1, 4]), np.array([[3.0], [5.0]])


def test_labels_positions_and_probabilities_change_the_hash():
    result = [
        labels_hash(ROWS, LABELS),
        labels_hash(ROWS + 1, LABELS),
        labels_hash(ROWS, LABELS + 1),
        labels_hash(ROWS, LABELS, np.array([0.5, 0.5])),
        labels_hash(ROWS, LABELS, np.array([0.5, 0.25])),
    ]
    assert len(set(result)) == 5
