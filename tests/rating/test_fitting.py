"""Choice and fit of a calibration, and its honest quality."""

import numpy as np
import pytest
from tests.support.labelled_toys import VALUES, answered, predictors_at

from semscale.errors import InputError
from semscale.rating.fitting import (
    LabelledTexts,
    Sample,
    answers_hash,
    collect_labelled_texts,
    extrapolate,
    fewest_learnt_from,
    fit_calibration,
    human_masses,
    learning_curve,
    mean_bins,
    rating_quality,
)
from semscale.rating.gaussian_process import REFITS, Predictors, record_of
from semscale.scales import load_scale
from semscale.signature import Signature
from semscale.stats.calibration import ranked_probability_scores
from semscale.stats.correlations import Resampling, pearson
from semscale.types import Status

SCALE = load_scale("quality")

RATINGS = Signature.of("rate", scale="quality#1", precision="float32")


def labelled(answers, groups=None, human_range=None):
    answers = np.asarray(answers, dtype=float).reshape(len(answers), -1)
    texts = [f"text {row}" for row in range(len(answers))]
    return LabelledTexts(texts, answers, groups, human_range, "toys.csv", {"off-topic": 2})


def fitted(answers, **settings):
    positions = np.linspace(0, 1, len(answers))
    return fit_calibration(labelled(answers, **settings), predictors_at(positions), SCALE, ratings=RATINGS)


@pytest.mark.exhaustive
def test_labels_that_follow_the_vectors_calibrate_ratings_of_equal_shares():
    summary = fitted(np.round(1 + 4 * np.linspace(0, 1, 40)))
    assert summary.gain.low > 0
    assert summary.qualities["calibrated"].pearson.value > 0.9
    error = summary.calibration.error
    assert error.calibrated < error.uncalibrated
    assert dict(summary.signature.fields)["precision"] == "float32"
    assert summary.left_out == {"off-topic": 2}


@pytest.mark.exhaustive
def test_several_answers_a_text_are_a_distribution():
    summary = fitted([[1, 2], [2, 3], [3, 4], [4, 5]] * 5)
    assert summary.calibration.labels.n_answers == 40
    assert summary.calibration.labels.n == 20


def test_other_answers_or_another_order_have_another_hash():
    texts, answers = ["a", "b"], np.array([[1.0, np.nan], [2.0, 3.0]])
    entry = answers_hash(texts, answers)
    assert entry == answers_hash(texts, np.array([[1.0, np.nan], [2.0, 3.0]]))
    assert entry != answers_hash(texts, np.array([[1.0, np.nan], [2.0, 4.0]]))
    assert entry != answers_hash(texts[::-1], answers[::-1])


def test_answers_on_another_range_are_laid_on_the_scale():
    # -4 is the lowest point and 4 the highest; 1 lies at 3.5, half on 3 and half on 4.
    masses = human_masses(np.array([[-4.0], [4.0], [1.0]]), VALUES, (-4, 4))
    assert masses.tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0.5, 0.5, 0]]


def test_repeated_text_counts_once():
    answers = np.arange(36.0)[:, None] % 5 + 1
    texts = LabelledTexts([f"text {row % 9}" for row in range(36)], answers, None, None, "toys.csv")
    with pytest.raises(InputError, match="at least 10 different labelled texts that have a rating, got 9"):
        fit_calibration(texts, predictors_at(np.arange(36) % 9 / 8), SCALE, ratings=RATINGS)


@pytest.mark.parametrize(
    ("answers", "settings", "message"),
    [
        (
            [1, 2] * 4,
            {},
            r"at least 10 labelled texts that have a rating, got 8 \(2 off-topic left out\)",
        ),
        ([3] * 12, {}, "all 12 labelled texts have the label 3"),
        ([0, 7] * 6, {}, "labels must lie on the scale's 1 to 5, but range from 0 to 7"),
        ([0, 7] * 6, {"human_range": (0, 5)}, "human_range must .* got 0 to 5: exceeded in 6"),
        ([1, 2] * 6, {"groups": np.repeat([0, 1], 6)}, "needs 3 groups or more, got 2"),
        ([1, 2] * 15, {"groups": np.repeat([0, 1, 2], [28, 1, 1])}, "only 2 texts are left to fit to, and 6"),
    ],
)
def test_labels_that_cannot_serve_are_refused(answers, settings, message):
    with pytest.raises(InputError, match=message):
        fitted(answers, **settings)


