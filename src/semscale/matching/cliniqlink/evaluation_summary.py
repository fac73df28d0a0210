"""Summary of a scored submission, for JSON and reports."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semscale.matching.cliniqlink.submission_scores import SubmissionScores
from semscale.presentable import Presentable


@dataclass(frozen=True, repr=False)
class EvaluationSummary(Presentable):
    """The scores of a submission.

    Attributes:
        source: the folder that was scored.
        scores: each task's score.
        created: when.
    """

    source: str
    scores: SubmissionScores
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        tasks, overall = len(self.scores.tasks), self.scores.overall
        return f"EvaluationSummary(source={self.source!r}, tasks={tasks}, overall={overall:.2f})"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "match evaluate",
            "source": self.source,
            "overall": self.scores.overall,
            "tasks": [
                {
                    "task": task.task,
                    "measure": task.measure,
                    "estimate": task.estimate,
                    "invalid": task.n_invalid,
                    "figures": task.figures,
                }
                for task in self.scores.tasks
            ],
            "interval": self.scores.plan.interval,
            "seed": self.scores.plan.seed,
            "replicates": self.scores.plan.replicates,
            "signature": self.scores.signature,
            "created": self.created,
        }
