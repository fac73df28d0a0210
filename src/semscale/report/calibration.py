"""Comparison of ratings with human ratings, and the document of a calibration."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.report import figures, parts
from semscale.report.chart_data import ChartData, ScatterData, Series
from semscale.report.chart_kit import ACCENT, CONTRAST, point_names
from semscale.report.document import (
    Block,
    Citation,
    DataTable,
    Document,
    Figure,
    Number,
    Paragraph,
    Quoted,
    Share,
    SideBySide,
    Value,
    estimate_cell,
    notices,
)
from semscale.report.formatting import (
    capitalise,
    count,
    count_of,
    coverage,
    has_interval,
    number,
    one_line,
    percent,
    with_interval,
)
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.plane_charts import scatter
from semscale.report.row_charts import Bar, bars
from semscale.stats.prediction_powered import FEWEST_LABELS
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.rating.calibration import CalibrationSummary, CurvePoint, HonestError
    from semscale.rating.human import RatingComparison
    from semscale.scales import Scale
    from semscale.stats.intervals import Estimate
    from semscale.stats.prediction_powered import CorrectedMean

FORECAST_OFF = 200
"""Error of the forecast gain in trials: percentage points, divided by the number of labels."""

CORRECTED = "corrected by the labels"
REVERSED = "On the labelled texts the ratings run against the labels: was the scale filled in backwards?"
_CALIBRATED_REVERSED = f"{REVERSED} A calibration by such labels reverses the ratings."
NO_RANKING = (
    "The calibrated ratings are not shown to distinguish texts: on texts that were not used to fit it, "
    "the interval of their correlation with people includes 0."
)
PROBIT = Citation(
    "McCullagh, P. (1980).",
    "Regression models for ordinal data",
    "Journal of the Royal Statistical Society B 42(2), 109–142",
    "the probit link of the process",
)
_PROCESS = Citation(
    "Rasmussen, C. E. and Williams, C. K. I. (2006).",
    "Gaussian Processes for Machine Learning",
    "MIT Press",
    "the Gaussian process of the calibration",
)
_SCORES = Citation(
    "Gneiting, T. and Raftery, A. E. (2007).",
    "Strictly proper scoring rules, prediction, and estimation",
    "Journal of the American Statistical Association 102(477), 359–378",
    "ranked probability score and log score",
)
_HONEST = "Agreement, gain and learning curve are of texts that were not used in the fit (cross-validation)."
_CURVE = (
    "Each measured row is of all labelled texts, each predicted without its fold. The last one has all "
    "labels of the other folds, and is the agreement at the top; the others have a quarter and a half of "
    "these. So even for as many labels as you gave the error is a forecast."
)
_TOGETHER = (
    "Read all of them together: a method can copy a distribution without ranking a single text correctly, "
    "and the other way round."
)
_NOT_ON_SCALE = "human values do not fit on this scale"
_FEW_LABELS = 50
_DRAWN_POINTS = 1000
_HALF_WIDTH = 420  # pixels: two pictures fit next to each other
_DIGITS = 3


# A calibration


def calibration_document(summary: "CalibrationSummary") -> Document:
    """Turn a calibration into a document."""
    labels, title = summary.calibration.labels, one_line(summary.scale.title)
    left_out = ", ".join(f"{n} {status}" for status, n in summary.left_out.items())
    counting = (
        f"{count_of(labels.n, 'labelled text')} with {count_of(labels.n_answers, 'answer')}"
        f"{f'; left out: {left_out}' if left_out else ''}"
    )
    pictures = tuple(
        (_means_figure(summary, name),) for name in ("calibrated", "as rated") if summary.qualities[name].bins
    )
    unit = "group" if labels.grouped else "text"
    return Document(
        kind="calibration report",
        name=f"Calibration of {title}",
        title=("Calibration of ", Quoted(summary.scale.title)),
        source=parts.input_and_date(summary),
        introduction=(
            Paragraph(head_sentence(summary)),
            Paragraph(counting, detail="brief"),
            Paragraph(gain_sentence(summary), detail="brief"),
        ),
        notices=notices(
            warnings=ranking_warnings(summary.calibration.error),
            cautions=_cautions(summary),
            notes=[_HONEST],
        ),
        facts=parts.facts(("Labelled texts", labels.n), ("Answers", labels.n_answers)),
        sections=without_none(
            section("quality", "Comparison with no calibration and equal shares", _quality_table(summary)),
            section("picture", "Are the means right?", SideBySide(pictures, "equals")),
            section("labels", "Are more labels worth it?", *_label_blocks(summary)),
        ),
        settings=parts.run_settings(summary, ("Intervals", f"{coverage(summary.interval)}, over {unit}s")),
        citations=(_SCORES, _PROCESS, PROBIT),
        signature=summary.signature,
    )


def head_sentence(summary: "CalibrationSummary") -> str:
    """Return a short statement of the calibration's effect, with figures only if the gain is clear."""
    error, texts = summary.calibration.error, count_of(summary.calibration.labels.n, "labelled text")
    if error.is_reversed:
        return "The ratings run against the labels: make sure of the scale's direction before you calibrate."
    if error.is_worse:
        return "Calibration makes these ratings worse on texts that were not used to fit it: do not use it."
    if not summary.gain.low > 0:
        return f"{texts} do not show that calibration helps: label more before you use it."
    if not error.has_ranking:
        return f"Calibration by {texts} corrects the level; the ratings are not shown to distinguish texts."
    before, after = (number(score, _DIGITS) for score in (error.uncalibrated, error.calibrated))
    return f"Calibration by {texts} helps: the ranked probability score falls from {before} to {after}."


