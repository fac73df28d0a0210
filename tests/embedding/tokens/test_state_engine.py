"""Engines that show the states of tokens are known by what they can, not by their class."""

import numpy as np
import pytest

from semscale.embedding import load_embedder
from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.embedding.token_states import TokenEncoder, state_engine
from semscale.errors import InputError
from semscale.matching.bertscore import BertScorer


class OtherEngine:
    """An engine of somebody else, which does what another one does."""

    def __init__(self, engine):
        self._engine = engine

    def __getattr__(self, name):
        return getattr(self._engine, name)


@pytest.fixture
def engine(write_checkpoint):
    return OpenVinoEmbedder(write_checkpoint("bert")[0], name="random")


def test_any_engine_that_shows_states_serves(engine):
    pair = ["w1 w2"], ["w2 w3"]
    ours = BertScorer(OtherEngine(engine), layer=2).score(*pair)
    theirs = BertScorer(TokenEncoder(engine), layer=2).score(*pair)
    assert ours.signature == theirs.signature
    np.testing.assert_array_equal(ours.f1, theirs.f1)


def test_the_engine_behind_a_cache_is_found(tmp_path):
    embedder = load_embedder("all-MiniLM-L6-v2", cache=tmp_path)
    assert state_engine(embedder) is embedder.embedder


def test_an_embedder_without_states_is_refused_with_the_remedy(toy_embedder):
    with pytest.raises(InputError, match="engine='openvino' and engine='torch' do, got ToyEmbedder"):
        state_engine(toy_embedder)


def test_the_signature_of_states_says_nothing_of_vectors(engine):
    names = [name for name, _ in TokenEncoder(engine).signature.fields]
    assert names == ["model", "setup", "engine", "precision", "prefix", "window"]


@pytest.mark.parametrize("layer", [-1, 4, 1.0, True, "1"])
def test_a_layer_that_is_not_there_is_refused(engine, layer):
    with pytest.raises(InputError, match="layer must be between 0 and 3"):
        engine.check_layer(layer)
