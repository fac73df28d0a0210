"""Ratings and people: agreement of ratings with human ratings, and the document of a calibration."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.rating.calibrators import METHODS
from semscale.report.chart_kit import ACCENT, CONTRAST, point_names
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Label,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    SideBySide,
    Swatch,
    WithInterval,
    estimate_cell,
)
from semscale.report.formatting import (
    capitalised,
    count,
    counted,
    coverage,
    has_interval,
    listed,
    number,
    one_line,
    percent,
    with_interval,
)
from semscale.report.parts import covered, run_settings
from semscale.report.plane_charts import scatter
from semscale.report.row_charts import Bar, bars
from semscale.stats.calibration.prediction_powered import FEWEST_LABELS
from semscale.stats.intervals.estimates import Estimate

if TYPE_CHECKING:
    from semscale.rating.calibration import (
        CalibrationSummary,
        CurvePoint,
        HonestError,
    )
    from semscale.rating.human import RatingComparison
    from semscale.scales import Scale
    from semscale.stats.calibration.prediction_powered import CorrectedMean
    from semscale.stats.intervals.estimates import Estimate


_FEW_LABELS = 50

FORECAST_OFF = 200
"""Points of percent, divided by the labels, by which the forecast gain of twice as many is off in trials."""

_DIGITS = 3

_SCORES = Citation(
    "Gneiting, T. and Raftery, A. E. (2007).",
    "Strictly proper scoring rules, prediction, and estimation",
    "Journal of the American Statistical Association 102(477), 359–378",
    "ranked probability score and log score",
)

PROBIT = Citation(
    "McCullagh, P. (1980).",
    "Regression models for ordinal data",
    "Journal of the Royal Statistical Society B 42(2), 109–142",
    "the methods ordinal and ridge",
)

_HONEST = (
    "Agreement, gain and learning curve are of texts that neither the choice of the method nor its fit had "
    "seen (nested cross-validation). Each method's error is of texts that no fit had seen, but the choice "
    "had; it may be a little too good."
)

_DRAWN_POINTS = 1000

_HALF_WIDTH = 420  # pixels: two pictures stand side by side

CORRECTED = "mean of all texts, corrected by the labels"

_NOT_LAID = "human values could not be laid on this scale"

REVERSED = (
    "On the labelled texts the ratings run against the labels: was the scale filled in the wrong way round? "
    "A calibration by such labels turns the ratings round."
)

NO_RANKING = (
    "The calibrated ratings are not shown to tell texts apart: on texts that the calibration had not seen, "
    "the interval of their correlation with people reaches 0."
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
            ("Method from all labels", Label(summary.calibration.method)),
        ),
        warnings=ranking_warnings(summary.calibration.error),
        cautions=tuple(_calibration_cautions(summary)),
        sections=tuple(_calibration_sections(summary)),
        notes=(_HONEST,),
        settings=run_settings(
            summary.source,
            summary.created,
            (("Intervals", f"{coverage(summary.interval)}, over {_unit(summary)}s"),),
            summary.signature,
        ),
        citations=(_SCORES, PROBIT),
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


def chosen_words(summary: "CalibrationSummary") -> str:
    """Say which method serves new texts, and which ones the figures are of."""
    method, chosen = summary.calibration.method, summary.chosen_in_folds
    folds = sum(chosen.values())
    others = [f"{name} in {n}" for name, n in chosen.items() if name != method]
    alike = f"{method} in {chosen.get(method, 0)}" if chosen.get(method, 0) else ""
    choices = listed([part for part in (alike, *others) if part])
    return (
        f"New texts are rated with the method {method}, which all labels choose. The agreement above is that "
        f"of the whole procedure: for each of {folds} folds, "
        f"method and fit were found without that fold ({choices})."
    )


def _calibration_cautions(summary: "CalibrationSummary") -> Iterator[str]:
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
    calibrated, equal = quality["calibrated"].ks_similarity, quality["equal shares"].ks_similarity
    if calibrated.value <= equal.value:
        yield "The calibrated distribution is no nearer to people's than equal shares on every point."
    if labels.n_answers == labels.n:
        yield (
            "One answer a text: how far people differ about a text and how far the ratings are wrong about "
            "it cannot be told apart."
        )


def _calibration_sections(summary: "CalibrationSummary") -> Iterator[Section]:
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
        (
            Label(name),
            *(estimate_cell(getattr(quality, field), _DIGITS) for quality in summary.qualities.values()),
            Label(meaning),
        )
        for name, field, meaning in rows
    ]
    spread: tuple[Cell, ...] = (
        Label("spread of means"),
        *(Number(quality.spread) for quality in summary.qualities.values()),
        Label(f"standard deviation; people's means have {number(summary.human_spread)}"),
    )
    cells = [cell for row in figures for cell in row]
    return DataTable(
        ("", *names, "what it can show"),
        (*figures, spread),
        title=f"Agreement with people on new texts{covered(cells, summary.interval)}",
        explained=True,
    )


def _pictures(summary: "CalibrationSummary") -> tuple[Block, ...]:
    drawn = tuple(
        (_picture(summary, name),) for name in ("calibrated", "as rated") if summary.qualities[name].bins
    )
    return (SideBySide(drawn, "equals"),)


def _picture(summary: "CalibrationSummary", name: str) -> Figure:
    """Draw people's means against the ratings' means, bin by bin."""
    bins, values = summary.qualities[name].bins, summary.scale.values
    points = np.array([[mean_bin.rated, mean_bin.human] for mean_bin in bins])
    domain = (float(values[0]), float(values[-1]))
    axes = (f"mean rating, {name}", "people's mean")
    pairs = "; ".join(f"{number(rated)}: {number(human)}" for rated, human in points.tolist())
    return Figure(
        f"calibration-{name.replace(' ', '-')}",
        lambda _: scatter(points, (domain, domain), axes),
        f"People's mean by mean rating, {name}, in bins of like size: {pairs}.",
        DataTable(
            (*axes, "texts"),
            tuple((Number(each.rated), Number(each.human), Count(each.n)) for each in bins),
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
            (Label(method), Number(error, 4), Count(chosen.get(method, 0)), Label(METHODS[method].label))
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
                Label(curve_origin(point, summary.calibration.labels.n)),
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
    ends = f"from {number(max(gain - off, 0), 0)} to {number(gain + off, 0)} %"
    return (
        f"Twice as many labels may lower the error by {ends} (forecast {number(gain, 0)} %, give or take "
        f"{number(off, 0)}, as trials with review sentences were off)."
    )


def _unit(summary: "CalibrationSummary") -> str:
    return "group" if summary.calibration.labels.grouped else "text"


def ranking_warnings(error: "HonestError") -> tuple[str, ...]:
    """Warn of ratings that run against the labels, and of calibrated ones that do not follow them.

    Ratings that a calibration turned round follow the labels, so both can hold.
    """
    return (*([REVERSED] if error.is_reversed else []), *([] if error.has_ranking else [NO_RANKING]))


def comparison_blocks(comparison: "RatingComparison", scale: "Scale") -> tuple[Block, ...]:
    """Show ranking, distribution, ceiling and what is to beat together, and draw both."""
    pictures = (_scatter(comparison, scale), _distributions(comparison, scale))
    drawn = tuple((picture,) for picture in pictures if picture is not None)
    return (
        Paragraph(agreement_words(comparison), "lead"),
        _agreement_table(comparison),
        *([Paragraph(counting, "note", "both")] if (counting := _counting(comparison)) else []),
        Paragraph(
            "Read all of them together: a method can copy a distribution without ranking a single text "
            "rightly, and the other way round.",
            "note",
        ),
        *([SideBySide(drawn)] if drawn else []),
    )


def agreement_words(comparison: "RatingComparison") -> str:
    """Put the agreement with humans in words, without more than the figures carry."""
    pearson, ceiling = comparison.pearson, comparison.ceiling
    if math.isnan(pearson.value):
        return "Too few texts, or scores that never differ: no correlation can be measured."
    reliable = (
        f"; the human means have a reliability of {number(ceiling.value)}"
        if ceiling is not None and has_interval(ceiling)
        else ""
    )
    follow = "run against" if pearson.value < 0 else "follow"
    ranking = f"the ratings {follow} the human means with r = {number(pearson.value)}{reliable}."
    return " ".join([f"Over {_compared_texts(comparison)} {ranking}", *_doubts(comparison)])


def _doubts(comparison: "RatingComparison") -> Iterator[str]:
    pearson, null = comparison.pearson, comparison.null_length
    ks, equal = comparison.ks_similarity, comparison.null_ks
    if pearson.low <= 0 <= pearson.high:
        yield "The interval includes 0, so the ranking may be chance."
    if pearson.high < 0:
        yield "The ratings run against the labels: was the scale filled in the wrong way round?"
    if not has_interval(pearson):
        yield "How certain that is, these texts do not show."
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
        return f"{reached}, clearly less."
    if pearson.value > abs(null.value) and -null.low > null.high:
        turned = f"with its sign turned it may reach {number(-null.low)}"
        return f"{reached}, and {turned}; the advantage over it is not certain."
    if pearson.value > abs(null.value):
        both = has_interval(pearson) and has_interval(null)
        overlap = "the intervals overlap, so " if both else ""
        return f"{reached}; {overlap}the advantage over it is not certain."
    return f"{reached}; the ratings do not beat that."


def _against_equal_shares(ks: "Estimate", equal: "Estimate") -> str:
    reached = f"Equal shares on every point reach {number(equal.value)} without reading a text"
    if ks.value <= equal.value:
        return f"{reached}; the ratings do not beat that."
    if has_interval(ks) and has_interval(equal) and ks.low > equal.high:
        return f"{reached}, clearly less."
    return f"{reached}; the advantage over them is not certain."


def _compared_texts(comparison: "RatingComparison") -> str:
    """Count the texts that were compared, and say so if they are a sample."""
    texts = counted(comparison.n, "text")
    sampled = comparison.n < comparison.n_eligible
    return f"a sample of {texts} of {count(comparison.n_eligible)}" if sampled else texts


def _counting(comparison: "RatingComparison") -> str:
    """Say how much each text counts; empty where all count alike."""
    if comparison.uses_inclusion:
        part = "their weight" if comparison.uses_weights else "1"
        return f"In these figures texts count with {part} / the probability of their draw."
    return "In these figures texts count with their weight." if comparison.uses_weights else ""


def _agreement_table(comparison: "RatingComparison") -> DataTable:
    """List every figure with what it can show, or why it is missing."""
    rows = (
        ("Pearson r of means", comparison.pearson,
         "ranking: do texts that people score higher get more?", ""),
        ("Spearman rho of means", comparison.spearman,
         "the same on ranks: the spacing of scores is ignored", ""),
        ("KS similarity of distributions", comparison.ks_similarity,
         "1 means the same share on every point; it says nothing about ranking. Its interval is that of a "
         "band around all points, and rather wide", _NOT_LAID),
        ("ceiling: reliability of the humans", comparison.ceiling,
         "how reliable the mean of all raters is: split halves of the raters, Spearman–Brown; the highest r "
         "to expect is its square root. Its interval keeps the splits fixed",
         "one human value a text does not show how far people agree"),
        ("to beat: r of text length", comparison.null_length,
         "what the number of characters alone reaches; a rating that does no better has read nothing",
         "no texts were given"),
        ("to beat: KS of equal shares", comparison.null_ks,
         "the KS similarity that the same share on every point reaches; a distribution that does no better "
         "has read nothing", _NOT_LAID),
    )  # fmt: skip
    cells = (
        *(
            (
                Label(name),
                estimate_cell(figure, _DIGITS),
                Label(absent if figure is None else meaning),
            )
            for name, figure, meaning, absent in rows
        ),
        *_corrected(comparison),
    )
    return DataTable(
        ("", "estimate", "what it can show"),
        cells,
        title=f"Agreement{covered([figure for _, figure, _ in cells], comparison.interval)}",
        brief_title=f"Compared with humans ({_compared_texts(comparison)})",
        explained=True,
    )


def corrected_sentence(comparison: "RatingComparison | None", digits: int) -> str | None:
    """Say what people would give to all rated texts, by their labels; ``None`` where that is not known."""
    corrected = None if comparison is None else comparison.corrected
    if comparison is None or corrected is None or math.isnan(corrected.value):
        return None
    labels = counted(corrected.n_labelled, "label")
    source = "" if comparison.sheet is None else f" of {one_line(comparison.sheet)}"
    interval = f" ({coverage(comparison.interval)} interval)" if has_interval(corrected) else ""
    return (
        f"Corrected by {labels}{source}, the mean of all {rated_texts(corrected)} rated texts is "
        f"{with_interval(corrected, digits)}{interval}."
    )


def rated_texts(corrected: "CorrectedMean") -> str:
    """Count the texts that a corrected mean is about."""
    return count(corrected.n_labelled + corrected.n_unlabelled)


def _corrected(comparison: "RatingComparison") -> tuple[tuple[Label, WithInterval, Label], ...]:
    """List the mean of all texts that people's ratings of some correct, where some have none."""
    corrected = comparison.corrected
    if corrected is None:
        return ()
    n, rated = count(corrected.n_labelled), rated_texts(corrected)
    drawn = (
        f"from {n} labelled ones, which count with 1 / the probability of their draw"
        if comparison.uses_inclusion
        else f"if the {n} labelled ones are a random sample of them, drawn with equal probabilities"
    )
    note = alone = corrected.note or ""
    if corrected.n_labelled < FEWEST_LABELS:
        alone = f"an interval needs {FEWEST_LABELS} labels or more"
    return (
        (
            Label(CORRECTED),
            estimate_cell(corrected, _DIGITS, note=note),
            Label(f"what people would give to all {rated} rated texts, {drawn}"),
        ),
        (
            Label("mean of the labels alone"),
            estimate_cell(corrected.labels_only, _DIGITS, note=alone),
            Label(f"the same without the ratings, of {n} texts"),
        ),
    )


