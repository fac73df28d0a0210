import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.answer_consistency.meanings.entropies import (
    alphabet_size,
    cluster_entropy,
    kernel_agreement,
    neighbour_agreement,
    semantic_negentropy,
    sets_agreement,
)


def test_entropy_of_three_texts_of_which_two_mean_the_same():
    # 2/3 log 3/2 + 1/3 log 3 = log 3 - 2/3 log 2
    entropy = math.log(3) - 2 / 3 * math.log(2)
    assert cluster_entropy(np.array([2, 1])) == pytest.approx(entropy)
    assert semantic_negentropy(np.array([2, 1])) == pytest.approx(2 / 3 * math.log(2) / math.log(3))
    assert sets_agreement(np.array([2, 1])) == 0.5


def test_neighbour_agreement_of_two_texts_half_alike():
    # SNNE = -log(e + sqrt e), between -log(2e) for equal texts and -log(e + 1) for strangers.
    value = (math.log(math.e + math.sqrt(math.e)) - math.log(math.e + 1)) / (
        math.log(2 * math.e) - math.log(math.e + 1)
    )
    assert neighbour_agreement(np.array([[1, 0.5], [0.5, 1]])) == pytest.approx(value)


def binary_entropy(share):
    return -share * math.log(share) - (1 - share) * math.log(1 - share)


def test_kernel_agreement_of_two_texts_half_alike():
    # A graph of one edge of weight w has eigenvalues 0 and 2w: the kernel, divided by its trace, has the
    # shares 1 / (1 + x) and x / (1 + x) with x = exp(-2 w t).
    entropies = [binary_entropy(1 / (1 + math.exp(-2 * weight * 0.3))) for weight in (0.5, 1.0)]
    value = (math.log(2) - entropies[0]) / (math.log(2) - entropies[1])
    assert kernel_agreement(np.array([[1, 0.5], [0.5, 1]]), time=0.3) == pytest.approx(value)


def test_alphabet_size_by_the_share_that_was_seen():
    # Of 5 answers 2 have a meaning seen once: coverage 3/5, so 3 meanings seen are 3 / (3/5) = 5 in all.
    same = np.zeros((5, 5))
    same[:3, :3] = 1
    same[3, 3] = same[4, 4] = 1
    assert alphabet_size(np.array([3, 1, 1]), same) == pytest.approx(5)


def test_alphabet_size_gives_the_entropy_that_the_authors_print():
    # The example of github.com/lucasmccabe/esa: four texts in clusters 0, 0, 1, 2, entropy 1.76 by Chao and
    # Shen, minus the sum of p log p / (1 - (1 - p) ** 4) with p = shares times (meanings seen / estimated).
    size = alphabet_size(np.array([2, 1, 1]), np.eye(4))
    shares = np.array([2, 1, 1]) / 4 * 3 / size
    entropy = -(shares * np.log(shares) / (1 - (1 - shares) ** 4)).sum()
    assert round(entropy, 2) == 1.76


def test_all_different_texts_have_more_meanings_than_texts_of_which_two_agree():
    # 4 meanings of 5 texts, 3 of them seen once: 4 / (2/5) = 10. 5 of 5: 5 / (1/5) = 25.
    pair = np.eye(5)
    pair[0, 1] = pair[1, 0] = 1
    assert alphabet_size(np.array([2, 1, 1, 1]), pair) == pytest.approx(10)
    assert alphabet_size(np.ones(5, int), np.eye(5)) == pytest.approx(25)


def test_alphabet_size_by_the_graph_where_it_is_larger():
    # Two texts in one cluster by a hair, similarity 1/2: the normalised Laplacian of [[1, 1/2], [1/2, 1]]
    # has eigenvalues 0 and 2/3, so the sum of 1 - e is 1 + 1/3.
    assert alphabet_size(np.array([2]), np.array([[1, 0.5], [0.5, 1]])) == pytest.approx(4 / 3)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5).filter(lambda counts: sum(counts) > 1))
def test_agreement_lies_between_0_and_1(counts):
    labels = np.repeat(np.arange(len(counts)), counts)
    same = (labels[:, None] == labels[None, :]).astype(float)
    sizes = np.array(counts)
    assert alphabet_size(sizes, same) >= len(counts)
    for value in (
        semantic_negentropy(sizes),
        sets_agreement(sizes),
        neighbour_agreement(same),
        kernel_agreement(same),
    ):
        assert -1e-9 <= value <= 1 + 1e-9
        assert (value == pytest.approx(1, abs=1e-9)) == (len(counts) == 1)
