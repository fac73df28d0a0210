"""Models that learn from answers and from hand codes."""

import numpy as np
import pytest

from semscale.coding.coder import Coder
from semscale.coding.learning import CorpusModel, LabelModel, LearnedCodes, LearningSentences


def sentences(answers, logits, vectors):
    logits = np.asarray(logits, dtype=float)
    features = np.zeros((*logits.shape, 1))
    return LearningSentences(np.asarray(answers), logits, features, np.asarray(vectors, dtype=float))


def test_a_corpus_model_carries_evidence_over_to_similar_sentences():
    # Half of the sentences with the first vector have evidence, and none with the second.
    vectors = np.repeat(np.eye(2), 100, axis=0)
    logits = np.array([4.0, -1.0] * 50 + [-4.0] * 100)[:, None]
    adapted = CorpusModel.fit(vectors, logits).adapt(vectors, logits)[:, 0]
    assert adapted[1] > logits[1, 0]  # no evidence of its own
    assert adapted[1] > adapted[100]
    assert adapted[0] > adapted[1]


def test_a_regression_shrinks_the_slope_and_limits_evidence():
    # Slope: 1 * 2 + -1 * -2 = 4, divided by 1² + (-1)² + 3. Evidence of 9 counts as 4.
    vectors = np.array([[1.0], [-1.0]])
    model = CorpusModel.regress(vectors, np.array([[2.0, 9.0], [-2.0, -9.0]]))
    assert model.weights == pytest.approx(np.array([[4 / 5], [8 / 5]]))
    assert model.intercepts == pytest.approx([0.0, 0.0])


def test_hand_codes_reach_similar_sentences_and_do_not_change_how_many_have_evidence():
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 4))
    corpus = sentences(np.arange(300), rng.normal(size=(300, 1)), vectors)
    known = corpus.of(np.arange(40))
    learned = LearnedCodes.fit(known, (vectors[:40, :1] > 0).astype(float), corpus)
    alone = learned.labels.correct(corpus.logits, corpus.features, corpus.vectors)
    spread = learned.correct(corpus)
    assert (spread > 0).sum() == (alone > 0).sum()
    assert np.corrcoef(spread[:, 0], vectors[:, 0])[0, 1] > np.corrcoef(alone[:, 0], vectors[:, 0])[0, 1]
    assert LearnedCodes.fit(known, np.ones((40, 1)), None).thresholds.tolist() == [0.0]


def test_a_soft_maximum_is_the_logarithm_of_the_mean_power():
    known = sentences([0, 0, 1], [[1.0], [1.0], [2.0]], np.zeros((3, 1)))
    values, shares = known.soft_maximum(known.logits)
    # log(2 exp(3)) / 3 = 1 + log(2) / 3
    assert values[:, 0] == pytest.approx([1 + np.log(2) / 3, 2.0])
    assert shares[:, 0] == pytest.approx([0.5, 0.5, 1.0])


def test_selected_answers_are_numbered_again():
    known = sentences([0, 0, 1, 2], [[1.0], [2.0], [3.0], [4.0]], np.zeros((4, 1)))
    some = known.of(np.array([0, 2]))
    assert some.answers.tolist() == [0, 0, 1]
    assert some.logits[:, 0].tolist() == [1.0, 2.0, 4.0]


def test_labels_of_answers_teach_which_sentence_has_the_code():
    # Answers have two sentences; those with the code have one along the first axis. The evidence is blind.
    rng = np.random.default_rng(0)
    vectors = rng.normal(scale=0.1, size=(80, 3))
    vectors[0:40:2, 0] += 1
    codes = np.repeat([1.0, 0.0], 20)[:, None]
    known = sentences(np.repeat(np.arange(40), 2), np.zeros((80, 1)), vectors)
    corrected = LabelModel.fit(known, codes).correct(known.logits, known.features, known.vectors)[:, 0]
    assert corrected[0:40:2].min() > corrected[1:40:2].max()
    assert corrected[0:40:2].min() > corrected[40:].max()


def test_unknown_codes_teach_nothing():
    known = sentences([0, 1], [[1.0], [-1.0]], np.eye(2))
    corrected = LabelModel.fit(known, np.full((2, 1), np.nan)).correct(
        known.logits, known.features, known.vectors
    )
    assert corrected == pytest.approx(known.logits)


