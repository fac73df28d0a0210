"""Files of 4-bit weights: every number as the writer computed it, and files that are damaged."""

import random
import struct
from pathlib import Path

import numpy as np
import pytest
from q4_writer import Q4Writer

from semscale.embedding.weight_files import Q4Header, Q4Parameters, Q4Table
from semscale.errors import ModelError

HERE = Path("tiny-q4.bin")


def test_a_block_has_its_scale_the_first_half_in_low_bits_and_the_second_in_high_ones():
    # Scale .5; byte 0 is 0x1f: number 0 is (15 - 8) * .5 = 3.5, number 16 is (1 - 8) * .5 = -3.5.
    block = np.array([*np.float16(0.5).tobytes(), 0x1F, *[0x88] * 15], np.uint8)
    row = Q4Table(block.reshape(1, 1, 18)).floats()[0]
    assert row.tolist() == [3.5, *[0] * 15, -3.5, *[0] * 15]


def test_all_parameters_are_those_that_were_written():
    writer = Q4Writer()
    found = Q4Parameters(writer.content(), HERE)
    expected = dict(writer.floats)
    words = expected.pop("embeddings.word_embeddings.weight")
    np.testing.assert_array_equal(found.words.floats(), words)
    assert set(found) == set(expected)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


def test_the_table_of_words_is_not_unpacked():
    content = Q4Writer().content()
    assert np.shares_memory(Q4Parameters(content, HERE).words.blocks, np.frombuffer(content, np.uint8))


def test_what_a_model_keeps_does_not_hold_the_file():
    content = Q4Writer().content()
    found = Q4Parameters(content, HERE)
    kept = [found.words.packed, found.words.scales, *found.values()]
    assert not any(np.shares_memory(each, np.frombuffer(content, np.uint8)) for each in kept)


def test_the_numbers_of_a_table_are_packed_without_their_scales():
    block = np.arange(36, dtype=np.uint8).reshape(1, 2, 18)  # two blocks: 2 bytes of scale, 16 of numbers
    assert Q4Table(block).packed.tolist() == [[[*range(2, 18)], [*range(20, 36)]]]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"magic": b"GGUF"}, "is no file of 4-bit weights: it does not begin with E5S1"),
        ({"version": 2}, "has version 2 and blocks of 32, only version 1 with blocks of 32 can be read"),
        ({"block": 64}, "has version 1 and blocks of 64"),
        ({"heads": 5}, "has sizes in its header that do not fit"),
        ({"hidden": -32}, "has sizes in its header that do not fit"),
        ({"layers": 1 << 20}, "has sizes in its header that do not fit"),
        ({"layers": 3}, "lacks l2.q.w, which its header asks for"),
        ({"words": 31}, "emb.word does not have the size that the header asks for"),
        ({"positions": 23}, "emb.pos .* does not have the size that the header asks for"),
        ({"inner": 96}, "l0.fi.w does not have the size"),
    ],
)
def test_a_header_that_does_not_fit_the_file(settings, message):
    with pytest.raises(ModelError, match=f"tiny-q4.bin:? {message}"):
        Q4Parameters(Q4Writer().content(**settings), HERE)


def test_a_bias_in_4_bits_is_refused():
    # As many bytes as a table of 32 rows and 32 columns.
    writer = Q4Writer()
    writer.stored["l0.q.b"] = writer.stored["l0.q.w"]
    with pytest.raises(ModelError, match=r"tiny-q4.bin: l0.q.b .* does not have the size"):
        Q4Parameters(writer.content(), HERE)


@pytest.mark.parametrize("stored", ["emb.word", "emb.type", "l0.q.w", "l1.oln.b"])
def test_a_directory_with_another_count_of_numbers_is_refused(stored):
    writer = Q4Writer()
    kind, count, content = writer.stored[stored]
    writer.stored[stored] = (kind, count - 1, content)
    with pytest.raises(ModelError, match=f"{stored} .*does not have the size"):
        Q4Parameters(writer.content(), HERE)


def test_a_file_that_is_cut_off_is_refused_wherever_it_ends():
    content = Q4Writer().content()
    for length in [0, 3, 40, 70, 100, 130, 500, 3000, len(content) - 1]:
        with pytest.raises(ModelError, match="cut off|no file of 4-bit weights"):
            Q4Parameters(content[:length], HERE)


def test_damage_anywhere_before_the_parameters_is_refused_or_changes_nothing_but_numbers():
    # A changed byte may make another name, place or size: one clear error, or parameters of the right shapes.
    whole, draw = Q4Writer().content(), random.Random(0)
    first = struct.calcsize("<4sI7ifi5iQ")
    refused = read = 0
    for _ in range(300):
        content = bytearray(whole)
        content[draw.randrange(4, 2 * first + 1200)] = draw.randrange(256)
        try:
            found = Q4Parameters(bytes(content), HERE)
        except ModelError as error:
            refused += str(error).startswith("tiny-q4.bin")
        else:
            read += all(np.size(found[name]) for name in found)
    assert refused > 100
    assert refused + read == 300


def test_the_header_alone_says_the_sizes():
    header = Q4Header.read(Q4Writer().content()[:64], HERE)
    assert (header.hidden, header.layers, header.words, header.positions) == (32, 2, 30, 24)
    assert header.norm_epsilon == pytest.approx(1e-5)