def test_rows_without_a_label_are_passed_over_with_their_groups():
    labels = collect_labelled_texts(["a", "b", "c"], [[1, 2], None, 5], by=["x", "x", None])
    assert labels.texts == ["a", "c"]
    assert labels.groups.tolist() == [0, 1]


def test_texts_without_a_rating_are_counted_by_why():
    labels = collect_labelled_texts(
        ["good", "", "so", "?!"], [4, 3, 2, 1], human_range=(1, 5), source="a.csv"
    )
    statuses = np.array([Status.SCORED, Status.EMPTY, Status.SCORED, Status.UNINFORMATIVE], dtype=object)
    remaining = labels.with_ratings(statuses)
    assert remaining.texts == ["good", "so"]
    assert remaining.answers.tolist() == [[4.0], [2.0]]
    assert remaining.left_out == {"empty": 1, "uninformative": 1}
    assert (remaining.human_range, remaining.source) == ((1, 5), "a.csv")


@pytest.mark.parametrize(
    ("texts", "ratings", "settings", "named"),
    [
        (["a"], [1, 2], {}, "ratings must have 1 rows"),
        (["a"], ["good"], {}, "human ratings must be finite numbers"),
        (["a"], [1], {"by": ["x", "y"]}, "by must have 1 rows"),
        (["a"], [1], {"human_range": (5, 1)}, "human_range must be the lowest"),
    ],
)
def test_bad_input_is_refused(texts, ratings, settings, named):
    with pytest.raises(InputError, match=named):
        collect_labelled_texts(texts, ratings, **settings)


POSITIONS = np.random.default_rng(0).uniform(size=60)

HUMAN = answered(1 + 4 * POSITIONS)


def test_text_is_predicted_without_its_label():
    # With one text's label changed, its own prediction stays and those of other folds move.
    changed = HUMAN.copy()
    changed[0] = [1, 0, 0, 0, 0]
    samples = [Sample(predictors_at(POSITIONS), human) for human in (HUMAN, changed)]
    before, after = (sample.predict(sample.training_masks()) for sample in samples)
    (inside,) = (fold for fold in samples[0].folds() if fold[0])
    assert after[inside].tolist() == before[inside].tolist()
    assert after[~inside].tolist() != before[~inside].tolist()


def test_predictions_are_worse_than_those_of_a_fit_that_saw_the_labels():
    rng = np.random.default_rng(2)
    human = answered(1 + 4 * rng.uniform(size=60))  # labels that nothing explains
    sample = Sample(predictors_at(POSITIONS), human)
    pmf, seen = sample.predict(sample.training_masks()), sample.fit().pmf(sample.predictors)
    np.testing.assert_allclose(pmf.sum(axis=1), 1)
    assert ((pmf - human) ** 2).sum() > ((seen - human) ** 2).sum()


@pytest.mark.exhaustive
def test_a_text_that_occurs_again_is_new_all_the_same():
    # Labels that nothing explains cannot be predicted, however often each text and its label occur.
    rng = np.random.default_rng(3)
    positions, human = rng.uniform(size=40), answered(rng.uniform(1, 5, size=40))
    noise = rng.normal(size=(40, 30))
    once = predictors_at(positions)
    four_times = Predictors(noise, once.pmf, VALUES, once.styles).rows(np.tile(np.arange(40), 4))
    sample = Sample(four_times, np.tile(human, (4, 1)))
    pmf = sample.predict(sample.training_masks())
    assert abs(pearson(pmf @ VALUES, np.tile(human, (4, 1)) @ VALUES)) < 0.5


def test_a_text_in_two_groups_is_not_learnt_from_when_either_is_new():
    texts = predictors_at([0.1, 0.5, 0.1, 0.9])
    assert texts.distinct.tolist() == [0, 1, 0, 2]
    assert texts.without(np.array([True, True, False, False])).tolist() == [False, False, False, True]


def test_the_smallest_fit_is_counted_in_texts():
    # Three groups: without the largest, a fit has the two others alone.
    def fewest(n, groups=None):
        positions = np.linspace(0, 1, n)
        return fewest_learnt_from(Sample(predictors_at(positions), answered(1 + 4 * positions), groups))

    assert fewest(30, np.repeat([0, 1, 2], [28, 1, 1])) == 2
    assert fewest(30, np.repeat([0, 1, 2], 10)) == 20
    assert fewest(10) == 8  # five folds


CURVE_POSITIONS = np.random.default_rng(0).uniform(size=100)


