"""What came of measuring consistency: numbers computed once, and records of the items that are shown."""

import json

import numpy as np
import polars as pl
import pytest
from tests.schema_check import check_json
from tests.support.scripted_chat import ScriptedChat

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.summary import ConsistencyItem
from semscale.chat.runner import Runner
from semscale.errors import InputError

ANSWERS = ["12 apples", "It is safe.", None, "a", "yes"]
SAMPLES = [["12 apples", "13 apples"], ["It is not safe."] * 3, ["x"], [None, " "], ["yes", "yes"]]


EXACT = Consistency(measures=["exact_match"])


@pytest.fixture
def consistencies(toy_embedder):
    return Consistency(embedder=toy_embedder, measures=["uncontradicted", "exact_match"]).measure(
        ANSWERS, SAMPLES
    )


def test_the_numbers_are_those_of_the_items(consistencies):
    summary = consistencies.summarize(by=["a", "b", "a", "b", "a"], interval=0.8, seed=3)
    assert (summary.n, summary.counts) == (5, {"scored": 3, "missing": 1, "too-few-samples": 1})
    assert (summary.n_samples, summary.n_samples_left_out, summary.n_few_samples) == (8, 2, 2)
    assert (summary.n_contradicted, summary.guards) == (2, {"negation": 1, "number": 1})
    # Of two samples one contradicts, of three all do, of two none.
    assert summary.scores["uncontradicted"].tolist() == [0.5, 0.0, 1.0]
    assert {name: scores.tolist() for name, scores in summary.group_scores.items()} == {
        "a": [0.5, 1.0],
        "b": [0.0],
    }
    assert summary.estimates.overall.mean.value == 0.5
    assert (summary.estimates.interval, summary.estimates.overall.n) == (0.8, 3)
    # 0.5, 0 and 1: t of two degrees of freedom leaves the whole range open.
    assert repr(summary) == "ConsistencySummary(source='', n=5, n_scored=3, mean=0.50 [0.00, 1.00])"


def test_the_lowest_items_come_first_with_their_texts(consistencies):
    summary = consistencies.summarize(answers=ANSWERS, samples=SAMPLES, prompts=["q1", "q2", None, "q4", 5])
    assert [item.item for item in summary.lowest[:10]] == [2, 1, 5]
    second, first = summary.lowest[:2]
    assert (second.answer, second.prompt, second.n_contradicting) == ("It is safe.", "q2", 3)
    assert (first.score, first.n_samples, first.samples) == (0.5, 2, ("12 apples", "13 apples"))
    assert first.contradictions[0].sample == 1
    assert summary.lowest[:3][-1].prompt == "5"


def test_a_few_items_without_a_value_are_listed_for_every_reason(toy_embedder):
    answers = ["a", *[None] * 6, "b"]
    prompts = ["q", None, " ", *(f"q{n}" for n in range(4)), "q"]
    consistencies = Consistency(embedder=toy_embedder).measure(answers, [["a"]] * 7 + [[]])
    examples = consistencies.summarize(answers=answers, samples=[["a"]] * 7 + [[]], prompts=prompts).left_out
    # The first two without an answer have no question either, so their sample is shown.
    assert examples == {"missing": ((1, "a"), (2, "a"), (3, "q0")), "too-few-samples": ((7, "b"),)}


def test_an_item_that_no_token_counts_in_has_a_reason_too():
    consistencies = EXACT.measure(["a", "b"], [["a"], ["b"]])
    consistencies.measures["exact_match"][1] = np.nan  # as BERTScore where no token counts
    summary = consistencies.summarize(answers=["a", "b"], samples=[["a"], ["b"]])
    assert summary.left_out == {"no-value": ((1, "b"),)}
    assert summary.estimates.overall.left_out == {"no-value": 1}


def test_lists_of_an_answer_and_its_samples_are_summarized_as_measured():
    lists = [["a", "a"], ["b", "c", "d"]]
    summary = EXACT.measure(lists).summarize(answers=lists)
    assert [(item.answer, item.samples) for item in summary.lowest[:2]] == [("b", ("c", "d")), ("a", ("a",))]


def test_the_lowest_items_show_their_probability_of_being_correct():
    consistencies = EXACT.measure(["a"] * 40, [["a"], ["b"]] * 20)
    summary = consistencies.summarize(correctness=consistencies.correctness([1, 0] * 20))
    lowest = summary.lowest[:1][0]
    estimate = lowest.probability_correct
    assert estimate.low < estimate.value < 0.5
    assert estimate.value < estimate.high
    assert lowest.decision in {"review", "abstain"}
    assert sum(summary.correctness.shares.values()) == pytest.approx(1)


def test_json_keeps_to_the_schema(consistencies):
    kind = pl.Series("kind", ["a", "b", None, "b", "a"])
    content = json.loads(consistencies.summarize(answers=ANSWERS, samples=SAMPLES, by=kind).to_json())
    check_json(json.dumps({**content, "out": None, "report": [], "figures": None}))
    assert content["estimates"]["by"] == "kind"
    assert content["estimates"]["overall"]["figures"]["exact_match"]["value"] == pytest.approx(0.5)
    assert content["lowest"][0]["contradictions"][0] == {
        "sample": 0,
        "guard": "negation",
        "reason": 'The sample says "not safe", the answer "safe".',
    }
    many = EXACT.measure(["a"] * 40, [["a"], ["b"]] * 20)
    trusted = json.loads(many.summarize(correctness=many.correctness([1, 0] * 20)).to_json())
    assert trusted["trust"]["labels"] == 40
    assert trusted["trust"]["areas"]["exact_match"] == {"value": 1.0, "low": None, "high": None}
    check_json(json.dumps({**trusted, "out": None, "report": [], "figures": None}))


def test_asked_consistencies_are_summarized():
    chat = ScriptedChat({"sure?": ["yes"] * 4, "guess?": ["a", *"bcd"]})
    asked = Consistency(chat, measures=["exact_match"]).ask(
        ["sure?", "guess?"], 3, runner=Runner(chat, ledger=False)
    )
    summary = asked.summarize(["sure?", "guess?"], seed=7)
    assert summary.replies.n_calls == 8
    assert summary.lowest[:1] == (
        ConsistencyItem(2, {"exact_match": 0.0}, 3, (), "guess?", "a", ("b", "c", "d")),
    )


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"answers": ["a"], "samples": [["a"]]}, "answers must have 5 rows, one for each item, got 1"),
        ({"prompts": ["a"]}, "prompts must have 5 rows, one for each item, got 1"),
        ({"by": ["a"]}, "by must have 5 rows"),
    ],
)
def test_texts_of_other_items_are_refused(consistencies, texts, message):
    with pytest.raises(InputError, match=message):
        consistencies.summarize(**texts)
