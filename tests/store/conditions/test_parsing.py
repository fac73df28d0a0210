"""Conditions as trees: what binds closest, what is short for something else, and where reading stops."""

import pytest

from semscale.errors import InputError
from semscale.store.conditions.parsing import (
    ColumnComparison,
    Conjunction,
    Disjunction,
    IsMissing,
    Negation,
    columns_of,
    parse_condition,
)

A, B, C = (ColumnComparison(name, "=", (1.0,)) for name in "abc")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = 1 or b = 1 and c = 1", Disjunction(A, Conjunction(B, C))),
        ("(a = 1 or b = 1) and c = 1", Conjunction(Disjunction(A, B), C)),
        ("NOT a == 1 And b = 1", Conjunction(Negation(A), B)),
        ("a <> 'x'", ColumnComparison("a", "!=", ("x",))),
        ("a in (1, 'x', true)", ColumnComparison("a", "in", (1.0, "x", True))),
        ("a not in (1)", Negation(ColumnComparison("a", "in", (1.0,)))),
        (
            "a between 1 and 5",
            Conjunction(ColumnComparison("a", ">=", (1.0,)), ColumnComparison("a", "<=", (5.0,))),
        ),
        ("a is not missing", Negation(IsMissing("a"))),
        ("a is null", IsMissing("a")),
        ('"my age" > 1', ColumnComparison("my age", ">", (1.0,))),
        ('a = "x"', ColumnComparison("a", "=", ("x",))),
    ],
)
def test_a_condition_becomes_a_tree(text, tree):
    assert parse_condition(text) == tree


def test_columns_are_listed_in_their_order():
    assert list(columns_of(parse_condition("b = 1 and (a is missing or not b = 2)"))) == ["b", "a", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" ", "where must not be empty: write a condition such as age >= 18"),
        ("age >=", "a number or a text in quotation marks was expected, got the end in 'age >='"),
        ("land = DE", "write texts in quotation marks: 'DE' in 'land = DE'"),
        ("age", "a comparison such as = or in was expected, got the end"),
        ("(a = 1", r"\) was expected, got the end"),
        ("a = 1 b = 2", "and, or, or the end was expected, got 'b = 2'"),
        ("a is 3", "missing was expected, got '3'"),
        ("and a = 1", "the name of a column was expected, got 'and a = 1'"),
        ("a in ()", "a number or a text in quotation marks was expected"),
        ("not " * 60 + "a = 1", "nested more than 50 deep"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(text, said):
    with pytest.raises(InputError, match=said):
        parse_condition(text)
