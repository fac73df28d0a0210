"""Summary of matches: estimates, scores, findings, and the items to look at."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.matching.separation import Separation
from semscale.matching.settings import MatchColumns
from semscale.results.shown_rows import ForemostRows
from semscale.results.summary import RowTally, Summary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.stats.sampling import SAMPLED_ROWS, ColumnSample
from semscale.store.columns import as_list, text_status
from semscale.types import Floats, Integers, Status

if TYPE_CHECKING:
    from semscale.matching.matches import Matches

SHOWN = 20
"""Items with the lowest scores, and items with findings, that a summary holds."""

_LIKELY = 0.5  # probability above which something is more likely than not
_FEWEST_FOR_THIRDS = 6

# Columns of the sample. Those of the scores' parts have this before their names.
_SCORE, _MATCHED, _GROUP, _PART = "score", "matched", "group", "part "


@dataclass(frozen=True)
class MatchedItem:
    """One item that has a score.

    Attributes:
        row: its position among all items, from 0.
        score: its score.
        prediction: the prediction; ``None`` where the texts are not known.
        reference: the reference that the score is from; ``None`` likewise.
        group: name of its group, if it has one.
        components: parts of the score, by name.
        findings: findings of the guards; ``None`` where none looked.
        tokens: its tokens as ``semscale.matching.methods.Explains`` lays them out, where they were asked for.
    """

    row: int
    score: float
    prediction: str | None
    reference: str | None
    group: str | None
    components: Mapping[str, float]
    findings: tuple[Finding, ...] | None
    tokens: pl.DataFrame | None = None

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON, where rows count from 1."""
        tokens = None if self.tokens is None else self.tokens.to_dicts()
        return {**vars(self), "row": self.row + 1, "tokens": tokens}


@dataclass(frozen=True, repr=False, kw_only=True)
class MatchSummary(Summary):
    """Summary of n matched items.

    Attributes:
        columns: names of the matched columns; ``None`` for texts in memory.
        bounds: the least and the greatest score that the method can give.
        n_windowed: items with a text that was read in windows.
        n_empty_as_wrong: empty predictions that count as wrong, with the score 0.
        scores: shape (items that are scored,); of more than 100,000 items those of a sample of 100,000.
        group_scores: likewise of each group that the sample has; ``None`` is the group of items without one.
        thirds: mean of the score and of each of its parts in the lowest, middle and highest third of items;
            empty without parts, and with fewer than 6 scored items.
        guards: how many items each guard found something in, by its name.
        n_flagged: how many items some guard found something in; ``None`` where no guard looked.
        n_unguarded: items that guards passed over, as they read English alone.
        n_by_text_alone: items whose two texts are in different languages, so that their words did not count.
        weighs_findings: whether findings of guards lower the scores.
        lowest: items with the lowest scores, the lowest first, at most 20.
        flagged: items with findings, the highest score first, at most 20.
        separation: how far the scores are above those of unrelated pairs, where that is known.
        is_explained: whether explanations of the lowest scores were asked for.
        n_contradicted: items with a sentence that the other text contradicts, by a probability above one
            half; ``None`` where the method does not tell.
        n_cut: items with sentences that were too long for the method's model, which read their beginnings.
    """

    instrument = "match"
    language_of = ("prediction", "reference")

    columns: MatchColumns | None = None
    bounds: tuple[float, float]
    n_windowed: int
    n_empty_as_wrong: int
    scores: Floats
    group_scores: Mapping[str | None, Floats]
    thirds: Mapping[str, tuple[float, float, float]]
    guards: dict[str, int]
    n_flagged: int | None
    n_unguarded: int
    n_by_text_alone: int
    weighs_findings: bool
    lowest: tuple[MatchedItem, ...]
    flagged: tuple[MatchedItem, ...]
    separation: Separation | None = None
    is_explained: bool = False
    n_contradicted: int | None = None
    n_cut: int = 0

    @property
    def is_sampled(self) -> bool:
        """Whether ``scores``, ``group_scores``, ``thirds`` and the separation are those of a sample."""
        return self.n > SAMPLED_ROWS

    @property
    def method(self) -> str:
        """The method's name, as the signature has it; BERTScore is an instrument of its own."""
        instrument = self.signature.instrument
        return dict(self.signature.fields)["method"] if instrument == "match" else instrument

    def own_record(self) -> dict[str, Any]:
        """Return the numbers of matching by name, for JSON."""
        separation = self.separation
        return {
            "method": self.method,
            "across_languages": self.n_across_languages,
            "windowed": self.n_windowed,
            "empty_as_wrong": self.n_empty_as_wrong,
            "bounds": self.bounds,
            "guards": self.guards,
            "unguarded": self.n_unguarded,
            "by_text_alone": self.n_by_text_alone,
            "contradicted": self.n_contradicted,
            "cut": self.n_cut,
            "separation": None
            if separation is None
            else {
                "share_above": separation.share,
                "unrelated_pairs": len(separation.unrelated),
                "unrelated_mean": separation.unrelated.mean(),
            },
            "lowest": [item.record() for item in self.lowest],
        }


