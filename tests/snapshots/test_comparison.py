"""Outputs without a partner, and whether a limit was breached."""

import pytest

from semscale.history.items import Output
from semscale.snapshots.compare_outputs import Breach, SnapshotComparison, SnapshotPair

OUTPUTS = tuple(Output(text) for text in "abc")
BREACH = Breach("min_match", 0.5, 0.25)


def test_outputs_without_a_partner():
    compared = SnapshotComparison(OUTPUTS, OUTPUTS[:2], (SnapshotPair(2, 0),))
    assert (compared.missing, compared.extra) == ((0, 1), (1,))


@pytest.mark.parametrize(
    ("pairs", "breaches", "passed"),
    [
        ((SnapshotPair(0, 0),), (), True),
        ((SnapshotPair(0, 0, breaches=(BREACH,)),), (), False),
        ((SnapshotPair(0, 0),), (BREACH,), False),
        ((), (), True),
    ],
)
def test_it_passes_if_nothing_is_breached(pairs, breaches, passed):
    assert SnapshotComparison(OUTPUTS[:1], OUTPUTS[:1], pairs, breaches).passed is passed
