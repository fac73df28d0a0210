"""Anchors: vectors, sets that serve a model, the off-topic floor."""

import csv
from pathlib import Path

import numpy as np
import pytest

from semscale.rating.anchors import (
    FLOOR_GROUPS,
    AnchorVectors,
    scale_for_model,
    topic_similarities,
    unrelated_probes,
    unrelated_sentences,
)
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.scales import Scale, load_scale, scale_names
from semscale.scales.library import translation_languages
from semscale.signature import Signature
from semscale.types import Status

OFF_TOPIC = Path(__file__).parents[1] / "data" / "off_topic.txt"
REVIEWS = Path(__file__).parents[2] / "examples" / "product_reviews.csv"


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
    anchors = [anchor for anchor_set in scale.anchor_sets.values() for anchor in anchor_set]
    texts, for_anchors = type(toy_embedder)(), toy_embedder
    use(scale, WithFormForAnchors(texts, for_anchors))
    assert set(for_anchors.embedded) <= set(anchors)
    assert for_anchors.embedded
    assert not set(texts.embedded) & set(for_anchors.embedded)


def test_vectors_are_the_anchors_by_set_and_point(toy_embedder):
    scale = load_scale("quality")
    vectors = AnchorVectors(scale, lambda: toy_embedder, None).vectors
    for index, anchors in enumerate(scale.anchor_sets.values()):
        np.testing.assert_array_equal(vectors[index], toy_embedder.embed(anchors).vectors)


def test_groups_of_probes():
    groups = unrelated_probes()
    assert set(groups) == {"everyday", "factual", "gibberish", "dont-know"}
    sentences = [sentence for group in groups.values() for sentence in group]
    assert 60 <= len(sentences) <= 100
    assert len(set(sentences)) == len(sentences)
    assert all(isinstance(sentence, str) and sentence.strip() for sentence in sentences)


def slow_floor(scale, embedder, language="en"):
    """The median of the differences between the sets' best anchors and the three nearest other sentences."""
    unrelated = unrelated_sentences(language)
    vectors = embedder.embed(unrelated).vectors.astype(float)
    sets = [embedder.embed(anchors).vectors.astype(float) for anchors in scale.anchor_sets.values()]
    n, differences = len(unrelated), []
    for row in range(n):
        best = sum(max(float(vectors[row] @ anchor) for anchor in anchors) for anchors in sets) / len(sets)
        other_cosines = sorted(float(vectors[row] @ vectors[other]) for other in range(n) if other != row)
        differences.append(best - sum(other_cosines[-3:]) / 3)
    differences.sort()
    # Fifty sentences: the median lies between the 25th and the 26th.
    return (differences[24] + differences[25]) / 2


def test_the_floor_is_the_stated_quantile(toy_embedder):
    scale = load_scale("quality")
    assert AnchorVectors(scale, lambda: toy_embedder, "auto").floor == pytest.approx(
        slow_floor(scale, toy_embedder), abs=6e-4
    )


def test_model_can_have_a_specific_floor_quantile(embedder):
    # all-MiniLM-L6-v2 has .15: .15 * 49 = 7.35 of 50 differences, between the 8th and the 9th smallest.
    anchors = AnchorVectors(load_scale("quality").for_model("all-MiniLM-L6-v2"), lambda: embedder, "auto")
    vectors, sets = anchors.unrelated.astype(float), anchors.vectors
    best = np.mean([(vectors @ anchors_of_set.T).max(axis=1) for anchors_of_set in sets], axis=0)
    other_cosines = np.sort(np.where(np.eye(50), -1, vectors @ vectors.T), axis=1)[:, -3:].mean(axis=1)
    eighth, ninth = np.sort(best - other_cosines)[[7, 8]]
    assert anchors.floor == pytest.approx(eighth + 0.35 * (ninth - eighth), abs=6e-4)


def test_an_anchor_itself_has_similarity_1(toy_embedder):
    scale = load_scale("trust")
    anchor = next(iter(scale.anchor_sets.values()))[0]
    assert topic_similarities(scale, toy_embedder, [anchor]) == pytest.approx([1.0])


@pytest.mark.parametrize("name", scale_names())
def test_hardly_a_probe_of_a_scale_is_off_topic_for_it(embedder, rating_embedder, name):
    probes = [probe.text for probe in load_scale(name).probes]
    assert Rater(name, embedder=embedder).rate(probes).n_left_out <= 0.05 * len(probes)
    assert Rater(name, embedder=rating_embedder).rate(probes).n_left_out == 0


def test_off_topic_texts_are_detected_among_reviews(rating_embedder):
    other = OFF_TOPIC.read_text(encoding="utf-8").splitlines()
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        reviews = [row["text"] for row in csv.DictReader(file)][:200]
    status = Rater("quality", embedder=rating_embedder).rate([*other, *reviews]).status
    is_off_topic = status == Status.OFF_TOPIC
    assert len(other) == 300
    assert is_off_topic[:300].mean() > 0.3
    assert is_off_topic[300:].mean() < 0.05


@pytest.mark.parametrize("language", translation_languages())
def test_every_unrelated_sentence_is_translated(language):
    english, translated = unrelated_probes(), unrelated_probes(language)
    for group in FLOOR_GROUPS:
        assert len(translated[group]) == len(set(translated[group])) == len(english[group])
        assert not set(translated[group]) & set(english[group])


def test_a_language_without_translation_takes_the_english_sentences():
    assert unrelated_probes("fi") == unrelated_probes()


def test_the_floor_comes_from_sentences_in_the_language_of_the_anchors(toy_embedder):
    german = load_scale("trust", language="de")
    expected = slow_floor(german, toy_embedder, "de")
    assert AnchorVectors(german, lambda: toy_embedder, "auto").floor == pytest.approx(expected, abs=6e-4)


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
    assert [lint_set.name for lint_set in lint(scale, embedder=embedder).sets] == used


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
