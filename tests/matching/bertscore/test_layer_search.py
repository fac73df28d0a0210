"""Calibration on the default model: unrelated pairs, agreement with people, and the file it writes."""

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.errors import InputError
from semscale.matching.bertscore import BertScorer, JudgedPairs, calibrate, read_baseline

pytestmark = pytest.mark.exhaustive

NOUNS = ("cat", "car", "cake", "tree", "song", "phone", "river", "shirt", "novel", "chair", "judge", "cloud")
CORPUS = [f"The {noun} is {state}." for noun in NOUNS for state in ("old", "new")]


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


def test_the_baseline_is_the_mean_of_pairs_of_different_texts(encoder):
    calibration = calibrate(encoder, CORPUS * 2, n_pairs=4000)
    every = [(first, other) for first in CORPUS for other in CORPUS if first != other]
    scores = BertScorer(encoder).score(*zip(*every, strict=True))
    assert calibration.n_texts == 24
    assert calibration.baseline.shape == (7, 3)
    assert calibration.baseline[6, 2] == pytest.approx(scores.f1.mean(), abs=5 * calibration.error[6, 2])


def test_the_file_serves_to_rescale_and_brings_its_layer(encoder, tmp_path):
    predictions = CORPUS[:12]
    references = [*CORPUS[:6], *CORPUS[12:18]]
    human = np.array([1.0] * 6 + [0.0] * 6)
    human[11] = np.nan
    judged = JudgedPairs([*predictions[:11], None], references, human)
    calibration = calibrate(encoder, CORPUS, judged=judged, n_pairs=200, name="toy|corpus")
    assert (calibration.human.n, calibration.human.n_left_out) == (11, 1)
    assert calibration.human.spearman[calibration.human.best_layer].value == max(
        estimate.value for estimate in calibration.human.spearman
    )
    path = tmp_path / "toy.json"
    path.write_text(calibration.to_json())
    baseline = read_baseline(path)
    np.testing.assert_allclose(baseline.values, calibration.baseline)
    scorer = BertScorer(encoder, rescale=path)
    assert scorer.layer == calibration.human.best_layer


def test_the_draw_follows_the_seed(encoder):
    first, same, other = (calibrate(encoder, CORPUS, n_pairs=100, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.baseline, same.baseline)
    assert (first.baseline != other.baseline).any()


def test_too_few_texts_or_judgements_are_refused(encoder):
    with pytest.raises(InputError, match="corpus must have at least 20 different texts, got 2"):
        calibrate(encoder, ["a", "b", "a", ""])
    judged = JudgedPairs(["a"] * 12, ["b"] * 12, np.array([1.0] * 9 + [np.nan] * 3))
    with pytest.raises(InputError, match="human must have at least 10 pairs"):
        calibrate(encoder, CORPUS, judged=judged, n_pairs=100)
