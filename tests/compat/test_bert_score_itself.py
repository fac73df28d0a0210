"""Beside bert_score itself, where it is installed; one pair at a time, as its padding changes scores."""

import numpy as np
import pytest

from semscale.compat.bert_score import score
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve

try:
    import bert_score
except ImportError:
    bert_score = None

pytestmark = [
    pytest.mark.skipif(bert_score is None, reason="bert_score is not there: pip install bert_score==0.3.13"),
    pytest.mark.filterwarnings("ignore"),  # its own, of libraries that have moved on
]

CANDIDATES = ["A man is playing a guitar.", "The stock fell.", " Kittens are eating food.", "No"]
REFERENCES = [
    "A man plays the guitar.",
    "Shares rose on Monday, Dow said.",
    "Kittens eat from dishes.",
    "Yes",
]


@pytest.mark.parametrize("layer", range(7))
@pytest.mark.parametrize("idf", [False, True])
@pytest.mark.parametrize("several", [False, True])
def test_values_are_those_of_bert_score(layer, idf, several):
    references = (
        [[reference, CANDIDATES[at - 1]] for at, reference in enumerate(REFERENCES)]
        if several
        else REFERENCES
    )
    model = str(resolve(DEFAULT_MODEL).folder)
    settings = {"model_type": model, "num_layers": layer, "idf": idf, "nthreads": 0, "batch_size": 1}
    original = bert_score.score(CANDIDATES, references, device="cpu", **settings)
    reproduced = score(CANDIDATES, references, **settings)
    for our, their in zip(reproduced, original, strict=True):
        np.testing.assert_allclose(our, their.numpy(), atol=1e-4)
