"""Answers drawn for the report."""

import polars as pl

from semscale.scales import load_scale
from semscale.study.questionnaire import SurveyQuestion
from semscale.study.summary.quotes import quoted_answers

QUESTION = SurveyQuestion("q", "q", load_scale("purchase-intent"), ("ssr", "flr", "dlr"))


def rows(n):
    made = [
        {
            "persona": f"p{row}", "sample": 1, "concept": concept, "method": method,
            "reply": None if row == 0 else f"{concept} says {row}",
            "value": {"ssr": 2.5, "flr": None, "dlr": 4.0}[method],
        }
        for row in range(n) for concept in "ab" for method in QUESTION.methods
    ]  # fmt: skip
    return pl.DataFrame(made)


def test_three_answers_a_concept_are_drawn_with_what_methods_made_of_them():
    found = list(quoted_answers(QUESTION, rows(9), seed=0))
    assert [answer.concept for answer in found] == ["a"] * 3 + ["b"] * 3
    # Numbers of DLR are no words, and the first persona said nothing.
    assert found[0].values == {"ssr": 2.5, "flr": None}
    assert {answer.reply for answer in found} <= {f"{c} says {n}" for c in "ab" for n in range(1, 9)}
    assert found == list(quoted_answers(QUESTION, rows(9), seed=0))
    assert found != list(quoted_answers(QUESTION, rows(9), seed=1))


def test_fewer_answers_are_all_quoted():
    assert len(list(quoted_answers(QUESTION, rows(2), seed=0))) == 2
    assert list(quoted_answers(QUESTION, rows(1), seed=0)) == []
