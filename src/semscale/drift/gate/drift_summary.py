"""What comparing two runs came to: each metric's drift, the decision, and the items that changed most."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.drift.gate.drift_figures import DriftFigure, drift_figures, stored_figure
from semscale.drift.gate.harm import Harm, HarmedItem, harm_of, worst_pairs
from semscale.drift.gate.next_step import next_step
from semscale.drift.gate.records import (
    figure_record,
    limit_record,
    must_pass_record,
    pair_record,
    sequence_record,
    test_record,
    threshold_record,
)
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.signature import measured_signature
from semscale.drift.gate.stored_checks import stored_checks
from semscale.drift.measure.comparison import Comparison
from semscale.drift.metrics import mean_loss
from semscale.drift.quality.judged_runs import WinRecord
from semscale.drift.ruler.attribution import Moved, ruler_step, what_moved
from semscale.drift.ruler.ruler_check import RulerCheck
from semscale.drift.runs import OutputLanguage, approval_record, output_languages, run_record
from semscale.drift.sizing.forecast import SizeForecast, forecast
from semscale.history.runs import Approval
from semscale.history.stored_comparison import StoredComparison
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan

WORST_ITEMS = 20
"""Items that changed most, in JSON."""


@dataclass(frozen=True, repr=False)
class DriftSummary(Presentable):
    """A comparison with the gate's decision.

    Attributes:
        comparison: what was measured.
        decision: what the gate decided; ``None`` where none was asked.
        approval: who made the baseline the baseline, if anybody did.
        settings: margins, kinds of groups and intervals where no gate was asked: as a gate has them by
            default, with all kinds of groups, unless given. Beside a decision: further kinds of groups.
        recorded_from: the file that the candidate was recorded from, if it was one.
        heads: the last hashes of the dataset's entries in the history that keeps the comparison.
        ruler: what reading the anchors once more came to; ``None`` where the dataset has none.

    Example:
        >>> from semscale.drift import Item, Output, Run, compare
        >>> old = Run("greetings", "old", (Item("1", (Output("Good morning."),)),))
        >>> new = Run("greetings", "new", (Item("1", (Output("Good morning."),)),))
        >>> DriftSummary(compare(old, new))
        DriftSummary(candidate='new', baseline='old', items=1, outcome=None)
    """

    comparison: Comparison
    decision: GateDecision | None = None
    approval: Approval | None = None
    settings: GateSettings | None = None
    recorded_from: str | None = None
    heads: tuple[str, ...] = ()
    ruler: RulerCheck | None = None

    def __repr__(self) -> str:
        baseline, candidate = self.comparison.baseline, self.comparison.candidate
        outcome = None if self.decision is None else str(self.decision.outcome)
        models = f"candidate={candidate.model!r}, baseline={baseline.model!r}"
        return f"DriftSummary({models}, items={len(baseline.items):,}, outcome={outcome!r})"

    def with_heads(self, heads: Sequence[str]) -> Self:
        """The same with the last hashes of the history; what was computed is not computed again."""
        kept = replace(self, heads=tuple(heads))
        named = {one.name for one in fields(self)}
        vars(kept).update({name: value for name, value in vars(self).items() if name not in named})
        return kept

    @property
    def signature(self) -> Signature:
        """How it was measured, and how it was decided or, without a gate, how intervals were made."""
        if self.decision is None:
            return measured_signature(self.comparison.signature, self.plan)
        return self.decision.signature

    @property
    def plan(self) -> IntervalPlan:
        """How intervals were made."""
        return self._settings.plan()

    @cached_property
    def next_step(self) -> str | None:
        """What to do next, in a sentence without its full stop; ``None`` where no gate was asked."""
        if self.decision is None:
            return None
        if self.ruler is None or not self.ruler.has_moved:
            return next_step(self.comparison, self.decision, self.forecast)
        failed = self.decision.outcome is Outcome.FAIL
        return ruler_step(next_step(self.comparison, self.decision) if failed else None)

    @cached_property
    def forecast(self) -> SizeForecast | None:
        """What would decide an undecided gate, by simulation; ``None`` where that cannot be said."""
        return None if self.decision is None else forecast(self.comparison, self.decision)

    @property
    def moved(self) -> Moved | None:
        """What moved, the system, the ruler, both or neither; ``None`` where nobody can say."""
        outcome = None if self.decision is None else self.decision.outcome
        return None if self.ruler is None else what_moved(outcome, self.ruler)

    @property
    def n_left_out(self) -> int:
        """Items without any value, as neither run says anything."""
        return self.comparison.measured.n_left_out

    @property
    def n_silent(self) -> int:
        """Items for which the baseline says something and the candidate nothing."""
        pairs = zip(self.comparison.baseline.items, self.comparison.candidate.items, strict=True)
        return sum(
            bool(baseline.outputs_with_text) and not candidate.outputs_with_text
            for baseline, candidate in pairs
        )

    @cached_property
    def languages(self) -> tuple[OutputLanguage, ...]:
        """Outputs of both runs by language."""
        comparison = self.comparison
        return output_languages(comparison.baseline, comparison.candidate, comparison.signature)

    @cached_property
    def sides(self) -> WinRecord | None:
        """How the candidate did before the judge; ``None`` where none was asked."""
        judged = self.comparison.judged
        return None if judged is None else judged.summarize(self.plan)

    @cached_property
    def figures(self) -> tuple[DriftFigure, ...]:
        """Every metric over all items, then in each group."""
        further = () if self.settings is None else self.settings.by
        return drift_figures(self.comparison, self.decision, self._settings, further)

    @property
    def overall(self) -> tuple[DriftFigure, ...]:
        """Every metric over all items."""
        return tuple(figure for figure in self.figures if figure.group is None)

    @property
    def grouped(self) -> tuple[DriftFigure, ...]:
        """Every metric in every group."""
        return tuple(figure for figure in self.figures if figure.group is not None)

    @property
    def open_groups(self) -> tuple[DriftFigure, ...]:
        """What the gate tested in groups and did not pass, the most urgent first."""
        waiting = [figure for figure in self.grouped if figure.outcome not in {None, Outcome.PASS}]
        return tuple(sorted(waiting, key=lambda figure: figure.urgency))

    @cached_property
    def harm(self) -> Harm:
        """How much worse each item came out."""
        return harm_of(self.comparison, self.decision)

    @cached_property
    def stored(self) -> StoredComparison:
        """The comparison as a history keeps it: figures of metrics and groups, and every item's losses."""
        comparison = self.comparison
        return StoredComparison(
            baseline_id=comparison.baseline.id,
            candidate_id=comparison.candidate.id,
            model=comparison.candidate.model,
            dataset=comparison.candidate.dataset,
            signature=str(comparison.signature),
            outcome=None if self.decision is None else str(self.decision.outcome),
            figures=tuple(map(stored_figure, self.figures)),
            scores={name: comparison.mean_losses(name) for name in comparison.metrics},
            candidate_digest=comparison.outputs_digest,
            checks=None if self.decision is None else stored_checks(self.decision),
        )

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON.

        Returns:
            ``outcome`` is ``pass``, ``fail``, ``undecided``, or ``None`` without a gate. ``metrics`` has each
            metric over all items, ``tests`` what the gate tested, ``drifts`` each metric and group, tested or
            not. ``interval``, ``seed`` and ``replicates`` say how the intervals of all of these were made. Of
            the ``worst_items`` the worst comes first, and of an item's ``pairs`` the least alike.
        """
        comparison, decision = self.comparison, self.decision
        return {
            "instrument": "drift",
            "outcome": None if decision is None else decision.outcome,
            "next_step": self.next_step,
            "dataset": comparison.baseline.dataset,
            "baseline": run_record(comparison.baseline),
            "candidate": run_record(comparison.candidate),
            "items": len(comparison.baseline.items),
            "matching": comparison.matching.record(),
            "left_out": self.n_left_out,
            "silent": self.n_silent,
            "windowed": comparison.measured.n_windowed,
            "languages": self.languages,
            "moved": self.moved,
            "ruler": None if self.ruler is None else self.ruler.record(),
            "reruns": len(comparison.reruns),
            "nights": 0 if decision is None else decision.nights.n,
            "n_needed": None if decision is None else decision.n_needed,
            "forecast": None if self.forecast is None else asdict(self.forecast),
            "metrics": [self._metric_record(figure) for figure in self.overall],
            "tests": [test_record(test) for test in decision.tests] if decision else [],
            "thresholds": [threshold_record(check) for check in decision.thresholds] if decision else [],
            "limits": [limit_record(check) for check in decision.limits] if decision else [],
            "must_pass": [must_pass_record(check) for check in decision.must_pass] if decision else [],
            "sequence": [sequence_record(one) for one in decision.sequence] if decision else [],
            "side_by_side": self._side_by_side_record(),
            "drifts": [
                figure_record(one.metric.name, one.group, loss=one.loss, drift=one.drift, margin=one.margin)
                for one in self.figures
            ],
            "worst_items": self._worst_records(self.harm.worst(WORST_ITEMS)),
            "interval": self.plan.interval,
            "seed": self.plan.seed,
            "replicates": self.plan.replicates,
            "approval": None if self.approval is None else approval_record(self.approval),
            "recorded": self.recorded_from,
            "heads": self.heads,
            "signature": self.signature,
        }

    @property
    def _settings(self) -> GateSettings:
        if self.decision is not None:
            return self.decision.settings
        return self.settings or GateSettings(by=self.comparison.baseline.group_kinds)

    def _metric_record(self, figure: DriftFigure) -> dict[str, Any]:
        return {
            "metric": figure.metric.name,
            "loss": figure.loss,
            "noise": figure.noise,
            "drift": figure.drift,
            "span": figure.metric.span,
            "unit": figure.metric.unit,
            "floor": self.comparison.floors.get(figure.metric.name),
            "change": figure.change,
            "direction": figure.metric.direction if figure.metric.unit else None,
            "direction_assumed": figure.metric.is_assumed,
            **self._quality_record(figure.metric.name),
        }

    def _side_by_side_record(self) -> dict[str, Any] | None:
        judged = self.comparison.judged
        if judged is None:
            return None
        verdicts = judged.verdicts
        about = {"judge": verdicts.model, "n_unjudged": judged.n_unjudged, "reasons": verdicts.reasons}
        return {**about, **vars(self.sides)}

    def _quality_record(self, name: str) -> dict[str, float]:
        """Lay out the mean scores of the runs themselves, where references or a judge give some."""
        scores = self.comparison.quality.get(name)
        if scores is None:
            return {}
        return {"candidate": mean_loss(scores.candidate), "baseline": mean_loss(scores.baseline)}

    def _worst_records(self, harmed: Sequence[HarmedItem]) -> list[dict[str, Any]]:
        pairs = worst_pairs(self.comparison, [item.place for item in harmed])
        items = self.comparison.baseline.items
        return [
            {
                "id": items[one.place].id,
                "groups": items[one.place].groups,
                "harm": one.harm,
                "drifts": one.drifts,
                "pairs": [pair_record(self.comparison, pair) for pair in pairs[one.place]],
            }
            for one in harmed
        ]


def stored(
    comparison: Comparison, decision: GateDecision | None, settings: GateSettings | None = None
) -> StoredComparison:
    """Make what a history keeps of a comparison: figures of every metric and group, and every item's losses.

    Args:
        comparison: a candidate measured against the baseline.
        decision: the gate's, whose figures are taken over; ``None`` where none was asked.
        settings: margins, kinds of groups and intervals where no gate was asked, as a gate has them by
            default unless given. Beside a decision: further kinds of groups.
    """
    return DriftSummary(comparison, decision, settings=settings or GateSettings()).stored
