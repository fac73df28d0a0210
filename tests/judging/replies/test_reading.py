"""Replies as judges write them, and what they state."""

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.judging.written_replies import HUNDRED, LIKERT, NO, REFUSED, TRUE_FALSE, UNCERTAIN

from semscale.judging.prompts.template import Template, load_template
from semscale.judging.replies.grammar.lexicon import numerals
from semscale.judging.replies import read_reply
from semscale.scales import Scale


@pytest.mark.parametrize(("reply", "level"), LIKERT)
def test_likert(reply, level):
    reading = read_reply(reply, load_template("likert"))
    assert reading.score == (None if level is NO else (level - 1) / 4)


@pytest.mark.parametrize(
    ("template", "reply", "score"),
    [
        (name, *row)
        for name, rows in (
            ("continuous", HUNDRED), ("true_false", TRUE_FALSE), ("true_false_uncertain", UNCERTAIN),
        )
        for row in rows
    ],
)  # fmt: skip
def test_other_templates(template, reply, score):
    assert read_reply(reply, load_template(template)).score == score


@pytest.mark.parametrize("reply", REFUSED)
@pytest.mark.parametrize("template", ["likert", "continuous", "true_false"])
def test_refusals(reply, template):
    reading = read_reply(reply, load_template(template))
    assert (reading.score, reading.status) == (None, "refused")


def test_an_apology_with_a_score_is_a_score():
    assert read_reply("I cannot be certain.\nScore: 4", load_template("likert")).score == 0.75


def test_the_level_on_the_last_line_counts_where_the_explanation_comes_first():
    reply, likert = "It omits a date.\n\n4", load_template("likert")
    assert read_reply(reply, likert).score is None
    assert read_reply(reply, likert, score_last=True).score == 0.75


@pytest.mark.parametrize(
    ("reply", "whole"), [("Score: 8", False), ("Score: 8\n", False), ("Score: 8\nIt", True)]
)
def test_a_number_at_the_end_of_a_cut_reply_may_go_on(reply, whole):
    assert (read_reply(reply, load_template("continuous"), cut=True).score == 0.08) is whole


@pytest.mark.parametrize(
    ("reply", "explanation"),
    [
        ("Score: 4\nExplanation: It omits **one** date.", "It omits **one** date."),
        ("Explanation: It omits a date.\nScore: 4", "It omits a date."),
        ('{"score": 4, "explanation": "It *omits* a date."}', "It *omits* a date."),
        ("Score: 4\nExplanation: <img src=x> is no date.", "<img src=x> is no date."),
        ("<b> is no date.\nScore: 4", "<b> is no date."),
        ("Score: 4\n**Explanation:** **Good**, but no date.", "**Good**, but no date."),
        ('Score: 4\nExplanation: It says "no date"', 'It says "no date"'),
        ("4 - It omits a date.", "It omits a date."),
        ("Score: 4", ""),
    ],
)
def test_the_explanation_is_what_the_judge_wrote(reply, explanation):
    assert read_reply(reply, load_template("likert"), score_last=True).explanation == explanation


@pytest.mark.parametrize(
    "reply", ["<think>3</think> **Score:** ４ fine", "Score: 4", '```json\n{"score": "4/5"}\n```']
)
def test_the_span_is_where_the_level_stands(reply):
    start, end = read_reply(reply.replace(" fine", ""), load_template("likert")).span
    assert unicodedata.decimal(reply[start:end]) == 4


def scale(*values):
    points = [
        {"value": value, "label": f"level {place}"}
        for place, value in enumerate("abcdefghijk"[: len(values)])
    ]
    points = [{"value": value, "label": point["label"]} for value, point in zip(values, points, strict=True)]
    anchors = {"plain": tuple(f"sentence {place}" for place in range(len(values)))}
    return Template.from_scale(
        Scale(name="s", title="S", question="?", provenance="a test", points=points, anchor_sets=anchors)
    )


@pytest.mark.parametrize(
    ("reply", "score"),
    [("-2", 0.0), ("Score: -1", 0.25), ("2", 1.0), ("+2", 1.0), ("0", 0.5), ("−2", 0.0), ("Score - 2", NO),
    ("2/2", NO), ("–2", NO)],
)  # fmt: skip
def test_a_scale_below_zero(reply, score):
    # Values -2 to 2 on 0 to 1: (value + 2) / 4. A dash between words and a number might be a minus.
    assert read_reply(reply, scale(-2, -1, 0, 1, 2)).score == score


def test_ten_is_not_one():
    template = scale(*range(11))
    assert [read_reply(reply, template).score for reply in ("10", "1", "Score: 10/10", "1 0")] == [
        1.0,
        0.1,
        1.0,
        None,
    ]


