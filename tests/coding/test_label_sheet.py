"""Answers drawn for people to code."""

import numpy as np
import polars as pl
import pytest

from semscale.coding import label_sheet
from semscale.coding.coder import Coder, CodeScores
from semscale.coding.coding import code_answers
from semscale.coding.label_sheet import (
    check_label_columns,
    draw_answers,
    instructions,
    label_batches,
    score_answers,
)
from semscale.errors import InputError
from semscale.judging.human_labels import LabelDraw
from semscale.signature import Signature
from semscale.store.reading import open_table
from semscale.types import Status


def coding(book, likeness):
    status = np.array([Status.EMPTY if np.isnan(row) else Status.SCORED for row in likeness], dtype=object)
    values = np.repeat(np.asarray(likeness, dtype=float)[:, None], 3, axis=1)
    return code_answers(CodeScores(book, values, status, Signature.of("code")))


def test_unsure_answers_are_drawn_more_often_and_sure_ones_too(book):
    # roots of v (1 - v): 0 for 1.0, and .5 for .5; mean .25, so sizes .5 and .5 + .5 * 2 = 1.5; of 20 in 100
    found = draw_answers(coding(book, [1.0] * 50 + [0.5] * 50), 20, seed=1)
    by_row = dict(zip(found.rows.tolist(), found.probability.tolist(), strict=True))
    assert {round(p, 9) for row, p in by_row.items() if row < 50} == {0.1}
    assert {round(p, 9) for row, p in by_row.items() if row >= 50} == {0.3}
    assert len(by_row) == 20


def test_answers_that_cannot_be_read_are_never_drawn(book):
    found = draw_answers(coding(book, [0.5, float("nan"), 0.2]), 5)
    assert sorted(found.rows.tolist()) == [0, 2]
    assert found.n_scored == 2


def test_likenesses_beyond_0_and_1_are_sure(book):
    found = draw_answers(coding(book, [2.0, -1.0, 0.5, 0.5]), 2, alike=True)
    assert set(found.probability.tolist()) == {0.5}


def test_instructions_have_every_code_and_the_command(book):
    said = instructions(book, "labels.csv", "comment", "semscale code labels.csv")
    for code in book.codes:
        assert f"**{code.name}**: {code.definition}" in said
        assert all(example in said for example in code.examples)
    assert "Write `none` where no code applies" in said
    assert "    semscale code labels.csv\n" in said


def test_drawn_rows_come_first_in_the_order_of_their_draw(tmp_path, monkeypatch):
    monkeypatch.setattr(label_sheet, "_BATCH", 3)
    pl.DataFrame({"id": range(8)}).write_csv(tmp_path / "t.csv")
    drawn = LabelDraw(np.array([5, 0, 4]), np.array([0.5, 0.25, 1.0]), 8, 3.0)
    rows = pl.concat(label_batches(open_table(tmp_path / "t.csv"), drawn))
    assert [int(cell) for cell in rows["id"]] == [5, 0, 4, 1, 2, 3, 6, 7]
    assert rows["inclusion"].to_list() == [0.5, 0.25, 1.0] + [None] * 5
    assert rows["human"].to_list() == [None] * 8


def test_scores_are_the_same_in_parts(tmp_path, book, key_words, monkeypatch):
    cells = ["battery life", "a low price", "", "bright screen", "battery"]
    pl.DataFrame({"text": cells}).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(label_sheet, "_BATCH", 2)
    coder = Coder(book, embedder=key_words)
    found, whole = score_answers(open_table(tmp_path / "t.parquet"), "text", coder), coder.score(cells)
    assert np.array_equal(found.likeness, whole.likeness, equal_nan=True)
    assert found.text_status.tolist() == whole.text_status.tolist()


def test_a_table_with_a_column_of_labels_is_refused(tmp_path):
    pl.DataFrame({"human": ["a"]}).write_csv(tmp_path / "t.csv")
    with pytest.raises(InputError, match="has a column 'human', which the labels need: rename it"):
        check_label_columns(open_table(tmp_path / "t.csv"))
