"""Summary of answers judged by passages: how many claims stand there, and the worst claims."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semscale.embedding.languages.language_counts import LanguageCount, n_unguarded
from semscale.embedding.languages.unread_language import UnreadLanguage
from semscale.matching.match_columns import MatchColumns
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, summary_in_words
from semscale.self_consistency.claims.claim_support import Support
from semscale.signature import Signature
from semscale.types import Status


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


@dataclass(frozen=True, repr=False)
class GroundingSummary(Presentable):
    """Figures of n answers that were judged by passages.

    Attributes:
        source: what the table is called.
        columns: names of the columns of answers, passages and groups.
        n: how many rows there are.
        counts: rows by status.
        claims: claims by verdict; all verdicts are named.
        n_contradicted: rows with a claim that is contradicted.
        uses_entailment: whether a model of entailment decided.
        estimates: mean share of supported claims with its interval, of all rows and of each group.
        worst: claims that are contradicted, then those that are not found, the least supported first; at
            most 20.
        examples: a few rows of each status without a score, counted from 0, with their texts.
        languages: rows by the language of the answer, the most frequent first.
        unread_language: the language of most answers, if the model does not read it.
        signature: what was applied, the settings of the estimates included.
        created: when.
    """

    source: str
    columns: MatchColumns
    n: int
    counts: Mapping[Status, int]
    claims: Mapping[Support, int]
    n_contradicted: int
    uses_entailment: bool
    estimates: Estimates
    worst: tuple[GroundedClaim, ...]
    examples: Mapping[str, tuple[tuple[int, str], ...]]
    languages: tuple[LanguageCount, ...]
    unread_language: UnreadLanguage | None
    signature: Signature
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def n_claims(self) -> int:
        """How many claims there are, those that the model could not read included."""
        return sum(self.claims.values())

    @property
    def n_unguarded(self) -> int:
        """Scored rows whose answer is surely not in English, so that guards did not look."""
        return 0 if self.uses_entailment else n_unguarded(self.languages)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        return {
            "instrument": "groundedness",
            "source": self.source,
            "rows": self.n,
            "counts": self.counts,
            "claims": {str(verdict): n for verdict, n in self.claims.items()},
            "contradicted": self.n_contradicted,
            "unguarded": self.n_unguarded,
            "unread_language": self.unread_language,
            "languages": [found.record("language") for found in self.languages],
            "estimates": self.estimates,
            "worst": [claim.record() for claim in self.worst],
            "signature": self.signature,
            "created": self.created,
        }

    def __repr__(self) -> str:
        scored = self.estimates.overall.n
        return summary_in_words("GroundingSummary", self.source, self.n, scored, self.estimates)
