"""Takes judged answers part by part: scores, verdicts, and the worst claims."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np
import polars as pl

from semscale.embedding.languages.language_counts import LanguageCount, LanguageCounter
from semscale.embedding.languages.unread_language import LanguageSample, UnreadLanguage
from semscale.results.estimates import Estimates
from semscale.results.estimating import estimate_values
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.self_consistency.claims.claim_support import Support
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.columns import floats_in, statuses_in
from semscale.store.writing import PREFIX
from semscale.types import Floats, Status, Statuses, count_statuses

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
    """Keeps the numbers of judged answers, and the claims that a report shows.

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
        self._columns: dict[str, list[Floats]] = {}
        self._status: list[Statuses] = []
        self._groups: list[str | None] = []
        self._verdicts: Counter[Support] = Counter()
        self._worst = ForemostRows[C](KEPT_CLAIMS)
        self._left_out, self._sample, self._languages = LeftOutRows(), LanguageSample(), LanguageCounter()

    def add(
        self,
        frame: pl.DataFrame,
        answers: Sequence[Any],
        groups: Sequence[str | None] | None,
        measures: Sequence[str] = ("score",),
    ) -> None:
        """Take a part.

        Args:
            frame: m rows, with the columns that judging adds.
            answers: m cells.
            groups: m names, or ``None`` without groups.
            measures: columns of values, without the prefix.
        """
        status = statuses_in(frame[f"{PREFIX}status"])
        for name in measures:
            self._columns.setdefault(name, []).append(floats_in(frame[PREFIX + name]))
        self._status.append(status)
        self._groups += groups or []
        self._add_claims(frame[f"{PREFIX}claims"].to_list())
        self._left_out.add(status, self.n, answers.__getitem__)
        worded = np.flatnonzero(np.isin(status, [Status.SCORED, Status.WEIGHTLESS]))
        self._sample.add(worded, answers.__getitem__, self.n)
        self._languages.add_texts(([str(cell or "")] for cell in answers), status)
        self.n += frame.height

    @property
    def measures(self) -> dict[str, Floats]:
        """Values of each measure, shape (n,)."""
        return {name: np.concatenate(parts) for name, parts in self._columns.items()}

    @property
    def status(self) -> Statuses:
        """Shape (n,)."""
        return np.concatenate(self._status)

    @property
    def worst(self) -> tuple[C, ...]:
        """The worst claims, at most 20, the worst first."""
        return self._worst.items

    def groups(self, by: str | None) -> pl.Series | None:
        """Give the groups of all rows under the name of their column; ``None`` without one."""
        return None if by is None else pl.Series(by, self._groups, pl.String)

    def estimated(self, signature: Signature, by: str | None, plan: IntervalPlan) -> Estimates:
        """Estimate the mean of each measure, over all rows and each group.

        Args:
            signature: what was applied.
            by: the column of groups, if any.
            plan: how intervals are made.
        """
        measures = self.measures
        return estimate_values(
            measures,
            self.status,
            bounds=dict.fromkeys(measures, (0.0, 1.0)),
            signature=signature,
            by=self.groups(by),
            interval=plan.interval,
            method=plan.method,
            seed=plan.seed,
            replicates=plan.replicates,
        )

    def counted(self, signature: Signature) -> ClaimCounts:
        """Count the rows, claims and languages of all parts.

        Args:
            signature: what was applied.
        """
        return {
            "n": self.n,
            "counts": count_statuses(self.status),
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
