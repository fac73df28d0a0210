"""Files of answers: caps, ledgers, and runs that are gone on with."""

import polars as pl
import pytest
from tests.judging.conftest import Scripted, material

from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.chat.pacing import Retries
from semscale.chat.runner import Running
from semscale.chat.settings import Budget
from semscale.errors import InputError, InterruptedRunError
from semscale.judging.judge import Judge, Panel
from semscale.judging.settings import JudgeColumns
from semscale.judging.table import judge_table
from semscale.results.table_runs import PartSettings
from semscale.store.reading import open_table

N = 12
COLUMNS = JudgeColumns(question="q", answer="a")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "answers.csv"
    answers = [f"{1 + row % 5} of row {row}" for row in range(N)]
    frame = pl.DataFrame({"q": ["why?"] * N, "a": answers, "label": ["3"] * (N - 1) + ["lovely"]})
    frame.write_csv(path)
    return path


def model(name="scripted", **settings):
    return Scripted(lambda request: Reply(f"Score: {material(request)[0]}"), name=name, **settings)


def scored(out):
    return (pl.read_parquet(out)["semscale_status"] == "scored").sum()


@pytest.fixture
def run(path, tmp_path):
    def run(judge, out="out.parquet", part_rows=4, *, restart=False, columns=COLUMNS, **running):
        return judge_table(
            open_table(path),
            columns,
            judge=judge,
            running=Running(retries=Retries(0), **({"ledger": tmp_path / "ledger.sqlite"} | running)),
            out=None if out is None else tmp_path / out,
            settings=PartSettings(part_rows, restart),
        )

    return run


DOWN = CallError("the endpoint is down", kind=FailureKind.SERVER)


def down_for(row, name="scripted"):
    """A model whose endpoint is down when one row is asked about."""
    return Scripted(
        lambda request: DOWN if material(request).endswith(f" {row}") else f"Score: {material(request)[0]}",
        name=name,
    )


def asked_rows(model):
    return [int(material(request).split()[-1]) for request in model.requests]


def test_rows_whose_calls_failed_are_asked_about_again_after_a_whole_run(run, tmp_path):
    assert run(Judge(down_for(6))).counts == {"scored": N - 1, "failed": 1}
    again = model()
    assert run(Judge(again)).counts == {"scored": N}
    assert asked_rows(again) == [6]


def test_only_the_judge_whose_calls_failed_is_asked_again(run):
    first = Panel([Judge(model("one")), Judge(down_for(5, "other"))])
    assert run(first, budget=Budget(calls=20)).judges["other"].counts["failed"] == 1
    left, right = model("one"), model("other")
    run(Panel([Judge(left), Judge(right)]))
    assert asked_rows(left) == [10, 11]
    assert asked_rows(right) == [5, 10, 11]


def test_without_a_ledger_a_failed_call_costs_no_other_call_again(run):
    run(Judge(down_for(1)), budget=Budget(calls=10), ledger=False)
    again = model()
    run(Judge(again), ledger=False)
    assert asked_rows(again) == [8, 9, 10, 11]  # the third part, which the cap cut short


def test_call_limit_is_shared_equally_by_panel_judges_in_all_parts(run, tmp_path):
    left, right = model("one"), model("other")
    summary = run(Panel([Judge(left), Judge(right, samples=2)]), budget=Budget(calls=12))
    # Six calls each: one judge stops in the second part, the other, with two samples, in the same.
    assert (len(left.requests), len(right.requests)) == (6, 6)
    assert summary.judges["one"].counts == {"scored": 6, "unfinished": 6}
    assert summary.stopped.startswith("the cap of 12 calls, 6 for each of 2 judges, is reached")
    assert summary.judges["other"].counts == {"scored": 3, "unfinished": 9}
    assert summary.counts == {"scored": 6, "unfinished": 6}
    assert not (tmp_path / "out.parquet.parts").exists()  # the first part is not finished either


def test_model_capabilities_are_probed_once(run, tmp_path):
    poor = model(takes_schema=False, takes_logprobs=False)
    # Five forms are refused, and each counts against a cap: 5 + 12 calls are enough for three parts.
    summary = run(Judge(poor), budget=Budget(calls=17))
    assert summary.stopped is None
    assert "structured:no|logprobs:none" in str(summary.signature)

    stopped = model(takes_schema=False, takes_logprobs=False)
    run(Judge(stopped), "other.parquet", budget=Budget(calls=10), ledger=tmp_path / "two.sqlite")
    goes_on = model(takes_schema=False, takes_logprobs=False)
    summary = run(Judge(goes_on), "other.parquet", budget=Budget(calls=7), ledger=tmp_path / "two.sqlite")
    assert summary.stopped is None
    assert "structured:no|logprobs:none" in str(summary.signature)
    first, second = (pl.read_parquet(tmp_path / name) for name in ("out.parquet", "other.parquet"))
    assert first.equals(second)


def test_a_label_far_down_is_refused_before_anybody_is_asked(run):
    asked = model()
    with pytest.raises(InputError, match="human: labels must be .* numbers from 1 to 5.*'lovely' in row 12"):
        run(Judge(asked), columns=JudgeColumns(question="q", answer="a", human="label"))
    assert asked.requests == []


def test_stopped_run_states_what_is_stored(run):
    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match="after 0 rows; received replies stay in the ledger; with"):
        run(Judge(Scripted(stop)), out=None)
    with pytest.raises(InterruptedRunError, match="part was finished; the same command starts again"):
        run(Judge(Scripted(stop)), ledger=False)


def test_columns_that_only_the_run_needs_are_not_written(run, tmp_path):
    run(Panel([Judge(model("one")), Judge(model("two"))]))
    names = pl.read_parquet(tmp_path / "out.parquet").columns
    assert not [name for name in names if name.endswith(("_masses", "_covered"))]
    assert {"semscale_judge_1_reason", "semscale_judge_2_reason"} <= {*names}
    assert names[:4] == ["q", "a", "label", "semscale_status"]
