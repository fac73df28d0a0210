"""Names of users that look like marks of hints: every output shows them as they are."""

import zipfile
from dataclasses import replace
from html import unescape

import polars as pl
import pytest

import semscale
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.presenting import as_json, document_of
from semscale.report.terminal import print_document
from semscale.spelling import hint
from semscale.survey.survey_file import parse_survey

NAMES = ["q⟦x⟧ [[x]]⟧⟦ \ufdd0x\ufdd1 {hint('x')}", "q\n⟦x\n⟧ y"]
OUTPUTS = ["screen", "page", "json", "markdown", "xlsx", "pptx"]


def tables_of(name):
    """Return tables with the name as question, answer and group, and notes on all of them."""
    frame = pl.DataFrame({name: [name, f"{name} ", "yes"] * 20, "by": [name, "b", f"{name} "] * 20})
    return semscale.crosstabs(frame, questions=[name], banners=["by"], min_base=2)


def text_of(summary, output, folder, capsys):
    """Return all texts of an output, with one blank for each run of white space."""
    match output:
        case "screen":
            print_document(document_of(summary))
            text = capsys.readouterr().out
        case "page":
            text = unescape(page(document_of(summary)))
        case "json":
            text = as_json(summary).replace("\\n", "\n").replace('\\"', '"')
        case "markdown":
            text = unescape(markdown(document_of(summary))).replace("\\", "")
        case _:
            path = folder / f"tables.{output}"
            summary.report(path)
            with zipfile.ZipFile(path) as package:
                parts = [
                    package.read(name) for name in package.namelist() if name.endswith((".xml", ".rels"))
                ]
            text = unescape(b"".join(parts).decode("utf-8"))
    return " ".join(text.split())


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("name", NAMES)
def test_names_that_look_like_marks_are_shown_unchanged(name, output, tmp_path, capsys):
    text = text_of(tables_of(name), output, tmp_path, capsys)
    shown = " ".join(name.split())
    note = f"spellings that differ only in case or blanks were joined: ‘{shown}’ (20)"
    assert note in text
    assert not any(mark in text for mark in (*hint(""), "\ufffd"))


def test_a_page_leaves_out_the_hint_after_a_hostile_name_and_nothing_else():
    note = "‘⟦x⟧’ has no weight" + hint(" (`weight`)")
    notice = document_of(replace(tables_of("q"), input_notes=(note,))).notices[0]
    assert (notice.text, notice.brief) == ("‘⟦x⟧’ has no weight", "‘⟦x⟧’ has no weight (--weight)")


def test_no_table_and_no_description_contains_the_marks():
    mark = hint("")[0]
    with pytest.raises(UnicodeEncodeError):
        pl.DataFrame({mark: [1]})
    with pytest.raises(UnicodeEncodeError):
        pl.Series([mark])
    content = rb'questions: [{name: q, kind: single, values: [{value: 1, label: "a\udbfe\ud83d\ude00"}]}]'
    (value,) = parse_survey(content, source="survey.yaml").questions[0].values
    assert value.label == "a\ufffd\N{GRINNING FACE}"
