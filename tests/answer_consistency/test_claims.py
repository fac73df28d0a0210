"""Claims: sentences, verdicts, groundedness and agreement of samples."""

import math

import numpy as np
import pytest

from semscale.answer_consistency.claims import (
    ClaimConsistency,
    ClaimJudge,
    Groundedness,
    Support,
    claim_consistency,
    groundedness,
    sentence_claims,
)
from semscale.errors import InputError
from semscale.matching.entailment import Entailments
from semscale.signature import Signature


def test_sentences_without_a_letter_or_digit_are_no_claims():
    assert sentence_claims("It is tall. ??? !!!") == ["It is tall."]
    assert sentence_claims("...") == []
    assert sentence_claims(7) == []


CLAIM = "The shop is open on Sunday."


def test_the_nearer_of_two_sentences_decides():
    judge = ClaimJudge()
    texts = [
        ["The shop is not open on Sunday.", "The shop is open on Sunday."],
        ["The shop is not open on Sunday."],
    ]
    supported, contradicted = judge.judge([CLAIM, CLAIM], texts)
    assert (supported.verdict, supported.text) == (Support.SUPPORTED, 1)
    assert contradicted.verdict is Support.CONTRADICTED
    assert "not open" in contradicted.reason


def test_a_claim_without_sentences_is_unsupported():
    verdict = ClaimJudge().judge([CLAIM], [[]])[0]
    assert verdict.verdict is Support.NOT_FOUND
    assert math.isnan(verdict.score)
    assert verdict.sentence is None


def test_no_claims_are_no_verdicts():
    assert ClaimJudge().judge([], []) == []


def test_the_signature_has_the_bounds():
    assert "supports:0.6|related:0.3" in str(ClaimJudge().signature)


def test_a_sentence_with_exchanged_subject_or_quantifier_does_not_support():
    claims = ["A man bit a dog.", "All patients recovered within a week.", "The man was bitten by a dog."]
    texts = [["A dog bit a man."], ["Some patients recovered within a week."], ["A dog bit a man."]]
    result = ClaimJudge().judge(claims, texts)
    assert [item.verdict for item in result] == [Support.NOT_FOUND, Support.NOT_FOUND, Support.SUPPORTED]
    assert result[0].reason.startswith("Subject and object are exchanged: the claim says")
    assert result[1].reason.startswith("The texts state different shares: the claim says")
    assert result[2].reason is None


def test_guard_findings_in_an_unrelated_sentence_are_no_reason():
    result = ClaimJudge().judge(["All users like the app."], [["Some bread is baked every day."]])[0]
    assert (result.verdict, result.reason) == (Support.NOT_FOUND, None)


def test_the_nearest_sentence_is_named_though_a_guard_lowered_its_score():
    texts = [["A man was seen in town.", "A dog bit a man."]]
    result = ClaimJudge().judge(["A man bit a dog."], texts)[0]
    assert result.sentence == "A dog bit a man."


class UnreadGerman:
    """Calls every pair entailed with .75; pairs with a sentence of "ist" cannot be read."""

    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.tile([0.75, 0.25, 0.0], (len(premises), 1))

    def entailments(self, premises, hypotheses):
        unread = np.array([" ist " in text for text in premises])
        return Entailments(self.probabilities(premises, hypotheses), np.zeros(len(unread), bool), unread)


def test_sentences_that_the_model_cannot_read_decide_nothing():
    texts = [["Der Laden ist offen."], ["Der Laden ist offen.", "The shop is open."]]
    unread, supported = ClaimJudge(nli=UnreadGerman()).judge([CLAIM, CLAIM], texts)
    assert unread.verdict is Support.UNREAD
    assert math.isnan(unread.score)
    assert (supported.verdict, supported.score, supported.text) == (Support.SUPPORTED, 0.75, 1)


PASSAGE = "The Eiffel tower stands in Paris and was built in 1889."


