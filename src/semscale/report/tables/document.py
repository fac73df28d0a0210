"""The document of crosstabs: a section for each question by each banner."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import (
    Cell,
    Citation,
    Compared,
    Count,
    DataTable,
    Document,
    Number,
    Paragraph,
    Quoted,
    Section,
    WithInterval,
    Words,
    stamp,
)
from semscale.report.formatting import counted, number
from semscale.report.parts import settings
from semscale.report.tables.differences import difference_table, line_name
from semscale.report.tables.words import (
    ADJUSTED,
    cautions,
    finding,
    interval_line,
    left_out_notes,
    table_notes,
)

if TYPE_CHECKING:
    from semscale.tabulation.summary import Crosstabs
    from semscale.tabulation.tables.crosstab import Crosstab

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
_NAME = 60
_CHANGE_UNITS = ": shares in percentage points, p in brackets"


def tables_document(summary: "Crosstabs") -> Document:
    """Turn crosstabs into a document."""
    noun = "answer" if summary.is_of_panel else "respondent"
    rows = counted(summary.n_counting, noun)
    counting = f"{rows}, {counted(len(summary.tables), 'table')}"
    is_tested = any(table.banner.groups for table in summary.tables)
    tests = (f"Tests: {ADJUSTED[summary.plan.tests.correction]}.",) if is_tested else ()
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
            Section(f"table-{place}", _title(table), tuple(_blocks(table, summary)))
            for place, table in enumerate(summary.tables, start=1)
        ),
        notes=(interval_line(summary),),
        settings=settings(
            summary.source,
            summary.created,
            tuple(
                (role.capitalize(), Quoted(column)) for role, column in summary.plan.sample.named().items()
            ),
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
    tests = summary.plan.tests
    notes = list(table_notes(table, tests))
    yield DataTable(
        _heads(table),
        tuple(_rows(table, is_weighted=summary.is_weighted)),
        title="",
        brief_title=_title(table),
        noun="line",
        is_crosstab=True,
    )
    everywhere = set(left_out_notes(table))
    for note in notes:
        yield Paragraph(Quoted(note, 1_000), "note", "both" if note in everywhere else "full")
    if table.changes is not None:
        yield DataTable(
            _heads(table),
            tuple(_changes(table)),
            title=_change_title(table),
            note=f"p-values are {ADJUSTED[tests.correction]}; intervals are of single comparisons.",
            noun="line",
            is_crosstab=True,
        )
    if (differences := difference_table(table, tests)) is not None:
        yield differences


def _heads(table: "Crosstab") -> tuple[str | Quoted, ...]:
    named = zip(table.banner.groups, table.column_letters[1:], strict=True)
    return ("", "total", *(Quoted(f"{group} ({letter})", _NAME) for group, letter in named))


def _rows(table: "Crosstab", *, is_weighted: bool) -> Iterator[tuple[Cell, ...]]:
    n, weight, effective = table.bases
    yield (
        Words("base, unweighted"),
        *(Count(int(one), is_small=bool(small)) for one, small in zip(n, table.is_small, strict=True)),
    )
    if is_weighted:
        yield Words("base, weighted"), *(Number(float(one), 1) for one in weight)
        yield Words("base, effective"), *(Number(float(one), 1) for one in effective)
    for place, line in enumerate(table.question.lines):
        yield line_name(line), *(_cell(table, place, column) for column in range(len(table.columns)))
        if line.kind == "mean":
            spread = zip(table.deviations, table.small[place], strict=True)
            yield Words("standard deviation"), *(_deviation(float(one), bool(few)) for one, few in spread)


def _cell(table: "Crosstab", line: int, column: int) -> Compared:
    cells, is_share = table.cells, table.question.lines[line].kind == "share"
    value, low, high = (float(part[line, column]) for part in (cells.values, cells.low, cells.high))
    figure = WithInterval(value, low, high, is_share=is_share)
    return Compared(figure, str(table.letters[line, column]), bool(table.small[line, column]))


def _deviation(value: float, is_small: bool) -> Compared:
    return Compared(WithInterval(value, math.nan, math.nan), is_small=is_small)


def _change_title(table: "Crosstab") -> tuple[str | Quoted, ...]:
    if table.wave:
        return "Change from wave ", Quoted(table.before), " to ", Quoted(table.wave), _CHANGE_UNITS
    return ("Change to the wave before", _CHANGE_UNITS)


def _changes(table: "Crosstab") -> Iterator[tuple[Cell, ...]]:
    changes = table.changes
    if changes is None:
        return
    for place, line in enumerate(table.question.lines):
        cells = []
        for column in range(len(table.columns)):
            is_share = line.kind == "share"
            points = 100 if is_share else 1
            parts = (changes.values, changes.low, changes.high)
            value, low, high = (points * float(part[place, column]) for part in parts)
            figure = WithInterval(value, low, high, digits=1 if is_share else 2, signed=True)
            p = float(changes.adjusted[place, column])
            mark = "" if math.isnan(p) else f"({number(p, 3, least=0.001)})"
            cells.append(Compared(figure, mark, bool(changes.small[place, column])))
        yield line_name(line), *cells
