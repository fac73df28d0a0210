"""The document of a comparison of systems: who is preferred, by how much, and what the order did."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import (
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Line,
    Paragraph,
    Quoted,
    Section,
    WithInterval,
    Words,
    stamp,
)
from semscale.report.formatting import count, counted, coverage, has_interval, listed, one_line, percent
from semscale.report.judging.words import refused_parameters
from semscale.report.parts import Columns, settings, table_of
from semscale.report.row_charts import ForestRow, forest
from semscale.report.sentences import (
    first_place_words,
    refused_words,
    rows_that_count,
    stand_in_words,
    stopped_cautions,
)
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.judging.comparing import HeadToHead, SystemComparison, SystemRecord
    from semscale.stats.intervals.estimates import Estimate
    from semscale.stats.intervals.means import MeanEstimate

_BRADLEY_TERRY = Citation(
    "Bradley, R. A., & Terry, M. E. (1952).",
    "Rank analysis of incomplete block designs: I. The method of paired comparisons",
    "Biometrika 39, 324–345",
    "the ranking",
)


def comparison_document(summary: "SystemComparison") -> Document:
    """Turn a comparison of systems into a document."""
    left_out = {status: n for status, n in summary.counts.items() if status != str(Status.SCORED)}
    total = sum(summary.counts.values())
    counting = rows_that_count(summary.counts.get(str(Status.SCORED), 0), total, left_out)
    said = headline_words(summary)
    columns = tuple((f"Answers of {one_line(name)}", column) for name, column in summary.systems.items())
    shown = coverage(summary.plan.interval)
    figure = _figure(summary)
    return Document(
        kind="comparison of systems",
        name="Judge compare",
        title="Which answers are preferred?",
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(said, counting),
        reading=(f"{said}.", f"{counting}.", "Pairs are judged in both orders."),
        facts=(
            ("Systems", Count(len(summary.systems))),
            ("Rows", Count(total)),
            ("Points of what stands first", WithInterval.of(summary.sides.first_place, 0, is_share=True)),
        ),
        cautions=tuple(_cautions(summary)),
        sections=(
            Section(
                "systems",
                f"All systems, with {shown} intervals",
                (
                    _system_table(summary),
                    *([figure] if figure else []),
                    Paragraph(_explained(summary), "note"),
                ),
            ),
            Section("pairs", "Every two systems", (_duel_table(summary),)),
        ),
        settings=settings(summary.source, summary.created, columns, summary.signature),
        citations=(_BRADLEY_TERRY,),
    )


def headline_words(summary: "SystemComparison") -> Line:
    """Say which system is preferred, and which ones may be as good."""
    sides = summary.sides
    if sides.best is None and sides.n_unjudged == len(sides.pairs.points):
        return "No pair was judged in both orders"
    if sides.best is None:
        return "No system is preferred: all have the same win rate"
    best = one_line(summary.names[sides.best])
    alike = [f"“{one_line(name)}”" for name in summary.not_told_apart if name not in summary.as_good]
    if summary.as_good:
        first = listed([f"“{one_line(name)}”" for name in (summary.names[sides.best], *summary.as_good)])
        more = f"; {listed(alike)} may be as good: the difference may be chance" if alike else ""
        return f"{first} are preferred most, and equally{more}"
    if alike:
        return f"“{best}” is preferred most, but {listed(alike)} may be as good: the difference may be chance"
    return f"“{best}” is preferred, by more than chance"


def _system_table(summary: "SystemComparison") -> DataTable:
    rows = list(zip(summary.names, summary.sides.records, strict=True))
    columns: Columns[tuple[str, SystemRecord | None]] = (
        ("system", lambda row: Quoted(row[0], 60)),
        ("won", lambda row: Count(None if row[1] is None else row[1].wins)),
        ("tied", lambda row: Count(None if row[1] is None else row[1].ties)),
        ("lost", lambda row: Count(None if row[1] is None else row[1].losses)),
        ("win rate", lambda row: WithInterval.of(None if row[1] is None else row[1].share, 0, is_share=True)),
        (
            "preferred to the average",
            lambda row: WithInterval.of(None if row[1] is None else row[1].chance, 0, is_share=True),
        ),
    )
    return table_of(rows, columns, brief_title=f"Systems ({coverage(summary.plan.interval)} intervals)")


def _duel_table(summary: "SystemComparison") -> DataTable:
    names = summary.names
    columns: Columns[HeadToHead] = (
        ("first", lambda duel: Quoted(names[duel.first], 60)),
        ("second", lambda duel: Quoted(names[duel.second], 60)),
        ("won", lambda duel: Count(duel.wins)),
        ("tied", lambda duel: Count(duel.ties)),
        ("lost", lambda duel: Count(duel.losses)),
        ("no verdict", lambda duel: Count(duel.n_unjudged)),
        ("moved by the order", lambda duel: Count(duel.n_moved)),
        ("win rate of the first", lambda duel: WithInterval.of(duel.win_rate, 0, is_share=True)),
    )
    return table_of(summary.duels, columns, brief_title="Every two systems")


def _explained(summary: "SystemComparison") -> str:
    said = (
        "A pair is won where the judge prefers an answer over both orders taken together; one that is "
        "preferred only where it stands first is a tie. The win rate counts a tie as half a win."
    )
    if summary.sides.no_strengths is None:
        said += (
            " Preferred to the average is the chance by Bradley and Terry against the others’ mean strength."
        )
    return said


def _figure(summary: "SystemComparison") -> Figure | None:
    """Draw each system's chance to be preferred, or else its win rate; ``None`` where there is neither."""
    known = {
        name: record.chance or record.share
        for name, record in zip(summary.names, summary.sides.records, strict=True)
        if record is not None
    }
    if not known:
        return None
    rows = [_forest_row(name, figure) for name, figure in known.items()]
    what = "win rate" if summary.sides.no_strengths else "chance to be preferred to an average system"
    columns: Columns[ForestRow] = (
        ("system", lambda row: Quoted(row.name, 60)),
        (what, lambda row: Words(row.text)),
    )
    return Figure(
        "systems",
        lambda width: forest(rows, what, width=width, percent=True),
        f"{what.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in rows)}.",
        table_of(rows, columns, detail="full"),
        caption=f"The dot is the {what}, the line its interval.",
    )


