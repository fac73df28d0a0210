"""Delimited text: separators, exact lines in messages, and encodings."""

import csv
import re

import pytest

from semscale.errors import InputError
from semscale.spelling import hint
from semscale.store.delimited import encoding_of, open_delimited, open_text


def rows_of(path, size=100, skip=0, **settings):
    table = open_delimited(path, path.name, **settings)
    return [row for batch in table.batches(size, skip) for row in batch.rows()]


def written(folder, text, encoding="utf-8", name="answers.csv"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def test_every_cell_stays_the_string_it_is(tmp_path):
    path = written(tmp_path, "id,text,n\n007, spaced ,1.50\n1e3,true,NA\n")
    assert rows_of(path) == [("007", " spaced ", "1.50"), ("1e3", "true", "NA")]


def test_an_empty_cell_is_null_quoted_or_not(tmp_path):
    assert rows_of(written(tmp_path, 'a,b\n,""\n')) == [(None, None)]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separator_is_the_most_frequent_in_the_header(tmp_path, separator):
    other = ";" if separator == "," else ","
    header = separator.join(["id", f'"a {other} {other} {other} b"', "c"])
    path = written(tmp_path, f"{header}\n{separator.join(['1', '2', '3'])}\n")
    assert open_delimited(path, "x").columns == ("id", f"a {other} {other} {other} b", "c")
    assert rows_of(path) == [("1", "2", "3")]


def test_single_column_has_no_separator(tmp_path):
    assert rows_of(written(tmp_path, "text\ngood\nbad\n")) == [("good",), ("bad",)]


def test_blank_line_is_a_missing_cell_only_in_a_single_column(tmp_path):
    assert rows_of(written(tmp_path, "text\ngood\n\nbad\n")) == [("good",), (None,), ("bad",)]
    assert rows_of(written(tmp_path, "id,text\n1,good\n\n2,bad\n")) == [("1", "good"), ("2", "bad")]


def test_cells_with_line_ends_and_quotes_come_through(tmp_path):
    path = written(tmp_path, 'id,text\r\n1,"two\r\nlines, ""quoted"""\r\n2,x\r\n')
    assert rows_of(path) == [("1", 'two\r\nlines, "quoted"'), ("2", "x")]


@pytest.mark.parametrize(
    ("body", "line", "cells"),
    [
        ("1,a\n2\n", 3, "1 cell "),
        ("1,a\n2,b,c\n", 3, "3 cells"),
        # The second row ends on line 4, so the third begins on line 5.
        ('1,a\n2,"two\nlines"\n3\n', 5, "1 cell "),
        # A blank line counts as a line although it is no row.
        ("1,a\n\n\n2\n", 5, "1 cell "),
    ],
)
def test_a_ragged_row_is_refused_with_the_line_it_begins_on(tmp_path, body, line, cells):
    path = written(tmp_path, "id,text\n" + body)
    with pytest.raises(InputError, match=rf"answers.csv, line {line}: {cells}.*header has 2"):
        rows_of(path)


def test_ragged_row_is_reported_for_any_batch_size_and_skip(tmp_path):
    body = "".join(f"{n},x\n" for n in range(50)) + "50\n"
    path = written(tmp_path, "id,text\n" + body)
    for size, skip in [(1, 0), (7, 0), (100, 0), (3, 45)]:
        with pytest.raises(InputError, match="line 52"):
            rows_of(path, size, skip)


def test_an_open_quote_names_the_line_where_it_opens(tmp_path):
    path = written(tmp_path, 'id,text\n1,fine\n2,"never closed\n3,x\n4,y\n')
    with pytest.raises(InputError, match=r"line 3: a quotation mark opens .* never closed"):
        rows_of(path)


def test_a_stray_quote_is_refused_and_not_swallowed(tmp_path):
    with pytest.raises(InputError, match=r"line 2: a quoted cell contains a quotation mark; double it"):
        rows_of(written(tmp_path, 'id,text\n1,"he said "hi" loudly"\n'))


def test_long_cells_are_read_and_the_process_wide_limit_is_put_back(tmp_path):
    before = csv.field_size_limit()
    long = "word " * 60_000
    assert rows_of(written(tmp_path, f"id,text\n1,{long}\n")) == [("1", long)]
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("size", [1, 2, 3, 10])
@pytest.mark.parametrize("skip", [0, 1, 4, 5, 9])
def test_batches_cut_the_same_rows_wherever_they_begin(tmp_path, size, skip):
    path = written(tmp_path, "n\n" + "".join(f"{n}\n" for n in range(5)))
    assert rows_of(path, size, skip) == [(str(n),) for n in range(5)][skip:]


@pytest.mark.parametrize(
    ("encoding", "option"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-8-sig", "utf-8"),
        ("utf-16", None),
        ("utf-32", None),
        ("utf-16-le", "utf-16-le"),
        ("cp1252", "cp1252"),
        ("latin-1", "latin-1"),
    ],
)
def test_encodings(tmp_path, encoding, option):
    path = written(tmp_path, "id,täxt\n1,süß\n", encoding)
    table = open_delimited(path, "x", encoding=option)
    assert table.columns == ("id", "täxt")
    assert rows_of(path, encoding=option) == [("1", "süß")]


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff", " , \n"])
def test_no_header(tmp_path, content):
    with pytest.raises(InputError, match="is empty: a header line"):
        open_delimited(written(tmp_path, content), "answers.csv")


@pytest.mark.parametrize("rest", ["", "\n \n"])
@pytest.mark.parametrize("row", [3, 2**70])
def test_a_header_row_below_the_last_line_is_refused(tmp_path, rest, row):
    path = written(tmp_path, "id,text\n1,good\n" + rest)
    with pytest.raises(InputError, match=f"header_row must be the line of answers.csv .* got {row}"):
        open_delimited(path, "answers.csv", header_row=row)


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image despite its name; name the file that has the table"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x1f\x8b\x08", "compressed by gzip despite its name; unpack it"),
        (b"\xd0\xcf\x11\xe0\xa1", "an old Office version, such as .xls despite its name; save it as .xlsx"),
        (b"$FL2@(#)", "an SPSS file despite its name: read it with format='sav'"),
    ],
)
def test_a_file_that_is_no_text_is_refused_by_its_kind(tmp_path, start, kind):
    path = tmp_path / "answers.csv"
    path.write_bytes(start)
    with pytest.raises(InputError, match=kind):
        open_delimited(path, "answers.csv")


