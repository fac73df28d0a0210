"""Counts of the answers to a question, from the counts of its columns' cells."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from semscale.store.column_profile import ColumnProfile
from semscale.store.missing_codes import code_key
from semscale.survey.description import MissingReason, Option, Question, cell_name
from semscale.survey.lists import OptionList

_LISTED = 60
_LONGEST = 1_000  # characters of a value that can be one of a list


@dataclass(frozen=True)
class AnswerCount:
    """Number of cells with an answer.

    Attributes:
        key: the cell's value; for an option its column, or its text in a column that lists options.
        label: the answer's label.
        n: number of cells.
        score: number that counts in means, if the description states one.
        missing: why it is no answer; ``None`` for an answer.
        is_described: whether the description names it.
    """

    key: str
    label: str
    n: int
    score: float | None = None
    missing: MissingReason | None = None
    is_described: bool = True


@dataclass(frozen=True)
class QuestionCounts:
    """Counts of a question's cells.

    Attributes:
        answers: values in the order of the description, then others by frequency. For a grid they belong to
            all its columns; for a multiple choice there are none.
        options: options of a multiple choice or ranking, or items of a grid, in order: cells with a mark, or
            with an answer.
        marks: values of a multiple choice's cells by frequency.
        n: cells of all columns; one for each row and column.
        filled: cells that are not empty.
        distinct: number of different values.
    """

    answers: tuple[AnswerCount, ...]
    options: tuple[AnswerCount, ...]
    marks: tuple[AnswerCount, ...]
    n: int
    filled: int
    distinct: int

    @property
    def answered(self) -> int:
        """Cells that are neither empty nor codes for no answer."""
        return self.filled - sum(answer.n for answer in self.answers if answer.missing)


def count_answers(question: Question, profiles: Mapping[str, ColumnProfile]) -> QuestionCounts:
    """Count the answers to a question.

    Args:
        question: the question.
        profiles: counts of the cells of its columns, by name.
    """
    present = [profiles[column] for column in question.all_columns if column in profiles]
    cells: Counter[str] = Counter()
    for profile in present:
        for value, n in profile.values.items():
            cells[cell_name(value)] += n
    is_marked = question.kind == "multiple" and question.has_option_columns
    lists = bool(question.separator)
    return QuestionCounts(
        answers=() if is_marked or lists else tuple(_answers(question, cells)),
        options=tuple(_options(question, cells, profiles)),
        marks=tuple(_marks(question, profiles)) if is_marked else (),
        n=sum(profile.n for profile in present),
        filled=sum(profile.filled for profile in present),
        distinct=len(cells),
    )


def _answers(question: Question, cells: Counter[str]) -> Iterator[AnswerCount]:
    """Yield described values, codes for no answer, and the most frequent of the other values."""
    described = {value.value for value in question.values}
    stated = question.answers if question.kind == "nps" and not described else question.values
    by_label = {value.label: value.value for value in stated if value.label and value.label not in described}
    named: Counter[str] = Counter()
    for value, n in cells.items():
        named[by_label.get(value, value)] += n
    reasons = {code_key(code): reason for code, reason in question.missing.items()}
    for entry in stated:
        missing = entry.missing or reasons.get(code_key(entry.value))
        yield AnswerCount(entry.value, entry.label, named.pop(entry.value, 0), entry.score, missing)
    codes = {name: reasons[code_key(name)] for name in named if code_key(name) in reasons} if reasons else {}
    for name in sorted(codes, key=lambda name: -named[name]):
        yield AnswerCount(name, "", named.pop(name), missing=codes[name])
    short = Counter({name: n for name, n in named.items() if len(name) <= _LONGEST})
    for name, n in short.most_common(_LISTED):
        yield AnswerCount(name, "", n, is_described=False)


def _options(
    question: Question, cells: Counter[str], profiles: Mapping[str, ColumnProfile]
) -> Iterator[AnswerCount]:
    chosen = _count_listed(question, cells) if question.separator else Counter[str]()
    for option in question.options:
        if option.column is None:
            yield AnswerCount(option.code, option.label, chosen[option.code])
        else:
            profile = profiles.get(option.column)
            n = 0 if profile is None else _n_marked(question, option, profile)
            yield AnswerCount(option.column, option.label, n)


def _count_listed(question: Question, cells: Counter[str]) -> Counter[str]:
    """Count the cells that list each option; what people wrote counts for the option of texts."""
    listed = OptionList(question.separator, tuple(option.code for option in question.options))
    known = {code_key(text): o.code for o in question.options for text in (o.label, o.code)}
    written = next((option.code for option in question.options if option.is_text), "")
    reasons = question.missing_reasons
    chosen: Counter[str] = Counter()
    for value, n in cells.items():
        keys = [] if code_key(value) in reasons else map(code_key, listed.split(value))
        chosen.update(dict.fromkeys((known.get(key, written) for key in keys if key not in reasons), n))
    return chosen


def _n_marked(question: Question, option: Option, profile: ColumnProfile) -> int:
    """Return the number of cells that say that an option was chosen; for an item, of answered cells."""
    codes = {code_key(code) for code in question.missing_codes}
    values = {value: n for value, n in profile.values.items() if code_key(value) not in codes}
    if question.kind != "multiple" or option.is_text:
        return sum(values.values())
    marks = {code_key(mark) for mark in (*question.chosen, *option.chosen)}
    return sum(n for value, n in values.items() if code_key(value) in marks)


def _marks(question: Question, profiles: Mapping[str, ColumnProfile]) -> Iterator[AnswerCount]:
    """Yield the values of an option's cells, without texts and marks that belong to one option alone."""
    cells: Counter[str] = Counter()
    for option in question.options:
        profile = None if option.column is None or option.is_text else profiles.get(option.column)
        if profile is None:
            continue
        own = {code_key(mark) for mark in option.chosen}
        for value, n in profile.values.items():
            if code_key(value) not in own:
                cells[cell_name(value)] += n
        if profile.missing:
            cells[""] += profile.missing
    known = {code_key(mark) for mark in (*question.chosen, *question.not_chosen)}
    reasons = question.missing_reasons
    labels = {value.value: value.label for value in question.values}
    for mark, n in cells.most_common(_LISTED):
        is_known = code_key(mark) in known or code_key(mark) in reasons
        yield AnswerCount(
            mark, labels.get(mark, ""), n, missing=reasons.get(code_key(mark)), is_described=is_known
        )
