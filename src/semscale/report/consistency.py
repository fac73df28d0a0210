"""Documents of consistency: answers compared with samples, and claims judged by samples or passages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from semscale.answer_consistency.claim_tables import NO_CLAIM
from semscale.answer_consistency.claims import Support
from semscale.answer_consistency.consistencies import NO_ANSWER
from semscale.answer_consistency.measures import MEASURES, no_value_reason
from semscale.answer_consistency.pairs import ENTAILED, FEWEST_ANSWERS, LENGTH_NULLS, TOO_FEW_ANSWERS
from semscale.answer_consistency.summary import FEW_SAMPLES
from semscale.guards.findings import Finding
from semscale.report import figures, parts, sentences
from semscale.report.chart_data import ScatterData
from semscale.report.document import (
    Block,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    ItemCard,
    Items,
    Label,
    Marked,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    SideBySide,
    Value,
    as_cell,
    estimate_cell,
    mark_findings,
    notices,
)
from semscale.report.formatting import (
    capitalise,
    clip_text,
    count,
    count_of,
    coverage,
    number,
    one_line,
    percent,
    percent_with_interval,
)
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.plane_charts import reliability
from semscale.report.row_charts import GROUP, HISTOGRAM, UNRELATED
from semscale.report.sentences import STATUS_MEANINGS
from semscale.results.result import UNREAD
from semscale.spelling import hint
from semscale.stats.intervals import Estimate
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.answer_consistency.claim_tables import AgreementSummary, ClaimSummary, GroundingSummary
    from semscale.answer_consistency.claims import ClaimVerdict
    from semscale.answer_consistency.correctness import CorrectnessProbability
    from semscale.answer_consistency.summary import ConsistencyItem, ConsistencySummary
    from semscale.stats.acceptance import AcceptanceThreshold
    from semscale.stats.calibration import CalibrationFigures

SHOWN_ITEMS = 10
_MOST_SAMPLES, _MOST_FINDINGS = 8, 6
_ANSWER_LIMIT, _SAMPLE_LIMIT = 500, 320
_WEAK_AREA = 0.6
_NOUN = "prompt"

MEASURE_NAMES = {name: measure.label for name, measure in MEASURES.items()} | {
    "ensemble_mean": "ensemble, plain mean",
    "ensemble_tuned": "ensemble, tuned weights",
    "equal_lengths": "baseline: equal lengths",
    "brevity": "baseline: brevity",
}
MEANINGS = STATUS_MEANINGS | {
    "missing": "no answer, or no question: the cell is empty or null",
    "refused": NO_ANSWER,
    "too-few-samples": "not enough usable samples to compare the answer with",
    "other-language": "the answer, or every sample, is in a language that the model does not read",
    "weightless": UNREAD,
    "no-value": no_value_reason("consistency"),
}
_SIMPLE_MEASURES = ("exact_match_normalised", "exact_match", "first_token_probability")
_ENSEMBLES = {
    "ensemble_mean": "the plain mean of all measures",
    "ensemble_tuned": "the ensemble with tuned weights",
}
_GROUNDS = {
    "entailment": "by entailment in both directions",
    "cosine": "by the cosine of their vectors, where no guard finds a contradiction",
    "exact": "as short answers with the same words",
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
_LUQ = Citation(
    "Zhang, C., Liu, F., Basaldella, M., & Collier, N. (2024).",
    "LUQ: Long-text uncertainty quantification for LLMs",
    "arXiv:2403.20279",
    "sentence by sentence, compared with samples",
    "https://arxiv.org/abs/2403.20279",
)


def consistency_document(summary: "ConsistencySummary") -> Document:
    """Turn the measures of a table of answers into a document."""
    main, estimates, replies = MEASURES[summary.main], summary.estimates, summary.replies
    n_saved = 0 if replies is None else replies.n_saved
    return Document(
        kind="consistency report",
        name="Consistency",
        title="Consistency of sampled answers",
        source=parts.input_and_date(summary),
        lead=parts.headline(estimates, f"mean {main.label}", main.bounds),
        introduction=without_none(
            parts.scored_rows(summary, _NOUN), _contradicted(summary), _replies_paragraph(summary)
        ),
        notices=notices(
            warnings=[
                *sentences.language_warnings(summary, _NOUN),
                *sentences.unread_warnings(summary.counts, _NOUN),
            ],
            cautions=[
                *sentences.stop_cautions(summary.stopped),
                *estimates.notes_about(_NOUN),
                *cautions(summary),
            ],
            notes=[*parts.estimate_notes(estimates, _NOUN, n_windowed=summary.n_windowed), *_notes(summary)],
        ),
        facts=parts.facts(
            *parts.row_counts(summary, _NOUN, n_windowed=summary.n_windowed),
            ("Samples", summary.n_samples),
            ("Contradicted", summary.n_contradicted),
            None if summary.floor is None else ("Floor", Number(summary.floor, 3)),
            ("Calls saved", n_saved) if n_saved else None,
        ),
        sections=without_none(*_sections(summary)),
        settings=parts.run_settings(
            summary,
            *((capitalise(use), parts.in_column(column)) for use, column in summary.columns),
            *((capitalise(MEASURES[name].label), MEASURES[name].about) for name in summary.scores),
            ("Intervals", sentences.estimate_method(estimates, _NOUN)),
        ),
        citations=without_none(
            _NCS if "cosine_sim" in summary.scores else None,
            _THRESHOLDS if summary.correctness else None,
        ),
        signature=summary.signature,
    )


def _contradicted(summary: "ConsistencySummary") -> Paragraph | None:
    if not summary.n_contradicted:
        return None
    share = percent(summary.n_contradicted / summary.counts[Status.SCORED])
    return Paragraph(f"In {share} of prompts some sample contradicts the answer.")


def _notes(summary: "ConsistencySummary") -> Iterator[str]:
    if summary.floor is not None:
        yield f"floor: cosine {number(summary.floor, 3)} of answers to different questions"
    grounds = [f"{_GROUNDS[name]} in {count_of(n, _NOUN)}" for name, n in summary.same_by.items()]
    if grounds:
        yield f"texts mean the same {', '.join(grounds)}"


def _sections(summary: "ConsistencySummary") -> Iterator[Section | None]:
    estimates, main = summary.estimates, MEASURES[summary.main]
    if estimates.overall.n:
        means = [(MEASURES[name].label, estimates.overall_mean(name)) for name in summary.scores]
        yield section(
            "spread",
            parts.by_groups("Agreement of the answers", estimates),
            Paragraph(f"{capitalise(main.label)}: {main.about}.", "lead"),
            parts.altogether(means, estimates.interval),
            *_spread_blocks(summary),
            parts.group_table(estimates, noun=_NOUN) if estimates.groups else None,
        )
        if summary.correctness is not None:
            yield section("trust", "Which answers can be trusted", *_correctness(summary.correctness))
        yield _least(summary)
    else:
        yield parts.nothing_section("spread", _NOUN)
    yield parts.languages_section(summary.languages, ("answer",), _NOUN)
    reasons = {**MEANINGS, "no-value": no_value_reason(summary.main)}
    yield parts.left_out_section(summary, reasons, noun=_NOUN)


def _spread_blocks(summary: "ConsistencySummary") -> tuple[Block | None, ...]:
    """Build histograms of the first measure, of raw NCS if measured, and of each group."""
    estimates, main = summary.estimates, summary.main
    has_ncs = "cosine_sim" in summary.scores
    shown = {main: HISTOGRAM} | ({"cosine_sim": UNRELATED} if has_ncs and main != "cosine_sim" else {})
    means = {name: estimates.overall_mean(name) for name in summary.scores}
    drawn = [
        figures.score_group(
            parts.label_with_base(capitalise(MEASURES[name].label), Count(means[name].n)),
            summary.scores[name],
            colour,
            means[name],
        )
        for name, colour in shown.items()
        if len(summary.scores[name])
    ]
    rows = [parts.mean_row(MEASURES[name].label, mean) for name, mean in means.items()]
    sample = f"{count(SAMPLED_ROWS)} prompts" if summary.is_sampled else ""
    caption = figures.histogram_caption("prompts have which value", estimates, sample)
    crowded = " Raw cosine similarity crowds near 1 even where samples contradict the answer."
    groups = (*drawn, *figures.group_histograms(estimates, summary.group_scores, GROUP))
    bounds, heads = MEASURES[main].bounds, (MEASURES[main].label, "prompts")
    figure = figures.histograms_figure(
        "spread",
        groups,
        bounds,
        table(("", "prompts", "left out", "mean"), rows),
        caption=f"{caption}{crowded if has_ncs else ''}",
    )
    return figures.histogram_table(groups[0], bounds, heads, "Spread"), figure


def _least(summary: "ConsistencySummary") -> Section | None:
    mean, bounds = summary.estimates.overall.mean, MEASURES[summary.main].bounds
    low = parts.low_items(summary.lowest[:SHOWN_ITEMS], lambda item: item.score, mean, bounds)
    has_contradictions = any(item.contradictions and item.samples for item in low[: Items.most])
    shown = Items(
        tuple(_item(item, has_contradictions) for item in low),
        parts.guard_legend(summary.guards, parts.SAMPLE_GUARD_MEANINGS),
        brief_title=count_of(min(len(low), Items.most), "least consistent prompt"),
        heads=("answer", "contradicting", "samples", *(["example"] if has_contradictions else [])),
        noun=_NOUN,
    )
    equal = Paragraph("All answers are equally consistent, so none is shown here.")
    return section(
        "least",
        "The least consistent answers",
        parts.guard_table(
            summary.guards,
            parts.SAMPLE_GUARD_MEANINGS,
            noun=_NOUN,
            title="Samples that contradict the answer",
        ),
        shown if low else equal if summary.guards else None,
    )


def _item(item: "ConsistencyItem", names_contradictions: bool) -> ItemCard:
    samples = _distinct_samples(item)
    findings = _drop_unlocated([contradiction.finding for contradiction in item.contradictions])
    spans = ((finding.guard, finding.prediction) for finding in findings)
    reasons = dict.fromkeys(
        (contradiction.finding.guard, one_line(contradiction.finding.reason))
        for contradiction in item.contradictions
    )
    hidden = [clip_text(text, _SAMPLE_LIMIT).shown for text, _ in samples[_MOST_SAMPLES:]]
    contradicting = (
        item.samples[contradiction.sample] for contradiction in item.contradictions if item.samples
    )
    texts: tuple[tuple[str, Quoted | Marked] | None, ...] = (
        None if item.prompt is None else ("prompt", Quoted(item.prompt)),
        None if item.answer is None else ("answer", mark_findings(item.answer, spans, limit=_ANSWER_LIMIT)),
        *(
            ("sample" if n == 1 else f"{n:,} samples", _mark_sample(item, text))
            for text, n in samples[:_MOST_SAMPLES]
        ),
    )
    further = [(MEASURES[name].label, value) for name, value in list(item.measures.items())[1:]]
    brief: tuple[Value, ...] = (
        Quoted(item.answer),
        item.n_contradicting,
        item.n_samples,
        *([Quoted(next(contradicting, None))] if names_contradictions else []),
    )
    return ItemCard(
        row=item.item,
        score=Number(item.score),
        labels=() if item.decision is None else (item.decision,),
        texts=without_none(*texts),
        findings=tuple(reasons)[:_MOST_FINDINGS],
        parts=tuple((name, as_cell(value)) for name, value in (*_probability(item), *further)),
        details=(f"{count_of(len(hidden), 'more sample')}", tuple(hidden)),
        brief=tuple(map(as_cell, brief)),
    )


def _probability(item: "ConsistencyItem") -> Iterator[tuple[str, Value]]:
    """Yield P(correct) with its interval if there are labels."""
    estimate = item.probability_correct
    if estimate is not None:
        yield "P(correct)", "not known" if isnan(estimate.value) else estimate


def _distinct_samples(item: "ConsistencyItem") -> list[tuple[str, int]]:
    """Return distinct samples with their frequency: contradicting samples first, then the most frequent."""
    counts: dict[str, int] = {}
    for text in item.samples:
        if text is not None and text.strip():
            counts[text] = counts.get(text, 0) + 1
    contradicting = {
        item.samples[contradiction.sample] for contradiction in item.contradictions if item.samples
    }
    return sorted(counts.items(), key=lambda pair: (pair[0] not in contradicting, -pair[1]))


def _mark_sample(item: "ConsistencyItem", text: str) -> Marked:
    number_of_sample = item.samples.index(text)
    findings = _drop_unlocated(
        [
            contradiction.finding
            for contradiction in item.contradictions
            if contradiction.sample == number_of_sample
        ]
    )
    return mark_findings(
        text, ((finding.guard, finding.reference) for finding in findings), limit=_SAMPLE_LIMIT
    )


def _drop_unlocated(findings: Sequence[Finding]) -> Sequence[Finding]:
    """Drop findings about whole texts if guards located the words, so that the words are marked."""
    return [finding for finding in findings if finding.guard != ENTAILED] or findings


def _correctness(correctness: "CorrectnessProbability") -> Iterator[Block | str | None]:
    calibrated, weights = correctness.figures, _weight_table(correctness)
    if calibrated is not None:
        name = _ENSEMBLES.get(correctness.measure) or MEASURE_NAMES[correctness.measure]
        area = area_sentence(correctness.areas[correctness.measure])
        yield Paragraph(f"By {name}, {area}.", "lead", detail="both")
    yield _decision_table(correctness)
    yield None if calibrated is None else _calibration_table(calibrated)
    yield weights
    yield Paragraph(_basis(correctness), "note", detail="both")
    if calibrated is not None:
        yield from _areas(correctness, calibrated)


def _decision_table(correctness: "CorrectnessProbability") -> DataTable:
    """Build the table of decisions: threshold, share of prompts, and guarantee."""
    plan = correctness.triage
    accept, abstain, confidence = plan.accept, plan.abstain, plan.confidence
    promises = (
        threshold_promise(accept, "this or more", "wrong", confidence),
        threshold_promise(abstain, "this or less", "right", confidence),
    )
    rows: tuple[tuple[Value, ...], ...] = (
        ("accept", Number(accept.value, 3), Share(accept.accepted), promises[0]),
        ("abstain", Number(abstain.value, 3), Share(abstain.accepted), promises[1]),
        ("review", None, Share(plan.reviewed), "answers between both thresholds"),
    )
    heads = ("decision", MEASURE_NAMES[correctness.measure], "of prompts", "what it promises")
    return table(heads, rows, title="Decisions")


def _weight_table(correctness: "CorrectnessProbability") -> DataTable:
    """Build the table of an ensemble's weights, the greatest first, with the number of imputed values."""
    weights = sorted(correctness.weights.items(), key=lambda item: -item[1])
    note = ", tuned on half of the labels" if correctness.measure == "ensemble_tuned" else ""
    rows = ((MEASURE_NAMES[name], Share(weight), correctness.filled.get(name, 0)) for name, weight in weights)
    return table(("measure", "weight", "prompts without it"), rows, title=f"Weights of the ensemble{note}")


