"""Pictures and tables of judging: how scores are spread, how severe each judge is, judges beside people."""

from typing import TYPE_CHECKING

import numpy as np

from semscale.report.chart_kit import ACCENT, BAR, CONTRAST, ordinal
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Figure,
    Histogram,
    Number,
    Quoted,
    ScoreGroup,
    Share,
    Swatch,
    WithInterval,
    Words,
)
from semscale.report.formatting import counted, ends, number, one_line
from semscale.report.parts import covered, histogram_caption, label_with_base, score_group
from semscale.report.row_charts import GroupRow, group_rows
from semscale.types import Floats, Status

if TYPE_CHECKING:
    from semscale.judging.human_labels import HumanEvidence
    from semscale.judging.summary import JudgeScores, JudgeSummary
    from semscale.stats.agreement.estimates import AgreementEstimate
    from semscale.stats.agreement.human_ceiling import HumanComparison
    from semscale.stats.intervals.estimates import Estimate
    from semscale.stats.intervals.means import MeanEstimate

_BANDS = ("0 to .2", ".2 to .4", ".4 to .6", ".6 to .8", ".8 to 1")
_METHODS = {"exact": "exact bounds"}
_STATUSES = ("unparsable", "refused", "failed", "unfinished")


def scores_histogram(summary: "JudgeSummary") -> Histogram:
    """Count the expected scores: the judge's or the panel's, each judge's, and people's labels below."""
    whole = Words("Panel, mean") if summary.is_panel else Quoted(summary.template.name)
    drawn = summary.in_draw
    named = [_named_group(whole, summary.expected[drawn], ACCENT, summary.mean_expected)]
    if summary.is_panel:
        named += [
            _named_group(Quoted(judge), own.expected[drawn], BAR, _mean_expected(summary, judge))
            for judge, own in summary.judges.items()
            if own.is_scored_anywhere
        ]
    if summary.human is not None and summary.mean_label is not None:
        labels = summary.human.mean_label
        named.append(_named_group(Words("People’s labels"), labels, CONTRAST, summary.mean_label))
    rows: list[tuple[Cell, ...]] = [
        (name, Count(len(group.scores)), Number(group.mean), *map(Share, _banded(group.scores).tolist()))
        for name, group in named
    ]
    return Histogram(
        "scores",
        tuple(group for _, group in named),
        (0.0, 1.0),
        ("score", "rows"),
        DataTable(("", "rows", "mean expected score", *_BANDS), tuple(rows)),
        caption=histogram_caption("rows have which expected score, from 0 to 1", summary.estimates),
    )


def _named_group(
    name: Words | Quoted, scores: Floats, colour: str, mean: "Estimate | MeanEstimate | None" = None
) -> tuple[Words | Quoted, ScoreGroup]:
    label = label_with_base(one_line(name.text), Count(int(np.isfinite(scores).sum())))
    return name, score_group(label, scores, colour, mean)


def severity_figure(summary: "JudgeSummary") -> Figure | None:
    """Draw each judge's mean expected score and the whole of its distributions; ``None`` for one judge."""
    overall = summary.mean_expected
    if not summary.is_panel or overall is None:
        return None
    colours, reference = ordinal(len(_BANDS)), overall.value
    rows = [
        _judge_row(name, own, mean)
        for name, own in summary.judges.items()
        if (mean := _mean_expected(summary, name))
    ]
    described = "; ".join(f"{row.name}: mean expected score {number(row.mean)}" for row in rows)
    table: list[tuple[Cell, ...]] = [
        (Quoted(row.name), Number(row.mean), *map(Share, row.pmf)) for row in rows
    ]
    return Figure(
        "severity",
        lambda width: group_rows(rows, colours, reference=reference, width=width),
        f"Means and distributions of each judge. {described}.",
        DataTable(("judge", "mean expected score", *_BANDS), tuple(table), detail="full"),
        caption="Each judge’s mean expected score with its interval, beside the mass it puts on each fifth "
        "of the range; the dashed line is the panel’s mean.",
        legend=tuple(Swatch(*pair) for pair in zip(colours, _BANDS, strict=True)),
    )


def judge_table(summary: "JudgeSummary") -> DataTable:
    """List the judges: rows with a score and without, mean score, mean expected score, severity."""
    seen = [s for s in _STATUSES if any(Status(s) in own.counts for own in summary.judges.values())]
    rows = []
    for name, own in summary.judges.items():
        counts = [Count(own.counts.get(Status(status), 0)) for status in ("scored", *seen)]
        row: list[Cell] = [Quoted(name), Quoted(own.template.name), *counts]
        row.append(WithInterval.of(summary.judge_estimates[name].overall.mean))
        row.append(WithInterval.of(_mean_expected(summary, name)))
        rows.append((*row, WithInterval.of(summary.severities[name])) if summary.is_panel else tuple(row))
    columns = ("judge", "template", "scored", *seen, "mean score", "mean expected score")
    return DataTable(
        (*columns, "above the others") if summary.is_panel else columns, tuple(rows), brief_title="Judges"
    )


