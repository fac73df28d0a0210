"""What SQL can change in a history is found: by the read that uses it, and by name in a verification."""

import hashlib
import json
import shutil
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import text
from tests.support.stored_runs import DAY, NAN, START, a_comparison, a_run, an_approval

from semscale.errors import InputError
from semscale.history.chain import EntryKind
from semscale.history.history import open_history
from semscale.history.stored_comparison import StoredFigure

pytestmark = pytest.mark.exhaustive

RUN = a_run(id="the-baseline")
CANDIDATE = a_run(id="the-candidate", recorded=START + DAY)


@pytest.fixture
def where(tmp_path):
    """The place of an empty history in SQLite: ``test_several_writers.py`` tampers with PostgreSQL, too."""
    return str(tmp_path / "history.sqlite")


@pytest.fixture
def filled(history):
    """A baseline that was approved, a candidate and its comparison."""
    history.record(RUN)
    history.approve(an_approval(RUN, id="the-approval", expires=START + DAY))
    history.record_comparison(
        a_comparison(id="the-comparison", baseline_id=RUN.id, candidate_id=CANDIDATE.id), candidate=CANDIDATE
    )
    return history


def change(history, statement, **values):
    with history._database.writing() as connection:
        connection.execute(text(statement), values)


def approvals(history):
    return history.approvals("answers")


def comparisons(history):
    return history.comparisons()


def scores(history):
    return history.scores("the-comparison")


def run(history):
    return history.run("the-baseline")


def runs(history):
    return history.runs()


def write(history):
    return history.record(a_run(note="new"))


def replaced(old, new, condition="kind = 'comparison'"):
    return f"UPDATE semscale_entries SET body = replace(body, '{old}', '{new}') WHERE {condition}"


