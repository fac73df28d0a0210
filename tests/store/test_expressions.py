"""Rows that meet an SQL condition, and columns that are derived by an SQL expression."""

from dataclasses import replace
from datetime import date

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError, RowError, UnknownNameError
from semscale.store.columns import column_of
from semscale.store.expressions import Expression, filter_table, with_derived
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels, Table, pick_rows, rows_of_the_file

TEXT = "id,age,text\n1,17,a\n2,18,b\n3,,c\n4,40,d\n5,old,e\n6,60,f\n"
ROWS = pl.DataFrame(
    {
        "age": ["17", None, "old", " 18,5 "],
        "land": ["DE", "AT", " ", "CH"],
        "code": [1, 2, None, 4],
        "share": [0.5, float("nan"), None, 1.0],
        "likes": [True, False, None, True],
        "agrees": ["TRUE", "False", "", "true"],
        "day": [date(2024, 1, 1), date(2024, 2, 1), None, date(2025, 1, 1)],
        "Q1[a]": ["x", None, "x", "y"],
        "text": ["a", "b", "c", "d"],
    }
)
BANDS = "CASE WHEN age < 18 THEN 'under 18' WHEN age >= 18 THEN '18 and over' END"


def table_of(rows, **labels):
    return Table(
        "answers",
        None,
        tuple(rows.columns),
        lambda size, skip: (rows[start : start + size] for start in range(skip, rows.height, size)),
        labels={title: ColumnLabels(values=values) for title, values in labels.items()},
    )


def values_of(text, rows=ROWS, **labels):
    return Expression.for_table(text, table_of(rows, **labels), "where").evaluate(rows).to_list()


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(TEXT)
    return open_table(path)


def ids(batches):
    return [batch["id"].to_list() for batch in batches]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age >= 18", [False, None, None, True]),  # a text that is no number is unknown
        ("not age >= 18", [True, None, None, False]),
        ("age < 18 or age = 18.5", [True, None, None, True]),
        ("age > -3", [True, None, None, True]),
        ("age = '17'", [True, None, False, False]),
        ("age in (17, 18.5)", [True, None, None, True]),
        ("TRY_CAST(age AS DOUBLE) > 3 or age = 'old'", [True, None, True, None]),
        ("land = 'DE'", [True, False, None, False]),  # a blank cell is missing
        ("land in ('DE', 'CH')", [True, False, None, True]),
        ("land not in ('DE', 'CH')", [False, True, None, False]),
        ("land is null", [False, False, True, False]),
        ("land like '%H'", [False, False, None, True]),
        ("substr(land, 1, 1) = 'D'", [True, False, None, False]),
        ("share is null", [False, True, True, False]),
        ("code = '4'", [False, False, None, True]),  # a code may be written as a text
        ("code between 2 and 4", [False, True, None, True]),
        ("likes = true", [True, False, None, True]),
        ("agrees = true", [True, False, None, True]),
        ("day >= '2024-02-01'", [False, True, None, True]),
        ("day = '2024-02-01'", [False, True, None, False]),
        ("day >= DATE '2024-02-01'", [False, True, None, True]),
        ("\"Q1[a]\" = 'x'", [True, None, True, False]),
        # One part decides, whatever is missing in the other.
        ("code = 2 or age > 1", [True, True, None, True]),
        ("land = 'DE' and age > 1", [True, False, None, False]),
        # ELSE takes what is unknown, as in all of SQL.
        ("CASE WHEN age < 18 THEN 'x' ELSE 'y' END", ["x", "y", "y", "y"]),
        ("CASE land WHEN 'DE' THEN 'x' WHEN 'AT' THEN 'y' END", ["x", "y", None, None]),
        ("code + 1", [2, 3, None, 5]),
        ("round(age)", [17.0, None, None, 18.0]),
        ("coalesce(age, 0)", [17.0, 0.0, 0.0, 18.5]),
        ("upper(text) || '!'", ["A!", "B!", "C!", "D!"]),
    ],
)
def test_expression_has_a_value_per_row(text, expected):
    assert values_of(text) == expected


def test_points_in_time_are_compared_with_dates_and_times():
    rows = pl.DataFrame({"t": ["2024-02-01 00:00:00", "2024-02-01 09:30:00", None]}).select(
        pl.col("t").str.to_datetime()
    )
    assert values_of("t = '2024-02-01'", rows) == [True, False, None]
    assert values_of("t > '2024-02-01'", rows) == [False, True, None]
    assert values_of("t <= '2024-02-01 09:30:00'", rows) == [True, True, None]


def test_mixed_cells_are_compared_by_their_texts():
    rows = pl.DataFrame([column_of("a", ["x", 5, None])])
    assert values_of("a = 5", rows) == [None, True, None]
    assert values_of("a = 'x'", rows) == [True, False, None]


