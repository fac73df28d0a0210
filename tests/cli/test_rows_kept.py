"""``--where`` in commands beside ``rate``: rows are left out, and the summary says how many."""

import json

import polars as pl
import pytest
from tests.store.readers.spss_files import FRAME, write_spss

PAIRS = "n,said,known,group\n1,north,north,a\n2,it is cold,it is warm,b\n,yes,yes,a\n4,so so,fine,a\n"
NOTE = "2 of 4 rows meet 'n >= 2'; left out: 1 not meeting it, and 1 with a cell that is missing or no number"


@pytest.fixture(autouse=True)
def _pairs(tmp_path):
    (tmp_path / "pairs.csv").write_text(PAIRS)


@pytest.mark.parametrize(
    ("command", "rows"),
    [
        (
            ["match", "pairs.csv", "--prediction", "said", "--reference", "known", "--method", "cosine"],
            "rows",
        ),
        (
            ["consistency", "pairs.csv", "--answer", "said", "--sample", "known", "--measure", "exact_match"],
            "items",
        ),
    ],
)
def test_rows_are_left_out_and_the_summary_says_so(semscale, command, rows):
    ended = semscale(*command, "--where", "n >= 2", "--by", "group", "--json")
    assert ended.code == 0, ended.err
    content = json.loads(ended.out)
    assert content[rows] == 2
    assert content["cautions"][0].startswith(NOTE)
    assert NOTE not in ended.err
    assert [group["group"] for group in content["estimates"]["groups"]] == ["b", "a"]


def test_a_sheet_for_labels_is_drawn_from_the_filtered_rows(semscale):
    ended = semscale(
        "label", "pairs.csv", "--text", "said", "--scale", "quality", "--floor", "none", "--n", "2",
        "--where", "n >= 2", "--out", "sheet.csv",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert "2 drawn of 2 texts that can be read" in ended.out
    assert NOTE in ended.err  # the sheet has no place for it


@pytest.mark.needs("spss")
def test_groups_of_match_are_called_by_their_labels(semscale, tmp_path):
    write_spss(tmp_path / "survey.sav", FRAME.with_columns(known=pl.lit("It was good.")))
    ended = semscale(
        "match", "survey.sav", "--prediction", "why", "--reference", "known", "--method", "cosine",
        "--by", "region", "--json",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert [group["group"] for group in json.loads(ended.out)["estimates"]["groups"]] == [
        "north",
        "south",
        None,
    ]
