from itertools import combinations

import numpy as np
import pytest

from semscale.errors import InputError
from semscale.matching.pairs import corpus_hash, draw_unrelated_pairs


@pytest.mark.parametrize("m", [2, 3, 7, 40])
def test_asking_for_many_gives_every_pair_once(m):
    texts = [f"{number:03}" for number in range(m)]
    drawn = draw_unrelated_pairs(texts, n=10**6, seed=0)
    assert sorted(map(tuple, drawn.tolist())) == list(combinations(range(m), 2))


def test_the_draw_does_not_depend_on_the_order_of_the_texts():
    texts = [f"text {number}" for number in range(30)]
    there = {frozenset(texts[row] for row in pair) for pair in draw_unrelated_pairs(texts, 20, seed=3)}
    back = texts[::-1]
    assert there == {frozenset(back[row] for row in pair) for pair in draw_unrelated_pairs(back, 20, seed=3)}
    assert len(there) == 20


def test_another_seed_draws_other_pairs():
    texts = [f"text {number}" for number in range(100)]
    assert draw_unrelated_pairs(texts, 50, 0).tolist() != draw_unrelated_pairs(texts, 50, 1).tolist()


def test_a_million_texts_need_no_list_of_all_pairs():
    drawn = draw_unrelated_pairs(list(map(str, range(10**6))), 100, seed=0)
    assert drawn.shape == (100, 2)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    assert np.ptp(drawn) > 5 * 10**5  # from all over the texts


def test_single_text_has_no_unrelated_pairs():
    with pytest.raises(InputError, match="at least 2 different texts .* got 1"):
        draw_unrelated_pairs(["a"], 5, seed=0)


def test_the_hash_sees_texts_and_how_often_they_occur_but_not_their_order():
    assert corpus_hash(["a", "b", "a"]) == corpus_hash(["a", "a", "b"]) != corpus_hash(["a", "b"])
    assert corpus_hash(["ab", "c"]) != corpus_hash(["a", "bc"])
