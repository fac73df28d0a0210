"""Identifiers, and numbers, dates and words that are none; normal forms were written by hand."""

import pytest

from semscale.guards.figures import find_identifiers


@pytest.mark.parametrize(
    ("text", "kind", "shown", "normal"),
    [
        ("It is 192.168.0.1.", "address", "192.168.0.1", "192.168.0.1"),
        ("in 10.0.0.0/8", "address", "10.0.0.0/8", "10.0.0.0/8"),
        ("It is 2001:DB8:0::1.", "address", "2001:DB8:0::1", "2001:db8::1"),
        ("00-1A-2B-3C-4D-5E", "address", "00-1A-2B-3C-4D-5E", "00:1a:2b:3c:4d:5e"),
        ("Ask Anna@Example.org.", "address", "Anna@Example.org", "anna@example.org"),
        ("(see https://example.org/a/).", "address", "https://example.org/a/", "https://example.org/a"),
        ("Open the-report_v1.PDF, please", "file", "the-report_v1.PDF", "the-report_v1.pdf"),
        ("since v2.10", "version", "2.10", "2.10"),
        ("since version 2.0.0", "version", "2.0.0", "2"),
        ("needs 3.11.4 or so", "version", "3.11.4", "3.11.4"),
        ("ISBN 978-3-16-148410-0", "digits", "978-3-16-148410-0", "9783161484100"),
        ("Dial +44 20 7946 0958", "digits", "+44 20 7946 0958", "442079460958"),
        ("phone: 555 0142", "digits", "555 0142", "5550142"),
    ],
)
def test_identifiers_and_their_normal_forms(text, kind, shown, normal):
    (found,) = find_identifiers(text)
    assert (found.kind, text[found.start : found.end], found.values[0]) == (kind, shown, normal)


@pytest.mark.parametrize(
    "text",
    [
        "on 2020-05-03 or 03.05.2020",
        "from 1939-1945",
        "100-2000 people",
        "at 10:30:15",
        "1.000.000 people",
        "300.1.1.1.1.1",
        "It ended. Then it began",
        "the score was 3-1",
        "a :: b",
        "\u0663.\u0663",
    ],
)
def test_dates_ranges_times_and_numbers_are_none(text):
    assert find_identifiers(text) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("piece", ["a", "1.", "1-", "a.", "a@", ":", "10.0.0.1 "])
def test_long_texts_are_read_in_seconds(piece):
    # A pattern that looks back over everything would take minutes here.
    assert len(find_identifiers(piece * 30_000)) in (0, 30_000)