def _calibration_table(calibrated: "CalibrationFigures") -> DataTable:
    """Build the table of figures on the calibration of probabilities, each with its comparison."""
    brier, by_share = estimate_cell(calibrated.brier, 3), Number(calibrated.brier_of_share, 3)
    error, by_chance = Number(calibrated.error, 3), Number(calibrated.error_by_chance, 3)
    rows: tuple[tuple[Value, ...], ...] = (
        (Label("Brier score", "0 is best"), brier, by_share, "the overall share, given to every answer"),
        ("calibration error (ECE)", error, by_chance, "the value expected if the probabilities were exact"),
    )
    return table(("", "value", "comparison", "compared with"), rows, title="Are the probabilities right?")


def _areas(correctness: "CorrectnessProbability", calibrated: "CalibrationFigures") -> tuple[Block, ...]:
    """Place the areas next to the reliability of probabilities, or below it if they have two columns."""
    meaning = Paragraph(
        "Area under the ROC curve: 1 is perfect, .5 is chance. A useful measure has a higher area than text "
        "length alone. Intervals by DeLong's variance on the logit scale; there is none where scores show "
        "no spread.",
        "note",
    )
    figure, areas = _reliability_figure(calibrated, correctness.interval), _area_table(correctness)
    comparison = correctness.comparison
    if not comparison.common:
        return (SideBySide(((figure,), (areas, meaning))),)
    shared = (
        "No right and wrong answer have all measures, so that no two areas are of the same answers."
        if comparison.compared is comparison.separate
        else "Not all measures have a value for the same answers. Compare them in the last column, where "
        "every area is of the same answers."
    )
    return (figure, areas, Paragraph(shared, "note", detail="both"), meaning)


