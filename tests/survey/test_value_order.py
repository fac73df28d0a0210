"""The order of answers from their labels alone: worded scales, numbers, and sets without an order."""

import random
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from semscale.survey.value_order import order_labels

SETS = yaml.safe_load((Path(__file__).parent / "label_orders.yaml").read_text(encoding="utf-8"))


def split(line):
    return [label.strip(" ") for label in line.split(" | ")]


def shuffle(labels, seed=0):
    """Return the labels in a reproducible order that differs from the right one."""
    mixed = list(labels)
    random.Random(seed).shuffle(mixed)
    return mixed if mixed != labels else mixed[::-1]


@pytest.mark.parametrize("line", [line for lines in SETS["worded"].values() for line in lines])
def test_worded_scale_has_its_order_and_scores(line):
    labels = split(line)
    order = order_labels(shuffle(labels))
    assert order is not None
    assert list(order.labels) == labels
    assert list(order.scores) == list(range(1, len(labels) + 1))


@pytest.mark.parametrize("line", SETS["rates"])
def test_rates_go_from_seldom_to_often(line):
    labels = split(line)
    order = order_labels(shuffle(labels))
    assert order is not None
    assert list(order.labels) == labels
    assert list(order.scores) == list(range(1, len(labels) + 1))


@pytest.mark.parametrize("line", SETS["points"])
def test_points_have_the_numbers_of_their_labels_as_scores(line):
    labels = split(line)
    order = order_labels(shuffle(labels))
    assert order is not None
    assert list(order.labels) == labels
    numbers = [label.count("★") or int(re.search(r"^-?\d+|\d+", label)[0]) for label in labels]
    assert list(order.scores) == numbers


@pytest.mark.parametrize("line", SETS["categories"])
def test_ordered_categories_have_no_scores(line):
    labels = split(line)
    order = order_labels(shuffle(labels))
    assert order is not None
    assert list(order.labels) == labels
    assert order.scores is None


@pytest.mark.parametrize("case", SETS["gaps"], ids=lambda case: case["labels"])
def test_scores_keep_the_steps_of_unused_answers(case):
    labels = split(case["labels"])
    order = order_labels(shuffle(labels))
    assert order is not None
    assert list(order.labels) == labels
    assert list(order.scores) == case["scores"]


@pytest.mark.parametrize("line", SETS["none"])
def test_labels_without_an_order_have_none(line):
    assert order_labels(split(line)) is None


def test_labels_that_differ_in_case_blanks_and_forms_are_one_answer():
    order = order_labels(
        ["Zadowolony/a", "bardzo  zadowolony", "Niezadowolony", "zadowolony", "Bardzo zadowolony/a"]
    )
    assert order is not None
    assert order.labels == (
        "Niezadowolony",
        "Zadowolony/a",
        "zadowolony",
        "bardzo  zadowolony",
        "Bardzo zadowolony/a",
    )
    assert order.scores == (2, 3, 3, 4, 4)


def test_two_answers_have_an_order_without_scores():
    order = order_labels(["Very satisfied", "Satisfied"])
    assert order is not None
    assert order.labels == ("Satisfied", "Very satisfied")
    assert order.scores is None


@pytest.mark.parametrize("labels", [[], ["Agree"], ["Agree", "agree "], ["Agree", "Neutral", ""]])
def test_too_few_or_empty_labels_have_no_order(labels):
    assert order_labels(labels) is None


def test_not_sure_beside_yes_and_no_has_no_score():
    order = order_labels(["Yes", "No", "Not sure"])
    assert order is not None
    assert order.labels == ("No", "Not sure", "Yes")
    assert order.scores is None


def test_not_sure_has_no_place_beside_a_neutral_answer():
    scale = ["Strongly agree", "Agree", "Neither agree nor disagree", "Disagree", "Strongly disagree"]
    assert order_labels(scale) is not None
    assert order_labels([*scale, "Not sure"]) is None


def test_grades_keep_their_numbers_and_say_that_low_is_good():
    order = order_labels(["1 - sehr gut", "2 - gut", "5 - mangelhaft"])
    assert order is not None
    assert order.scores == (1, 2, 5)
    assert order.reason == "numbers in the labels, whose words run from positive to negative"


@pytest.mark.parametrize(
    ("line", "confidence"),
    [
        ("Strongly disagree | Disagree | Neutral | Agree | Strongly agree", "high"),
        ("Neutral | Agree | Strongly agree", "medium"),
        ("1. Nike | 2. Adidas | 3. Puma", "low"),
    ],
)
def test_complete_scales_are_surer_than_gaps_and_unknown_words(line, confidence):
    assert order_labels(split(line)).confidence == confidence


WORDS = sorted(
    {word for lines in SETS["worded"].values() for line in lines for word in line.split() if word != "|"}
)
LABELS = st.lists(
    st.sampled_from([*WORDS, "0", "1", "18-24", "2.5", "every", "week", "$"]), min_size=1, max_size=4
)


@settings(deadline=None, max_examples=300)
@given(st.lists(LABELS.map(" ".join) | st.text(max_size=12), max_size=6), st.randoms(use_true_random=False))
def test_order_has_all_labels_and_does_not_depend_on_the_order_in_which_they_come(labels, rng):
    order = order_labels(labels)
    mixed = rng.sample(labels, len(labels))
    again = order_labels(mixed)
    if order is None:
        assert again is None
    else:
        assert sorted(order.labels) == sorted(labels)
        assert order.scores == again.scores
        assert order.scores is None or list(order.scores) == sorted(order.scores)
