"""Items that a model is asked about: their inputs, groups, references and prompts."""

import json
from pathlib import Path

import pytest

from semscale.drift.asking.items_to_ask import ItemToAsk, PromptColumns, read_items_to_ask
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.errors import InputError
from semscale.store.reading import open_table

ROWS = [
    {"id": 1, "input": "Why?", "topic": "x", "known": "So.", "done": True},
    {"id": 2, "input": "How?", "topic": None, "known": None, "done": False},
]
TEMPLATE = PromptTemplate("t.txt", "Be kind. {input}")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(rows=ROWS):
        Path("items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return open_table("items.jsonl")

    return write


def test_items_have_id_input_groups_and_reference(table):
    items = read_items_to_ask(table(), PromptColumns(by=("topic",), reference="known"))
    assert [(item.id, item.input, item.groups, item.reference) for item in items] == [
        ("1", "Why?", {"topic": "x"}, "So."),
        ("2", "How?", {}, None),
    ]
    assert items[0].prompt() == "Why?"


def test_a_template_changes_the_prompt_and_not_the_input(table):
    (first, _) = read_items_to_ask(table(), PromptColumns(), [TEMPLATE])
    assert (first.prompt(TEMPLATE), first.input) == ("Be kind. Why?", "Why?")


def test_inputs_are_found_under_prompt_too_and_groups_in_objects(table):
    rows = [{"id": "a", "prompt": "Why?", "groups": {"topic": "x"}}]
    (item,) = read_items_to_ask(table(rows), PromptColumns())
    assert (item.input, item.groups) == ("Why?", {"topic": "x"})


def test_without_an_input_the_other_cells_are_it_whatever_a_template_reads(table):
    rows = [{"id": "a", "q": "Why?", "n": 2, "known": "So.", "topic": "x"}]
    columns = PromptColumns(by=("topic",), reference="known")
    found = {
        read_items_to_ask(table(rows), columns, [PromptTemplate("t.txt", text)])[0].input
        for text in ("{q}", "{n} {q}")
    }
    assert found == {'{"n": 2, "q": "Why?"}'}


@pytest.mark.parametrize(
    ("rows", "columns", "templates", "said"),
    [
        ([{"id": "a", "q": "Why?"}], {}, [], "input: items.jsonl has no column 'input'"),
        (ROWS, {"id": "nr"}, [], "id: items.jsonl has no column 'nr'"),
        (ROWS, {"by": ("kind",)}, [], "by: items.jsonl has no column 'kind'"),
        (ROWS, {"reference": "right"}, [], "reference: items.jsonl has no column 'right'"),
        (ROWS, {}, [PromptTemplate("t.txt", "{q}")], "t.txt: items.jsonl has no column 'q'"),
        ([{"id": "a", "input": "x"}] * 2, {}, [], "items.jsonl: ids must occur once, got 'a' more than once"),
        ([{"id": None, "input": "x"}], {}, [], "items.jsonl, data row 1: column 'id' has no id"),
        ([{"id": "a", "input": True}], {}, [], "data row 1: column 'input' holds True, which is no text"),
    ],
)
def test_a_table_that_does_not_serve_is_refused(table, rows, columns, templates, said):
    with pytest.raises(InputError) as refused:
        read_items_to_ask(table(rows), PromptColumns(**columns), templates)
    assert said in str(refused.value)


def test_a_prompt_with_nothing_in_it_is_refused(table):
    rows = [{"id": "a", "input": "Why?", "more": "x"}, {"id": "b", "input": None, "more": None}]
    template = PromptTemplate("t.txt", "{more}")
    items = read_items_to_ask(table(rows), PromptColumns(), [template])
    with pytest.raises(InputError, match=r"items.jsonl, data row 2: the prompt is empty"):
        items[1].prompt()
    with pytest.raises(InputError, match=r"data row 2: column 'more' is empty, and t.txt reads it"):
        items[1].prompt(template)


def test_an_item_without_cells_is_asked_by_its_input():
    assert ItemToAsk("a", "Why?").prompt() == "Why?"
