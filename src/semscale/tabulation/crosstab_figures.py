"""Figures of tables: cells with intervals, comparisons of columns and waves, letters and tests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.significance import (
    Association,
    SurveyDifferences,
    column_letters,
    group_differences,
    letter,
    rao_scott,
)
from semscale.stats.survey_designs import AnyDesign, Domains
from semscale.stats.survey_estimates import SurveyEstimates, share_interval, survey_means_in_blocks
from semscale.tabulation.banners import Banner
from semscale.tabulation.lines import Line, LineColumns, TabulatedQuestion
from semscale.tabulation.settings import TestSettings
from semscale.types import Floats, Integers, Mask

_NUMBERS_AT_ONCE = 4_000_000  # of a block of questions, so that memory stays flat for any number of questions
_FEWEST_GROUPS = 2


@dataclass(frozen=True, eq=False)
class CellFigures:
    """Figures of v lines in c columns, all arrays of shape (v, c).

    Attributes:
        values: shares from 0 to 1, or means; NaN without respondents.
        low: lower ends of the intervals; NaN without an interval.
        high: upper ends.
        n: respondents with an answer, unweighted.
        n_missing: respondents of the column without one.
        weight: sum of the weights behind a figure.
        effective_n: Kish's effective number of respondents.
    """

    values: Floats
    low: Floats
    high: Floats
    n: Integers
    n_missing: Integers
    weight: Floats
    effective_n: Floats


@dataclass(frozen=True, eq=False)
class ColumnDifferences:
    """Differences of v lines between pairs of columns, first minus second, of shape (v, pairs).

    Attributes:
        first: shape (pairs,), index of each pair's first column in the table; the total has 0.
        second: shape (pairs,), index of its second column, to the right of the first.
        values: the differences; NaN if a column has no respondents.
        low: lower ends of t intervals, which are not adjusted for the number of pairs.
        high: upper ends.
        p_values: p-values of two-sided t tests; NaN if a base is too small to test.
        adjusted: p-values adjusted over the points of the question, or over its nets, mean and score; the
            letters of the table follow from them.
    """

    first: Integers
    second: Integers
    values: Floats
    low: Floats
    high: Floats
    p_values: Floats
    adjusted: Floats


@dataclass(frozen=True, eq=False)
class WaveChanges:
    """Differences from the previous wave, shape (v, c); NaN without a previous wave.

    Attributes:
        values: this wave minus the previous wave.
        low: lower ends of the intervals.
        high: upper ends.
        p_values: p-values of two-sided t tests; NaN if a base is too small to test.
        adjusted: p-values adjusted over the points of the question, or over its nets, mean and score; those
            of the total apart from those of the groups.
        small: true if the base of this or the previous wave is too small to test.
    """

    values: Floats
    low: Floats
    high: Floats
    p_values: Floats
    adjusted: Floats
    small: Mask


@dataclass(frozen=True, eq=False)
class Crosstab:
    """Table of a question by a banner; the first column is the total, the others are the banner's groups.

    Attributes:
        question: the question; its v lines are the rows.
        banner: the banner; its g groups are the columns after the first.
        cells: figures of shape (v, 1 + g).
        deviations: standard deviation of the line with the mean, shape (1 + g,); NaN for choices.
        letters: shape (v, 1 + g), letters of the columns that have significantly lower values than the cell.
        differences: between all pairs of the columns after the first.
        small: shape (v, 1 + g), true if a cell has too few respondents to test it.
        n_ungrouped: respondents of the total who are in no column.
        association: chi-square test of question and banner; ``None`` without a test.
        answer_shares: shares of all answers to a multiple choice, shape (v, 1 + g), NaN for nets; ``None``
            for other questions.
        changes: changes from the previous wave; ``None`` without waves.
        wave: the wave of the figures; empty if all respondents count.
        before: the previous wave, likewise.
        shown: indices of the banner's groups that are columns; ``None`` for all.
        hidden: names of lines and groups that the table has left out.
        decimals: decimals of the figures; ``None`` for those of their kinds.
    """

    question: TabulatedQuestion
    banner: Banner
    cells: CellFigures
    deviations: Floats
    letters: npt.NDArray[np.object_]
    differences: ColumnDifferences
    small: Mask
    n_ungrouped: int
    association: Association | None
    answer_shares: Floats | None = None
    changes: WaveChanges | None = None
    wave: str = ""
    before: str = ""
    shown: tuple[int, ...] | None = None
    hidden: tuple[str, ...] = ()
    decimals: int | None = None

    @property
    def groups(self) -> tuple[int, ...]:
        """Indices of the banner's groups that are columns."""
        return tuple(range(len(self.banner.groups))) if self.shown is None else self.shown

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return ("Total", *(self.banner.groups[group] for group in self.groups))

    @property
    def column_letters(self) -> tuple[str, ...]:
        """Letter of each column, A for the banner's first group; the total has none."""
        return ("", *map(letter, self.groups))

    @property
    def bases(self) -> tuple[npt.NDArray[np.int64], Floats, Floats]:
        """Number of respondents with an answer in each column, sum of their weights, and effective number."""
        largest = np.argmax(self.cells.n, axis=0), np.arange(self.cells.n.shape[1])
        return self.cells.n[largest], self.cells.weight[largest], self.cells.effective_n[largest]

    @property
    def is_small(self) -> Mask:
        """True for columns whose base is too small, shape (1 + g,)."""
        return np.asarray(self.small.all(axis=0))

    def select(self, lines: Sequence[int], columns: Sequence[int]) -> "Crosstab":
        """Return the table with some of its lines and columns; bases, figures and tests stay as they are.

        Args:
            lines: indices of the lines, in their new order.
            columns: indices of the columns; the first one is the total, 0.
        """
        letters = {self.column_letters[column] for column in columns}
        marks = [
            [" ".join(mark for mark in str(cell).split() if mark in letters) for cell in row]
            for row in self.letters[np.ix_(lines, columns)]
        ]
        position = np.full(len(self.columns), -1)
        position[list(columns)] = np.arange(len(columns))
        first, second = position[self.differences.first], position[self.differences.second]
        pairs = np.flatnonzero((first >= 0) & (second >= 0))
        differences = _select_cells(self.differences, lines, pairs)
        question = replace(
            self.question,
            lines=tuple(self.question.lines[line] for line in lines),
            weights=self.question.weights[:, list(lines)],
        )
        return replace(
            self,
            question=question,
            cells=_select_cells(self.cells, lines, columns),
            deviations=self.deviations[list(columns)],
            letters=np.array(marks, dtype=object),
            differences=replace(differences, first=first[pairs], second=second[pairs]),
            small=self.small[np.ix_(lines, columns)],
            answer_shares=None if self.answer_shares is None else self.answer_shares[np.ix_(lines, columns)],
            changes=None if self.changes is None else _select_cells(self.changes, lines, columns),
            shown=tuple(self.groups[column - 1] for column in columns[1:]),
        )


