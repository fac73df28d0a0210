"""A Unigram tokenizer of little memory gives the ids that the library gives."""

import copy
import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from semscale.embedding.tokenizer import (
    UnigramTokenizer,
    WindowTokenizer,
    is_unigram,
    open_text_tokenizer,
    open_tokenizer,
)
from semscale.errors import ModelError
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.weights.resolving import resolve

ROOT = Path(__file__).parents[3]

# Log-probabilities. "<s>" and the like have 0, as XLM-RoBERTa's have.
PIECES = {"<s>": 0, "</s>": 0, "<unk>": 0, "▁": -3, "a": -2, "b": -2, "ab": -3, "▁a": -4.5, ":": -4, "é": -5}
PIECES |= {"▁query": -6, "ba": -3, "aab": -5.5, "▁▁": -7}
UNKNOWN = 2


def document(split=None):
    tokenizer = Tokenizer(models.Unigram([(p, float(s)) for p, s in PIECES.items()], UNKNOWN, False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = split or pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.add_special_tokens(["<s>", "</s>", "<unk>", AddedToken("<mask>", lstrip=True)])
    return json.loads(tokenizer.to_str())


def library(of):
    return Tokenizer.from_str(json.dumps(of))


def ids(tokenizer, texts):
    return [each.ids for each in tokenizer.encode_batch_fast(texts)]


@pytest.fixture(scope="module")
def default_tokenizers():
    """The tokenizer of the default model of ratings, as Semscale and as the library reads it."""
    path = resolve(DEFAULT_RATING_MODEL).folder / "tokenizer.json"
    ours = open_text_tokenizer(path, "query: ")
    assert isinstance(ours, UnigramTokenizer)
    return ours, open_tokenizer(path)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # "▁" + "ab" has -6, "▁a" + "b" -6.5, and "▁" + "a" + "b" -7.
        ("ab", [3, 6]),
        # "▁a" + "b" + "b" has -8.5, "▁" + "ab" + "b" -8.
        ("abb", [3, 6, 5]),
        # "▁a" + "ab" has -7.5, "▁" + "aab" -8.5, "▁" + "a" + "ab" -8.
        ("aab", [7, 6]),
        # Three unknown characters in turn are a single token.
        ("xyz a", [3, UNKNOWN, 7]),
        ("", []),
        # A special token is no word, and what follows it begins a word.
        ("a<s>b", [7, 0, 3, 5]),
        ("a <mask>", [7, len(PIECES)]),
    ],
)
def test_a_word_becomes_the_pieces_with_the_largest_sum(text, found):
    tokenizer = UnigramTokenizer(document())
    assert tokenizer.encode(text).ids == [0, *found, 1]
    assert ids(tokenizer, [text]) == [[0, *found, 1]]


def test_tokens_have_the_places_of_their_words():
    found = UnigramTokenizer(document()).encode("query: ab")
    assert found.ids == [0, 10, 8, 3, 6, 1]
    assert found.offsets == [(0, 0), (0, 6), (0, 6), (6, 9), (6, 9), (0, 0)]
    assert found.special_tokens_mask == [1, 0, 0, 0, 0, 1]


def test_known_tokens_have_ids():
    tokenizer = UnigramTokenizer(document())
    assert [tokenizer.token_to_id(token) for token in ("ab", "<mask>", "nothing")] == [6, len(PIECES), None]
    assert tokenizer.largest_id == len(PIECES)


PARTS = st.sampled_from(
    [*"aaabbb  :xé苏", "e\u0301", "ﬁ", "<s>", "＜s＞", "<mask>", "<unk>", "▁", "\t", "b" * 40]
)
SPLITS = [
    pre_tokenizers.Metaspace(),
    pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]),
]


@given(st.lists(st.lists(PARTS, max_size=20).map("".join), max_size=4), st.sampled_from(SPLITS))
def test_ids_are_those_of_the_library(texts, split):
    of = document(split)
    assert is_unigram(of)
    assert ids(UnigramTokenizer(copy.deepcopy(of)), texts) == ids(library(of), texts)


