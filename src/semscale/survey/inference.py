"""Description of a survey, inferred from a table: its labels, the names of its columns, and their values."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import resources
from itertools import pairwise
from os.path import commonprefix
from typing import Literal

import yaml

from semscale.store.column_profile import ColumnKind, ColumnProfile, profiles_of
from semscale.store.exports import qualtrics
from semscale.store.missing_codes import code_key
from semscale.store.table import ColumnLabels, Table
from semscale.survey.description import (
    Confidence,
    MissingReason,
    Option,
    Question,
    QuestionKind,
    Survey,
    Value,
    cell_name,
)
from semscale.survey.lists import OptionList, find_list
from semscale.survey.marks import (
    Marks,
    Meaning,
    OptionCells,
    infer_marks,
    is_beside,
    is_exclusive,
    is_other,
    missing_reason,
)
from semscale.survey.number_codes import CUSTOMARY_CODES, likely_codes
from semscale.survey.value_order import order_labels
from semscale.survey.wave_order import order_waves

_CONVENTIONS: Mapping[str, Mapping[str, Meaning]] = {"SoSci Survey": {"1": "not chosen", "2": "chosen"}}
"""Meanings of the numbers in columns of options, by the tool that wrote the file."""

_CODES_OF_TOOLS: Mapping[str, Mapping[str, MissingReason]] = {
    "Qualtrics": {"-99": "no answer"},
    "SoSci Survey": {
        "-1": "don't know",
        **dict.fromkeys(("-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9", "-10"), "no answer"),
    },
}
"""Numbers for no answer, by the tool that wrote the file."""

_NO_RESPONDENTS: Mapping[str, Mapping[str, Collection[str]]] = {
    "Qualtrics": {"Status": qualtrics.UNFINISHED["Status"]}
}
"""Values that mark rows as previews, tests or spam, by tool and column."""

_WITH_QUESTIONS = frozenset(
    {
        "Qualtrics",
        "SurveyMonkey",
        "LimeSurvey",
        "SoSci Survey",
        "Google Forms",
        "Microsoft Forms",
        "Typeform",
    }
)
"""Tools whose headers tell which columns belong to a question, so that names need not."""

_WITH_BLANKS = "KoboToolbox"
_WITH_CHECKBOXES = "REDCap"
_OPTIONS_AS_NAMES = "Typeform"
_NUMBERED_OPTIONS = "SurveyMonkey"
_RANKS_AS_COLUMNS = "LimeSurvey"
_LABELS_OF_CODES = "LimeSurvey"
"""The tool whose reader labels a code that full answers do not have."""

_LISTS_OF_CODES = frozenset({"Qualtrics"})
"""Tools that write the numbers of chosen options with a comma between them."""

_FACTS: Mapping[str, tuple[QuestionKind, str]] = {
    "empty": ("ignore", "all cells are empty"),
    "id": ("identifier", "different in each row"),
    "weight": ("weight", "numbers under the name of weights"),
    "date": ("date", "dates"),
}

_PARTED = re.compile(
    r"(?P<stem>.*?\w)(?:(?P<sign>_{1,3}|\.|-|/|:\s*|\s-\s|\s*\[|\s*\()"
    r"(?P<part>[^\[\]()/]*(?:\s\([^\[\]()/]*\))?)[\])]?)"
)  # an option may end in a remark: "Services: Other (please specify)"
_LETTERED = re.compile(r"(?P<stem>.*\d)(?P<sign>)(?P<part>[a-z])", re.IGNORECASE)
_WORDING = re.compile(r"(?P<question>.*\S)(?P<sign>(?<=\?) |: | - | – )(?P<option>\S.*)", re.DOTALL)
_SIGN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_ITEM = re.compile(r"\d+|[a-z]")
_FEWEST_ITEMS = 2
_FEWEST_RANKS = 3
_FEWEST_RANKINGS = 5
_ZERO_ONE = frozenset({"0", "1", "true", "false"})
_ONE_TO_TWO = {"1", "2"}
_NPS = {*map(str, range(11))}
_FEWEST_NPS = 4
_LEAST_HIGHEST = 8  # a scale of recommendation may have 5 or 7 points
_FEWEST_POINTS = 3
_FEWEST_CELLS = 30
_FEWEST_WRITTEN = 5  # texts beside "other" that are counted together
_WRITTEN = "other (written in)"
_MOST_LISTED = 50
_MOST_POINTS = 20
_MOST_TEXTS = 11
_CODES_BELOW_ZERO = frozenset(-float(size) for size in (7, 8, 9, 66, 77, 88, 99, 666, 777, 888, 999, 9999))
BY_FREQUENCY = "no known order: by frequency"
"""Reason of a question whose answers are in the order of their numbers of respondents."""


def describe_survey(table: Table, counted: Iterable[ColumnProfile] | None = None) -> Survey:
    """Infer the description of a survey from its table, which is read once.

    The file's own labels come first; then names of columns, and then values. Each question says from where
    its kind comes, and how sure that is.

    Args:
        table: the table.
        counted: profiles of its columns, if it was read already.

    Raises:
        InputError: a row cannot be read.
    """
    profiles = {profile.name: profile for profile in counted or profiles_of(table)}
    questions = _number_names(list(_Inference(profiles, table.export).questions()))
    return Survey(
        file=table.file_name,
        export=table.export,
        leave_out=_rows_of_nobody(profiles, table.export),
        questions=tuple(questions),
    )


def _rows_of_nobody(profiles: Mapping[str, ColumnProfile], export: str) -> dict[str, tuple[str, ...]]:
    """Return the values that mark rows as previews, tests or spam, by column."""
    marks = _NO_RESPONDENTS.get(export, {})
    present = {
        column: tuple(value for value in values if value in profiles[column].values)
        for column, values in marks.items()
        if column in profiles
    }
    return {column: values for column, values in present.items() if values}


def _number_names(questions: Sequence[Question]) -> Iterator[Question]:
    """Number names that occur again; a question with several columns keeps its name."""
    shared = {question.name for question in questions if len(question.all_columns) > 1}
    used: set[str] = set()
    for question in questions:
        is_shared = len(question.all_columns) > 1
        name, n = question.name, 1
        while name in used or (name in shared and not is_shared):
            n += 1
            name = f"{question.name} ({n})"
        used.add(name)
        changes = {"name": name, "columns": question.all_columns}
        yield question if n == 1 else question.model_copy(update=changes)


def describe_columns(
    profiles: Sequence[ColumnProfile], name: str, *, export: str = "", are_mentions: bool = False
) -> Question:
    """Infer the description of columns that somebody names together as one question.

    Several columns are a grid, or the options of a multiple choice, of which some cells may be unknown.

    Args:
        profiles: the columns, over the whole table.
        name: the question's name, a pattern of columns such as ``brand_*``, or the only column.
        export: the tool that wrote the file; empty if it is unknown.
        are_mentions: whether the columns each hold a code of one list.
    """
    by_name = {profile.name: profile for profile in profiles}
    return _Inference(by_name, export).named(name, are_mentions=are_mentions)


@dataclass(frozen=True)
class _Inference:
    """Infers the questions of a table.

    Attributes:
        profiles: counts of all columns' cells, by the columns' names.
        export: the tool that wrote the file; empty if it was not recognised.
        _codes: codes for no answer of columns that were read, by the columns' names.
        _kinds: types of columns that were read, likewise.
    """

    profiles: Mapping[str, ColumnProfile]
    export: str
    _codes: dict[str, dict[str, MissingReason]] = field(default_factory=dict)
    _kinds: dict[str, ColumnKind] = field(default_factory=dict)

    def questions(self) -> Iterator[Question]:
        """Yield the questions in the order of the file."""
        for name, columns in self._groups():
            if len(columns) == 1 and not self._labels(columns[0]).option:
                yield self._alone(columns[0])
            else:
                yield from self._together(name, columns)

    def named(self, name: str, *, are_mentions: bool) -> Question:
        """Describe all columns as one question."""
        columns = tuple(self.profiles)
        if are_mentions:
            return self._mentions(name, columns)
        columns = tuple(column for column in columns if not self._is_beside(column)) or columns
        if columns == (name,):
            return self._alone(columns[0], is_named=True)
        marks = self._marks(name, columns)
        if self._is_grid(columns, marks):
            return self._grid(name, columns)
        return self._multiple(name, columns, marks, stated=self._are_stated(columns))

    def _labels(self, column: str) -> ColumnLabels:
        return self.profiles[column].labels

    def _groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Group the columns by the questions of the file, and others by their names."""
        groups: dict[tuple[str, str], list[str]] = {}
        shared = self._columns_of_own_text()
        shared |= {column: name for column, (name, _) in self._of_wordings.items()}
        previous = ""
        for column in self.profiles:
            question = self._labels(column).question or shared.get(column, "")
            parted = None if question else self._parted(column)
            stem = f"{parted['stem']}{parted['sign']}" if parted else ""
            if question:
                groups.setdefault(("question", question), []).append(column)
            elif stem and (stem == previous or ("stem", stem) not in groups):
                groups.setdefault(("stem", stem), []).append(column)
            else:
                groups["column", column] = [column]
            previous = stem
        return [
            (
                name if kind == "question" else name.rstrip("_.-/:[( ") if len(columns) > 1 else columns[0],
                tuple(columns),
            )
            for (kind, name), columns in groups.items()
        ]

    def _parted(self, column: str) -> re.Match[str] | None:
        """Part the name of a column that can share a question with others whose names begin alike."""
        labels = self._labels(column)
        if self.export in _WITH_QUESTIONS or labels.role or labels.is_text or self._is_beside(column):
            return None
        parted = _PARTED.fullmatch(column) or _LETTERED.fullmatch(column)
        if parted and self.export == _WITH_BLANKS:
            # A group of questions has the same sign as a question's options, which are 0 or 1.
            values = {value.casefold() for value in self.profiles[column].values}
            return parted if parted["sign"] == "/" and values <= _ZERO_ONE else None
        if parted and self.export == _WITH_CHECKBOXES:
            return parted if _ITEM.fullmatch(parted["part"]) else None
        return parted

    def _is_beside(self, column: str) -> bool:
        """Return whether a column holds what people wrote beside another one, by the file or its name."""
        labels = self._labels(column)
        is_stated = labels.is_text and not labels.question
        return is_stated or (not labels.question and is_beside(column, self.profiles))

    def _columns_of_own_text(self) -> dict[str, str]:
        """Return the names of questions by the columns of their options, if a tool names these by the option.

        Each is filled with its name; columns between them may be empty, and one of "other" may follow.
        """
        if self.export != _OPTIONS_AS_NAMES:
            return {}
        runs: list[list[str]] = [[]]
        for column, profile in self.profiles.items():
            option = profile.labels.label or column
            answers = {code_key(value) for value in profile.values}
            is_last = bool(runs[-1]) and is_other(option)
            if not profile.labels.role and (answers <= {code_key(option)} or is_last):
                runs[-1].append(column)
            if is_last or column not in runs[-1]:
                runs.append([])
        questions: dict[str, str] = {}
        for run in runs:
            filled = [column for column in run if self.profiles[column].values]
            if len(filled) < _FEWEST_ITEMS:
                continue
            options = run[run.index(filled[0]) : run.index(filled[-1]) + 1]
            more = f" and {len(options) - _FEWEST_ITEMS} more" if len(options) > _FEWEST_ITEMS else ""
            questions |= dict.fromkeys(options, f"{', '.join(options[:_FEWEST_ITEMS])}{more}")
        return questions

    @cached_property
    def _of_wordings(self) -> dict[str, tuple[str, str]]:
        """The names of questions, and the options, by columns whose labels begin like a neighbour's.

        A question's name is what the columns' names share, if it has a number, or else the wording.
        """
        runs: list[tuple[str, list[str]]] = []
        for column in self.profiles:
            labels = self._labels(column)
            parts = (
                None if labels.question or labels.role or labels.option else _WORDING.fullmatch(labels.label)
            )
            wording = parts["question"] if parts else ""
            if not runs or runs[-1][0] != wording:
                runs.append((wording, []))
            runs[-1][1].append(column)
        named: dict[str, tuple[str, str]] = {}
        for wording, columns in runs:
            if not wording or len(columns) < _FEWEST_ITEMS or self.export in _WITH_QUESTIONS:
                continue
            stem = commonprefix(columns).rstrip("_.-")
            is_name = any(sign.isdigit() for sign in stem) and stem not in self.profiles
            for column in columns:
                option = self._labels(column).label.removeprefix(wording).lstrip(" :–-")
                named[column] = stem if is_name else wording, option
        return named

    def _together(self, name: str, columns: Sequence[str]) -> Iterator[Question]:
        """Describe columns of one question: a multiple choice, a ranking, a grid, or several questions."""
        repeating = [column for column in columns if self._labels(column).role == "ignore"]
        for column in repeating:
            reason = f"lists the options of question {name!r} once more"
            yield Question(
                name=f"{column} (list)", kind="ignore", columns=(column,), source="file", reason=reason
            )
        columns = [column for column in columns if column not in repeating]
        stated = self._are_stated(columns)
        if stated and all(self._labels(column).are_mentions for column in columns):
            yield self._mentions(name, columns)
            return
        marks = self._marks(name, columns)
        ranked = self._ranked_values(columns)
        if ranked == {str(rank) for rank in range(1, len(columns) + 1)} and self.export != _RANKS_AS_COLUMNS:
            yield self._ranking(name, columns)
        elif ranked and self.export == _RANKS_AS_COLUMNS:
            yield self._mentions(name, columns)
        elif listed := self._common_list(columns, marks):
            yield from (self._list_of(self.profiles[column], listed) for column in columns)
        elif items := self._items_of_grid(name, columns, marks):
            yield self._grid(name, items)
            yield from (self._alone(column) for column in columns if column not in items)
        elif self._are_options(columns, marks):
            yield self._multiple(name, columns, marks, stated=stated)
        else:
            yield from self._apart(columns, marks)

    def _apart(self, columns: Sequence[str], marks: Marks) -> Iterator[Question]:
        """Describe columns as questions of their own, and ask if their values can be marks of options."""
        are_asked = len(columns) >= _FEWEST_ITEMS and set(marks.unknown) == _ONE_TO_TWO
        reason = (
            f"1 and 2 have no labels; if they say that an option was chosen, write one entry of kind "
            f"multiple in place of these {len(columns)}, with its options, `chosen` and `not_chosen`"
        )
        for question in map(self._alone, columns):
            changes = {"reason": reason, "confidence": "low"}
            is_asked = are_asked and question.kind == "single"
            yield question.model_copy(update=changes) if is_asked else question

    def _are_stated(self, columns: Sequence[str]) -> bool:
        """Return whether the file states that columns belong to one question."""
        return any(self._labels(column).question for column in columns)

    def _marks(self, name: str, columns: Sequence[str]) -> Marks:
        return infer_marks(
            {column: self._option_cells(name, column) for column in columns},
            convention=_CONVENTIONS.get(self.export) or self._numbers_of_options(columns),
            tool=self.export,
        )

    def _numbers_of_options(self, columns: Sequence[str]) -> dict[str, Meaning]:
        """Return the numbers that SurveyMonkey writes for chosen options: each column has one of its own."""
        if self.export != _NUMBERED_OPTIONS:
            return {}
        answers = [answers for column in columns if (answers := self._answers(column))]
        numbers = set().union(*answers)
        are_own = all(len(values) == 1 for values in answers) and len(numbers) == len(answers)
        are_numbers = are_own and all(number.isdigit() for number in numbers)
        return dict.fromkeys(numbers, "chosen") if are_numbers else {}

    def _ranked_values(self, columns: Sequence[str]) -> set[str]:
        """Return the values of k columns if each of k values occurs once in a row; otherwise none.

        This follows from the counts: each value occurs as often as there are rows.
        """
        counts: Counter[str] = Counter()
        for column in columns:
            profile = self.profiles[column]
            codes = self._missing(profile)
            counts.update({cell_name(v): n for v, n in profile.values.items() if v not in codes})
        n = max(counts.values(), default=0)
        are_even = len(counts) == len(columns) and set(counts.values()) == {n}
        is_enough = len(columns) >= _FEWEST_RANKS and n >= _FEWEST_RANKINGS
        are_apart = all(len(self.profiles[column].values) > 1 for column in columns)
        return set(counts) if are_even and is_enough and are_apart else set()

    def _items(self, name: str, columns: Sequence[str]) -> tuple[Option, ...]:
        return tuple(Option(label=self._option_label(name, column), column=column) for column in columns)

    def _ranking(self, name: str, columns: Sequence[str]) -> Question:
        return Question(
            name=name,
            kind="ranking",
            text=self._wording(columns),
            options=self._items(name, columns),
            values=tuple(Value(value=str(rank)) for rank in range(1, len(columns) + 1)),
            source="inferred",
            reason=f"ranks from 1 to {len(columns)}, each as often as the others",
            confidence="medium",
        )

    def _common_list(self, columns: Sequence[str], marks: Marks) -> OptionList | None:
        """Return how the cells of a grid of checkboxes list the answers; ``None`` for other columns."""
        if marks.chosen or marks.own or len(columns) < _FEWEST_ITEMS:
            return None
        return self._find_list(self._joined("", columns))

    def _option_cells(self, name: str, column: str) -> OptionCells:
        profile = self.profiles[column]
        labels = profile.labels
        values = dict(labels.values)
        if labels.counted:
            codes = self._missing(profile)
            values |= {value: "no" for value in profile.values if value not in codes}
            values[labels.counted] = "yes"
        label = self._option_label(name, column)
        is_text = labels.is_text or (self.export == _OPTIONS_AS_NAMES and is_other(label))
        return OptionCells(label, tuple(profile.values), values, is_text)

    def _option_label(self, name: str, column: str) -> str:
        labels = self._labels(column)
        if column in self._of_wordings:
            return self._of_wordings[column][1]
        part = column.removeprefix(name.rstrip("*?")).lstrip("_.-/:[( ").rstrip("_.-/:] ")
        part = part if "(" in part else part.rstrip(")")
        own = "" if labels.question else labels.label  # which is else the question's wording
        return labels.option or own or part or column

    def _are_options(self, columns: Sequence[str], marks: Marks) -> bool:
        """Return whether columns are options, by their marks or as the file states."""
        if len(columns) == 1 and marks.unknown and _are_points(self.profiles[columns[0]].values):
            return False  # a grid's only item, with "important" beside "unimportant" and "very important"
        if self._are_stated(columns):
            return bool(marks.chosen or marks.own) or not self._are_answers(columns)
        unknown = set(map(code_key, marks.unknown))
        answers = [self._answers(column) for column in columns if column not in marks.texts]
        are_known = all(not values or values - unknown for values in answers)
        return bool(marks.chosen or marks.own) and are_known

    def _are_answers(self, columns: Sequence[str]) -> bool:
        """Return whether columns of one question hold texts or numbers, as fields of a form do."""
        kinds = {self._kind(self.profiles[column]) for column in columns} - {"empty"}
        answers = [answers for column in columns if (answers := self._answers(column))]
        are_texts = not any(_number(value) is not None for value in set().union(*answers))
        if are_texts and len(answers) > 1 and sum(map(len, answers)) == len(set().union(*answers)):
            return True
        return bool(kinds) and kinds <= {"open text", "number", "date", "id", "weight"}

    def _is_grid(self, columns: Sequence[str], marks: Marks) -> bool:
        """Return whether the columns share three answers or more, which are no marks."""
        if len(columns) < _FEWEST_ITEMS or marks.texts:
            return False
        answers = [self._answers(column) for column in columns]
        filled = [column for column in answers if column]
        shared = (set().union(*filled) if filled else set()) - set(map(code_key, marks.missing))
        words = {*map(code_key, (*marks.chosen, *marks.not_chosen))}
        numbers = [number for key in shared if (number := _number(key)) is not None]
        if any(number not in {0, 1} for number in numbers):
            words.discard("0")  # it is a point beside 1 and 2
        if len(numbers) == len(shared) and not _are_few(numbers):
            return False
        if self._is_scale_with_words(shared, marks):
            words = set()
        points = {key for key in shared if key not in words}
        are_shared = len(filled) > 1 and (len(shared) < sum(map(len, filled)) or len(numbers) == len(shared))
        are_ordered = not any(map(_number, points)) and order_labels(sorted(points)) is not None
        are_points = len(points) >= _FEWEST_POINTS or are_ordered
        return are_shared and are_points and len(points) <= _MOST_LISTED and not marks.own

    def _items_of_grid(self, name: str, columns: Sequence[str], marks: Marks) -> Sequence[str]:
        """Return the columns of a grid, without those of comments; nothing if there is none."""
        if self._is_grid(columns, marks):
            return columns
        items = [column for column in columns if column not in marks.texts]
        is_grid = marks.texts and not marks.chosen and self._is_grid(items, self._marks(name, items))
        return items if is_grid else ()

    def _is_scale_with_words(self, answers: Collection[str], marks: Marks) -> bool:
        """Return whether words such as "no" are points beside others, such as "maybe" in several columns."""
        are_shared = any(len(columns) > 1 for columns in marks.unknown.values())
        return are_shared and len(answers) <= _MOST_TEXTS and order_labels(sorted(answers)) is not None

    def _answers(self, column: str) -> set[str]:
        """Return the normalised values of a column that are answers."""
        profile = self.profiles[column]
        codes = self._missing(profile)
        return {code_key(value) for value in profile.values if value not in codes}

    def _multiple(self, name: str, columns: Sequence[str], marks: Marks, *, stated: bool) -> Question:
        options = []
        for column in columns:
            own = marks.own.get(column, ())
            label = _text_of_option(self._option_label(name, column), own)
            options.append(
                Option(
                    label=label,
                    column=column,
                    chosen=own,
                    exclusive=is_exclusive(label) or missing_reason(label) is not None,
                    is_text=column in marks.texts,
                )
            )
        reason = marks.reason
        if marks.unknown:
            listed = ", ".join(f"'{value:.30}'" for value in list(marks.unknown)[:3])
            reason = f"{reason}; not known, and never chosen: {listed}".removeprefix("; ")
        confidence = marks.confidence
        if self.export in _CONVENTIONS and name not in self.profiles and confidence == "high":
            # Without the column that counts them, 1 and 2 may be two answers of a scale.
            confidence = "medium"
        return Question(
            name=name,
            kind="multiple",
            text=self._wording(columns),
            options=tuple(options),
            chosen=marks.chosen,
            not_chosen=marks.not_chosen,
            missing=dict(marks.missing),
            source="file" if stated and not marks.unknown else "inferred",
            reason=reason,
            confidence=confidence,
        )

    def _mentions(self, name: str, columns: Sequence[str]) -> Question:
        """Describe columns that each hold a code of one list: mentions, or the options of each rank."""
        joined = self._joined(name, columns)
        codes = self._missing(joined)
        values, _, _ = self._ordered(joined.without(codes), in_order=False)
        described = {value.value for value in values}
        return Question(
            name=name,
            kind="ranking" if self.export == _RANKS_AS_COLUMNS else "multiple",
            columns=tuple(columns),
            text=self._wording(columns),
            values=values,
            missing={value: reason for value, reason in codes.items() if value not in described},
            source="file",
            reason="columns with codes of one list",
        )

    def _grid(self, name: str, columns: Sequence[str]) -> Question:
        joined = self._joined(name, columns)
        codes = self._missing(joined)
        joined = joined.without(codes)
        values, reason, confidence = self._ordered(joined)
        return Question(
            name=name,
            kind="grid",
            text=self._wording(columns),
            options=self._items(name, columns),
            values=values,
            missing=codes,
            source="inferred",
            reason=f"{len(columns)} columns share {len(values)} answers; {reason}",
            confidence=confidence,
        )

    def _joined(self, name: str, columns: Sequence[str]) -> ColumnProfile:
        """Count the cells of columns with the same answers together."""
        profiles = [self.profiles[column] for column in columns]
        labels = {value: label for profile in profiles for value, label in profile.labels.values.items()}
        declared = {value for profile in profiles for value in profile.labels.missing_values}
        measure = next((profile.labels.measure for profile in profiles), "")
        joined = ColumnProfile(name, ColumnLabels(values=labels, missing_values=declared, measure=measure))
        for profile in profiles:
            joined.include(profile)
        return joined

    def _wording(self, columns: Sequence[str]) -> str:
        """Return the wording of a question with several columns: their label, or what their labels share."""
        entries = [entry for column in columns if (entry := self._labels(column)).label]
        if whole := next((entry.label for entry in entries if entry.option not in {"", entry.label}), ""):
            return whole
        labels = {entry.label for entry in entries}
        if len(labels) == 1 and len(entries) > 1:
            return labels.pop()
        shared = {parts["question"] if (parts := _WORDING.fullmatch(label)) else "" for label in labels}
        return shared.pop() if len(shared) == 1 and len(labels) > 1 else ""

    def _alone(self, column: str, *, is_named: bool = False) -> Question:
        """Describe a column of its own, by the first rule that fits.

        Args:
            column: its name.
            is_named: whether somebody asks for it, so that it is more than what a tool adds by itself.
        """
        whole = self.profiles[column]
        codes = self._missing(whole)
        rules: list[Callable[[ColumnProfile], Question | None]] = [
            self._text_beside,
            self._count_of_options,
            self._wave,
            self._nps_group,
            self._list,
            self._nps,
            self._open_or_number,
            self._choice_beside_text,
            self._closed,
        ]
        if not (is_named and whole.labels.role):
            rules.insert(0, self._fact)
        has_answers = bool(whole.values.keys() - codes.keys())
        profile = whole.without(codes) if has_answers else whole
        question = next(filter(None, (rule(profile) for rule in rules)))
        return _with_codes(question, codes, whole)

    def _fact(self, profile: ColumnProfile) -> Question | None:
        """Describe a column that is no question: a tool's own, a weight, an ID, a date, or an empty one."""
        if role := profile.labels.role:
            values = self._ordered(profile)[0] if role == "wave" else ()
            reason = f"a column that {self.export} adds"
            return _question(profile, role, reason=reason, source="file", values=values)
        if profile.labels.is_weight:
            return _question(profile, "weight", reason="the file is weighted by it", source="file")
        if (fact := self._kind(profile)) not in _FACTS:
            return None
        kind, reason = _FACTS[fact]
        return _question(profile, kind, reason=reason)

    def _kind(self, profile: ColumnProfile) -> ColumnKind:
        """Return the type of a column by its answers, without codes for no answer."""
        if not self._is_column(profile):
            return self._find_kind(profile)
        if profile.name not in self._kinds:
            self._kinds[profile.name] = self._find_kind(profile)
        return self._kinds[profile.name]

    def _find_kind(self, profile: ColumnProfile) -> ColumnKind:
        answered = profile.without(self._missing(profile))
        if profile.is_cut or not answered.values:
            return profile.kind
        labels = {value: label for value, label in profile.labels.values.items() if not missing_reason(label)}
        return replace(answered, labels=replace(profile.labels, values=labels)).kind

    def _is_column(self, profile: ColumnProfile) -> bool:
        """Return whether a profile is that of a column, with or without its codes for no answer."""
        column = self.profiles.get(profile.name)
        return column is not None and column.labels is profile.labels

    def _text_beside(self, profile: ColumnProfile) -> Question | None:
        """Describe what people wrote beside an option, or a comment on it."""
        if not self._is_beside(profile.name) or not profile.filled:
            return None
        source: Literal["inferred", "file"] = "file" if profile.labels.is_text else "inferred"
        return _question(profile, "open", reason="what people wrote beside an answer", source=source)

    def _count_of_options(self, profile: ColumnProfile) -> Question | None:
        """Describe a column with the number of options that were chosen, which SoSci Survey adds."""
        options = [name for name in self.profiles if self._labels(name).question == profile.name]
        numbers = {cell_name(value) for value in profile.values}
        possible = {str(n) for n in range(-10, len(options) + 1)}
        if self.export not in _CONVENTIONS or not options or not numbers <= possible:
            return None
        return _question(profile, "ignore", reason="number of chosen options", source="file")

    def _wave(self, profile: ColumnProfile) -> Question | None:
        if self._kind(profile) == "open text" or not _mentions_any(profile.name, "wave"):
            return None
        if profile.labels.answers:
            values, order = self._labelled_values(profile), "labels and their order are the file's"
        else:
            written = {code_key(value): " ".join(cell_name(value).split()) for value in profile.values}
            names, source = order_waves([*written.values()])
            values, order = tuple(Value(value=name) for name in names), f"in order {source}"
        reason = f"few values under the name of waves; {order}"
        return _question(profile, "wave", reason=reason, values=values)

    def _nps_group(self, profile: ColumnProfile) -> Question | None:
        """Describe a column that groups the answers of an NPS question: detractors, passives, promoters."""
        if not _mentions_any(profile.name, "nps_group"):
            return None
        groups = dict(zip("123", ("Detractor", "Passive", "Promoter"), strict=True))
        answers = set(profile.values)
        if answers <= groups.keys():
            values = tuple(Value(value=value, label=label) for value, label in groups.items())
        elif answers <= set(groups.values()):
            values = tuple(Value(value=label) for label in groups.values())
        else:
            return None
        reason = "groups of the answers to an NPS question"
        return _question(profile, "single", reason=reason, values=values)

    def _list(self, profile: ColumnProfile) -> Question | None:
        """Describe a column whose cells list options."""
        whole = self.profiles[profile.name]
        listed = None if whole.labels.is_entry else self._find_list(whole)
        return None if listed is None else self._list_of(whole, listed)

    def _find_list(self, profile: ColumnProfile) -> OptionList | None:
        missing = self._missing_in_lists(profile)
        values = {value: n for value, n in profile.values.items() if value not in missing}
        return find_list(
            values,
            known=profile.labels.answers,
            are_codes=self.export in _LISTS_OF_CODES,
            has_blanks=self.export == _WITH_BLANKS,
        )

    def _missing_in_lists(self, profile: ColumnProfile) -> dict[str, MissingReason]:
        """Return codes for no answer where cells list options; a number without a sign is an option."""
        codes = self._missing(profile)
        return {value: reason for value, reason in codes.items() if (_number(value) or -1.0) < 0}

    def _list_of(self, profile: ColumnProfile, listed: OptionList) -> Question:
        """Describe a column whose cells list options: any number of them, or all in an order."""
        labels = profile.labels.answers
        missing = self._missing_in_lists(profile)
        values = [value for value in profile.values if value not in missing]
        n = len(listed.options)
        are_ranked = n >= _FEWEST_RANKS and all(len(listed.split(value)) == n for value in values)
        written = _written_beside(profile.without(missing), listed)
        names = tuple(name for name in listed.options if code_key(name) not in written)
        if all(_number(name) is not None for name in names):
            names = tuple(sorted(names, key=_by_number))
        options = tuple(
            Option(
                label=labels.get(name, name),
                value=name if name in labels else "",
                exclusive=is_exclusive(labels.get(name, name)),
            )
            for name in names
        )
        if written:
            options += (Option(label=_WRITTEN, is_text=True),)
        return Question(
            name=profile.name,
            kind="ranking" if are_ranked and len(values) > 1 else "multiple",
            columns=(profile.name,),
            text=profile.labels.title,
            options=options,
            separator=listed.separator,
            missing=missing,
            source="inferred",
            reason=f"cells list options with {listed.separator!r} between them",
            confidence="medium",
        )

    def _nps(self, profile: ColumnProfile) -> Question | None:
        """Describe a question with answers from 0 to 10 whose wording asks for a recommendation."""
        written = {_leading_number(value): value for value in profile.values}
        if not _are_of_nps(written, f"{profile.name} {profile.labels.title}"):
            return None
        labels = profile.labels.answers
        points = tuple(
            Value(
                value=written.get(point, point),
                label=labels.get(point, ""),
                score=float(point) if written.get(point, point) != point else None,
            )
            for point in map(str, range(11))
        )
        reason = "0 to 10, and the wording asks for a recommendation"
        return _question(profile, "nps", reason=reason, values=points)

    def _open_or_number(self, profile: ColumnProfile) -> Question | None:
        kind = self._kind(profile)
        if kind == "number":
            return _question(profile, "numeric", reason="numbers")
        if profile.labels.is_entry and kind == "multiple choice":
            return _question(profile, "open", reason="texts that people typed", source="file")
        if kind == "open text" and not _are_points(profile.values):
            return _question(profile, "open", reason="many different texts")
        return None

    def _choice_beside_text(self, profile: ColumnProfile) -> Question | None:
        """Describe a choice with an option "other", whose column of texts shows that numbers are codes."""
        start = f"{profile.name}_"
        if not any(name.startswith(start) and self._labels(name).is_text for name in self.profiles):
            return None
        question = self._closed(profile)
        values = tuple(value.model_copy(update={"score": None}) for value in question.values)
        return question.model_copy(update={"kind": "single", "values": values})

    def _closed(self, profile: ColumnProfile) -> Question:
        values, reason, confidence = self._ordered(profile)
        answers = [value for value in values if value.missing is None]
        are_scored = len(answers) >= _FEWEST_POINTS and any(value.score is not None for value in answers)
        has_numbers = bool(answers) and all(value.number is not None for value in answers)
        is_scale = has_numbers and (
            self._kind(profile) == "ordinal" or are_scored or _are_labels_of_scale(answers)
        )
        return Question(
            name=profile.name,
            kind="scale" if is_scale else "single",
            text=profile.labels.title,
            values=values
            if is_scale
            else tuple(value.model_copy(update={"score": None}) for value in values),
            source="file" if profile.labels.answers and profile.labels.measure else "inferred",
            reason=reason,
            confidence=confidence,
        )

    def _ordered(
        self, profile: ColumnProfile, *, in_order: bool = True
    ) -> tuple[tuple[Value, ...], str, Confidence]:
        """Return the values in the order of the answers, the reason for it, and how sure it is.

        Args:
            profile: the column, whose cells are answers.
            in_order: whether the answers can have an order of their own.
        """
        if profile.labels.answers:
            return self._labelled_values(profile), "labels and their order are the file's", "high"
        if in_order and self._kind(profile) == "ordinal":
            points = range(int(profile.low), int(profile.high) + 1)
            return tuple(Value(value=str(point)) for point in points), "whole numbers", "high"
        counts: dict[str, int] = {}
        spelled: dict[str, str] = {}
        for value, n in profile.values.most_common():
            name = spelled.setdefault(code_key(value), " ".join(cell_name(value).split()))
            counts[name] = counts.get(name, 0) + n
        order = order_labels(list(counts)) if in_order else None
        if order is not None:
            scores = order.scores or (None,) * len(order.labels)
            ordered = zip(order.labels, scores, strict=True)
            return tuple(Value(value=v, score=s) for v, s in ordered), order.reason, order.confidence
        if all(_number(value) is not None for value in counts):
            listed = sorted(counts, key=_by_number)
            return tuple(Value(value=value) for value in listed[:_MOST_LISTED]), "numbers", "medium"
        frequent = sorted(counts, key=lambda value: (-counts[value], value))
        return tuple(Value(value=value) for value in frequent[:_MOST_LISTED]), BY_FREQUENCY, "medium"

    def _labelled_values(self, profile: ColumnProfile) -> tuple[Value, ...]:
        """Return the labelled values in the order of the file, and others that occur by their numbers.

        Points of a scale are in the order of their numbers, as often only the first and the last have labels.
        Texts without a label come first if they are as many as those with one, such as "other".
        """
        labels = profile.labels
        codes = self._missing(profile)
        values = [
            Value(
                value=value,
                label=label,
                missing=(missing_reason(label) or "no answer")
                if value in labels.missing_values
                else codes.get(value),
            )
            for value, label in labels.values.items()
            if value in profile.values or self.export != _LABELS_OF_CODES
        ]
        unlabelled = [value for value in profile.values if value not in labels.values and value not in codes]
        rest = [Value(value=value) for value in sorted(unlabelled, key=_by_number)[:_MOST_LISTED]]
        are_numbers = all(_number(value.value) is not None for value in (*values, *rest))
        if are_numbers and (rest or self._kind(profile) == "ordinal"):
            return tuple(sorted((*values, *rest), key=lambda value: _by_number(value.value)))
        return (*rest, *values) if len(rest) >= len(values) else (*values, *rest)

    def _missing(self, profile: ColumnProfile) -> dict[str, MissingReason]:
        """Return the values of a column that are codes for no answer, with their reasons.

        A number is one if it has no label, and is a customary code apart from the other numbers or among
        texts.
        """
        if not self._is_column(profile):
            return self._find_codes(profile)
        if profile.name not in self._codes:
            self._codes[profile.name] = self._find_codes(self.profiles[profile.name])
        return self._codes[profile.name]

    def _without_points(
        self, codes: Mapping[str, MissingReason], profile: ColumnProfile
    ) -> dict[str, MissingReason]:
        """Leave out texts that are points of the other answers' scale, as "does not apply" can be."""
        labels = profile.labels.values
        names = {value: labels.get(value) or value for value in {**labels, **profile.values}}
        answers = [name for value, name in names.items() if value not in codes][: _MOST_TEXTS + 1]
        if len(answers) > _MOST_TEXTS:
            return dict(codes)
        return {
            value: reason
            for value, reason in codes.items()
            if reason != "not asked"
            or value in profile.labels.missing_values
            or order_labels([*answers, names[value]]) is None
        }

    def _find_codes(self, profile: ColumnProfile) -> dict[str, MissingReason]:
        labels = profile.labels.values
        of_tool = _CODES_OF_TOOLS.get(self.export, {})
        codes: dict[str, MissingReason] = {}
        for value in {**labels, **profile.values}:
            reason = missing_reason(labels.get(value) or value) or of_tool.get(cell_name(value))
            if reason is not None:
                codes[value] = reason
        codes = self._without_points(codes, profile)
        rest = [value for value in profile.values if value not in codes and not labels.get(value)]
        numbers = {number: value for value in rest if (number := _number(value)) is not None}
        others = {number for value in labels if value not in codes and (number := _number(value)) is not None}
        if 2 * len(numbers) < len(rest):
            codes |= {value: "no answer" for value in rest if cell_name(value) in CUSTOMARY_CODES}
        elif _mentions_any(f"{profile.name} {profile.labels.title}", "recommend") and (
            outside := _outside_nps(numbers)
        ):
            codes |= dict.fromkeys(outside, "no answer")
        elif len(numbers) >= _FEWEST_POINTS or others:
            apart = _codes_apart(sorted({*numbers, *others}))
            codes |= {numbers[number]: "no answer" for number in apart if number in numbers}
        return codes


