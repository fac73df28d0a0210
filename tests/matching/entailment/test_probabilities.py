"""Any object with probabilities serves as an entailment model, and what it gives is checked."""

import numpy as np
import pytest
from tests.matching.made_up_entailment import KnownPairs

from semscale.errors import InputError
from semscale.matching.entailment import EntailmentModel, entailments_by


class Fixed(KnownPairs):
    def __init__(self, values) -> None:
        super().__init__({})
        self._values = values

    def probabilities(self, premises, hypotheses):
        return self._values


def test_an_object_with_probabilities_is_a_model():
    model = KnownPairs({("a", "b"): (0.2, 0.3, 0.5)})
    assert isinstance(model, EntailmentModel)
    result = entailments_by(model, ["a", "b"], ["b", "a"])
    assert result.values.tolist() == [[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]]
    assert not result.unread.any()
    assert not result.truncated.any()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[0.5, 0.5]], r"3 probabilities for each of 1 pairs, got shape \(1, 2\)"),
        ([[0.5, 0.5, 0.5]], "sum to 1"),
        ([[-0.5, 1.0, 0.5]], "sum to 1"),
        ([[np.nan, 0.5, 0.5]], "sum to 1"),
    ],
)
def test_what_is_no_probability_is_refused(values, message):
    with pytest.raises(InputError, match=message):
        entailments_by(Fixed(values), ["a"], ["b"])
