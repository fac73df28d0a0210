"""The example runs of drift are consistent, because every new user reads them first."""

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples" / "drift"
NAMES = ("baseline", "rerun", "candidate_good", "candidate_bad")


def read(name):
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("name", NAMES[1:])
def test_every_run_has_the_items_of_the_baseline(name):
    asked = [(item["id"], item["input"], item["groups"]) for item in read("baseline")]
    n_runs = 2 if name == "rerun" else 1
    assert [(item["id"], item["input"], item["groups"]) for item in read(name)] == asked * n_runs
    assert len({key for key, _, _ in asked}) == 30


@pytest.mark.parametrize("name", NAMES)
def test_credits_are_halves_from_minus_1_to_2(name):
    credits_of_outputs = [output["credits"] for item in read(name) for output in item["outputs"]]
    assert all(-1 <= credit <= 2 and (2 * credit).is_integer() for credit in credits_of_outputs)


def test_only_the_bad_candidate_is_silent():
    silent = {
        name: [i["id"] for i in read(name) if not any(o["text"].strip() for o in i["outputs"])]
        for name in NAMES
    }
    assert silent == {
        "baseline": [],
        "rerun": [],
        "candidate_good": [],
        "candidate_bad": ["cells-10", "history-06"],
    }


def test_other_runs_never_repeat_a_comment():
    comments = [
        {o["text"] for i in read(name) for o in i["outputs"]}
        for name in ("baseline", "rerun", "candidate_good")
    ]
    assert not comments[0] & comments[1]
    assert not (comments[0] | comments[1]) & comments[2]
