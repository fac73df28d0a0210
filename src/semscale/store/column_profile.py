"""Profile of a column: counts of its values, and its inferred type."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.store.columns import DATE, column_in, groups_in, numbers_among, storable
from semscale.store.missing_codes import code_key
from semscale.store.table import ColumnLabels, Table

ColumnKind = Literal[
    "id", "open text", "single choice", "multiple choice", "ordinal", "number", "date", "weight", "empty"
]
"""Inferred types of columns."""

_BATCH = 50_000
_MOST_VALUES = 100_000
_CHOICES = 30
_FEW_WORDS = 10  # more different single words are not a list of choices
_ORDINAL_POINTS = (3, 11)
_OPTION_VALUES = 2
_OFTEN, _USUAL = 10, 0.02  # respondents with an option, in numbers and as a share of all
_MOSTLY = 0.95
_HALF = 0.5
_LONGEST_OPTION = 1_000  # characters
_PHRASE, _SENTENCE = 2.0, 3.0  # mean words of an answer
_ID_NAME = re.compile(
    r"(?:.*[_\s])?(?:id|ids|uuid|guid|key|token)|(?:respondent|response|case|row|nr|no)|(?-i:.*[a-z](?:Id|ID))",
    re.IGNORECASE,
)
_RESPONDENT_NAME = re.compile(
    r"(?:.*[_\s.-])?(?:respondent|participant|person|panell?ist|subject|interviewee|proband|befragte[r]?|"
    r"teilnehmer)s?(?:[_\s.-]?(?:id|nr|no|number|code|key))?",
    re.IGNORECASE,
)
_WEIGHT_NAME = re.compile(r"(?:.*[_\s])?(?:weights?|wt|wgt|gewicht)(?:[_\s].*)?", re.IGNORECASE)


@dataclass
class ColumnProfile:
    """Counts of a column's cells, batch by batch.

    Attributes:
        name: name of the column.
        labels: labels of the column in the file.
        n: number of rows.
        filled: number of cells that are neither missing nor blank.
        values: number of cells with each value, by the value's name; at most 100,000 values are counted.
        is_cut: whether there were more values.
        words: number of words in all texts.
        numbers: number of cells that are numbers.
        low: the smallest number; ``high`` is the greatest, ``total`` their sum.
        whole: number of cells that are whole numbers.
        dates: number of cells that are dates.
    """

    name: str
    labels: ColumnLabels = field(default_factory=ColumnLabels)
    n: int = 0
    filled: int = 0
    values: Counter[str] = field(default_factory=Counter)
    is_cut: bool = False
    words: int = 0
    numbers: int = 0
    whole: int = 0
    dates: int = 0
    low: float = float("inf")
    high: float = float("-inf")
    total: float = 0.0

    def add(self, cells: pl.Series) -> None:
        """Count the next cells."""
        cells = storable(cells.to_frame()).to_series()
        counted = groups_in(cells).alias("value").to_frame().group_by("value", maintain_order=True).len("n")
        counted = counted.filter(pl.col("value").str.contains(r"\S"))
        values, counts = counted["value"], counted["n"].cast(pl.Int64)
        filled = int(counts.sum())
        self.n, self.filled = self.n + len(cells), self.filled + filled
        if cells.dtype.is_temporal():
            self.dates += filled
        else:
            self.dates += int(counts.filter(values.str.contains(DATE)).sum())
            if cells.dtype != pl.String or numbers_among(values).count():
                self._add_numbers(numbers_among(cells).drop_nulls())
        self.words += int((values.str.count_matches(r"\S+") * counts).sum())
        if len(self.values) < _MOST_VALUES:
            self.values.update(dict(zip(values.to_list(), counts.to_list(), strict=True)))
        else:
            self.is_cut = True

    def _add_numbers(self, numbers: pl.Series) -> None:
        if not len(numbers):
            return
        self.numbers += len(numbers)
        self.whole += int((numbers == numbers.floor()).sum())
        self.total += float(numbers.sum())
        self.low = min(self.low, float(numbers.to_numpy().min()))
        self.high = max(self.high, float(numbers.to_numpy().max()))

    def include(self, other: "ColumnProfile") -> None:
        """Add the counts of another column with the same answers."""
        for count in ("n", "filled", "words", "numbers", "whole", "dates", "total"):
            setattr(self, count, getattr(self, count) + getattr(other, count))
        self.values.update(other.values)
        self.is_cut |= other.is_cut
        self.low, self.high = min(self.low, other.low), max(self.high, other.high)

    def without(self, values: Collection[str]) -> "ColumnProfile":
        """Return the profile as if the cells of some values were empty.

        Examples:
            >>> profile = ColumnProfile("q")
            >>> profile.add(pl.Series([1, 2, 3, 99] * 3))
            >>> profile.kind, profile.without(["99"]).kind
            ('number', 'ordinal')
        """
        if not self.values.keys() & set(values):
            return self
        counts = Counter({value: n for value, n in self.values.items() if value not in values})
        names, weights = pl.Series(list(counts), dtype=pl.String), np.array(list(counts.values()), dtype=int)
        numbers = numbers_among(names).cast(pl.Float64).fill_null(np.nan).to_numpy()
        known = numbers[~np.isnan(numbers)]
        return ColumnProfile(
            self.name,
            self.labels,
            n=self.n,
            filled=counts.total(),
            values=counts,
            is_cut=self.is_cut,
            words=sum(n * len(value.split()) for value, n in counts.items()),
            numbers=int(weights[~np.isnan(numbers)].sum()),
            whole=int(weights[numbers == np.floor(numbers)].sum()),
            dates=sum(n for value, n in counts.items() if re.match(DATE, value)),
            low=float(known.min(initial=np.inf)),
            high=float(known.max(initial=-np.inf)),
            total=float(np.nansum(numbers * weights)),
        )

    @property
    def missing(self) -> int:
        """Number of cells that are missing or blank."""
        return self.n - self.filled

    @property
    def kind(self) -> ColumnKind:
        """Inferred type of the column: by the file's labels, else by its values, else by its name."""
        if not self.filled:
            return "empty"
        if self.labels.is_weight or self._is_named_weight:
            return "weight"
        if self.dates >= _MOSTLY * self.filled:
            return "date"
        if self.labels.option and len(self.values) <= _OPTION_VALUES:
            return "multiple choice"
        if self._are_numbers:
            return self._kind_of_numbers()
        return self._kind_of_texts()

    @property
    def _are_numbers(self) -> bool:
        return self.numbers >= _MOSTLY * self.filled

    @property
    def _is_named_weight(self) -> bool:
        named = _WEIGHT_NAME.fullmatch(self.name.strip()) is not None
        return named and self.numbers == self.filled and self.low >= 0 and len(self.values) > 1

    @property
    def _is_unique(self) -> bool:
        return len(self.values) == self.filled and not self.is_cut

    @property
    def _is_named_id(self) -> bool:
        return is_id_name(self.name)

    def _kind_of_numbers(self) -> ColumnKind:
        is_whole = self.whole == self.numbers
        least, most = _ORDINAL_POINTS
        few = self.high - self.low < most and least <= max(len(self.values), len(self.labels.answers)) <= most
        # Programs write "scale" for the points of a scale, too, which have labels.
        are_points = is_whole and few and len(self.labels.answers) > 1
        if self.labels.measure == "scale" and not are_points:
            return "number"
        if self._is_unique and is_whole and self._is_named_id:
            return "id"
        if self.labels.measure == "nominal":
            return "single choice"
        if self.labels.measure == "ordinal" or (is_whole and few and not self._is_unique):
            return "ordinal"
        if self.labels.answers or (is_whole and len(self.values) <= _OPTION_VALUES):
            return "single choice"
        return "number"

    def _kind_of_texts(self) -> ColumnKind:
        if any(len(value) > _LONGEST_OPTION for value in self.values):
            return "open text"
        mean_words = self.words / self.filled
        if self._is_unique and self._is_named_id and mean_words < _PHRASE:
            return "id"
        if self.labels.answers:
            return "ordinal" if self.labels.measure == "ordinal" else "single choice"
        if options_in_values(self.values):
            return "multiple choice"
        # Spellings of an answer that differ only in case or blanks are one.
        is_open = self._is_open(len(self.values), mean_words) and self._is_open(
            len(set(map(code_key, self.values))), mean_words
        )
        return "open text" if is_open else "single choice"

    def _is_open(self, n_different: int, mean_words: float) -> bool:
        """Return whether a number of different texts of some length is that of open answers."""
        is_varied = n_different > _HALF * self.filled and (mean_words >= _PHRASE or n_different > _FEW_WORDS)
        return is_varied or (
            n_different > _CHOICES and mean_words >= _SENTENCE and not self._has_long_options
        )

    @property
    def _has_long_options(self) -> bool:
        """True if most cells have one of a few texts that are as long as the others, which people wrote."""
        least = max(_OFTEN, _USUAL * self.filled)
        options = {value: n for value, n in self.values.items() if n >= least}
        n = sum(options.values())
        if not _OPTION_VALUES <= len(options) <= _FEW_WORDS or n < _HALF * self.filled:
            return False
        words = sum(times * len(value.split()) for value, times in options.items())
        return (self.words - words) * n <= words * (self.filled - n)


