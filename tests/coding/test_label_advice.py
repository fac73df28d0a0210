"""What further hand-coded answers would bring."""

import numpy as np
import pytest
from tests.coding.conftest import KeywordEmbedder

from semscale.coding.code_shares import HandLabels
from semscale.coding.coder import Coder
from semscale.coding.label_advice import LabelAdvice, LearningGain, advise, learning_gain, plan_labels
from semscale.report.coding_labels import advice_section, advice_sentences, gain_sentence, plan_sentence
from semscale.stats.intervals import Estimate, IntervalPlan
from semscale.stats.prediction_powered import estimate_corrected_mean

NAN = float("nan")


def hand_labels(n, n_labelled, seed=5):
    """Two codes of 30 % and a third that nobody looked for."""
    rng = np.random.default_rng(seed)
    truth = (rng.uniform(size=(n, 3)) < 0.3).astype(float)
    scores = np.clip(0.2 + 0.6 * truth + rng.normal(0, 0.15, truth.shape), 0, 1)
    labels = np.where((np.arange(n) < n_labelled)[:, None], truth, NAN)
    labels[:, 2] = NAN
    return HandLabels(scores, labels)


def test_half_widths_begin_with_those_of_now_and_fall():
    hand = hand_labels(600, 50)
    advice = advise(hand, ["a", "b", "c"])
    assert advice.sizes == (50, 75, 100, 150, 250)
    now = estimate_corrected_mean(hand.scores[:, 0], hand.labels[:, 0], bounds=(0, 1))
    assert advice.half_widths[0, 0] == pytest.approx((now.high - now.low) / 2)
    assert (np.diff(advice.half_widths[:2]) < 0).all()
    assert np.isnan(advice.half_widths[2]).all()
    assert advice.means == pytest.approx(advice.half_widths[:2].mean(axis=0))
    assert (advice.n_answers, advice.enough) == (600, advice.enough)
    assert 50 <= advice.enough <= 250


def test_there_is_no_advice_if_all_answers_are_coded_or_no_code_has_an_interval():
    assert advise(hand_labels(50, 50), ["a", "b", "c"]) is None
    assert advise(hand_labels(50, 2), ["a", "b", "c"]) is None


def test_a_plan_without_hand_codes_may_be_enough_from_25_on():
    rng = np.random.default_rng(2)
    rare = plan_labels(rng.uniform(0, 0.05, (1_000, 2)), ["a", "b"], 200)
    common = plan_labels(rng.uniform(0.3, 0.7, (1_000, 2)), ["a", "b"], 200)
    assert rare.sizes[0] == common.sizes[0] == 200
    assert rare.enough < common.enough < 200
    assert "--n" in plan_sentence(common)


def advice(**changes):
    fields = {
        "codes": ("food", "price"), "sizes": (50, 75, 100),
        "half_widths": np.array([[0.09, 0.07, 0.06], [0.05, 0.041, 0.036]]),
        "enough": 150, "n_answers": 900, "gain": None,
    }  # fmt: skip
    return LabelAdvice(**{**fields, **changes})


def test_the_advice_is_stated_in_two_sentences():
    first, second = advice_sentences(advice())
    assert first == (
        "25 more hand-coded answers would narrow the corrected shares on average from ± 7.0 to ± 5.6 points, "
        "and that of “food” from ± 9.0 to ± 7.0."
    )
    assert second.startswith("Beyond 150 in all, little changes")


def test_the_advice_says_if_enough_are_coded_or_none_are_enough():
    (enough,) = advice_sentences(advice(enough=50))
    assert enough.startswith("Further hand-coded answers would change little: 25 more")
    assert advice_sentences(advice(enough=None))[1].endswith("up to all 900 answers.")
    (last,) = advice_sentences(advice(sizes=(890,), half_widths=np.array([[0.01], [0.02]])))
    assert last == "Nearly all of the 900 answers are coded by hand."


def test_a_gain_that_may_be_chance_is_not_promised():
    unclear = LearningGain(25, 40, 0.8, 0.82, Estimate(0.02, -0.01, 0.05))
    clear = LearningGain(25, 40, 0.8, 0.85, Estimate(0.05, 0.01, 0.09))
    assert gain_sentence(unclear).endswith(
        "(difference +0.02 [−0.01, +0.05]): it is not clear that more would improve them."
    )
    assert gain_sentence(clear).endswith("so more may improve them further.")


def test_the_section_has_a_row_for_each_code_and_the_mean():
    section = advice_section(advice())
    (rows,) = [block.rows for block in section.blocks if hasattr(block, "rows")]
    assert [row[1].value for row in rows] == pytest.approx([9, 5, 7])
    assert advice_section(None) is None


def test_a_gain_is_measured_on_answers_that_were_not_learned_from(book):
    words = ("battery", "price", "screen", "bright")
    answers = [f"{word} {n}" for n in range(20) for word in words]
    # the codebook has no word for "bright", which people code as display
    codes = np.array([[word == "battery", word == "price", word in ("screen", "bright")] for _ in range(20)
                      for word in words], dtype=float)  # fmt: skip
    coder = Coder(book, embedder=KeywordEmbedder())
    learned = coder.learn(answers, codes)
    many = learned.score(answers, hand_coded=np.arange(80)).likeness
    gain = learning_gain(
        coder, answers, codes, many, counts=np.ones(3, dtype=bool), plan=IntervalPlan(seed=1)
    )
    assert (gain.n_few, gain.n_many) == (40, 64)
    truth, assigned = codes == 1, many >= 0.5
    assert gain.many == pytest.approx(2 * (truth & assigned).sum() / (truth.sum() + assigned.sum()))
    assert gain.gain.value == pytest.approx(gain.many - gain.few)
    few = many[:24]
    assert learning_gain(
        coder, answers[:24], codes[:24], few, counts=np.ones(3, dtype=bool), plan=IntervalPlan()
    ) is None  # fmt: skip