def _reliability_figure(calibrated: "CalibrationFigures", interval: float) -> Figure:
    """Draw the share of right answers against the predicted probability, by bin."""
    rows = [(binned.predicted, binned.n, binned.observed) for binned in calibrated.bins]
    described = "; ".join(
        f"{number(predicted)} given, {number(observed.value)} right" for predicted, _, observed in rows
    )
    return Figure(
        "reliability",
        lambda _: reliability(calibrated.bins),
        f"Share of right answers by probability. {described}.",
        table(("P(correct)", "labelled answers", "share right"), rows, detail="full"),
        caption="Each dot is about equally many labelled answers, larger where they are more; its line is "
        f"the {coverage(interval)} interval of their share. On the dashed line probabilities "
        "hold. Every answer was judged by a curve that had not seen it.",
        style="square",
        is_narrow=True,
        scatter=ScatterData(
            tuple(binned.predicted for binned in calibrated.bins),
            tuple(binned.observed.value for binned in calibrated.bins),
            ("probability of being right", "share that was right"),
            ((0.0, 1.0), (0.0, 1.0)),
            tuple(binned.observed.low for binned in calibrated.bins),
            tuple(binned.observed.high for binned in calibrated.bins),
        ),
    )


def _area_table(correctness: "CorrectnessProbability") -> DataTable:
    """Build the table of how well measures and length-only baselines separate right from wrong answers."""
    comparison = correctness.comparison
    known = {name: area.value for name, area in comparison.compared.items() if not isnan(area.value)}
    names = sorted(comparison.separate, key=lambda name: -known.get(name, -1.0))
    on_common = f"AUC on the {comparison.n_common:,} that have all"
    columns: Columns[str] = (
        ("measure", lambda name: MEASURE_NAMES[name]),
        ("AUC", lambda name: estimate_cell(comparison.separate[name], 3)),
        ("labelled answers", lambda name: comparison.n[name]),
        (on_common, lambda name: estimate_cell(comparison.common[name], 3)) if comparison.common else None,
    )
    interval = parts.coverage_suffix((comparison.separate[name] for name in names), correctness.interval)
    return table_of(names, columns, title=f"Measures that separate right from wrong answers{interval}")


