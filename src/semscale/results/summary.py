"""Summary of measured rows: the fields that all instruments share, and their running totals."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import polars as pl

from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, GroupDifference, Grouping, Tallies, summary_in_words
from semscale.results.languages import LanguageCount, LanguageCounter, LanguageSample, UnreadLanguage
from semscale.signature import Signature
from semscale.stats.intervals import Figures, IntervalPlan
from semscale.types import Floats, Refits, Status, Statuses


@dataclass(frozen=True, repr=False, kw_only=True)
class Summary(Presentable):
    """Summary of n measured rows.

    Attributes:
        source: source of the rows, such as a file's name.
        signature: the settings that were applied, including those of the estimates.
        estimates: figures with intervals, for all rows and for each group.
        further_groups: estimates by further columns of groups, by the column's name.
        counts: rows by status.
        left_out: for each reason why rows have no score, some examples: row, counted from 0, and text.
        languages: rows by the language of their texts, the most frequent first; empty if the texts are not
            known.
        unread_language: the language of most texts, if the model does not read it.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: time of the measurement.
    """

    instrument: ClassVar[str]
    language_of: ClassVar[tuple[str, ...]] = ("text",)

    source: str
    signature: Signature
    estimates: Estimates
    counts: Mapping[Status, int]
    further_groups: Mapping[str, Estimates] = field(default_factory=dict)
    left_out: Mapping[str, tuple[tuple[int, str], ...]] = field(default_factory=dict)
    languages: tuple[LanguageCount, ...] = ()
    unread_language: UnreadLanguage | None = None
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n(self) -> int:
        """Number of rows, with or without a score."""
        return sum(self.counts.values())

    @property
    def n_across_languages(self) -> int:
        """Number of rows with texts that are clearly in different languages."""
        return sum(count.rows for count in self.languages if count.is_across)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": self.instrument,
            "source": self.source,
            "rows": self.n,
            "counts": self.counts,
            "unread_language": self.unread_language,
            "languages": [count.record(*self.language_of) for count in self.languages],
            "estimates": self.estimates,
            **self.instrument_record(),
            "signature": self.signature,
            "created": self.created,
        }

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers that only this instrument has, by name, for JSON."""
        return {}

    def __repr__(self) -> str:
        scored = self.estimates.overall.n
        return summary_in_words(type(self).__name__, self.source, self.n, scored, self.estimates)


class RowTally:
    """Running totals for the fields that all summaries share, part by part, in constant memory.

    Args:
        figures: sets of figures to estimate, see ``Tallies``.
        signature: signature of the result.
        by: columns of groups, each compared separately; may be empty.
        main: position of the set whose first figure is the main one.
        n_labels: labelled items that a calibration was fitted to, see ``Tallies``.

    Attributes:
        n: number of rows so far.
        signature: signature of the result.
        languages: counts of the languages of the rows' texts.
        language_sample: some of the texts, to check if the model reads their language.
    """

    def __init__(
        self,
        figures: Sequence[Figures],
        signature: Signature,
        *,
        by: Sequence[Grouping] = (),
        main: int = 0,
        n_labels: int | None = None,
    ) -> None:
        self.n = 0
        self.signature = signature
        self._by: tuple[str | None, ...] = tuple(grouping.column for grouping in by) or (None,)
        self._tallies = [
            Tallies(figures, signature, main=main, n_labels=n_labels, grouping=grouping)
            for grouping in by or (None,)
        ]
        self._counts: Counter[Status] = Counter()
        self._left_out = LeftOutRows()
        self.languages, self.language_sample = LanguageCounter(), LanguageSample()

    def add(
        self,
        values: Floats,
        status: Statuses,
        *,
        groups: Mapping[str, Sequence[str | None]] | None = None,
        weights: object = None,
        respondents: object = None,
        refits: Refits | None = None,
        shown: Callable[[int], object] | None = None,
    ) -> None:
        """Add the next m rows.

        Args:
            values: shape (m, k), a column for each number behind the figures.
            status: shape (m,).
            groups: shape (m,) each, names of groups by the column of ``by``.
            weights: shape (m,).
            respondents: shape (m,), respondent of each row.
            refits: shape (m, b, k), see ``Tallies.add``.
            shown: function from a position among the m rows to the text that shows a row without a score.
        """
        for column, tallies in zip(self._by, self._tallies, strict=True):
            names = None if column is None or groups is None else groups[column]
            by = None if names is None else pl.Series(column, names, pl.String)
            tallies.add(values, status, weights=weights, by=by, respondents=respondents, refits=refits)
        self._counts.update(status.tolist())
        if shown is not None:
            self._left_out.add(status, self.n, shown)
        self.n += len(status)

    def add_languages(self, texts: Iterable[Sequence[str]], status: Statuses) -> None:
        """Count the languages of the texts of the next rows; empty texts are skipped."""
        self.languages.add_texts(texts, status)

    def sample_language(self, status: Statuses, text: Callable[[int], object]) -> None:
        """Sample texts of the rows that were added last, to check if the model reads their language."""
        worded = np.flatnonzero(np.isin(status, [Status.SCORED, Status.WEIGHTLESS]))
        self.language_sample.add(worded, text, self.n - len(status))

    def differences(self, interval: float) -> dict[str, tuple[GroupDifference, ...]]:
        """Compare every two groups of each column of groups, by the column's name."""
        compared = zip(self._by, self._tallies, strict=True)
        return {
            column or "group": found
            for column, tallies in compared
            if (found := tallies.differences(interval))
        }

    def summary_fields(
        self, plan: IntervalPlan, source: str, signature: Signature | None = None
    ) -> dict[str, Any]:
        """Return the arguments of a ``Summary`` of the added rows.

        Args:
            plan: how intervals are made.
            source: source of the rows.
            signature: signature of the result, if it is known only now.
        """
        first, *further = [
            tallies.estimates(
                interval=plan.interval,
                method=plan.method,
                seed=plan.seed,
                replicates=plan.replicates,
                signature=signature,
            )
            for tallies in self._tallies
        ]
        return {
            "source": source,
            "signature": first.signature,
            "estimates": first,
            "further_groups": dict(zip(self._by[1:], further, strict=True)),
            "counts": {status: self._counts[status] for status in Status if self._counts[status]},
            "left_out": self._left_out.examples,
            "languages": self.languages.counts,
            "unread_language": self.language_sample.unread_language(first.signature),
        }


