"""What summaries of judged claims have in common, whether samples or passages judged them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from semscale.answer_consistency.claims.claim_support import Support
from semscale.embedding.languages.language_counts import LanguageCount, n_unguarded
from semscale.embedding.languages.unread_language import UnreadLanguage
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, summary_in_words
from semscale.signature import Signature
from semscale.types import Status


@dataclass(frozen=True, repr=False, kw_only=True)
class ClaimSummary(Presentable):
    """Figures of n answers whose claims were judged.

    Attributes:
        source: what the table is called.
        n: how many answers there are.
        counts: answers by status.
        claims: claims by verdict; all verdicts are named.
        n_contradicted: answers with a claim that is contradicted.
        uses_entailment: whether a model of entailment decided.
        estimates: means with their intervals, of all answers and of each group.
        examples: a few answers of each status without a score, counted from 0, with their texts.
        languages: answers by language, the most frequent first.
        unread_language: the language of most answers, if the model does not read it.
        signature: what was applied, the settings of the estimates included.
        created: when.
    """

    source: str
    n: int
    counts: Mapping[Status, int]
    claims: Mapping[Support, int]
    n_contradicted: int
    uses_entailment: bool
    estimates: Estimates
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
        """Scored answers that are surely not in English, so that guards did not look."""
        return 0 if self.uses_entailment else n_unguarded(self.languages)

    def shared_record(self) -> dict[str, Any]:
        """Lay the figures out by name, for JSON, but for the number of answers and the worst claims."""
        return {
            "source": self.source,
            "counts": self.counts,
            "claims": {str(verdict): n for verdict, n in self.claims.items()},
            "contradicted": self.n_contradicted,
            "unguarded": self.n_unguarded,
            "unread_language": self.unread_language,
            "languages": [found.record("language") for found in self.languages],
            "estimates": self.estimates,
            "signature": self.signature,
            "created": self.created,
        }

    def __repr__(self) -> str:
        scored = self.estimates.overall.n
        return summary_in_words(type(self).__name__, self.source, self.n, scored, self.estimates)
