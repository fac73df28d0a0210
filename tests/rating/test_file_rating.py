"""Rating of files: parts, summaries, cells."""

import datetime as dt
import shutil

import numpy as np
import polars as pl
import pytest
import xlsxwriter
from polars.testing import assert_frame_equal

from semscale.embedding.cache import CachedEmbedder, EmbeddingCache
from semscale.errors import InputError, InterruptedRunError
from semscale.rating.labelling import humans_in
from semscale.rating.rater import Rater
from semscale.rating.ratings import Ratings
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.results.table_runs import PartSettings
from semscale.results.weights import numbers_in, shorten_cell
from semscale.stats.intervals import IntervalPlan
from semscale.store import writing
from semscale.store.columns import groups_in
from semscale.store.reading import open_table
from semscale.store.writing import with_numbers, write_table

FORMATS = ["csv", "jsonl", "parquet", "xlsx"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", FORMATS)
def test_the_rated_table_is_the_input_and_the_ratings(survey, tmp_path, rater, answers, kind):
    out = tmp_path / f"rated.{kind}"
    rate_table(answers, RatingColumns(text="text"), rater=rater, out=out, settings=PartSettings(7))
    (rated,) = open_table(out).batches(1000)
    frame = survey.some_answers()
    expected = rater.rate(frame["text"]).to_frame().rename(lambda name: f"semscale_{name}")
    if kind == "xlsx":
        frame = with_numbers([frame.with_columns(pl.col("text").replace("", None)).lazy()])[0].collect()
    texts = [name for name, dtype in expected.schema.items() if dtype == pl.String]
    assert rated.columns == [*frame.columns, *expected.columns]
    assert_frame_equal(rated.select(frame.columns).cast(dict(frame.schema)), frame)
    # Cosines are computed in float32, whose last digit depends on how many are computed at once.
    got = rated.select(expected.columns).with_columns(pl.all().exclude(texts).cast(pl.Float64))
    assert_frame_equal(got, expected.with_columns(pl.all().exclude(texts).cast(pl.Float64)), abs_tol=1e-5)
    assert survey.files_in(tmp_path) == ["answers.parquet", out.name]


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_file_summary_equals_the_in_memory_summary(survey, tmp_path, rater, kind):
    frame = survey.some_answers()
    path = tmp_path / f"answers.{kind}"
    write_table(frame, path)
    summary = rate_table(
        open_table(path),
        survey.ALL_COLUMNS,
        rater=rater,
        settings=PartSettings(7),
        plan=IntervalPlan(seed=3),
    )
    ratings = rater.rate(frame["text"])
    expected = ratings.summarize(
        frame["text"],
        source=path.name,
        weights=frame["weight"].cast(pl.Float64),
        by=frame["region"],
        respondents=frame["person"],
        seed=3,
    )
    survey.assert_same_estimates(summary.estimates, expected.estimates)
    same = ("n", "counts", "n_windowed", "n_distinct", "set_names", "floor", "source", "signature")
    for name in (*same, "by", "weight", "respondent"):
        assert getattr(summary, name) == getattr(expected, name), name
    assert_frame_equal(summary.sample, expected.sample, abs_tol=1e-5)
    assert summary.left_out == expected.left_out
    for name in ("most_certain", "least_certain"):
        # Texts of the same words in another order are equally certain, up to a last digit.
        table, same = getattr(summary, name), getattr(expected, name)
        assert table["text"].is_unique().all()
        np.testing.assert_allclose(table["entropy"], same["entropy"], atol=1e-5)
    np.testing.assert_allclose(summary.set_agreement, expected.set_agreement, atol=1e-5)
    humans = [1.0, 2.0, [3.0, 4.0], [1.0, 2.0], None]
    written = ["1", "2", "[3, 4]", "[1, 2]", None]
    compared = ratings.compare(
        [humans[written.index(cell)] for cell in frame["human"]],
        texts=frame["text"].to_list(),
        respondents=frame["person"],
        weights=frame["weight"].cast(pl.Float64),
        seed=3,
    )
    assert summary.comparison.n == compared.n
    assert summary.comparison.pearson.value == pytest.approx(compared.pearson.value, abs=1e-5)
    assert summary.comparison.null_length == compared.null_length
    assert (summary.by, summary.weight, summary.respondent) == ("region", "weight", "person")


def test_dates_truth_values_and_numbers_of_excel_are_no_texts(tmp_path, rater):
    path = tmp_path / "answers.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet, day = book.add_worksheet(), book.add_format({"num_format": "yyyy-mm-dd"})
        for row, cell in enumerate(["text", "great thing", True, 5]):
            sheet.write(row, 0, cell)
        sheet.write_datetime(4, 0, dt.datetime(2024, 3, 1), day)
    out = tmp_path / "rated.csv"
    summary = rate_table(open_table(path), RatingColumns(text="text"), rater=rater, out=out)
    assert summary.counts == {"scored": 1, "not-text": 3}
    (rated,) = open_table(out).batches(10)
    assert rated["text"].to_list() == ["great thing", "true", "5", "2024-03-01 00:00:00"]


def test_nothing_is_written_unless_asked(survey, tmp_path, rater, answers):
    rate_table(answers, RatingColumns(text="text"), rater=rater)
    assert survey.files_in(tmp_path) == ["answers.parquet"]


def test_file_rating_reports_progress(rater, answers):
    events = []
    rate_table(
        answers,
        RatingColumns(text="text"),
        rater=rater,
        settings=PartSettings(25),
        progress=lambda *step: events.append(step),
    )
    assert [step for step in events if step[0] == "rating"] == [("rating", n, 60) for n in (0, 25, 50, 60)]
    assert any(step[0] == "embedding" for step in events)


def csv_of(folder, text):
    path = folder / "answers.csv"
    path.write_text(text)
    return open_table(path)


LATE = "".join(f"great thing,{n}\n" for n in range(20))


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (LATE + "too,many,cells\n", {}, "line 22: 3 cells"),
        (LATE + "bad stuff,much\n", {"weight": "n"}, "weight: .* data row 21 has 'much'"),
        (LATE + "bad stuff,good\n", {"human": "n"}, "human: .* data row 21 has 'good'"),
        (LATE, {"human": "n", "human_range": (0.0, 18.0)}, "human_range is 0 to 18, but data row 20"),
        ("great thing,\n", {"human": "n"}, "human: column 'n' has no rating for any text"),
        ("great thing,0\n", {"weight": "n"}, "weights must not all be 0"),
    ],
)
def test_a_wrong_cell_far_down_leaves_nothing_behind(
    survey, tmp_path, rater, toy_embedder, rows, columns, message
):
    table = csv_of(tmp_path, "text,n\n" + rows)
    with pytest.raises(InputError, match=message):
        rate_table(
            table,
            RatingColumns(text="text", **columns),
            rater=rater,
            out=tmp_path / "rated.csv",
            settings=PartSettings(5),
        )
    assert survey.files_in(tmp_path) == ["answers.csv"]
    assert not (tmp_path / "rated.csv.parts").exists()
    if "data row" in message:  # the cells beside the texts are read before any text
        assert toy_embedder.embedded == []