EXAMPLES_PER_STATUS = 3
"""Number of stored rows for each status without a score."""

T = TypeVar("T")


class ForemostRows(Generic[T]):
    """The rows with the smallest keys, each with an object that shows it; equal keys keep the first rows.

    Args:
        most: maximum number of rows.
        text: function from an object to its text, if only the first of rows with the same text is shown.

    Examples:
        >>> rows = ForemostRows[str](2)
        >>> rows.add(np.array([0.5, np.nan, 0.2]), 0, lambda place: f"first {place}")
        >>> rows.add(np.array([0.2, 0.1]), 3, lambda place: f"second {place}")
        >>> rows.items
        ('second 1', 'first 2')
    """

    def __init__(self, most: int, *, text: Callable[[T], str] | None = None) -> None:
        self._most, self._text = most, text
        self._kept: list[tuple[float, int, T]] = []

    def add(self, keys: Floats, first_row: int, shown: Callable[[int], T]) -> None:
        """Add the next rows.

        Args:
            keys: shape (m,); NaN for rows that are never shown.
            first_row: position of the first of these rows among all rows, from 0.
            shown: function from a position among the m rows to the row's object; called only for stored rows.
        """
        known = np.flatnonzero(~np.isnan(keys))
        if len(self._kept) == self._most:
            known = known[keys[known] < self._kept[-1][0]]
        rows: dict[object, tuple[float, int, T]] = {}
        for position in known[np.argsort(keys[known], kind="stable")].tolist():
            if len(rows) == self._most:
                break
            row = float(keys[position]), first_row + position, shown(position)
            rows.setdefault(self._identity(row), row)
        distinct: dict[object, tuple[float, int, T]] = {}
        for row in sorted([*self._kept, *rows.values()], key=lambda row: row[:2]):
            distinct.setdefault(self._identity(row), row)
        self._kept = list(distinct.values())[: self._most]

    def _identity(self, row: tuple[float, int, T]) -> object:
        return row[1] if self._text is None else self._text(row[2])

    @property
    def items(self) -> tuple[T, ...]:
        """The objects of the stored rows, the smallest key first."""
        return tuple(item for _, _, item in self._kept)


class LeftOutRows:
    """The first three rows with a text of each status without a score.

    Examples:
        >>> rows = LeftOutRows()
        >>> rows.add(np.array([Status.SCORED, Status.EMPTY], dtype=object), 4, lambda place: "  a text")
        >>> rows.examples
        {'empty': ((5, '  a text'),)}
    """

    def __init__(self) -> None:
        self._kept: dict[str, list[tuple[int, str]]] = {}

    def add(self, status: Statuses, first_row: int, shown: Callable[[int], object]) -> None:
        """Add the next rows.

        Args:
            status: shape (m,).
            first_row: position of the first of these rows among all rows, from 0.
            shown: function from a position among the m rows to its text; missing and blank texts are skipped.
        """
        for position in np.flatnonzero(status != Status.SCORED).tolist():
            rows = self._kept.setdefault(str(status[position]), [])
            if len(rows) < EXAMPLES_PER_STATUS:
                text = shown(position)
                if text is not None and str(text).strip():
                    rows.append((first_row + position, str(text)))

    @property
    def examples(self) -> dict[str, tuple[tuple[int, str], ...]]:
        """The rows of each status that occurred, counted from 0, with their texts."""
        return {status: tuple(rows) for status, rows in self._kept.items()}
