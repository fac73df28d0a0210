"""Comparison with human ratings, and the mean that they correct."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from semscale.errors import InputError
from semscale.rating.human import (
    HumanSample,
    compare,
    correct_mean,
    correct_readable_mean,
    human_table,
    text_lengths,
)
from semscale.rating.settings import RatingColumns
from semscale.signature import Signature
from semscale.stats.prediction_powered import corrected_group_test, prediction_powered_mean
from semscale.stats.sampling import SampleDesign

NAN = float("nan")

FIVE = np.arange(1.0, 6.0)


def machine(n=80, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.uniform(1, 5, n)
    lean = np.exp(-((truth[:, None] - FIVE) ** 2))
    return lean / lean.sum(axis=1, keepdims=True), truth + rng.normal(scale=0.3, size=n).clip(-1, 1)


def test_correlations_are_of_the_means():
    pmf, human = machine()
    compared = compare(pmf, human.clip(1, 5), values=FIVE)
    assert compared.n == 80
    assert compared.pearson.value == pytest.approx(stats.pearsonr(pmf @ FIVE, human.clip(1, 5)).statistic)
    assert compared.spearman.value == pytest.approx(stats.spearmanr(pmf @ FIVE, human.clip(1, 5)).statistic)
    assert compared.pearson.low < compared.pearson.value < compared.pearson.high
    assert compared.ceiling is None
    assert compared.null_length is None
    assert compared.points.shape == (80, 2)


def test_human_values_are_laid_on_the_scale_by_hand():
    # -4..4 onto 1..5: -4 -> 1, 4 -> 5, 1 -> 1 + 5 / 8 * 4 = 3.5, half on 3 and half on 4.
    # Text 2 has raters 3 (4.5) and 4 (5): half of the mass each: .25 on 4, .75 on 5.
    compared = compare(np.eye(5)[:3], [-4, 1, [3, 4, None]], values=FIVE, human_range=(-4, 4))
    np.testing.assert_allclose(compared.human_pmf, np.array([1, 0, 0.5, 0.5 + 0.25, 0.75]) / 3)
    np.testing.assert_allclose(compared.machine_pmf, np.array([1, 1, 1, 0, 0]) / 3)
    # Cumulated thirds: 1 1 1.5 2.25 3 against 1 2 3 3 3: the largest gap is 1.5 / 3.
    assert compared.ks_similarity.value == pytest.approx(0.5)


def test_uneven_points_share_by_distance():
    # 4 lies between 1 and 10, a third of the way.
    compared = compare(np.eye(3)[:1], [4.0], values=np.array([0.0, 1.0, 10.0]))
    np.testing.assert_allclose(compared.human_pmf, [0, 2 / 3, 1 / 3])


def test_human_values_off_the_scale_leave_distributions_out():
    pmf, human = machine()
    compared = compare(pmf, human * 20, values=FIVE)
    assert compared.ks_similarity is None
    assert np.isnan(compared.human_pmf).all()
    assert np.isfinite(compared.pearson.value)


def test_rows_without_either_are_set_aside():
    pmf, human = machine(10)
    pmf[3] = NAN
    cells = list(human.clip(1, 5))
    cells[5] = None
    cells[6] = [None, NAN]
    complete_rows = [0, 1, 2, 4, 7, 8, 9]
    compared = compare(pmf, cells, values=FIVE, lengths=np.arange(10.0))
    assert compared.n == 7
    assert compared.pearson.value == pytest.approx(
        stats.pearsonr((pmf @ FIVE)[complete_rows], human.clip(1, 5)[complete_rows])[0]
    )
    assert compared.null_length.value == pytest.approx(
        stats.pearsonr(complete_rows, human.clip(1, 5)[complete_rows])[0]
    )


def test_several_raters_set_a_ceiling():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(500, 1))
    raters = truth + rng.normal(size=(500, 4))
    pmf = rng.dirichlet(np.ones(5), 500)
    compared = compare(pmf, [list(row) for row in raters], values=FIVE)
    # Variance 1 of the truth and 1 / 4 of the mean's error: .8
    assert compared.ceiling.value == pytest.approx(0.8, abs=0.05)
    again = compare(pmf, raters, values=FIVE)
    assert again.ceiling == compared.ceiling


@pytest.mark.exhaustive
def test_a_large_comparison_shows_a_seeded_sample():
    pmf, human = machine(2500)
    left, same, right = (compare(pmf, human.clip(1, 5), values=FIVE, seed=seed).points for seed in (1, 1, 2))
    assert left.shape == (2000, 2)
    np.testing.assert_array_equal(left, same)
    assert not np.array_equal(left, right)


@pytest.mark.parametrize("human", [[], [None, None]])
def test_nothing_to_compare_is_nan_and_not_zero(human):
    compared = compare(np.eye(5)[: len(human)], human, values=FIVE)
    assert compared.n == 0
    assert np.isnan([compared.pearson.value, compared.spearman.value, *compared.machine_pmf]).all()


@pytest.mark.parametrize(
    ("human", "settings", "message"),
    [
        ([1, 2], {}, "human must have 3 rows"),
        ([1, "2", 3], {}, r"finite numbers: invalid in 1 row \(counted from 1\): 2$"),
        ([1, 2, [3, np.inf]], {}, r"\(counted from 1\): 3$"),
        (
            [1, 9, 3],
            {"human_range": (1, 7)},
            r"human_range must .* got 1 to 7: exceeded in 1 row \(counted from 1\): 2$",
        ),
        ([1, 2, 3], {"human_range": (7, 1)}, "human_range must be the lowest value, then the highest.*7 1"),
        ([1, 2, 3], {"human_range": (1, np.inf)}, "two finite numbers such as 1 7, got 1 inf"),
        ([1, 2, 3], {"human_range": 5}, "human_range must be the lowest .* got 5"),
        ([1, 2, 3], {"weights": [1, 2]}, r"weights must have shape \(3,\)"),
        ([1, 2, 3], {"weights": [1, -2, 1]}, "weights must be 0, or from 1e-100"),
        ([1, 2, 3], {"interval": 1.0}, "interval must lie between 0 and 1, such as 0.95 for 95 %, got 1.0"),
        ([1, 2, 3], {"lengths": [1, 2]}, "lengths must have shape"),
    ],
)
def test_bad_input_is_named(human, settings, message):
    with pytest.raises(InputError, match=message):
        compare(np.eye(5)[:3], human, values=FIVE, **settings)


def test_equal_shares_set_a_null_for_the_distribution():
    # Humans 3, 3, 3, 1: shares .25 0 .75 0 0, cumulated .25 .25 1 1 1; equal shares .2 .4 .6 .8 1: gap .4.
    compared = compare(np.eye(5)[[4, 4, 4, 4]], [3, 3, 3, 1], values=FIVE)
    assert compared.null_ks.value == pytest.approx(0.6)
    # All mass on 5 against the humans: the gap before 5 is 1, so the ratings are worse than reading nothing.
    assert compared.ks_similarity.value == pytest.approx(0)
    # Without the 1 the gap is .4 before 3, without a 3 it is 1 - .6 at 3: the same in each resample.
    assert np.isnan([compared.null_ks.low, compared.null_ks.high]).all()
    assert compare(np.eye(5)[[4]], [30], values=FIVE).null_ks is None


def test_the_interval_that_was_asked_for_is_in_every_figure():
    pmf, human = machine()
    raters = np.column_stack([human, human[::-1], human]).clip(1, 5)
    narrow, wide = (
        compare(pmf, raters, values=FIVE, lengths=np.arange(80.0), interval=interval)
        for interval in (0.5, 0.99)
    )
    assert (narrow.interval, wide.interval) == (0.5, 0.99)
    for name in ("pearson", "spearman", "ks_similarity", "ceiling", "null_length", "null_ks"):
        inner, outer = getattr(narrow, name), getattr(wide, name)
        assert outer.low < inner.low < inner.high
        assert inner.high < outer.high or (name == "ks_similarity" and outer.high == 1)


def test_the_signature_says_how_it_was_compared():
    base = Signature.of("rate", scale="five")
    compared = compare(
        np.eye(5)[:3], [1, 2, 7], values=FIVE, human_range=(1, 7), interval=0.9, seed=4, signature=base
    )
    assert compared.signature.instrument == "rate"
    fields = dict(compared.signature.fields)
    assert re.fullmatch("[0-9a-f]{8}", fields.pop("labels"))
    assert fields == {
        "scale": "five", "human_range": "1 to 7", "interval": "0.9", "replicates": "none", "seed": "4",
        "clusters": "texts", "weights": "no", "texts": "3",
    }  # fmt: skip


def test_signature_distinguishes_labels_positions_and_probabilities():
    def labels(human, **settings):
        compared = compare(np.eye(5)[[0, 1, 2, 3]], human, values=FIVE, **settings)
        return dict(compared.signature.fields)["labels"]

    left = labels([1, 2, 4, None])
    assert left == labels([1.0, [2], [4, None], NAN])
    variants = [
        labels([1, 2, 5, None]),
        labels([1, 2, None, 4]),
        labels([1, 2, 4, None], inclusion=[0.5] * 4),
    ]
    assert len({left, *variants}) == 4


def test_table_of_raters():
    np.testing.assert_array_equal(human_table([[None, 1, 4], 2, None]), [[1, 4], [2, NAN], [NAN, NAN]])
    np.testing.assert_array_equal(human_table(np.array([[1.0, NAN], [2.0, 3.0]])), [[1, NAN], [2, 3]])


def test_lengths_of_texts():
    np.testing.assert_array_equal(text_lengths(["good", "", None, 3]), [4, 0, NAN, NAN])


class TestRespondents:
    def test_intervals_cluster_the_texts_of_a_respondent(self):
        """With every text three times over, the interval is still that of 40 people, not of 120 texts."""
        rng = np.random.default_rng(0)
        pmf = rng.dirichlet(np.ones(5), 40)
        human = np.clip(pmf @ FIVE + rng.normal(0, 0.5, 40), 1, 5)
        people = list(range(40))
        single = compare(pmf, human, values=FIVE, respondents=people)
        thrice = [np.repeat(array, 3, axis=0) for array in (pmf, human, people)]
        repeated = compare(thrice[0], thrice[1], values=FIVE, respondents=thrice[2])
        for name in ("pearson", "spearman", "ks_similarity"):
            left, three = getattr(single, name), getattr(repeated, name)
            np.testing.assert_allclose(
                [three.value, three.low, three.high], [left.value, left.low, left.high]
            )

    def test_texts_without_respondents_are_resampled_singly(self):
        rng = np.random.default_rng(1)
        pmf = rng.dirichlet(np.ones(5), 30)
        human = np.clip(pmf @ FIVE + rng.normal(0, 0.5, 30), 1, 5)
        alone = compare(pmf, human, values=FIVE)
        named = compare(pmf, human, values=FIVE, respondents=list(range(30)))
        assert alone.pearson == named.pearson

    def test_a_text_without_a_name_is_left_out(self):
        pmf = np.eye(5)[[0, 1, 2, 3]]
        compared = compare(pmf, [1, 2, 3, 4], values=FIVE, respondents=["a", None, "b", "c"])
        assert compared.n == 3

    def test_an_empty_name_is_no_name(self):
        compared = compare(np.eye(5)[:4], [1, 2, 3, 4], values=FIVE, respondents=["a", "", "b", "c"])
        assert compared.n == compared.n_eligible == 3

    def test_as_many_names_as_ratings(self):
        with pytest.raises(InputError, match="respondents must have 3 rows"):
            compare(np.eye(5)[:3], [1, 2, 3], values=FIVE, respondents=["a"])


class TestWeights:
    def test_a_weight_of_two_is_the_text_twice(self):
        pmf, human = machine(30)
        human, lengths = human.clip(1, 5), np.arange(30.0) ** 2
        twice = np.r_[np.arange(30), np.arange(10)]
        weights = np.where(np.arange(30) < 10, 2.0, 1.0)
        actual = compare(pmf, human, values=FIVE, lengths=lengths, weights=weights)
        same = compare(pmf[twice], human[twice], values=FIVE, lengths=lengths[twice])
        for name in ("pearson", "spearman", "ks_similarity", "null_ks", "null_length"):
            assert getattr(actual, name).value == pytest.approx(getattr(same, name).value), name
        np.testing.assert_allclose(actual.human_pmf, same.human_pmf)
        np.testing.assert_allclose(actual.machine_pmf, same.machine_pmf)

    def test_rows_without_weight_are_left_out_as_from_the_estimates(self):
        pmf, human = machine(30)
        weights = [None, 0.0, NAN, *[1.5] * 27]
        actual = compare(pmf, human.clip(1, 5), values=FIVE, weights=weights)
        rest = compare(pmf[3:], human[3:].clip(1, 5), values=FIVE)
        assert actual.n == rest.n == 27
        for name in ("pearson", "spearman", "ks_similarity", "null_ks"):
            left, right = getattr(actual, name), getattr(rest, name)
            np.testing.assert_allclose(
                [left.value, left.low, left.high], [right.value, right.low, right.high]
            )


class TestNotes:
    def test_values_off_the_scale_say_what_to_do(self):
        pmf, human = machine()
        compared = compare(pmf, human.clip(1, 5) * 20, values=FIVE)
        assert compared.ks_similarity is None
        assert len(compared.notes) == 1
        assert "80 of 80 human values lie outside the scale's 1 to 5" in compared.notes[0]
        assert "the mean of all texts was not corrected" in compared.notes[0]
        assert "human_range" in compared.notes[0]

    def test_few_texts_are_called_few(self):
        compared = compare(np.eye(5)[[0, 2, 1, 4]], [1, 3, 3, 4], values=FIVE)
        assert compared.n_clusters == 4
        assert "4 texts" in compared.notes[0]
        assert compared.pearson.low < compared.pearson.value < compared.pearson.high
        assert compared.pearson.high <= 1

    def test_enough_texts_need_no_note(self):
        pmf, human = machine()
        assert compare(pmf, human.clip(1, 5), values=FIVE).notes == ()


def test_two_texts_have_no_correlation_interval():
    pmf, values = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.2, 0.8]]), np.array([1.0, 2.0])
    two = compare(pmf[:2], [1, 2], values=values)
    assert np.isnan(two.pearson.low)
    assert "no interval of Pearson's r, Spearman's rho: not defined without one of the 2 texts" in two.notes
    people = compare(pmf, [1, 2, 1, 2], values=values, respondents=["a", "a", "b", "b"])
    # One person's two texts correlate by 1 and the other's by -1, whose Fisher's z has no size.
    assert (people.pearson.low, people.pearson.high) == (-1, 1)
    assert (
        people.notes[0]
        == "agreement with people: wide intervals by a jackknife, as there are only 2 respondents"
    )


def test_equal_labels_have_no_ks_interval():
    # Humans all at 4: cumulated 0 0 0 1 1; ratings .1 .3 .7 .9 1, gap .7; equal shares .2 .4 .6 .8 1, gap .6.
    pmf = np.tile([0.1, 0.2, 0.4, 0.2, 0.1], (12, 1))
    compared = compare(pmf, [4] * 12, values=FIVE)
    assert [compared.ks_similarity.value, compared.null_ks.value] == pytest.approx([0.3, 0.4])
    assert np.isnan([compared.ks_similarity.low, compared.null_ks.low]).all()
    assert np.isnan(compared.pearson.value)
    assert compared.notes == (
        "no interval of KS similarities: all labels are equal, which does not show how others differ",
    )


def test_equal_labels_give_no_interval_of_distributions_though_ratings_differ():
    compared = compare(machine(20)[0], [4] * 20, values=FIVE)
    assert np.isfinite(compared.ks_similarity.value)
    assert np.isnan([compared.ks_similarity.low, compared.null_ks.high]).all()
    assert "all labels are equal" in compared.notes[0]


@pytest.mark.parametrize(("n", "has_interval"), [(4, False), (5, True)])
def test_distributions_of_fewer_than_five_texts_have_no_interval(n, has_interval):
    compared = compare(machine(n)[0], [1, 3, 3, 4, 5][:n], values=FIVE)
    assert np.isfinite(compared.ks_similarity.low) == has_interval
    note = "no interval of KS similarities: it takes 5 texts, and there are 4"
    assert (note in compared.notes) is not has_interval


@pytest.mark.parametrize("n", [8, 9, 10])
def test_a_perfect_correlation_has_no_interval_at_eight_texts_and_none_at_ten(n):
    pmf = np.random.default_rng(0).dirichlet(np.ones(5), n)
    compared = compare(pmf, pmf @ FIVE, values=FIVE)
    for estimate in (compared.pearson, compared.spearman):
        assert estimate.value == pytest.approx(1)
        assert np.isnan([estimate.low, estimate.high]).all()
    assert (
        "no interval of Pearson's r, Spearman's rho: every resample of the texts gives the same"
        in compared.notes
    )
    wide = f"agreement with people: wide intervals by a jackknife, as there are only {n} texts"
    assert (wide in compared.notes) is (n < 10)


VALUES = np.arange(1.0, 6.0)

GAP = np.nan


def test_ratings_1_too_high_are_corrected_down_by_1():
    # Products and squares of the 4 labelled texts are 5, and four labels without a slope add 4 x .9375 (all
    # ratings: 30 / 8, variance 120 / 8 - 3.75 squared) to the squares. Half of that slope of 5 / 8.75 counts,
    # as there are 4 other texts: 2.5 + (4 - 3.5) / 2 x 4 / 7.
    means = np.array([2.0, 3.0, 4.0, 5.0, 4.0, 4.0, 3.0, 5.0])
    table = np.array([1.0, 2.0, 3.0, 4.0, GAP, GAP, GAP, GAP])[:, None]
    result = correct_mean(means, table, VALUES)
    assert (result.bias, result.n_labelled, result.n_unlabelled) == (1.0, 4, 4)
    assert result.value == pytest.approx(2.5 + 1 / 7)
    assert result.labels_only.value == 2.5


def test_another_range_of_people_is_laid_on_the_scale():
    table = np.array([[-4.0, 4.0], [0.0, GAP], [4.0, 4.0], [GAP, GAP]])
    result = correct_mean(np.array([3.0, 3.0, 3.0, 3.0]), table, VALUES, human_range=(-4, 4))
    assert result.value == pytest.approx((3 + 3 + 5) / 3)  # ratings that never differ say nothing


def test_there_is_nothing_to_correct_where_all_or_no_rated_texts_have_a_label():
    means = np.array([2.0, 3.0, GAP])
    assert correct_mean(means, np.array([[1.0], [2.0], [GAP]]), VALUES) is None
    assert correct_mean(means, np.array([[GAP], [GAP], [2.0]]), VALUES) is None


@pytest.mark.parametrize("design", [None, SampleDesign(weights=np.ones(4))])
def test_fewer_than_three_labels_correct_no_mean(design):
    table = np.array([2.0, 4.0, GAP, GAP])[:, None]
    result = correct_mean(np.array([2.0, 3.0, 4.0, 5.0]), table, VALUES, design=design)
    assert np.isnan([result.value, result.low, result.high]).all()
    assert result.note == "a corrected mean needs 3 labels or more"
    assert (result.labels_only.value, result.n_labelled) == (3.0, 2)


def test_the_interval_covers_and_is_narrower_than_that_of_the_labels():
    rng = np.random.default_rng(0)
    human = np.clip(3 + rng.normal(size=2000), 1, 5)
    means = 3 + 0.5 * (human - 3) + rng.normal(scale=0.2, size=2000)
    held, narrower = [], []
    for seed in range(200):
        table = np.full((2000, 1), GAP)
        known = np.random.default_rng(seed).permutation(2000)[:60]
        table[known, 0] = human[known]
        result = correct_mean(means, table, VALUES)
        held.append(result.low <= human.mean() <= result.high)
        narrower.append((result.high - result.low) < (result.labels_only.high - result.labels_only.low))
    assert 0.9 <= np.mean(held) <= 0.99
    assert np.mean(narrower) > 0.99


PMF = np.random.default_rng(1).dirichlet(np.ones(5), size=12)

HUMAN = [3, 4, 2, 5, 1, 3, *[None] * 6]


def test_a_comparison_has_it():
    assert compare(PMF, HUMAN, values=VALUES).corrected.n_unlabelled == 6


def test_probabilities_weights_and_respondents_count_in_it():
    # Probabilities 1/4, 1/2 and 1, all with weight 2: Hajek's mean is (4 (3 + 4) + 2 (2 + 5) + 1 + 3) / 14.
    inclusion = [0.25, 0.25, 0.5, 0.5, 1, 1, *[None] * 6]
    compared = compare(PMF, HUMAN, values=VALUES, inclusion=inclusion, weights=np.full(12, 2.0))
    assert compared.corrected.labels_only.value == pytest.approx(46 / 14)
    assert compared.corrected.method == "linearized"
    assert compared.uses_inclusion
    assert dict(compared.signature.fields)["inclusion"] == "yes"
    # The people's PMF is weighted likewise: 4 of 14 on the point 4.
    assert compared.human_pmf[3] == pytest.approx(4 / 14)


def test_texts_without_a_respondent_or_weight_are_not_in_it():
    named = compare(PMF, HUMAN, values=VALUES, respondents=["a", "", *"cdefghijk", None]).corrected
    assert (named.n_labelled, named.n_unlabelled) == (5, 5)
    weighted = compare(PMF, HUMAN, values=VALUES, weights=[0, *[1] * 10, None]).corrected
    assert (weighted.n_labelled, weighted.n_unlabelled) == (5, 5)


def test_doubling_the_texts_of_every_respondent_does_not_narrow_the_interval():
    once = compare(PMF, HUMAN, values=VALUES, respondents=list("abcdefghijkl")).corrected
    pmf, human, people = np.tile(PMF, (2, 1)), HUMAN * 2, list("abcdefghijkl") * 2
    twice = compare(pmf, human, values=VALUES, respondents=people).corrected
    assert [twice.value, twice.low, twice.high] == pytest.approx([once.value, once.low, once.high])


@pytest.mark.parametrize(
    ("inclusion", "message"),
    [([0.5] * 11 + [1.5], "got 1.5 in row 12"), ([0.5] * 5 + [None] * 7, "row 6 has only a label")],
)
def test_wrong_probabilities_are_refused(inclusion, message):
    with pytest.raises(InputError, match=message):
        compare(PMF, HUMAN, values=VALUES, inclusion=inclusion)


COLUMNS = RatingColumns(text="text", weight="w", human="h")


def test_parts_with_weights_compare_as_the_whole():
    rng = np.random.default_rng(0)
    pmf, human = rng.dirichlet(np.ones(3), 40), rng.integers(1, 4, 40).astype(float)
    weights = rng.uniform(0.5, 2, 40)
    weights[[3, 25]] = np.nan, 0.0
    sample = HumanSample(0, np.arange(1.0, 4.0), Signature.of("rate"))
    for part in (slice(0, 15), slice(15, 40)):
        size = len(human[part])
        sample.add(
            part.start,
            SimpleNamespace(pmf=pmf[part], in_calibration=None, readable=np.ones(size, bool)),
            human[part].tolist(),
            lengths=[1] * size, respondents=None, weights=weights[part],
        )  # fmt: skip
    actual = sample.compare(COLUMNS, interval=0.95)
    whole = compare(pmf, human, values=np.arange(1.0, 4.0), weights=weights)
    assert (actual.n, actual.n_eligible) == (38, 38)
    assert actual.pearson == whole.pearson
    assert actual.ks_similarity == whole.ks_similarity
    assert actual.human_pmf.tolist() == whole.human_pmf.tolist()
    # Places in the file and labels are the same, so the labels' hash is, too.
    assert dict(actual.signature.fields)["labels"] == dict(whole.signature.fields)["labels"]


def test_only_rows_without_weight_are_nothing_to_compare():
    sample = HumanSample(0, np.arange(1.0, 4.0), Signature.of("rate"))
    sample.add(
        0,
        SimpleNamespace(pmf=np.eye(3)[:1], in_calibration=None, readable=np.ones(1, bool)),
        [2.0],
        lengths=[1],
        respondents=None,
        weights=np.zeros(1),
    )
    with pytest.raises(InputError, match="has a weight"):
        sample.compare(COLUMNS, interval=0.95)


def test_the_mean_of_all_rows_has_weights_respondents_and_probabilities_from_every_part():
    rng = np.random.default_rng(1)
    pmf, people = rng.dirichlet(np.ones(3), 40), [f"p{row % 13}" for row in range(40)]
    people[7] = None
    human = [float(rng.integers(1, 4)) if row % 3 == 0 else None for row in range(40)]
    inclusion, weights = rng.uniform(0.2, 1, 40), rng.uniform(0.5, 2, 40)
    weights[[3, 25]] = np.nan, 0.0
    sample = HumanSample(0, np.arange(1.0, 4.0), Signature.of("rate"))
    for part in (slice(0, 15), slice(15, 40)):
        size = len(human[part])
        sample.add(
            part.start, SimpleNamespace(pmf=pmf[part], in_calibration=None, readable=np.ones(size, bool)),
            human[part], lengths=[1] * size, respondents=people[part], weights=weights[part],
            inclusion=inclusion[part],
        )  # fmt: skip
    columns = RatingColumns(text="text", weight="w", respondent="r", human="h", inclusion="p")
    actual = sample.compare(columns, interval=0.95)
    whole = compare(
        pmf, human, values=np.arange(1.0, 4.0), weights=weights, respondents=people, inclusion=inclusion
    )
    assert actual.corrected.value == pytest.approx(whole.corrected.value)
    assert actual.corrected.low == pytest.approx(whole.corrected.low)
    assert (actual.corrected.n_labelled, actual.corrected.n_unlabelled) == (13, 24)
    assert actual.pearson.value == pytest.approx(whole.pearson.value)


def unrated_texts(n=400, seed=3):
    """Ratings, people's answers and texts that can be read; a fifth have no rating, and people like these."""
    rng = np.random.default_rng(seed)
    human = rng.integers(1, 6, n).astype(float)
    pmf = 0.6 * np.eye(5)[np.clip(human.astype(int) - 1 + rng.integers(-1, 2, n), 0, 4)] + 0.08
    is_off_topic = np.arange(n) % 5 == 0
    human[is_off_topic] = np.minimum(human[is_off_topic] + 1, 5)
    pmf[is_off_topic] = NAN
    return pmf, human, np.ones(n, dtype=bool)


