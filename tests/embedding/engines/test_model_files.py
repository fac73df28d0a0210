"""An encoder in 4 bits beside the same numbers as floats, and prefixes of models."""

import json
from pathlib import Path

import numpy as np
import pytest
from q4_writer import Q4Writer, config
from slow_encoder import slow_states
from tokenizers import Tokenizer
from word_tokenizer import write_tokenizer

from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.token_states import TokenEncoder
from semscale.embedding.weight_files import open_checkpoint
from semscale.errors import ModelError
from semscale.weights.known import ModelProfile

ASKING = ModelProfile(prefix="w7 w8 ")
TEXTS = ["w1 w2 w3", "w4", "w9 w8 w7 w6 w5"]


@pytest.fixture
def packed(tmp_path) -> tuple[Path, Q4Writer]:
    writer = Q4Writer()
    folder = tmp_path / "packed"
    writer.write(folder)
    write_tokenizer(folder / "tokenizer.json", 0)
    return folder, writer


def expected_vector(writer: Q4Writer, ids: list[int]) -> np.ndarray:
    mean = slow_states(writer.floats, config(), ids)[-1].mean(axis=0)
    return mean / np.linalg.norm(mean)


def token_ids(text: str) -> list[int]:
    """The ids of the test tokenizer: w0 is 4, w1 is 5, between [CLS], 1, and [SEP], 2."""
    return [1, *(int(word[1:]) + 4 for word in text.split()), 2]


def test_vectors_are_those_of_the_same_numbers_as_floats(packed):
    folder, writer = packed
    vectors = OpenVinoEmbedder(folder, name="tiny").embed(TEXTS).vectors
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(vector, expected_vector(writer, token_ids(text)), atol=1e-5)


def test_a_tokenizer_with_more_tokens_than_the_table_of_words_is_refused(packed):
    # The table has 30 rows, 0 to 29, and the tokenizer 30 tokens: one more has no row.
    folder, _ = packed
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert len(OpenVinoEmbedder(folder, name="tiny").embed(["w1"]).vectors) == 1
    tokenizer.add_tokens(["another"])
    tokenizer.save(str(folder / "tokenizer.json"))
    with pytest.raises(ModelError, match=r"tokenizer.json has token 30, but tiny-q4.bin has words 0 to 29"):
        OpenVinoEmbedder(folder, name="tiny").embed(["w1"])


def test_a_layer_of_4_bits_has_the_states_of_floats(packed):
    folder, writer = packed
    encoder = TokenEncoder(OpenVinoEmbedder(folder, name="tiny"))
    for layer in range(3):
        states = encoder.token_states(["w1 w2"], layer=layer)[0].states
        np.testing.assert_allclose(
            states, slow_states(writer.floats, config(), token_ids("w1 w2"))[layer], atol=1e-5
        )


def test_the_prefix_of_a_profile_is_read_with_every_text_and_stands_in_the_signature(packed):
    folder, writer = packed
    plain, asking = OpenVinoEmbedder(folder, name="t"), OpenVinoEmbedder(folder, name="t", profile=ASKING)
    vector = asking.embed(["w1 w2"]).vectors[0]
    np.testing.assert_allclose(vector, expected_vector(writer, token_ids("w7 w8 w1 w2")), atol=1e-5)
    assert plain.signature.differences(asking.signature) == {"prefix": (None, "w7%20w8%20")}


def test_every_window_of_a_long_text_begins_with_the_prefix(packed):
    folder, writer = packed
    # 24 tokens at once, 4 of them around the text: windows of 20 words that share 24 // 4 = 6: 0-19, 14-29.
    words = [f"w{number % 26}" for number in range(30)]
    found = OpenVinoEmbedder(folder, name="t", profile=ASKING).embed([" ".join(words)])
    parts = [
        expected_vector(writer, token_ids(" ".join(["w7", "w8", *window])))
        for window in (words[:20], words[14:])
    ]
    mean = 24 * parts[0] + 20 * parts[1]
    np.testing.assert_allclose(found.vectors[0], mean / np.linalg.norm(mean), atol=1e-5)
    assert found.windows.tolist() == [2]


def test_unknown_tokens_are_counted_without_the_prefix_in_every_window(packed):
    folder, _ = packed
    embedder = OpenVinoEmbedder(folder, name="t", profile=ASKING)
    known, unknown = ["w1"] * 15, ["what"] * 15
    # Two windows of 20 and 16 words: 15 known and 5 unknown, then 1 known and 15 unknown; 20 of 36.
    found = embedder.embed(["w1 what", "what", " ".join(known + unknown)]).unknown
    assert found.tolist() == pytest.approx([1 / 2, 1, 20 / 36])


def test_tokens_of_the_prefix_are_special_and_places_are_those_of_the_text(packed):
    folder, writer = packed
    encoder = TokenEncoder(OpenVinoEmbedder(folder, name="t", profile=ASKING))
    found = encoder.token_states(["w1 w22"], layer=2)[0]
    assert found.pieces == ("[CLS]", "w7", "w8", "w1", "w22", "[SEP]")
    assert found.special.tolist() == [True, True, True, False, False, True]
    assert found.offsets.tolist() == [[0, 0], [0, 0], [0, 0], [0, 2], [3, 6], [0, 0]]
    expected = slow_states(writer.floats, config(), token_ids("w7 w8 w1 w22"))[2]
    np.testing.assert_allclose(found.states, expected, atol=1e-5)
    assert encoder.reader.special_ids.tolist() == [1, 11, 12, 2]
    assert dict(encoder.signature.fields)["prefix"] == "w7%20w8%20"
    together = encoder.reader.spell_all(["w1 w22", "w3"])
    assert together.special.tolist() == [True, True, True, False, False, True, *[True] * 3, False, True]


def test_the_default_prompt_of_a_folder_is_its_prefix(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    plain = OpenVinoEmbedder(folder, name="t").embed(["w7 w8 w1"]).vectors
    settings = {"prompts": {"query": "w7 w8 ", "passage": "w9 "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    np.testing.assert_allclose(OpenVinoEmbedder(folder, name="t").embed(["w1"]).vectors, plain, atol=1e-6)
    assert open_checkpoint(folder, ModelProfile(prefix="w3 ")).prefix == "w7 w8 "


def test_a_default_prompt_that_is_not_there(write_checkpoint):
    folder, _ = write_checkpoint("bert")
    settings = {"prompts": {"passage": "w9 "}, "default_prompt_name": "query"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(settings))
    with pytest.raises(ModelError, match="names the default prompt 'query', which its prompts do not have"):
        open_checkpoint(folder)


def test_4_bits_without_a_tokenizer(packed):
    folder, _ = packed
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"tokenizer\.json cannot be read"):
        OpenVinoEmbedder(folder, name="t")


def test_a_profile_limits_what_is_read_at_once(packed):
    folder, _ = packed
    assert open_checkpoint(folder).max_tokens == 24
    assert open_checkpoint(folder, ModelProfile(max_tokens=16)).max_tokens == 16
