"""Profiles of models: prefixes and languages, by the names under which models come."""

import pytest

from semscale.types import LANGUAGE_NAMES
from semscale.weights.known import KNOWN, XLM_ROBERTA_LANGUAGES, hub_profile


@pytest.mark.parametrize("size", ["small", "base", "large"])
@pytest.mark.parametrize("revision", ["", "@main"])
def test_e5_asks_for_its_prefix_whatever_its_size_and_revision(size, revision):
    profile = hub_profile(f"intfloat/multilingual-e5-{size}{revision}")
    assert (profile.prefix, profile.pooling, profile.max_tokens) == ("query: ", "mean", 512)


def test_only_models_whose_ratings_of_emoji_were_tried_claim_to_read_them():
    assert KNOWN["e5-small"].profile.reads_emoji
    assert hub_profile("intfloat/multilingual-e5-small").reads_emoji
    assert not hub_profile("intfloat/multilingual-e5-large").reads_emoji
    assert not KNOWN["all-MiniLM-L6-v2"].profile.reads_emoji


def test_minilm_reads_english_without_a_prefix():
    assert KNOWN["all-MiniLM-L6-v2"].languages == {"en"}
    assert KNOWN["all-MiniLM-L6-v2"].profile.prefix == ""


def test_e5_reads_the_languages_of_xlm_roberta():
    # 100 rows of the table, 7 of which are other scripts of a language, and two more codes of Norwegian.
    assert len(XLM_ROBERTA_LANGUAGES) == 100 - 7 + 2
    assert KNOWN["e5-small"].languages >= {
        "en",
        "de",
        "fr",
        "es",
        "it",
        "pt",
        "nl",
        "pl",
        "zh",
        "ja",
        "ar",
        "hi",
    }
    assert len(XLM_ROBERTA_LANGUAGES & set(LANGUAGE_NAMES)) > 80


def test_other_models_have_no_profile():
    assert hub_profile("somebody/multilingual-e5-small") is None


def test_a_band_is_in_order():
    for known in KNOWN.values():
        band = known.profile.random_cosines
        assert known.is_chat == (band is None)
        assert band is None or -1 < band.low < band.middle < band.high < 1