def cautions(summary: "ConsistencySummary") -> Iterator[str]:
    """Return the limits of the figures that a reader must know."""
    yield from _note_refused_parameters(summary)
    if summary.floor_from == TOO_FEW_ANSWERS:
        yield (
            f"There are fewer than {FEWEST_ANSWERS} different answers, so the similarity of unrelated ones "
            "could not be estimated and nothing was subtracted: compare within this table only"
            + hint(", or give `floor`")
            + "."
        )
    if 2 * summary.n_few_samples > summary.counts.get(Status.SCORED, 0):
        few = f"fewer than {FEW_SAMPLES} samples"
        yield f"Most prompts have {few}: one sample that differs by chance decides."
    if summary.n_samples_left_out:
        samples = count_of(summary.n_samples_left_out, "sample")
        yield f"{samples} left out: missing, empty, no text, or not read by the model."
    if summary.n_unguarded:
        yield (
            f"Guards read English alone: of {count_of(summary.n_unguarded, _NOUN)} they passed over "
            "samples in other languages, where contradictions are not seen. An entailment model that reads "
            "them finds these, too" + hint(" (`nli`)") + "."
        )
    yield from _p_true_cautions(summary)
    if summary.n_null_answers:
        yield (
            f"{count_of(summary.n_null_answers, 'answer')} read None, null, nil or NaN and count as answers: "
            "where these mean that there is no answer, leave the cells empty."
        )
    if (labels := summary.too_few_labels) is not None:
        needed = labels.needed
        yield (
            f"P(correct) and decisions are missing: they need at least {needed.total} labelled answers "
            f"with a consistency{needed.kinds}, and there are {labels.counts}{needed.remedy}."
        )
    if summary.correctness is not None:
        yield from _correctness_cautions(summary.correctness)


