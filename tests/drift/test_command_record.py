"""``semscale drift record`` and ``approve``: what goes into a history, and what is refused."""

import json
import os
import subprocess
from datetime import UTC, datetime

import pytest

from semscale.drift.approving import read_expiry
from semscale.errors import InputError

ITEMS = [
    {"id": "a", "input": "Why?", "groups": {"topic": "x"},
     "outputs": [{"text": "So.", "credits": 1}, {"text": "And so."}]},
    {"id": "b", "input": "How?", "outputs": [], "groups": {"topic": "y"}},
    {"id": "c", "input": "When?", "outputs": ["Now.", " "], "groups": {"topic": "x"}},
]  # fmt: skip


@pytest.fixture
def outputs(tmp_path):
    """Write items as JSON lines."""

    def write(name="base.jsonl", items=ITEMS):
        path = tmp_path / name
        path.write_text("".join(json.dumps(item) + "\n" for item in items))
        return path

    return write


@pytest.fixture
def recorded(semscale, outputs):
    """A history with one run of three items."""
    outputs()
    return json.loads(semscale("drift", "record", "base.jsonl", "--model", "m", "--json").out)


def record(semscale, *arguments):
    return semscale("drift", "record", *arguments, "--model", "m")


def test_a_file_that_is_recorded_again_is_the_run_that_is_there(semscale, outputs, recorded):
    again = record(semscale, "base.jsonl")
    assert "The history has this run since " in again.out
    assert "--note TEXT stores them as another run" in again.out
    assert json.loads(record(semscale, "base.jsonl", "--json").out)["id"] == recorded["id"]
    assert "The history has this run" not in record(semscale, "base.jsonl", "--note", "once more").out
    (dataset,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert [run["note"] for run in dataset["runs"]] == [None, "once more"]


def test_a_run_is_stored_and_summed_up(semscale, outputs, files):
    outputs()
    ended = record(semscale, "base.jsonl", "--note", "first")
    assert ended.code == 0, ended.err
    shown = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in ended.out.splitlines() if line}
    assert len(shown.pop("Recorded")) == 8
    assert shown == {
        "dataset": "base",
        "model": "m",
        "items": "3",
        "outputs": "3",  # two of a, one of c: the blank one says nothing
        "items without output": "1",
        "fields": "credits (missing in 2 outputs)",  # the second of a, and that of c
        "groups": "topic (2)",
        "Git revision": "none",
        "note": "first",
        "history": "semscale-history.sqlite",
    }
    assert files() == ["base.jsonl", "semscale-history.sqlite"]


def test_a_field_that_is_nan_is_missing_and_counted(semscale, tmp_path):
    (tmp_path / "base.jsonl").write_text(
        '{"id": "a", "output": "x", "credits": 1}\n{"id": "b", "output": "y", "credits": NaN}\n'
    )
    assert "credits (missing in 1 output)" in record(semscale, "base.jsonl", "--field", "credits").out


def test_approving_a_run_that_says_nothing_is_warned_of(semscale, outputs, recorded):
    approve = ("drift", "approve", "latest", "--approved-by", "Ann", "--why", "x")
    assert "No item of it has an output" not in semscale(*approve).out
    outputs("mute.jsonl", [{"id": "a", "output": None}, {"id": "b", "output": " "}])
    assert record(semscale, "mute.jsonl", "--history", "mute.sqlite").code == 0
    ended = semscale(*approve, "--history", "mute.sqlite")
    assert ended.code == 0
    assert "No item of it has an output" in ended.out


def test_json_has_the_whole_id_and_the_counts(recorded):
    assert len(recorded["id"]) == 32
    assert (recorded["items"], recorded["outputs"], recorded["silent"]) == (3, 3, 1)
    assert recorded["groups"] == {"topic": 2}
    assert recorded["without_number"] == {"credits": 2}


def test_the_environment_names_the_history_and_the_option_goes_before(semscale, outputs, monkeypatch, files):
    outputs()
    monkeypatch.setenv("SEMSCALE_HISTORY", "team.sqlite")
    assert "team.sqlite" in record(semscale, "base.jsonl").out
    assert "own.sqlite" in record(semscale, "base.jsonl", "--history", "own.sqlite").out
    assert [name for name in files() if name.endswith("sqlite")] == ["own.sqlite", "team.sqlite"]


def test_the_git_revision_of_the_folder_is_stored(semscale, outputs, tmp_path, monkeypatch):
    outputs()
    identity = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, env=os.environ | identity)
    head = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.strip()
    assert json.loads(record(semscale, "base.jsonl", "--json").out)["revision"] == head


