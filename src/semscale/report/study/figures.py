"""Pictures and tables of a study: distributions by concept and method, methods, orders, statuses, costs."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from semscale.report.chart_kit import mass_heads, point_colours, point_names, scale_digits
from semscale.report.document import (
    Cell,
    Count,
    DataTable,
    Figure,
    Number,
    Quoted,
    Share,
    Swatch,
    WithInterval,
    Words,
)
from semscale.report.formatting import ends, number, one_line
from semscale.report.parts import Columns, base_of, group_name, table_of
from semscale.report.row_charts import GroupRow, group_rows
from semscale.report.sentences import small_base_words
from semscale.report.study.words import METHOD_NAMES, interval_heads, method_words
from semscale.study.questionnaire import TEXT_METHODS
from semscale.study.summary import CONCEPT
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.scales import Scale
    from semscale.stats.intervals.estimates import GroupEstimate
    from semscale.study.questionnaire import SurveyQuestion
    from semscale.study.summary import (
        LevelDifference,
        MethodCost,
        MethodPair,
        ModelPair,
        OrderEffect,
        QuestionMeasure,
        QuotedAnswer,
        RerunReliability,
        StatusCounts,
        StudySummary,
        UnratedReason,
    )


class _Answered(Protocol):
    @property
    def model(self) -> str | None: ...


Answered = TypeVar("Answered", bound=_Answered)
"""Figures that name the model that answered, where there are several."""

_SHOWN_STATUSES = (Status.REFUSED, Status.UNPARSABLE, Status.FAILED, Status.UNFINISHED)


def measures_of(summary: "StudySummary", question: "SurveyQuestion") -> "list[QuestionMeasure]":
    """List the measures of one question, those by one method beside each other."""
    own = [measure for measure in summary.measures if measure.question.name == question.name]
    return sorted(own, key=lambda measure: question.methods.index(measure.method))


def methods_table(summary: "StudySummary", question: "SurveyQuestion") -> DataTable:
    """Put the means of all methods side by side, one concept a row."""
    measures, digits = measures_of(summary, question), scale_digits(question.scale)
    concepts = zip(*(measure.estimates.groups for measure in measures), strict=True)
    rows: list[tuple[Cell, ...]] = [
        (Quoted(own[0].group, 60), *(WithInterval.of(group.mean, digits) for group in own))
        for own in concepts
    ]
    heads = ("concept", *(method_words(measure.method, measure.model) for measure in measures))
    title = ("Mean of “", Quoted(question.name), f"”, {interval_heads(summary)}")
    return DataTable(heads, tuple(rows), title=title, noun="concept")


def distribution_figure(summary: "StudySummary", question: "SurveyQuestion") -> Figure | None:
    """Draw the mean and the distribution of each concept by each method; ``None`` without any answer."""
    scale, digits = question.scale, scale_digits(question.scale)
    found = list(_concept_rows(summary, question))
    rows = [_group_row(name, group) for name, _, group in found if group.mean is not None]
    if not rows:
        return None
    middle = float(scale.values.mean())
    described = "; ".join(f"{row.name}: {number(row.mean, digits)}" for row in rows)
    place = [each.name for each in summary.design.questionnaire.questions].index(question.name) + 1
    return Figure(
        f"question-{place}",
        lambda width: group_rows(rows, point_colours(scale), reference=middle, width=width),
        f"Mean by concept and method: {described}.",
        _distribution_table(found, scale),
        caption="Dots are means, lines their simulation intervals, the dashed line is the middle of the "
        "scale; the axis shows only the part of the scale that is needed. Bars show the share of each point "
        "in percent.",
        legend=tuple(Swatch(*pair) for pair in zip(point_colours(scale), point_names(scale), strict=True)),
    )


def groups_table(measure: "QuestionMeasure", attribute: str) -> DataTable:
    """List the mean of all concepts together for each group of personas."""
    estimates, digits = measure.by_attribute[attribute], scale_digits(measure.question.scale)
    is_small = any(group.has_small_base for group in estimates.groups)
    columns: Columns[GroupEstimate] = (
        (Quoted(attribute), lambda group: group_name(group, attribute)),
        ("answers", base_of),
        ("left out", lambda group: Count(group.n_left_out)),
        ("mean", lambda group: WithInterval.of(group.mean, digits)),
    )
    return table_of(
        estimates.groups,
        columns,
        title=method_words(measure.method, measure.model),
        note=small_base_words("persona") if is_small else "",
        detail="full",
    )


def pairs_table(summary: "StudySummary") -> DataTable:
    """Compare every two methods of a question."""
    columns: Columns[MethodPair] = (
        ("question", lambda pair: Quoted(pair.question, 60)),
        ("method", lambda pair: Words(METHOD_NAMES[pair.first], brief=pair.first)),
        ("beside", lambda pair: Words(METHOD_NAMES[pair.second], brief=pair.second)),
        ("answers with both", lambda pair: Count(pair.difference.n)),
        ("mean difference", lambda pair: WithInterval.of(pair.difference, signed=True)),
        ("correlation", lambda pair: WithInterval.of(pair.correlation)),
    )
    shown = _with_model(summary, columns)
    return table_of(summary.pairs, shown, brief_title="Methods beside each other", noun="pair")


def model_pairs_table(summary: "StudySummary") -> DataTable:
    """Compare every two models by each method."""
    columns: Columns[ModelPair] = (
        ("question", lambda pair: Quoted(pair.question, 60)),
        ("method", lambda pair: Words(METHOD_NAMES[pair.method], brief=pair.method)),
        ("model", lambda pair: Quoted(pair.first, 60)),
        ("beside", lambda pair: Quoted(pair.second, 60)),
        ("answers with both", lambda pair: Count(pair.difference.n)),
        ("mean difference", lambda pair: WithInterval.of(pair.difference, signed=True)),
        ("correlation", lambda pair: WithInterval.of(pair.correlation)),
    )
    return table_of(summary.model_pairs, columns, brief_title="Models beside each other", noun="pair")


def differences_table(summary: "StudySummary", question: "SurveyQuestion", by: str) -> DataTable | None:
    """Compare every two concepts, or groups of personas; ``None`` where there are no two."""
    found = [each for each in summary.differences if (each.question, each.by) == (question.name, by)]
    if not found:
        return None
    digits = scale_digits(question.scale)
    columns: Columns[LevelDifference] = (
        ("method", lambda each: Words(METHOD_NAMES[each.method], brief=each.method)),
        ("first", lambda each: Quoted(each.first, 60)),
        ("second", lambda each: Quoted(each.second, 60)),
        ("first less second", lambda each: WithInterval.of(each.difference, digits, signed=True)),
        ("p", lambda each: Number(each.p_value, 3)),
        ("p, Holm", lambda each: Number(each.p_adjusted, 3)),
    )
    what = "Differences of concepts in “" if by == CONCEPT else "Differences of groups in “"
    title = (what, Quoted(question.name), f"”, {interval_heads(summary)}")
    return table_of(found, _with_model(summary, columns), title=title, noun="difference")


def reliabilities_table(summary: "StudySummary") -> DataTable | None:
    """List how far personas say the same when they are asked again; ``None`` where they are asked once."""
    if not summary.reliabilities:
        return None
    columns: Columns[RerunReliability] = (
        ("question", lambda each: Quoted(each.question, 60)),
        ("method", lambda each: Words(METHOD_NAMES[each.method], brief=each.method)),
        ("rerun reliability", lambda each: WithInterval.of(each.reliability)),
    )
    shown = _with_model(summary, columns)
    return table_of(summary.reliabilities, shown, brief_title="The same panel asked again", noun="question")


def unrated_table(summary: "StudySummary") -> DataTable | None:
    """Say why answers have no rating, with the words of one; ``None`` where all have one."""
    if not summary.unrated:
        return None
    columns: Columns[UnratedReason] = (
        ("method", lambda each: Words(METHOD_NAMES[each.method], brief=each.method)),
        ("status", lambda each: Words(each.status)),
        ("reason", lambda each: Quoted(each.reason, 160)),
        ("answers", lambda each: Count(each.n)),
        ("one of them", lambda each: Quoted(each.reply, 300)),
    )
    shown = _with_model(summary, columns)
    return table_of(summary.unrated, shown, brief_title="Why answers have no rating", noun="reason")


def quotes_table(summary: "StudySummary", question: "SurveyQuestion") -> DataTable | None:
    """Show some answers in free words; ``None`` where there are none."""
    found = [quote for quote in summary.quotes if quote.question == question.name]
    methods = [method for method in question.methods if method in TEXT_METHODS]
    if not found:
        return None
    digits = scale_digits(question.scale)
    columns: list[tuple[str | Quoted, Callable[[QuotedAnswer], Cell]]] = [
        ("concept", lambda quote: Quoted(quote.concept, 60)),
        ("persona", lambda quote: Quoted(quote.persona, 60)),
        ("answer", lambda quote: Quoted(quote.reply, 300)),
    ]
    columns += [(METHOD_NAMES[method], partial(_value, method, digits)) for method in methods]
    shown = _with_model(summary, columns)
    return table_of(found, shown, title="Some answers, drawn at random", detail="full", noun="answer")


def orders_table(summary: "StudySummary") -> DataTable:
    """List what standing first did to the answers."""
    columns: Columns[OrderEffect] = (
        ("question", lambda order: Quoted(order.question, 60)),
        ("method", lambda order: Words(METHOD_NAMES[order.method], brief=order.method)),
        ("first", lambda order: Words(order.ordered)),
        ("first less later", lambda order: WithInterval.of(order.effect, signed=True)),
    )
    return table_of(summary.orders, _with_model(summary, columns), brief_title="Order effects", noun="effect")


def statuses_table(summary: "StudySummary", attribute: str | None) -> DataTable:
    """Count answers by status for each method, or for each group of personas by each method."""
    found = [each for each in summary.statuses if each.attribute == attribute]
    shown = {status: sum(each.counts.get(str(status), 0) for each in found) for status in Status}
    kept = [status for status in Status if status is not Status.SCORED and shown[status]]
    columns: list[tuple[str | Quoted, Callable[[StatusCounts], Cell]]] = [("method", _method_of)]
    if attribute is not None:
        columns.append((Quoted(attribute), lambda each: Quoted(each.group, 60)))
    columns += [("answers", lambda each: Count(each.n)), ("rated", partial(_status, Status.SCORED))]
    columns += [(str(status), partial(_status, status)) for status in kept]
    columns.append(("refused, %", lambda each: Share(each.share(Status.REFUSED))))
    detail = "both" if attribute is None else "full"
    shown_columns = _with_model(summary, columns)
    return table_of(found, shown_columns, brief_title="Answers by method", detail=detail)


def costs_table(summary: "StudySummary") -> DataTable:
    """List what the answers by each method took."""
    currency = summary.facts.currency
    columns: Columns[MethodCost] = (
        ("method", lambda cost: Words(METHOD_NAMES[cost.method], brief=cost.method)),
        ("answers with known tokens", lambda cost: Count(cost.n)),
        ("tokens", lambda cost: Count(cost.tokens)),
        (f"cost in {currency}" if currency else "cost", lambda cost: Number(cost.money, 4)),
        ("seconds an answer, median", lambda cost: Number(cost.seconds, 1)),
    )
    note = "An answer in free words counts with similarity (SSR), also where a follow-up rating uses it."
    shown = _with_model(summary, columns)
    return table_of(summary.costs, shown, note=note, brief_title="What it took", noun="method")


def _with_model(summary: "StudySummary", columns: "Columns[Answered]") -> "Columns[Answered]":
    """Put a column with the model first, where several were asked."""
    if not summary.models:
        return columns
    return (("model", lambda each: Quoted(each.model, 60)), *columns)


def _value(method: str, digits: int, quote: "QuotedAnswer") -> Cell:
    return Number(quote.values.get(method), digits)


def _method_of(each: "StatusCounts") -> Cell:
    return Words(METHOD_NAMES[each.method], brief=each.method)


def _status(status: Status, each: "StatusCounts") -> Cell:
    return Count(each.counts.get(str(status), 0))


def _concept_rows(
    summary: "StudySummary", question: "SurveyQuestion"
) -> "Iterator[tuple[str, QuestionMeasure, GroupEstimate]]":
    measures = measures_of(summary, question)
    for place, concept in enumerate(summary.design.questionnaire.concepts):
        for measure in measures:
            by = measure.method if measure.model is None else f"{measure.method}, {one_line(measure.model)}"
            name = f"{one_line(concept.name)}, {by}"
            yield name, measure, measure.estimates.groups[place]


def _group_row(name: str, group: "GroupEstimate") -> GroupRow:
    mean = group.figures["mean"]
    low, high = ends(mean.low, mean.high)
    return GroupRow(name, mean.value, low, high, tuple(mass.value for mass in group.pmf))


def _distribution_table(
    rows: "list[tuple[str, QuestionMeasure, GroupEstimate]]", scale: "Scale"
) -> DataTable:
    digits = scale_digits(scale)
    cells: list[tuple[Cell, ...]] = [
        (
            Quoted(group.group, 60),
            Words(method_words(measure.method, measure.model)),
            base_of(group),
            Count(group.n_left_out),
            WithInterval.of(group.mean, digits),
            *(WithInterval.of(mass, 0, is_share=True) for mass in group.pmf or (None,) * scale.n_points),
        )
        for _, measure, group in rows
    ]
    heads = ("concept", "method", "answers", "left out", "mean", *mass_heads(scale))
    return DataTable(heads, tuple(cells), detail="full")