class MatchTally:
    """Adds up matches part by part; of most items only numbers are held.

    Files and matches in memory both go through it, so the same items give the same report. Of more than
    100,000 items, scores are held of a sample, so that memory does not grow with them.

    Args:
        matches: the first part, whose signature and bounds are those of all.
        by: name of the column of groups; ``None`` without groups.
        figures: names of the figures that are estimated: components of the score, and the score itself,
            which is the main one.
        score: name of the score among them.
        seed: seed of the sample.
    """

    def __init__(
        self,
        matches: "Matches",
        *,
        by: str | None = None,
        figures: Sequence[str] = ("score",),
        score: str = "score",
        seed: int = 0,
    ) -> None:
        self._rows = RowTally(
            [value_figure(name, matches.bounds) for name in figures],
            matches.signature,
            by=[] if by is None else [by],
            main=list(figures).index(score),
        )
        self._figures = tuple(figures)
        self._by, self._bounds, self._weighs = by, matches.bounds, matches.weighs_findings
        self._sample = ColumnSample(SAMPLED_ROWS, seed)
        self._group_numbers: dict[str | None, int] = {}
        self._n_windowed = self._n_empty_as_wrong = 0
        self._n_above: dict[str, int] = {}
        self._guards: Counter[str] = Counter()
        self._n_flagged: int | None = None
        self._n_unguarded = self._n_by_text_alone = 0
        self._lowest, self._flagged = ForemostRows[MatchedItem](SHOWN), ForemostRows[MatchedItem](SHOWN)

    def add(
        self,
        matches: "Matches",
        predictions: Sequence[object] = (),
        references: Sequence[object] = (),
        groups: Sequence[str | None] | None = None,
    ) -> None:
        """Add the next m items.

        Args:
            matches: of the m items.
            predictions: m cells; none where the texts are not known.
            references: m cells, each a text or a list of texts, likewise.
            groups: m names of groups.
        """
        first_row = self._rows.n
        guards = matches.guard_names()
        texts = _ItemTexts(matches, predictions, references)

        def item(position: int) -> MatchedItem:
            looked = bool(guards) and guards[position] is not None
            return MatchedItem(
                row=first_row + position,
                score=float(matches.score[position]),
                prediction=str(predictions[position]) if predictions else None,
                reference=texts.best_reference(position),
                group=None if groups is None else groups[position],
                components={name: float(values[position]) for name, values in matches.components.items()},
                findings=matches.findings[position] if looked else None,
            )

        # An empty prediction may be scored without being read.
        compared = np.where(matches.reference >= 0, matches.score, np.nan)
        self._sample_numbers(matches, compared, groups)
        self._count(matches, compared)
        self._lowest.add(compared, first_row, item)
        if guards:
            self._guards.update(guard for row in guards for guard in row or ())
            self._n_unguarded += sum(row is None for row in guards)
            flagged = np.array([bool(row) for row in guards], dtype=bool)
            self._n_flagged = (self._n_flagged or 0) + int(flagged.sum())
            self._flagged.add(np.where(flagged, -matches.score, np.nan), first_row, item)
        values = [matches.components.get(name, matches.score) for name in self._figures]
        self._rows.add(
            np.column_stack(values),
            matches.status,
            groups=None if self._by is None or groups is None else {self._by: groups},
            shown=texts.any_text,
        )
        if predictions:
            self._rows.sample_language(matches.status, predictions.__getitem__)
        if predictions and references:
            self._rows.add_languages(map(texts.both, range(len(matches))), matches.status)

    @property
    def sampled_scores(self) -> tuple[Integers, Floats]:
        """Rows of the sample, and their scores where their texts were compared, NaN elsewhere."""
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
        """Sum up everything that was added.

        Args:
            plan: how intervals are made.
            source: where the items come from.
            columns: names of the matched columns.
            separation: how far the scores are above those of unrelated pairs.
            tokens: tables of tokens by row; ``None`` where no explanations were asked for.
        """
        sample = self._sample.columns
        score = sample[_SCORE]
        components = {
            name.removeprefix(_PART): values for name, values in sample.items() if name.startswith(_PART)
        }
        return MatchSummary(
            **self._rows.common(plan, source),
            columns=columns,
            bounds=self._bounds,
            n_windowed=self._n_windowed,
            n_empty_as_wrong=self._n_empty_as_wrong,
            scores=score[~np.isnan(score)],
            group_scores=self._group_scores(score, sample.get(_GROUP)),
            thirds=thirds(sample[_MATCHED], components),
            guards=dict(sorted(self._guards.items())),
            n_flagged=self._n_flagged,
            n_unguarded=self._n_unguarded,
            n_by_text_alone=self._n_by_text_alone,
            weighs_findings=self._weighs,
            lowest=_with_tokens(self._lowest.items, tokens),
            flagged=_with_tokens(self._flagged.items, tokens),
            separation=separation,
            is_explained=tokens is not None,
            n_contradicted=self._n_above.get("contradiction"),
            n_cut=self._n_above.get("cut", 0),
        )

    def _sample_numbers(
        self, matches: "Matches", compared: Floats, groups: Sequence[str | None] | None
    ) -> None:
        columns = {_SCORE: matches.score, _MATCHED: compared}
        if groups is not None:
            known = self._group_numbers
            columns[_GROUP] = np.array([known.setdefault(name, len(known)) for name in groups])
        self._sample.add(columns | {_PART + name: values for name, values in matches.components.items()})

    def _count(self, matches: "Matches", compared: Floats) -> None:
        components = matches.components
        self._n_windowed += int((matches.windows > 1).sum())
        self._n_empty_as_wrong += int((~np.isnan(matches.score)).sum() - (~np.isnan(compared)).sum())
        for name, bound in (("contradiction", _LIKELY), ("cut", 0.0)):
            if name in components:
                n = int((components[name] > bound).sum())
                self._n_above[name] = self._n_above.get(name, 0) + n
        if components.keys() >= {"text", "context"}:
            # Words of two languages have no equals, so that only the layer of whole texts has a value.
            by_text_alone = np.isnan(components["context"]) & ~np.isnan(components["text"])
            self._n_by_text_alone += int(by_text_alone.sum())

    def _group_scores(self, score: Floats, groups: Integers | None) -> dict[str | None, Floats]:
        if groups is None:
            return {}
        names = list(self._group_numbers)
        return scores_by_group(score, [names[group] for group in groups.tolist()])


