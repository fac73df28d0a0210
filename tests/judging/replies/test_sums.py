"""Sums that lead to a score."""

from semscale.judging.replies.sums import blank_sums


def test_a_right_sum_leaves_its_result():
    assert blank_sums("Score: 5 - 2 = 3").split() == ["Score:", "3"]
    assert blank_sums("Score: 2 + 1 = 3").split() == ["Score:", "3"]


def test_a_wrong_sum_stays():
    assert blank_sums("Score: 5 - 2 = 4") == "Score: 5 - 2 = 4"
