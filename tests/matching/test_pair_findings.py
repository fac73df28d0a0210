import numpy as np

from semscale.guards.registry import Guards
from semscale.matching.pair_findings import find_in_pairs
from semscale.matching.pairs import pair_up

PAIRS = pair_up(
    ["Give 50 mg.", "It is not a lung.", None, "It beats."],
    [["Give it.", "Give 0.5 mg."], ["It is a lung."], ["x"], ["It beats."]],
)


def test_the_named_pairs_are_looked_at_and_items_keep_their_places():
    found = find_in_pairs(PAIRS, np.array([1, 2, 3]), Guards())
    assert [[one.guard for one in row] for row in found] == [["number"], ["negation"], [], []]
    assert found[0][0].reference.text == "0.5 mg"


def test_guards_that_are_off_find_nothing():
    found = find_in_pairs(PAIRS, np.array([1, 2]), Guards({"number": "off"}))
    assert found[0] == ()
    assert found[1] != ()
