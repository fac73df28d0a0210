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
from semscale.types import LANGUAGE_NAMES, Integers, Mask, ObjectArray, Status
from semscale.weights.known import languages_read, model_name

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier


ENGLISH = "en"

WIDESPREAD = frozenset(
    {
        "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "gu", "he", "hi",
        "hr", "hu", "id", "it", "ja", "kn", "ko", "lt", "lv", "mk", "ml", "mr", "ms", "nl", "nn", "no", "pa",
        "pl", "pt", "ro", "ru", "sk", "sl", "sq", "sr", "sv", "sw", "ta", "te", "th", "tl", "tr", "uk", "ur",
        "vi", "zh",
    }
)  # fmt: skip
"""Common languages; one or two words in one of them may look like a rarer related language."""


FEWEST_LETTERS = 12
"""Smallest number of UTF-8 bytes of letters in an identified text; a Chinese character has three."""
SURE = 0.5
"""Smallest probability with which a language counts as clear."""
RARE_WEIGHT = 0.1
"""Factor for the probability of a rare language that is the most probable one; "schlecht" is German."""

LONGEST = 500
"""Largest number of characters of a text that are used."""

_VARIANTS = {"yue": "zh", "wuu": "zh", "arz": "ar"}
_NEVER_CLEAR = {"la"}  # Latin: texts of any language have its terms of medicine and biology
_LOADING = Lock()


def has_enough_letters(text: str) -> bool:
    """Tell whether a text is long enough to show its language.

    Examples:
        >>> has_enough_letters("good!"), has_enough_letters("Das ist gut."), has_enough_letters("太贵了吧")
        (False, False, True)
    """
    return sum(len(sign.encode("utf-8", "replace")) for sign in text if sign.isalpha()) >= FEWEST_LETTERS


def identify_languages(texts: Sequence[str], *, longest: int | None = LONGEST) -> list[str | None]:
    """Return the language of each text: an ISO 639-1 code, or ``None`` if it is not clear.

    A few words of a common language may look like a rare related one, such as German like Luxembourgish. So a
    rare language needs ten times the evidence.

    Args:
        texts: any number of texts.
        longest: number of characters of each text that are used; ``None`` for all.

    Examples:
        >>> identify_languages(["Ich würde es sofort kaufen.", "John Smith"])
        ['de', None]
    """
    return [_identify(text[:longest]) for text in texts]


def probability_of(text: str, languages: Collection[str]) -> float:
    """Return the probability that a text is in one of some languages, 0 to 1.

    Args:
        text: any text; its first 500 characters are used.
        languages: ISO 639-1 codes.

    Examples:
        >>> probability_of("Ich würde es sofort kaufen.", {"en", "fr"}) < 0.01
        True
    """
    ranked = _identifier().rank(text[:LONGEST])
    return float(sum(share for code, share in ranked if _VARIANTS.get(code, code) in languages))


def load_identifier() -> None:
    """Load the identifier in another thread: it takes .7 s, most of it for unpacking."""
    Thread(target=_load_ahead, daemon=True).start()


def _load_ahead() -> None:
    with suppress(OSError):  # if it cannot be unpacked, its first use raises the same error
        _identifier()


def identifier_name() -> str:
    """Return the identifier's name for signatures: the library, and the weight of rare languages.

    Examples:
        >>> library, _, rule = identifier_name().partition("/")
        >>> library.partition("-")[0], rule
        ('py3langid', 'rare-0.1')
    """
    return f"py3langid-{version('py3langid')}/rare-{RARE_WEIGHT:g}"


def _identify(text: str) -> str | None:
    code = _if_clear(*_identifier().classify(text))
    return code if code is None or code in WIDESPREAD else _identify_again(text)


def _identify_again(text: str) -> str | None:
    """Identify a text again that seems to be in a rare language, with more evidence required for it."""
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
    with _LOADING:  # the thread of `load_identifier` may be loading it
        return _load_identifier()


@cache
def _load_identifier() -> "LanguageIdentifier":
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_modelpath(Path(py3langid.__file__).parent / MODEL_FILE, norm_probs=True)


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of a text's language; ``None`` if it is not clear, as in one or two words.

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
    identified = identify_languages([text])[0] if has_enough_letters(text) else None
    return identified or language_of_script(text)


FEWEST_WORDS = 2
"""Smallest number of words that only English has, with which a text counts as English."""

_ENGLISH_WORDS = frozenset(
    {
        "the", "and", "this", "that", "with", "would", "you", "they", "because", "your", "it",
        "are", "not", "to", "for", "have", "has", "does", "which", "there", "their", "when", "if",
        "from", "by", "been", "at", "my", "our", "he", "she", "his", "her", "what", "who", "how",
        "all", "more", "than", "only", "very",
    }
)  # fmt: skip


