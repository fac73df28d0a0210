import pytest

from semscale.stats.testing.bisection import smallest_enough


@pytest.mark.parametrize("wanted", [3, 4, 7, 99, 100])
def test_finds_the_first_that_is_enough(wanted):
    assert smallest_enough(lambda n: n >= wanted, 3, 100) == wanted


def test_the_least_is_taken_where_all_are_enough():
    assert smallest_enough(lambda n: True, 3, 100) == 3


def test_none_where_nothing_is_enough_or_there_is_nothing_to_try():
    assert smallest_enough(lambda n: False, 3, 100) is None
    assert smallest_enough(lambda n: True, 3, 2) is None
