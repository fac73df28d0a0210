"""Codes for a missing answer: counted where they are likely, left out where the user names them."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from semscale.errors import InputError
from semscale.rating.rater import Rater
from semscale.scales import load_scale
from semscale.scales.library import translation_languages
from semscale.store.missing_codes import (
    LONGEST_CODE,
    MOST_CODES,
    OTHER_NUMBERS,
    CodeCount,
    code_key,
    count_codes,
    looks_like_code,
    missing_keys,
    write_codes,
)
from semscale.types import Status

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "text",
    [
        "NA", "N/A", "n.a.", "nan", "NaN", "None", "null", "NULL", "nil", "#N/A", "<NA>", "(null)", "missing",
        "Refused", "don't know", "Don’t know", " NA ", "DK", "Not applicable", "Prefer not to say",
        "no comment", "See above", "-99", "−99", "999", "12345", "5", "-1.0", "1,5", "+3",
    ],
)  # fmt: skip
def test_what_files_write_for_a_missing_answer_looks_like_a_code(text):
    assert looks_like_code(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ar", "لا أعرف"), ("de", "k.A."), ("de", "Keine Angabe"), ("de", "Weiß nicht"),
        ("de", "WEISS NICHT"), ("de", "siehe oben"), ("de", "s.o."), ("nl", "zie boven"),
        ("es", "No sé"), ("es", "NS/NC"), ("fr", "RAS"), ("fr", "Je ne sais pas"),
        ("fr", "Je préfère ne pas répondre"), ("hi", "पता नहीं"), ("it", "Non so"), ("ja", "特になし"),
        ("ja", "なし"), ("nl", "Weet niet"), ("pl", "Nie wiem"), ("pt", "Não sei"), ("zh", "没有"),
        ("zh", "不知道"),
    ],
)  # fmt: skip
def test_what_people_say_in_other_languages_when_they_do_not_answer_looks_like_a_code(language, text):
    assert language in translation_languages()
    assert looks_like_code(text)
    assert looks_like_code(unicodedata.normalize("NFD", text))  # macOS writes accents as signs of their own
    assert count_codes([f"{text} "]) == {text: 1}


def test_every_translated_language_has_missing_codes():
    listed = yaml.safe_load((ROOT / "src/semscale/store/missing_codes.yaml").read_text(encoding="utf-8"))
    assert set(listed) == {"files", "en", *translation_languages()}
    texts = [text for by_language in listed.values() for text in by_language]
    assert all(isinstance(text, str) and len(text) <= LONGEST_CODE for text in texts)
    assert all(len(set(map(code_key, result))) == len(result) for result in listed.values())


def test_no_anchor_looks_like_a_code():
    scales = [load_scale("likelihood", language=language) for language in (None, *translation_languages())]
    anchors = {anchor for scale in scales for sentences in scale.anchor_sets.values() for anchor in sentences}
    assert len(anchors) > 200
    assert [anchor for anchor in anchors if looks_like_code(anchor)] == []


@pytest.mark.parametrize(
    "text",
    [
        "none at all",
        "weiß nicht genau",
        "nada",
        "rien",
        "no",
        "nein",
        "不",
        "nothing",
        "I refused it",
        "5 stars",
        "10/10",
        "1-2",
        "Nana",
        "12:30",
        "1.2.3",
        "9" * 13,
    ],
)
def test_what_may_be_an_answer_does_not(text):
    assert not looks_like_code(text)


def test_codes_are_compared_without_case_blanks_and_curly_apostrophes():
    assert missing_keys(["NA", " na ", "Don’t know"]) == {"na", "don't know"}
    assert missing_keys("NA") == {"na"}
    assert missing_keys([]) == frozenset()


@pytest.mark.parametrize("codes", [[""], ["NA", " "], [-99], [None]])
def test_a_code_that_is_none_is_refused(codes):
    with pytest.raises(InputError, match="missing must be codes such as 'NA' or '-99', got"):
        missing_keys(codes)


CODES = st.frozensets(st.text(min_size=1).map(code_key).filter(bool))


@given(CODES, CODES)
def test_a_signature_tells_sets_of_codes_apart(first, second):
    written = write_codes(first)
    assert (written == write_codes(second)) == (first == second)
    assert written is None or not set(written) & set("|:")


class TestCounting:
    def test_is_by_code_as_first_written_the_most_frequent_first(self):
        texts = ["-99", "N/A", "fine", "n/a", " N/A", "none of it", "-99", "n/a"]
        assert count_codes(texts) == {"N/A": 4, "-99": 2}
        assert list(count_codes(texts)) == ["N/A", "-99"]

    def test_does_not_depend_on_the_parts(self):
        rng = np.random.default_rng(0)
        texts = rng.choice(["NA", "na", "-99", "good", "null", *map(str, range(500))], 3000).tolist()
        whole = count_codes(texts)
        for size in (1, 7, 1000):
            count = CodeCount()
            for start in range(0, len(texts), size):
                count.add(texts[start : start + size])
            assert count.counts == whole

    def test_takes_no_more_memory_for_more_numbers(self):
        count = CodeCount()
        for start in range(0, 10_000, 100):
            count.add([f"{number} " for number in range(start, start + 100)])
        count.add(["NA"])  # known codes are few, and are always told apart
        assert len(count.counts) == MOST_CODES + 2
        assert count.counts[OTHER_NUMBERS] == 10_000 - MOST_CODES
        assert count.counts["NA"] == 1

    def test_is_of_what_was_rated(self, toy_embedder):
        rater = Rater("satisfaction", embedder=toy_embedder, floor=None)
        cells = ["it is good", "NA", "n/a", "-99", None, ".", "", -99, "N/A"]
        rated = rater.rate(cells)
        assert rated.possible_codes == {"n/a": 2, "NA": 1, "-99": 1}
        assert rated.summarize(
            ["it is good", "NA", "n/a", "-99", None, ".", "", -99, "N/A"]
        ).possible_codes == (rated.possible_codes)
        # Nothing is as similar as 1 to an anchor, so everything is off topic, and no code was rated.
        strict = Rater("satisfaction", embedder=toy_embedder, floor=1.0)
        assert strict.rate(["it is good", "NA", "-99"]).possible_codes == {}


class TestNamed:
    CELLS = ("it is good", "NA", " na ", "N/A", "-99", "-", "banana", -99, "NA but fine")

    def test_codes_are_missing_and_nothing_else_is(self, toy_embedder):
        plain = Rater("satisfaction", embedder=toy_embedder, floor=None)
        named = Rater("satisfaction", embedder=toy_embedder, floor=None, missing=["na", "-99", "-"])
        rated = named.rate(self.CELLS)
        assert rated.status.tolist() == [
            Status.SCORED, Status.MISSING, Status.MISSING, Status.SCORED, Status.MISSING, Status.MISSING,
            Status.SCORED, Status.NOT_TEXT, Status.SCORED,
        ]  # fmt: skip
        scored = rated.scored
        np.testing.assert_allclose(rated.pmf[scored], plain.rate(self.CELLS).pmf[scored])
        assert np.isnan(rated.pmf[~scored]).all()
        assert rated.possible_codes == {"N/A": 1}

    def test_they_are_not_embedded(self, toy_embedder):
        rater = Rater("satisfaction", embedder=toy_embedder, floor=None, missing="NA")
        assert rater.rate(["NA", "na"]).n_left_out == 2
        assert toy_embedder.embedded == []

    def test_missing_codes_enter_the_signature_only_if_set(self, toy_embedder):
        def signature(**settings):
            return str(Rater("satisfaction", embedder=toy_embedder, floor=None, **settings).signature)

        assert "missing" not in signature()
        assert "|missing:-99+na|" in signature(missing=["NA", "-99", "na"])
        assert signature(missing=["a|b:c"]).count("|") == signature(missing=["na"]).count("|")
