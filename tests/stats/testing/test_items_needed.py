import pytest

from semscale.stats.testing.items_needed import (
    needed_for_significance,
    needed_to_exclude,
    signs_needed,
)


def test_significance_by_the_t_table():
    # t(.95, 12) = 1.7823: 1.7823 / sqrt(13) = .4943 <= .5; t(.95, 11) = 1.7959 / sqrt(12) = .5184 is not.
    assert needed_for_significance(0.5, 1.0, 0.05) == 13


def test_without_a_spread_signs_decide():
    # 2 ** -4 = .0625, 2 ** -5 = .03125; 2 ** -9 = .00195 > .001 > 2 ** -10
    assert signs_needed(0.05) == 5
    assert needed_for_significance(0.4, 0.0, 0.001) == 10


def test_no_number_shows_what_is_not_there():
    assert needed_for_significance(0.0, 1.0, 0.05) is None
    assert needed_for_significance(-0.1, 1.0, 0.05) is None
    assert needed_for_significance(0.1, float("nan"), 0.05) is None
    assert needed_for_significance(1e-9, 1.0, 0.05) is None


def test_signs_are_below_alpha_and_not_at_it():
    assert signs_needed(0.25) == 3  # 2 ** -2 is .25 itself


@pytest.mark.parametrize(("share", "needed"), [(0.05, 59), (0.5, 5), (1.0, 1)])
def test_items_without_an_event_exclude_a_share(share, needed):
    # .95 ** 59 = .0485 and .95 ** 58 = .0510; .5 ** 5 = .031 and .5 ** 4 = .0625.
    assert needed_to_exclude(share, 0.95) == needed
