"""A run as a person reviews it: its last gate, its outputs beside the baseline's, and what was decided."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.drift.history_summary import DatasetHistory, summarize_history
from semscale.drift.runs import approval_record, match_items, rejection_record, run_record
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Rejection, Run
from semscale.history.stored_comparison import StoredComparison
from semscale.presentable import Presentable

if TYPE_CHECKING:
    from semscale.history.history import History

_WORD = re.compile(r"\w+")
_ORDERED_BY = "lost_content"  # metric by which the greatest changes are found where nothing was drifting

OutputPair = tuple[Output | None, Output | None]
"""Outputs of an item in the baseline and in the candidate; ``None`` for an output without a counterpart."""


@dataclass(frozen=True, repr=False)
class RunReview(Presentable):
    """A run with its last gate and the decisions about it.

    Attributes:
        run: the run.
        where: location of the history.
        gate: its last comparison; ``None`` if it was never compared.
        n_gates: number of its comparisons.
        baseline: the run with which it was compared last; ``None`` likewise.
        decisions: approvals and rejections of the run, the oldest first.
        rejection: the rejection of its outputs that is in force.
        approval: the approval that makes it the baseline; ``None`` if it is not the baseline.
        losses: losses of the compared items by metric, from the last comparison.
    """

    run: Run
    where: str
    gate: StoredComparison | None
    n_gates: int
    baseline: Run | None
    decisions: tuple[Approval | Rejection, ...]
    rejection: Rejection | None
    approval: Approval | None
    losses: Mapping[str, np.ndarray]

    def __repr__(self) -> str:
        outcome = None if self.gate is None else self.gate.outcome
        return f"RunReview(model={self.run.model!r}, dataset={self.run.dataset!r}, outcome={outcome!r})"

    @property
    def decision(self) -> Approval | Rejection | None:
        """The decision in force: the rejection of its outputs, or else what makes it the baseline."""
        return self.rejection or self.approval

    @cached_property
    def items(self) -> dict[str, tuple[Item, Item]]:
        """The items that were compared, by id: the baseline's and the run's."""
        if self.baseline is None:
            return {}
        common = match_items(self.baseline, self.run).common
        before, after = ({item.id: item for item in run.items} for run in (self.baseline, self.run))
        return {name: (before[name], after[name]) for name in common}

    @cached_property
    def greatest_changes(self) -> tuple[str, ...]:
        """Ids of the items whose outputs changed, those that lost most content first."""
        losses, ids = self.losses.get(_ORDERED_BY), list(self.items)
        if losses is None or len(losses) != len(ids):
            return ()
        order = np.argsort(-np.nan_to_num(losses, nan=-1.0), kind="stable").tolist()
        return tuple(ids[index] for index in order if losses[index] > 0)

    def record(self) -> dict[str, Any]:
        """Return everything by name, for JSON."""
        gate, baseline = self.gate, self.baseline
        return {
            "instrument": "drift show",
            "dataset": self.run.dataset,
            "run": run_record(self.run),
            "baseline": None if baseline is None else run_record(baseline),
            "outcome": None if gate is None else gate.outcome,
            "compared": None if gate is None else gate.compared,
            "comparisons": self.n_gates,
            "is_baseline": self.approval is not None,
            "is_rejected": self.rejection is not None,
            "decisions": [_decision_record(decision) for decision in self.decisions],
        }


def review_run(history: "History", name: str, dataset: DatasetHistory | None = None) -> RunReview:
    """Return a run with its last gate and the decisions about it.

    Args:
        history: an open history.
        name: the run's id, or at least its first characters.
        dataset: its dataset, if that was read already.

    Raises:
        UnknownNameError: there is no such run.
        InputError: an entry was changed since it was stored.
    """
    run = history.run(name)
    dataset = dataset or summarize_history(history, [run.dataset]).datasets[0]
    gates = [comparison for comparison in dataset.comparisons if comparison.candidate_id == run.id]
    gate, latest = gates[-1] if gates else None, dataset.approval
    rejection = history.rejection_of(run)
    is_baseline = latest is not None and latest.run_id == run.id and not dataset.is_stale
    return RunReview(
        run,
        history.where,
        gate,
        len(gates),
        None if gate is None else history.run(gate.baseline_id),
        tuple(decision for decision in dataset.decisions if decision.run_id == run.id),
        rejection,
        latest if is_baseline and rejection is None else None,
        {} if gate is None else history.scores(gate.id),
    )


def pair_outputs(before: Sequence[Output], after: Sequence[Output]) -> tuple[OutputPair, ...]:
    """Pair the outputs of an item in two runs, those with the most words in common first.

    Returns:
        Outputs without a counterpart, then pairs, the least alike first.

    Examples:
        >>> old, new = [Output("It is safe."), Output("Add units.")], [Output("Add the units.")]
        >>> [tuple(output and output.text for output in pair) for pair in pair_outputs(old, new)]
        [('It is safe.', None), ('Add units.', 'Add the units.')]
    """
    words = [
        [Counter(_WORD.findall((output.text or "").casefold())) for output in run] for run in (before, after)
    ]
    likeness = {
        (row, column): _likeness(words[0][row], words[1][column])
        for row, column in product(range(len(before)), range(len(after)))
    }
    pairs: dict[int, int] = {}
    for row, column in sorted(likeness, key=lambda pair: (-likeness[pair], pair)):
        if row not in pairs and column not in pairs.values():
            pairs[row] = column
    ordered = sorted(pairs.items(), key=lambda pair: (likeness[pair], pair))
    return (
        *((output, None) for row, output in enumerate(before) if row not in pairs),
        *((None, output) for column, output in enumerate(after) if column not in pairs.values()),
        *((before[row], after[column]) for row, column in ordered),
    )


def _likeness(left: Counter[str], right: Counter[str]) -> float:
    """Return the share of words in common, 0 to 1."""
    n = left.total() + right.total()
    return 2 * (left & right).total() / n if n else 1.0


def _decision_record(decision: Approval | Rejection) -> dict[str, Any]:
    if isinstance(decision, Approval):
        return {"decision": "approved", **approval_record(decision)}
    return {"decision": "rejected", **rejection_record(decision)}
