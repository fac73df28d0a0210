"""The default model's vectors beside those that sentence-transformers gives for the same texts."""

import json
from pathlib import Path

import numpy as np
import pytest

from semscale.embedding import load_embedder

REFERENCE = json.loads(Path(__file__).with_name("minilm_vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("precision", "tolerance"), [("exact", 1e-6), ("fast", 5e-3)])
@pytest.mark.exhaustive
def test_components_agree(precision, tolerance):
    vectors = (
        load_embedder("all-MiniLM-L6-v2", precision=precision, cache=False).embed(REFERENCE["texts"]).vectors
    )
    np.testing.assert_allclose(vectors[:, :12], REFERENCE["vectors"], atol=tolerance)


@pytest.mark.parametrize(("precision", "tolerance"), [("exact", 1e-6), ("fast", 5e-3)])
def test_cosines_agree(precision, tolerance):
    vectors = (
        load_embedder("all-MiniLM-L6-v2", precision=precision, cache=False).embed(REFERENCE["texts"]).vectors
    )
    np.testing.assert_allclose(vectors @ vectors.T, REFERENCE["cosines"], atol=tolerance)