def test_pieces_may_be_longer_after_one_character_than_after_another():
    # "ba" is the longest piece from "b", "aab" the longest from "a", and none begins with "x".
    tokenizer, expected = UnigramTokenizer(document()), library(document())
    texts = ["baab", "aaba", "xaab", "baxba", "▁▁ba"]
    assert ids(tokenizer, texts) == ids(expected, texts)


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", ["zh", "ar", "de"])
def test_ids_of_the_default_model_are_those_of_the_library(default_tokenizers, language):
    with (ROOT / f"bench/data/reviews_{language}.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    ours, theirs = default_tokenizers
    assert ids(ours, texts) == ids(theirs, texts)


def test_words_met_twice_are_read_alike():
    tokenizer = UnigramTokenizer(document())
    assert ids(tokenizer, ["ab abb ab", "ab"]) == [[0, 3, 6, 3, 6, 5, 3, 6, 1], [0, 3, 6, 1]]


OTHERS = {
    "bytes for unknown characters": lambda of: of["model"].update(byte_fallback=True),
    "no unknown token": lambda of: of["model"].update(unk_id=None),
    "a setting that is not known": lambda of: of["model"].update(novel=1),
    "words not marked": lambda of: of.update(pre_tokenizer={"type": "Whitespace"}),
    "first word alone marked": lambda of: of["pre_tokenizer"].update(prepend_scheme="first"),
    "a text is one word": lambda of: of["pre_tokenizer"].update(split=False),
    "no words": lambda of: of.update(pre_tokenizer=None),
    "special token like a word": lambda of: of["added_tokens"][0].update(content="▁s"),
    "special token with a space": lambda of: of["added_tokens"][0].update(content=" s"),
    "special token that is looked for in the normalised text": lambda of: of["added_tokens"][0].update(
        normalized=True
    ),
    "steps without any": lambda of: of.update(pre_tokenizer={"type": "Sequence", "pretokenizers": []}),
    "another frame": lambda of: of.update(post_processor={"type": "RobertaProcessing"}),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS)
def test_other_tokenizers_are_left_to_the_library(change):
    of = document()
    change(of)
    assert not is_unigram(of)


@pytest.mark.parametrize("left_out", ["post_processor", "added_tokens", "normalizer"])
def test_parts_that_a_file_may_leave_out_are_not_asked_for(left_out):
    of = document()
    del of["added_tokens"], of["post_processor"]
    of |= {"normalizer": None, "added_tokens": [], "post_processor": None}
    del of[left_out]
    assert is_unigram(of)
    # "▁" + "ab" has -6, the best of three ways.
    assert UnigramTokenizer(copy.deepcopy(of)).encode("ab").ids == [3, 6] == library(of).encode("ab").ids


def test_steps_that_do_not_split_are_left_to_the_library():
    of = document()
    del of["pre_tokenizer"]
    assert not is_unigram(of)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(document()), encoding="utf-8")
    return path


def test_windows_of_texts_are_those_that_the_library_gives(path):
    texts = ["ab " * 30, "a", "", "xyz 苏"]
    small = open_text_tokenizer(path, "query: ")
    assert isinstance(small, UnigramTokenizer)
    found, expected = (
        WindowTokenizer(each, 12, 3, prefix="query: ") for each in (small, open_tokenizer(path))
    )
    one, other = found.split(texts), expected.split(texts)
    assert [row.tolist() for row in one.ids] == [row.tolist() for row in other.ids]
    np.testing.assert_array_equal(one.owner, other.owner)
    np.testing.assert_array_equal(
        one.unknown_shares(found.unknown, 4), other.unknown_shares(expected.unknown, 4)
    )


def test_a_prefix_that_ends_within_a_word_is_left_to_the_library(path):
    assert isinstance(open_text_tokenizer(path, "query:"), Tokenizer)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"model": {"type": "Unigram"}}'])
def test_a_damaged_file_is_a_model_error(path, content):
    path.write_text(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        open_text_tokenizer(path, "")
