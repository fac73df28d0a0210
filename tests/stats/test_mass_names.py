"""Names of points' columns: exact, so that close values do not share one."""

from semscale.stats.mass_names import mass_names


def test_values_that_six_digits_would_confuse_keep_their_names():
    assert mass_names([1000001, 1000002.0, 0.1234567]) == ("p_1000001", "p_1000002", "p_0.1234567")


def test_whole_and_negative_values():
    assert mass_names([-1.5, -1.0, 0.0, 10.0]) == ("p_-1.5", "p_-1", "p_0", "p_10")
