"""Statuses of texts that have no rating."""

import datetime
import json
import re
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import ToyEmbedder

from semscale.embedding.texts import answer_status, has_emoji, is_wordless
from semscale.errors import InputError, InterruptedRunError
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.report.rating import MEANINGS, codes_hint
from semscale.results.table_runs import PartSettings
from semscale.signature import Signature
from semscale.spelling import hint
from semscale.store.reading import open_table
from semscale.types import Status
from semscale.weights.known import KNOWN

DOCS = Path(__file__).parents[2] / "docs" / "rating.md"

# The toy model puts a text off topic that shares no word with an anchor.
OUTCOMES = [
    ("great thing", Status.SCORED),
    ("  great thing\n", Status.SCORED),
    (None, Status.MISSING),
    (float("nan"), Status.MISSING),
    ("unanswered", Status.MISSING),
    (" UNANSWERED ", Status.MISSING),
    ("-99", Status.MISSING),
    (5, Status.NOT_TEXT),
    (["great thing"], Status.NOT_TEXT),
    ("", Status.EMPTY),
    (" \t\u00a0", Status.EMPTY),
    ("great thing " * 10_000, Status.TOO_LONG),
    ("?!", Status.UNINFORMATIVE),
    ("\U0001f44d", Status.UNINFORMATIVE),
    ("\u200b", Status.UNINFORMATIVE),
    ("&nbsp;", Status.UNINFORMATIVE),
    ("好 thing", Status.SCORED),
    ("so 好 好", Status.WEIGHTLESS),
    ("Ich würde es sofort kaufen.", Status.OTHER_LANGUAGE),
    ("entirely unrelated words", Status.OFF_TOPIC),
]

CELLS = [cell for cell, _ in OUTCOMES]

STATUSES = [status for _, status in OUTCOMES]


class Reader:
    """The toy model as one that reads English alone, and to which words of Chinese signs are unknown."""

    def __init__(self, embedder):
        known = KNOWN["all-MiniLM-L6-v2"]
        self.embedder = embedder
        self.dimensions = embedder.dimensions
        self.signature = Signature.of("embed", model=f"{known.name}#{known.sums[known.weights][:12]}")

    def embed(self, texts, *, progress=None):
        unknown = [sum("好" in word for word in text.split()) / len(text.split()) for text in texts]
        return replace(self.embedder.embed(texts, progress=progress), unknown=np.array(unknown, np.float32))


@pytest.fixture
def rater(survey, toy_embedder):
    return Rater(survey.some_scale(), embedder=Reader(toy_embedder), floor=0.2, missing=["unanswered", "-99"])


def test_every_kind_of_cell_has_its_status(rater):
    assert rater.rate(CELLS).status.tolist() == STATUSES


def test_a_file_gives_the_same(rater, tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({"text": cell}) + "\n" for cell in CELLS))
    out = tmp_path / "rated.jsonl"
    rate_table(open_table(path), RatingColumns(text="text"), rater=rater, out=out, settings=PartSettings(3))
    (rated,) = open_table(out).batches(100)
    assert rated["semscale_status"].to_list() == STATUSES
    assert rated["semscale_mean"].is_not_null().to_list() == [status == "scored" for status in STATUSES]


def test_every_status_is_explained_in_the_report():
    given = {*STATUSES, Status.NOT_ABOUT}  # this one by scales with an aspect alone
    assert given - {Status.SCORED} <= set(MEANINGS)


def test_the_page_of_the_docs_has_remedies_for_statuses_that_ratings_have():
    table = re.search(r"^\| status \|.*?\n\n", DOCS.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[0]
    listed = re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)
    assert listed
    assert listed == [str(status) for status in Status if status in listed and status in STATUSES]


CODED = ["NA", "great thing", "n/a", "NA", "so so", " na", "-99", "lovely", None, "-99"]


@pytest.fixture
def coded(tmp_path):
    path = tmp_path / "coded.jsonl"
    path.write_text("".join(json.dumps({"text": cell}) + "\n" for cell in CODED))
    return open_table(path)


def rater_with(survey, embedder, *codes):
    return Rater(survey.some_scale(), embedder=embedder, floor=None, missing=codes)


