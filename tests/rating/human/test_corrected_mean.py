import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.human.comparison import compare
from semscale.rating.human.corrected_mean import corrected_mean
from semscale.stats.calibration.sample_design import SampleDesign

VALUES = np.arange(1.0, 6.0)
GAP = np.nan


def test_ratings_that_are_one_too_high_are_brought_down_by_one():
    # Products and squares of the 4 labelled texts are 5, and four labels without a slope add 4 x .9375 (all
    # ratings: 30 / 8, variance 120 / 8 - 3.75 squared) to the squares. Half of that slope of 5 / 8.75 counts,
    # as there are 4 other texts: 2.5 + (4 - 3.5) / 2 x 4 / 7.
    means = np.array([2.0, 3.0, 4.0, 5.0, 4.0, 4.0, 3.0, 5.0])
    table = np.array([1.0, 2.0, 3.0, 4.0, GAP, GAP, GAP, GAP])[:, None]
    found = corrected_mean(means, table, VALUES)
    assert (found.bias, found.n_labelled, found.n_unlabelled) == (1.0, 4, 4)
    assert found.value == pytest.approx(2.5 + 1 / 7)
    assert found.labels_only.value == 2.5


def test_another_range_of_people_is_laid_on_the_scale():
    table = np.array([[-4.0, 4.0], [0.0, GAP], [4.0, 4.0], [GAP, GAP]])
    found = corrected_mean(np.array([3.0, 3.0, 3.0, 3.0]), table, VALUES, human_range=(-4, 4))
    assert found.value == pytest.approx((3 + 3 + 5) / 3)  # ratings that never differ say nothing


def test_there_is_nothing_to_correct_where_all_or_no_rated_texts_have_a_label():
    means = np.array([2.0, 3.0, GAP])
    assert corrected_mean(means, np.array([[1.0], [2.0], [GAP]]), VALUES) is None
    assert corrected_mean(means, np.array([[GAP], [GAP], [2.0]]), VALUES) is None


@pytest.mark.parametrize("design", [None, SampleDesign(weights=np.ones(4))])
def test_fewer_than_three_labels_correct_no_mean(design):
    table = np.array([2.0, 4.0, GAP, GAP])[:, None]
    found = corrected_mean(np.array([2.0, 3.0, 4.0, 5.0]), table, VALUES, design=design)
    assert np.isnan([found.value, found.low, found.high]).all()
    assert found.note == "a corrected mean needs 3 labels or more"
    assert (found.labels_only.value, found.n_labelled) == (3.0, 2)


def test_the_interval_covers_and_is_narrower_than_that_of_the_labels():
    rng = np.random.default_rng(0)
    human = np.clip(3 + rng.normal(size=2000), 1, 5)
    means = 3 + 0.5 * (human - 3) + rng.normal(scale=0.2, size=2000)
    held, narrower = [], []
    for seed in range(200):
        table = np.full((2000, 1), GAP)
        known = np.random.default_rng(seed).permutation(2000)[:60]
        table[known, 0] = human[known]
        found = corrected_mean(means, table, VALUES)
        held.append(found.low <= human.mean() <= found.high)
        narrower.append((found.high - found.low) < (found.labels_only.high - found.labels_only.low))
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


def test_twice_the_texts_of_each_respondent_tell_no_more():
    once = compare(PMF, HUMAN, values=VALUES, respondents=list("abcdefghijkl")).corrected
    pmf, human, people = np.tile(PMF, (2, 1)), HUMAN * 2, list("abcdefghijkl") * 2
    twice = compare(pmf, human, values=VALUES, respondents=people).corrected
    assert [twice.value, twice.low, twice.high] == pytest.approx([once.value, once.low, once.high])


@pytest.mark.parametrize(
    ("inclusion", "message"),
    [([0.5] * 11 + [1.5], "got 1.5 in row 12"), ([0.5] * 5 + [None] * 7, "row 6 has a label alone")],
)
def test_wrong_probabilities_are_refused(inclusion, message):
    with pytest.raises(InputError, match=message):
        compare(PMF, HUMAN, values=VALUES, inclusion=inclusion)