def test_names_of_the_result_are_reserved(tmp_path, rater):
    table = csv_of(tmp_path, "text,semscale_mean\ngreat thing,1\n")
    with pytest.raises(InputError, match="has a column 'semscale_mean'"):
        rate_table(table, RatingColumns(text="text"), rater=rater)


def test_a_reserved_name_that_appears_late(tmp_path, rater):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"text": "great"}\n' * 1200 + '{"text": "great", "semscale_mode": 1}\n')
    with pytest.raises(InputError, match="has a column 'semscale_mode'"):
        rate_table(open_table(path), RatingColumns(text="text"), rater=rater)


def test_too_many_rows_for_excel_are_refused_before_any_work(
    tmp_path, rater, answers, toy_embedder, monkeypatch
):
    monkeypatch.setattr(writing, "MAX_ROWS", 59)
    with pytest.raises(InputError, match="an Excel sheet holds 59 rows, but there are 60"):
        rate_table(answers, RatingColumns(text="text"), rater=rater, out=tmp_path / "rated.xlsx")
    assert toy_embedder.embedded == []


@pytest.mark.parametrize("name", ["answers.csv", "answers.jsonl"])
def test_rows_of_a_text_file_are_counted_for_excel_before_any_work(
    survey, tmp_path, rater, toy_embedder, monkeypatch, name
):
    monkeypatch.setattr(writing, "MAX_ROWS", 59)
    write_table(survey.some_answers(), tmp_path / name)
    with pytest.raises(InputError, match="an Excel sheet holds 59 rows, but there are 60"):
        rate_table(
            open_table(tmp_path / name),
            RatingColumns(text="text"),
            rater=rater,
            out=tmp_path / "rated.xlsx",
            settings=PartSettings(20),
        )
    assert toy_embedder.embedded == []
    assert survey.files_in(tmp_path) == [name]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("moment", "removed"),
    [(("rating", 20), "."), (("writing", 0), "part-000000.parquet"), (("rating", 60), ".")],
)
def test_parts_that_somebody_removes_during_the_run(survey, tmp_path, rater, answers, moment, removed):
    out = tmp_path / "rated.csv"
    folder = tmp_path / "rated.csv.parts"

    def remove(*events):
        if events[:2] == moment and (folder / removed).exists():
            shutil.rmtree(folder) if removed == "." else (folder / removed).unlink()

    with pytest.raises(InputError, match="out: .*parts, which .* removed or changed during the run"):
        rate_table(
            answers,
            RatingColumns(text="text"),
            rater=rater,
            out=out,
            settings=PartSettings(10),
            progress=remove,
        )
    assert survey.files_in(tmp_path) == ["answers.parquet"]
    rate_table(answers, RatingColumns(text="text"), rater=rater, out=out, settings=PartSettings(10))
    assert survey.files_in(tmp_path) == ["answers.parquet", "rated.csv"]


