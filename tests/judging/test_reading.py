"""Replies as judges write them, and what they state."""

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semscale.judging.reading import read_reply
from semscale.judging.template import Template, load_template
from semscale.scales import Scale

NO = None
"""States no level beyond doubt."""

# Levels are given as the judge says them, 1 to 5.
LIKERT = [
    # A level alone.
    ("4", 4), ("4.", 4), (" 4 \n", 4), ("4.0", 4), ("4,0", 4), ("+4", 4), ("**4**", 4), ("`4`", 4),
    ("(4)", 4),
    ('"4"', 4), ("“4”", 4), ("[[4]]", 4), ("Rating: [[4]]", 4), ("\\boxed{4}", 4), ("$\\boxed{4}$", 4),
    ("4/5", 4), ("4 / 5", 4), ("4 out of 5", 4), ("4 points", 4), ("4 stars", 4),
    ("4 on a scale of 1 to 5", 4),
    ("４", 4), ("٤", 4), ("४", 4), ("4️⃣", 4), ("4\u200b", 4), ("4\u00a0", 4),
    ("Mostly correct", 4), ("mostly correct.", 4), ("MOSTLY_CORRECT", 4), ("mostly-correct", 4),
    ("*Mostly correct*", 4),
    ("Mostly  correct", 4), ("Mostly correct (4)", 4), ("Mostly correct (4/5)", 4), ("4 (Mostly correct)", 4),
    ("4 - Mostly correct", 4), ("4 – Mostly correct", 4), ("4: Mostly correct", 4), ("4. Mostly correct", 4),
    ("4 = mostly correct", 4), ("4 Mostly correct", 4), ("Level 4", 4), ("Level 4: Mostly correct", 4),
    # A score word.
    ("Score: 4", 4), ("score: 4", 4), ("SCORE: 4", 4), ("Score:4", 4), ("Score 4", 4), ("Score = 4", 4),
    ("Score=4", 4), ("Score - 4", 4), ("Score -> 4", 4), ("Score：４", 4), ("**Score:** 4", 4),
    ("**Score**: 4", 4),
    ("### Score: 4", 4), ("> Score: 4", 4), ("- Score: 4", 4), ("• Score: 4", 4), ("Score:\n4", 4),
    ("Score: **4/5**", 4),
    ("Score (1-5): 4", 4), ("Score [1-5]: 4", 4), ("Score (out of 5): 4", 4), ("Score: four", 4),
    ("Score: a 4", 4),
    ("Score: 4;", 4), ("Score: Mostly correct", 4), ("Rating: 4", 4), ("Verdict: Mostly correct", 4),
    ("Grade: 4/5", 4),
    ("Judgement: 4", 4), ("Judgment: 4", 4), ("My score is 4.", 4), ("The final score is 4.", 4),
    ("Final score: 4/5", 4),
    ("My rating would be 4", 4), ("| Score | 4 |", 4), ("<score>4</score>", 4),
    ("I give it a score of 4.", 4),
    ("I would assign this answer a score of 4 out of 5.", 4), ("This answer deserves a score of 4", 4),
    ("I'd rate this answer 4/5.", 4), ("I’d rate it 4", 4), ("I would give it a 4", 4),
    ("I rate it as mostly correct", 4),
    ("The answer gets a 4.", 4), ("On a 1-5 scale I give it a 5", 5),
    ("On a scale of 1 to 5, I give it a 5.", 5),
    ("The answer is mostly correct.", 4), ("This is mostly correct.", 4),
    ("The proposed answer is mostly correct.", 4),
    # An explanation after it.
    ("Score: 4\n1. minor omission", 4), ("Score: 4\n\n1. a\n2. b\n3. c", 4), ("4\n1. minor omission", 4),
    ("Score: 4. It is fine.", 4), ("Score: 4 - it omits 2 facts", 4), ("Score: 4, good", 4),
    ("4, because it omits 2 facts", 4),
    ("Score: 4 because it omits 2 facts", 4), ("4\n\nThe answer omits 3 facts.", 4),
    ("Score: 4 (it omits one date)", 4),
    ("Score: 4\nExplanation: it names 2 of 3 cities.", 4), ("Score: 1\nThe answer should be 4.", 1),
    ("Score: 1\nActually, 2+2 is 4.", 1), ("Score: 4\nA score of 5 would require more detail.", 4),
    ("Score: 4\nIf the score was 5 it would name both.", 4),
    ("Score: 4\nThe score is reduced because of an omission.", 4),
    ("Mostly correct. One of the dates is off.", 4), ("Mostly correct - the date is off", 4),
    ("Score: 4\nScore: 4", 4),
    ("Score: 4\n\nLet me know if you have questions!", 4), ("4\r\nfine\r\n", 4),
    # Scores of parts beside one of the whole.
    ("Accuracy score: 3\nStyle score: 5\nOverall score: 4", 4), ("Previous score: 3\nFinal Score: 4", 4),
    # JSON.
    ('{"score": 4}', 4), ('{"Score": 4}', 4), ('{"score": 4.0}', 4), ('{"score": "4"}', 4),
    ('{"score": "4/5"}', 4),
    ('{"score": "Mostly correct"}', 4), ('{"score": "4 - Mostly correct"}', 4), ('{"rating": 4}', 4),
    ('{\n  "score": 4,\n  "explanation": "3 of 5 named"\n}', 4), ('```json\n{"score": 4}\n```', 4),
    ('```\n{"score": 4}\n```', 4),
    ('Here is my verdict: {"score": 4, "explanation": "x"} Hope it helps!', 4),
    ('{"result": {"score": 4}}', 4),
    ('{"explanation": "a score of 5 would need more", "score": 4}', 4),
    ('{"explanation": "“quoted”", "score": 4}', 4),
    ('{"score": 4, "max_score": 5}', 4), ("{'score': 4}", 4), ('{"score": 4,}', 4), ("{score: 4}", 4),
    ("“score”: 4", 4),
    ('{"score": 4, "explanation": "cut o', 4),
    # Reasoning.
    ("<think>maybe 3 or 5</think>4", 4), ("<think>\nScore: 2?\n</think>\n\nScore: 4", 4),
    ("so 3 or 5</think>Score: 4", 4),
    ("<reasoning>Score: 2</reasoning><score>4</score>", 4),
    ("<|channel|>analysis<|message|>3?<|channel|>final<|message|>Score: 4", 4),
    # No level, or more than one.
    ("", NO), ("   ", NO), ("4 or 5", NO), ("4/5 or 5/5", NO), ("between 3 and 4", NO),
    ("Between a 3 and a 4.", NO), ("not 5", NO),
    ("3-4", NO), ("3 - 4", NO), ("3–4", NO), ("3 to 4", NO), ("Score: 3-4", NO), ("Score: 4 or 5", NO),
    ("Score: 3/4", NO),
    ("Score: 4, maybe 5", NO), ("Score: 4 (or 5)", NO), ("Score: about 4", NO), ("Score: ~4", NO),
    ("Score: >4", NO), ("4+", NO),
    ("4?", NO), ("Score: 4-", NO), ("$4", NO), ("4$", NO), ("$4$", 4), ("Score: not 5", NO),
    ("The score is not 5", NO), ("I would not give it a 5.", NO),
    ("Score: at least 4", NO), ("4ish", NO), ("4th", NO), ("4½", NO), ("4²", NO), ("4.5", NO), ("4,5", NO),
    ("85.5", NO), ("80%", NO),
    ("0", NO), ("6", NO), ("-4", NO), ("10", NO), ("45", NO), ("4.000", NO), ("4,000", NO), ("1,000", NO),
    ("1e0", NO), ("04", NO),
    ("4/10", NO), ("8/10", NO), ("4 out of 10", NO), ("Score (1-10): 4", NO),
    ("On a 1-10 scale I give it a 5", NO),
    ("4 on a scale of 0 to 10", NO), ("4 - Completely correct", NO), ("4 (Completely correct)", NO),
    ("Mostly correct (5)", NO),
    ("4\n5", NO), ("4\nCompletely correct", NO), ("Score: 4\nScore: 3", NO), ("Score: 4\nActually, 3.", NO),
    ("Score: 4\nOn second thought, I change my score to 3.", NO), ("Score: 4 for accuracy, 3 for style", NO),
    ("Accuracy score: 3\nStyle score: 5", NO), ("Accuracy score: 4", NO),
    ("Score: 4\nThe answer is completely correct.", NO),
    ("4. The answer is fine.", NO), ("1. minor omission\n2. wrong date", NO), ("Answer: 4", NO),
    ("The answer is 4", NO), ("2+2=4", NO),
    ("There are 4 errors.", NO), ("4 errors", NO), ("Correct", NO), ("correct-ish", NO),
    ("Partially or mostly correct", NO),
    ("The answer is not mostly correct.", NO), ("Mostly correct, but wrong on dates", NO),
    ("Mostly correct if X", NO),
    ("Mostly correct/Completely correct", NO), ("Grade: B", NO), ("five stars", NO), ("★★★★", NO), ("👍", NO),
    ("Good answer!", NO),
    ('{"score": 4, "score": 2}', NO), ('{"score": 4} but really {"score": 3}', NO), ('{"score": null}', NO),
    ('{"score": true}', NO),
    ('{"score": "4 or 5"}', NO), ('{"score": [4]}', NO), ('{"score": 4.5}', NO), ('{"score": NaN}', NO),
    ('{"score": 4', NO),
    ('{"score": 4, "max_score": 10}', NO), ('{"a": {"score": 4}, "b": {"score": 2}}', NO),
    ('{"value": 4}', NO), ("[4]", 4),
    ("<think>it is 3", NO), ("<think>Score: 4</think>", NO), ("Score: unclear", NO), ("Score:", NO),
    ("Score: 6", NO), ("Score: high", NO),
    ("If it named both, I would give it a 5.", NO), ("For example, Score: 4 or Score: 5", NO),
    ("1, 2, 3, 4, 5", NO), ("Score: 1 2 3", NO),
]  # fmt: skip