_Figures = TypeVar("_Figures", CellFigures, ColumnDifferences, WaveChanges)


def _select_cells(figures: _Figures, lines: Sequence[int], columns: Sequence[int] | Integers) -> _Figures:
    """Select lines and columns, or pairs of columns, of all figures that have both."""
    arrays = {field.name: getattr(figures, field.name) for field in fields(figures)}
    cells = np.ix_(np.asarray(lines), np.asarray(columns))
    return replace(figures, **{name: array[cells] for name, array in arrays.items() if array.ndim > 1})


def tabulate(
    questions: Sequence[TabulatedQuestion],
    banners: Sequence[Banner],
    design: AnyDesign,
    settings: TestSettings,
) -> Iterator[Crosstab]:
    """Compute the tables of all questions by all banners, question by question.

    With a banner of waves, the other tables show the last wave and its change from the previous wave.

    Args:
        questions: questions with answers of the n respondents of the design.
        banners: banners of the same respondents; at most one has waves.
        design: of the sample.
        settings: of the tests.

    Raises:
        InputError: the weights of a group sum to 0, in all rows or in a displayed wave.
    """
    for banner in banners:
        _check_weights(banner.codes, [f"group '{name}' of '{banner.name}'" for name in banner.groups], design)
    waves = next((banner for banner in banners if banner.is_wave), None)
    columns = [_columns_of(banner, waves) for banner in banners]
    for table in columns:
        _check_weights(table.groups.codes, table.group_names, design)
    for block in _blocks(questions, design.n):
        values = LineColumns(block)
        # One call for each banner estimates a whole block, as most of the work is the same for all lines.
        estimates = [
            tuple(
                survey_means_in_blocks(values.read, len(values), design, domains)
                for domains in (table.total, table.groups)
            )
            for table in columns
        ]
        start = 0
        for question in block:
            lines = slice(start, start + len(question.lines))
            start = lines.stop
            for table, (total, groups) in zip(columns, estimates, strict=True):
                cut = _cut_lines(total, lines), _cut_lines(groups, lines)
                yield _crosstab(question, table, cut, design, settings)


