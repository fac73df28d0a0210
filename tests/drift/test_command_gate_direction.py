"""``semscale drift gate`` with references and with a judge: better or worse, not only different."""

import json
import re
from xml.etree import ElementTree

import pytest
from tests.support.endpoint import error, misbehaving_endpoint

pytestmark = [pytest.mark.needs("api"), pytest.mark.exhaustive]

NAMES = [f"item{number:02}" for number in range(24)]
ANSWERS = re.compile(r"\[BEGIN (\w+ ANSWER \w{12})\]\n(.*?)\n\[END \1\]", re.DOTALL)
RIGHT, WRONG = "{} is a great animal that lives in the sea", "nobody wrote about {} before the war"


def rows(wrong, **more):
    """Answers of which some, by their numbers, are wrong."""
    for number, name in enumerate(NAMES):
        content = (WRONG if number in wrong else RIGHT).format(name)
        yield {"id": name, "input": f"What is {name}?", "right": RIGHT.format(name), "output": content} | more


def reply(body):
    """A judge who prefers what is right, and is fair otherwise."""
    first, second = (text for _, text in ANSWERS.findall(body["messages"][-1]["content"]))
    better = ("great" in first) - ("great" in second)
    return f"Score: {2 - better}\nExplanation: so."


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as loaded:
        loaded.reply = reply
        yield loaded


@pytest.fixture
def written(tmp_path):
    def write(name, wrong):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows(wrong)))
        return path

    return write


@pytest.fixture
def baseline(semscale, written):
    """Eight of 24 answers of the approved run are wrong; a rerun has others wrong."""
    for ended in (
        semscale("drift", "record", written("old.jsonl", range(8)), "--model", "old", "--reference", "right"),
        semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read"),
        semscale("drift", "record", written("again.jsonl", range(2, 10)), "--model", "old",
                 "--rerun-of", "baseline", "--reference", "right"),
    ):  # fmt: skip
        assert ended.code == 0, ended.err


def changes(content):
    return {test["metric"]: test["change"] for test in content["tests"]}


def test_a_worse_candidate_fails_by_its_references(semscale, baseline, written):
    worse = written("new.jsonl", range(20))
    ended = semscale("drift", "gate", worse, "--model", "new", "--metric", "reference_match", "--json")
    assert ended.code == 1, ended.err
    content = json.loads(ended.out)
    assert changes(content) == {"reference_match": "worse"}
    (metric,) = (entry for entry in content["metrics"] if entry["metric"] == "reference_match")
    # Four of 24 answers are right, and 16 of the baseline's; a wrong one has almost nothing of a right one.
    assert metric["candidate"] < 0.3
    assert metric["baseline"] > 0.6
    assert "reference_match_references:24#" in content["signature"]


def test_a_better_candidate_passes_and_is_called_better(semscale, baseline, written):
    better = written("new.jsonl", ())
    ended = semscale("drift", "gate", better, "--model", "new", "--metric", "reference_match",
                     "--report", "page.html", "--summary", "said.md", "--junit", "tests.xml")  # fmt: skip
    assert ended.code == 0, ended.err
    (line,) = (line for line in ended.out.splitlines() if line.startswith("reference match"))
    assert line.split()[-1] == "better"
    assert "Better or worse" in ended.out


def test_references_of_the_candidate_file_serve_a_baseline_without_any(semscale, written):
    semscale("drift", "record", written("old.jsonl", ()), "--model", "old")
    semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read")
    worse = written("new.jsonl", range(16))
    plain = json.loads(semscale("drift", "gate", worse, "--model", "new", "--json").out)
    assert "reference_match" not in {entry["metric"] for entry in plain["metrics"]}
    ended = semscale("drift", "gate", worse, "--model", "new", "--reference", "right", "--json")
    assert ended.code == 1, ended.err
    (metric,) = (entry for entry in json.loads(ended.out)["metrics"] if entry["metric"] == "reference_match")
    assert metric["change"] == "worse"
    # The dataset is the same one, as nobody was asked anything else.
    versions = json.loads(semscale("drift", "history", "--json").out)["datasets"][0]["versions"]
    assert len(versions) == 1


def test_corrected_references_are_named(semscale, baseline, written, tmp_path):
    changed = [row | {"right": "something else"} if row["id"] == "item03" else row for row in rows(())]
    (tmp_path / "new.jsonl").write_text("".join(json.dumps(row) + "\n" for row in changed))
    ended = semscale("drift", "gate", "new.jsonl", "--model", "new", "--reference", "right")
    assert "1 item has another reference than the baseline's run: 'item03'" in ended.out + ended.err


def test_a_metric_that_needs_references_says_so(semscale, written):
    semscale("drift", "record", written("old.jsonl", ()), "--model", "old")
    semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read")
    ended = semscale(
        "drift", "gate", written("new.jsonl", (1,)), "--model", "new", "--metric", "reference_match"
    )
    assert ended.code == 2
    assert "give references, with --reference COLUMN" in ended.err