def _forest_row(name: str, figure: "Estimate | MeanEstimate") -> ForestRow:
    low, high = (figure.low, figure.high) if has_interval(figure) else (None, None)
    short = percent(figure.value, 0)
    text = short if low is None or high is None else f"{short} [{percent(low, 0)}, {percent(high, 0)}]"
    return ForestRow(name, figure.value, low, high, 0.0, None, None, text, short)


def _cautions(summary: "SystemComparison") -> Iterator[str]:
    sides = summary.sides
    judged = sides.pairs.judged
    name = one_line(judged.model)
    yield from stand_in_words(name, judged.signature, judged.not_taken)
    total = count(len(sides.pairs.points))
    if sides.n_unfinished:
        yield (
            f"{counted(sides.n_unfinished, 'pair')} of {total} unfinished; the same command goes on, and "
            f"pays for nothing twice. {stopped_cautions(summary.stopped)[0]}"
        )
    if lost := sides.n_unjudged - sides.n_unfinished:
        why = next(iter(judged.reasons), "no reason given")
        yield (
            f"{counted(lost, 'pair')} of {total} without a verdict in both orders, most often because: "
            f"{one_line(why)}"
        )
    if sides.no_strengths is not None and sides.best is not None:
        yield f"Systems are ranked by their win rates, as there are no strengths: {sides.no_strengths}"
    if said := first_place_words(name, sides.first_place):
        yield f"{said}."
    if refused := refused_words(name, refused_parameters(summary.signature)):
        yield refused