def _note_refused_parameters(summary: "ConsistencySummary | AgreementSummary") -> tuple[str, ...]:
    refused = () if summary.replies is None else summary.replies.left_out
    model = dict(summary.signature.fields).get("chat_model", "the model")
    return without_none(sentences.parameters_note(one_line(model), refused))


def _p_true_cautions(summary: "ConsistencySummary") -> Iterator[str]:
    if "p_true" not in summary.scores:
        return
    lacking = summary.counts.get(Status.SCORED, 0) - summary.estimates.overall_mean("p_true").n
    if lacking:
        yield f"P(True) is not known for {count_of(lacking, _NOUN)}: {no_value_reason('p_true')}."
    decided = 0 if summary.replies is None else summary.replies.n_decided
    if decided:
        yield (
            f"P(True) of {count_of(decided, _NOUN)} is a typed decision, as the model gave no "
            "log-probabilities; how sure a model says it is and how probable its words are need not agree."
        )


def _correctness_cautions(correctness: "CorrectnessProbability") -> Iterator[str]:
    area = correctness.areas[correctness.measure]
    if area.value < _WEAK_AREA:
        yield f"Consistency barely separates right answers from wrong ones: {area_sentence(area)}."
    compared = correctness.comparison.compared
    nulls = {
        name: max(compared[name].value, 1 - compared[name].value)
        for name in (*LENGTH_NULLS, *_SIMPLE_MEASURES)
        if name in compared and name != correctness.measure
    }
    best = max(nulls, key=lambda name: nulls[name], default=None)
    if best is not None and nulls[best] >= compared[correctness.measure].value:
        is_length = best in LENGTH_NULLS
        simple = "The lengths of the texts alone do" if is_length else "A much simpler measure does"
        yield f"{simple} as well ({MEASURE_NAMES[best]}, {number(nulls[best])}): do not rely on this measure."
    if correctness.filled:
        lacking = ", ".join(
            f"{MEASURE_NAMES[name]} in {count_of(n, _NOUN)}" for name, n in correctness.filled.items()
        )
        yield (
            "Where a prompt has no value of a measure, the ensemble uses the mean of that measure over the "
            f"other prompts: {lacking}."
        )


