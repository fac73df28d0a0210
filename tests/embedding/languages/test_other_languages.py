import numpy as np

from semscale.embedding.languages.other_languages import in_other_languages
from semscale.signature import Signature
from semscale.weights.known import KNOWN

MINILM = KNOWN["all-MiniLM-L6-v2"]
ENGLISH_MODEL = Signature.of("embed", model=f"{MINILM.name}#{MINILM.sums[MINILM.weights][:12]}")
UNKNOWN_MODEL = Signature.of("embed", model="my-folder#0123")

TEXTS = ["I would buy it tomorrow.", "Ich würde es sofort kaufen.", "ok", "太贵了", "John Smith"]
LANGUAGES = np.array(["en", "de", None, "zh", None], dtype=object)


def test_texts_that_are_clearly_in_another_language_are_not_read():
    # "太贵了" has nine bytes of letters: too short to be left out.
    assert in_other_languages(TEXTS, LANGUAGES, ENGLISH_MODEL).tolist() == [False, True, False, False, False]


def test_a_text_that_may_be_in_a_language_that_the_model_reads_is_read():
    # Taken for Luxembourgish, with .16 left for languages that e5-small reads, German first.
    found = np.array(["lb"], dtype=object)
    e5 = KNOWN["e5-small"]
    reads_many = Signature.of("embed", model=f"{e5.name}#{e5.sums[e5.weights][:12]}")
    assert "lb" not in e5.languages
    assert not in_other_languages(["schlechter Service"], found, reads_many).any()
    assert in_other_languages(["schlechter Service"], found, ENGLISH_MODEL).all()


def test_nothing_is_said_of_a_model_of_which_it_is_not_known_what_it_reads():
    assert not in_other_languages(TEXTS, LANGUAGES, UNKNOWN_MODEL).any()
