"""Languages of texts: identification, counts of rows, and languages that a model does not read."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.signature import Signature
from semscale.stats.sampling import RowSample, priorities
from semscale.types import Integers, Mask, ObjectArray, Status
from semscale.weights.known import languages_read, model_name

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


ENGLISH = "en"

LANGUAGE_NAMES = {
    "af": "Afrikaans",
    "am": "Amharic",
    "ar": "Arabic",
    "as": "Assamese",
    "az": "Azerbaijani",
    "be": "Belarusian",
    "bg": "Bulgarian",
    "bn": "Bengali",
    "br": "Breton",
    "bs": "Bosnian",
    "ca": "Catalan",
    "cs": "Czech",
    "cy": "Welsh",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "eo": "Esperanto",
    "es": "Spanish",
    "et": "Estonian",
    "eu": "Basque",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "fy": "Western Frisian",
    "ga": "Irish",
    "gd": "Scottish Gaelic",
    "gl": "Galician",
    "gu": "Gujarati",
    "ha": "Hausa",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "ht": "Haitian Creole",
    "hu": "Hungarian",
    "hy": "Armenian",
    "id": "Indonesian",
    "ig": "Igbo",
    "is": "Icelandic",
    "it": "Italian",
    "ja": "Japanese",
    "jv": "Javanese",
    "ka": "Georgian",
    "kk": "Kazakh",
    "km": "Khmer",
    "kn": "Kannada",
    "ko": "Korean",
    "ku": "Kurdish",
    "ky": "Kyrgyz",
    "la": "Latin",
    "lb": "Luxembourgish",
    "lg": "Ganda",
    "ln": "Lingala",
    "lo": "Lao",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "mg": "Malagasy",
    "mk": "Macedonian",
    "ml": "Malayalam",
    "mn": "Mongolian",
    "mr": "Marathi",
    "ms": "Malay",
    "mt": "Maltese",
    "my": "Burmese",
    "ne": "Nepali",
    "nl": "Dutch",
    "nn": "Norwegian Nynorsk",
    "no": "Norwegian",
    "oc": "Occitan",
    "om": "Oromo",
    "or": "Odia",
    "pa": "Punjabi",
    "pl": "Polish",
    "ps": "Pashto",
    "pt": "Portuguese",
    "qu": "Quechua",
    "ro": "Romanian",
    "ru": "Russian",
    "rw": "Kinyarwanda",
    "sa": "Sanskrit",
    "se": "Northern Sami",
    "si": "Sinhala",
    "sk": "Slovak",
    "sl": "Slovenian",
    "sn": "Shona",
    "so": "Somali",
    "sq": "Albanian",
    "sr": "Serbian",
    "st": "Southern Sotho",
    "sv": "Swedish",
    "sw": "Swahili",
    "ta": "Tamil",
    "te": "Telugu",
    "tg": "Tajik",
    "th": "Thai",
    "tk": "Turkmen",
    "tl": "Tagalog",
    "tr": "Turkish",
    "tt": "Tatar",
    "ug": "Uyghur",
    "uk": "Ukrainian",
    "ur": "Urdu",
    "uz": "Uzbek",
    "vi": "Vietnamese",
    "wa": "Walloon",
    "xh": "Xhosa",
    "yo": "Yoruba",
    "zh": "Chinese",
    "zu": "Zulu",
}
"""The languages that can be found in texts; rarer ones, which have no such code, are never named."""

WIDESPREAD = frozenset(
    {
        "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gu", "he", "hi",
        "hr", "hu", "id", "it", "ja", "kn", "ko", "lt", "lv", "mk", "ml", "mr", "ms", "nl", "nn", "no", "pa",
        "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur",
        "vi", "zh",
    }
)  # fmt: skip
"""Languages that many people write in; a word or two in one of them may look like a rarer relative."""


FEWEST_LETTERS = 12
"""Bytes of letters in UTF-8 that a text needs: a word or two say little. A Chinese sign has three."""
SURE = 0.5
"""Probability from which on a language is taken as known."""
RARE_WEIGHT = 0.1
"""Share of its probability that a rare language keeps where it is the most probable: "schlecht" is German."""

LONGEST = 500
"""Characters of a text that are looked at."""

_VARIANTS = {"yue": "zh", "wuu": "zh", "arz": "ar"}
_NEVER_CLEAR = {"la"}  # Latin: terms of medicine and biology, in texts of any language
_LOADING = Lock()


def has_enough_letters(text: str) -> bool:
    """Tell whether a text is long enough to show its language.

    Examples:
        >>> has_enough_letters("good!"), has_enough_letters("Das ist gut."), has_enough_letters("太贵了吧")
        (False, False, True)
    """
    return sum(len(sign.encode("utf-8", "replace")) for sign in text if sign.isalpha()) >= FEWEST_LETTERS


def identified_languages(texts: Sequence[str], *, longest: int | None = LONGEST) -> list[str | None]:
    """Return the language of each text: an ISO 639-1 code, or ``None`` where it is not clear.

    Few words of a language that many write in may look like a rare relative, as German like Luxembourgish. So
    a rare language needs ten times the evidence.

    Args:
        texts: any number.
        longest: characters of each text that are looked at; ``None`` for all.

    Examples:
        >>> identified_languages(["Ich würde es sofort kaufen.", "John Smith"])
        ['de', None]
    """
    return [_identified(text[:longest]) for text in texts]


def probability_of(text: str, languages: Collection[str]) -> float:
    """Return the probability that a text is in one of some languages, 0 to 1.

    Args:
        text: any text; its first 500 characters are looked at.
        languages: ISO 639-1 codes.

    Examples:
        >>> probability_of("Ich würde es sofort kaufen.", {"en", "fr"}) < 0.01
        True
    """
    ranked = _identifier().rank(text[:LONGEST])
    return float(sum(share for code, share in ranked if _VARIANTS.get(code, code) in languages))


def load_identifier() -> None:
    """Load the identifier in a thread of its own, beside other work: it takes .7 s, most of it unpacking."""
    Thread(target=_load_ahead, daemon=True).start()


def _load_ahead() -> None:
    with suppress(OSError):  # where it cannot be unpacked, whoever needs it first meets the same error
        _identifier()


def identifier_name() -> str:
    """Name what identifies languages, for signatures: the library, and the weight of rare languages.

    Examples:
        >>> library, _, rule = identifier_name().partition("/")
        >>> library.partition("-")[0], rule
        ('py3langid', 'rare-0.1')
    """
    return f"py3langid-{version('py3langid')}/rare-{RARE_WEIGHT:g}"


def _identified(text: str) -> str | None:
    code = _if_clear(*_identifier().classify(text))
    return code if code is None or code in WIDESPREAD else _identified_again(text)


def _identified_again(text: str) -> str | None:
    """Identify a text that seems to be in a rare language, for which more evidence is wanted."""
    shares: Counter[str] = Counter()
    for variant, share in _identifier().rank(text):
        code = _VARIANTS.get(variant, variant)
        shares[code] += share if code in WIDESPREAD else RARE_WEIGHT * share
    ((code, most),) = shares.most_common(1)
    return _if_clear(code, most / shares.total())


def _if_clear(variant: str, probability: float) -> str | None:
    code = _VARIANTS.get(variant, variant)
    is_clear = probability >= SURE and code in LANGUAGE_NAMES and code not in _NEVER_CLEAR
    return code if is_clear else None


def _identifier() -> "LanguageIdentifier":
    with _LOADING:  # the thread of `load_identifier` may be at it
        return _loaded()


@cache
def _loaded() -> "LanguageIdentifier":
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_modelpath(Path(py3langid.__file__).parent / MODEL_FILE, norm_probs=True)


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language; ``None`` where it is not clear, as in a word or two.

    Examples:
        >>> language_of("It is not safe."), language_of("Das ist nicht sicher."), language_of("Paris")
        ('en', 'de', None)
        >>> language_of("不安全")
        'zh'
    """
    return _language_of_start(text[:LONGEST])  # a longer text would stay in memory with the cache


