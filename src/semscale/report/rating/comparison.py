"""Ratings beside human ratings: agreement in words, a table and two pictures."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.chart_kit import ACCENT, CONTRAST, point_names
from semscale.report.document import (
    Block,
    DataTable,
    Figure,
    Number,
    Paragraph,
    Quoted,
    Share,
    SideBySide,
    Swatch,
    WithInterval,
    Words,
)
from semscale.report.formatting import (
    count,
    counted,
    coverage,
    has_interval,
    number,
    one_line,
    percent,
    with_interval,
)
from semscale.report.parts import covered
from semscale.report.plane_charts import scatter
from semscale.report.row_charts import Bar, bars
from semscale.stats.calibration.prediction_powered import FEWEST_LABELS

if TYPE_CHECKING:
    from semscale.rating.human import RatingComparison
    from semscale.scales import Scale
    from semscale.stats.calibration.prediction_powered import CorrectedMean
    from semscale.stats.intervals.estimates import Estimate

_DRAWN_POINTS = 1000
_HALF_WIDTH = 420  # pixels: two pictures stand side by side
_DIGITS = 3
CORRECTED = "mean of all texts, corrected by the labels"
_NOT_LAID = "human values could not be laid on this scale"


def comparison_blocks(comparison: "RatingComparison", scale: "Scale") -> tuple[Block, ...]:
    """Show ranking, distribution, ceiling and what is to beat together, and draw both."""
    pictures = (_scatter(comparison, scale), _distributions(comparison, scale))
    drawn = tuple((picture,) for picture in pictures if picture is not None)
    return (
        Paragraph(agreement_words(comparison), "lead"),
        _table(comparison),
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


def _table(comparison: "RatingComparison") -> DataTable:
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
            (Words(name), WithInterval.of(figure, _DIGITS), Words(absent if figure is None else meaning))
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


def corrected_words(comparison: "RatingComparison | None", digits: int) -> str | None:
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


def _corrected(comparison: "RatingComparison") -> tuple[tuple[Words, WithInterval, Words], ...]:
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
            Words(CORRECTED),
            WithInterval.of(corrected, _DIGITS, note=note),
            Words(f"what people would give to all {rated} rated texts, {drawn}"),
        ),
        (
            Words("mean of the labels alone"),
            WithInterval.of(corrected.labels_only, _DIGITS, note=alone),
            Words(f"the same without the ratings, of {n} texts"),
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
