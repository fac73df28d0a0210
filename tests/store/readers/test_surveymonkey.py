"""Exports of SurveyMonkey: questions above answers."""

from semscale.store.surveys import is_surveymonkey, surveymonkey_columns

NAMES = ["Respondent ID", "Collector ID", "Which do you drink?", "", "", "Why?", "Why?"]
ANSWERS = ["", "", "Tea", "Coffee", "Other (please specify)", "Open-Ended Response", "Open-Ended Response"]


def test_an_export_is_known_by_its_own_columns_with_nothing_below():
    assert is_surveymonkey(NAMES, [ANSWERS])
    assert is_surveymonkey(["respondent_id", "collector_id", "q1"], [[None, None, "Response"]])
    assert not is_surveymonkey(NAMES, [["118", "42", "Tea", "", "", "so", "so"]])  # an answer stands there
    assert not is_surveymonkey(["Respondent ID", "q1"], [["", "Response"]])
    assert not is_surveymonkey(NAMES, [])


def test_a_question_of_several_columns_is_named_with_its_answers():
    columns, labels = surveymonkey_columns(NAMES, ANSWERS)
    assert columns == [
        "Respondent ID", "Collector ID", "Which do you drink?: Tea", "Which do you drink?: Coffee",
        "Which do you drink?: Other (please specify)", "Why?", "Why? (2)",
    ]  # fmt: skip
    tea = labels["Which do you drink?: Tea"]
    assert (tea.question, tea.option) == ("Which do you drink?", "Tea")
    assert labels["Why?"].question == ""


def test_one_answer_and_its_comment_share_a_question():
    columns, labels = surveymonkey_columns(["How old?", ""], ["Response", "Other (please specify)"])
    assert columns == ["How old?", "How old?: Other (please specify)"]
    assert {one.question for one in labels.values()} == {"How old?"}
