"""Contents of columns: counts, inferred types, and options that values list."""

from datetime import date

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.column_profile import ColumnProfile, open_text_column, options_in_values, profiles_of
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels

SENTENCES = [f"The room number {n} was rather cold at night." for n in range(20)]


def profile(values, name="q", labels=None):
    result = ColumnProfile(name, labels or ColumnLabels())
    result.add(pl.Series(name, values, strict=False))
    return result


@pytest.mark.parametrize(
    ("kind", "name", "values", "labels"),
    [
        ("empty", "q", [None, " ", ""], None),
        ("id", "respondent_id", ["R_1", "R_2", "R_3"], None),
        ("id", "id", [1, 2, 3], None),
        ("id", "ResponseId", [f"R_{n}x" for n in range(20)], None),
        ("open text", "paid", [f"R_{n}x" for n in range(20)], None),  # no name of ids
        ("number", "age", [17, 18, 44, 60], None),  # unique, but not called an id
        ("ordinal", "q", [1, 2, 3, 4, 5, 5, 1], None),
        ("ordinal", "q", ["1", "2", "3", "3"], None),  # texts that are numbers
        ("number", "q", [1.5, 2.25, 3.0, 3.0], None),
        ("number", "income", [1000, 2000, 2000, 90000], None),
        ("single choice", "q", ["DE", "AT", "DE", "DE", "AT", "FR"], None),
        ("single choice", "q", ["DE", "AT", "FR"], None),  # three words are no open texts
        ("single choice", "q", ["Very good", "very good", "Very  good", "VERY GOOD", "Not so good"], None),
        ("single choice", "q", [1, 2, 2, 1], None),
        ("single choice", "q", [1, 2, 3, 3, 1], ColumnLabels(measure="nominal")),
        ("ordinal", "q", ["low", "high", "low"], ColumnLabels(values={"low": "Low"}, measure="ordinal")),
        ("number", "q", [1, 2, 3, 3], ColumnLabels(measure="scale")),
        # Long answers to tick, often repeated.
        ("single choice", "q", ["I would buy it at once", "I would never buy it"] * 9, None),
        ("open text", "q", SENTENCES, None),
        ("open text", "q", ["Lovely", "bad food", "too slow for me", "meh, ok"], None),
        ("open text", "q", [f"brand{n}" for n in range(20)], None),
        ("multiple choice", "q_1", ["Tea", None, "Tea"], ColumnLabels(question="q", option="Tea")),
        ("open text", "q_o", SENTENCES, ColumnLabels(question="q", option="Other")),
        ("date", "q", ["2026-01-02", "2026-01-03 10:11:12"], None),
        ("date", "q", ["31.12.2025", "1/2/26"], None),
        ("date", "q", [date(2026, 1, 1), None], None),
        ("weight", "wt", ["0.5", "1.5", "1"], None),
        ("weight", "q", [1.0, 2.0], ColumnLabels(is_weight=True)),
        ("number", "weight_in_kg_", [-1.5, 2.0, 2.5], None),  # a weight is not negative
    ],
)
def test_column_kind_is_inferred(kind, name, values, labels):
    assert profile(values, name, labels).kind == kind


def test_counts_add_up_over_batches():
    result = profile(["1", "2", None])
    result.add(pl.Series("q", [" ", "2", "x y"]))
    assert (result.n, result.filled, result.missing) == (6, 4, 2)
    assert result.values == {"2": 2, "1": 1, "x y": 1}
    assert (result.numbers, result.low, result.high, result.total, result.words) == (3, 1.0, 2.0, 5.0, 5)


def test_a_late_key_of_json_lines_is_missing_before(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = ['{"id": "x"}\n'] * 60_000 + ['{"id": "y", "late": "z"}\n']
    path.write_text("".join(lines))
    late = next(first for first in profiles_of(open_table(path)) if first.name == "late")
    assert (late.n, late.missing) == (60_001, 60_000)


def test_only_open_text_column_is_selected_and_several_are_listed(tmp_path):
    first, two, none = (tmp_path / f"{name}.csv" for name in ("one", "two", "none"))
    rows = "\n".join(f"{n},{text},{text} again" for n, text in enumerate(SENTENCES))
    two.write_text(f"id,why,wish\n{rows}\n")
    first.write_text("id,why\n" + "\n".join(f"{n},{text}" for n, text in enumerate(SENTENCES)) + "\n")
    none.write_text("id,age\n1,20\n2,40\n")
    assert open_text_column(open_table(first)) == "why"
    with pytest.raises(
        InputError, match="text: several columns of .* look like open texts; name one with text: why, wish"
    ):
        open_text_column(open_table(two))
    with pytest.raises(InputError, match="text: no column of .* looks like open texts; .*text: id, age"):
        open_text_column(open_table(none))


def test_a_label_for_a_missing_code_alone_does_not_make_numbers_a_choice():
    profile = ColumnProfile("age", ColumnLabels(values={"99": "refused"}, missing_values=["99"]))
    profile.add(pl.Series(list(range(18, 80))))
    assert profile.kind == "number"


def test_comma_separated_options_are_a_multiple_choice():
    profile = ColumnProfile("Q2")
    profile.add(pl.Series(["Tea", "Coffee", "Tea,Coffee"] * 4))
    assert profile.kind == "multiple choice"


def test_a_comma_before_a_blank_belongs_to_an_option():
    result = options_in_values(["Alpha", "Gamma, Inc.", "Alpha,Gamma, Inc."])
    assert result == {
        "Alpha": ("Alpha",),
        "Gamma, Inc.": ("Gamma, Inc.",),
        "Alpha,Gamma, Inc.": ("Alpha", "Gamma, Inc."),
    }


def test_semicolons_separate_options_too():
    assert options_in_values(["Tea;", "Coffee;", "Tea;Coffee;"])["Tea;Coffee;"] == ("Tea", "Coffee")


@pytest.mark.parametrize(
    "values",
    [
        [],
        ["Tea", "Coffee"],
        ["Paris,FR", "Rome,IT", "Bonn,DE"],  # six options in three values
        ["red,S", "red,M", "red,L", "blue,S", "blue,M", "blue,L"],  # none stands alone
        ["Good, but dear", "Good", "Dear"],
    ],
)
def test_other_values_list_nothing(values):
    assert options_in_values(values) == {}