def area_sentence(area: "Estimate") -> str:
    """Explain an area under the ROC curve."""
    shown = percent_with_interval(area)
    return f"a right answer has the higher value {shown} of the time, and {percent(0.5, 0)} would by chance"


def _basis(correctness: "CorrectnessProbability") -> str:
    """Explain the data behind the curve, or why there is none."""
    labels, curve = count_of(correctness.labels.total, "labelled answer"), correctness.curve
    if curve is None:
        kind = "right" if correctness.labels.right else "wrong"
        return (
            f"All {labels} are {kind}: thresholds rest on their number, while P(correct) and the AUC need "
            "right and wrong ones and are not known."
        )
    return f"{labels}: the curve ({curve}) was fitted and checked in five turns, each on other answers."


def threshold_promise(side: "AcceptanceThreshold", sign: str, kind: str, confidence: float) -> str:
    """Explain the guarantee of a threshold, or why there is none.

    Args:
        side: the threshold.
        sign: phrase for the items' side of the threshold, such as "this or more".
        kind: kind of answers that count as errors: ``wrong`` or ``right``.
        confidence: probability with which both guarantees hold together.
    """
    if side.value is None:
        if side.labels_needed is not None:
            return str(side.note)
        group = "accepted" if kind == "wrong" else "given up"
        most = percent(side.error_rate, 0)
        return f"no threshold keeps {kind} answers among those {group} below {most}: nothing is {group}"
    return (
        f"{sign}: at most {percent(side.error_rate, 0)} of these {kind}, with {coverage(confidence)} "
        f"confidence for both ({side.n_errors:,} of {side.n_accepted:,} labelled ones were)"
    )


def _replies_paragraph(summary: "ConsistencySummary | AgreementSummary") -> Paragraph | None:
    """State the number of requested replies; ``None`` if no model was asked."""
    replies = summary.replies
    if replies is None:
        return None
    asked = count_of(replies.n_calls, "reply", "replies")
    saved = f", {replies.n_saved:,} saved because the decision was settled" if replies.n_saved else ""
    why = f", most often because: {one_line(replies.why_failed)}" if replies.why_failed else ""
    failed = f", {replies.n_failed:,} without a reply{why}" if replies.n_failed else ""
    return parts.sentence(f"{asked} asked for{saved}{failed}")


VERDICT_NAMES = {verdict: str(verdict).replace("-", " ") for verdict in Support}


@dataclass(frozen=True)
class _ClaimTexts:
    """Names and sentences that differ between the two documents of claims.

    Attributes:
        noun: noun for a row of the table.
        title: title of the section of claims.
        means: names of the means by measure; the first is that of ``score``.
        verdicts: meanings of the verdicts.
        statuses: meanings of the statuses.
    """

    noun: str
    title: str
    means: Mapping[str, str]
    verdicts: Mapping[Support, str]
    statuses: Mapping[str, str]