def gain_sentence(summary: "CalibrationSummary") -> str:
    """State the gain of the calibration."""
    error, gain = summary.calibration.error, summary.gain
    before, after = (number(score, _DIGITS) for score in (error.uncalibrated, error.calibrated))
    verb = "worsens" if error.is_worse else "brings"
    scores = f"the ranked probability score from {before} to {after}"
    reached = f"On texts that were not used to fit it, calibration {verb} {scores}"
    if not has_interval(gain):
        return f"{reached}; these labels do not show how certain that is."
    ends = f"{number(gain.low, _DIGITS)} and {number(gain.high, _DIGITS)}"
    return f"{reached} (lower is better); the gain is probably between {ends}."


def ranking_warnings(error: "HonestError") -> tuple[str, ...]:
    """Warn of ratings that rank opposite to the labels, and of calibrated ratings that do not follow them.

    Ratings that a calibration reversed follow the labels, so both warnings can apply.
    """
    return without_none(
        _CALIBRATED_REVERSED if error.is_reversed else None, None if error.has_ranking else NO_RANKING
    )


def _cautions(summary: "CalibrationSummary") -> Iterator[str]:
    labels, quality = summary.calibration.labels, summary.qualities
    if summary.calibration.error.is_worse:
        yield "The calibration makes labelled texts worse: rate without it, or label more texts."
    elif not summary.gain.low > 0:
        yield "These labels do not show that the calibration helps: label more texts before relying on it."
    if labels.n < _FEW_LABELS:
        yield f"{count_of(labels.n, 'labelled text')} fix the shape of a distribution only roughly."
    used, points = summary.points_used, summary.scale.n_points
    if 2 * used < points:
        yield f"People's answers lie on only {used} of the scale's {points} points: the others are guesses."
    calibrated, equal = quality["calibrated"].ks_similarity, quality["equal shares"].ks_similarity
    if calibrated.value <= equal.value:
        yield "The calibrated distribution is no nearer to people's than equal shares on every point."
    if labels.n_answers == labels.n:
        yield (
            "There is one answer per text, so differences between people and errors of the ratings cannot be "
            "told apart."
        )


