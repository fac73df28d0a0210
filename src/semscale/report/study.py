"""The document of a study: results of all methods for each question, and the limits of the study."""

import math
from collections.abc import Iterator, Sequence
from itertools import chain
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
from semscale.report.formatting import (
    capitalise,
    count,
    count_of,
    coverage,
    join_list,
    number,
    one_line,
    plain,
)
from semscale.report.parts import Column, Columns, section, table, table_of, without_none
from semscale.stats.intervals import mass_names
from semscale.study.questionnaire import TEXT_METHODS
from semscale.study.study_figures import CONCEPT, MOST_LEVELS, scale_of
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.study.questionnaire import StudyQuestion
    from semscale.study.study_figures import StudyFigure
    from semscale.study.summary import QuotedAnswer, StudySummary

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
        facts=parts.facts(
            ("Personas", len(panel)),
            ("Effective n", Number(panel.effective_n, 0)) if panel.weights is not None else None,
            ("Answers", sum(counts.values())),
            ("Rated", counts.get(str(Status.SCORED), 0)),
            ("Refused", counts.get(str(Status.REFUSED), 0)),
            ("Calls of this run", summary.facts.calls),
        ),
        sections=without_none(*_sections(summary)),
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
    for row in summary.figures.select("answers", status="scored", question=None, by=None):
        n = row.n or 0
        if row.value / n < _FEW_SCORED:
            scored, total = int(row.value), count_of(n, "answer")
            few = f"{count(scored)} of {total} have a rating; the others may differ from these"
            rated = few if scored else f"none of {total} has a rating"
            yield f"{capitalise(_method_label(row))}: {rated}."
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
        ", ".join(filter(None, (row.question, row.method, row.model))): row.interval_method
        for row in summary.figures.select("mean", concept=None, by=None)
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
    yield section("methods", "Methods compared", _method_pairs(summary), _METHODS)
    yield section("models", "Models compared", _model_pairs(summary), _MODELS)
    yield section("reruns", "The same panel asked again", _reliabilities(summary), _RERUNS)
    if summary.figures.select("variance"):
        yield section("spread", "Sources of variation", *_spread_blocks(summary))
    yield section("orders", "Order effects", *_order_blocks(summary))
    yield section("answers", "Answers with and without a rating", *_status_blocks(summary))
    yield section("cost", "Cost", _costs(summary))
    limits = (Paragraph(limit) for limit in (_NO_PEOPLE, *_LIMITS))
    yield section("limits", "Limits of this study", *limits)
    used = dict.fromkeys(str(row.method) for row in summary.figures.select("answers", question=None))
    meanings = [(capitalise(METHOD_NAMES[name]), _METHOD_MEANINGS[name]) for name in used]
    yield section("reading", "Measurement", table(("method", "meaning"), meanings, detail="full"))


# A question


def _question_blocks(
    summary: "StudySummary", question: "StudyQuestion", position: int
) -> Iterator[Block | str | None]:
    overall = _means(summary, question)
    concepts = summary.design.questionnaire.concepts
    by_concept = [_means(summary, question, concept=concept.name) for concept in concepts]
    if any(mean.n for mean in overall):
        yield _distributions(summary, question, [*chain.from_iterable(by_concept)], position)
    yield _mean_table(summary, question, by_concept)
    yield from _difference_blocks(summary, question, CONCEPT)
    quotes = [quote for quote in summary.quotes if quote.question == question.name]
    if quotes:
        yield _quotes(summary, question, quotes)
        yield _READ_ANSWERS
    for attribute in summary.design.groups:
        yield Paragraph(("By ", Quoted(attribute), ", all concepts together"), "heading")
        for mean in overall:
            yield _groups(summary, question, mean, attribute)
        yield from _difference_blocks(summary, question, attribute)


def _means(
    summary: "StudySummary", question: "StudyQuestion", concept: str | None = None
) -> "list[StudyFigure]":
    """Return the means by method and model; methods are adjacent, also where several models answered."""
    means = summary.figures.select("mean", question=question.name, concept=concept, by=None)
    return [mean for method in question.methods for mean in means if mean.method == method]


