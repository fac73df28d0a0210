"""Which texts a model cannot read, with the default model's tokenizer and with made-up ones."""

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from semscale.embedding import load_embedder
from semscale.embedding.token_states import TokenReader
from semscale.embedding.tokenizer import UnknownTokens, are_unread, open_tokenizer
from semscale.weights.resolving import resolve


@pytest.fixture(scope="module")
def tokenizer():
    return open_tokenizer(resolve("all-MiniLM-L6-v2").folder / "tokenizer.json")


def shares(tokenizer, texts):
    ids = [np.array(tokenizer.encode(text).ids, np.int32) for text in texts]
    owner = np.repeat(np.arange(len(ids)), [len(own) for own in ids])
    return UnknownTokens(tokenizer).shares(np.concatenate(ids), owner, len(ids)).tolist()


# The default model's vocabulary has words and pieces of Latin scripts, single letters of Arabic and Cyrillic,
# a few Chinese signs and no emoji. Letters it knows are not understood, but that is a matter of language.
@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("good", 0.0),
        ("👍", 1.0),
        ("👍👍 👎", 1.0),
        ("👍!!!", 1.0),  # punctuation does not count
        ("great 👍", 0.5),  # as many words as emoji: not mostly unknown
        ("❤️ love it", 1 / 3),
        ("这个产品很差", 1.0),
        ("สินค้านี้แย่มาก", 1.0),
        ("هذا المنتج ممتاز", 0.0),
        ("Это плохо", 0.0),
        ("!?", 0.0),  # punctuation alone is read
        ("\u200b", 1.0),  # no token at all
    ],
)
def test_share_of_unknown_tokens(tokenizer, text, share):
    assert shares(tokenizer, ["before", text])[1] == pytest.approx(share)


def test_an_embedder_and_a_reader_of_tokens_agree(tokenizer):
    texts = ["👍", "good", "great 👍", "这个产品很差", "👍", "word " * 400 + "👍"]
    expected = [True, False, False, True, True, False]
    embedder = load_embedder("all-MiniLM-L6-v2", cache=False)
    assert embedder.embed(texts).unread.tolist() == expected
    reader = TokenReader(tokenizer)
    assert reader.unread(reader.read(texts)).tolist() == expected


def test_no_texts(tokenizer):
    assert UnknownTokens(tokenizer).shares(np.empty(0, np.int32), np.empty(0, np.int64), 0).shape == (0,)


def test_nothing_is_unknown_to_a_byte_level_tokenizer():
    vocabulary = {"<unk>": 0, **{sign: at + 1 for at, sign in enumerate(pre_tokenizers.ByteLevel.alphabet())}}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    assert shares(tokenizer, ["👍", "很"]) == [0.0, 0.0]


def test_a_unigram_tokenizer_does_not_name_its_unknown_token_and_begins_words_with_a_sign():
    # "▁" before an unknown word is no word of its own: "👍" is ["▁", "<unk>"], and wholly unknown.
    pieces = [("<unk>", 0.0), ("▁", -1.0), ("▁good", -1.0), ("!", -1.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    assert tokenizer.encode("👍").tokens == ["▁", "👍"]
    assert shares(tokenizer, ["👍", "good 👍", "👍!"]) == [1.0, 0.5, 1.0]


def test_a_prompt_before_every_text_does_not_count():
    vocabulary = {"[UNK]": 0, "query": 1, "good": 2}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    ids = np.array(tokenizer.encode("query 👍").ids, np.int32)
    assert UnknownTokens(tokenizer, "query ").shares(ids, np.zeros(2, np.int64), 1).tolist() == [1.0]


def test_a_share_that_nobody_knows_says_nothing_against_a_text():
    assert are_unread(np.array([np.nan, 0.5, 0.51], np.float32)).tolist() == [False, False, True]
