"""Matches of predictions with references: scores, their components, findings, and their summary."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Unpack

import numpy as np
import polars as pl

from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.matching.settings import MatchColumns
from semscale.matching.summary import SHOWN, MatchedItem, MatchSummary, Separation, scores_by_group, thirds
from semscale.results.estimates import (
    Estimates,
    EstimateSettings,
    Grouping,
    IntervalSettings,
    estimate_values,
)
from semscale.results.result import (
    COUNTS,
    FLAGS,
    FLOATS,
    POSITIONS,
    STATUSES,
    Result,
    lists_of_structs,
    numbers_by_name,
    records,
)
from semscale.results.summary import ForemostRows, RowTally
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean, value_figure
from semscale.stats.sampling import SAMPLED_ROWS, ColumnSample
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, Mask, Status, Statuses

Findings = tuple[tuple[Finding, ...], ...]

_SIDES = ("prediction", "reference")
_RECORDS = records(Finding)
_FINDINGS = replace(_RECORDS.private, write=lambda rows, name: _RECORDS.write(rows, name) if rows else [])
_LIKELY = 0.5  # probability above which something is more likely than not

# Columns of the sample. Those of the scores' parts have this before their names.
_SCORE, _MATCHED, _GROUP, _PART = "score", "matched", "group", "part "

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
        return [lists_of_structs("findings", cells, _SHOWN_FINDING)]

    def summarize(
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
        plan = IntervalPlan(**intervals)
        tally = tally_matches(self, predictions, references, by=by)
        return tally.summary(plan, source, columns=columns, separation=separation, tokens=tokens)

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


class MatchTally:
    """Running totals of matches, part by part; most items are stored as numbers only.

    Files and matches in memory both use it, so the same items give the same report. Memory does not grow with
    the number of items: of more than 100,000, only a sample's scores are stored.

    Args:
        matches: the first part; its signature and bounds apply to all parts.
        by: the column of groups; ``None`` without groups.
        figures: names of the figures that are estimated: components of the score, then the score itself, the
            main figure.
        seed: seed of the sample.
    """

    def __init__(
        self,
        matches: Matches,
        *,
        by: Grouping | None = None,
        figures: Sequence[str] = ("score",),
        seed: int = 0,
    ) -> None:
        self._rows = RowTally(
            [value_figure(name, matches.bounds) for name in figures],
            matches.signature,
            by=() if by is None else (by,),
            main=len(figures) - 1,
        )
        self._figures = tuple(figures)
        self._by, self._bounds, self._weighs = by, matches.bounds, matches.weighs_findings
        self._sample = ColumnSample(SAMPLED_ROWS, seed)
        self._group_numbers: dict[str | None, int] = {}
        self._counts: Counter[str] = Counter()
        self._has_guards = False
        self._guards: Counter[str] = Counter()
        self._lowest, self._flagged = ForemostRows[MatchedItem](SHOWN), ForemostRows[MatchedItem](SHOWN)

    def add(
        self,
        matches: Matches,
        predictions: Sequence[object] = (),
        references: Sequence[object] = (),
        groups: Sequence[str | None] | None = None,
    ) -> None:
        """Add the next m items.

        Args:
            matches: of the m items.
            predictions: m cells; empty where the texts are not known.
            references: m cells, each a text or a list of texts, likewise.
            groups: m names of groups.
        """
        first_row = self._rows.n
        guards = matches.guard_names()
        best = _best_references(matches, references)

        def item(position: int) -> MatchedItem:
            is_guarded = bool(guards) and guards[position] is not None
            return MatchedItem(
                row=first_row + position,
                score=float(matches.score[position]),
                prediction=str(predictions[position]) if predictions else None,
                reference=best[position],
                group=None if groups is None else groups[position],
                components={name: float(values[position]) for name, values in matches.components.items()},
                findings=matches.findings[position] if is_guarded else None,
            )

        def any_text(position: int) -> object:
            cells = [predictions[position]] if predictions else []
            cells += _as_list(references[position]) if references else []
            return next((cell for cell in cells if cell is not None and str(cell).strip()), None)

        # An empty prediction may be scored without being read.
        compared = np.where(matches.reference >= 0, matches.score, np.nan)
        self._add_to_sample(matches, compared, groups)
        self._count(matches, compared)
        self._lowest.add(compared, first_row, item)
        if guards:
            self._has_guards = True
            self._guards.update(guard for row in guards for guard in row or ())
            flagged = np.array([bool(row) for row in guards], dtype=bool)
            self._counts["flagged"] += int(flagged.sum())
            self._counts["unguarded"] += guards.count(None)
            self._flagged.add(np.where(flagged, -matches.score, np.nan), first_row, item)
        self._rows.add(
            np.column_stack([matches.components.get(name, matches.score) for name in self._figures]),
            matches.status,
            groups=None if self._by is None or groups is None else {self._by.column: groups},
            shown=any_text,
        )
        if predictions:
            self._rows.sample_language(matches.status, predictions.__getitem__)
        if predictions and references:
            texts = (
                (_text_or_empty(prediction), reference or _first_text(cell))
                for prediction, reference, cell in zip(predictions, best, references, strict=True)
            )
            self._rows.add_languages(texts, matches.status)

    @property
    def sampled_scores(self) -> tuple[Integers, Floats]:
        """Rows of the sample and their scores; NaN where texts were not compared."""
        return self._sample.rows, self._sample.columns[_MATCHED]

    @property
    def shown(self) -> tuple[MatchedItem, ...]:
        """Items that the summary will show."""
        return tuple({item.row: item for item in (*self._lowest.items, *self._flagged.items)}.values())

    def summary(
        self,
        plan: IntervalPlan,
        source: str,
        *,
        columns: MatchColumns | None = None,
        separation: Separation | None = None,
        tokens: Mapping[int, pl.DataFrame] | None = None,
    ) -> MatchSummary:
        """Return the summary of everything that was added.

        Args:
            plan: how intervals are made.
            source: where the items come from.
            columns: names of the matched columns.
            separation: comparison with the scores of unrelated pairs.
            tokens: tables of tokens by row; ``None`` where no explanations were requested.
        """
        sample = self._sample.columns
        score = sample[_SCORE]
        components = {
            name.removeprefix(_PART): values for name, values in sample.items() if name.startswith(_PART)
        }
        names = list(self._group_numbers)
        groups = [names[number] for number in sample[_GROUP].tolist()] if _GROUP in sample else None
        counts = self._counts

        def with_tokens(items: tuple[MatchedItem, ...]) -> tuple[MatchedItem, ...]:
            return tuple(replace(item, tokens=(tokens or {}).get(item.row)) for item in items)

        return MatchSummary(
            **self._rows.summary_fields(plan, source),
            columns=columns,
            bounds=self._bounds,
            n_windowed=counts["windowed"],
            n_empty_as_wrong=counts["empty as wrong"],
            scores=score[~np.isnan(score)],
            group_scores={} if groups is None else scores_by_group(score, groups),
            thirds=thirds(sample[_MATCHED], components),
            guards=dict(sorted(self._guards.items())),
            n_flagged=counts["flagged"] if self._has_guards else None,
            n_unguarded=counts["unguarded"],
            n_by_text_alone=counts["by text alone"],
            weighs_findings=self._weighs,
            lowest=with_tokens(self._lowest.items),
            flagged=with_tokens(self._flagged.items),
            separation=separation,
            is_explained=tokens is not None,
            n_contradicted=counts["contradiction"] if "contradiction" in components else None,
            n_cut=counts["cut"],
        )

    def _add_to_sample(self, matches: Matches, compared: Floats, groups: Sequence[str | None] | None) -> None:
        columns = {_SCORE: matches.score, _MATCHED: compared}
        if groups is not None:
            known = self._group_numbers
            columns[_GROUP] = np.array([known.setdefault(name, len(known)) for name in groups])
        self._sample.add(columns | {_PART + name: values for name, values in matches.components.items()})

    def _count(self, matches: Matches, compared: Floats) -> None:
        components = matches.components
        marked = {
            "windowed": matches.windows > 1,
            "empty as wrong": np.isnan(compared) & ~np.isnan(matches.score),
        }
        for name, bound in (("contradiction", _LIKELY), ("cut", 0.0)):
            if name in components:
                marked[name] = components[name] > bound
        if components.keys() >= {"text", "context"}:
            # Words in two languages cannot be matched, so only the layer of whole texts has a value.
            marked["by text alone"] = np.isnan(components["context"]) & ~np.isnan(components["text"])
        self._counts.update({name: int(rows.sum()) for name, rows in marked.items()})


def tally_matches(
    matches: Matches,
    predictions: object,
    references: object,
    *,
    by: object,
    figures: Sequence[str] = ("score",),
) -> MatchTally:
    """Tally matches in memory.

    Args:
        matches: of n items.
        predictions: shape (n,), the matched predictions; ``None`` if the texts are not shown.
        references: shape (n,), likewise.
        by: shape (n,), names of groups; ``None`` without groups.
        figures: see ``MatchTally``.

    Raises:
        InputError: a column of another length.
    """
    cells: dict[str, list[Any]] = {}
    for name, column in (("predictions", predictions), ("references", references), ("by", by)):
        cells[name] = [] if column is None else as_list(column, name)
        if column is not None and len(cells[name]) != matches.n:
            raise InputError(
                name, f"must have {matches.n} rows, as many as there are matches, got {len(cells[name])}"
            )
    names = None if by is None else as_names(cells["by"], "by")
    grouping = None if by is None else Grouping(getattr(by, "name", None) or "")
    tally = MatchTally(matches, by=grouping, figures=figures)
    tally.add(matches, cells["predictions"], cells["references"], names)
    return tally


def _best_references(matches: Matches, references: Sequence[object]) -> list[str | None]:
    """Return the reference behind each item's score; ``None`` if it is not known."""
    if not references:
        return [None] * len(matches)
    positions = zip(references, matches.reference.tolist(), strict=True)
    return [None if best < 0 else str(_as_list(cell)[best]) for cell, best in positions]


def _as_list(cell: object) -> list[object]:
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    return list(cell) if listed else [cell]  # type: ignore[call-overload]


def _first_text(cell: object) -> str:
    return next((text for text in map(_text_or_empty, _as_list(cell)) if text), "")


def _text_or_empty(cell: object) -> str:
    return str(cell) if text_status(cell) is Status.SCORED else ""
