"""Cells of tables: outputs, texts and numbers."""

from decimal import Decimal

import pytest

from semscale.drift.cells import CellLocation, feedback_text, number_in, numbers_of, outputs_in, text_of
from semscale.errors import InputError

LOCATION = CellLocation("answers.csv", 4, "output")


def listed(cell, fields=()):
    return [(output.text, dict(output.fields)) for output in outputs_in(cell, LOCATION, fields)]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("Yes.", [("Yes.", {})]),
        (None, [(None, {})]),
        ("  ", [("  ", {})]),
        (float("nan"), [(None, {})]),
        ([], []),
        ("[]", []),
        (["Yes.", None, ""], [("Yes.", {}), (None, {}), ("", {})]),
        ('["Yes.", null]', [("Yes.", {}), (None, {})]),
        ({"text": "Yes.", "credits": 1}, [("Yes.", {"credits": 1.0})]),
        ([{"text": None}, {"text": "No.", "credits": None}], [(None, {}), ("No.", {})]),
        ([{"title": "Cause", "description": "Seen."}], [("Cause Seen.", {})]),
        ('[{"text": "Yes.", "credits": "0,5"}]', [("Yes.", {"credits": 0.5})]),
        # A model may answer in JSON: a list of objects without a text is what it said.
        ('[{"name": "Ann"}]', [('[{"name": "Ann"}]', {})]),
        ("[sic] unclear", [("[sic] unclear", {})]),
        (42.0, [("42", {})]),
        (2.5, [("2.5", {})]),
    ],
)
def test_a_cell_holds_a_text_or_a_list_of_texts(cell, expected):
    assert listed(cell) == expected


def test_only_named_fields_are_read_from_objects():
    cell = [{"text": "Yes.", "credits": 2, "weight": 3, "rubric": "b"}]
    assert listed(cell, ("credits", "length")) == [("Yes.", {"credits": 2.0})]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (True, "answers.csv, data row 5: column 'output' holds True, which is no text"),
        ([["nested"]], "data row 5: column 'output' holds \\['nested'\\]"),
        ([{"credits": 1}], "has an object without a text: its keys are credits; write it under 'text'"),
        ([{}], "its keys are none"),
        ([{"text": "a", "rubric": "b"}], "an output whose 'rubric' is 'b', which is no number; .*--field"),
        ([{"text": "a", "credits": True}], "whose 'credits' is True"),
        ([{"text": "a", "credits": 1e999}], "whose 'credits' is inf, which is not finite; correct it"),
        ('["broken", ', "answers.csv: output: .* a list that is no valid JSON in data row 5"),
    ],
)
def test_an_invalid_output_is_reported_with_its_row(cell, message):
    with pytest.raises(InputError, match=message):
        outputs_in(cell, LOCATION)


@pytest.mark.parametrize(
    ("feedback", "expected"),
    [
        ({"title": "Cause", "description": "Well seen."}, "Cause Well seen."),
        ({"description": " Well seen. "}, "Well seen."),
        ({"title": "Cause", "description": None}, "Cause"),
        ({"title": " ", "description": ""}, None),
        ({}, None),
    ],
)
def test_feedback_is_title_and_description(feedback, expected):
    assert feedback_text(feedback, LOCATION) == expected


@pytest.mark.parametrize(
    ("cell", "n", "expected"),
    [
        (None, 2, [None, None]),
        ("", 1, [None]),
        ("1,5", 1, [1.5]),
        (2, 1, [2.0]),
        (Decimal("2.5"), 1, [2.5]),
        ([1, None], 2, [1.0, None]),
        ("[1, null]", 2, [1.0, None]),
        ("[]", 0, []),
        ("[]", 1, "has 0 numbers for 1 output;"),
        ([], 1, "has 0 numbers for 1 output;"),
        ([1.0], 2, "has 1 number for 2 outputs; write a list with one number for each output"),
        ("3", 2, "has 1 number for 2 outputs"),
        ("3", 0, "has 1 number for 0 outputs"),
        ("three", 1, "must hold finite numbers, got 'three'; correct it, or leave it empty"),
        ("[1, two]", 1, "must hold finite numbers, got '\\[1, two\\]'"),
        ([1, "two"], 2, "must hold finite numbers, got 'two'"),
        ("inf", 1, "must hold finite numbers"),
        (float("inf"), 1, "must hold finite numbers, got inf"),
        (True, 1, "must hold finite numbers, got True"),
    ],
)
def test_a_field_has_a_number_per_output(cell, n, expected):
    if isinstance(expected, str):
        with pytest.raises(InputError, match=f"answers.csv, data row 5: column 'output' {expected}"):
            numbers_of(cell, n, LOCATION)
    else:
        assert numbers_of(cell, n, LOCATION) == expected


def test_large_numbers_and_nulls_read_as_they_print():
    assert text_of(10**15, LOCATION) == "1000000000000000"
    assert number_in("  ", LOCATION) is None
    assert number_in("-1e2", LOCATION) == -100.0