def is_plainly_english(text: str) -> bool:
    """Tell whether a text has two words that only English has.

    Examples:
        >>> is_plainly_english("It is not safe."), is_plainly_english("Safe!")
        (True, False)
    """
    words = re.findall(r"[a-z]+", text[:LONGEST].lower())
    return sum(map(_ENGLISH_WORDS.__contains__, words)) >= FEWEST_WORDS


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
    if known.keys() & {"HIRAGANA", "KATAKANA"}:  # Japanese has Chinese characters, too
        return "ja"
    ((script, _),) = known.most_common(1)
    return _LANGUAGES_OF_SCRIPTS[script]


_READINGS = 5  # of joined texts, and the fewest distinct texts
_JOINED_LENGTH = 100  # characters of each text that are joined at most


def identify_together(texts: Sequence[str]) -> str | None:
    """Identify the language of texts that are joined into one.

    The distinct texts are divided into five parts by a fixed random order. They are joined and identified
    five times, each time without another part. All five results must agree, so that a single odd text never
    decides. A long text is cut to twice the median length.

    Args:
        texts: any number of texts; repeated texts and texts without a letter are skipped.

    Returns:
        An ISO 639-1 code; ``None`` if the results differ, if one of them is not clear, or if there are fewer
        than 5 distinct texts.

    Examples:
        >>> identify_together(["gut", "schlecht", "zu teuer", "geht so", "weiß nicht", "nein danke"])
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
    # The joined texts are used in full; they are not cut like single texts.
    languages = set(identify_languages(readings, longest=None))
    return languages.pop() if len(languages) == 1 else None


def _distinct_texts(texts: Sequence[str]) -> list[str]:
    """Return the distinct texts that have a letter, in the order of their first appearance."""
    cut = (text[:_JOINED_LENGTH].strip().casefold() for text in texts)
    return [text for text in dict.fromkeys(cut) if any(sign.isalpha() for sign in text)]


MOST_PROBABLE = 0.05
"""Largest probability of all languages that a model reads, with which a clear text is in none of them."""
MOST_PROBABLE_UNCLEAR = 0.002
"""The same limit for a text without a clear language, which may be Spanish or Galician, for example."""


def in_other_languages(texts: Sequence[str], languages: ObjectArray, signature: Signature) -> Mask:
    """Return the mask of texts in a language that a model does not read, shape (n,).

    Args:
        texts: n texts; a text in Latin letters that is too short to show its language is never marked.
        languages: shape (n,), ISO 639-1 codes, ``None`` if the language is not clear.
        signature: signature of the embedder. If the model's languages are unknown, no text is marked.
    """
    read = languages_read(signature)
    unread = [
        bool(read) and code not in read and _is_in_none_of(read, text, is_clear=code is not None)
        for text, code in zip(texts, languages, strict=True)
    ]
    return np.array(unread, np.bool_)


def _is_in_none_of(read: frozenset[str], text: str, *, is_clear: bool) -> bool:
    """Tell whether a text is surely in none of the languages; what seems Luxembourgish may be German."""
    if not (has_enough_letters(text) or language_of_script(text)):
        return False
    return probability_of(text, read) <= (MOST_PROBABLE if is_clear else MOST_PROBABLE_UNCLEAR)


SAMPLED_TEXTS = 200
"""Number of texts of a table that are identified."""
FEWEST_TEXTS = 5
"""Smallest number of texts in unread languages that is reported."""

_CLEAR_SHARE = 1 / 3  # of texts that are long enough: a few in a list of names seem to be clear


@dataclass(frozen=True)
class UnreadLanguage:
    """The language of most texts, which the model does not read.

    Attributes:
        code: ISO 639-1 code of the most frequent such language.
        name: its English name.
        share: share of the ``n`` texts that are in languages that the model does not read; ``None`` if single
            texts are too short, and the language is that of all texts joined.
        n: number of texts with a clear language, among at most 200; if ``share`` is ``None``, the number of
            joined texts.
        model: name of the model.
    """

    code: str
    name: str
    share: float | None
    n: int
    model: str


class LanguageSample:
    """A random sample of 200 texts of a table, cut in length; the size of the parts does not affect it."""

    def __init__(self) -> None:
        self._texts = RowSample[str](SAMPLED_TEXTS, seed=0)

    def add(self, rows: Integers, text: Callable[[int], object], first_row: int = 0) -> None:
        """Add rows of the next part.

        Args:
            rows: positions of texts in the part.
            text: returns the text at a position.
            first_row: position of the part's first row in the table.
        """
        first = rows[np.argsort(priorities(first_row + rows, 0), kind="stable")[:SAMPLED_TEXTS]]
        self._texts.add((first_row + row, str(text(row))[:LONGEST]) for row in first.tolist())

    def unread_language(self, signature: Signature) -> UnreadLanguage | None:
        """Return the language of the texts, if the model that a signature names does not read it.

        Returns:
            The language; ``None`` if the model reads most texts, if too few texts are long enough, or if the
            model's languages are unknown.
        """
        read = languages_read(signature)
        return unread_language(self._texts.items, read, model_name(signature)) if read else None

    def other_language(self, said: str, signature: Signature) -> UnreadLanguage | None:
        """Return the language of the texts, if it differs from the language that the user states.

        Args:
            said: the stated language, ISO 639-1 code.
            signature: names the model.
        """
        return unread_language(self._texts.items, {said}, model_name(signature))


def unread_language(texts: Sequence[str], read: Collection[str], model: str) -> UnreadLanguage | None:
    """Return the language of texts, if a model does not read it.

    At least 5 texts must surely be in languages that the model does not read: more than half of the texts
    with a clear language, and more than a third of those that are long enough. If too few texts have a clear
    language, all of them are joined and identified as one (``identify_together``).

    Args:
        texts: a sample.
        read: ISO 639-1 codes of the languages that the model reads.
        model: its name.
    """
    worded = [text for text in texts if any(sign.isalpha() for sign in text)]
    if ENGLISH in read and 2 * sum(map(is_plainly_english, worded)) >= len(worded):
        return None
    longer = [text for text in worded if has_enough_letters(text)]
    clear = [code for code in identify_languages(longer) if code is not None]
    unread = Counter(code for code in clear if code not in read)
    n = unread.total()
    if len(clear) >= FEWEST_TEXTS and 2 * n <= len(clear):
        return None
    if n < FEWEST_TEXTS or n <= _CLEAR_SHARE * len(longer):
        return _find_unread_language(worded, read, model)
    ((code, _),) = unread.most_common(1)
    return UnreadLanguage(code, LANGUAGE_NAMES[code], n / len(clear), len(clear), model)


def _find_unread_language(texts: Sequence[str], read: Collection[str], model: str) -> UnreadLanguage | None:
    code = identify_together(texts)
    if code is None or code in read:
        return None
    return UnreadLanguage(code, LANGUAGE_NAMES[code], None, len(texts), model)


Languages = tuple[str | None, ...]
"""ISO 639-1 codes of a row's texts; ``None`` for a language that is not clear."""

