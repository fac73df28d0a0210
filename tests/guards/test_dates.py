"""Dates, times of time zones and weekdays: other notations agree, other days do not."""

import pytest

from semscale.guards.number_guard import figure_findings
from semscale.guards.registry import GUARDS, Guards


def differ(first, second):
    return [
        (finding.kind, finding.prediction.text, finding.reference.text)
        for finding in GUARDS["number"].check(first, second)
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Due on 2025-03-04.", "Due on 4 March 2025."),
        ("Due on 2025-03-04.", "Due on March 4th, 2025."),
        ("Due on 2025-03-04.", "Due on 04.03.2025."),
        ("Due on 2025-03-04.", "Due on 3/4/2025."),  # month first
        ("Due on 2025-03-04.", "Due on 4/3/2025."),  # day first
        ("Due on 2025-03-04.", "Due on 20250304."),
        ("Due on 4 March.", "Due on the fourth of March."),
        ("Due on 4 March.", "Due on 4 March 2025."),
        ("It lasts from 3 to 5 May.", "It lasts May 3-5."),
        ("It opened in 06/2021.", "It opened in June 2021."),
        ("It is from the '70s.", "It is from the 1970s."),
        ("It is from the seventies.", "It is from the 1970s."),
        ("Sales grew in Q2.", "Sales grew in the second quarter."),
        ("The call is at 15:00 CET.", "The call is at 14:00 UTC."),
        ("The call is at 9:00 am ET.", "The call is at 9 a.m. Eastern time."),
        ("Logged at 2024-05-01T08:30:00Z.", "Logged on 1 May 2024 at 8:30 UTC."),
    ],
)
def test_same_date_or_time_in_two_notations_has_no_finding(first, second):
    assert Guards().check(first, second) == Guards().check(second, first) == []


@pytest.mark.parametrize(
    ("first", "second", "here", "there"),
    [
        ("Due on 2025-03-04.", "Due on 2025-04-03.", "2025-03-04", "2025-04-03"),
        ("Due on 03/04/2025.", "Due on 04/03/2025.", "03/04/2025", "04/03/2025"),
        ("Due on 2025-03-04.", "Due on 4 May 2025.", "2025-03-04", "4 May 2025"),
        ("Due on 3 March.", "Due on March 13th.", "3 March", "March 13th"),
        ("Due on the fifth of June.", "Due on the sixth of June.", "fifth of June", "sixth of June"),
        ("It is from the sixties.", "It is from the fifties.", "sixties", "fifties"),
        ("The call is at 15:30 CET.", "The call is at 15:30 PST.", "15:30 CET", "15:30 PST"),
    ],
)
def test_different_date_is_a_single_finding_about_the_whole_date(first, second, here, there):
    assert differ(first, second) == [("other-value", here, there)]
    assert [finding.guard for finding in Guards().check(first, second)] == ["number"]


def test_ends_of_a_period_that_change_their_months_differ():
    assert differ("from 1 May to 3 June", "from 3 May to 1 June") == [
        ("other-value", "1 May", "3 May"),
        ("other-value", "3 June", "1 June"),
    ]


@pytest.mark.parametrize(
    "text", ["You may 3 times.", "The second may fail.", "2 out of 3 failed.", "Version 1.2.3"]
)
def test_terms_and_versions_that_resemble_dates_are_not_compared_with_dates(text):
    assert not any(
        finding.kind == "other-value" for finding in Guards().check(text, f"{text} On 4 May 2025.")
    )


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("de", "Am 3. März 2025", "Am 3. Mai 2025"),
        ("de", "Bis 2025-03-04", "Bis 2025-04-03"),
        ("fr", "Le 4 mars 2025", "Le 4 mai 2025"),
        ("es", "El 4 de marzo de 2025", "El 4 de mayo de 2025"),
        ("ru", "5 марта 2024", "5 мая 2024"),
        ("ja", "2025年3月4日", "2025年4月3日"),
    ],
)
def test_dates_of_other_languages_are_compared(language, first, second):
    (finding,) = figure_findings(first, second, languages=(language, language))
    assert finding.prediction.text in first
    assert figure_findings(first, first.replace(" 2025", " 2025 "), languages=(language, language)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Bis 4.3.2025", "Bis 2025-03-04"),
        ("Am 4. März 2025", "Am 04.03.2025"),
        ("Vom 3. bis 5. Mai", "3.–5. Mai"),
    ],
)
def test_notations_of_german_dates_agree(first, second):
    assert figure_findings(first, second, languages=("de", "de")) == []


@pytest.mark.parametrize(
    ("first", "second", "agree"),
    [
        ("The shop is open Monday to Friday.", "The shop is closed at weekends.", True),
        ("The shop is closed on Sundays.", "The shop is open Monday to Saturday.", True),
        ("The bar is open at night.", "The bar is closed during the day.", True),
        ("The shop is open Monday to Friday.", "The shop is closed on Fridays.", False),
        ("The bar is open at night.", "The bar is closed at night.", False),
        ("Shares closed higher on Tuesday.", "Shares closed lower on Wednesday.", False),
    ],
)
def test_opposed_statements_about_other_times_agree(first, second, agree):
    assert bool(Guards().check(first, second)) is bool(Guards().check(second, first)) is not agree
