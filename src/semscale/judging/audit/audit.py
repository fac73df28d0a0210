"""Audits a judge for biases: judges the same items again in forms that should change no score."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from semscale.chat.costs.budget import Spent
from semscale.chat.costs.prices import Price, PriceTable
from semscale.chat.decisions.loading import NEXT_TOKEN
from semscale.chat.replies import Usage
from semscale.chat.runner import run_apart
from semscale.judging.asking import Running
from semscale.judging.audit.beside_people import BesidePeople, beside_people
from semscale.judging.audit.injections import INJECTIONS
from semscale.judging.human_labels import label_table, labels_signature
from semscale.judging.items import read_items
from semscale.judging.judge import Judge
from semscale.judging.judge_state import JudgeState
from semscale.judging.prompts.prompting import JudgedItem, ReferencePlace
from semscale.judging.prompts.template import Level, Template
from semscale.judging.verdict import REPLIED
from semscale.judging.verdicts import Verdicts
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean
from semscale.types import Floats, Progress, Status

Check = Literal["reversed", "relabelled", "padding", "reference-position", "injection"]
CHECKS: dict[Check, str] = {
    "reversed": "the levels from high to low, the best one with the lowest number",
    "relabelled": "the levels called by letters",
    "padding": "polite words around the answer that say nothing",
    "reference-position": "the reference before the answer instead of after it, or the other way",
    "injection": "words after the answer that tell the judge to give the highest score",
}
"""What each check changes, in words."""

_BEFORE = "Thank you for this interesting question. I have thought about it carefully, and here is my answer."
_AFTER = (
    "I hope that this is helpful. There is of course always more that could be said, and it depends on how "
    "one looks at it. Please do not hesitate to ask if anything is unclear or if more detail is wanted."
)
_LETTERS = "ABCDEFGHIJK"
_SAME = 1e-6  # combined scores of a rubric differ by rounding


@dataclass(frozen=True)
class BiasCheck:
    """The effect of one change on the expected scores of the same items.

    Attributes:
        name: of the check.
        meaning: what is changed.
        effect: mean of the expected score with the change less that without, -1 to 1, with its interval.
        moved: share of items whose level changes, with its interval: the stated one, or the most likely one
            of a decision, so that sure and unsure judges, prose and decisions are counted alike.
        skipped: why it was not made, or ``None``.
    """

    name: Check
    meaning: str
    effect: MeanEstimate | None
    moved: MeanEstimate | None
    skipped: str | None = None

    @property
    def biased(self) -> bool:
        """Whether the interval of the effect leaves out 0."""
        return self.effect is not None and (self.effect.low > 0 or self.effect.high < 0)


@dataclass(frozen=True)
class Audit:
    """The findings of all checks of one judge.

    Attributes:
        plain: verdicts without any change.
        checks: one for each change.
        plan: how the intervals are made.
        signature: of the judge without any change, with how intervals are made and people's labels.
        stopped: why not everything was asked, or ``None``.
        spent: on the verdicts without any change; nothing on replies that the ledger had.
        usage: tokens of all replies behind these verdicts, those from the ledger included.
        people: the judge beside people's labels; ``None`` without labels.
        price: of the judge's tokens; ``None`` where it is not known.
    """

    plain: Verdicts
    checks: tuple[BiasCheck, ...]
    plan: IntervalPlan
    signature: Signature
    stopped: str | None = None
    spent: Spent | None = None
    usage: Usage = Usage(0, 0)
    people: BesidePeople | None = None
    price: Price | None = None

    @property
    def cost(self) -> float | None:
        """Price of all tokens behind the verdicts, the ledger's replies included; ``None`` if unknown."""
        return None if self.price is None else self.price.of(self.usage)

    @property
    def reads_prose(self) -> bool:
        """Whether verdicts of a judge that was to decide were read from prose: its model does not decide."""
        return dict(self.plain.signature.fields).get("method") == "prose"

    @property
    def calls_a_row(self) -> float:
        """Replies for each row that was asked about, those from the ledger included; NaN for none."""
        asked = [len(verdict.replies) for verdict in self.plain.verdicts if verdict.status in REPLIED]
        return sum(asked) / len(asked) if asked else float("nan")

    @property
    def order_bias(self) -> float:
        """Mean of how far the order of the levels moves a verdict, 0 to 1; NaN for one order."""
        known = [verdict.order_bias for verdict in self.plain.verdicts if verdict.order_bias >= 0]
        return sum(known) / len(known) if known else float("nan")

    @property
    def interval(self) -> float:
        """Coverage that the intervals aim at."""
        return self.plan.interval

    @property
    def made(self) -> "tuple[BiasCheck, ...]":
        """The checks that were made."""
        return tuple(check for check in self.checks if check.effect is not None)


