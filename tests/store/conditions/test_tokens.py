"""Tokens of conditions: numbers, texts, names with spaces, and what cannot be read."""

import pytest

from semscale.errors import InputError
from semscale.store.conditions.tokens import tokens_of


def kinds(condition):
    return [(token.kind, token.text) for token in tokens_of(condition)[:-1]]


def test_every_kind_of_token_is_told_apart():
    assert kinds("\"home land\" <> 'O''Neil' and `a b`=-1.5e3") == [
        ("name", "home land"), ("sign", "<>"), ("text", "O'Neil"), ("word", "and"), ("name", "a b"),
        ("sign", "="), ("number", "-1.5e3"),
    ]  # fmt: skip


def test_a_code_with_brackets_is_one_word():
    assert kinds("Q1[SQ001] = 'Y'")[0] == ("word", "Q1[SQ001]")


def test_places_point_at_the_first_character():
    assert [token.place for token in tokens_of("a  = 'b'")] == [0, 3, 5, 8]


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("a = 'open", r"a quotation mark is never closed: \"'open\"; close it"),
        ("a ; drop", "'; drop' cannot be read; write conditions such as age >= 18"),
        ("a = 12abc", "'12abc' cannot be read"),
    ],
)
def test_what_is_no_token_is_refused(condition, said):
    with pytest.raises(InputError, match=f"^where: {said}"):
        tokens_of(condition)