REGION = {"1": "north", "2": "south", "3": "south"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("region = 'north'", [True, False, False, None]),
        ("not (region in ('north', '2') and region != 'north')", [True, False, True, None]),
        ("region = 'south'", [False, False, False, None]),  # two values have this label
        ("region = 1", [True, False, False, None]),
        ("region = '1'", [True, False, False, None]),
        ("code = 'b'", [False, True, False, False]),  # a value comes before a label
        ("code = 'c'", [False, True, False, False]),
        ("CASE region WHEN 'north' THEN 'up' WHEN '2' THEN 'down' END", ["up", "down", None, None]),
    ],
)
def test_a_label_stands_for_its_value(text, expected):
    rows = pl.DataFrame({"region": [1, 2, 3, None], "code": ["a", "b", "d", "e"]})
    assert values_of(text, rows, region=REGION, code={"a": "b", "b": "c"}) == expected


def test_a_value_and_its_label_are_not_mixed():
    rows = pl.DataFrame({"region": [1, 2]})
    with pytest.raises(InputError, match="compared with the value '1' and with its label 'north'"):
        values_of("region = 'north' or region = '1'", rows, region=REGION)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "where must not be empty"),
        ("age >", "'age >' is no SQL expression .unable to parse"),
        ("foo(age) = 1", "is no SQL expression .unsupported function 'foo'"),
        ("land = 'DE", "is no SQL expression"),
        ("code < 'x'", "column 'code' holds numbers: write 'x' without quotation marks"),
        ("day < 'May'", "column 'day' holds dates, and 'May' is none: write it like '2026-01-31'"),
        ("day > 2024", "column 'day' holds dates, and 2024 is none"),
        ("age = 'old' or age > 3", "does not fit the columns .cannot compare string with numeric"),
        ("CAST(age AS INT) > 3", "does not fit the columns .conversion from str to i32 failed"),
        ("1 = 1", "names no column of answers"),
        ("count(*) > 3", "names no column of answers"),
    ],
)
def test_an_unusable_expression_is_refused(text, message):
    with pytest.raises(InputError, match=message):
        values_of(text)


@pytest.mark.parametrize(
    "text",
    [
        "age > avg(age)",
        "code = max(code)",
        "code > 1 or count(*) > 100",
        "row_number() over (order by code) = 1",
        "sum(code) over (partition by land) > 1",
        "lag(code) over (order by code) = 1",
        "first(land) = 'DE'",
        "count(distinct land) = 2 and code = 1",
        "code in (select 1)",
        "exists (select * from read_csv('/etc/passwd'))",
        "/* ' */ code = 1 and exists (select * from read_csv('/etc/passwd')) /* ' */",
    ],
)
def test_what_reads_other_rows_or_files_is_refused(text):
    with pytest.raises(InputError, match="reads other rows or tables, but a table is read in parts"):
        values_of(text)


def test_a_column_may_be_called_like_a_word_of_sql():
    rows = pl.DataFrame({"over": [1, 2], "select all": ["a", "b"]})
    assert values_of('"over" = 2 and "select all" = \'b\'', rows) == [False, True]
    assert values_of("\"select all\" = 'over'", rows) == [False, False]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("group = 'North'", [True, False]),
        ("\"group\" = 'North'", [True, False]),
        ("group in ('group', 'South') and order >= 2", [False, True]),
        ("order + 1", [2, 3]),
    ],
)
def test_a_column_with_the_name_of_an_sql_word_needs_no_quotation_marks(text, expected):
    rows = pl.DataFrame({"group": ["North", "South"], "order": [1, 2]})
    assert Expression.for_table(text, table_of(rows), "where").evaluate(rows).to_list() == expected


def test_an_sql_word_that_is_no_column_needs_quotation_marks():
    rows = pl.DataFrame({"group": ["North"]})
    with pytest.raises(
        InputError, match="with double quotation marks around a name that has spaces or is a word of SQL"
    ):
        Expression.for_table("order = 1", table_of(rows), "where")


def test_filtered_rows_stay_in_order(table):
    subset = filter_table(table, "age >= 18")
    assert ids(subset.batches(10)) == [["2", "4", "6"]]
    assert ids(subset.batches_with(["id"], 2)) == [["2"], ["4"], ["6"]]
    assert subset.n_rows == 3


def test_rows_that_are_left_out_are_counted(table):
    # 17 does not meet it; an empty cell and "old" leave it open.
    assert filter_table(table, "age >= 18").notes == (
        "3 of 6 rows meet 'age >= 18'; left out: 1 not meeting it, and 2 with a cell that is missing or no "
        "number; row numbers count the remaining rows",
    )


def test_resumed_run_skips_filtered_rows(table):
    subset = filter_table(table, "age >= 18")
    assert ids(subset.batches(2, skip=1)) == [["4"], ["6"]]
    assert ids(subset.batches(10, skip=2)) == [["6"]]
    assert ids(subset.batches(10, skip=3)) == []


def test_rows_are_picked_among_the_filtered_rows(table):
    picked = list(pick_rows(filter_table(table, "age >= 18"), np.array([0, 2])))
    assert [(batch["id"].to_list(), rows.tolist()) for batch, rows in picked] == [(["2", "6"], [0, 2])]


