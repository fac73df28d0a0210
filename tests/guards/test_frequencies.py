"""How often something happens."""

import pytest

from semscale.guards.registry import Guards


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Take it twice a day.", "Take it two times daily."),
        ("Take it twice a day.", "Take it every 12 hours."),
        ("Take it 3 times per day.", "Take it thrice a day."),
        ("We meet every other week.", "We meet every two weeks."),
        ("We meet every other week.", "We meet fortnightly."),
        ("We meet biweekly.", "We meet every two weeks."),
        ("It is checked annually.", "It is checked once a year."),
        ("It appears quarterly.", "It appears every three months."),
        ("It runs every 30 minutes.", "It runs at intervals of 30 minutes."),
        ("You have 341 minutes a month.", "Each month, you have 341 minutes."),
        ("It costs 59 euros per month.", "It costs 59 euros monthly."),
        ("It costs 59 euros per month.", "The monthly fee is 59 euros."),
        ("They work 40 hours a week.", "They work 40 hours every week."),
    ],
)
def test_same_rate_in_two_wordings_has_no_finding(first, second):
    assert Guards().check(first, second) == Guards().check(second, first) == []


@pytest.mark.parametrize(
    ("first", "second", "here", "there"),
    [
        ("Take two tablets per day.", "Take two tablets per week.", "per day", "per week"),
        ("The bus runs twice a day.", "The bus runs once a day.", "twice a day", "once a day"),
        ("The bus comes every hour.", "The bus comes every day.", "every hour", "every day"),
        ("Rinse it every second day.", "Rinse it every day.", "every second day", "every day"),
        ("He was late once.", "He was late twice.", "once", "twice"),
    ],
)
def test_another_rate_is_another_number(first, second, here, there):
    (finding,) = Guards().check(first, second)
    assert (finding.guard, finding.kind) == ("number", "other-value")
    assert (finding.prediction.text, finding.reference.text) == (here, there)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It costs 59 euros per month.", "The yearly fee is 59 euros."),
        ("It costs 59 euros per month.", "It costs 59 euros."),
    ],
)
def test_an_amount_without_the_period_of_the_other_has_another_unit(first, second):
    (finding,) = Guards().check(first, second)
    assert (finding.guard, finding.kind) == ("number", "other-unit")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Once he arrived, two people left.", "After he arrived, 2 people left."),
        ("It rains every day.", "It rains."),
        ("It took a second.", "It took one second."),
    ],
)
def test_once_or_a_rate_in_a_single_text_has_no_finding(first, second):
    assert Guards().check(first, second) == []
