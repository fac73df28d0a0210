"""Freezing and checking with a history, and rulers that read what a test says."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_rulers import MadeUpRuler, anchors

from semscale.drift.ruler.checking import check_ruler, freeze_anchors, keep_check, read_again
from semscale.drift.ruler.ruler_check import RulerStatus
from semscale.errors import InputError
from semscale.history.history import open_history


@pytest.fixture
def history(tmp_path):
    with open_history(str(tmp_path / "history.sqlite")) as opened:
        yield opened


def checked(history, ruler, number=1):
    check = check_ruler(history, "answers", ruler)
    keep_check(history, check, f"comparison-{number}")
    return check


def test_a_dataset_without_anchors_has_no_check(history):
    assert check_ruler(history, "answers", MadeUpRuler(0.5)) is None


def test_a_ruler_that_stays_and_one_that_moves_under_the_same_name(history):
    freeze_anchors(history, anchors(), MadeUpRuler(0.5))
    for number in (1, 2, 3):
        kept = checked(history, MadeUpRuler(0.5), number)
        assert (kept.status, kept.runs) == (RulerStatus.KEPT, number)
        assert kept.words() == "the ruler did not move: 20 anchors of 'pairs' are read as before"
    moved = checked(history, MadeUpRuler(0.6), 4)
    assert moved.has_moved
    assert moved.words() == (
        "the ruler moved: it reads 20 anchors of 'pairs' in another way; on average match differs by 0.1"
    )
    # Every reading was stored once: the reference, and one for each run.
    stored = history.anchors.readings(history.anchors.sets("answers")[0].id)
    assert [one.comparison_id for one in stored] == [None, *(f"comparison-{at}" for at in (1, 2, 3, 4))]
    assert checked(history, MadeUpRuler(0.5), 5).status is RulerStatus.KEPT


def test_readings_taken_again_are_the_new_reference(history):
    frozen = freeze_anchors(history, anchors(), MadeUpRuler(0.5))
    assert checked(history, MadeUpRuler(0.6)).has_moved
    read_again(history, frozen, MadeUpRuler(0.6))
    again = checked(history, MadeUpRuler(0.6), 2)
    assert (again.status, again.runs) == (RulerStatus.KEPT, 1)


def test_a_ruler_with_other_settings_is_new_and_says_how_far_it_lies_from_the_former_one(history):
    freeze_anchors(history, anchors(), MadeUpRuler(0.5, name="small"))
    first = checked(history, MadeUpRuler(0.7, name="large"))
    assert (first.status, first.tests, first.runs) == (RulerStatus.NEW, (), 0)
    assert first.declared == {"model": ("small", "large")}
    assert first.apart == {"match": pytest.approx(0.2)}
    assert checked(history, MadeUpRuler(0.7, name="large"), 2).status is RulerStatus.KEPT
    assert checked(history, MadeUpRuler(0.5, name="small"), 3).runs == 1


def test_other_pairs_under_a_known_name_are_refused_by_their_hash(history):
    ruler = MadeUpRuler(0.5)
    frozen = freeze_anchors(history, anchors(), ruler)
    assert freeze_anchors(history, anchors(), ruler) == frozen
    assert ruler.n_read == 1
    changed = anchors(21)
    with pytest.raises(
        InputError,
        match=f"frozen with the hash {frozen.digest}, and these pairs have {changed.digest}: .*--name",
    ):
        freeze_anchors(history, changed, ruler)
    assert history.anchors.sets("answers") == [frozen]


def test_the_set_that_was_frozen_last_is_read(history):
    freeze_anchors(history, anchors(), MadeUpRuler(0.5))
    freeze_anchors(history, anchors(12, name="pairs-2"), MadeUpRuler(0.5))
    assert checked(history, MadeUpRuler(0.5)).name == "pairs-2"


def test_errors_against_labels_are_beside_those_of_the_reference(history):
    freeze_anchors(history, anchors(labels=[1.0] * 20), MadeUpRuler(0.8))
    check = checked(history, MadeUpRuler(0.6))
    # By hand: |0.8 - 1| before, |0.6 - 1| now.
    assert check.reference_errors[0].error.value == pytest.approx(0.2)
    assert check.errors[0].error.value == pytest.approx(0.4)
    assert [test.movement for test in check.movements] == ["changed", "farther"]


def test_a_ruler_with_noise_is_read_often_enough_to_know_it(history):
    rng = np.random.default_rng(1)
    frozen = freeze_anchors(history, anchors(60), MadeUpRuler(0.5, is_exact=False, repeats=8, noise=rng))
    assert len(history.anchors.readings(frozen.id)) == 8
    for number in range(1, 6):
        assert not checked(history, MadeUpRuler(0.5, is_exact=False, repeats=8, noise=rng), number).has_moved
    found = [
        checked(history, MadeUpRuler(0.6, is_exact=False, repeats=8, noise=rng), number).has_moved
        for number in range(6, 16)
    ]
    assert found[-1]


def test_a_reading_that_is_not_in_the_reference_is_not_tested(history):
    frozen = freeze_anchors(history, anchors(), MadeUpRuler(0.5))
    (reference,) = history.anchors.readings(frozen.id)
    further = replace(reference, id="x", readings={"other": reference.readings["match"]}, is_reference=False)
    history.anchors.add([further])
    check = checked(history, MadeUpRuler(0.5))
    assert [test.reading for test in check.tests] == ["match"]
    assert len(check.tests[0].evidence) == 1
