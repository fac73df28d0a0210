"""Eight machines record runs in one history on a server at once: all are there, and every seal holds."""

import json

import pytest
from tests.schema_check import check_json
from tests.support.sharing_machines import FORKED, command, machines

from semscale.history.history import open_history

pytestmark = [
    pytest.mark.needs("postgres"),
    pytest.mark.skipif(FORKED is None, reason="there is no fork"),
]
WRITERS, ITEMS = 8, 40


@pytest.mark.exhaustive
def test_eight_at_once(semscale, new_database, tmp_path):
    address, works = new_database(), []
    for writer in range(WRITERS):
        lines = [
            {"id": f"item {item}", "input": "Why?", "outputs": [f"As {writer} says."]}
            for item in range(ITEMS)
        ]
        path = tmp_path / f"{writer}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        run = ("drift", "record", str(path), "--model", f"m{writer}", "--dataset", "exam")
        works.append((command, *run, "--history", address))
    with machines(*works) as writers:
        for writer in writers:
            writer.begin()  # with a database in which there is no history yet
        assert [writer.result() for writer in writers] == [(0, "")] * WRITERS
    with open_history(address) as history:
        runs = history.runs()
        assert sorted(run.model for run in runs) == [f"m{writer}" for writer in range(WRITERS)]
        assert {len(history.run(run.id).items) for run in runs} == {ITEMS}
    verified = semscale("drift", "history", "--history", address, "--verify", "--json")
    assert verified.code == 0, verified.err
    check_json(verified.out)
    assert json.loads(verified.out)["flaws"] == []
