"""Files: the same numbers as in memory, in any parts, stopped at any moment."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from semscale.errors import InputError, InterruptedRunError, ModelError, UnknownNameError
from semscale.rating.files import FileColumns, FileSettings, rate_file
from semscale.rating.rater import Rater
from semscale.scales import Scale
from semscale.store import workbook
from semscale.store.reading import open_table
from semscale.store.writing import write_table

WORDS = ["awful", "so so", "great", "bad", "middling", "lovely", "thing", "stuff", "shipping", "price"]
FORMATS = ["csv", "jsonl", "parquet", "xlsx"]


def some_scale():
    points = [{"value": value, "label": str(value)} for value in (1, 2, 3, 4)]
    sets = {
        "plain": ("awful thing", "so so thing", "great thing", "lovely lovely thing"),
        "other": ("bad stuff", "middling stuff", "great stuff", "lovely price"),
    }
    return Scale(
        name="mood", title="Mood", question="How?", provenance="a test", points=points, anchor_sets=sets
    )


def some_answers(n=60, seed=0):
    """Answers of a survey with everything that real ones have: repeats, blanks, missing cells."""
    rng = random.Random(seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 4))) for _ in range(n)]
    texts[3], texts[7], texts[8] = None, "  ", texts[1]
    return pl.DataFrame(
        {
            "id": [f"r{row}" for row in range(n)],
            "text": texts,
            "region": [rng.choice(["north", "south", None]) for _ in range(n)],
            "weight": [rng.choice(["1", "2.5", "0.5"]) for _ in range(n)],
            "person": [f"p{row // 3}" for row in range(n)],
            "human": [rng.choice(["1", "2", "[3, 4]", "[1, 2]", None]) for _ in range(n)],
        }
    )


ALL_COLUMNS = FileColumns("text", by="region", weight="weight", respondent="person", human="human")


@pytest.fixture
def rater(toy_embedder):
    return Rater(some_scale(), embedder=toy_embedder, floor=None)


@pytest.fixture
def answers(tmp_path):
    frame = some_answers()
    path = tmp_path / "answers.parquet"
    frame.write_parquet(path)
    return open_table(path)


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("part_rows", [1, 7, 60, 1000])
@pytest.mark.parametrize("kind", FORMATS)
def test_the_rated_table_is_the_input_and_the_ratings(tmp_path, rater, answers, kind, part_rows):
    out = tmp_path / f"rated.{kind}"
    rate_file(answers, FileColumns("text"), rater=rater, out=out, settings=FileSettings(part_rows))
    (rated,) = open_table(out).batches(1000)
    frame = some_answers()
    expected = rater.rate(frame["text"]).to_frame().rename(lambda name: f"semscale_{name}")
    if kind == "xlsx":
        frame = frame.with_columns(pl.col("text").replace("", None))
    texts = [name for name, dtype in expected.schema.items() if dtype == pl.String]
    kept = rated.select(pl.col(frame.columns).cast(pl.String))
    assert_frame_equal(kept, frame)
    # Cosines are computed in float32, whose last digit depends on how many are computed at once.
    got = rated.select(expected.columns).with_columns(pl.all().exclude(texts).cast(pl.Float64))
    assert_frame_equal(got, expected.with_columns(pl.all().exclude(texts).cast(pl.Float64)), abs_tol=1e-5)
    assert files_in(tmp_path) == ["answers.parquet", out.name]


@pytest.mark.parametrize("part_rows", [1, 7, 1000])
@pytest.mark.parametrize("kind", FORMATS)
def test_the_summary_is_the_one_in_memory(tmp_path, rater, kind, part_rows):
    frame = some_answers()
    path = tmp_path / f"answers.{kind}"
    write_table(frame, path)
    summary = rate_file(open_table(path), ALL_COLUMNS, rater=rater, settings=FileSettings(part_rows, seed=3))
    ratings = rater.rate(frame["text"])
    estimates = ratings.estimate(
        weights=frame["weight"].cast(pl.Float64), by=frame["region"], respondents=frame["person"], seed=3
    )
    assert_same_estimates(summary.estimates, estimates)
    expected = ratings.summarize(frame["text"], estimates=estimates, source=path.name, seed=3)
    for name in ("n", "counts", "n_windowed", "n_distinct", "set_names", "floor", "source", "signature"):
        assert getattr(summary, name) == getattr(expected, name), name
    for name in ("sample", "left_out"):
        assert_frame_equal(getattr(summary, name), getattr(expected, name), abs_tol=1e-5)
    for name in ("most_certain", "least_certain"):
        # Texts of the same words in another order are equally certain, up to a last digit.
        table, same = getattr(summary, name), getattr(expected, name)
        assert table["text"].is_unique().all()
        np.testing.assert_allclose(table["entropy"], same["entropy"], atol=1e-5)
    np.testing.assert_allclose(summary.set_agreement, expected.set_agreement, atol=1e-5)
    humans = [1.0, 2.0, [3.0, 4.0], [1.0, 2.0], None]
    written = ["1", "2", "[3, 4]", "[1, 2]", None]
    compared = ratings.compare(
        [humans[written.index(cell)] for cell in frame["human"]], texts=frame["text"].to_list(), seed=3
    )
    assert summary.comparison.n == compared.n
    assert summary.comparison.pearson.value == pytest.approx(compared.pearson.value, abs=1e-5)
    assert summary.comparison.null_length == compared.null_length
    assert (summary.by, summary.weight, summary.respondent) == ("region", "weight", "person")


def assert_same_estimates(got, expected):
    assert (got.method, got.seed, got.replicates, got.clustered, got.interval) == (
        expected.method, expected.seed, expected.replicates, expected.clustered, expected.interval,
    )  # fmt: skip
    assert [group.group for group in got.groups] == [group.group for group in expected.groups]
    for one, other in zip([got.overall, *got.groups], [expected.overall, *expected.groups], strict=True):
        assert (one.n, one.left_out) == (other.n, other.left_out)
        for figure, same in zip(
            [one.mean, one.net, *one.pmf], [other.mean, other.net, *other.pmf], strict=True
        ):
            assert (figure.value, figure.low, figure.high) == pytest.approx(
                (same.value, same.low, same.high), abs=1e-5, nan_ok=True
            )


def test_the_sample_does_not_depend_on_the_parts(tmp_path, rater):
    path = tmp_path / "answers.parquet"
    some_answers(2000).write_parquet(path)
    rows = [
        rate_file(open_table(path), FileColumns("text"), rater=rater, settings=settings).sample["row"]
        for settings in (FileSettings(90), FileSettings(2000), FileSettings(90, seed=1))
    ]
    assert rows[0].equals(rows[1])
    assert rows[0].is_sorted()
    assert rows[0].n_unique() == 400
    assert not rows[2].equals(rows[0])


def test_cells_that_are_no_texts_have_a_status_and_are_counted(tmp_path, rater):
    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"text": "great thing"}\n{"text": 5}\n{"text": NaN}\n{"text": ["a"]}\n{}\n{"text": ""}\n'
    )
    out = tmp_path / "rated.jsonl"
    summary = rate_file(open_table(path), FileColumns("text"), rater=rater, out=out, settings=FileSettings(2))
    (rated,) = open_table(out).batches(10)
    assert rated["semscale_status"].to_list() == [
        "scored", "not-text", "missing", "not-text", "missing", "empty",
    ]  # fmt: skip
    assert rated["text"].to_list() == ["great thing", "5", None, '["a"]', None, ""]
    assert rated["semscale_mean"].null_count() == 5
    assert summary.counts == {"scored": 1, "missing": 2, "not-text": 2, "empty": 1}


def test_nothing_is_written_unless_asked(tmp_path, rater, answers):
    rate_file(answers, FileColumns("text"), rater=rater)
    assert files_in(tmp_path) == ["answers.parquet"]


def test_progress_is_told(rater, answers):
    told = []
    rate_file(
        answers,
        FileColumns("text"),
        rater=rater,
        settings=FileSettings(25),
        progress=lambda *step: told.append(step),
    )
    assert [step for step in told if step[0] == "rating"] == [("rating", n, 60) for n in (25, 50, 60)]
    assert any(step[0] == "embedding" for step in told)


# --- what cannot be used --------------------------------------------------------------------------


def csv_of(folder, text):
    path = folder / "answers.csv"
    path.write_text(text)
    return open_table(path)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"text": "txt"}, "text: .* no column 'txt'; did you mean 'text'"),
        ({"text": "text", "by": "regoin"}, "by: .* no column 'regoin'; did you mean 'region'"),
        ({"text": "text", "weight": "w"}, "weight: .* no column 'w'"),
        ({"text": "text", "respondent": "persons"}, "respondent: .*'persons'; did you mean 'person'"),
        ({"text": "text", "human": "humans"}, "human: .*'humans'; did you mean 'human'"),
    ],
)
def test_a_missing_column(rater, answers, columns, message):
    with pytest.raises(UnknownNameError, match=message):
        rate_file(answers, FileColumns(**columns), rater=rater)


LATE = "".join(f"great thing,{n}\n" for n in range(20))


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (LATE + "too,many,cells\n", {}, "line 22: 3 cells"),
        (LATE + "bad stuff,-1\n", {"weight": "n"}, "weights must be finite numbers >= 0.*20"),
        (LATE + "bad stuff,much\n", {"weight": "n"}, "weight: .* data row 21 has 'much'"),
        (LATE + "bad stuff,good\n", {"human": "n"}, "human: .* data row 21 has 'good'"),
        (LATE, {"human": "n", "human_range": (0.0, 18.0)}, "human_range is 0 to 18, but row 20"),
        ("great thing,\n", {"human": "n"}, "human: column 'n' has no rating for any text"),
        ("great thing,0\n", {"weight": "n"}, "weights must not all be 0"),
    ],
)
def test_a_wrong_cell_far_down_leaves_nothing_behind(tmp_path, rater, rows, columns, message):
    table = csv_of(tmp_path, "text,n\n" + rows)
    with pytest.raises(InputError, match=message):
        rate_file(
            table,
            FileColumns("text", **columns),
            rater=rater,
            out=tmp_path / "rated.csv",
            settings=FileSettings(part_rows=5),
        )
    assert files_in(tmp_path) == ["answers.csv"]
    assert not (tmp_path / "rated.csv.parts").exists()


def test_names_of_the_result_are_reserved(tmp_path, rater):
    table = csv_of(tmp_path, "text,semscale_mean\ngreat thing,1\n")
    with pytest.raises(InputError, match="has a column 'semscale_mean'"):
        rate_file(table, FileColumns("text"), rater=rater)


def test_a_reserved_name_that_appears_late(tmp_path, rater):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"text": "great"}\n' * 1200 + '{"text": "great", "semscale_mode": 1}\n')
    with pytest.raises(InputError, match="has a column 'semscale_mode'"):
        rate_file(open_table(path), FileColumns("text"), rater=rater)


def test_the_input_is_never_the_output(rater, answers):
    with pytest.raises(InputError, match="out must not be the input"):
        rate_file(answers, FileColumns("text"), rater=rater, out=answers.path)
    assert_frame_equal(pl.read_parquet(answers.path), some_answers())


def test_too_many_rows_for_excel_are_refused_before_any_work(
    tmp_path, rater, answers, toy_embedder, monkeypatch
):
    monkeypatch.setattr(workbook, "MAX_ROWS", 59)
    with pytest.raises(InputError, match="an Excel sheet holds 59 rows, but there are 60"):
        rate_file(answers, FileColumns("text"), rater=rater, out=tmp_path / "rated.xlsx")
    assert toy_embedder.embedded == []


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"part_rows": 0}, "part_rows must be at least 1, got 0"),
        ({"interval": 1.0}, "interval must lie between 0 and 1, got 1.0"),
        ({"interval": 0.0}, "interval must lie between 0 and 1, got 0.0"),
    ],
)
def test_settings_out_of_range(setting, message):
    with pytest.raises(InputError, match=message):
        FileSettings(**setting)


# --- stopped and gone on with ---------------------------------------------------------------------


class Failing:
    """An embedder that fails once, when it meets a text for the n-th time."""

    def __init__(self, inner, failure, after):
        self.inner, self.failure, self.left = inner, failure, after

    @property
    def dimensions(self):
        return self.inner.dimensions

    @property
    def signature(self):
        return self.inner.signature

    def embed(self, texts, *, progress=None):
        self.left -= 1
        if self.left == 0:
            raise self.failure
        return self.inner.embed(texts, progress=progress)


def failing_rater(toy_embedder, failure, after):
    return Rater(some_scale(), embedder=Failing(toy_embedder, failure, after), floor=None)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_stopped_run_goes_on_after_the_last_finished_part(tmp_path, answers, toy_embedder, rater, kind):
    out, whole = tmp_path / f"rated.{kind}", tmp_path / f"whole.{kind}"
    settings = FileSettings(part_rows=10)
    expected = rate_file(answers, ALL_COLUMNS, rater=rater, out=whole, settings=settings)
    # The anchors are embedded first, then six parts of ten rows: the fifth call is the fourth part.
    stopped = failing_rater(toy_embedder, KeyboardInterrupt(), after=5)
    with pytest.raises(
        InterruptedRunError, match="30 rows are finished and kept in rated.*; the same command"
    ):
        rate_file(answers, ALL_COLUMNS, rater=stopped, out=out, settings=settings)
    assert not out.exists()
    toy_embedder.embedded.clear()
    summary = rate_file(answers, ALL_COLUMNS, rater=rater, out=out, settings=settings)
    finished = set(some_answers()["text"][:30]) - set(some_answers()["text"][30:])
    assert not finished & set(toy_embedder.embedded)
    assert out.read_bytes() == whole.read_bytes()
    assert_same_estimates(summary.estimates, expected.estimates)
    for name in ("sample", "most_certain", "least_certain", "left_out"):
        assert_frame_equal(getattr(summary, name), getattr(expected, name))
    np.testing.assert_array_equal(summary.set_agreement, expected.set_agreement)
    assert files_in(tmp_path) == ["answers.parquet", out.name, whole.name]


def test_stopped_before_the_first_part_is_finished(tmp_path, answers, toy_embedder):
    stopped = failing_rater(toy_embedder, KeyboardInterrupt(), after=2)
    with pytest.raises(InterruptedRunError, match="before the first part was finished"):
        rate_file(answers, FileColumns("text"), rater=stopped, out=tmp_path / "rated.csv")
    assert files_in(tmp_path) == ["answers.parquet"]


def test_stopped_without_an_output(answers, toy_embedder):
    stopped = failing_rater(toy_embedder, KeyboardInterrupt(), after=3)
    with pytest.raises(InterruptedRunError, match="stopped after 20 rows; finished embeddings stay"):
        rate_file(answers, FileColumns("text"), rater=stopped, settings=FileSettings(20))


def test_a_model_that_fails_keeps_finished_parts(tmp_path, answers, toy_embedder, rater):
    failed = failing_rater(toy_embedder, ModelError("no reply"), after=4)
    out = tmp_path / "rated.csv"
    with pytest.raises(ModelError):
        rate_file(answers, FileColumns("text"), rater=failed, out=out, settings=FileSettings(10))
    assert len(list((tmp_path / "rated.csv.parts").glob("*.parquet"))) == 2
    rate_file(answers, FileColumns("text"), rater=rater, out=out, settings=FileSettings(10))
    assert files_in(tmp_path) == ["answers.parquet", "rated.csv"]


@pytest.fixture
def unfinished(tmp_path, answers, toy_embedder):
    """An output of which two parts of ten rows are finished."""
    out = tmp_path / "rated.csv"
    stopped = failing_rater(toy_embedder, KeyboardInterrupt(), after=4)
    with pytest.raises(InterruptedRunError):
        rate_file(answers, FileColumns("text"), rater=stopped, out=out, settings=FileSettings(10))
    return out


def test_other_settings_do_not_go_on_with_it(answers, toy_embedder, unfinished):
    other = Rater(some_scale(), embedder=toy_embedder, floor=None, temperature=0.5)
    settings = FileSettings(10)
    with pytest.raises(InputError, match="temperature was 1, now 0.5.*--restart"):
        rate_file(answers, FileColumns("text"), rater=other, out=unfinished, settings=settings)
    rate_file(
        answers, FileColumns("text"), rater=other, out=unfinished, settings=FileSettings(10, restart=True)
    )
    (rated,) = open_table(unfinished).batches(100)
    expected = other.rate(some_answers()["text"]).to_frame()
    got = rated["semscale_mean"].cast(pl.Float64)
    assert got.is_null().equals(expected["mean"].is_null())
    np.testing.assert_allclose(got.drop_nulls(), expected["mean"].drop_nulls(), atol=1e-5)


def test_another_input_does_not_go_on_with_it(tmp_path, rater, unfinished):
    some_answers(seed=1).write_parquet(tmp_path / "answers.parquet")
    with pytest.raises(InputError, match="input was .*, now"):
        rate_file(
            open_table(tmp_path / "answers.parquet"),
            FileColumns("text"),
            rater=rater,
            out=unfinished,
            settings=FileSettings(10),
        )


def test_columns_that_only_summarise_may_change(answers, rater, unfinished, toy_embedder):
    toy_embedder.embedded.clear()
    summary = rate_file(answers, ALL_COLUMNS, rater=rater, out=unfinished, settings=FileSettings(10, seed=5))
    assert summary.by == "region"
    assert summary.n == 60


KILLED = """
import importlib.util, os, signal, sys
from pathlib import Path

