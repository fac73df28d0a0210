import pytest

from semscale.matching.cliniqlink import (
    explanation_in,
    find_step,
    read_expected_step,
    step_factor,
)


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Step 3 is wrong", 3),
        ("**Step:** 12", 12),
        ("step number 4", 4),
        ("the footstep 2", None),
        ("3", None),
    ],
)
def test_the_first_numbered_step_is_named(text, step):
    assert find_step(text) == step


def test_an_explanation_starts_after_its_heading_not_after_the_word_in_a_sentence():
    lines = ["- Step 5 ignores the explanation given.", "- **Explanation:** it is strained."]
    assert read_expected_step(lines) == (5, "it is strained.")
    assert explanation_in("Step 5. The explanation is long. Explanation: short") == "short"


def test_reply_without_the_marker_is_the_whole_explanation():
    assert explanation_in(" it stains well ") == "it stains well"


def test_expected_step_is_parsed_from_lines():
    assert read_expected_step("Step 2 errs.\nExplanation: no link") == (2, "no link")
    assert read_expected_step("") == (None, "")


def test_factors_fall_to_70_and_30_percent_and_then_by_half():
    assert [step_factor(distance) for distance in (0, 1, 2, 3, 5)] == [1.0, 0.7, 0.3, 0.15, 0.0375]
