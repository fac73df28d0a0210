"""Tables with columns that are made of their own."""

from dataclasses import replace

import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.store.column_labels import ColumnLabels
from semscale.store.deriving.bands import Bands
from semscale.store.deriving.derived_columns import with_derived
from semscale.store.deriving.value_groups import ValueGroups
from semscale.store.reading import open_table


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("age,land,text\n17,DE,a\n40,DK,b\n?,FR,c\n,PL,d\n")
    return open_table(path)


def test_a_new_column_stands_after_the_others(table):
    made = with_derived(table, [Bands("age", (18.0,)), ValueGroups("land", {"DE": "mid", "DK": "north"})])
    assert made.columns == ("age", "land", "text", "age_band", "land_group")
    rows = next(made.batches(10, skip=1))
    assert rows.columns == list(made.columns)
    assert rows["age_band"].to_list() == ["18 and over", None, None]
    assert next(made.batches_with(["land_group"], 10))["land_group"].to_list() == ["mid", "north", None, None]


def test_bands_of_decimals_are_named_so_that_each_number_is_in_its_band(tmp_path):
    (tmp_path / "t.csv").write_text("age\n17\n34.5\n35\n")
    made = with_derived(open_table(tmp_path / "t.csv"), [Bands("age", (18.0, 35.0))])
    assert next(made.batches(10))["age_band"].to_list() == ["under 18", "18 to under 35", "35 and over"]


def test_filled_cells_that_give_nothing_are_counted_and_shown(table):
    made = with_derived(table, [Bands("age", (18.0,)), ValueGroups("land", {"DE": "mid"})])
    assert made.notes == (
        "1 row has no 'age_band', as the value in 'age' is no number ('?')",
        "3 rows have no 'land_group', as the value in 'land' is in no group ('DK', 'FR', 'PL')",
    )


def test_one_column_may_be_made_of_another_new_one(table):
    made = with_derived(table, [Bands("age", (18.0,)), ValueGroups("age_band", {"under 18": "young"})])
    assert next(made.batches(10))["age_band_group"].to_list() == ["young", None, None, None]


def test_groups_are_made_of_values_or_of_their_labels(table):
    labels = {"land": ColumnLabels(values={"DE": "Germany", "DK": "Denmark", "FR": "France"})}
    made = with_derived(
        replace(table, labels=labels), [ValueGroups("land", {"Denmark": "north", "DE": "mid"})]
    )
    assert next(made.batches(10))["land_group"].to_list() == ["mid", "north", None, None]


def test_other_bands_are_another_input(table):
    assert (
        with_derived(table, [Bands("age", (18.0,))]).fingerprint()
        != with_derived(table, [Bands("age", (19.0,))]).fingerprint()
    )


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            Bands("text", (18.0,)),
            r"band: every cell of column 'text' is no number: it has 'a', 'b', 'c', \.\.\.",
        ),
        (
            ValueGroups("land", {"SE": "north"}),
            "group: every cell of column 'land' is in no group: it has 'DE'",
        ),
    ],
)
def test_a_column_that_gives_nothing_is_refused(table, made, said):
    with pytest.raises(InputError, match=said):
        with_derived(table, [made])


def test_an_unknown_column_and_a_name_that_is_taken_are_refused(table):
    with pytest.raises(UnknownNameError, match="band: .* no column 'aeg'; did you mean 'age'?"):
        with_derived(table, [Bands("aeg", (18.0,))])
    twice = [Bands("age", (18.0,)), Bands("age", (20.0,))]
    with pytest.raises(InputError, match="has a column 'age_band' already"):
        with_derived(table, twice)
