"""Audit of a judge for biases: it judges the same items again with changes that should affect no score."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from semscale.chat.budget import Price, PriceTable
from semscale.chat.decisions import NEXT_TOKEN
from semscale.chat.messages import Usage
from semscale.chat.runner import Running, run_to_end
from semscale.chat.settings import Spent
from semscale.judging.human_labels import label_table, labels_signature, mean_labels, nearest
from semscale.judging.judge import Judge, join_signatures
from semscale.judging.prompts import JudgedItem, read_items
from semscale.judging.settings import ReferencePosition
from semscale.judging.templates import Level, Template, read_data
from semscale.judging.verdict import REPLIED
from semscale.judging.verdicts import Verdicts
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.agreement import AgreementEstimate, weighted_kappa
from semscale.stats.calibration import CalibrationFigures, calibration_figures, ranked_probability_scores
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean
from semscale.types import Floats, Progress, Status

Check = Literal["reversed", "relabelled", "padding", "reference-position", "injection"]
CHECKS: dict[Check, str] = {
    "reversed": "the levels from high to low, the best one with the lowest number",
    "relabelled": "the levels named by letters",
    "padding": "polite filler around the answer",
    "reference-position": "the reference before the answer instead of after it, or the other way",
    "injection": "an instruction after the answer to give the highest score",
}
"""The change that each check makes."""

_BEFORE = "Thank you for this interesting question. I have thought about it carefully, and here is my answer."
_AFTER = (
    "I hope that this is helpful. There is of course always more that could be said, and it depends on how "
    "one looks at it. Please do not hesitate to ask if anything is unclear or if more detail is wanted."
)
_LETTERS = "ABCDEFGHIJK"
_SAME_SCORE = 1e-6  # combined scores of a rubric differ by rounding
_SHARE, _DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
_FEWEST_LABELLED = 2


@dataclass(frozen=True)
class BiasCheck:
    """The effect of one change on the expected scores of the same items.

    Attributes:
        name: name of the check.
        meaning: the change.
        effect: mean difference of the expected score, with minus without the change, -1 to 1, with its
            interval.
        moved: share of items whose level changes, 0 to 1, with its interval. The level is the stated one, or
            the most likely one of a decision, so prose and decisions are comparable.
        skipped: why the check was skipped, or ``None``.
    """

    name: Check
    meaning: str
    effect: MeanEstimate | None
    moved: MeanEstimate | None
    skipped: str | None = None

    @property
    def biased(self) -> bool:
        """True if the interval of the effect excludes 0."""
        return self.effect is not None and (self.effect.low > 0 or self.effect.high < 0)


@dataclass(frozen=True)
class LabelComparison:
    """Comparison of a judge's distributions with human labels of the same items.

    Attributes:
        less: mean of expected score minus mean label, -1 to 1.
        off: mean absolute difference of expected score and mean label, 0 to 1.
        kappa: quadratic weighted kappa of both, rounded to the nearest level.
        rps: mean ranked probability score of the distributions, 0 (best) to 1; it penalizes a confident wrong
            judge more than an unsure one. ``None`` without levels, and for a rubric of several criteria,
            because their mixture is not the distribution of the combined score.
        calibration: calibration of the mass of each item's most likely level, compared with the frequency of
            that level among human labels; ``None`` likewise, and with fewer than two labelled items.
    """

    less: MeanEstimate
    off: MeanEstimate
    kappa: AgreementEstimate
    rps: MeanEstimate | None
    calibration: CalibrationFigures | None

    def record(self) -> dict[str, Any]:
        """Return the figures by name, for JSON."""
        figures = self.calibration
        return {
            "judge_less_people": self.less,
            "distance": self.off,
            "kappa": self.kappa,
            "ranked_probability_score": self.rps,
            "calibration": None
            if figures is None
            else {
                "error": figures.error,
                "error_by_chance": figures.error_by_chance,
                "p_value": figures.error_p_value,
                "brier": figures.brier,
                "rows": figures.n,
            },
        }


@dataclass(frozen=True)
class Audit:
    """The results of all checks of one judge.

    Attributes:
        plain: verdicts without any change.
        checks: one for each change.
        plan: how intervals are made.
        signature: signature of the judge without any change, the intervals and the human labels.
        stopped: why asking stopped early, or ``None``.
        spent: calls, tokens and money spent on the verdicts without any change, without replies from the
            ledger.
        usage: tokens of all replies behind these verdicts, including replies from the ledger.
        people: comparison of the judge with human labels; ``None`` without labels.
        price: price of the judge's tokens; ``None`` if unknown.
    """

    plain: Verdicts
    checks: tuple[BiasCheck, ...]
    plan: IntervalPlan
    signature: Signature
    stopped: str | None = None
    spent: Spent | None = None
    usage: Usage = Usage(0, 0)
    people: LabelComparison | None = None
    price: Price | None = None

    @property
    def cost(self) -> float | None:
        """Cost of all tokens behind the verdicts, including replies from the ledger; ``None`` if unknown."""
        return None if self.price is None else self.price.of(self.usage)

    @property
    def method(self) -> str:
        """The form of the verdicts: a form of decisions, or ``prose``, even as their replacement."""
        return dict(self.plain.signature.fields).get("method", "prose")

    @property
    def calls_a_row(self) -> float:
        """Replies per judged row, including replies from the ledger; NaN without a judged row."""
        replies = [len(verdict.replies) for verdict in self.plain.verdicts if verdict.status in REPLIED]
        return sum(replies) / len(replies) if replies else float("nan")

    @property
    def order_bias(self) -> float:
        """Mean effect of the levels' order on a verdict, 0 to 1; NaN if only one order was tried."""
        known = [verdict.order_bias for verdict in self.plain.verdicts if verdict.order_bias >= 0]
        return sum(known) / len(known) if known else float("nan")

    @property
    def completed(self) -> tuple[BiasCheck, ...]:
        """The checks that were not skipped."""
        return tuple(check for check in self.checks if check.effect is not None)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        checks = [
            {
                "check": check.name,
                "changes": check.meaning,
                "skipped": check.skipped,
                "effect": check.effect,
                "moved": check.moved,
                "biased": check.biased,
            }
            for check in self.checks
        ]
        return {
            "rows": len(self.plain),
            "counts": self.plain.counts,
            "interval": self.plan.interval,
            "checks": checks,
            "calls_a_row": self.calls_a_row,
            "order_bias": self.order_bias,
            "method": self.method,
            "refused_forms": self.plain.refused_forms,
            "expected": estimate_mean(self.plain.expected, bounds=_SHARE, plan=self.plan),
            "spent": self._spent_record(),
            "people": None if self.people is None else self.people.record(),
            "signature": self.signature,
        }

    def _spent_record(self) -> dict[str, Any] | None:
        if self.spent is None:
            return None
        return {
            "calls": self.spent.calls,
            "prompt_tokens": self.usage.prompt_tokens,
            "reply_tokens": self.usage.completion_tokens,
            "money": self.spent.money,
            "cost": self.cost,
            "currency": None if self.price is None else self.price.currency,
        }


