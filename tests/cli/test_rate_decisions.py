"""``semscale rate --method decision``, over a real HTTP server."""

import json

import pytest
from decision_endpoint import deciding_endpoint
from tests.schema_check import check_json

pytestmark = pytest.mark.needs("api")


@pytest.fixture
def decider(monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    with deciding_endpoint() as found:
        found.masses = lambda asked, names, text: [0, 0, 0, 0.5, 0.5]
        yield found


def options(decider, *more):
    return ["--method", "decision", "--chat-model", "m", "--chat-url", decider.url, *more]


def test_decisions_stand_beside_the_ratings(rate, seven_answers, decider, tmp_path):
    report = tmp_path / "report.html"
    ended = rate(*options(decider, "--json", "--report", str(report)))
    assert ended.code == 0, ended.err
    check_json(ended.out)
    found = json.loads(ended.out)
    decided = found["decided"]
    assert (decided["form"], decided["model"]) == ("decisions", "m")
    assert decided["decided"]["value"] == pytest.approx(4.5)
    assert decided["counts"]["answered"] == decided["n"] == len(decider.requests)
    # every decision is the same, so that there is no correlation
    assert decided["correlation"] is None
    assert "Beside typed decisions of m" in report.read_text(encoding="utf-8")


def test_the_signature_names_who_decided_in_which_form(rate, seven_answers, decider):
    plain = json.loads(rate("--json").out)["signature"]
    found = json.loads(rate(*options(decider, "--json")).out)["signature"]
    assert "decided" not in plain
    for field in ("decided_form:decisions", "decided_words:", "decided_model:m", "decided_"):
        assert field in found


def test_without_the_method_nobody_is_asked(rate, seven_answers, decider):
    ended = rate("--json")
    assert json.loads(ended.out)["decided"] is None
    assert decider.requests == []


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--chat-model", "m"), "--chat-model and --chat-url belong to --method decision"),
        (("--method", "decision"), "--method decision needs --chat-model NAME"),
    ],
)
def test_options_that_do_not_go_together_are_refused(rate, seven_answers, more, said):
    ended = rate(*more)
    assert ended.code == 2
    assert said in ended.err


SUMS = "the probabilities sum to 0.8, and rounding explains 0.975 to 1.025"


def test_texts_without_a_usable_answer_are_a_caution(rate, seven_answers, decider):
    decider.masses = lambda asked, names, text: (
        [0, 0, 0, 0.5, 0.5] if len(decider.requests) > 2 else [0, 0, 0, 0.5, 0.3]
    )
    ended = rate(*options(decider, "--json", "--concurrency", "1"))
    assert ended.code == 0, ended.err
    found = json.loads(ended.out)
    assert f"m gave no usable answer about 2 texts, most often because: {SUMS}." in found["cautions"]
    assert found["decided"]["reason"] == SUMS


def test_without_any_usable_answer_the_last_line_says_why(rate, seven_answers, decider):
    decider.masses = lambda asked, names, text: [0, 0, 0, 0.5, 0.3]
    ended = rate(*options(decider))
    assert ended.code == 2
    assert SUMS in ended.err.strip().splitlines()[-1]


def test_letters_in_the_place_of_decisions_are_a_caution(rate, seven_answers, decider):
    decider.speaks = ("completions",)
    ended = rate(*options(decider, "--json"))
    assert (
        "m takes no typed decisions, so probabilities of the points’ letters stand in."
        in (json.loads(ended.out)["cautions"])
    )
