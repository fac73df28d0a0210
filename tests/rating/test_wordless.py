"""Texts that say nothing are never rated; whatever has a letter or a digit may say something."""

import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import ToyEmbedder

from semscale.rating.cells import text_status
from semscale.rating.rater import Rater
from semscale.rating.wordless import has_emoji, is_wordless
from semscale.types import Status

SAYS_NOTHING = [
    "-", ".", "...", "???", "!", "--", "*", "+++", "$$$", "/", "_", ":-)", ":(",
    "😀", "👍👍👍", "👎🏽", "❤️", "✓", "★★★★★",
    "\u200b", "\ufeff", "\u00ad", "\u200e", "\x00", "\u2060 \u200d", "\ufffd", "\u3164", "\u115f\u1160",
    "&nbsp;", "&nbsp", "&nbsp;&nbsp;", "&amp;nbsp;", "&#8203;", "&#x200b;", "&amp;", "&hellip;", "&lt;&gt;",
]  # fmt: skip
SAYS_SOMETHING = [
    "5", "10/10", "½", "②", "Ⅷ", "ok", "x", "好", "हाँ", "ممتاز", "خ", "٣", "ー", "ª",
    "👍 ok", "5️⃣", "<3", "&lt;3", "&eacute;", "&alpha;", "AT&T", "R&D", "\u200bgood",
]  # fmt: skip


@pytest.mark.parametrize("text", SAYS_NOTHING)
def test_without_letter_and_digit_it_is_uninformative(text):
    assert is_wordless(text)
    assert text_status(text) is Status.UNINFORMATIVE


@pytest.mark.parametrize("text", SAYS_SOMETHING)
def test_a_letter_or_digit_of_any_script_is_enough(text):
    assert not is_wordless(text)
    assert text_status(text) is Status.SCORED


EMOJI = ["😀", "👍👍👍", "👎🏽", "❤️", "🤮", "☹", "💪", "💔", "🤘", "🧡", "😡!!!", "★★★★★ 👍"]
NO_EMOJI = [
    "★★★★★",
    "☆",
    "⭐⭐",
    "⭐️⭐️⭐️",
    "🌟",
    "✓",
    "☕",
    "🍕",
    "-",
    "...",
    "???",
    "!",
    "*",
    "$$$",
    ":-)",
    ":(",
    "©",
    "→",
    "■",
    "│",
    "\ufffd",
    "\ufe0f",
    "🇩🇪",
    "&nbsp;",
]


@pytest.mark.parametrize("text", EMOJI)
def test_faces_hands_and_hearts_are_read_where_the_model_reads_them(text):
    assert has_emoji(text)
    assert text_status(text, reads_emoji=True) is Status.SCORED
    assert text_status(text, reads_emoji=False) is Status.UNINFORMATIVE


@pytest.mark.parametrize("text", NO_EMOJI)
def test_stars_objects_and_punctuation_are_not_read(text):
    assert not has_emoji(text)
    assert text_status(text, reads_emoji=True) is Status.UNINFORMATIVE


def test_a_code_of_emoji_is_still_missing():
    assert text_status("🤷", frozenset({"🤷"}), reads_emoji=True) is Status.MISSING


def test_ratings_of_emoji_with_the_default_model(rating_embedder):
    rated = Rater("quality", embedder=rating_embedder).rate(["👍", "👎", "❤️", "😡", "★★★★★", "⭐", "???"])
    assert rated.scored.tolist() == [True] * 4 + [False] * 3
    up, down, heart, angry = rated.mean[:4]
    assert up > 3 > down
    assert heart > 3 > angry


def test_every_letter_and_digit_of_unicode_counts_and_nothing_else():
    fillers = {0x115F, 0x1160, 0x3164, 0xFFA0}  # letters by category that have no ink
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        informs = unicodedata.category(character)[0] in "LN" and code not in fillers
        assert is_wordless(character) is not informs, hex(code)


def test_many_levels_of_entities_take_no_time():
    assert not is_wordless("&" + "amp;" * 1_000_000 + "nbsp;")


WITHOUT = st.text(st.characters(exclude_categories=["L", "N", "Cs"]), max_size=20)
RATER = Rater("satisfaction", embedder=ToyEmbedder(), floor=None)


@given(st.lists(WITHOUT, max_size=5))
def test_no_text_without_letter_and_digit_is_ever_scored(texts):
    rated = RATER.rate(["it is good", *texts])
    assert rated.scored.tolist() == [True] + [False] * len(texts)
    assert np.isnan(rated.pmf[1:]).all()
    assert set(rated.status[1:]) <= {Status.UNINFORMATIVE, Status.EMPTY}
    assert rated.windows[1:].sum() == 0


NO_ENTITY = WITHOUT.map(lambda text: text.replace("&", ""))  # "&#7;" is a bell, not a seven


@given(NO_ENTITY, st.sampled_from(["a", "7", "好"]), NO_ENTITY)
def test_one_letter_among_anything_else_is_scored(before, letter, after):
    assert RATER.rate([f"{before}{letter}{after}"]).scored.all()
