"""Athena's ``QualityDriftAnalyzer``, which compares a model's feedback with an exercise's baseline."""

from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.compat.athena_feedback import (
    Feedback,
    calculate_bertscore_similarity,
    calculate_credit_drift,
    credit_span,
    feedback_texts,
)
from semscale.drift.runs.athena_files import exercise_of, load_exercise
from semscale.drift.runs.athena_submissions import feedback_of, submissions_of
from semscale.errors import UnknownNameError
from semscale.weights.known import DEFAULT_MODEL

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.token_states import TokenEncoder


class QualityDriftAnalyzer:
    """Compares a model's feedback for one exercise with the baseline's.

    Args:
        pairing: see ``calculate_bertscore_similarity``.
        embedder: of BERTScore, as ``DriftMeter`` takes it.
        credit_range: the greatest possible difference of credits; by default the range of the baseline's
            credits and 0.

    Attributes:
        baseline_feedbacks: the baseline's feedback by the submission's id.
        test_feedbacks: the model's feedback by the submission's id; the caller fills it.
        baseline_info: the exercise file's information about its baseline.
    """

    def __init__(
        self,
        *,
        pairing: str = "assignment",
        embedder: "str | Path | Embedder | TokenEncoder" = DEFAULT_MODEL,
        credit_range: float | None = None,
    ) -> None:
        self.pairing, self.embedder, self.credit_range = pairing, embedder, credit_range
        self.baseline_feedbacks: dict[Any, Sequence[Feedback]] = {}
        self.test_feedbacks: dict[Any, Sequence[Feedback]] = {}
        self.baseline_info: dict[str, Any] = {}

    def load_baseline_feedbacks(self, exercise_data_path: str | Path) -> None:
        """Load an exercise file in either format.

        Raises:
            InputError: the file cannot be read.
        """
        content, name = load_exercise(exercise_data_path), Path(exercise_data_path).name
        exercise = exercise_of(content, name)
        said = {"model": exercise.model, "generated_at": exercise.generated}
        known = {key: value for key, value in said.items() if value is not None}
        info = content.get("baseline_info")
        self.baseline_info = {**known, **(info if isinstance(info, dict) else {})}
        self.baseline_feedbacks |= {
            one["id"]: feedback_of(one, name, str(one["id"])) for one in submissions_of(content, name)
        }

    def calculate_bertscore_similarity(
        self, baseline_texts: Sequence[str], test_texts: Sequence[str]
    ) -> dict[str, float]:
        """Compute BERTScore of two lists of feedback; see the function of this name."""
        return calculate_bertscore_similarity(
            baseline_texts, test_texts, pairing=self.pairing, embedder=self.embedder
        )

    def calculate_credit_drift(
        self, baseline_feedbacks: Sequence[Feedback], test_feedbacks: Sequence[Feedback]
    ) -> dict[str, float]:
        """Compute the differences of credits; see the function of this name."""
        known = credit_span([*chain.from_iterable(self.baseline_feedbacks.values())])
        return calculate_credit_drift(
            baseline_feedbacks,
            test_feedbacks,
            pairing=self.pairing,
            credit_range=known if self.credit_range is None else self.credit_range,
            embedder=self.embedder,
        )

    def analyze_quality_drift(self, submission_id: Any) -> dict[str, dict[str, float]]:  # noqa: ANN401
        """Compare the feedback of one submission.

        Returns:
            ``bertscore`` and ``credit_drift``; a submission missing in ``test_feedbacks`` has no feedback.

        Raises:
            UnknownNameError: the baseline has no such submission.
        """
        if submission_id not in self.baseline_feedbacks:
            raise UnknownNameError(
                f"submission_id must be one that was loaded, got {submission_id!r}; load its exercise first"
            )
        baseline = self.baseline_feedbacks[submission_id]
        test = self.test_feedbacks.get(submission_id, [])
        return {
            "bertscore": self.calculate_bertscore_similarity(feedback_texts(baseline), feedback_texts(test)),
            "credit_drift": self.calculate_credit_drift(baseline, test),
        }
