"""Parts of the body that are clear, and findings in them; what contradicts what was decided by hand."""

import pytest

from semscale.guards.polarity import contradicting_findings, read_polarity
from semscale.guards.words import TextWords


def clashes(one, other):
    return contradicting_findings(*(read_polarity(TextWords(text)) for text in (one, other)))


@pytest.mark.parametrize(
    ("one", "other", "places"),
    [
        ("The lung is clear.", "There is an infiltrate.", [(3, 3)]),
        ("The lungs are clear.", "An effusion of the chest.", [(3, 1)]),
        ("The X-ray is normal.", "The knee shows a fracture.", [(5, 4)]),
        ("The lungs are not clear.", "No infiltrate in the lungs.", [(4, 1)]),
    ],
)
def test_a_clear_part_and_a_finding_in_it_contradict_each_other(one, other, places):
    assert clashes(one, other) == places
    assert clashes(other, one) == [(there, here) for here, there in places]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The lung is clear.", "There is no infiltrate."),
        ("The lungs are clear.", "There is a fracture of the knee."),
        ("The answer is clear.", "There is a mass of evidence."),
        ("The lungs are clear, the knee has a fracture.", "There is a fracture."),
        ("The lungs are clear.", "There is an infiltrate, but no effusion."),
    ],
)
def test_denied_findings_other_parts_and_mixed_reports_do_not(one, other):
    assert clashes(one, other) == clashes(other, one) == []
