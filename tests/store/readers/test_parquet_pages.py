"""A Parquet file that asks for memory which no machine has is refused; all that writers write is read."""

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from targets import CORPUS

from semscale.errors import InputError
from semscale.store.readers.parquet_pages import check_pages

TABLE = pa.table(
    {
        "text": ["good", None, "", "good"] * 500,
        "n": list(range(2000)),
        "sure": [True, None] * 1000,
        "tags": [["a", None], [], None, ["b"]] * 500,
        "who": [{"name": "Ana"}, None] * 1000,
        "nothing": pa.nulls(2000),
    }
)


@pytest.mark.parametrize("pages", ["1.0", "2.0"])
@pytest.mark.parametrize("has_dictionaries", [True, False])
@pytest.mark.parametrize("packing", ["none", "snappy", "zstd", "gzip"])
def test_what_arrow_writes_passes(tmp_path, pages, has_dictionaries, packing):
    path = tmp_path / "a.parquet"
    settings = {"data_page_version": pages, "use_dictionary": has_dictionaries, "compression": packing}
    pq.write_table(TABLE, path, row_group_size=700, data_page_size=500, **settings)
    check_pages(path, "a")


@pytest.mark.parametrize("rows", [0, 1, 2000])
def test_what_polars_writes_passes(tmp_path, rows):
    path = tmp_path / "a.parquet"
    pl.from_arrow(TABLE)[:rows].write_parquet(path, row_group_size=300, data_page_size=100)
    check_pages(path, "a")


def test_what_is_no_parquet_is_left_to_its_reader(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"id,text\n1,good\n")
    check_pages(path, "a")


@pytest.mark.parametrize("values", ["minus-one", "minus-64"])
def test_a_page_with_fewer_values_than_none_is_refused(values):
    number = {"minus-one": -1, "minus-64": -64}[values]
    path = CORPUS / "parquet" / f"page-of-{values}-values.parquet"
    with pytest.raises(InputError, match=f"a number of values is {number}, not 0 to 3"):
        check_pages(path, "a")


def test_a_footer_longer_than_the_file_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1")
    with pytest.raises(InputError, match="the length of its footer is 2,147,483,647, not 0 to 4"):
        check_pages(path, "a")


def test_a_footer_of_other_bytes_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" + b"\x00" + b"\x01\x00\x00\x00" + b"PAR1")
    with pytest.raises(InputError, match="its description of itself is damaged"):
        check_pages(path, "a")
