"""The matcher: scores how far predictions say the same as their references, in memory and in files."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.guards.registry import Guards
from semscale.matching.matches import Matches
from semscale.matching.methods import (
    CorpusDependent,
    Explains,
    PairMethod,
    build_method,
    check_explaining,
    guards_for,
)
from semscale.matching.pairs import (
    ScoredPairs,
    best_pairs,
    find_in_pairs,
    in_other_language,
    pair_up,
    usable_references,
    with_guards,
    with_read_languages,
)
from semscale.matching.separation import drawn_items, separate
from semscale.matching.settings import MatchColumns, MatchSettings
from semscale.matching.summary import MatchSummary, MatchTally
from semscale.results.result_columns import PRIVATE
from semscale.results.runs import TableInstrument, measure_table
from semscale.results.table_columns import Cells
from semscale.settings import takes
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.columns import as_list
from semscale.store.places.output_places import Target
from semscale.store.row_picking import picked_rows
from semscale.store.runs.table_run import PartSettings
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Floats, Integers, Mask, Progress, Status

CORPUS_ROWS = 50_000
"""Rows from whose references word weights and the level of unrelated texts are estimated."""

_BEST_REFERENCE = f"{PREFIX}{PRIVATE}best_reference"
_EXPLAINED_TOGETHER = 1000  # rows, so that only so many have their tokens' tables in memory at once


class Matcher:
    """Matches predictions with references.

    Args:
        method: one of ``semscale.matching.methods.METHODS``.
        settings: as ``MatchSettings`` has them.

    Raises:
        InputError: an unknown method, a setting out of range, or one that belongs to another method.
        ModelError: the model's files cannot be had, or cannot be run.
    """

    @takes(MatchSettings)
    def __init__(self, method: str = MatchSettings.model_fields["method"].default, **settings: Any) -> None:
        self.settings = MatchSettings(method=method, **settings)
        self.guards: Guards | None = guards_for(method, self.settings.guards)
        if self.settings.explain:
            check_explaining(method)
        self.pair_method = build_method(self.settings)

    @classmethod
    def from_settings(cls, settings: MatchSettings) -> Self:
        """Build a matcher from settings that were checked already."""
        return cls(**{name: getattr(settings, name) for name in MatchSettings.model_fields})

    @classmethod
    def from_method(cls, method: PairMethod, *, guards: Guards | None = None, **settings: Any) -> Self:
        """Build a matcher around a method of your own.

        Args:
            method: scores pairs.
            guards: look at every pair that a score is from; no findings are reported unless given.
            settings: those of ``MatchSettings`` that no method has: ``empty`` and ``explain``.

        Raises:
            InputError: a method that explains nothing with ``explain``.
        """
        matcher = cls.__new__(cls)
        matcher.settings, matcher.guards, matcher.pair_method = MatchSettings(**settings), guards, method
        if matcher.settings.explain:
            check_explaining(method)
        return matcher

    @property
    def signature(self) -> Signature:
        """Signature of the settings; that of a result also has what was estimated from its references."""
        signature = with_read_languages(self.pair_method.signature)
        if self.guards is not None:
            signature = with_guards(signature, self.guards)
        return signature.extended(Signature.of("match", **self.settings.signed()))

    def match(self, predictions: object, references: object, *, progress: Progress | None = None) -> Matches:
        """Match each prediction with its reference, or with the best of its references.

        Args:
            predictions: shape (n,), a list or a series.
            references: shape (n,), each a text or a list of texts.
            progress: called while texts are embedded, and while guards look at pairs.

        Raises:
            InputError: lists of unequal length, or a corpus that is too small for the method.
        """
        matches = match_with(self.pair_method, predictions, references, guards=self.guards, progress=progress)
        return matches if self.settings.empty == "missing" else self._with_empty_as_wrong(matches, references)

    def with_method(self, method: PairMethod) -> "Matcher":
        """Return the matcher with another form of its method, such as one that has a corpus."""
        other = copy(self)
        other.pair_method = method
        return other

    def _with_empty_as_wrong(self, matches: Matches, references: object) -> Matches:
        """Score missing and empty predictions with 0 where there is a reference.

        Such a score is from no reference (-1) and no window (0), and has no components.
        """
        cells = as_list(references, "references")
        is_empty = (matches.status == Status.MISSING) | (matches.status == Status.EMPTY)
        wrong = [item for item in np.flatnonzero(is_empty) if usable_references(cells[item])]
        score, status = matches.score.copy(), matches.status.copy()
        score[wrong], status[wrong] = 0.0, Status.SCORED
        signature = matches.signature.extended(Signature.of("match", **self.settings.signed()))
        return replace(matches, score=score, status=status, signature=signature)


@takes(MatchSettings)
def match(
    predictions: object,
    references: object,
    method: str = MatchSettings.model_fields["method"].default,
    **settings: Any,
) -> Matches:
    """Match predictions with references, in one call.

    Args:
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts.
        method: one of ``semscale.matching.methods.METHODS``.
        settings: as ``MatchSettings`` has them.

    Returns:
        Matches in the order of the predictions.

    Raises:
        InputError: as ``Matcher`` and ``Matcher.match``.

    Example:
        >>> matches = match(["It is not safe.", None], ["It is safe.", "It is safe."])
        >>> [str(status) for status in matches.status], matches.findings[0][0].reason
        (['scored', 'missing'], 'The prediction says "not safe", the reference "safe".')
    """
    return Matcher(method, **settings).match(predictions, references)


def match_file(  # noqa: PLR0913 - what, how, where to, and who hears of it
    table: Table,
    columns: MatchColumns,
    matcher: Matcher,
    *,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> MatchSummary:
    """Match the predictions of a table with their references, write the matched table, and sum it up.

    A method that estimates word weights or levels from the file's references takes those of 50,000 rows,
    drawn by the seed; of a shorter file those of all rows. With ``explain`` the written table has
    ``semscale_tokens`` for all rows, and the summary those of its items.

    Args:
        table: the input.
        columns: names of the columns.
        matcher: matches.
        plan: how intervals are made, and the seed of all draws.
        out: as ``measure_table`` takes it, and so are the other parameters.
        settings: the parts.
        progress: called as rows are matched, and while texts are read.

    Raises:
        InputError: as ``measure_table``, or a corpus that is too small for the method.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
    """
    instrument = MatchTable(
        columns, matcher, plan or IntervalPlan(), explains_rows=out is not None, progress=progress
    )
    return measure_table(table, instrument, out=out, settings=settings, progress=progress)


class MatchTable(TableInstrument[Matches, MatchSummary]):
    """Matching as a run over a table uses it.

    Args:
        columns: names of the columns.
        matcher: matches.
        plan: how intervals are made, and the seed of all draws.
        explains_rows: whether the scores of all rows are explained, where the matcher explains.
        corpus: references for the method's estimates, where they are known already.
        progress: called while texts are read.
    """

    stage = "matching"
    result = Matches
    private = (_BEST_REFERENCE,)

    def __init__(
        self,
        columns: MatchColumns,
        matcher: Matcher,
        plan: IntervalPlan,
        *,
        explains_rows: bool = False,
        corpus: Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.columns: MatchColumns = columns
        self.corpus = corpus
        self._matcher, self._plan, self._progress = matcher, plan, progress
        self._explains = matcher.settings.explain
        self._explains_rows = explains_rows and self._explains
        self._sample = RowSample[list[str]](CORPUS_ROWS, plan.seed)
        self._tally: MatchTally | None = None
        if corpus is not None:
            self._estimate_from(corpus)

    @property
    def explains_rows(self) -> bool:
        """Whether the scores of all rows are explained."""
        return self._explains_rows

    def key(self) -> dict[str, str]:
        """Return the fields of the signature, and whether rows are explained."""
        return {
            "explain": "yes" if self._explains_rows else "no",
            **dict(self._matcher.signature.fields),
        }

    def look(self, cells: Cells) -> None:
        """Draw references, where the method makes estimates from them."""
        if self._needs_corpus:
            pairs = pair_up(cells["prediction"], cells["reference"])
            texts: dict[int, list[str]] = {}
            for row, reference in zip(pairs.item.tolist(), pairs.reference.tolist(), strict=True):
                texts.setdefault(cells.first_row + row, []).append(pairs.texts[reference])
            self._sample.add(texts.items())

    def start(self, table: Table) -> None:
        """Make the method's estimates from the references that were drawn."""
        self._table = table
        if self._needs_corpus:
            self.corpus = [text for references in self._sample.items for text in references]
            self._estimate_from(self.corpus)

    def measure(self, cells: Cells) -> Matches:
        """Match some rows."""
        return self._matcher.match(cells["prediction"], cells["reference"], progress=self._progress)

    def further_columns(self, cells: Cells, result: Matches) -> list[pl.Series]:
        """Return the reference that counted, and the tokens of all rows, where they are asked for."""
        best = [
            None if position < 0 else references[position]
            for position, references in zip(result.reference.tolist(), cells["reference"], strict=True)
        ]
        return [pl.Series(_BEST_REFERENCE, best, pl.String, strict=False), *self._tokens(cells, result)]

    def _tokens(self, cells: Cells, result: Matches) -> list[pl.Series]:
        if not self._explains_rows:
            return []
        if self._progress:
            self._progress("explaining", 0, None)
        blocks = []
        for start in range(0, len(result), _EXPLAINED_TOGETHER):
            rows = slice(start, start + _EXPLAINED_TOGETHER)
            some = result[rows]
            tokens = explain_items(
                self._matcher.pair_method,
                cells["prediction"][rows],
                cells["reference"][rows],
                some,
                range(len(some)),
            )
            structs = [tokens[row].to_struct() if row in tokens else None for row in range(len(some))]
            blocks.append(pl.Series(f"{PREFIX}tokens", structs, None if tokens else pl.Null))
        explained = [block.dtype for block in blocks if block.dtype != pl.Null]
        return [pl.concat([block.cast(explained[0]) for block in blocks])] if explained else []

    def add(self, cells: Cells, result: Matches, notes: Mapping[str, Any]) -> None:
        """Add a part to the summary."""
        if self._tally is None:
            self._tally = MatchTally(result, by=self.columns.by, seed=self._plan.seed)
        # Cells of mixed lists are stored as text, so a position in the list no longer names its reference.
        best = cells.rows[_BEST_REFERENCE].to_list()
        references = [
            listed if text is None else [text] for text, listed in zip(best, cells["reference"], strict=True)
        ]
        result = replace(result, reference=np.minimum(result.reference, 0))
        self._tally.add(result, cells["prediction"], references, cells.get("by"))

    def summary(self) -> MatchSummary:
        """Sum all parts up, and match predictions with the references of other rows."""
        if self._tally is None:
            raise InputError(f"{self._table.name} has no rows")
        rows, score = self._tally.sampled_scores
        drawn = drawn_items(score, self._plan.seed).tolist()
        cells = self._cells_of(rows[drawn])
        separation = separate(
            score,
            {position: cells[int(rows[position])][0] for position in drawn},
            {position: cells[int(rows[position])][1] for position in drawn},
            self._scores,
            seed=self._plan.seed,
        )
        return self._tally.summary(
            self._plan,
            self._table.name,
            columns=self.columns,
            separation=separation,
            tokens=self._tokens_of_shown(),
        )

    @property
    def _needs_corpus(self) -> bool:
        method = self._matcher.pair_method
        return self.corpus is None and isinstance(method, CorpusDependent) and not method.has_corpus

    def _estimate_from(self, corpus: Sequence[str]) -> None:
        method = self._matcher.pair_method
        if isinstance(method, CorpusDependent):
            self._matcher = self._matcher.with_method(method.over(corpus))

    def _scores(self, predictions: list[Any], references: list[Any]) -> Floats:
        return match_with(self._matcher.pair_method, predictions, references).score

    def _tokens_of_shown(self) -> dict[int, pl.DataFrame] | None:
        if not self._explains or self._tally is None:
            return None
        method, items = self._matcher.pair_method, self._tally.shown
        if not isinstance(method, Explains) or not items:
            return {}
        pairs = pair_up([item.prediction for item in items], [item.reference for item in items])
        tokens = method.explain(pairs, range(len(items)))
        return {item.row: table for item, table in zip(items, tokens, strict=True)}

    def _cells_of(self, rows: Integers) -> dict[int, tuple[Any, list[Any]]]:
        """Read some rows once more: the prediction of each, and its references."""
        read: dict[int, tuple[Any, list[Any]]] = {}
        for batch, positions in picked_rows(self._table, np.sort(rows), self.columns.titles):
            cells = self.columns.read(batch)
            both = zip(cells["prediction"], cells["reference"], strict=True)
            read |= zip(positions.tolist(), both, strict=True)
        return read