@pytest.mark.exhaustive
def test_the_mean_of_all_texts_is_corrected_by_labels_of_those_without_a_rating_too():
    # In the mean of all texts, those without a rating count with their labels. In 60 draws the 95 % interval
    # holds the mean of all in at least 53 (the probability of fewer is .01 if it holds 95 %).
    pmf, human, readable = unrated_texts()
    held = 0
    for seed in range(60):
        labels = [None] * len(human)
        for row in np.random.default_rng(seed).permutation(len(human))[:80].tolist():
            labels[row] = human[row]
        compared = compare(pmf, labels, values=VALUES, readable=readable)
        assert (compared.n_unrated, compared.corrected.n_labelled) == (80, 80)
        held += compared.corrected.low <= human.mean() <= compared.corrected.high
    assert held >= 53
    assert abs(human.mean() - human[~np.isnan(pmf[:, 0])].mean()) > 0.05


def test_without_labels_on_unrated_texts_figures_are_stated_for_rated_texts_only():
    pmf, human, readable = unrated_texts()
    rated = ~np.isnan(pmf[:, 0])
    labels = [value if row % 4 == 1 and rated[row] else None for row, value in enumerate(human.tolist())]
    compared = compare(pmf, labels, values=VALUES, readable=readable)
    alone = compare(pmf[rated], [labels[row] for row in np.flatnonzero(rated)], values=VALUES)
    assert compared.n_unrated == 0
    assert compared.corrected == alone.corrected
    assert compared.notes[-1] == (
        "80 texts that can be read have no rating and no label: corrected figures are about rated texts"
    )
    assert not alone.notes


