"""What the check of translations says, and that it was made of the files that ship."""

from dataclasses import replace

import pytest

from semscale.scales import equivalence, load_scale, scale_names
from semscale.scales.equivalence import (
    LEAST_RANK_CORRELATION,
    MOST_DISTANCE,
    Equivalence,
    equivalences,
    passed_languages,
)
from semscale.scales.translation import languages_of
from semscale.weights.known import DEFAULT_RATING_MODEL

MEASURED = [(name, code) for name in scale_names() for code in equivalences(name)]
GOOD = Equivalence(
    ("set-1", "set-2"),
    english="a",
    translated="b",
    distance=MOST_DISTANCE,
    rank_correlation=LEAST_RANK_CORRELATION,
    ladder=0.75,
    ladder_by_english=0.8,
    linter="warn",
    english_linter="pass",
)


@pytest.mark.parametrize(
    ("changes", "passed"),
    [
        ({}, True),
        ({"distance": MOST_DISTANCE + 0.001}, False),
        ({"rank_correlation": LEAST_RANK_CORRELATION - 0.001}, False),
        ({"ladder": 0.749}, False),  # more than .05 below what English anchors reach
        ({"ladder_by_english": 0.5}, True),
        ({"linter": "fail"}, False),
        ({"linter": "fail", "english_linter": "fail"}, True),
        ({"rank_correlation": float("nan")}, False),
    ],
)
def test_a_translation_passes_by_all_criteria(changes, passed):
    assert replace(GOOD, **changes).passed is passed


@pytest.mark.parametrize(("name", "code"), MEASURED)
def test_the_table_was_made_of_the_files_that_ship(name, code):
    measured = equivalences(name)[code]
    english, translated = (
        load_scale(name, language=language).with_sets(measured.anchor_sets) for language in ("en", code)
    )
    assert measured.english == english.content_hash, "run: python bench/languages.py --write"
    assert measured.translated == translated.content_hash


@pytest.mark.parametrize("name", scale_names())
def test_every_translation_of_the_sets_that_serve_the_model_was_measured(name):
    serving = load_scale(name).for_model(DEFAULT_RATING_MODEL).anchor_sets
    whole = [
        code
        for code in languages_of(name)
        if set(serving) <= set(load_scale(name, language=code).anchor_sets)
    ]
    assert sorted(equivalences(name)) == whole, "run: python bench/languages.py --write"


def test_a_translation_stands_for_the_sets_that_were_measured(monkeypatch):
    monkeypatch.setattr(equivalence, "equivalences", lambda name: {"de": GOOD})
    scale = load_scale("purchase-intent")
    assert passed_languages(scale.with_sets(["set-2"])) == ("de",)
    assert passed_languages(scale.with_sets(["set-2", "set-3"])) == ()


def test_only_scales_of_the_library_have_translations():
    scale = load_scale("purchase-intent")
    mine = scale.model_copy(update={"name": "mine"})
    assert passed_languages(mine) == ()
    changed = {**scale.anchor_sets, "set-1": tuple(reversed(scale.anchor_sets["set-1"]))}
    assert passed_languages(scale.model_copy(update={"anchor_sets": changed})) == ()
