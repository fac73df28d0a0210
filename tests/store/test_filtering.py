"""Tables that keep the rows that meet a condition."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError, RowError, UnknownNameError
from semscale.store.filtering import filtered, rows_of_the_file
from semscale.store.reading import open_table
from semscale.store.row_picking import picked_rows

TEXT = "id,age,text\n1,17,a\n2,18,b\n3,,c\n4,40,d\n5,old,e\n6,60,f\n"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text(TEXT)
    return open_table(path)


def ids(batches):
    return [batch["id"].to_list() for batch in batches]


def test_rows_that_meet_the_condition_are_kept_in_order(table):
    kept = filtered(table, "age >= 18")
    assert ids(kept.batches(10)) == [["2", "4", "6"]]
    assert ids(kept.batches_with(["id"], 2)) == [["2"], ["4"], ["6"]]
    assert kept.n_rows == 3


def test_rows_that_are_left_out_are_counted(table):
    # 17 does not meet it; an empty cell and "old" leave it open.
    assert filtered(table, "age >= 18").notes == (
        "3 of 6 rows meet 'age >= 18'; left out: 1 not meeting it, and 2 with a cell that is missing or no "
        "number; rows are counted among those that are kept",
    )


def test_a_run_that_goes_on_skips_rows_that_are_kept(table):
    kept = filtered(table, "age >= 18")
    assert ids(kept.batches(2, skip=1)) == [["4"], ["6"]]
    assert ids(kept.batches(10, skip=2)) == [["6"]]
    assert ids(kept.batches(10, skip=3)) == []


def test_rows_are_picked_among_those_that_are_kept(table):
    picked = list(picked_rows(filtered(table, "age >= 18"), np.array([0, 2])))
    assert [(batch["id"].to_list(), places.tolist()) for batch, places in picked] == [(["2", "6"], [0, 2])]


def test_another_condition_is_another_input(table):
    prints = {each.fingerprint() for each in (table, filtered(table, "age > 1"), filtered(table, "age > 2"))}
    assert len(prints) == 3


def test_a_condition_on_a_key_that_appears_late_is_followed(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"id": "{n}"}}\n' for n in range(1500)) + '{"id": "last", "late": 1}\n')
    assert ids(filtered(open_table(path), "late = 1").batches(5000)) == [["last"]]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("age > 99", "no row is left: 0 of 6 rows meet 'age > 99'; left out: 4 not meeting it, and 2"),
        ("text > 3", "no row is left: 0 of 6"),
    ],
)
def test_a_condition_that_leaves_no_row_is_refused(table, where, said):
    with pytest.raises(InputError, match=f"^where: {said}"):
        filtered(table, where)


def test_an_unknown_column_is_refused_with_the_nearest(table):
    with pytest.raises(UnknownNameError, match="where: .* has no column 'aeg'; did you mean 'age'?"):
        filtered(table, "aeg > 3")


def test_other_columns_keep_their_types(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"id": ["1", "2"], "n": [1, 2]}).write_parquet(path)
    kept = next(filtered(open_table(path), "n = 2").batches(5))
    assert kept.rows() == [("2", 2)]


@pytest.mark.parametrize(("conditions", "row"), [([], 2), (["age >= 18"], 4), (["age >= 18", "age > 20"], 6)])
def test_an_error_about_a_row_names_the_row_of_the_file(table, conditions, row):
    # Kept are 2, 4 and 6, then 4 and 6: the second row is 2 of all, 4 of three, and 6 of two.
    for where in conditions:
        table = filtered(table, where)
    with pytest.raises(InputError, match=f"^{{w}} is wrong in row {row}$"), rows_of_the_file(table):
        raise RowError("{w} is wrong in {row}", 1)