FRAGMENTS = st.lists(
    st.sampled_from([
        "4", "5", "3", "85", "1.0", "0.5", "Score", "score:", ":", " ", "\n", "/5", "/", " or ", " out of 5",
        "-", "not ",
        "Mostly correct", "correct", "Incorrect", "The answer is ", "I give it a ", "{", "}", '"score": ',
        ",", '"', "**", "<think>",
        "</think>", "```", "%", "(", ")", "maybe ", "Final ", "Explanation: ", ".", "１", "²", "N/A", "one",
        "if ", "scale of 1 to 10 ",
    ]),
    max_size=12,
).map("".join)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(FRAGMENTS, st.text(max_size=40)),
    st.sampled_from(["likert", "continuous", "true_false_uncertain"]),
)
@example("Score: İncorrect", "true_false_uncertain")
@example("ıncorrect", "true_false_uncertain")
def test_no_score_is_ever_invented(reply, name):
    template = load_template(name)
    reading = read_reply(reply, template)
    if reading.score is None:
        assert reading.span is None
        return
    start, end = reading.span
    stated = "".join(str(unicodedata.decimal(c, c)) for c in reply[start:end]).casefold().replace(",", ".")
    words = re.sub(r"[\s_-]+", " ", stated)
    if template.highest is not None:
        assert float(numerals().get(words, stated)) / 100 == reading.score
        return
    said = {
        name.casefold()
        for level in template.levels
        if level.score == reading.score
        for name in (level.label, *level.also, *level.keyed)
    }
    numbers = {level.number: level.score for level in template.levels if level.number is not None}
    assert words in said or numbers[float(numerals().get(words, stated))] == reading.score


@settings(max_examples=100, deadline=None)
@given(FRAGMENTS)
def test_two_levels_are_never_one(reply):
    likert = load_template("likert")
    assert (
        read_reply(f"Score: 2\n{reply}\nScore: 4", likert).score is None
        or "think" in reply
        or "inal" in reply
        or "{" in reply
    )


@pytest.mark.parametrize(
    "piece", ["a", "4 ", "Score: ", "{", '{"score": ', "<think>", "(", " ", "\n", "I give it ", "score of "]
)
def test_long_replies_are_read_soon(piece):
    # Each took minutes with patterns that look back over everything; a run of the tests would show it.
    read_reply(piece * (50_000 // len(piece)), load_template("likert"))


@pytest.mark.parametrize(
    ("reply", "free", "structured"),
    [
        ('{"score": 5, "explanation": "It deserves a 2."}', NO, 1.0),
        ('<think>2?</think>```json\n{"score": 5, "explanation": "It deserves a 2."}\n```', NO, 1.0),
        ('{"score": 5, "score": 2}', NO, NO),
        ('{"score": 5} {"score": 2}', NO, NO),
        ("Score: 4", 0.75, 0.75),
        ('{"score": 9}', NO, NO),
    ],
)
def test_the_value_of_a_reply_under_a_schema_is_taken_as_it_is(reply, free, structured):
    likert = load_template("likert")
    assert read_reply(reply, likert).score == free
    assert read_reply(reply, likert, structured=True).score == structured


CORPORA = Path(__file__).parents[2] / "data" / "replies"
SCORES = {"incorrect": 0.0, "uncertain": 0.5, "correct": 1.0}


def stated_score(row):
    said = row["says"]
    if said is None or isinstance(said, str):
        return SCORES.get(said)
    return (said - 1) / 4 if row["template"] == "likert" else said / 100


# The aim is 1 % of all replies read wrongly at most, and 85 % of the stated scores read. When they were last
# counted, the developed half was at 0.63 % and 93.4 %, the further replies at 3.6 % and 93.8 %, and the
# unseen half at 1.27 % and 84.4 %.
@pytest.mark.parametrize(
    ("half", "most_wrong", "least_read"),
    [("developed", 0.0064, 0.934), ("further", 0.037, 0.937), ("unseen", 0.0128, 0.844)],
)
def test_written_replies_are_read_as_people_read_them(half, most_wrong, least_read):
    # A failure names kinds only: nobody looks at the unseen half.
    written = (CORPORA / f"{half}.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in written.strip().split("\n")]
    wrong, unread, n_stated = Counter(), Counter(), 0
    for row in rows:
        score = read_reply(row["reply"], load_template(row["template"]), score_last=row["score_last"]).score
        stated = stated_score(row)
        n_stated += stated is not None
        wrong[row["kind"]] += score is not None and score != stated
        unread[row["kind"]] += score is None and stated is not None
    share_wrong, share_read = wrong.total() / len(rows), 1 - unread.total() / n_stated
    kinds = f"wrong {dict(+wrong)}, unread {dict(+unread)}"
    enough = share_wrong <= most_wrong and share_read >= least_read
    assert enough, f"{share_wrong:.1%} wrong, {share_read:.1%} of {n_stated} read; {kinds}"
