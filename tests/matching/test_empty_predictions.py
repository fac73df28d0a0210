"""Empty predictions: left out unless they are to count as wrong."""

import numpy as np
import polars as pl
import pytest

from semscale.errors import InputError
from semscale.matching.matcher import Matcher, match
from semscale.matching.settings import MatchColumns
from semscale.matching.table import match_table
from semscale.store.reading import open_table
from semscale.types import Status

PREDICTIONS = ["heart", None, " ", 7, "", "lung"]
REFERENCES = ["heart", "heart", ["heart", "lung"], "heart", None, "lung"]


def matched(embedder, empty):
    return match(PREDICTIONS, REFERENCES, "cosine", embedder=embedder, empty=empty)


def test_empty_predictions_are_left_out_by_default(toy_embedder):
    result = matched(toy_embedder, "missing")
    assert result.status.tolist() == ["scored", "missing", "empty", "not-text", "empty", "scored"]
    assert result.estimate().overall.figures["score"].value == 1.0
    assert "empty:" not in str(result.signature)


def test_as_wrong_they_score_0_where_there_is_a_reference(toy_embedder):
    result = matched(toy_embedder, "wrong")
    assert result.status.tolist() == ["scored", "scored", "scored", "not-text", "empty", "scored"]
    np.testing.assert_array_equal(result.score, [1.0, 0.0, 0.0, np.nan, np.nan, 1.0])
    assert result.reference.tolist() == [0, -1, -1, -1, -1, 0]
    assert result.windows.tolist() == [1, 0, 0, 0, 0, 1]
    assert result.estimate().overall.figures["score"].value == 0.5  # (1 + 0 + 0 + 1) / 4
    assert "empty:wrong" in str(result.signature)


def test_a_summary_counts_them_and_shows_compared_items_as_the_lowest(toy_embedder):
    summary = matched(toy_embedder, "wrong").summarize(PREDICTIONS, REFERENCES)
    assert summary.n_empty_as_wrong == 2
    assert [item.row for item in summary.lowest] == [0, 5]
    assert "2 empty predictions scored 0, as wrong" in " ".join(summary.document().sentences("note"))
    left_out = matched(toy_embedder, "missing").summarize(PREDICTIONS, REFERENCES)
    assert left_out.n_empty_as_wrong == 0
    assert "3 empty predictions left out of the mean; --empty wrong" in " ".join(
        left_out.document().brief_sentences("note")
    )


def test_a_file_gives_the_same_as_lists(toy_embedder, tmp_path):
    rows = pl.DataFrame({"p": ["heart", None, " ", "lung"], "r": ["heart", "heart", "lung", "lung"]})
    rows.write_csv(tmp_path / "in.csv")
    matcher = Matcher("cosine", embedder=toy_embedder, empty="wrong")
    summary = match_table(
        open_table(tmp_path / "in.csv"),
        MatchColumns(prediction="p", reference=("r",)),
        matcher,
        out=tmp_path / "out.csv",
    )
    assert summary.estimates.overall.figures["score"].value == 0.5  # (1 + 0 + 0 + 1) / 4
    assert "empty:wrong" in str(summary.signature)
    written = pl.read_csv(tmp_path / "out.csv")
    assert written["semscale_score"].to_list() == [1.0, 0.0, 0.0, 1.0]
    assert written["semscale_status"].unique().to_list() == [Status.SCORED]


@pytest.mark.parametrize("empty", ["skip", None, 0])
def test_another_policy_is_refused(toy_embedder, empty):
    with pytest.raises(InputError, match="empty must be missing or wrong"):
        Matcher("cosine", embedder=toy_embedder, empty=empty)
