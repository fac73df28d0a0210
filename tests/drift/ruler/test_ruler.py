import numpy as np
import pytest
from made_up_rulers import MadeUpRuler, anchors

from semscale.drift.ruler.ruler import read_anew
from semscale.errors import InputError


def test_readings_come_as_floats():
    found = read_anew(MadeUpRuler(1), anchors().pairs)
    assert found["match"].dtype == np.float64
    assert found["match"].tolist() == [1.0] * 20


class Wrong(MadeUpRuler):
    def readings(self, pairs, *, progress=None):
        return {"judge": self.values}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([0.5] * 19, r"judge must have 20 readings, got shape \(19,\)"),
        ([0.5] * 19 + [5.0], r"judge must lie in 0 to 1, got 5\.0: divide by its span"),
        ([-0.1] + [0.5] * 19, r"judge must lie in 0 to 1, got -0\.1"),
    ],
)
def test_readings_of_another_length_or_range_are_refused(values, said):
    with pytest.raises(InputError, match=said):
        read_anew(Wrong(values), anchors().pairs)
