"""Summary of answers whose claims were judged by samples: how far they are supported, and the worst."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semscale.embedding.languages.language_counts import LanguageCount, n_unguarded
from semscale.embedding.languages.unread_language import UnreadLanguage
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, summary_in_words
from semscale.self_consistency.asking.asking import ReplyCounts
from semscale.self_consistency.claims.claim_support import Support
from semscale.signature import Signature
from semscale.types import Status


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


@dataclass(frozen=True, repr=False)
class AgreementSummary(Presentable):
    """Figures of n answers whose claims were judged by samples.

    Attributes:
        source: what the table is called.
        columns: what columns were used for, each with its name.
        n: how many answers there are.
        counts: answers by status.
        claims: claims by verdict; all verdicts are named.
        n_contradicted: answers with a claim that a sample contradicts.
        n_samples: samples that claims could be compared with.
        n_samples_left_out: samples that are missing, empty or no text, or that decline to answer.
        uses_entailment: whether a model of entailment decided.
        estimates: mean support (``score``) and mean share of supported claims (``supported_share``), each
            with its interval, of all answers and of each group.
        worst: claims that some sample does not support, those with the least support first; at most 20.
        examples: a few answers of each status without a score, counted from 0, with their texts.
        languages: answers by language, the most frequent first.
        unread_language: the language of most answers, if the model does not read it.
        signature: what was applied, the settings of the estimates included.
        replies: how many replies were asked for and did not come, where a model was asked.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: when.
    """

    source: str
    columns: tuple[tuple[str, str], ...]
    n: int
    counts: Mapping[Status, int]
    claims: Mapping[Support, int]
    n_contradicted: int
    n_samples: int
    n_samples_left_out: int
    uses_entailment: bool
    estimates: Estimates
    worst: tuple[SampledClaim, ...]
    examples: Mapping[str, tuple[tuple[int, str], ...]]
    languages: tuple[LanguageCount, ...]
    unread_language: UnreadLanguage | None
    signature: Signature
    replies: ReplyCounts | None = None
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n_claims(self) -> int:
        """How many claims there are, those that the model could not read included."""
        return sum(self.claims.values())

    @property
    def n_unguarded(self) -> int:
        """Scored answers that are surely not in English, so that guards did not look."""
        return 0 if self.uses_entailment else n_unguarded(self.languages)

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
            "source": self.source,
            "items": self.n,
            "counts": self.counts,
            "claims": {str(verdict): n for verdict, n in self.claims.items()},
            "contradicted": self.n_contradicted,
            "samples": self.n_samples,
            "samples_left_out": self.n_samples_left_out,
            "unguarded": self.n_unguarded,
            "unread_language": self.unread_language,
            "languages": [found.record("language") for found in self.languages],
            "estimates": self.estimates,
            "worst": [claim.record() for claim in self.worst],
            "asking": None if replies is None else {"replies": replies.n_calls, "failed": replies.n_failed},
            "stopped": self.stopped,
            "signature": self.signature,
            "created": self.created,
        }

    def __repr__(self) -> str:
        scored = self.estimates.overall.n
        return summary_in_words("AgreementSummary", self.source, self.n, scored, self.estimates)
