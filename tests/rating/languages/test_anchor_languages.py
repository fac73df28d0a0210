from dataclasses import replace

import pytest

from semscale.errors import InputError
from semscale.rating.languages import anchor_languages
from semscale.rating.languages.anchor_languages import AnchorLanguages, check_language
from semscale.scales import library, load_scale
from semscale.scales.equivalence import Equivalence

SCALE = load_scale("purchase-intent")

GERMAN_MEASURED = Equivalence(
    english_sets=tuple(SCALE.anchor_sets),
    anchor_sets=tuple(SCALE.anchor_sets),
    english="a",
    translated="b",
    distance=0,
    rank_correlation=1,
    ladder=1,
    ladder_by_english=1,
    linter="pass",
    english_linter="pass",
)


@pytest.fixture(params=[("de",), ()], ids=["German-passed", "none-passed"])
def passed(request, monkeypatch):
    measured_are(monkeypatch, {"de": GERMAN_MEASURED} if request.param else {})
    return request.param


def measured_are(monkeypatch, measured):
    for module in (anchor_languages, library):
        monkeypatch.setattr(module, "equivalences", lambda name: measured)


def test_auto_takes_what_passed_and_names_it(passed):
    languages = AnchorLanguages(SCALE, "auto", "e5-small")
    assert languages.scale == SCALE
    assert languages.own == passed
    assert not languages.fell_back
    settings = languages.settings()
    assert settings["language"].startswith("auto+py3langid-")
    # sha256("b"), the recorded hash, begins with 3e23e816.
    assert settings.get("translations") == ("de#3e23e816" if passed else "none")


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v2", None], ids=["known", "unknown"])
def test_a_translation_that_passed_with_another_model_does_not_serve(monkeypatch, model):
    measured_are(monkeypatch, {"de": GERMAN_MEASURED})
    each = AnchorLanguages(SCALE, "auto", model)
    assert (each.own, each.settings()["translations"]) == ((), "none")
    german = AnchorLanguages(SCALE, "de", model)
    assert (german.scale, german.fell_back) == (SCALE, True)
    assert german.settings() == {"language": "de", "anchor_language": "en"}


def test_without_a_language_the_scales_own_anchors_serve(passed):
    languages = AnchorLanguages(SCALE, None, "e5-small")
    assert (languages.scale, languages.own, languages.fell_back) == (SCALE, (), False)
    assert list(languages.settings()) == ["language"]
    assert languages.settings()["language"].startswith("any+py3langid-")


def test_a_language_has_its_anchors_if_they_passed_and_the_english_ones_otherwise(passed):
    languages = AnchorLanguages(SCALE, "de", "e5-small")
    assert languages.scale.language == ("de" if passed else "en")
    assert languages.fell_back is not bool(passed)
    assert languages.own == ()
    further = {} if passed else {"anchor_language": "en"}
    assert languages.settings() == {"language": "de", **further}


def test_the_scales_own_language_says_that_all_texts_are_in_it(passed):
    languages = AnchorLanguages(SCALE, "en", "e5-small")
    assert languages.scale == SCALE
    assert languages.settings() == {"language": "en"}
    assert not languages.fell_back


def test_some_sets_alone_are_translated_too(passed):
    some = SCALE.with_sets(["set-3", "set-1"])
    assert list(AnchorLanguages(some, "de", "e5-small").scale.anchor_sets) == ["set-3", "set-1"]


def test_sets_that_the_linter_fails_in_a_language_do_not_serve_and_the_signature_says_so(monkeypatch):
    some = replace(GERMAN_MEASURED, anchor_sets=("set-1", "set-3", "set-5"))
    measured_are(monkeypatch, {"de": some})
    languages = AnchorLanguages(SCALE, "auto", "e5-small")
    assert list(languages.translated("de").anchor_sets) == ["set-1", "set-3", "set-5"]
    assert languages.settings()["translations"] == "de(set-1,set-3,set-5)#3e23e816"
    german = AnchorLanguages(SCALE, "de", "e5-small")
    assert list(german.scale.anchor_sets) == ["set-1", "set-3", "set-5"]
    assert german.untranslated == SCALE


def test_a_language_without_anchors_is_refused():
    with pytest.raises(InputError, match=r"language must be one of auto, en, .*'fi'.*no anchors in Finnish"):
        check_language(SCALE, "fi")
    mine = SCALE.model_copy(update={"name": "mine"})
    with pytest.raises(InputError, match="language must be one of auto, en, got 'de'"):
        check_language(mine, "de")
