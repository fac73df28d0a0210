import numpy as np

from semscale.answer_consistency.scoring.floor import estimate_floor
from semscale.answer_consistency.scoring.memoized_embedder import MemoizedEmbedder
from semscale.embedding import ArrayEmbedder
from semscale.matching.cosines import Cosines

WORDS = [f"word{place}" for place in range(12)]


def crowd(angle_cosine):
    """Twelve vectors, any two of which have the same cosine: one shared axis and one of their own."""
    shared, own = np.sqrt(angle_cosine), np.sqrt(1 - angle_cosine)
    return ArrayEmbedder(WORDS, np.column_stack([np.full(12, shared), own * np.eye(12)]))


def test_the_floor_is_the_mean_cosine_of_unrelated_answers():
    floor = estimate_floor(WORDS, Cosines(crowd(0.3)), seed=0)
    assert floor.value == 0.3
    assert floor.origin.startswith("66-pairs#")  # 12 * 11 / 2
    assert floor.known


def test_the_order_of_answers_changes_nothing():
    embedder = crowd(0.3)
    assert estimate_floor(WORDS, Cosines(embedder), seed=1) == estimate_floor(
        WORDS[::-1], Cosines(embedder), seed=1
    )


def test_too_few_answers_correct_nothing_and_say_so():
    floor = estimate_floor(WORDS[:9], Cosines(crowd(0.3)), seed=0)
    assert (floor.value, floor.known) == (0.0, False)


def test_texts_that_are_kept_are_not_embedded_again(toy_embedder):
    memoized = MemoizedEmbedder(toy_embedder, capacity=2)
    first = memoized.embed(["a b", "c"])
    again = memoized.embed(["c", "d e", "a b"])
    assert toy_embedder.embedded == ["a b", "c", "d e"]
    np.testing.assert_array_equal(again.vectors[[2, 0]], first.vectors)
    memoized.embed(["d e"])  # came when there was no room left
    assert toy_embedder.embedded == ["a b", "c", "d e", "d e"]
    assert memoized.signature == toy_embedder.signature
