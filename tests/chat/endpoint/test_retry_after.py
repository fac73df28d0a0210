"""The wait that an endpoint asks for: milliseconds, seconds, or a date."""

import pytest

from semscale.chat.endpoint import read_retry_after


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "later", "retry-after": "3"}, 3.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT"}, 20.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}, 0.0),  # 40 seconds ago
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
    ],
)
def test_seconds_from_now(headers, seconds):
    assert read_retry_after(headers, now=100.0) == seconds


@pytest.mark.parametrize("now", [-1e8, 0.0, 1e8])
def test_a_date_counts_from_the_time_of_the_endpoint(now):
    headers = {"retry-after": "Thu, 01 Jan 1970 00:02:00 GMT", "date": "Thu, 01 Jan 1970 00:01:50 GMT"}
    assert read_retry_after(headers, now=now) == 10.0
    assert read_retry_after(headers | {"date": "today"}, now=90.0) == 30.0
