"""The temperature: laws that always hold, and what is refused; ``test_ssr.py`` has the edge cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from semscale.errors import InputError
from semscale.rating.readouts.ssr import similarity_pmf
from semscale.rating.readouts.temperature import sharpen_pmf

cosine_rows = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(2, 11)), elements=st.floats(-1, 1)
)


def test_infinite_temperature_makes_points_with_mass_alike():
    np.testing.assert_allclose(sharpen_pmf([0.0, 0.9, 0.1], temperature=np.inf), [0, 0.5, 0.5])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sharpen_pmf([[0.5, 0.5], [0.0, 0.0]]), "from 0: 1"),
        (lambda: sharpen_pmf([-0.5, 1.5]), "masses >= 0"),
        (lambda: sharpen_pmf([np.nan, 1.0]), "masses >= 0"),
        (lambda: sharpen_pmf([]), "points on its last axis"),
    ],
)
def test_bad_masses_are_named(call, message):
    with pytest.raises(InputError, match=message):
        call()


@given(cosine_rows, st.floats(0.05, 20))
def test_temperature_keeps_the_order_of_masses(cosines, temperature):
    pmf = similarity_pmf(cosines)
    sharpened = sharpen_pmf(pmf, temperature=temperature)
    np.testing.assert_allclose(sharpened.sum(axis=-1), 1, atol=1e-12)
    order = np.argsort(pmf, axis=-1)
    assert (np.diff(np.take_along_axis(sharpened, order, axis=-1), axis=-1) >= -1e-12).all()


@given(cosine_rows, st.floats(0.2, 5))
def test_temperatures_compose(cosines, temperature):
    pmf = similarity_pmf(cosines, epsilon=0.1)
    there_and_back = sharpen_pmf(sharpen_pmf(pmf, temperature=temperature), temperature=1 / temperature)
    np.testing.assert_allclose(there_and_back, pmf, atol=1e-9)
