"""Answers drawn for people to code."""

import numpy as np

from semscale.coding.coder import CodeScores
from semscale.coding.coding import code_answers
from semscale.coding.label_sheet import draw_answers, instructions
from semscale.signature import Signature
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
