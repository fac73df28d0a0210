"""Examples of a cluster."""

import numpy as np
import pytest

from semscale.coding.suggesting.typical_examples import typical_examples


def unlike(*rows):
    """Vectors by kind: the cosine of different kinds is 0.5, of the same one 1."""
    return np.sqrt(0.5) * np.column_stack([np.ones(len(rows)), np.eye(max(rows) + 1)[list(rows)]])


def test_answers_that_nearly_repeat_another_are_not_taken():
    # Ten answers of one kind lie nearest. 15 answers: (45 * 1 + 60 * 0.5) / 105 = 0.71 is the mean cosine of
    # two, so from 0.86 on they nearly repeat each other.
    kinds = [0] * 10 + [1, 2, 3, 4, 5]
    found = typical_examples([str(n) for n in range(15)], unlike(*kinds), np.linspace(0.9, 0.5, 15))
    assert found == ("0", "10", "11", "12", "13")


def test_repeats_are_taken_where_others_are_lacking():
    found = typical_examples(["a", "b", "c", "d"], unlike(0, 0, 0, 1), np.array([0.9, 0.8, 0.7, 0.6]))
    assert found == ("a", "d", "b", "c")


def test_answers_that_differ_come_by_their_nearness():
    found = typical_examples([*"abcdef"], unlike(*range(6)), np.array([0.1, 0.9, 0.3, 0.8, 0.5, 0.6]))
    assert found == tuple("bdfec")


def test_long_answers_are_taken_only_where_there_are_no_short_ones():
    texts, vectors, nearness = ["a" * 301, "short", "b" * 301], unlike(0, 1, 2), np.array([0.9, 0.8, 0.7])
    assert typical_examples(texts, vectors, nearness) == ("short",)
    assert typical_examples(texts[::2], vectors[::2], nearness[::2]) == (texts[0], texts[2])


@pytest.mark.parametrize("n", [1, 2])
def test_small_clusters_give_all_their_answers(n):
    texts = [*"ab"][:n]
    assert typical_examples(texts, unlike(*range(n)), np.array([0.9, 0.8])[:n]) == tuple(texts)
