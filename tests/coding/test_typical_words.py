"""Words typical of groups of texts."""

from collections import Counter

import numpy as np
import pytest

from semscale.coding.typical_words import (
    Vocabulary,
    is_fragment,
    name_of,
    overlaps,
    terms_in,
    without_parts,
    written_forms,
)


def most_typical(texts, labels, language="en"):
    """Return the word with the highest score of each group; ``None`` if no word is typical."""
    vocabulary = Vocabulary.from_texts(texts, language)
    scores = vocabulary.scores(np.array(labels), max(labels) + 1)
    return [vocabulary.words[row.argmax()] if row.size and row.max() > 0 else None for row in scores]


def test_words_in_all_texts_are_typical_of_none():
    rest = ["good", "bad", "new", "old"]
    texts = [f"the {thing} broke {word}" for thing in ("battery", "price") for word in rest]
    assert most_typical(texts, [0] * 4 + [1] * 4) == ["battery", "price"]


def test_a_word_of_two_texts_is_in_no_vocabulary():
    vocabulary = Vocabulary.from_texts(["unique battery", "unique battery", "battery"], "en")
    assert vocabulary.words == ("battery",)


def test_function_words_are_in_no_vocabulary():
    assert Vocabulary.from_texts(["would they pay"] * 3, "en").words == ("pay",)
    assert Vocabulary.from_texts(["wir haben Hunger"] * 3, "de").words == ("hunger",)


def test_scores_are_log_odds_by_their_standard_error():
    # 'price' is in 3 texts of group 0 and in none of group 1; 'food' is in 0 and 3. With the prior
    # .01 * 3 + .01 = .04 the odds of 'price' are 3.04 / .04 = 76 inside and 1 / 76 outside.
    vocabulary = Vocabulary.from_texts(["price"] * 3 + ["food"] * 3, "en")
    scores = vocabulary.scores(np.repeat([0, 1], 3), 2)
    expected = 2 * np.log(76) / np.sqrt(1 / 3.04 + 1 / 0.04)
    column = vocabulary.words.index("price")
    assert scores[0, column] == pytest.approx(expected)
    assert scores[1, column] == 0


def test_texts_without_a_group_are_not_counted():
    vocabulary = Vocabulary.from_texts(["price"] * 6 + ["food"] * 3, "en")
    some = vocabulary.scores(np.array([0, 0, 0, -1, -1, -1, 1, 1, 1]), 2)
    all_three = Vocabulary.from_texts(["price"] * 3 + ["food"] * 3, "en")
    assert sorted(some.ravel()) == pytest.approx(sorted(all_three.scores(np.repeat([0, 1], 3), 2).ravel()))


def test_letters_of_any_script_count_and_numbers_do_not():
    assert most_typical(["батарея 2024"] * 3 + ["цена 2024"] * 3, [0] * 3 + [1] * 3) == ["батарея", "цена"]


def test_texts_without_words_have_none():
    assert most_typical(["ok", "no"] * 3, [0, 1] * 3) == [None, None]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (
            ["电池很快没电", "电池不耐用", "电池充电慢"],
            ["价格太贵", "价格有点高", "价格实惠"],
            ["电池", "价格"],
        ),
        (
            ["バッテリーが切れる", "バッテリーが持たない", "すぐバッテリーが減る"],
            ["値段が高い", "値段が安くない", "もう少し値段が安ければ"],
            ["バッテリー", "値段"],
        ),
    ],
)
def test_languages_without_spaces_have_words_too(first, second, expected):
    assert most_typical([*first, *second], [0, 0, 0, 1, 1, 1], "zh") == expected


def test_words_are_written_as_people_write_them_within_a_text():
    texts = ["Staff was rude", "the WiFi is slow", "no WiFi", "the wifi", "the staff", "NOTHING WORKED"]
    forms = written_forms(texts)
    assert (forms["wifi"], forms["staff"]) == ("WiFi", "staff")
    assert "worked" not in forms  # shouted


@pytest.mark.parametrize(
    ("texts", "words", "scores", "expected"),
    [
        (["soft drinks", "soft drinks", "soft drinks"], ["drinks", "soft"], [9, 5], "soft drinks"),
        (["soft drinks", "drinks", "soft"], ["drinks", "soft"], [9, 5], "drinks / soft"),
        (["drinks"], ["drinks", "drink", "wine"], [9, 8, 5], "drinks / wine"),
        (["drinks"], ["drinks", "wine"], [9, 4], "drinks"),
        (["das Essen"], ["Essen"], [9], "Essen"),
    ],
)
def test_names_have_one_to_three_words(texts, words, scores, expected):
    assert name_of(texts, words, scores) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's GREAT, 100 % of it", {"great"}),
        ("가격이 비싸요", {"가격이", "비싸요"}),
        ("가격 100", {"가격"}),
        ("値段が高い", {"値段"}),
        ("wifi很慢", {"wifi", "很慢"}),
        ("แพง", {"แพง"}),
    ],
)
def test_terms_of_a_text(text, expected):
    assert terms_in(text) == expected


def test_every_run_of_two_to_four_ideographs_is_a_piece():
    # of five characters: four of two, three of three, two of four
    assert len(terms_in("电池很不好")) == 9


def test_a_piece_that_is_mostly_part_of_a_longer_piece_is_left_out():
    assert without_parts(Counter({"ab": 2, "a": 2, "电池": 10, "电池坏": 7, "屏幕": 4, "屏幕碎": 4})) == {
        "ab", "a", "电池", "电池坏", "屏幕碎",
    }  # fmt: skip


def test_pieces_overlap_and_terms_with_spaces_do_not():
    assert overlaps("池坏", ["电池坏"])
    assert not overlaps("电器", ["电池"])
    assert not overlaps("price", ["prices"])


def test_pieces_are_distinguished_from_terms_with_spaces():
    assert is_fragment("バッテリー")
    assert not is_fragment("가격이")
