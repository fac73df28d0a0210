"""Conditions of baskets' entries in words, and where readers of the tables see them."""

import json

import polars as pl
import pytest
from python_calamine import CalamineWorkbook

from semscale.store.table import ColumnLabels
from semscale.survey.description import Survey
from semscale.tabulation.conditions import condition_in_words

SURVEY = Survey.model_validate({
    "survey": 1,
    "questions": [
        {
            "name": "Q4", "kind": "single", "title": "Region", "missing": ["9"],
            "values": [{"value": "1", "label": "North"}, {"value": "2", "label": "South"}],
        },
        {
            "name": "drinks", "kind": "multiple", "text": "Which drinks?", "chosen": ["1"],
            "options": [{"label": "Tea", "column": "d_1"}, {"label": "Milk", "column": "d_2"}],
        },
        {"name": "it's", "kind": "single", "columns": ['a "b"']},
    ],
})  # fmt: skip


@pytest.mark.parametrize(
    ("where", "stated"),
    [
        ("Q4 IN ('1')", "Only: Region = North"),
        ("Q4 in ('1', '2')", "Only: Region = North or South"),
        ("Q4 = '1'", "Only: Region = North"),
        ("Q4 IN ('1') OR Q4 IS NULL", "Only: Region = North or no answer"),
        ("Q4 IN ('1', '9') OR Q4 IS NULL", "Only: Region = North or no answer"),
        ("Q4 IS NULL OR Q4 NOT IN ('2')", "Only: Region ≠ South"),
        ("(Q4 IS NULL OR Q4 NOT IN ('2')) AND (Q4 IS NOT NULL)", "Only: Region ≠ South; Region ≠ no answer"),
        ("d_1 IN ('1') OR d_2 IN ('1')", "Only: Which drinks? = Tea or Milk"),
        ("((Q4 IN ('1')) AND (d_1 IN ('1'))) AND (age IN ('(4)'))",
         "Only: Region = North; Which drinks? = Tea; Years = (4)"),
        ("\"a \"\"b\"\"\" IN ('it''s')", "Only: it's = it's"),
        # What is not of the simple form is stated as it is.
        ("Q4 IN ('1') AND age > 30", "Only respondents with: Q4 IN ('1') AND age > 30"),
        ("(Q4 IN ('1')) OR (age IN ('4'))", "Only respondents with: (Q4 IN ('1')) OR (age IN ('4'))"),
        ("Q4 NOT IN ('1') OR age IN ('4')", "Only respondents with: Q4 NOT IN ('1') OR age IN ('4')"),
        ("age >\n 30", "Only respondents with: age > 30"),
        ("Q4 LIKE 'N%'", "Only respondents with: Q4 LIKE 'N%'"),
    ],
)  # fmt: skip
def test_a_condition_is_stated_by_headings_and_labels(where, stated):
    assert condition_in_words(where, SURVEY, {"age": ColumnLabels("Years")}) == stated


def test_each_output_states_the_condition_of_an_entry_at_its_table(semscale, tmp_path):
    pptx = pytest.importorskip("pptx")
    rows = {"like": [1 + n % 5 for n in range(80)], "Q4": ["NS"[n % 2] for n in range(80)]}
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    (tmp_path / "tables.yaml").write_text(
        "tables:\n- {questions: [like]}\n- {questions: [like], where: \"Q4 IN ('N')\"}\n"
    )
    outputs = [f"t.{ending}" for ending in ("pptx", "xlsx", "md", "html")]
    words = ("tables", "a.csv", "--basket", "tables.yaml", *(w for out in outputs for w in ("--out", out)))
    ended = semscale(*words)
    assert ended.code == 0, ended.err
    assert "Only: Q4 = N." in ended.out
    for page in ("t.md", "t.html"):
        assert (tmp_path / page).read_text(encoding="utf-8").count("Only: Q4 = N.") == 1
    _, everybody, north, method = pptx.Presentation(tmp_path / "t.pptx").slides
    shown = [
        " ".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)
        for slide in (everybody, north, method)
    ]
    assert ["Only: Q4 = N" in text for text in shown] == [False, True, True]
    assert "Only: Q4 = N." in north.notes_slide.notes_text_frame.text
    book = CalamineWorkbook.from_path(tmp_path / "t.xlsx")
    texts = [
        {cell for row in book.get_sheet_by_index(number).to_python() for cell in row} for number in range(3)
    ]
    assert ["Only: Q4 = N." in cells for cells in texts] == [False, False, True]
    assert "like (only: Q4 = N)" in texts[0]
    assert json.loads(semscale(*words[:4], "--json").out)["entries"][1]["rows"] == 40