@dataclass(frozen=True)
class _ItemTexts:
    """The texts of m items."""

    matches: "Matches"
    predictions: Sequence[object]
    references: Sequence[object]

    def best_reference(self, position: int) -> str | None:
        """Return the reference that an item's score is from; ``None`` where it is not known."""
        best = int(self.matches.reference[position])
        if not self.references or best < 0:
            return None
        return str(_as_list(self.references[position])[best])

    def both(self, position: int) -> tuple[str, str]:
        """Return an item's prediction and its best or else first reference; empty texts where none."""
        cells = _as_list(self.references[position])
        first = next((cell for cell in cells if text_status(cell) is Status.SCORED), "")
        prediction = self.predictions[position]
        shown = prediction if text_status(prediction) is Status.SCORED else ""
        return str(shown), self.best_reference(position) or str(first)

    def any_text(self, position: int) -> object:
        """Return an item's prediction, or else a reference; ``None`` where neither holds anything."""
        cells = [self.predictions[position]] if self.predictions else []
        cells += _as_list(self.references[position]) if self.references else []
        return next((cell for cell in cells if cell is not None and str(cell).strip()), None)


def thirds(score: Floats, components: Mapping[str, Floats]) -> dict[str, tuple[float, float, float]]:
    """Return mean score, and mean of each component, in the lowest, middle and highest third of items.

    Args:
        score: shape (n,); NaN where there is none.
        components: by name, each of shape (n,).

    Returns:
        Empty without components, and with fewer than 6 scores; without a component that a whole third lacks.

    Example:
        >>> scores = np.array([0.6, 0.1, 0.2, 0.3, 0.4, 0.5])
        >>> [tuple(np.round(means, 2).tolist()) for means in thirds(scores, {"word": 1 - scores}).values()]
        [(0.15, 0.35, 0.55), (0.85, 0.65, 0.45)]
    """
    known = np.flatnonzero(~np.isnan(score))
    rows = known[np.argsort(score[known], kind="stable")]
    if not components or len(rows) < _FEWEST_FOR_THIRDS:
        return {}
    low, middle, high = np.array_split(rows, 3)
    means = {
        name: (_mean_known(values[low]), _mean_known(values[middle]), _mean_known(values[high]))
        for name, values in {"score": score, **components}.items()
    }
    return {name: row for name, row in means.items() if not any(map(math.isnan, row))}


