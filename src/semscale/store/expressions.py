"""Rows that meet a condition, and derived columns: SQL expressions over the columns of one row."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, time
from functools import partial
from itertools import islice, product
from typing import Literal, Self

import polars as pl
from polars.exceptions import PolarsError

from semscale.errors import InputError, UnknownNameError
from semscale.messages import shorten
from semscale.spelling import marked
from semscale.store.columns import column_in, groups_in, numbers_among, storable, without_codes
from semscale.store.missing_codes import code_key
from semscale.store.table import ColumnLabels, Table

_BATCH = 50_000
_SHOWN = 3
_MOST_BINDINGS = 5_000
_MOST_OPERATORS = 500
_MOST_BYTES = 2**29  # of the texts of a result; a batch of rows has fewer
_ROWS = "\0rows"  # keeps the height of a frame without columns of the expression
_RESULT = "\0result"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}:\d{2})?")
_QUOTED = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\""
_QUOTED_OR_WORD = re.compile(rf"{_QUOTED}|\b(?P<word>select|over)\b", re.IGNORECASE)
_QUOTED_OR_NAME = re.compile(rf"{_QUOTED}|\b(?P<name>[^\W\d]\w*)\b(?!\s*\()")
_QUOTED_OR_OPERATOR = re.compile(
    rf"{_QUOTED}|(?P<operator>\b(?:and|or|not|when|like|between|is|in)\b|[-+*/%|<>=!~]+|[(:\[])",
    re.IGNORECASE,
)
_REPLACE, _PAD = ".str.replace", ".str.pad_"
_PATTERN_SIGNS = frozenset(rb"\.^$*+?()[]{}|")
_OPERATORS = {
    *("and", "or", "not", "in", "is", "null", "like", "ilike", "between", "true", "false"),
    *("case", "when", "then", "else", "end"),
}
_ORDER = re.compile(r"\[\(.*\) [<>]=? \(.*\)\]", re.DOTALL)
_TRUTH = {"true": True, "false": False}

Reading = Literal["text", "number", "truth", "unchanged"]
"""The type for reading a column of an expression."""


@dataclass(frozen=True)
class Expression:
    """An SQL expression that is bound to the columns of a table.

    Text columns, such as those of CSV files, are read as the type that the expression needs: as numbers if
    compared with a number, as texts if compared with a text. A blank cell is missing, and so is a text that
    is not a number if a number is needed. If compared with a text, labelled values are read as their labels,
    unless the text is itself a value.

    Attributes:
        text: the expression as the user wrote it.
        parameter: the parameter with the expression, for messages.
        sql: the parsed expression.
        readings: for each column the type as which it is read.
        labels: for each column the values that are read as their labels.
        codes: codes for no answer of columns, by ``code_key``, whose cells are missing.
    """

    text: str
    parameter: str
    sql: pl.Expr = field(repr=False)
    readings: Mapping[str, Reading]
    labels: Mapping[str, Mapping[str, str]]
    codes: Mapping[str, Collection[str]] = field(default_factory=dict)

    @classmethod
    def for_table(
        cls, text: str, table: Table, parameter: str, codes: Mapping[str, Collection[str]] | None = None
    ) -> Self:
        """Parse an expression and bind it to the columns of a table.

        Args:
            text: an SQL expression, such as ``age >= 18 and country in ('DE', 'AT')``.
            table: the table.
            parameter: the parameter's name in messages.
            codes: codes for no answer of columns, by ``code_key``: they are missing, unless the expression
                compares their column with one of them.

        Raises:
            InputError: it is not an expression, names no column, reads other rows or files, or its types do
                not fit the columns.
            UnknownNameError: it names a column that does not exist.
        """
        sql = _parse(text, table.columns, parameter)
        nodes = list(_nodes(sql))
        titles = tuple(dict.fromkeys(sql.meta.root_names()))
        for title in titles:
            _require(table, title, parameter)
        if not titles:
            raise InputError(parameter, f": {shorten(text)} names no column of {table.name}; name one")
        batch = next(table.batches_with(titles, _BATCH))
        dtypes = {title: _storable_column(batch, title).dtype for title in titles}
        compared = _constants_by_column(nodes)
        for title in titles:
            _check_dates(title, dtypes[title], compared[title], parameter)
            _check_order(title, dtypes[title], nodes, parameter)
        labels = {
            title: _labels_among(
                table.labels.get(title, ColumnLabels()).values, compared[title], title, parameter
            )
            for title in titles
        }
        readings = _readings(sql, dtypes, compared, f"{marked(parameter)}: {shorten(text)}")
        typed = {title: _type_of(readings[title], dtypes[title]) for title in titles}
        if any(_reads_other_rows(node, typed) for node in nodes):
            raise _across_rows(text, parameter)
        missing = {
            title: codes[title]
            for title in titles
            if codes and title in codes and not {code_key(str(v)) for v in compared[title]} & {*codes[title]}
        }
        return cls(text, parameter, sql, readings, labels, missing)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in the expression."""
        return tuple(self.readings)

    def evaluate(self, rows: pl.DataFrame) -> pl.Series:
        """Evaluate the expression.

        Args:
            rows: n rows; all cells of an absent column, as in JSON lines, are missing.

        Returns:
            n values, null where the expression is unknown.

        Raises:
            InputError: a cell does not fit the expression.
        """
        cells = [
            _read_as(
                reading,
                without_codes(_storable_column(rows, title), self.codes.get(title, ())),
                self.labels[title],
            )
            for title, reading in self.readings.items()
        ]
        if _bytes_at_most(self.sql, {column.name: column for column in cells}, rows.height) > _MOST_BYTES:
            raise InputError(
                self.parameter,
                f": {shorten(self.text)} could make texts of more than 500 MB; shorten it",
            )
        try:
            return pl.DataFrame(cells).with_columns(self.sql.alias(_RESULT))[_RESULT]
        except PolarsError as error:
            raise _unfit(f"{marked(self.parameter)}: {shorten(self.text)}", error) from error


