"""What the check of translations says, and that it was made of the files that ship."""

from dataclasses import replace

import pytest

from semscale.scales import load_scale, scale_names
from semscale.scales.library import (
    FEWEST_SETS,
    LEAST_RANK_CORRELATION,
    MEASURED_WITH,
    MOST_DISTANCE,
    MOST_LEFT_OUT,
    Equivalence,
    equivalences,
    languages_of,
)
from semscale.weights.known import DEFAULT_RATING_MODEL

MEASURED = [(name, code) for name in scale_names() for code in equivalences(name)]
GOOD = Equivalence(
    english_sets=("set-1", "set-2", "set-3"),
    anchor_sets=("set-1", "set-2"),
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
@pytest.mark.exhaustive
def test_equivalence_table_matches_the_shipped_files(name, code):
    measured = equivalences(name)[code]
    english = load_scale(name).with_sets(measured.english_sets)
    translated = load_scale(name, language=code).with_sets(measured.anchor_sets)
    assert measured.english == english.content_hash, "run: python bench/languages.py --write"
    assert measured.translated == translated.content_hash
    assert measured.english_sets == translated_sets(name, code)


def translated_sets(name, code):
    serving = load_scale(name).for_model(DEFAULT_RATING_MODEL).anchor_sets
    translated = load_scale(name, language=code).anchor_sets
    return tuple(name for name in serving if name in translated)


@pytest.mark.parametrize(("name", "code"), MEASURED)
def test_sets_are_left_out_only_of_translations_that_pass_so_and_not_too_many(name, code):
    measured = equivalences(name)[code]
    left_out = set(measured.english_sets) - set(measured.anchor_sets)
    assert set(measured.anchor_sets) <= set(measured.english_sets)
    assert not left_out or measured.passed
    assert len(left_out) <= MOST_LEFT_OUT
    assert len(measured.anchor_sets) >= FEWEST_SETS


def test_the_model_is_the_default_of_ratings():
    assert MEASURED_WITH == DEFAULT_RATING_MODEL


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", scale_names())
def test_every_translation_of_the_sets_that_serve_the_model_was_measured(name):
    enough = [code for code in languages_of(name) if len(translated_sets(name, code)) >= FEWEST_SETS]
    assert sorted(equivalences(name)) == enough, "run: python bench/languages.py --write"


@pytest.mark.parametrize(
    ("names", "serving"),
    [
        (
            ["set-1", "set-2", "set-3"],
            ("set-1", "set-2"),
        ),  # the sets that were measured: without the failed one
        (["set-3", "set-2", "set-1"], ("set-2", "set-1")),  # in the scale's order
        (["set-1", "set-2", "set-3", "set-4"], ("set-1", "set-2")),  # one more, which is not translated
        (["set-2"], ("set-2",)),
        (["set-2", "set-3"], ()),  # someone asked for a set that failed
        (["set-1", "set-4"], ()),  # a set that was not measured
    ],
)
def test_sets_that_serve_for_a_scale(names, serving):
    scale = load_scale("purchase-intent").with_sets(names)
    assert GOOD.serving_sets(scale) == serving
    assert replace(GOOD, rank_correlation=0.5).serving_sets(scale) == ()
