"""Typical and borderline answers."""

import numpy as np

from semscale.coding.summary.code_quotes import code_quotes


def test_the_greatest_and_the_nearest_are_shown_each_text_once():
    texts = ["a", "a", "b", "c", "d", "e", None, "f"]
    values = np.array([0.9, 0.9, 0.8, 0.7, 0.6, 0.45, np.nan, 0.1])[:, None]
    given = np.array([1, 1, 1, 1, 1, np.nan, np.nan, 0.0])[:, None]
    (found,) = code_quotes(texts, values, given, ["price"], np.array([0.5]))
    assert [quote.text for quote in found.typical] == ["a", "b", "c"]
    # nearest to .5 among the others: .45, .6, .1
    assert [(quote.row, quote.given) for quote in found.borderline] == [(6, None), (5, True), (8, False)]


def test_a_code_that_nobody_has_shows_borderline_answers_alone():
    (found,) = code_quotes(["a", "b"], np.array([[0.1], [0.2]]), np.zeros((2, 1)), ["x"], np.array([0.5]))
    assert found.typical == ()
    assert [quote.text for quote in found.borderline] == ["b", "a"]