def test_embeddings_are_reported_as_cached_only_if_cached(survey, tmp_path, answers, toy_embedder):
    with EmbeddingCache(tmp_path / "cache.sqlite") as cache:
        stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=3).embedder
        rater = Rater(survey.some_scale(), embedder=CachedEmbedder(stopped, cache), floor=None)
        with pytest.raises(InterruptedRunError, match="20 rows; finished embeddings stay in the cache; with"):
            rate_table(answers, RatingColumns(text="text"), rater=rater, settings=PartSettings(20))


def test_columns_that_only_summarise_may_change_between_runs(survey, tmp_path, answers, toy_embedder):
    out, settings = tmp_path / "rated.csv", PartSettings(10)
    stopped = survey.failing_rater(toy_embedder, KeyboardInterrupt(), after=4)
    with pytest.raises(InterruptedRunError):
        rate_table(answers, RatingColumns(text="text"), rater=stopped, out=out, settings=settings)
    rater, plan = Rater(survey.some_scale(), embedder=toy_embedder, floor=None), IntervalPlan(seed=5)
    summary = rate_table(answers, survey.ALL_COLUMNS, rater=rater, out=out, settings=settings, plan=plan)
    assert (summary.by, summary.n) == ("region", 60)


TEXTS = ["great thing", None, "bad stuff", "", "so so", "great great thing"]


@pytest.fixture
def rater(toy_embedder):
    return Rater("quality", embedder=toy_embedder, floor=None)


def rated_table(folder, frame, rater, columns=None, part_rows=9, **plan):
    path = folder / "x.parquet"
    frame.write_parquet(path)
    columns = columns or RatingColumns(text="text")
    return rate_table(
        open_table(path), columns, rater, settings=PartSettings(part_rows), plan=IntervalPlan(**plan)
    )


