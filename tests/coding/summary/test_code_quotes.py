"""Typical and borderline answers."""

import numpy as np
import pytest

from semscale.coding.summary.code_quotes import QuoteChoice


def chosen(texts, values, given, size):
    """The quotes of one code, from parts of some size."""
    choice = QuoteChoice(["price"], np.array([0.5]))
    for start in range(0, len(texts), size):
        some = slice(start, start + size)
        choice.add(texts[some], values[some], given[some], start)
    (found,) = choice.quotes()
    return found


@pytest.mark.parametrize("size", [8, 3, 1])
def test_the_greatest_and_the_nearest_are_shown_each_text_once(size):
    texts = ["a", "a", "b", "c", "d", "e", None, "f"]
    values = np.array([0.9, 0.9, 0.8, 0.7, 0.6, 0.45, np.nan, 0.1])[:, None]
    given = np.array([1, 1, 1, 1, 1, np.nan, np.nan, 0.0])[:, None]
    found = chosen(texts, values, given, size)
    assert [quote.text for quote in found.typical] == ["a", "b", "c"]
    # nearest to .5 among the others: .45, .6, .1
    assert [(quote.row, quote.given) for quote in found.borderline] == [(6, None), (5, True), (8, False)]


def test_a_code_that_nobody_has_shows_borderline_answers_alone():
    found = chosen(["a", "b"], np.array([[0.1], [0.2]]), np.zeros((2, 1)), 1)
    assert found.typical == ()
    assert [quote.text for quote in found.borderline] == ["b", "a"]