@dataclass(frozen=True, eq=False)
class _Columns:
    """Groups behind the columns of a table, in the displayed wave and the previous one.

    Attributes:
        banner: the columns after the total.
        total: each respondent's group for the total; the last group is displayed.
        groups: each respondent's group for the columns.
        shown: indices of the groups that the columns display.
        before: indices of the groups that these are compared with; empty without waves.
        wave: name of the displayed wave; empty if all waves are displayed.
        wave_before: name of the previous wave, likewise.
    """

    banner: Banner
    total: Domains
    groups: Domains
    shown: Integers
    before: Integers
    wave: str = ""
    wave_before: str = ""

    @property
    def group_names(self) -> list[str]:
        """Names of the groups behind the columns, with their waves, for messages."""
        names = [f"group '{name}' of '{self.banner.name}'" for name in self.banner.groups]
        if not self.wave:
            return names
        return [f"{name} in wave '{wave}'" for wave in (self.wave_before, self.wave) for name in names]

    @property
    def n_ungrouped(self) -> int:
        """Number of respondents in the displayed total who are in no column; 0 without columns."""
        if not self.banner.groups:
            return 0
        return int(((self.total.codes == self.total.count - 1) & (self.groups.codes < 0)).sum())


def _columns_of(banner: Banner, waves: Banner | None) -> _Columns:
    g = len(banner.groups)
    numbers = np.arange(g)
    if waves is None or banner.is_wave or len(waves.groups) < _FEWEST_GROUPS:
        everybody = Domains(np.zeros(len(banner.codes), dtype=np.int64), 1)
        before = numbers[:-1] if banner.is_wave else numbers[:0]
        return _Columns(banner, everybody, Domains(banner.codes, g), numbers, before)
    # 0 for the previous wave, 1 for the last wave, -1 for others.
    last = len(waves.groups) - 1
    time = np.where(waves.codes >= last - 1, waves.codes - last + 1, -1)
    codes = np.where((time >= 0) & (banner.codes >= 0), time * g + banner.codes, -1)
    return _Columns(
        banner,
        Domains(time, 2),
        Domains(codes, 2 * g),
        numbers + g,
        numbers,
        waves.groups[last],
        waves.groups[last - 1],
    )


def _check_weights(codes: Integers, names: Sequence[str], design: AnyDesign) -> None:
    """Refuse a group with respondents but no weight; the error names it."""
    grouped = codes >= 0
    n = np.bincount(codes[grouped], minlength=len(names))
    weight = np.bincount(codes[grouped], design.weights[grouped], minlength=len(names))
    for group in map(int, np.flatnonzero((n > 0) & (weight == 0))):
        raise InputError(
            "weight",
            f": the weights of {names[group]} sum to 0 over {n[group]:,} respondents: "
            "leave the group out (`where`), or correct its weights",
        )


