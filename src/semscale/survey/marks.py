"""Marks in the columns of options: which cells say that an option was chosen, and which that it was not."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal

import yaml

from semscale.html_texts import plain_label
from semscale.store.missing_codes import code_key, looks_like_code
from semscale.survey.description import Confidence, MissingReason, cell_name
from semscale.survey.number_codes import CUSTOMARY_CODES
from semscale.survey.value_order import FEWEST_POINTS, MOST_TEXTS, order_labels

Meaning = Literal["chosen", "not chosen"]
"""What a mark says."""

_PARTS = re.compile(r"\s*(?:[/,;()\[\]]|\bor\b)\s*")
_NUMBERING = re.compile(r"^\s*[-+]?\d{1,4}(?:\s*[.:)=\-–]\s*|\s+)")
_WHOLE = re.compile(r"-?\d+")
_LONGEST = 80  # characters of a phrase for no answer
_BESIDE = re.compile(
    r"(?P<answer>.*?\w)[\s_.:\[(-]+(?:please )?"
    r"(?:text|txt|specify|open|freitext|texte|texto|testo|tekst)[\])]?",
    re.IGNORECASE,
)
_PREFIXES = frozenset({"un", "non", "未", "非", "不"})
_END = re.compile(r".*\S\s+[-–]\s+(?P<end>\S.*)", re.DOTALL)
"""An option of a grid of checkboxes, such as "Wifi - At home"."""
_NO_TO_ONE = frozenset({"0", "1"})
_ONE_TO_TWO = frozenset({"1", "2"})


@dataclass(frozen=True)
class Marks:
    """Meanings of the cells in the columns of a question's options.

    Attributes:
        chosen: marks of a chosen option.
        not_chosen: marks of an option that was not chosen; ``""`` is an empty cell.
        missing: codes for no answer, with their reasons.
        own: marks of single columns, such as the option's own text.
        texts: columns with what people wrote beside "other".
        unknown: cells whose meaning is unknown, with their columns.
        reason: why they are read so.
        confidence: how sure that is.
    """

    chosen: tuple[str, ...] = ()
    not_chosen: tuple[str, ...] = ()
    missing: Mapping[str, MissingReason] = field(default_factory=dict)
    own: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
    unknown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reason: str = ""
    confidence: Confidence = "high"


@dataclass(frozen=True)
class OptionCells:
    """The cells of an option's column.

    Attributes:
        label: the option's text; may be empty.
        values: names of its different cells; an empty cell has none.
        labels: labels of its values in the file.
        is_text: whether the file says that it holds the text beside "other".
    """

    label: str
    values: Collection[str]
    labels: Mapping[str, str] = field(default_factory=dict)
    is_text: bool = False

    def meaning_text(self, value: str) -> str:
        """Return the label of a value, or the value."""
        return self.labels.get(value) or value


def infer_marks(
    columns: Mapping[str, OptionCells], *, convention: Mapping[str, Meaning] | None = None, tool: str = ""
) -> Marks:
    """Infer the meanings of the cells in the columns of a question's options.

    A cell is read by its label in the file, if it has one. It says that an option was chosen if it is a word
    such as "yes", the option's own text, 1 beside 0 or alone, or the only value of a column that no other
    column has. It says that the option was not chosen if it is a word such as "no", 0, or denies another
    mark ("not used" beside "used"). Anything else is unknown, and never chosen; 1 and 2 are unknown without
    labels or a convention.

    Args:
        columns: the question's columns, in order.
        convention: meanings of numbers that the tool which wrote the file has, such as 1 and 2.
        tool: the name of that tool.

    Examples:
        >>> infer_marks({"a": OptionCells("Tea", ["Yes", "No"]), "b": OptionCells("Coffee", ["No"])}).chosen
        ('Yes',)
        >>> infer_marks({"a": OptionCells("Tea", ["1", "2"])}).unknown
        {'1': ('a',), '2': ('a',)}
        >>> used = {"1": "Used", "2": "Not used"}
        >>> infer_marks({"a": OptionCells("Tea", ["1", "2"], used)}).not_chosen
        ('2',)
    """
    reading = _Reading(columns, convention or {})
    for name, cells in columns.items():
        for value in map(cell_name, cells.values):
            reading.read(name, value)
    return reading.marks(tool)


class _Reading:
    """Reads the values of all columns of a question."""

    def __init__(self, columns: Mapping[str, OptionCells], convention: Mapping[str, Meaning]) -> None:
        self._columns, self._convention = columns, convention
        self._chosen: dict[str, None] = {}
        self._not_chosen: dict[str, None] = {}
        self._missing: dict[str, MissingReason] = {}
        self._own: dict[str, dict[str, None]] = {}
        self._unknown: dict[str, list[str]] = {}
        self._reasons: dict[str, None] = {}
        self._texts = [name for name, cells in columns.items() if cells.is_text]
        self._n_columns = Counter(key for name in columns for key in self._keys_of(name))
        self._keys = frozenset(self._n_columns)
        self._denied_keys = self._find_denied()
        self._has_no = any(key in _words("not_chosen") and not missing_reason(key) for key in self._keys)
        self._numbers = self._plain_numbers()
        self._own_values = self._find_own_values()

    def _plain_numbers(self) -> frozenset[str]:
        """Unlabelled numbers in the columns, without customary codes for no answer."""
        numbers = {
            value
            for cells in self._columns.values()
            for value in map(cell_name, cells.values)
            if not cells.labels.get(value) and _WHOLE.fullmatch(value)
        }
        return frozenset(numbers - CUSTOMARY_CODES)

    def _find_denied(self) -> frozenset[str]:
        """Return the text that another one denies; points of a scale have several such pairs, or others."""
        denied = frozenset().union(*map(_denied, self._keys)) & self._keys
        return denied if len(denied) == 1 and not self._are_points() else frozenset()

    def _are_points(self) -> bool:
        """Return whether three answers or more are points of a scale, such as "very important"."""
        answers = [key for key in self._keys if not missing_reason(key)]
        return FEWEST_POINTS <= len(answers) <= MOST_TEXTS and order_labels(sorted(answers)) is not None

    def _find_own_values(self) -> dict[str, str]:
        """Return the one answer beside "no" that each column has and no other has, such as its option.

        Options can have the numbers of a list; 1 and 2 alone can mean yes and no. "Don't know" is an option
        if it is the only answer of a column.
        """
        denials = {*_words("not_chosen"), "0"}
        codes = {
            name: {self._key(name, value) for value in cells.values if self._is_code(name, value)}
            for name, cells in self._columns.items()
        }
        columns = [name for name in codes if name not in self._texts]
        answers = {
            name: {key for key in self._keys_of(name) - denials - codes[name] if not self._is_no(key)}
            for name in columns
        }
        if any(len(keys) > 1 for keys in answers.values()):
            return {}
        own = {name: key for name, keys in answers.items() for key in keys}
        keys = set(own.values())
        # 1, 2 and 3 in three columns are numbers of options; 1 and 2 in two may be yes and no.
        are_numbered = all(map(_WHOLE.fullmatch, keys)) and bool(keys - {*_NO_TO_ONE, *_ONE_TO_TWO})
        words = _words("chosen") if are_numbered else {*_words("chosen"), *_NO_TO_ONE}
        if not 1 < len(own) == len(keys) or keys & words:
            return {}
        without = {name: codes[name] for name in answers if not answers[name] and len(codes[name]) == 1}
        return own | {name: key for name, (key,) in without.items() if self._n_columns[key] == 1}

    def _keys_of(self, column: str) -> set[str]:
        return {self._key(column, value) for value in self._columns[column].values}

    def _is_code(self, column: str, value: str) -> bool:
        """Return whether a cell is a phrase for no answer, or a customary number of several columns."""
        cells = self._columns[column]
        if missing_reason(cells.meaning_text(value)):
            return True
        is_common = value.startswith("-") or self._n_columns[self._key(column, value)] > 1
        return value in CUSTOMARY_CODES and not cells.labels.get(value) and is_common

    def read(self, column: str, value: str) -> None:
        """Read a value of a column, by the first rule that knows what it means."""
        rules = (
            self._as_text,
            self._as_own_text,
            self._as_word,
            self._as_number,
            self._as_missing,
            self._as_only_value,
            self._as_other,
        )
        if value and not any(rule(column, value) for rule in rules):
            self._unknown.setdefault(value, []).append(column)

    def _as_text(self, column: str, value: str) -> bool:
        """Read what people wrote beside "other"."""
        cells = self._columns[column]
        if not cells.is_text:
            return False
        if cells.labels.get(value) and self._is_no(self._key(column, value)):
            self._not_chosen[value] = None
        elif reason := missing_reason(value):
            self._missing[value] = reason
        return True

    def _as_own_text(self, column: str, value: str) -> bool:
        """Read a cell that repeats its option; a number can be any answer of an item with that number."""
        key, label = self._key(column, value), self._columns[column].label
        end = _END.fullmatch(label)
        texts = {code_key(label), code_key(end["end"]) if end else ""}
        if not key or _WHOLE.fullmatch(key) or key not in texts:
            return False
        self._own.setdefault(column, {})[value] = None
        self._reasons["cells repeat the option"] = None
        return True

    def _as_word(self, column: str, value: str) -> bool:
        """Read a word such as "yes", or one that another one denies."""
        key = self._key(column, value)
        denies_other = not self._denied_keys.isdisjoint(_denied(key))
        is_code = missing_reason(self._columns[column].meaning_text(value)) is not None
        if key in _words("chosen"):
            self._chosen[value] = None
        elif denies_other or (self._is_no(key) and not (is_code and self._has_no)):
            self._not_chosen[value] = None
        elif key in self._denied_keys:
            self._chosen[value] = None
        else:
            return False
        return True

    def _is_no(self, key: str) -> bool:
        """Return whether a text is a word such as "no", or denies one such as "yes"."""
        return key in _words("not_chosen") or (
            not missing_reason(key) and not _denied(key).isdisjoint(_words("chosen"))
        )

    def _as_number(self, column: str, value: str) -> bool:
        """Read 0, 1 beside nothing but 0, and the numbers of a tool's convention."""
        if self._columns[column].labels.get(value):
            return False
        meaning = self._convention.get(value)
        if meaning == "not chosen" or (meaning is None and value == "0"):
            self._not_chosen[value] = None
        elif meaning == "chosen" or (value == "1" and self._numbers <= _NO_TO_ONE):
            self._chosen[value] = None
        else:
            return False
        return True

    def _as_missing(self, column: str, value: str) -> bool:
        """Read a phrase such as "don't know", or a customary number for no answer that has no label."""
        cells = self._columns[column]
        if self._own_values.get(column) == self._key(column, value):
            return False
        reason = missing_reason(cells.meaning_text(value))
        if reason is None and value in CUSTOMARY_CODES and not cells.labels.get(value):
            reason = "no answer"
        if reason is not None:
            self._missing[value] = reason
        return reason is not None

    def _as_only_value(self, column: str, value: str) -> bool:
        """Read the only value of a column, where each column has one of its own."""
        is_own = self._own_values.get(column) == self._key(column, value)
        if is_own:
            self._own.setdefault(column, {})[value] = None
            self._reasons["each column has one value of its own"] = None
        return is_own

    def _as_other(self, column: str, _value: str) -> bool:
        """Recognise the column with what people wrote by its option's text, or its name."""
        is_text = is_other(self._columns[column].label or column) and not self._has_shared_answers(column)
        if is_text:
            self._texts.append(column)
            self._reasons["the column of 'other' holds what people wrote"] = None
        return is_text

    def _has_shared_answers(self, column: str) -> bool:
        """Return whether other columns have each value of a column, as items of a grid do."""
        keys = self._keys_of(column)
        return len(keys) > 1 and all(self._n_columns[key] > 1 for key in keys)

    def _key(self, column: str, value: str) -> str:
        """Return the normalised label of a value, without a number before it, or the normalised value."""
        label = self._columns[column].labels.get(value)
        return code_key(_NUMBERING.sub("", label) if label else plain_label(value))

    def marks(self, tool: str) -> Marks:
        """Return everything that was read."""
        # A column of texts may have been recognised after some of its cells.
        unknown = {
            value: columns
            for value, names in self._unknown.items()
            if (columns := tuple(name for name in names if name not in self._texts))
        }
        own = {name: tuple(marks) for name, marks in self._own.items() if name not in self._texts}
        has_no = bool(self._not_chosen)
        reasons = [*self._reasons]
        if self._convention and self._numbers & self._convention.keys():
            reasons.append(f"{tool} writes them so")
        if self._chosen and has_no:
            reasons.append("cells say whether the option was chosen")
        elif self._chosen or own:
            reasons.append("cells are filled only where the option was chosen")
        only_texts = not self._chosen and not own and not has_no
        return Marks(
            tuple(self._chosen),
            tuple(self._not_chosen) if has_no or only_texts else ("",),
            self._missing,
            own,
            tuple(dict.fromkeys(self._texts)),
            unknown,
            "; ".join(reasons),
            "low" if unknown else "medium" if self._own_values and not self._chosen else "high",
        )


