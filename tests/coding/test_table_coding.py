"""Coding of tables part by part."""

import json

import numpy as np
import polars as pl
import pytest

from semscale.coding.codebook_file import load_codebook
from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers, fit_codes
from semscale.coding.coding_columns import CodingColumns
from semscale.coding.summary.coding_collector import CodingCollector
from semscale.coding.summary.summarizing import SummaryPlan
from semscale.coding.table_coding import LIKENESS, TEXT_STATUS, CodingWork, LearntCodes
from semscale.store.reading import open_table
from semscale.store.runs.table_run import PartSettings, TableRun
from semscale.types import Status

BOOK = """name: phones
codes:
  - {name: power, definition: battery life, examples: [the battery died]}
  - {name: cost, definition: price paid, examples: [the price rose]}
"""
CELLS = ["battery", None, 5, "", "the price rose"]


@pytest.fixture
def work(toy_embedder, tmp_path):
    """Work on five cells, of which one is a number."""
    (tmp_path / "codes.yaml").write_text(BOOK)
    lines = [json.dumps({"text": cell, "n": place}) for place, cell in enumerate(CELLS)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    coder = Coder(load_codebook(tmp_path / "codes.yaml"), embedder=toy_embedder)

    def learn():
        fitted = fit_codes(coder.score([]), np.zeros(0, np.int64))
        return LearntCodes(fitted, CodingCollector(fitted, CodingColumns("text"), SummaryPlan()))

    return CodingWork(open_table(tmp_path / "in.jsonl"), "text", coder, learn)


def test_parts_are_coded_as_all_answers_together_in_the_order_of_the_rows(work, tmp_path):
    summary = TableRun(work.table, PartSettings(2)).of(work, tmp_path / "out.parquet")
    written = pl.read_parquet(tmp_path / "out.parquet")
    expected = code_answers(work.coder.score(CELLS)).to_frame()
    assert written.columns == ["text", "n", *expected.columns]
    assert not {LIKENESS, TEXT_STATUS} & set(written.columns)
    assert written.select(expected.columns).equals(expected)
    assert written["n"].to_list() == [0, 1, 2, 3, 4]
    # A number is no answer, also where its column has become text.
    assert summary.reasons == {"missing": 1, "not-text": 1, "empty": 1}
    assert summary.n == 5


def test_a_cell_that_is_no_text_is_never_shown(work):
    summary = TableRun(work.table, PartSettings(2)).of(work, None)
    assert {quote.text for one in summary.quotes for quote in (*one.typical, *one.borderline)} == {
        "battery", "the price rose"
    }  # fmt: skip
    (part,) = work.parts(5, 0)
    assert part.frame[TEXT_STATUS][2] == Status.NOT_TEXT
