"""Rows of a self-test, and its table."""

import pytest

from semscale.drift.self_testing.results import SelfTest, SelfTestRow
from semscale.errors import UnknownNameError
from semscale.signature import Signature
from semscale.stats.intervals import wilson_interval

NOTHING = wilson_interval(0, 0)


def row(kind, *, is_harmful, share=1.0, failed=0, n=4, by_metric=None):
    shares = [wilson_interval(hits, n) for hits in (failed, n - failed, 0)] if n else [NOTHING] * 3
    return SelfTestRow(kind, is_harmful, share, 30, 30, n, *shares, by_metric or {})


FOUND = SelfTest(
    (
        row("shuffle", is_harmful=False),
        row("negate", is_harmful=True, share=0.5, failed=3, by_metric={"match": 0.25, "silence": 0.75}),
        row("negate", is_harmful=True, failed=4, n=0),
    ),
    0,
    Signature.of("self-test"),
)


def test_harmless_and_harmful_rows():
    assert [row.kind for row in FOUND.false_alarms] == ["shuffle"]
    assert [(row.kind, row.share) for row in FOUND.detections] == [("negate", 0.5), ("negate", 1.0)]


def test_the_metric_that_failed_most_often():
    assert FOUND.row("negate", 0.5).detected_by == "silence"
    assert FOUND.row("shuffle").detected_by is None


def test_a_row_that_is_not_there():
    with pytest.raises(UnknownNameError, match=r"shuffle at 1, negate at 0\.5, negate at 1, got drop at 1"):
        FOUND.row("drop")


def test_the_table_has_null_where_nothing_was_drawn():
    frame = FOUND.to_frame()
    assert frame["failed"].to_list() == [0.0, 0.75, None]
    assert frame["failed_low"].to_list()[2] is None
    assert frame["detected_by"].to_list() == [None, "silence", None]


def test_json_says_what_intervals_cover():
    assert FOUND.record()["interval"] == 0.95
