import pytest

from semscale.embedding.languages import identification
from semscale.errors import InputError
from semscale.rating.languages.text_languages import (
    check_reads,
    in_other_languages,
    text_languages,
)
from semscale.signature import Signature
from semscale.weights.known import KNOWN

MINILM = KNOWN["all-MiniLM-L6-v2"]
ENGLISH_MODEL = Signature.of("embed", model=f"{MINILM.name}#{MINILM.sums[MINILM.weights][:12]}")
UNKNOWN_MODEL = Signature.of("embed", model="my-folder#0123")

TEXTS = ["I would buy it tomorrow.", "Ich würde es sofort kaufen.", "ok", "太贵了", "John Smith"]


def test_each_text_is_identified_by_itself():
    found = text_languages(TEXTS)
    assert found.tolist() == ["en", "de", None, "zh", None]
    assert text_languages([]).shape == (0,)


def test_no_text_is_identified_where_the_language_is_said_or_the_text_is_plainly_english(monkeypatch):
    monkeypatch.setattr(identification, "_identified", lambda text: f"<{text}>")
    assert text_languages(["ok", "Das ist gut."], "fr").tolist() == ["fr", "fr"]
    # "would", "buy", "it" and others are words of English alone; "ok" is not.
    assert text_languages(["I would buy it if it were mine.", "ok"]).tolist() == ["en", "<ok>"]


def test_texts_that_are_clearly_in_another_language_are_not_read():
    # "太贵了" has nine bytes of letters: too short to be left out.
    found = text_languages(TEXTS)
    assert in_other_languages(TEXTS, found, ENGLISH_MODEL).tolist() == [False, True, False, False, False]


def test_a_text_that_may_be_in_a_language_that_the_model_reads_is_read():
    # Taken for Luxembourgish, with .08 left for languages that e5-small reads.
    texts = ["Gewësse krut a"]
    found = text_languages(texts)
    e5 = KNOWN["e5-small"]
    reads_many = Signature.of("embed", model=f"{e5.name}#{e5.sums[e5.weights][:12]}")
    assert found.tolist() == ["lb"]
    assert "lb" not in e5.languages
    assert not in_other_languages(texts, found, reads_many).any()
    assert in_other_languages(texts, found, ENGLISH_MODEL).all()


def test_nothing_is_said_of_a_model_of_which_it_is_not_known_what_it_reads():
    assert not in_other_languages(TEXTS, text_languages(TEXTS), UNKNOWN_MODEL).any()
    check_reads(UNKNOWN_MODEL, "de")


def test_a_language_that_the_model_does_not_read_is_refused():
    check_reads(ENGLISH_MODEL, "en")
    with pytest.raises(InputError, match="all-MiniLM-L6-v2 does not read German"):
        check_reads(ENGLISH_MODEL, "de")
