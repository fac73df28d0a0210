"""Anchors: vectors, sets that serve a model, the off-topic floor."""

import numpy as np
import pytest

from semscale.rating.anchors import (
    FLOOR_GROUPS,
    FLOOR_QUANTILE,
    AnchorVectors,
    off_topic_floor,
    scale_for_model,
    topic_similarities,
    unrelated_probes,
)
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.scales import Scale, load_scale, scale_names
from semscale.scales.library import translated_languages
from semscale.signature import Signature


class WithFormForAnchors:
    """An embedder that passes anchors to another one."""

    def __init__(self, texts, anchors) -> None:
        self.embed, self.dimensions, self.signature = texts.embed, texts.dimensions, texts.signature
        self.for_anchors = anchors


@pytest.mark.parametrize(
    "use",
    [
        lambda scale, embedder: AnchorVectors(scale, lambda: embedder, None).vectors,
        lambda scale, embedder: topic_similarities(scale, embedder, ["a text"]),
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


def test_groups_of_probes():
    groups = unrelated_probes()
    assert set(groups) == {"everyday", "factual", "gibberish", "dont-know"}
    sentences = [sentence for group in groups.values() for sentence in group]
    assert 60 <= len(sentences) <= 100
    assert len(set(sentences)) == len(sentences)
    assert all(isinstance(sentence, str) and sentence.strip() for sentence in sentences)


def test_the_floor_is_the_stated_quantile(toy_embedder):
    scale = load_scale("quality")
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in unrelated_probes()[group]]
    anchors = [anchor for anchors in scale.anchor_sets.values() for anchor in anchors]
    vectors = toy_embedder.embed([*unrelated, *anchors]).vectors.astype(float)
    n = len(unrelated)
    best = sorted(max(float(text @ anchor) for anchor in vectors[n:]) for text in vectors[:n])
    # Fifty sentences: quantile .4 is at .4 * 49 = 19.6 steps from the lowest, between the 20th and the 21st.
    assert off_topic_floor(scale, toy_embedder) == round(0.4 * best[19] + 0.6 * best[20], 3)


def test_an_anchor_itself_has_similarity_1(toy_embedder):
    scale = load_scale("trust")
    anchor = next(iter(scale.anchor_sets.values()))[0]
    assert topic_similarities(scale, toy_embedder, [anchor]) == pytest.approx([1.0])


@pytest.mark.parametrize("name", scale_names())
def test_no_probe_of_a_scale_is_off_topic_for_it(embedder, name):
    scale = load_scale(name)
    similarities = topic_similarities(scale, embedder, [probe.text for probe in scale.probes])
    assert similarities.min() > off_topic_floor(scale, embedder)


@pytest.mark.parametrize("name", scale_names())
def test_unrelated_sentences_that_had_no_part_in_the_estimate_are_rejected_about_as_often(embedder, name):
    scale = load_scale(name)
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in unrelated_probes()[group]]
    similarities = topic_similarities(scale, embedder, unrelated)
    rejected = similarities[1::2] < np.quantile(similarities[::2], FLOOR_QUANTILE)
    assert 0.1 <= rejected.mean() <= 0.7


@pytest.mark.parametrize("language", translated_languages())
def test_unrelated_sentences_are_translated_one_by_one(language):
    english, translated = unrelated_probes(), unrelated_probes(language)
    for group in FLOOR_GROUPS:
        assert len(translated[group]) == len(set(translated[group])) == len(english[group])
        assert not set(translated[group]) & set(english[group])


def test_a_language_without_translation_takes_the_english_sentences():
    assert unrelated_probes("fi") == unrelated_probes()


def test_the_floor_comes_from_sentences_in_the_language_of_the_anchors(toy_embedder):
    german = load_scale("trust", language="de")
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in unrelated_probes("de")[group]]
    best = np.sort(topic_similarities(german, toy_embedder, unrelated))
    # The .4 quantile of 50 values lies at place 19.6, counted from 0.
    assert off_topic_floor(german, toy_embedder) == round(0.4 * best[19] + 0.6 * best[20], 3)


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