def _quality_table(summary: "CalibrationSummary") -> DataTable:
    qualities = summary.qualities.values()
    quality_figures = {
        "Pearson r of means": ([quality.pearson for quality in qualities], "ranking: 1 is best"),
        "KS similarity": (
            [quality.ks_similarity for quality in qualities],
            "the distribution of all texts together: 1 is best",
        ),
        "ranked probability score": (
            [quality.ranked_probability for quality in qualities],
            "each text's distribution: 0 is best",
        ),
        "log score, nats": (
            [quality.log_score for quality in qualities],
            "the same, stricter on points called impossible: 0 is best",
        ),
    }
    rows: list[tuple[Value, ...]] = [
        (name, *(estimate_cell(estimate, _DIGITS) for estimate in estimates), meaning)
        for name, (estimates, meaning) in quality_figures.items()
    ]
    interval = parts.coverage_suffix((value for row in rows for value in row), summary.interval)
    spread = f"standard deviation; people's means have {number(summary.human_spread)}"
    rows.append(("spread of means", *(quality.spread for quality in qualities), spread))
    return table(
        ("", *summary.qualities, "meaning"),
        rows,
        title=f"Agreement with people on new texts{interval}",
        explained=True,
    )


def _means_figure(summary: "CalibrationSummary", name: str) -> Figure:
    """Draw people's means against the ratings' means, bin by bin."""
    bins, values = summary.qualities[name].bins, summary.scale.values
    points = np.array([[mean_bin.rated, mean_bin.human] for mean_bin in bins])
    domain = (float(values[0]), float(values[-1]))
    axes = (f"mean rating, {name}", "people's mean")
    pairs = figures.describe_rows((number(rated), number(human)) for rated, human in points.tolist())
    return Figure(
        f"calibration-{name.replace(' ', '-')}",
        lambda _: scatter(points, (domain, domain), axes),
        f"People's mean by mean rating, {name}, in bins of similar size: {pairs}.",
        table_of(
            bins,
            (
                (axes[0], lambda mean_bin: mean_bin.rated),
                (axes[1], lambda mean_bin: mean_bin.human),
                ("texts", lambda mean_bin: mean_bin.n),
            ),
            detail="full",
        ),
        caption=f"{capitalise(name)}: one dot for about {count_of(bins[0].n, 'text')} with similar ratings; "
        "on the dashed line the ratings are right.",
        style="square",
        is_narrow=True,
        scatter=_scatter_data(points, (domain, domain), axes),
    )


def _scatter_data(
    points: Floats, limits: tuple[tuple[float, float], tuple[float, float]], axes: tuple[str, str]
) -> ScatterData:
    """Return the data of a native chart of points, shape (n, 2)."""
    x, y = (tuple(column) for column in points.T.tolist())
    return ScatterData(x, y, axes, limits)


def _label_blocks(summary: "CalibrationSummary") -> Iterator[Block | str]:
    """State whether the labels are enough, and show the learning curve if they are enough for one."""
    yield Paragraph(summary.progress.advice, detail="both")
    if summary.curve:
        yield Paragraph(curve_sentence(summary), "note", "both")
        yield _CURVE
        yield _curve_table(summary)


def _curve_table(summary: "CalibrationSummary") -> DataTable:
    columns: Columns[CurvePoint] = (
        ("labelled texts", lambda point: point.n),
        ("error", lambda point: Number(point.ranked_probability, 4)),
        ("Pearson r", lambda point: Number(point.pearson, _DIGITS)),
        ("", lambda point: curve_origin(point, summary.calibration.labels.n)),
    )
    return table_of(summary.curve, columns, title="Ranked probability score by number of labels")


def curve_origin(point: "CurvePoint", n_labels: int) -> str:
    """State the origin of a point of the learning curve; with all labels, none is left for testing."""
    if not point.is_forecast:
        return "measured"
    return "forecast, as no label is left to test on" if point.n == n_labels else "forecast"