def test_boxes_points_and_groups_are_corrected_where_labels_suffice():
    pmf, human, _ = unrated_texts()
    rows = np.flatnonzero(~np.isnan(pmf[:, 0]))
    pmf, human = pmf[rows], human[rows]
    groups = ["few" if row < 20 else "north" if row % 2 else "south" for row in range(len(rows))]
    labels = [value if row % 3 == 0 else None for row, value in enumerate(human.tolist())]
    compared = compare(pmf, labels, values=VALUES, by=groups)
    known = np.array([label is not None for label in labels])
    # The share of the two highest points, by the estimator whose values stand in its own tests.
    boxes = prediction_powered_mean(
        pmf[:, 3:].sum(axis=1), np.where(known, human >= 4, NAN), bounds=(0, 1), interval=0.95
    )
    of_all = compared.figures_by(None)
    top = of_all[None, "top_2_box"]
    assert [top.value, top.low, top.high] == pytest.approx([boxes.value, boxes.low, boxes.high])
    assert (top.n, top.n_labelled) == (320, 107)
    assert of_all[None, "mean"].value == compared.corrected.value
    assert [name for _, name in of_all] == [
        "mean",
        "top_2_box",
        "bottom_2_box",
        "net",
        *(f"p_{n}" for n in range(1, 6)),
    ]
    column = compared.figures_by("group")
    # Of the first 20 texts every third is labelled: 7, fewer than 10.
    few = column["few", "mean"]
    assert (few.n, few.n_labelled, np.isnan(few.value)) == (20, 7, True)
    assert ("few", "top_2_box") not in column
    north = np.array([group == "north" for group in groups])
    mean = prediction_powered_mean(
        (pmf @ VALUES)[north], np.where(known, human, NAN)[north], bounds=(1, 5), interval=0.95
    )
    result = column["north", "mean"]
    assert [result.value, result.low, result.high] == pytest.approx([mean.value, mean.low, mean.high])
    test = corrected_group_test(
        pmf @ VALUES,
        np.where(known, human, NAN),
        np.where(np.arange(len(rows)) < 20, -1, north.astype(int)),
        bounds=(1, 5),
    )
    assert result.p_value == result.adjusted == pytest.approx(test.p_value)
    assert {key for key, row in column.items() if not np.isnan(row.p_value)} == {
        ("north", "mean"),
        ("south", "mean"),
    }


