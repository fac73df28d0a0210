"""The document of a matrix: one table of all models and prompts, and which of them is best."""

from collections.abc import Callable, Iterator

from semscale.drift.matrix.matrix import AskedMatrix
from semscale.drift.matrix.matrix_summary import CellSummary, MatrixSummary
from semscale.report.charts.forest import ForestRow, forest
from semscale.report.document.blocks import DataTable, Figure, Paragraph
from semscale.report.document.document import Document, Section, stamp
from semscale.report.document.values import Cell, Count, Flag, Interval, Number, Quoted, WithInterval, Words
from semscale.report.formatting import (
    count,
    counted,
    coverage,
    has_interval,
    listed,
    number,
    one_line,
    percent,
)
from semscale.report.parts import Columns, table_of
from semscale.report.sentences import first_place_words, stand_in_words
from semscale.report.settings import settings
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS

_MANY = 1000  # answers whose cost is shown
_BASES = {"judge": "by the judge", "reference": "by its match with the references"}
_ALL_ALIKE = "The judge prefers none of them, and there are no references to go by"
_NOTHING = "Nothing says which is better: name a column with --reference, or a judge with --judge-model"


def asked_document(matrix: AskedMatrix) -> Document:
    """Turn a matrix with all its answers into the document of its summary."""
    return matrix_document(matrix.summarize())


def matrix_document(summary: MatrixSummary) -> Document:
    """Turn a matrix into a document."""
    counting = (
        f"{counted(len(summary.cells), 'cell')}, {counted(summary.n_items, 'item')}, "
        f"{count(summary.n_references)} with a reference"
    )
    table = table_of(
        summary.cells,
        tuple(_columns(summary)),
        brief_title=f"All cells ({coverage(summary.interval)} intervals)",
        note="Intervals of differences to the best hold for all pairs of cells together.",
    )
    figure = _figure(summary)
    return Document(
        kind="comparison of models and prompts",
        name="Matrix",
        title="Which is better?",
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(headline_words(summary), counting),
        reading=(f"{headline_words(summary)}.", f"{counting}."),
        facts=(
            ("Cells", Count(len(summary.cells))),
            ("Items", Count(summary.n_items)),
            ("With a reference", Count(summary.n_references)),
        ),
        warnings=tuple(_warnings(summary)),
        cautions=tuple(_cautions(summary)),
        sections=(
            Section(
                "cells",
                f"All cells, with {coverage(summary.interval)} intervals",
                (
                    table,
                    *([figure] if figure else []),
                    _counts(summary),
                    Paragraph(_explained(summary), "note", detail="full"),
                ),
            ),
        ),
        settings=settings(summary.source, summary.created, (), summary.signature),
    )


def headline_words(summary: MatrixSummary) -> str:
    """Say which cell is best, and which ones may be as good."""
    if summary.best is None or summary.basis is None:
        there = [one_line(cell.name) for cell in summary.cells if cell.down is None]
        if len(there) == 1 < len(summary.cells):
            return f"Only “{there[0]}” answered, so there is nothing to compare it with"
        return _NOTHING if summary.sides is None else _ALL_ALIKE
    best = one_line(summary.cells[summary.best].name)
    said = f"“{best}” is best {_BASES[summary.basis]}"
    alike = [f"“{one_line(cell.name)}”" for cell in summary.not_told_apart]
    if alike:
        return f"{said}, but {listed(alike)} may be as good: the difference may be chance"
    if sum(cell.down is None for cell in summary.cells) == 1:
        return f"“{best}” alone answered, so that it is compared with none"
    return f"{said}, by more than chance"


def _columns(summary: MatrixSummary) -> Iterator[tuple[str, Callable[[CellSummary], Cell]]]:
    has_scores = any(cell.score is not None for cell in summary.cells)
    yield "cell", lambda cell: Quoted(cell.name, 60)
    yield "answered", _answered
    if has_scores:
        yield "match", lambda cell: WithInterval.of(cell.score)
        yield "to the best", lambda cell: _to_best(cell, summary)
    if summary.sides is not None:
        yield "preferred", lambda cell: WithInterval.of(_preferred(cell), 0, is_share=True)
    yield _cost_name(summary), lambda cell: Number(_cost_of_many(cell), 3)
    yield "seconds", lambda cell: Number(cell.latency, 2)


def _counts(summary: MatrixSummary) -> DataTable:
    """Lay out what was asked, won and lost."""
    sides: Columns[CellSummary] = (("won", _won), ("tied", _tied), ("lost", _lost))
    silent: Columns[CellSummary] = (("refused or empty", lambda cell: Count(cell.n_silent)),)
    columns: Columns[CellSummary] = (
        ("cell", lambda cell: Quoted(cell.name, 60)),
        ("asked", lambda cell: Count(cell.n_asked or None)),
        ("answered", _answered),
        *(silent if any(cell.n_silent for cell in summary.cells) else ()),
        *(sides if summary.sides is not None else ()),
        ("tokens", lambda cell: Number(cell.tokens, 0)),
    )
    return table_of(summary.cells, columns, title="Counts, and tokens of an answer", brief_title="Counts")


def _answered(cell: CellSummary) -> Cell:
    if cell.down is not None:
        return Flag("down", "fail")
    return Count(cell.n_answered)


def _to_best(cell: CellSummary, summary: MatrixSummary) -> Cell:
    if summary.best is not None and cell is summary.cells[summary.best]:
        return Words("best")
    return WithInterval.of(cell.below_best, signed=True)


