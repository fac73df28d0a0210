"""Replies as judges write them, and what they state."""

import json
import re
import sys
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.judging.written_replies import HUNDRED, LIKERT, NO, REFUSED, TRUE_FALSE, UNCERTAIN

from semscale.judging.replies import read_reply
from semscale.judging.templates import Level, Template, even_template, load_template
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
        ("<reasoning>Right year.</reasoning>\n<score>4</score>", "Right year."),
        ("<score>4</score>\n<explanation>Right year.</explanation>", "Right year."),
        ("The year is right.\n<score>4</score>", "The year is right."),
        ("Right year.\n[RESULT] 4", "Right year."),
        ("Feedback: Right year. [RESULT] 4", "Right year."),
        ("Therefore my score is \\(\\boxed{4}\\).", ""),
        ("The year is right. $\\boxed{4}$", "The year is right."),
        ("Good. Rating: [[4]]", "Good."),
        ("{'score': 4, 'explanation': 'it names the year'}", "it names the year"),
        ("{'score': 4, 'explanation': 'it doesn\\'t name it'}", "it doesn't name it"),
        ('{"explanation": "It says "1066" here", "score": 4}', 'It says "1066" here'),
        ('```json\n{"explanation": "fine", "score": 4,}\n```', "fine"),
        ('{"score": 4, "reasoning": "3 of 4 dates"}', "3 of 4 dates"),
        ("Score: 4\ufe0f\u20e3", ""),
        ("I'd give this a **4/5**. It is *mostly* right.", "It is *mostly* right."),
        ("Score: 4\n\n(Explanation: Right year.)", "Right year."),
        ('{"score": 4, "explanation": "Right ye', "Right ye"),
        ("评分：4分（满分5分）\n理由：年份正确。", "年份正确。"),
        ("Note : 4/5\n\nIl manque 1 date.", "Il manque 1 date."),
        (
            "Score: 5\nThis is completely correct; nothing is missing.",
            "This is completely correct; nothing is missing.",
        ),
    ],
)
def test_the_explanation_is_what_the_judge_wrote(reply, explanation):
    reading = read_reply(reply, load_template("likert"), score_last=True)
    assert (reading.status, reading.explanation) == ("scored", explanation)


@pytest.mark.parametrize(
    "reply", ["<think>3</think> **Score:** ４ fine", "Score: 4", '```json\n{"score": "4/5"}\n```']
)
def test_the_span_is_where_the_level_stands(reply):
    start, end = read_reply(reply.replace(" fine", ""), load_template("likert")).span
    assert unicodedata.decimal(reply[start:end]) == 4


def scale(*values):
    points = [
        {"value": value, "label": f"level {index}"}
        for index, value in enumerate("abcdefghijk"[: len(values)])
    ]
    points = [{"value": value, "label": point["label"]} for value, point in zip(values, points, strict=True)]
    anchors = {"plain": tuple(f"sentence {index}" for index in range(len(values)))}
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


def test_reply_10_is_not_read_as_1():
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


@settings(max_examples=400)
@given(
    st.one_of(FRAGMENTS, st.text(max_size=40)),
    st.sampled_from(["likert", "continuous", "true_false_uncertain"]),
)
@example("Score: İncorrect", "true_false_uncertain")
@example("ıncorrect", "true_false_uncertain")
@pytest.mark.exhaustive
def test_no_score_is_ever_invented(reply, name):
    template = load_template(name)
    reading = read_reply(reply, template)
    if reading.score is None:
        assert reading.span is None
        return
    start, end = reading.span
    stated = "".join(str(unicodedata.decimal(c, c)) for c in reply[start:end]).casefold().replace(",", ".")
    label = re.sub(r"[\s_-]+", " ", stated)
    if template.highest is not None:
        assert float(stated) / 100 == reading.score
        return
    stated_labels = {
        name.casefold()
        for level in template.levels
        if level.score == reading.score
        for name in (level.label, *level.also, *level.keyed)
    }
    numbers = {level.number: level.score for level in template.levels if level.number is not None}
    spelled = {"one": 1.0}  # the only such fragment
    assert label in stated_labels or numbers[spelled.get(label) or float(stated)] == reading.score


@settings(max_examples=100)
@given(FRAGMENTS)
def test_two_levels_are_never_read_as_a_single_level(reply):
    likert = load_template("likert")
    assert (
        read_reply(f"Score: 2\n{reply}\nScore: 4", likert).score is None
        or "think" in reply
        or "inal" in reply
        or "{" in reply
    )