def test_ratings_come_back_from_their_columns(rater):
    ratings = rater.rate(TEXTS)
    stored, header = ratings.to_part()
    back = Ratings.from_part(stored, header, scale=rater.scale, floor=None)
    np.testing.assert_array_equal(back.pmf, ratings.pmf)
    np.testing.assert_array_equal(back.similarity, ratings.similarity)
    np.testing.assert_array_equal(back.set_means, ratings.set_means)
    np.testing.assert_array_equal(back.windows, ratings.windows)
    assert back.status.tolist() == ratings.status.tolist()
    assert_frame_equal(back.to_frame(), ratings.to_frame())


def test_added_columns_all_have_the_prefix(rater):
    names = ["status", "mean", "mode", "entropy", "similarity", "windows", "language"]
    names += ["p_1", "p_2", "p_3", "p_4", "p_5", "*set_means", "*sentiment"]
    ratings = rater.rate(TEXTS)
    assert ratings.to_part()[0].columns == [f"semscale_{name}" for name in names]
    assert ratings.to_frame().columns == names[:-2]


@pytest.mark.exhaustive
def test_a_comparison_looks_at_a_sample_that_does_not_depend_on_the_parts(rater, monkeypatch, tmp_path):
    monkeypatch.setattr("semscale.rating.human.COMPARED_ROWS", 50)
    frame = pl.DataFrame({"text": TEXTS * 50, "human": [1.0, 2.0, 3.0, 4.0, None, 5.0] * 50})
    columns = RatingColumns(text="text", human="human")
    compared = rated_table(tmp_path, frame, rater, columns, seed=1).comparison
    assert (compared.n, compared.n_eligible) == (50, 150)
    assert dict(compared.signature.fields)["eligible"] == "150"
    # Of six rows one has no text, one is blank and one has no human rating, so 150 of 300 can be compared; a
    # sample of 50 of them, with texts of 11, 9 and 17 characters and humans 1, 3 and 5, has all three kinds.
    assert set(compared.points[:, 0]) == {1.0, 3.0, 5.0}
    whole = rated_table(tmp_path, frame, rater, columns, 1000, seed=1).comparison
    np.testing.assert_allclose(compared.points, whole.points, atol=1e-5)


def test_a_comparison_has_the_interval_that_was_asked_for(rater, tmp_path):
    frame = pl.DataFrame({"text": TEXTS * 5, "human": [1.0, 2.0, 3.0, 4.0, None, 5.0] * 5})
    columns = RatingColumns(text="text", human="human")
    assert rated_table(tmp_path, frame, rater, columns, interval=0.5).comparison.interval == 0.5


@pytest.mark.exhaustive
def test_unrated_examples_are_the_first_of_every_kind(rater, tmp_path):
    frame = pl.DataFrame({"text": [None, "a", "", "?!", "!!", " ", "--", "..", ""]})
    left_out = rated_table(tmp_path, frame, rater, part_rows=1).left_out
    # Three of each status at most; blank and missing cells have nothing to show.
    assert left_out == {
        "missing": (), "empty": (), "uninformative": ((3, "?!"), (4, "!!"), (6, "--")),
    }  # fmt: skip


@pytest.mark.parametrize(
    "dtype", [pl.String, pl.Categorical, pl.Enum([text for text in TEXTS if text is not None])]
)
@pytest.mark.exhaustive
def test_distinct_texts_are_counted_whatever_type_the_column_has(rater, dtype, tmp_path):
    frame = pl.DataFrame({"text": pl.Series([*TEXTS * 2, None, "so so"], dtype=dtype)})
    # Of six rows one has no text; the other five differ, the blank one among them.
    assert rated_table(tmp_path, frame, rater, part_rows=6).n_distinct == 5


def test_numbers():
    assert numbers_in(pl.Series(["1", " 2.5 ", "", None, "1e3"]), "weight").to_list() == [
        1,
        2.5,
        None,
        None,
        1000,
    ]
    assert numbers_in(pl.Series([1, 2]), "weight").to_list() == [1, 2]


