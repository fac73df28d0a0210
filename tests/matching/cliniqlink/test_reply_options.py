import pytest

from semscale.matching.cliniqlink import (
    find_chosen_option,
    find_chosen_options,
    option_key,
    true_or_false,
)

OPTIONS = ["3% - 30%", "Apo B-48", "water, salt", "D"]


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("True", True),
        ("**false**.", False),
        ("TRUE because", True),
        ("Falsehood", None),
        ("Not true", None),
        ("", None),
    ],
)
def test_only_a_reply_that_starts_with_a_verdict_has_a_verdict(reply, verdict):
    assert true_or_false(reply) is verdict


def test_keys_ignore_case_accents_and_marks_but_not_percent_signs():
    assert option_key("Élan (vital)") == option_key("elan vital")
    assert option_key("3%") != option_key("3")


@pytest.mark.parametrize(
    ("reply", "key"),
    [
        ("3% – 30%.", "3% 30%"),
        ("b", "apo b 48"),
        ("(B) Apo B-48", "apo b 48"),
        ("A: Apo B-48", None),  # letter and text differ
        ("D", "d"),  # an option's own text comes before its letter
        ("C", "water, salt"),
        ("E", None),
        ("A, B", None),  # more than one
        ("", None),
    ],
)
def test_option_is_chosen_by_text_or_letter(reply, key):
    assert find_chosen_option(reply, OPTIONS) == key


@pytest.mark.parametrize(
    ("reply", "chosen", "unknown"),
    [
        ("A, B", {"3% 30%", "apo b 48"}, set()),
        ("water, salt, B", {"water, salt", "apo b 48"}, set()),
        ("A. 3% - 30% B. Apo B-48", {"3% 30%", "apo b 48"}, set()),
        ("B\nC", {"apo b 48", "water, salt"}, set()),
        ("B, iron", {"apo b 48"}, {"iron"}),
        ("B\n\nBecause A and C are wrong", {"apo b 48"}, set()),
        ("", set(), set()),
    ],
)
def test_lists_of_options_are_split_without_tearing_options(reply, chosen, unknown):
    assert find_chosen_options(reply, OPTIONS) == (chosen, unknown)