CHANGES = {
    "who approved": (replaced("Ana", "Eve", "kind = 'approval'"), approvals, "approval 'the-approval'"),
    "until when": (
        replaced("2026-03-02", "2027-03-02", "kind = 'approval'"),
        approvals,
        "approval 'the-approval'",
    ),
    "outcome": (replaced('"fail"', '"pass"'), comparisons, "comparison 'the-comparison'"),
    "a broken limit": (
        replaced('"checks": null', '"checks": []'),
        comparisons,
        "comparison 'the-comparison'",
    ),
    "figure": (replaced("0.125", "0.0"), comparisons, "comparison 'the-comparison'"),
    "a figure's group": (replaced("6715", "6716"), comparisons, "comparison 'the-comparison'"),
    "score": (
        "DELETE FROM semscale_scores WHERE metric = 'cosine'",
        scores,
        "comparison 'the-comparison'",
    ),
    "outcome beside scores": (replaced('"fail"', '"pass"'), scores, "comparison 'the-comparison'"),
    "hash of the candidate's items": (
        replaced("items", "times", "id = 'the-candidate'"),
        comparisons,
        "run 'the-candidate'",
    ),
    "model": (replaced("model-a", "model-x", "id = 'the-baseline'"), run, "run 'the-baseline'"),
    "time": (
        "UPDATE semscale_entries SET moment = 'x' WHERE id = 'the-baseline'",
        runs,
        "run 'the-baseline'",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_refused_by_the_read_that_uses_it_and_named_by_verify(filled, what):
    statement, read, name = CHANGES[what]
    assert filled.verify().holds
    read(filled)
    change(filled, statement)
    with pytest.raises(InputError, match=f"{name} is not what was stored: .* somebody changed the database"):
        read(filled)
    result = filled.verify()
    assert not result.holds
    assert str(result.flaws[0]) == f"{name}: it has another hash than its link"


def test_changed_items_are_named(filled):
    change(
        filled,
        "UPDATE semscale_items SET body = replace(body, 'Answer', 'Better') WHERE run_id = 'the-candidate'",
    )
    (flaw,) = filled.verify().flaws
    assert (flaw.kind, flaw.id, flaw.dataset) == ("run", "the-candidate", "answers")


def test_an_entry_that_something_else_stored_has_no_link(filled):
    change(
        filled,
        "INSERT INTO semscale_entries (kind, id, subject, dataset, moment, body) "
        "SELECT kind, 'forged', 'the-candidate', dataset, moment, body FROM semscale_entries "
        "WHERE kind = 'approval'",
    )
    with pytest.raises(InputError, match="approval 'forged' is not what was stored: it has no link"):
        filled.baseline("answers", at=START + DAY / 2)
    assert str(filled.verify().flaws[0]) == "approval 'forged': it has no link"


def test_deleted_entry_is_reported_missing(filled):
    change(filled, "DELETE FROM semscale_entries WHERE kind = 'approval'")
    assert str(filled.verify().flaws[0]) == "approval 'the-approval': it is missing, but its link exists"


DELETIONS = {
    "an approval": (["DELETE FROM semscale_entries WHERE id = 'by Bob'"], approvals, "approval 'by Bob'"),
    "a rerun": (
        [
            "DELETE FROM semscale_items WHERE run_id = 'the-rerun'",
            "DELETE FROM semscale_entries WHERE id = 'the-rerun'",
        ],
        lambda history: history.reruns("the-baseline"),
        "run 'the-rerun'",
    ),
    "a run of the dataset": (
        [
            "DELETE FROM semscale_items WHERE run_id = 'the-rerun'",
            "DELETE FROM semscale_entries WHERE id = 'the-rerun'",
        ],
        lambda history: history.runs("answers"),
        "run 'the-rerun'",
    ),
    "a comparison": (
        [
            "DELETE FROM semscale_scores",
            "DELETE FROM semscale_entries WHERE kind = 'comparison'",
        ],
        lambda history: history.comparisons(baseline_id="the-baseline"),
        "comparison 'the-comparison'",
    ),
}


@pytest.mark.parametrize("what", DELETIONS)
def test_a_deleted_entry_is_refused_on_reading_and_named_by_verify(filled, what):
    statements, read, name = DELETIONS[what]
    filled.record(a_run(id="the-rerun", rerun_of=RUN.id))
    filled.approve(an_approval(CANDIDATE, id="by Bob", approved=START + 2 * DAY))
    other = a_run(id="of others", dataset="others")
    filled.record(other)
    read(filled)
    for statement in statements:
        change(filled, statement)
    missing = f"{name} of dataset 'answers' was stored and is missing, so somebody changed the database"
    with pytest.raises(InputError, match=missing):
        read(filled)
    # Another dataset has a chain of its own.
    assert [run.id for run in filled.runs("others")] == ["of others"]
    filled.approve(an_approval(other, id="another"))
    assert str(filled.verify().flaws[0]) == f"{name}: it is missing, but its link exists"


def test_nothing_is_linked_to_a_last_entry_that_was_deleted(filled):
    head = filled.head("answers")
    for statement in DELETIONS["a comparison"][0]:
        change(filled, statement)
    with pytest.raises(
        InputError, match="comparison 'the-comparison' of dataset 'answers' .* is missing, so"
    ):
        write(filled)
    assert filled.head("answers") == head


@pytest.mark.parametrize(
    ("statements", "flaw"),
    [
        (
            [replaced("model-a", "model-x", "id = 'the-baseline'")],
            "run 'the-baseline': it has another hash than its link",
        ),
        (
            ["DELETE FROM semscale_entries WHERE kind = 'approval'"],
            "approval 'the-approval': it is missing, but its link exists",
        ),
        (
            [
                "DELETE FROM semscale_entries WHERE kind = 'approval'",
                "DELETE FROM semscale_links WHERE kind = 'approval'",
            ],
            # The candidate was stored next, so that its link names the approval's.
            "run 'the-candidate': an entry that was stored before it is missing or was replaced",
        ),
    ],
)
def test_verify_names_the_first_broken_link_also_after_later_entries(filled, statements, flaw):
    for statement in statements:
        change(filled, statement)
    assert str(filled.verify().flaws[0]) == flaw
    filled.record(a_run(id="a later one", note="later"))
    filled.approve(an_approval(RUN, id="a later approval", approved=START + DAY))
    assert str(filled.verify().flaws[0]) == flaw


def test_a_deleted_approval_does_not_bring_back_the_baseline_before_it(filled):
    filled.approve(an_approval(CANDIDATE, id="by Bob", approved=START + DAY / 4))
    assert filled.baseline("answers", at=START + DAY / 2)[0].id == CANDIDATE.id
    change(filled, "DELETE FROM semscale_entries WHERE id = 'by Bob'")
    with pytest.raises(InputError, match="approval 'by Bob' .* is missing"):
        filled.baseline("answers", at=START + DAY / 2)


def test_deleted_entries_are_counted(filled):
    filled.record(a_run(id="one more", rerun_of=RUN.id))
    for id_ in ("the-candidate", "one more"):
        change(filled, f"DELETE FROM semscale_entries WHERE id = '{id_}'")
    with pytest.raises(InputError, match=r"run 'the-candidate' .* is missing \(and 1 more\), so"):
        runs(filled)


@pytest.mark.parametrize("column", ["content", "hash", "parents"])
def test_nothing_is_linked_to_a_last_link_that_was_changed(filled, column):
    change(filled, f"UPDATE semscale_links SET {column} = 'x' WHERE entry_id = 'the-comparison'")
    assert filled.verify().flaws[0].id == "the-comparison"
    with pytest.raises(InputError, match="the chain of dataset 'answers' is broken"):
        write(filled)


def test_a_link_of_something_unknown(filled):
    change(filled, "UPDATE semscale_links SET kind = 'x' WHERE entry_id = 'the-comparison'")
    assert {str(flaw) for flaw in filled.verify().flaws} == {
        "x 'the-comparison': it is missing, but its link exists",
        "comparison 'the-comparison': it has no link",
    }


def test_noted_head_reveals_deleted_last_entries(filled):
    head = filled.head("answers")
    assert filled.verify().heads == {"answers": head}
    filled.record(a_run(id="one more", note="one more"))
    assert filled.verify([head, head[:16]]).holds
    # The chain before the last entry is whole without it; only who noted the head can see it.
    last = filled.head("answers")
    change(filled, "DELETE FROM semscale_items WHERE run_id = 'one more'")
    change(filled, "DELETE FROM semscale_entries WHERE id = 'one more'")
    change(filled, "DELETE FROM semscale_links WHERE entry_id = 'one more'")
    assert filled.verify([head]).holds
    (flaw,) = filled.verify([head, last]).flaws
    assert (flaw.kind, flaw.id) == ("head", last)
    with pytest.raises(InputError, match="head must be at least 16 characters of a hash, got 'abc'"):
        filled.verify(["abc"])


def test_zero_has_no_sign_and_a_figure_without_an_interval_holds(history):
    figure = StoredFigure("match", None, -0.0, -0.0, NAN, NAN, 0.05, 2, 0)
    history.record_comparison(a_comparison(figures=(figure,)))
    assert history.comparisons()[0].figures[0].drift == 0
    assert history.verify().holds


def test_an_empty_history_holds(history):
    result = history.verify()
    assert (result.holds, result.n_entries, result.heads) == (True, 0, {})


def test_branches_that_an_earlier_version_merged_are_joined_by_the_next_entry(tmp_path):
    paths = [tmp_path / "left.sqlite", tmp_path / "right.sqlite"]
    with open_history(paths[0]) as left:
        left.record(RUN)
    shutil.copy(*paths)
    noted = []
    for path in paths:
        with open_history(path) as history:
            history.record(a_run(id=path.stem, note=path.stem))
            noted.append(history.head("answers"))
    with closing(sqlite3.connect(paths[0])) as connection:  # the rows that a merge copied
        connection.execute("ATTACH ? AS other", (str(paths[1]),))
        for table, owner in (("semscale_items", "run_id"), ("semscale_entries", "id")):
            connection.execute(f"INSERT INTO {table} SELECT * FROM other.{table} WHERE {owner} = 'right'")
        connection.execute(
            "INSERT INTO semscale_links (hash, kind, entry_id, dataset, content, parents) "
            "SELECT hash, kind, entry_id, dataset, content, parents FROM other.semscale_links "
            "WHERE entry_id = 'right'"
        )
        connection.commit()
    with open_history(paths[0]) as history:
        assert history.verify(noted).holds
        assert history.head("answers") == noted[1]
        history.record(a_run(id="joined", note="joined"))
        assert (history.verify(noted).holds, history.verify().n_entries) == (True, 4)
    with closing(sqlite3.connect(paths[0])) as connection:
        ((parents,),) = connection.execute("SELECT parents FROM semscale_links WHERE entry_id = 'joined'")
    assert parents.split() == sorted(noted)


def test_a_forged_link_with_a_right_hash_needs_the_whole_chain(filled):
    values = (EntryKind.RUN, "the-baseline", "answers", "x", "")
    # SHA-256 of the attributes as a JSON list.
    forged = hashlib.sha256(json.dumps(values).encode()).hexdigest()
    change(
        filled,
        "INSERT INTO semscale_links (hash, kind, entry_id, dataset, content, parents) "
        "VALUES (:hash, 'run', 'the-baseline', 'answers', 'x', '')",
        hash=forged,
    )
    assert str(filled.verify().flaws[0]) == "run 'the-baseline': it has another hash than its link"