def criteria_table(summary: "JudgeSummary") -> DataTable | None:
    """List the criteria of a rubric with weight and mean expected score; ``None`` for a template."""
    weights = {name: weight for own in summary.judges.values() for name, weight in own.weights.items()}
    if not summary.criteria:
        return None
    rows = tuple(
        (Quoted(name), Share(weights[name], 0), Count(mean.n), WithInterval.of(mean))
        for name, mean in summary.criteria.items()
    )
    interval = covered([row[-1] for row in rows], summary.plan.interval)
    columns = ("criterion", "weight", "rows", f"expected{interval}")
    return DataTable(columns, rows, brief_title="Criteria")


def pair_table(summary: "JudgeSummary") -> DataTable:
    """List how far every two judges of a panel agree."""
    rows = tuple(
        (Quoted(f"{one} and {other}"), Count(kappa.n), coefficient(kappa))
        for (one, other), kappa in summary.agreement.items()
    )
    return DataTable(("judges", "rows", "quadratic weighted kappa"), rows, detail="full")


def human_table(summary: "JudgeSummary") -> DataTable | None:
    """List the figures beside human labels, each with what it says; ``None`` without labels."""
    human = summary.human
    if human is None:
        return None
    corrected, less = human.corrected, human.judge_less_people
    scored = f"the {counted(summary.counts.get(Status.SCORED, 0), 'row')} with a score"
    both = f"{counted(corrected.n_labelled, 'row')} with a label and a score"
    rows: list[tuple[str, Cell, str]] = [
        (
            "mean, corrected by the labels",
            WithInterval.of(corrected, note=corrected.note or ""),
            _made(
                f"what people would give to {scored}, if the labelled ones among them are a random sample of "
                "these",
                corrected.method,
            ),
        ),
        (
            "mean expected score of the judge",
            WithInterval.of(corrected.naive),
            _made(f"of {scored}; knows nothing of the judge's errors", corrected.naive.method),
        ),
        (
            "mean of the labels alone",
            WithInterval.of(corrected.labels_only, note=corrected.note or ""),
            _made(
                f"without the judge, of {both}",
                corrected.method,
            ),
        ),
        *_all_labels(summary, human),
        (
            "judge less people",
            WithInterval.of(less),
            _made(f"on the {both}; above 0 is lenient", less.method),
        ),
        (
            "quadratic weighted kappa",
            coefficient(human.kappa),
            _made("agreement with the mean label; 1 is perfect, 0 chance", human.kappa.method),
        ),
    ]
    if human.ceiling is not None:
        rows += _beside_people(human.ceiling)
    interval = f"value{covered([value for _, value, _ in rows], summary.plan.interval)}"
    shown = tuple((Words(name), value, Words(meaning)) for name, value, meaning in rows)
    return DataTable(
        ("", interval, "what it says"), shown, explained=True, brief_title="Against human labels"
    )


def _all_labels(summary: "JudgeSummary", human: "HumanEvidence") -> list[tuple[str, Cell, str]]:
    """Show the mean of all labels where some stand in rows that the judge did not score."""
    mean, unscored = summary.mean_label, human.n_labelled - human.corrected.n_labelled
    if mean is None or not unscored:
        return []
    said = f"of {counted(human.n_labelled, 'row')} with a label, {unscored:,} of them without a score"
    return [("mean of all labels", WithInterval.of(mean), _made(said, mean.method))]


def _beside_people(ceiling: "HumanComparison") -> list[tuple[str, Cell, str]]:
    found = (
        ("rank correlation with people", ceiling.judge, "each person left out in turn"),
        ("people with each other", ceiling.ceiling, "the ceiling, on the same rows"),
        ("judge less ceiling", ceiling.difference, "above 0 the judge is no worse than a person"),
    )
    return [(name, coefficient(one), _made(meaning, one.method)) for name, one, meaning in found]


def _made(meaning: str, method: str | None) -> str:
    """Add how a figure's interval was made, as the rows of one table differ in it."""
    return meaning if method is None else f"{meaning}; interval by {_METHODS.get(method, method)}"


def coefficient(estimate: "AgreementEstimate") -> WithInterval:
    """Show a coefficient with its interval, or with the reason why it has none."""
    return WithInterval.of(estimate, note=estimate.note or "")


def _mean_expected(summary: "JudgeSummary", judge: str) -> "Estimate | None":
    return summary.judge_estimates[judge].overall.figures.get("expected")


def _judge_row(name: str, own: "JudgeScores", mean: "Estimate") -> GroupRow:
    low, high = ends(mean.low, mean.high)
    shares = tuple((own.fifths / own.fifths.sum()).tolist())
    return GroupRow(one_line(name), mean.value, low, high, shares)


def _banded(scores: Floats) -> Floats:
    bands = np.minimum((scores * len(_BANDS)).astype(int), len(_BANDS) - 1)
    return np.bincount(bands, minlength=len(_BANDS)) / max(len(scores), 1)
