"""Tokens of texts: windows, prefixes, unknown tokens, and Unigram models beside the library."""

import copy
import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from semscale.embedding import load_embedder
from semscale.embedding.token_states import TokenReader
from semscale.embedding.tokenizer import (
    UnigramTokenizer,
    UnknownTokens,
    Windows,
    WindowTokenizer,
    are_unread,
    cut_windows,
    is_unigram,
    open_text_tokenizer,
    open_tokenizer,
    pool_windows,
    prefix_setting,
    tokens_around,
)
from semscale.errors import ModelError
from semscale.signature import Signature
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.weights.resolving import resolve


def windows(owner, lengths):
    ids = [np.zeros(length, np.int32) for length in lengths]
    return Windows(ids, np.array(owner), np.array(lengths))


def test_windows_are_counted_by_text():
    assert windows([0, 1, 1, 3], [2, 9, 4, 5]).per_text(4).tolist() == [1, 2, 0, 1]


def test_vectors_of_windows_are_averaged_by_their_tokens_and_scaled():
    vectors = np.array([[1, 0], [1, 0], [0, 1]], np.float32)
    pooled = pool_windows(vectors, windows([0, 1, 1], [5, 3, 4]), 2)
    # (3 * (1, 0) + 4 * (0, 1)) / 5 has length 1.
    assert pooled.tolist() == [[1, 0], [pytest.approx(0.6), pytest.approx(0.8)]]


def test_single_window_keeps_its_vector_bit_for_bit():
    vector = np.array([[0.1, 0.7]], np.float32)  # no unit vector, to see that nothing is scaled
    assert (pool_windows(vector, windows([0], [3]), 1) == vector).all()


def test_a_tokenizer_that_cannot_be_read(tmp_path):
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        open_tokenizer(tmp_path / "tokenizer.json")


def test_windows_share_their_overlap_and_the_tokens_around_the_text():
    # 10 own tokens between 2 and 1; 4 fit into a window, and each next one has 4 - 1 = 3 new ones.
    ids = [100, 101, *range(10), 200]
    result = [list(window) for window in cut_windows(ids, (2, 1), max_tokens=7, overlap=1)]
    assert result == [[100, 101, *range(start, start + 4), 200] for start in (0, 3, 6)]


def test_short_text_or_unlimited_model_has_a_single_window():
    assert [list(window) for window in cut_windows([1, 5, 2], (1, 1), 3, 0)] == [[1, 5, 2]]
    assert [list(window) for window in cut_windows([1, *[5] * 99, 2], (1, 1), None, 0)] == [[1, *[5] * 99, 2]]


def test_a_prefix_that_leaves_no_room_is_refused():
    with pytest.raises(ModelError, match="tokens around a text are 6 of the 8 .* choose a shorter prefix"):
        list(cut_windows(range(20), (5, 1), max_tokens=8, overlap=2))


@pytest.fixture
def tokenizer():
    vocabulary = {"[CLS]": 0, "[SEP]": 1, "query": 2, ":": 3, "a": 4}
    word_level = Tokenizer(models.WordLevel(vocabulary, unk_token="a"))
    word_level.pre_tokenizer = pre_tokenizers.Whitespace()
    word_level.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 0), ("[SEP]", 1)]
    )
    return word_level


@pytest.mark.parametrize(
    ("prefix", "ends"), [("", (1, 1)), (" ", (1, 1)), ("query: ", (3, 1)), ("query:", (3, 1))]
)
def test_special_tokens_and_those_of_the_prefix_stand_around_a_text(tokenizer, prefix, ends):
    assert tokens_around(tokenizer, prefix) == ends


def test_prefixes_that_differ_have_fields_that_differ_and_can_stand_in_a_signature():
    shown = {
        str(Signature.of("embed", **prefix_setting(item))) for item in ("query: ", "query_ ", "query:", "a|b")
    }
    assert len(shown) == 4


ROOT = Path(__file__).parents[2]

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
    return [item.ids for item in tokenizer.encode_batch_fast(texts)]


@pytest.fixture(scope="module")
def default_tokenizers():
    """The tokenizer of the default model of ratings, as Semscale and as the library reads it."""
    path = resolve(DEFAULT_RATING_MODEL).folder / "tokenizer.json"
    candidate = open_text_tokenizer(path, "query: ")
    assert isinstance(candidate, UnigramTokenizer)
    return candidate, open_tokenizer(path)


