from math import log

import pytest

from semscale.matching.layered import smooth_idf

DOCUMENTS = [["heart", "attack", "heart"], ["heart"], ["lung"]]


def test_a_piece_counts_once_a_document():
    # heart in 2 of 3: ln(4 / 3) + 1; attack and lung in 1 of 3: ln(4 / 2) + 1; none: ln(4 / 1) + 1
    result = smooth_idf(DOCUMENTS).of(["heart", "attack", "lung", "liver"])
    assert result == pytest.approx([log(4 / 3) + 1, log(2) + 1, log(2) + 1, log(4) + 1])


def test_unseen_piece_can_have_a_set_weight():
    assert smooth_idf(DOCUMENTS, unseen=1.0).of(["liver"]).tolist() == [1.0]


def test_no_pieces_have_no_weights():
    assert smooth_idf([]).of([]).shape == (0,)
