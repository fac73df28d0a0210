"""Ids in common with the dataset's baseline, or else with its latest run."""

from datetime import UTC, datetime

import pytest

from semscale.drift.runs.shared_ids import SharedIds, shared_ids
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run


def run(names, hour, **fields):
    items = tuple(Item(name, (Output("Yes."),)) for name in names)
    return Run("exam", "m", items, recorded=datetime(2026, 1, 1, hour, tzinfo=UTC), **fields)


@pytest.fixture
def history(tmp_path):
    from semscale.history.history import open_history

    with open_history(str(tmp_path / "history.sqlite")) as found:
        yield found


def test_the_baseline_counts_before_the_latest_run_and_a_rerun_never(history):
    first, second = run("abcd", 1), run("cde", 2)
    assert shared_ids(history, first) is None
    history.record(first)
    assert shared_ids(history, first) is None
    history.record(second)
    history.record(run("abcd", 3, rerun_of=first.id))
    # c and e of c, d, e; the rerun, which is later, does not count.
    assert shared_ids(history, run("cex", 4)) == SharedIds(second.id, False, 2, 3)
    history.approve(Approval(first.id, "exam", "Ann", "x"))
    # c of a, b, c, d.
    assert shared_ids(history, run("cex", 4)) == SharedIds(first.id, True, 1, 4)
    assert shared_ids(history, run("x", 4)) == SharedIds(first.id, True, 0, 4)
    assert shared_ids(history, first) is None
    assert shared_ids(history, run("x", 4, rerun_of=first.id)) is None
