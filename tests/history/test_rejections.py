"""Rejections of runs: entries of the history that hold until they end or the run is approved."""

from dataclasses import replace

import pytest
from tests.support.stored_runs import DAY, START, a_run, an_approval

from semscale.errors import InputError, UnknownNameError
from semscale.history.history import open_history
from semscale.history.runs import Rejection

HOUR = DAY / 24
RUN = a_run(id="a" * 32)


def a_rejection(run=RUN, **settings):
    values = {"run_id": run.id, "dataset": run.dataset, "by": "Bo", "why": "invents", "rejected": START + DAY}
    return Rejection(**(values | settings))


@pytest.fixture
def history(tmp_path):
    with open_history(tmp_path / "history.sqlite") as opened:
        opened.record(RUN)
        yield opened


def test_a_rejection_is_read_as_it_was_stored_and_is_part_of_the_chain(history):
    rejection = a_rejection(expires=START + 2 * DAY)
    before = history.head(RUN.dataset)
    history.reject(rejection)
    assert history.rejections(RUN.dataset) == [rejection]
    assert history.head(RUN.dataset) != before
    assert history.verify().holds


def test_a_rejection_holds_for_all_runs_with_the_same_model_and_outputs(history):
    history.reject(a_rejection())
    again = a_run(id="e" * 32, revision="another")
    assert history.rejection_of(again).by == "Bo"
    assert history.rejection_of(replace(again, model="model-b")) is None
    assert history.rejection_of(a_run(n=4)) is None


def test_a_rejection_ends_with_its_expiry_and_with_a_later_approval(history):
    history.reject(a_rejection(expires=START + 2 * DAY))
    assert history.rejection_of(RUN, at=START) is None  # not decided yet
    assert history.rejection_of(RUN, at=START + 2 * DAY - HOUR) is not None
    assert history.rejection_of(RUN, at=START + 2 * DAY) is None
    history.reject(a_rejection(rejected=START + 3 * DAY))
    history.approve(an_approval(RUN, approved=START + 4 * DAY))
    assert history.rejection_of(RUN) is None
    kinds = [type(decision).__name__ for decision in history.decisions(RUN.dataset)]
    assert kinds == ["Rejection", "Rejection", "Approval"]


def test_a_rejected_baseline_is_no_baseline(history):
    history.approve(an_approval(RUN, approved=START))
    assert history.baseline(RUN.dataset)[0].id == RUN.id
    history.reject(a_rejection())
    with pytest.raises(InputError, match="Bo rejected run aaaaaaaa on 2026-03-02"):
        history.baseline(RUN.dataset)
    assert history.baseline(RUN.dataset, at=START + HOUR)[0].id == RUN.id


def test_a_rejection_names_a_run_of_its_dataset(history):
    with pytest.raises(UnknownNameError, match="unknown run"):
        history.reject(a_rejection(run_id="f" * 32))
    with pytest.raises(InputError, match="not of 'other'"):
        history.reject(a_rejection(dataset="other"))