WORDLESS = frozenset(
    {Status.MISSING, Status.NOT_TEXT, Status.EMPTY, Status.UNINFORMATIVE, Status.NO_REFERENCE}
)
"""Statuses of rows that lack a text or have a text without a word."""


@dataclass(frozen=True)
class LanguageCount:
    """Count of the rows with the same languages.

    Attributes:
        languages: the language of each text of the row, such as the prediction and the reference.
        rows: number of rows, whether scored or not.
        scored: number of rows with a score.
        unread: number of rows without a score because the model does not read one of the languages.
    """

    languages: Languages
    rows: int
    scored: int
    unread: int = 0

    @property
    def is_across(self) -> bool:
        """True if two of the languages are clear and differ."""
        return len(set(self.languages) - {None}) > 1

    def record(self, *names: str) -> dict[str, Any]:
        """Return the counts by name, for JSON.

        Args:
            names: names of the row's texts, such as ``prediction`` and ``reference``.
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
        """Count the next rows; rows without a word are skipped.

        Args:
            languages: languages of n rows, each with the same number of texts.
            statuses: statuses of the n rows.
        """
        rows_by_language = Counter(zip(map(tuple, languages), statuses, strict=True))
        for (codes, status), n in rows_by_language.items():
            if status not in WORDLESS:
                self._rows[codes] += n
                self._scored[codes] += n * (status == Status.SCORED)
                self._unread[codes] += n * (status == Status.OTHER_LANGUAGE)

    def add_texts(self, rows: Iterable[Sequence[str]], statuses: Iterable[Status]) -> None:
        """Identify the languages of the next rows and count the rows; rows that lack a text are skipped."""
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
        """Counts from the most frequent languages to the rarest; unclear languages come last.

        Examples:
            >>> counter = LanguageCounter()
            >>> counter.add([["de"], [None], ["en"], ["en"]], [Status.SCORED] * 4)
            >>> [(*count.languages, count.rows) for count in counter.counts]
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
    """Count the scored rows whose first text is surely not English, so that the guards skip them.

    Args:
        languages: rows by language.
    """
    return sum(count.scored for count in languages if count.languages[0] not in {ENGLISH, None})
