"""The document of a study: results of all methods for each question, and the limits of the study."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from semscale.report import figures, parts, sentences
from semscale.report.chart_kit import mass_heads, scale_digits
from semscale.report.document import (
    Block,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Label,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Value,
    estimate_cell,
    notices,
    share_cell,
    stamp,
)
from semscale.report.formatting import capitalise, count, count_of, coverage, join_list, number, one_line
from semscale.report.parts import Column, Columns, present, section, table, table_of
from semscale.study.questionnaire import TEXT_METHODS
from semscale.study.summary import CONCEPT, MOST_LEVELS, scale_of
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.stats.groups import GroupEstimate
    from semscale.stats.variance_components import VarianceComponents
    from semscale.study.questionnaire import StudyQuestion
    from semscale.study.summary import (
        QuestionMeasure,
        QuotedAnswer,
        StatusCounts,
        StudySummary,
    )

METHOD_NAMES = {
    "ssr": "similarity (SSR)",
    "flr": "follow-up rating (FLR)",
    "dlr": "direct rating (DLR)",
    "decision": "typed decision",
}

MAIER = Citation(
    "Maier, B. F., et al. (2025).",
    "LLMs reproduce human purchase intent via semantic similarity elicitation of Likert ratings",
    "arXiv 2510.08338",
    "the methods SSR, FLR and DLR",
    "https://arxiv.org/abs/2510.08338",
)

_METHOD_MEANINGS = {
    "ssr": "the persona answers in free words; their similarity with anchors gives a mass for each point",
    "flr": "the persona answers in free words; a further call of the model picks one point for them",
    "dlr": "the persona picks one point",
    "decision": "the model gives a probability for each point",
}
_NO_PEOPLE = "No people were asked. Every figure describes the replies of a model that plays these personas."
_SIMULATION = (
    "Simulation intervals show how far a figure would move with other personas, drawn in the same way and "
    "answered by the same model. They do not include the distance between the model and people, and "
    "describe no population: more personas make them narrower, and do not make the figures more accurate."
)
_READ_ANSWERS = (
    "Read answers before you trust figures: similarity (SSR) rates any text that resembles an anchor, "
    "also one that no person would write."
)
_RERUNS = (
    "Intraclass correlation 1,k of a persona's mean answer over its samples, within concepts: 1 where the "
    "model always gives the same answer as a persona, 0 where personas differ by chance alone. It needs no "
    "people, and describes none."
)
_METHODS = (
    "The same personas, concepts and samples by two methods; the difference is the first minus the second."
)
_MODELS = (
    "The same personas, concepts and samples by two models; the difference is the first minus the second. "
    "Where models disagree, at most one of them is right about people. Where they agree, they may share an "
    "error."
)
_ORDERS = (
    "Answers to the first concepts minus answers to the same concepts later. An interval without 0 shows "
    "that the order moved the answers; rotation evens this out over the panel."
)
_LIMITS = (
    "Without answers of people, this study cannot show how many people would buy or agree, whether a "
    "difference between groups of personas exists between such people, or whether the concepts are in the "
    "right order. Ask people about some of the concepts, and see whether the panel agrees with them.",
    "Where methods disagree, the choice of the method decides the result. Where they agree, they may share "
    "the model's error.",
)
_REMEDIES = {
    "persona": "ask more personas",
    "repeated sample": "ask each persona again",
    "anchor set": "improve the anchors or add anchor sets",
    "model": "let one version of the model answer",
}
_ROTATIONS = {
    "latin-square": "orders of a balanced Latin square, drawn at random within blocks",
    "random": "a random order for each interview",
    "none": "the order of the file",
}
_FEW_SCORED = 0.9
_DIGITS = 3


def method_label(method: str, model: str | None = None) -> str:
    """Return the label of a method, with the model if there are several."""
    return METHOD_NAMES[method] if model is None else f"{METHOD_NAMES[method]}, {one_line(model)}"


def study_document(summary: "StudySummary") -> Document:
    """Turn a study into a document."""
    design, counts, panel = summary.design, summary.counts, summary.design.panel
    intervals = _interval_line(summary)
    return Document(
        kind="study report",
        name="Study",
        title=Quoted(design.name),
        source=(parts.quote_file_name(design.source), stamp(summary.created)),
        introduction=(
            Paragraph(_panel_line(summary), detail="both"),
            parts.sentence(sentences.counts_scored(counts, "answer")),
            Paragraph(_SIMULATION),
        ),
        notices=notices(
            cautions=_cautions(summary),
            notes=[intervals],
        ),
        facts=present(
            ("Personas", Count(len(panel))),
            ("Effective n", Number(panel.effective_n, 0)) if panel.weights is not None else None,
            ("Answers", Count(sum(counts.values()))),
            ("Rated", Count(counts.get(str(Status.SCORED), 0))),
            ("Refused", Count(counts.get(str(Status.REFUSED), 0))),
            ("Calls of this run", Count(summary.facts.calls)),
        ),
        sections=present(*_sections(summary)),
        settings=parts.run_settings(
            summary,
            ("Panel", parts.quote_file_name(panel.source)),
            ("Weights", _weights_line(summary)),
            ("Persona", Quoted(design.template.text)),
            ("Groups", join_list([f"“{one_line(name)}”" for name in design.groups]) or "none"),
            ("Orders", _rotation_line(summary)),
            ("Intervals", intervals),
        ),
        citations=(MAIER,),
        signature=summary.signature,
    )


def _cautions(summary: "StudySummary") -> Iterator[str]:
    yield _NO_PEOPLE
    yield from sentences.stop_cautions(summary.facts.stopped)
    for counts in summary.statuses:
        if counts.attribute is None and counts.share(Status.SCORED) < _FEW_SCORED:
            scored, total = counts.counts.get(str(Status.SCORED), 0), count_of(counts.n, "answer")
            few = f"{count(scored)} of {total} have a rating; the others may differ from these"
            rated = few if scored else f"none of {total} has a rating"
            yield f"{capitalise(method_label(counts.method, counts.model))}: {rated}."
    for facts in summary.facts.models:
        if facts.refused_forms and facts.form is None:
            yield f"{one_line(facts.model)} takes no typed decisions, so that method has no figures."
        if refused := sentences.parameters_note(one_line(facts.model), facts.left_out):
            yield refused


def _panel_line(summary: "StudySummary") -> Line:
    """State the personas, the questions and the models of the study."""
    asked, panel = summary.design.questionnaire, summary.design.panel
    times = "" if asked.samples == 1 else f", {count_of(asked.samples, 'time')} each"
    shown = "separately" if asked.exposure == "separate" else "in one conversation"
    worth = "" if panel.weights is None else f" (weighted; effective size {number(panel.effective_n, 1)})"
    concepts, questions = count_of(len(asked.concepts), "concept"), count_of(len(asked.questions), "question")
    models = f"each of {len(summary.models)} models: " if summary.models else ""
    return (
        f"{count_of(len(panel), 'persona')}{worth}{times}, {concepts} and {questions}, {shown}; "
        f"answered by {models}",
        Quoted(summary.facts.model),
    )


def _interval_line(summary: "StudySummary") -> str:
    methods = {
        ", ".join(filter(None, (measure.question.name, measure.method, measure.model))): (
            measure.estimates.overall.method
        )
        for measure in summary.measures
    }
    return f"simulation intervals: {sentences.interval_methods(summary.plan, methods, 'personas')}"


def _weights_line(summary: "StudySummary") -> str:
    panel = summary.design.panel
    if panel.weights is None:
        return "none: every persona has the same weight"
    low, high = min(panel.weights), max(panel.weights)
    return (
        f"raked to the marginals of the file, from {number(low)} to {number(high)} with mean 1; the personas "
        f"are worth {number(panel.effective_n, 1)} of equal weight (Kish). Means, shares, differences and "
        "correlations are weighted; counts and order effects are not"
    )


def _rotation_line(summary: "StudySummary") -> str:
    asked = summary.design.questionnaire
    if asked.exposure == "separate":
        return "each concept and question in a conversation of its own, so there is no order"
    return _ROTATIONS[asked.rotation]


def _sections(summary: "StudySummary") -> Iterator[Section | None]:
    for position, question in enumerate(summary.design.questionnaire.questions, start=1):
        blocks = (
            _option_blocks(summary, question)
            if question.scale is None
            else _question_blocks(summary, question, position)
        )
        yield section(f"question-{position}", Quoted(question.text), *blocks)
    yield section("methods", "Methods compared", _pairs(summary), _METHODS)
    yield section("models", "Models compared", _model_pairs(summary), _MODELS)
    yield section("reruns", "The same panel asked again", _reliabilities(summary), _RERUNS)
    if summary.spreads:
        yield section("spread", "Sources of variation", *_spread_blocks(summary))
    yield section("orders", "Order effects", *_order_blocks(summary))
    yield section("answers", "Answers with and without a rating", *_status_blocks(summary))
    yield section("cost", "Cost", _costs(summary))
    limits = (Paragraph(limit) for limit in (_NO_PEOPLE, *_LIMITS))
    yield section("limits", "Limits of this study", *limits)
    used = dict.fromkeys(counts.method for counts in summary.statuses)
    meanings = [(capitalise(METHOD_NAMES[name]), _METHOD_MEANINGS[name]) for name in used]
    yield section("reading", "Measurement", table(("method", "meaning"), meanings, detail="full"))


# A question


def _question_blocks(
    summary: "StudySummary", question: "StudyQuestion", position: int
) -> Iterator[Block | str | None]:
    # Methods of a question are adjacent, also where several models answered.
    measures = sorted(
        (measure for measure in summary.measures if measure.question.name == question.name),
        key=lambda measure: question.methods.index(measure.method),
    )
    yield _means(summary, question, measures)
    yield from _difference_blocks(summary, question, CONCEPT)
    if any(group.mean is not None for measure in measures for group in measure.estimates.groups):
        yield _distributions(measures, question, position)
    quotes = [quote for quote in summary.quotes if quote.question == question.name]
    if quotes:
        yield _quotes(summary, question, quotes)
        yield _READ_ANSWERS
    for attribute in summary.design.groups:
        yield Paragraph(("By ", Quoted(attribute), ", all concepts together"), "heading")
        for measure in measures:
            yield _groups(measure, attribute)
        yield from _difference_blocks(summary, question, attribute)


def _means(
    summary: "StudySummary", question: "StudyQuestion", measures: "Sequence[QuestionMeasure]"
) -> DataTable:
    """Build the table of means by method, one concept per row."""
    digits = scale_digits(scale_of(question))
    columns: Columns[Sequence[GroupEstimate]] = (
        ("concept", lambda groups: Quoted(groups[0].group, 60)),
        *(
            (
                method_label(measure.method, measure.model),
                lambda groups, index=index: estimate_cell(groups[index].mean, digits),
            )
            for index, measure in enumerate(measures)
        ),
    )
    concepts = zip(*(measure.estimates.groups for measure in measures), strict=True)
    title = ("Mean of “", Quoted(question.name), f"”, {_with_intervals(summary)}")
    return table_of(concepts, columns, title=title, noun="concept")


def _quotes(
    summary: "StudySummary", question: "StudyQuestion", quotes: "Sequence[QuotedAnswer]"
) -> DataTable:
    digits = scale_digits(scale_of(question))
    columns: Columns[Any] = (
        *_models(summary),
        ("concept", lambda quote: Quoted(quote.concept, 60)),
        ("persona", lambda quote: Quoted(quote.persona, 60)),
        ("answer", lambda quote: Quoted(quote.reply, 300)),
        *(
            (METHOD_NAMES[name], lambda quote, name=name: Number(quote.values.get(name), digits))
            for name in question.methods
            if name in TEXT_METHODS
        ),
    )
    return table_of(quotes, columns, title="Some answers, drawn at random", detail="full", noun="answer")


def _distributions(measures: "Sequence[QuestionMeasure]", question: "StudyQuestion", position: int) -> Figure:
    """Draw the mean and the distribution of each concept by each method."""
    scale, digits = scale_of(question), scale_digits(scale_of(question))
    concepts = zip(*(measure.estimates.groups for measure in measures), strict=True)
    by_concept = [pair for groups in concepts for pair in zip(measures, groups, strict=True)]
    rows = []
    for measure, group in by_concept:
        if group.mean is not None:
            by = measure.method if measure.model is None else f"{measure.method}, {one_line(measure.model)}"
            label = f"{one_line(str(group.group))}, {by}"
            rows.append((label, group.mean, [mass.value for mass in group.pmf]))
    columns: Columns[tuple[QuestionMeasure, GroupEstimate]] = (
        ("concept", lambda row: Quoted(row[1].group, 60)),
        ("method", lambda row: method_label(row[0].method, row[0].model)),
        ("answers", lambda row: parts.base_of(row[1])),
        ("left out", lambda row: row[1].n_left_out),
        ("mean", lambda row: estimate_cell(row[1].mean, digits)),
        *(
            (head, lambda row, index=index: share_cell(row[1].pmf[index] if row[1].pmf else None))
            for index, head in enumerate(mass_heads(scale))
        ),
    )
    points = figures.point_legend(scale)
    return Figure(
        f"question-{position}",
        *figures.distribution_chart(
            rows,
            points,
            reference=float(scale.values.mean()),
            about="Mean by concept and method",
            digits=digits,
        ),
        table_of(by_concept, columns, detail="full"),
        legend=points,
        caption="Dots are means, lines their simulation intervals, the dashed line is the middle of the "
        "scale; the axis shows only the part of the scale that is needed. Bars show the share of each point "
        "in percent.",
    )


def _groups(measure: "QuestionMeasure", attribute: str) -> DataTable:
    """Build the table of the mean over all concepts for each group of personas."""
    estimates, digits = measure.by_attribute[attribute], scale_digits(scale_of(measure.question))
    is_small = any(group.has_small_base for group in estimates.groups)
    return replace(
        parts.group_table(estimates, noun="answer", digits=digits),
        title=method_label(measure.method, measure.model),
        note=sentences.asterisk_note("persona") if is_small else "",
        detail="full",
    )


def _difference_blocks(summary: "StudySummary", question: "StudyQuestion", by: str) -> Iterator[Block | str]:
    """Build the blocks that compare all pairs of concepts, or of groups of personas."""
    differences = [row for row in summary.differences if (row.question, row.by) == (question.name, by)]
    design = summary.design
    if not differences:
        levels = design.questionnaire.concepts if by == CONCEPT else set(design.panel.fields[by]) - {None}
        if len(levels) > MOST_LEVELS:
            yield f"More than {MOST_LEVELS} of them are not compared two by two."
        return
    digits = scale_digits(scale_of(question))
    columns: Columns[Any] = (
        *_models(summary),
        _METHOD,
        ("first", lambda row: Quoted(row.first, 60)),
        ("second", lambda row: Quoted(row.second, 60)),
        ("first minus second", lambda row: estimate_cell(row.difference, digits, signed=True)),
        ("p", lambda row: Number(row.p_value, 3)),
        ("p, Holm", lambda row: Number(row.p_adjusted, 3)),
    )
    what = "Differences of concepts in “" if by == CONCEPT else "Differences of groups in “"
    title = (what, Quoted(question.name), f"”, {_with_intervals(summary)}")
    yield table_of(differences, columns, title=title, noun="difference")
    within = "within personas" if by == CONCEPT else "over all concepts together"
    yield (
        f"Compared {within}. p: a t test over personas; Holm: adjusted for all differences of one method "
        "here. A small p shows that the model distinguishes the two; it does not describe people. There is "
        "no test where all personas differ by the same amount."
    )


def _option_blocks(summary: "StudySummary", question: "StudyQuestion") -> Iterator[Block | str]:
    """Build the blocks with the figures of each option, one concept per column."""
    is_share = question.kind.figure == "share"
    what = "Share of each option in “" if is_share else "Mean rank in “"
    cell = share_cell if is_share else estimate_cell
    answered = [item for item in summary.options if item.question == question]
    for model in dict.fromkeys(item.model for item in answered):
        concepts = [item for item in answered if item.model == model]
        rows: list[tuple[Value, ...]] = [
            (Quoted(label, 60), *(cell(concept.options[label]) for concept in concepts))
            for label in question.labels
        ]
        if question.kind.has_mean:
            rows.append(("mean", *(concept.mean for concept in concepts)))
        rows.append(("answers", *(concept.n for concept in concepts)))
        name = "" if model is None else f" by {one_line(model)}"
        title = (what, Quoted(question.name), f"”{name}, {_with_intervals(summary)}")
        heads: tuple[str | Quoted, ...] = ("option", *(Quoted(item.concept, 60) for item in concepts))
        yield table(heads, rows, title=title, noun="option")
    yield question.kind.note


# All questions


def _pairs(summary: "StudySummary") -> DataTable:
    columns: Columns[Any] = (
        *_models(summary),
        _QUESTION,
        ("first method", lambda pair: Label(METHOD_NAMES[pair.first], brief=pair.first)),
        ("second method", lambda pair: Label(METHOD_NAMES[pair.second], brief=pair.second)),
        *_COMPARED,
    )
    return table_of(summary.pairs, columns, brief_title="Methods compared", noun="pair")


def _model_pairs(summary: "StudySummary") -> DataTable:
    columns: Columns[Any] = (
        _QUESTION,
        _METHOD,
        ("first model", lambda pair: Quoted(pair.first, 60)),
        ("second model", lambda pair: Quoted(pair.second, 60)),
        *_COMPARED,
    )
    return table_of(summary.model_pairs, columns, brief_title="Models compared", noun="pair")


def _reliabilities(summary: "StudySummary") -> DataTable:
    reliability: Column[Any] = ("rerun reliability", lambda row: row.reliability)
    columns = (*_models(summary), _QUESTION, _METHOD, reliability)
    return table_of(summary.reliabilities, columns, brief_title="The same panel asked again", noun="question")


def _spread_blocks(summary: "StudySummary") -> Iterator[Block | str]:
    """Build the blocks on variance components, and on how to lower the error."""
    for spread in summary.spreads:
        title = ("“", Quoted(spread.question), f"”, {METHOD_NAMES[spread.method]}")
        variances = {component.name: component.variance for component in spread.variances.components}
        yield parts.variance_table(variances, title)
        yield Paragraph(_advice(spread.variances, several_models=bool(summary.models)))
    about_models = (
        f"The {len(summary.models)} models represent all models that could answer, as if drawn from them."
        if summary.models
        else "One model answered: these figures do not include differences between models."
    )
    yield (
        "Variances within concepts, without weights, in squared units of the scale. Estimates below 0 are "
        "noise, and count as 0. Intervals with personas in them come from a bootstrap or a jackknife of "
        f"personas, those of sets or models alone from the chi-square distribution. {about_models}"
    )


def _advice(variances: "VarianceComponents", *, several_models: bool) -> str:
    """State how to make a concept's mean more precise."""
    study = variances.decision
    now = f"The standard error of a concept's mean is {number(study.error, _DIGITS)}"
    if study.best is None:
        return f"{now}; doubling either would not lower it."
    doubled = join_list([f"{name}s {number(error, _DIGITS)}" for name, error in study.doubled.items()])
    remedy = "ask more models" if several_models and study.best == "model" else _REMEDIES[study.best]
    return f"{now}; with twice the {doubled}: {remedy}."


