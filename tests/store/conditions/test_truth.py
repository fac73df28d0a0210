"""Truth of conditions: numbers that are texts, missing cells, dates, labels of truth."""

from datetime import date

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.cells import column_of
from semscale.store.conditions.parsing import parse_condition
from semscale.store.conditions.truth import truth

ROWS = pl.DataFrame(
    {
        "age": ["17", None, "old", " 18,5 "],
        "land": ["DE", "AT", " ", "CH"],
        "code": [1, 2, None, 4],
        "share": [0.5, float("nan"), None, 1.0],
        "likes": [True, False, None, True],
        "day": [date(2024, 1, 1), date(2024, 2, 1), None, date(2025, 1, 1)],
    }
)


def found(text, rows=ROWS):
    return truth(parse_condition(text), rows).to_list()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age >= 18", [False, None, None, True]),  # a text that is no number is not known
        ("not age >= 18", [True, None, None, False]),
        ("land = 'DE'", [True, False, None, False]),  # a blank cell is missing
        ("land in ('DE', 'CH')", [True, False, None, True]),
        ("land not in ('DE', 'CH')", [False, True, None, False]),
        ("land is missing", [False, False, True, False]),
        ("share is missing", [False, True, True, False]),
        ("code = '4'", [False, False, None, True]),  # a code may be written as a text
        ("code between 2 and 4", [False, True, None, True]),
        ("likes = true", [True, False, None, True]),
        ("day >= '2024-02-01'", [False, True, None, True]),
        # One part decides, whatever is missing in the other.
        ("code = 2 or age > 1", [True, True, None, True]),
        ("land = 'DE' and age > 1", [True, False, None, False]),
        ("nowhere = 1", [None] * 4),
        ("nowhere is missing", [True] * 4),
    ],
)
def test_each_row_is_true_false_or_not_known(text, expected):
    assert found(text) == expected


def test_mixed_cells_are_compared_by_what_they_show():
    rows = pl.DataFrame([column_of("a", ["x", 5, None])])
    assert found("a = 5", rows) == [None, True, None]
    assert found("a = 'x'", rows) == [True, False, None]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("code < 'x'", "column 'code' holds numbers: write 'x' without quotation marks"),
        ("day < 'May'", "column 'day' holds dates, and 'May' is none: write it like '2026-01-31'"),
    ],
)
def test_an_order_that_makes_no_sense_is_refused(text, said):
    with pytest.raises(InputError, match=said):
        found(text)
