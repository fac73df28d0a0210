"""Questions about columns, and the fingerprint of a table."""

import polars as pl
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.store.columns import NUMBER
from semscale.store.reading import open_table
from semscale.store.table import check_names
from semscale.store.writing import write_table


def csv_with(folder, *cells, name="answers.csv"):
    path = folder / name
    path.write_text("id,text\n" + "".join(f"{n},{cell}\n" for n, cell in enumerate(cells)))
    return open_table(path)


@pytest.mark.parametrize(
    ("asked", "near"), [("txt", "text"), ("Text", "text"), ("TEXT", "text"), ("ID", "id")]
)
def test_a_missing_column_gets_the_nearest_name_and_all_names(tmp_path, asked, near):
    table = csv_with(tmp_path, "good")
    with pytest.raises(
        UnknownNameError, match=f"no column '{asked}'; did you mean '{near}'.* columns: id, text"
    ):
        table.require(asked, "text")


def test_a_name_that_resembles_nothing_gets_the_list_alone(tmp_path):
    with pytest.raises(UnknownNameError) as caught:
        csv_with(tmp_path, "good").require("weight", "weight")
    assert str(caught.value).endswith("has no column 'weight'; columns: id, text")


def test_a_long_list_of_columns_is_cut(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{n}" for n in range(100)) + "\n" + ",".join("x" * 100) + "\n")
    with pytest.raises(UnknownNameError, match=r"c28, c29, \.\.\. \(100 in all\)$"):
        open_table(path).require("weight", "weight")


@pytest.mark.parametrize(
    "cells",
    [["1", "2.5"], ["-3", "1e5", ""], ["1,5".join('""'), "2"], ["", "  "], ["+.5", " 7 "]],
)
def test_a_column_of_nothing_but_numbers_and_blanks_holds_no_text(tmp_path, cells):
    with pytest.raises(InputError, match="text: column 'text' holds no text"):
        csv_with(tmp_path, *cells).require_text("text", "text")


@pytest.mark.parametrize("cells", [["good"], ["5", "five"], ["1-2", "3"], ["1.2.3"], ["5 stars"], ["nan"]])
def test_one_text_is_enough(tmp_path, cells):
    csv_with(tmp_path, *cells).require_text("text", "text")


def test_the_first_text_may_stand_far_down(tmp_path):
    csv_with(tmp_path, *(["5"] * 25_000), "good").require_text("text", "text")


@pytest.mark.parametrize("cells", [[1, 2], [1.5, None], [True], [["a"]]])
def test_other_types_hold_no_text(tmp_path, cells):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"text": cells}).write_parquet(path)
    with pytest.raises(InputError, match="holds no text: its first value is"):
        open_table(path).require_text("text", "text")


def test_a_mixed_column_holds_text_if_one_cell_does(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": 5}\n{"text": "good"}\n')
    open_table(path).require_text("text", "text")
    path.write_text('{"text": 5}\n{"text": ["good"]}\n{"text": "6"}\n')
    with pytest.raises(InputError, match="holds no text: its first value is 5"):
        open_table(path).require_text("text", "text")


@pytest.mark.parametrize("number", ["1", "-1", "+1", "1.5", "1,5", ".5", "1.", "1e5", "1E-5", " 1 "])
def test_plain_numbers(number):
    assert pl.Series([number]).str.contains(NUMBER).all()


@pytest.mark.parametrize("text", ["", "-", "1-1", "1 2", "e5", "--1", "1e", "0x10", "١", "1\n2"])
def test_what_is_no_plain_number(text):
    assert not pl.Series([text]).str.contains(NUMBER).any()


def test_a_fingerprint_changes_with_a_byte_and_with_how_the_file_is_read(tmp_path):
    first = csv_with(tmp_path, "good", name="a.csv")
    assert first.fingerprint() == csv_with(tmp_path, "good", name="b.csv").fingerprint()
    assert first.fingerprint() != csv_with(tmp_path, "gooD", name="c.csv").fingerprint()
    assert first.fingerprint() != open_table(tmp_path / "a.csv", encoding="latin-1").fingerprint()
    assert first.fingerprint() != open_table(tmp_path / "a.csv", format="tsv").fingerprint()


def test_a_batch_has_at_least_one_row(tmp_path):
    with pytest.raises(InputError, match="batch size must be at least 1, got 0"):
        csv_with(tmp_path, "good").batches(0)


def test_columns_without_a_name_are_called_by_their_place():
    assert check_names(["a", "", " "], "x") == ("a", "column_2", "column_3")
    with pytest.raises(InputError, match="two columns named 'column_2'"):
        check_names(["column_2", ""], "x")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx"])
def test_batches_with_some_columns_hold_the_same_cells(tmp_path, kind):
    frame = pl.DataFrame({"id": ["a", "b", None], "text": ["x", None, "z"], "w": ["1", "2", "3"]})
    path = tmp_path / f"answers.{kind}"
    write_table(frame, path)
    table = open_table(path)
    batches = list(table.batches_with({"w", "text"}, 2))
    assert [batch.height for batch in batches] == [2, 1]
    if kind == "xlsx":  # where numbers are numbers
        frame = frame.with_columns(pl.col("w").cast(pl.Float64))
    for title in ("text", "w"):
        assert [cell for batch in batches for cell in batch[title]] == frame[title].to_list()
    if kind in ("csv", "parquet"):
        assert batches[0].columns == ["text", "w"]
