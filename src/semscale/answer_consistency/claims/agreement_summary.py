"""Summary of answers whose claims were judged by samples: how far they are supported, and the worst."""

from dataclasses import dataclass
from typing import Any

from semscale.answer_consistency.asking.asking import ReplyCounts
from semscale.answer_consistency.claims.claim_summary import ClaimSummary
from semscale.answer_consistency.claims.claim_support import Support


@dataclass(frozen=True)
class SampledClaim:
    """One claim of an answer, and what samples of the same answer say of it.

    Attributes:
        item: number of the answer, from 0.
        claim: a sentence of the answer.
        verdict: that of the sample in which the claim fares worst.
        value: how far samples support the claim, 0 to 1, the mean over them.
        sample: number of that sample, from 1, among all samples of the answer.
        sentence: the sentence of that sample that contradicts the claim, or the nearest one; ``None`` where
            there is none.
        reason: why it contradicts the claim, or does not support it, where a guard says so.
    """

    item: int
    claim: str
    verdict: Support
    value: float
    sample: int | None = None
    sentence: str | None = None
    reason: str | None = None

    def record(self) -> dict[str, Any]:
        """Lay the claim out by name, for JSON; items are counted from 1."""
        return {
            "item": self.item + 1,
            "claim": self.claim,
            "verdict": str(self.verdict),
            "value": self.value,
            "sample": self.sample,
            "sentence": self.sentence,
            "reason": self.reason,
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class AgreementSummary(ClaimSummary):
    """Figures of n answers whose claims were judged by samples.

    The estimates are mean support (``score``) and mean share of supported claims (``supported_share``).

    Attributes:
        columns: what columns were used for, each with its name.
        n_samples: samples that claims could be compared with.
        n_samples_left_out: samples that are missing, empty or no text, or that decline to answer.
        worst: claims that some sample does not support, those with the least support first; at most 20.
        replies: how many replies were asked for and did not come, where a model was asked.
        input_notes: how the table was read, such as the rows that a condition left out.
    """

    columns: tuple[tuple[str, str], ...]
    n_samples: int
    n_samples_left_out: int
    worst: tuple[SampledClaim, ...]
    replies: ReplyCounts | None = None
    input_notes: tuple[str, ...] = ()

    @property
    def stopped(self) -> str | None:
        """Why not everything was asked, or ``None``."""
        return None if self.replies is None else self.replies.stopped

    @property
    def failed(self) -> str | None:
        """Why every call failed; ``None`` where one brought a reply, or where nobody was asked."""
        return self.replies.why_failed if self.replies is not None and self.replies.all_failed else None

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        replies = self.replies
        return {
            "instrument": "consistency claims",
            "items": self.n,
            **self.shared_record(),
            "samples": self.n_samples,
            "samples_left_out": self.n_samples_left_out,
            "worst": [claim.record() for claim in self.worst],
            "asking": None if replies is None else {"replies": replies.n_calls, "failed": replies.n_failed},
            "stopped": self.stopped,
        }
