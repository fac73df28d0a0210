"""Files of answers: the same figures as in memory, whatever the parts, floors, caps and labels."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.conftest import ToyEmbedder

from semscale.answer_consistency import consistencies as consistencies_module
from semscale.answer_consistency import summary as summary_module
from semscale.answer_consistency import table as consistency_table
from semscale.answer_consistency.asking import AskedModel, Sampling
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.settings import (
    AnswerColumns,
    AskedColumns,
    CorrectnessSettings,
    sample_texts,
)
from semscale.answer_consistency.table import ItemRows, measure_consistency
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import Retries
from semscale.chat.runner import Runner
from semscale.chat.settings import Budget
from semscale.cli.consistency import SampleColumns
from semscale.errors import InputError
from semscale.report.consistency import cautions
from semscale.report.markdown import markdown
from semscale.results.table_columns import CellChecks
from semscale.results.table_runs import PartSettings
from semscale.signature import Signature
from semscale.store.reading import open_table

N = 24
ANSWERS = [f"it is {('yes', 'no', 'blue', 'green')[row % 4]} because of {row}" for row in range(N)]
SAMPLES = [[ANSWERS[row], ANSWERS[(row + row % 3) % N], None] for row in range(N)]
ANSWERS[5], SAMPLES[8] = None, ["", None, None]
RIGHT = [row % 3 == 0 for row in range(N)]
COLUMNS = AnswerColumns(prompt="q", answer="a", sample=("s",), label="ok", by="g")
ASKED = AskedColumns(prompt="q", label="ok")


def consistency(**settings):
    return Consistency(**{"embedder": ToyEmbedder(), **settings})


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.parquet"
    groups = [("x", "y", None)[row % 3] for row in range(N)]
    columns = {"q": [f"why {row}" for row in range(N)], "a": ANSWERS, "s": SAMPLES, "ok": RIGHT, "g": groups}
    pl.DataFrame(columns).write_parquet(path)
    return path


@pytest.mark.exhaustive
def test_a_file_is_measured_as_its_rows_are_in_memory(path, tmp_path):
    out = tmp_path / "out.parquet"
    summary = measure_consistency(
        open_table(path), COLUMNS, instrument=consistency(), out=out, settings=PartSettings(7)
    )
    consistencies = consistency().measure(ANSWERS, SAMPLES)
    correctness = consistencies.correctness(RIGHT)
    expected = consistencies.summarize(
        answers=ANSWERS,
        samples=SAMPLES,
        prompts=[f"why {row}" for row in range(N)],
        correctness=correctness,
        source=path.name,
        columns=tuple(COLUMNS.field_columns()),
        by=pl.read_parquet(path)["g"],
    )
    assert summary.signature == expected.signature
    assert summary.lowest == expected.lowest
    shown, wanted = summary.record(), expected.record()
    for name in ("counts", "samples", "samples_left_out", "floor", "guards", "contradicted", "columns"):
        assert shown.get(name) == wanted.get(name), name
    assert summary.left_out == expected.left_out
    assert summary.floor_from == expected.floor_from == consistencies.floor_from
    assert summary.group_scores.keys() == expected.group_scores.keys()
    np.testing.assert_allclose(summary.scores["consistency"], expected.scores["consistency"])
    written = pl.read_parquet(out)
    assert written.columns[:6] == ["q", "a", "s", "ok", "g", "semscale_status"]
    late = ["probability_correct", "probability_correct_low", "probability_correct_high", "decision"]
    assert written.columns[-4:] == [f"semscale_{name}" for name in late]
    added = written.select(pl.col("^semscale_.*$").name.map(lambda title: title.removeprefix("semscale_")))
    assert_frame_equal(added.drop(late), consistencies.to_frame())
    for name, values in zip(late, (correctness.probability, correctness.low, correctness.high), strict=False):
        np.testing.assert_allclose(added[name].to_numpy(), values)


def watched(monkeypatch):
    """The tallies that runs make."""
    tallies, tally = [], consistencies_module.ConsistencyTally

    def noted(*items, **settings):
        tallies.append(tally(*items, **settings))
        return tallies[-1]

    monkeypatch.setattr(consistency_table, "ConsistencyTally", noted)
    return tallies


@pytest.mark.parametrize("ensemble", ["none", "mean"])
@pytest.mark.exhaustive
def test_probabilities_and_compared_measures_are_those_of_items_in_memory(path, monkeypatch, ensemble):
    labels = [right if row % 8 else None for row, right in enumerate(RIGHT)]
    pl.read_parquet(path).with_columns(ok=pl.Series(labels, dtype=pl.Boolean)).write_parquet(path)
    works = watched(monkeypatch)
    summary = measure_consistency(
        open_table(path),
        COLUMNS,
        instrument=consistency(measures=["consistency", "exact_match"]),
        correctness=CorrectnessSettings(ensemble=ensemble),
        settings=PartSettings(7),
    )
    consistencies = consistency(measures=["consistency", "exact_match"]).measure(ANSWERS, SAMPLES)
    expected = consistencies.correctness(labels, ensemble=ensemble)
    actual = summary.correctness
    assert actual.comparison == expected.comparison
    assert set(actual.areas) >= {
        "consistency",
        "exact_match",
        *(["ensemble_mean"] if ensemble == "mean" else []),
    }
    assert actual.triage == expected.triage
    assert actual.decision == expected.decision
    np.testing.assert_allclose(actual.probability, expected.probability)
    assert actual.shares == expected.shares
    # one measure of all items is enough for a curve of it alone
    assert list(works[0].measures) == ["consistency", "exact_match"][: 1 if ensemble == "none" else 2]


@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.exhaustive
def test_many_items_store_values_of_a_sample_and_means_of_all(path, monkeypatch, labelled):
    for module in (consistencies_module, summary_module):
        monkeypatch.setattr(module, "SAMPLED_ROWS", 6)
    columns = COLUMNS if labelled else COLUMNS.with_values(label=None)
    works = watched(monkeypatch)
    summary = measure_consistency(
        open_table(path), columns, instrument=consistency(), settings=PartSettings(7)
    )
    consistencies = consistency().measure(ANSWERS, SAMPLES)
    expected = consistencies.summarize(by=pl.read_parquet(path)["g"])
    sampled, whole = summary.scores["consistency"], consistencies.measures["consistency"]
    assert len(sampled) <= 6 < np.isfinite(whole).sum()
    assert np.isin(sampled.round(9), whole.round(9)).all()
    assert sum(map(len, summary.group_scores.values())) == len(sampled)
    assert len(works[0].measures.get("consistency", ())) == (N if labelled else 0)
    for actual, reference in zip(
        (summary.estimates.overall, *summary.estimates.groups),
        (expected.estimates.overall, *expected.estimates.groups),
        strict=True,
    ):
        assert (actual.group, actual.n, actual.left_out) == (reference.group, reference.n, reference.left_out)
        assert actual.mean.value == pytest.approx(reference.mean.value)


@pytest.mark.exhaustive
@pytest.mark.parametrize("apart", [False, True])
def test_rows_of_an_item_may_be_in_any_order(tmp_path, apart):
    rows = [(f"p{item}", text) for item in range(12) for text in (ANSWERS[item], *SAMPLES[item])]
    if apart:  # first all answers, then all first samples, ...
        rows = [rows[item * 4 + turn] for turn in range(4) for item in range(12)]
    rows.insert(20, (None, "nobody's"))
    path, out = tmp_path / "rows.csv", tmp_path / "out.csv"
    pl.DataFrame(rows, schema=["item", "text"], orient="row").write_csv(path)
    summary = measure_consistency(
        open_table(path),
        AnswerColumns(answer="text", item="item"),
        instrument=consistency(),
        out=out,
        settings=PartSettings(3),
    )
    consistencies = consistency().measure(ANSWERS[:12], SAMPLES[:12])
    written = pl.read_csv(out)
    missing = written["item"].is_null().arg_true()[0]
    stored = written.filter(pl.col("item").is_not_null())
    assert stored["item"].to_list() == [f"p{item}" for item in range(12)]
    assert written["semscale_status"][missing] == "too-few-samples"
    assert summary.floor == consistencies.floor
    got = stored["semscale_consistency"].cast(pl.Float64).to_numpy()
    np.testing.assert_allclose(got, consistencies.measures["consistency"])


@pytest.mark.exhaustive
def test_the_floor_is_that_of_answers_drawn_from_long_files(path, monkeypatch):
    monkeypatch.setattr(consistency_table, "FLOOR_ITEMS", 12)
    drawn = measure_consistency(open_table(path), COLUMNS, instrument=consistency(), settings=PartSettings(5))
    again = measure_consistency(open_table(path), COLUMNS, instrument=consistency())
    whole = consistency().measure(ANSWERS, SAMPLES).summarize()
    assert drawn.signature == again.signature
    assert drawn.signature.differences(whole.signature).keys() == {"floor", "floor_from"}
    assert "floor_from:66-pairs#" in str(drawn.signature)  # all pairs of 12 answers


def test_a_wrong_label_far_down_is_refused_before_a_text_is_read(path):
    frame = pl.read_parquet(path).with_columns(ok=pl.Series(["yes"] * (N - 1) + ["perhaps"]))
    frame.write_parquet(path)
    instrument = consistency()
    with pytest.raises(InputError, match=r"got 'perhaps' in row 24"):
        measure_consistency(open_table(path), COLUMNS, instrument=instrument, settings=PartSettings(5))
    assert instrument.embedder.embedded == []


class Answering:
    """Answers with what its question asks, and counts."""

    name = "answering"
    signature = Signature.of("chat", model="answering")

    def __init__(self, failing=()):
        self.asked, self.failing = [], failing

    async def complete(self, request):
        self.asked.append((request.messages[-1].text, request.sample))
        if self.asked[-1] in self.failing:
            raise CallError("the endpoint is down", kind=FailureKind.SERVER)
        number = int(request.messages[-1].text.split()[1])
        return Reply(f"it is {number + request.sample * (number % 3)}")


def ask(path, folder, *, calls=None, part_rows=8, out=None, restart=False, failing=(), **settings):
    model = Answering(failing)
    runner = Runner(model, ledger=folder / "ledger.sqlite", retries=Retries(0), budget=Budget(calls=calls))
    summary = measure_consistency(
        open_table(path),
        ASKED,
        instrument=consistency(chat_model=model, **settings),
        model=AskedModel(Sampling(n_samples=2), runner),
        out=out,
        settings=PartSettings(part_rows, restart),
    )
    return summary, model.asked


def test_too_few_labels_are_refused_before_a_model_is_asked(path, tmp_path):
    frame = pl.read_parquet(path).with_columns(ok=pl.Series([1] * 6 + [0] * 6 + [None] * (N - 12)))
    frame.write_parquet(path)
    model = Answering()
    runner = Runner(model, ledger=tmp_path / "ledger.sqlite")
    with pytest.raises(InputError, match="label: column 'ok' must label at least 20 .*6 right and 6 wrong"):
        measure_consistency(
            open_table(path),
            ASKED,
            instrument=consistency(chat_model=model),
            model=AskedModel(Sampling(n_samples=2), runner),
        )
    assert model.asked == []


def test_too_few_labels_for_tuned_weights_are_refused_before_a_model_is_asked(path, tmp_path):
    pl.read_parquet(path).with_columns(ok=pl.Series([1, 0] * (N // 2))).write_parquet(path)
    model = Answering()
    with pytest.raises(InputError, match="label: column 'ok' must label at least 80 answers, 10 or more"):
        measure_consistency(
            open_table(path),
            ASKED,
            instrument=consistency(chat_model=model),
            model=AskedModel(Sampling(n_samples=2), Runner(model, ledger=tmp_path / "ledger.sqlite")),
            correctness=CorrectnessSettings(ensemble="tuned"),
        )
    assert model.asked == []


@pytest.mark.parametrize(
    ("labels", "has_thresholds"), [([1] * N, True), ([None] * N, False), ([1, 0, *[None] * (N - 2)], False)]
)
@pytest.mark.exhaustive
def test_labels_that_cannot_make_a_curve_cost_no_table(path, tmp_path, labels, has_thresholds):
    pl.read_parquet(path).with_columns(ok=pl.Series(labels, dtype=pl.Int64)).write_parquet(path)
    summary = measure_consistency(
        open_table(path), COLUMNS, instrument=consistency(), out=tmp_path / "out.parquet"
    )
    written = pl.read_parquet(tmp_path / "out.parquet")
    assert written["semscale_consistency"].null_count() < N
    assert ("semscale_decision" in written.columns) == has_thresholds
    assert (summary.too_few_labels is None) == has_thresholds
    if has_thresholds:
        assert written["semscale_probability_correct"].null_count() == N
        assert summary.record()["trust"]["curve"] is None
        shown = markdown(summary.document())
        assert "All 22 labelled answers are right" in shown
        assert "not known" in shown


@pytest.mark.exhaustive
def test_labels_of_answers_that_did_not_come_cost_no_table(path, tmp_path):
    # 24 answers are labelled, 8 right; without the first five, of which two are right, 19 are left.
    failing = {(f"why {row}", 0) for row in range(5)}
    summary, _ = ask(path, tmp_path, out=tmp_path / "out.parquet", failing=failing)
    assert summary.correctness is None
    assert str(summary.too_few_labels.counts) == "6 right and 13 wrong"
    message = "at least 20 labelled answers with a consistency, and there are 6 right and 13 wrong"
    assert any(message in caution for caution in cautions(summary))
    written = pl.read_parquet(tmp_path / "out.parquet")
    assert written["semscale_status"].to_list() == ["failed"] * 5 + ["scored"] * 19
    assert "semscale_decision" not in written.columns


@pytest.mark.exhaustive
def test_a_model_is_asked_part_by_part_as_it_is_at_once(path, tmp_path):
    out = tmp_path / "out.parquet"
    summary, asked = ask(path, tmp_path, out=out)
    assert len(asked) == len(set(asked)) == 3 * N
    # All answers come first, as the floor is theirs.
    assert [sample for _, sample in asked[:N]] == [0] * N
    whole, _ = ask(path, tmp_path, part_rows=100)
    assert summary.signature == whole.signature
    assert summary.lowest == whole.lowest
    assert (summary.replies.n_calls, summary.replies.n_failed) == (3 * N, 0)
    written = pl.read_parquet(out)
    assert written["semscale_answer"][7] == "it is 7"
    assert written["semscale_samples_asked"][7].to_list() == ["it is 8", "it is 9"]
    assert "semscale_decision" in written.columns


@pytest.mark.exhaustive
def test_a_cap_applies_to_all_parts_together_and_the_run_continues(path, tmp_path):
    out = tmp_path / "out.parquet"
    summary, asked = ask(path, tmp_path, calls=N + 20, out=out)
    assert len(asked) == N + 20
    # Twenty samples are those of the eight items of the first part, and of two more.
    assert summary.counts["scored"] >= 8
    assert summary.counts["scored"] + summary.counts["unfinished"] == N
    assert "the cap of 44 calls is reached" in summary.stopped
    assert summary.correctness is None
    stored = tmp_path / "out.parquet.parts"
    assert [part.name for part in stored.glob("*.parquet")] == ["part-000000.parquet"]
    assert "semscale_decision" not in pl.read_parquet(out).columns

    rest, more = ask(path, tmp_path, out=out)
    assert len(more) == 3 * N - len(asked)
    assert (rest.stopped, rest.counts) == (None, {"scored": N})
    assert not stored.exists()
    whole, _ = ask(path, tmp_path)
    assert rest.signature == whole.signature


@pytest.mark.exhaustive
def test_a_configured_floor_needs_no_answers_first(path, tmp_path):
    _, asked = ask(path, tmp_path, floor=0.2)
    assert {question for question, _ in asked[:24]} == {f"why {row}" for row in range(8)}


@pytest.mark.exhaustive
def test_requests_that_failed_before_a_cap_are_sent_again(path, tmp_path):
    out, failing = tmp_path / "out.parquet", {("why 9", 1)}
    # All answers and the samples of 20 items: the cap comes in the third part, the failure in the second.
    summary, _ = ask(path, tmp_path, calls=N + 2 * 20, out=out, failing=failing)
    assert (summary.replies.n_failed, "cap" in summary.stopped) == (1, True)
    assert len(list((tmp_path / "out.parquet.parts").glob("*.parquet"))) == 1
    rest, asked = ask(path, tmp_path, out=out)
    assert set(asked) == {
        ("why 9", 1),
        *((f"why {item}", sample) for item in range(20, N) for sample in (1, 2)),
    }
    assert (rest.replies.n_failed, rest.counts) == (0, {"scored": N})


@pytest.mark.exhaustive
def test_requests_that_fail_for_the_same_reason_are_all_counted(path, tmp_path):
    summary, _ = ask(path, tmp_path, failing={("why 3", 1), ("why 4", 1), ("why 20", 2)})
    assert (summary.replies.n_failed, summary.replies.why_failed) == (3, "the endpoint is down")
    assert summary.failed is None
    summary, _ = ask(path, tmp_path / "other", failing={(f"why {item}", 0) for item in range(N)})
    assert (summary.replies.n_failed, summary.failed) == (N, "the endpoint is down")


def test_a_cap_below_the_answers_finishes_nothing(path, tmp_path):
    out = tmp_path / "out.parquet"
    summary, asked = ask(path, tmp_path, calls=10, out=out)
    assert len(asked) == 10
    assert summary.counts == {"unfinished": N}
    assert not (tmp_path / "out.parquet.parts").exists()


@pytest.mark.exhaustive
def test_a_stopped_run_does_not_continue_with_different_settings(path, tmp_path):
    out = tmp_path / "out.parquet"
    ask(path, tmp_path, calls=N + 20, out=out)
    with pytest.raises(InputError, match="fewest_samples was 1, now 2.*--restart"):
        ask(path, tmp_path, out=out, fewest_samples=2)
    assert ask(path, tmp_path, out=out, fewest_samples=2, restart=True)[0].counts == {"scored": N}


@pytest.fixture
def table(tmp_path):
    def written(columns):
        path = tmp_path / "answers.csv"
        pl.DataFrame(columns).write_csv(path)
        return open_table(str(path))

    return written


def checked(answers, columns):
    """All cells, read and checked at once."""
    columns.check(answers)
    (batch,) = answers.batches(100)
    cells, checks = columns.read(batch), CellChecks(columns)
    checks.add(cells)
    checks.finish(answers)
    return cells


def test_samples_from_columns_and_from_lists_in_cells(table):
    answers = table({"a": ["x", "y"], "s": ["x", '["y", "z"]'], "t": ["w", None], "ok": [1, 0]})
    cells = checked(answers, AnswerColumns(answer="a", sample=("s", "t"), label="ok"))
    assert cells["answer"] == ["x", "y"]
    assert sample_texts(cells) == [["x", "w"], ["y", "z", None]]
    assert cells["label"].tolist() == [1.0, 0.0]


def test_groups_and_prompts_are_those_of_the_rows(table):
    cells = checked(
        table({"a": ["x", "y"], "s": ["x", "y"], "g": [2024, None], "p": ["A", "B"]}),
        AnswerColumns(prompt="p", answer="a", sample=("s",), by="g"),
    )
    assert (cells["by"], cells["prompt"]) == (["2024", None], ["A", "B"])


def test_a_wrong_label_of_an_item_is_named_with_the_row_of_its_answer(tmp_path):
    path, rows = tmp_path / "rows.csv", [("p", "x", "yes"), ("p", "y", ""), ("q", "z", "perhaps")]
    pl.DataFrame(rows, schema=["i", "a", "l"], orient="row").write_csv(path)
    with pytest.raises(InputError, match=r"got 'perhaps' in row 3"):
        measure_consistency(
            open_table(path), AnswerColumns(answer="a", item="i", label="l"), instrument=consistency()
        )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"answer": "a", "sample": ("a",)}, "sample must be another column than answer"),
        ({"answer": "a", "sample": ("s", "s")}, "column 's' is named twice"),
        (
            {"answer": "a", "sample": ("s", "t"), "sample_logprobs": ("p",)},
            "must name a column for each sample column, got 1 for 2",
        ),
    ],
)
def test_columns_that_do_not_go_together_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        AnswerColumns(**settings)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "answer must name a column, or prompt the column of questions that --ask sends"),
        ({"prompt": "p", "sample": ["s"]}, "sample, item and logprobs need answer"),
    ],
)
def test_options_of_columns_that_do_not_go_together_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        _ = SampleColumns(**options).columns


ITEMS = ["a", "b", "a", None, "c", "b", None, "a"]
TEXTS = ["yes", " ", "no", "alone", 12, "yes", "alone", None]


def indexed(size):
    rows = ItemRows()
    for start in range(0, len(ITEMS), size):
        rows.add(ITEMS[start : start + size], TEXTS[start : start + size])
    rows.finish()
    return rows


@pytest.mark.parametrize("size", [1, 3, 8])
def test_items_are_numbered_by_their_first_rows(size):
    rows = indexed(size)
    assert rows.n == 5
    assert rows.between(0, 5) == [[0, 2, 7], [1, 5], [3], [4], [6]]
    assert rows.between(1, 3) == [[1, 5], [3]]
    assert rows.are_first(2, 4).tolist() == [False, True, True, False]


def test_an_item_counts_with_an_answer_and_enough_samples():
    # The first item has an answer and one usable sample; the answer of the second is blank.
    assert indexed(3).eligible(1).tolist() == [True, False, False, False, False]
    assert not indexed(3).eligible(2).any()


def test_numbers_and_texts_that_print_alike_are_the_same_item():
    rows = ItemRows()
    rows.add([1, "1", 2], ["a", "b", "c"])
    rows.finish()
    assert rows.between(0, 2) == [[0, 1], [2]]
