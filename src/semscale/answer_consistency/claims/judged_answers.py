"""Long answers, claim by claim: how many hold, and the worst of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np
import polars as pl

from semscale.answer_consistency.claims.claim_support import ClaimVerdict, Support
from semscale.results.estimates import Estimates
from semscale.results.estimating import EstimateSettings, estimate_values
from semscale.results.result import Result
from semscale.signature import Signature
from semscale.types import Floats, Statuses, are_scored

_RANK = {Support.CONTRADICTED: 0, Support.NOT_FOUND: 1, Support.SUPPORTED: 2, Support.UNREAD: 3}


@dataclass(frozen=True, repr=False)
class JudgedAnswers(Result):
    """Claims of n answers.

    Attributes:
        score: shape (n,), mean value of an answer's claims that were read, 0 to 1; NaN without any. In
            passages the value of a claim is 1 if it is supported, else 0; beside samples it is the mean over
            samples.
        status: shape (n,), each a ``Status``.
        claims: for each answer its claims, in their order; empty where it has no score.
        values: for each answer the values of its claims.
        signature: what was applied.
    """

    score: Floats
    status: Statuses
    claims: tuple[tuple[ClaimVerdict, ...], ...]
    values: tuple[tuple[float, ...], ...]
    signature: Signature

    row_fields: ClassVar[tuple[str, ...]] = ("score", "status", "claims", "values")

    def n_of(self, verdict: Support) -> list[int]:
        """Count each answer's claims with a verdict."""
        return [sum(one.verdict is verdict for one in each) for each in self.claims]

    def supported_share(self) -> Floats:
        """Give the share of each answer's claims that are supported, shape (n,); unread ones do not count.

        Beside samples a claim is supported where each of its samples supports it.
        """
        supported = np.array(self.n_of(Support.SUPPORTED), np.float64).reshape(-1)
        read = np.array([*map(len, self.claims)], np.float64).reshape(-1) - self.n_of(Support.UNREAD)
        share: Floats = np.full(len(read), np.nan)
        np.divide(supported, read, out=share, where=are_scored(self.status) & (read > 0))
        return share

    def lowest(self) -> list[tuple[str, float] | None]:
        """Give the claim of each answer with the lowest value, and that value; ``None`` without a score."""
        read = [
            [(one.claim, value) for one, value in zip(*each, strict=True) if not np.isnan(value)]
            for each in zip(self.claims, self.values, strict=True)
        ]
        return [min(each, key=lambda one: one[1], default=None) for each in read]

    def worst(self, n: int = 10) -> list[tuple[int, ClaimVerdict, float]]:
        """List the claims with the lowest values, each with its answer's number, from 0, and its value.

        Of equal values contradicted claims come first, then those that are not found.
        """
        every = [
            (answer, claim, value)
            for answer, (claims, values) in enumerate(zip(self.claims, self.values, strict=True))
            for claim, value in zip(claims, values, strict=True)
            if not np.isnan(value)
        ]
        return sorted(every, key=lambda one: (one[2], _RANK[one[1].verdict], one[0]))[:n]

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean score of all answers and of each group, with intervals.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            {"score": self.score},
            self.status,
            bounds={"score": (0.0, 1.0)},
            signature=self.signature,
            **settings,
        )

    def to_frame(self) -> pl.DataFrame:
        """Lay the answers out as a table, one row each; what is missing is null.

        Returns:
            Columns ``status``, ``score``, ``supported``, ``contradicted``, ``not_found`` (counts of claims;
            null without a score), and ``claims``, a list of structs; ``text`` is the number of the text that
            decides, from 1, among those that were given.
        """
        scored = are_scored(self.status)
        return pl.DataFrame(
            [
                pl.Series("status", [str(status) for status in self.status], dtype=pl.String),
                pl.Series("score", self.score, nan_to_null=True),
                *(
                    pl.Series(
                        str(verdict).replace("-", "_"),
                        [n if known else None for n, known in zip(self.n_of(verdict), scored, strict=True)],
                        dtype=pl.Int64,
                    )
                    for verdict in (Support.SUPPORTED, Support.CONTRADICTED, Support.NOT_FOUND)
                ),
                pl.Series("claims", list(self._shown()), dtype=_SHOWN),
            ]
        )

    def _shown(self) -> Iterator[Sequence[dict[str, object]]]:
        for claims, values in zip(self.claims, self.values, strict=True):
            yield [
                {
                    "claim": one.claim,
                    "verdict": str(one.verdict),
                    "value": None if np.isnan(value) else value,
                    "score": None if np.isnan(one.score) else one.score,
                    "sentence": one.sentence,
                    "text": None if one.text < 0 else one.text + 1,
                    "reason": one.reason,
                }
                for one, value in zip(claims, values, strict=True)
            ]


_SHOWN = pl.List(
    pl.Struct(
        {
            "claim": pl.String,
            "verdict": pl.String,
            "value": pl.Float64,
            "score": pl.Float64,
            "sentence": pl.String,
            "text": pl.Int64,
            "reason": pl.String,
        }
    )
)