def test_another_expression_is_another_input(table):
    tables = (
        table,
        filter_table(table, "age > 1"),
        filter_table(table, "age > 2"),
        with_derived(table, ["x=age > 1"]),
        with_derived(table, ["x=age > 2"]),
    )
    assert len({entry.fingerprint() for entry in tables}) == len(tables)


def test_a_condition_on_a_key_that_appears_late_is_followed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"id": "{n}"}}\n' for n in range(1500)) + '{"id": "last", "late": 1}\n')
    assert ids(filter_table(open_table(path), "late = 1").batches(5000)) == [["last"]]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("age > 99", "no rows are left: 0 of 6 rows meet 'age > 99'; left out: 4 not meeting it, and 2"),
        ("text > 3", "no rows are left: 0 of 6"),
        ("age", "'age' is neither true nor false"),
    ],
)
def test_a_condition_that_leaves_no_row_is_refused(table, where, message):
    with pytest.raises(InputError, match=f"^where: {message}"):
        filter_table(table, where)


def test_rows_are_not_numbered_where_none_is_left(table):
    with pytest.raises(InputError) as refused:
        filter_table(table, "age > 99")
    assert "row numbers" not in str(refused.value)


def test_an_unknown_column_is_refused_with_the_nearest(table):
    with pytest.raises(UnknownNameError, match="where: .* has no column 'aeg'; did you mean 'age'?"):
        filter_table(table, "aeg > 3")
    with pytest.raises(UnknownNameError, match="derive: .* no column 'DE'.*single quotation marks: 'DE'"):
        with_derived(table, ['x=text = "DE"'])


def test_other_columns_keep_their_types(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": ["1", "2"], "n": [1, 2]}).write_parquet(path)
    subset = next(filter_table(open_table(path), "n = 2").batches(5))
    assert subset.rows() == [("2", 2)]


@pytest.mark.parametrize(("conditions", "row"), [([], 2), (["age >= 18"], 4), (["age >= 18", "age > 20"], 6)])
def test_an_error_about_a_row_names_the_row_of_the_file(table, conditions, row):
    # Kept are 2, 4 and 6, then 4 and 6: the second row is 2 of all, 4 of three, and 6 of two.
    for where in conditions:
        table = filter_table(table, where)
    with pytest.raises(InputError, match=f"^{{w}} is wrong in row {row}$"), rows_of_the_file(table):
        raise RowError("{w} is wrong in {row}", 1)


@pytest.fixture
def countries(tmp_path):
    path = tmp_path / "countries.csv"
    path.write_text("age,land,text\n17,DE,a\n40,DK,b\n?,FR,c\n,PL,d\n")
    return open_table(path)


def test_derived_column_comes_last(countries):
    group = "place=CASE WHEN land IN ('DE', 'AT') THEN 'mid' WHEN land = 'DK' THEN 'north' END"
    derived = with_derived(countries, [f"band={BANDS}", group])
    assert derived.columns == ("age", "land", "text", "band", "place")
    rows = next(derived.batches(10, skip=1))
    assert rows.columns == list(derived.columns)
    assert rows["band"].to_list() == ["18 and over", None, None]
    assert next(derived.batches_with(["place"], 10))["place"].to_list() == ["mid", "north", None, None]


def test_filled_cells_without_a_value_are_counted_and_shown(countries):
    group = "place=CASE land WHEN 'DE' THEN 'mid' END"
    assert with_derived(countries, [f"band={BANDS}", group]).notes == (
        "1 row has no 'band': age is '?'",
        "3 rows have no 'place': land is 'DK', land is 'FR', land is 'PL'",
    )


def test_a_column_may_be_derived_from_another_derived_column(countries):
    derived = with_derived(countries, [f"band={BANDS}", "young=band = 'under 18'"])
    assert next(derived.batches(10))["young"].to_list() == [True, False, None, None]
    assert next(filter_table(derived, "young = true").batches(10))["land"].to_list() == ["DE"]


def test_derived_groups_use_values_or_labels(countries):
    labels = {"land": ColumnLabels(values={"DE": "Germany", "DK": "Denmark", "FR": "France"})}
    derived = with_derived(
        replace(countries, labels=labels),
        ["place=CASE land WHEN 'Denmark' THEN 'north' WHEN 'DE' THEN 'mid' END"],
    )
    assert next(derived.batches(10))["place"].to_list() == ["mid", "north", None, None]


@pytest.mark.parametrize(
    ("derivation", "message"),
    [
        ("band", "'band' cannot be read; write NAME=EXPRESSION"),
        ("=age", "'=age' cannot be read"),
        ("land=age", "has a column 'land' already"),
        (
            "x=CASE WHEN text > 3 THEN 'y' END",
            r"'x' has no value in any row \(text is 'a', text is 'b',.*\.\.\.\)",
        ),
    ],
)
def test_an_unusable_derivation_is_refused(countries, derivation, message):
    with pytest.raises(InputError, match=f"^derive: .*{message}"):
        with_derived(countries, [derivation])