class Table:
    """A made-up entailment model: probabilities by premise and hypothesis; other pairs are neutral."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self, **known):
        self.known, self.calls = known, 0

    def probabilities(self, premises, hypotheses):
        self.calls += 1
        pairs = zip(premises, hypotheses, strict=True)
        return np.array([self.known.get(f"{a}{b}".strip("."), (0.0, 1.0, 0.0)) for a, b in pairs])


def test_claims_name_their_verdict_and_the_deciding_sentence():
    answer = "The tower is in Paris. It was built in 1920. It is 330 metres tall."
    result = groundedness([answer], [["Bread is baked every day. " + PASSAGE]])
    assert [item.verdict for item in result.claims[0]] == ["supported", "contradicted", "not-found"]
    assert result.score.tolist() == [pytest.approx(1 / 3)]
    assert {item.sentence for item in result.claims[0][:2]} == {PASSAGE}
    assert result.claims[0][1].reason == 'The claim says "1920", the sentence "1889".'
    assert [claim.claim for _, claim, _ in result.worst(2)] == [
        "It was built in 1920.",
        "It is 330 metres tall.",
    ]


def test_unusable_answers_have_a_status_and_no_score():
    result = groundedness([None, " ", "It is tall.", 7], [[PASSAGE], [PASSAGE], ["", None], [PASSAGE]])
    assert [str(item) for item in result.status] == ["missing", "empty", "no-reference", "not-text"]
    assert np.isnan(result.score).all()
    assert result.claims == ((), (), (), ())
    assert result.to_frame()["supported"].to_list() == [None] * 4


@pytest.mark.parametrize("answer", ["I can't help with that.", "N/A", "I don't know."])
def test_an_answer_that_declines_is_refused_and_pulls_no_mean_down(answer):
    result = groundedness([answer, "The tower is in Paris."], [[PASSAGE]] * 2)
    assert [str(item) for item in result.status] == ["refused", "scored"]
    assert np.isnan(result.score[0])
    assert result.estimate().overall.mean.value == 1.0
    assert [str(item) for item in claim_consistency([answer], [[PASSAGE]]).status] == ["refused"]


def test_replies_and_list_markers_are_not_claims():
    result = groundedness(["Yes. No. OK.", "Yes, it does:\n- It stands in Paris."], [[PASSAGE]] * 2)
    assert [str(item) for item in result.status] == ["weightless", "scored"]
    assert [item.claim for item in result.claims[1]] == ["Yes, it does:", "It stands in Paris."]


def test_an_entailment_model_decides_in_a_single_call():
    # The first passage entails "red"; the second one contradicts "big" more than the first entails it.
    model = Table(ared=(0.9, 0.1, 0.0), abig=(0.6, 0.4, 0.0), bbig=(0.0, 0.2, 0.8), bold=(0.4, 0.5, 0.1))
    result = groundedness(["red. big. old."], [["a", "b"]], nli=model)
    assert [item.verdict for item in result.claims[0]] == ["supported", "contradicted", "not-found"]
    assert [(item.sentence, item.text) for item in result.claims[0]] == [("a", 0), ("b", 1), ("b", 1)]
    assert model.calls == 1
    assert "|groundedness|" in str(result.signature)
    assert "model:made-up" in str(result.signature)


def test_claims_are_judged_by_all_samples_and_the_worst_come_first():
    # red: entailed .9 and .5, mean .7; big: .8 by the first sample, contradicted by the second, a tenth of 0.
    model = Table(ared=(0.9, 0.1, 0.0), bred=(0.5, 0.5, 0.0), abig=(0.8, 0.2, 0.0), bbig=(0.0, 0.1, 0.9))
    result = claim_consistency(["red. big."], [["a", "b", ""]], nli=model)
    assert "|claim-consistency|contradicted:0.1|" in str(result.signature)
    assert result.values[0] == pytest.approx((0.7, 0.4))
    assert result.score.tolist() == [pytest.approx(0.55)]
    answer, claim, value = result.worst(1)[0]
    assert (answer, claim.claim, claim.verdict, value) == (
        0,
        "big.",
        Support.CONTRADICTED,
        pytest.approx(0.4),
    )


def test_a_contradicting_sample_decides_over_a_weaker_supporting_sample():
    # "a" supports the claim by .02; "b" contradicts it, and counts a tenth of .4: the mean is .03.
    model = Table(ared=(0.02, 0.98, 0.0), bred=(0.4, 0.0, 0.6))
    result = claim_consistency(["red."], [[None, "a", "b"]], nli=model)
    (claim,) = result.claims[0]
    assert (claim.verdict, claim.sentence) == (Support.CONTRADICTED, "b")
    assert result.values[0] == (pytest.approx(0.03),)


def test_the_index_of_the_deciding_text_counts_all_texts():
    model = Table(bred=(0.9, 0.1, 0.0))
    assert claim_consistency(["red."], [[None, " ", "b"]], nli=model).claims[0][0].text == 2
    grounded = groundedness(["red."], [[None, "b"]], nli=model)
    assert grounded.claims[0][0].text == 1
    assert grounded.to_frame()["claims"][0][0]["text"] == 2  # tables count from 1


def test_samples_that_decline_are_passed_over():
    model = Table(bred=(0.9, 0.1, 0.0))
    result = claim_consistency(["red."] * 2, [["I can't help with that.", "b"], ["N/A"]], nli=model)
    assert result.values[0] == (pytest.approx(0.9),)
    assert [str(item) for item in result.status] == ["scored", "too-few-samples"]


def test_an_answer_has_a_share_of_supported_claims_and_a_lowest_claim():
    # red: .9 and .8; big: .9 and, not found in the second sample, .2.
    model = Table(ared=(0.9, 0.1, 0.0), bred=(0.8, 0.2, 0.0), abig=(0.9, 0.1, 0.0), bbig=(0.2, 0.8, 0.0))
    result = claim_consistency(["red. big.", None], [["a", "b"], ["a"]], nli=model)
    assert result.supported_share().tolist() == [0.5, pytest.approx(np.nan, nan_ok=True)]
    assert result.lowest() == [("big.", pytest.approx(0.55)), None]


def test_a_long_answer_without_samples_has_no_score():
    result = claim_consistency(["It is tall.", "It is tall."], [[], ["", None]])
    assert [str(item) for item in result.status] == ["too-few-samples"] * 2


def test_passages_that_are_no_list_are_refused():
    with pytest.raises(InputError, match="must hold a list of texts"):
        groundedness(["It is tall."], ["The tower is tall."])


@pytest.mark.parametrize(
    ("passages", "message"),
    [
        (
            ["The tower is tall."],
            r"passages must hold a list of texts for each answer, got 'The tower is tall.'",
        ),
        (
            [["a"], ["b"]],
            "answers and passages must have equal lengths, got 1 answers and 2 lists of",
        ),
        (None, "passages must be a list"),
    ],
)
def test_messages_speak_of_passages(passages, message):
    with pytest.raises(InputError, match=message):
        Groundedness().judge(["It is tall."], passages)


@pytest.mark.parametrize("kind", [Groundedness, ClaimConsistency])
def test_a_corpus_must_be_a_list_of_texts(kind):
    for corpus, message in (("abc", "corpus must be a list"), ([None], "at least one text")):
        with pytest.raises(InputError, match=message):
            kind(corpus=corpus)


def test_with_a_corpus_other_texts_of_the_call_change_no_value():
    tool = ClaimConsistency(
        corpus=["The tower is tall.", "Bread is baked every day.", "It was built in 1889."]
    )
    alone = tool.measure(["The tower is high."], [["The tower is tall."]])
    among = tool.measure(
        ["The tower is high.", "Bread rises."], [["The tower is tall."], ["Bread is baked."]]
    )
    assert among.score[0] == pytest.approx(alone.score[0], abs=1e-6)
