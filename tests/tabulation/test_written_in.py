"""Choices with texts that people wrote beside the options, in the same column."""

import polars as pl
import pytest

import semscale
from semscale.errors import InputError
from semscale.store.column_profile import ColumnProfile
from semscale.store.table import ColumnLabels
from semscale.survey.inference import describe_columns
from semscale.survey.survey_file import parse_survey
from semscale.tabulation.answers import AnswerReader

# 100 Tea, 80 Coffee, 60 different texts of one respondent, and one of 3 (of 243, so that 1 % is 2.43).
DRINKS = ["Tea"] * 100 + ["Coffee"] * 80 + [f"herbs {n} of mine" for n in range(60)] + ["Mate"] * 3


def lines_of(result):
    table = result.tables[0]
    shares = zip(table.question.lines, table.cells.values[:, 0], strict=True)
    return {line.name: round(share, 4) for line, share in shares}


def test_rare_texts_beside_options_are_counted_together():
    result = semscale.crosstabs(pl.DataFrame({"drink": DRINKS}), questions=["drink"])
    # Shares of 243 respondents.
    assert lines_of(result) == {
        "Tea": 0.4115, "Coffee": 0.3292, "Mate": 0.0123, "other (written in)": 0.2469,
    }  # fmt: skip
    notes = result.tables[0].question.notes
    assert any(note.startswith("‘other (written in)’ has 60 answers, 60 different texts") for note in notes)


def test_up_to_50_answers_have_a_line_each():
    drinks = ["Tea"] * 100 + [f"herbs {n}" for n in range(49)]
    lines = lines_of(semscale.crosstabs(pl.DataFrame({"drink": drinks}), questions=["drink"]))
    assert len(lines) == 50
    assert "other (written in)" not in lines


def test_answers_of_a_description_have_a_line_each():
    values = b"[{value: Coffee}, {value: Tea}, {value: herbs 3 of mine}]"
    text = b"questions:\n- {name: drink, kind: single, values: %s}\n" % values
    survey = parse_survey(text, source="survey.yaml")
    lines = lines_of(semscale.crosstabs(pl.DataFrame({"drink": DRINKS}), questions=["drink"], survey=survey))
    assert list(lines) == ["Coffee", "Tea", "herbs 3 of mine", "Mate", "other (written in)"]
    assert lines["other (written in)"] == round(59 / 243, 4)


def test_labels_of_a_file_are_options_even_if_few_chose_them():
    labels = {"drink": ColumnLabels(values={"1": "Tea", "2": "Coffee", "3": "Milk"})}
    cells = ["1"] * 100 + ["2"] * 80 + ["3"] + [f"herbs {n}" for n in range(60)]
    profile = ColumnProfile("drink", labels["drink"])
    profile.add(pl.Series("drink", cells))
    question = describe_columns([profile], "drink")
    assert [value.name for value in question.values] == ["Tea", "Coffee", "Milk"]
    read = AnswerReader(pl.DataFrame({"drink": cells}), labels).read(question)
    assert [line.name for line in read.lines] == ["Tea", "Coffee", "Milk", "other (written in)"]


def test_mentions_that_few_made_are_counted_together():
    first = ["Coke"] * 60 + ["Fanta"] * 40 + [f"brand {n}" for n in range(30)]
    second = ["Fanta"] * 50 + ["Coke"] * 50 + [f"label {n}" for n in range(30)]
    frame = pl.DataFrame({"first": first, "second": second})
    lines = lines_of(semscale.crosstabs(frame, questions=["Brands=first+second"]))
    # The last 30 of 130 respondents wrote two texts, and count once.
    assert lines == {"Coke": 0.7692, "Fanta": 0.6923, "other (written in)": 0.2308}


@pytest.mark.parametrize(
    "cells",
    [
        ["none"] * 40 + ["idea"] * 30 + [f"herb {n}" for n in range(71)],  # most answers are rare
        ["none"] * 90 + [f"herb {n}" for n in range(60)],  # a single option
    ],
)
def test_open_ends_with_frequent_answers_are_not_tabulated(cells):
    with pytest.raises(InputError, match="open texts .* neither rated nor coded"):
        semscale.crosstabs(pl.DataFrame({"q": cells}), questions=["q"])


def test_many_frequent_answers_are_still_too_many():
    cells = [f"Country {n}" for n in range(60)] * 6
    with pytest.raises(InputError, match="a choice of 60 answers"):
        semscale.crosstabs(pl.DataFrame({"q": cells}), questions=["q"])


def test_long_options_with_texts_beside_them_are_a_choice():
    options = ["A few times a week", "Once or twice a month", "Less often than that"]
    cells = options * 40 + [f"when I travel {n}" for n in range(60)]
    lines = lines_of(semscale.crosstabs(pl.DataFrame({"q": cells}), questions=["q"]))
    assert set(lines) == {*options, "other (written in)"}
    # 60 of 180 respondents wrote a text.
    assert lines["other (written in)"] == 0.3333


def test_open_ends_with_a_frequent_short_answer_stay_open():
    profile = ColumnProfile("q")
    texts = [f"I would like the staff to be nicer number {n}" for n in range(60)]
    profile.add(pl.Series(["nothing at all"] * 60 + ["no idea really"] * 30 + texts * 2))
    assert profile.kind == "open text"
