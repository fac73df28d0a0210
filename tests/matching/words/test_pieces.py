import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from semscale.matching.layered import PieceTable, alphanumeric, pieces_of


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


def test_a_text_is_split_whole_and_without_special_tokens():
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "[CLS]": 1, "w": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    tokenizer.enable_truncation(2)
    assert pieces_of(tokenizer)("w w w") == ["w", "w", "w"]


def test_pieces_of_sentencepiece_are_written_as_those_of_bert():
    vocabulary = [
        ("<unk>", 0.0),
        ("▁", -1.0),
        ("▁card", -1.0),
        ("iology", -1.0),
        ("▁a", -1.0),
        ("▁word", -1.0),
    ]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    split = pieces_of(tokenizer)("cardiology a")
    assert split == ["card", "##iology", "a"]
    assert alphanumeric(split) == ["card", "a"]