def is_id_name(name: str) -> bool:
    """Return whether a column's name is typical of an ID.

    Examples:
        >>> [is_id_name(name) for name in ("ResponseId", "case", "paid")]
        [True, True, False]
    """
    return _ID_NAME.fullmatch(name.strip()) is not None


def is_respondent_name(name: str) -> bool:
    """Return whether a column's name says that it names respondents.

    Examples:
        >>> [is_respondent_name(name) for name in ("person_id", "RespondentID", "product_id", "person")]
        [True, True, False, True]
    """
    return _RESPONDENT_NAME.fullmatch(name.strip()) is not None


class RespondentCount:
    """Counter of the rows and the respondents in a column, in memory that grows with the respondents alone.

    Examples:
        >>> count = RespondentCount("person_id")
        >>> count.add(pl.DataFrame({"person_id": [1, 1, 2, None]}))
        >>> count.n_rows, count.n_respondents, count.are_repeated
        (3, 2, True)
    """

    def __init__(self, column: str) -> None:
        self.column, self.n_rows = column, 0
        self._names: set[str] = set()

    @property
    def n_respondents(self) -> int:
        """Number of respondents."""
        return len(self._names)

    @property
    def are_repeated(self) -> bool:
        """True if respondents have several rows."""
        return 1 < self.n_respondents < self.n_rows

    def add(self, rows: pl.DataFrame) -> None:
        """Count the next rows; those without a respondent are left out."""
        names = groups_in(storable(column_in(rows, self.column).to_frame()).to_series()).drop_nulls()
        self.n_rows += len(names)
        self._names.update(names.unique().to_list())


