"""``semscale rate --method decision``, over a real HTTP server."""

import json

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.support.decision_endpoint import deciding_endpoint

pytestmark = pytest.mark.needs("api")


@pytest.fixture
def decider(monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    with deciding_endpoint() as result:
        result.masses = lambda asked, names, text: [0, 0, 0, 0.5, 0.5]
        yield result


def options(decider, *more):
    return ["--method", "decision", "--chat-model", "m", "--chat-url", decider.url, *more]


def test_decisions_are_compared_with_the_ratings(rate, seven_answers, decider, tmp_path):
    report = tmp_path / "report.html"
    ended = rate(*options(decider, "--json", "--report", str(report)))
    assert ended.code == 0, ended.err
    check_json(ended.out)
    result = json.loads(ended.out)
    decided = result["decided"]
    assert (decided["form"], decided["model"]) == ("decisions", "m")
    assert decided["decided"]["value"] == pytest.approx(4.5)
    assert decided["counts"]["answered"] == decided["n"] == len(decider.requests)
    # every decision is the same, so that there is no correlation
    assert decided["correlation"] is None
    assert "Comparison with typed decisions of m" in report.read_text(encoding="utf-8")


def test_the_signature_names_the_deciding_model_and_its_form(rate, seven_answers, decider):
    plain = json.loads(rate("--json").out)["signature"]
    result = json.loads(rate(*options(decider, "--json")).out)["signature"]
    assert "decided" not in plain
    for field in ("decided_form:decisions", "decided_words:", "decided_model:m", "decided_"):
        assert field in result


def test_without_the_decision_method_nothing_is_sent(rate, seven_answers, decider):
    ended = rate("--json")
    assert json.loads(ended.out)["decided"] is None
    assert decider.requests == []


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--chat-model", "m"), "--chat-model belongs to --method decision"),
        (("--max-calls", "3"), "--max-calls belongs to --method decision"),
        (("--method", "decision"), "--method decision needs --chat-model NAME"),
    ],
)
def test_options_that_do_not_go_together_are_refused(rate, seven_answers, more, message):
    ended = rate(*more)
    assert ended.code == 2
    assert message in ended.err


SUMS = "the probabilities sum to 0.8, and rounding explains 0.975 to 1.025"


@pytest.mark.exhaustive
def test_texts_without_a_usable_answer_are_a_caution(rate, seven_answers, decider):
    decider.masses = lambda asked, names, text: (
        [0, 0, 0, 0.5, 0.5] if len(decider.requests) > 2 else [0, 0, 0, 0.5, 0.3]
    )
    ended = rate(*options(decider, "--json", "--concurrency", "1"))
    assert ended.code == 0, ended.err
    result = json.loads(ended.out)
    assert f"m gave no usable answer about 2 texts, most often because: {SUMS}." in result["cautions"]
    assert result["decided"]["reason"] == SUMS


def test_without_any_usable_answer_the_last_line_says_why(rate, seven_answers, decider):
    decider.masses = lambda asked, names, text: [0, 0, 0, 0.5, 0.3]
    ended = rate(*options(decider))
    assert ended.code == 2
    assert SUMS in ended.err.strip().splitlines()[-1]


@pytest.mark.exhaustive
def test_letters_instead_of_decisions_cause_a_caution(rate, seven_answers, decider):
    decider.speaks = ("completions",)
    ended = rate(*options(decider, "--json"))
    assert (
        "m takes no typed decisions, so probabilities of the points’ letters replace them."
        in (json.loads(ended.out)["cautions"])
    )


@pytest.mark.exhaustive
def test_rows_have_a_decision_or_the_reason_for_its_absence(rate, seven_answers, decider, tmp_path):
    texts = pl.read_csv(seven_answers)["text"].to_list()
    twice = next(text for text in texts if text and texts.count(text) == 2)
    other = next(text for text in texts if text and text != twice)

    def masses(asked, names, text):
        return None if twice in text else [0, 0, 0, 0.5, 0.3] if other in text else [0, 0, 0, 0.25, 0.75]

    decider.masses = masses
    out = tmp_path / "rated.parquet"
    ended = rate(*options(decider, "--out", str(out), "--part-rows", "2"))
    assert ended.code == 0, ended.err
    rated = pl.read_parquet(out)
    plain = {"status": "scored", "reason": None, "mean": 4.75, "mode": 5.0, "p_4": 0.25, "p_5": 0.75}
    for row in rated.iter_rows(named=True):
        decided = {name.removeprefix("semscale_decided_"): cell for name, cell in row.items()}
        if row["semscale_status"] != "scored":
            assert [decided[name] for name in plain] == [None] * 6
        elif row["text"] == twice:
            assert (decided["status"], decided["reason"]) == ("refused", "the model declined to answer")
            assert (decided["mean"], decided["p_5"]) == (None, None)
        elif row["text"] == other:
            assert (decided["status"], decided["reason"], decided["mean"]) == ("unparsable", SUMS, None)
        else:
            assert {name: decided[name] for name in plain} == pytest.approx(plain)
            assert decided["standard_error"] is None  # of one reading it is not known
    assert rated["semscale_decided_status"].null_count() == 1
    assert rated["semscale_mean"].is_not_null().sum() == 6


