"""Takes judged answers part by part: scores, verdicts, and the worst claims."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np
import polars as pl

from semscale.answer_consistency.claims.claim_support import Support
from semscale.embedding.languages.language_counts import LanguageCount, LanguageCounter
from semscale.embedding.languages.unread_language import LanguageSample, UnreadLanguage
from semscale.errors import InputError
from semscale.results.estimates import Estimates
from semscale.results.shown_rows import ForemostRows, LeftOutRows
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.store.columns import floats_in, statuses_in
from semscale.store.writing import PREFIX
from semscale.types import Status, count_statuses

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
