"""Words typical of clusters."""

from collections import Counter

import numpy as np
import pytest

from semscale.coding.suggesting import (
    is_fragment,
    overlaps,
    terms_in,
    typical_terms,
    without_parts,
)


def test_terms_in_all_answers_are_typical_of_none():
    texts = [f"the battery is {word}" for word in ["good", "bad", "new", "old"]]
    texts += [f"the price is {word}" for word in ["good", "bad", "new", "old"]]
    terms = typical_terms(texts, np.repeat([0, 1], 4), 2)
    assert terms[0][0] == "battery"
    assert terms[1][0] == "price"
    assert "the" not in terms[0] + terms[1]


def test_a_term_in_a_single_answer_is_typical_of_nothing():
    terms = typical_terms(["unique battery", "battery", "price", "price"], np.array([0, 0, 1, 1]), 2)
    assert terms == [("battery",), ("price",)]


def test_letters_of_any_script_count_and_numbers_do_not():
    texts = ["батарея 2024", "батарея 2024", "цена 2024", "цена 2024"]
    assert typical_terms(texts, np.array([0, 0, 1, 1]), 2) == [("батарея",), ("цена",)]


def test_answers_without_terms_have_none():
    assert typical_terms(["ok", "no"], np.array([0, 1]), 2) == [(), ()]


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
def test_languages_without_spaces_have_terms_too(first, second, expected):
    terms = typical_terms([*first, *second], np.array([0, 0, 0, 1, 1, 1]), 2)
    assert [some[0] for some in terms] == expected


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
