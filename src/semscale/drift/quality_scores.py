"""Quality of runs by references and by a judge: metrics that show which run is better."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.chat.runner import Running
from semscale.drift.metrics import REFERENCE_MATCH, SIDE_BY_SIDE, Metric
from semscale.errors import InputError
from semscale.guards.registry import Guards
from semscale.history.items import Item
from semscale.history.runs import Run, list_names, short_hash
from semscale.judging.comparing import AnswerPair, OrderEffect, judge_pairs
from semscale.judging.judge import Judge
from semscale.matching.calibrated import CalibratedMatch
from semscale.matching.matcher import match_with
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean
from semscale.types import Floats, Progress

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder
    from semscale.judging.comparing import PairVerdicts

WON, TIED, LOST = 1.0, 0.5, 0.0
"""Points of the candidate for an item."""


@dataclass(frozen=True)
class ItemReferences:
    """Correct answers of items.

    Attributes:
        texts: reference of each of n items; ``None`` if missing.
        corrected: ids of items with different references in the candidate's and the baseline's run.
    """

    texts: tuple[str | None, ...]
    corrected: tuple[str, ...] = ()

    @property
    def distinct(self) -> list[str]:
        """Distinct texts."""
        return list(dict.fromkeys(text for text in self.texts if text is not None))

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentence on references that changed after the baseline was recorded; empty without any."""
        if not self.corrected:
            return ()
        n = len(self.corrected)
        return (
            f"{n} item{'s have' if n > 1 else ' has'} another reference than the baseline's run: "
            f"{list_names(self.corrected)}; all runs are compared with the candidate's",
        )


def references_of(baseline: Run, candidate: Run) -> ItemReferences:
    """Return the references of two runs with the same items; the candidate's replace the baseline's.

    Examples:
        >>> old = Run("sums", "a", (Item("1", (), reference="3"), Item("2", (), reference="4")))
        >>> new = Run("sums", "b", (Item("1", (), reference="2"), Item("2", ())))
        >>> references_of(old, new)
        ItemReferences(texts=('2', '4'), corrected=('1',))
    """
    texts, corrected = [], []
    for left, right in zip(baseline.items, candidate.items, strict=True):
        before, after = (
            (reference or "").strip() and reference for reference in (left.reference, right.reference)
        )
        texts.append(after or before or None)
        if before and after and before != after:
            corrected.append(left.id)
    return ItemReferences(tuple(texts), tuple(corrected))


@dataclass(frozen=True)
class QualityScores:
    """Scores of k runs by a metric of quality.

    Attributes:
        metric: the metric.
        scores: shape (k, n), scores of the runs, the candidate first; NaN without a score.
        settings: fields for the signature, without the metric's name.
        cautions: sentences that qualify the scores.
    """

    metric: Metric
    scores: Floats
    settings: Mapping[str, object]
    cautions: tuple[str, ...] = ()


def reference_scores(
    runs: Sequence[Run],
    encoder: "TokenEncoder",
    *,
    guards: Guards,
    seed: int,
    progress: Progress | None = None,
) -> QualityScores | None:
    """Match the outputs of runs with their items' references.

    An item's score is the mean match of its outputs, from 0 to 1. A run without an output for an item scores
    0 if another run has one, as a missing answer is the worst answer. An item without a reference, or without
    an output in any run, has no score.

    Args:
        runs: candidate, baseline and reruns, with the same items.
        encoder: model that reads the texts.
        guards: the guards to use.
        seed: seed of the match.
        progress: called while texts are matched.

    Returns:
        The scores by ``reference_match``; ``None`` if there is no reference.
    """
    candidate, baseline, *_ = runs
    references = references_of(baseline, candidate)
    if not references.distinct:
        return None
    method = CalibratedMatch(encoder, corpus=references.distinct, seed=seed, guards=guards)
    outputs = [
        (run, index, output.text)
        for run, of_run in enumerate(runs)
        for index, item in enumerate(of_run.items)
        if references.texts[index] is not None
        for output in item.outputs_with_text
    ]
    matches = match_with(
        method,
        [text for _, _, text in outputs],
        [references.texts[index] for _, index, _ in outputs],
        progress=progress,
        keep_unread=True,
    )
    k, n = len(runs), len(references.texts)
    sums, counts = np.zeros((2, k, n))
    cells = tuple(np.array([(run, index) for run, index, _ in outputs], dtype=np.int64).reshape(-1, 2).T)
    known = ~np.isnan(matches.score)
    np.add.at(sums, cells, np.where(known, matches.score, 0.0))
    np.add.at(counts, cells, known)
    scores = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    speaks = np.array([[bool(item.outputs_with_text) for item in run.items] for run in runs])
    has_reference = np.array([text is not None for text in references.texts])
    scores = np.where(~speaks & speaks.any(axis=0) & has_reference, 0.0, scores)
    applied = {
        name: value
        for name, value in matches.signature.fields
        if name in {"method", "weights", "floors", "corpus"}
    }
    of_references = f"{int(has_reference.sum())}#{short_hash(references.texts)}"
    settings = {"references": of_references, **applied}
    return QualityScores(REFERENCE_MATCH, scores, settings, references.cautions)


