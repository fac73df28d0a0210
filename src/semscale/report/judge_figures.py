"""Pictures of a judging report: how scores are spread, how severe each judge is, judges beside people."""

from typing import TYPE_CHECKING

import numpy as np

from semscale.report.figures import Figure, Swatch, Table
from semscale.report.group_charts import GroupRow, group_rows
from semscale.report.match_charts import GROUP, HISTOGRAM, HistogramRow, histograms
from semscale.report.palette import ordinal
from semscale.report.score_bins import bin_counts, bin_edges
from semscale.report.wording import (
    count,
    coverage,
    has_interval,
    number,
    one_line,
    with_interval,
)
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.judging.judge_summary import JudgeSummary
    from semscale.judging.verdicts import Verdicts
    from semscale.stats.means import MeanEstimate

_BINS = 20
_BANDS = ("0 to .2", ".2 to .4", ".4 to .6", ".6 to .8", ".8 to 1")
_LABELS = "#b4581a"


def scores_figure(summary: "JudgeSummary") -> Figure:
    """Draw how the expected scores are spread: the judge's or the panel's, and people's labels below."""
    expected = summary.expected[~np.isnan(summary.expected)]
    edges = bin_edges(expected, (0.0, 1.0), bins=_BINS)
    name = "Panel, mean" if summary.panel else one_line(summary.template.name)
    rows = [_row(name, expected, edges, summary.estimate, HISTOGRAM)]
    if summary.panel:
        rows += [
            _row(one_line(judge), scores, edges, summary.judge_estimates[judge].overall_mean(), GROUP)
            for judge, verdicts in summary.judges.items()
            if len(scores := verdicts.expected[verdicts.scored])
        ]
    if summary.human is not None:
        labels = summary.human.mean_label
        known = labels[~np.isnan(labels)]
        if len(known):
            rows.append(_row("People’s labels", known, edges, None, _LABELS))
    described = "; ".join(f"{row.name}: mean {number(row.mean)}" for row in rows)
    shown = tuple((row.name, number(row.mean), *map(_share, _banded(row, edges))) for row in rows)
    line = f", the line its {coverage(summary.plan.interval)} interval" if rows[0].low else ""
    return Figure.drawn(
        lambda width: histograms(rows, edges, width=width),
        f"Histograms of scores. {described}.",
        Table(("", "Mean", *(f"{band}, %" for band in _BANDS)), shown),
        caption="How many rows have which expected score, from 0 to 1, each histogram by its own measure; "
        f"the dot is the mean{line}.",
    )


def severity_figure(summary: "JudgeSummary") -> Figure | None:
    """Draw each judge's mean and the whole of its distributions; ``None`` for one judge."""
    panel = summary.panel
    if panel is None or summary.estimate.n == 0:
        return None
    colours = ordinal(len(_BANDS))
    severities = panel.severities(summary.plan)
    means = {name: found.overall_mean() for name, found in summary.judge_estimates.items()}
    scored = [(name, verdicts, far) for (name, verdicts), far in
              zip(summary.judges.items(), severities, strict=True) if verdicts.scored.any()]  # fmt: skip
    rows = [_judge_row(one_line(name), verdicts, means[name]) for name, verdicts, _ in scored]
    described = "; ".join(f"{row.name}: mean {number(row.mean)}" for row in rows)
    shown = tuple(
        (row.name, count(int(verdicts.scored.sum())), *map(with_interval, (means[name], far)))
        for row, (name, verdicts, far) in zip(rows, scored, strict=True)
    )
    return Figure.drawn(
        lambda width: group_rows(rows, colours, reference=summary.estimate.value, width=width),
        f"Means and distributions of each judge. {described}.",
        Table(("Judge", "Scored", "Mean", "Above the others"), shown),
        caption="Each judge’s mean score with its interval, beside the mass it puts on each fifth of the "
        "range; the dashed line is the panel’s mean.",
        legend=tuple(Swatch(*pair) for pair in zip(colours, _BANDS, strict=True)),
    )


def judge_table(summary: "JudgeSummary") -> Table:
    """List the judges: scored and not, mean, severity."""
    panel = summary.panel
    severities = panel.severities(summary.plan) if panel else ()
    statuses = ("unparsable", "refused", "failed", "unfinished")
    seen = [s for s in statuses if any(s in verdicts.counts for verdicts in summary.judges.values())]
    rows = []
    for place, (name, verdicts) in enumerate(summary.judges.items()):
        row = [one_line(name), one_line(verdicts.template.name), count(int(verdicts.scored.sum()))]
        row += [count(int((verdicts.status == status).sum())) for status in seen]
        row.append(with_interval(summary.judge_estimates[name].overall_mean()))
        rows.append((*row, with_interval(severities[place])) if panel else tuple(row))
    columns = ["Judge", "Template", "Scored", *(s.capitalize() for s in seen), "Mean"]
    return Table((*columns, "Above the others") if panel else tuple(columns), tuple(rows))


def _row(
    name: str, scores: Floats, edges: Floats, estimate: "MeanEstimate | None", colour: str
) -> HistogramRow:
    shares = bin_counts(scores, edges) / max(len(scores), 1)
    known = estimate is not None and has_interval(estimate)
    low, high = (estimate.low, estimate.high) if estimate is not None and known else (None, None)
    return HistogramRow(name, shares, float(scores.mean()), low, high, colour)


def _judge_row(name: str, verdicts: "Verdicts", estimate: "MeanEstimate") -> GroupRow:
    masses = np.zeros(len(_BANDS))
    for verdict in verdicts:
        for score, mass in verdict.distribution:
            masses[min(int(score * len(_BANDS)), len(_BANDS) - 1)] += mass
    low, high = (estimate.low, estimate.high) if has_interval(estimate) else (None, None)
    return GroupRow(name, estimate.value, low, high, tuple((masses / masses.sum()).tolist()))


def _banded(row: HistogramRow, edges: Floats) -> list[float]:
    middles = (edges[:-1] + edges[1:]) / 2
    bands = np.minimum((middles * len(_BANDS)).astype(int), len(_BANDS) - 1)
    return [float(row.shares[bands == band].sum()) for band in range(len(_BANDS))]


def _share(share: float) -> str:
    return number(100 * share, 1)
