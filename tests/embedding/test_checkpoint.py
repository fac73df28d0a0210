"""Files of a model: settings, safetensors and 4-bit weights; damaged ones are refused."""

import json
import random
import struct
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save
from tests.support.q4_writer import Q4Writer, config
from tests.support.slow_encoder import slow_states
from tests.support.word_tokenizer import write_tokenizer
from tokenizers import Tokenizer

from semscale.embedding.checkpoint import Q4Header, Q4Parameters, Q4Table, open_checkpoint, read_tensors
from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.token_states import TokenEncoder
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


def test_tokenizer_with_more_tokens_than_the_word_table_is_refused(packed):
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
    result = OpenVinoEmbedder(folder, name="t", profile=ASKING).embed([" ".join(words)])
    parts = [
        expected_vector(writer, token_ids(" ".join(["w7", "w8", *window])))
        for window in (words[:20], words[14:])
    ]
    mean = 24 * parts[0] + 20 * parts[1]
    np.testing.assert_allclose(result.vectors[0], mean / np.linalg.norm(mean), atol=1e-5)
    assert result.windows.tolist() == [2]


def test_unknown_tokens_are_counted_without_the_prefix_in_every_window(packed):
    folder, _ = packed
    embedder = OpenVinoEmbedder(folder, name="t", profile=ASKING)
    known, unknown = ["w1"] * 15, ["what"] * 15
    # Two windows of 20 and 16 words: 15 known and 5 unknown, then 1 known and 15 unknown; 20 of 36.
    result = embedder.embed(["w1 what", "what", " ".join(known + unknown)]).unknown
    assert result.tolist() == pytest.approx([1 / 2, 1, 20 / 36])


def test_prefix_tokens_are_special_and_offsets_refer_to_the_text(packed):
    folder, writer = packed
    encoder = TokenEncoder(OpenVinoEmbedder(folder, name="t", profile=ASKING))
    result = encoder.token_states(["w1 w22"], layer=2)[0]
    assert result.pieces == ("[CLS]", "w7", "w8", "w1", "w22", "[SEP]")
    assert result.special.tolist() == [True, True, True, False, False, True]
    assert result.offsets.tolist() == [[0, 0], [0, 0], [0, 0], [0, 2], [3, 6], [0, 0]]
    expected = slow_states(writer.floats, config(), token_ids("w7 w8 w1 w22"))[2]
    np.testing.assert_allclose(result.states, expected, atol=1e-5)
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


PACKED = Path("tiny-q4.bin")


def test_q4_block_stores_its_scale_then_low_bits_then_high_bits():
    # Scale .5; byte 0 is 0x1f: number 0 is (15 - 8) * .5 = 3.5, number 16 is (1 - 8) * .5 = -3.5.
    block = np.array([*np.float16(0.5).tobytes(), 0x1F, *[0x88] * 15], np.uint8)
    row = Q4Table(block.reshape(1, 1, 18)).floats()[0]
    assert row.tolist() == [3.5, *[0] * 15, -3.5, *[0] * 15]


def test_all_parameters_are_those_that_were_written():
    writer = Q4Writer()
    result = Q4Parameters(writer.content(), PACKED)
    expected = dict(writer.floats)
    words = expected.pop("embeddings.word_embeddings.weight")
    np.testing.assert_array_equal(result.words.floats(), words)
    assert set(result) == set(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(result[name], values, err_msg=name)


def test_q4_word_table_is_not_unpacked():
    content = Q4Writer().content()
    assert np.shares_memory(Q4Parameters(content, PACKED).words.blocks, np.frombuffer(content, np.uint8))


def test_what_a_model_keeps_does_not_hold_the_file():
    content = Q4Writer().content()
    result = Q4Parameters(content, PACKED)
    arrays = [result.words.packed, result.words.scales, *result.values()]
    assert not any(np.shares_memory(array, np.frombuffer(content, np.uint8)) for array in arrays)


def test_the_numbers_of_a_table_are_packed_without_their_scales():
    block = np.arange(36, dtype=np.uint8).reshape(1, 2, 18)  # two blocks: 2 bytes of scale, 16 of numbers
    assert Q4Table(block).packed.tolist() == [[[*range(2, 18)], [*range(20, 36)]]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"magic": b"GGUF"}, "is not a file of 4-bit weights: it does not begin with E5S1"),
        ({"version": 2}, "has version 2 and blocks of 32, only version 1 with blocks of 32 can be read"),
        ({"block": 64}, "has version 1 and blocks of 64"),
        ({"heads": 5}, "has sizes in its header that do not fit"),
        ({"hidden": -32}, "has sizes in its header that do not fit"),
        ({"layers": 1 << 20}, "has sizes in its header that do not fit"),
        ({"layers": 3}, "has no l2.q.w, which its header requires"),
        ({"words": 31}, "emb.word does not have the size that the header asks for"),
        ({"positions": 23}, "emb.pos .* does not have the size that the header asks for"),
        ({"inner": 96}, "l0.fi.w does not have the size"),
    ],
)
def test_a_header_that_does_not_fit_the_file(settings, message):
    with pytest.raises(ModelError, match=f"tiny-q4.bin:? {message}"):
        Q4Parameters(Q4Writer().content(**settings), PACKED)