def match_with(
    method: PairMethod,
    predictions: object,
    references: object,
    *,
    guards: Guards | None = None,
    progress: Progress | None = None,
    keep_unread: bool = False,
) -> Matches:
    """Match predictions with references by a method object.

    Args:
        method: scores pairs.
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts.
        guards: look at every pair that a score is from; no findings are reported unless given.
        progress: called while texts are embedded, and while guards look at pairs.
        keep_unread: whether texts that the model cannot read, or whose language it does not read, are scored
            all the same.

    Raises:
        InputError: as ``Matcher.match``.
    """
    pairs = pair_up(predictions, references)
    scored = method.score(pairs, progress)
    foreign = np.zeros(len(pairs.item), np.bool_)
    if not keep_unread:
        foreign = in_other_language(pairs, scored.signature)
        scored = _without_unread(scored, foreign)
    best = best_pairs(scored.score, pairs.item)
    status = pairs.status.copy()
    unscored = np.isnan(scored.score[best])
    without = pairs.item[best[unscored]]
    status[without] = Status.WEIGHTLESS
    status[np.intersect1d(without, pairs.item[foreign])] = Status.OTHER_LANGUAGE
    best = best[~unscored]
    owners = pairs.item[best]

    def spread(values: Floats) -> Floats:
        """Give each item the value of its best pair."""
        spread_out: Floats = np.full(pairs.n_items, np.nan)
        spread_out[owners] = values[best]
        return spread_out

    reference, windows = np.full(pairs.n_items, -1), np.zeros(pairs.n_items, np.int64)
    reference[owners], windows[owners] = pairs.place[best], scored.windows[best]
    looked = None if guards is None else find_in_pairs(pairs, best, guards, progress)
    signature = scored.signature if keep_unread else with_read_languages(scored.signature)
    return Matches(
        score=spread(scored.score),
        status=status,
        reference=reference,
        windows=windows,
        signature=signature if guards is None else with_guards(signature, guards),
        components={name: spread(values) for name, values in scored.components.items()},
        findings=() if looked is None else looked.found,
        guarded=None if looked is None else looked.guarded,
        bounds=scored.bounds,
        weighs_findings=scored.weighs_findings,
    )


