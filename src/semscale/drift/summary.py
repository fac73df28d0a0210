"""Summary of a comparison: the decision, metrics by group, and the items that changed most."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np

from semscale.drift.anchors import Moved, RulerCheck, find_moved_part
from semscale.drift.comparison import EQUAL_OUTPUTS, AlignedPair, Comparison
from semscale.drift.decision import (
    FEWEST_TO_PASS,
    Change,
    GateDecision,
    MetricTest,
    decision_signature,
    metric_tests,
)
from semscale.drift.metrics import mean_loss, metric_label
from semscale.drift.runs import (
    OutputLanguage,
    approval_record,
    group_record,
    number_of,
    output_languages,
    run_record,
)
from semscale.drift.settings import MISSING
from semscale.drift.simulation import GatePlan, plan_gate
from semscale.history.items import Output
from semscale.history.runs import Approval, list_names
from semscale.history.stored_comparison import GateCheck, Outcome, StoredComparison, StoredFigure
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.spelling import as_option, hint, spelled
from semscale.stats.intervals import IntervalPlan
from semscale.types import Floats

WORST_ITEMS = 20
"""Number of the most changed items in JSON."""

NAMED_ITEMS = 20
"""Number of items that JSON and a history name for each hard limit."""

_WORSE = {Change.WORSE, Change.SLIGHTLY_WORSE}
_FEW = 3
_ALONE = -1.0  # below every score, so that pairs without a partner come first


@dataclass(frozen=True)
class Failure:
    """Reason for a gate's failure.

    Attributes:
        sentence: the reason without a full stop.
        is_countable: true if it counts items or outputs, which is clearer than a similarity.
        share: loss as a share of the worst case: of items that break a limit, or of a metric's span.
        items: indices of the items that show it, the clearest first.
    """

    sentence: str
    is_countable: bool
    share: float
    items: tuple[int, ...]


@dataclass(frozen=True)
class Difference:
    """Numbers of two aligned outputs; ``None`` for a missing number or output."""

    baseline: float | None
    candidate: float | None

    @property
    def value(self) -> float | None:
        """The candidate's number minus the baseline's; ``None`` if one is missing."""
        if self.baseline is None or self.candidate is None:
            return None
        return self.candidate - self.baseline


@dataclass(frozen=True, repr=False)
class DriftSummary(Presentable):
    """A comparison with the decision of the gate.

    Attributes:
        comparison: the measured losses.
        decision: the decision.
        approval: approval of the baseline, if any.
        recorded_from: file from which the candidate was recorded, if any.
        head: last hash of the dataset in the history that stores the comparison, if any.
        ruler: check of the ruler; ``None`` if the dataset has no anchors.

    Examples:
        >>> from semscale.drift import Item, Output, Run
        >>> from semscale.drift import compare, decide
        >>> old = Run("greetings", "old", (Item("1", (Output("Good morning."),)),))
        >>> new = Run("greetings", "new", (Item("1", (Output("Good morning."),)),))
        >>> comparison = compare(old, new)
        >>> DriftSummary(comparison, decide(comparison))  # fewer than 10 items do not pass
        DriftSummary(candidate='new', baseline='old', items=1, outcome='undecided')
    """

    comparison: Comparison
    decision: GateDecision
    approval: Approval | None = None
    recorded_from: str | None = None
    head: str | None = None
    ruler: RulerCheck | None = None

    def __repr__(self) -> str:
        baseline, candidate = self.comparison.baseline, self.comparison.candidate
        models = f"candidate={candidate.model!r}, baseline={baseline.model!r}"
        return f"DriftSummary({models}, items={len(baseline.items)}, outcome={str(self.decision.outcome)!r})"

    def with_head(self, head: str | None) -> Self:
        """Return a copy with the last hash of the history, without recomputing anything."""
        changed = replace(self, head=head)
        declared = {name.name for name in fields(self)}
        vars(changed).update({name: value for name, value in vars(self).items() if name not in declared})
        return changed

    @property
    def signature(self) -> Signature:
        """Settings of the measurement and of the decision."""
        return self.decision.signature

    @cached_property
    def figures(self) -> tuple[MetricTest, ...]:
        """Figures of each measured metric over all items, then in each group, tested by the gate or not."""
        tests = self.decision.tests
        known = {(test.metric, test.group) for test in tests}
        others = metric_tests(self.comparison, self.decision.settings, list(self.comparison.metrics))
        untested = (test for test in others if (test.metric, test.group) not in known)
        figures = [*tests, *(replace(test, is_tested=False) for test in untested)]
        order = {name: rank for rank, name in enumerate(self.comparison.metrics)}
        return tuple(
            sorted(figures, key=lambda test: (test.group is not None, test.group or (), order[test.metric]))
        )

    @property
    def overall(self) -> tuple[MetricTest, ...]:
        """Figures of each metric over all items."""
        return tuple(figure for figure in self.figures if figure.group is None)

    @property
    def grouped(self) -> tuple[MetricTest, ...]:
        """Figures of each metric in each group."""
        return tuple(figure for figure in self.figures if figure.group is not None)

    @cached_property
    def plan(self) -> GatePlan | None:
        """Numbers of items and reruns that would decide an undecided gate; ``None`` if unknown."""
        is_undecided = self.decision.outcome is Outcome.UNDECIDED and self._is_any_test_undecided
        n_items = len(self.comparison.baseline.items)
        if is_undecided and self.comparison.reruns and n_items > 1 and not self.decision.lost_content:
            return plan_gate(self.comparison, self.decision.settings)
        return None

    @property
    def _is_any_test_undecided(self) -> bool:
        return any(test.outcome is Outcome.UNDECIDED for test in self.decision.overall)

    @property
    def next_step(self) -> str:
        """The next step in a sentence without a full stop."""
        return spelled(self.advice, as_option)

    @cached_property
    def advice(self) -> str:
        """The next step as a message that marks its hints, see ``semscale.spelling``."""
        if self.ruler is not None and self.ruler.has_moved:
            failed = self.decision.reasons[:1]
            also = f". The gate also failed: {failed[0]}" if failed else ""
            return (
                "The ruler changed, so this comparison cannot be trusted: find out what changed in the "
                "model, its engine or this machine, measure the anchors again as the new reference, and "
                f"run the gate again{also}"
            )
        if self.decision.outcome is Outcome.PASS:
            if EQUAL_OUTPUTS in self.comparison.cautions:
                return "Check that the right file was recorded: all outputs equal the baseline's"
            if self.decision.slightly_worse:
                return f"Look at {self._telling_ids()}: {self._slight_subjects()} less than the margin"
            return "Nothing to do: no metric is worse than chance explains, and every limit is met"
        if self.decision.outcome is Outcome.FAIL:
            return self._when_failed()
        return self._when_undecided()

    def _when_failed(self) -> str:
        if self.decision.rejections:
            return (
                "Change the model or its prompt, and record new outputs; if these were rejected by mistake, "
                "approve the run"
            )
        missing = next((check for check in self.decision.broken_limits if check.name == MISSING), None)
        if missing is not None:
            n = len(missing.items)
            items = f"the {n:,} missing items" if n > 1 else "the missing item"
            return f"Record {items}, without outputs where the model gave none ({list_names(missing.items)})"
        return f"Look at {self._telling_ids()}; approve the run only if this change is intended"

    def _when_undecided(self) -> str:
        n = len(self.comparison.baseline.items)
        again = (
            "ask the baseline's model again, record its outputs"
            + hint(" (semscale drift record FILE --rerun-of baseline)")
            + ", and run the gate again"
        )
        if any(not copy.stands_out for copy in self.comparison.copies):
            again += "; or, if the model always gives the same answer, say so" + hint(" (--deterministic)")
        if n < FEWEST_TO_PASS:
            add = f"Add items to the dataset: a gate passes with at least {FEWEST_TO_PASS}, and it has {n}"
            return add if self.comparison.reruns else f"{add}; then {again}"
        if not self.comparison.reruns:
            return f"Without a rerun a change cannot be told from chance: {again}"
        if lost := self.decision.lost_content:
            accept = " ".join(f"--margin {test.metric}={_margin_above(test):g}" for test in lost)
            return (
                f"Look at {self._telling_ids()}: {self._slight_subjects()} less than the margin; approve the "
                f"run if this loss is intended, or accept losses below a margin that you state"
                + hint(f" ({accept})")
            )
        look = f"look at {self._telling_ids()}, and approve the run if they are as good as before"
        if not self._is_any_test_undecided:
            allow = " ".join(f"--limit {check.name}=1" for check in self.decision.undecided_limits)
            return f"{look[0].upper()}{look[1:]}, or allow such items" + hint(f" ({allow})")
        if self.plan is None or self.plan.cheapest is None:
            return f"The candidate may or may not be worse: {look}"
        return f"The candidate may or may not be worse: {self.plan.sentence}; or {look}"

    def _slight_subjects(self) -> str:
        slight = self.decision.lost_content or self.decision.slightly_worse
        names = " and ".join(metric_label(test.metric) for test in slight)
        return f"{names} became worse by"

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """Reasons of a failed gate, the most serious first; of a metric's groups only if all items pass."""
        decision = self.decision
        failures = [
            *(Failure(check.sentence, True, math.inf, ()) for check in decision.rejections),
            *(
                Failure(check.sentence, True, math.inf, self._positions([check.name]))
                for check in decision.failed_items
            ),
        ]
        for limit in decision.broken_limits:
            share = len(limit.items) / len(self.comparison.baseline.items)
            failures.append(Failure(limit.sentence, True, share, self._positions(limit.items)))
        failed = [test for test in decision.tests if test.outcome is Outcome.FAIL]
        overall = {test.metric for test in failed if test.group is None}
        for test in failed:
            if test.group is None or test.metric not in overall:
                metric = self.comparison.metrics[test.metric]
                share, items = test.drift / metric.span, self.drifting(test)
                failures.append(Failure(test.sentence(metric), bool(metric.affected), share, items))
        failures += [
            Failure(check.sentence, False, 0.0, ()) for check in decision.thresholds if not check.passed
        ]
        return tuple(sorted(failures, key=lambda failure: (not failure.is_countable, -failure.share)))

    def _positions(self, ids: Iterable[str]) -> tuple[int, ...]:
        """Return the indices of the compared items among some ids."""
        positions = {item.id: index for index, item in enumerate(self.comparison.baseline.items)}
        return tuple(positions[id_] for id_ in ids if id_ in positions)

    def telling_items(self, limit: int) -> tuple[int, ...]:
        """Return the indices of the items that show best what was decided, the clearest first.

        These are the items of the failures; otherwise those of undecided limits and tests; otherwise those of
        drifts below the margin. If all of them have no items, these are the items that became worse.

        Args:
            limit: greatest number of items.
        """
        decision, lost = self.decision, self.decision.lost_content
        undecided = [test for test in decision.overall if test.outcome is Outcome.UNDECIDED]
        undecided.sort(key=lambda test: (test not in lost, test.urgency))
        groups = (
            [failure.items for failure in self.failures],
            [
                *(self._positions(check.items) for check in decision.undecided_limits),
                *map(self.drifting, undecided),
            ],
            map(self.drifting, decision.slightly_worse),
            [self.worst(limit)],
        )
        telling = (list(dict.fromkeys(chain.from_iterable(group))) for group in groups)
        return tuple(next((items for items in telling if items), [])[:limit])

    def drifting(self, test: MetricTest) -> tuple[int, ...]:
        """Return the items of a test in which the candidate drifts more than any other run, the worst first.

        Args:
            test: test of a metric over all items or a group.
        """
        drifts = self.comparison.drifts_by_run(test.metric)
        inside = np.ones(len(drifts), dtype=bool)
        if test.group is not None:
            inside = self.comparison.members(test.group[0])[test.group[1]]
        own = np.where(inside, np.nan_to_num(drifts[:, 0], nan=0.0), 0.0)
        others = np.nan_to_num(drifts[:, 1:], nan=-math.inf).max(axis=1)
        worse = np.flatnonzero((own > 0) & (own >= others))
        return tuple(worse[np.argsort(-own[worse], kind="stable")].tolist())

    def _telling_ids(self) -> str:
        items = self.comparison.baseline.items
        return ", ".join(repr(items[index].id) for index in self.telling_items(_FEW)) or "the report"

    @property
    def moved(self) -> Moved | None:
        """The part that changed: system, ruler, both or neither; ``None`` if unknown."""
        return None if self.ruler is None else find_moved_part(self.decision.outcome, self.ruler)

    @property
    def n_silent(self) -> int:
        """Number of items with an output of the baseline and none of the candidate."""
        pairs = zip(self.comparison.baseline.items, self.comparison.candidate.items, strict=True)
        return sum(bool(before.outputs_with_text) and not after.outputs_with_text for before, after in pairs)

    @cached_property
    def languages(self) -> tuple[OutputLanguage, ...]:
        """Numbers of outputs of both runs by language."""
        comparison = self.comparison
        return output_languages(comparison.baseline, comparison.candidate, comparison.signature)

    @cached_property
    def harm(self) -> Floats:
        """Harm of each item, shape (n,): drift beyond the margin as a share of the metric's span, summed."""
        return np.asarray(np.nansum(self._harm_by_metric[1], axis=0))

    @cached_property
    def _harm_by_metric(self) -> tuple[Floats, Floats]:
        """Drift and harm of each tested metric at each item, both shape (metrics, n)."""
        comparison, margins = self.comparison, self._margins
        spans = np.array([comparison.metrics[name].span for name in margins])[:, None]
        drifts = np.array([comparison.drifts(name) for name in margins])
        return drifts, np.maximum(drifts - np.array(list(margins.values()))[:, None], 0.0) / spans

    @property
    def _margins(self) -> dict[str, float]:
        """Margin of each tested metric over all items."""
        return {test.metric: test.margin for test in self.decision.overall}

    def worst(self, limit: int) -> tuple[int, ...]:
        """Return the indices of at most ``limit`` items that became worse, the worst first."""
        rows = np.argsort(-self.harm, kind="stable")[:limit].tolist()
        return tuple(row for row in rows if self.harm[row] > 0)

    def drifts_of(self, index: int) -> dict[str, float]:
        """Return an item's drift by metric with a value, the greatest contribution to its harm first."""
        names, (drifts, parts) = list(self._margins), self._harm_by_metric
        order = np.argsort(-np.nan_to_num(parts[:, index], nan=-1.0), kind="stable").tolist()
        by_metric = {names[row]: float(drifts[row, index]) for row in order}
        return {name: drift for name, drift in by_metric.items() if not math.isnan(drift)}

    def pairs_of(self, index: int) -> tuple[AlignedPair, ...]:
        """Return an item's aligned outputs: those without a partner first, then the least similar pairs."""
        pairs = [pair for pair in self.comparison.pairs if pair.item == index]
        return tuple(sorted(pairs, key=_similarity))

    def outputs_of(self, pair: AlignedPair) -> tuple[Output | None, Output | None]:
        """Return the outputs of a pair, the baseline's and the candidate's; ``None`` for a missing one."""
        before = self.comparison.baseline.items[pair.item].outputs_with_text
        after = self.comparison.candidate.items[pair.item].outputs_with_text
        return (
            None if pair.baseline is None else before[pair.baseline],
            None if pair.candidate is None else after[pair.candidate],
        )

    def differences(self, pair: AlignedPair) -> dict[str, Difference]:
        """Return the differences of two aligned outputs: ``characters``, then each field of either output."""
        outputs = self.outputs_of(pair)
        names = sorted({name for output in outputs if output is not None for name in output.fields})
        lengths = (None if output is None else len((output.text or "").strip()) for output in outputs)
        numbers = {name: Difference(*(_number(output, name) for output in outputs)) for name in names}
        return {"characters": Difference(*lengths), **numbers}

    @cached_property
    def stored(self) -> StoredComparison:
        """Comparison for a history: figures of metrics and groups, and the losses of each item."""
        comparison = self.comparison
        return StoredComparison(
            baseline_id=comparison.baseline.id,
            candidate_id=comparison.candidate.id,
            model=comparison.candidate.model,
            dataset=comparison.candidate.dataset,
            signature=str(decision_signature(comparison)),
            outcome=str(self.decision.outcome),
            figures=tuple(
                StoredFigure(
                    figure.metric,
                    figure.group,
                    figure.loss,
                    figure.drift,
                    figure.low,
                    figure.high,
                    figure.margin,
                    figure.n,
                    figure.n_left_out,
                    str(figure.outcome) if figure.is_tested else None,
                    noise=math.nan if figure.noise is None else figure.noise,
                    items=self._items_of(figure),
                )
                for figure in self.figures
            ),
            scores={name: comparison.mean_losses(name) for name in comparison.metrics},
            candidate_digest=comparison.outputs_digest,
            ruler_moved=self.ruler is not None and self.ruler.has_moved,
            checks=_checks_for_history(self.decision),
        )

    def _items_of(self, figure: MetricTest) -> tuple[str, ...]:
        """Return ids of the first items behind a tested drift; none if it passes and chance explains it."""
        if not figure.is_tested or (figure.outcome is Outcome.PASS and figure.change not in _WORSE):
            return ()
        items = self.comparison.baseline.items
        return tuple(items[index].id for index in self.drifting(figure)[:NAMED_ITEMS])

    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON.

        Returns:
            ``outcome`` is ``pass``, ``fail`` or ``undecided``. ``metrics`` has the figures over all items,
            ``tests`` the tests of the gate, and ``drifts`` the figures in each group, tested or not.
            ``worst_items`` start with the worst, and an item's ``pairs`` with the least similar.
        """
        comparison, decision = self.comparison, self.decision
        return {
            "instrument": "drift",
            "outcome": decision.outcome,
            "reasons": decision.reasons,
            "next_step": self.next_step,
            "dataset": comparison.baseline.dataset,
            "baseline": run_record(comparison.baseline),
            "candidate": run_record(comparison.candidate),
            "items": len(comparison.baseline.items),
            "matching": comparison.matching.record(),
            "left_out": comparison.n_left_out,
            "silent": self.n_silent,
            "windowed": comparison.n_windowed,
            "languages": self.languages,
            "moved": self.moved,
            "ruler": None if self.ruler is None else self.ruler.record(),
            "reruns": len(comparison.reruns),
            "copied_runs": comparison.copies,
            "plan": None if self.plan is None else self.plan.record(),
            "metrics": [self._metric_record(figure) for figure in self.overall],
            "tests": [{**_test_record(test), "items": self._drifting_ids(test)} for test in decision.tests],
            "thresholds": [_threshold_record(check) for check in decision.thresholds],
            "limits": [_limit_record(check) for check in decision.limits],
            "must_pass": [
                {"id": check.name, "passed": check.passed, "reasons": check.reasons}
                for check in decision.must_pass
            ],
            "side_by_side": self._judge_record(),
            "drifts": [_test_record(figure) for figure in self.figures],
            "worst_items": [self._item_record(index) for index in self.worst(WORST_ITEMS)],
            "approval": None if self.approval is None else approval_record(self.approval),
            "recorded": self.recorded_from,
            "head": self.head,
            "signature": self.signature,
        }

    def _drifting_ids(self, test: MetricTest) -> list[str]:
        """Return ids of the items behind a drift that chance does not explain; none for other tests."""
        if test.change not in _WORSE:
            return []
        items = self.comparison.baseline.items
        return [items[index].id for index in self.drifting(test)[:NAMED_ITEMS]]

    def _metric_record(self, figure: MetricTest) -> dict[str, Any]:
        metric = self.comparison.metrics[figure.metric]
        quality = self.comparison.quality.get(metric.name)
        means = (
            {} if quality is None else {"candidate": mean_loss(quality[0]), "baseline": mean_loss(quality[1])}
        )
        return {
            **_test_record(figure),
            "span": metric.span,
            "unit": metric.unit,
            "floor": self.comparison.floors.get(metric.name),
            "direction": metric.direction if metric.unit else None,
            "direction_assumed": metric.is_assumed,
            **means,
        }

    def _judge_record(self) -> dict[str, Any] | None:
        judged = self.comparison.judged
        if judged is None:
            return None
        verdicts = judged.verdicts
        about = {"judge": verdicts.model, "n_unjudged": judged.n_unjudged, "reasons": verdicts.reasons}
        return {**about, **vars(judged.summarize(IntervalPlan()))}

    def _item_record(self, index: int) -> dict[str, Any]:
        item = self.comparison.baseline.items[index]
        return {
            "id": item.id,
            "groups": item.groups,
            "harm": float(self.harm[index]),
            "drifts": self.drifts_of(index),
            "pairs": [self._pair_record(pair) for pair in self.pairs_of(index)],
        }

    def _pair_record(self, pair: AlignedPair) -> dict[str, Any]:
        differences = {
            name: {**asdict(difference), "difference": difference.value}
            for name, difference in self.differences(pair).items()
        }
        return {
            "baseline": pair.baseline,
            "candidate": pair.candidate,
            **pair.scores,
            "characters": differences.pop("characters"),
            "fields": differences,
            "findings": [{"guard": finding.guard, "reason": finding.reason} for finding in pair.findings],
        }


def _margin_above(test: MetricTest) -> float:
    """Return a margin with which a test passes: its own, or one above the upper bound of the drift."""
    return max(test.margin, math.floor(100 * test.high + 1) / 100)


def _similarity(pair: AlignedPair) -> float:
    if pair.baseline is None or pair.candidate is None:
        return _ALONE
    match = pair.scores.get("match", math.nan)
    return 1.0 if math.isnan(match) else match


def _number(output: Output | None, field: str) -> float | None:
    value = math.nan if output is None else number_of(output, field)
    return None if math.isnan(value) else value


def _test_record(test: MetricTest) -> dict[str, Any]:
    return {**asdict(test), "group": group_record(test.group)}


def _limit_record(check: GateCheck) -> dict[str, Any]:
    is_decided = check.is_checked and check.outcome is not Outcome.UNDECIDED
    return {
        "name": check.name,
        "allowed": check.allowed,
        "n": check.n,
        "n_broken": len(check.items),
        "items": check.items[:NAMED_ITEMS],
        "excused": check.excused[:NAMED_ITEMS],
        "passed": check.passed if is_decided else None,
        "sentence": check.sentence,
        "group": group_record(check.group),
    }


def _threshold_record(check: GateCheck) -> dict[str, Any]:
    return {
        "name": check.name,
        "metric": check.metric,
        "limit": check.allowed,
        "value": check.value,
        "passed": check.passed,
        "group": group_record(check.group),
    }


def _checks_for_history(decision: GateDecision) -> tuple[GateCheck, ...]:
    """Return the checks of a decision for a history; limits include the first items that break them."""
    return tuple(
        replace(check, items=check.items[:NAMED_ITEMS], excused=check.excused[:NAMED_ITEMS])
        for check in (*decision.rejections, *decision.limits, *decision.must_pass, *decision.thresholds)
        if check.is_checked
    )