def filter_table(
    table: Table,
    where: str,
    *,
    reason: str = "",
    words: str = "",
    codes: Mapping[str, Collection[str]] | None = None,
) -> Table:
    """Return the table with the rows that meet a condition; an unknown condition is not met.

    The columns of the condition are read once to count the rows. The counts are added to the table's notes.

    Args:
        table: the input.
        where: an SQL expression that is true, false or unknown in each row.
        reason: why rows are left out, for the note; by default the condition.
        words: the condition in words, for the note; by default the expression.
        codes: codes for no answer of columns, as ``Expression.for_table`` takes them.

    Raises:
        InputError: the condition is invalid (``Expression.for_table``), has no truth value, or leaves no row;
            or a row of the file cannot be read.
        UnknownNameError: it names a column that does not exist.
    """
    condition = Expression.for_table(where, table, "where", codes)
    n_kept, note = _count_rows(table, condition, reason, words or shorten(condition.text))
    if not n_kept:
        raise InputError("where", f": no rows are left: {note}")

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        for batch in _filter_batches(table.batches(size), condition):
            if skip < batch.height:
                yield batch[skip:]
            skip = max(0, skip - batch.height)

    def read_columns(size: int, wanted: Collection[str]) -> Iterator[pl.DataFrame]:
        return _filter_batches(table.batches_with({*wanted, *condition.columns}, size), condition)

    return replace(
        table,
        read=read,
        read_columns=None if table.read_columns is None else read_columns,
        n_rows=n_kept,
        settings=(*table.settings, f"where {where}"),
        notes=(*table.notes, note) if note else table.notes,
        whole=table.whole or table,
        row_in_whole=lambda row: _row_before(table, condition, row),
    )


def with_derived(
    table: Table, derivations: Sequence[str], codes: Mapping[str, Collection[str]] | None = None
) -> Table:
    """Return the table with derived columns; each may use those before it.

    The columns of an expression are read once. The number of rows with filled cells but no value in the new
    column is added to the table's notes.

    Args:
        table: the input.
        derivations: ``NAME=EXPRESSION`` each, where the expression is SQL.
        codes: codes for no answer of columns, as ``Expression.for_table`` takes them.

    Raises:
        InputError: a name exists already, an expression is invalid (``Expression.for_table``), or it has no
            value in any row.
        UnknownNameError: an expression names a column that does not exist.
    """
    for derivation in derivations:
        title, _, text = (part.strip() for part in derivation.partition("="))
        if not title or not text:
            raise InputError(
                "derive",
                f": {shorten(derivation)} cannot be read; write NAME=EXPRESSION, such as adult=age >= 18",
            )
        expression = Expression.for_table(text, table, "derive", codes)
        table = _with_column(
            table,
            title,
            expression.columns,
            expression.evaluate,
            setting=f"derive {title}={text}",
            of="derive",
        )
    return table


