"""Codes given by people, and the answers that they are to code."""

import numpy as np
import polars as pl
import pytest

from semscale.coding import labels
from semscale.coding.codebook import Code, Codebook
from semscale.coding.labels import (
    draw_answers,
    hand_codes,
    label_batches,
    mean_codes,
    write_instructions,
)
from semscale.errors import InputError
from semscale.results.label_sheets import check_label_columns
from semscale.stats.sampling import DrawnTexts
from semscale.store.reading import open_table

NAN = float("nan")


def read(cells, book):
    return hand_codes([cells], book, ["human"])[0]


def test_every_way_of_writing_codes(book):
    cells = ["power; cost", '["display"]', ["cost"], "None", "POWER ;", "", None, NAN]
    assert np.nan_to_num(read(cells, book), nan=-1).tolist() == [
        [1, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0], [-1] * 3, [-1] * 3, [-1] * 3
    ]  # fmt: skip


def test_a_code_gives_those_above_it():
    book = Codebook("b", (Code("cost", "d", ("x",)), Code("fees", "e", ("y",), parent="cost")))
    assert read(["fees", "cost"], book).tolist() == [[1, 1], [1, 0]]


def test_an_unknown_code_has_its_row_and_the_nearest_name(book):
    with pytest.raises(InputError, match=r"column 'human', row 2: no code 'costs'; did you mean 'cost'"):
        read(["cost", "costs"], book)


def test_none_beside_a_code_is_refused(book):
    with pytest.raises(InputError, match="'none' stands alone"):
        read(["cost; none"], book)


def test_people_who_differ_give_a_share(book):
    both = hand_codes([["cost", "", "none"], ["none", "", ""]], book, ["a", "b"])
    assert np.nan_to_num(mean_codes(both), nan=-1).tolist() == [[0, 0.5, 0], [-1] * 3, [0, 0, 0]]


def values(likeness):
    return np.repeat(np.asarray(likeness, dtype=float)[:, None], 3, axis=1)


def test_unsure_answers_are_drawn_more_often_and_sure_ones_too():
    # roots of v (1 - v): 0 for 1.0, and .5 for .5; mean .25, so sizes .5 and .5 + .5 * 2 = 1.5; of 20 in 100
    found = draw_answers(values([1.0] * 50 + [0.5] * 50), 20, seed=1)
    by_row = dict(zip(found.rows.tolist(), found.probability.tolist(), strict=True))
    assert {round(p, 9) for row, p in by_row.items() if row < 50} == {0.1}
    assert {round(p, 9) for row, p in by_row.items() if row >= 50} == {0.3}
    assert len(by_row) == 20


def test_answers_that_cannot_be_read_are_never_drawn():
    found = draw_answers(values([0.5, float("nan"), 0.2]), 5)
    assert sorted(found.rows.tolist()) == [0, 2]
    assert len(found.all_probabilities) == 2


def test_likenesses_beyond_0_and_1_are_sure():
    found = draw_answers(values([2.0, -1.0, 0.5, 0.5]), 2, alike=True)
    assert set(found.probability.tolist()) == {0.5}


def test_instructions_have_every_code_and_the_command(book, tmp_path):
    path = write_instructions(tmp_path / "labels.csv", book, "comment", "semscale code labels.csv")
    assert path.name == "labels-instructions.md"
    said = path.read_text()
    for code in book.codes:
        assert f"**{code.name}**: {code.definition}" in said
        assert all(example in said for example in code.examples)
    assert "Write `none` where no code applies" in said
    assert "    semscale code labels.csv\n" in said


def test_drawn_rows_come_first_in_the_order_of_their_draw(tmp_path, monkeypatch):
    monkeypatch.setattr(labels, "_BATCH", 3)
    pl.DataFrame({"id": range(8)}).write_csv(tmp_path / "t.csv")
    drawn = DrawnTexts(np.array([5, 0, 4]), np.array([0.5, 0.25, 1.0]), np.full(8, 0.5))
    rows = pl.concat(label_batches(open_table(tmp_path / "t.csv"), drawn))
    assert [int(cell) for cell in rows["id"]] == [5, 0, 4, 1, 2, 3, 6, 7]
    assert rows["inclusion"].to_list() == [0.5, 0.25, 1.0] + [None] * 5
    assert rows["human"].to_list() == [None] * 8


def test_a_table_with_a_column_of_labels_is_refused(tmp_path):
    pl.DataFrame({"human": ["a"]}).write_csv(tmp_path / "t.csv")
    with pytest.raises(InputError, match="has a column 'human', which the labels need: rename it"):
        check_label_columns(open_table(tmp_path / "t.csv").columns)
