"""Columns that a user joins to one question, and a question that is split into its columns."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.column_profile import ColumnProfile
from semscale.survey.description import Option, Question, Survey, Value
from semscale.survey.regrouping import join_questions, split_question

CELLS = {
    "age": [20, 31, 44, 58],
    "use_work": ["1", "2", "1", "2"],
    "use_home": ["2", "2", "1", "9"],
    "q1": ["1", "3", "5", "2"],
    "q2": ["5", "5", "1", "4"],
}


def _profile(name):
    profile = ColumnProfile(name)
    profile.add(pl.Series(name, CELLS[name]))
    return profile


PROFILES = {name: _profile(name) for name in CELLS}
SURVEY = Survey(
    file="a.csv",
    where="age > 18",
    questions=[
        Question(name="use_work", kind="single", title="At work"),
        Question(name="age", kind="numeric"),
        Question(name="use_home", kind="single", missing={"9": "refused"}),
        Question(
            name="q1", kind="scale", values=[Value(value=str(n), label=f"point {n}") for n in range(1, 6)]
        ),
        Question(name="q2", kind="scale"),
    ],
)


def test_options_come_in_the_place_of_the_first_with_titles_and_codes():
    survey, joined = join_questions(SURVEY, ["use_home", "use_work"], "multiple", PROFILES)
    assert [question.name for question in survey.questions] == ["use", "age", "q1", "q2"]
    assert survey.where == SURVEY.where
    assert (joined.kind, joined.source, joined.all_columns) == ("multiple", "user", ("use_work", "use_home"))
    assert [option.label for option in joined.options] == ["At work", "home"]
    # 1 and 2 have no labels, so nobody knows which of them is a mark.
    assert joined.needs_decision
    assert joined.missing == {"9": "refused"}


def test_items_of_a_grid_share_the_answers_of_the_first():
    _, joined = join_questions(SURVEY, ["q1", "q2"], "grid", PROFILES)
    assert [option.column for option in joined.options] == ["q1", "q2"]
    assert [value.label for value in joined.values] == [f"point {n}" for n in range(1, 6)]


def test_a_split_question_leaves_one_for_each_column():
    survey, joined = join_questions(SURVEY, ["q1", "q2"], "grid", PROFILES)
    apart = split_question(survey, joined.name, PROFILES)
    assert [question.name for question in apart.questions] == ["use_work", "age", "use_home", "q1", "q2"]
    assert [len(question.values) for question in apart.questions[-2:]] == [5, 5]
    assert {question.kind for question in apart.questions[-2:]} == {"scale"}


def test_names_of_other_questions_are_never_taken():
    named = Survey(questions=[*SURVEY.questions[:3], Question(name="use", kind="open", columns=["q1"])])
    _, joined = join_questions(named, ["use_home", "use_work"], "multiple", PROFILES)
    assert joined.name == "use (2)"


def test_marks_that_are_known_stay_marks_of_each_option():
    profiles = {}
    for name in ("a_tea", "a_milk"):
        profiles[name] = ColumnProfile(name)
        profiles[name].add(pl.Series(name, ["Yes", "No", "Yes"]))
    survey = Survey(
        questions=[Question(name=name, kind="single", missing={"No": "refused"}) for name in profiles]
    )
    _, joined = join_questions(survey, list(profiles), "multiple", profiles)
    assert (joined.chosen, joined.not_chosen, joined.missing) == (("Yes",), ("No",), {})
    assert joined.options[0] == Option(label="tea", column="a_tea")


def test_one_question_cannot_be_joined_and_one_column_cannot_be_split():
    with pytest.raises(InputError, match="at least 2 questions"):
        join_questions(SURVEY, ["age"], "grid", PROFILES)
    with pytest.raises(InputError, match="'age' has one column"):
        split_question(SURVEY, "age", PROFILES)
