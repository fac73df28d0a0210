"""Answers that somebody chose to quote on slides."""

from pathlib import Path

import polars as pl
import pytest

from semscale.coding.chosen_quotes import read_quotes

BOOK = """name: phones
codes:
- {name: power, definition: battery life, examples: [my battery]}
- {name: cost, definition: price paid, examples: [my price]}
"""


@pytest.fixture
def code(semscale, tmp_path):
    texts = [f"the {word} is {n}" for n in range(10) for word in ("battery", "price")]
    pl.DataFrame({"text": [*texts, "007"]}).write_csv(tmp_path / "answers.csv")
    (tmp_path / "codes.yaml").write_text(BOOK)
    options = ("--text", "text", "--codebook", "codes.yaml", "--sentiment", "none")
    return lambda *more: semscale("code", "answers.csv", *options, *more)


def write(rows):
    pl.DataFrame(rows, schema=["code", "text"], orient="row").write_csv("quotes.csv")


def quoted(path):
    from pptx import Presentation

    slides = Presentation(path).slides
    return [shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame]


def test_slides_quote_the_chosen_answers(code):
    write([("cost", "the price is 7"), ("power", "the battery is 3")])
    ended = code("--quotes", "quotes.csv", "--report", "report.pptx")
    assert ended.code == 0, ended.err
    texts = quoted("report.pptx")
    assert "“the price is 7”" in texts
    assert "“the battery is 3”" in texts
    assert any("Answers that were chosen for this report" in text for text in texts)
    assert not any("typical answer" in text for text in texts)


def bold_in(path):
    from pptx import Presentation

    shapes = (shape for slide in Presentation(path).slides for shape in slide.shapes if shape.has_text_frame)
    runs = (run for shape in shapes for paragraph in shape.text_frame.paragraphs for run in paragraph.runs)
    return [run.text for run in runs if run.font.bold]


@pytest.mark.parametrize("chosen", [True, False], ids=["chosen", "typical"])
def test_slides_mark_the_sentence_that_decided_about_the_code(semscale, tmp_path, chosen):
    texts = [f"Nothing else. The battery died {n}. So it goes." for n in range(4)]
    pl.DataFrame({"text": [*texts, "the price is 7", "the price is 8"]}).write_csv(tmp_path / "answers.csv")
    (tmp_path / "codes.yaml").write_text(BOOK)
    write([("power", texts[3])])
    ended = semscale(
        *("code", "answers.csv", "--text", "text", "--codebook", "codes.yaml", "--sentiment", "none"),
        *(("--quotes", "quotes.csv") if chosen else ()),
        *("--report", "report.pptx"),
    )
    assert ended.code == 0, ended.err
    bold = bold_in("report.pptx")
    (marked,) = (text for text in bold if text.startswith("The battery died"))
    assert (
        marked == "The battery died 3." if chosen else marked in {f"The battery died {n}." for n in range(4)}
    )
    assert "the price is 7" not in bold  # a whole answer is not marked


def test_quotes_that_no_longer_belong_to_the_answers_are_left_out_with_a_note(code):
    write([("cost", "the price is 7"), ("money", "the price is 8"), ("power", "the battery is 99")])
    ended = code("--quotes", "quotes.csv", "--report", "report.md")
    assert ended.code == 0, ended.err
    assert "2 of 3 chosen quotes were left out" in Path("report.md").read_text()


def test_a_table_that_has_no_quotes_is_refused_before_answers_are_read(code, toy_embedder):
    Path("quotes.csv").write_text("row\n1\n")
    ended = code("--quotes", "quotes.csv")
    assert (ended.code, "--quotes: quotes.csv has no column 'code'" in ended.err) == (2, True), ended.err
    assert toy_embedder.embedded == []


def test_texts_are_read_as_they_are_written(tmp_path):
    path = tmp_path / "quotes.csv"
    path.write_text('code,text\npower,007\npower,"two\nlines, ""quoted"""\n')
    assert read_quotes(path) == [("power", "007"), ("power", 'two\nlines, "quoted"')]
    path.write_text("code,text\n")
    assert read_quotes(path) == []
