"""Which words are marked: those without a near token on the other side, and those that guards name."""

import numpy as np

from semscale.guards.findings import Finding, Span
from semscale.matching.token_scores import ExplainedSide, Explanation, GreedyScore
from semscale.signature import Signature
from semscale.snapshots.fixture import mark_words


def side(text, *tokens):
    """A text whose tokens are (start, end, cosine with the nearest token)."""
    spans = [(0, 0, 0.1), *tokens, (0, 0, 0.1)]  # special tokens, which are no words
    n = len(spans)
    return ExplainedSide(
        text=text,
        pieces=("",) * n,
        offsets=np.array([span[:2] for span in spans]),
        match=np.zeros(n, np.int64),
        similarity=np.array([span[2] for span in spans]),
        weight=np.full(n, 1 / n),
    )


def explanation(now, approved):
    return Explanation(
        now, approved, np.zeros((1, 1), np.float32), GreedyScore(0, 0, 0), 1, Signature.of("bertscore")
    )


def test_unmatched_tokens_are_marked_inside_their_punctuation():
    approved = side('Say "yes", please.', (0, 3, 0.9), (4, 5, 0.2), (5, 8, 0.3), (11, 17, 0.6), (17, 18, 0.1))
    now = side("Say no.", (0, 3, 0.9), (4, 6, 0.59), (6, 7, 0.9))
    left, right = mark_words(explanation(now, approved), [])
    assert (left.text, left.alone) == ('Say "[-yes-]", please.', (("yes", 0.3),))
    assert (right.text, right.alone) == ("Say {+no+}.", (("no", 0.59),))


def test_a_word_of_several_tokens_has_their_mean():
    approved = side("mitochondria move", (0, 4, 0.2), (4, 12, 0.8), (13, 17, 0.9))  # (.2 + .8) / 2 = .5
    left, _ = mark_words(explanation(side("x", (0, 1, 0.9)), approved), [])
    assert left.alone == (("mitochondria", 0.5),)


def test_what_a_guard_names_is_marked_although_it_has_a_partner():
    approved = side("It has 23 of them.", (0, 2, 1.0), (3, 6, 1.0), (7, 9, 0.9), (10, 12, 1.0), (13, 17, 1.0))
    now = side("It has 32 of them.", (0, 2, 1.0), (3, 6, 1.0), (7, 9, 0.9), (10, 12, 1.0), (13, 17, 1.0))
    finding = Finding("number", "other-value", "32, not 23.", Span(7, 9, "32"), Span(7, 9, "23"))
    left, right = mark_words(explanation(now, approved), [finding])
    assert (left.text, left.alone) == ("It has [-23-] of them.", ())
    assert (right.text, right.alone) == ("It has {+32+} of them.", ())
