"""What a comparison's document says of the ruler."""

from dataclasses import replace

import numpy as np
import pytest
from made_up_checks import a_check
from made_up_drift import comparison_of, decision_about

from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.ruler.label_errors import label_error
from semscale.report.drift import drift_document, ruler_cautions, ruler_section


def summary_of(check, outcome=Outcome.PASS):
    compared = comparison_of(20)
    return DriftSummary(compared, replace(decision_about(compared), outcome=outcome), ruler=check)


def test_without_anchors_there_is_no_section():
    assert list(ruler_section(summary_of(None))) == []
    assert list(ruler_cautions(summary_of(None))) == []


@pytest.mark.parametrize(
    ("status", "outcome", "said"),
    [
        ("kept", Outcome.FAIL, "are read as before. The system moved, and the ruler did not."),
        ("kept", Outcome.PASS, "are read as before. Neither the system nor the ruler moved."),
        ("kept", Outcome.UNDECIDED, "are read as before."),
        ("moved", Outcome.PASS, "The ruler moved; the gate shows nothing of the system."),
        ("moved", Outcome.FAIL, "The ruler moved, and the gate failed: whether the system moved, too,"),
        ("new", Outcome.PASS, "so that later runs can be checked."),
    ],
)
def test_one_sentence_says_what_moved(status, outcome, said):
    (section,) = ruler_section(summary_of(a_check(status), outcome))
    assert said in str(section.blocks[0])


def test_a_page_has_every_test_and_the_screen_has_them_where_the_ruler_moved():
    (kept,), (moved,) = (tuple(ruler_section(summary_of(a_check(status)))) for status in ("kept", "moved"))
    assert [kept.blocks[2].detail, moved.blocks[2].detail] == ["full", "both"]
    assert len(kept.blocks[2].rows) == 2


def test_errors_against_people_stand_beside_those_of_the_reference():
    now, before = (label_error("match", np.array([value] * 4), np.ones(4)) for value in (0.5, 0.75))
    (section,) = ruler_section(summary_of(a_check(errors=(now,), reference_errors=(before,))))
    (row,) = section.blocks[-1].rows
    # By hand: |0.5 - 1| now, |0.75 - 1| in the reference.
    assert (row[1].value, row[2].value) == (0.5, 0.25)


def test_another_ruler_is_a_caution_with_what_it_changed():
    check = a_check("new", declared={"layer": ("6", "5"), "x": (None, "y")}, apart={"match": 0.0312})
    (said,) = ruler_cautions(summary_of(check))
    assert said == (
        "another ruler than before reads the anchors (layer 6 → 5, x none → y); its readings lie apart from "
        "the former ones by match 0.0312 on average: do not compare figures of one with those of the other"
    )
    assert said in drift_document(summary_of(check)).cautions
