"""Structs in Thrift's compact protocol, written by hand after its specification."""

import pytest

from semscale.store.readers.thrift_compact import CompactReader


def read(*content):
    return CompactReader(bytes(content)).struct()


def test_numbers_texts_and_truth_values():
    # 0x15: field 0 + 1 of type 5 (i32); 3 as zigzag is 6. 0x16: the next of type 6 (i64); -1 is 1.
    # 0x18: the next of type 8; 2 bytes. 0x11, 0x12: true and false without a value. 0: the end.
    assert read(0x15, 6, 0x16, 1, 0x18, 2, 0x68, 0x69, 0x11, 0x12, 0) == {
        1: 3,
        2: -1,
        3: b"hi",
        4: True,
        5: False,
    }


def test_a_number_of_several_bytes_and_a_field_far_on():
    # 300 as zigzag is 600 = 4 * 128 + 88: 0xd8 0x04.
    # 0x05: type 5 and a number that follows, 100, as zigzag 200 = 128 + 72: 0xc8 0x01.
    assert read(0x15, 0xD8, 0x04, 0x05, 0xC8, 0x01, 2, 0) == {1: 300, 100: 1}


def test_lists_maps_and_structs_inside():
    # 0x19: a list; 0x2c: two structs; each has field 1 = 1 (0x15 2) or nothing.
    assert read(0x19, 0x2C, 0x15, 2, 0, 0, 0) == {1: [{1: 1}, {}]}
    # 0x1b: a map of one entry, from type 8 to type 5: 0x85.
    assert read(0x1B, 1, 0x85, 1, 0x61, 4, 0) == {1: [b"a", 2]}
    # 0xf1: a list whose length follows, 16 truth values of a byte each.
    assert read(0x19, 0xF1, 16, *[1] * 16, 0) == {1: [1] * 16}


@pytest.mark.parametrize("content", [b"", b"\x15", b"\x18\x05hi", b"\x19\xf5\xff\xff\xff\x7f\x02"])
def test_what_ends_too_early_says_so(content):
    with pytest.raises(IndexError):
        CompactReader(content).struct()


@pytest.mark.parametrize("content", [b"\x1c" * 100, b"\x19" * 2000, b"\x15" + b"\xff" * 20, b"\x1d\x00"])
def test_what_can_be_no_struct_is_refused(content):
    with pytest.raises(ValueError, match="levels|too long|no type"):
        CompactReader(content).struct()