@pytest.mark.parametrize(
    ("text", "result"),
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
def test_a_word_becomes_the_pieces_with_the_largest_sum(text, result):
    tokenizer = UnigramTokenizer(document())
    assert tokenizer.encode(text).ids == [0, *result, 1]
    assert ids(tokenizer, [text]) == [[0, *result, 1]]


def test_tokens_have_the_offsets_of_their_characters():
    result = UnigramTokenizer(document()).encode("query: ab")
    assert result.ids == [0, 10, 8, 3, 6, 1]
    assert result.offsets == [(0, 0), (0, 6), (0, 6), (6, 9), (6, 9), (0, 0)]
    assert result.special_tokens_mask == [1, 0, 0, 0, 0, 1]


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


def test_piece_lengths_may_depend_on_the_preceding_character():
    # "ba" is the longest piece from "b", "aab" the longest from "a", and none begins with "x".
    tokenizer, expected = UnigramTokenizer(document()), library(document())
    texts = ["baab", "aaba", "xaab", "baxba", "▁▁ba"]
    assert ids(tokenizer, texts) == ids(expected, texts)


@pytest.mark.exhaustive
@pytest.mark.parametrize("language", ["zh", "ar", "de"])
def test_ids_of_the_default_model_are_those_of_the_library(default_tokenizers, language):
    with (ROOT / f"bench/data/reviews_{language}.csv").open(encoding="utf-8", newline="") as file:
        texts = [row["text"] for row in csv.DictReader(file)]
    candidate, baseline = default_tokenizers
    assert ids(candidate, texts) == ids(baseline, texts)


def test_repeated_terms_are_tokenized_identically():
    tokenizer = UnigramTokenizer(document())
    assert ids(tokenizer, ["ab abb ab", "ab"]) == [[0, 3, 6, 3, 6, 5, 3, 6, 1], [0, 3, 6, 1]]


VARIANTS = {
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


@pytest.mark.parametrize("change", VARIANTS.values(), ids=VARIANTS)
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
    result, expected = (
        WindowTokenizer(item, 12, 3, prefix="query: ") for item in (small, open_tokenizer(path))
    )
    first, second = result.split(texts), expected.split(texts)
    assert [row.tolist() for row in first.ids] == [row.tolist() for row in second.ids]
    np.testing.assert_array_equal(first.owner, second.owner)
    np.testing.assert_array_equal(
        first.unknown_shares(result.unknown, 4), second.unknown_shares(expected.unknown, 4)
    )


def test_a_prefix_that_ends_within_a_word_is_left_to_the_library(path):
    assert isinstance(open_text_tokenizer(path, "query:"), Tokenizer)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"model": {"type": "Unigram"}}'])
def test_a_damaged_file_is_a_model_error(path, content):
    path.write_text(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        open_text_tokenizer(path, "")


@pytest.fixture(scope="module")
def minilm_tokenizer():
    return open_tokenizer(resolve("all-MiniLM-L6-v2").folder / "tokenizer.json")


def shares(tokenizer, texts):
    ids = [np.array(tokenizer.encode(text).ids, np.int32) for text in texts]
    owner = np.repeat(np.arange(len(ids)), [len(row_ids) for row_ids in ids])
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
def test_share_of_unknown_tokens(minilm_tokenizer, text, share):
    assert shares(minilm_tokenizer, ["before", text])[1] == pytest.approx(share)


@pytest.mark.exhaustive
def test_an_embedder_and_a_reader_of_tokens_agree(minilm_tokenizer):
    texts = ["👍", "good", "great 👍", "这个产品很差", "👍", "word " * 400 + "👍"]
    expected = [True, False, False, True, True, False]
    embedder = load_embedder("all-MiniLM-L6-v2", cache=False)
    assert embedder.embed(texts).unread.tolist() == expected
    reader = TokenReader(minilm_tokenizer)
    assert reader.unread(reader.read(texts)).tolist() == expected


def test_no_texts(minilm_tokenizer):
    assert UnknownTokens(minilm_tokenizer).shares(np.empty(0, np.int32), np.empty(0, np.int64), 0).shape == (
        0,
    )


def test_nothing_is_unknown_to_a_byte_level_tokenizer():
    vocabulary = {"<unk>": 0, **{sign: at + 1 for at, sign in enumerate(pre_tokenizers.ByteLevel.alphabet())}}
    tokenizer = Tokenizer(models.BPE(vocabulary, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    assert shares(tokenizer, ["👍", "很"]) == [0.0, 0.0]


def test_unknown_share_works_for_unigram_tokenizers_without_an_unknown_name():
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
