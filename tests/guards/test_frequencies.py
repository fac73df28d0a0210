"""How often something happens."""

import pytest

from semscale.guards.registry import Guards


@pytest.mark.parametrize(
    ("one", "other"),
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
    ],
)
def test_one_rate_in_two_wordings_gives_no_finding(one, other):
    assert Guards().check(one, other) == Guards().check(other, one) == []


@pytest.mark.parametrize(
    ("one", "other", "here", "there"),
    [
        ("Take two tablets per day.", "Take two tablets per week.", "per day", "per week"),
        ("The bus runs twice a day.", "The bus runs once a day.", "twice a day", "once a day"),
        ("The bus comes every hour.", "The bus comes every day.", "every hour", "every day"),
        ("Rinse it every second day.", "Rinse it every day.", "every second day", "every day"),
        ("He was late once.", "He was late twice.", "once", "twice"),
    ],
)
def test_another_rate_is_another_number(one, other, here, there):
    (finding,) = Guards().check(one, other)
    assert (finding.guard, finding.kind) == ("number", "other-value")
    assert (finding.prediction.text, finding.reference.text) == (here, there)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Once he arrived, two people left.", "After he arrived, 2 people left."),
        ("It rains every day.", "It rains."),
        ("It took a second.", "It took one second."),
    ],
)
def test_once_and_a_rate_in_one_text_only_give_no_finding(one, other):
    assert Guards().check(one, other) == []