@lru_cache(maxsize=2**15)
def _language_of_start(text: str) -> str | None:
    if is_plainly_english(text):
        return ENGLISH
    identified = identified_languages([text])[0] if has_enough_letters(text) else None
    return identified or language_of_script(text)


FEWEST_WORDS = 2
"""Words that English alone has, from which on a text is taken as English."""

_ENGLISH_WORDS = frozenset(
    {
        "the", "and", "this", "that", "with", "would", "you", "they", "because", "your", "it",
        "are", "not", "to", "for", "have", "has", "does", "which", "there", "their", "when", "if",
        "from", "by", "been", "at", "my", "our", "he", "she", "his", "her", "what", "who", "how",
        "all", "more", "than", "only", "very",
    }
)  # fmt: skip


def is_plainly_english(text: str) -> bool:
    """Tell whether two words of a text show that it is English.

    Examples:
        >>> is_plainly_english("It is not safe."), is_plainly_english("Safe!")
        (True, False)
    """
    words = re.findall(r"[a-z]+", text[:LONGEST].lower())
    return sum(word in _ENGLISH_WORDS for word in words) >= FEWEST_WORDS


_LANGUAGES_OF_SCRIPTS = {
    "CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "ARABIC": "ar", "DEVANAGARI": "hi",
    "CYRILLIC": "ru", "GREEK": "el", "HEBREW": "he", "THAI": "th", "BENGALI": "bn", "TAMIL": "ta",
}  # fmt: skip
"""The most frequent language of each script."""
_FEWEST_LETTERS = 2