def profiles_of(table: Table, columns: Collection[str] | None = None) -> list[ColumnProfile]:
    """Read a table once and count the cells of its columns.

    Args:
        table: the table.
        columns: names of columns, at least one; by default all.

    Raises:
        InputError: a row cannot be read.
    """
    profiles = {
        column: ColumnProfile(column, _labels(table.labels, column))
        for column in (table.columns if columns is None else columns)
    }
    n = 0
    for batch in table.batches(_BATCH) if columns is None else table.batches_with(columns, _BATCH):
        for column in _late(batch.columns, profiles) if columns is None else ():
            profiles[column] = ColumnProfile(column, _labels(table.labels, column), n=n)
        for column, profile in profiles.items():
            profile.add(column_in(batch, column))
        n += batch.height
    return list(profiles.values())


def _late(columns: list[str], known: Mapping[str, ColumnProfile]) -> Iterator[str]:
    """Return columns of JSON lines that appear for the first time."""
    return (column for column in columns if column not in known)


def _labels(labels: Mapping[str, ColumnLabels], column: str) -> ColumnLabels:
    return labels.get(column, ColumnLabels())


def open_text_column(table: Table) -> str:
    """Return the only column of open texts.

    Raises:
        InputError: there is none, or more than one; the message names them.
    """
    texts = [profile.name for profile in profiles_of(table) if profile.kind == "open text"]
    if len(texts) == 1:
        return texts[0]
    if not texts:
        raise InputError(
            "text",
            f": no column of {table.name} looks like open texts; name one of its columns with `text`: "
            f"{', '.join(table.columns)}",
        )
    raise InputError(
        "text",
        f": several columns of {table.name} look like open texts; name one with `text`: {', '.join(texts)}",
    )


_OPTION_SEPARATORS = (re.compile(r",(?!\s)"), re.compile(r";\s?"))  # an option may contain ", "
_FEWEST_ALONE = 2
_MOST_OPTIONS = 50


def options_in_values(values: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the options that each value lists, such as the answers to a multiple-choice question.

    Values are recognized as lists if options occur both alone and together, and there are fewer options than
    values.

    Args:
        values: names of a column's distinct values.

    Returns:
        The options of each value; empty if values are not lists.

    Examples:
        >>> options_in_values(["Tea", "Coffee", "Tea,Coffee"])["Tea,Coffee"]
        ('Tea', 'Coffee')
        >>> options_in_values(["Paris,FR", "Rome,IT"])
        {}
    """
    for separator in _OPTION_SEPARATORS:
        if not any(separator.search(value) for value in values):
            continue
        parts = {value: _parts(value, separator) for value in values}
        options = {code_key(option) for listed in parts.values() for option in listed}
        alone = sum(len(listed) == 1 for listed in parts.values())
        if alone >= _FEWEST_ALONE and len(options) < len(parts) and len(options) <= _MOST_OPTIONS:
            return parts
    return {}


def _parts(value: str, separator: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(part for whole in separator.split(value) if (part := whole.strip()))
