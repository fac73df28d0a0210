import numpy as np
from tests.conftest import ToyEmbedder

from semscale.matching.guarding import with_findings
from semscale.matching.guards import Guards
from semscale.matching.matcher import match

PREDICTIONS = ["Give 50 mg.", "It is not a lung.", None, "It beats."]
REFERENCES = [["Give it.", "Give 0.5 mg."], ["It is a lung."], ["x"], ["It beats."]]


def test_the_pair_that_was_scored_is_looked_at_and_scores_stay():
    matches = match(PREDICTIONS, REFERENCES, "cosine", model=ToyEmbedder())
    guarded = with_findings(matches, PREDICTIONS, REFERENCES, Guards())
    assert [[found.guard for found in row] for row in guarded.findings] == [["number"], ["negation"], [], []]
    assert guarded.findings[0][0].reference.text == "0.5 mg"
    np.testing.assert_array_equal(guarded.score, matches.score)
    assert matches.findings == ()


def test_guards_that_are_off_find_nothing():
    matches = match(PREDICTIONS, REFERENCES, "cosine", model=ToyEmbedder())
    found = with_findings(matches, PREDICTIONS, REFERENCES, Guards({"number": "off"})).findings
    assert found[0] == ()
    assert found[1] != ()
