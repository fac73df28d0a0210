import numpy as np
import pytest

from semscale.errors import InputError
from semscale.rating.anchors.floor import (
    FLOOR_GROUPS,
    FLOOR_QUANTILE,
    best_similarities,
    off_topic_floor,
    unrelated_probes,
)
from semscale.scales import load_scale, scale_names
from semscale.scales.translation import translated_languages


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
    assert off_topic_floor(scale, toy_embedder, quantile=1.0) == round(best[-1], 3)


def test_an_anchor_itself_has_similarity_1(toy_embedder):
    scale = load_scale("trust")
    anchor = next(iter(scale.anchor_sets.values()))[0]
    assert best_similarities(scale, toy_embedder, [anchor]) == pytest.approx([1.0])


@pytest.mark.parametrize("quantile", [-0.1, 1.1, float("nan")])
def test_a_quantile_outside_0_to_1_is_refused(toy_embedder, quantile):
    with pytest.raises(InputError, match="quantile must lie in 0 to 1"):
        off_topic_floor(load_scale("trust"), toy_embedder, quantile=quantile)


@pytest.mark.parametrize("name", scale_names())
def test_no_probe_of_a_scale_is_off_topic_for_it(embedder, name):
    scale = load_scale(name)
    similarities = best_similarities(scale, embedder, [probe.text for probe in scale.probes])
    assert similarities.min() > off_topic_floor(scale, embedder)


@pytest.mark.parametrize("name", scale_names())
def test_unrelated_sentences_that_had_no_part_in_the_estimate_are_rejected_about_as_often(embedder, name):
    scale = load_scale(name)
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in unrelated_probes()[group]]
    similarities = best_similarities(scale, embedder, unrelated)
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
    best = np.sort(best_similarities(german, toy_embedder, unrelated))
    # The .4 quantile of 50 values lies at place 19.6, counted from 0.
    assert off_topic_floor(german, toy_embedder) == round(0.4 * best[19] + 0.6 * best[20], 3)