def by_label(table: Table, columns: Sequence[str]) -> tuple[Table, list[str]]:
    """Add columns with the labels of groups, if the table has labels.

    Args:
        table: the input.
        columns: names of columns of groups.

    Returns:
        The table with a column ``NAME_label`` for each of these columns that has labels, and the names of the
        columns to use for groups. A value without a label is its own label.

    Raises:
        UnknownNameError: a column does not exist.
    """
    names = []
    for column in columns:
        known = table.labels.get(column, ColumnLabels())
        labels, title = dict(known.values), f"{column}_label"
        if labels and title not in table.columns:
            table.require(column, "by")
            table = _with_column(
                table,
                title,
                [column],
                partial(_label_cells, column=column, labels=labels),
                setting=f"labels of {column}: {labels}",
                of="by",
            )
        if labels:
            order = tuple(dict.fromkeys(labels.get(value, value) for value in known.order or labels))
            of_groups = ColumnLabels(known.title, heading=known.heading or known.title or column, order=order)
            table = replace(table, labels={**table.labels, title: of_groups})
        names.append(title if labels else column)
    return table, names


def _label_cells(rows: pl.DataFrame, column: str, labels: Mapping[str, str]) -> pl.Series:
    return groups_in(_storable_column(rows, column)).replace(dict(labels))


