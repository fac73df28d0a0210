"""The gate on German answers, end to end: an honest rewording does not fail, and changed numbers fail."""

import json

import pytest

pytestmark = pytest.mark.exhaustive

WORDINGS = [
    "Nehmen Sie nach dem Essen täglich {} Tropfen von dem Mittel {}.",
    "Von dem Mittel {1} nehmen Sie täglich nach dem Essen {0} Tropfen.",
    "Nach dem Essen sind täglich {} Tropfen von dem Mittel {} zu nehmen.",
    "Täglich nehmen Sie {} Tropfen von dem Mittel {} nach dem Essen.",
    "Nehmen Sie von dem Mittel {1} täglich {0} Tropfen nach dem Essen.",
]
ENDINGS = "men", "tol", "vit", "dex", "fan", "rin"
NAMES = [first + last for first in ("Lu", "Ra", "Ti", "Mo", "Sa") for last in ENDINGS]


def recorded(path, shift, *, n_changed=0):
    """Thirty answers in one of five wordings by turns; the first so many have another number."""
    rows = [
        {
            "id": name,
            "output": WORDINGS[(at + shift) % 5].format(14 + at + 50 * (at < n_changed), name),
        }
        for at, name in enumerate(NAMES)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def german(semscale, tmp_path):
    """An approved baseline with three reruns, each in other words."""
    base = recorded(tmp_path / "baseline.jsonl", 0)
    assert semscale("drift", "record", base, "--model", "a", "--dataset", "antworten").code == 0
    assert semscale("drift", "approve", "latest", "--approved-by", "Ann", "--why", "read them").code == 0
    for shift in (1, 2, 3):
        rerun = recorded(tmp_path / f"rerun-{shift}.jsonl", shift)
        assert semscale("drift", "record", rerun, "--model", "a", "--rerun-of", "baseline").code == 0
    return semscale


def test_an_honest_rewording_does_not_fail_though_guards_read_no_german(german, tmp_path):
    same = recorded(tmp_path / "same.jsonl", 4)
    ended = german("drift", "gate", same, "--model", "b", "--json")
    content = json.loads(ended.out)
    assert content["outcome"] != "fail", content["reasons"]
    assert "contradictions" not in [test["metric"] for test in content["tests"]]
    shown = german("drift", "gate", "latest")
    assert "contradictions: left out of the decision, as guards read English alone" in " ".join(
        shown.out.casefold().replace("english", "English").split()
    )
    limits = {check["name"]: check for check in content["limits"]}
    assert (limits["changed_numbers"]["n"], limits["changed_numbers"]["n_broken"]) == (30, 0)
    assert (limits["lost_fields"]["n"], limits["lost_fields"]["passed"]) == (0, None)  # there are no fields


@pytest.mark.parametrize("changed", [10, 20])
def test_changed_numbers_fail_even_in_the_wording_of_the_baseline(german, tmp_path, changed):
    other = recorded(tmp_path / "other.jsonl", 0, n_changed=changed)
    ended = german("drift", "gate", other, "--model", "b", "--json")
    content = json.loads(ended.out)
    assert (ended.code, content["outcome"]) == (1, "fail")
    (broken,) = [check for check in content["limits"] if check["passed"] is False]
    assert (broken["name"], broken["n"], broken["n_broken"]) == ("changed_numbers", 30, changed)
    assert broken["items"] == NAMES[:changed]
    assert content["reasons"][0].startswith(f"{changed} of 30 items with numbers state other numbers")
