import numpy as np

from semscale.answer_consistency.scoring.baselines import exact_match_null, length_nulls
from semscale.matching.pairs import pair_up

PAIRS = pair_up(["Paris", None, "3.5"], [["paris!", "Rome"], ["x"], ["35", "3.5", "3.5 "]])


def test_equal_answers_are_counted_whatever_their_case_white_space_and_marks():
    # One of two; no answer; two of three, as a point between digits counts.
    np.testing.assert_allclose(exact_match_null(PAIRS)["exact_match_normalised"], [1 / 2, np.nan, 2 / 3])


def test_lengths_are_those_without_white_space_around():
    found = length_nulls(PAIRS)
    # (5/6 + 4/5) / 2; (2/3 + 1 + 1) / 3
    np.testing.assert_allclose(found["equal_lengths"], [49 / 60, np.nan, 8 / 9])
    np.testing.assert_allclose(found["brevity"], [1 / 6, np.nan, 1 / 4])
