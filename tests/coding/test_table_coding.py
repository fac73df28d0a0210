"""Scores of a table, part by part."""

import json

import numpy as np
import polars as pl

from semscale.coding.codebook_file import load_codebook
from semscale.coding.coder import Coder
from semscale.coding.table_coding import LIKENESS, CodingWork
from semscale.store.reading import open_table
from semscale.store.runs.table_run import PartSettings, TableRun
from semscale.types import Status

BOOK = """name: phones
codes:
  - {name: power, definition: battery life, examples: [the battery died]}
  - {name: cost, definition: price paid, examples: [the price rose]}
"""


def test_parts_bring_all_scores_in_the_order_of_the_rows(toy_embedder, tmp_path):
    (tmp_path / "codes.yaml").write_text(BOOK)
    cells = ["battery", None, 5, "", "the price rose"]
    lines = [json.dumps({"text": cell, "n": place}) for place, cell in enumerate(cells)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    table = open_table(tmp_path / "in.jsonl")
    coder = Coder(load_codebook(tmp_path / "codes.yaml"), embedder=toy_embedder)
    seen = []

    def finish(scores, answers):
        seen.append((scores, answers))
        return "summed", pl.DataFrame({"code": [str(row) for row in range(len(answers))]})

    work = CodingWork(table, "text", coder, finish)
    assert TableRun(table, PartSettings(2)).of(work, tmp_path / "out.csv") == "summed"
    ((scores, answers),) = seen
    expected = coder.score(cells)
    assert np.array_equal(scores.likeness, expected.likeness, equal_nan=True)
    assert scores.text_status.tolist() == expected.text_status.tolist()
    # A number is no answer, also where its column has become text.
    assert answers == ["battery", None, None, "", "the price rose"]
    assert scores.text_status[2] == Status.NOT_TEXT
    written = pl.read_csv(tmp_path / "out.csv")
    assert written.columns == ["text", "n", "code"]
    assert LIKENESS not in written.columns