@pytest.mark.parametrize("cell", ["one", "1,500", "1 000", "5%"])
def test_a_cell_that_is_no_number_is_named(cell):
    with pytest.raises(
        InputError, match=f"weight: column 'w' must hold numbers, but data row 13 has '{cell}'"
    ):
        numbers_in(pl.Series("w", ["1", None, cell]), "weight", first_row=10)


@pytest.mark.parametrize(
    ("cells", "names"),
    [
        (["a", None], ["a", None]),
        ([1, None], ["1", None]),
        ([1.0, None], ["1", None]),
        ([1.0, float("nan")], ["1", None]),
        ([1.5, 2.0, float("inf")], ["1.5", "2", "inf"]),
        ([True, None], ["true", None]),
        ([None], [None]),
        ([["a", "b"]], ["['a', 'b']"]),
    ],
)
def test_groups(cells, names):
    assert groups_in(pl.Series(cells)).to_list() == names


@pytest.mark.parametrize(
    ("cell", "rating"),
    [
        ("3", 3.0),
        (" -0.5 ", -0.5),
        ("[1, 2]", [1.0, 2.0]),
        ("[1, null]", [1.0]),
        ("[]", None),
        ("null", None),
        ("", None),
        (" ", None),
        (None, None),
        ("NaN", None),
        (4, 4.0),
        (float("nan"), None),
        ([1, 2.5], [1.0, 2.5]),
    ],
)
def test_human_ratings(cell, rating):
    assert humans_in(pl.Series([cell], strict=False)) == [rating]


@pytest.mark.parametrize(
    "cell", ["good", "[1, good]", '["1"]', '{"a": 1}', "true", "1,500", "Infinity", "[[1]]"]
)
def test_what_is_no_human_rating_is_named(cell):
    with pytest.raises(InputError, match="human: column 'h' must hold numbers or lists .* data row 4 has"):
        humans_in(pl.Series("h", ["1", cell]), first_row=2)


def test_human_ratings_before_labels_are_read_and_codes_are_none():
    cells = ["5 - Very good", "4: Good", "2,5 = so so", "(1", "NA", "don't know", "-", "3"]
    with pytest.raises(InputError, match="'\\(1'"):
        humans_in(pl.Series("h", cells))
    cells.remove("(1")
    assert humans_in(pl.Series("h", cells)) == [5.0, 4.0, 2.5, None, None, None, 3.0]


@pytest.mark.parametrize("cell", ["4 - 5", "4 or 5", "5 - 2 stars", "3 of 5 - fine"])
def test_two_numbers_are_no_human_rating(cell):
    with pytest.raises(InputError, match="must hold numbers"):
        humans_in(pl.Series("h", ["1", cell]))


def test_a_label_without_a_number_asks_for_the_value_of_its_point():
    with pytest.raises(InputError, match="'Very good'; write the values of the points"):
        humans_in(pl.Series("h", ["1", "Very good"]))


def test_human_ratings_with_decimal_commas():
    assert humans_in(pl.Series(["2,5", "3", None])) == [2.5, 3.0, None]
    assert humans_in(pl.Series(["2,5", "3", "NA"])) == [2.5, 3.0, None]
    with pytest.raises(InputError, match="data row 1 has '2,5'; write decimals with a point"):
        humans_in(pl.Series("h", ["2,5", "3.5"]))


def test_a_shortened_cell_keeps_its_closing_quote():
    assert shorten_cell("new cds almost always began skipping after one week") == (
        "'new cds almost always began skippin...'"
    )


def test_a_rating_out_of_range_is_named_as_soon_as_it_is_read():
    assert humans_in(pl.Series(["-4", "[4, -4]", None]), 0, (-4, 4)) == [-4.0, [4.0, -4.0], None]
    with pytest.raises(
        InputError, match="human_range is -4 to 4, but data row 2 of column 'h' has '\\[0, 5\\]'"
    ):
        humans_in(pl.Series("h", ["1", "[0, 5]"]), 0, (-4, 4))
