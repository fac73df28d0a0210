"""Codes for no answer among groups: every command infers them as tables do."""

import json
from dataclasses import replace

import polars as pl
import pytest

from semscale.matching.settings import MatchColumns
from semscale.results.table_columns import resolve_columns
from semscale.spelling import has_hint
from semscale.store.expressions import filter_table
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels
from semscale.survey.survey_file import parse_survey

REGIONS = ["North", "South", "-99", "N/A", "Don't know"]


@pytest.fixture
def answers(tmp_path):
    rows = [f"{n},battery {n},battery,{n % 5 + 1},{REGIONS[n % 5]}" for n in range(60)]
    (tmp_path / "answers.csv").write_text("\n".join(["id,why,known,q,region", *rows]) + "\n")
    return tmp_path / "answers.csv"


def read_groups(path, survey=None):
    table, columns = resolve_columns(
        MatchColumns(prediction="why", reference=["known"], by="region"), open_table(path), survey
    )
    return table, columns.read(pl.concat(table.batches(100)))["by"]


def test_codes_are_no_groups_and_a_note_names_them(answers):
    table, groups = read_groups(answers)
    # "Don't know" among answers without an order is an answer.
    assert groups[:5] == ["North", "South", None, None, "Don't know"]
    (note,) = table.notes
    assert note.startswith("no groups of ‘region’, as they are read as no answer: ‘-99’, ‘N/A’")
    assert has_hint(note)


def test_a_described_column_has_the_codes_of_its_description(answers):
    survey = parse_survey(b"questions:\n- {name: region, kind: single, missing: [N/A]}", source="survey.yaml")
    table, groups = read_groups(answers, survey)
    assert groups[:5] == ["North", "South", "-99", None, "Don't know"]
    assert table.notes == ()


def test_labels_of_codes_are_no_groups(answers):
    labels = ColumnLabels(values={"1": "One", "2": "Two", "3": "Three", "4": "Refused", "5": "Five"})
    table = replace(open_table(answers), labels={"q": labels})
    columns = MatchColumns(prediction="why", reference=["known"], by="q")
    table, columns = resolve_columns(columns, table, None)
    groups = columns.read(pl.concat(table.batches(100)))["by"]
    assert groups[:5] == ["One", "Two", "Three", None, "Five"]


def test_conditions_do_not_change_what_is_a_code(answers):
    # Of 3, 99 alone nothing is apart; of 1 to 5 and 99, it is.
    rows = [f"{n},text,text,1,{(1, 2, 3, 4, 5, 99)[n % 6]}" for n in range(60)]
    answers.write_text("\n".join(["id,why,known,q,region", *rows]) + "\n")
    table = filter_table(open_table(answers), "region IN (3, 99)")
    columns = MatchColumns(prediction="why", reference=["known"], by="region")
    table, columns = resolve_columns(columns, table, None)
    assert columns.read(pl.concat(table.batches(100)))["by"][:2] == ["3", None]


@pytest.mark.parametrize(
    "arguments",
    [
        ("rate", "--text", "why", "--scale", "quality", "--floor", "none"),
        ("match", "--prediction", "why", "--reference", "known"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_commands_have_the_bases_of_tables(semscale, answers, arguments):
    command, *options = arguments
    measured = json.loads(semscale(command, "answers.csv", *options, "--by", "region", "--json").out)
    tabulated = json.loads(
        semscale("tables", "answers.csv", "--question", "q", "--banner", "region", "--json").out
    )
    listed = {column["name"]: column["n"] for column in tabulated["tables"][0]["columns"]}
    assert listed == {"Total": 60, "Don't know": 12, "North": 12, "South": 12}
    of_groups = json.dumps(measured)
    assert '"-99"' not in of_groups
    assert '"N/A"' not in of_groups
    note = "no groups of ‘region’, as they are read as no answer: ‘-99’"
    assert any(note in caution for caution in measured["cautions"])
    assert any(note in caution for caution in tabulated["cautions"])
