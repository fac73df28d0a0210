"""Sentences of a study's report."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import Cell, Line, Number, Quoted
from semscale.report.formatting import capitalised, count, counted, coverage, listed, number, one_line
from semscale.report.sentences import plan_words, refused_words, stopped_cautions
from semscale.study.summary import CONCEPT, MOST_LEVELS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.study.summary import StatusCounts, StudySummary

METHOD_NAMES = {
    "ssr": "similarity (SSR)",
    "flr": "follow-up rating (FLR)",
    "dlr": "direct rating (DLR)",
    "decision": "typed decision",
}
"""Names of the methods."""

METHOD_MEANINGS = {
    "ssr": "the persona answers in free words; their similarity with anchors gives a mass for each point",
    "flr": "the persona answers in free words; a further call of the model picks one point for them",
    "dlr": "the persona picks one point",
    "decision": "the model gives a probability for each point",
}
"""What the methods do."""


def method_words(method: str, model: str | None = None) -> str:
    """Name a method, and the model that answered where there are several."""
    return METHOD_NAMES[method] if model is None else f"{METHOD_NAMES[method]}, {one_line(model)}"


NO_PEOPLE = "No people were asked. Every figure describes what the model says when it plays these personas."

SIMULATION = (
    "Simulation intervals say how far a figure would move with other personas drawn alike and answered by "
    "the same model. They leave out how far the model is from people, so they say nothing about a "
    "population: more personas make them narrower, and nothing truer."
)

READ_ANSWERS = (
    "Read answers before you trust figures: similarity (SSR) rates any text that resembles an anchor, "
    "also one that no person would write."
)

RERUNS = (
    "Intraclass correlation 1,k of a persona's mean answer over its samples, within concepts: 1 where the "
    "model always says the same as a persona, 0 where personas differ by chance alone. It needs no people, "
    "and says nothing about them."
)

MODELS = (
    "The same personas, concepts and samples by two models; the difference is the first less the second. "
    "Where models disagree, at most one of them is right about people. Where they agree, they may share an "
    "error."
)

LIMITS = (
    "Without answers of people, this study cannot say how many people would buy or agree, whether a "
    "difference between groups of personas exists between such people, or whether the concepts are in the "
    "right order. Ask people about some of the concepts, and see whether the panel agrees with them.",
    "Where methods disagree, the choice of the method decides the result. Where they agree, they may share "
    "the model's error.",
)
"""What cannot be concluded."""

_FEW_SCORED = 0.9


def study_cautions(summary: "StudySummary") -> Iterator[str]:
    """List the limits of a study's figures."""
    yield NO_PEOPLE
    yield from stopped_cautions(summary.facts.stopped)
    for each in summary.statuses:
        if each.attribute is None and each.share(Status.SCORED) < _FEW_SCORED:
            yield f"{capitalised(method_words(each.method, each.model))}: {_without_rating(each)}."
    for facts in summary.facts.models:
        if facts.not_taken and facts.form is None:
            yield f"{one_line(facts.model)} takes no typed decisions, so that method has no figures."
        if refused := refused_words(one_line(facts.model), facts.left_out):
            yield refused


def differences_note(by: str) -> str:
    """Say how differences are tested, and what that leaves open."""
    whose = "within personas" if by == CONCEPT else "over all concepts together"
    return (
        f"Compared {whose}. p: a t test over personas; Holm: adjusted for all differences of one method "
        "here. A small p says that the model tells the two apart, and nothing about people. There is no test "
        "where all personas differ alike."
    )


def has_too_many(summary: "StudySummary", by: str) -> bool:
    """Whether there are too many concepts, or groups of an attribute, to be compared two by two."""
    design = summary.design
    n = len(design.questionnaire.concepts if by == CONCEPT else set(design.panel.fields[by]) - {None})
    return n > MOST_LEVELS


def _without_rating(counts: "StatusCounts") -> str:
    """Say how many answers by a method have no rating."""
    scored, of_all = counts.counts.get(str(Status.SCORED), 0), counted(counts.n, "answer")
    if not scored:
        return f"none of {of_all} has a rating"
    return f"{count(scored)} of {of_all} have a rating; the others may differ from these"


def panel_line(summary: "StudySummary") -> Line:
    """Say who was asked what."""
    asked = summary.design.questionnaire
    times = "" if asked.samples == 1 else f", {counted(asked.samples, 'time')} each"
    shown = "separately" if asked.exposure == "separate" else "in one conversation"
    panel = summary.design.panel
    worth = (
        "" if panel.weights is None else f" (weighted, worth {number(panel.effective_n, 1)} of equal weight)"
    )
    concepts, questions = counted(len(asked.concepts), "concept"), counted(len(asked.questions), "question")
    return (
        f"{counted(len(panel), 'persona')}{worth}{times}, {concepts} and {questions}, {shown}; answered by "
        f"{f'each of {len(summary.models)} models: ' if summary.models else ''}",
        Quoted(summary.facts.model),
    )


def interval_line(summary: "StudySummary") -> str:
    """Say how the simulation intervals were made."""
    methods = {
        ", ".join(filter(None, (measure.question.name, measure.method, measure.model))): (
            measure.estimates.overall.method
        )
        for measure in summary.measures
    }
    made = plan_words(summary.plan, methods, "personas")
    return f"simulation intervals: {made}"


def interval_heads(summary: "StudySummary") -> str:
    """Say at the end of a title which intervals are shown."""
    return f"with {coverage(summary.plan.interval)} simulation intervals"


def rotation_line(summary: "StudySummary") -> str:
    """Say which orders the concepts and questions had."""
    asked = summary.design.questionnaire
    if asked.exposure == "separate":
        return "each concept and question in a conversation of its own, so there is no order"
    named = {
        "latin-square": "orders of a balanced Latin square, drawn at random within blocks",
        "random": "a random order for each interview",
        "none": "the order of the file",
    }
    return named[asked.rotation]


def weighted_fact(summary: "StudySummary") -> tuple[tuple[str, Cell], ...]:
    """Name what the personas are worth where they have weights."""
    panel = summary.design.panel
    return () if panel.weights is None else (("Effective n", Number(panel.effective_n, 0)),)


def weights_line(summary: "StudySummary") -> str:
    """Say how the personas were weighted."""
    panel = summary.design.panel
    if panel.weights is None:
        return "none: every persona counts alike"
    low, high = min(panel.weights), max(panel.weights)
    return (
        f"raked to the marginals of the file, from {number(low)} to {number(high)} with mean 1; the personas "
        f"are worth {number(panel.effective_n, 1)} of equal weight (Kish). Means, shares, differences and "
        "correlations are weighted; counts and order effects are not"
    )


def groups_line(summary: "StudySummary") -> str:
    """Name the attributes by which results are shown."""
    return listed([f"“{one_line(name)}”" for name in summary.design.plan.groups]) or "none"
