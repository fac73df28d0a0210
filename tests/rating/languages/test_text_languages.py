import pytest

from semscale.embedding.languages import identification
from semscale.errors import InputError
from semscale.rating.languages.text_languages import check_reads, text_languages
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


def test_a_language_is_not_refused_where_it_is_not_known_what_the_model_reads():
    check_reads(UNKNOWN_MODEL, "de")


def test_a_language_that_the_model_does_not_read_is_refused():
    check_reads(ENGLISH_MODEL, "en")
    with pytest.raises(InputError, match="all-MiniLM-L6-v2 does not read German"):
        check_reads(ENGLISH_MODEL, "de")
