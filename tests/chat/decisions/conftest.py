"""An endpoint that decides."""

from collections.abc import Iterator

import pytest
from decision_endpoint import DecisionState, deciding_endpoint


@pytest.fixture
def decider() -> Iterator[DecisionState]:
    with deciding_endpoint() as found:
        yield found