def _order_blocks(summary: "StudySummary") -> Iterator[Block | str]:
    if summary.orders:
        columns: Columns[Any] = (
            *_models(summary),
            _QUESTION,
            _METHOD,
            ("first", lambda order: order.ordered),
            ("first minus later", lambda order: estimate_cell(order.effect, signed=True)),
        )
        yield table_of(summary.orders, columns, brief_title="Order effects", noun="effect")
        yield _ORDERS
    elif summary.design.questionnaire.exposure == "separate":
        yield Paragraph(f"None are possible: {_rotation_line(summary)}.")
    else:
        yield Paragraph("None can be estimated: every answer had the same position.")


def _status_blocks(summary: "StudySummary") -> Iterator[Block | str]:
    yield _statuses(summary, None)
    for attribute in summary.design.groups:
        yield Paragraph(("By ", Quoted(attribute)), "heading")
        yield _statuses(summary, attribute)
    if summary.unrated:
        columns: Columns[Any] = (
            *_models(summary),
            _METHOD,
            ("status", lambda row: row.status),
            ("reason", lambda row: Quoted(row.reason, 160)),
            ("answers", lambda row: row.n),
            ("example", lambda row: Quoted(row.reply, 300)),
        )
        title = "Why answers have no rating"
        yield Paragraph(title, "heading")
        yield table_of(summary.unrated, columns, brief_title=title, noun="reason")
    yield "Answers without a rating are left out of every figure. They are never treated as 0."


