"""Bytes that do not fit: what was tried, where, and what to do."""

import pytest

from semscale.errors import InputError
from semscale.store.decoding import encoding_of, open_text


def read(path, encoding=None):
    with open_text(path, "answers.csv", encoding) as lines:
        return lines.read()


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("rows", [3, 50_000])
def test_the_line_of_the_first_wrong_byte(tmp_path, line_end, rows):
    path = tmp_path / "answers.csv"
    good = "".join(f"{n},fine{line_end}" for n in range(rows - 1)).encode()
    path.write_bytes(good + "gr\xfcn".encode("latin-1") + line_end.encode())
    message = rf"answers.csv, line {rows}: byte 0xfc .*tried utf-8 .*--encoding cp1252 or --encoding latin-1"
    with pytest.raises(InputError, match=message):
        read(path)


def test_the_line_in_utf_16(tmp_path):
    path = tmp_path / "answers.csv"
    # A lone high surrogate (D800) followed by an ordinary letter is not valid UTF-16.
    path.write_bytes("one\ntwo\n".encode("utf-16") + b"\x00\xd8a\x00")
    with pytest.raises(InputError, match="line 3: .*tried utf-16"):
        read(path)


def test_a_named_encoding_is_the_one_that_was_tried(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes("ok\nsüß\n".encode())
    with pytest.raises(InputError, match="line 2: .*tried encoding ascii; pass another --encoding"):
        read(path, "ascii")


def test_a_file_that_ends_inside_a_character(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"one\n\xe2\x82")
    with pytest.raises(InputError, match="line 2: byte 0xe2"):
        read(path)


def test_an_encoding_that_python_does_not_know(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("x")
    for name in ("klingon", "base64"):
        with pytest.raises(InputError, match=f"encoding must be one that Python knows, got '{name}'"):
            encoding_of(path, "answers.csv", name)


@pytest.mark.parametrize(("magic", "format_"), [(b"PK\x03\x04rest", "xlsx"), (b"PAR1rest", "parquet")])
def test_another_format_is_recognised(tmp_path, magic, format_):
    path = tmp_path / "answers.csv"
    path.write_bytes(magic)
    with pytest.raises(InputError, match=f"--format {format_}"):
        encoding_of(path, "answers.csv", None)


def test_utf_16_without_its_mark_is_named(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes("id,text\n".encode("utf-16-le"))
    with pytest.raises(InputError, match="--encoding utf-16-le"):
        encoding_of(path, "answers.csv", None)


def test_a_single_zero_byte_is_a_character_like_any_other(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"one\x00\ntwo three\n")
    assert read(path) == "one\x00\ntwo three\n"
