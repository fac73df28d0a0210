"""The document of a calibration: its quality on new texts, its choice, and what more labels may gain."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.rating.calibrators import METHODS
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Number,
    Paragraph,
    Quoted,
    Section,
    SideBySide,
    WithInterval,
    Words,
)
from semscale.report.formatting import capitalised, counted, coverage, has_interval, listed, number, one_line
from semscale.report.parts import covered, settings
from semscale.report.plane_charts import scatter
from semscale.report.rating.words import ranking_warnings
from semscale.stats.intervals.estimates import Estimate

if TYPE_CHECKING:
    from semscale.rating.calibration import CalibrationSummary, CurvePoint, RatingQuality

_DIGITS = 3
_FEW_LABELS = 50
FORECAST_OFF = 200
"""Points of percent, divided by the labels, by which the forecast gain of twice as many is off in trials."""
_SCORES = Citation(
    "Gneiting, T. and Raftery, A. E. (2007).",
    "Strictly proper scoring rules, prediction, and estimation",
    "Journal of the American Statistical Association 102(477), 359–378",
    "ranked probability score and log score",
)
_PROBIT = Citation(
    "McCullagh, P. (1980).",
    "Regression models for ordinal data",
    "Journal of the Royal Statistical Society B 42(2), 109–142",
    "the methods ordinal and ridge",
)


def calibration_document(summary: "CalibrationSummary") -> Document:
    """Turn a calibration into a document."""
    labels, title = summary.calibration.labels, one_line(summary.scale.title)
    left_out = ", ".join(f"{n} {status}" for status, n in summary.left_out.items())
    counting = (
        f"{counted(labels.n, 'labelled text')} with {counted(labels.n_answers, 'answer')}"
        f"{f'; left out: {left_out}' if left_out else ''}"
    )
    return Document(
        kind="calibration report",
        name=f"Calibration of {title}",
        title=("Calibration of ", Quoted(summary.scale.title)),
        source=(Quoted(summary.source), f"{summary.created:%Y-%m-%d}"),
        signature=summary.signature,
        counting=(counting, gain_words(summary)),
        reading=(head_words(summary),),
        facts=(
            ("Labelled texts", Count(labels.n)),
            ("Answers", Count(labels.n_answers)),
            ("Method from all labels", Words(summary.calibration.method)),
        ),
        warnings=ranking_warnings(summary.calibration.error),
        cautions=tuple(_cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(_HONEST,),
        settings=settings(
            summary.source,
            summary.created,
            (("Intervals", f"{coverage(summary.interval)}, over {_unit(summary)}s"),),
            summary.signature,
        ),
        citations=(_SCORES, _PROBIT),
    )


_HONEST = (
    "Agreement, gain and learning curve are of texts that neither the choice of the method nor its fit had "
    "seen (nested cross-validation). Each method's error is of texts that no fit had seen, but the choice "
    "had; it may be a little too good."
)


def head_words(summary: "CalibrationSummary") -> str:
    """Say in one short sentence whether the calibration helps; figures only where the gain is clear."""
    error, texts = summary.calibration.error, counted(summary.calibration.labels.n, "labelled text")
    if error.is_reversed:
        return "The ratings run against the labels: make sure of the scale's direction before you calibrate."
    if not error.is_better:
        return "Calibration makes these ratings worse on texts that it has not seen: do not use it."
    if not summary.gain.low > 0:
        return f"{texts} do not show whether calibration helps: label more before you use it."
    if not error.has_ranking:
        return f"Calibration by {texts} mends the level; the ratings are not shown to tell texts apart."
    before, after = (number(score, _DIGITS) for score in (error.uncalibrated, error.calibrated))
    return f"Calibration by {texts} helps: the ranked probability score falls from {before} to {after}."


def gain_words(summary: "CalibrationSummary") -> str:
    """Say in a sentence how far the calibration helps."""
    error, gain = summary.calibration.error, summary.gain
    before, after = (number(score, _DIGITS) for score in (error.uncalibrated, error.calibrated))
    verb = "worsens" if error.calibrated > error.uncalibrated else "brings"
    scores = f"the ranked probability score from {before} to {after}"
    reached = f"On texts that it has not seen, calibration {verb} {scores}"
    if not has_interval(gain):
        return f"{reached}; how certain that is, these labels do not show."
    ends = f"{number(gain.low, _DIGITS)} and {number(gain.high, _DIGITS)}"
    return f"{reached} (less is better); the gain lies plausibly between {ends}."


def _served(summary: "CalibrationSummary") -> str:
    return f"New texts are rated with the method {summary.calibration.method}, which all labels choose."


def chosen_words(summary: "CalibrationSummary") -> str:
    """Say which method serves new texts, and which ones the figures are of."""
    method, chosen = summary.calibration.method, summary.chosen_in_folds
    folds = sum(chosen.values())
    others = [f"{name} in {n}" for name, n in chosen.items() if name != method]
    alike = f"{method} in {chosen.get(method, 0)}" if chosen.get(method, 0) else ""
    found = listed([part for part in (alike, *others) if part])
    return (
        f"{_served(summary)} The agreement above is that of the whole procedure: for each of {folds} folds, "
        f"method and fit were found without that fold ({found})."
    )


def _cautions(summary: "CalibrationSummary") -> Iterator[str]:
    labels, quality = summary.calibration.labels, summary.qualities
    if not summary.calibration.error.is_better:
        yield "The calibration makes labelled texts worse: rate without it, or label more texts."
    elif not summary.gain.low > 0:
        yield "These labels do not show that the calibration helps: label more texts before relying on it."
    if labels.n < _FEW_LABELS:
        yield f"{counted(labels.n, 'labelled text')} fix the shape of a distribution only roughly."
    used, points = summary.points_used, summary.scale.n_points
    if 2 * used < points:
        yield f"People's answers lie on {used} of the scale's {points} points only: the others are guesswork."
    ours, equal = quality["calibrated"].ks_similarity, quality["equal shares"].ks_similarity
    if ours.value <= equal.value:
        yield "The calibrated distribution is no nearer to people's than equal shares on every point."
    if labels.n_answers == labels.n:
        yield (
            "One answer a text: how far people differ about a text and how far the ratings are wrong about "
            "it cannot be told apart."
        )


def _sections(summary: "CalibrationSummary") -> Iterator[Section]:
    yield Section("quality", "Beside no calibration and equal shares", (_quality_table(summary),))
    yield Section("picture", "Are the means right?", _pictures(summary))
    yield Section("method", "How the method was chosen", tuple(_choice(summary)))
    if summary.curve:
        yield Section("labels", "Are more labels worth it?", tuple(_curve(summary)))


def _quality_table(summary: "CalibrationSummary") -> DataTable:
    names = tuple(summary.qualities)
    rows: tuple[tuple[str, str, str], ...] = (
        ("Pearson r of means", "pearson", "ranking: 1 is best"),
        ("KS similarity", "ks_similarity", "the distribution of all texts together: 1 is best"),
        ("ranked probability score", "ranked_probability", "each text's distribution: 0 is best"),
        ("log score, nats", "log_score", "the same, harder on points called impossible: 0 is best"),
    )
    figures: list[tuple[Cell, ...]] = [
        (Words(name), *(_figure(one, field) for one in summary.qualities.values()), Words(meaning))
        for name, field, meaning in rows
    ]
    spread: tuple[Cell, ...] = (
        Words("spread of means"),
        *(Number(one.spread) for one in summary.qualities.values()),
        Words(f"standard deviation; people's means have {number(summary.human_spread)}"),
    )
    cells = [cell for row in figures for cell in row]
    return DataTable(
        ("", *names, "what it can show"),
        (*figures, spread),
        title=f"Agreement with people on new texts{covered(cells, summary.interval)}",
        explained=True,
    )


def _figure(quality: "RatingQuality", field: str) -> Cell:
    estimate: Estimate = getattr(quality, field)
    return WithInterval.of(estimate, _DIGITS)


def _pictures(summary: "CalibrationSummary") -> tuple[Block, ...]:
    drawn = tuple(
        (_picture(summary, name),) for name in ("calibrated", "as rated") if summary.qualities[name].bins
    )
    return (SideBySide(drawn, "equals"),)


def _picture(summary: "CalibrationSummary", name: str) -> Figure:
    """Draw people's means against the ratings' means, bin by bin."""
    bins, values = summary.qualities[name].bins, summary.scale.values
    points = np.array([[one.rated, one.human] for one in bins])
    domain = (float(values[0]), float(values[-1]))
    axes = (f"mean rating, {name}", "people's mean")
    said = "; ".join(f"{number(one.rated)}: {number(one.human)}" for one in bins)
    return Figure(
        f"calibration-{name.replace(' ', '-')}",
        lambda _: scatter(points, (domain, domain), axes),
        f"People's mean by mean rating, {name}, in bins of like size: {said}.",
        DataTable(
            (*axes, "texts"),
            tuple((Number(one.rated), Number(one.human), Count(one.n)) for one in bins),
            detail="full",
        ),
        caption=f"{capitalised(name)}: one dot for about {counted(bins[0].n, 'text')} with like ratings; on "
        "the dashed line the ratings are right.",
        style="square",
        is_narrow=True,
    )


def _choice(summary: "CalibrationSummary") -> Iterator[Block]:
    chosen = summary.chosen_in_folds
    yield DataTable(
        ("method", "error", "chosen in folds", "what it does"),
        tuple(
            (Words(method), Number(error, 4), Count(chosen.get(method, 0)), Words(METHODS[method]))
            for method, error in summary.errors.items()
        ),
        title="Cross-validated ranked probability score of each method",
        explained=True,
    )
    yield Paragraph(chosen_words(summary), "note", detail="both")
    yield Paragraph(
        "The method ridge shrinks itself towards the ratings as they are; another one is taken only if its "
        "error is lower by more than chance explains.",
        "note",
    )


def _curve(summary: "CalibrationSummary") -> Iterator[Block]:
    yield Paragraph(curve_words(summary), "note", detail="both")
    yield Paragraph(
        "Each measured row is of all labelled texts, each predicted without its fold. The last one has all "
        "labels of the other folds, and is the agreement at the top; the others have a quarter and a half of "
        "these, with the method that the fold chose. So even for as many labels as you gave the error is a "
        "forecast.",
        "note",
    )
    yield DataTable(
        ("labelled texts", "error", "Pearson r", ""),
        tuple(
            (
                Count(point.n),
                Number(point.ranked_probability, 4),
                Number(point.pearson, _DIGITS),
                Words(curve_origin(point, summary.calibration.labels.n)),
            )
            for point in summary.curve
        ),
        title="Ranked probability score by number of labels",
    )


def curve_origin(point: "CurvePoint", n_labels: int) -> str:
    """Say how a point of the learning curve is known; with all labels none is left to test on."""
    if not point.is_forecast:
        return "measured"
    return "forecast, as no label is left to test on" if point.n == n_labels else "forecast"


def curve_words(summary: "CalibrationSummary") -> str:
    """Say what twice as many labels may gain, and how far such a forecast may be off."""
    now, twice = ([point for point in summary.curve if point.is_forecast] + [None, None])[:2]
    if now is None or twice is None:
        return "Too few labels to say what more would gain."
    gain = 100 * (now.ranked_probability - twice.ranked_probability) / now.ranked_probability
    off = FORECAST_OFF / summary.calibration.labels.n
    said = f"from {number(max(gain - off, 0), 0)} to {number(gain + off, 0)} %"
    return (
        f"Twice as many labels may lower the error by {said} (forecast {number(gain, 0)} %, give or take "
        f"{number(off, 0)}, as trials with review sentences were off)."
    )


def _unit(summary: "CalibrationSummary") -> str:
    return "group" if summary.calibration.labels.grouped else "text"
