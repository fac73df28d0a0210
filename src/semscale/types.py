"""Types, limits and names of languages that all packages use."""

from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Vectors = npt.NDArray[np.float32]
Refits = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Statuses = npt.NDArray[np.object_]
"""Shape (n,), each a ``Status``."""
ObjectArray = npt.NDArray[np.object_]
Ids = npt.NDArray[np.int32]
"""Token ids."""

Progress = Callable[[str, int, int | None], None]
"""Called as ``progress(stage, done, total)``; ``total`` is ``None`` if it is not known beforehand.

The first call of a stage reports the work of an earlier run, so that the rate counts this run alone.
"""

FEWEST_POINTS, MOST_POINTS = 2, 11
"""Smallest and largest number of points of a scale."""


class Status(StrEnum):
    """State of an item: scored, or the reason why it has no score."""

    SCORED = "scored"
    MISSING = "missing"  # null, NaN, or a code that the user named for "no answer"
    NOT_TEXT = "not-text"  # a number, a list, ... in a column of texts
    EMPTY = "empty"  # only white space
    TOO_LONG = "too-long"  # more than 100,000 characters, which would take minutes to read
    UNINFORMATIVE = "uninformative"  # no letter, no digit, and no emoji that the model reads
    NO_REFERENCE = "no-reference"  # no usable reference for the prediction
    TOO_FEW_SAMPLES = "too-few-samples"  # too few usable samples to measure their agreement
    WEIGHTLESS = "weightless"  # the model cannot read the text, or the idf of all its tokens is 0
    OTHER_LANGUAGE = "other-language"  # the text is in a language that the model does not read
    OFF_TOPIC = "off-topic"  # no anchor is more similar than to unrelated sentences
    NOT_ABOUT = "not-about"  # no part of the text is about the aspect of the scale
    UNPARSABLE = "unparsable"  # no reply contains exactly one score
    REFUSED = "refused"  # the model declined to answer
    FAILED = "failed"  # no reply was received
    UNFINISHED = "unfinished"  # the run stopped before it reached the item


def count_statuses(statuses: Iterable[Status]) -> dict[Status, int]:
    """Count the items of each status that occurs, in the order of ``Status``.

    Examples:
        >>> counts = count_statuses([Status.EMPTY, Status.SCORED, Status.EMPTY])
        >>> [(str(status), n) for status, n in counts.items()]
        [('scored', 1), ('empty', 2)]
    """
    counted = Counter(statuses)
    return {status: counted[status] for status in Status if counted[status]}


def are_scored(statuses: npt.NDArray[np.object_]) -> npt.NDArray[np.bool_]:
    """Return the mask of items that have a score, shape (n,)."""
    return np.asarray(statuses == Status.SCORED, dtype=bool)


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
"""Names of the languages that can be identified, by ISO 639-1 code; rarer ones have no code."""