def test_outputs_join_the_only_dataset_if_their_items_match(semscale, outputs, recorded):
    outputs("new.jsonl")
    assert json.loads(record(semscale, "new.jsonl", "--json").out)["dataset"] == "base"
    outputs("other.jsonl", [{"id": "z", "outputs": ["Hm."]}])
    refused = record(semscale, "other.jsonl")
    assert refused.code == 2
    assert "the candidate has no 'a', 'b', 'c'" in refused.err
    assert "name another dataset than 'base' with --dataset" in refused.err
    assert record(semscale, "other.jsonl", "--dataset", "quiz").code == 0
    assert "'base', 'quiz': add --dataset NAME" in record(semscale, "new.jsonl").err


def test_a_rerun_is_of_the_same_model_and_items(semscale, outputs, recorded):
    outputs("again.jsonl")
    run = recorded["id"]
    assert json.loads(record(semscale, "again.jsonl", "--rerun-of", run[:6], "--json").out)["rerun_of"] == run
    other = semscale("drift", "record", "again.jsonl", "--model", "n", "--rerun-of", run[:6])
    assert (other.code, "a rerun asks the same model again" in other.err) == (2, True)
    outputs("fewer.jsonl", ITEMS[:2])
    assert "has no 'c'" in record(semscale, "fewer.jsonl", "--rerun-of", run[:6]).err


def test_a_rerun_that_repeats_its_original_verbatim_is_reported(semscale, outputs, recorded):
    outputs("again.jsonl", [*ITEMS[:2], ITEMS[2] | {"outputs": ["Later."]}])
    other = record(semscale, "again.jsonl", "--rerun-of", recorded["id"][:8], "--json")
    assert json.loads(other.out)["copied_runs"] == []
    ended = record(semscale, "base.jsonl", "--rerun-of", recorded["id"][:8], "--json")
    (copy,) = json.loads(ended.out)["copied_runs"]
    assert (copy["original"], copy["n_equal"], copy["n"]) == (recorded["id"], 2, 2)  # item b has no output
    assert not copy["stands_out"]
    (caution,) = json.loads(ended.out)["cautions"]
    assert (
        "repeats the baseline in 2 of 2 items: recorded twice or from a cache, so it is left out" in caution
    )


def test_an_approval_states_person_reason_and_expiry(semscale, recorded):
    ended = semscale(
        "drift", "approve", "latest", "--approved-by", "Ann", "--why", "read them", "--expires", "2099-01-31"
    )
    assert ended.code == 0, ended.err
    assert recorded["id"][:8] in ended.out
    assert "approved by Ann, through 2099-01-30 UTC: read them" in ended.out
    content = json.loads(
        semscale("drift", "approve", "latest", "--approved-by", "Bo", "--why", "x", "--json").out
    )
    assert content["baseline"]["id"] == recorded["id"]
    assert (content["approval"]["by"], content["approval"]["expires"]) == ("Bo", None)


def test_approving_the_latest_run_passes_over_its_reruns(semscale, outputs, recorded):
    outputs("again.jsonl", [*ITEMS[:2], ITEMS[2] | {"outputs": ["Later."]}])
    run = recorded["id"]
    rerun = json.loads(record(semscale, "again.jsonl", "--rerun-of", run[:6], "--json").out)
    ended = semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "x", "--json")
    assert json.loads(ended.out)["baseline"]["id"] == run
    # Whoever names the rerun gets it.
    named = semscale("drift", "approve", rerun["id"][:8], "--approved-by", "Ann", "--why", "x", "--json")
    assert json.loads(named.out)["baseline"]["id"] == rerun["id"]


def test_an_approval_without_a_name_is_refused_by_the_option_of_the_command(semscale, outputs):
    outputs()
    at_once = record(semscale, "base.jsonl", "--approve", "--approved-by", "", "--why", "x")
    assert (at_once.code, at_once.err.startswith("semscale: --approved-by must not be empty")) == (2, True)
    assert record(semscale, "base.jsonl").code == 0
    later = semscale("drift", "approve", "latest", "--approved-by", "", "--why", "x")
    assert (later.code, later.err.startswith("semscale: --approved-by must not be empty")) == (2, True)


def test_ids_in_common_are_named_and_none_is_warned_of(semscale, outputs, recorded):
    assert recorded["shared"] is None
    outputs("part.jsonl", [*ITEMS[1:], ITEMS[0] | {"id": "d"}])
    outputs("other.jsonl", [item | {"id": f"x{item['id']}"} for item in ITEMS])
    part = record(semscale, "part.jsonl", "--dataset", "base", "--json")
    # b and c of a, b, c.
    shared = json.loads(part.out)["shared"]
    assert shared == {"run": recorded["id"], "is_baseline": False, "n": 2, "n_earlier": 3}
    ended = semscale("drift", "approve", recorded["id"], "--approved-by", "Ann", "--why", "x")
    assert "former baseline" not in ended.out
    other = record(semscale, "other.jsonl", "--dataset", "base")
    short = recorded["id"][:8]
    assert f"0 of the 3 of the baseline {short}" in other.out
    assert f"no id is shared with the baseline {short} of dataset “base”" in " ".join(other.out.split())
    ended = semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "x")
    assert f"0 of 3 ids of the former baseline {short}" in ended.out
    assert "no id is shared" in " ".join(ended.out.split())


