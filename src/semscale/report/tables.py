"""Crosstabs as a document: a section for each question by each banner, with its sentences and notes."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.document import (
    Cell,
    Citation,
    Compared,
    Count,
    DataTable,
    Document,
    Label,
    Number,
    Paragraph,
    Quoted,
    Section,
    WithInterval,
    stamp,
)
from semscale.report.formatting import counted, coverage, listed, number, one_line, percent
from semscale.report.parts import run_settings

if TYPE_CHECKING:
    from semscale.tabulation.banners import Banner
    from semscale.tabulation.crosstabs import Crosstabs
    from semscale.tabulation.figures import ColumnDifferences, Crosstab, WaveChanges
    from semscale.tabulation.questions import Line
    from semscale.tabulation.settings import TestSettings

_CITATIONS = (
    Citation(
        "Rao, J. N. K., & Scott, A. J. (1984).",
        "On chi-squared tests for multiway contingency tables with cell proportions estimated from "
        "survey data",
        "Annals of Statistics 12(1), 46-60",
        "the test of question and banner",
        "https://doi.org/10.1214/aos/1176346391",
    ),
)
_ADJUSTED = {
    "holm": "adjusted by Holm within the table",
    "bh": "adjusted by Benjamini and Hochberg within the table",
    "benjamini-hochberg": "adjusted by Benjamini and Hochberg within the table",
    None: "not adjusted for the number of tests",
}
_CHANGE_UNITS = ": shares in percentage points, p in brackets"
_DIFFERENCE_HEADS = ("line", "first", "second", "first minus second", "p-value", "adjusted p-value")
_MOST_DIFFERENCES = 500  # rows of a table, so that a page of many questions by many groups opens quickly
_NAME = 60
_FEWEST = 2
_EXAMPLES = 3


def tables_document(summary: "Crosstabs") -> Document:
    """Turn crosstabs into a document."""
    noun = "answer" if summary.is_of_panel else "respondent"
    counting = f"{counted(summary.n_counting, noun)}, {counted(len(summary.tables), 'table')}"
    is_tested = any(table.banner.groups for table in summary.tables)
    tests = (f"Tests: {_ADJUSTED[summary.settings.correction]}.",) if is_tested else ()
    columns = summary.settings.columns_by_role
    return Document(
        kind="tables",
        name="Tables",
        title=("Tables of ", Quoted(summary.source)) if summary.source else "Tables",
        source=(*([Quoted(summary.source)] if summary.source else []), stamp(summary.created)),
        signature=summary.signature,
        counting=(counting,),
        reading=(f"{counting}.", f"{interval_line(summary)}.", *tests),
        facts=(
            ("Rows", Count(summary.n)),
            (
                "Answers of personas" if summary.is_of_panel else "Respondents who count",
                Count(summary.n_counting),
            ),
            ("Left out", Count(summary.n - summary.n_counting)),
            ("Tables", Count(len(summary.tables))),
        ),
        cautions=tuple(cautions(summary)),
        sections=tuple(
            Section(f"table-{number}", _title(table), tuple(_blocks(table, summary)))
            for number, table in enumerate(summary.tables, start=1)
        ),
        notes=(interval_line(summary),),
        settings=run_settings(
            summary.source,
            summary.created,
            tuple((role.capitalize(), Quoted(column)) for role, column in columns.items()),
            summary.signature,
        ),
        citations=_CITATIONS if any(table.association for table in summary.tables) else (),
    )


def _title(table: "Crosstab") -> tuple[str | Quoted, ...]:
    if not table.banner.groups:
        return (Quoted(table.question.text),)
    return Quoted(table.question.text), " by ", Quoted(table.banner.title, _NAME)


def _blocks(table: "Crosstab", summary: "Crosstabs") -> Iterator[Paragraph | DataTable]:
    yield Paragraph(Quoted(f"{finding(table)}.", 1_000))
    tests = summary.settings
    groups = zip(table.banner.groups, table.column_letters[1:], strict=True)
    heads: tuple[str | Quoted, ...] = (
        "",
        "total",
        *(Quoted(f"{group} ({letter})", _NAME) for group, letter in groups),
    )
    yield DataTable(
        heads,
        tuple(_rows(table, is_weighted=summary.is_weighted)),
        title="",
        brief_title=_title(table),
        noun="line",
        is_crosstab=True,
    )
    in_brief = set(_notes_on_bases(table))
    for note in table_notes(table, tests):
        yield Paragraph(Quoted(note, 1_000), "note", "both" if note in in_brief else "full")
    if table.changes is not None:
        period: tuple[str | Quoted, ...] = ("Change to the wave before",)
        if table.wave:
            period = ("Change from wave ", Quoted(table.before), " to ", Quoted(table.wave))
        yield DataTable(
            heads,
            tuple(_change_rows(table, table.changes)),
            title=(*period, _CHANGE_UNITS),
            note=f"p-values are {_ADJUSTED[tests.correction]}; intervals are of single comparisons.",
            noun="line",
            is_crosstab=True,
        )
    if (differences := difference_table(table, tests)) is not None:
        yield differences


def _rows(table: "Crosstab", *, is_weighted: bool) -> Iterator[tuple[Cell, ...]]:
    n, weight, effective = table.bases
    bases = (Count(int(base), is_small=bool(small)) for base, small in zip(n, table.is_small, strict=True))
    yield Label("base, unweighted"), *bases
    if is_weighted:
        yield Label("base, weighted"), *(Number(float(base), 1) for base in weight)
        yield Label("base, effective"), *(Number(float(base), 1) for base in effective)
    for index, line in enumerate(table.question.lines):
        yield _line_name(line), *(_cell(table, index, column) for column in range(len(table.columns)))
        if line.kind == "mean":
            figures = (WithInterval(float(value), math.nan, math.nan) for value in table.deviations)
            small = map(bool, table.small[index])
            cells = zip(figures, small, strict=True)
            yield Label("standard deviation"), *(Compared(figure, is_small=few) for figure, few in cells)


def _cell(table: "Crosstab", line: int, column: int) -> Compared:
    value, low, high = (
        float(part[line, column]) for part in (table.cells.values, table.cells.low, table.cells.high)
    )
    figure = WithInterval(value, low, high, is_share=table.question.lines[line].kind == "share")
    return Compared(figure, str(table.letters[line, column]), bool(table.small[line, column]))


def _line_name(line: "Line") -> Label | Quoted:
    """Quote an answer as it is; nets and means are in our terms."""
    return Label(line.name) if line.is_net or line.kind == "mean" else Quoted(line.name, _NAME)


def _change_rows(table: "Crosstab", changes: "WaveChanges") -> Iterator[tuple[Cell, ...]]:
    for index, line in enumerate(table.question.lines):
        cells = []
        for column in range(len(table.columns)):
            p = float(changes.adjusted[index, column])
            mark = "" if math.isnan(p) else f"({number(p, 3, least=0.001)})"
            small = bool(changes.small[index, column])
            cells.append(Compared(_difference(line, changes, (index, column)), mark, small))
        yield _line_name(line), *cells


def _difference(
    line: "Line", figures: "ColumnDifferences | WaveChanges", cell: tuple[int, int]
) -> WithInterval:
    """Return a difference with its interval; shares differ by percentage points."""
    points, digits = (100, 1) if line.kind == "share" else (1, 2)
    value, low, high = (points * float(part[cell]) for part in (figures.values, figures.low, figures.high))
    return WithInterval(value, low, high, digits=digits, signed=True)


def difference_table(table: "Crosstab", tests: "TestSettings") -> DataTable | None:
    """Lay out the differences between all pairs of columns, line by line; ``None`` without two columns.

    Args:
        table: the crosstab.
        tests: settings of its tests.
    """
    differences, lines = table.differences, table.question.lines
    cells = list(np.ndindex(differences.values.shape))
    if not cells:
        return None
    rows = []
    for cell in cells[:_MOST_DIFFERENCES]:
        index, pair = cell
        p_values = (float(part[cell]) for part in (differences.p_values, differences.adjusted))
        rows.append((
            _line_name(lines[index]),
            Quoted(table.columns[differences.first[pair]], _NAME),
            Quoted(table.columns[differences.second[pair]], _NAME),
            _difference(lines[index], differences, cell),
            *(Number(None if math.isnan(p) else p, 3, least=0.001) for p in p_values),
        ))  # fmt: skip
    left = len(cells) - len(rows)
    more = f" {counted(left, 'further row')} in the workbook, .csv and .json." if left else ""
    return DataTable(
        _DIFFERENCE_HEADS,
        tuple(rows),
        note=f"{difference_note(tests)}{more}",
        noun="difference",
        detail="full",
        folded=f"Differences of columns ({len(cells):,})",
    )


def difference_note(tests: "TestSettings") -> str:
    """State the tests of differences of columns, and the limits of their intervals."""
    least = counted(tests.min_base, "respondent")
    return (
        f"Tests: {_ADJUSTED[tests.correction]}. {coverage(tests.level)} intervals are of single comparisons, "
        f"not adjusted. Shares differ by percentage points. Columns with fewer than {least} are not tested."
    )


def finding(table: "Crosstab") -> str:
    """State the result of a table in a sentence: the column that lies above most others, in its main line.

    That is the mean where there is one, and otherwise the answer in which most columns differ. Where several
    models answered, the sentence begins with the one whose table it is.
    """
    model = table.banner.answered_by
    return f"{one_line(model)}: {_result(table)}" if model else _result(table)


def _result(table: "Crosstab") -> str:
    line, names = _main_line(table), table.columns
    by = one_line(table.banner.text)
    overall = f"{_subject(table, line)} {_figure(table, line, 0)}"
    if not table.banner.groups:
        return overall
    if len(names) <= _FEWEST:
        return f"{overall}; {by} has one group alone"
    if table.is_small[1:].sum() > len(names) - 1 - _FEWEST:
        return f"{overall}; bases are too small to compare {by}"
    best = int(np.argmax([len(letters.split()) for letters in table.letters[line]]))
    below = [table.column_letters.index(letter) for letter in table.letters[line, best].split()]
    if not below:
        return f"{overall}; no certain difference by {by}"
    above = f"{_subject(table, line)} {_figure(table, line, best)} in {one_line(names[best])}"
    if len(below) > _EXAMPLES:
        below.sort(key=lambda column: float(table.cells.values[line, column]))
        low, high = _figure(table, line, below[0]), _figure(table, line, below[-1])
        return f"{above}, above {len(below)} other groups ({low} to {high})"
    named = [f"{one_line(names[column])} ({_figure(table, line, column)})" for column in below]
    return f"{above}, above {listed(named)}"


def _main_line(table: "Crosstab") -> int:
    mean = table.question.mean_line
    if mean is not None:
        return mean
    n_letters = [sum(len(cell.split()) for cell in line) for line in table.letters]
    most = max(n_letters)
    totals = np.nan_to_num(table.cells.values[:, 0])
    return max(range(len(n_letters)), key=lambda line: (n_letters[line] == most, totals[line]))


def _subject(table: "Crosstab", index: int) -> str:
    """Name a question and one of its lines, as a sentence begins."""
    text, line = one_line(table.question.text), table.question.lines[index]
    if text.endswith(("?", "!", ".", "…")):
        return f"{text} {'Mean' if line.kind == 'mean' else one_line(line.name)}"
    return f"{text}: {one_line(line.name)}"


def _figure(table: "Crosstab", line: int, column: int) -> str:
    value = float(table.cells.values[line, column])
    return percent(value, 0) if table.question.lines[line].kind == "share" else number(value, 2)


def table_notes(table: "Crosstab", tests: "TestSettings") -> Iterator[str]:
    """State the tests of a table, and the respondents who are not in it."""
    if table.banner.groups:
        alpha = percent(1 - tests.level, 0)
        yield (
            f"Letters: significantly above the column of that letter, at {alpha}, "
            f"{_ADJUSTED[tests.correction]}; the total is not tested."
        )
    if table.small.any() or (table.changes is not None and table.changes.small.any()):
        shown = "shown, not tested" if table.banner.groups else "shown"
        yield f"* fewer than {counted(tests.min_base, 'respondent')}: {shown}."
    test = table.association
    if test is not None and np.isfinite(test.p_value):
        p = number(test.p_value, 3, least=0.001)
        yield (
            f"Answers and {one_line(table.banner.title)} together: Rao and Scott’s F({test.df:.1f}, "
            f"{test.df_below:,.0f}) = {test.f:.2f}, p {'' if p.startswith('<') else '= '}{p}."
        )
    if table.wave:
        yield f"Figures are of wave {one_line(table.wave)}; changes are to wave {one_line(table.before)}."
    yield from _notes_on_bases(table)
    yield from (f"{note[:1].upper()}{note[1:]}." for note in table.question.notes)


def _notes_on_bases(table: "Crosstab") -> Iterator[str]:
    """State the respondents who are not in a table's bases."""
    if (table.cells.n != table.cells.n[0]).any():
        yield "Bases differ by line, as some answers are not known; the base above is the largest."
    missing = int(table.cells.n_missing[:, 0].min())
    if missing:
        yield f"Without an answer, and in no base: {counted(missing, 'respondent')}."
    if table.n_ungrouped:
        n = counted(table.n_ungrouped, "respondent")
        yield f"Without a group, and in the total alone: {n}."


