"""Anchors are embedded by the form that an embedder has for them, wherever a scale's anchors are."""

import numpy as np
import pytest

from semscale.rating.anchors.anchor_vectors import AnchorVectors
from semscale.rating.anchors.floor import best_similarities
from semscale.rating.lint.linter import lint
from semscale.scales import load_scale


class WithFormForAnchors:
    """An embedder that passes anchors to another one."""

    def __init__(self, texts, anchors) -> None:
        self.embed, self.dimensions, self.signature = texts.embed, texts.dimensions, texts.signature
        self.for_anchors = anchors


@pytest.mark.parametrize(
    "use",
    [
        lambda scale, embedder: AnchorVectors(scale, lambda: embedder, None).vectors,
        lambda scale, embedder: best_similarities(scale, embedder, ["a text"]),
        lambda scale, embedder: lint(scale, embedder=embedder),
    ],
    ids=["vectors", "floor", "lint"],
)
def test_the_form_for_anchors_embeds_the_anchors_and_nothing_else(use, toy_embedder):
    scale = load_scale("quality")
    anchors = [anchor for each in scale.anchor_sets.values() for anchor in each]
    texts, for_anchors = type(toy_embedder)(), toy_embedder
    use(scale, WithFormForAnchors(texts, for_anchors))
    assert set(for_anchors.embedded) <= set(anchors)
    assert for_anchors.embedded
    assert not set(texts.embedded) & set(for_anchors.embedded)


def test_vectors_are_the_anchors_by_set_and_point(toy_embedder):
    scale = load_scale("quality")
    vectors = AnchorVectors(scale, lambda: toy_embedder, None).vectors
    for place, anchors in enumerate(scale.anchor_sets.values()):
        np.testing.assert_array_equal(vectors[place], toy_embedder.embed(anchors).vectors)