def _blocks(questions: Sequence[TabulatedQuestion], n: int) -> Iterator[list[TabulatedQuestion]]:
    """Group questions into blocks that are estimated in one call."""
    block: list[TabulatedQuestion] = []
    lines = 0
    for question in questions:
        lines += len(question.lines)
        if block and n * lines > _NUMBERS_AT_ONCE:
            yield block
            block, lines = [], len(question.lines)
        block.append(question)
    if block:
        yield block


def _crosstab(
    question: TabulatedQuestion,
    columns: _Columns,
    estimates: tuple[SurveyEstimates, SurveyEstimates],
    design: AnyDesign,
    settings: TestSettings,
) -> Crosstab:
    """Build a table from the estimates of total and groups."""
    total, groups = estimates
    shown = _cut_columns(groups, columns.shown)
    everybody = _cut_columns(total, np.array([columns.total.count - 1]))
    cells = CellFigures(*(
        np.concatenate(parts, axis=1)
        for parts in zip(
            _figures(everybody, question.lines, settings.level),
            _figures(shown, question.lines, settings.level),
            strict=True,
        )
    ))  # fmt: skip
    small = cells.n < settings.min_base
    differences, letters = compare_columns(shown, question.lines, small[:, 1:], settings)
    return Crosstab(
        question=question,
        banner=columns.banner,
        cells=cells,
        deviations=_deviations(question, columns, estimates, design),
        letters=np.concatenate([np.full((len(letters), 1), "", dtype=object), letters], axis=1),
        differences=differences,
        small=small,
        n_ungrouped=columns.n_ungrouped,
        association=_association(question, columns, design, np.asarray(small[:, 1:].all(axis=0))),
        answer_shares=_answer_shares(question, cells),
        changes=_changes(question, columns, estimates, settings),
        wave=columns.wave,
        before=columns.wave_before,
    )


def _answer_shares(question: TabulatedQuestion, cells: CellFigures) -> Floats | None:
    """Return the shares of all answers to a multiple choice; ``None`` for other questions."""
    if question.kind != "multiple choice":
        return None
    are_options = ~question.are_summaries[:, None]
    totals = np.where(are_options, np.nan_to_num(cells.values * cells.weight), 0.0)
    answers = totals.sum(axis=0)
    shares = np.divide(totals, answers, out=np.full_like(totals, np.nan), where=answers > 0)
    return np.where(are_options, shares, np.nan)


def _cut_lines(estimates: SurveyEstimates, lines: slice | Integers) -> SurveyEstimates:
    """Select some lines of estimates."""
    return SurveyEstimates(*(getattr(estimates, field.name)[lines] for field in fields(estimates)))


def _cut_columns(estimates: SurveyEstimates, columns: Integers) -> SurveyEstimates:
    """Select some groups of estimates."""
    parts = {field.name: getattr(estimates, field.name)[:, columns] for field in fields(estimates)}
    for name in ("covariance", "pair_df"):
        parts[name] = parts[name][:, :, columns]
    return SurveyEstimates(**parts)


def _figures(
    estimates: SurveyEstimates, lines: tuple[Line, ...], level: float
) -> tuple[Floats, Floats, Floats, Integers, Integers, Floats, Floats]:
    """Return the figures of estimates, with log-odds intervals for shares and t intervals for means."""
    low, high = (end.copy() for end in estimates.interval(level))
    shares = np.flatnonzero([line.kind == "share" for line in lines])
    if len(shares):
        cut = _cut_lines(estimates, shares)
        # Rounding in sums of weights can move a share beyond 0 or 1; a larger excess is refused later.
        near = np.clip(cut.values, 0.0, 1.0)
        is_rounding = np.abs(cut.values - near) < 1e-9
        cut = replace(cut, values=np.where(is_rounding, near, cut.values))
        low[shares], high[shares] = share_interval(cut, level)
    n, n_missing, weight = estimates.n, estimates.n_missing, estimates.weight
    return estimates.values, low, high, n, n_missing, weight, estimates.effective_n


