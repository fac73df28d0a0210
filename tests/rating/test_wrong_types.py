"""Settings of the wrong type are refused with their name and a remedy, as wrong values are."""

import numpy as np
import pytest
from tests.conftest import ToyEmbedder

import semscale
from semscale.errors import InputError
from semscale.rating.rater import Rater
from semscale.rating.readouts.ssr import rate_vectors


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scale": None}, "scale must be a name"),
        ({"scale": 5}, "scale must be a name.* got 5"),
        ({"temperature": "x"}, "temperature must be 0 or more, got 'x'"),
        ({"temperature": None}, "temperature must be 0 or more, got None"),
        ({"temperature": float("nan")}, "temperature must be 0 or more, got nan"),
        ({"epsilon": 1e308}, "epsilon must be a number from 0 to 1,000,000"),
        ({"epsilon": "x"}, "epsilon must be a number"),
        ({"semantics": ["safe"]}, "semantics must be"),
        ({"readout": ["ssr"]}, "readout must be 'ssr' or 'ordinal', got"),
        ({"embedder": 5}, "embedder must be a name, a folder or what load_embedder gives, got 5"),
        ({"anchor_sets": 5}, "anchor_sets must be names"),
        ({"floor": "x"}, "floor must be 'auto'"),
    ],
)
def test_of_a_rater(settings, message):
    with pytest.raises(InputError, match=message):
        Rater(settings.pop("scale", "purchase-intent"), **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"interval": "x"}, "interval must lie between 0 and 1, such as 0.95 for 95 %, got 'x'"),
        ({"replicates": 200.5}, "replicates must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": "x"}, "seed must be a whole number"),
    ],
)
def test_of_estimates(settings, message):
    rated = semscale.rate(["good", "bad"], "quality", embedder=ToyEmbedder(), floor=None)
    with pytest.raises(InputError, match=message):
        rated.estimate(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"texts": ["good"]}, "texts must have 2 rows"),
        ({"human_range": 5}, "human_range must be the lowest"),
        ({"human_range": (1, float("inf"))}, "two finite numbers"),
        ({"interval": None}, "interval must lie between"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_of_a_comparison(settings, message):
    rated = semscale.rate(["good", "bad"], "quality", embedder=ToyEmbedder(), floor=None)
    with pytest.raises(InputError, match=message):
        rated.compare([1, 2], **settings)


def test_complex_vectors_are_refused():
    with pytest.raises(InputError, match="vectors must be real numbers"):
        rate_vectors(np.array([[1.0 + 2.0j, 1.0]]), np.eye(2))