HUNDRED = [
    ("85", 0.85), ("0", 0.0), ("100", 1.0), ("1", 0.01), ("85%", 0.85), ("85 %", 0.85), ("85 percent", 0.85),
    ("85/100", 0.85),
    ("85 out of 100", 0.85), ("85.5", 0.855), ("85,5", 0.855), ("Score: 85.25", 0.8525), ("1%", 0.01),
    ("0.5%", 0.005),
    ("1.0/100", 0.01), ("0.0", 0.0), ("８５", 0.85), ("Score: 85\n1. minor omission", 0.85),
    ("Score: 90\nConfidence: 70", 0.9),
    ("95 (highly certain the proposed answer is correct)", 0.95), ('{"score": 85}', 0.85),
    ('{"score": 85.5}', 0.855),
    ('{"score": "85%"}', 0.85), ("**85**", 0.85), ("On a scale of 0 to 100, I give it a 85", 0.85),
    # 1.0 and 0.85 may be meant on 0 to 1, 85.500 as 85 thousand; the others are out of range, or two numbers.
    ("1.0", NO), ("0.85", NO), ("0.9", NO), ('{"score": 0.9}', NO), ('{"score": 1.0}', NO), (".85", NO),
    ("85.500", NO), ("1,000", NO),
    ("1.000", NO), ("101", NO), ("150%", NO), ("-5", NO), ("85/10", NO), ("8.5/10", NO), ("80-90", NO),
    ("~85", NO), ("85 or 90", NO),
    ('{"score": 1e2}', NO), ("eighty-five", NO), ("85°", NO), ("85k", NO), ("85 86", NO),
]  # fmt: skip

