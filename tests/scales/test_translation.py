from importlib import resources
from itertools import chain

import pytest
import yaml

from semscale.errors import InputError
from semscale.scales import load_scale, scale_names
from semscale.scales.library import languages_of, parse_translation, translation_languages
from semscale.scales.scale import Scale

SHIPPED = [(name, code) for name in scale_names() for code in languages_of(name)]
ENGLISH = Scale(
    name="mood",
    title="Mood",
    question="How are you?",
    provenance="a test",
    points=[{"value": 1, "label": "bad"}, {"value": 2, "label": "good"}],
    anchor_sets={"plain": ("I feel bad.", "I feel good."), "other": ("Awful.", "Lovely.")},
    probes=[{"level": 2, "text": "Happy!"}, {"level": 1, "text": "Sad."}],
)
GERMAN = {
    "scale": "mood",
    "language": "de",
    "translated": "a test",
    "question": "Wie geht es Ihnen?",
    "anchor_sets": {"plain": ["Schlecht.", "Gut."], "other": ["Furchtbar.", "Wunderbar."]},
    "probes": ["Fröhlich!", "Traurig."],
}


def applied(**changes):
    return parse_translation({**GERMAN, **changes}, source="de/mood.yaml").translate(ENGLISH)


def test_translation_changes_texts_and_keeps_points_and_levels():
    german = applied()
    assert (german.language, german.question) == ("de", "Wie geht es Ihnen?")
    assert german.points == ENGLISH.points
    assert german.anchor_sets["other"] == ("Furchtbar.", "Wunderbar.")
    assert [(probe.level, probe.text) for probe in german.probes] == [(2, "Fröhlich!"), (1, "Traurig.")]
    assert german.content_hash != ENGLISH.content_hash


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scale": "trust"}, "scale must be 'mood'"),
        ({"anchor_sets": {"other": ["a", "b"], "plain": ["c", "d"]}}, r"order \(plain, other\), got other"),
        ({"anchor_sets": {"plain": ["a", "b"], "mine": ["c", "d"]}}, "got plain, mine"),
        ({"anchor_sets": {"plain": ["a", "b"], "other": ["c", "d", "e"]}}, "each of the 2 points, got 3"),
        ({"anchor_sets": {"plain": ["a", "A "], "other": ["c", "d"]}}, "must differ"),
        ({"probes": ["Fröhlich!"]}, "probes must be 2, one for each in English, got 1"),
        ({"language": "German"}, "'de/mood.yaml'.*language"),
        ({"points": []}, "points"),
        ({"question": ""}, "question must not be empty"),
    ],
)
def test_what_does_not_match_the_english_scale_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        applied(**changes)


def test_sets_that_are_not_translated_cannot_be_had():
    german = applied(anchor_sets={"other": ["Furchtbar.", "Wunderbar."]})
    assert list(german.anchor_sets) == ["other"]


def test_a_file_without_keys_is_refused():
    with pytest.raises(InputError, match=r"'x\.yaml' must hold the keys of a translation"):
        parse_translation(["a"], source="x.yaml")


@pytest.mark.parametrize(("name", "code"), SHIPPED)
@pytest.mark.exhaustive
def test_a_shipped_translation(name, code):
    english, scale = load_scale(name), load_scale(name, language=code)
    assert (scale.name, scale.language) == (name, code)
    assert scale.points == english.points
    assert set(scale.anchor_sets) <= set(english.anchor_sets)
    assert [probe.level for probe in scale.probes] == [probe.level for probe in english.probes]
    anchors = {anchor.casefold() for anchor in chain.from_iterable(scale.anchor_sets.values())}
    assert not {probe.text.casefold() for probe in scale.probes} & anchors
    # Nothing was left in English.
    assert not anchors & {anchor.casefold() for anchor in chain.from_iterable(english.anchor_sets.values())}


def test_translations_are_listed_by_scale_name():
    assert "de" in languages_of("purchase-intent")
    assert languages_of("no-such-scale") == []
    assert set(languages_of("purchase-intent")) <= set(translation_languages())


def test_every_file_of_the_folder_belongs_to_a_scale_and_a_language():
    folder = resources.files("semscale.scales") / "translations"
    for language in translation_languages():
        for file in (folder / language).iterdir():
            fields = yaml.safe_load(file.read_text(encoding="utf-8"))
            assert fields["language"] == language
            assert file.name.removesuffix(".yaml") in {fields.get("scale"), "unrelated"}