def test_p_values_of_several_columns_are_adjusted_by_holm():
    rng = np.random.default_rng(0)
    pmf = rng.dirichlet(np.ones(5), 120)
    columns = RatingColumns(text="text", human="h", by=("a", "b"))
    sample = HumanSample(0, VALUES, Signature.of("rate"))
    sample.add(
        0,
        SimpleNamespace(pmf=pmf, in_calibration=None, readable=np.ones(120, bool)),
        [float(rng.integers(1, 6)) if row % 2 else None for row in range(120)],
        lengths=[1] * 120,
        respondents=None,
        groups={"a": ["x", "x", "y", "y"] * 30, "b": ["u"] * 60 + ["v"] * 60},
    )
    compared = sample.compare(columns, interval=0.95)
    first, second = compared.figures_by("a")["x", "mean"], compared.figures_by("b")["u", "mean"]
    low, high = sorted([first, second], key=lambda row: row.p_value)
    assert low.adjusted == pytest.approx(min(2 * low.p_value, 1))
    assert high.adjusted == pytest.approx(max(high.p_value, low.adjusted))


@pytest.mark.parametrize("labels_unrated", [False, True])
def test_the_mean_of_readable_texts_alone_is_the_one_that_compare_corrects(labels_unrated):
    rng = np.random.default_rng(3)
    pmf = rng.dirichlet(np.ones(5), 60)
    pmf[50:] = np.nan  # 50 to 54 can be read but have no rating, 55 to 59 cannot be read
    readable = np.arange(60) < 55
    labelled = [*range(12), *([52] if labels_unrated else [])]
    human = [float(1 + row % 5) if row in labelled else None for row in range(60)]
    inclusion = np.where(np.isin(np.arange(60), labelled), 0.2 + np.arange(60) / 100, np.nan)
    settings = {"values": np.arange(1.0, 6.0), "inclusion": inclusion, "readable": readable}
    expected = compare(pmf, human, **settings).corrected
    mean = correct_readable_mean(pmf, human, **settings)
    assert (mean.value, mean.low, mean.high) == (expected.value, expected.low, expected.high)
    assert mean.n_labelled == len(labelled)
