"""Columns of a table by their roles: cells, checks, and messages that name column and row."""

from datetime import date

import polars as pl
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.matching.settings import MatchColumns
from semscale.results.table_columns import CellChecks, list_texts
from semscale.results.weights import weights_in
from semscale.store.reading import open_table


def columns(*reference, by=None, prediction="answer"):
    return MatchColumns(prediction=prediction, reference=reference, by=by)


def listed(*columns):
    named = zip("xy", columns, strict=False)
    return list_texts([pl.Series(name, cells) for name, cells in named], "reference", 0)


COLUMNS = columns("expected", "other", by="group")


def written(folder, name, content):
    path = folder / name
    if isinstance(content, pl.DataFrame):
        content.write_parquet(path)
    else:
        path.write_text(content)
    return open_table(path)


def read_cells(table, named, size=100_000):
    """All cells, read and checked part by part."""
    named.check(table)
    checks, parts, row = CellChecks(named), [], 0
    for batch in table.batches(size):
        parts.append(named.read(batch, row))
        checks.add(parts[-1])
        row += batch.height
    checks.finish(table)
    return parts[0] if len(parts) == 1 else parts


def test_multiple_columns_and_lists_become_a_list_per_row(tmp_path):
    table = written(
        tmp_path,
        "t.csv",
        'answer,expected,other,group\na,"[""x"", ""y""]",z,1\n,"[1] see there",,2\n',
    )
    cells = read_cells(table, COLUMNS)
    assert cells["prediction"] == ["a", None]
    assert cells["reference"] == [["x", "y", "z"], ["[1] see there", None]]
    assert cells["by"] == ["1", "2"]
    assert cells.rows.columns == ["answer", "expected", "other", "group"]


def test_list_columns_of_parquet_and_json_are_lists(tmp_path):
    frame = pl.DataFrame({"answer": ["a", "b"], "expected": [["x", "y"], None]})
    cells = read_cells(written(tmp_path, "t.parquet", frame), columns("expected"))
    assert cells["reference"] == [["x", "y"], [None]]
    lines = '{"answer": "a", "expected": ["x", "y"]}\n{"answer": "b", "expected": "z"}\n'
    cells = read_cells(written(tmp_path, "t.jsonl", lines), columns("expected"))
    assert cells["reference"] == [["x", "y"], ["z"]]
    assert cells.get("by") is None


def test_a_key_that_appears_late_in_json_lines_is_missing_before(tmp_path):
    lines = '{"answer": "a", "expected": "x"}\n' * 1_001 + '{"answer": "b", "expected": "y", "g": 3}\n'
    table = written(tmp_path, "t.jsonl", lines)
    named = columns("expected", by="g")
    first, last = read_cells(table, named, 1_001)
    assert first["by"] == [None] * 1_001
    assert (last["by"], last["prediction"]) == (["3"], ["b"])


def test_a_list_of_numbers_is_a_text():
    assert listed(["[1, 2]", " [] "]) == [["[1, 2]"], []]


def test_nulls_may_stand_among_the_texts_of_a_list():
    assert listed(['[null, "Paris"]', "[null]"]) == [[None, "Paris"], ["[null]"]]


def test_a_broken_list_is_named_by_its_row():
    with pytest.raises(InputError, match=r"column 'x' .*data row 2: \[\"a\", \"b"):
        listed(["fine", '["a", "b'])


@pytest.mark.parametrize(
    ("reference", "arguments"),
    [
        ((), "reference must have at least 1 entry, got"),
        (("a",), "another column than prediction, got 'a'"),
        (("b", "c", "b"), "column 'b' is named twice"),
    ],
)
def test_columns_that_cannot_be_matched(reference, arguments):
    with pytest.raises(InputError, match=arguments):
        columns(*reference, prediction="a")


def test_a_missing_column_names_the_nearest(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected\na,b\n")
    with pytest.raises(UnknownNameError, match="reference: .*'expectd'; did you mean 'expected'"):
        read_cells(table, columns("expectd"))


def test_a_broken_list_far_down_is_named_by_its_row_in_the_file(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected\na,b\n" * 1 + "c,d\n" * 4 + 'e,"[""f"""\n')
    with pytest.raises(InputError, match="no valid JSON in data row 6"):
        read_cells(table, columns("expected"), 2)


def test_single_text_in_any_part_is_enough(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected\n,b\n,\na,\n")
    assert len(read_cells(table, columns("expected"), 1)) == 3


def test_columns_without_any_text_are_refused_and_numbers_in_a_csv_are_texts(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected,n\na,,1\nb,,2\n")
    with pytest.raises(InputError, match="column 'expected' holds no text: all its cells are empty"):
        read_cells(table, columns("expected"))
    assert read_cells(table, columns("n"))["reference"] == [["1"], ["2"]]
    numbers = written(tmp_path, "n.parquet", pl.DataFrame({"answer": [1, 2], "expected": ["a", "b"]}))
    with pytest.raises(InputError, match="prediction: column 'answer' holds no text: its first value is 1;"):
        read_cells(numbers, columns("expected"))


@pytest.mark.parametrize(
    ("cells", "weights"),
    [(["1,5", "2", ""], [1.5, 2.0, None]), (["1,500", "0,5"], [1.5, 0.5]), (["1.5", " 2 "], [1.5, 2.0])],
)
def test_weights_have_points_or_commas(cells, weights):
    assert weights_in(pl.Series("w", cells)).to_list() == weights


@pytest.mark.parametrize("cells", [["1,500", "2"], ["1,5", "2.5"]])
def test_ambiguous_thousands_comma_is_refused(cells):
    message = f"weight: column 'w' must hold numbers, but data row 8 has '{cells[0]}'; write decimals with a"
    with pytest.raises(InputError, match=message):
        weights_in(pl.Series("w", cells), 7)


def test_weights_that_are_dates_name_the_column():
    with pytest.raises(InputError, match=r"weight: column 'w' must hold numbers, got Date such as .*2026, 1"):
        weights_in(pl.Series("w", [None, date(2026, 1, 31)]))
