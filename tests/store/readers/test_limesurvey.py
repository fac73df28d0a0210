"""Exports of LimeSurvey: codes, codes with texts, and texts alone."""

import pytest

from semscale.store.surveys import is_limesurvey, limesurvey_columns

CODES = [
    "id",
    "submitdate",
    "lastpage",
    "startlanguage",
    "age",
    "drink[SQ001]",
    "drink[SQ002]",
    "land",
    "land[other]",
]
FULL = [
    "id. Response ID", "submitdate. Date submitted", "lastpage. Last page", "startlanguage. Start language",
    "age. How old are you?", "drink[SQ001]. Which? [Tea]", "drink[SQ002]. Which? [Coffee]",
    "land. Where do you live?", "land[other]. Where do you live? [Other]",
]  # fmt: skip
TEXTS = [
    "Response ID",
    "Date submitted",
    "Last page",
    "Start language",
    "How old?",
    "Which? [Tea]",
    "Which? [Coffee]",
]


@pytest.mark.parametrize("names", [CODES, FULL, TEXTS])
def test_an_export_is_known_by_its_own_columns(names):
    assert is_limesurvey(names)


def test_other_tables_are_none():
    assert not is_limesurvey(["id", "submitdate", "text"])


def test_codes_name_the_columns_and_texts_label_them():
    columns, labels = limesurvey_columns(FULL)
    assert columns == CODES
    assert labels["age"].label == "How old are you?"
    tea = labels["drink[SQ001]"]
    assert (tea.label, tea.question, tea.option) == ("Which?", "drink", "Tea")


def test_a_code_without_text_names_its_part():
    columns, labels = limesurvey_columns(CODES)
    assert columns == CODES
    assert (labels["drink[SQ002]"].question, labels["drink[SQ002]"].option) == ("drink", "SQ002")


def test_other_is_a_value_of_the_question_and_a_column_of_it():
    _, labels = limesurvey_columns(CODES)
    assert (labels["land"].question, dict(labels["land"].values)) == ("land", {"-oth-": "other"})
    assert labels["land[other]"].question == "land"


def test_texts_alone_stay_the_names():
    columns, labels = limesurvey_columns(TEXTS)
    assert columns == TEXTS
    assert (labels["Which? [Tea]"].question, labels["Which? [Tea]"].option) == ("Which?", "Tea")


def test_codes_that_are_not_unique_leave_the_names_as_they_are():
    names = ["a. Why?", "a. Why not?"]
    assert limesurvey_columns(names)[0] == names
