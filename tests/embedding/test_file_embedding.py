"""Files of vectors: those of the embedder in the order of the rows, and none where there is no text."""

import numpy as np
import polars as pl
import pytest

from semscale.embedding import table as embedding_table
from semscale.embedding.embedder import Embeddings
from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.table import EmbeddingColumns, embed_table
from semscale.errors import InputError, ModelError
from semscale.results.table_runs import PartSettings
from semscale.signature import Signature
from semscale.store.places import target_of
from semscale.store.reading import open_table
from semscale.types import Status

TEXT = EmbeddingColumns(text="text")
TEXTS = ["a", None, "bb", " ", "a", "ccc", ""]
SIDES = {"a": [1.0, 0.0], "bb": [0.6, 0.8], "ccc": [0.1, 0.99498743710662]}


class SidesEmbedder:
    """Gives each text its vector of two numbers, and fails once it was asked often enough."""

    dimensions = 2

    def __init__(self, calls=99):
        self.calls = calls

    @property
    def signature(self):
        return Signature.of("toy", model="sides")

    def embed(self, texts, *, progress=None):
        if self.calls == 0:
            raise ModelError("the model stopped")
        self.calls -= 1
        return Embeddings(
            np.array([SIDES[text] for text in texts], np.float32), np.ones(len(texts), np.int64)
        )


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.parquet"
    pl.DataFrame({"id": range(7), "text": TEXTS}).write_parquet(path)
    return open_table(path)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.exhaustive
def test_vectors_stand_beside_their_rows(table, tmp_path, dtype):
    out = tmp_path / "vectors.parquet"
    summary = embed_table(
        table, TEXT, embedder=SidesEmbedder(), out=out, dtype=dtype, settings=PartSettings(2)
    )
    result = pl.read_parquet(out)
    assert result.columns == ["id", "text", "semscale_status", "semscale_vector"]
    assert result["text"].to_list() == TEXTS
    assert result["semscale_status"].to_list() == [
        "scored", "missing", "scored", "empty", "scored", "scored", "empty",
    ]  # fmt: skip
    assert result.schema["semscale_vector"] == pl.Array(
        {"float32": pl.Float32, "float16": pl.Float16}[dtype], 2
    )
    kind = np.dtype(dtype).type
    expected = [None if text not in SIDES else [kind(side) for side in SIDES[text]] for text in TEXTS]
    assert result["semscale_vector"].to_list() == expected
    assert summary.counts == {Status.SCORED: 4, Status.MISSING: 1, Status.EMPTY: 2}
    assert (summary.n, summary.dimensions, summary.n_windowed) == (7, 2, 0)
    assert dict(summary.signature.fields) == {"dtype": dtype, "model": "sides"}


@pytest.mark.exhaustive
def test_a_stopped_run_goes_on_after_its_last_part(table, tmp_path):
    for name in ("vectors.parquet", "vectors/"):
        out = target_of(f"{tmp_path}/{name}") if name.endswith("/") else tmp_path / name
        with pytest.raises(ModelError):
            embed_table(table, TEXT, embedder=SidesEmbedder(2), out=out, settings=PartSettings(2))
        # Two parts are kept; the other two have three texts, and ask twice.
        embed_table(table, TEXT, embedder=SidesEmbedder(2), out=out, settings=PartSettings(2))
    result = pl.concat(open_table(tmp_path / "vectors").batches(100))
    assert result.equals(pl.read_parquet(tmp_path / "vectors.parquet"))
    names = sorted(path.name for path in (tmp_path / "vectors").iterdir())
    assert names == ["_semscale.json", *(f"part-{n:06d}.parquet" for n in range(4))]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("vectors.csv", "text", "out must end in .parquet, .jsonl or / to hold vectors, got 'vectors.csv'"),
        ("vectors.parquet", "id", "column 'id' holds no text"),
        ("vectors.parquet", "txt", "did you mean 'text'"),
    ],
)
def test_what_is_refused(table, tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        embed_table(table, EmbeddingColumns(text=text), embedder=SidesEmbedder(), out=tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["answers.parquet"]


def test_its_document_and_json(table):
    summary = embed_table(table, TEXT, embedder=SidesEmbedder())
    facts = {name: cell.value for name, cell in summary.document().facts}
    assert (facts["Rows"], facts["Rows with a vector"], facts["Rows empty"]) == (7, 4, 2)
    assert '"rows": 7' in summary.to_json()


def test_a_text_that_is_too_long_has_a_status_and_no_vector(tmp_path):
    path, out = tmp_path / "answers.parquet", tmp_path / "vectors.parquet"
    pl.DataFrame({"text": ["a", "x" * 100_001]}).write_parquet(path)
    summary = embed_table(open_table(path), TEXT, embedder=SidesEmbedder(), out=out)
    assert summary.counts == {Status.SCORED: 1, Status.TOO_LONG: 1}
    assert pl.read_parquet(out)["semscale_vector"].to_list() == [[1.0, 0.0], None]


def test_half_a_surrogate_pair_has_the_same_vector_from_python_and_a_file(write_checkpoint, tmp_path):
    folder, _ = write_checkpoint("bert")
    embedder = OpenVinoEmbedder(folder, name="tiny")
    path, out = tmp_path / "answers.jsonl", tmp_path / "vectors.parquet"
    path.write_text('{"text": "w1 \\ud83d"}\n{"text": "w1 \\ufffd"}\n')
    embed_table(open_table(path), TEXT, embedder=embedder, out=out)
    from_python = embedder.embed(["w1 \ud83d"]).vectors[0]
    assert pl.read_parquet(out)["semscale_vector"].to_list() == [from_python.tolist()] * 2


def test_vectors_of_a_part_are_bounded(table, tmp_path, monkeypatch):
    monkeypatch.setattr(embedding_table, "_PART_BYTES", 24)  # 3 vectors of 2 numbers of 4 bytes
    embed_table(table, TEXT, embedder=SidesEmbedder(), out=target_of(f"{tmp_path}/vectors/"))
    parts = sorted((tmp_path / "vectors").glob("part-*.parquet"))
    assert [pl.read_parquet(part).height for part in parts] == [3, 3, 1]