def spread_at_ends(estimates: SurveyEstimates, lines: tuple[Line, ...]) -> SurveyEstimates:
    """Give shares of 0 and 1 a variance for tests, which equal answers do not have.

    It is the variance of a share with one success and one failure added, ``p (1 - p) / (n + 2)``, where ``p =
    (x + 1) / (n + 2)`` and n is Kish's effective number. Without it, a share of 0 would count as known
    exactly.

    References:
        Agresti and Caffo (2000), The American Statistician 54(4), 280-288,
        doi 10.1080/00031305.2000.10474560.
    """
    is_share = np.array([line.kind == "share" for line in lines])[:, None]
    variances = np.diagonal(estimates.covariance, axis1=1, axis2=2)
    is_end = (estimates.values <= 0) | (estimates.values >= 1)
    is_flat = is_share & is_end & (variances <= 0) & (estimates.effective_n > 0)
    larger = estimates.effective_n + 2
    p = (estimates.values * estimates.effective_n + 1) / larger
    groups = np.arange(variances.shape[1])
    covariance = estimates.covariance.copy()
    covariance[:, groups, groups] += np.where(is_flat, p * (1 - p) / larger, 0.0)
    return replace(estimates, covariance=covariance)


def _tests(
    differences: SurveyDifferences, tested: Mask, families: Integers, settings: TestSettings
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return differences, the ends of their intervals, and plain and adjusted p-values."""
    low, high = differences.interval(settings.level)
    p_values = np.where(tested, differences.p_values, np.nan)
    adjusted = differences.adjusted_p_values(settings.correction, tested, families)
    return differences.values, low, high, p_values, adjusted


def compare_columns(
    groups: SurveyEstimates, lines: tuple[Line, ...], small: Mask, settings: TestSettings
) -> tuple[ColumnDifferences, npt.NDArray[np.object_]]:
    """Compare all pairs of groups of a banner.

    Args:
        groups: estimates of v lines in g groups.
        lines: the v lines.
        small: shape (v, g), true if a cell has too few respondents to test it.
        settings: of the tests.

    Returns:
        The differences, and letters, shape (v, g), of the columns that have significantly lower values than a
        cell.
    """
    pairs = group_differences(spread_at_ends(groups, lines))
    tested = ~small[:, pairs.first] & ~small[:, pairs.second]
    alpha, correction = 1 - settings.level, settings.correction
    families = _families(lines)
    letters = column_letters(pairs, tested=~small, alpha=alpha, correction=correction, families=families)
    # The total is column 0, so the first group is column 1.
    return ColumnDifferences(
        pairs.first + 1, pairs.second + 1, *_tests(pairs, tested, families, settings)
    ), letters


def _families(lines: tuple[Line, ...]) -> Integers:
    """Return 0 for points, and 1 for lines that sum them up: a sample's change moves all points at once.

    Returns:
        Shape (v, 1), the number of the family in which the tests of a line are adjusted.
    """
    return np.array([[int(line.is_summary)] for line in lines])


def _deviations(
    question: TabulatedQuestion,
    columns: _Columns,
    estimates: tuple[SurveyEstimates, SurveyEstimates],
    design: AnyDesign,
) -> Floats:
    """Return standard deviations of the answers with a mean in the displayed columns."""
    line = question.mean_line
    if line is None:
        return np.full(1 + len(columns.shown), np.nan)
    values = LineColumns([question]).read(slice(line, line + 1))
    within = question.variances()[:, None]
    total, groups = (
        standard_deviations(values, part.values[line, None], design.weights, domains, within=within)[0]
        for part, domains in zip(estimates, (columns.total, columns.groups), strict=True)
    )
    return np.concatenate([total[-1:], groups[columns.shown]])


def standard_deviations(
    columns: Floats, means: Floats, weights: Floats, domains: Domains, *, within: Floats | None = None
) -> Floats:
    """Return weighted standard deviations of columns in each group, shape (v, g).

    ``sum of w ((y - mean) ** 2 + within) / sum of w * n / (n - 1)``; NaN with fewer than two respondents.

    Args:
        columns: shape (n, v); NaN without an answer.
        means: shape (v, g), means of the groups.
        weights: shape (n,).
        domains: the groups.
        within: shape (n, v), variance of each respondent's answer around y; 0 by default.
    """
    counts: Mask = ~np.isnan(columns) & (weights > 0)[:, None]
    residuals = np.where(counts, columns - domains.spread_out(np.nan_to_num(means)), 0.0)
    n = domains.sums(counts.astype(np.float64))
    total = domains.sums(counts * weights[:, None])
    inner = 0.0 if within is None else np.where(counts, within, 0.0)
    squares = domains.sums((residuals**2 + inner) * weights[:, None])
    variances = np.divide(squares * n, total * (n - 1), out=np.full_like(squares, np.nan), where=n > 1)
    return np.sqrt(variances)


def _association(
    question: TabulatedQuestion, columns: _Columns, design: AnyDesign, small: Mask
) -> Association | None:
    """Test question against banner in the displayed wave; ``None`` for questions with several answers.

    Groups with too small a base are excluded.
    """
    choices = question.choices
    if choices is None or (~small).sum() < _FEWEST_GROUPS:
        return None
    numbers = np.full(columns.groups.count + 1, -1)  # the last one is that of respondents without a group
    numbers[columns.shown[~small]] = np.flatnonzero(~small)
    return rao_scott(choices, numbers[columns.groups.codes], design)


def _changes(
    question: TabulatedQuestion,
    columns: _Columns,
    estimates: tuple[SurveyEstimates, SurveyEstimates],
    settings: TestSettings,
) -> WaveChanges | None:
    """Compare each column with the previous wave; if the columns are waves, the total has no change."""
    if not len(columns.before):
        return None
    total, groups = (spread_at_ends(part, question.lines) for part in estimates)
    pairs = [(groups, columns.shown[-len(columns.before) :], columns.before)]
    if columns.wave:
        pairs.insert(0, (total, np.array([1]), np.array([0])))
    differences = [changes_between(*pair) for pair in pairs]
    joined = SurveyDifferences(*(
        np.concatenate([getattr(part, field.name) for part in differences], axis=1)
        for field in fields(SurveyDifferences)
    ))  # fmt: skip
    enough = [
        (part.n[:, now] >= settings.min_base) & (part.n[:, before] >= settings.min_base)
        for part, now, before in pairs
    ]
    tested = np.concatenate(enough, axis=1)
    # If the columns are waves, neither the total nor the first wave has a previous wave.
    padding = ((0, 0), (1 + len(columns.shown) - tested.shape[1], 0))
    # The total's change is the same by every banner, and so is its p-value.
    families = np.tile(_families(question.lines), tested.shape[1])
    families[:, 0] += 2 * bool(columns.wave)
    tests = _tests(joined, tested, families, settings)
    figures = (np.pad(part, padding, constant_values=np.nan) for part in tests)
    values, low, high, p_values, adjusted = figures
    return WaveChanges(values, low, high, p_values, adjusted, np.pad(~tested, padding))


def changes_between(estimates: SurveyEstimates, now: Integers, before: Integers) -> SurveyDifferences:
    """Return differences of pairs of columns, later minus earlier, shape (v, pairs).

    Args:
        estimates: of v lines in c columns.
        now: shape (pairs,), the later column of each pair.
        before: shape (pairs,), its earlier column, with a lower index.
    """
    pairs = group_differences(estimates)
    numbers = {
        pair: n for n, pair in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    }
    index = [numbers[pair] for pair in zip(before.tolist(), now.tolist(), strict=True)]
    # These differences are the first minus the second column, and the earlier wave comes first.
    return SurveyDifferences(-pairs.values[:, index], pairs.standard_errors[:, index], pairs.df[:, index])