def _are_labels_of_scale(answers: Sequence[Value]) -> bool:
    """Return whether the labels of numbers are those of a scale, in the numbers' order or against it."""
    order = order_labels([answer.label for answer in answers]) if all(a.label for a in answers) else None
    if order is None or order.scores is None or len(answers) < _FEWEST_POINTS:
        return False
    scores = dict(zip(order.labels, order.scores, strict=True))
    by_number = sorted(answers, key=lambda answer: answer.number or 0.0)
    steps = [scores[second.label] - scores[first.label] for first, second in pairwise(by_number)]
    return all(step > 0 for step in steps) or all(step < 0 for step in steps)


def _are_points(values: Collection[str]) -> bool:
    """Return whether different texts are the points of a scale, as if few people answered."""
    texts = list(dict.fromkeys(code_key(value) for value in values))
    order = order_labels(texts) if _FEWEST_POINTS <= len(texts) <= _MOST_TEXTS else None
    return order is not None and order.scores is not None


def _outside_nps(numbers: Mapping[float, str]) -> list[str]:
    """Return customary codes outside 0 to 10, if all other numbers are inside."""
    inside = [value for value in numbers.values() if _leading_number(value) in _NPS]
    outside = [value for value in numbers.values() if value not in inside]
    are_codes = inside and {cell_name(value) for value in outside} <= CUSTOMARY_CODES
    return outside if are_codes else []


