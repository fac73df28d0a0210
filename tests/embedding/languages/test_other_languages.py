import numpy as np
import pytest

from semscale.embedding.languages import in_other_languages
from semscale.signature import Signature
from semscale.weights.known import KNOWN

MINILM = KNOWN["all-MiniLM-L6-v2"]
ENGLISH_MODEL = Signature.of("embed", model=f"{MINILM.name}#{MINILM.sums[MINILM.weights][:12]}")
E5 = KNOWN["e5-small"]
MULTILINGUAL = Signature.of("embed", model=f"{E5.name}#{E5.sums[E5.weights][:12]}")
UNKNOWN_MODEL = Signature.of("embed", model="my-folder#0123")

TEXTS = ["I would buy it tomorrow.", "Ich würde es sofort kaufen.", "ok", "太贵了", "John Smith", "gut"]
LANGUAGES = np.array(["en", "de", None, "zh", None, "de"], dtype=object)


def test_texts_that_are_clearly_in_another_language_are_not_read():
    # "gut" is too short to be left out, three letters of another script are not.
    found = in_other_languages(TEXTS, LANGUAGES, ENGLISH_MODEL)
    assert found.tolist() == [False, True, False, True, False, False]


@pytest.mark.parametrize("text", ["好的", "да", "جيد", "अच्छा", "良い", "좋아요"])
def test_a_word_in_a_script_that_the_model_does_not_read_is_not_read(text):
    unclear = np.array([None], dtype=object)
    assert in_other_languages([text], unclear, ENGLISH_MODEL).all()
    assert not in_other_languages([text], unclear, MULTILINGUAL).any()


def test_a_text_may_be_surely_in_another_language_though_it_is_not_clear_in_which():
    # Spanish, Portuguese and Galician all say something like it, and English does not.
    texts = [
        "funciona bien",
        "demasiado caro",
        "poor service",
        "quite useful",
        "friendly staff",
        "John Smith",
    ]
    unclear = np.full(len(texts), None, dtype=object)
    found = in_other_languages(texts, unclear, ENGLISH_MODEL)
    assert found.tolist() == [True, True, False, False, False, False]


def test_a_text_that_may_be_in_a_language_that_the_model_reads_is_read():
    # Taken for Luxembourgish, with .16 left for languages that e5-small reads, German first.
    found = np.array(["lb"], dtype=object)
    assert "lb" not in E5.languages
    assert not in_other_languages(["schlechter Service"], found, MULTILINGUAL).any()
    assert in_other_languages(["schlechter Service"], found, ENGLISH_MODEL).all()


def test_nothing_is_said_of_a_model_of_which_it_is_not_known_what_it_reads():
    assert not in_other_languages(TEXTS, LANGUAGES, UNKNOWN_MODEL).any()
