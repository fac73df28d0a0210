"""The damage to numbers, on sentences whose damaged form was written by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.damage.rewriting import change_numbers

RENUMBERED = {
    "It takes 20 ms.": "It takes 43 ms.",  # 2 * 20 + 3
    "Only 0.1 s.": "Only 3.2 s.",  # 2 * .1 + 3
    "Of 1,000 users": "Of 2,003 users",
    "In 2004, 2nd place": "In 1987, 7th place",  # 17 years earlier; 2 * 2 + 3
    "About 90% or 10 %": "About 30% or 23 %",  # 183 would pass 100: 90 / 3; 2 * 10 + 3
    "Lines 7-10, 30fps": "Lines 17-23, 63fps",
    "Two players, three cars": "Five players, seven cars",
    "Focus on one category.": "Focus on four categories.",
    "1. Take 5": "1. Take 13",  # the list's own number stays
    "Pros:  1) 3 buttons": "Pros:  1) 9 buttons",
}


@pytest.mark.parametrize(("text", "expected"), RENUMBERED.items())
def test_numbers_are_replaced(text, expected):
    assert change_numbers(text) == expected


@pytest.mark.parametrize(
    "text", ["mp3 in 3D", "no one knows", "this one is", "one of them", "", "B2B 1.2.3 &#38;"]
)
def test_texts_without_numbers_are_unchanged(text):
    assert change_numbers(text) is None


@given(st.lists(st.integers(0, 10**7), min_size=1))
def test_all_numbers_differ_after_the_replacement(numbers):
    text = " and ".join(map(str, numbers))
    changed = change_numbers(text)
    assert changed is not None
    assert all(old != new for old, new in zip(text.split(" and "), changed.split(" and "), strict=True))
