"""Means of texts' tokens, with and without those that stand around a text."""

import numpy as np

from semscale.matching.words import text_means, tokens_left_out


class Reader:
    """What a tokenizer adds to every text."""

    before, after = 3, 1

    def __init__(self, prefix):
        self.prefix = prefix


def test_tokens_around_a_text_are_left_out_with_a_prefix_alone():
    # A space before the text only decides how its first word is spelled.
    assert [tokens_left_out(Reader(prefix)) for prefix in ("query: ", " ", "")] == [(3, 1), (0, 0), (0, 0)]


def test_text_mean_is_the_mean_of_the_text_tokens():
    states = np.array([[8.0, 0.0], [2.0, 1.0], [4.0, 3.0], [6.0, 0.0], [1.0, 1.0], [5.0, 1.0]], np.float32)
    assert text_means(states, np.array([4, 2]), (1, 1)).tolist() == [[3.0, 2.0], [3.0, 1.0]]
    # Nothing left out: (8 + 2 + 4 + 6) / 4 and (0 + 1 + 3 + 0) / 4.
    assert text_means(states, np.array([4, 2])).tolist() == [[5.0, 1.0], [3.0, 1.0]]