def curve_of(n):
    human = answered(1 + 4 * CURVE_POSITIONS[:n])
    sample = Sample(predictors_at(CURVE_POSITIONS[:n]), human)
    known = sample.training_masks()
    pmf = sample.predict(known)
    return learning_curve(sample, known, pmf), ranked_probability_scores(pmf, human).mean()


@pytest.mark.exhaustive
def test_learning_curve_has_parts_of_the_labels_and_forecasts_at_2x_and_4x():
    # Five folds leave 80 of 100 labels each, of which a quarter and a half are tried as well.
    curve, error = curve_of(100)
    assert [(point.n, point.is_forecast) for point in curve] == [
        (20, False), (40, False), (80, False), (100, True), (200, True), (400, True)
    ]  # fmt: skip
    assert all(np.isnan(point.pearson) == point.is_forecast for point in curve)
    assert curve[2].ranked_probability == error  # that of the report's head


@pytest.mark.exhaustive
def test_too_few_labels_have_no_curve():
    assert curve_of(15)[0] == ()  # half of 12 is below 8


def test_a_known_curve_is_continued():
    sizes = np.array([20.0, 40.0, 80.0])
    assert extrapolate(sizes, 0.1 + 2 / sizes, 400) == pytest.approx(0.1 + 2 / 400)


def test_a_curve_that_rises_is_continued_level():
    assert extrapolate(np.array([10.0, 20.0]), np.array([0.2, 0.3]), 100) == pytest.approx(0.25)


def test_an_error_never_falls_below_0():
    assert extrapolate(np.array([10.0, 20.0]), np.array([1.0, 0.1]), 10_000) >= 0


def unmoved(positions, human, row):
    """How many refits do not depend on the label of a row."""
    changed = human.copy()
    changed[row] = np.eye(5)[0] if human[row, 0] < 0.5 else np.eye(5)[4]
    texts = predictors_at(positions)
    before, after = (Sample(texts, item).fit().refits for item in (human, changed))
    return sum(record_of(entry) == record_of(other) for entry, other in zip(before, after, strict=True))


@pytest.mark.exhaustive
def test_every_label_is_left_out_of_a_single_refit():
    assert len(Sample(predictors_at(POSITIONS), HUMAN).fit().refits) == REFITS
    assert [unmoved(POSITIONS, HUMAN, row) for row in (0, 17, 59)] == [1, 1, 1]


def test_equal_texts_are_lacking_together():
    # Fifteen texts that stand twice: each refit lacks one of them, so both of its labels.
    positions = np.repeat(POSITIONS[:15], 2)
    human = answered(1 + 4 * positions)
    assert len(Sample(predictors_at(positions), human).fit().refits) == 15
    assert [unmoved(positions, human, row) for row in (4, 5)] == [1, 1]


def test_groups_are_lacking_whole():
    # Three groups: one refit depends on none of the labels of the last twenty texts.
    texts, groups, changed = predictors_at(POSITIONS), np.repeat([0, 1, 2], 20), HUMAN.copy()
    changed[40:] = np.eye(5)[2]
    before, after = (Sample(texts, human, groups).fit().refits for human in (HUMAN, changed))
    assert len(before) == 3
    assert sum(record_of(entry) == record_of(other) for entry, other in zip(before, after, strict=True)) == 1


HOW = Resampling(clusters=None, weights=None, interval=0.95, seed=0)

QUALITY_HUMAN = answered(np.linspace(1, 5, 30))


def test_ratings_equal_to_human_answers_have_perfect_quality():
    quality = rating_quality(QUALITY_HUMAN, QUALITY_HUMAN, VALUES, HOW)
    assert quality.pearson.value == pytest.approx(1)
    assert quality.ks_similarity.value == pytest.approx(1)
    assert quality.spread == pytest.approx((QUALITY_HUMAN @ VALUES).std())
    assert all(item.rated == item.human for item in quality.bins)


def test_equal_shares_rank_nothing():
    quality = rating_quality(np.full_like(QUALITY_HUMAN, 0.2), QUALITY_HUMAN, VALUES, HOW)
    assert np.isnan(quality.pearson.value)
    assert quality.log_score.value == pytest.approx(np.log(5))


def test_bins_hold_all_texts_in_order():
    rated = np.arange(52.0)[::-1]
    bins = mean_bins(rated, rated + 1)
    assert len(bins) == 10
    assert sum(entry.n for entry in bins) == 52
    assert [entry.human - entry.rated for entry in bins] == [1.0] * 10
    assert bins[0].rated < bins[-1].rated
