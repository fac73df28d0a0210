"""What was recorded and what was approved: a run's counts, and who made it the baseline until when."""

import math
from dataclasses import dataclass
from typing import Any

from semscale.drift.asking.answers import AskedFacts
from semscale.drift.runs.run_texts import number_of
from semscale.drift.runs.shared_ids import SharedIds
from semscale.history.runs import Approval, Run
from semscale.presentable import Presentable


@dataclass(frozen=True, repr=False)
class RecordedRun(Presentable):
    """A run that was recorded.

    Attributes:
        run: what was recorded.
        where: the history that keeps it.
        is_new: whether it was stored now; false where the history had the same run already.
        reruns: what the same model gave when it was asked once more, if it was.
        asked: what the outputs took, if a model or a program was asked for them.
        shared: ids in common with the dataset's baseline or latest run; ``None`` where there is none.
        repeats_original: whether it is a rerun from a file that has the outputs of its original, word for
            word.
    """

    run: Run
    where: str
    is_new: bool = True
    reruns: tuple[Run, ...] = ()
    asked: AskedFacts | None = None
    shared: SharedIds | None = None
    repeats_original: bool = False

    def __repr__(self) -> str:
        return f"RecordedRun({_named(self.run)}, items={len(self.run.items):,})"

    @property
    def n_outputs(self) -> int:
        """Outputs that say something."""
        return sum(len(item.outputs_with_text) for item in self.run.items)

    @property
    def n_silent(self) -> int:
        """Items for which the model said nothing."""
        return n_silent(self.run)

    @property
    def without_number(self) -> dict[str, int]:
        """For each field, the outputs that say something and have no such number; NaN is none."""
        spoken = [output for item in self.run.items for output in item.outputs_with_text]
        return {
            name: sum(math.isnan(number_of(output, name)) for output in spoken) for name in self.run.fields
        }

    @property
    def n_groups(self) -> dict[str, int]:
        """Groups of each kind."""
        return {
            kind: len({item.groups[kind] for item in self.run.items if kind in item.groups})
            for kind in self.run.group_kinds
        }

    def record(self) -> dict[str, Any]:
        """Lay the counts out by name, for JSON."""
        run = self.run
        return {
            "instrument": "drift record",
            **run_record(run),
            "dataset": run.dataset,
            "items": len(run.items),
            "outputs": self.n_outputs,
            "silent": self.n_silent,
            "fields": run.fields,
            "without_number": self.without_number,
            "groups": self.n_groups,
            "rerun_of": run.rerun_of,
            "history": self.where,
            "signature": run.signature,
            "reruns": [rerun.id for rerun in self.reruns],
            "asked": self.asked,
            "shared": self.shared,
            "repeats_original": self.repeats_original,
        }


@dataclass(frozen=True, repr=False)
class ApprovedBaseline(Presentable):
    """A run that was made the baseline of its dataset.

    Attributes:
        run: the baseline.
        approval: who approved it, why, and until when.
        shared: ids in common with the former baseline; ``None`` where there was none.
    """

    run: Run
    approval: Approval
    shared: SharedIds | None = None

    def __repr__(self) -> str:
        return f"ApprovedBaseline({_named(self.run)}, by={self.approval.by!r})"

    @property
    def is_silent(self) -> bool:
        """Whether no item of it says anything, so that a candidate cannot do worse."""
        return n_silent(self.run) == len(self.run.items)

    def record(self) -> dict[str, Any]:
        """Lay the approval out by name, for JSON."""
        return {
            "instrument": "drift approve",
            "dataset": self.run.dataset,
            "baseline": run_record(self.run),
            "approval": approval_record(self.approval),
            "shared": self.shared,
        }


def n_silent(run: Run) -> int:
    """Count the items for which a model said nothing."""
    return sum(not item.outputs_with_text for item in run.items)


def run_record(run: Run) -> dict[str, Any]:
    """Lay out which run it is."""
    return {
        "id": run.id,
        "model": run.model,
        "recorded": run.recorded,
        "revision": run.revision,
        "note": run.note,
    }


def approval_record(approval: Approval) -> dict[str, Any]:
    """Lay out who approved what, when, why, and until when."""
    return {
        "run": approval.run_id,
        "by": approval.by,
        "why": approval.why,
        "approved": approval.approved,
        "expires": approval.expires,
    }


def _named(run: Run) -> str:
    return f"model={run.model!r}, dataset={run.dataset!r}"
