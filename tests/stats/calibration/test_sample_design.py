import numpy as np
import pytest

from semscale.errors import InputError
from semscale.stats.calibration.sample_design import SampleDesign, checked_inclusion


def test_a_design_with_anything_in_it_is_not_plain():
    assert SampleDesign().is_plain
    for name in ("weights", "inclusion", "clusters"):
        assert not SampleDesign(**{name: np.ones(2)}).is_plain


def test_some_items_keep_their_columns():
    kept = SampleDesign(inclusion=np.array([0.5, 1.0]), clusters=np.array([4, 7])).some(
        np.array([True, False])
    )
    assert (kept.weights, kept.inclusion.tolist(), kept.clusters.tolist()) == (None, [0.5], [4])


def test_probabilities_that_are_no_numbers_are_refused():
    with pytest.raises(InputError, match="inclusion must be a list of numbers"):
        checked_inclusion(["half"], np.array([True]))
