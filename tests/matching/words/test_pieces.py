import numpy as np
import pytest

from semscale.errors import ModelError
from semscale.matching.words.pieces import PieceTable, alphanumeric, load_pieces


def test_continuations_and_signs_are_dropped():
    assert alphanumeric(["card", "##iom", ",", "12", "é", "-"]) == ["card", "12", "é"]


def test_a_piece_is_embedded_when_it_is_first_met(toy_embedder):
    table = PieceTable(toy_embedder)
    table.learn(["heart", "lung", "heart"])
    table.learn(["lung", "liver"])
    assert toy_embedder.embedded == ["heart", "lung", "liver"]
    assert table.rows(["liver", "heart", "heart"]).tolist() == [2, 0, 0]


def test_vectors_have_length_1_to_double_precision(toy_embedder):
    table = PieceTable(toy_embedder)
    table.learn(map(str, range(50)))
    assert np.abs(np.einsum("ij,ij->i", table.vectors, table.vectors) - 1).max() < 1e-14


def test_a_file_that_is_no_tokenizer_is_named(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        load_pieces(tmp_path / "tokenizer.json")
