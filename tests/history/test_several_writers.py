"""Several processes and threads write one history."""

import os
import signal
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.support.stored_runs import a_comparison, a_run, an_approval

from semscale.errors import InputError
from semscale.history.chain import load_links
from semscale.history.history import open_history


@pytest.mark.exhaustive
def test_tampered_run_is_refused(history):
    history.record(run := a_run())
    with history._database.writing() as connection:
        changed = "UPDATE semscale_items SET body = replace(body, 'Answer 1', 'Better 1') WHERE position = 1"
        connection.execute(text(changed))
    with pytest.raises(InputError, match="is not what was recorded: its 3 items have another digest"):
        history.run(run.id)


HERE = str(Path(__file__).parent)
PROCESSES, TURNS = 4, 5

WRITER = f"""
import sys
sys.path.insert(0, {HERE!r})
from tests.support.stored_runs import a_comparison, a_run, an_approval
from semscale.history.history import open_history
sys.stdin.readline()  # all begin at once, with a place in which there is no history yet
with open_history(sys.argv[1]) as history:
    for turn in range({TURNS}):
        run = a_run(50, model=f"{{sys.argv[2]}}-{{turn}}")
        history.record(run)
        history.approve(an_approval(run))
        history.record_comparison(a_comparison(candidate_id=run.id))
        if history.run(run.id) != run:
            sys.exit(f"turn {{turn}} reads something else")
"""

KILLED = f"""
import sys
sys.path.insert(0, {HERE!r})
from sqlalchemy import Engine, event
from tests.support.stored_runs import a_comparison, a_run
from semscale.history.history import open_history

def signal_and_block(connection, cursor, statement, *rest):
    if statement.startswith("INSERT INTO " + sys.argv[2]):
        print("half", flush=True)
        sys.stdin.read()

event.listen(Engine, "after_cursor_execute", signal_and_block)
with open_history(sys.argv[1]) as history:
    if "items" in sys.argv[2]:
        history.record(a_run(5000, id="half"))
    history.record_comparison(a_comparison(id="half", outcome="pass"))
"""


def start(script: str, *arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-W", "error", "-c", script, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@pytest.mark.exhaustive
def test_processes_that_start_a_history_and_write_it_at_once(where):
    writers = [start(WRITER, where, str(name)) for name in range(PROCESSES)]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [(writer.communicate(timeout=120), writer.returncode)[1] for writer in writers] == [0] * PROCESSES
    with open_history(where, create=False) as history:
        recorded = history.runs()
        models = {f"{name}-{turn}" for name in range(PROCESSES) for turn in range(TURNS)}
        assert {run.model for run in recorded} == models
        assert len(recorded) == PROCESSES * TURNS
        assert {len(history.run(run.id).items) for run in recorded} == {50}
        assert {entry.run_id for entry in history.approvals("answers")} == {run.id for run in recorded}
        stored = history.comparisons()
        assert {entry.candidate_id for entry in stored} == {run.id for run in recorded}
        assert {len(entry.figures) for entry in stored} == {2}
        with history._database.reading() as connection:
            links = load_links(connection)
        # One chain: each link follows the one that was stored before it.
        assert [link.parents for link in links] == ["", *(link.hash for link in links[:-1])]


@pytest.mark.exhaustive
def test_more_threads_than_connections(history):
    def write(target: int) -> str:
        run = a_run(20, model=f"model-{target}")
        history.record(run)
        history.approve(an_approval(run))
        history.record_comparison(a_comparison(candidate_id=run.id))
        assert history.run(run.id) == run
        return run.id

    with ThreadPoolExecutor(12) as pool:
        written = set(pool.map(write, range(36)))
    assert {run.id for run in history.runs()} == written
    assert {entry.run_id for entry in history.approvals("answers")} == written
    assert {entry.candidate_id for entry in history.comparisons()} == written


@pytest.mark.exhaustive
def test_threads_that_open_it_at_once(where):
    def write(target: int) -> str:
        with open_history(where) as history:
            history.record(run := a_run(model=f"model-{target}"))
            return run.id

    with ThreadPoolExecutor(6) as pool:
        written = set(pool.map(write, range(6)))
    with open_history(where) as history:
        assert {run.id for run in history.runs()} == written


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is a POSIX thing")
@pytest.mark.parametrize("table", ["semscale_items", "semscale_scores"])
def test_killed_in_the_middle_of_writing(history, where, table):
    history.record(whole := a_run())
    history.record_comparison(stored := a_comparison())
    with start(KILLED, where, table) as writer:
        assert writer.stdout.readline() == "half\n"  # rows are with the server, and not committed
        # Nobody else sees them meanwhile.
        assert [run.id for run in history.runs()] == [whole.id]
        assert [entry.id for entry in history.comparisons()] == [stored.id]
        os.kill(writer.pid, signal.SIGKILL)
    assert writer.returncode == -signal.SIGKILL
    assert [run.id for run in history.runs()] == [whole.id]
    assert [entry.id for entry in history.comparisons()] == [stored.id]
    # Nothing is held, and the same ids may be written anew.
    history.record(again := a_run(5000, id="half"))
    history.record_comparison(a_comparison(id="half", outcome="pass"))
    assert history.run("half") == again
    assert sorted(history.scores("half")) == ["cosine", "match"]


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_forked_process_opens_new_connections(history):
    history.record(before := a_run(model="before"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # newer Pythons warn where there are threads
        child = os.fork()
    if child == 0:
        failed = 1
        try:
            for turn in range(20):
                history.record(a_run(model=f"child-{turn}"))
            failed = len(history.runs()) < 21
        finally:
            os._exit(failed)
    for turn in range(20):
        history.record(a_run(model=f"parent-{turn}"))
    assert os.waitpid(child, 0)[1] == 0
    assert len(history.runs()) == 41
    assert history.run(before.id) == before
