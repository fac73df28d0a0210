import pytest

from semscale.drift.limits.kinds import LIMITS, limits_in_force, most_allowed, read_limits
from semscale.errors import InputError, UnknownNameError


def test_every_limit_is_in_force_unless_it_is_off():
    assert limits_in_force({}) == {
        "missing": 0,
        "silenced": 0,
        "refused": 0,
        "lost_outputs": 0,
        "lost_fields": 0,
        "changed_numbers": 0.25,
        "fewer_outputs": 0.05,
        "fewer_numbers": 0.33,
    }
    assert set(limits_in_force({name: "off" for name in LIMITS})) == set()


@pytest.mark.parametrize(("allowed", "n", "most"), [(0, 30, 0), (0.1, 30, 3), (1, 30, 1), (5, 3, 5)])
def test_a_number_below_one_is_a_share(allowed, n, most):
    assert most_allowed(allowed, n) == pytest.approx(most)


@pytest.mark.parametrize("value", [-1, 1.5, "two", True, float("nan"), float("inf"), None])
def test_a_value_that_is_no_number_of_items_is_refused(value):
    with pytest.raises(InputError, match="silenced must be a number of items, a share"):
        read_limits({"silenced": value})


def test_an_unknown_limit_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'silenced'"):
        read_limits({"silence": 1})


def test_a_bare_off_of_yaml_is_off():
    assert read_limits({"lost_fields": False}) == {"lost_fields": "off"}
