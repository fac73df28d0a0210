"""Pictures of a lint report: cosines inside a set, the ladder of probes, agreement between sets."""

import numpy as np

from semscale.rating.lint.report import LintReport, SetLint
from semscale.report.charts.matrix import matrix
from semscale.report.charts.palette import correlation_colour, sequential
from semscale.report.figures import Figure, Table
from semscale.report.scale_points import point_names, scale_digits
from semscale.report.wording import clipped, count, number, one_line, percent, plain
from semscale.scales import Scale
from semscale.types import Floats

DRAWN_PROBES = 40
_DARKEST_SHARE = 0.4


def cosine_figure(one: SetLint, scale: Scale) -> Figure:
    """Draw the cosines between a set's anchors; on a good set they fall with the distance between points."""
    names = point_names(scale)
    values = [plain(value) for value in scale.values]
    texts = [[number(cosine) for cosine in row] for row in one.cosines]
    colours = [[sequential(max(cosine, 0.0) ** 2) for cosine in row] for row in one.cosines]
    near = f"Neighbours {number(one.neighbours.min())} to {number(one.neighbours.max())}"
    return Figure.drawn(
        lambda width: matrix(colours, texts, names, values, width=width),
        f"Cosines between the anchors of set {one.name}. {near}; ends {number(one.ends)}.",
        Table(("Point", *values), tuple((name, *row) for name, row in zip(names, texts, strict=True))),
        caption=f"{near}, ends {number(one.ends)}. Away from the diagonal the colour should fade.",
    )


def ladder_figure(report: LintReport) -> Figure | None:
    """Draw how all sets together rate the probes, from low to high; ``None`` without probes."""
    n_probes = len(report.probes)
    if n_probes == 0:
        return None
    values = [plain(value) for value in report.scale.values]
    drawn = np.unique(np.linspace(0, n_probes - 1, min(n_probes, DRAWN_PROBES)).round().astype(int))
    pmf = report.ladder.pmf[drawn]
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    names = [one_line(report.probes[row]) for row in drawn]
    colours = [[sequential(share / darkest) for share in row] for row in pmf]
    texts = [[percent(share, 0).removesuffix("\u00a0%") for share in row] for row in pmf]
    part = "" if len(drawn) == n_probes else f"{count(len(drawn))} of {count(n_probes)} probes are drawn."
    lowest, highest = (number(end, scale_digits(report.scale)) for end in _ends(report.ladder.means))
    return Figure.drawn(
        lambda width: matrix(colours, texts, names, values, width=width),
        f"PMFs of {count(len(drawn))} probes, from low to high. Means run from {lowest} to {highest}.",
        _ladder_table(report),
        caption=f"{_order(report)} {part}",
    )


def agreement_figure(report: LintReport) -> Figure | None:
    """Draw Pearson's r between sets over the ladder; ``None`` where it is not defined."""
    names = [one.name for one in report.sets]
    texts = [[number(r) for r in row] for row in report.agreement]
    colours = [[correlation_colour(r) for r in row] for row in report.agreement]
    pairs = report.agreement[np.triu_indices(len(names), 1)]
    known = pairs[np.isfinite(pairs)]
    if known.size == 0:
        return None
    spread = f"Between two sets r runs from {number(float(known.min()))} to {number(float(known.max()))}."
    return Figure.drawn(
        lambda width: matrix(colours, texts, names, names, width=width),
        f"Matrix of Pearson correlations between anchor sets over the probes. {spread}",
        Table(("Set", *names), tuple((name, *row) for name, row in zip(names, texts, strict=True))),
        caption=f"{spread} Pearson r of the means that two sets give to the probes.",
    )


def sets_table(report: LintReport) -> Table:
    """List the measurements of each set that its verdict rests on."""
    columns = ("Set", "Verdict", "Neighbours, at most", "Ends", "Peak mass, at least", "Spread", "Rank r")
    rows = tuple(
        (
            one.name,
            one.verdict,
            number(float(one.neighbours.max())),
            number(one.ends),
            percent(float(one.ladder.peak_mass.min())),
            percent(one.ladder.spread),
            number(one.ladder.spearman),
        )
        for one in report.sets
    )
    return Table(columns, rows)


def _ends(means: Floats) -> tuple[float, float]:
    return float(means.min()), float(means.max())


def _order(report: LintReport) -> str:
    if np.isnan(report.levels).any():
        return (
            "One row a probe, mass on each point in percent. The scale has no probes of its own, so these "
            "are the library's, whose levels mean nothing here; every point should win mass from some."
        )
    return (
        "One row a probe, from the lowest to the highest; mass on each point in percent. "
        "The dark cells should step from the left to the right."
    )


def _ladder_table(report: LintReport) -> Table:
    digits = scale_digits(report.scale)
    rows = tuple(
        (
            clipped(probe, 120).shown,
            number(level, digits),
            number(mean, digits),
            *(number(100 * share, 1) for share in pmf),
        )
        for probe, level, mean, pmf in zip(
            report.probes, report.levels, report.ladder.means, report.ladder.pmf, strict=True
        )
    )
    shares = (f"{plain(value)}, %" for value in report.scale.values)
    return Table(("Probe", "Level", "Mean", *shares), rows)
