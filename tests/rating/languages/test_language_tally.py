import numpy as np
import pytest

from semscale.rating.languages.language_tally import LanguageTally, LanguageTexts
from semscale.types import Status

LANGUAGES = ["en", "de", "en", None, "fr", "en", None, "de"]
STATUSES = [
    Status.SCORED, Status.SCORED, Status.OFF_TOPIC, Status.SCORED, Status.OTHER_LANGUAGE, Status.SCORED,
    Status.MISSING, Status.WEIGHTLESS,
]  # fmt: skip


@pytest.mark.parametrize("part", [1, 3, 8])
def test_texts_are_counted_by_language_whatever_the_parts(part):
    tally = LanguageTally("en", ["de"])
    languages, statuses = np.array(LANGUAGES, dtype=object), np.array(STATUSES, dtype=object)
    for start in range(0, len(LANGUAGES), part):
        tally.add(languages[start : start + part], statuses[start : start + part])
    # The missing cell is no text; French is not read, so no anchors rate it.
    assert tally.counts == (
        LanguageTexts("en", texts=3, rated=2, anchors="en"),
        LanguageTexts("de", texts=2, rated=1, anchors="de"),
        LanguageTexts("fr", texts=1, rated=0, anchors=None, unread=1),
        LanguageTexts(None, texts=1, rated=1, anchors="en"),
    )


def test_no_anchors_are_named_where_no_text_was_rated():
    tally = LanguageTally("en", ["fr"])
    tally.add(np.array(["fr", "fr"], dtype=object), np.array([Status.OTHER_LANGUAGE, Status.OFF_TOPIC]))
    assert tally.counts == (LanguageTexts("fr", texts=2, rated=0, anchors=None, unread=1),)


def test_no_texts_have_no_languages():
    assert LanguageTally("en", []).counts == ()
