"""Matches of predictions with references: scores, their components, and findings."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Unpack

import polars as pl

from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.matching.settings import MatchColumns
from semscale.matching.summary import MatchSummary, Separation, summarize_matches
from semscale.results.estimates import Estimates, EstimateSettings, IntervalSettings, estimate_values
from semscale.results.result import (
    COUNTS,
    FLAGS,
    FLOATS,
    POSITIONS,
    STATUSES,
    Result,
    numbers_by_name,
    records,
)
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean
from semscale.types import Floats, Integers, Mask, Statuses

Findings = tuple[tuple[Finding, ...], ...]

_SIDES = ("prediction", "reference")
_RECORDS = records(Finding)
_FINDINGS = replace(_RECORDS.private, write=lambda rows, name: _RECORDS.write(rows, name) if rows else [])
_SHOWN_FINDING = pl.Struct(dict.fromkeys(("guard", "kind", "reason", *_SIDES), pl.String))


@dataclass(frozen=True, repr=False)
class Matches(Result):
    """Matches of n items, in the order of the items.

    Attributes:
        score: shape (n,); NaN where there is none.
        status: shape (n,), each a ``Status``: the reason why each item has a score, or has none.
        reference: shape (n,), position (from 0) of the reference with the best score; -1 without a score.
        windows: shape (n,), number of windows into which the longer text was split; 0 if no text was read.
        signature: the settings that were applied.
        components: parts of the score, by name, each of shape (n,), NaN where there is no score.
        findings: for every item the guards' findings in the scored pair; empty without guards.
        guarded: shape (n,), whether guards checked the pair: they skip pairs with a text that is clearly not
            English; ``None`` without guards.
        bounds: the lowest and the highest score that the method can give.
        weighs_findings: whether findings of guards lower the scores.
    """

    score: Annotated[Floats, FLOATS]
    status: Annotated[Statuses, STATUSES]
    reference: Annotated[Integers, POSITIONS]
    windows: Annotated[Integers, COUNTS]
    signature: Signature
    components: Annotated[Mapping[str, Floats], numbers_by_name({"findings": "findings_factor"})] = field(
        default_factory=dict
    )
    findings: Annotated[Findings, _FINDINGS] = ()
    guarded: Annotated[Mask | None, FLAGS.private] = None
    bounds: tuple[float, float] = (0.0, 1.0)
    weighs_findings: bool = False

    header_fields = ("bounds", "weighs_findings")

    def estimate(self, **settings: Unpack[EstimateSettings]) -> Estimates:
        """Estimate the mean score of all items and of each group, with intervals.

        Args:
            settings: ``by``, ``weights``, ``respondents``, and how intervals are made; see
                ``EstimateSettings``.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or a setting out of range.
        """
        return estimate_values(
            {"score": self.score},
            self.status,
            bounds={"score": self.bounds},
            signature=self.signature,
            **settings,
        )

    def extra_columns(self) -> list[pl.Series]:
        """Return the column ``findings``: a list of structs, null where guards did not check the pair."""
        if not self.findings:
            return []
        cells = [
            None if guards is None else [_finding_record(finding) for finding in row]
            for row, guards in zip(self.findings, self.guard_names(), strict=True)
        ]
        return [pl.Series("findings", cells, dtype=pl.List(_SHOWN_FINDING))]

    def summarize(  # noqa: PLR0913 - texts, and facts about them
        self,
        predictions: object = None,
        references: object = None,
        *,
        by: object = None,
        source: str = "texts in memory",
        columns: MatchColumns | None = None,
        separation: Separation | None = None,
        tokens: Mapping[int, pl.DataFrame] | None = None,
        **intervals: Unpack[IntervalSettings],
    ) -> MatchSummary:
        """Summarize the matches; the summary writes reports, documents and JSON.

        Args:
            predictions: shape (n,), the matched predictions, to show with their scores.
            references: shape (n,), likewise.
            by: shape (n,), names of groups.
            source: where the items come from, such as the name of a file.
            columns: names of the matched columns.
            separation: comparison with the scores of unrelated pairs.
            tokens: tables of tokens by row, where explanations were requested.
            intervals: how intervals are made.

        Raises:
            InputError: a column of another length, or a setting out of range.
        """
        return summarize_matches(
            self,
            predictions,
            references,
            by=by,
            source=source,
            plan=IntervalPlan(**intervals),
            columns=columns,
            separation=separation,
            tokens=tokens,
        )

    def _short_summary(self) -> MatchSummary:
        return self.summarize()

    def guard_names(self) -> list[set[str] | None]:
        """List the guards with findings by item, ``None`` for unchecked items; empty without guards."""
        names: list[set[str] | None] = [{finding.guard for finding in row} for row in self.findings]
        if self.guarded is None:
            return names
        passed_over = (self.reference >= 0) & ~self.guarded
        return [None if passed else row for passed, row in zip(passed_over.tolist(), names, strict=True)]


def _finding_record(finding: Finding) -> dict[str, Any]:
    spans = {side: getattr(finding, side) for side in _SIDES}
    return vars(finding) | {side: span and span.text for side, span in spans.items()}


_REMEDIES = {"corpus": "give both the same corpus=", "baseline": "give both the same corpus= and seed="}


@dataclass(frozen=True)
class MatchComparison:
    """Comparison of two sets of matches.

    Attributes:
        difference: mean of the second's scores minus the first's, with its interval, over the items that both
            have scored; the other items are counted as left out.
        n_only_first: items that only the first has scored.
        n_only_second: items that only the second has scored.
        signature: signature of both sets.
    """

    difference: MeanEstimate
    n_only_first: int
    n_only_second: int
    signature: Signature


def compare_matches(
    first: Matches,
    second: Matches,
    *,
    clusters: Integers | None = None,
    plan: IntervalPlan | None = None,
) -> MatchComparison:
    """Estimate the mean difference between two sets of matches of the same n items, in pairs.

    Args:
        first: matches of one set of predictions.
        second: matches of another one, of the same items in the same order.
        clusters: shape (n,), cluster of each item, such as its question.
        plan: how the interval is made.

    Raises:
        InputError: the numbers of items differ, or the signatures; the message names the differing field.

    Examples:
        >>> import numpy as np
        >>> from semscale.types import Status
        >>> def matches(*score):
        ...     numbers, status = np.zeros(len(score), np.int64), np.full(len(score), Status.SCORED, object)
        ...     return Matches(np.array(score), status, numbers, numbers, Signature.of("match"))
        >>> round(compare_matches(matches(0.25, 0.5), matches(0.5, 1.0)).difference.value, 3)
        0.375
    """
    if len(first) != len(second):
        raise InputError(f"matches must have the same items, got {len(first)} and {len(second)}")
    differing = first.signature.differences(second.signature)
    if differing:
        name, (left, right) = next(iter(differing.items()))
        more = f" ({len(differing) - 1} more fields differ)" if len(differing) > 1 else ""
        raise InputError(
            f"matches can be compared only if their signatures agree, but {name} is {left!r} in the first "
            f"and {right!r} in the second{more}; {_REMEDIES.get(name, 'match both with the same settings')}"
        )
    low, high = first.bounds
    difference = estimate_mean(
        second.score - first.score, bounds=(low - high, high - low), clusters=clusters, plan=plan
    )
    return MatchComparison(
        difference,
        n_only_first=int((first.scored & ~second.scored).sum()),
        n_only_second=int((second.scored & ~first.scored).sum()),
        signature=first.signature,
    )
