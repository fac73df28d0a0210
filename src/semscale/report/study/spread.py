"""What moves a panel's answers, and whether more personas, samples or anchor sets would help."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import Block, Paragraph, Quoted, Share, WithInterval, Words
from semscale.report.formatting import listed, number
from semscale.report.parts import Columns, table_of
from semscale.report.study.words import METHOD_NAMES

if TYPE_CHECKING:
    from semscale.stats.variance_components.components import Component, VarianceComponents
    from semscale.study.summary import StudySummary

_DIGITS = 3
_REMEDIES = {
    "persona": "ask more personas",
    "repeated sample": "ask each persona again",
    "anchor set": "mend the anchors or add sets",
    "model": "let one version of the model answer",
}


def spread_blocks(summary: "StudySummary") -> Iterator[Block]:
    """Show variance components for each question and method, and say what would lower the error most."""
    columns: Columns[Component] = (
        ("between", lambda each: Words(each.name)),
        ("variance", lambda each: WithInterval.of(each.variance, _DIGITS)),
        ("of all", lambda each: Share(each.share)),
    )
    for spread in summary.spreads:
        title = ("“", Quoted(spread.question), f"”, {METHOD_NAMES[spread.method]}")
        yield table_of(spread.variances.components, columns, title=title, detail="full")
        yield Paragraph(advice(spread.variances, several_models=bool(summary.models)))
    others = (
        f"The {len(summary.models)} models stand for all models that could answer, as if drawn from them."
        if summary.models
        else "One model answered: how far others would differ is not in these figures."
    )
    yield Paragraph(
        "Variances within concepts, without weights, in squared units of the scale. Estimates below 0 are "
        "noise, and count as 0. Intervals with personas in them come from a bootstrap or a jackknife of "
        f"personas, those of sets or models alone from the chi-square distribution. {others}",
        "note",
    )


def advice(found: "VarianceComponents", *, several_models: bool = False) -> str:
    """Say in a sentence what would make a concept's mean more exact."""
    study = found.decision
    doubled = listed([f"{name}s {number(error, _DIGITS)}" for name, error in study.doubled.items()])
    now = f"The standard error of a concept's mean is {number(study.error, _DIGITS)}"
    if study.best is None:
        return f"{now}; twice of anything would not lower it."
    remedy = "ask more models" if several_models and study.best == "model" else _REMEDIES[study.best]
    return f"{now}; with twice the {doubled}: {remedy}."
