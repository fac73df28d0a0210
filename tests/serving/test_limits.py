"""Limits are at least 1."""

import pytest

from semscale.errors import InputError
from semscale.serving.limits import ServiceLimits


@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_limit_below_1_is_refused(value):
    with pytest.raises(InputError, match="seconds must be at least 1"):
        ServiceLimits(seconds=value)