def curve_sentence(summary: "CalibrationSummary") -> str:
    """State the expected gain from twice as many labels, and the error of such a forecast."""
    now, twice = ([point for point in summary.curve if point.is_forecast] + [None, None])[:2]
    if now is None or twice is None:
        return "There are too few labels to forecast the gain of more."
    gain = 100 * (now.ranked_probability - twice.ranked_probability) / now.ranked_probability
    off = FORECAST_OFF / summary.calibration.labels.n
    ends = f"{number(max(gain - off, 0), 0)} to {number(gain + off, 0)} %"
    return (
        f"Twice as many labels may lower the error by {ends} (forecast {number(gain, 0)} %, give or take "
        f"{number(off, 0)}, the error of such forecasts in trials with review sentences)."
    )


# Ratings compared with human ratings


def comparison_blocks(comparison: "RatingComparison", scale: "Scale") -> tuple[Block | str, ...]:
    """Show ranking, distribution, ceiling and baselines together, and draw both."""
    pictures = without_none(_scatter_figure(comparison, scale), _pmfs_figure(comparison, scale))
    counting = ""
    if comparison.uses_inclusion:
        weight = "its weight" if comparison.uses_weights else "1"
        counting = f"In these figures each text is weighted by {weight} / its probability of being drawn."
    elif comparison.uses_weights:
        counting = "In these figures texts are weighted."
    return without_none(
        Paragraph(agreement_sentences(comparison), "lead"),
        None if comparison.progress is None else Paragraph(comparison.progress.advice, detail="both"),
        _agreement_table(comparison),
        Paragraph(counting, "note", "both") if counting else None,
        _TOGETHER,
        SideBySide(tuple((picture,) for picture in pictures)) if pictures else None,
    )


def agreement_sentences(comparison: "RatingComparison") -> str:
    """Describe the agreement with humans, limited to what the figures show."""
    pearson, ceiling = comparison.pearson, comparison.ceiling
    if math.isnan(pearson.value):
        return "Too few texts, or scores that never differ: no correlation can be measured."
    reliable = ""
    if ceiling is not None and has_interval(ceiling):
        reliable = f"; the human means have a reliability of {number(ceiling.value)}"
    follow = "run against" if pearson.value < 0 else "follow"
    ranking = f"the ratings {follow} the human means with r = {number(pearson.value)}{reliable}."
    return " ".join([f"Over {_count_texts(comparison)} {ranking}", *_doubts(comparison)])


def _doubts(comparison: "RatingComparison") -> Iterator[str]:
    pearson, null = comparison.pearson, comparison.null_length
    ks, equal = comparison.ks_similarity, comparison.null_ks
    if pearson.low <= 0 <= pearson.high:
        yield "The interval includes 0, so the ranking may be chance."
    if not has_interval(pearson):
        yield "These texts do not show how certain that is."
    if null is not None and not math.isnan(null.value):
        yield _against_length(pearson, null)
    if ks is not None:
        shown = number(ks.value)
        yield f"The distributions coincide to {shown} (KS similarity), a separate question from ranking."
        if equal is not None:
            yield _against_equal_shares(ks, equal)


def _against_length(pearson: "Estimate", null: "Estimate") -> str:
    reached = f"Text length alone reaches r = {number(null.value)}"
    if pearson.low > max(abs(null.low), abs(null.high)):
        return f"{reached}: the ratings are clearly better."
    if pearson.value <= abs(null.value):
        return f"{reached}: the ratings are not better."
    if -null.low > null.high:
        reached += f", and may reach {number(-null.low)} with the opposite sign"
    return (
        f"{reached}: these labels do not show that the ratings order the texts better than their length "
        "does; label more texts to find out."
    )


