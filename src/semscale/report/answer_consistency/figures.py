"""Pictures and tables of a report on consistency: how values are spread, and how well probabilities hold."""

from math import isnan
from typing import TYPE_CHECKING

from semscale.answer_consistency.measures import MEASURES
from semscale.report.answer_consistency.words import MEASURE_NAMES, promise_words
from semscale.report.chart_kit import ACCENT, CONTRAST, NEUTRAL
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Figure,
    Histogram,
    Number,
    Share,
    Shares,
    WithInterval,
    Words,
)
from semscale.report.formatting import capitalised, count, coverage, number
from semscale.report.parts import (
    covered,
    group_label,
    histogram_caption,
    label_with_base,
    largest_groups,
    mean_row,
    score_group,
)
from semscale.report.plane_charts import ReliabilityDot, reliability
from semscale.report.row_charts import GROUP, HISTOGRAM, UNRELATED
from semscale.stats.sampling import SAMPLED_ROWS

if TYPE_CHECKING:
    from semscale.answer_consistency.correctness import CorrectnessProbability
    from semscale.answer_consistency.summary import ConsistencySummary
    from semscale.stats.calibration.calibration_error import CalibrationFigures

_CHARTED_GROUPS = 10
_COLOURS = {"accept": ACCENT, "review": NEUTRAL, "abstain": CONTRAST}


def spread_histogram(summary: "ConsistencySummary") -> Histogram:
    """Count the values of the first measure, of raw NCS where it was measured, and then of each group."""
    estimates, main = summary.estimates, summary.main
    has_ncs = "cosine_sim" in summary.scores
    shown = {main: HISTOGRAM} | ({"cosine_sim": UNRELATED} if has_ncs and main != "cosine_sim" else {})
    means = {name: estimates.overall_mean(name) for name in summary.scores}
    drawn = [
        score_group(
            label_with_base(capitalised(MEASURE_NAMES[name]), Count(means[name].n)),
            summary.scores[name],
            colour,
            means[name],
        )
        for name, colour in shown.items()
        if len(summary.scores[name])
    ]
    drawable = [group for group in estimates.groups if group.group in summary.group_scores]
    for group in largest_groups(drawable, _CHARTED_GROUPS):
        name = group_label(group, estimates.by)
        drawn.append(score_group(name, summary.group_scores[group.group], GROUP, group.mean))
    rows = tuple(mean_row(Words(MEASURE_NAMES[name]), mean) for name, mean in means.items())
    caption = histogram_caption("prompts have which value", estimates)
    if summary.is_sampled:
        caption += f" Counted in a random sample of {count(SAMPLED_ROWS)} prompts."
    crowded = " Raw cosine similarity crowds near 1 even where samples contradict the answer."
    return Histogram(
        "spread",
        tuple(drawn),
        MEASURES[main].bounds,
        (MEASURE_NAMES[main], "prompts"),
        DataTable(("", "prompts", "left out", "mean"), rows),
        title="Spread",
        caption=f"{caption}{crowded if has_ncs else ''}",
    )


def reliability_figure(figures: "CalibrationFigures", interval: float) -> Figure:
    """Draw the share of right answers against the probability that was given, bin by bin."""
    dots = [
        ReliabilityDot(one.predicted, one.observed.value, one.observed.low, one.observed.high, one.n)
        for one in figures.bins
    ]
    rows = tuple((Number(one.predicted), Count(one.n), WithInterval.of(one.observed)) for one in figures.bins)
    described = "; ".join(f"{number(dot.predicted)} given, {number(dot.observed)} right" for dot in dots)
    return Figure(
        "reliability",
        lambda _: reliability(dots),
        f"Share of right answers by probability. {described}.",
        DataTable(("P(correct)", "labelled answers", "share right"), rows, detail="full"),
        caption="Each dot is about equally many labelled answers, larger where they are more; its line is "
        f"the {coverage(interval)} interval of their share. On the dashed line probabilities "
        "hold. Every answer was judged by a curve that had not seen it.",
        style="square",
        is_narrow=True,
    )


def decision_bar(correctness: "CorrectnessProbability") -> Shares:
    """Give the share of prompts of each decision."""
    return Shares(tuple((name, _COLOURS[name], share) for name, share in correctness.shares.items()))


def decision_table(correctness: "CorrectnessProbability") -> DataTable:
    """Say for each decision from which value on it holds, how many prompts it takes, and what it promises."""
    accept, abstain, confidence = (
        correctness.triage.accept,
        correctness.triage.abstain,
        correctness.triage.confidence,
    )
    rows = (
        (Words("accept"), Number(accept.value, 3), Share(accept.accepted),
         Words(promise_words(accept, "this or more", "wrong", confidence))),
        (Words("abstain"), Number(abstain.value, 3), Share(abstain.accepted),
         Words(promise_words(abstain, "this or less", "right", confidence))),
        (Words("review"), Number(None), Share(correctness.triage.reviewed), Words("what lies between")),
    )  # fmt: skip
    columns = ("decision", MEASURE_NAMES[correctness.measure], "of prompts", "what it promises")
    return DataTable(columns, rows, title="Decisions")


def calibration_table(figures: "CalibrationFigures") -> DataTable:
    """Say how well probabilities hold, each figure beside what it must be compared with."""
    rows: tuple[tuple[Cell, ...], ...] = (
        (Words("Brier score", "0 is best"), WithInterval.of(figures.brier, 3),
         Number(figures.brier_of_share, 3), Words("the overall share, given to every answer")),
        (Words("calibration error (ECE)"), Number(figures.error, 3),
         Number(figures.error_by_chance, 3), Words("expected of probabilities that hold exactly")),
    )  # fmt: skip
    return DataTable(("", "value", "comparison", "compared with"), rows, title="Do the probabilities hold?")


def area_table(correctness: "CorrectnessProbability") -> DataTable:
    """Say how well each measure, and each null of lengths alone, tells right answers from wrong ones."""
    comparison = correctness.comparison
    areas = [comparison.separate, *([comparison.common] if comparison.common else [])]
    known = {name: area.value for name, area in comparison.compared.items() if not isnan(area.value)}
    names = sorted(comparison.separate, key=lambda name: -known.get(name, -1.0))
    cells: dict[str, list[Cell]] = {
        name: [WithInterval.of(each[name], 3) for each in areas] for name in names
    }
    columns = ("measure", "AUC", "labelled answers", f"AUC on the {comparison.n_common:,} that have all")
    rows = tuple(
        (Words(MEASURE_NAMES[name]), cells[name][0], Count(comparison.n[name]), *cells[name][1:])
        for name in names
    )
    interval = covered((cells[name][0] for name in names), correctness.interval)
    return DataTable(columns[: 2 + len(areas)], rows, title=f"What tells right from wrong{interval}")


def weight_table(correctness: "CorrectnessProbability") -> tuple[DataTable, ...]:
    """Give the weights of an ensemble's measures, the greatest first, and how often each was filled in."""
    weights = sorted(correctness.weights.items(), key=lambda item: -item[1])
    if not weights:
        return ()
    note = ", tuned on half of the labels" if correctness.measure == "ensemble_tuned" else ""
    rows = tuple(
        (Words(MEASURE_NAMES[name]), Share(weight), Count(correctness.filled.get(name, 0)))
        for name, weight in weights
    )
    return (
        DataTable(("measure", "weight", "prompts without it"), rows, title=f"Weights of the ensemble{note}"),
    )