def _mean_table(
    summary: "StudySummary", question: "StudyQuestion", by_concept: "Sequence[Sequence[StudyFigure]]"
) -> DataTable:
    """Build the table of means by method, one concept per row."""
    digits = scale_digits(scale_of(question))
    columns: Columns[Sequence[StudyFigure]] = (
        ("concept", lambda means: Quoted(means[0].concept, 60)),
        *(
            (_method_label(mean), lambda means, index=index: estimate_cell(means[index], digits))
            for index, mean in enumerate(by_concept[0])
        ),
    )
    title = ("Mean of “", Quoted(question.name), f"”, {_with_intervals(summary)}")
    return table_of(by_concept, columns, title=title, noun="concept")


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


def _distributions(
    summary: "StudySummary", question: "StudyQuestion", means: "Sequence[StudyFigure]", position: int
) -> Figure:
    """Draw the mean and the distribution of each concept by each method."""
    scale, digits = scale_of(question), scale_digits(scale_of(question))
    masses = mass_names(scale.values)

    def share(mean: "StudyFigure", point: str) -> "StudyFigure":
        return summary.figures.counterpart(mean, point)

    has_methods = len({mean.method for mean in means}) > 1

    def label(mean: "StudyFigure") -> str:
        names = (mean.concept, mean.method if has_methods else None, mean.model)
        return ", ".join(one_line(name) for name in names if name is not None)

    rows = [
        (
            label(mean),
            mean,
            [share(mean, point).value for point in masses],
        )
        for mean in means
        if mean.n
    ]
    columns: Columns[StudyFigure] = (
        ("concept", lambda mean: Quoted(mean.concept, 60)),
        ("method", _method_label),
        *_ANSWERS,
        ("mean", lambda mean: estimate_cell(mean, digits)),
        *(
            (head, lambda mean, point=point: share_cell(share(mean, point)))
            for head, point in zip(mass_heads(scale), masses, strict=True)
        ),
    )
    legend = figures.point_legend(scale)
    return Figure(
        f"question-{position}",
        *figures.distribution_chart(
            rows,
            legend,
            reference=float(scale.values.mean()),
            about="Mean by concept and method" if has_methods else "Mean by concept",
            digits=digits,
        ),
        table_of(means, columns, detail="full"),
        legend=legend,
        caption="Dots are means, lines their simulation intervals, the dashed line is the middle of the "
        "scale; the axis shows only the part of the scale that is needed. Bars show the share of each point "
        "in percent.",
        data=figures.distribution_data(
            rows, legend, reference=None, order=figures.scale_order(scale), digits=digits
        ),
        finding=_means_finding(summary, question, means),
    )


def _means_finding(summary: "StudySummary", question: "StudyQuestion", means: "Sequence[StudyFigure]") -> str:
    """State the concepts with the highest and the lowest mean by the first method that has figures."""
    answered = [mean for mean in means if mean.n]
    shown = answered[0]
    order = [mean for mean in answered if (mean.method, mean.model) == (shown.method, shown.model)]
    order.sort(key=lambda mean: -mean.value)
    best, worst = order[0], order[-1]
    scale, digits = scale_of(question), scale_digits(scale_of(question))
    low, high = map(plain, scale.values[[0, -1]])
    by = f", by {_method_label(shown)}" if len(answered) > len(order) else ""
    stated = f"{number(best.value, digits)} on a scale from {low} to {high}{by}"
    if best is worst:
        return f"Personas give ‘{one_line(best.concept)}’ a mean of {stated}"
    if best.value == worst.value:
        return f"Personas rate all concepts alike ({stated})"
    pairs = summary.figures.select(
        "difference", question=question.name, method=shown.method, model=shown.model, by=CONCEPT
    )
    names = {best.concept, worst.concept}
    p_values = [pair.p_adjusted for pair in pairs if {pair.level, pair.other} == names]
    tested = [p_value for p_value in p_values if p_value is not None and not math.isnan(p_value)]
    if not tested:
        note = "; there is no test of the difference"
    elif min(tested) >= 1 - summary.plan.interval:
        note = "; the difference may be chance"
    else:
        note = ""
    return (
        f"Personas rate ‘{one_line(best.concept)}’ highest ({stated}) and ‘{one_line(worst.concept)}’ lowest "
        f"({number(worst.value, digits)}){note}"
    )