def _scatter(comparison: "RatingComparison", scale: "Scale") -> Figure | None:
    """Draw machine means against human means; ``None`` without points."""
    points = comparison.points[np.isfinite(comparison.points).all(axis=1)]
    if len(points) == 0:
        return None
    points = points[np.linspace(0, len(points) - 1, min(len(points), _DRAWN_POINTS)).astype(int)]
    limits = (float(scale.values[0]), float(scale.values[-1]))
    human = (float(points[:, 0].min()), float(points[:, 0].max()))
    inside = limits[0] <= human[0] and human[1] <= limits[1]
    same_units = inside and human[1] - human[0] > (limits[1] - limits[0]) / 2
    domain = limits if same_units else human if human[0] < human[1] else (human[0] - 0.5, human[1] + 0.5)
    drawn = (
        f"{count(len(points))} of {count(comparison.n)} texts, a sample"
        if len(points) < comparison.n
        else f"All {counted(len(points), 'text')}"
    )
    axes = ("human mean, as given", "Semscale mean")
    return Figure(
        "human-means",
        lambda _: scatter(points, (domain, limits), axes),
        f"Scatter of human mean and Semscale mean, {drawn}. Pearson r {with_interval(comparison.pearson)}, "
        f"Spearman {with_interval(comparison.spearman)}.",
        DataTable(axes, tuple((Number(x), Number(y)) for x, y in points.tolist()), detail="full"),
        caption=f"{drawn}; one dot a text."
        + (" On the dashed line both would give the same score." if same_units else ""),
        style="square",
        is_narrow=True,
    )


