"""Reading of a described question from a table: the answers of all respondents, and the lines they count in.

Cells are read as names: 3 and 3.0 are both ``"3"``, and case and blanks do not matter. A cell is an answer, a
mark or a code for no answer if the question's description lists it, or the file's label of it. Anything else
is unknown, and missing.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.html_texts import plain_label
from semscale.scales.library import scale_caution
from semscale.spelling import hint
from semscale.store.columns import groups_in, numbers_among, positions_among, text_counts, without_blanks
from semscale.store.missing_codes import code_key
from semscale.store.table import ColumnLabels
from semscale.store.writing import is_reserved
from semscale.survey.answer_values import BY_FREQUENCY
from semscale.survey.description import Option, Question, Value, cell_name
from semscale.survey.lists import OptionList
from semscale.survey.written_in import MAX_ANSWERS, WRITTEN, written_in
from semscale.tabulation.banners import Banner
from semscale.tabulation.lines import (
    ANY,
    Line,
    TabulatedQuestion,
    TakenFor,
    choice_lines,
    nps_lines,
    number_lines,
    ranking_lines,
    scale_lines,
)
from semscale.tabulation.survey_questions import grid_item
from semscale.tabulation.text_results import (
    are_of_text,
    code_columns,
    code_probability,
    code_values,
    coded_text,
    describe_codes,
    mass_columns,
    measured_text,
    unnamed_masses,
)
from semscale.types import Floats, Integers, Mask

_TAKEN_FOR: Mapping[str, TakenFor] = {
    "scale": "scale",
    "nps": "nps",
    "numeric": "number",
    "multiple": "multiple choice",
    "ranking": "ranking",
}
_EMPTY, _LEFT_OUT, _UNKNOWN = -1, -2, -3  # positions of cells without an answer
_WRITTEN_IN = -4  # position of texts that are counted together, until all other answers are known
_CODED_BY = {
    (True,): "with hand codes",
    (False,): "without hand codes",
    (True, False): "partly with hand codes",
}
_SEVERAL = "several answers were possible, so shares can sum to more than 100 %"
_EXAMPLES = 3
_FEWEST_IN_ORDER = 3  # answers whose order makes a difference to readers
_FEWEST_FOR_ANY = 2
_FEWEST_OPTIONS = 2


class AnswerReader:
    """Reads described questions from a table.

    Args:
        frame: one row for each of n respondents.
        labels: labels of columns, from a survey tool or SPSS.
        on_scale: questions whose scale the user states, so that other answers are a mistake.
        numeric: questions that are numbers by the user's word, even if they have ratings.
        written: the frame before spellings were joined; by default the frame.
        spellings: a sentence for each column in which spellings were joined.
        texts: columns of open texts, to find out of which one the results are.
        waves: the respondents' waves, which may be coded in different ways; ``None`` without waves.
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        labels: Mapping[str, ColumnLabels] | None = None,
        *,
        on_scale: Collection[str] = (),
        numeric: Collection[str] = (),
        written: pl.DataFrame | None = None,
        spellings: Mapping[str, str] | None = None,
        texts: Collection[str] = (),
        waves: Banner | None = None,
    ) -> None:
        self._frame, self._labels = frame, labels or {}
        self._on_scale, self._numeric = on_scale, numeric
        self._written, self._spellings = frame if written is None else written, spellings or {}
        self._texts = [name for name in texts if name in frame.columns]
        self._waves = waves
        self._owners: dict[str, str] = {}  # of results that do not name their text: the question

    def read_all(self, question: Question) -> list[TabulatedQuestion]:
        """Read a question; the items of a grid are separate questions, as are ratings and codes of a text.

        Raises:
            InputError: as for ``read``.
        """
        text, measured = measured_text(question.name)
        if text and (question.kind == "multiple" or mass_columns(self._frame.columns, question.name)):
            return [replace(self.read(question), name=f"{text}, {measured}")]
        if question.kind != "grid":
            return self._text_results(question) or [self._read(question, ())]
        items = question.options or tuple(Option(label=name, column=name) for name in question.all_columns)
        described = [grid_item(question, item) for item in items]
        note = f"one of the {len(items)} items of the grid '{question.name}', each of which has a table"
        notes = (note,) if len(items) > 1 else ()
        return [self._read(item, notes) for item in described]

    def read(self, question: Question) -> TabulatedQuestion:
        """Read a question; of a text that was rated and coded, its ratings.

        Raises:
            InputError: a column has no answers, open texts that were neither rated nor coded, too many
                answers, answers that are not points of the scale that the user names, or cells of options
                whose meaning is unknown.
        """
        results = self._text_results(question)
        return results[0] if results else self._read(question, ())

    def _read(self, question: Question, notes: tuple[str, ...]) -> TabulatedQuestion:
        are_codes = coded_text(question.name) is not None
        column_of = self._decisions if are_codes else self._column
        columns = [column_of(name) for name in question.all_columns if name in self._frame.columns]
        if not any(column.filled for column in columns):
            raise InputError("question", _empty_message(question))
        tally = _Tally(question)
        lines, weights, answers, remarks = self._answers(question, columns, column_of, tally)
        coding, is_mixed = self._coding(question) if are_codes else ("", False)
        if are_codes:
            answers, of_unsure = self._count_unsure(question, lines, answers)
            remarks = (*filter(None, [coding]), *remarks, *of_unsure)
        n_choices = sum(not line.is_summary for line in lines)
        if n_choices > MAX_ANSWERS:
            raise InputError("question", _too_many_message(question, n_choices))
        taken_for = _TAKEN_FOR.get(question.kind, "single choice")
        cautions = scale_caution(question.name, columns[0].counts) if taken_for == "single choice" else ()
        if is_mixed:
            cautions = (*cautions, f"‘{question.heading}’: {coding}")
        return TabulatedQuestion(
            question.name,
            question.heading,
            taken_for,
            lines,
            answers.astype(np.int8) if answers.ndim == 1 else answers,  # at most 50 answers have a number
            weights,
            (*notes, *remarks, *tally.notes(), *self._spelling_notes(question)),
            cautions,
            question.text,
            coding,
        )

    def _column(self, name: str) -> "_Column":
        return _Column(self._frame[name], self._labels.get(name, ColumnLabels()))

    def _decisions(self, name: str) -> "_Column":
        """Return the decisions on a code, of which unsure ones are not assigned.

        Unsure decisions are empty, and have a value. Answers that were not coded have neither.
        """
        column = self._column(name)
        decided = pl.select(
            pl.when(pl.Series(self._is_unsure(name))).then(pl.lit("0")).otherwise(column.names)
        )
        return _Column(decided.to_series().alias(name), column.labels)

    def _is_unsure(self, name: str) -> Mask:
        """Return true for each respondent about whom a code has a value and no decision, shape (n,)."""
        columns = (name, *code_values(name, self._frame.columns))
        are_empty = np.array([self._column(title).is_empty for title in columns])
        return np.asarray(are_empty[0] & ~are_empty.all(axis=0))

    def _count_unsure(
        self, question: Question, lines: Sequence[Line], assigned: Floats | Integers
    ) -> tuple[Floats, list[str]]:
        """Count unsure codes as the counted shares of ``semscale code`` do.

        One with a probability counts for it, which is the share of such answers that have the code. One with
        a likeness counts as not assigned.

        Args:
            question: the codes as a multiple choice.
            lines: of the question.
            assigned: shape (n, lines), 1 for assigned codes, 0 for others.

        Returns:
            What answers count for, shape (n, lines), and sentences on the number of those with unsure codes.
        """
        positions = {line.name: number for number, line in enumerate(lines)}
        counted = assigned.astype(np.float64)
        are_probable, are_others = (np.zeros(len(counted), dtype=np.bool_) for _ in range(2))
        for option in question.options:
            name = option.column or option.label
            is_unsure = self._is_unsure(name)
            probability = np.full(len(counted), np.nan)
            if (column := code_probability(name)) in self._frame.columns:
                probability = self._frame[column].cast(pl.Float64, strict=False).to_numpy()
            is_probable = is_unsure & ~np.isnan(probability)
            counted[is_probable, positions[option.label]] = probability[is_probable]
            are_probable |= is_probable
            are_others |= is_unsure & ~is_probable
        notes = []
        for has_unsure, counting in ((are_probable, "by their probability"), (are_others, "as not assigned")):
            if n := int(has_unsure.sum()):
                having = "1 answer has one" if n == 1 else f"{n:,} answers have one"
                notes.append(f"unsure codes count {counting}: {having}")
        return counted, notes

    def _coding(self, question: Question) -> tuple[str, bool]:
        """State how codes were assigned, and whether waves differ in it; only hand codes give probabilities.

        Args:
            question: the codes as a multiple choice.
        """
        have_values = {True: self._no_row(), False: self._no_row()}
        for option in question.options:
            name = option.column or option.label
            for column in code_values(name, self._frame.columns):
                have_values[column == code_probability(name)] |= ~self._column(column).is_empty
        names = ("",) if self._waves is None else self._waves.groups
        ways = {}
        for position, wave in enumerate(names):
            rows = self._waves.codes == position if self._waves is not None else ~self._no_row()
            if used := [
                has_hand_codes for has_hand_codes, rows_of in have_values.items() if rows_of[rows].any()
            ]:
                ways[wave] = _CODED_BY[tuple(used)]
        if not ways:
            return "", False
        if len(set(ways.values())) == 1:
            return f"codes were assigned by Semscale, {next(iter(ways.values()))}", False
        listed = ", ".join(f"‘{wave}’ {way}" for wave, way in ways.items())
        return (
            f"codes were assigned by Semscale in different ways: {listed}; differences between these waves "
            "are partly method",
            True,
        )

    def _no_row(self) -> Mask:
        return np.zeros(self._frame.height, dtype=np.bool_)

    def _spelling_notes(self, question: Question) -> list[str]:
        if question.kind not in {"single", "multiple", "scale", "wave"}:
            return []
        notes = (self._spellings.get(name) for name in question.all_columns)
        return list(dict.fromkeys(filter(None, notes)))

    def _answers(
        self,
        question: Question,
        columns: "Sequence[_Column]",
        column_of: "Callable[[str], _Column]",
        tally: "_Tally",
    ) -> tuple[tuple[Line, ...], Floats, Floats | Integers, tuple[str, ...]]:
        """Return lines, the answers' contributions to them, answers and notes, by the question's kind."""
        match question.kind:
            case "scale" | "nps":
                is_strict = question.name in self._on_scale
                return _read_points(question, columns[0], tally, is_strict=is_strict)
            case "single" | "wave":
                return _read_choice(question, columns[0], tally)
            case "numeric":
                return _read_numbers(question, columns[0], tally)
            case "ranking":
                return _read_ranking(question, columns, column_of, tally)
            case "multiple":
                return _read_multiple(question, columns, column_of, tally)
            case "open":
                raise InputError("question", _unmeasured_message(question, len(columns[0].counts)))
        raise InputError("question", _uncounted_message(question, columns[0].name))

    # Texts that semscale rate and semscale code have measured.

    def _text_results(self, question: Question) -> list[TabulatedQuestion]:
        """Return the ratings and the codes of a text; nothing for any other question."""
        if question.name in self._numeric or len(question.all_columns) > 1:
            return []
        (name,) = question.all_columns
        results = []
        named, unnamed = mass_columns(self._frame.columns, name), unnamed_masses(self._frame.columns)
        ratings = list(unnamed.values())
        if named:
            results.append(self._rated_text(question, named, ()))
        elif self._have_text(question, ratings, is_exact=True):
            remarks = self._claim("ratings", question, ratings, is_exact=True)
            results.append(self._rated_text(question, unnamed, remarks))
        if coded := self._coded_text(question):
            name, text = question.name, question.heading
            if results:
                name, text = f"{name}, codes", f"{text} (codes)"
            results.append(replace(coded, name=name, text=text))
        return results

    def _coded_text(self, question: Question) -> TabulatedQuestion | None:
        """Return the codes of a text: those that name it, or those that name none if they can be its own."""
        (name,) = question.all_columns
        if is_reserved(name):
            return None
        if codes := code_columns(self._frame.columns, name):
            return self._read(describe_codes(codes, name), ())
        codes = code_columns(self._frame.columns)
        values = list(chain.from_iterable(codes.values()))
        if not self._have_text(question, values, is_exact=False):
            return None
        return self._read(describe_codes(codes), self._claim("codes", question, values, is_exact=False))

    def _have_text(self, question: Question, results: Sequence[str], *, is_exact: bool) -> bool:
        """Return whether results that do not name their text can be those of a question."""
        (name,) = question.all_columns
        is_open = question.kind == "open" or question.name in self._on_scale
        if not results or not (is_open or question.source == "inferred"):
            return False
        if name not in self._frame.columns:
            return is_open  # the table has the results alone
        return self._are_of(name, results, is_open=is_open, is_exact=is_exact)

    def _are_of(self, name: str, results: Sequence[str], *, is_open: bool, is_exact: bool) -> bool:
        frame = self._written if name in self._spellings else self._frame
        texts = frame[name]
        if texts.dtype == pl.String:
            texts = without_blanks(texts)
        return are_of_text(texts, self._frame.select(results), is_open=is_open, is_exact=is_exact)

    def _claim(
        self, what: str, question: Question, results: Sequence[str], *, is_exact: bool
    ) -> tuple[str, ...]:
        """Note that a question has the results that do not name their text.

        Returns:
            A sentence on other texts that the results fit as well.

        Raises:
            InputError: another question has them.
        """
        (name,) = question.all_columns
        owner = self._owners.setdefault(what, question.name)
        if owner != question.name:
            raise InputError(
                "question",
                f": the {what} of this table do not name their text, and fit both '{owner}' and "
                f"'{question.name}': name the one that was measured; measure the other one in this table, so "
                f"that the new columns name it",
            )
        rivals = [
            text
            for text in self._texts
            if text != name and self._are_of(text, results, is_open=True, is_exact=is_exact)
        ]
        if not rivals:
            return ()
        listed = " and ".join(f"‘{text}’" for text in rivals)
        return (f"the {what} of this table do not name their text, and fit {listed} as well",)

    def _rated_text(
        self, question: Question, masses: Mapping[float, str], remarks: tuple[str, ...]
    ) -> TabulatedQuestion:
        """Read the probabilities of a text's points that ``semscale rate`` wrote."""
        values = sorted(masses)
        labels = {value.value: value for value in question.answers} if question.kind == "scale" else {}
        named = {value: self._labels.get(title, ColumnLabels()).option for value, title in masses.items()}
        names = [
            _point_name(labels.get(f"{value:g}", Value(value=f"{value:g}", label=named[value])))
            for value in values
        ]
        answers = np.column_stack([
            self._frame[masses[value]].cast(pl.Float64, strict=False).to_numpy() for value in values
        ]).astype(np.float64)  # fmt: skip
        answers[np.isnan(answers).any(axis=1)] = np.nan
        lines, weights = scale_lines(values, names)
        note = (
            "shares of points are mean probabilities of the ratings, not counts of answers; intervals are "
            "about other respondents, and do not include the error of the ratings; the standard deviation is "
            "that of the points by these shares, so it is larger than that of the texts' mean ratings"
        )
        return TabulatedQuestion(
            question.name,
            "Ratings" if is_reserved(question.heading) else question.heading,
            "rated text",
            lines,
            answers,
            weights,
            (*remarks, note),
            wording=question.text,
        )


