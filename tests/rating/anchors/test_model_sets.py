"""Anchor sets that serve one model and not another."""

import pytest

from semscale.rating.anchors.model_sets import scale_for_model
from semscale.rating.lint.linter import lint
from semscale.rating.rater import Rater
from semscale.scales import Scale, load_scale
from semscale.scales.library import scale_names
from semscale.signature import Signature

SETS = {"a": ("bad", "good"), "b": ("poor", "fine"), "c": ("awful", "great")}


@pytest.fixture
def scale():
    return Scale(
        name="mood", title="Mood", question="How?", provenance="a test",
        points=[{"value": 1, "label": "low"}, {"value": 2, "label": "high"}],
        anchor_sets=SETS,
        sets_by_model={"all-MiniLM-L6-v2": ("a",), "e5-small": ("b",), "somebody/large": ("c", "b")},
    )  # fmt: skip


class Named:
    """An embedder under another model's name."""

    def __init__(self, inner, model):
        self.inner, self.model = inner, model

    @property
    def signature(self):
        return Signature.of("embed", model=self.model)

    def embed(self, texts, *, progress=None):
        return self.inner.embed(texts, progress=progress)


@pytest.mark.parametrize(
    ("model", "used"),
    [
        ("all-MiniLM-L6-v2#53aa51172d14", ["a"]),
        ("sentence-transformers/all-MiniLM-L6-v2#53aa51172d14", ["a"]),  # its name on the hub
        ("intfloat/multilingual-e5-small#9f3c", ["b"]),  # the float32 form of e5-small
        ("somebody/large", ["c", "b"]),  # in the order in which they are listed
        ("intfloat/multilingual-e5-small@main#9f3c", ["b"]),
        ("somebody/small", ["b"]),  # not named: those of the default model
    ],
)
def test_the_sets_that_serve_a_model(toy_embedder, scale, model, used):
    embedder = Named(toy_embedder, model)
    assert list(scale_for_model(scale, embedder).anchor_sets) == used
    rater = Rater(scale, embedder=embedder, floor=None)
    assert rater.anchors.shape == (len(used), 2, 64)
    assert rater.rate(["good"]).set_means.shape == (1, len(used))
    assert [one.name for one in lint(scale, embedder=embedder).sets] == used


def test_a_model_has_all_sets_where_neither_it_nor_the_default_model_is_named(toy_embedder, scale):
    without = scale.model_copy(update={"sets_by_model": {"somebody/large": ("c",)}})
    used = scale_for_model(without, Named(toy_embedder, "somebody/small")).anchor_sets
    assert list(used) == ["a", "b", "c"]


@pytest.mark.parametrize("name", scale_names())
def test_no_sentence_counts_twice_with_any_model(toy_embedder, name):
    used = scale_for_model(load_scale(name), Named(toy_embedder, "somebody/small")).anchor_sets
    sentences = [sentence.casefold() for anchors in used.values() for sentence in anchors]
    assert len(set(sentences)) == len(sentences)


def test_the_signature_has_the_sets_that_were_used(toy_embedder, scale):
    rater = Rater(scale, embedder=Named(toy_embedder, "somebody/large"), floor=None)
    fields = dict(rater.signature.fields)
    assert fields["anchor_sets"] == "c+b"
    assert fields["scale"] == f"mood#{scale.with_sets(['c', 'b']).content_hash}"


def test_sets_that_the_caller_names_are_used_with_any_model(toy_embedder, scale):
    embedder = Named(toy_embedder, "all-MiniLM-L6-v2")
    assert list(Rater(scale, embedder=embedder, anchor_sets=["b"]).scale.anchor_sets) == ["b"]


def test_a_scale_without_such_a_choice_is_known_before_the_model_is_loaded(scale):
    def never():
        raise AssertionError("the model was loaded")

    assert list(Rater(scale.with_sets(["a", "b"]), embedder=never).scale.anchor_sets) == ["a", "b"]