def test_codes_are_counted_over_all_parts(survey, coded, toy_embedder):
    settings = PartSettings(3)
    plain = rate_table(
        coded, RatingColumns(text="text"), rater=rater_with(survey, toy_embedder), settings=settings
    )
    assert plain.possible_codes == {"NA": 3, "-99": 2, "n/a": 1}
    assert plain.counts == {"scored": 9, "missing": 1}
    assert codes_hint(plain.possible_codes) == (
        "6 rated texts seem to mean “no answer” (3 × NA, 2 × -99, 1 × n/a)"
        + hint("; to leave them out: `missing='NA'` `missing='-99'` `missing='n/a'`")
    )
    named = rate_table(
        coded,
        RatingColumns(text="text"),
        rater=rater_with(survey, toy_embedder, "na", "-99"),
        settings=settings,
    )
    assert named.possible_codes == {"n/a": 1}
    assert named.counts == {"scored": 4, "missing": 6}
    assert codes_hint(named.possible_codes).startswith("1 rated text seems to mean “no answer” (1 × n/a)")


def test_a_stopped_run_goes_on_with_the_same_codes_only(survey, coded, toy_embedder, tmp_path):
    out, settings = tmp_path / "rated.csv", PartSettings(4)

    class Stopping:
        """The toy model until the second part."""

        dimensions, signature = toy_embedder.dimensions, toy_embedder.signature

        def embed(self, texts, *, progress=None):
            if "lovely" in texts:
                raise KeyboardInterrupt
            return toy_embedder.embed(texts, progress=progress)

    with pytest.raises(InterruptedRunError):
        rate_table(
            coded,
            RatingColumns(text="text"),
            rater=rater_with(survey, Stopping(), "na"),
            out=out,
            settings=settings,
        )
    for codes in ([], ["na", "-99"]):
        other = rater_with(survey, toy_embedder, *codes)
        with pytest.raises(InputError, match="missing was na, now .*--restart"):
            rate_table(coded, RatingColumns(text="text"), rater=other, out=out, settings=settings)
    same = rater_with(survey, toy_embedder, "NA")
    summary = rate_table(coded, RatingColumns(text="text"), rater=same, out=out, settings=settings)
    assert summary.counts == {"scored": 6, "missing": 4}  # NA, NA, na and null
    assert summary.possible_codes == {"-99": 2, "n/a": 1}


@pytest.mark.parametrize("cell", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_null_is_missing_as_a_text(cell):
    assert answer_status(cell) is Status.MISSING


@pytest.mark.parametrize("cell", [0, 1.5, True, b"text", ["text"], datetime.date(2026, 1, 1), np.ones(2)])
def test_what_is_no_string_is_not_text(cell):
    assert answer_status(cell) is Status.NOT_TEXT


@pytest.mark.parametrize("cell", ["", " ", "\t\n", "\u00a0\u2003"])
def test_white_space_is_empty(cell):
    assert answer_status(cell) is Status.EMPTY


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
    assert answer_status(text) is Status.UNINFORMATIVE


@pytest.mark.parametrize("text", SAYS_SOMETHING)
def test_a_letter_or_digit_of_any_script_is_enough(text):
    assert not is_wordless(text)
    assert answer_status(text) is Status.SCORED


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
    assert answer_status(text, reads_emoji=True) is Status.SCORED
    assert answer_status(text, reads_emoji=False) is Status.UNINFORMATIVE


@pytest.mark.parametrize("text", NO_EMOJI)
def test_stars_objects_and_punctuation_are_not_read(text):
    assert not has_emoji(text)
    assert answer_status(text, reads_emoji=True) is Status.UNINFORMATIVE


def test_a_code_of_emoji_is_still_missing():
    assert answer_status("🤷", frozenset({"🤷"}), reads_emoji=True) is Status.MISSING


@pytest.mark.exhaustive
def test_ratings_of_emoji_with_the_default_model(rating_embedder):
    rated = Rater("quality", embedder=rating_embedder).rate(["👍", "👎", "❤️", "😡", "★★★★★", "⭐", "???"])
    assert rated.scored.tolist() == [True] * 4 + [False] * 3
    up, down, heart, angry = rated.mean[:4]
    assert up > 3 > down
    assert heart > 3 > angry


@pytest.mark.exhaustive
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
def test_single_letter_among_other_characters_is_scored(before, letter, after):
    assert RATER.rate([f"{before}{letter}{after}"]).scored.all()