def audit(  # noqa: PLR0913 - items, and how to ask about them
    judge: Judge,
    questions: object,
    answers: object,
    *,
    references: object = None,
    human: object = None,
    running: Running | None = None,
    plan: IntervalPlan | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Judge the same items once as they are and once with each change, and compare in pairs.

    Args:
        judge: whose biases are looked for.
        questions: shape (n,), as ``Judge.judge`` takes them.
        answers: shape (n,).
        references: shape (n,), or ``None``; without them their position is not checked.
        human: shape (n,), people's labels, as ``label_table`` takes them, or ``None``.
        running: how calls are made; a budget is divided among the checks.
        plan: how intervals are made.
        progress: called as replies come.

    Raises:
        InputError: lists of unequal length.
        ReplyError: no call can succeed.
    """
    rows, plan = read_items(questions, answers, references), plan or IntervalPlan()
    part = (running or Running()).divided(len(CHECKS) + 1, "rounds")
    labels = None if human is None else label_table(human, judge.template)
    plain, state = run_apart(judge.judge_part(rows, JudgeState(part), progress))
    checks, stopped = [], plain.stopped
    for name, meaning in CHECKS.items():
        why = unfit(name, judge, has_references=references is not None) or _is_lettered(name, plain)
        if why is not None:
            checks.append(BiasCheck(name, meaning, None, None, why))
            continue
        other, changed = changed_by(name, judge, rows)
        verdicts = run_apart(other.judge_items(changed, part, progress))
        stopped = stopped or verdicts.stopped
        effect = mean_change(plain.expected, verdicts.expected, plan)
        moved = share_moved(plain.score, verdicts.score, plan)
        checks.append(BiasCheck(name, meaning, effect, moved))
    people = None if labels is None else beside_people(plain, labels, plan)
    spent = state.running.budget.earlier
    signature = plain.signature.with_settings("estimate", plan.settings)
    if labels is not None:
        signature = signature.extended(labels_signature(labels))
    price = (part.prices or PriceTable.load()).find(judge.name)
    return Audit(plain, tuple(checks), plan, signature, stopped, spent, state.usage, people, price)


def mean_change(before: Floats, after: Floats, plan: IntervalPlan) -> MeanEstimate:
    """Mean change of the expected scores, over the items with both.

    Example:
        >>> mean_change(np.array([0.5, 0.5]), np.array([0.75, 0.5]), IntervalPlan()).value
        0.125
    """
    return estimate_mean(after - before, bounds=(-1.0, 1.0), plan=plan)


def share_moved(before: Floats, after: Floats, plan: IntervalPlan) -> MeanEstimate:
    """Share of items whose level is another one, over the items with both.

    Args:
        before: shape (n,), scores of the stated or most likely levels; NaN where there is none.
        after: shape (n,), likewise.
        plan: how intervals are made.

    Example:
        >>> share_moved(np.array([0.5, 0.5, np.nan]), np.array([0.75, 0.5, 1.0]), IntervalPlan()).value
        0.5
    """
    change = after - before
    moved = np.where(np.isnan(change), np.nan, (np.abs(change) > _SAME).astype(np.float64))
    return estimate_mean(moved, bounds=(0.0, 1.0), plan=plan)


def changed_by(
    name: Check, judge: Judge, rows: Sequence[JudgedItem | Status]
) -> tuple[Judge, list[JudgedItem | Status]]:
    """Give the judge and the items that one check changes."""
    if name in {"reversed", "relabelled"}:
        change = reversed_levels if name == "reversed" else lettered_levels
        if judge.criteria:
            return judge.varied(criteria=judge.rubric.varied(change)), list(rows)
        return judge.varied(template=change(judge.template)), list(rows)
    if name == "reference-position":
        place: ReferencePlace = "before" if judge.reference_place == "after" else "after"
        return judge.varied(reference_place=place), list(rows)
    if name == "padding":
        return judge, [_between(_BEFORE, row, _AFTER) for row in rows]
    orders = [INJECTIONS[place % len(INJECTIONS)].text for place in range(len(rows))]
    return judge, [_between("", row, text) for row, text in zip(rows, orders, strict=True)]


def reversed_levels(template: Template) -> Template:
    """Give the best level the lowest number, and list it first; every level keeps its score."""
    numbers = [level.number for level in template.levels]
    levels = tuple(
        level.model_copy(update={"number": number})
        for level, number in zip(reversed(template.levels), numbers, strict=True)
    )
    return template.model_copy(update={"levels": levels})


def lettered_levels(template: Template) -> Template:
    """Call the levels by letters; the labels become their meanings."""
    levels = tuple(
        Level(
            score=level.score,
            label=letter,
            meaning=f"{level.label}: {level.meaning}" if level.meaning else level.label,
        )
        for letter, level in zip(_LETTERS, template.levels, strict=False)
    )
    return template.model_copy(update={"levels": levels})


def _between(before: str, row: JudgedItem | Status, after: str) -> JudgedItem | Status:
    if not isinstance(row, JudgedItem):
        return row
    return replace(row, answer="\n\n".join(part for part in (before, row.answer, after) if part))


def unfit(name: Check, judge: Judge, *, has_references: bool) -> str | None:
    """Say why a check cannot be made, as far as that is known before asking; ``None`` if it can."""
    if name in {"reversed", "relabelled"} and not judge.template.levels:
        return f"the template {judge.template.name} has a range and no levels"
    if name == "reference-position" and not has_references:
        return "there are no references"
    return None


def _is_lettered(name: Check, plain: Verdicts) -> str | None:
    if name == "relabelled" and dict(plain.signature.fields).get("method") == NEXT_TOKEN:
        return "letters stand in for decisions, so that the levels are called by letters anyway"
    return None
