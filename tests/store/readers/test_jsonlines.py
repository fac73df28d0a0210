"""JSON lines: mixed cells keep their Python values, wrong lines are named."""

import json

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.evaluation_logs import open_jsonl


def opened(folder, *rows):
    path = folder / "answers.jsonl"
    path.write_text(
        "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows), encoding="utf-8"
    )
    return open_jsonl(path, "answers.jsonl")


def only(table):
    (batch,) = table.batches(1_000_000)
    return batch


def test_types_that_agree_are_kept(tmp_path):
    batch = only(
        opened(tmp_path, {"i": 1, "f": 1, "b": True, "s": "x", "n": None}, {"i": 2, "f": 0.5, "b": False})
    )
    assert batch.schema == {"i": pl.Int64, "f": pl.Float64, "b": pl.Boolean, "s": pl.String, "n": pl.Null}
    assert batch["s"].to_list() == ["x", None]


def test_a_column_of_everything_keeps_every_value(tmp_path):
    cells = ["text", 5, 2.5, True, ["a"], {"b": 1}, None, "5"]
    batch = only(opened(tmp_path, *({"text": cell} for cell in cells)))
    assert batch["text"].dtype == pl.Object
    kept = batch["text"].to_list()
    assert kept == cells
    assert [type(cell) for cell in kept] == [type(cell) for cell in cells]


def test_nan_is_read_as_a_number(tmp_path):
    batch = only(opened(tmp_path, '{"x": NaN}', '{"x": 1}'))
    assert batch["x"].is_nan().to_list() == [True, False]


@pytest.mark.parametrize("large", [2**63, -(2**63) - 1, 10**30])
def test_integers_beyond_64_bits_are_not_rounded(tmp_path, large):
    assert only(opened(tmp_path, {"id": large}, {"id": 1}))["id"].to_list() == [large, 1]


def test_large_integers_beside_floats_are_not_rounded(tmp_path):
    assert only(opened(tmp_path, {"id": 2**53 + 1}, {"id": 0.5}))["id"].to_list() == [2**53 + 1, 0.5]


def test_a_key_that_appears_late_joins_its_batch(tmp_path):
    table = opened(tmp_path, *[{"a": 1}] * 1500, {"a": 2, "late": "x"})
    assert table.columns == ("a",)
    first, last = table.batches(1500)
    assert first.columns == ["a"]
    assert last.rows() == [(2, "x")]
    table.require("late", "text")


def test_missing_keys_are_null_and_blank_lines_are_no_rows(tmp_path):
    assert only(opened(tmp_path, {"a": 1, "b": "x"}, "", "  ", {"b": "y"})).rows() == [(1, "x"), (None, "y")]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "no valid JSON"),
        ("[1, 2]", "no JSON object"),
        ('"text"', "no JSON object"),
        ("{'a': 1}", "no valid JSON"),
        ("[" * 100_000, "nested too deeply|no valid JSON"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, words):
    with pytest.raises(InputError, match=f"answers.jsonl, line 3: .*({words})"):
        opened(tmp_path, {"a": 1}, "", line)


def test_a_wrong_line_far_down_is_found_when_it_is_reached(tmp_path):
    table = opened(tmp_path, *[{"a": 1}] * 2000, "oops")
    with pytest.raises(InputError, match="line 2001: "):
        list(table.batches(500))


def test_half_a_surrogate_pair_is_the_replacement_character(tmp_path):
    lines = ['{"a": "x\\ud800", "b": ["\\udfff", {"\\ud83d": 1.5}]}', '{"a": "\\ud83d\\ude00", "b": null}']
    (batch,) = opened(tmp_path, *lines).batches(10)
    assert batch.rows() == [("x\ufffd", ["\ufffd", {"\ufffd": 1.5}]), ("\U0001f600", None)]


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_nothing_in_it(tmp_path, content):
    with pytest.raises(InputError, match="is empty"):
        opened(tmp_path, content)


def test_objects_without_keys(tmp_path):
    with pytest.raises(InputError, match="without keys"):
        opened(tmp_path, {}, {})