def loaded(path):
    spec = importlib.util.spec_from_file_location("loaded", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

tests, folder, kind, steps = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
toy, files = loaded(tests / "conftest.py"), loaded(tests / "rating" / "test_files.py")

def counted(call):
    def step(*arguments, **settings):
        global steps
        steps -= 1
        if steps == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*arguments, **settings)
    return step

# Everything that reaches the disk goes through these.
os.fsync = counted(os.fsync)
Path.replace = counted(Path.replace)
Path.unlink = counted(Path.unlink)
rater = files.Rater(files.some_scale(), embedder=toy.ToyEmbedder(), floor=None)
table = files.open_table(folder / "answers.parquet")
out, settings = folder / f"rated.{kind}", files.FileSettings(15)
files.rate_file(table, files.ALL_COLUMNS, rater=rater, out=out, settings=settings)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_killed_at_random_moments_the_file_is_the_same(tmp_path, rater, answers, kind):
    whole = tmp_path / f"whole.{kind}"
    rate_file(answers, ALL_COLUMNS, rater=rater, out=whole, settings=FileSettings(15))
    tests = Path(__file__).parents[1]
    out = tmp_path / f"rated.{kind}"
    rng = random.Random(kind)
    kills = 0
    # Four parts take about 60 steps on the disk, so runs of up to 25 steps are killed three times and more.
    for steps in [rng.randint(2, 25) for _ in range(4)] + [0]:
        command = [sys.executable, "-c", KILLED, str(tests), str(tmp_path), kind, str(steps)]
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=120, env=os.environ, check=False
        )
        if ended.returncode != 0:
            assert ended.returncode == -signal.SIGKILL, ended.stderr
            kills += 1
            # Until it is whole there is no output under its name.
            assert not out.exists() or out.read_bytes() == whole.read_bytes()
    assert kills >= 2
    assert out.read_bytes() == whole.read_bytes()
    assert files_in(tmp_path) == ["answers.parquet", out.name, whole.name]
