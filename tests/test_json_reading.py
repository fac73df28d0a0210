"""All mistakes in JSON raise one kind of error, with their position."""

import json
import sys

import pytest

from semscale.json_reading import encodable, parse_json


def test_json_values_are_parsed():
    assert parse_json('{"a": [1, -2.5, null, true, "x"]}') == {"a": [1, -2.5, None, True, "x"]}
    assert parse_json("NaN") != parse_json("NaN")


def test_the_longest_whole_number_is_a_float_too():
    # 308 digits reach 9.99e307, and the largest float is 1.797e308.
    assert parse_json("9" * 308) < sys.float_info.max
    assert parse_json("-" + "9" * 308) > -sys.float_info.max


@pytest.mark.parametrize("digits", [309, 5000])  # Python itself refuses to read more than 4,300
def test_a_longer_number_is_refused_with_its_position(digits):
    with pytest.raises(json.JSONDecodeError, match="more than 308 digits: line 2 column 8") as caught:
        parse_json('{"a": 1,\n "b": -' + "9" * digits + "}")
    assert caught.value.lineno == 2


def test_digits_in_a_text_are_no_number():
    assert parse_json(f'"{"9" * 5000}"') == "9" * 5000


@pytest.mark.parametrize("levels", [101, 900, 100_000])  # from about 990 on, Python's own reader fails
def test_too_many_levels_are_refused_with_their_position(levels):
    with pytest.raises(json.JSONDecodeError, match="more than 100 levels") as caught:
        parse_json("[" * levels + "]" * levels)
    assert caught.value.pos == 100


def test_a_hundred_levels_and_brackets_in_texts_are_read():
    deep = "[" * 100 + "]" * 100
    assert json.dumps(parse_json(deep)) == deep
    assert parse_json(json.dumps(["[{" * 200])) == ["[{" * 200]
    assert len(parse_json(json.dumps([[]] * 1000))) == 1000


def test_unpaired_surrogates_are_replaced_and_pairs_stay():
    assert encodable("a\ud83db") == "a\ufffdb"
    assert encodable("a😀") == "a😀"