def approve(*arguments):
    return ["approve", "latest", "--approved-by", "Ann", "--why", "x", *arguments]


BAD = {
    "ids twice": (["record", "twice.jsonl", "--model", "m"], ["'a' more than once", "rows 1 and 2"]),
    "an id missing": (["record", "noid.jsonl", "--model", "m"], ["data row 2", "has no id"]),
    "no file": (["record", "nowhere.jsonl", "--model", "m"], ["nowhere.jsonl does not exist"]),
    "a corrupt file": (["record", "broken.jsonl", "--model", "m"], ["broken.jsonl", "line 2"]),
    "no such field": (["record", "base.jsonl", "--model", "m", "--field", "points"], ["field", "'points'"]),
    "no such group": (["record", "base.jsonl", "--model", "m", "--by", "level"], ["by", "'level'"]),
    "a rerun of nothing": (
        ["record", "base.jsonl", "--model", "m", "--rerun-of", "ffff"],
        ["unknown run 'ffff'"],
    ),
    "a rerun without a baseline": (
        ["record", "base.jsonl", "--model", "m", "--rerun-of", "baseline"],
        ["no approved baseline", "semscale drift approve"],
    ),
    "a run that is not there": (
        ["approve", "ffff", "--approved-by", "A", "--why", "x"],
        ["unknown run 'ffff'"],
    ),
    "a short id": (["approve", "f", "--approved-by", "A", "--why", "x"], ["run", "'f'"]),
    "nobody approves": (["approve", "latest", "--approved-by", " ", "--why", "x"], ["by must not be empty"]),
    "for no reason": (["approve", "latest", "--approved-by", "A", "--why", ""], ["why must not be empty"]),
    "an expiry that has passed": (approve("--expires", "2020-01-01"), ["expires must be in the future"]),
    "an expiry that is none": (approve("--expires", "soon"), ["expires must be a span", "90d", "'soon'"]),
    "an unknown dataset": (approve("--dataset", "bse"), ["unknown dataset 'bse'", "did you mean 'base'"]),
    "no history": (approve("--history", "none.sqlite"), ["none.sqlite does not exist", "record a run first"]),
    "a corrupt history": (approve("--history", "corrupt.sqlite"), ["corrupt.sqlite"]),
    "a folder for a history": (approve("--history", "folder"), ["folder is a folder", "history.sqlite"]),
    "another kind of database": (approve("--history", "mysql://u:pw@h/d"), ["postgresql://", "mysql://u@h/d"]),
    "an unreachable database": (
        approve("--history", "postgresql://ann:secret@127.0.0.1:9/drift"),
        ["ann@127.0.0.1:9/drift"],
    ),
}  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.parametrize("case", BAD)
def test_bad_input_prints_a_single_line_and_exits_with_2(semscale, outputs, recorded, tmp_path, files, case):
    outputs("twice.jsonl", [ITEMS[0], ITEMS[0], ITEMS[1]])
    outputs("noid.jsonl", [ITEMS[0], {"outputs": ["x"]}])
    (tmp_path / "broken.jsonl").write_text('{"id": "a", "output": "x"}\n{"id": \n')
    (tmp_path / "corrupt.sqlite").write_bytes(b"SQLite format 3\x00" + b"\xff" * 2000)
    (tmp_path / "folder").mkdir()
    before = files()
    arguments, messages = BAD[case]
    ended = semscale("drift", *arguments)
    assert ended.code == 2, ended.err
    assert ended.out == ""
    assert ended.err.count("\n") == 1
    assert [word for word in messages if word not in ended.err] == [], ended.err
    assert "secret" not in ended.err
    assert "pw" not in ended.err
    assert files() == before


def test_nothing_is_left_behind_by_a_file_that_cannot_be_read(semscale, tmp_path, files):
    (tmp_path / "empty.jsonl").write_text("")
    assert record(semscale, "empty.jsonl").code == 2
    assert files() == ["empty.jsonl"]


AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "until"),
    [
        ("36h", datetime(2026, 11, 23, tzinfo=UTC)),
        ("90d", datetime(2027, 2, 19, 12, tzinfo=UTC)),  # 9 days of November, 31, 31, then the 19th
        ("2 w", datetime(2026, 12, 5, 12, tzinfo=UTC)),
        ("2026-12-31", datetime(2026, 12, 31, tzinfo=UTC)),
        ("2026-12-31T10:00+02:00", datetime(2026, 12, 31, 8, tzinfo=UTC)),
    ],
)
def test_expiries_are_read_as_people_write_them(written, until):
    assert read_expiry(written, AT) == until


@pytest.mark.parametrize("written", ["0d", "-3d", "999999999w", "2026-11-21", "2026-13-01", "", "90"])
def test_expiries_that_are_none_are_refused(written):
    with pytest.raises(InputError, match="expires must"):
        read_expiry(written, AT)
