"""Tokens found part by part are those of the whole text."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers

from semscale.embedding.loading import load_token_encoder
from semscale.embedding.token_states import SpacedTokens, reads_between_spaces

# Marks, accents of their own, characters that are dropped or are white space to some only, special tokens.
PARTS = st.sampled_from(
    [*"aeBc .,!?'é苏ΣςİıﬁX", "\t", "\n", "\x1c", "\x85", "\xa0", "\u3000", "\u200b", "\u0301", "\x00", "😀"]
    + ["[SEP]", "[MASK]", "##s", "  ", " \u0301", "x" * 101]
)
TEXTS = st.one_of(
    st.lists(PARTS, max_size=12).map("".join), st.text(st.characters(exclude_categories=["Cs"]))
)


@pytest.fixture(scope="module")
def reader():
    return load_token_encoder("all-MiniLM-L6-v2").reader


def spelled_whole(reader, texts):
    """What the tokenizer itself says of each text."""
    found = [reader.spell(text) for text in texts]
    return (
        np.concatenate([each.ids for each in found]),
        np.concatenate([each.offsets for each in found]),
        np.concatenate([each.special for each in found]),
        np.array([len(each.ids) for each in found]),
    )


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_texts_are_spelled_as_the_tokenizer_spells_them(reader, texts):
    assert reads_between_spaces(reader._tokenizer)
    found = SpacedTokens(reader._tokenizer, reader.special_ids, reader.before).spell(texts)
    for ours, theirs in zip(found, spelled_whole(reader, texts), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_what_was_learned_is_found_again(reader):
    speller = SpacedTokens(reader._tokenizer, reader.special_ids, reader.before)
    first = speller.spell(["unlike that", "that"])
    speller.spell(["unlike this, too"])
    again = speller.spell(["unlike that", "that"])
    for ours, theirs in zip(first, again, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_all_texts_are_spelled_alike_whatever_the_way(reader):
    texts = ["Zürich, 3 °C?", "", "half \ud83d a pair", "no  change"]
    spelled = reader.spell_all(texts)
    ids, offsets, special, lengths = spelled_whole(reader, texts)
    np.testing.assert_array_equal(spelled.tokens.ids, ids)
    np.testing.assert_array_equal(spelled.tokens.lengths, lengths)
    np.testing.assert_array_equal(spelled.offsets, offsets)
    np.testing.assert_array_equal(spelled.special, special)
    assert len(reader.spell_all([]).tokens) == 0


def test_other_tokenizers_read_across_spaces(reader):
    byte_level = Tokenizer(models.BPE({"a": 0}, []))
    byte_level.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    assert not reads_between_spaces(byte_level)
    reaching = Tokenizer.from_str(reader._tokenizer.to_str())
    assert reads_between_spaces(reaching)
    reaching.add_special_tokens([AddedToken("<gap>", lstrip=True)])
    assert not reads_between_spaces(reaching)
