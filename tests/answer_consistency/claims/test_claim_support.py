import math

import numpy as np

from semscale.answer_consistency.claims.claim_support import ClaimJudge, Support
from semscale.matching.entailment.probabilities import Entailments
from semscale.signature import Signature

CLAIM = "The shop is open on Sunday."


def test_of_two_sentences_the_nearer_one_decides():
    judge = ClaimJudge()
    texts = [
        ["The shop is not open on Sunday.", "The shop is open on Sunday."],
        ["The shop is not open on Sunday."],
    ]
    supported, contradicted = judge.judge([CLAIM, CLAIM], texts)
    assert (supported.verdict, supported.text) == (Support.SUPPORTED, 1)
    assert contradicted.verdict is Support.CONTRADICTED
    assert "not open" in contradicted.reason


def test_without_a_sentence_nothing_is_found():
    verdict = ClaimJudge().judge([CLAIM], [[]])[0]
    assert verdict.verdict is Support.NOT_FOUND
    assert math.isnan(verdict.score)
    assert verdict.sentence is None


def test_no_claims_are_no_verdicts():
    assert ClaimJudge().judge([], []) == []


def test_the_signature_has_the_bounds():
    assert "supports:0.6|related:0.3" in str(ClaimJudge().signature)


def test_a_sentence_that_swaps_who_and_whom_or_all_and_some_does_not_support():
    claims = ["A man bit a dog.", "All patients recovered within a week.", "The man was bitten by a dog."]
    texts = [["A dog bit a man."], ["Some patients recovered within a week."], ["A dog bit a man."]]
    found = ClaimJudge().judge(claims, texts)
    assert [one.verdict for one in found] == [Support.NOT_FOUND, Support.NOT_FOUND, Support.SUPPORTED]
    assert found[0].reason.startswith("Who and whom are exchanged: the claim says")
    assert found[1].reason.startswith("The texts speak of another share: the claim says")
    assert found[2].reason is None


def test_what_guards_find_in_an_unrelated_sentence_is_no_reason():
    found = ClaimJudge().judge(["All users like the app."], [["Some bread is baked every day."]])[0]
    assert (found.verdict, found.reason) == (Support.NOT_FOUND, None)


def test_the_nearest_sentence_is_named_though_a_guard_lowered_its_score():
    texts = [["A man was seen in town.", "A dog bit a man."]]
    found = ClaimJudge().judge(["A man bit a dog."], texts)[0]
    assert found.sentence == "A dog bit a man."


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