def missing_reason(text: str) -> MissingReason | None:
    """Return why a text is no answer; ``None`` if it can be one.

    Numbers are not judged here: they mean what the question's other values let them mean.

    Examples:
        >>> [missing_reason(text) for text in ("N/A (not displayed)", "Weiß nicht", "refused", "fine", "99")]
        ['not asked', "don't know", 'refused', None, None]
    """
    if len(text) > _LONGEST or text.isdecimal():
        return None
    whole, parts = code_key(text), _PARTS.split(_NUMBERING.sub("", text))
    keys = [whole] if parts == [text] else [whole, *map(code_key, parts)]
    for key in keys:
        if (reason := _reasons().get(key)) is not None:
            return reason
    is_code = looks_like_code(text) and not any(sign.isdigit() for sign in text)
    return "no answer" if is_code and whole not in {*_words("exclusive"), "none"} else None


def is_exclusive(label: str) -> bool:
    """Return whether an option excludes all others, such as "none of these".

    Examples:
        >>> [is_exclusive(label) for label in ("None of these", "Keine davon", "Tea")]
        [True, True, False]
    """
    key = code_key(label.rstrip(" ."))
    return key in _words("exclusive")


def is_other(label: str) -> bool:
    """Return whether an option is "other", whose column can hold what people wrote.

    Examples:
        >>> [is_other(label) for label in ("Other (please specify)", "Q1[other]", "Q1_5_TEXT", "Mother")]
        [True, True, True, False]
    """
    parts = [part for part in re.split(r"[\s\[\](),:;/_.\-–]+", code_key(label)) if part]
    spelled = " ".join(parts)
    one_word = {word for word in _words("other") if " " not in word}
    return (
        spelled in _words("other")
        or bool(parts)
        and (parts[0] in one_word or parts[-1] in {*one_word, "text"})
    )