def scores_by_group(score: Floats, groups: Sequence[str | None]) -> dict[str | None, Floats]:
    """Collect the scores of each group, in order of first appearance.

    Args:
        score: shape (n,); NaN where there is none, and such items are left out.
        groups: n names; items without one form the group ``None``.

    Example:
        >>> groups = scores_by_group(np.array([0.5, np.nan, 0.1, 0.2]), ["b", "b", "a", None])
        >>> {name: scores.tolist() for name, scores in groups.items()}
        {'b': [0.5], 'a': [0.1], None: [0.2]}
    """
    table = pl.DataFrame({"group": pl.Series(groups, dtype=pl.String), "score": score})
    parts = table.filter(pl.col("score").is_not_nan()).group_by("group", maintain_order=True)
    return {name: part["score"].to_numpy() for (name,), part in parts}


def _mean_known(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def texts_of(column: object, name: str, n: int) -> list[Any]:
    """List the n cells of a column whose texts are shown with their scores; empty for ``None``.

    Raises:
        InputError: another number of cells.
    """
    cells = [] if column is None else as_list(column, name)
    if column is not None and len(cells) != n:
        raise InputError(f"{name} must have {n} rows, as many as there are matches, got {len(cells)}")
    return cells


def _as_list(cell: object) -> list[object]:
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    return list(cell) if listed else [cell]  # type: ignore[call-overload]


def _with_tokens(
    items: tuple[MatchedItem, ...], tokens: Mapping[int, pl.DataFrame] | None
) -> tuple[MatchedItem, ...]:
    return tuple(replace(item, tokens=(tokens or {}).get(item.row)) for item in items)