def _statuses(summary: "StudySummary", attribute: str | None) -> DataTable:
    """Build the table of answers by status for each method, or for each group of personas by method."""
    rows = [counts for counts in summary.statuses if counts.attribute == attribute]
    present_statuses = {status for counts in rows for status, n in counts.counts.items() if n}
    columns: Columns[StatusCounts] = (
        *_models(summary),
        _METHOD,
        None if attribute is None else (Quoted(attribute), lambda row: Quoted(row.group, 60)),
        ("answers", lambda row: row.n),
        *(
            (
                "rated" if status is Status.SCORED else str(status),
                lambda row, status=status: row.counts.get(str(status), 0),
            )
            for status in Status
            if status is Status.SCORED or str(status) in present_statuses
        ),
        ("refused, %", lambda row: Share(row.share(Status.REFUSED))),
    )
    return table_of(
        rows, columns, brief_title="Answers by method", detail="both" if attribute is None else "full"
    )


def _costs(summary: "StudySummary") -> DataTable:
    currency = summary.facts.currency
    columns: Columns[Any] = (
        *_models(summary),
        _METHOD,
        ("answers with known tokens", lambda cost: cost.n),
        ("tokens", lambda cost: Count(cost.tokens)),
        (f"cost in {currency}" if currency else "cost", lambda cost: Number(cost.money, 4)),
        ("median seconds per answer", lambda cost: Number(cost.seconds, 1)),
    )
    note = "An answer in free words counts with similarity (SSR), also where a follow-up rating uses it."
    return table_of(summary.costs, columns, note=note, brief_title="Cost", noun="method")


# Columns

_QUESTION: Column[Any] = ("question", lambda row: Quoted(row.question, 60))
_METHOD: Column[Any] = ("method", lambda row: Label(METHOD_NAMES[row.method], brief=row.method))
_COMPARED: tuple[Column[Any], ...] = (
    ("answers with both", lambda pair: pair.difference.n),
    ("mean difference", lambda pair: estimate_cell(pair.difference, signed=True)),
    ("correlation", lambda pair: estimate_cell(pair.correlation)),
)


def _models(summary: "StudySummary") -> Iterator[Column[Any]]:
    """Return a column with the model if several were asked."""
    if summary.models:
        yield "model", lambda row: Quoted(row.model, 60)


def _with_intervals(summary: "StudySummary") -> str:
    return f"with {coverage(summary.plan.interval)} simulation intervals"
