"""Languages in a report: counted where there are several, and a warning for what was not read."""

from types import SimpleNamespace

import pytest

from semscale.rating.summary import LanguageTexts
from semscale.report.rating.languages import (
    other_language_warnings,
    rated_languages,
    without_anchors_words,
)
from semscale.scales import load_scale

SCALE = load_scale("quality")

ENGLISH = LanguageTexts("en", texts=6, rated=5, anchors="en")
GERMAN = LanguageTexts("de", texts=3, rated=0, anchors=None, unread=3)
FRENCH = LanguageTexts("fr", texts=3, rated=1, anchors="en", unread=2)
UNCLEAR = LanguageTexts(None, texts=1, rated=1, anchors="en")


def summary(*languages, without_anchors=()):
    unread = sum(found.unread for found in languages)
    return SimpleNamespace(
        scale=SCALE,
        languages=languages,
        without_anchors=without_anchors,
        counts={"scored": sum(found.rated for found in languages), "other-language": unread},
    )


def test_texts_that_were_not_read_are_warned_of_with_their_languages():
    (said,) = other_language_warnings(summary(ENGLISH, GERMAN, UNCLEAR))
    assert said == (
        "3 of 10 texts (30\N{NO-BREAK SPACE}%) have no rating: the model does not read their language "
        "(German 3). Use a model that does (--model e5-small)."
    )
    assert other_language_warnings(summary(ENGLISH, UNCLEAR)) == ()


def test_the_languages_that_are_named_add_up_where_some_texts_of_one_were_rated():
    (said,) = other_language_warnings(summary(ENGLISH, GERMAN, FRENCH))
    assert said.startswith("5 of 12 texts (42\N{NO-BREAK SPACE}%) have no rating")
    assert "(German 3 and French 2)" in said


@pytest.mark.parametrize(("languages", "shown"), [((ENGLISH, UNCLEAR), 0), ((ENGLISH, GERMAN), 1)])
def test_languages_are_listed_where_a_text_is_in_another_one_than_the_scale(languages, shown):
    assert len(list(rated_languages(summary(*languages)))) == shown


def test_every_language_has_its_row():
    (section,) = rated_languages(summary(ENGLISH, GERMAN, UNCLEAR))
    table = section.blocks[0]
    rows = [(name.text, texts.value, rated.value, anchors.text) for name, texts, rated, anchors in table.rows]
    assert rows == [("English", 6, 5, "English"), ("German", 3, 0, "–"), ("not clear", 1, 1, "English")]


def test_anchors_in_another_language_than_the_one_asked_for_are_told():
    # Quality is translated into Polish, and not into Finnish or Russian.
    polish, finnish, russian = (
        LanguageTexts(code, texts=2, rated=2, anchors="en") for code in ("pl", "fi", "ru")
    )
    assert without_anchors_words(summary(ENGLISH)) is None
    assert without_anchors_words(summary(polish, without_anchors=[polish])) == (
        "This scale has no anchors in Polish that passed their check with this model, so all ratings are by "
        "English anchors."
    )
    assert without_anchors_words(summary(russian, without_anchors=[russian])) == (
        "This scale has no anchors in Russian, so all ratings are by English anchors."
    )
    three = [polish, finnish, russian]
    assert without_anchors_words(summary(ENGLISH, *three, without_anchors=three)) == (
        "This scale has no anchors in Finnish and Russian, and none in Polish that passed their check with "
        "this model, so their 6 of 11 ratings are by English anchors."
    )


def test_many_languages_are_not_all_named():
    several = [LanguageTexts(code, 1, 1, "en") for code in ("ru", "fi", "sv", "da", "no")]
    said = without_anchors_words(summary(*several, without_anchors=several))
    assert "no anchors in Russian, Finnish, Swedish and 2 others, so" in said
