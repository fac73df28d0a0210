"""Style of texts: length, sentences, punctuation, capitals and digits."""

import numpy as np
import pytest

from semscale.rating.text_style import N_STYLES, text_styles


def test_each_measure_counts_what_it_names():
    # 19 characters, 5 words, 2 sentences, a question and an exclamation mark, 4 capitals, a digit.
    (row,) = text_styles(["Why NO? It costs 5!"])
    assert row[0] == pytest.approx(np.log(19))
    assert row[1] == pytest.approx(2 * np.log(19 / 5))
    assert row[2] == pytest.approx(np.log(5 / 2))
    assert row[3:5].tolist() == [1, 1]  # one in two sentences, times 2
    assert row[5] == pytest.approx(6 * np.sqrt(4 / 19))
    assert row[6] == pytest.approx(6 * np.sqrt(1 / 19))
    assert row[7] == pytest.approx(6 * np.sqrt(2 / 19))


def test_marks_beyond_one_per_sentence_do_not_count():
    assert text_styles(["No!!!"])[0, 4] == text_styles(["No!"])[0, 4] == 2


def test_texts_without_words_have_finite_measures():
    assert np.isfinite(text_styles(["", " ", "5", "?!", "\n", "你好。", "سؤال؟"])).all()
    assert text_styles([]).shape == (0, N_STYLES)


def test_marks_of_other_scripts_count():
    assert text_styles(["好吗？"])[0, 3] == text_styles(["سؤال؟"])[0, 3] == 2
    assert text_styles(["好！"])[0, 4] == 2
