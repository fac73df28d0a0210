"""Seals: what they hash, what fits them, and which ones are last."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from semscale.history.seals import Entry, EntryKind, hash_of, heads_of, parents_first, seal

ENTRY = Entry(EntryKind.RUN, "r1", "exam", "content", "parts")


def test_the_hash_is_that_of_everything_in_the_seal():
    made = seal(ENTRY, ["b", "a"])
    expected = {
        "content": "content",
        "dataset": "exam",
        "entry_id": "r1",
        "is_late": False,
        "kind": "run",
        "parents": ["a", "b"],
        "parts": "parts",
    }
    assert made.hash == hashlib.sha256(json.dumps(expected).encode()).hexdigest()


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "approval"},
        {"entry_id": "r2"},
        {"dataset": "essay"},
        {"content": "other"},
        {"parts": "other"},
        {"parents": ("c",)},
        {"is_late": True},
    ],
)
def test_another_attribute_is_another_hash(change):
    made = seal(ENTRY, ["a"])
    assert replace(made, **change).hash != made.hash


def test_what_fits():
    made = seal(ENTRY, [])
    assert made.fits(ENTRY)
    assert made.fits(replace(ENTRY, parts=None))
    assert not made.fits(replace(ENTRY, parts="other"))
    assert not made.fits(replace(ENTRY, content="other"))
    assert not made.fits(replace(ENTRY, dataset="essay"))


def test_a_fork_has_two_heads_and_the_next_entry_joins_them():
    first = seal(ENTRY, [])
    left, right = (seal(replace(ENTRY, id=name), [first.hash]) for name in ("left", "right"))
    assert heads_of([first]) == [first.hash]
    assert heads_of([left, first, right]) == sorted([left.hash, right.hash])
    joined = seal(replace(ENTRY, id="joined"), [left.hash, right.hash])
    assert heads_of([joined, left, first, right]) == [joined.hash]
    ordered = parents_first({one.hash: one for one in (joined, right, left, first)})
    assert ordered[0] == first
    assert ordered[-1] == joined
    assert set(ordered) == {first, left, right, joined}


def test_a_seal_that_names_itself_does_not_hang():
    changed = replace(seal(ENTRY, []), parents=("forged",))
    assert parents_first({"forged": changed}) == [changed]


def test_a_moment_counts_in_utc():
    here = datetime(2026, 3, 1, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    assert hash_of([here]) == hash_of([datetime(2026, 3, 1, 12, 0, tzinfo=UTC)])
    assert hash_of([here]) != hash_of([datetime(2026, 3, 1, 14, 0, tzinfo=UTC)])
