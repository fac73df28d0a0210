import polars as pl
import pytest

from semscale.errors import InputError, UnknownNameError
from semscale.matching.match_columns import CellChecks, MatchColumns, match_cells, reference_lists
from semscale.store.reading import open_table

COLUMNS = MatchColumns("answer", ("expected", "other"), "group")


def written(folder, name, content):
    path = folder / name
    if isinstance(content, pl.DataFrame):
        content.write_parquet(path)
    else:
        path.write_text(content)
    return open_table(path)


def read_cells(table, columns, size=100_000):
    """All cells, read and checked part by part."""
    columns.check(table)
    checks, parts, row = CellChecks(columns), [], 0
    for batch in table.batches(size):
        parts.append(match_cells(batch, columns, row))
        checks.add(parts[-1])
        row += batch.height
    checks.finish()
    return parts[0] if len(parts) == 1 else parts


def test_several_columns_and_lists_make_one_list_a_row(tmp_path):
    table = written(
        tmp_path,
        "t.csv",
        'answer,expected,other,group\na,"[""x"", ""y""]",z,1\n,"[1] see there",,2\n',
    )
    cells = read_cells(table, COLUMNS)
    assert cells.predictions == ["a", None]
    assert cells.references == [["x", "y", "z"], ["[1] see there", None]]
    assert cells.groups == ["1", "2"]
    assert cells.rows.columns == ["answer", "expected", "other", "group"]


def test_list_columns_of_parquet_and_json_are_lists(tmp_path):
    frame = pl.DataFrame({"answer": ["a", "b"], "expected": [["x", "y"], None]})
    cells = read_cells(written(tmp_path, "t.parquet", frame), MatchColumns("answer", ("expected",)))
    assert cells.references == [["x", "y"], [None]]
    lines = '{"answer": "a", "expected": ["x", "y"]}\n{"answer": "b", "expected": "z"}\n'
    cells = read_cells(written(tmp_path, "t.jsonl", lines), MatchColumns("answer", ("expected",)))
    assert cells.references == [["x", "y"], ["z"]]
    assert cells.groups is None


def test_a_key_that_appears_late_in_json_lines_is_missing_before(tmp_path):
    lines = '{"answer": "a", "expected": "x"}\n' * 1_001 + '{"answer": "b", "expected": "y", "g": 3}\n'
    table = written(tmp_path, "t.jsonl", lines)
    columns = MatchColumns("answer", ("expected",), "g")
    first, last = read_cells(table, columns, 1_001)
    assert first.groups == [None] * 1_001
    assert (last.groups, last.predictions) == (["3"], ["b"])


def test_a_list_of_numbers_is_a_text():
    assert reference_lists([["[1, 2]", " [] "]], ["x"]) == [["[1, 2]"], []]


def test_nulls_may_stand_among_the_texts_of_a_list():
    assert reference_lists([['[null, "Paris"]', "[null]"]], ["x"]) == [[None, "Paris"], ["[null]"]]


def test_a_broken_list_is_named_by_its_row():
    with pytest.raises(InputError, match=r"column 'x' .*data row 2: \[\"a\", \"b"):
        reference_lists([["fine", '["a", "b']], ["x"])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (lambda: MatchColumns("a", ()), "at least one column"),
        (lambda: MatchColumns("a", ("a",)), "another column than prediction, got 'a'"),
        (lambda: MatchColumns("a", ("b", "c", "b")), "column 'b' is named twice"),
    ],
)
def test_columns_that_cannot_be_matched(columns, words):
    with pytest.raises(InputError, match=words):
        columns()


def test_a_missing_column_names_the_nearest(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected\na,b\n")
    with pytest.raises(UnknownNameError, match="reference: .*'expectd'; did you mean 'expected'"):
        read_cells(table, MatchColumns("answer", ("expectd",)))


def test_a_broken_list_far_down_is_named_by_its_row_in_the_file(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected\na,b\n" * 1 + "c,d\n" * 4 + 'e,"[""f"""\n')
    with pytest.raises(InputError, match="no valid JSON in data row 6"):
        read_cells(table, MatchColumns("answer", ("expected",)), 2)


def test_one_text_in_any_part_is_enough(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected\n,b\n,\na,\n")
    assert len(read_cells(table, MatchColumns("answer", ("expected",)), 1)) == 3


def test_columns_without_any_text_are_refused_and_numbers_in_a_csv_are_texts(tmp_path):
    table = written(tmp_path, "t.csv", "answer,expected,n\na,,1\nb,,2\n")
    with pytest.raises(InputError, match="column 'expected' holds no text: all its cells are empty"):
        read_cells(table, MatchColumns("answer", ("expected",)))
    assert read_cells(table, MatchColumns("answer", ("n",))).references == [["1"], ["2"]]
    numbers = written(tmp_path, "n.parquet", pl.DataFrame({"answer": [1, 2], "expected": ["a", "b"]}))
    with pytest.raises(InputError, match="prediction: column 'answer' holds no text: its first value is '1'"):
        read_cells(numbers, MatchColumns("answer", ("expected",)))