def cautions(summary: "Crosstabs") -> Iterator[str]:
    """Name the limits of all tables: rows left out, groups that cannot be compared."""
    for reason, n in summary.left_out.items():
        yield f"{counted(n, 'row')} left out: {reason}"
    yield from summary.sample_notes
    questions = {table.question.name: table.question for table in summary.tables}
    yield from dict.fromkeys(caution for question in questions.values() for caution in question.cautions)
    banners: dict[str, Banner] = {}
    for table in summary.tables:
        banners.setdefault(table.banner.name, table.banner)
    for banner in banners.values():
        if banner.is_wave and len(banner.groups) >= _FEWEST:
            waves = ", ".join(f"‘{one_line(name)}’" for name in banner.groups)
            yield (
                f"waves from first to last ({banner.order_from}): {waves}; --wave-order gives another order"
            )
        if len(banner.groups) == 1:
            kind = "wave" if banner.is_wave else "group"
            yield f"‘{banner.name}’ has one {kind}, ‘{banner.groups[0]}’: there is nothing to compare"
    small = [table for table in summary.tables if table.banner.groups and table.is_small[1:].all()]
    if small:
        named = listed([
            f"‘{table.question.name}’ by ‘{one_line(table.banner.title)}’" for table in small[:_EXAMPLES]
        ])  # fmt: skip
        more = f" and {counted(len(small) - _EXAMPLES, 'more table')}" if len(small) > _EXAMPLES else ""
        least = summary.settings.min_base
        yield f"every group has fewer than {least} respondents in {named}{more}: nothing is tested there"


def interval_line(summary: "Crosstabs") -> str:
    """Name the method of the intervals."""
    sample = summary.settings
    if sample.replicates:
        source = "replicate weights"
    elif any((sample.strata, sample.cluster, sample.fpc, sample.pair_by, sample.weight, sample.raked_to)):
        source = "Taylor linearisation of the design"
    else:
        source = "a plain sample"
    return (
        f"{coverage(summary.settings.level)} intervals from {source}: of means by t, of shares by log odds "
        "(exact where everybody or nobody gave an answer)"
    )
