"""Pictures and tables of a linted scale: cosines in a set, the ladder of probes, how far sets agree."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.chart_kit import correlation_colour, mass_heads, point_names, scale_digits, sequential
from semscale.report.document import Cell, Count, DataTable, Figure, Flag, Number, Quoted, Share, Words
from semscale.report.formatting import count, counted, number, one_line, plain
from semscale.report.parts import Columns, table_of
from semscale.report.plane_charts import MatrixCell, matrix
from semscale.report.sentences import language_name
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.rating.lint import LintReport, SetLint
    from semscale.scales import Scale

DRAWN_PROBES = 40
_DARKEST_SHARE = 0.4


def verdict_table(reports: "Sequence[LintReport]") -> DataTable:
    """List each scale's verdict with what it rests on, for the screen."""
    columns: Columns[LintReport] = (
        ("scale", lambda report: Quoted(report.scale.name)),
        ("verdict", lambda report: Flag(report.verdict, report.verdict)),
        ("sets", lambda report: Count(len(report.sets))),
        ("probes", n_probes),
        ("order", lambda report: Number(report.ladder.spearman)),
        ("spread", lambda report: Number(report.ladder.spread)),
        ("reliability", lambda report: Number(report.reliability)),
    )
    return table_of(reports, columns, detail="brief")


def finding_table(reports: "Sequence[LintReport]") -> DataTable:
    """List what each scale does not meet, the worst first, for the screen."""
    rows = tuple(
        (
            Quoted(report.scale.name),
            Flag(one.verdict, one.verdict),
            Quoted(one.anchor_set) if one.anchor_set else Words("all sets"),
            Words(one_line(one.reason)),
        )
        for report in reports
        for one in report.worst_first
    )
    heads = ("scale", "", "set", "finding")
    return DataTable(heads, rows, title="Findings", most=len(rows), detail="brief")


def translation_table(scale: "Scale", rating: Sequence[str]) -> DataTable:
    """List the anchors of a translated scale, and which sets rate texts in its language, for the screen."""
    rows = tuple(
        (
            Quoted(name) if place == 0 else Words(""),
            Words(("yes" if name in rating else "no") if place == 0 else ""),
            Quoted(point),
            Quoted(anchor),
        )
        for name, anchors in scale.anchor_sets.items()
        for place, (point, anchor) in enumerate(zip(point_names(scale), anchors, strict=True))
    )
    heads = ("set", "rates", "point", "anchor")
    title = f"{language_name(scale.language)} anchors, translated by a machine"
    return DataTable(heads, rows, title=title, most=len(rows), detail="brief")


def n_probes(report: "LintReport") -> Cell:
    """Count the scale's own probes; say so where it has none."""
    return Count(len(report.probes)) if report.scale.probes else Words("none of its own")


def cosine_figure(one: "SetLint", scale: "Scale") -> Figure:
    """Draw the cosines between a set's anchors; on a good set they fall with the distance between points."""
    names, values = point_names(scale), [plain(value) for value in scale.values]
    cosines = one.cosines.tolist()
    cells = [[MatrixCell(sequential(max(r, 0.0) ** 2), number(r)) for r in row] for row in cosines]
    near = f"Neighbours {number(one.neighbours.min())} to {number(one.neighbours.max())}"
    return Figure(
        "cosines",
        lambda width: matrix(cells, names, values, width=width),
        f"Cosines between the anchors of set {one_line(one.name)}. {near}; ends {number(one.ends)}.",
        DataTable(("point", *values), _numbered(names, cosines), detail="full"),
        caption=f"{near}, ends {number(one.ends)}. Away from the diagonal the colour should fade.",
    )


def anchor_table(one: "SetLint", scale: "Scale") -> DataTable:
    """List a set's anchors with the mean that the set gives to each of them, and to the other sets'."""
    digits = scale_digits(scale)
    columns = (point_names(scale), one.own_scores.tolist(), one.other_scores.tolist(), one.anchors)
    rows = tuple(
        (Quoted(name), Number(own, digits), Number(other, digits), Quoted(anchor))
        for name, own, other, anchor in zip(*columns, strict=True)
    )
    return DataTable(
        ("point", "scores itself", "scores the others", "anchor"),
        rows,
        title="Anchors, and the mean this set gives to each of its own and to those of the other sets",
        explained=True,
        detail="full",
    )