_SAMPLES = _ClaimTexts(
    noun=_NOUN,
    title="Verdicts of the samples",
    means={"score": "mean support of claims", "supported_share": "mean share of supported claims"},
    verdicts={
        Support.SUPPORTED: "every sample supports the claim",
        Support.CONTRADICTED: "a sample contradicts the claim",
        Support.NOT_FOUND: "no sample contradicts the claim, and one or more do not support it",
        Support.UNREAD: "the model cannot read the claim or the samples: it does not count",
    },
    statuses=MEANINGS | {"weightless": NO_CLAIM},
)
_PASSAGES = _ClaimTexts(
    noun="row",
    title="Verdicts of the passages",
    means={"score": "mean share of supported claims"},
    verdicts={
        Support.SUPPORTED: "a sentence of the passages supports the claim",
        Support.CONTRADICTED: "a sentence of the passages contradicts the claim",
        Support.NOT_FOUND: "no sentence of the passages supports or contradicts the claim",
        Support.UNREAD: "the model cannot read the claim or the passages: it does not count",
    },
    statuses=STATUS_MEANINGS
    | {
        "missing": "no answer: the cell is empty or null",
        "not-text": "the column of answers holds a number or something else that is not text",
        "no-reference": "no passage holds a text",
        "refused": NO_ANSWER,
        "weightless": "no sentence of the answer states something that the model reads, or no passage does",
    },
)
_SUPPORT = (
    "A claim is a sentence of the answer. Its support is the mean over samples of how far the sample's "
    "nearest sentence supports it; a sample that contradicts the claim counts a tenth. A sample supports the "
    "claim"
)
_SAMPLE_RULES = {
    False: "if the calibrated score of one of its sentences reaches .6 and no guard finds a contradiction; "
    "it contradicts the claim if a guard does and the score reaches .3.",
    True: "or contradicts it if the entailment model finds this more probable than not for one of its "
    "sentences.",
}
_PASSAGE_RULES = {
    False: "A claim is a sentence of the answer. A sentence of the passages supports it if their calibrated "
    "score reaches .6 and no guard finds a contradiction; it contradicts it if a guard does and the score "
    "reaches .3. Swapped roles or quantity words lower the score; the table says where that alone decides.",
    True: "A claim is a sentence of the answer. A sentence of the passages supports or contradicts it if the "
    "entailment model finds this more probable than not.",
}


def agreement_document(summary: "AgreementSummary") -> Document:
    """Turn claims that were judged by samples into a document."""
    columns: Columns[tuple[int, ClaimVerdict]] = (
        (_NOUN, lambda row: row[0] + 1),
        ("verdict", lambda row: VERDICT_NAMES[row[1].verdict]),
        ("claim", lambda row: Quoted(row[1].claim)),
        ("sample", lambda row: row[1].text + 1 if row[1].text >= 0 else ""),
        ("its sentence", lambda row: Quoted(row[1].sentence)),
        ("why", lambda row: Quoted(row[1].reason, wraps=True)),
        ("support", lambda row: row[1].value),
    )
    share = percent_with_interval(summary.estimates.overall_mean("supported_share"))
    paragraphs = (
        Paragraph(f"Of an answer's claims {share} are supported by every sample, on average."),
        Paragraph(f"{_SUPPORT} {_SAMPLE_RULES[summary.uses_entailment]}", "note"),
    )
    estimates = summary.estimates
    return Document(
        kind="claim consistency report",
        name="Claim consistency",
        title="Support of the claims of answers by samples",
        source=parts.input_and_date(summary),
        lead=parts.headline(estimates, _SAMPLES.means["score"], (0.0, 1.0)),
        introduction=without_none(
            parts.scored_rows(summary, _NOUN),
            Paragraph(f"{_claim_counts(summary)}."),
            _replies_paragraph(summary),
        ),
        notices=notices(
            warnings=sentences.language_warnings(summary, _NOUN),
            cautions=[
                *sentences.stop_cautions(summary.stopped),
                *estimates.notes_about(_NOUN),
                *_note_refused_parameters(summary),
                _samples_left_out(summary),
                *_claim_cautions(summary),
            ],
            notes=[*parts.estimate_notes(estimates, _NOUN), f"claims: {_claim_counts(summary)}"],
        ),
        facts=parts.facts(
            *parts.row_counts(summary, _NOUN), ("Samples", summary.n_samples), *_claim_facts(summary)
        ),
        sections=without_none(*_claim_sections(summary, _SAMPLES, paragraphs, columns)),
        settings=parts.run_settings(
            summary,
            *((capitalise(use), parts.in_column(column)) for use, column in summary.columns),
            ("Intervals", sentences.estimate_method(estimates, _NOUN)),
        ),
        citations=(_LUQ,),
        signature=summary.signature,
    )


def _samples_left_out(summary: "AgreementSummary") -> str | None:
    n = summary.n_samples_left_out
    return (
        f"{count_of(n, 'sample')} left out: missing, empty, no text, or declining to answer." if n else None
    )


