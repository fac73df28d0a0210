"""States of single tokens: windows of long texts, positions in a text, and engines that show states."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.slow_encoder import slow_states
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors

from semscale.embedding import load_embedder
from semscale.embedding import openvino as openvino_engine
from semscale.embedding.loading import load_token_encoder
from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.token_states import (
    ReadingGroup,
    SpacedTokens,
    TokenEncoder,
    WindowedText,
    owning_windows,
    reads_between_spaces,
    state_engine,
    window_starts,
)
from semscale.errors import InputError
from semscale.matching.bertscore import BertScorer

FAMILIES = ["bert", "roberta", "xlm-roberta", "distilbert"]
TEXTS = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5 w4 w3 w2 w1", "w1 w2 w3", "w25 unknown w0"]
LONG = " ".join(f"w{index % 20}" for index in range(40))


def token_ids(config: dict, pieces: list[str]) -> list[int]:
    """The ids of the test tokenizer: three special tokens, [UNK], then w0, w1, ..."""
    start, end = (1, 2) if config["pad_token_id"] == 0 else (0, 2)
    return [start, *(int(word[1:]) + 4 if word[1:].isdigit() else 3 for word in pieces), end]


def encoder_of(folder, **settings) -> TokenEncoder:
    return TokenEncoder(OpenVinoEmbedder(folder, name="random", **settings))


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", FAMILIES)
def test_every_layers_states_are_those_of_the_slow_encoder(family, write_checkpoint):
    folder, weights = write_checkpoint(family)
    config = json.loads((folder / "config.json").read_text())
    encoder = encoder_of(folder)
    for layer in range(encoder.layers + 1):
        for text, tokens in zip(TEXTS, encoder.token_states(TEXTS, layer=layer), strict=True):
            expected = slow_states(weights, config, token_ids(config, text.split()))[layer]
            np.testing.assert_allclose(tokens.states, expected, atol=2e-5)


def test_groups_are_read_ahead_and_come_in_their_order(write_checkpoint):
    encoder = encoder_of(write_checkpoint("bert")[0])
    texts = [*TEXTS, LONG]
    tokens = encoder.reader.read(texts)
    asked = []

    def groups():
        for group in ([2, 5], [], [0, 1, 3], [4, 2]):
            asked.append(group)
            yield np.array(group, np.int64)

    read = encoder.encode_groups(tokens, groups(), layer=1)
    first = next(read)
    assert len(asked) > 1  # while states of the first group are still to be taken
    result = [first, *read]
    numbers = [text for text, _ in result]
    assert [sorted(numbers[:2]), sorted(numbers[2:5]), sorted(numbers[5:])] == [[2, 5], [0, 1, 3], [2, 4]]
    expected = encoder.token_states(texts, layer=1)
    for text, states in result:
        np.testing.assert_array_equal(states, expected[text].states)


def test_two_layers_in_turn_take_two_compiled_models(write_checkpoint, monkeypatch):
    compiled, pipeline = [], openvino_engine.Pipeline

    def counting(graph, *, arithmetic):
        compiled.append(arithmetic)
        return pipeline(graph, arithmetic=arithmetic)

    monkeypatch.setattr(openvino_engine, "Pipeline", counting)
    encoder = encoder_of(write_checkpoint("bert")[0])
    first = [encoder.token_states(TEXTS, layer=layer) for layer in (0, 1)]
    again = [encoder.token_states(TEXTS, layer=layer) for layer in (0, 1)]
    assert len(compiled) == 2
    for before, after in zip(first, again, strict=True):
        for entry, other in zip(before, after, strict=True):
            np.testing.assert_array_equal(entry.states, other.states)


def test_token_states_have_offsets_and_special_marks(write_checkpoint):
    tokens = encoder_of(write_checkpoint("bert")[0]).token_states(["w1  w25 x"], layer=1)[0]
    assert tokens.pieces == ("[CLS]", "w1", "w25", "[UNK]", "[SEP]")
    assert tokens.special.tolist() == [True, False, False, False, True]
    assert tokens.offsets.tolist() == [[0, 0], [0, 2], [4, 7], [8, 9], [0, 0]]
    assert tokens.windows == 1


def test_the_space_before_a_text_of_the_roberta_family_moves_no_offset(write_checkpoint):
    encoder = encoder_of(write_checkpoint("roberta")[0])
    assert encoder.token_states(["w1 w25"], layer=0)[0].offsets.tolist() == [[0, 0], [0, 2], [3, 6], [0, 0]]
    assert ("prefix", "space") in encoder.signature.fields
    assert ("prefix", "none") in encoder_of(write_checkpoint("xlm-roberta")[0]).signature.fields


def test_tokens_of_a_long_text_come_once_from_their_most_central_window(write_checkpoint):
    # 24 positions leave room for 22 words; windows share at least 24 // 4 = 6, so they begin at words 0, 16
    # and, to end with the text, 18. Word 18 is 3 words from the first window's end and 2 from the second
    # one's start; word 19 is 2 and 3 away, and 1 from the third one's start. The second window ends with
    # word 37: word 27 is 10 away from that and 9 from the third one's start, word 28 is 9 and 10.
    folder, weights = write_checkpoint("bert")
    config = json.loads((folder / "config.json").read_text())
    tokens = encoder_of(folder).token_states([LONG, "w1"], layer=2)[0]
    pieces = LONG.split()
    windows = [
        slow_states(weights, config, token_ids(config, pieces[start : start + 22]))[2]
        for start in (0, 16, 18)
    ]
    expected = [windows[0][:20], windows[1][1 + 19 - 16 : 1 + 28 - 16], windows[2][1 + 28 - 18 :]]
    np.testing.assert_allclose(tokens.states, np.concatenate(expected), atol=2e-5)
    assert tokens.windows == 3
    assert tokens.special.sum() == 2
    assert len(tokens.ids) == 42


def test_a_text_that_just_fits_is_read_whole(write_checkpoint):
    encoder = encoder_of(write_checkpoint("bert")[0])
    pieces = LONG.split()
    result = encoder.token_states([" ".join(pieces[:22]), " ".join(pieces[:23])], layer=0)
    assert [tokens.windows for tokens in result] == [1, 2]


@pytest.mark.parametrize("content", [5, 9, 10, 11, 30])
def test_no_token_stands_deeper_in_another_window(content):
    room, overlap = 5, 2
    starts = window_starts(content, room, overlap)
    owner = owning_windows(content, starts, room)
    for index in range(content):
        depths = {}
        for number, start in enumerate(starts.tolist()):
            if start <= index < start + room:
                left = np.inf if number == 0 else index - start
                right = np.inf if number == len(starts) - 1 else start + room - 1 - index
                depths[number] = min(left, right)
        assert depths[int(owner[index])] == max(depths.values())


@pytest.mark.parametrize("precision", ["exact", "fast"])
def test_company_and_order_never_change_a_bit(precision, write_checkpoint):
    encoder = encoder_of(write_checkpoint("bert")[0], precision=precision)
    texts = [*TEXTS, LONG]
    together = encoder.token_states(texts, layer=3)
    for text, tokens in zip(texts, together, strict=True):
        np.testing.assert_array_equal(encoder.token_states([text], layer=3)[0].states, tokens.states)
    for tokens, turned in zip(together, encoder.token_states(texts[::-1], layer=3)[::-1], strict=True):
        np.testing.assert_array_equal(turned.states, tokens.states)


@pytest.mark.parametrize("layer", [-1, 4, 1.0, True])
def test_a_layer_that_is_not_there_is_refused(layer, write_checkpoint):
    with pytest.raises(InputError, match=f"layer must be between 0 and 3, got {layer}"):
        encoder_of(write_checkpoint("bert")[0]).token_states(["w1"], layer=layer)


def test_no_texts_have_no_states(write_checkpoint):
    assert encoder_of(write_checkpoint("bert")[0]).token_states([], layer=1) == []


def reader_of(folder):
    return TokenEncoder(OpenVinoEmbedder(folder, name="random")).reader


def byte_level_reader(folder, family):
    """A byte-level tokenizer with the merges "Ġa", "Ġab" and "ab": <s> 0, </s> 1, a 2, b 3, Ġ 4, ..."""
    vocabulary = {name: index for index, name in enumerate(["<s>", "</s>", "a", "b", "Ġ", "ab", "Ġa", "Ġab"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "b"), ("Ġ", "ab"), ("Ġ", "a")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    config = json.loads((folder / "config.json").read_text()) | {"model_type": family}
    (folder / "config.json").write_text(json.dumps(config))
    return reader_of(folder)


def test_a_first_word_of_the_roberta_family_is_spelled_as_any_other(write_checkpoint):
    reader = byte_level_reader(write_checkpoint("roberta")[0], "roberta")
    assert reader.read(["ab ab"]).ids.tolist() == [0, 7, 7, 1]
    spelling = reader.spell("ab ab")
    assert spelling.pieces == ("<s>", "Ġab", "Ġab", "</s>")
    # The first token's own space is not in the text; the second one's is.
    assert spelling.offsets.tolist() == [[0, 0], [0, 2], [2, 5], [0, 0]]


def test_other_families_texts_stay_as_they_are(write_checkpoint):
    reader = byte_level_reader(write_checkpoint("xlm-roberta")[0], "xlm-roberta")
    assert reader.read(["ab ab"]).ids.tolist() == [0, 5, 7, 1]


def test_texts_lie_end_to_end(write_checkpoint):
    reader = reader_of(write_checkpoint("bert")[0])
    tokens = reader.read(["w1 w2", "w3"])
    assert tokens.lengths.tolist() == [4, 3]
    assert tokens.of(1).tolist() == [1, 7, 2]
    assert reader.special_ids.tolist() == [1, 2]
    assert reader.vocabulary == 30
    assert len(reader.read([])) == 0


class OtherEngine:
    """An engine of somebody else, which does what another one does."""

    def __init__(self, engine):
        self._engine = engine

    def __getattr__(self, name):
        return getattr(self._engine, name)


@pytest.fixture
def engine(write_checkpoint):
    return OpenVinoEmbedder(write_checkpoint("bert")[0], name="random")


def test_any_engine_that_shows_states_serves(engine):
    pair = ["w1 w2"], ["w2 w3"]
    candidate = BertScorer(OtherEngine(engine), layer=2).score(*pair)
    baseline = BertScorer(TokenEncoder(engine), layer=2).score(*pair)
    assert candidate.signature == baseline.signature
    np.testing.assert_array_equal(candidate.f1, baseline.f1)


def test_state_engine_returns_the_engine_behind_a_cache(tmp_path):
    embedder = load_embedder("all-MiniLM-L6-v2", cache=tmp_path)
    assert state_engine(embedder) is embedder.embedder


def test_an_embedder_without_states_is_refused_with_the_remedy(toy_embedder):
    with pytest.raises(InputError, match="engine='openvino' and engine='torch' do, got ToyEmbedder"):
        state_engine(toy_embedder)


def test_the_signature_of_states_says_nothing_of_vectors(engine):
    names = [name for name, _ in TokenEncoder(engine).signature.fields]
    assert names == ["model", "setup", "engine", "precision", "prefix", "window"]


@pytest.mark.parametrize("layer", [-1, 4, 1.0, True, "1"])
def test_an_engine_refuses_a_layer_that_it_lacks(engine, layer):
    with pytest.raises(InputError, match="layer must be between 0 and 3"):
        engine.check_layer(layer)


CLS, SEP = 101, 102


def states_of(ids):
    """States that show their token: the id itself, in one dimension."""
    return np.asarray(ids, np.float32)[:, None]


def test_windows_have_special_tokens_around_their_part():
    text = WindowedText.cut(np.array([CLS, 1, 2, 3, 4, 5, SEP], np.int32), (1, 1), room=3, overlap=1)
    assert [window.tolist() for window in text.windows] == [[CLS, 1, 2, 3, SEP], [CLS, 3, 4, 5, SEP]]
    # Token 3 is at the edge of both windows, as far from it in the first.
    assert text.owner.tolist() == [0, 0, 0, 1, 1]


@given(st.integers(1, 40), st.integers(2, 12), st.data())
def test_joined_states_are_those_of_the_text(content, room, data):
    overlap = data.draw(st.integers(0, room - 1))
    ids = np.array([CLS, *range(1, content + 1), SEP], np.int32)
    text = WindowedText.cut(ids, (1, 1), room=room, overlap=overlap)
    assert all(len(window) <= room + 2 for window in text.windows)
    assert text.join_states([states_of(window) for window in text.windows])[:, 0].tolist() == ids.tolist()


def test_a_text_is_yielded_when_all_its_windows_are_there():
    short = np.array([CLS, 9, SEP], np.int32)
    long = np.array([CLS, 1, 2, 3, 4, SEP], np.int32)
    texts = [WindowedText.whole(short), WindowedText.cut(long, (1, 1), room=2, overlap=0)]
    group = ReadingGroup(np.array([7, 3]), texts)
    assert [row.tolist() for row in group.rows] == [[CLS, 9, SEP], [CLS, 1, 2, SEP], [CLS, 3, 4, SEP]]
    last = np.stack([states_of(group.rows[2])])
    assert list(group.receive(np.array([2]), last)) == []
    ((number, states),) = group.receive(np.array([0]), np.stack([states_of(short)]))
    assert (number, states[:, 0].tolist()) == (7, short.tolist())
    ((number, states),) = group.receive(np.array([1]), np.stack([states_of(group.rows[1])]))
    assert (number, states[:, 0].tolist()) == (3, long.tolist())


# Marks, accents of their own, characters that are dropped or are white space to some only, special tokens.
PARTS = st.sampled_from(
    [*"aeBc .,!?'é苏ΣςİıﬁX", "\t", "\n", "\x1c", "\x85", "\xa0", "\u3000", "\u200b", "\u0301", "\x00", "😀"]
    + ["[SEP]", "[MASK]", "##s", "  ", " \u0301", "x" * 101]
)
SPACED_TEXTS = st.one_of(
    st.lists(PARTS, max_size=12).map("".join), st.text(st.characters(exclude_categories=["Cs"]))
)


@pytest.fixture(scope="module")
def reader():
    return load_token_encoder("all-MiniLM-L6-v2").reader


def spelled_whole(reader, texts):
    """What the tokenizer itself says of each text."""
    result = [reader.spell(text) for text in texts]
    return (
        np.concatenate([encoding.ids for encoding in result]),
        np.concatenate([encoding.offsets for encoding in result]),
        np.concatenate([encoding.special for encoding in result]),
        np.array([len(encoding.ids) for encoding in result]),
    )


@given(st.lists(SPACED_TEXTS, min_size=1, max_size=5))
def test_texts_are_spelled_as_the_tokenizer_spells_them(reader, texts):
    assert reads_between_spaces(reader._tokenizer)
    result = SpacedTokens(reader._tokenizer, reader.special_ids, reader.before).spell(texts)
    for candidate, baseline in zip(result, spelled_whole(reader, texts), strict=True):
        np.testing.assert_array_equal(candidate, baseline)


def test_spelling_a_text_again_gives_equal_results(reader):
    speller = SpacedTokens(reader._tokenizer, reader.special_ids, reader.before)
    first = speller.spell(["unlike that", "that"])
    speller.spell(["unlike this, too"])
    again = speller.spell(["unlike that", "that"])
    for candidate, baseline in zip(first, again, strict=True):
        np.testing.assert_array_equal(candidate, baseline)


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
