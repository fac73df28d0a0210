"""Values that look like codes for a missing answer."""

import pytest

from semscale.tabulation.asked.likely_codes import likely_codes


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 2, 3, 4, 5, 8, 9], [8, 9]),
        ([1, 2, 3, 4, 5, 98, 99], [98, 99]),
        ([-99, -9, 1, 2, 3], [-99, -9]),
        ([1, 2, 3, 4, 5, 6, 7], []),
        ([0, 2, 4, 6, 8, 10], []),  # 10 is no customary code
        ([-2, -1, 1, 2], []),  # both sides are alike
        ([1, 9], []),
        ([], []),
    ],
)
def test_customary_codes_that_lie_apart(values, found):
    assert likely_codes(values) == found


@pytest.mark.parametrize(
    "label", ["Don't know", "Refused", "Don't know / not sure", "99 no answer", "weiß nicht"]
)
def test_labels_that_say_so(label):
    assert likely_codes([1, 2, 3], {"1": "bad", "3": label}) == [3]


@pytest.mark.parametrize("label", ["none", "Very good", "5", ""])
def test_other_labels_are_answers(label):
    assert likely_codes([1, 2, 3], {"3": label}) == []