def _written_beside(profile: ColumnProfile, listed: OptionList) -> set[str]:
    """Return the parts of lists that people wrote beside "other": many that one cell has each."""
    cells: Counter[str] = Counter()
    for value, n in profile.values.items():
        cells.update(dict.fromkeys(map(code_key, listed.split(value)), n))
    once = {part for part, n in cells.items() if n == 1}
    is_known = profile.filled < _FEWEST_CELLS or len(once) < _FEWEST_WRITTEN or profile.labels.answers
    return set() if is_known or len(cells) - len(once) < _FEWEST_ITEMS else once


def _text_of_option(label: str, own: Sequence[str]) -> str:
    """Return an option's label, or the text in its cells if the label is only a number or a letter."""
    is_short = _ITEM.fullmatch(label.casefold()) is not None
    texts = list(dict.fromkeys(" ".join(mark.split()) for mark in own if _number(mark) is None))
    return texts[0] if is_short and texts else label


def _codes_apart(numbers: Sequence[float]) -> list[float]:
    """Return the numbers that are customary codes, and apart from the others.

    Among few whole numbers, two between them are enough. Among many, as of ages, codes are at least as far
    from the others as these are from each other, or the only ones below zero.
    """
    gaps = [second - first for first, second in pairwise(numbers)]
    if not gaps or len(numbers) <= _MOST_POINTS:
        return likely_codes(numbers)
    below = [number for number in numbers if number < 0]
    if below and len(below) < len(numbers) / 2 and all(number in _CODES_BELOW_ZERO for number in below):
        return below
    return likely_codes(numbers, gap=max(gaps)) if numbers[-1] - numbers[0] <= 2 * max(gaps) else []