@dataclass(frozen=True, eq=False)
class _Column:
    """Column of a question: n cells, and the labels of their values in the file."""

    cells: pl.Series
    labels: ColumnLabels

    @property
    def name(self) -> str:
        return self.cells.name

    @cached_property
    def names(self) -> pl.Series:
        """Names of the cells' values; blank ones are null."""
        return without_blanks(groups_in(self.cells))

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of cells with each value, the most frequent first."""
        return dict(sorted(text_counts(self.names).items(), key=lambda item: (-item[1], item[0])))

    @property
    def filled(self) -> int:
        return sum(self.counts.values())

    @property
    def is_empty(self) -> Mask:
        return self.names.is_null().to_numpy()

    def keys(self, name: str) -> Iterator[str]:
        """Yield the normalised value of a cell, without HTML as well, and its normalised label."""
        yield code_key(cell_name(name))
        if (plain := plain_label(name)) != name:
            yield code_key(plain)
        if label := self.labels.values.get(name):
            yield code_key(label)

    def label(self, name: str) -> str:
        """Return a value with its label, for readers."""
        return f"{name} {self.labels.values.get(name, '')}".strip()

    def positions(self, position: Callable[[str], int]) -> Integers:
        """Return a number for each cell, by a function of its value; ``_EMPTY`` for empty cells."""
        numbers = [position(name) for name in self.counts]
        return np.array([*numbers, _EMPTY])[positions_among(self.names, list(self.counts))]


@dataclass
class _Tally:
    """Counts the cells of a question that are no answer.

    Attributes:
        question: its description.
        left_out: number of cells with each code for no answer, by its name and reason.
        unknown: number of cells with each value that the description lacks.
        more: number of cells with each answer that the description lacks.
        written: number of cells with each text that is counted with others.
    """

    question: Question
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    more: Counter[str] = field(default_factory=Counter)
    written: Counter[str] = field(default_factory=Counter)

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        return dict(self.question.missing_reasons)

    def is_left_out(self, column: _Column, name: str, key: str) -> bool:
        """Return whether a key is a code for no answer, and count the cells with that value."""
        reason = self.reasons.get(key)
        if reason is not None:
            self.left_out[column.label(name), reason] += column.counts[name]
        return reason is not None

    def find(self, column: _Column, name: str, answers: Mapping[str, int], other: int = _UNKNOWN) -> int:
        """Return the index of a value's answer, ``_LEFT_OUT`` for a code, or another number."""
        for key in column.keys(name):
            if key in answers:
                return answers[key]
            if self.is_left_out(column, name, key):
                return _LEFT_OUT
        if other == _UNKNOWN:
            self.unknown[name] += column.counts[name]
        return other

    def notes(self) -> Iterator[str]:
        """Yield sentences on cells that are no answer."""
        if self.left_out:
            # A respondent has a cell in each column, and each can have the code.
            unit = " cells" if len(self.question.all_columns) > 1 else ""
            listed = [
                (f"{name}", f"{n:,}{unit}" if reason == "no answer" else f"{n:,}{unit}, {reason}")
                for (name, reason), n in self.left_out.most_common()
            ]
            how = (
                ""
                if self.question.source == "user"
                else hint(
                    "; to count one as an answer, list it in survey.yaml under values, not under missing"
                )
            )
            yield f"left out as no answer: {_list_counts(listed)}{how}"
        if self.unknown:
            listed = [(name, f"{n:,}") for name, n in self.unknown.most_common()]
            noun = "cell is" if self.unknown.total() == 1 else "cells are"
            yield f"{self.unknown.total():,} {noun} not known and missing: {_list_counts(listed)}"
        if self.more and self.question.source == "user":
            listed = [(name, f"{n:,}") for name, n in self.more.most_common()]
            yield f"answers that the description lacks come last: {_list_counts(listed)}"
        if self.written:
            listed = [(name, f"{n:,}") for name, n in self.written.most_common()]
            yield (
                f"‘{WRITTEN}’ has {self.written.total():,} answers, {len(self.written):,} different texts "
                f"that few respondents gave: {_list_counts(listed)}"
            )


