"""The language of a table: claimed where it is plain, and never of English texts."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from semscale.embedding.languages import (
    SAMPLED_TEXTS,
    LanguageSample,
    unread_language,
)
from semscale.signature import Signature
from semscale.weights.known import KNOWN

ROOT = Path(__file__).parents[3]
MINILM = KNOWN["all-MiniLM-L6-v2"]
GERMAN = (ROOT / "tests/data/german_answers.txt").read_text(encoding="utf-8").splitlines()
SPANISH = [
    "Lo compraría mañana mismo.",
    "Es demasiado caro para mi familia.",
    "No me interesa este producto.",
    "La calidad parece muy buena.",
    "Prefiero esperar a que baje el precio.",
]
NAMES = [
    "Angela Merkel", "Hans Müller", "Jean-Pierre Dupont", "María González", "Giuseppe Verdi",
    "Søren Kierkegaard", "François Mitterrand", "Wolfgang Amadeus Mozart",
    "Pedro Almodóvar", "Antonín Dvořák", "Björn Borg",
]  # fmt: skip
SPANISH_TEN = [
    "Me gusta mucho este producto.", "Es demasiado caro.", "No lo compraría nunca.",
    "La calidad es muy buena.", "Funciona bien.", "No me convence.", "Lo compraría mañana.",
    "Tal vez, depende del precio.", "Me parece una buena idea.", "No sirve para nada.",
]  # fmt: skip
SHORT_OTHERS = {
    "de": "gut|schlecht|teuer|zu teuer|sehr gut|geht so|gefällt mir|nein danke|weiß nicht|vielleicht",
    "es": "bueno|malo|caro|muy caro|muy bueno|regular|me gusta|no gracias|no sé|quizás",
    "fr": "bon|mauvais|trop cher|très bien|pas mal|j'aime bien|non merci|je ne sais pas|peut-être|super",
    "it": "Mi piace molto.|Troppo caro per me.|Funziona bene.|Non mi convince.|È una buona idea.",
    "tr": "Çok beğendim.|Asla almam.|Kalitesi iyi.|Beni ikna etmedi.|Hemen istiyorum.",
}
SHORT_ENGLISH = [
    "good", "bad", "expensive", "too expensive", "very good", "so so", "like it", "no thanks", "don't know",
    "maybe",
]  # fmt: skip
MEDICINE = [
    "Ethmoidal region", "Neoadjuvant chemotherapy", "Occipital region", "Sagittal synostosis",
    "Rheumatoid arthritis", "Lateral rectus", "Sinus venosus",
]  # fmt: skip
CITIES = [
    "Los Angeles", "San Francisco", "San Diego", "Santa Fe", "El Paso", "Las Vegas", "Sacramento",
]  # fmt: skip
SHORT = ["ok", "good!", "no", "nope", "lol", "super", "gut", "no gracias", "ja", "si", "nein", "idk"]


def examples(name):
    with (ROOT / "examples" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def signature(name="all-MiniLM-L6-v2", digest=MINILM.sums[MINILM.weights][:12]):
    return Signature.of("rate", model=f"{name}#{digest}")


def sample(texts):
    kept = LanguageSample()
    kept.add(np.arange(len(texts)), texts.__getitem__)
    return kept


def test_german_answers_are_not_read_by_an_english_model():
    found = sample(GERMAN).unread_language(signature())
    assert (found.code, found.name, found.model) == ("de", "German", "all-MiniLM-L6-v2")
    assert found.share == 1.0
    assert 25 <= found.n <= 30


def test_languages_that_are_mixed_are_counted_together():
    # 15 German, 5 Spanish and 5 English texts: 20 of 25 in languages that the model does not read.
    english = ["I would buy it tomorrow.", "It is much too expensive.", "My children love this toy.",
               "The quality of the box was poor.", "Works as expected so far."]  # fmt: skip
    found = unread_language([*GERMAN[:15], *SPANISH, *english], MINILM.languages, MINILM.name)
    assert found.code == "de"
    assert found.share == pytest.approx(0.8, abs=0.05)


@pytest.mark.parametrize(
    "texts",
    [
        [row["text"] for row in examples("product_reviews.csv")][:400],
        [row["answer"] for row in examples("answers.csv")],
        [row["question"] for row in examples("questions.csv")],
        [f"{name} told me about it" for name in NAMES],
        NAMES,
        NAMES * 20,
        CITIES,
        SHORT_ENGLISH,
        MEDICINE,
        [*SHORT_OTHERS["de"].split("|")[:4], *SHORT_ENGLISH[4:]],  # 4 of 10 in German
        ["1", "2", "4.5", "10", "3"] * 4,
        SHORT * 20,
        GERMAN[:4],  # too few to say anything
        ["The price is fine.", "I like the colour of it.", "It broke after a week.", "Would buy again."] * 5
        + SPANISH,  # a fifth
        ["👍", "👎"] * 20,
        [],
    ],
    ids=str.split(
        "reviews answers questions sentences names many-names cities answers-in-English medicine mixed "
        "numbers short few fifth emoji none"
    ),
)
def test_no_false_alarm(texts):
    assert unread_language(texts, MINILM.languages, MINILM.name) is None


@pytest.mark.parametrize("code", SHORT_OTHERS)
@pytest.mark.parametrize("odd", [[], ["I would buy this one tomorrow, it is great."]], ids=["pure", "odd"])
def test_short_answers_show_their_language_together(code, odd):
    texts = [*SHORT_OTHERS[code].split("|"), *odd]
    found = unread_language(texts, MINILM.languages, MINILM.name)
    assert (found.code, found.share, found.n) == (code, None, len(texts))


def test_ordinary_sentences_of_which_few_are_clear_are_read_together():
    found = unread_language([*SPANISH_TEN, "ok", "no"], MINILM.languages, MINILM.name)
    assert found.code == "es"


def test_texts_of_the_gates_example_are_english():
    texts = []
    for line in (ROOT / "examples/drift/baseline.jsonl").read_text(encoding="utf-8").splitlines():
        texts += [value for value in json.loads(line).values() if isinstance(value, str)]
    assert unread_language(texts, MINILM.languages, MINILM.name) is None


def test_nothing_is_claimed_of_a_model_of_which_nothing_is_known():
    assert sample(GERMAN).unread_language(signature("my-folder")) is None
    assert sample(GERMAN).unread_language(signature(digest="0123456789ab")) is None  # a namesake
    assert sample(GERMAN).unread_language(Signature.of("consistency", measures="exact_match")) is None


def test_a_sample_does_not_depend_on_parts():
    texts = [f"text number {place}" for place in range(3 * SAMPLED_TEXTS)]
    whole, parts = sample(texts), LanguageSample()
    for start in range(0, len(texts), 70):
        part = texts[start : start + 70]
        parts.add(np.arange(len(part)), part.__getitem__, start)
    assert parts._texts.items == whole._texts.items
    assert len(whole._texts.items) == SAMPLED_TEXTS


def test_plain_english_does_not_load_the_identifier():
    code = (
        "import sys\n"
        "from semscale.embedding.languages import unread_language\n"
        "texts = ['I would buy it if the price were right.'] * 9\n"
        "assert unread_language(texts, {'en'}, 'all-MiniLM-L6-v2') is None\n"
        "assert not any(name.startswith('py3langid') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