def _groups(
    summary: "StudySummary", question: "StudyQuestion", mean: "StudyFigure", attribute: str
) -> DataTable:
    """Build the table of the mean over all concepts for each group of personas."""
    digits = scale_digits(scale_of(question))
    means = summary.figures.select(
        "mean", question=mean.question, method=mean.method, model=mean.model, by=attribute
    )
    columns: Columns[StudyFigure] = (
        (Quoted(attribute), lambda row: parts.group_name(row.level, attribute)),
        *_ANSWERS,
        ("mean", lambda row: estimate_cell(row, digits)),
    )
    note = sentences.asterisk_note("persona") if any(row.has_small_base for row in means) else ""
    title = _method_label(mean)
    return table_of(means, columns, title=title, note=note, most=parts.GROUPS, noun="group", detail="full")


def _difference_blocks(summary: "StudySummary", question: "StudyQuestion", by: str) -> Iterator[Block | str]:
    """Build the blocks that compare all pairs of concepts, or of groups of personas."""
    differences = summary.figures.select("difference", question=question.name, by=by)
    design = summary.design
    if not differences:
        levels = design.questionnaire.concepts if by == CONCEPT else set(design.panel.fields[by]) - {None}
        if len(levels) > MOST_LEVELS:
            yield f"More than {MOST_LEVELS} of them are not compared two by two."
        return
    digits = scale_digits(scale_of(question))
    columns: Columns[StudyFigure] = (
        *_models(summary),
        _METHOD,
        *_PAIR,
        ("first minus second", lambda row: estimate_cell(row, digits, signed=True)),
        ("p", lambda row: Number(row.p, 3)),
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
    answered = summary.figures.select(question.kind.figure, question=question.name)
    for model in dict.fromkeys(row.model for row in answered):
        first = [row for row in answered if row.model == model and row.level == question.labels[0]]
        rows: list[tuple[Value, ...]] = [
            (Quoted(label, 60), *(cell(summary.figures.counterpart(row, level=label)) for row in first))
            for label in question.labels
        ]
        if question.kind.has_mean:
            means = (summary.figures.counterpart(row, "mean", by=None, level=None) for row in first)
            rows.append(("mean", *means))
        rows.append(("answers", *(row.n for row in first)))
        name = "" if model is None else f" by {one_line(model)}"
        title = (what, Quoted(question.name), f"”{name}, {_with_intervals(summary)}")
        heads: tuple[str | Quoted, ...] = ("option", *(Quoted(row.concept, 60) for row in first))
        yield table(heads, rows, title=title, noun="option")
    yield question.kind.note


# All questions


def _method_pairs(summary: "StudySummary") -> DataTable:
    columns: Columns[StudyFigure] = (
        *_models(summary),
        _QUESTION,
        ("first method", lambda pair: _method_cell(pair.level)),
        ("second method", lambda pair: _method_cell(pair.other)),
        *_pair_columns(summary),
    )
    pairs = summary.figures.select("paired_difference", by="method")
    return table_of(pairs, columns, brief_title="Methods compared", noun="pair")


def _model_pairs(summary: "StudySummary") -> DataTable:
    columns: Columns[StudyFigure] = (
        _QUESTION,
        _METHOD,
        ("first model", lambda pair: Quoted(pair.level, 60)),
        ("second model", lambda pair: Quoted(pair.other, 60)),
        *_pair_columns(summary),
    )
    pairs = summary.figures.select("paired_difference", by="model")
    return table_of(pairs, columns, brief_title="Models compared", noun="pair")


def _reliabilities(summary: "StudySummary") -> DataTable:
    reliability: Column[StudyFigure] = ("rerun reliability", lambda row: row)
    columns = (*_models(summary), _QUESTION, _METHOD, reliability)
    rows = summary.figures.select("reliability")
    return table_of(rows, columns, brief_title="The same panel asked again", noun="question")


def _spread_blocks(summary: "StudySummary") -> Iterator[Block | str]:
    """Build the blocks on variance components, and on how to lower the error."""
    for error in summary.figures.select("standard_error", by=None):
        question, method = error.question, error.method
        variances = summary.figures.select("variance", question=question, method=method)
        doubled = summary.figures.select("standard_error", question=question, method=method, by="facet")
        title = ("“", Quoted(question), f"”, {_method_label(error)}")
        yield parts.variance_table({str(row.level): row for row in variances}, title)
        yield Paragraph(_advice(error, doubled, several_models=bool(summary.models)))
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


def _advice(error: "StudyFigure", doubled: "Sequence[StudyFigure]", *, several_models: bool) -> str:
    """State how to make a concept's mean more precise, by the error with twice the levels of each facet."""
    now = f"The standard error of a concept's mean is {number(error.value, _DIGITS)}"
    best = min(doubled, key=lambda row: row.value, default=error)
    if not best.value < error.value:
        return f"{now}; doubling either would not lower it."
    listed = join_list([f"{row.level}s {number(row.value, _DIGITS)}" for row in doubled])
    facet = str(best.level)
    remedy = "ask more models" if several_models and facet == "model" else _REMEDIES[facet]
    return f"{now}; with twice the {listed}: {remedy}."


def _order_blocks(summary: "StudySummary") -> Iterator[Block | str]:
    effects = summary.figures.select("order_effect")
    if effects:
        columns: Columns[StudyFigure] = (
            *_models(summary),
            _QUESTION,
            _METHOD,
            ("first", lambda effect: effect.by),
            ("first minus later", lambda effect: estimate_cell(effect, signed=True)),
        )
        yield table_of(effects, columns, brief_title="Order effects", noun="effect")
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
    counted = summary.figures.select("answers", question=None, by=attribute)
    counts = {(row.model, row.method, row.level, row.status): int(row.value) for row in counted}
    statuses = {row.status for row in counted}
    rows = [row for row in counted if row.status == Status.SCORED]

    def count_of_status(row: "StudyFigure", status: Status) -> int:
        return counts.get((row.model, row.method, row.level, str(status)), 0)

    columns: Columns[StudyFigure] = (
        *_models(summary),
        _METHOD,
        None if attribute is None else (Quoted(attribute), lambda row: Quoted(row.level, 60)),
        ("answers", lambda row: row.n),
        *(
            (
                "rated" if status is Status.SCORED else str(status),
                lambda row, status=status: count_of_status(row, status),
            )
            for status in Status
            if str(status) in statuses
        ),
        ("refused, %", lambda row: Share(count_of_status(row, Status.REFUSED) / (row.n or 1))),
    )
    return table_of(
        rows, columns, brief_title="Answers by method", detail="both" if attribute is None else "full"
    )


def _costs(summary: "StudySummary") -> DataTable:
    currency = summary.facts.currency

    def amount(row: "StudyFigure", figure: str) -> float:
        return summary.figures.counterpart(row, figure).value

    columns: Columns[StudyFigure] = (
        *_models(summary),
        _METHOD,
        ("answers with known tokens", lambda row: row.n),
        ("tokens", lambda row: Count(int(row.value) if row.n else None)),
        (f"cost in {currency}" if currency else "cost", lambda row: Number(amount(row, "cost"), 4)),
        ("median seconds per answer", lambda row: Number(amount(row, "seconds"), 1)),
    )
    note = "An answer in free words counts with similarity (SSR), also where a follow-up rating uses it."
    rows = summary.figures.select("tokens")
    return table_of(rows, columns, note=note, brief_title="Cost", noun="method")


# Columns


def _method_label(row: "StudyFigure") -> str:
    return method_label(str(row.method), row.model)


def _method_cell(method: str | None) -> Label:
    return Label(METHOD_NAMES[str(method)], brief=str(method))


_QUESTION: Column[Any] = ("question", lambda row: Quoted(row.question, 60))
_METHOD: Column[Any] = ("method", lambda row: _method_cell(row.method))
_PAIR: tuple[Column[Any], ...] = (
    ("first", lambda row: Quoted(row.level, 60)),
    ("second", lambda row: Quoted(row.other, 60)),
)
_ANSWERS: tuple[Column[Any], ...] = (
    ("answers", lambda row: Count(row.n, is_small=row.has_small_base)),
    ("left out", lambda row: row.n_left_out),
)


def _pair_columns(summary: "StudySummary") -> "tuple[Column[StudyFigure], ...]":
    """Return the columns of pairs of methods or models."""
    return (
        ("answers with both", lambda pair: pair.n),
        ("mean difference", lambda pair: estimate_cell(pair, signed=True)),
        ("correlation", lambda pair: estimate_cell(summary.figures.counterpart(pair, "correlation"))),
    )


def _models(summary: "StudySummary") -> Iterator[Column[Any]]:
    """Return a column with the model if several were asked."""
    if summary.models:
        yield "model", lambda row: Quoted(row.model, 60)


def _with_intervals(summary: "StudySummary") -> str:
    return f"with {coverage(summary.plan.interval)} simulation intervals"
