import pytest

from semscale.drift.measure.field_directions import read_directions
from semscale.errors import InputError


def test_either_is_the_usual_direction():
    assert read_directions({"credits": "either", "cost": "lower", "score": "higher"}) == {
        "cost": "lower",
        "score": "higher",
    }


def test_another_direction_is_refused():
    with pytest.raises(InputError, match="fields, cost must be one of lower, higher, either, got 'less'"):
        read_directions({"cost": "less"})
