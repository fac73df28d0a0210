"""Pairs of tokens beside the library's own: word pieces, bytes and unigrams, types and truncation."""

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from word_tokenizer import write_tokenizer

from semscale.embedding.cross_encoder import PairTokens, truncated_lengths
from semscale.errors import ModelError

FIRST = ["good food", "a", "food food food food food food food good", "good", ""]
SECOND = ["bad food", "good good good good good good", "a a a a a a a a a a", "good food", "bad"]


def word_pieces() -> Tokenizer:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "ba", "##d", "fo", "##od", "a"]
    vocabulary = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def bytes_of_words() -> Tokenizer:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {word: number for number, word in enumerate(["<s>", "</s>", *alphabet, "Ġa", "oo", "ood"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("Ġ", "a"), ("o", "o"), ("oo", "d")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 1), ("<s>", 0))
    return tokenizer


def unigrams() -> Tokenizer:
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁", "▁good", "▁ba", "d", "▁f", "ood", "▁a"]
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>",
        pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )
    return tokenizer


@pytest.mark.parametrize("make", [word_pieces, bytes_of_words, unigrams])
@pytest.mark.parametrize("longest", [9, 12, 512])
def test_pairs_are_those_of_the_library(make, longest):
    found = PairTokens(make(), longest).rows(FIRST, SECOND)
    library = make()
    whole = library.encode_batch(list(zip(FIRST, SECOND, strict=True)))
    library.enable_truncation(longest, strategy="longest_first")
    expected = library.encode_batch(list(zip(FIRST, SECOND, strict=True)))
    assert [row.tolist() for row in found.ids] == [one.ids for one in expected]
    assert [row.tolist() for row in found.types] == [one.type_ids for one in expected]
    assert found.truncated.tolist() == [len(one.ids) > longest for one in whole]


@pytest.mark.parametrize("room", range(2, 30))
def test_the_longer_text_is_cut_first_as_the_library_does_it(room, tmp_path):
    write_tokenizer(tmp_path / "tokenizer.json", 0)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    tokenizer.enable_truncation(room + 3, strategy="longest_first")
    for first, second in [(1, 1), (5, 9), (9, 5), (20, 20), (3, 25), (25, 3), (14, 15), (15, 14)]:
        owners = tokenizer.encode(" ".join(["w1"] * first), " ".join(["w2"] * second)).sequence_ids
        assert truncated_lengths(first, second, room) == (owners.count(0), owners.count(1))


def test_a_tokenizer_that_parts_no_texts_is_refused():
    tokenizer = word_pieces()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", pair="[CLS] $A $B", special_tokens=[("[CLS]", 2)]
    )
    with pytest.raises(ModelError, match="puts no token between two texts"):
        PairTokens(tokenizer, 512)


def test_a_model_without_room_for_two_texts_is_refused():
    with pytest.raises(ModelError, match="reads 4 tokens at once has no room for two texts"):
        PairTokens(word_pieces(), 4)


def test_no_pairs_give_no_rows():
    found = PairTokens(word_pieces(), 512).rows([], [])
    assert found.ids == []
    assert found.unread.shape == found.truncated.shape == (0,)
    assert found.unread.dtype == np.bool_