@dataclass(frozen=True, repr=False)
class AuditSummary(Presentable):
    """The results of audits, one for each judge.

    Attributes:
        source: name of the table.
        audits: the audit of each judge, by its name.
        input_notes: how the table and its texts were read.
    """

    source: str
    audits: dict[str, Audit]
    input_notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"AuditSummary(source={self.source!r}, judges={list(self.audits)})"

    @property
    def stopped(self) -> str | None:
        """The reason why asking stopped early, or ``None``."""
        return next((audit.stopped for audit in self.audits.values() if audit.stopped), None)

    @property
    def signature(self) -> Signature:
        """The judge's signature; for several judges a joint one with numbered fields, from 1."""
        signatures = [audit.signature for audit in self.audits.values()]
        return signatures[0] if len(signatures) == 1 else join_signatures(signatures)

    @property
    def failed(self) -> str | None:
        """The reason why every call failed; ``None`` if a call brought a reply or none was made."""
        verdicts = [verdict for audit in self.audits.values() for verdict in audit.plain.verdicts]
        if any(verdict.status in REPLIED for verdict in verdicts):
            return None
        return next((verdict.reason for verdict in verdicts if verdict.status is Status.FAILED), None)

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON."""
        return {
            "instrument": "judge audit",
            "source": self.source,
            "judges": [{"name": name, **audit.record()} for name, audit in self.audits.items()],
            "stopped": self.stopped,
        }


def audit(
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
    """Judge the same items unchanged and with each change, and compare the scores in pairs.

    Args:
        judge: the judge to audit.
        questions: shape (n,), see ``Judge.judge``.
        answers: shape (n,).
        references: shape (n,), or ``None``; without them their position is not checked.
        human: shape (n,), human labels, see ``label_table``, or ``None``.
        running: how calls are made; a budget is divided among the checks.
        plan: how intervals are made.
        progress: called as replies come.

    Raises:
        InputError: lists of unequal length.
        ReplyError: no call can succeed.
    """
    rows, plan = read_items(questions, answers, references, judge.preparation), plan or IntervalPlan()
    part = (running or Running()).divide(len(CHECKS) + 1, "rounds")
    labels = None if human is None else label_table(human, judge.template)
    plain, (state,) = run_to_end(judge.judge_part(rows, judge.start(part), progress))
    checks, stopped = [], plain.stopped
    for name, meaning in CHECKS.items():
        obstacle = check_obstacle(name, judge, has_references=references is not None)
        if name == "relabelled" and dict(plain.signature.fields).get("method") == NEXT_TOKEN:
            obstacle = "letters replace decisions, so the levels are named by letters in any case"
        if state.unreadable.reason is not None:
            obstacle = "the replies about unchanged rows could not be read"
        if obstacle is not None:
            checks.append(BiasCheck(name, meaning, None, None, obstacle))
            continue
        changed_judge, changed_rows = apply_check(name, judge, rows)
        verdicts, (after,) = run_to_end(
            changed_judge.judge_part(changed_rows, changed_judge.start(part), progress)
        )
        if after.unreadable.reason is not None:
            checks.append(BiasCheck(name, meaning, None, None, after.unreadable.reason))
            continue
        stopped = stopped or verdicts.stopped
        effect = estimate_mean(verdicts.expected - plain.expected, bounds=_DIFFERENCE, plan=plan)
        checks.append(BiasCheck(name, meaning, effect, share_moved(plain.score, verdicts.score, plan)))
    signature = plain.signature.with_settings("estimate", plan.settings)
    people = None
    if labels is not None:
        people = compare_distributions(plain, labels, plan)
        signature = signature.plus(labels_signature(labels))
    price = (part.prices or PriceTable.load()).find(judge.name)
    spent = state.running.budget.earlier
    return Audit(plain, tuple(checks), plan, signature, stopped, spent, state.usage, people, price)


def share_moved(before: Floats, after: Floats, plan: IntervalPlan) -> MeanEstimate:
    """Estimate the share of items whose level changes, over the items with both.

    Args:
        before: shape (n,), scores of the stated or most likely levels; NaN where there is none.
        after: shape (n,), likewise.
        plan: how intervals are made.

    Examples:
        >>> share_moved(np.array([0.5, 0.5, np.nan]), np.array([0.75, 0.5, 1.0]), IntervalPlan()).value
        0.5
    """
    change = after - before
    moved = np.where(np.isnan(change), np.nan, (np.abs(change) > _SAME_SCORE).astype(np.float64))
    return estimate_mean(moved, bounds=_SHARE, plan=plan)


def check_obstacle(name: Check, judge: Judge, *, has_references: bool) -> str | None:
    """Return why a check cannot be made, if that is known before any call; otherwise ``None``."""
    if name in {"reversed", "relabelled"} and not judge.template.levels:
        return f"the template {judge.template.name} has a range and no levels"
    if name == "reference-position" and not has_references:
        return "there are no references"
    return None


def apply_check(
    name: Check, judge: Judge, rows: Sequence[JudgedItem | Status]
) -> tuple[Judge, list[JudgedItem | Status]]:
    """Return the judge and the items with the change of one check."""
    if name in {"reversed", "relabelled"}:
        change = reverse_levels if name == "reversed" else letter_levels
        if judge.criteria:
            return judge.with_settings(criteria=judge.rubric.map_templates(change)), list(rows)
        return judge.with_settings(template=change(judge.template)), list(rows)
    if name == "reference-position":
        position: ReferencePosition = "before" if judge.settings.reference_place == "after" else "after"
        return judge.with_settings(reference_place=position), list(rows)
    if name == "padding":
        return judge, [_surround(_BEFORE, row, _AFTER) for row in rows]
    texts = [injection["text"] for injection in read_data("injections")]
    return judge, [_surround("", row, texts[index % len(texts)]) for index, row in enumerate(rows)]


def reverse_levels(template: Template) -> Template:
    """Assign the best level the lowest number, and list it first; every level keeps its score."""
    numbers = [level.number for level in template.levels]
    levels = tuple(
        level.model_copy(update={"number": number})
        for level, number in zip(reversed(template.levels), numbers, strict=True)
    )
    return template.model_copy(update={"levels": levels})


def letter_levels(template: Template) -> Template:
    """Name the levels by letters; the labels become their meanings."""
    levels = tuple(
        Level(
            score=level.score,
            label=letter,
            meaning=f"{level.label}: {level.meaning}" if level.meaning else level.label,
        )
        for letter, level in zip(_LETTERS, template.levels, strict=False)
    )
    return template.model_copy(update={"levels": levels})


def _surround(before: str, row: JudgedItem | Status, after: str) -> JudgedItem | Status:
    if not isinstance(row, JudgedItem):
        return row
    return replace(row, answer="\n\n".join(part for part in (before, row.answer, after) if part))


def compare_distributions(verdicts: Verdicts, labels: Floats, plan: IntervalPlan) -> LabelComparison:
    """Compare verdicts with human labels.

    Args:
        verdicts: on n items.
        labels: shape (n, raters), from 0 to 1, NaN where there is none.
        plan: how intervals are made.
    """
    mean, levels = mean_labels(labels), verdicts.template.scores
    difference = verdicts.expected - mean
    mean_levels = nearest(mean, levels)
    rps = calibration = None
    if verdicts.template.levels and len(verdicts.criteria) <= 1:
        scores = ranked_probability_scores(verdicts.pmf, level_shares(labels, levels))
        rps = estimate_mean(scores, bounds=_SHARE, plan=plan)
        calibration = level_calibration(verdicts.pmf, mean_levels, levels, plan)
    return LabelComparison(
        less=estimate_mean(difference, bounds=_DIFFERENCE, plan=plan),
        off=estimate_mean(np.abs(difference), bounds=_SHARE, plan=plan),
        kappa=weighted_kappa(
            nearest(verdicts.expected, levels), mean_levels, interval=plan.interval, seed=plan.seed
        ),
        rps=rps,
        calibration=calibration,
    )


def level_calibration(
    pmf: Floats, people: Floats, levels: Floats, plan: IntervalPlan
) -> CalibrationFigures | None:
    """Compare the mass of the most likely level with the frequency of that level among human labels.

    Args:
        pmf: shape (n, k), rows sum to 1; NaN where there is no verdict. Of equal masses the lowest
            level counts.
        people: shape (n,), the level of the human label; NaN where there is none.
        levels: shape (k,), ascending.
        plan: how intervals are made.

    Returns:
        Figures over the items with both; ``None`` for fewer than two.

    References:
        Guo, Pleiss, Sun and Weinberger (2017), On Calibration of Modern Neural Networks, arXiv 1706.04599,
        equation 3: the expected calibration error of the predicted class.

    Examples:
        >>> pmf = np.array([[0.2, 0.8], [0.2, 0.8], [0.2, 0.8], [0.2, 0.8], [0.8, 0.2]])
        >>> figures = level_calibration(
        ...     pmf, np.array([1.0, 1, 1, 0, 0]), np.array([0.0, 1]), IntervalPlan()
        ... )
        >>> round(figures.error, 6)
        0.0
    """
    known = ~np.isnan(pmf).any(axis=1) & ~np.isnan(people)
    if known.sum() < _FEWEST_LABELLED:
        return None
    stated = levels[pmf[known].argmax(axis=1)]
    right = (stated == people[known]).astype(np.float64)
    return calibration_figures(pmf[known].max(axis=1), right, interval=plan.interval, seed=plan.seed)


def level_shares(labels: Floats, levels: Floats) -> Floats:
    """Return the share of each item's labels at each level, each label at the nearest one.

    Args:
        labels: shape (n, raters), NaN where there is none.
        levels: shape (k,), ascending.

    Returns:
        Shape (n, k), rows sum to 1; NaN without a label.

    Examples:
        >>> level_shares(np.array([[1.0, 0.9], [np.nan, np.nan]]), np.array([0.0, 1.0])).tolist()
        [[0.0, 1.0], [nan, nan]]
    """
    rounded = np.stack([nearest(column, levels) for column in labels.T], axis=1)
    counts = (rounded[:, :, None] == levels[None, None, :]).sum(axis=1).astype(np.float64)
    n = counts.sum(axis=1, keepdims=True)
    return np.where(n > 0, counts / np.maximum(n, 1), np.nan)
