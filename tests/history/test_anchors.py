"""Anchor sets: what they may contain, frozen once, and readings of them."""

from datetime import datetime

import numpy as np
import pytest
from sqlalchemy import text
from tests.support.stored_anchors import an_anchor_set, pairs, some_readings
from tests.support.stored_runs import DAY, START, a_comparison, a_run

from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorPair


def test_a_hash_stands_for_texts_labels_and_their_order():
    digest = an_anchor_set().digest
    assert len(digest) == 12
    assert an_anchor_set(name="other", dataset="other", id="x").digest == digest
    assert an_anchor_set(pairs=pairs()[::-1]).digest != digest
    first, *rest = pairs()
    for changed in (
        AnchorPair(first.id, first.reference + " ", first.output, first.label),
        AnchorPair(first.id, first.reference, first.output, 0.5),
    ):
        assert an_anchor_set(pairs=(changed, *rest)).digest != digest


@pytest.mark.parametrize("n", [0, 9, 501])
def test_too_few_or_too_many_pairs_are_refused(n):
    with pytest.raises(InputError, match=f"an anchor set needs 10 to 500 pairs, got {n}"):
        an_anchor_set(pairs=pairs(n))


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (AnchorPair("0", "a", "b"), "ids of anchors must occur once, got '0' more than once"),
        (AnchorPair("x", " ", "b"), "anchor 'x' has no reference"),
        (AnchorPair("x", "a", "\n"), "anchor 'x' has no output"),
        (AnchorPair("x", "a", "b", 3.0), "label of anchor 'x' must lie in 0 to 1, got 3: .*human_range"),
    ],
)
def test_a_pair_that_cannot_be_measured_is_refused(pair, said):
    with pytest.raises(InputError, match=said):
        an_anchor_set(pairs=(*pairs(), pair))


@pytest.fixture
def filled(history):
    """A set with its reference and a later reading."""
    history.anchors.freeze(an_anchor_set(), [some_readings(id="reference")])
    later = some_readings(id="later", is_reference=False, comparison_id="c", measured=START + DAY)
    history.anchors.add([later])
    return history


def change(history, statement):
    with history._database.writing() as connection:
        connection.execute(text(statement))


def test_what_is_stored_comes_back(filled):
    (stored,) = filled.anchors.sets("answers")
    assert stored == an_anchor_set()
    assert filled.anchors.sets("other") == []
    first, later = filled.anchors.readings("the-anchors")
    assert (first.id, first.is_reference, first.comparison_id) == ("reference", True, None)
    assert (later.id, later.is_reference, later.comparison_id) == ("later", False, "c")
    assert later.measured == START + DAY
    np.testing.assert_array_equal(first.readings["match"], some_readings().readings["match"])
    assert filled.anchors.readings("the-anchors", signature="another") == []


def test_anchor_set_name_is_unique_within_a_dataset(filled):
    with pytest.raises(InputError, match="dataset 'answers' has an anchor set 'pairs': it never changes"):
        filled.anchors.freeze(an_anchor_set(id="other", pairs=pairs(said="No")))
    filled.anchors.freeze(an_anchor_set(id="other", dataset="feedback"))
    filled.anchors.freeze(an_anchor_set(id="another", name="pairs-2", frozen=START + DAY))
    assert [entry.name for entry in filled.anchors.sets("answers")] == ["pairs", "pairs-2"]


def test_nothing_is_stored_of_a_set_whose_readings_cannot_be(history):
    history.anchors.freeze(an_anchor_set(), [some_readings(id="reference")])
    with pytest.raises(InputError, match="the history has readings 'reference' already"):
        history.anchors.freeze(an_anchor_set(id="b", name="b"), [some_readings(id="reference", set_id="b")])
    assert [entry.name for entry in history.anchors.sets("answers")] == ["pairs"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("setting", "read", "named"),
    [
        ("body = replace(body, 'pairs', 'x') WHERE kind = 'anchor set'", "sets", "anchor set 'the-anchors'"),
        ("body = replace(body, 'Yes', 'No')", "sets", "anchor set"),
        ("body = '{}' WHERE kind = 'anchor readings'", "readings", "anchor readings 'reference'"),
        ("subject = 'the-anchors ' WHERE id = 'the-anchors'", "sets", "anchor set 'the-anchors'"),
    ],
)
def test_what_was_changed_is_refused_and_named(filled, setting, read, named):
    assert filled.verify().holds
    assert filled.verify().n_entries == 3
    change(filled, f"UPDATE semscale_entries SET {setting}")
    with pytest.raises(InputError, match=f"{named}.* is not what was stored"):
        filled.anchors.sets("answers") if read == "sets" else filled.anchors.readings("the-anchors")
    assert any(str(flaw).startswith(named) for flaw in filled.verify().flaws)


def test_readings_that_were_deleted_leave_a_gap(filled):
    change(filled, "DELETE FROM semscale_entries WHERE id = 'later'")
    (flaw,) = filled.verify().flaws
    assert (flaw.kind, flaw.id, flaw.why) == (
        "anchor readings",
        "later",
        "it is missing, but its link exists",
    )


def test_a_comparison_knows_whether_its_ruler_had_moved_by_its_last_readings(history):
    history.record(a_run(id="the-baseline"))
    history.anchors.freeze(an_anchor_set(), [some_readings(id="reference")])
    names = ("held", "moved", "moved, then held")
    for day, name in enumerate(names):
        run = a_run(id=f"of {name}", recorded=START + day * DAY, note=name)
        stored = a_comparison(id=name, baseline_id="the-baseline", candidate_id=run.id, compared=run.recorded)
        history.record_comparison(stored, candidate=run)
    read = [("held", False), ("moved", True), ("moved, then held", True), ("moved, then held", False)]
    history.anchors.add(
        [
            some_readings(
                is_reference=False, comparison_id=name, has_moved=moved, measured=START + (at + 5) * DAY
            )
            for at, (name, moved) in enumerate(read)
        ]
    )
    assert [entry.has_moved for entry in history.anchors.readings("the-anchors")] == [
        False,
        False,
        True,
        True,
        False,
    ]
    assert {entry.id: entry.ruler_moved for entry in history.comparisons()} == {
        "held": False,
        "moved": True,
        "moved, then held": False,
    }
    assert [entry.ruler_moved for entry in history.comparisons(baseline_id="another")] == []


@pytest.mark.parametrize("wrong", [{"dataset": "a\0"}, {"frozen": datetime(2026, 1, 1)}])
def test_what_no_database_can_store_is_refused(history, wrong):
    with pytest.raises(InputError, match="dataset must be text|frozen must have a time zone"):
        history.anchors.freeze(an_anchor_set(**wrong))


def test_every_sign_survives_a_database(history):
    hard = AnchorPair("\0", "a\ud800", "😀 “b”", 1 / 3)
    history.anchors.freeze(an_anchor_set(pairs=(hard, *pairs())))
    assert history.anchors.sets("answers")[0].pairs[0] == hard
