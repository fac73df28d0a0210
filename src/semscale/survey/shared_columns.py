"""Questions with several columns: multiple choice, rankings, grids and mentions."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from semscale.store.column_profile import ColumnProfile
from semscale.store.missing_codes import code_key
from semscale.survey.answer_values import are_points, order_values
from semscale.survey.column_groups import OPTIONS_AS_NAMES, ColumnGroups
from semscale.survey.counted_columns import CountedColumns
from semscale.survey.description import Option, Question, Value, cell_name
from semscale.survey.list_columns import describe_list, find_options
from semscale.survey.lists import OptionList
from semscale.survey.marks import (
    Marks,
    Meaning,
    OptionCells,
    infer_marks,
    is_exclusive,
    is_other,
    missing_reason,
)
from semscale.survey.number_codes import parse_number
from semscale.survey.single_columns import SingleColumns
from semscale.survey.value_order import FEWEST_POINTS, MOST_TEXTS, order_labels
from semscale.survey.written_in import MAX_ANSWERS

_CONVENTIONS: Mapping[str, Mapping[str, Meaning]] = {"SoSci Survey": {"1": "not chosen", "2": "chosen"}}
"""Meanings of the numbers in columns of options, by the tool that wrote the file."""

_NUMBERED_OPTIONS = "SurveyMonkey"
_RANKS_AS_COLUMNS = "LimeSurvey"
_CONVERTS_EMPTY, _CONVERTED = "LimeSurvey", "2"
"""The tool whose setting "Convert N to 2" also fills the cells of "other" in which nobody wrote."""

_ITEM = re.compile(r"\d+|[a-z]")
_FEWEST_ITEMS = 2
_FEWEST_RANKS = 3
_FEWEST_RANKINGS = 5
_ONE_TO_TWO = {"1", "2"}
_MOST_POINTS = 20
_MAY_BE_SEVERAL = (
    "neighbouring questions without an option 'Other' look like one: divide the options into one entry for "
    "each question, if there are several"
)
_ONE_OR_TWO = (
    "1 and 2 have no labels: state which of them says that an option was chosen (`chosen`), and which that "
    "it was not (`not_chosen`); or write an entry for each column, if they are questions of their own"
)


@dataclass(frozen=True)
class SharedColumns:
    """Describes columns of one question."""

    counted: CountedColumns
    groups: ColumnGroups
    singles: SingleColumns

    def describe(self, name: str, columns: Sequence[str]) -> Iterator[Question]:
        """Describe columns of one question: a multiple choice, a ranking, a grid, or several questions."""
        repeating = [column for column in columns if self.counted.labels(column).role == "ignore"]
        yield from (_repeated_list(name, column) for column in repeating)
        columns = [column for column in columns if column not in repeating]
        stated = self._are_stated(columns)
        if stated and all(self.counted.labels(column).are_mentions for column in columns):
            yield self._mentions(name, columns)
            return
        marks = self._marks(name, columns)
        ranked = self._ranked_values(columns)
        if (
            ranked == {str(rank) for rank in range(1, len(columns) + 1)}
            and self.counted.export != _RANKS_AS_COLUMNS
        ):
            yield self._ranking(name, columns)
        elif ranked and self.counted.export == _RANKS_AS_COLUMNS:
            yield self._mentions(name, columns)
        elif listed := self._common_list(columns, marks):
            yield from (
                describe_list(self.counted, self.counted.profiles[column], listed) for column in columns
            )
        elif items := self._items_of_grid(name, columns, marks):
            yield self._grid(name, items)
            yield from (self.singles.describe(column) for column in columns if column not in items)
        elif self._are_options(columns, marks):
            yield self._multiple(name, columns, marks, stated=stated)
        elif self._are_coded_one_and_two(columns, marks):
            yield self._multiple(name, columns, marks, stated=stated).model_copy(
                update={"chosen": (), "not_chosen": (), "reason": _ONE_OR_TWO}
            )
        else:
            yield from map(self.singles.describe, columns)

    def describe_named(self, name: str, *, are_mentions: bool) -> Question:
        """Describe all columns as one question."""
        columns = tuple(self.counted.profiles)
        if are_mentions:
            return self._mentions(name, columns)
        columns = tuple(column for column in columns if not self.groups.is_beside(column)) or columns
        if columns == (name,):
            return self.singles.describe(columns[0], is_named=True)
        marks = self._marks(name, columns)
        if self._is_grid(columns, marks):
            return self._grid(name, columns)
        return self._multiple(name, columns, marks, stated=self._are_stated(columns))

    def _are_coded_one_and_two(self, columns: Sequence[str], marks: Marks) -> bool:
        """Return whether the only answers are 1 and 2, which can say that an option was chosen or not."""
        answers = [self.counted.answers(column) for column in columns]
        return (
            len(columns) >= _FEWEST_ITEMS
            and set(marks.unknown) == _ONE_TO_TWO
            and all(values <= _ONE_TO_TWO for values in answers)
        )

    def _are_stated(self, columns: Sequence[str]) -> bool:
        """Return whether the file states that columns belong to one question."""
        return any(self.counted.labels(column).question for column in columns)

    def _marks(self, name: str, columns: Sequence[str]) -> Marks:
        return infer_marks(
            {column: self._option_cells(name, column) for column in columns},
            convention=_CONVENTIONS.get(self.counted.export) or self._numbers_of_options(columns),
            tool=self.counted.export,
        )

    def _numbers_of_options(self, columns: Sequence[str]) -> dict[str, Meaning]:
        """Return the numbers that SurveyMonkey writes for chosen options: each column has one of its own."""
        if self.counted.export != _NUMBERED_OPTIONS:
            return {}
        answers = [answers for column in columns if (answers := self.counted.answers(column))]
        numbers = set().union(*answers)
        are_own = all(len(values) == 1 for values in answers) and len(numbers) == len(answers)
        are_numbers = are_own and all(number.isdigit() for number in numbers)
        return dict.fromkeys(numbers, "chosen") if are_numbers else {}

    def _option_cells(self, name: str, column: str) -> OptionCells:
        profile = self.counted.profiles[column]
        labels = profile.labels
        values = dict(labels.values)
        if labels.counted:
            codes = self.counted.codes(profile)
            values |= {value: "no" for value in profile.values if value not in codes}
            values[labels.counted] = "yes"
        label = self.groups.option_label(name, column)
        if labels.is_text and self.counted.export == _CONVERTS_EMPTY and _is_converted(profile):
            values[_CONVERTED] = "no"
        is_text = labels.is_text or (self.counted.export == OPTIONS_AS_NAMES and is_other(label))
        return OptionCells(label, tuple(profile.values), values, is_text)

    def _ranked_values(self, columns: Sequence[str]) -> set[str]:
        """Return the values of k columns if each of k values occurs once in a row; otherwise none.

        This follows from the counts: each value occurs as often as there are rows.
        """
        counts: Counter[str] = Counter()
        for column in columns:
            profile = self.counted.profiles[column]
            codes = self.counted.codes(profile)
            counts.update({cell_name(v): n for v, n in profile.values.items() if v not in codes})
        n = max(counts.values(), default=0)
        are_even = len(counts) == len(columns) and set(counts.values()) == {n}
        is_enough = len(columns) >= _FEWEST_RANKS and n >= _FEWEST_RANKINGS
        are_apart = all(len(self.counted.profiles[column].values) > 1 for column in columns)
        return set(counts) if are_even and is_enough and are_apart else set()

    def _items(self, name: str, columns: Sequence[str]) -> tuple[Option, ...]:
        return tuple(
            Option(label=self.groups.option_label(name, column), column=column) for column in columns
        )

    def _ranking(self, name: str, columns: Sequence[str]) -> Question:
        return Question(
            name=name,
            kind="ranking",
            text=self.groups.wording(columns),
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
        return find_options(self.counted, self.counted.join("", columns))

    def _are_options(self, columns: Sequence[str], marks: Marks) -> bool:
        """Return whether columns are options, by their marks or as the file states."""
        if len(columns) == 1 and marks.unknown and are_points(self.counted.profiles[columns[0]].values):
            return False  # a grid's only item, with "important" beside "unimportant" and "very important"
        if self._are_stated(columns):
            return bool(marks.chosen or marks.own) or not self._are_answers(columns)
        unknown = set(map(code_key, marks.unknown))
        answers = [self.counted.answers(column) for column in columns if column not in marks.texts]
        are_known = all(not values or values - unknown for values in answers)
        return bool(marks.chosen or marks.own) and are_known

    def _are_answers(self, columns: Sequence[str]) -> bool:
        """Return whether columns of one question hold texts or numbers, as fields of a form do."""
        kinds = {self.counted.kind(self.counted.profiles[column]) for column in columns} - {"empty"}
        answers = [answers for column in columns if (answers := self.counted.answers(column))]
        are_texts = not any(parse_number(value) is not None for value in set().union(*answers))
        if are_texts and len(answers) > 1 and sum(map(len, answers)) == len(set().union(*answers)):
            return True
        return bool(kinds) and kinds <= {"open text", "number", "date", "id", "weight"}

    def _is_grid(self, columns: Sequence[str], marks: Marks) -> bool:
        """Return whether the columns share three answers or more, which are no marks."""
        if len(columns) < _FEWEST_ITEMS or marks.texts:
            return False
        answers = [self.counted.answers(column) for column in columns]
        filled = [column for column in answers if column]
        shared = (set().union(*filled) if filled else set()) - set(map(code_key, marks.missing))
        words = {*map(code_key, (*marks.chosen, *marks.not_chosen))}
        numbers = [number for key in shared if (number := parse_number(key)) is not None]
        if any(number not in {0, 1} for number in numbers):
            words.discard("0")  # it is a point beside 1 and 2
        if len(numbers) == len(shared) and not _are_few(numbers):
            return False
        if self._is_scale_with_words(shared, marks):
            words = set()
        points = {key for key in shared if key not in words}
        are_shared = len(filled) > 1 and (len(shared) < sum(map(len, filled)) or len(numbers) == len(shared))
        are_ordered = not any(map(parse_number, points)) and order_labels(sorted(points)) is not None
        are_points = len(points) >= FEWEST_POINTS or are_ordered
        return are_shared and are_points and len(points) <= MAX_ANSWERS and not marks.own

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
        return are_shared and len(answers) <= MOST_TEXTS and order_labels(sorted(answers)) is not None

    def _multiple(self, name: str, columns: Sequence[str], marks: Marks, *, stated: bool) -> Question:
        options = []
        for column in columns:
            own = marks.own.get(column, ())
            label = _text_of_option(self.groups.option_label(name, column), own)
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
        if self.counted.export in _CONVENTIONS and name not in self.counted.profiles and confidence == "high":
            # Without the column that counts them, 1 and 2 may be two answers of a scale.
            confidence = "medium"
        if self.counted.export == OPTIONS_AS_NAMES and columns[-1] not in marks.texts:
            reason, confidence = f"{reason}; {_MAY_BE_SEVERAL}", "low"
        return Question(
            name=name,
            kind="multiple",
            text=self.groups.wording(columns),
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
        joined = self.counted.join(name, columns)
        codes = self.counted.codes(joined)
        values, _, _ = order_values(self.counted, joined.without(codes), in_order=False)
        described = {value.value for value in values}
        return Question(
            name=name,
            kind="ranking" if self.counted.export == _RANKS_AS_COLUMNS else "multiple",
            columns=tuple(columns),
            text=self.groups.wording(columns),
            values=values,
            missing={value: reason for value, reason in codes.items() if value not in described},
            source="file",
            reason="columns with codes of one list",
        )

    def _grid(self, name: str, columns: Sequence[str]) -> Question:
        joined = self.counted.join(name, columns)
        codes = self.counted.codes(joined)
        joined = joined.without(codes)
        values, reason, confidence = order_values(self.counted, joined)
        return Question(
            name=name,
            kind="grid",
            text=self.groups.wording(columns),
            options=self._items(name, columns),
            values=values,
            missing=codes,
            source="inferred",
            reason=f"{len(columns)} columns share {len(values)} answers; {reason}",
            confidence=confidence,
        )


def _is_converted(profile: ColumnProfile) -> bool:
    """Return whether most filled cells of a column with texts have the number for not chosen."""
    return 2 * profile.values[_CONVERTED] > profile.filled


def _repeated_list(name: str, column: str) -> Question:
    """Describe a column that lists the options of a question, which have columns of their own."""
    reason = f"lists the options of question {name!r} once more"
    return Question(name=f"{column} (list)", kind="ignore", columns=(column,), source="file", reason=reason)


def _text_of_option(label: str, own: Sequence[str]) -> str:
    """Return an option's label, or the text in its cells if the label is only a number or a letter."""
    is_short = _ITEM.fullmatch(label.casefold()) is not None
    texts = list(dict.fromkeys(" ".join(mark.split()) for mark in own if parse_number(mark) is None))
    return texts[0] if is_short and texts else label


def _are_few(numbers: Sequence[float]) -> bool:
    """Return whether numbers can be the points of a scale: whole ones that are near to each other."""
    are_whole = all(number.is_integer() for number in numbers)
    return not numbers or (are_whole and max(numbers) - min(numbers) <= _MOST_POINTS)
