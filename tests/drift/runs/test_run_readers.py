"""The table of readers: one entry for each format of run files."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from semscale.drift.runs import run_readers
from semscale.drift.runs.reading import read_items, read_run
from semscale.drift.runs.run_readers import READERS, RunContent, RunReader, find_reader
from semscale.errors import InputError
from semscale.history.items import Item, Output

MOMENT = datetime(2026, 1, 31, tzinfo=UTC)


def read_lines(path, columns, settings):
    """One item for each line: its number, and the line as its only output."""
    lines = Path(path).read_text("utf-8").splitlines()
    items = tuple(Item(str(number), (Output(line),)) for number, line in enumerate(lines))
    return RunContent(items, ("a model",), MOMENT)


LINES = RunReader(("lines",), lambda path: str(path).endswith(".txt"), read_lines, has_columns=False)


def test_another_format_is_one_entry(written, monkeypatch):
    path = written("Yes.\nNo.\n", "answers.txt")
    monkeypatch.setattr(run_readers, "READERS", (LINES, *READERS))
    run = read_run(path)
    assert [output.text for item in run.items for output in item.outputs] == ["Yes.", "No."]
    assert (run.model, run.recorded, run.dataset) == ("a model", MOMENT, "answers")
    other = written("Perhaps.\n", "answers.log")
    assert read_items(other, format="lines")[0].outputs[0].text == "Perhaps."
    with pytest.raises(InputError, match="sav, inspect, promptfoo, openai-evals, lines, athena, got 'xml'"):
        read_run(other, format="xml")


@pytest.mark.parametrize(
    ("path", "format_", "expected"),
    [
        ("a.csv", None, "csv"), ("a.unknown", None, "csv"), ("-", None, "csv"), ("a.JSON", None, "athena"),
        (["a.json", "b.json"], None, "athena"), (".", None, "athena"), ("a.csv", "athena", "athena"),
        ("a.json", "jsonl", "csv"),
    ],
)  # fmt: skip
def test_readers_are_found_by_format_or_by_path(path, format_, expected):
    assert expected in find_reader(path, format_).formats


def test_every_format_has_one_reader_and_the_last_one_reads_all_that_is_left():
    names = [name for reader in READERS for name in reader.formats]
    assert len(names) == len(set(names))
    assert READERS[-1].recognises("anything")
