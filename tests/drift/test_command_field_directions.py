"""``semscale drift gate`` of fields with a better side: a cheaper answer is no drift."""

import json

import pytest

pytestmark = pytest.mark.exhaustive

N = 20


@pytest.fixture
def written(tmp_path):
    def write(name, **fields):
        path = tmp_path / name
        rows = [
            {"id": f"q{n:02}", "input": f"Question {n}?", "output": [{"text": f"Answer {n}.", **fields}]}
            for n in range(N)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


@pytest.fixture
def decided(semscale, written):
    """Gate a candidate with some fields against an approved run with others."""

    def decide(old, new, *options):
        for ended in (
            semscale("drift", "record", written("old.jsonl", **old), "--model", "old"),
            semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read"),
            semscale("drift", "record", written("again.jsonl", **old), "--model", "old", "--note", "again",
                     "--rerun-of", "baseline"),
        ):  # fmt: skip
            assert ended.code == 0, ended.err
        named = "--model", "new", "--deterministic"
        return semscale("drift", "gate", written("new.jsonl", **new), *named, *options)

    return decide


def metric(ended, name):
    return next(entry for entry in json.loads(ended.out)["metrics"] if entry["metric"] == name)


def test_a_cheaper_answer_passes_and_is_better(decided):
    ended = decided({"cost": 2.0}, {"cost": 1.0}, "--json")
    assert ended.code == 0, ended.out
    cost = metric(ended, "cost_change")
    assert (cost["change"], cost["direction"], cost["direction_assumed"]) == ("better", "lower", True)
    assert cost["drift"] == 0  # a lower cost loses nothing


def test_a_dearer_answer_fails(decided):
    ended = decided({"cost": 1.0}, {"cost": 2.0}, "--json")
    assert ended.code == 1
    assert metric(ended, "cost_change")["change"] == "worse"


@pytest.mark.parametrize(("way", "code"), [("lower", 0), ("higher", 1), ("either", 1)])
def test_an_option_gives_the_direction(decided, way, code):
    ended = decided({"cost": 2.0}, {"cost": 1.0}, "--direction", f"cost={way}", "--json")
    assert ended.code == code, ended.out
    cost = metric(ended, "cost_change")
    assert (cost["direction"], cost["direction_assumed"]) == (way, False)


def test_an_option_overrides_the_file(decided, tmp_path):
    (tmp_path / "gate.yaml").write_text("fields: {score: higher}\n")
    options = ("--gate", "gate.yaml", "--direction", "score=lower", "--json")
    assert decided({"score": 1.0}, {"score": 2.0}, *options).code == 1


def test_a_lower_cost_of_a_call_is_better(decided):
    ended = decided({"call_cost": 2.0}, {"call_cost": 1.0}, "--metric", "call_cost_difference", "--json")
    assert ended.code == 0, ended.out
    assert metric(ended, "call_cost_difference")["change"] == "better"
    assert not metric(ended, "call_cost_difference")["direction_assumed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["cost=less"], "--direction cost must be one of lower, higher, either, got 'less'"),
        (["cost"], "--direction must be NAME=VALUE, got 'cost'"),
        (["cost=lower", "cost=higher"], "--direction must name each once, got 'cost' more than once"),
        (
            ["credits=lower"],
            "fields (--direction) needs the numeric field 'credits', which the runs do not have; there is "
            "cost",
        ),
    ],
)
def test_wrong_directions_are_refused(decided, options, message):
    arguments = [word for option in options for word in ("--direction", option)]
    ended = decided({"cost": 2.0}, {"cost": 1.0}, *arguments)
    assert ended.code == 2
    assert message in ended.err
