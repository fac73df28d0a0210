import numpy as np

from semscale.guards.registry import Guards
from semscale.matching.pairs import find_in_pairs, pair_up

PAIRS = pair_up(
    ["Give 50 mg.", "It is not a lung.", None, "It beats."],
    [["Give it.", "Give 0.5 mg."], ["It is a lung."], ["x"], ["It beats."]],
)


def test_findings_of_selected_pairs_keep_item_positions():
    findings, guarded = find_in_pairs(PAIRS, np.array([1, 2, 3]), Guards())
    assert [[finding.guard for finding in row] for row in findings] == [["number"], ["negation"], [], []]
    assert guarded.tolist() == [True, True, False, True]
    assert findings[0][0].reference.text == "0.5 mg"


def test_guards_that_are_off_find_nothing():
    findings, _ = find_in_pairs(PAIRS, np.array([1, 2]), Guards({"number": "off"}))
    assert findings[0] == ()
    assert findings[1] != ()


def test_pairs_in_other_languages_are_passed_over():
    english, german = "It is not safe at all.", "Das ist überhaupt nicht sicher."
    pairs = pair_up(
        [english, german, german], ["It is safe at all.", "It is safe at all.", "Das ist ganz sicher."]
    )
    findings, guarded = find_in_pairs(pairs, np.array([0, 1, 2]), Guards())
    assert [len(row) for row in findings] == [1, 0, 0]
    assert guarded.tolist() == [True, False, False]


def test_equal_pairs_are_checked_once():
    class CountingGuards(Guards):
        n_checks = 0

        def check(self, prediction, reference):
            self.n_checks += 1
            return super().check(prediction, reference)

    guards = CountingGuards()
    pairs = pair_up(["Take 5 mg.", "Take 7 mg.", "Take 5 mg."], ["Take 6 mg."] * 3)
    findings, _ = find_in_pairs(pairs, np.array([0, 1, 2]), guards)
    again, _ = find_in_pairs(pairs, np.array([2]), guards)
    assert guards.n_checks == 2
    assert findings[0] == findings[2] == again[2]
    assert findings[0] != findings[1]
