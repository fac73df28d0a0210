"""``semscale embed`` from its options to what it prints and writes."""

import json

import numpy as np
import polars as pl
import pytest

from semscale.embedding import loading


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("id,text\n1,w1 w2\n2,\n3,w3\n4,w1 w2\n")
    return path


def embed(*options, out="vectors.parquet"):
    return ["embed", "answers.csv", "--text", "text", "--embedder", "model", "--out", out, *options]


def test_vectors_are_those_of_the_embedder(semscale, answers, tmp_path):
    ended = semscale(*embed("--json", "--part-rows", "2"))
    assert (ended.code, ended.err) == (0, "")
    printed = json.loads(ended.out)
    assert (printed["rows"], printed["counts"]) == (4, {"scored": 3, "missing": 1})
    assert printed["out"] == "vectors.parquet"
    vectors = pl.read_parquet(tmp_path / "vectors.parquet")["semscale_vector"]
    expected = loading.load_embedder("model", cache=False).embed(["w1 w2", "w3"]).vectors
    assert vectors.dtype == pl.Array(pl.Float32, expected.shape[1])
    assert vectors[1] is None
    np.testing.assert_allclose(np.stack([vectors[0], vectors[2], vectors[3]]), expected[[0, 1, 0]], atol=1e-6)


def test_a_question_of_the_description_is_embedded_without_its_codes(semscale, answers, tmp_path):
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n- {name: Reason, kind: open, columns: text, missing: [w3]}\n"
    )
    ended = semscale("embed", "answers.csv", "--text", "Reason", "--embedder", "model", "--out", "v.parquet")
    assert ended.code == 0, ended.err
    written = pl.read_parquet(tmp_path / "v.parquet")
    assert written["text"].to_list() == ["w1 w2", None, "w3", "w1 w2"]
    assert written["semscale_status"].to_list() == ["scored", "missing", "missing", "scored"]


def test_the_numbers_are_no_other_in_a_folder(semscale, answers, tmp_path):
    assert semscale(*embed()).code == 0
    ended = semscale(*embed("--part-rows", "2", out="vectors/"))
    assert (ended.code, ended.err) == (0, "")
    assert sorted(path.name for path in (tmp_path / "vectors").iterdir()) == [
        "_semscale.json",
        "part-000000.parquet",
        "part-000001.parquet",
    ]
    rows = pl.read_parquet(tmp_path / "vectors" / "*.parquet")
    assert rows.drop("semscale_vector").equals(
        pl.read_parquet(tmp_path / "vectors.parquet").drop("semscale_vector")
    )
    again = semscale(*embed("--part-rows", "3", out="vectors/"))
    assert again.code == 2
    assert "part_rows was 2, now 3" in again.err
    assert "--restart" in again.err
    assert semscale(*embed("--part-rows", "3", "--restart", out="vectors/")).code == 0
    assert len(list((tmp_path / "vectors").glob("*.parquet"))) == 2


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("vectors.csv", "--out must end in .parquet, .jsonl or / to hold vectors, got 'vectors.csv'"),
        ("none/vectors.parquet", "the folder"),
        ("https://u:hidden@localhost:1/v.parquet", "https://localhost:1/v.parquet can only be read"),
    ],
)
def test_invalid_outputs_are_refused(semscale, answers, out, message):
    ended = semscale(*embed(out=out))
    assert ended.code == 2
    assert message in ended.err
    assert "hidden" not in ended.err


def test_an_output_is_needed(semscale, answers):
    ended = semscale("embed", "answers.csv", "--text", "text")
    assert ended.code == 2
    assert "--out must name where the vectors go" in ended.err


def test_the_help_names_the_outputs_that_hold_vectors(semscale):
    shown = " ".join(semscale("embed", "--help").out.replace("│", " ").split())
    assert ".parquet or .jsonl, a folder (vectors/), or a URL" in shown
    assert ".xlsx or .sav" not in shown