def _distributions(comparison: "RatingComparison", scale: "Scale") -> Figure | None:
    """Draw the humans' PMF below the machine's; ``None`` where there is none."""
    if not np.isfinite([comparison.human_pmf, comparison.machine_pmf]).all():
        return None
    names = point_names(scale)[::-1]
    pairs = np.column_stack([comparison.machine_pmf, comparison.human_pmf])[::-1].tolist()
    drawn = [
        Bar(row, share, None, None, percent(share), percent(share), colour)
        for row, pair in enumerate(pairs)
        for share, colour in zip(pair, (ACCENT, CONTRAST), strict=True)
    ]
    described = "; ".join(
        f"{name}: {percent(machine)} and {percent(human)}"
        for name, (machine, human) in zip(names, pairs, strict=True)
    )
    rows = tuple((Quoted(name), Share(m), Share(h)) for name, (m, h) in zip(names, pairs, strict=True))
    return Figure(
        "human-distributions",
        lambda _: bars(drawn, names, _HALF_WIDTH),
        f"Share of each point, Semscale and humans: {described}.",
        DataTable(("point", "Semscale", "humans"), rows, detail="full"),
        caption="The same texts, rated by Semscale and by people; human values lie linearly on the points.",
        legend=(Swatch(ACCENT, "Semscale"), Swatch(CONTRAST, "Humans")),
        is_narrow=True,
    )