def test_the_slope_of_the_loss_is_that_of_differences(monkeypatch):
    losses = []

    def keep(loss, n):
        losses.append((loss, n))
        return np.zeros(n)

    monkeypatch.setattr("semscale.coding.learning._minimise", keep)
    rng = np.random.default_rng(1)
    known = LearningSentences(
        np.array([0, 0, 1, 2, 2]),
        rng.normal(size=(5, 2)),
        rng.normal(size=(5, 2, 3)),
        rng.normal(size=(5, 4)),
    )
    LabelModel.fit(known, np.array([[1.0, 0.0], [0.5, np.nan], [0.0, 1.0]]))
    loss, n = losses[0]
    at = rng.normal(size=n)
    steps = 1e-6 * np.eye(n)
    differences = [(loss(at + step)[0] - loss(at - step)[0]) / 2e-6 for step in steps]
    assert loss(at)[1] == pytest.approx(np.array(differences), abs=1e-5)


WORDS = ("battery", "price", "screen")
ANSWERS = [f"{word} number {n} of {word}" for n in range(80) for word in WORDS]
PAIRS = [(word, other) for word in WORDS for other in WORDS if word != other]


@pytest.fixture
def coder(book, keyword_embedder):
    return Coder(book, embedder=keyword_embedder)


def test_a_coder_adapts_to_answers_in_any_order_and_says_so(coder):
    adapted, backwards = coder.adapt([ANSWERS]), coder.adapt([ANSWERS[120:][::-1], ANSWERS[:120]])
    assert "corpus:240#" in str(adapted.signature)
    assert str(adapted.signature) == str(backwards.signature)
    assert adapted.score(ANSWERS[:9]).likeness.tolist() == backwards.score(ANSWERS[:9]).likeness.tolist()


def test_a_coder_that_adapted_and_scored_adapts_to_other_answers(coder):
    others = [f"{word} {n}, but the {other} is bright" for n in range(40) for word, other in PAIRS]
    first = coder.adapt([ANSWERS])
    first.score(ANSWERS[:9])
    again, afresh = first.adapt([others]), coder.adapt([others])
    assert str(again.signature) == str(afresh.signature)
    assert again.score(ANSWERS[:9]).likeness.tolist() == afresh.score(ANSWERS[:9]).likeness.tolist()
    assert again.score(ANSWERS[:9]).likeness.tolist() != first.score(ANSWERS[:9]).likeness.tolist()


def test_few_answers_adapt_nothing(coder):
    assert str(coder.adapt([ANSWERS[:20]]).signature) == str(coder.signature)


def test_learning_changes_codes_and_the_signature(coder):
    # People gave the code for the screen to answers about the battery.
    codes = np.array([[0.0, float(word == "price"), float(word == "battery")] for word in WORDS] * 20)
    learned = coder.learn(ANSWERS[:60], codes)
    assert "learned:60#" in str(learned.signature)
    before, after = (one.score(["battery number 99 of battery"]).likeness[0] for one in (coder, learned))
    assert after[2] > before[2]
    assert after[0] < before[0]


def test_too_few_hand_codes_teach_nothing(coder):
    assert coder.learn(ANSWERS[:9], np.zeros((9, 3))) is coder


def test_codes_for_no_answer_teach_nothing(coder):
    answers = [*ANSWERS[:9], "n/a"]  # nine are too few
    codes = np.zeros((10, 3))
    assert coder.learn(answers, codes, missing={"n/a"}) is coder
    assert coder.learn(answers, codes) is not coder


def test_a_hand_coded_answer_is_scored_by_a_model_that_has_not_seen_it(coder):
    codes = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] * 10)
    changed = codes.copy()
    changed[0] = [0.0, 0.0, 0.0]
    first = np.array([0])
    held_out = [
        coder.learn(ANSWERS[:30], each).score(ANSWERS[:1], hand_coded=first) for each in (codes, changed)
    ]
    others = [coder.learn(ANSWERS[:30], each).score(ANSWERS[:1]) for each in (codes, changed)]
    assert held_out[0].likeness.tolist() == held_out[1].likeness.tolist()
    assert others[0].likeness.tolist() != others[1].likeness.tolist()


def test_an_answer_has_the_codes_of_all_its_sentences(coder):
    scores = coder.score(["The battery is weak. I like the screen, but the price is too high."])
    assert (scores.likeness[0] > 0.5).all()
    assert scores.evidence[0].tolist() == [
        "The battery is weak.",
        "but the price is too high.",
        "I like the screen",
    ]


def test_the_order_of_sums_changes_no_probability():
    # A fit that stops early depends on rounding, so that machines would assign different codes.
    rng = np.random.default_rng(5)
    vectors = rng.normal(size=(300, 12))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    logits = vectors @ rng.normal(size=(12, 3)) * 4 - 1
    order = rng.permutation(300)
    first, second = CorpusModel.fit(vectors, logits), CorpusModel.fit(vectors[order], logits[order])
    adapted = [model.adapt(vectors, logits) for model in (first, second)]
    assert np.abs(adapted[0] - adapted[1]).max() < 1e-6
