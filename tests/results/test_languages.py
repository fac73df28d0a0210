"""Languages of texts and tables, their names and counts, and languages that a model does not read."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.language_sentences import SENTENCES

from semscale.results.languages import (
    SAMPLED_TEXTS,
    LanguageCount,
    LanguageCounter,
    LanguageSample,
    _identifier,
    are_english,
    has_enough_letters,
    identify_languages,
    identify_together,
    in_other_languages,
    is_plainly_english,
    language_of,
    language_of_script,
    unread_language,
)
from semscale.signature import Signature
from semscale.types import LANGUAGE_NAMES, Status
from semscale.weights.known import KNOWN


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ich würde es sofort kaufen.", "de"),
        ("Lo compraría mañana mismo.", "es"),
        ("Je l'achèterais tout de suite.", "fr"),
        ("这个产品很好", "zh"),
        ("とても良い製品です", "ja"),
        ("สินค้านี้ดีมาก", "th"),
        ("I would buy it tomorrow.", "en"),
    ],
)
def test_languages_of_whole_sentences_are_identified(text, code):
    assert identify_languages([text]) == [code]


@pytest.mark.parametrize("text", ["schlecht", "schlechter Service", "schlechte Qualität"])
def test_short_german_is_not_identified_as_luxembourgish(text):
    assert identify_languages([text]) == ["de"]


@pytest.mark.parametrize(
    ("text", "code"),
    [  # The beginning of article 1 of the Universal Declaration of Human Rights.
        ("All Mënsch kënnt fräi a mat deer selwechter Dignitéit op d'Welt.", "lb"),
        ("Alle menslike wesens word vry, met gelyke waardigheid en regte, gebore.", "af"),
        ("Tódolos seres humanos nacen libres e iguais en dignidade e dereitos.", "gl"),
        ("Genir pawb yn rhydd ac yn gydradd â'i gilydd mewn urddas a hawliau.", "cy"),
    ],
)
def test_a_sentence_in_a_rare_language_is_known(text, code):
    assert identify_languages([text]) == [code]


@pytest.mark.parametrize("text", ["ok", "good!", "John Smith", "Coca Cola", "lol", "Maria Gonzalez", "42"])
def test_single_terms_and_names_have_no_language(text):
    assert identify_languages([text]) == [None]


def test_letters_are_counted_in_bytes_as_a_chinese_sign_says_more_than_a_letter():
    # Twelve bytes: twelve letters of English, six of Russian, four Chinese signs; digits and marks are none.
    assert [has_enough_letters(text) for text in ("abcdefghijkl", "приват", "太贵了吧")] == [True] * 3
    assert [has_enough_letters(text) for text in ("abcdefghijk1", "прива", "太贵了!", "")] == [False] * 4


def test_half_of_a_surrogate_pair_is_no_reason_to_stop():
    assert has_enough_letters("abcdefghijkl\ud83d")
    assert identify_languages(["Ich würde es sofort kaufen. \ud83d"]) == ["de"]


SHORT_GERMAN = ["gut", "schlecht", "zu teuer", "geht so", "weiß nicht"]
ENGLISH = ["good", "bad", "too expensive", "so so", "don't know"]


def test_language_of_short_answers_is_identified_jointly():
    assert identify_together(SHORT_GERMAN) == "de"
    assert identify_together(ENGLISH) == "en"


def test_repetitions_case_and_texts_without_letters_do_not_count():
    assert identify_together(SHORT_GERMAN[:4] * 20) is None  # four distinct texts
    assert identify_together([*SHORT_GERMAN[:4], "GUT", " gut ", "👍", "12"]) is None
    assert identify_together([*SHORT_GERMAN * 3, "👍", "4.5"]) == "de"


def test_single_odd_text_does_not_decide_the_joint_language():
    # Names have no language; one long English text makes them English, unless it is left out.
    names = ["John", "Mbappé", "Xi", "Björk", "Zuma", "Olga"]
    odd = "This is the longest of all texts, and it is plainly in English."
    assert identify_together([*names, odd]) is None
    assert identify_together([*SHORT_GERMAN, *reversed(SHORT_GERMAN), odd * 50]) == "de"


@pytest.mark.parametrize("texts", [[], ["👍"] * 9, ["Nokia", "Kia", "Mazda", "Lego", "Sony", "Asus"]])
def test_joined_language_is_none_without_evidence(texts):
    assert identify_together(texts) is None


ROWS = [("de", "en"), ("en", "en"), ("de", "en"), ("fr", "en"), (None, "en"), ("en", "en"), ("de", "en")]
STATUSES = [
    Status.SCORED, Status.SCORED, Status.WEIGHTLESS, Status.OTHER_LANGUAGE, Status.SCORED, Status.MISSING,
    Status.SCORED,
]  # fmt: skip


@pytest.mark.parametrize("part", [1, 3, 7])
def test_rows_are_counted_by_their_languages_whatever_the_parts(part):
    counter = LanguageCounter()
    for start in range(0, len(ROWS), part):
        counter.add(ROWS[start : start + part], STATUSES[start : start + part])
    # The row that is missing has no words. What is not clear comes last.
    assert counter.counts == (
        LanguageCount(("de", "en"), rows=3, scored=2),
        LanguageCount(("en", "en"), rows=1, scored=1),
        LanguageCount(("fr", "en"), rows=1, scored=0, unread=1),
        LanguageCount((None, "en"), rows=1, scored=1),
    )


def test_texts_are_identified_and_counted():
    counter = LanguageCounter()
    counter.add_texts([["Das ist nicht sicher.", "It is not safe."], ["Paris", "Paris"]], [Status.SCORED] * 2)
    assert [result.languages for result in counter.counts] == [("de", "en"), (None, None)]


def test_a_row_is_across_languages_only_where_two_are_clear_and_differ():
    rows = [("de", "en"), ("de", "de"), (None, "en"), ("de",)]
    assert [LanguageCount(row, 1, 1).is_across for row in rows] == [True, False, False, False]


def test_unclear_languages_do_not_make_a_table_non_english():
    assert are_english([LanguageCount(("en", "en"), 5, 5), LanguageCount((None, "en"), 1, 1)])
    assert not are_english([LanguageCount(("en", "en"), 5, 5), LanguageCount(("en", "fr"), 1, 1)])


def test_counts_are_laid_out_by_the_names_of_the_texts():
    result = LanguageCount(("de", "en"), rows=3, scored=2, unread=1)
    assert result.record("prediction", "reference") == {
        "prediction": "de", "reference": "en", "rows": 3, "scored": 2, "unread": 1,
    }  # fmt: skip


# Spoken by few, and often found in texts of a related language.
UNNAMED = {"an", "ba", "dz", "fo", "vo"}


def test_every_identifiable_language_with_an_iso_639_1_code_has_a_name():
    short = {code for code in _identifier().nb_classes if re.fullmatch("[a-z]{2}", code)}
    assert short - set(LANGUAGE_NAMES) == UNNAMED


def test_codes_and_names_are_unique():
    assert all(re.fullmatch("[a-z]{2}", code) for code in LANGUAGE_NAMES)
    assert len(set(LANGUAGE_NAMES.values())) == len(LANGUAGE_NAMES)


MINILM = KNOWN["all-MiniLM-L6-v2"]
ENGLISH_MODEL = Signature.of("embed", model=f"{MINILM.name}#{MINILM.sums[MINILM.weights][:12]}")
E5 = KNOWN["e5-small"]
MULTILINGUAL = Signature.of("embed", model=f"{E5.name}#{E5.sums[E5.weights][:12]}")
UNKNOWN_MODEL = Signature.of("embed", model="my-folder#0123")

TEXTS = ["I would buy it tomorrow.", "Ich würde es sofort kaufen.", "ok", "太贵了", "John Smith", "gut"]
LANGUAGES = np.array(["en", "de", None, "zh", None, "de"], dtype=object)


def test_texts_that_are_clearly_in_another_language_are_not_read():
    # "gut" is too short to be left out, three letters of another script are not.
    result = in_other_languages(TEXTS, LANGUAGES, ENGLISH_MODEL)
    assert result.tolist() == [False, True, False, True, False, False]


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
    result = in_other_languages(texts, unclear, ENGLISH_MODEL)
    assert result.tolist() == [True, True, False, False, False, False]


def test_a_text_that_may_be_in_a_language_that_the_model_reads_is_read():
    # Taken for Luxembourgish, with .16 left for languages that e5-small reads, German first.
    result = np.array(["lb"], dtype=object)
    assert "lb" not in E5.languages
    assert not in_other_languages(["schlechter Service"], result, MULTILINGUAL).any()
    assert in_other_languages(["schlechter Service"], result, ENGLISH_MODEL).all()


def test_no_row_is_in_another_language_for_a_model_of_unknown_languages():
    assert not in_other_languages(TEXTS, LANGUAGES, UNKNOWN_MODEL).any()


@pytest.mark.parametrize(
    ("text", "is_english"),
    [
        ("The battery is not good", True),
        ("the THE", True),
        ("Das ist the best", False),  # one English word is a quotation as easily
        ("Der Mann will die Information", False),
        ("", False),
        ("x" * 600 + " the and", False),  # beyond what is looked at
    ],
)
def test_two_english_terms_show_that_a_text_is_english(text, is_english):
    assert is_plainly_english(text) is is_english


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("不安全", "zh"),
        ("安い", "ja"),  # a Chinese sign and a Japanese one
        ("좋아요", "ko"),
        ("جيد", "ar"),
        ("да", "ru"),
        ("Нокиа 3310 Plus", "ru"),  # five letters of nine
        ("Nokia да", None),
        ("Ω", None),
        ("schlecht", None),
        ("123", None),
    ],
)
def test_a_script_shows_the_language_of_a_word(text, code):
    assert language_of_script(text) == code


@pytest.mark.parametrize("code", SENTENCES)
def test_language_of_a_sentence_is_identified(code):
    assert language_of(SENTENCES[code]) == code


@pytest.mark.parametrize("text", ["Paris", "12 km", "", "👍", "OK, Mr Smith", "Ω"])
def test_a_text_that_says_too_little_has_no_language(text):
    assert language_of(text) is None


ROOT = Path(__file__).parents[2]
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
SHORT_FOREIGN = {
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
    stored = LanguageSample()
    stored.add(np.arange(len(texts)), texts.__getitem__)
    return stored


def test_german_answers_are_not_read_by_an_english_model():
    result = sample(GERMAN).unread_language(signature())
    assert (result.code, result.name, result.model) == ("de", "German", "all-MiniLM-L6-v2")
    assert result.share == 1.0
    assert 25 <= result.n <= 30


def test_languages_that_are_mixed_are_counted_together():
    # 15 German, 5 Spanish and 5 English texts: 20 of 25 in languages that the model does not read.
    english = ["I would buy it tomorrow.", "It is much too expensive.", "My children love this toy.",
               "The quality of the box was poor.", "Works as expected so far."]  # fmt: skip
    result = unread_language([*GERMAN[:15], *SPANISH, *english], MINILM.languages, MINILM.name)
    assert result.code == "de"
    assert result.share == pytest.approx(0.8, abs=0.05)


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
        [*SHORT_FOREIGN["de"].split("|")[:4], *SHORT_ENGLISH[4:]],  # 4 of 10 in German
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


@pytest.mark.parametrize("code", SHORT_FOREIGN)
@pytest.mark.parametrize("odd", [[], ["I would buy this one tomorrow, it is great."]], ids=["pure", "odd"])
def test_short_answers_show_their_language_together(code, odd):
    texts = [*SHORT_FOREIGN[code].split("|"), *odd]
    result = unread_language(texts, MINILM.languages, MINILM.name)
    assert (result.code, result.share, result.n) == (code, None, len(texts))


def test_ordinary_sentences_of_which_few_are_clear_are_read_together():
    result = unread_language([*SPANISH_TEN, "ok", "no"], MINILM.languages, MINILM.name)
    assert result.code == "es"


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
    texts = [f"text number {index}" for index in range(3 * SAMPLED_TEXTS)]
    whole, parts = sample(texts), LanguageSample()
    for start in range(0, len(texts), 70):
        part = texts[start : start + 70]
        parts.add(np.arange(len(part)), part.__getitem__, start)
    assert parts._texts.items == whole._texts.items
    assert len(whole._texts.items) == SAMPLED_TEXTS


def test_plain_english_does_not_load_the_identifier():
    code = (
        "import sys\n"
        "from semscale.results.languages import unread_language\n"
        "texts = ['I would buy it if the price were right.'] * 9\n"
        "assert unread_language(texts, {'en'}, 'all-MiniLM-L6-v2') is None\n"
        "assert not any(name.startswith('py3langid') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
