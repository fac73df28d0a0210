"""``semscale drift history --verify``: every entry is checked, and the first that does not hold is named."""

import json
import sqlite3
from contextlib import closing

import pytest
from tests.schema_check import check_json

from semscale.history.history import open_history
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run

HISTORY = "semscale-history.sqlite"
RUN = Run("exam", "m", (Item("a", (Output("Yes."),)),), id="a" * 32)


@pytest.fixture
def head(tmp_path, monkeypatch):
    """The last hash of a history with one approved run."""
    monkeypatch.chdir(tmp_path)
    with open_history(HISTORY) as history:
        history.record(RUN)
        history.approve(Approval(RUN.id, "exam", "Ann", "read it", id="b" * 32))
        return history.head("exam")


def change(statement):
    with closing(sqlite3.connect(HISTORY)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_history_that_holds(semscale, head):
    ended = semscale("drift", "history", "--verify", "--head", head[:16])
    assert ended.code == 0, ended.err
    assert head in ended.out
    printed = semscale("drift", "history", "--verify", "--json").out
    check_json(printed)
    assert json.loads(printed)["heads"] == [{"dataset": "exam", "head": head}]


def test_a_changed_approval_is_named_and_every_command_that_reads_it_refuses(semscale, head):
    change("UPDATE semscale_entries SET body = replace(body, 'Ann', 'Eve') WHERE kind = 'approval'")
    ended = semscale("drift", "history", "--verify")
    assert ended.code == 1
    assert ended.out.splitlines()[-1] == (
        f"changed: 1 entry changed; the first is approval '{'b' * 32}': it has another hash than its link"
    )
    printed = semscale("drift", "history", "--verify", "--json")
    assert printed.code == 1
    check_json(printed.out)
    assert json.loads(printed.out)["flaws"][0]["kind"] == "approval"
    for command in (("history",), ("gate", "latest"), ("plan", "--self-test"), ("plan",)):
        refused = semscale("drift", *command)
        assert refused.code == 2
        assert "is not what was stored" in refused.err
        assert len(refused.err.splitlines()) == 1


def test_a_head_that_is_gone(semscale, head):
    change("DELETE FROM semscale_links WHERE kind = 'approval'")
    change("DELETE FROM semscale_entries WHERE kind = 'approval'")
    assert semscale("drift", "history", "--verify").code == 0
    ended = semscale("drift", "history", "--verify", "--head", head)
    assert ended.code == 1
    assert ended.out.splitlines()[-1] == (
        f"changed: 1 hash not found in the history: {head}. Either it is mistyped, or the entries up to "
        "it were replaced or removed; no other entry was changed"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--head", "abcd" * 4), "--head belongs to --verify"),
        (("--verify", "--head", "abcd"), "head must be at least 16 characters of a hash, got 'abcd'"),
        (("--verify", "--dataset", "exam"), "--verify checks the whole history: take it without --dataset"),
    ],
)
def test_options_that_do_not_go_together(semscale, head, arguments, message):
    ended = semscale("drift", "history", *arguments)
    assert ended.code == 2
    assert message in ended.err
