"""Rating of files that is stopped and resumed."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from semscale.embedding.cache import CachedEmbedder, EmbeddingCache
from semscale.errors import InputError, InterruptedRunError, ModelError
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.results import estimates
from semscale.results.table_runs import PartSettings
from semscale.stats.intervals import IntervalPlan
from semscale.store.reading import open_table


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.exhaustive
def test_a_stopped_run_goes_on_after_the_last_finished_part(
    survey, tmp_path, answers, toy_embedder, rater, kind
):
    out, whole = tmp_path / f"rated.{kind}", tmp_path / f"whole.{kind}"
    settings = PartSettings(10)
    expected = rate_table(answers, survey.ALL_COLUMNS, rater=rater, out=whole, settings=settings)
    # The anchors are embedded first, then six parts of ten rows: the fifth call is the fourth part.
    stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=5)
    with pytest.raises(
        InterruptedRunError, match="30 rows are finished and stored in rated.*; the same command"
    ):
        rate_table(answers, survey.ALL_COLUMNS, rater=stopped, out=out, settings=settings)
    assert not out.exists()
    toy_embedder.embedded.clear()
    summary = rate_table(answers, survey.ALL_COLUMNS, rater=rater, out=out, settings=settings)
    finished = set(survey.some_answers()["text"][:30]) - set(survey.some_answers()["text"][30:])
    assert not finished & set(toy_embedder.embedded)
    assert out.read_bytes() == whole.read_bytes()
    survey.assert_same_estimates(summary.estimates, expected.estimates)
    assert summary.left_out == expected.left_out
    assert summary.input_notes == expected.input_notes
    for name in ("sample", "most_certain", "least_certain"):
        assert_frame_equal(getattr(summary, name), getattr(expected, name))
    np.testing.assert_array_equal(summary.set_agreement, expected.set_agreement)
    assert survey.files_in(tmp_path) == ["answers.parquet", out.name, whole.name]


def test_stopped_before_the_first_part_is_finished(survey, tmp_path, answers, toy_embedder):
    stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=2)
    with pytest.raises(InterruptedRunError, match="first part was finished; the same command starts again"):
        rate_table(answers, RatingColumns(text="text"), rater=stopped, out=tmp_path / "rated.csv")
    assert survey.files_in(tmp_path) == ["answers.parquet"]


def test_stopped_without_an_output(survey, answers, toy_embedder):
    stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=3)
    with pytest.raises(InterruptedRunError, match="stopped after 20 rows; with an output file"):
        rate_table(answers, RatingColumns(text="text"), rater=stopped, settings=PartSettings(20))


def test_embeddings_are_reported_as_cached_only_if_cached(survey, tmp_path, answers, toy_embedder):
    with EmbeddingCache(tmp_path / "cache.sqlite") as cache:
        stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=3).embedder
        rater = Rater(survey.some_scale(), embedder=CachedEmbedder(stopped, cache), floor=None)
        with pytest.raises(InterruptedRunError, match="20 rows; finished embeddings stay in the cache; with"):
            rate_table(answers, RatingColumns(text="text"), rater=rater, settings=PartSettings(20))


def test_a_model_that_fails_keeps_finished_parts(survey, tmp_path, answers, toy_embedder, rater):
    failed = survey.failing_rater(toy_embedder, ModelError("no reply"), after=4)
    out = tmp_path / "rated.csv"
    with pytest.raises(ModelError):
        rate_table(answers, RatingColumns(text="text"), rater=failed, out=out, settings=PartSettings(10))
    assert len(list((tmp_path / "rated.csv.parts").glob("*.parquet"))) == 2
    rate_table(answers, RatingColumns(text="text"), rater=rater, out=out, settings=PartSettings(10))
    assert survey.files_in(tmp_path) == ["answers.parquet", "rated.csv"]


@pytest.fixture
def unfinished(survey, tmp_path, answers, toy_embedder):
    """An output of which two parts of ten rows are finished."""
    out = tmp_path / "rated.csv"
    stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=4)
    with pytest.raises(InterruptedRunError):
        rate_table(answers, RatingColumns(text="text"), rater=stopped, out=out, settings=PartSettings(10))
    return out


def test_other_settings_do_not_go_on_with_it(survey, answers, toy_embedder, unfinished):
    other = Rater(survey.some_scale(), embedder=toy_embedder, floor=None, temperature=0.5)
    settings = PartSettings(10)
    with pytest.raises(InputError, match="temperature was 1, now 0.5.*--restart"):
        rate_table(answers, RatingColumns(text="text"), rater=other, out=unfinished, settings=settings)
    rate_table(
        answers,
        RatingColumns(text="text"),
        rater=other,
        out=unfinished,
        settings=PartSettings(10, restart=True),
    )
    (rated,) = open_table(unfinished).batches(100)
    expected = other.rate(survey.some_answers()["text"]).to_frame()
    got = rated["semscale_mean"].cast(pl.Float64)
    assert got.is_null().equals(expected["mean"].is_null())
    np.testing.assert_allclose(got.drop_nulls(), expected["mean"].drop_nulls(), atol=1e-5)


def test_another_input_does_not_go_on_with_it(survey, tmp_path, rater, unfinished):
    survey.some_answers(seed=1).write_parquet(tmp_path / "answers.parquet")
    with pytest.raises(InputError, match="input was .*, now"):
        rate_table(
            open_table(tmp_path / "answers.parquet"),
            RatingColumns(text="text"),
            rater=rater,
            out=unfinished,
            settings=PartSettings(10),
        )


def test_columns_that_only_summarise_may_change(survey, answers, rater, unfinished, toy_embedder):
    toy_embedder.embedded.clear()
    summary = rate_table(
        answers,
        survey.ALL_COLUMNS,
        rater=rater,
        out=unfinished,
        settings=PartSettings(10),
        plan=IntervalPlan(seed=5),
    )
    assert summary.by == "region"
    assert summary.n == 60


@pytest.fixture
def fifty_groups(monkeypatch):
    """The column id names 60."""
    monkeypatch.setattr(estimates, "MAX_GROUPS", 50)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"weight": "id"}, "weight: column 'id' must hold numbers, but data row 1 has 'r0'"),
        ({"human": "person"}, "human: column 'person' must hold numbers.*data row 1 has 'p0'"),
        (
            {"human": "human", "human_range": (2.0, 4.0)},
            "human_range is 2 to 4, but data row 1 of column .human. has",
        ),
        ({"by": "id"}, "by must name at most 50 groups"),
        ({"weight": "zero"}, "weights must not all be 0"),
    ],
)
@pytest.mark.usefixtures("fifty_groups")
def test_a_wrong_setting_does_not_cost_what_an_earlier_run_finished(
    survey, tmp_path, toy_embedder, rater, columns, message
):
    path, out = tmp_path / "answers.parquet", tmp_path / "rated.csv"
    survey.some_answers().with_columns(zero=pl.lit(0)).write_parquet(path)
    answers, settings = open_table(path), PartSettings(10)
    stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=4)
    with pytest.raises(InterruptedRunError):
        rate_table(answers, RatingColumns(text="text"), rater=stopped, out=out, settings=settings)
    finished = survey.files_in(tmp_path)
    assert len([name for name in finished if name.endswith(".parquet")]) == 3  # the answers and two parts
    with pytest.raises(InputError, match=message):
        rate_table(answers, RatingColumns(text="text", **columns), rater=rater, out=out, settings=settings)
    assert set(finished) <= set(survey.files_in(tmp_path))
    assert rater.anchors.shape[:2] == (2, 4)  # embedded now, as some texts are anchors too
    toy_embedder.embedded.clear()
    rate_table(answers, RatingColumns(text="text"), rater=rater, out=out, settings=settings)
    once = set(survey.some_answers()["text"][:20]) - set(survey.some_answers()["text"][20:])
    assert not once & set(toy_embedder.embedded)


def test_stopped_while_the_columns_are_checked(survey, tmp_path, answers, toy_embedder, rater, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("semscale.results.weights.weights_in", stop)
    with pytest.raises(InterruptedRunError, match="stopped while the columns were checked"):
        rate_table(answers, survey.ALL_COLUMNS, rater=rater, out=tmp_path / "rated.csv")
    assert survey.files_in(tmp_path) == ["answers.parquet"]
    assert toy_embedder.embedded == []
