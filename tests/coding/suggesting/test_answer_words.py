"""Words and pieces of answers."""

from collections import Counter

import pytest

from semscale.coding.suggesting.answer_words import are_pieces, is_piece, overlaps, without_parts, words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's GREAT, 100 % of it", {"great"}),
        ("가격이 비싸요", {"가격이", "비싸요"}),
        ("가격 100", {"가격"}),
        ("値段が高い", {"値段"}),
        ("wifi很慢", {"wifi", "很慢"}),
        ("แพง", {"แพง"}),
    ],
)
def test_words(text, words):
    assert words_in(text) == words


def test_every_run_of_two_to_four_ideographs_is_a_piece():
    # of five characters: four of two, three of three, two of four
    assert len(words_in("电池很不好")) == 9


def test_a_piece_that_mostly_stands_in_a_longer_one_is_left_out():
    assert without_parts(Counter({"ab": 2, "a": 2, "电池": 10, "电池坏": 7, "屏幕": 4, "屏幕碎": 4})) == {
        "ab", "a", "电池", "电池坏", "屏幕碎",
    }  # fmt: skip


def test_pieces_overlap_and_words_do_not():
    assert overlaps("池坏", ["电池坏"])
    assert not overlaps("电器", ["电池"])
    assert not overlaps("price", ["prices"])


def test_pieces_are_told_from_words():
    assert is_piece("バッテリー")
    assert not is_piece("가격이")
    assert are_pieces([("price",), ("电池",)])
    assert not are_pieces([("price",), ()])
