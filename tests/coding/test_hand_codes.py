"""Codes that people wrote into cells."""

import numpy as np
import pytest

from semscale.coding.codebook import Code, CodeFrame
from semscale.coding.hand_codes import hand_codes, mean_codes
from semscale.errors import InputError

NAN = float("nan")


def read(cells, book):
    return hand_codes([cells], book, ["human"])[0]


def test_every_way_of_writing_codes(book):
    cells = ["power; cost", '["display"]', ["cost"], "None", "POWER ;", "", None, NAN]
    assert np.nan_to_num(read(cells, book), nan=-1).tolist() == [
        [1, 1, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0], [1, 0, 0], [-1] * 3, [-1] * 3, [-1] * 3
    ]  # fmt: skip


def test_a_code_gives_those_above_it():
    book = CodeFrame("b", (Code("cost", "d", ("x",)), Code("fees", "e", ("y",), parent="cost")))
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
