"""Matched files: stopped at any moment, the same call ends with the same bytes."""

import polars as pl
import pytest
from tests.conftest import ToyEmbedder

from semscale.errors import InterruptedRunError
from semscale.guards.registry import GUARDS, Guards
from semscale.matching.cosines import CosineMatch
from semscale.matching.matcher import Matcher
from semscale.matching.settings import MatchColumns
from semscale.matching.table import match_table
from semscale.results.table_runs import PartSettings
from semscale.store.reading import open_table

N = 60
VOCABULARY = ("heart", "lung", "well", "ill", "not", "12", "twelve")


class CountingEmbedder(ToyEmbedder):
    """Is stopped by the user when it is asked once too often."""

    def __init__(self, calls):
        super().__init__()
        self.calls = calls

    def embed(self, texts, *, progress=None):
        self.calls -= 1
        if self.calls < 0:
            raise KeyboardInterrupt
        return super().embed(texts, progress=progress)


def write_answers(folder):
    """Write answers with repeated texts, missing ones, several references and groups."""

    def texts(*steps):
        return [
            " ".join([*(VOCABULARY[row * step % len(VOCABULARY)] for step in steps), str(row)])
            for row in range(N)
        ]

    stated, meant = texts(1, 2, 3), texts(3, 5)
    stated[4], stated[17], meant[9] = None, "  ", None
    columns = {"said": stated, "meant": meant, "too": stated[::-1], "by": ["a", "b", None] * (N // 3)}
    pl.DataFrame(columns).write_parquet(folder / "answers.parquet")


def match_answers(folder, kind, out="out", embedder=None):
    """Match the answers in four parts."""
    path = folder / f"{out}.{kind}"
    match_table(
        open_table(folder / "answers.parquet"),
        MatchColumns(prediction="said", reference=("meant", "too"), by="by"),
        Matcher.from_method(
            CosineMatch(embedder or ToyEmbedder()), guards=Guards(dict.fromkeys(GUARDS, "warn"))
        ),
        out=path,
        settings=PartSettings(15),
    )
    return path


@pytest.mark.exhaustive
def test_finished_parts_are_not_matched_again(tmp_path):
    write_answers(tmp_path)
    whole = match_answers(tmp_path, "csv", "whole").read_bytes()
    with pytest.raises(InterruptedRunError, match="30 rows are finished and stored in out.csv.parts"):
        match_answers(tmp_path, "csv", embedder=CountingEmbedder(2))
    rest = CountingEmbedder(3)  # two parts of four are left, then unrelated pairs
    assert match_answers(tmp_path, "csv", embedder=rest).read_bytes() == whole
    assert rest.calls == 0