def ladder_figure(report: "LintReport") -> Figure | None:
    """Draw how all sets together rate the probes, from low to high; ``None`` without probes."""
    n_probes, digits = len(report.probes), scale_digits(report.scale)
    if n_probes == 0:
        return None
    values = [plain(value) for value in report.scale.values]
    drawn = np.unique(np.linspace(0, n_probes - 1, min(n_probes, DRAWN_PROBES)).round().astype(int))
    pmf = report.ladder.pmf[drawn]
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    names = [one_line(report.probes[row]) for row in drawn]
    cells = [[MatrixCell(sequential(p / darkest), number(100 * p, 0)) for p in row] for row in pmf]
    part = (
        "" if len(drawn) == n_probes else f" {count(len(drawn))} of {counted(n_probes, 'probe')} are drawn."
    )
    lowest, highest = (
        number(float(end), digits) for end in (report.ladder.means.min(), report.ladder.means.max())
    )
    return Figure(
        "ladder",
        lambda width: matrix(cells, names, values, width=width),
        f"PMFs of {count(len(drawn))} probes, from low to high. Means run from {lowest} to {highest}.",
        _ladder_table(report, digits),
        caption=f"{_order(report)}{part}",
    )


def sets_table(report: "LintReport") -> DataTable:
    """List the measurements of each set that its verdict rests on."""
    columns: Columns[SetLint] = (
        ("set", lambda one: Quoted(one.name)),
        ("verdict", lambda one: Flag(one.verdict, one.verdict)),
        ("neighbours, at most", lambda one: Number(float(one.neighbours.max()))),
        ("ends", lambda one: Number(one.ends)),
        ("peak mass, at least", lambda one: Share(float(one.ladder.peak_mass.min()))),
        ("spread", lambda one: Share(one.ladder.spread)),
        ("rank r", lambda one: Number(one.ladder.spearman)),
    )
    return table_of(report.sets, columns, detail="full")


def correlations_figure(names: Sequence[str], agreement: Floats, caption: str) -> Figure | None:
    """Draw Pearson's r between anchor sets; ``None`` where none is defined.

    Args:
        names: of s sets.
        agreement: shape (s, s), NaN where it is not defined.
        caption: what else to say of it.
    """
    pairs = agreement[np.triu_indices(len(names), 1)]
    known = pairs[np.isfinite(pairs)]
    if known.size == 0:
        return None
    lowest, highest, mean = (number(float(r)) for r in (known.min(), known.max(), known.mean()))
    spread = f"Between two sets r runs from {lowest} to {highest}, mean {mean}."
    cells = [[MatrixCell(correlation_colour(r), number(r)) for r in row] for row in agreement.tolist()]
    return Figure(
        "agreement-of-sets",
        lambda width: matrix(cells, names, names, width=width),
        f"Matrix of Pearson correlations between anchor sets. {spread}",
        DataTable(("set", *map(Quoted, names)), _numbered(names, agreement.tolist()), detail="full"),
        caption=f"{spread} {caption}",
        style="matrix",
    )


def _numbered(names: Sequence[str], numbers: Sequence[Sequence[float]]) -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = [
        (Quoted(name), *map(Number, row)) for name, row in zip(names, numbers, strict=True)
    ]
    return tuple(rows)


def _order(report: "LintReport") -> str:
    if np.isnan(report.levels).any():
        return (
            "One row a probe, mass on each point in percent. The scale has no probes of its own, so these "
            "are the library's, whose levels mean nothing here; every point should win mass from some."
        )
    return (
        "One row a probe, from the lowest to the highest; mass on each point in percent. "
        "The strong colours should step from the left to the right."
    )


def _ladder_table(report: "LintReport", digits: int) -> DataTable:
    ladder = report.ladder
    columns = (report.probes, report.levels.tolist(), ladder.means.tolist(), ladder.pmf.tolist())
    rows: list[tuple[Cell, ...]] = [
        (Quoted(probe, 120), Number(level, digits), Number(mean, digits), *map(Share, pmf))
        for probe, level, mean, pmf in zip(*columns, strict=True)
    ]
    return DataTable(("probe", "level", "mean", *mass_heads(report.scale)), tuple(rows), detail="full")