def _against_equal_shares(ks: "Estimate", equal: "Estimate") -> str:
    reached = f"A uniform distribution, which ignores the texts, reaches {number(equal.value)}"
    if ks.value <= equal.value:
        return f"{reached}: the ratings are not better."
    if has_interval(ks) and has_interval(equal) and ks.low > equal.high:
        return f"{reached}: the ratings are clearly better."
    return (
        f"{reached}: these labels do not show that the shares of points are better; use the order of the "
        "texts, or label more texts before you use these shares."
    )


def _count_texts(comparison: "RatingComparison") -> str:
    """State the number of compared texts, which can be a sample."""
    texts = count_of(comparison.n, "text")
    sampled = comparison.n < comparison.n_eligible
    return f"a sample of {texts} of {count(comparison.n_eligible)}" if sampled else texts


def _agreement_table(comparison: "RatingComparison") -> DataTable:
    """List every figure with its meaning, or why it is missing."""
    listed = (
        ("Pearson r of means", comparison.pearson,
         "ranking: do texts that people score higher get more?", ""),
        ("Spearman rho of means", comparison.spearman,
         "the same on ranks: the spacing of scores is ignored", ""),
        ("KS similarity of distributions", comparison.ks_similarity,
         "1 means the same share on every point; unrelated to ranking. Its interval is that of a band around "
         "all points, and rather wide", _NOT_ON_SCALE),
        ("ceiling: reliability of the humans", comparison.ceiling,
         "reliability of the mean of all raters: split halves of the raters, Spearman–Brown; the highest r "
         "to expect is its square root. Its interval keeps the splits fixed",
         "one human value per text does not show how far people agree"),
        ("baseline: r of text length", comparison.null_length,
         "reached by the number of characters alone; a rating that does no better does not use the text",
         "no texts were given"),
        ("baseline: KS of a uniform distribution", comparison.null_ks,
         "the KS similarity of the same share on every point; a distribution that does no better has read "
         "nothing", _NOT_ON_SCALE),
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = [
        (name, estimate_cell(estimate, _DIGITS), absent if estimate is None else meaning)
        for name, estimate, meaning, absent in listed
    ]
    if comparison.corrected is not None:
        rows += _correction_rows(comparison, comparison.corrected)
    return table(
        ("", "estimate", "meaning"),
        rows,
        title=f"Agreement{parts.coverage_suffix((row[1] for row in rows), comparison.interval)}",
        brief_title=f"Comparison with humans ({_count_texts(comparison)})",
        explained=True,
    )


def _correction_rows(comparison: "RatingComparison", corrected: "CorrectedMean") -> list[tuple[Value, ...]]:
    """List the mean of all texts corrected by human labels, and the mean of the labels."""
    n = count(corrected.n_labelled)
    drawn = (
        f"from {n} labelled ones, each weighted by 1 / its probability of being drawn"
        if comparison.uses_inclusion
        else f"if the {n} labelled ones are a random sample of them, drawn with equal probabilities"
    )
    note = alone = corrected.note or ""
    if corrected.n_labelled < FEWEST_LABELS:
        alone = f"an interval needs {FEWEST_LABELS} labels or more"
    meaning = f"the mean that people would give to {correction_texts(comparison)}, {drawn}"
    labels = estimate_cell(corrected.labels_only, _DIGITS, note=alone)
    return [
        (f"mean of all texts, {CORRECTED}", estimate_cell(corrected, _DIGITS, note=note), meaning),
        ("mean of the labels alone", labels, f"the same without the ratings, of {n} texts"),
    ]


def correction_sentence(comparison: "RatingComparison | None", digits: int) -> str | None:
    """State the mean of all texts corrected by human labels; ``None`` if unknown."""
    corrected = None if comparison is None else comparison.corrected
    if comparison is None or corrected is None or math.isnan(corrected.value):
        return None
    labels = count_of(corrected.n_labelled, "label")
    source = "" if comparison.sheet is None else f" of {one_line(comparison.sheet)}"
    interval = f" ({coverage(comparison.interval)} interval)" if has_interval(corrected) else ""
    return (
        f"Corrected by {labels}{source}, the mean of {correction_texts(comparison)} is "
        f"{with_interval(corrected, digits)}{interval}."
    )


def correction_texts(comparison: "RatingComparison") -> str:
    """State the number of texts behind corrected figures, including those without a rating."""
    corrected = comparison.corrected
    n = 0 if corrected is None else corrected.n_labelled + corrected.n_unlabelled
    if not comparison.n_unrated:
        return f"all {count(n)} rated texts"
    return f"all {count(n)} texts that can be read, {count(comparison.n_unrated)} of them without a rating"


def _scatter_figure(comparison: "RatingComparison", scale: "Scale") -> Figure | None:
    """Draw machine means against human means; ``None`` without points."""
    points: Floats = comparison.points[np.isfinite(comparison.points).all(axis=1)]
    if len(points) == 0:
        return None
    points = points[np.linspace(0, len(points) - 1, min(len(points), _DRAWN_POINTS)).astype(int)]
    limits = (float(scale.values[0]), float(scale.values[-1]))
    human = (float(points[:, 0].min()), float(points[:, 0].max()))
    inside = limits[0] <= human[0] and human[1] <= limits[1]
    same_units = inside and human[1] - human[0] > (limits[1] - limits[0]) / 2
    domain = limits if same_units else human if human[0] < human[1] else (human[0] - 0.5, human[1] + 0.5)
    drawn = f"All {count_of(len(points), 'text')}"
    if len(points) < comparison.n:
        drawn = f"{count(len(points))} of {count(comparison.n)} texts, a sample"
    axes = ("human mean, as given", "Semscale mean")
    diagonal = " On the dashed line both would give the same score." if same_units else ""
    return Figure(
        "human-means",
        lambda _: scatter(points, (domain, limits), axes),
        f"Scatter of human mean and Semscale mean, {drawn}. Pearson r {with_interval(comparison.pearson)}, "
        f"Spearman {with_interval(comparison.spearman)}.",
        table(axes, points.tolist(), detail="full"),
        caption=f"{drawn}; one dot per text.{diagonal}",
        style="square",
        is_narrow=True,
        scatter=_scatter_data(points, (domain, limits), axes),
    )


def _pmfs_figure(comparison: "RatingComparison", scale: "Scale") -> Figure | None:
    """Draw the humans' PMF below the machine's; ``None`` without PMFs."""
    if not np.isfinite([comparison.human_pmf, comparison.machine_pmf]).all():
        return None
    names = point_names(scale)[::-1]
    pairs = np.column_stack([comparison.machine_pmf, comparison.human_pmf])[::-1].tolist()
    sides = figures.legend((ACCENT, CONTRAST), ("Semscale", "Humans"))
    drawn = [
        Bar(row, share, math.nan, math.nan, percent(share), percent(share), side.colour)
        for row, pair in enumerate(pairs)
        for share, side in zip(pair, sides, strict=True)
    ]
    named = list(zip(names, pairs, strict=True))
    shares = figures.describe_rows((name, " and ".join(map(percent, pair))) for name, pair in named)
    rows: list[tuple[Value, ...]] = [(Quoted(name), *map(Share, pair)) for name, pair in named]
    basis = f"{capitalise(_count_texts(comparison))}, rated by Semscale and by people."
    return Figure(
        "human-distributions",
        lambda _: bars(drawn, names, _HALF_WIDTH),
        f"Share of each point, Semscale and humans: {shares}.",
        table(("point", "Semscale", "humans"), rows, detail="full"),
        caption=f"{basis} Human values lie linearly on the points.",
        legend=sides,
        is_narrow=True,
        data=(
            ChartData(
                "bars",
                tuple(names),
                tuple(
                    Series(side.label, shares_of_side)
                    for side, shares_of_side in zip(sides, zip(*pairs, strict=True), strict=True)
                ),
                quantity="share of each point",
                note=basis,
            ),
        ),
    )