def _with_codes(question: Question, codes: Mapping[str, MissingReason], profile: ColumnProfile) -> Question:
    """State the codes for no answer of a question.

    Among answers without an order, "don't know" is one of them, but not a number without a label.

    Args:
        question: the description without them.
        codes: the codes, with their reasons.
        profile: the column, with the codes.
    """
    if question.separator:
        return question  # which has the codes that are no options
    values = question.values
    answers: set[str] = set()
    if question.kind == "single":
        answers = {
            value
            for value, reason in codes.items()
            if reason == "don't know"
            and value not in profile.labels.missing_values
            and (_number(value) is None or value in profile.labels.values)
        }
        values = tuple(
            value.model_copy(update={"missing": None}) if value.value in answers else value
            for value in values
        )
        described = {value.value for value in values}
        values += tuple(
            Value(value=value) for value in answers & profile.values.keys() if value not in described
        )
    described = {value.value for value in values}
    missing = {value: reason for value, reason in codes.items() if value not in answers | described}
    if question.kind == "open":
        missing = {}  # what looks like a code may be what somebody wrote
    return question.model_copy(update={"values": values, "missing": missing})


def _question(
    profile: ColumnProfile,
    kind: QuestionKind,
    *,
    reason: str,
    source: Literal["inferred", "file"] = "inferred",
    values: tuple[Value, ...] = (),
) -> Question:
    return Question(
        name=profile.name,
        kind=kind,
        text=profile.labels.title,
        values=values,
        source=source,
        reason=reason,
    )