def _won(cell: CellSummary) -> Cell:
    return Count(None if cell.side is None else cell.side.wins)


def _tied(cell: CellSummary) -> Cell:
    return Count(None if cell.side is None else cell.side.ties)


def _lost(cell: CellSummary) -> Cell:
    return Count(None if cell.side is None else cell.side.losses)


def _preferred(cell: CellSummary) -> Interval | None:
    """The chance to be preferred to an average cell; without strengths the share of points."""
    if cell.side is None:
        return None
    return cell.side.chance or cell.side.share


def _cost_name(summary: MatrixSummary) -> str:
    currency = next((cell.currency for cell in summary.cells if cell.currency), "cost")
    return f"{one_line(currency)}/{count(_MANY)}"


def _cost_of_many(cell: CellSummary) -> float | None:
    return None if cell.cost is None else _MANY * cell.cost


def _explained(summary: MatrixSummary) -> str:
    said = [f"{_cost_name(summary)} is the cost of {count(_MANY)} answers, seconds the median of a call."]
    if any(cell.score is not None for cell in summary.cells):
        said.insert(0, "Match is the mean of the answers' match with their references.")
    if summary.sides is not None:
        said.insert(
            0,
            "Won, tied and lost count pairs of answers to one item, judged in both orders. Preferred is the "
            "chance to be preferred to a cell of the others' average strength, by Bradley and Terry.",
        )
    return " ".join(said)


def _warnings(summary: MatrixSummary) -> Iterator[str]:
    down: dict[str, list[str]] = {}
    for cell in summary.cells:
        if cell.down is not None:
            down.setdefault(cell.down, []).append(f"“{one_line(cell.name)}”")
    for why, names in down.items():
        yield f"{listed(names)} {'is' if len(names) == 1 else 'are'} down and not compared: {one_line(why)}"


def _cautions(summary: MatrixSummary) -> Iterator[str]:
    for cell in summary.cells:
        name = f"“{one_line(cell.name)}”"
        if cell.n_silent:
            yield (
                f"{name} refused or was empty in {counted(cell.n_silent, 'answer')} of "
                f"{count(cell.n_asked)}, which score 0 and lose side by side"
            )
        if cell.n_failed:
            why = next(iter(cell.reasons), "no reason given")
            yield (
                f"{counted(cell.n_failed, 'call')} of {count(cell.n_asked)} to {name} failed and "
                f"{'is' if cell.n_failed == 1 else 'are'} left out, most often because: {one_line(why)}"
            )
        if cell.n_cut:
            yield f"{counted(cell.n_cut, 'reply', 'replies')} of {name} cut at the most tokens allowed"
    yield from _few_shared(summary)
    yield from _judge_cautions(summary)


def _few_shared(summary: MatrixSummary) -> Iterator[str]:
    """Name the cells that share too few items with the best one."""
    if summary.best is None:
        return
    for place, cell in enumerate(summary.cells):
        n = summary.n_shared(place)
        if place != summary.best and cell.down is None and n < FEWEST_CLUSTERS:
            yield (
                f"“{one_line(cell.name)}” and the best cell share {counted(n, 'item')}: with fewer than "
                f"{FEWEST_CLUSTERS} nothing is said to be more than chance"
            )


def _judge_cautions(summary: MatrixSummary) -> Iterator[str]:
    sides = summary.sides
    if sides is None:
        return
    judged = sides.pairs.judged
    judge = one_line(judged.model)
    yield from stand_in_words(judge, judged.signature, judged.not_taken)
    if sides.n_unjudged:
        why = next(iter(judged.reasons), "no reason given")
        yield (
            f"{counted(sides.n_unjudged, 'pair')} of {count(len(sides.pairs.points))} without a verdict in "
            f"both orders, most often because: {one_line(why)}"
        )
    if sides.no_strengths is not None:
        yield f"preferred is the share of points, as there are no strengths: {sides.no_strengths}"
    if said := first_place_words("the judge", sides.first_place):
        yield said
    if judge in {cell.model for cell in summary.cells}:
        yield f"the judge, {judge}, is one of those that it judges: models prefer their own answers"


def _figure(summary: MatrixSummary) -> Figure | None:
    """Draw each cell's chance to be preferred, or else its match; ``None`` where there is neither."""
    judged = summary.basis == "judge"
    figures = {cell.name: _preferred(cell) if judged else cell.score for cell in summary.cells}
    known = {name: figure for name, figure in figures.items() if figure is not None}
    if summary.best is None or not known:
        return None
    rows = [_forest_row(name, figure, judged=judged) for name, figure in known.items()]
    what = "chance to be preferred to an average cell" if judged else "mean match with the references"
    columns: Columns[ForestRow] = (
        ("cell", lambda row: Quoted(row.name, 60)),
        (what, lambda row: Words(row.text)),
    )
    return Figure(
        "cells",
        lambda width: forest(rows, what, width=width, percent=judged),
        f"{what.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in rows)}.",
        table_of(rows, columns, detail="full"),
        caption=f"The dot is the {what}, the line its interval.",
    )


def _forest_row(name: str, figure: Interval, *, judged: bool) -> ForestRow:
    def shown(value: float) -> str:
        return percent(value, 0) if judged else number(value)

    low, high = (figure.low, figure.high) if has_interval(figure) else (None, None)
    short = shown(figure.value)
    text = short if low is None or high is None else f"{short} [{shown(low)}, {shown(high)}]"
    return ForestRow(name, figure.value, low, high, 0.0, None, None, text, short)