def _with_column(
    table: Table,
    title: str,
    sources: Collection[str],
    compute: Callable[[pl.DataFrame], pl.Series],
    *,
    setting: str,
    of: str,
) -> Table:
    if title in table.columns:
        raise InputError(f"{of}: {table.name} has a column '{title}' already; choose another name")
    n, examples = _rows_without_value(table, title, sources, compute, of)
    notes = [f"{'1 row has' if n == 1 else f'{n:,} rows have'} no '{title}': {examples}"] if n else []

    def add_column(batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        for batch in batches:
            yield batch.with_columns(compute(batch).alias(title))

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        return add_column(table.batches(size, skip))

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        return add_column(table.batches_with({*titles, *sources} - {title}, size))

    return replace(
        table,
        columns=(*table.columns, title),
        read=read,
        read_columns=None if table.read_columns is None else read_columns,
        settings=(*table.settings, setting),
        notes=(*table.notes, *notes),
    )


def _rows_without_value(
    table: Table, title: str, sources: Collection[str], compute: Callable[[pl.DataFrame], pl.Series], of: str
) -> tuple[int, str]:
    """Return the number of rows with filled cells but no value in a new column, with examples of cells.

    Raises:
        InputError: no row has a value.
    """
    n = valued = 0
    counts: Counter[tuple[str, ...]] = Counter()
    for batch in table.batches_with(sources, _BATCH):
        values = compute(batch)
        valued += len(values) - values.null_count()
        names = pl.DataFrame(
            [_blank_as_null(groups_in(_storable_column(batch, source))) for source in sources]
        )
        without = names.filter(values.is_null()).drop_nulls()
        n += without.height
        counts.update(without.iter_rows())
        if len(counts) > _BATCH:
            counts = Counter(dict(counts.most_common(_SHOWN)))
    examples = ", ".join(
        " and ".join(f"{source} is {shorten(name)}" for source, name in zip(sources, names, strict=True))
        for names, _ in counts.most_common(_SHOWN)
    ) + (", ..." if len(counts) > _SHOWN else "")
    if not valued:
        reason = examples or f"all cells of {', '.join(sources)} are empty"
        raise InputError(
            f"{of}: '{title}' has no value in any row ({reason}); check the column and the values"
        )
    return n, examples


def _count_rows(table: Table, condition: Expression, reason: str, words: str) -> tuple[int, str]:
    """Count the rows that meet a condition, and describe the counts in a sentence."""
    n = met = unknown = 0
    for batch in table.batches_with(condition.columns, _BATCH):
        truth = _truth(condition, batch)
        n += batch.height
        met += int(truth.sum() or 0)
        unknown += truth.null_count()
    if reason:
        left_out = f"{'1 row is' if n - met == 1 else f'{n - met:,} rows are'} left out: {reason}"
        return met, left_out if n > met else ""
    left_out = f"{n - met - unknown:,} not meeting it"
    if unknown:
        left_out += f", and {unknown:,} with a cell that is missing or no number"
    numbering = "; row numbers count the remaining rows" if met else ""
    return met, f"{met:,} of {n:,} rows meet {words}; left out: {left_out}{numbering}"


def _filter_batches(batches: Iterator[pl.DataFrame], condition: Expression) -> Iterator[pl.DataFrame]:
    for batch in batches:
        rows = batch.filter(_truth(condition, batch).fill_null(value=False))
        if rows.height:
            yield rows


def _row_before(table: Table, condition: Expression, row: int) -> int:
    """Return the position of a filtered row, from 0, in the unfiltered table."""
    start = 0
    for batch in table.batches_with(condition.columns, _BATCH):
        positions = _truth(condition, batch).fill_null(value=False).arg_true()
        if row < len(positions):
            before = start + int(positions[row])
            return before if table.row_in_whole is None else table.row_in_whole(before)
        start, row = start + batch.height, row - len(positions)
    raise InputError(f"{table.name} has fewer rows than before: it was changed during reading")


def _truth(condition: Expression, rows: pl.DataFrame) -> pl.Series:
    """Evaluate a condition: true, false, or null if unknown.

    Raises:
        InputError: the expression has no truth value.
    """
    truth = condition.evaluate(rows)
    if truth.dtype not in (pl.Boolean, pl.Null):
        raise InputError(
            "where",
            f": {shorten(condition.text)} is neither true nor false; write a condition such as age >= 18",
        )
    return truth.cast(pl.Boolean)


def _parse(text: str, columns: Collection[str], parameter: str) -> pl.Expr:
    """Parse an expression; a column whose name is a word of SQL, such as group, needs no quotation marks."""
    if not text.strip():
        raise InputError(parameter, "must not be empty: write a condition such as age >= 18")
    if any(token["word"] for token in _QUOTED_OR_WORD.finditer(text)):
        raise _across_rows(text, parameter)
    if sum(token["operator"] is not None for token in _QUOTED_OR_OPERATOR.finditer(text)) > _MOST_OPERATORS:
        raise InputError(
            parameter,
            f": {shorten(text)} has more than {_MOST_OPERATORS:,} operators and brackets; shorten it",
        )
    try:
        expression = _sql_expression(text, columns)
        # A quotation mark in a comment can hide a query from the check of the text.
        if any(str(node).startswith(".subplan") for node in _nodes(expression)):
            raise _across_rows(text, parameter)
    except PolarsError as error:
        raise InputError(
            parameter,
            f": {shorten(text)} is no SQL expression ({_reason(error)}); write one such as "
            "age >= 18 and country in ('DE', 'AT'), with double quotation marks around a name that has "
            "spaces or is a word of SQL",
        ) from error
    return expression


def _sql_expression(text: str, columns: Collection[str]) -> pl.Expr:
    """Parse SQL, if it is invalid with quotation marks around the names of columns."""
    try:
        return pl.sql_expr(text)
    except PolarsError:

        def quoted(token: re.Match[str]) -> str:
            is_name = token["name"] in columns and token["name"].lower() not in _OPERATORS
            return f'"{token[0]}"' if is_name else token[0]

        with_names = _QUOTED_OR_NAME.sub(quoted, text)
        if with_names != text:
            with suppress(PolarsError):
                return pl.sql_expr(with_names)
        raise


def _nodes(expression: pl.Expr) -> Iterator[pl.Expr]:
    """Yield the parts of an expression, each before its own parts."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.meta.pop()


def _bytes_at_most(expression: pl.Expr, columns: Mapping[str, pl.Series], n_rows: int) -> float:
    """Return a bound on the bytes of the texts that an expression makes; infinite if there is none.

    Padding adds up to its width to each text; a replacement may grow each text as if it were all made of the
    part that is replaced; all other functions keep, cut or join texts.
    """
    sizes: list[float] = []  # of the parts that belong to the next nodes, the nearest last
    for node in reversed(list(_nodes(expression))):
        parts = node.meta.pop()
        of_parts = [sizes.pop() for _ in parts][::-1]
        if node.meta.is_column():
            cells = columns[node.meta.output_name()]
            size = float(cells.estimated_size()) if cells.dtype == pl.String else 0.0
        elif node.meta.is_literal():
            size = float(n_rows * max(map(len, _texts_of(node)), default=0))
        elif _is_call(node, parts, _PAD):
            size = of_parts[-1] + 4 * n_rows * _width_of(parts[0])
        elif _is_call(node, parts, _REPLACE):
            size = of_parts[-1] * _growth(parts[1], parts[0], of_parts[0])
        else:
            size = sum(of_parts)
        sizes.append(size)
    return sizes[0]


def _is_call(node: pl.Expr, parts: Sequence[pl.Expr], function: str) -> bool:
    """Return true if an expression, as polars writes it, calls a function of its last part."""
    return bool(parts) and str(node).removeprefix(str(parts[-1])).startswith(function)


def _texts_of(literal: pl.Expr) -> list[bytes]:
    """Return the text of a constant, if it is one."""
    cells = pl.select(literal).to_series()
    return [str(cell).encode() for cell in cells] if cells.dtype == pl.String else []


def _width_of(literal: pl.Expr) -> float:
    """Return a constant number; infinity for what depends on the row."""
    if not literal.meta.is_literal():
        return math.inf
    width = pl.select(literal.cast(pl.Float64, strict=False)).item()
    return math.inf if width is None else width


def _growth(replaced: pl.Expr, replacement: pl.Expr, replacement_bytes: float) -> float:
    """Return the factor by which a replacement makes texts longer at most.

    A pattern can match nothing, between any two characters, and its replacement can repeat what it found.
    """
    if not (replaced.meta.is_literal() and replacement.meta.is_literal()):
        return max(1.0, replacement_bytes)
    before, after = (b"".join(_texts_of(part)) for part in (replaced, replacement))
    if not before or set(before) & _PATTERN_SIGNS or b"$" in after:
        return 2.0 * len(after) + 1
    return max(1.0, len(after) / len(before))


def _require(table: Table, title: str, parameter: str) -> None:
    try:
        table.require(title, parameter)
    except UnknownNameError as error:
        raise UnknownNameError(f"{error.args[0]}; texts need single quotation marks: '{title}'") from None


def _constants_by_column(nodes: Sequence[pl.Expr]) -> dict[str, list[object]]:
    """Return the constants that each column is compared with."""
    values: dict[str, list[object]] = defaultdict(list)
    for node in nodes:
        parts = node.meta.pop()
        constants: list[object] = []
        for part in parts:
            if part.meta.is_literal():
                cells = pl.select(part).to_series()
                constants += cells.explode().to_list() if cells.dtype.is_nested() else cells.to_list()
        for part in parts:
            if part.meta.is_column():
                values[part.meta.output_name()] += constants
    return values


def _check_dates(title: str, dtype: pl.DataType, values: Collection[object], parameter: str) -> None:
    """Refuse comparisons of dates that polars would make by days since 1970, or by characters."""
    if not dtype.is_temporal():
        return
    for value in values:
        is_date = isinstance(value, date | time) or (isinstance(value, str) and _DATE.fullmatch(value))
        if value is not None and not is_date:
            raise InputError(
                parameter,
                f": column '{title}' holds dates, and {value!r} is none: write it like "
                "'2026-01-31' or '2026-01-31 18:30:00'",
            )


def _check_order(title: str, dtype: pl.DataType, nodes: Sequence[pl.Expr], parameter: str) -> None:
    """Refuse comparisons of numbers as texts, in which 9 is greater than 10."""
    for node in nodes if dtype.is_numeric() else ():
        parts = node.meta.pop()
        is_column = [part.meta.is_column() and part.meta.output_name() == title for part in parts]
        texts = [pl.select(part).to_series() for part in parts if part.meta.is_literal()]
        if (
            any(is_column)
            and _ORDER.fullmatch(str(node))
            and any(cells.dtype == pl.String for cells in texts)
        ):
            raise InputError(
                parameter, f": column '{title}' holds numbers: write {texts[0][0]!r} without quotation marks"
            )


def _labels_among(
    labels: Mapping[str, str], compared: Collection[object], title: str, parameter: str
) -> dict[str, str]:
    """Return the labels of values that are compared by label."""
    texts = [text for text in compared if isinstance(text, str) and text not in labels]
    chosen: dict[str, str] = {}
    for text in texts:
        values = [value for value, label in labels.items() if label == text]
        if len(values) != 1:
            continue
        if values[0] in compared:
            raise InputError(
                parameter,
                f": column '{title}' is compared with the value '{values[0]}' and with its label "
                f"'{text}'; write the value both times",
            )
        chosen[values[0]] = text
    return chosen


def _readings(
    sql: pl.Expr,
    dtypes: Mapping[str, pl.DataType],
    compared: Mapping[str, Collection[object]],
    subject: str,
) -> dict[str, Reading]:
    """Choose the type for reading each column: the first with which the expression is valid.

    Raises:
        InputError: there is no such type.
    """
    candidates = [_candidates(dtype, compared[title]) for title, dtype in dtypes.items()]
    failure: PolarsError | None = None
    for readings in islice(product(*candidates), _MOST_BINDINGS):
        chosen = dict(zip(dtypes, readings, strict=True))
        schema = {title: _type_of(reading, dtypes[title]) for title, reading in chosen.items()}
        try:
            pl.DataFrame(schema=schema).select(sql)
        except PolarsError as error:
            failure = failure or error
        else:
            return chosen
    raise _unfit(subject, failure) from failure


def _candidates(dtype: pl.DataType, compared: Collection[object]) -> list[Reading]:
    """List the types for reading a column, the likeliest first."""
    kinds = {type(value) for value in compared}
    if dtype.is_temporal():
        return ["text"] if str in kinds else ["unchanged"]
    if dtype.is_numeric():
        return ["text", "unchanged"] if str in kinds else ["unchanged", "text"]
    if dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        return ["unchanged", "text"]
    if any(issubclass(kind, date | time) for kind in kinds):
        return ["text"]
    likely: list[Reading] = ["truth"] if bool in kinds else []
    if kinds & {int, float}:
        likely.append("number")
    return list(dict.fromkeys([*likely, "text", "number"]))


def _type_of(reading: Reading, dtype: pl.DataType) -> pl.DataType:
    types: dict[Reading, pl.DataType] = {
        "text": pl.String(),
        "number": pl.Float64(),
        "truth": pl.Boolean(),
        "unchanged": dtype,
    }
    return types[reading]


def _storable_column(rows: pl.DataFrame, title: str) -> pl.Series:
    """Return a column without mixed types."""
    return storable(column_in(rows, title).to_frame()).to_series()


def _read_as(reading: Reading, cells: pl.Series, labels: Mapping[str, str]) -> pl.Series:
    match reading:
        case "number":
            return numbers_among(cells)
        case "truth":
            names = groups_in(cells).str.strip_chars().str.to_lowercase()
            return names.replace_strict(_TRUTH, default=None, return_dtype=pl.Boolean)
        case "text" if cells.dtype.is_temporal():
            # Dates are ordered as their texts are; midnight is the date alone, as users write it.
            local = cells.dt.replace_time_zone(None) if cells.dtype == pl.Datetime else cells
            return local.dt.to_string("iso").str.replace(r"\.0+$", "").str.replace(r" 00:00:00$", "")
        case "text":
            return _blank_as_null(groups_in(cells)).replace(dict(labels))
    return cells.fill_nan(None) if cells.dtype.is_float() else cells


def _blank_as_null(names: pl.Series) -> pl.Series:
    return names.set(names.str.strip_chars() == "", None)


def _reads_other_rows(node: pl.Expr, schema: Mapping[str, pl.DataType]) -> bool:
    """Return whether a part of an expression depends on other rows: two equal rows change its value."""
    if node.meta.is_literal() or node.meta.is_column():
        return False
    nulls = [pl.Series(title, [None], dtype=dtype) for title, dtype in schema.items()]
    row = pl.DataFrame([pl.Series(_ROWS, [0]), *nulls])
    try:
        single = row.select(node).to_series()
        double = pl.concat([row, row]).select(node).to_series()
    except PolarsError:
        return False  # such as a part of a larger expression that is typed by its neighbours
    expected = pl.concat([single, single]) if node.meta.root_names() else single
    return not double.equals(expected)


def _across_rows(text: str, parameter: str) -> InputError:
    return InputError(
        parameter,
        f": {shorten(text)} reads other rows or tables, but a table is read in parts, row by "
        "row; leave out queries, aggregates such as count and avg, and window functions",
    )


def _unfit(subject: str, error: PolarsError | None) -> InputError:
    return InputError(
        f"{subject} does not fit the columns ({_reason(error)}); compare a column either with numbers or "
        "with texts in single quotation marks, or write TRY_CAST(name AS DOUBLE)"
    )


def _reason(error: PolarsError | None) -> str:
    return (str(error).splitlines() or ["unknown"])[0]