TRUE_FALSE = [
    ("Correct", 1), ("Incorrect", 0), ("incorrect.", 0), ("**Correct**", 1), ("not correct", 0),
    ("Not correct.", 0), ("Wrong", 0),
    ("Right", 1), ("Verdict: True", 1), ("Score: False", 0), ('{"score": true}', 1), ('{"score": false}', 0),
    ('{"score": "Correct"}', 1),
    ("The answer is correct.", 1), ("The answer is not correct.", 0), ("It is wrong.", 0),
    ("Correct - it names Paris", 1),
    ("Score: Incorrect\nExplanation: Paris would be correct.", 0), ("Correct. Paris is right.", 1),
    ("True", NO), ("False", NO), ("1", NO), ("Score: 1", NO), ("Correct or incorrect?", NO),
    ("Correct/Incorrect", NO), ("Not incorrect", NO),
    ("Correct, but the date is wrong", NO), ("The answer is correct if X", NO),
    ("Correct\nThe answer is incorrect about X", NO),
    ("Incorrectly spelled", NO), ("Uncertain", NO), ("Almost correct", NO), ("This is not right", NO),
    ("Is it correct?", NO),
]  # fmt: skip

UNCERTAIN = [
    ("I am not sure", 0.5), ("I'm not sure.", 0.5), ("I’m not sure", 0.5), ("Uncertain", 0.5),
    ("Score: Uncertain", 0.5), ("unsure", 0.5),
    ("not certain", 0.5), ("Correct", 1), ("Incorrect", 0), ("I am not sure, maybe correct", NO),
    ("I am not sure it is wrong", NO),
]  # fmt: skip

REFUSED = [
    "I'm sorry, but I can't help with that.", "I cannot judge this answer.", "I’m unable to evaluate this.",
    "N/A", "Score: N/A",
    "n/a", "Score: none", "As an AI language model, I cannot rate this.", "I won't score this content.",
    "I must decline.",
    "Unable to determine", "Sorry, I can't do that.",
]  # fmt: skip


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
        assert float(stated) / 100 == reading.score
        return
    said = {
        name.casefold()
        for level in template.levels
        if level.score == reading.score
        for name in (level.label, *level.also, *level.keyed)
    }
    numbers = {level.number: level.score for level in template.levels if level.number is not None}
    assert words in said | {"one"} or numbers[float(stated)] == reading.score


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
