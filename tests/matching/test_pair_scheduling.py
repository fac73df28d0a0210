"""Every pair is scored once, a text is there when it is needed, and memory keeps its bound."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from semscale.matching.cosines import plan_steps, scoring_order


def walk(prediction, reference, lengths, fresh_tokens, kept_tokens):
    """Follow the steps; return the pairs in order, and how often each text was encoded."""
    there, scored, encoded = set(), [], []
    plan = plan_steps(prediction, reference, lengths, fresh_tokens=fresh_tokens, kept_tokens=kept_tokens)
    for step in plan:
        fresh = step.fresh.tolist()
        assert not there & set(fresh)
        assert len(step.pairs) == 1 or sum(lengths[fresh]) <= fresh_tokens
        there |= set(fresh)
        encoded += fresh
        scored += step.pairs.tolist()
        for pair in step.pairs:
            assert {prediction[pair], reference[pair]} <= there
        there -= set(step.dropped.tolist())
        assert sum(lengths[list(there)]) <= kept_tokens
    assert not there
    return scored, encoded


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40),
    st.integers(1, 60),
    st.integers(0, 60),
)
def test_every_pair_is_scored_once_with_both_texts_there(pairs, fresh_tokens, kept_tokens):
    prediction, reference = np.array(pairs, np.int64).reshape(-1, 2).T
    lengths = np.arange(3, 13)
    scored, _ = walk(prediction, reference, lengths, fresh_tokens, kept_tokens)
    assert sorted(scored) == list(range(len(pairs)))


def test_with_room_enough_every_text_is_encoded_once():
    rng = np.random.default_rng(0)
    prediction, reference = rng.integers(0, 50, (2, 400))
    _, encoded = walk(prediction, reference, np.full(50, 10), 60, 500)
    assert sorted(encoded) == sorted(set(prediction) | set(reference))


def test_pairs_that_share_a_text_stand_together():
    # Text 0 meets 1, 2 and 3; text 4 meets 5; they come interleaved.
    order = scoring_order(np.array([0, 4, 2, 0]), np.array([1, 5, 0, 3]))
    assert order.tolist() == [0, 2, 3, 1]


def test_state_needed_soonest_stays_in_memory():
    # Text 0 is used by pairs 0, 1 and 4, text 9 by pairs 2 and 3 only: with room for one text between steps
    # each of the two is encoded once, as its pairs come together.
    _, encoded = walk(
        np.array([0, 0, 9, 9, 0]), np.array([1, 2, 3, 4, 5]), np.full(10, 1), fresh_tokens=2, kept_tokens=1
    )
    assert encoded.count(0) == encoded.count(9) == 1
