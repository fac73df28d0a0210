import numpy as np
import pytest
from labelled_toys import VALUES, predictors_at

from semscale.errors import InputError
from semscale.rating.calibration.fitting import LabelledTexts, fit_calibration, human_masses, labels_hash
from semscale.scales import load_scale
from semscale.signature import Signature

SCALE = load_scale("quality")
RATINGS = Signature.of("rate", scale="quality#1", precision="float32")


def labelled(answers, groups=None, human_range=None):
    answers = np.asarray(answers, dtype=float).reshape(len(answers), -1)
    texts = [f"text {row}" for row in range(len(answers))]
    return LabelledTexts(texts, answers, groups, {"off-topic": 2}, human_range, "toys.csv")


def fitted(answers, **settings):
    places = np.linspace(0, 1, len(answers))
    return fit_calibration(labelled(answers, **settings), predictors_at(places), SCALE, ratings=RATINGS)


def test_labels_that_follow_the_vectors_calibrate_ratings_of_equal_shares():
    summary = fitted(np.round(1 + 4 * np.linspace(0, 1, 40)))
    assert summary.calibration.method in {"ordinal", "ridge"}
    assert summary.gain.low > 0
    assert summary.qualities["calibrated"].pearson.value > 0.9
    error = summary.calibration.error
    assert error.calibrated < error.uncalibrated == pytest.approx(summary.errors["none"])
    assert dict(summary.signature.fields)["precision"] == "float32"
    assert summary.left_out == {"off-topic": 2}


def test_several_answers_a_text_are_a_distribution():
    summary = fitted([[1, 2], [2, 3], [3, 4], [4, 5]] * 5)
    assert summary.calibration.labels.n_answers == 40
    assert summary.calibration.labels.n == 20


def test_other_answers_or_another_order_have_another_hash():
    texts, answers = ["a", "b"], np.array([[1.0, np.nan], [2.0, 3.0]])
    one = labels_hash(texts, answers)
    assert one == labels_hash(texts, np.array([[1.0, np.nan], [2.0, 3.0]]))
    assert one != labels_hash(texts, np.array([[1.0, np.nan], [2.0, 4.0]]))
    assert one != labels_hash(texts[::-1], answers[::-1])


def test_answers_on_another_range_are_laid_on_the_scale():
    # -4 is the lowest point and 4 the highest; 1 lies at 3.5, half on 3 and half on 4.
    masses = human_masses(np.array([[-4.0], [4.0], [1.0]]), VALUES, (-4, 4))
    assert masses.tolist() == [[1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0.5, 0.5, 0]]


def test_one_text_many_times_is_one_text():
    texts = LabelledTexts([f"text {row % 9}" for row in range(36)], np.arange(36.0)[:, None] % 5 + 1, None,
                          {}, None, "toys.csv")  # fmt: skip
    with pytest.raises(InputError, match="needs 10 different labelled texts with a rating or more, got 9"):
        fit_calibration(texts, predictors_at(np.arange(36) % 9 / 8), SCALE, ratings=RATINGS)


@pytest.mark.parametrize(
    ("answers", "settings", "said"),
    [
        ([1, 2] * 4, {}, r"needs 10 labelled texts with a rating or more, got 8 \(2 off-topic left out\)"),
        ([3] * 12, {}, "all 12 labelled texts have the label 3"),
        ([0, 7] * 6, {}, "labels must lie on the scale's 1 to 5, but go from 0 to 7"),
        ([0, 7] * 6, {"human_range": (0, 5)}, "human_range 0 to 5"),
        ([1, 2] * 6, {"groups": np.repeat([0, 1], 6)}, "needs 3 groups or more, got 2"),
        ([1, 2] * 15, {"groups": np.repeat([0, 1, 2], [28, 1, 1])}, "only 1 are left to learn from, and 6"),
    ],
)
def test_labels_that_cannot_serve_are_refused(answers, settings, said):
    with pytest.raises(InputError, match=said):
        fitted(answers, **settings)
