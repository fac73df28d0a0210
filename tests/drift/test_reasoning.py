"""Reasoning before an output is recorded apart from it, and changes no run without reasoning."""

import json

import pytest

from semscale.drift.columns import RunColumns
from semscale.drift.reading import read_run
from semscale.history.items import Item, Output, digest_items, dump_item, load_item


def run(folder, *outputs, **columns):
    path = folder / "outputs.jsonl"
    lines = [json.dumps({"id": str(number), "output": output}) for number, output in enumerate(outputs)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return read_run(path, model="m", columns=RunColumns(**columns))


def test_run_has_outputs_without_their_reasoning(tmp_path):
    items = run(tmp_path, "<think>Lyon?</think>Paris", "Rome", "<think>cut off").items
    outputs = [output for item in items for output in item.outputs]
    assert [output.text for output in outputs] == ["Paris", "Rome", ""]
    assert [output.reasoning for output in outputs] == ["Lyon?", None, "cut off"]
    assert [output.is_silent for output in outputs] == [False, False, True]


def test_run_keeps_reasoning_in_its_outputs_on_request(tmp_path):
    (item,) = run(tmp_path, "<think>Lyon?</think>Paris", reasoning="keep").items
    assert item.outputs[0].text == "<think>Lyon?</think>Paris"


def test_reasoning_of_an_object_is_no_number(tmp_path):
    (item,) = run(tmp_path, {"text": "Paris", "reasoning": "Lyon?", "credits": 1}).items
    (output,) = item.outputs
    assert (output.text, output.reasoning, output.fields) == ("Paris", "Lyon?", {"credits": 1.0})


@pytest.mark.parametrize("reasoning", [None, "Lyon?"])
def test_stored_item_is_read_back_with_its_reasoning(reasoning):
    item = Item("a", (Output("Paris", {}, reasoning),))
    assert load_item(dump_item(item)) == item
    assert ("reasoning" in dump_item(item)) == (reasoning is not None)


def test_hash_of_items_without_reasoning_is_that_of_their_texts():
    plain = Item("a", (Output("Paris"),))
    assert digest_items([plain]) == digest_items([load_item('{"id": "a", "outputs": [{"text": "Paris"}]}')])