def language_of_script(text: str) -> str | None:
    """Return the language that uses a text's script most; ``None`` for Latin letters and a single letter.

    Examples:
        >>> language_of_script("太贵了"), language_of_script("дорого"), language_of_script("teuer")
        ('zh', 'ru', None)
    """
    letters = [sign for sign in text[:LONGEST] if sign.isalpha()]
    scripts = Counter(unicodedata.name(sign, "").partition(" ")[0] for sign in letters)
    known = Counter({name: n for name, n in scripts.items() if name in _LANGUAGES_OF_SCRIPTS})
    if known.total() < _FEWEST_LETTERS or 2 * known.total() <= len(letters):
        return None
    if known.keys() & {"HIRAGANA", "KATAKANA"}:  # Japanese has Chinese signs, too
        return "ja"
    ((script, _),) = known.most_common(1)
    return _LANGUAGES_OF_SCRIPTS[script]


_READINGS = 5  # of joined texts, and the fewest distinct texts
_JOINED_LENGTH = 100  # characters of each text that are joined at most


def joined_language(texts: Sequence[str]) -> str | None:
    """Identify the language of texts that are joined into one.

    The distinct texts are divided at random, always in the same way, into five parts. They are joined and
    identified five times, each time without another part, and all five readings must agree: so one odd text
    never decides. Of a long text no more is taken than twice the median length.

    Args:
        texts: any number; those without a letter, and repetitions, are passed over.

    Returns:
        An ISO 639-1 code, or ``None`` where the readings differ, where one of them is not clear, and with
        fewer than 5 distinct texts.

    Examples:
        >>> joined_language(["gut", "schlecht", "zu teuer", "geht so", "weiß nicht", "nein danke"])
        'de'
    """
    distinct = _distinct_texts(texts)
    if len(distinct) < _READINGS:
        return None
    longest = min(_JOINED_LENGTH, 2 * int(np.median([len(text) for text in distinct])))
    order = np.argsort(priorities(np.arange(len(distinct)), 0), kind="stable").tolist()
    drawn = [distinct[row][:longest] for row in order]
    readings = [
        " ".join(text for position, text in enumerate(drawn) if position % _READINGS != left_out)
        for left_out in range(_READINGS)
    ]
    # All of a reading is looked at: the five are not cut as single texts are.
    languages = set(identified_languages(readings, longest=None))
    return languages.pop() if len(languages) == 1 else None


def _distinct_texts(texts: Sequence[str]) -> list[str]:
    """Keep the texts that have a letter, each once, in the order of their first appearance."""
    cut = (text[:_JOINED_LENGTH].strip().casefold() for text in texts)
    return [text for text in dict.fromkeys(cut) if any(sign.isalpha() for sign in text)]


MOST_PROBABLE = 0.05
"""Probability of all languages that a model reads, up to which a text in a clear one is in none of them."""
MOST_PROBABLE_UNCLEAR = 0.002
"""The same of a text that may be in one of several languages, such as Spanish and Galician."""