def test_duplicate_column_names_are_refused(tmp_path):
    with pytest.raises(InputError, match="two columns named 'text'; rename"):
        open_delimited(written(tmp_path, "text,id,text\n"), "answers.csv")


def test_a_tab_separated_file_may_hold_commas(tmp_path):
    path = written(tmp_path, "a,b\tc\n1,2\t3\n")
    assert rows_of(path, separator="\t") == [("1,2", "3")]


@pytest.mark.parametrize("line", ["sep=;", '"sep=;"', "SEP=;", "sep=;;;"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_line_that_names_the_separator_for_excel(tmp_path, line, encoding):
    # The header has more commas than semicolons, and the cells as well.
    path = written(tmp_path, f"{line}\r\nid;what, then, is it\r\n1;a, b, c\r\n2\r\n", encoding)
    table = open_delimited(path, "answers.csv", separator="\t")
    assert table.columns == ("id", "what, then, is it")
    assert next(table.batches(1)).rows() == [("1", "a, b, c")]
    with pytest.raises(InputError, match="line 4: 1 cell where the header has 2"):
        rows_of(path)


def test_a_separator_line_that_names_none_is_a_header(tmp_path):
    assert open_delimited(written(tmp_path, "sep=a\nx\n"), "x").columns == ("sep=a",)


def test_cells_between_bars(tmp_path):
    path = written(tmp_path, "id|text, free\n1|good\n2|bad, really\n")
    assert rows_of(path) == [("1", "good"), ("2", "bad, really")]


def test_a_bar_in_the_name_of_an_only_column_separates_nothing(tmp_path):
    path = written(tmp_path, "Do you like it? yes|no\nyes\nno\n")
    assert rows_of(path) == [("yes",), ("no",)]


def test_commas_in_the_header_do_not_hide_semicolons(tmp_path):
    path = written(tmp_path, "id;good, bad, or what\n1;3,5\n2;none\n")
    assert rows_of(path) == [("1", "3,5"), ("2", "none")]


def test_a_long_quoted_cell_among_the_first_lines_does_not_mislead(tmp_path):
    text = "\n".join(f"line {n}; of, many, many" for n in range(40))
    path = written(tmp_path, f'id;text\n1;"{text}"\n2;"{"x" * 200_000}"\n')
    assert [row[0] for row in rows_of(path)] == ["1", "2"]


def test_a_title_above_the_header_is_named(tmp_path):
    path = written(tmp_path, "\nSurvey 2026\nid,text\n1,good\n")
    with pytest.raises(
        InputError, match="line 3: 2 cells .* header has 1; if line 2 is a title, name the line"
    ):
        rows_of(path)
    assert rows_of(path, header_row=3) == [("1", "good")]
    with pytest.raises(InputError, match="answers.csv, line 5: 1 cell where the header has 2"):
        rows_of(written(tmp_path, "A\nB\nid,text\n1,good\n2\n"), header_row=3)


@pytest.mark.parametrize(
    ("content", "settings", "remedy"),
    [
        (
            "Exported,by Ann,,\nid,region,no,text\n",
            {"asked": "comment"},
            "name the row with the columns' names",
        ),
        ("Survey 2026\nid;text\n1;good\n", {}, "name the line with the names of the columns by header_row"),
        ("question\nWhy?\n", {"asked": "questio"}, "no column 'questio'; did you mean 'question'?"),
        ("id:text\n1:good\n", {}, "separate cells by comma, semicolon, tab or |"),
        ("id,text\n1,good\n", {"separator": "\t"}, "give format='csv'; columns: id,text"),
    ],
)
def test_a_header_that_is_none_is_named_when_a_column_is_missed(tmp_path, content, settings, remedy):
    asked = settings.get("asked", "text")
    options = {name: value for name, value in settings.items() if name != "asked"}
    table = open_delimited(written(tmp_path, content), "answers.csv", **options)
    with pytest.raises(InputError, match=re.escape(remedy)):
        table.require(asked, "text")


def read(path, encoding=None):
    codec, _ = encoding_of(path, "answers.csv", encoding)
    with open_text(path, "answers.csv", codec) as lines:
        return lines.read()


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("rows", [3, 50_000])
def test_cp1252_is_recognised_and_reported(tmp_path, line_end, rows):
    path = tmp_path / "answers.csv"
    good = "".join(f"{n},fine{line_end}" for n in range(rows - 1))
    path.write_bytes((good + f"grün – süß €{line_end}").encode("cp1252"))
    codec, notes = encoding_of(path, "answers.csv", None)
    assert codec == "cp1252"
    assert notes == (
        f"answers.csv is read as cp1252, because byte 0xfc in line {rows} is not valid UTF-8"
        + hint("; `encoding` overrides this"),
    )
    assert read(path) == good + f"grün – süß €{line_end}"


@pytest.mark.parametrize(
    "content",
    [
        "id,süß\n1,schön\n".encode() + b"2,gr\xfcn\n",  # more valid characters than wrong bytes
        "id,Łódź\n".encode("cp1250") + b"\x81\n",  # cp1252 has no 0x81
    ],
)
def test_damaged_utf_8_is_no_cp1252(tmp_path, content):
    path = tmp_path / "answers.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match="byte 0x.. is not valid utf-8; pass another encoding"):
        read(path)


def test_the_line_in_utf_16(tmp_path):
    path = tmp_path / "answers.csv"
    # A lone high surrogate (D800) followed by an ordinary letter is not valid UTF-16.
    path.write_bytes("one\ntwo\n".encode("utf-16") + b"\x00\xd8a\x00")
    with pytest.raises(InputError, match="line 3: .*is not valid utf-16"):
        read(path)


def test_only_the_named_encoding_is_tried(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes("ok\nsüß\n".encode())
    with pytest.raises(InputError, match="line 2: byte 0xc3 is not valid ascii; pass another encoding"):
        read(path, "ascii")


def test_a_file_that_ends_inside_a_character(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"one\n\xe2\x82")
    with pytest.raises(InputError, match="line 2: byte 0xe2"):
        read(path)


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("id;w;n\n1;1,5;1\n2;2;2\n", "(w): 1,5 is read as 1.5"),
        ("id;w;n\n1;1,500;1\n2;2;2\n", None),  # perhaps 1500
        ("id;w;n\n1;1,5;1.5\n2;2.5;2\n", None),  # the column has a point, too
        ("id;w;n\n1;1,5 m;1\n", None),
    ],
)
def test_decimal_commas_are_reported(tmp_path, content, note):
    notes = open_delimited(written(tmp_path, content), "answers.csv").notes
    assert notes == ((f"answers.csv has numbers with a decimal comma {note}",) if note else ())


@pytest.mark.parametrize(
    ("rows", "numbers"),
    [
        (['"1,500"', "900", '"12,000"'], ["1500", "900", "12000"]),
        (['"1,234,567.5"', ""], ["1234567.5", None]),
        (['"1,5"', '"1,500"'], ["1,5", "1,500"]),  # decimal commas
        (['"1,500"', "about 900"], ["1,500", "about 900"]),
    ],
)
def test_commas_between_thousands_are_removed_in_files_with_commas(tmp_path, rows, numbers):
    content = "id,n\n" + "".join(f"{number},{cell}\n" for number, cell in enumerate(rows))
    table = open_delimited(written(tmp_path, content), "answers.csv")
    assert next(table.batches(9))["n"].to_list() == numbers
    assert next(table.batches_with(["n"], 9))["n"].to_list() == numbers
    is_reported = numbers[0].isdigit() or "." in numbers[0]
    assert any("comma between thousands (n)" in note for note in table.notes) == is_reported


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
def test_a_byte_order_mark_decides(tmp_path, codec):
    path = tmp_path / "answers.csv"
    path.write_bytes("id,text\n".encode(codec))
    assert read(path, "latin-1") == "id,text\n"


@pytest.mark.parametrize("named", ["utf-16", "utf-16-le", "UTF_16BE"])
def test_a_mark_is_no_part_of_the_text(tmp_path, named):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"\xff\xfe" + "id,text\n".encode("utf-16-le"))
    assert read(path, named) == "id,text\n"