def groundedness_document(summary: "GroundingSummary") -> Document:
    """Turn claims that were judged by passages into a document."""
    used = summary.columns
    columns: Columns[tuple[int, ClaimVerdict]] = (
        ("row", lambda row: row[0] + 1),
        ("verdict", lambda row: VERDICT_NAMES[row[1].verdict]),
        ("claim", lambda row: Quoted(row[1].claim)),
        ("nearest sentence", lambda row: Quoted(row[1].sentence)),
        ("why", lambda row: Quoted(row[1].reason, wraps=True)),
        ("support", lambda row: row[1].score),
    )
    rules = Paragraph(_PASSAGE_RULES[summary.uses_entailment], "note")
    estimates = summary.estimates
    return Document(
        kind="groundedness report",
        name="Groundedness",
        title=("Support of “", Quoted(used.prediction), "” by its passages"),
        source=parts.input_and_date(summary),
        lead=parts.headline(estimates, _PASSAGES.means["score"], (0.0, 1.0)),
        introduction=(parts.scored_rows(summary), Paragraph(f"{_claim_counts(summary)}.")),
        notices=notices(
            warnings=sentences.language_warnings(summary),
            cautions=[*estimates.notes_about("row"), *_claim_cautions(summary)],
            notes=[*parts.estimate_notes(estimates), f"claims: {_claim_counts(summary)}"],
        ),
        facts=parts.facts(*parts.row_counts(summary), *_claim_facts(summary)),
        sections=without_none(*_claim_sections(summary, _PASSAGES, (rules,), columns)),
        settings=parts.run_settings(
            summary,
            *parts.column_settings(used, prediction="Answers", context="Passages", by="Groups"),
            ("Intervals", sentences.estimate_method(estimates)),
        ),
        citations=(parts.SUMMAC,),
        signature=summary.signature,
    )


def _claim_sections(
    summary: "AgreementSummary | GroundingSummary",
    texts: _ClaimTexts,
    paragraphs: Sequence[Paragraph],
    columns: Columns[Any],
) -> Iterator[Section | None]:
    """Yield the sections that both documents of claims share.

    Args:
        summary: summary of judged claims.
        texts: names and sentences.
        paragraphs: paragraphs after the table of verdicts.
        columns: columns of the worst claims.
    """
    estimates, noun = summary.estimates, texts.noun
    if estimates.overall.n:
        means = [(name, estimates.overall_mean(key)) for key, name in texts.means.items()]
        yield section(
            "claims",
            parts.by_groups(texts.title, estimates),
            parts.altogether(means, estimates.interval),
            _verdict_table(summary, texts.verdicts),
            *paragraphs,
            parts.group_table(estimates, noun=noun) if estimates.groups else None,
        )
    else:
        yield parts.nothing_section("claims", noun)
    worst = table_of(
        summary.worst, columns, brief_title="Worst claims", most=SHOWN_ITEMS, noun="claim", brief=5
    )
    yield section("worst", "The worst claims", worst)
    yield parts.languages_section(summary.languages, ("answer",), noun)
    yield parts.left_out_section(summary, texts.statuses, noun=noun)


def _claim_counts(summary: "ClaimSummary") -> str:
    """Return the number of claims, in total and by verdict."""
    named = (f"{n:,} {VERDICT_NAMES[verdict]}" for verdict, n in summary.claims.items() if n)
    return f"{count_of(summary.n_claims, 'claim')}: {', '.join(named)}" if summary.n_claims else "no claim"


def _claim_facts(summary: "ClaimSummary") -> tuple[parts.Fact, ...]:
    return (
        ("Claims", summary.n_claims),
        ("Contradicted", summary.claims[Support.CONTRADICTED]),
        ("Not found", summary.claims[Support.NOT_FOUND]),
    )


def _claim_cautions(summary: "ClaimSummary") -> Iterator[str]:
    """State the number of unchecked answers and of excluded claims, if any."""
    if summary.n_unguarded:
        yield (
            "Guards read English alone: no contradiction can be found in "
            f"{count_of(summary.n_unguarded, 'answer')} in other languages. An entailment model that reads "
            "them can" + hint(" (`nli`)") + "."
        )
    if unread := summary.claims[Support.UNREAD]:
        yield f"{count_of(unread, 'claim')} could not be read by the model, and do not count."


def _verdict_table(summary: "ClaimSummary", meanings: Mapping[Support, str]) -> DataTable:
    """Build the table of the number of claims by verdict."""
    rows = (
        (VERDICT_NAMES[verdict], n, Share(n / summary.n_claims), meanings[verdict])
        for verdict, n in summary.claims.items()
        if n or verdict is not Support.UNREAD
    )
    return table(("verdict", "claims", "share", "meaning"), rows, title="Claims", explained=True)
