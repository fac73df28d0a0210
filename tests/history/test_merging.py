"""Histories of two machines become one, in both directions."""

import subprocess
import sys

import pytest
from sqlalchemy import text
from stored_runs import DAY, START, a_comparison, a_run, an_approval

from semscale.errors import InputError
from semscale.history.chain import Merged
from semscale.history.history import open_history

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def two(new_place):
    """Two histories that share a run, and have something of their own each."""
    with open_history(new_place()) as ours, open_history(new_place()) as theirs:
        shared = a_run(id="shared")
        for history in (ours, theirs):
            history.record(shared)
        ours.record(a_run(id="of-ours", recorded=START + DAY, note="ours"))
        ours.keep(a_comparison(id="compared-here", candidate_id="of-ours", baseline_id="shared"))
        # A rerun whose machine had a clock that was slow stands before its original.
        theirs.record(a_run(id="of-theirs", recorded=START - DAY, rerun_of="shared"))
        theirs.approve(an_approval(shared, id="approved-there", expires=START + DAY))
        theirs.keep(a_comparison(id="compared-there", baseline_id="shared", compared=START - DAY))
        yield ours, theirs


def everything(history):
    runs = [history.run(run.id) for run in history.runs()]
    comparisons = [
        (str(each), {metric: values.tolist() for metric, values in history.scores(each.id).items()})
        for each in history.comparisons()
    ]
    return runs, history.runs(), history.approvals("answers"), str(comparisons)


def test_both_ways_gives_the_same(two):
    ours, theirs = two
    assert ours.merge(theirs) == Merged(runs=1, approvals=1, comparisons=1)
    assert [run.id for run in ours.runs()] == ["of-theirs", "shared", "of-ours"]
    assert [run.id for run in ours.reruns("shared")] == ["of-theirs"]
    assert [each.id for each in ours.comparisons()] == ["compared-there", "compared-here"]
    assert theirs.merge(ours) == Merged(runs=1, approvals=0, comparisons=1)
    assert everything(ours) == everything(theirs)


def test_again_adds_nothing(two):
    ours, theirs = two
    ours.merge(theirs)
    before = everything(ours)
    assert ours.merge(theirs) == Merged()
    assert ours.merge(ours) == Merged()
    assert everything(ours) == before


def test_what_both_have_differently_is_refused(two):
    ours, theirs = two
    with theirs._database.writing() as connection:
        connection.execute(
            text("UPDATE semscale_entries SET body = replace(body, 'model-a', 'model-x') WHERE id = 'shared'")
        )
    before = everything(ours)
    with pytest.raises(InputError, match="runs 'shared' differ between .* nothing was merged"):
        ours.merge(theirs)
    assert everything(ours) == before


@pytest.mark.parametrize("direction", [0, 1])
def test_between_sqlite_and_postgresql(tmp_path, new_database, direction):
    places = [str(tmp_path / "laptop.sqlite"), new_database()]
    with open_history(places[direction]) as ours, open_history(places[1 - direction]) as theirs:
        run = a_run(id="theirs")
        theirs.record(run)
        theirs.approve(an_approval(run))
        theirs.keep(a_comparison())
        assert ours.merge(theirs) == Merged(1, 1, 1)
        assert everything(ours) == everything(theirs)
        assert theirs.merge(ours) == Merged()


def test_both_ways_at_once(new_place):
    places = new_place(), new_place()
    for place in places:
        with open_history(place) as history:
            for _ in range(5):
                history.record(a_run())
    script = """
import sys
from semscale.history.history import open_history
sys.stdin.readline()
with open_history(sys.argv[1]) as ours, open_history(sys.argv[2]) as theirs:
    ours.merge(theirs)
"""
    ways = (places, places[::-1], places)
    started = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", script, *way], stdin=subprocess.PIPE, text=True
        )
        for way in ways
    ]
    for each in started:
        each.stdin.write("go\n")
        each.stdin.flush()
    assert [(each.communicate(timeout=120), each.returncode)[1] for each in started] == [0] * 3
    with open_history(places[0]) as one, open_history(places[1]) as other:
        assert len(one.runs()) == 10
        assert everything(one) == everything(other)


def test_a_run_that_somebody_changed_is_not_given_out(history):
    history.record(run := a_run())
    with history._database.writing() as connection:
        changed = "UPDATE semscale_items SET body = replace(body, 'Answer 1', 'Better 1') WHERE position = 1"
        connection.execute(text(changed))
    with pytest.raises(InputError, match="is not what was recorded: its 3 items have another digest"):
        history.run(run.id)