def _list_counts(counts: Sequence[tuple[str, str]]) -> str:
    listed = ", ".join(f"‘{name:.40}’ ({n})" for name, n in counts[:_EXAMPLES])
    return f"{listed} and {len(counts) - _EXAMPLES:,} more" if len(counts) > _EXAMPLES else listed


def _point_name(value: Value) -> str:
    """Name a point by its number and its label; the label of a word, or one that begins so, says all."""
    is_word = Value(value=value.value).number is None
    if is_word or not value.label or value.label.startswith(value.value):
        return value.name
    return f"{value.value} {value.label}"


def _index_of(values: Iterable[Value]) -> dict[str, int]:
    """Return the index of each value by its normalised text, and by its label.

    An answer "neutral" is the point "neither agree nor disagree", as survey tools use both.
    """
    listed = list(values)
    index: dict[str, int] = {}
    for text in ("value", "label"):
        for number, value in enumerate(listed):
            if key := code_key(getattr(value, text)):
                index.setdefault(key, number)
    neither = [key for key in index if key.startswith("neither ")]
    if len(neither) == 1:
        index.setdefault("neutral", index[neither[0]])
    return index


def _net_members(question: Question, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the indices of the answers of each net."""
    return {net: [names.index(member) for member in members] for net, members in question.nets.items()}


def _read_points(
    question: Question, column: _Column, tally: _Tally, *, is_strict: bool
) -> tuple[tuple[Line, ...], Floats, Integers, tuple[str, ...]]:
    """Read the points of a scale, or of a question from 0 to 10."""
    values = question.answers
    if not values:
        message = (
            f": '{question.name}' is described as a scale, and its points are not known: list its `values`"
        )
        raise InputError("question", message)
    index = _index_of(values)
    positions = column.positions(lambda name: tally.find(column, name, index))
    if is_strict and tally.unknown:
        raise InputError("scale", _off_scale_message(question, list(tally.unknown)))
    numbers = [np.nan if value.number is None else value.number for value in values]
    nets = _net_members(question, [value.name for value in values])
    build = nps_lines if question.kind == "nps" else scale_lines
    lines, weights = build(numbers, [_point_name(value) for value in values], nets)
    return lines, weights, np.maximum(positions, _EMPTY), ()


def _read_choice(
    question: Question, column: _Column, tally: _Tally
) -> tuple[tuple[Line, ...], Floats, Integers, tuple[str, ...]]:
    """Read one of several answers; answers that the description lacks come last."""
    described = question.answers
    is_by_frequency = question.reason == BY_FREQUENCY and question.source != "user"
    if is_by_frequency:
        present = {key for name in column.counts for key in column.keys(name)}
        described = tuple(value for value in described if code_key(value.value) in present)
    values, (positions,) = _find_answers([column], described, tally)
    names = [value.name for value in values]
    lines, weights = choice_lines(names, _net_members(question, names))
    note = "answers are in the order of their frequency in the file, as no other order of them is known"
    is_noted = is_by_frequency and len(values) >= _FEWEST_IN_ORDER
    return lines, weights, np.maximum(positions, _EMPTY), (note,) if is_noted else ()


def _find_answers(
    columns: Sequence[_Column], described: Iterable[Value], tally: _Tally
) -> tuple[list[Value], list[Integers]]:
    """Return all answers in columns of one list, and the position of each cell's answer among them.

    Answers that the description lacks come after those that it has. Texts that people wrote beside the
    options are one answer, if there are too many for a line each.

    Args:
        columns: the columns.
        described: the answers of the description.
        tally: counts of cells that are no answer, or an answer that the description lacks.

    Raises:
        InputError: most answers are such texts, and nobody describes the question.
    """
    values = list(described)
    index = _index_of(values)
    written = _written_in(columns, index, tally)
    found = [
        column.positions(
            partial(_find_or_add, column, index=index, values=values, tally=tally, written=written)
        )
        for column in columns
    ]
    if not tally.written:
        return values, found
    if tally.question.source == "inferred" and _are_open(found, len(values)):
        different = {name for column in columns for name in column.counts}
        raise InputError("question", _unmeasured_message(tally.question, len(different)))
    values.append(Value(value=WRITTEN))
    return values, [np.where(positions == _WRITTEN_IN, len(values) - 1, positions) for positions in found]


def _written_in(columns: Sequence[_Column], index: Mapping[str, int], tally: _Tally) -> frozenset[str]:
    """Return the texts that are counted together."""
    counts: Counter[str] = Counter()
    for column in columns:
        counts.update({
            name: n for name, n in column.counts.items()
            if not tally.reasons.keys() & set(column.keys(name)) and name not in column.labels.values
        })  # fmt: skip
    return written_in(counts, index)


def _are_open(found: Sequence[Integers], n_options: int) -> bool:
    """Return whether most answers are texts of few respondents, or there are no options beside them."""
    positions = np.concatenate(found)
    n_written, n_answers = int((positions == _WRITTEN_IN).sum()), int((positions >= 0).sum())
    return n_written > n_answers or n_options < _FEWEST_OPTIONS


def _find_or_add(
    column: _Column,
    name: str,
    *,
    index: dict[str, int],
    values: list[Value],
    tally: _Tally,
    written: Collection[str],
) -> int:
    """Return the index of a value's answer; a value that the description lacks is added."""
    position = tally.find(column, name, index, len(values))
    if position == len(values) and name in written:
        tally.written[name] += column.counts[name]
        return _WRITTEN_IN
    if position == len(values):
        label = column.labels.values.get(name, "")
        tally.more[name] += column.counts[name]
        values.append(Value(value=name, label=label))
        index[code_key(cell_name(name))] = position
    return position


def _read_numbers(
    question: Question, column: _Column, tally: _Tally
) -> tuple[tuple[Line, ...], Floats, Floats, tuple[str, ...]]:
    codes = column.positions(lambda name: tally.find(column, name, {}, 0))
    numbers = numbers_among(column.cells).cast(pl.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
    is_left_out, is_number = codes == _LEFT_OUT, np.isfinite(numbers)
    if not is_number.any():
        raise InputError("question", f": column '{column.name}' has no number; it is not `numeric`")
    n = int((~is_number & ~is_left_out & (codes != _EMPTY)).sum())
    notes = (f"{n:,} cells of '{column.name}' are not numbers and count as missing",) if n else ()
    lines, weights = number_lines()
    return lines, weights, np.where(is_number & ~is_left_out, numbers, np.nan)[:, None], notes


def _read_multiple(
    question: Question, columns: Sequence[_Column], column_of: Callable[[str], _Column], tally: _Tally
) -> tuple[tuple[Line, ...], Floats, Floats, tuple[str, ...]]:
    """Read a multiple choice: a column for each option, columns of mentions, or a list in one column."""
    if question.has_option_columns or question.chosen:
        options = question.options or [Option(label=c.name, column=c.name) for c in columns]
        return _read_options(question, options, column_of, tally)
    if len(columns) > 1:
        return _read_mentions(question, columns, tally)
    return _read_lists(question, columns[0], tally)


def _read_options(
    question: Question, options: Sequence[Option], column_of: Callable[[str], _Column], tally: _Tally
) -> tuple[tuple[Line, ...], Floats, Floats, tuple[str, ...]]:
    """Read a multiple choice whose options have a column each."""
    columns = [column_of(option.column or option.label) for option in options]
    # Nets follow the options that they stand for.
    pairs = sorted(zip(options, columns, strict=True), key=lambda pair: pair[1].labels.is_net)
    options, columns = [option for option, _ in pairs], [column for _, column in pairs]
    chosen, not_chosen = (set(map(code_key, marks)) for marks in (question.chosen, question.not_chosen))
    meanings = dict.fromkeys(not_chosen - {""}, 0) | dict.fromkeys(chosen, 1)
    marks = np.empty((len(columns[0].cells), len(columns)))
    for number, (option, column) in enumerate(zip(options, columns, strict=True)):
        known = meanings | dict.fromkeys(map(code_key, option.chosen), 1)
        other = 1 if option.is_text else _UNKNOWN
        found = column.positions(partial(tally.find, column, answers=known, other=other))
        marks[:, number] = np.where(found >= 0, found, np.nan)
    if tally.unknown and not chosen and not any(option.chosen for option in options):
        raise InputError("question", _unclear_message(question, columns, list(tally.unknown)))
    says_no = "" in not_chosen
    has_mark = ~np.isnan(marks).all(axis=1)
    for number, (option, column) in enumerate(zip(options, columns, strict=True)):
        if says_no or option.is_text:
            marks[column.is_empty & has_mark, number] = 0.0
    reading = (
        "respondents without any answer are missing, as an empty cell says only that it was not chosen"
        if says_no
        else "an empty cell is missing"
    )
    nets = {option.label for option, column in pairs if column.labels.is_net}
    return _several(question, options, marks, reading, has_no=bool(not_chosen - {""}), nets=nets)


def _read_lists(
    question: Question, column: _Column, tally: _Tally
) -> tuple[tuple[Line, ...], Floats, Floats, tuple[str, ...]]:
    """Read a multiple choice from one column with several options per cell."""
    options = list(question.options)
    listed = OptionList(question.separator or "\0", tuple(option.code for option in options))
    index = {code_key(text): n for n, option in enumerate(options) for text in (option.label, option.code)}
    text = next((n for n, option in enumerate(options) if option.is_text), None)
    chosen: list[set[int]] = []

    def row(name: str) -> int:
        """Add the options of a cell, and return the index of that set of options."""
        keys = {code_key(part): part for part in listed.split(name)}
        if any(tally.is_left_out(column, name, key) for key in column.keys(name)):
            return _LEFT_OUT
        unknown = [part for key, part in keys.items() if key not in index and key not in tally.reasons]
        of_cell = {index[key] for key in keys if key in index}
        if unknown and text is not None:
            of_cell.add(text)
        elif unknown:
            tally.unknown.update(dict.fromkeys(unknown, column.counts[name]))
        chosen.append(of_cell)
        return len(chosen) - 1 if of_cell else _UNKNOWN

    positions = column.positions(row)
    sets = np.array([[float(n in of_cell) for n in range(len(options))] for of_cell in [*chosen, set()]])
    sets[-1] = np.nan
    marks = sets[np.where(positions < 0, len(chosen), positions)]
    note = f"a cell of '{column.name}' lists them, and an empty cell is missing"
    return _several(question, options, marks, note)


def _read_mentions(
    question: Question, columns: Sequence[_Column], tally: _Tally
) -> tuple[tuple[Line, ...], Floats, Floats, tuple[str, ...]]:
    """Read columns of mentions with codes of one list; a code counts if any column contains it."""
    values, found = _find_answers(columns, question.answers, tally)
    marks = np.zeros((len(found[0]), len(values)))
    for positions in found:
        rows = np.flatnonzero(positions >= 0)
        marks[rows, positions[rows]] = 1.0
    marks[~marks.any(axis=1)] = np.nan
    options = [Option(label=value.name) for value in values]
    note = (
        f"shares are of respondents who named an answer in any of {len(columns)} columns; "
        "those without any are missing"
    )
    return _several(question, options, marks, note)


def _read_ranking(
    question: Question, columns: Sequence[_Column], column_of: Callable[[str], _Column], tally: _Tally
) -> tuple[tuple[Line, ...], Floats, Floats, tuple[str, ...]]:
    """Read a ranking: ranks in columns of items, items in columns of ranks, or a list in one column."""
    if question.has_option_columns or not (question.values or question.separator):
        options = question.options or [Option(label=column.name, column=column.name) for column in columns]
        items = [option.label for option in options]
        ranks = _ranks_of_items([column_of(o.column or o.label) for o in options], question, tally)
    elif len(columns) > 1:
        items, ranks = _items_by_rank(columns, question, tally)
    else:
        items = [option.label for option in question.options]
        ranks = _ranks_in_lists(columns[0], question, tally)
    lines, answers = ranking_lines(items, ranks)
    return lines, np.eye(len(lines)), answers, tuple(_ranking_notes(ranks))


def _ranks_of_items(columns: Sequence[_Column], question: Question, tally: _Tally) -> Floats:
    """Read ranks from columns of items, shape (n, k): 0 for an empty cell or a code for no answer."""
    values = question.answers or tuple(Value(value=str(rank + 1)) for rank in range(len(columns)))
    numbers = [value.number or 0 for value in values]
    if sorted(numbers) != list(range(1, len(values) + 1)):
        numbers = [float(rank) for rank in range(1, len(values) + 1)]
    index = _index_of(values)
    ranks = np.empty((len(columns[0].cells), len(columns)))
    for item, column in enumerate(columns):
        positions = column.positions(partial(tally.find, column, answers=index))
        known = np.array(numbers)[np.maximum(positions, 0)]
        ranks[:, item] = np.select([positions >= 0, positions == _UNKNOWN], [known, np.nan], 0.0)
    return ranks


def _items_by_rank(columns: Sequence[_Column], question: Question, tally: _Tally) -> tuple[list[str], Floats]:
    """Read ranks from columns that each name the item of a rank; the first mention of an item counts."""
    values, mentions = _find_answers(columns, question.answers, tally)
    ranks = np.zeros((len(mentions[0]), len(values)))
    for rank, positions in reversed(list(enumerate(mentions, start=1))):
        rows = np.flatnonzero(positions >= 0)
        ranks[rows, positions[rows]] = rank
    return [value.name for value in values], ranks


def _ranks_in_lists(column: _Column, question: Question, tally: _Tally) -> Floats:
    """Read ranks from cells that list the items in their order."""
    listed = OptionList(question.separator or "\0", tuple(option.code for option in question.options))
    index = {code_key(t): n for n, option in enumerate(question.options) for t in (option.label, option.code)}
    rankings: list[list[float]] = [[0.0] * len(question.options)]

    def row(name: str) -> int:
        """Add the ranks of a cell, and return their index."""
        if any(tally.is_left_out(column, name, key) for key in column.keys(name)):
            return _LEFT_OUT
        ranks = [0.0] * len(question.options)
        for rank, part in enumerate(listed.split(name), start=1):
            item = index.get(code_key(part))
            if item is None:
                tally.unknown[part] += column.counts[name]
            elif not ranks[item]:
                ranks[item] = float(rank)
        rankings.append(ranks)
        return len(rankings) - 1

    positions = column.positions(row)
    return np.array(rankings)[np.maximum(positions, 0)]


def _ranking_notes(ranks: Floats) -> Iterator[str]:
    """Yield sentences on the direction and the bases of ranks, and on incomplete and repeated ones."""
    yield (
        "a low mean rank is a high place; shares are of respondents who ranked any item, and a mean rank is "
        "of those who ranked that item"
    )
    is_ranked = ranks > 0
    n = int(is_ranked.any(axis=1).sum())
    n_complete = int(is_ranked.all(axis=1).sum())
    if n_complete < n:
        left_out = "items that the others left out have no rank"
        yield f"{n_complete:,} of {n:,} respondents ranked all items; {left_out}"
    repeated = sum(np.where(is_ranked, ranks == rank, False).sum(axis=1) > 1 for rank in np.unique(ranks))
    n_repeated = int((np.asarray(repeated) > 0).sum())
    if n_repeated:
        yield f"{n_repeated:,} of {n:,} respondents gave one rank to several items, each of which has it"


def _several(
    question: Question,
    options: Sequence[Option],
    marks: Floats,
    reading: str,
    *,
    has_no: bool = False,
    nets: Collection[str] = (),
) -> tuple[tuple[Line, ...], Floats, Floats, tuple[str, ...]]:
    """Return the lines of a multiple choice: its options, its nets, and any option.

    Args:
        question: its description.
        options: the k options.
        marks: shape (n, k), 1 for a chosen option, 0 for another one, NaN if that is unknown.
        reading: sentence on how cells were read.
        has_no: whether cells say that options were not chosen, so that somebody can have chosen none.
        nets: names of the options that stand for others.
    """
    names = [option.label for option in options]
    is_exclusive = np.array([option.exclusive for option in options])
    lines = [Line(name, "share", is_net=name in nets, is_named_net=name in nets) for name in names]
    answers = [marks]
    for net, members in _net_members(question, names).items():
        lines.append(Line(net, "share", is_net=True, is_named_net=True))
        answers.append(_any_of(marks[:, members]))
    is_coded_text = coded_text(question.name) is not None
    can_be_none = (has_no or is_exclusive.any()) and not is_coded_text
    if can_be_none and (~is_exclusive).sum() >= _FEWEST_FOR_ANY:
        lines.append(Line(ANY, "share", is_net=True))
        answers.append(_any_of(marks[:, ~is_exclusive]))
    notes = [f"{_SEVERAL}; {reading}"]
    if is_coded_text:
        notes.append("shares count assigned codes, and are not corrected by hand-coded answers")
    both = (marks[:, is_exclusive] == 1).any(axis=1) & (marks[:, ~is_exclusive] == 1).any(axis=1)
    if both.any():
        named = ", ".join(f"‘{option.label:.40}’" for option in options if option.exclusive)
        notes.append(f"{both.sum():,} respondents chose {named} and other options as well")
    return tuple(lines), np.eye(len(lines)), np.column_stack(answers), tuple(notes)


def _any_of(marks: Floats) -> Floats:
    """Return 1 for respondents who chose any of several options, NaN if that is unknown, shape (n, 1)."""
    is_unknown = np.isnan(marks).any(axis=1)
    return np.where((marks == 1).any(axis=1), 1.0, np.where(is_unknown, np.nan, 0.0))[:, None]


# Messages


def _empty_message(question: Question) -> str:
    if len(question.all_columns) > 1:
        return f": the columns of '{question.name}' are empty for all who count"
    return f": column '{question.all_columns[0]}' is empty for all respondents who count"


def _uncounted_message(question: Question, column: str) -> str:
    verb = "is described" if question.source == "user" else "was recognised"
    return (
        f": column '{column}' {verb} as '{question.kind}' and has no answers to count; state another kind in "
        f"the description of the survey, or add `numeric={question.name!r}` if it contains numbers"
    )


def _too_many_message(question: Question, n: int) -> str:
    name = question.name
    start = f": '{name}' was recognised as a choice of {n:,} answers, and a table has at most {MAX_ANSWERS}: "
    if len(question.all_columns) > 1:
        return f"{start}list fewer of its columns ('Name=column,column,...'), or combine options (`derive`)"
    return (
        f"{start}add `numeric={name!r}` if they are numbers, rate them as texts first (semscale rate --text "
        f"{shlex.quote(name)}), or derive groups of them (`derive`)"
    )


def _unmeasured_message(question: Question, n: int) -> str:
    name, text, is_inferred = question.name, shlex.quote(question.name), question.source == "inferred"
    verb = "was recognised as" if is_inferred else "has"
    numeric = f"; or add `numeric={name!r}` if they are numbers" if is_inferred else ""
    return (
        f": '{name}' {verb} open texts ({n:,} different) that were neither rated nor coded: rate them "
        f"(semscale rate FILE --text {text} --scale SCALE --out rated.parquet) or code them (semscale code "
        f"FILE --text {text} --codebook codes.yaml --out coded.parquet), and name that table by `results`"
        f"{numeric}"
    )


def _off_scale_message(question: Question, unknown: Sequence[str]) -> str:
    listed = ", ".join(f"'{name:.40}'" for name in unknown[:_EXAMPLES])
    more = f" and {len(unknown) - _EXAMPLES:,} more" if len(unknown) > _EXAMPLES else ""
    first, *_, last = map(_point_name, question.answers)
    return (
        f": question '{question.name}' has answers outside its scale ({first} to {last}): {listed}{more}; "
        "name codes for no answer with `missing`, name a scale with these labels, or leave its `scale` out"
    )


def _unclear_message(question: Question, columns: Sequence[_Column], unknown: Sequence[str]) -> str:
    """Say which cells of options are unknown, and what to write into the survey's description."""
    listed = ", ".join(f"'{name:.40}'" for name in sorted(unknown)[:_EXAMPLES])
    more = f" and {len(unknown) - _EXAMPLES:,} more" if len(unknown) > _EXAMPLES else ""
    keys = [code_key(name) for name in sorted(unknown)]
    example = 'chosen: ["1"], not_chosen: ["2"]'
    if not set(keys) <= {"1", "2"}:
        example = f'chosen: ["{sorted(unknown)[0]:.40}"]'
    title = question.name.rstrip("*?[_.-/ ") or question.name
    named = ", ".join(f'"{column.name}"' for column in columns[:_EXAMPLES])
    rest = ", ..." if len(columns) > _EXAMPLES else ""
    return (
        f": it is not known which cells of '{question.name}' say that an option was chosen: {listed}{more}; "
        f"describe the file (semscale columns FILE --out survey.yaml) and state it there, such as "
        f'- {{name: "{title}", kind: multiple, columns: [{named}{rest}], {example}}}; columns that are '
        "questions of their own are named one by one"
    )
