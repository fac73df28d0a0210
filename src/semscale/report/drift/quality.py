"""Better or worse in a document: scores by references, and verdicts of a judge."""

from collections.abc import Iterator

from semscale.drift.gate.drift_figures import DriftFigure
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.measure.losses import mean_loss
from semscale.drift.measure.quality_metrics import REFERENCE_MATCH, SIDE_BY_SIDE
from semscale.drift.quality.judged_runs import WinRecord
from semscale.report.cells import cell_text
from semscale.report.document.blocks import Block, Paragraph
from semscale.report.document.document import Section
from semscale.report.document.values import Number, WithInterval
from semscale.report.drift.tables import metric_cell
from semscale.report.drift.words import CHANGES, coverage_words
from semscale.report.formatting import count, counted, one_line
from semscale.report.parts import Columns, table_of
from semscale.report.sentences import first_place_words
from semscale.stats.intervals.estimates import Estimate

_TITLE = "Better or worse"
_EXPLAINED = {
    REFERENCE_MATCH.name: "Reference match is the mean match of a run's outputs with the answers known "
    "to be right.",
    SIDE_BY_SIDE.name: "Side by side is a run's share of the points that the judge gave: 1 for the better "
    "answer to an item, a half each where neither is better.",
}


def quality_section(summary: DriftSummary) -> Iterator[Section]:
    """Show what references and a judge say of both runs, if there are any."""
    shown = [figure for figure in summary.overall if figure.metric.name in summary.comparison.quality]
    if shown:
        yield Section("quality", _TITLE, tuple(_blocks(summary, shown)))


def side_by_side_words(sides: WinRecord, judge: str) -> str:
    """Say in a sentence how often the candidate won."""
    n = sides.wins + sides.ties + sides.losses
    share = WithInterval.of(sides.share, 0, is_share=True)
    return (
        f"Judged by {one_line(judge)} in both orders, the candidate is better in {count(sides.wins)} of "
        f"{counted(n, 'item')}, as good in {count(sides.ties)}, and worse in {count(sides.losses)}. Its "
        f"share of the points is {cell_text(share)}."
    )


def quality_cautions(summary: DriftSummary) -> Iterator[str]:
    """Say what weakens the judge's verdicts."""
    said = None if summary.sides is None else first_place_words("the judge", summary.sides.first_place)
    if said is not None:
        yield said


def _blocks(summary: DriftSummary, shown: list[DriftFigure]) -> Iterator[Block]:
    quality, judged = summary.comparison.quality, summary.comparison.judged
    columns: Columns[DriftFigure] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("baseline", lambda one: Number(mean_loss(quality[one.metric.name].baseline), 3)),
        ("candidate", lambda one: Number(mean_loss(quality[one.metric.name].candidate), 3)),
        (f"better by [{coverage_words(summary)}]", _better_by),
        ("change", lambda one: CHANGES[one.change]),
    )
    yield table_of(shown, columns, brief_title=_TITLE)
    if judged is not None and summary.sides is not None:
        yield Paragraph(side_by_side_words(summary.sides, judged.verdicts.model), detail="both")
    said = " ".join(_EXPLAINED[one.metric.name] for one in shown)
    yield Paragraph(f"{said} “Better by” compares the candidate with the baseline and its reruns.", "note")


def _better_by(figure: DriftFigure) -> WithInterval:
    """Turn a drift round: what is lost below 0 is gained."""
    drift = figure.drift
    return WithInterval.of(Estimate(-drift.value, -drift.high, -drift.low), 3, signed=True)