def test_a_threshold_on_references_applies_to_the_match_of_the_candidate(semscale, baseline, written):
    better = written("new.jsonl", range(3))
    ended = semscale("drift", "gate", better, "--model", "new", "--metric", "reference_match", "--reference",
                     "right", "--threshold", "min_reference_match=0.99", "--json")  # fmt: skip
    assert ended.code == 1, ended.err
    (check,) = json.loads(ended.out)["thresholds"]
    # 21 of 24 are right.
    assert 0.8 < check["value"] < 0.99


def judged(semscale, endpoint, file, *options):
    return semscale("drift", "gate", file, "--model", "new", "--judge-model", f"judge@{endpoint.url}",
                    "--ledger", "ledger.sqlite", *options)  # fmt: skip


def test_a_judge_compares_both_runs_in_both_orders(semscale, baseline, written, endpoint):
    # Better in items 0 to 7 without 5 to 7, worse in 8 to 10: 5 wins, 3 losses, 16 ties.
    new = written("new.jsonl", range(5, 11))
    ended = judged(semscale, endpoint, new, "--metric", "side_by_side", "--json")
    content = json.loads(ended.out)
    assert ended.code == 0, content["reasons"]
    sides = content["side_by_side"]
    assert (sides["wins"], sides["ties"], sides["identical"], sides["losses"]) == (5, 0, 16, 3)
    assert sides["share"]["value"] == pytest.approx((5 + 16 / 2) / 24)
    assert sides["first_place"]["value"] == 0.5
    (test,) = content["tests"]
    # Lost less won, as a share of 24 items; the usual margin is a fifth.
    assert test["drift"] == pytest.approx((3 - 5) / 24)
    assert test["margin"] == 0.2
    assert (test["outcome"], test["change"]) == ("pass", "no difference")
    asked = {body["messages"][-1]["content"] for body, _, _ in endpoint.requests}
    assert len(asked) == 16  # eight pairs that differ, each in two orders
    n = len(endpoint.requests)
    again = judged(semscale, endpoint, new, "--metric", "side_by_side", "--json")
    assert json.loads(again.out)["side_by_side"] == sides
    assert len(endpoint.requests) == n, "replies are in the ledger"


def test_a_judge_that_prefers_the_baseline_fails_the_gate_without_a_rerun(semscale, written, endpoint):
    semscale("drift", "record", written("old.jsonl", ()), "--model", "old")
    semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read")
    ended = judged(semscale, endpoint, written("new.jsonl", range(12)), "--metric", "side_by_side",
                   "--report", "page.md", "--junit", "tests.xml")  # fmt: skip
    assert ended.code == 1, ended.out + ended.err
    (case,) = ElementTree.parse("tests.xml").iterfind(".//testcase[@classname='drift.side_by_side']")
    assert case.find("failure").text.startswith("side by side rose to 0.50")
    assert "the candidate is better in 0 of 24 items, as good in 0, and worse in 12" in ended.out
    assert "both outputs are identical in 12" in ended.out


def test_without_the_judge_the_remaining_metrics_decide_with_a_caution(semscale, baseline, written, endpoint):
    endpoint.plan_for = lambda *_: (404, error("no such model"))
    new = written("new.jsonl", range(1, 9))
    ended = judged(semscale, endpoint, new, "--metric", "reference_match", "--metric", "side_by_side")
    assert ended.code in {0, 4}, ended.out + ended.err
    assert "could not be reached, and side_by_side is missing" in ended.out + ended.err
    alone = judged(semscale, endpoint, new, "--metric", "side_by_side")
    assert alone.code == 2
    assert "tests nothing else" in alone.err


def test_a_cap_stops_the_judge_and_stores_nothing(semscale, baseline, written, endpoint):
    ended = judged(semscale, endpoint, written("new.jsonl", range(20)), "--max-calls", "3")
    assert ended.code == 3
    (dataset,) = json.loads(semscale("drift", "history", "--json").out)["datasets"]
    assert dataset["comparisons"] == []


def test_options_of_a_judge_need_a_judge(semscale, baseline, written):
    ended = semscale("drift", "gate", written("new.jsonl", ()), "--model", "new", "--rubric", "short ones")
    assert ended.code == 2
    assert "--rubric belongs to --judge-model NAME, which is not given" in ended.err


def test_a_judge_needs_the_inputs(semscale, tmp_path, endpoint):
    for name in ("old", "new"):
        loaded = [{key: row[key] for key in ("id", "output")} for row in rows(())]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in loaded))
    semscale("drift", "record", "old.jsonl", "--model", "old")
    semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read")
    ended = judged(semscale, endpoint, "new.jsonl", "--dataset", "old")
    assert ended.code == 2
    assert "a judge must know the question" in ended.err
    assert not endpoint.requests


def test_a_judge_that_prefers_the_answer_shown_first_leaves_the_gate_undecided(
    semscale, baseline, written, endpoint
):
    endpoint.reply = lambda body: "Score: 1"
    ended = judged(semscale, endpoint, written("new.jsonl", range(5, 20)), "--metric", "side_by_side")
    assert ended.code == 4, ended.out + ended.err
    assert "side by side: no verdict, as the order of the answers decides" in " ".join(ended.out.split())