def test_a_bias_in_4_bits_is_refused():
    # As many bytes as a table of 32 rows and 32 columns.
    writer = Q4Writer()
    writer.stored["l0.q.b"] = writer.stored["l0.q.w"]
    with pytest.raises(ModelError, match=r"tiny-q4.bin: l0.q.b .* does not have the size"):
        Q4Parameters(writer.content(), PACKED)


@pytest.mark.parametrize("stored", ["emb.word", "emb.type", "l0.q.w", "l1.oln.b"])
def test_a_directory_with_another_count_of_numbers_is_refused(stored):
    writer = Q4Writer()
    kind, count, content = writer.stored[stored]
    writer.stored[stored] = (kind, count - 1, content)
    with pytest.raises(ModelError, match=f"{stored} .*does not have the size"):
        Q4Parameters(writer.content(), PACKED)


def test_a_file_that_is_cut_off_is_refused_wherever_it_ends():
    content = Q4Writer().content()
    for length in [0, 3, 40, 70, 100, 130, 500, 3000, len(content) - 1]:
        with pytest.raises(ModelError, match="cut off|not a file of 4-bit weights"):
            Q4Parameters(content[:length], PACKED)


def test_damage_anywhere_before_the_parameters_is_refused_or_changes_nothing_but_numbers():
    # A changed byte may make another name, place or size: one clear error, or parameters of the right shapes.
    whole, draw = Q4Writer().content(), random.Random(0)
    first = struct.calcsize("<4sI7ifi5iQ")
    refused = read = 0
    for _ in range(300):
        content = bytearray(whole)
        content[draw.randrange(4, 2 * first + 1200)] = draw.randrange(256)
        try:
            result = Q4Parameters(bytes(content), PACKED)
        except ModelError as error:
            refused += str(error).startswith("tiny-q4.bin")
        else:
            read += all(np.size(result[name]) for name in result)
    assert refused > 100
    assert refused + read == 300


def test_the_header_alone_says_the_sizes():
    header = Q4Header.read(Q4Writer().content()[:64], PACKED)
    assert (header.hidden, header.layers, header.words, header.positions) == (32, 2, 30, 24)
    assert header.norm_epsilon == pytest.approx(1e-5)


SAFETENSORS = Path("model.safetensors")


def file_of(header: object, body: bytes = bytes(16)) -> bytearray:
    text = (header if isinstance(header, str) else json.dumps(header)).encode()
    return bytearray(len(text).to_bytes(8, "little") + text + body)


def entry(**changed: object) -> dict:
    return {"w": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16], **changed}}


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_floats_are_those_of_the_library(kind):
    rng = np.random.default_rng(0)
    content = save({"a": rng.normal(size=(3, 4)).astype(kind), "b": rng.normal(size=5).astype(kind)})
    result, expected = read_tensors(bytearray(content), SAFETENSORS), load(content)
    assert set(result) == {"a", "b"}
    for name, values in expected.items():
        assert result[name].dtype == np.float32
        np.testing.assert_array_equal(result[name], values.astype(np.float32))


def test_bfloat16_is_the_upper_half_of_a_float():
    # 1.5 is 0x3fc00000 as a float, and -2 is 0xc0000000; the lower half comes first.
    content = file_of(entry(dtype="BF16", shape=[2], data_offsets=[0, 4]), bytes.fromhex("c03f00c0"))
    assert read_tensors(content, SAFETENSORS)["w"].tolist() == [1.5, -2.0]


def test_float32_is_not_copied_and_whole_numbers_are_left_out():
    values = np.ones((100, 8), np.float32)
    content = bytearray(save({"w": values, "ids": np.arange(3)}))
    result = read_tensors(content, SAFETENSORS)
    assert set(result) == {"w"}
    assert np.shares_memory(result["w"], np.frombuffer(content, np.uint8))


@pytest.mark.parametrize(
    "content",
    [
        bytearray(),
        bytearray(b"\xff" * 8),
        file_of("no json"),
        file_of([1]),
        file_of({"w": 1}),
        file_of({"w": {"dtype": "F32"}}),
        file_of(entry(dtype="Q7")),
        file_of(entry(dtype=[])),
        file_of(entry(shape=[0, 2**63], data_offsets=[0, 0])),
        file_of(entry(shape=[1] * 100, data_offsets=[0, 4])),
        file_of(entry(shape=[2, 3])),
        file_of(entry(shape=[-2, -2])),
        file_of(entry(shape="22")),
        file_of(entry(data_offsets=[8, 24])),
        file_of(entry(data_offsets=[-16, 0])),
        file_of(entry(data_offsets=["0", "16"])),
        file_of(entry(data_offsets=[0])),
        file_of(entry(data_offsets=[0.5, 16.5])),
    ],
)
def test_damaged_safetensors_file_is_refused_in_a_single_line(content):
    with pytest.raises(ModelError, match="^model.safetensors cannot be read: [^\n]+$"):
        read_tensors(content, SAFETENSORS)
