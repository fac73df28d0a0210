"""The result of a judge: a verdict for each item."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self, overload

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.decisions.criterion_columns import criterion_columns
from semscale.judging.decisions.form_refusals import FormRefusal, refusals_in_words
from semscale.judging.judged_result import JudgedResult
from semscale.judging.prompts.template import Template
from semscale.judging.verdict import ASKED, Provenance, Verdict
from semscale.signature import Signature
from semscale.types import Floats, Mask, Statuses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, repr=False)
class Verdicts(JudgedResult):
    """One judge's verdicts on n items, in the order of the items; arrays are read-only.

    Attributes:
        verdicts: one for each item.
        status: shape (n,), why each item has a score, or has none.
        template: what the judge was asked.
        model: the judge's name.
        signature: what was applied.
        stopped: why not every item was asked about, or ``None``.
        criteria: weights of a rubric's criteria by their names; empty for a template.
        not_taken: forms of asking that the model did not take, and why.
    """

    verdicts: tuple[Verdict, ...]
    status: Statuses
    template: Template
    model: str
    signature: Signature
    stopped: str | None = None
    criteria: Mapping[str, float] = field(default_factory=dict)
    not_taken: tuple[FormRefusal, ...] = ()

    row_fields = ("verdicts", "status")

    def __post_init__(self) -> None:
        if len(self.status) != len(self.verdicts):
            raise InputError(f"status must have {len(self.verdicts)} rows, got {len(self.status)}")
        own = self.status.view()
        own.flags.writeable = False
        object.__setattr__(self, "status", own)

    def __len__(self) -> int:
        return len(self.verdicts)

    @overload
    def __getitem__(self, rows: int, /) -> Verdict: ...

    @overload
    def __getitem__(self, rows: "Sequence[bool] | Mask | slice", /) -> Self: ...

    def __getitem__(self, rows: "int | Sequence[bool] | Mask | slice", /) -> Verdict | Self:
        if isinstance(rows, int | np.integer) and not isinstance(rows, bool):
            return self.verdicts[rows]
        return super().__getitem__(rows) if isinstance(rows, slice) else self.filter(rows)

    def __iter__(self) -> "Iterator[Verdict]":
        return iter(self.verdicts)

    @property
    def score(self) -> Floats:
        """The level that was stated, from 0 to 1, shape (n,); NaN where there is none."""
        return np.array([verdict.score for verdict in self.verdicts], dtype=np.float64)

    @property
    def expected(self) -> Floats:
        """Expected score, the mean of each distribution, shape (n,); NaN where there is none."""
        return np.array([verdict.expected for verdict in self.verdicts], dtype=np.float64)

    @property
    def standard_error(self) -> Floats:
        """``Verdict.standard_error`` of each item, shape (n,); NaN where it is not known."""
        return np.array([verdict.standard_error for verdict in self.verdicts], dtype=np.float64)

    @property
    def covered(self) -> Floats:
        """``Verdict.covered`` of each item, 0 to 1, shape (n,); NaN where it is not defined."""
        return np.array([verdict.covered for verdict in self.verdicts], dtype=np.float64)

    @property
    def deviation(self) -> Floats:
        """``Verdict.deviation`` of each item, 0 to 0.5, shape (n,); NaN where there is no score."""
        return np.array([verdict.deviation for verdict in self.verdicts], dtype=np.float64)

    @property
    def pmf(self) -> Floats:
        """Masses of the template's levels, shape (n, k), rows sum to 1; NaN where there is no score.

        Raises:
            InputError: the template has a range and no levels; ``Verdict.distribution`` has its masses.
        """
        if self.template.highest is not None:
            raise InputError(f"pmf needs a template with levels, {self.template.name!r} has a range")
        return self.masses

    @property
    def masses(self) -> Floats:
        """Masses of the template's scores, those of a range included, shape (n, k); NaN for no score."""
        scores = self.template.scores.tolist()
        places = {score: place for place, score in enumerate(scores)}
        masses = np.full((len(self), len(scores)), np.nan)
        for row, verdict in enumerate(self.verdicts):
            if verdict.distribution:
                masses[row] = 0.0
            for score, mass in verdict.distribution:
                masses[row, places[score]] += mass
        return masses

    @property
    def provenances(self) -> dict[Provenance, int]:
        """How many distributions come from where."""
        counted = Counter(verdict.provenance for verdict in self.verdicts)
        return {provenance: counted[provenance] for provenance in Provenance if counted[provenance]}

    @property
    def _model_name(self) -> str:
        return self.model

    @property
    def _figures(self) -> dict[str, Floats]:
        return {"score": self.score, "expected": self.expected}

    @property
    def _applied(self) -> dict[str, tuple[Template, Signature]]:
        return {self.model: (self.template, self.signature)}

    @property
    def _criteria(self) -> Mapping[str, float]:
        return self.criteria

    @property
    def _not_taken(self) -> list[tuple[FormRefusal, ...]]:
        return [self.not_taken]

    def to_frame(self) -> pl.DataFrame:
        """Lay the verdicts out as a table, one row per item; what is missing is null.

        Returns:
            Columns ``status``, ``score``, ``expected``, ``confidence``, ``standard_error`` (of ``expected``),
            ``provenance``, ``covered``, ``order_bias``, ``explanation``, ``replies`` (a list of texts),
            ``reason``, and the mass of each level as ``p_<what is said>``; of a rubric the expected score by
            each criterion as ``criterion_<name>``, with ``_score`` and ``_status``; with
            ``method="decision"`` ``not_taken``, the forms that the model had not taken, and why.
        """
        each = self.verdicts
        columns = [
            pl.Series("status", [str(status) for status in self.status], pl.String),
            pl.Series("score", self.score, nan_to_null=True),
            pl.Series("expected", self.expected, nan_to_null=True),
            pl.Series("confidence", np.array([v.confidence for v in each]), pl.Float64, nan_to_null=True),
            pl.Series("standard_error", self.standard_error, nan_to_null=True),
            pl.Series("provenance", [v.provenance and str(v.provenance) for v in each], pl.String),
            pl.Series("covered", self.covered, nan_to_null=True),
            pl.Series("order_bias", np.array([v.order_bias for v in each]), pl.Float64, nan_to_null=True),
            pl.Series("explanation", [v.explanation or None for v in each], pl.String),
            pl.Series("replies", [list(v.replies) for v in each], pl.List(pl.String)),
            pl.Series("reason", [v.reason or None for v in each], pl.String),
            *self._not_taken_column(),
        ]
        if self.template.highest is None:
            ordered = sorted(self.template.levels, key=lambda level: level.score)
            columns += [
                pl.Series(f"p_{level.shown}", np.ascontiguousarray(masses), nan_to_null=True)
                for level, masses in zip(ordered, self.pmf.T, strict=True)
            ]
        columns += criterion_columns(each, list(self.criteria))
        return pl.DataFrame(columns)

    def _not_taken_column(self) -> list[pl.Series]:
        """Of a judge by decisions, say for each row that was asked about which forms were not taken."""
        if "method" not in dict(self.signature.fields):
            return []
        said = refusals_in_words(self.not_taken) or None
        return [
            pl.Series("not_taken", [said if status in ASKED else None for status in self.status], pl.String)
        ]

    def part_frame(self) -> pl.DataFrame:
        """Lay out the columns that a run over a table keeps of a part: ``to_frame``, and two more.

        ``masses`` lists the scores of each distribution, each with its mass; ``deviation`` is that of
        ``Verdict``.
        """
        masses = [list(map(list, verdict.distribution)) for verdict in self.verdicts]
        return self.to_frame().with_columns(
            pl.Series("masses", masses, dtype=_MASSES),
            pl.Series("deviation", self.deviation, pl.Float64, nan_to_null=True),
        )


_MASSES = pl.List(pl.List(pl.Float64))
