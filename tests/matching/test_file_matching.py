"""Files of predictions: the same figures as in memory, whatever the parts."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.conftest import ToyEmbedder
from tests.matching.made_up_entailment import KnownPairs

from semscale.embedding.loading import load_token_encoder
from semscale.errors import InputError
from semscale.guards.registry import GUARDS, Guards
from semscale.matching import cosines
from semscale.matching import matches as matches_module
from semscale.matching import summary as matching_summary
from semscale.matching import table as matching_table
from semscale.matching.calibrated import CalibratedMatch
from semscale.matching.cosines import CosineMatch
from semscale.matching.entailment import EntailmentMatch
from semscale.matching.layered import PRESETS, LayeredMatch
from semscale.matching.matcher import Matcher, explain_items, match_with
from semscale.matching.settings import MatchColumns
from semscale.matching.table import match_table
from semscale.results.table_runs import PartSettings
from semscale.store.reading import open_table

N = 24
THINGS = ("heart", "lung", "liver", "knee", "skin", "eye")
PREDICTIONS = [f"the {THINGS[row % 6]} is not {('well', 'ill')[row % 2]} {row}" for row in range(N)]
REFERENCES = [f"the {THINGS[(row + row % 3) % 6]} is {('well', 'ill')[row % 2]} {row}" for row in range(N)]
PREDICTIONS[4], REFERENCES[9] = "", None
COLUMNS = MatchColumns(prediction="said", reference=("meant",), by="by")
GUARDED = Guards(dict.fromkeys(GUARDS, "warn"))


@pytest.fixture(scope="module")
def encoder():
    return load_token_encoder("all-MiniLM-L6-v2")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.csv"
    by = [("a", "b", None)[row % 3] for row in range(N)]
    pl.DataFrame({"said": PREDICTIONS, "meant": REFERENCES, "by": by}).write_csv(path)
    return path


def layered(**settings):
    return LayeredMatch(PRESETS["cliniqlink-doc"], embedder=ToyEmbedder(), pieces=str.split, **settings)


def matched(path, method, *, part_rows=50_000, out=None, **settings):
    """A file matched by a method object."""
    matcher = Matcher.from_method(method, **settings)
    return match_table(open_table(path), COLUMNS, matcher, out=out, settings=PartSettings(part_rows))


METHODS = {
    "cosine": lambda _: CosineMatch(ToyEmbedder()),
    "layered": lambda _: layered(),
    "calibrated": CalibratedMatch,
    "entailment": lambda _: EntailmentMatch(KnownPairs({(REFERENCES[0], PREDICTIONS[0]): (0.2, 0.1, 0.7)})),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.exhaustive
def test_a_file_is_matched_as_its_rows_are_in_memory(path, tmp_path, encoder, name):
    method, out = METHODS[name](encoder), tmp_path / "out.parquet"
    summary = match_table(
        open_table(path),
        COLUMNS,
        Matcher.from_method(method, guards=GUARDED),
        out=out,
        settings=PartSettings(5),
    )
    predictions = [text or None for text in PREDICTIONS]  # an empty cell of a CSV is missing
    matches = match_with(method, predictions, REFERENCES, guards=GUARDED)
    expected = matches.summarize(predictions, REFERENCES, by=pl.read_csv(path)["by"])
    assert summary.source == path.name
    assert summary.signature == expected.signature
    np.testing.assert_allclose(summary.scores, expected.scores, atol=1e-6)
    assert (summary.counts, summary.guards, summary.n_flagged, summary.left_out) == (
        expected.counts, expected.guards, expected.n_flagged, expected.left_out,
    )  # fmt: skip
    assert [item.row for item in summary.lowest] == [item.row for item in expected.lowest]
    assert [item.findings for item in summary.flagged] == [item.findings for item in expected.flagged]
    assert [item.reference for item in summary.lowest] == [item.reference for item in expected.lowest]
    assert summary.thirds.keys() == expected.thirds.keys()
    assert summary.weighs_findings is expected.weighs_findings is (name == "calibrated")
    for part, means in expected.thirds.items():
        assert summary.thirds[part] == pytest.approx(means, abs=1e-6)
    written = pl.read_parquet(out)
    added = written.select(pl.col("^semscale_.*$").name.map(lambda title: title.removeprefix("semscale_")))
    assert_frame_equal(added, matches.to_frame(), abs_tol=1e-6)


def test_unrelated_pairs_are_those_of_the_rows_in_memory(path):
    method, table = CosineMatch(ToyEmbedder()), open_table(path)
    whole = match_table(table, COLUMNS, Matcher.from_method(method)).separation
    parts = match_table(table, COLUMNS, Matcher.from_method(method), settings=PartSettings(4)).separation
    assert whole.share == parts.share
    np.testing.assert_array_equal(whole.unrelated, parts.unrelated)
    assert len(whole.unrelated) > 10


def whole_signature(corpus):
    """The signature of all rows matched at once."""
    return signature_at_once(layered(corpus=corpus))


def signature_at_once(method):
    predictions = [text or None for text in PREDICTIONS]
    return match_with(method, predictions, REFERENCES).summarize().signature


def test_a_corpus_is_drawn_from_long_files(path, monkeypatch):
    monkeypatch.setattr(matching_table, "CORPUS_ROWS", 10)
    drawn = matched(path, layered(), part_rows=3).signature
    texts = [text for text in REFERENCES if text]
    whole = whole_signature(texts)
    assert drawn.differences(whole).keys() == {"corpus", "baseline"}
    monkeypatch.setattr(matching_table, "CORPUS_ROWS", N)
    # A row without a prediction is not matched, and its reference belongs to no pair.
    in_pairs = [text for row, text in enumerate(REFERENCES) if text and row != 4]
    all_of_them = matched(path, layered()).signature
    assert all_of_them == whole_signature(in_pairs)


def test_explicit_corpus_is_not_replaced(path):
    configured = layered(corpus=["a corpus", "of its own", "and some more"])
    assert matched(path, configured).signature == signature_at_once(configured)


def test_tokens_are_laid_out_for_every_row_of_a_table_and_for_the_items_shown(path, tmp_path):
    out = tmp_path / "out.jsonl"
    summary = match_table(
        open_table(path),
        COLUMNS,
        Matcher.from_method(layered(), explain=True),
        out=out,
        settings=PartSettings(7),
    )
    tokens = pl.read_ndjson(out)["semscale_tokens"].to_list()
    assert [row for row, cell in enumerate(tokens) if cell is None] == [4, 9]
    (lowest,) = summary.lowest[:1]
    assert lowest.tokens["token"].to_list() == [token["token"] for token in tokens[lowest.row]]
    shown = matched(path, layered(), explain=True)
    assert shown.lowest[0].tokens.equals(lowest.tokens)
    assert matched(path, layered()).lowest[0].tokens is None


@pytest.mark.exhaustive
def test_the_default_method_explains_all_rows_as_it_does_in_memory(path, tmp_path, encoder, monkeypatch):
    monkeypatch.setattr(matching_table, "_EXPLAINED_TOGETHER", 3)
    out, method = tmp_path / "out.parquet", CalibratedMatch(encoder)
    match_table(
        open_table(path),
        COLUMNS,
        Matcher.from_method(method, explain=True),
        out=out,
        settings=PartSettings(10),
    )
    cells = pl.read_parquet(out)["semscale_tokens"].to_list()
    predictions = [text or None for text in PREDICTIONS]
    matches = match_with(method, predictions, REFERENCES)
    expected = explain_items(method, predictions, REFERENCES, matches, range(N))
    assert [row for row, cell in enumerate(cells) if cell is None] == [4, 9]
    for row, table in expected.items():
        assert_frame_equal(pl.DataFrame(cells[row]), table, abs_tol=1e-6)


def test_a_part_without_a_row_to_explain_has_empty_cells(tmp_path):
    path, out = tmp_path / "gaps.csv", tmp_path / "out.jsonl"
    path.write_text("said,meant,by\n,one,x\n,two,x\none two,one,x\nthree,two,x\n")
    match_table(
        open_table(path),
        COLUMNS,
        Matcher.from_method(layered(), explain=True),
        out=out,
        settings=PartSettings(2),
    )
    cells = pl.read_ndjson(out)["semscale_tokens"].to_list()
    assert cells[:2] == [None, None]
    assert [token["token"] for token in cells[2]] == ["one", "two", "one"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('said,meant,by\na,b,x\nc,"[""d",y\n', "no valid JSON in data row 2"),
        ("said,meant,by\na,,x\nc,,y\n", "column 'meant' holds no text"),
    ],
)
def test_cells_far_down_are_refused_before_a_model_reads_anything(tmp_path, content, message):
    path = tmp_path / "wrong.csv"
    path.write_text(content)
    embedder = ToyEmbedder()
    with pytest.raises(InputError, match=message):
        matched(path, CosineMatch(embedder), part_rows=1)
    assert embedder.embedded == []


def test_lists_of_mixed_cells_keep_the_reference_that_counted(tmp_path):
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"said": "a", "meant": [1, "b"], "by": "x"}\n{"said": "c", "meant": "d", "by": "y"}\n')
    summary = matched(path, CosineMatch(ToyEmbedder()), part_rows=1)
    assert {item.row: item.reference for item in summary.lowest} == {0: "b", 1: "d"}


def test_many_rows_have_sampled_scores_and_means_of_all_rows(path, monkeypatch):
    whole = matched(path, CosineMatch(ToyEmbedder()))
    assert not whole.is_sampled
    for module in (matches_module, matching_summary):
        monkeypatch.setattr(module, "SAMPLED_ROWS", 15)
    summary = match_table(
        open_table(path),
        COLUMNS,
        Matcher.from_method(CosineMatch(ToyEmbedder())),
        settings=PartSettings(5),
    )
    assert summary.is_sampled
    assert len(summary.scores) <= 15 < len(whole.scores) == summary.estimates.overall.n
    assert np.isin(summary.scores.round(9), whole.scores.round(9)).all()
    assert summary.counts == whole.counts
    assert [item.row for item in summary.lowest] == [item.row for item in whole.lowest]
    assert summary.separation is not None
    assert 10 <= len(summary.separation.unrelated) <= 15
    for actual, right in zip(summary.estimates.groups, whole.estimates.groups, strict=True):
        assert (actual.group, actual.n, actual.left_out) == (right.group, right.n, right.left_out)
        assert actual.mean.value == pytest.approx(right.mean.value)


class Counted(ToyEmbedder):
    """Says how many texts are embedded at once at most."""

    most = 0

    def embed(self, texts, *, progress=None):
        self.most = max(self.most, len(texts))
        return super().embed(texts, progress=progress)


def test_vectors_of_a_part_are_not_all_held_together(tmp_path):
    n = 3000
    rows = {"said": [f"a {row}" for row in range(n)], "meant": [f"b {row % 7}" for row in range(n)]}
    pl.DataFrame(rows).write_parquet(tmp_path / "rows.parquet")
    embedder = Counted()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cosines, "_FRESH", 100)
        patch.setattr(cosines, "_STORED", 50)
        summary = match_table(
            open_table(tmp_path / "rows.parquet"),
            MatchColumns(prediction="said", reference=("meant",)),
            Matcher.from_method(CosineMatch(embedder)),
        )
    assert embedder.most <= 300  # those of a step, or of the unrelated pairs
    texts = n + 7
    assert texts <= len(embedder.embedded) <= texts + 600  # the unrelated pairs have 300 of each side at most
    whole = CosineMatch(ToyEmbedder())
    expected = match_with(whole, rows["said"], rows["meant"]).score
    np.testing.assert_allclose(summary.scores, expected)