@pytest.mark.parametrize(("magic", "format_"), [(b"PK\x03\x04rest", "xlsx"), (b"PAR1rest", "parquet")])
def test_another_format_is_recognised(tmp_path, magic, format_):
    path = tmp_path / "answers.csv"
    path.write_bytes(magic)
    with pytest.raises(InputError, match=f"format='{format_}'"):
        encoding_of(path, "answers.csv", None)


@pytest.mark.parametrize(
    "text", ["id,text\n1,good\n", "id,text\n1,добрый день и спасибо\n", "text\nsüß\n" * 2000]
)
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("named", [None, "family"])
def test_wide_characters_without_a_mark_are_recognised(tmp_path, text, codec, named):
    path = tmp_path / "answers.csv"
    path.write_bytes(text.encode(codec))
    encoding = named and codec[:6]  # utf-16 or utf-32
    chosen, notes = encoding_of(path, "answers.csv", encoding)
    assert chosen == codec
    assert notes == (
        f"answers.csv is read as {codec}, because many of its bytes are zero"
        + hint("; `encoding` overrides this"),
    )
    assert read(path, encoding) == text


def test_a_single_zero_byte_is_a_character_like_any_other(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_bytes(b"one\x00\ntwo three\n")
    assert read(path) == "one\x00\ntwo three\n"


@pytest.mark.parametrize(
    "title",
    ["Survey of 2026\n\n", "Survey of 2026,,\n", "Survey of 2026\n", "Survey\nof 2026\n\n", '"A, b\nc"\n\n'],
)
def test_lines_of_a_title_are_skipped_with_a_note(tmp_path, title):
    path = tmp_path / "a.csv"
    path.write_text(f"{title}id,q,why\n1,2,so\n2,3,no\n")
    table = open_delimited(path, "a.csv")
    assert table.columns == ("id", "q", "why")
    assert next(table.batches(9))["why"].to_list() == ["so", "no"]
    assert "as a title" + hint("; `header_row` names another line") in table.notes[0]


def test_a_title_above_semicolons(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("Survey\n\nid;q\n1;2\n")
    assert open_delimited(path, "a.csv").columns == ("id", "q")


@pytest.mark.parametrize("text", ["text\nWell, yes\nNo, no\n", "text\nwell,yes\nno,no\n", "id\n\n1,2\n"])
def test_a_column_with_commas_has_no_title(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(InputError, match="2 cells where the header has 1"):
        rows_of(path)