def _are_few(numbers: Sequence[float]) -> bool:
    """Return whether numbers can be the points of a scale: whole ones that are near to each other."""
    are_whole = all(number.is_integer() for number in numbers)
    return not numbers or (are_whole and max(numbers) - min(numbers) <= _MOST_POINTS)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _by_number(text: str) -> tuple[bool, float, str]:
    """Return a key that puts numbers in their order before texts."""
    number = _number(text)
    return number is None, number or 0.0, text


def _leading_number(text: str) -> str:
    """Return the whole number at the beginning of a text, such as 10 of "10 - Extremely likely"."""
    found = re.match(r"\s*(\d{1,2})(?:\D|$)", text)
    return str(int(found[1])) if found else text


def _are_of_nps(numbers: Collection[str], wording: str) -> bool:
    """Return whether answers are from 0 to 10, by the highest one or the name, and about recommending."""
    if not numbers or not set(numbers) <= _NPS or not _mentions_any(wording, "recommend"):
        return False
    if _mentions_any(wording, "nps"):
        return True
    return len(numbers) >= _FEWEST_NPS and max(map(int, numbers)) >= _LEAST_HIGHEST


def _mentions_any(text: str, words: str) -> bool:
    """Return whether a text has one of the words of ``question_words.yaml``, also inside of Chinese."""
    folded = code_key(text)
    return any(
        word in folded if _SIGN.match(word) else re.search(rf"(?<![^\W_]){re.escape(word)}", folded)
        for word in _words(words)
    )


@cache
def _words(name: str) -> frozenset[str]:
    content = (resources.files("semscale.survey") / "question_words.yaml").read_text(encoding="utf-8")
    listed: Mapping[str, Sequence[str]] = yaml.safe_load(content)
    return frozenset(map(code_key, listed[name]))