def _without_unread(scored: ScoredPairs, foreign: Mask) -> ScoredPairs:
    """Take the scores from pairs with a text that the model does not read.

    Args:
        scored: p pairs.
        foreign: shape (p,), which pairs have a text in a language that it does not read.
    """
    unread = foreign if scored.unread is None else foreign | scored.unread
    return replace(scored, score=np.where(unread, np.nan, scored.score))


def explain_items(
    method: PairMethod, predictions: object, references: object, matches: Matches, items: Sequence[int]
) -> dict[int, pl.DataFrame]:
    """Explain the scores of items token by token.

    Args:
        method: the method that scored them.
        predictions: shape (n,), as they were matched.
        references: shape (n,), likewise.
        matches: their matches, which name the reference of each score.
        items: numbers of the items to explain, from 0; those without a score are left out.

    Returns:
        For each item a table as ``semscale.matching.methods.Explains`` describes it; empty if the method
        compares no tokens.
    """
    if not isinstance(method, Explains):
        return {}
    pairs = pair_up(predictions, references)
    rows = {pair: row for row, pair in enumerate(zip(pairs.item, pairs.place, strict=True))}
    scored = [item for item in items if matches.reference[item] >= 0]
    explained = method.explain(pairs, [rows[item, matches.reference[item]] for item in scored])
    return dict(zip(scored, explained, strict=True))
