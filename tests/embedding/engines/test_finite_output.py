"""Output that is not finite: refused where it arises, before it is cached or measured."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from semscale.embedding.cache import CachedEmbedder
from semscale.embedding.openvino import OpenVinoEmbedder, check_finite
from semscale.errors import ModelError

_SAID = r"model\.safetensors gives vectors that are not finite: its weights are damaged; fetch the model"


@pytest.fixture
def damaged(write_checkpoint):
    """Give a model of which one weight that every text passes is NaN."""
    folder, _ = write_checkpoint("bert")
    weights = load_file(folder / "model.safetensors")
    name = "encoder.layer.0.output.dense.bias"
    weights[name] = weights[name].copy()
    weights[name][0] = np.nan
    save_file(weights, folder / "model.safetensors")
    return OpenVinoEmbedder(folder, name="damaged")


def test_vectors_of_damaged_weights_are_refused_and_not_cached(damaged, cache):
    with pytest.raises(ModelError, match=_SAID):
        CachedEmbedder(damaged, cache).embed(["w1 w2", "w3"])
    with pytest.raises(ModelError, match=_SAID):  # and not read from the cache
        CachedEmbedder(damaged, cache).embed(["w1 w2"])


def test_states_of_tokens_are_refused_alike(damaged):
    with pytest.raises(ModelError, match=_SAID):
        list(damaged.run_layer([(None, [np.array([1, 5, 2], np.int32)])], layer=1))


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_each_number_that_is_not_finite_is_refused(number):
    check_finite(np.array([[1.0, 3e38]]), "m")
    with pytest.raises(ModelError, match="^m gives vectors that are not finite"):
        check_finite(np.array([[1.0, number]]), "m")