@pytest.mark.exhaustive
def test_the_spread_over_orders_gives_a_standard_error(rate, seven_answers, decider, tmp_path):
    # The letter at the first place gets all mass, so the five orders read 1, 2, 3, 4 and 5: the variance is
    # 10 / 4, and the standard error of their mean the root of 2.5 / 5.
    decider.speaks, decider.favours = ("completions",), 40.0
    out = tmp_path / "rated.csv"
    assert rate(*options(decider, "--out", str(out))).code == 0
    rated = pl.read_csv(out).filter(pl.col("semscale_status") == "scored")
    assert rated["semscale_decided_mean"].to_list() == pytest.approx([3.0] * 6)
    assert rated["semscale_decided_standard_error"].to_list() == pytest.approx([0.5**0.5] * 6, abs=1e-6)


@pytest.mark.exhaustive
@pytest.mark.parametrize("out", ["rated.csv", "rated.jsonl", "rated.parquet"])
def test_a_cap_writes_the_ratings_and_leaves_decisions_unfinished(
    rate, seven_answers, decider, tmp_path, out
):
    out = tmp_path / out
    ended = rate(*options(decider, "--out", str(out), "--max-calls", "2"))
    assert ended.code == 3
    assert "2 calls" in ended.err
    read = {".csv": pl.read_csv, ".jsonl": pl.read_ndjson, ".parquet": pl.read_parquet}[out.suffix]
    rated = read(out)
    assert rated["semscale_decided_status"].to_list().count("unfinished") == 6
    assert rated["semscale_mean"].is_not_null().sum() == 6
    assert rate(*options(decider, "--out", str(out))).code == 0
    assert read(out)["semscale_decided_mean"].is_not_null().sum() == 6
    # the replies of the first run were kept
    assert len(decider.requests) == 5


def test_a_chat_model_that_cannot_decide_leaves_the_ratings(rate, seven_answers, decider, tmp_path):
    decider.speaks, out = (), tmp_path / "rated.csv"
    ended = rate(*options(decider, "--out", str(out)))
    assert ended.code == 2
    rated = pl.read_csv(out)
    assert rated["semscale_decided_status"].to_list().count("failed") == 6
    assert rated["semscale_mean"].is_not_null().sum() == 6


def test_without_the_method_there_are_no_columns_of_decisions(rate, seven_answers, tmp_path):
    out = tmp_path / "rated.csv"
    assert rate("--out", str(out)).code == 0
    assert not [name for name in pl.read_csv(out).columns if "decided" in name]


@pytest.mark.exhaustive
def test_without_decisions_the_ratings_are_shown_and_reported(rate, seven_answers, decider, tmp_path):
    decider.speaks, decider.logprobs, report = ("completions",), False, tmp_path / "rated.html"
    ended = rate(*options(decider, "--json", "--report", str(report)))
    assert ended.code == 2
    check_json(ended.out)
    result = json.loads(ended.out)
    assert result["decided"] is None
    assert (result["undecided"]["model"], result["undecided"]["is_capped"]) == ("m", False)
    # the five distinct texts of six rows are rated as without decisions
    assert result["estimates"] == json.loads(rate("--json").out)["estimates"]
    (message,) = (message for message in result["cautions"] if "No text has a decision of m" in message)
    assert "decisions: m: the endpoint has no /decisions" in message
    assert "No text has a decision of m" in report.read_text(encoding="utf-8")
    assert "most often because: decisions: m: the endpoint has no /decisions" in ended.err


def test_a_cap_shows_the_ratings(rate, seven_answers, decider):
    ended = rate(*options(decider, "--json", "--max-calls", "2"))
    assert ended.code == 3
    check_json(ended.out)
    result = json.loads(ended.out)
    assert (result["decided"], result["undecided"]["is_capped"]) == (None, True)
    assert "same command continues from there" in result["undecided"]["reason"]


@pytest.mark.exhaustive
def test_the_reason_for_an_unsupported_form_is_stated(rate, seven_answers, decider):
    decider.speaks = ("completions",)
    result = json.loads(rate(*options(decider, "--json")).out)
    assert list(result["decided"]["refused_forms"]) == ["decisions"]
    assert (
        "Forms of decisions that m did not take: decisions: m: the endpoint has no /decisions, or not for "
        "this model." in result["cautions"]
    )


def test_the_chat_models_endpoint_is_not_the_embedders(rate, seven_answers, decider):
    ended = rate("--method", "decision", "--chat-model", "m", "--embedder-url", decider.url)
    assert ended.code == 2
    assert "--chat-url" in ended.err
    assert decider.requests == []


def test_a_missing_key_names_the_option_of_the_chat_model(rate, seven_answers, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    ended = rate("--method", "decision", "--chat-model", "m")
    assert ended.code == 2
    assert "--chat-url" in ended.err
    assert "--embedder-url" not in ended.err
