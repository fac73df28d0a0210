"""Token states against the slow encoder, also of texts that are longer than the model reads at once."""

import json

import numpy as np
import pytest
from slow_encoder import slow_states

from semscale.embedding import openvino as openvino_engine
from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.token_states import TokenEncoder, owning_windows, window_starts
from semscale.errors import InputError

FAMILIES = ["bert", "roberta", "xlm-roberta", "distilbert"]
TEXTS = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5 w4 w3 w2 w1", "w1 w2 w3", "w25 unknown w0"]
LONG = " ".join(f"w{place % 20}" for place in range(40))


def token_ids(config: dict, words: list[str]) -> list[int]:
    """The ids of the test tokenizer: three special tokens, [UNK], then w0, w1, ..."""
    start, end = (1, 2) if config["pad_token_id"] == 0 else (0, 2)
    return [start, *(int(word[1:]) + 4 if word[1:].isdigit() else 3 for word in words), end]


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
    found = [first, *read]
    numbers = [text for text, _ in found]
    assert [sorted(numbers[:2]), sorted(numbers[2:5]), sorted(numbers[5:])] == [[2, 5], [0, 1, 3], [2, 4]]
    expected = encoder.token_states(texts, layer=1)
    for text, states in found:
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
        for one, other in zip(before, after, strict=True):
            np.testing.assert_array_equal(one.states, other.states)


def test_tokens_know_their_places_and_which_of_them_are_special(write_checkpoint):
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


def test_a_long_texts_tokens_come_once_each_from_the_window_they_stand_deepest_in(write_checkpoint):
    # 24 positions leave room for 22 words; windows share at least 24 // 4 = 6, so they begin at words 0, 16
    # and, to end with the text, 18. Word 18 is 3 words from the first window's end and 2 from the second
    # one's start; word 19 is 2 and 3 away, and 1 from the third one's start. The second window ends with
    # word 37: word 27 is 10 away from that and 9 from the third one's start, word 28 is 9 and 10.
    folder, weights = write_checkpoint("bert")
    config = json.loads((folder / "config.json").read_text())
    tokens = encoder_of(folder).token_states([LONG, "w1"], layer=2)[0]
    words = LONG.split()
    windows = [
        slow_states(weights, config, token_ids(config, words[start : start + 22]))[2] for start in (0, 16, 18)
    ]
    expected = [windows[0][:20], windows[1][1 + 19 - 16 : 1 + 28 - 16], windows[2][1 + 28 - 18 :]]
    np.testing.assert_allclose(tokens.states, np.concatenate(expected), atol=2e-5)
    assert tokens.windows == 3
    assert tokens.special.sum() == 2
    assert len(tokens.ids) == 42


def test_a_text_that_just_fits_is_read_whole(write_checkpoint):
    encoder = encoder_of(write_checkpoint("bert")[0])
    words = LONG.split()
    found = encoder.token_states([" ".join(words[:22]), " ".join(words[:23])], layer=0)
    assert [tokens.windows for tokens in found] == [1, 2]


@pytest.mark.parametrize("content", [5, 9, 10, 11, 30])
def test_no_token_stands_deeper_in_another_window(content):
    room, overlap = 5, 2
    starts = window_starts(content, room, overlap)
    owner = owning_windows(content, starts, room)
    for place in range(content):
        depths = {}
        for number, start in enumerate(starts.tolist()):
            if start <= place < start + room:
                left = np.inf if number == 0 else place - start
                right = np.inf if number == len(starts) - 1 else start + room - 1 - place
                depths[number] = min(left, right)
        assert depths[int(owner[place])] == max(depths.values())


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