def in_other_languages(texts: Sequence[str], languages: ObjectArray, signature: Signature) -> Mask:
    """Tell which texts are in a language that a model does not read, shape (n,).

    Args:
        texts: n texts; one in Latin letters that is too short to show its language is never said to be in
            another.
        languages: shape (n,), ISO 639-1 codes, ``None`` where the language is not clear.
        signature: of the embedder. Of a model of which it is not known what it reads, nothing is said.
    """
    read = languages_read(signature)
    unread = [
        bool(read) and code not in read and _is_in_none_of(read, text, is_clear=code is not None)
        for text, code in zip(texts, languages, strict=True)
    ]
    return np.array(unread, np.bool_)


def _is_in_none_of(read: frozenset[str], text: str, *, is_clear: bool) -> bool:
    """Say that a text is surely in another language: what seems Luxembourgish may be German."""
    if not (has_enough_letters(text) or language_of_script(text)):
        return False
    return probability_of(text, read) <= (MOST_PROBABLE if is_clear else MOST_PROBABLE_UNCLEAR)


SAMPLED_TEXTS = 200
"""Texts of a table whose language is looked at."""
FEWEST_TEXTS = 5
"""Texts in other languages from which on anything is said."""

_CLEAR_SHARE = 1 / 3  # of texts that are long enough: a list of names has a few that seem to be clear


@dataclass(frozen=True)
class UnreadLanguage:
    """A language that most texts are in, and that the model does not read.

    Attributes:
        code: of the most frequent such language, ISO 639-1.
        name: its English name.
        share: texts in languages that the model does not read, as a share of ``n``; ``None`` where single
            texts are too short to tell, and the language is that of all of them together.
        n: texts whose language is clear, among at most 200; where ``share`` is ``None``, texts that were
            read together.
        model: name of the model.
    """

    code: str
    name: str
    share: float | None
    n: int
    model: str


class LanguageSample:
    """Keeps the beginnings of 200 texts of a table, drawn by their rows, whatever the size of its parts."""

    def __init__(self) -> None:
        self._texts = RowSample[str](SAMPLED_TEXTS, seed=0)

    def add(self, rows: Integers, text: Callable[[int], object], first_row: int = 0) -> None:
        """Take rows of the next part.

        Args:
            rows: places of texts in the part.
            text: gives the text at a place.
            first_row: place of the part's first row in the table.
        """
        first = rows[np.argsort(priorities(first_row + rows, 0), kind="stable")[:SAMPLED_TEXTS]]
        self._texts.add((first_row + row, str(text(row))[:LONGEST]) for row in first.tolist())

    def unread_language(self, signature: Signature) -> UnreadLanguage | None:
        """Say in which language the texts are, if the model that a signature names does not read it.

        Returns:
            ``None`` where the model reads most texts, where too few texts are long enough to tell, and where
            it is not known which languages the model reads.
        """
        read = languages_read(signature)
        return unread_language(self._texts.items, read, model_name(signature)) if read else None

    def other_language(self, said: str, signature: Signature) -> UnreadLanguage | None:
        """Say in which language the texts are, if it is another one than the user says.

        Args:
            said: ISO 639-1 code.
            signature: names the model.
        """
        return unread_language(self._texts.items, {said}, model_name(signature))


def unread_language(texts: Sequence[str], read: Collection[str], model: str) -> UnreadLanguage | None:
    """Say in which language texts are, if a model does not read it.

    At least 5 texts must surely be in other languages than the model's: more than half of those whose
    language is clear, and more than a third of those that are long enough. Where too few texts are clear,
    all of them are joined, and read as one (``joined_language``).

    Args:
        texts: a sample.
        read: ISO 639-1 codes of the languages that the model reads.
        model: its name.
    """
    worded = [text for text in texts if any(sign.isalpha() for sign in text)]
    if ENGLISH in read and 2 * sum(map(is_plainly_english, worded)) >= len(worded):
        return None
    longer = [text for text in worded if has_enough_letters(text)]
    clear = [code for code in identified_languages(longer) if code is not None]
    unread = Counter(code for code in clear if code not in read)
    n = unread.total()
    if len(clear) >= FEWEST_TEXTS and 2 * n <= len(clear):
        return None
    if n < FEWEST_TEXTS or n <= _CLEAR_SHARE * len(longer):
        return _joined(worded, read, model)
    ((code, _),) = unread.most_common(1)
    return UnreadLanguage(code, LANGUAGE_NAMES[code], n / len(clear), len(clear), model)


