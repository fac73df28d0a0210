"""Summaries of answers whose claims were judged, by samples or by passages."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np
import polars as pl

from semscale.answer_consistency.asking import ReplyCounts
from semscale.answer_consistency.claims import Support
from semscale.embedding.languages.language_counts import LanguageCount, LanguageCounter, n_unguarded
from semscale.embedding.languages.unread_language import LanguageSample, UnreadLanguage
from semscale.errors import InputError
from semscale.matching.settings import GroundingColumns
from semscale.presentable import Presentable
from semscale.results.estimates import Estimates, summary_in_words
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.store.columns import floats_in, statuses_in
from semscale.store.writing import PREFIX
from semscale.types import Status, count_statuses


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


KEPT_CLAIMS = 20
"""How many of the worst claims a summary keeps."""

C = TypeVar("C")


class ClaimCounts(TypedDict):
    """Figures that summaries of judged answers share; their fields explain them."""

    n: int
    counts: Mapping[Status, int]
    claims: Mapping[Support, int]
    n_contradicted: int
    examples: Mapping[str, tuple[tuple[int, str], ...]]
    languages: tuple[LanguageCount, ...]
    unread_language: UnreadLanguage | None
    signature: Signature


class ClaimCollector(Generic[C]):
    """Sums the numbers of judged answers up, and keeps the claims that a report shows.

    Args:
        shown: makes a claim of its answer's row, from 0, and its entry in the column of claims.
        badness: says where a claim stands among the worst, the lowest first; NaN for one that is not shown.
    """

    def __init__(
        self, shown: Callable[[int, Mapping[str, Any]], C], badness: Callable[[Mapping[str, Any]], float]
    ) -> None:
        self.n = 0
        self._shown, self._badness = shown, badness
        self._n_claims = self._n_contradicted = 0
        self._tallies: Tallies | None = None
        self._counts = Counter[Status]()
        self._verdicts: Counter[Support] = Counter()
        self._worst = ForemostRows[C](KEPT_CLAIMS)
        self._left_out, self._sample, self._languages = LeftOutRows(), LanguageSample(), LanguageCounter()

    def add(
        self,
        frame: pl.DataFrame,
        answers: Sequence[Any],
        groups: pl.Series | None,
        measures: Sequence[str] = ("score",),
    ) -> None:
        """Take a part.

        Args:
            frame: m rows, with the columns that judging adds.
            answers: m cells.
            groups: m names under that of their column, or ``None`` without groups.
            measures: columns of values, without the prefix.
        """
        status = statuses_in(frame[f"{PREFIX}status"])
        if self._tallies is None:
            figures = [value_figure(name, (0.0, 1.0)) for name in measures]
            self._tallies = Tallies(figures, Signature.of("claims"))
        values = np.column_stack([floats_in(frame[PREFIX + name]) for name in measures])
        self._tallies.add(values, status, by=groups)
        self._counts.update(count_statuses(status))
        self._add_claims(frame[f"{PREFIX}claims"].to_list())
        self._left_out.add(status, self.n, answers.__getitem__)
        worded = np.flatnonzero(np.isin(status, [Status.SCORED, Status.WEIGHTLESS]))
        self._sample.add(worded, answers.__getitem__, self.n)
        self._languages.add_texts(([str(cell or "")] for cell in answers), status)
        self.n += frame.height

    @property
    def worst(self) -> tuple[C, ...]:
        """The worst claims, at most 20, the worst first."""
        return self._worst.items

    def estimated(self, signature: Signature, plan: IntervalPlan) -> Estimates:
        """Estimate the mean of each measure, over all rows and each group.

        Args:
            signature: what was applied.
            plan: how intervals are made.

        Raises:
            InputError: no part was taken.
        """
        if self._tallies is None:
            raise InputError("there are no rows to estimate from; name a table that has some")
        return self._tallies.estimates(
            interval=plan.interval,
            method=plan.method,
            seed=plan.seed,
            replicates=plan.replicates,
            signature=signature,
        )

    def counted(self, signature: Signature) -> ClaimCounts:
        """Count the rows, claims and languages of all parts.

        Args:
            signature: what was applied.
        """
        return {
            "n": self.n,
            "counts": {status: self._counts[status] for status in Status if self._counts[status]},
            "claims": {verdict: self._verdicts[verdict] for verdict in Support},
            "n_contradicted": self._n_contradicted,
            "examples": self._left_out.examples,
            "languages": self._languages.counts,
            "unread_language": self._sample.unread_language(signature),
            "signature": signature,
        }

    def _add_claims(self, rows: Sequence[Sequence[Mapping[str, Any]]]) -> None:
        claims = [(self.n + place, one) for place, row in enumerate(rows) for one in row or ()]
        self._verdicts.update(Support(one["verdict"]) for _, one in claims)
        self._n_contradicted += len({row for row, one in claims if one["verdict"] == Support.CONTRADICTED})
        badness = np.array([self._badness(one) for _, one in claims], np.float64)
        self._worst.add(badness, self._n_claims, lambda place: self._shown(*claims[place]))
        self._n_claims += len(claims)