@dataclass(frozen=True)
class WinRecord:
    """Wins and losses of a candidate against a baseline.

    Attributes:
        wins: number of items in which the candidate was better, over both orders.
        ties: number of items with different outputs in which neither was better.
        identical: number of items with identical outputs, which the judge was not asked about.
        losses: number of items in which the candidate was worse.
        share: mean of the candidate's points: 1 for a win, 0.5 for a tie and for identical outputs, 0 for a
            loss.
        first_place: mean points of the answer that was shown first, 0.5 without position bias.
    """

    wins: int
    ties: int
    identical: int
    losses: int
    share: MeanEstimate
    first_place: MeanEstimate


@dataclass(frozen=True)
class JudgedRuns:
    """Verdicts of a judge on a candidate and a baseline.

    Attributes:
        points: shape (n,), the candidate's points in each item; NaN if neither run has an output, or without
            verdicts in both orders. All NaN if the verdicts say nothing about the outputs.
        verdicts: verdicts on items for which both runs have an output.
        no_verdict: why the verdicts say nothing about the outputs, such as that their order decides most of
            them; ``None`` if they do.
    """

    points: Floats
    verdicts: "PairVerdicts"
    no_verdict: str | None = None

    @property
    def n_unjudged(self) -> int:
        """Number of pairs of outputs without verdicts in both orders."""
        return int(np.isnan(self.verdicts.points).sum())

    def summarize(self, plan: IntervalPlan) -> WinRecord:
        """Count wins, ties and losses.

        Args:
            plan: method of the intervals.
        """
        known = self.points[~np.isnan(self.points)]
        wins, losses = int((known > TIED).sum()), int((known < TIED).sum())
        identical = int(self.verdicts.is_identical.sum()) if len(known) else 0
        return WinRecord(
            wins,
            len(known) - wins - losses - identical,
            identical,
            losses,
            estimate_mean(self.points, bounds=(LOST, WON), plan=plan),
            estimate_mean(self.verdicts.first_place, bounds=(LOST, WON), plan=plan),
        )


def check_inputs(run: Run) -> None:
    """Check that every item has an input for the judge.

    Raises:
        InputError: an item has no input.
    """
    without = [item.id for item in run.items if not (item.input or "").strip()]
    if without:
        raise InputError(
            f"a judge must know the question, and {list_names(without)} of the baseline have no input: "
            "record runs with inputs (`input`)"
        )


async def judge_runs(
    baseline: Run, candidate: Run, judge: Judge, *, running: Running, progress: Progress | None = None
) -> JudgedRuns:
    """Let a judge compare the outputs of two runs for each item, in both orders.

    Several outputs of an item are shown as one answer. If only one run has an output for an item, it wins
    without a call.

    Args:
        baseline: the approved run, with inputs.
        candidate: a run of the same items in the same order.
        judge: judge with the template of ``side_by_side_template``.
        running: settings of the calls.
        progress: called as replies arrive.

    Raises:
        InputError: an item has no input.
        InterruptedRunError: a cap was reached or no reply came for too long; replies are stored.
        ReplyError: no call can succeed.
    """
    check_inputs(baseline)
    references = references_of(baseline, candidate).texts
    points = np.full(len(baseline.items), np.nan)
    pairs, positions = [], []
    for index, (left, right) in enumerate(zip(baseline.items, candidate.items, strict=True)):
        before, after = _answer(left), _answer(right)
        if before is not None and after is not None:
            pairs.append(AnswerPair(left.input or "", after, before, references[index]))
            positions.append(index)
        elif before is not None or after is not None:
            points[index] = LOST if after is None else WON
    verdicts = (await judge_pairs(judge, pairs, running=running, progress=progress)).whole()
    order = OrderEffect.from_verdicts(verdicts, plan=IntervalPlan())
    # Ties and identical outputs alone are what an unchanged candidate gets.
    obstacle = verdicts.obstacle if verdicts.n_asked else None
    if obstacle is None and order.by_order:
        obstacle = order.obstacle
    if obstacle is not None:
        return JudgedRuns(np.full(len(points), np.nan), verdicts, obstacle)
    points[positions] = verdicts.points
    return JudgedRuns(points, verdicts)


def _answer(item: Item) -> str | None:
    """Join the outputs of an item; ``None`` without outputs."""
    return "\n\n".join(output.text or "" for output in item.outputs_with_text) or None


def side_by_side_scores(baseline: Run, candidate: Run, judged: JudgedRuns) -> QualityScores:
    """Return the verdicts of a judge as scores of the candidate and the baseline by ``side_by_side``.

    Reruns are not judged; the test exchanges the two judged runs.
    """
    return QualityScores(
        SIDE_BY_SIDE,
        np.array([judged.points, 1 - judged.points]),
        dict(judged.verdicts.signature.fields),
        tuple(_judge_cautions(baseline, candidate, judged)),
    )


def _judge_cautions(baseline: Run, candidate: Run, judged: JudgedRuns) -> Iterator[str]:
    if judged.n_unjudged:
        reason = next(iter(judged.verdicts.reasons), "no reason given")
        yield (
            f"side by side: {judged.n_unjudged} of {len(judged.verdicts.points)} pairs of outputs have no "
            f"verdict in both orders and are left out, most often because: {reason}"
        )
    if judged.no_verdict is not None:
        yield f"side by side: no verdict, as {judged.no_verdict}: choose another judge"
    model = judged.verdicts.model
    if model in {baseline.model, candidate.model}:
        yield f"the judge, {model}, wrote one of the two runs: models prefer their own answers"