def _joined(texts: Sequence[str], read: Collection[str], model: str) -> UnreadLanguage | None:
    code = joined_language(texts)
    if code is None or code in read:
        return None
    return UnreadLanguage(code, LANGUAGE_NAMES[code], None, len(texts), model)


Languages = tuple[str | None, ...]
"""ISO 639-1 code of each text of a row; ``None`` where a language is not clear."""

WORDLESS = frozenset(
    {Status.MISSING, Status.NOT_TEXT, Status.EMPTY, Status.UNINFORMATIVE, Status.NO_REFERENCE}
)
"""Statuses of rows that lack a text, or a word in it."""


@dataclass(frozen=True)
class LanguageCount:
    """Rows whose texts are in the same languages.

    Attributes:
        languages: of each text that is looked at, such as the prediction and the reference.
        rows: how many there are, whether scored or not.
        scored: how many have a score.
        unread: how many have none because the model does not read a language of theirs.
    """

    languages: Languages
    rows: int
    scored: int
    unread: int = 0

    @property
    def is_across(self) -> bool:
        """True if two of the languages are clear, and differ."""
        return len(set(self.languages) - {None}) > 1

    def record(self, *names: str) -> dict[str, Any]:
        """Lay the counts out by name, for JSON.

        Args:
            names: what the languages are of, such as ``prediction`` and ``reference``.
        """
        codes = dict(zip(names, self.languages, strict=True))
        return {**codes, "rows": self.rows, "scored": self.scored, "unread": self.unread}


class LanguageCounter:
    """Counts rows by their languages, part by part."""

    def __init__(self) -> None:
        self._rows: Counter[Languages] = Counter()
        self._scored: Counter[Languages] = Counter()
        self._unread: Counter[Languages] = Counter()

    def add(self, languages: Iterable[Sequence[str | None]], statuses: Iterable[Status]) -> None:
        """Take the next rows; those without a word are passed over.

        Args:
            languages: of n rows, each of the same number of texts.
            statuses: of the n rows.
        """
        rows_by_language = Counter(zip(map(tuple, languages), statuses, strict=True))
        for (codes, status), n in rows_by_language.items():
            if status not in WORDLESS:
                self._rows[codes] += n
                self._scored[codes] += n * (status == Status.SCORED)
                self._unread[codes] += n * (status == Status.OTHER_LANGUAGE)

    def add_texts(self, rows: Iterable[Sequence[str]], statuses: Iterable[Status]) -> None:
        """Take the next rows by their texts, whose languages are identified; those that lack one are left."""
        worded = [
            (texts, status)
            for texts, status in zip(rows, statuses, strict=True)
            if all(map(str.strip, texts))
        ]
        self.add(
            ([language_of(text) for text in texts] for texts, _ in worded), [status for _, status in worded]
        )

    @property
    def counts(self) -> tuple[LanguageCount, ...]:
        """Languages from the most frequent to the rarest; those that are not clear come last.

        Examples:
            >>> counter = LanguageCounter()
            >>> counter.add([["de"], [None], ["en"], ["en"]], [Status.SCORED] * 4)
            >>> [(*found.languages, found.rows) for found in counter.counts]
            [('en', 2), ('de', 1), (None, 1)]
        """
        ordered = sorted(self._rows, key=self._place)
        return tuple(
            LanguageCount(codes, self._rows[codes], self._scored[codes], self._unread[codes])
            for codes in ordered
        )

    def _place(self, codes: Languages) -> tuple[bool, int, Sequence[str]]:
        return None in codes, -self._rows[codes], [code or "" for code in codes]


def are_english(counts: Iterable[LanguageCount]) -> bool:
    """Tell whether no text is clearly in another language than English.

    Examples:
        >>> are_english([LanguageCount(("en", None), 3, 3)]), are_english([LanguageCount(("de",), 1, 1)])
        (True, False)
    """
    return all(set(count.languages) <= {ENGLISH, None} for count in counts)


def n_unguarded(languages: Iterable[LanguageCount]) -> int:
    """Count the scored rows whose first text is surely not in English, so that guards do not look.

    Args:
        languages: rows by language.
    """
    return sum(count.scored for count in languages if count.languages[0] not in {ENGLISH, None})
