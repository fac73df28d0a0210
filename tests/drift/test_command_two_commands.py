"""The gate in two commands: record and approve a file, and gate another one."""

import getpass
import json

import pytest

EXAMPLES = ["The sky is blue.", "Water boils at sea.", "It is awful.", "It works great.", "I love it."] * 4


def rows(*wordings, names=None):
    """JSON lines with 20 items, each once for each wording."""
    lines = [
        {"id": f"q{number}", "input": f"Question {number}?", "output": f"{text} {wording} {number}"}
        | (names or {})
        for wording in wordings
        for number, text in enumerate(EXAMPLES)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "baseline.jsonl").write_text(rows("Indeed.", "So it is.", "We know."))
    (tmp_path / "new.jsonl").write_text(rows("Truly."))


def recorded(ended):
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


def test_a_recorded_and_approved_file_gates_another_file(semscale, files):
    run = recorded(semscale("drift", "record", "baseline.jsonl", "--approve", "--json"))
    assert (run["model"], run["dataset"], len(run["reruns"])) == ("baseline", "baseline", 2)
    assert (run["approval"]["by"], run["approval"]["why"]) == (getpass.getuser(), "approved when recorded")
    gate = json.loads(semscale("drift", "gate", "new.jsonl", "--json").out)
    assert (gate["baseline"]["id"], gate["candidate"]["model"], gate["reruns"]) == (run["id"], "new", 2)
    assert gate["approval"]["run"] == run["id"]


def test_an_approval_in_the_same_command_states_person_reason_and_expiry(semscale, files):
    stated = ("--approved-by", "Ann", "--why", "read all", "--expires", "90d")
    approval = recorded(semscale("drift", "record", "baseline.jsonl", "--approve", *stated, "--json"))[
        "approval"
    ]
    assert (approval["by"], approval["why"]) == ("Ann", "read all")
    assert approval["expires"] is not None
    assert "approved by Ann" in semscale("drift", "gate", "new.jsonl").out


def test_record_and_gate_explain_that_a_rerun_is_missing(semscale, tmp_path):
    (tmp_path / "baseline.jsonl").write_text(rows("Indeed."))
    (tmp_path / "new.jsonl").write_text(rows("Quite wrong, this was never true."))
    remedy = "semscale drift record FILE --rerun-of baseline"
    (caution,) = recorded(semscale("drift", "record", "baseline.jsonl", "--approve", "--json"))["cautions"]
    assert caution.startswith("Without a rerun, a gate cannot tell a change from chance")
    assert remedy in caution
    gate = semscale("drift", "gate", "new.jsonl")
    assert gate.code == 4
    assert "There is no rerun of the baseline, so chance alone may explain the change" in gate.out
    assert remedy in gate.out


def test_a_rerun_takes_the_model_of_its_original(semscale, tmp_path, files):
    recorded(semscale("drift", "record", "baseline.jsonl", "--approve", "--model", "gpt-5", "--json"))
    (tmp_path / "again.jsonl").write_text(rows("Another wording."))
    assert (
        recorded(semscale("drift", "record", "again.jsonl", "--rerun-of", "baseline", "--json"))["model"]
        == "gpt-5"
    )


def test_repeated_outputs_of_a_candidate_are_stored_as_its_reruns(semscale, tmp_path, files):
    recorded(semscale("drift", "record", "baseline.jsonl", "--approve", "--json"))
    (tmp_path / "new.jsonl").write_text(rows("Truly.", "Sure."))
    gate = json.loads(semscale("drift", "gate", "new.jsonl", "--json").out)
    assert any(caution.startswith("the candidate has 2 outputs of each item") for caution in gate["cautions"])
    history = json.loads(semscale("drift", "history", "--json").out)
    runs = history["datasets"][0]["runs"]
    assert [run["rerun_of"] for run in runs].count(gate["candidate"]["id"]) == 1


def test_a_gate_takes_the_approved_dataset_that_has_the_candidates_items(semscale, tmp_path, files):
    other = "".join(json.dumps({"id": f"z{n}", "output": f"Text {n}."}) + "\n" for n in range(12))
    (tmp_path / "other.jsonl").write_text(other)
    recorded(semscale("drift", "record", "other.jsonl", "--approve", "--dataset", "other", "--json"))
    named = ("--dataset", "mine")
    run = recorded(semscale("drift", "record", "baseline.jsonl", "--approve", *named, "--json"))
    assert json.loads(semscale("drift", "gate", "new.jsonl", "--json").out)["baseline"]["id"] == run["id"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--why", "x"], "--why belongs to --approve, which is not given"),
        (["--approve", "--rerun-of", "baseline"], "--approve makes a new run the baseline"),
        (["--approve", "--why", " "], "why must not be empty"),
        (["--approve", "--expires", "1999-01-01"], "expires must be in the future"),
    ],
)
def test_wrong_approvals_print_a_single_line(semscale, files, options, message):
    ended = semscale("drift", "record", "baseline.jsonl", *options)
    assert (ended.code, message in ended.err) == (2, True)
    history = semscale("drift", "history")
    assert history.code == 2 or "No run is recorded yet" in history.out