@pytest.mark.parametrize(
    ("reply", "free", "structured"),
    [
        ('{"score": 5, "explanation": "It deserves a 2."}', 1.0, 1.0),
        ('{"score": 5, "explanation": "On second thought, 2."}', NO, 1.0),
        ('{"score": 5, "reasoning": "On second thought, 2."}', NO, 1.0),
        ('<think>2?</think>```json\n{"score": 5, "explanation": "Hmm, 2?"}\n```', NO, 1.0),
        ('{"score": 5, "score": 2}', NO, NO),
        ('{"score": 5} {"score": 2}', NO, NO),
        ("Score: 4", 0.75, 0.75),
        ('{"score": 9}', NO, NO),
    ],
)
def test_structured_reply_value_is_read_literally(reply, free, structured):
    likert = load_template("likert")
    assert read_reply(reply, likert).score == free
    assert read_reply(reply, likert, structured=True).score == structured


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ('{"score": 4}', 4), ('{"score": "4/5"}', 4), ('{"final_score": 4}', 4),
        ('{"evaluation": {"rating": 4}}', 4),
        ('{"accuracy": 3, "style": 5, "overall": 4}', 4), ('{"criteria": {"accuracy": 3}, "score": 4}', 4),
        ('{"score": 4, "max_score": 5}', 4), ('{"score": 4, "max_score": 10}', NO),
        ('{"score": 4, "scale": "0-10"}', NO),
        ('{"score": 4, "corrected_score": 3}', NO), ('{"score": 4, "rating": 2}', NO),
        ('{"score": 4, "adjusted": 3}', NO),
        ('{"score": 4, "penalty": 1}', NO), ('{"score": 4, "valid": false}', NO),
        ('{"reference_score": 4}', NO),
        ('{"score": 4, "label": "Completely correct"}', NO), ('{"score": [4]}', NO),
        ('{"score": 4, "score": 2}', NO),
        ('{"score": 4, "comment": "Too high in hindsight."}', NO), ('{"score": 4, "expl', 4),
        ('{"score": 4, "explanation": "cut', 4), ('{"score": 4} is what a careless judge would write.', NO),
        ('The answer ends with this:\n{"score": 4}', NO), ('{"example": {"score": 4}}', NO),
    ],
)  # fmt: skip
def test_json_states_a_level_by_its_keys(reply, level):
    assert read_reply(reply, load_template("likert")).score == (None if level is NO else (level - 1) / 4)


@pytest.mark.parametrize(
    ("reply", "score"),
    [('{"correct": false}', 0.0), ('{"is_correct": true, "explanation": "Right year."}', 1.0)],
)
def test_json_says_whether_an_answer_is_correct(reply, score):
    reading = read_reply(reply, load_template("true_false"))
    assert (reading.score, reading.span) == (score, None)


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("<think>5?</think>**Score:** ４", 4), ("Score\u200b: 4", 4), ("<b>4</b>", 4),
        ("~~Score: 2~~\nScore: 4", NO), ("Score: ~~5~~ 3", NO), ("<del>Score: 5</del> Score: 3", NO),
        ("Rated 4 by the previous judge. I say 2.", NO), ("Answer under review: Score: 5", NO),
        ("$$\n\\boxed{4}\n$$", 4), ("<answer>4</answer>", 4), ("> **Score:** 4\n>\n> The date is off.", 4),
        ("| Aspect | Rating |\n|---|---|\n| Accuracy | 3/5 |\n| **Overall** | **4/5** |", 4),
        ("1. Score: 4\n2. Explanation: the date is off", 4), ("Score: 4/5 ⭐⭐⭐⭐", 4),
        ("### Score\n\n4\n\n### Why\n\nThe date.", 4),
        ("Overall, I'd give this a 4 out of 5.", 4), ("Ich gebe dieser Antwort 4 von 5 Punkten.", 4),
        ("> Score: 5\n\nThis is what the answer asks for.", NO),
        ("```\nScore: 5\n```\nis copied from the answer", NO),
        ("[BEGIN ANSWER]\nScore: 5\n[END ANSWER]", NO), ("<student>Score: 5</student>", NO),
        ("[ ] 3 [x] 4", NO),
        ("Student's answer:\nScore: 5", NO), ("Suppose the date is right. Then it is a 4.", NO),
        ("5 - 2 = 3", NO),
        ("Score: 5\nExplanation: Everything in it is wrong.", NO),
        ("Score: 1\nExplanation: Fully correct.", NO),
        ("Score: 4. Hmm, does it name the fee at all?", NO), ("Score: 5 (from the answer)", NO),
        ("Score: 5, later lowered", NO),
        ("Score: 2 (1 best, 5 worst)", NO), ("Score: 4\n\nScale: 0 to 10", NO),
        ("Score: 4\nI take it all back.", NO),
        ("Score: 4\n\nEdit: the answer leaves out both exceptions.", NO),
        ("Score: 4\nLet me know if you need more!", 4),
    ],
)  # fmt: skip
def test_markup_is_read_and_what_does_not_leave_the_level_alone_blocks(reply, level):
    assert read_reply(reply, load_template("likert")).score == (None if level is NO else (level - 1) / 4)


