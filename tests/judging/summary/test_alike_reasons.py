"""Reasons that differ in their numbers alone."""

from semscale.judging.summary import alike_reasons


def test_numbers_that_are_alike_stay_and_others_are_left_out():
    found = alike_reasons({"row 1 of 5": 1, "no reply": 2, "row 2 of 5": 3, "row 1": 1})
    assert found == {"row … of 5": 4, "no reply": 2, "row 1": 1}
    assert list(found) == ["row … of 5", "no reply", "row 1"]


def test_a_single_reason_is_as_it_came():
    assert alike_reasons({"HTTP 400: at most 1,024 tokens": 2}) == {"HTTP 400: at most 1,024 tokens": 2}
