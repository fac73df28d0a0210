"""Summary of answers judged by passages: how many claims stand there, and the worst claims."""

from dataclasses import dataclass
from typing import Any

from semscale.answer_consistency.claims.claim_summary import ClaimSummary
from semscale.answer_consistency.claims.claim_support import Support
from semscale.matching.settings import GroundingColumns


@dataclass(frozen=True)
class GroundedClaim:
    """One claim of an answer, and what the passages say of it.

    Attributes:
        row: of the answer, from 0.
        claim: a sentence of the answer.
        verdict: what the passages say.
        score: how far the deciding sentence supports the claim, 0 to 1; ``None`` where nothing was compared.
        sentence: the sentence that decides; of a claim that is not found the nearest one.
        reason: why it contradicts the claim, or does not support it, where a guard says so.
    """

    row: int
    claim: str
    verdict: Support
    score: float | None = None
    sentence: str | None = None
    reason: str | None = None

    def record(self) -> dict[str, Any]:
        """Lay the claim out by name, for JSON; rows are counted from 1."""
        return {
            "row": self.row + 1,
            "claim": self.claim,
            "verdict": str(self.verdict),
            "score": self.score,
            "sentence": self.sentence,
            "reason": self.reason,
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class GroundingSummary(ClaimSummary):
    """Figures of n answers that were judged by passages, each in a row.

    The estimate is the mean share of supported claims (``score``).

    Attributes:
        columns: names of the columns of answers, passages and groups.
        worst: claims that are contradicted, then those that are not found, the least supported first; at
            most 20.
    """

    columns: GroundingColumns
    worst: tuple[GroundedClaim, ...]

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        worst = [claim.record() for claim in self.worst]
        return {"instrument": "groundedness", "rows": self.n, **self.shared_record(), "worst": worst}
