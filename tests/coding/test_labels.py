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
    predict_code_counts,
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


def test_a_deeply_nested_cell_is_an_unknown_code(book):
    with pytest.raises(InputError, match=r"column 'human', row 1: no code '\[\[\["):
        read(["[" * 20_000 + "]" * 20_000], book)


def test_none_together_with_a_code_is_refused(book):
    with pytest.raises(InputError, match="'none' cannot be combined with a code"):
        read(["cost; none"], book)


def test_disagreeing_coders_give_a_share(book):
    both = hand_codes([["cost", "", "none"], ["none", "", ""]], book, ["a", "b"])
    assert np.nan_to_num(mean_codes(both), nan=-1).tolist() == [[0, 0.5, 0], [-1] * 3, [0, 0, 0]]


def values(likeness):
    return np.repeat(np.asarray(likeness, dtype=float)[:, None], 3, axis=1)


def test_unsure_answers_are_drawn_more_often_and_sure_answers_too():
    # Of likeness 0 and 1 the roots of v (1 - v) are 0, of .5 they are .5. The curve gives probabilities of
    # 0, 1 and 1 / (1 + e^.86) = .2973. Where all codes have the same, the rare part goes with them.
    likeness = [0.0] * 40 + [1.0] * 20 + [0.5] * 40
    sample = draw_answers(values(likeness), 20, seed=1)
    guessed = {0.0: 0.0, 1.0: 1.0, 0.5: 0.2973}
    mean = sum(guessed[value] for value in likeness) / 100
    by_row = dict(zip(sample.rows.tolist(), sample.probability.tolist(), strict=True))
    for row, p in by_row.items():
        unsure = 0.5 / 0.2 if likeness[row] == 0.5 else 0.0
        size = 0.5 + guessed[likeness[row]] / mean / 3 + unsure / 6
        assert p == pytest.approx(20 * size / 100, abs=0.001)
    assert len(by_row) == 20


def test_answers_with_a_rare_code_are_drawn_more_often_and_weights_undo_it():
    # 10 of 400 answers are like the rare code, the others like the frequent one; 40 are drawn.
    likeness = np.zeros((400, 2))
    likeness[:10, 1] = likeness[10:, 0] = 1.0
    draws = [draw_answers(likeness, 40, seed=seed) for seed in range(200)]
    rare = [int((drawn.rows < 10).sum()) for drawn in draws]
    # Drawn alike there would be 1 on average. The rare code has 10 answers, the frequent one 390. An answer
    # with the rare one has .1 of its share, of a mean of 2 / 400 = .005 over all answers, so that its size is
    # .5 + 20 / 3 + 1 / 6, and its probability .733.
    assert np.mean(rare) == pytest.approx(7.33, abs=0.2)
    totals = [float((1 / drawn.probability[drawn.rows < 10]).sum()) for drawn in draws]
    assert np.mean(totals) == pytest.approx(10, rel=0.1)
    assert all(drawn.all_probabilities.min() >= 0.5 * 40 / 400 - 1e-9 for drawn in draws)


def test_a_sheet_with_too_few_answers_of_a_code_is_recognised_before_coding():
    likeness = np.zeros((1000, 3))
    likeness[:300, 0] = likeness[300:340, 1] = 0.9
    likeness[:, 2] = 0
    drawn = draw_answers(likeness, 30, seed=0)
    often, rare, never = predict_code_counts(likeness, drawn, ["often", "rare", "never"])
    # A likeness of .9 has the probability .76: of 300 such answers some 9 of 30 drawn ones.
    assert 6 < often.n < 12
    assert often.needed <= 60
    assert 30 < rare.needed < 400
    larger = draw_answers(likeness, rare.needed, seed=0)
    assert predict_code_counts(likeness, larger, ["often", "rare", "never"])[1].n == pytest.approx(8, abs=0.5)
    assert never.needed is None


def test_answers_that_cannot_be_read_are_never_drawn():
    sample = draw_answers(values([0.5, float("nan"), 0.2]), 5)
    assert sorted(sample.rows.tolist()) == [0, 2]
    assert len(sample.all_probabilities) == 2


def test_likenesses_beyond_0_and_1_are_sure():
    sample = draw_answers(values([2.0, -1.0, 0.5, 0.5]), 2, alike=True)
    assert set(sample.probability.tolist()) == {0.5}


def test_instructions_have_every_code_and_the_command(book, tmp_path):
    path = write_instructions(tmp_path / "labels.csv", book, "comment", "semscale code labels.csv")
    assert path.name == "labels-instructions.md"
    instructions = path.read_text()
    for code in book.codes:
        assert f"**{code.name}**: {code.definition}" in instructions
        assert all(example in instructions for example in code.examples)
    assert "Write `none` where no code applies" in instructions
    assert "    semscale code labels.csv\n" in instructions


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