def is_beside(column: str, columns: Collection[str]) -> bool:
    """Return whether a column has the name of another one and a word such as "text" or "specify".

    It holds what people wrote beside the answer in the other column.

    Examples:
        >>> [is_beside(name, ["q_5", "q_5_TEXT", "text"]) for name in ("q_5_TEXT", "text")]
        [True, False]
    """
    parted = _BESIDE.fullmatch(column)
    return parted is not None and parted["answer"] in columns


@cache
def _denied(key: str) -> frozenset[str]:
    """Return what a text denies; nothing if it denies nothing.

    Examples:
        >>> sorted(_denied("not used")), sorted(_denied("trifft nicht zu")), "owns" in _denied("does not own")
        (['used'], ['trifft zu'], True)
    """
    denied: set[str] = set()
    padded = f" {key} "
    for denial in _words("denials"):
        if f" {denial} " in padded:
            rest = " ".join(padded.replace(f" {denial} ", " ", 1).split())
            denied |= {rest, *(_in_third_person(rest) if denial in _words("verbal denials") else ())}
        elif denial in _PREFIXES and key.startswith(denial) and len(key) > len(denial) + 1:
            denied.add(key.removeprefix(denial).lstrip("-"))
    return frozenset(denied - {""})


def _in_third_person(text: str) -> set[str]:
    """Return what an English text can be in the third person, such as ``applies to me``."""
    verb, blank, rest = text.partition(" ")
    verbs = {f"{verb}s", f"{verb}es", *({f"{verb[:-1]}ies"} if verb.endswith("y") else ())}
    return {f"{form}{blank}{rest}" for form in verbs}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(map(code_key, _file()[name]))


@cache
def _reasons() -> dict[str, MissingReason]:
    """Return the reason of each phrase for no answer, by ``code_key``."""
    reasons: Mapping[MissingReason, Iterable[str]] = _file()["reasons"]
    by_key: dict[str, MissingReason] = {}
    for reason, phrases in reasons.items():
        for phrase in phrases:
            by_key.setdefault(code_key(phrase), reason)
    return by_key


@cache
def _file() -> dict[str, Any]:
    content = (resources.files("semscale.survey") / "mark_words.yaml").read_text(encoding="utf-8")
    words: dict[str, Any] = yaml.load(content, yaml.BaseLoader)  # yes and no stay texts
    return words
