"""The document of answers that were compared with samples."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import TYPE_CHECKING

from semscale.answer_consistency.contradictions import ENTAILED
from semscale.answer_consistency.measures import MEASURES, no_value_reason
from semscale.guards.findings import Finding
from semscale.report.answer_consistency.figures import (
    area_table,
    calibration_table,
    decision_bar,
    decision_table,
    reliability_figure,
    spread_histogram,
    weight_table,
)
from semscale.report.answer_consistency.words import (
    MEANINGS,
    MEASURE_NAMES,
    area_words,
    asking_words,
    cautions,
    comparison_words,
    contradicted_words,
    labels_words,
    same_by_words,
)
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    Document,
    ItemCard,
    Items,
    Line,
    Marked,
    Number,
    Paragraph,
    Quoted,
    Section,
    SideBySide,
    WithInterval,
    Words,
    marked,
)
from semscale.report.formatting import capitalised, clipped, counted, number, one_line
from semscale.report.parts import (
    SAMPLE_GUARD_MEANINGS,
    altogether,
    estimated_document,
    estimated_settings,
    group_table,
    guard_legend,
    guard_table,
    headline,
    low_items,
    nothing_section,
)
from semscale.report.sentences import (
    counts_section,
    foreign_warnings,
    language_warnings,
    left_out_section,
    stopped_cautions,
    unread_warnings,
)
from semscale.stats.intervals.estimates import Estimate

if TYPE_CHECKING:
    from semscale.answer_consistency.correctness import CorrectnessProbability
    from semscale.answer_consistency.summary import ConsistencyItem, ConsistencySummary
    from semscale.stats.calibration.calibration_error import CalibrationFigures

SHOWN_ITEMS = 10
_MOST_SAMPLES, _MOST_FINDINGS = 8, 6
_ANSWER_LIMIT, _SAMPLE_LIMIT = 500, 320
_ENSEMBLES = {
    "ensemble_mean": "the plain mean of all measures",
    "ensemble_tuned": "the ensemble with tuned weights",
}

_NCS = Citation(
    "Bouchard, D., & Chauhan, M. S. (2025).",
    "Uncertainty quantification for language models: A suite of black-box, white-box, LLM judge, and "
    "ensemble scorers",
    "arXiv:2504.19254",
    "normalised cosine similarity",
    "https://arxiv.org/abs/2504.19254",
)
_THRESHOLDS = Citation(
    "Angelopoulos, A. N., Bates, S., Candès, E. J., Jordan, M. I., & Lei, L. (2021).",
    "Learn then test: Calibrating predictive algorithms to achieve risk control",
    "arXiv:2110.01052",
    "the thresholds",
    "https://arxiv.org/abs/2110.01052",
)


def consistency_document(summary: "ConsistencySummary") -> Document:
    """Turn the measures of a table of answers into a document."""
    asking, contradicted = asking_words(summary), contradicted_words(summary)
    base = estimated_document(
        summary,
        kind="consistency report",
        name="Consistency",
        title="How far sampled answers agree",
        noun="prompt",
        n_windowed=summary.n_windowed,
    )
    name, bounds = f"mean {MEASURE_NAMES[summary.main]}", MEASURES[summary.main].bounds
    measured = [(capitalised(MEASURE_NAMES[name]), MEASURES[name].about) for name in summary.scores]
    columns = [(capitalised(use), column) for use, column in summary.columns]
    return replace(
        base,
        lead=headline(summary.estimates, name, bounds),
        warnings=(
            *foreign_warnings(summary.languages, "prompt", remedy="--embedder e5-small"),
            *language_warnings(summary.unread_language, "--embedder"),
            *unread_warnings(summary.counts, "prompt", "--embedder"),
        ),
        counting=(*base.counting, *([asking] if asking else [])),
        reading=(*base.reading, *(f"{sentence}." for sentence in (contradicted, asking) if sentence)),
        facts=(*base.facts, *_facts(summary)),
        cautions=(*stopped_cautions(summary.stopped), *base.cautions, *cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(*base.notes, *_floor(summary)),
        settings=estimated_settings(summary, columns, measured, noun="prompt"),
        citations=(
            *([_NCS] if "cosine_sim" in summary.scores else []),
            *([_THRESHOLDS] if summary.correctness else []),
        ),
    )


def _floor(summary: "ConsistencySummary") -> Iterator[str]:
    if summary.floor is not None:
        yield f"floor: cosine {number(summary.floor, 3)} of answers to different questions"
    same = same_by_words(summary)
    if same is not None:
        yield same


def _facts(summary: "ConsistencySummary") -> Iterator[tuple[str, Cell]]:
    yield "Samples", Count(summary.n_samples)
    yield "Contradicted", Count(summary.n_contradicted)
    if summary.floor is not None:
        yield "Floor", Number(summary.floor, 3)
    if summary.replies is not None and summary.replies.n_saved:
        yield "Calls saved", Count(summary.replies.n_saved)


def _sections(summary: "ConsistencySummary") -> Iterator[Section]:
    if summary.estimates.overall.n:
        yield _spread(summary)
        if summary.correctness is not None:
            yield _correctness(summary.correctness)
        yield from _least(summary)
    else:
        yield nothing_section("spread", "prompt")
    yield from counts_section(summary.languages, ("answer",), "prompt")
    yield left_out_section(
        summary.estimates.overall.left_out,
        summary.n,
        {**MEANINGS, "no-value": no_value_reason(summary.main)},
        lambda status: ((item - 1, text) for item, text in summary.examples.get(status, ())),
        noun="prompt",
    )


def _spread(summary: "ConsistencySummary") -> Section:
    estimates, main = summary.estimates, summary.main
    means = [(MEASURE_NAMES[name], WithInterval.of(estimates.overall_mean(name))) for name in summary.scores]
    title: Line = "How far answers agree"
    blocks: list[Block] = [
        Paragraph(f"{capitalised(MEASURE_NAMES[main])}: {MEASURES[main].about}.", "lead"),
        altogether(means, estimates.interval),
        spread_histogram(summary),
    ]
    if estimates.groups:
        title = (f"{title}, by ", Quoted(estimates.by or "group"))
        blocks.append(group_table(estimates, noun="prompt"))
    return Section("spread", title, tuple(blocks))


def _correctness(correctness: "CorrectnessProbability") -> Section:
    decided: tuple[Block, ...] = (decision_bar(correctness), decision_table(correctness))
    weights = weight_table(correctness)
    rests_on = Paragraph(labels_words(correctness), "note", detail="both")
    title, figures = "Which answers can be trusted", correctness.figures
    if figures is None:
        return Section("trust", title, (*decided, *weights, rests_on))
    area = area_words(correctness.areas[correctness.measure])
    named = _ENSEMBLES.get(correctness.measure) or MEASURE_NAMES[correctness.measure]
    lead = Paragraph(f"By {named}, {area}.", "lead", detail="both")
    held = calibration_table(figures)
    return Section("trust", title, (lead, *decided, held, *weights, rests_on, *_areas(correctness, figures)))


def _areas(correctness: "CorrectnessProbability", figures: "CalibrationFigures") -> tuple[Block, ...]:
    """Show the areas beside how well probabilities hold, or below it where they have two columns."""
    meaning = Paragraph(
        "Area under the ROC curve: 1 is perfect, .5 is chance. What length alone achieves must be beaten. "
        "Intervals by DeLong's variance on the logit scale; there is none where scores show no spread.",
        "note",
    )
    figure, areas, shared = (
        reliability_figure(figures, correctness.interval),
        area_table(correctness),
        comparison_words(correctness),
    )
    if shared is None:
        return (SideBySide(((figure,), (areas, meaning))),)
    return (figure, areas, Paragraph(shared, "note", detail="both"), meaning)


def _least(summary: "ConsistencySummary") -> Iterator[Section]:
    mean, bounds = summary.estimates.overall.mean, MEASURES[summary.main].bounds
    low = low_items(summary.least(SHOWN_ITEMS), lambda item: item.score, mean, bounds)
    if not low and not summary.guards:
        return
    items = tuple(map(_item, low))
    brief = counted(min(len(items), Items.most), "least consistent prompt")
    contradictions = guard_table(
        summary.guards, SAMPLE_GUARD_MEANINGS, noun="prompt", title="Samples that contradict the answer"
    )
    shown = Items(
        items,
        guard_legend(summary.guards, SAMPLE_GUARD_MEANINGS),
        brief_title=brief if items else "",
        heads=("answer", "contradicting", "samples", "such as"),
        noun="prompt",
    )
    blocks: tuple[Block, ...] = (contradictions, shown) if summary.guards else (shown,)
    if not items:
        blocks = contradictions, Paragraph("All answers are equally consistent, so none is shown here.")
    yield Section("least", "The least consistent answers", blocks)


def _item(item: "ConsistencyItem") -> ItemCard:
    texts = _samples(item)
    found = _placed([one.finding for one in item.contradictions])
    answer = marked(item.answer or "", ((one.guard, one.prediction) for one in found), limit=_ANSWER_LIMIT)
    told = dict.fromkeys((one.finding.guard, one_line(one.finding.reason)) for one in item.contradictions)
    others = [clipped(text, _SAMPLE_LIMIT).shown for text, _ in texts[_MOST_SAMPLES:]]
    first = next((item.samples[one.sample] for one in item.contradictions if item.samples), None)
    return ItemCard(
        row=item.item,
        score=Number(item.score),
        labels=() if item.decision is None else (item.decision,),
        texts=(
            *([] if item.prompt is None else [("prompt", Quoted(item.prompt))]),
            *([] if item.answer is None else [("answer", answer)]),
            *(
                ("sample" if n == 1 else f"{n:,} samples", _marked_sample(item, text))
                for text, n in texts[:_MOST_SAMPLES]
            ),
        ),
        findings=tuple(told)[:_MOST_FINDINGS],
        parts=(
            *_probability(item),
            *((MEASURE_NAMES[name], Number(value)) for name, value in list(item.measures.items())[1:]),
        ),
        details=(f"{counted(len(others), 'more sample')}", tuple(others)),
        brief=(Quoted(item.answer), Count(item.n_contradicting), Count(item.n_samples), Quoted(first)),
    )


def _probability(item: "ConsistencyItem") -> Iterator[tuple[str, Cell]]:
    """Give P(correct) with its interval where there are labels."""
    value, low, high = (
        item.probability_correct,
        item.probability_correct_low,
        item.probability_correct_high,
    )
    if value is None or low is None or high is None:
        return
    yield "P(correct)", Words("not known") if isnan(value) else WithInterval.of(Estimate(value, low, high))


def _samples(item: "ConsistencyItem") -> list[tuple[str, int]]:
    """Give each distinct sample with how often it occurs: those that contradict, then the most frequent."""
    counts: dict[str, int] = {}
    for text in item.samples:
        if text is not None and text.strip():
            counts[text] = counts.get(text, 0) + 1
    contradicting = {item.samples[one.sample] for one in item.contradictions if item.samples}
    return sorted(counts.items(), key=lambda pair: (pair[0] not in contradicting, -pair[1]))


def _marked_sample(item: "ConsistencyItem", text: str) -> Marked:
    place = item.samples.index(text)
    found = _placed([one.finding for one in item.contradictions if one.sample == place])
    return marked(text, ((one.guard, one.reference) for one in found), limit=_SAMPLE_LIMIT)


def _placed(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Leave out findings about texts as a whole where guards found the words, so that these are marked."""
    return [finding for finding in findings if finding.guard != ENTAILED] or findings
