"""Bytes that do not fit: what was tried, where, and what to do."""

import re

import pytest

from semscale.errors import InputError
from semscale.store.delimited import encoding_of, open_text


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


@pytest.mark.parametrize(
    "name", ["klingon", "base64", "rot13", "idna", "punycode", "undefined", "unicode_escape", "", "a\0b"]
)
def test_an_encoding_of_no_text_file(tmp_path, name):
    path = tmp_path / "answers.csv"
    path.write_text("x")
    message = f"encoding must be one that Python knows for text files, got {name!r}; common ones are utf-8"
    with pytest.raises(InputError, match=re.escape(message)):
        encoding_of(path, "answers.csv", name)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_mark_that_speaks_against_the_encoding_named(tmp_path, codec):
    path = tmp_path / "answers.csv"
    path.write_bytes("id,text\n".encode(codec))
    with pytest.raises(InputError, match="begins with the mark of utf-.*not in 'latin-1'; leave --encoding"):
        encoding_of(path, "answers.csv", "latin-1")


@pytest.mark.parametrize("named", ["utf-16", "utf-16-le", "UTF_16BE"])
def test_a_mark_is_no_part_of_the_text(tmp_path, named):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"\xff\xfe" + "id,text\n".encode("utf-16-le"))
    assert read(path, named) == "id,text\n"


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_a_file_without_the_mark_that_its_encoding_needs(tmp_path, codec):
    path = tmp_path / "answers.csv"
    path.write_bytes("id,text\n".encode(f"{codec}-be"))
    with pytest.raises(InputError, match=f"mark of {codec}; pass --encoding {codec}-be"):
        encoding_of(path, "answers.csv", codec)
    path.write_bytes(b"id,text\n")
    with pytest.raises(InputError, match=f"mark of {codec}; leave --encoding out, or pass --encoding cp1252"):
        encoding_of(path, "answers.csv", codec)


@pytest.mark.parametrize(("magic", "format_"), [(b"PK\x03\x04rest", "xlsx"), (b"PAR1rest", "parquet")])
def test_another_format_is_recognised(tmp_path, magic, format_):
    path = tmp_path / "answers.csv"
    path.write_bytes(magic)
    with pytest.raises(InputError, match=f"--format {format_}"):
        encoding_of(path, "answers.csv", None)


@pytest.mark.parametrize(
    "text", ["id,text\n1,good\n", "id,text\n1,добрый день и спасибо\n", "text\nsüß\n" * 2000]
)
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("named", [None, "cp1252"])
def test_wide_characters_without_a_mark_are_named(tmp_path, text, codec, named):
    path = tmp_path / "answers.csv"
    path.write_bytes(text.encode(codec))
    with pytest.raises(InputError, match=f"is not .*pass --encoding {codec}$"):
        encoding_of(path, "answers.csv", named)
    assert read(path, codec) == text


def test_a_single_zero_byte_is_a_character_like_any_other(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"one\x00\ntwo three\n")
    assert read(path) == "one\x00\ntwo three\n"