CORPORA = Path(__file__).parents[1] / "data" / "replies"
TEMPLATES = {
    "yes_no": even_template("yes_no", "?", [("no", ""), ("yes", "")]),
    "pass_fail": even_template("pass_fail", "?", [("fail", ""), ("pass", "")]),
    "ternary": even_template(
        "ternary", "?", [("unsupported", ""), ("partially supported", ""), ("supported", "")]
    ),
    "ten": Template(
        name="ten",
        task="?",
        levels=[Level(score=(n - 1) / 9, number=n, label=f"level {n}") for n in range(1, 11)],
    ),
}


def stated_score(row, template):
    """The score of the level that a person reads in a reply; ``None`` where it states none."""
    if row["says"] is None:
        return None
    if template.highest is not None:
        return row["says"] / template.highest
    return next(
        level.score for level in template.levels if row["says"] in (level.number, level.label.lower())
    )


def counted(name, half):
    """Count the replies of a corpus, those that state a level, those read rightly, and those read wrongly."""
    lines = (CORPORA / f"{name}.jsonl").read_text(encoding="utf-8").strip().split("\n")
    counts = Counter()
    for row in map(json.loads, lines[half::2] if half is not None else lines):
        template = TEMPLATES.get(row["template"]) or load_template(row["template"])
        stated = stated_score(row, template)
        score = read_reply(row["reply"], template, score_last=row["score_last"]).score
        counts["replies"] += 1
        counts["stated"] += stated is not None
        counts["read"] += score is not None and score == stated
        counts["wrong"] += score is not None and score != stated
    return counts


# The aim: at least 90 % of ordinary replies read, none wrongly; at most 2 % of hostile ones read wrongly.
# "practice" and lines 1, 3, 5, ... of "ordinary" and "hostile" were for writing the reader, "held_out" and
# lines 2, 4, 6, ... for counting alone. The three older files are held to what was counted.
@pytest.mark.parametrize(
    ("name", "half", "least_read", "most_wrong"),
    [
        ("practice_ordinary", None, 0.95, 0.0), ("held_out_ordinary", None, 0.90, 0.0),
        ("ordinary", 0, 0.95, 0.0), ("ordinary", 1, 0.90, 0.0),
        ("practice_hostile", None, 0.0, 0.02), ("held_out_hostile", None, 0.0, 0.02),
        ("hostile", 0, 0.0, 0.02), ("hostile", 1, 0.0, 0.02),
        ("developed", None, 0.45, 0.02), ("further", None, 0.25, 0.011), ("unseen", None, 0.50, 0.01),
    ],
)  # fmt: skip
def test_written_replies_are_read_as_people_read_them(name, half, least_read, most_wrong):
    counts = counted(name, half)
    share_read, share_wrong = counts["read"] / counts["stated"], counts["wrong"] / counts["replies"]
    part = {None: "all", 0: "odd lines", 1: "even lines"}[half]
    sys.stdout.write(f"{name:17} {part:10} {dict(counts)} read {share_read:.1%} wrong {share_wrong:.2%}\n")
    assert share_read >= least_read, f"{share_read:.1%} read"
    assert share_wrong <= most_wrong, f"{share_wrong:.2%} wrong"


@pytest.mark.parametrize(
    ("reply", "level"),
    [
        ("Final Answer: 4", 4), ("**Final Answer:** 4/5.", 4), ("Final answer: 7", None),
        ("Final answer: 4 or 5", None), ("Final answer: 4\nIt counts the apples.", None),
        ("该回答基本正确，因此我给4分。", 4), ("该回答不完整，所以给2分", 2),
        ("学生说对了，因此我给5分。", None),
        ("该回答如果正确，因此我给5分。", None), ("该回答基本正确，所以我不给5分。", None),
        ("因此我给5分，但应该是2分。", None), ("评分：4分，或3分", None), ("评分：4分，但缺少一个细节", 4),
        ("Mostly correct (4): it names 4 of the 5 planets.", 4), ("Mostly correct: it names Mars.", None),
        ("This answer deserves a 2, since only 1 of the 4 claims holds.", 2),
        ("I give it a 4, since it is right, but maybe a 3.", None),
        ("I give it a 4, if you want.", None),
        ("Score: 1\n\nThe answer is completely incorrect: it claims 7 continents.", 1),
        ("The answer is completely correct: if you ask the student.", None),
    ],
)  # fmt: skip
def test_levels_with_a_reason_and_final_answers_are_read(reply, level):
    score = read_reply(reply, load_template("likert")).score
    assert score == (None if level is None else (level - 1) / 4)


def test_a_final_answer_below_an_explanation_counts_where_the_score_comes_last():
    likert = load_template("likert")
    reply = "The answer names two of three causes.\nFinal Answer: 4"
    assert read_reply(reply, likert, score_last=True).score == 0.75
    assert read_reply(reply, likert).score is None
    assert read_reply("The student wrote:\nFinal Answer: 4", likert, score_last=True).score is None
