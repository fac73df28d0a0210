import pytest

from semscale.drift.directions import is_lower_by_name, read_directions, usual_direction
from semscale.drift.measure.metrics import field_metric
from semscale.errors import InputError


def test_a_direction_that_is_given_is_kept_either_too():
    # Without the last one a cost would be better where it is lower.
    given = {"credits": "lower", "score": "higher", "cost": "either"}
    assert read_directions(given) == given


@pytest.mark.parametrize(
    "field",
    ["cost", "Cost", "costs", "cost_usd", "price", "price-eur", "latency", "latency_ms", "latencyMs",
     "duration", "duration_seconds", "duration.s"],
)  # fmt: skip
def test_a_name_says_that_lower_is_better(field):
    assert is_lower_by_name(field)
    assert usual_direction(field) == "lower"


@pytest.mark.parametrize(
    "field",
    ["credits", "product_price", "price_rank", "cost_ms", "latency_usd", "costume", "ms", "", "score"],
)
def test_another_name_says_nothing(field):
    assert not is_lower_by_name(field)
    assert usual_direction(field) == "either"


@pytest.mark.parametrize("field", ["call_cost", "call_latency", "call_tokens"])
def test_less_is_better_of_what_a_call_took_and_nothing_is_assumed(field):
    assert usual_direction(field) == "lower"
    assert not field_metric(field, 1.0).is_assumed


def test_a_metric_says_whether_its_direction_was_assumed():
    assert [field_metric("cost", 1.0, direction=way).is_assumed for way in (None, "lower", "either")] == [
        True,
        False,
        False,
    ]


def test_another_direction_is_refused():
    with pytest.raises(InputError, match="fields, cost must be one of lower, higher, either, got 'less'"):
        read_directions({"cost": "less"})
