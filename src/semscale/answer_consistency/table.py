"""Runs of consistency over tables, in parts, with answers from the table or from a model."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.answer_consistency.asking import (
    AskedModel,
    Replies,
    ReplyCounts,
    prompt_status,
)
from semscale.answer_consistency.consistencies import AnswerTexts, Consistencies, ConsistencyTally
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    FewestLabels,
    LabelCounts,
    TooFewLabels,
    correctness_frame,
    estimate_correctness,
    rows_with_value,
)
from semscale.answer_consistency.measures import check_sample_tokens
from semscale.answer_consistency.pairs import Floor
from semscale.answer_consistency.samples import pair_samples
from semscale.answer_consistency.settings import (
    AnswerColumns,
    AskedColumns,
    CorrectnessSettings,
    sample_texts,
)
from semscale.answer_consistency.summary import ConsistencySummary
from semscale.answer_consistency.tokens import AnswerTokens, read_sample_tokens, read_tokens
from semscale.chat.declining import gives_no_answer
from semscale.chat.runner import run_to_end
from semscale.embedding.cache import KEPT_EMBEDDINGS, CachedEmbedder
from semscale.errors import InputError
from semscale.results.instrument import TableInstrument
from semscale.results.table_columns import Cells
from semscale.results.table_runs import PartSettings, inspect_rows, measure_table
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.columns import column_in, storable
from semscale.store.evaluation_logs import log_variants
from semscale.store.places import Target
from semscale.store.table import Table, pick_rows
from semscale.store.writing import PREFIX, check_free
from semscale.types import Integers, Mask, Progress, Status

SAMPLES, TOKENS = "*samples", "*sample_logprobs"
"""Columns of a table of items: the samples of each, and the log-probabilities of their tokens."""

_NO_ITEM = 1  # another seed, so that a row without an item is an item by itself

FLOOR_ITEMS = 50_000
"""Number of items from which the floor is estimated."""

ANSWER, SAMPLES_ASKED, REASONING = f"{PREFIX}answer", f"{PREFIX}samples_asked", f"{PREFIX}reasoning"
"""Columns of replies; the reasoning is that of the answer, then of each sample."""
REPLIES_STAY = "received replies stay in the ledger"

_TEXTS = f"{PREFIX}sample_texts"  # samples of each item, which the stored cells may no longer have as lists
_SIDES = {True: "above", False: "below", None: None}


def measure_consistency(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: AnswerColumns | AskedColumns,
    instrument: Consistency,
    *,
    model: AskedModel | None = None,
    correctness: CorrectnessSettings | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> ConsistencySummary:
    """Measure the answers of a table or of a model, write the measured table, and summarize it.

    The written table has a row for each item with the input's columns, then those of
    ``Consistencies.to_frame`` with the prefix ``semscale_``; with labels ``semscale_probability_correct`` and
    ``semscale_decision``, and if a model is asked, ``semscale_answer``, ``semscale_samples_asked`` and
    ``semscale_settled``.

    All cells are checked before any model is asked and any text is embedded. An estimated floor comes from
    the answers of 50,000 random items, or of all items if there are fewer. If a model is asked, these answers
    are requested first. Replies are stored in the runner's ledger.

    Args:
        table: the input.
        columns: columns of answers, or of questions if a model is asked.
        instrument: measures.
        model: chat model for answers and samples, if any; it needs a ledger, so that stored
            replies are not requested again.
        correctness: how P(correct) is made of labels.
        plan: settings of the intervals, and the seed of all draws.
        out: as for ``measure_table``.
        settings: settings of the parts; their size is in items.
        progress: called as items are measured, while texts are embedded and replies come.

    Returns:
        Numbers of all items, and the items to check; texts of other items are not kept in memory.

    Raises:
        InputError: as ``measure_table``, columns that no measure uses, invalid labels, or too few labels.
        StoppedByUserError: stopped by the user; finished parts are stored.
        ModelError: the model cannot be run; finished parts are stored.
        ReplyError: no call can succeed; finished parts are stored.
    """
    settings = settings or PartSettings()
    if isinstance(columns, AnswerColumns):
        columns.check(table)
        if columns.sample_logprobs:
            check_sample_tokens(instrument.measures)
    source = AnswerSource(
        table,
        columns,
        model=model,
        part_rows=settings.part_rows,
        with_tokens="sample_logprobs" in instrument.needs,
        progress=progress,
    )
    work = ConsistencyTable(source, instrument, plan or IntervalPlan(), correctness or CorrectnessSettings())
    return measure_table(source.table, work, out=out, settings=settings, progress=progress)


class AnswerSource:
    """Answers and samples of a table: from its columns, from the rows of items, or from a model in parts.

    Args:
        table: the input.
        columns: columns of answers, or of questions if a model is asked.
        model: chat model, if any; the budget of its runner holds for all parts.
        part_rows: number of items of a part; without it, each part estimates its floor.
        with_tokens: whether log-probabilities are read in the rows of samples, too.
        progress: called while texts are embedded and replies come.

    Attributes:
        table: a table with a row for each item.
        columns: columns of this table.
        named: use and name of each column of the input, for the summary.
        items: rows of each item, if the input has rows of items.
        replies: replies of the last measured part.
        counts_of_part: counts of the replies of the last part, whether measured or read back.
        counts: counts of the replies of all added parts.
        stopped: reason to send no more requests, or ``None``.
    """

    replies: Replies
    counts_of_part: ReplyCounts

    def __init__(
        self,
        table: Table,
        columns: AnswerColumns | AskedColumns,
        *,
        model: AskedModel | None = None,
        part_rows: int = 0,
        with_tokens: bool = False,
        progress: Progress | None = None,
    ) -> None:
        self.named, self.items = tuple(columns.field_columns()), None
        self.table, self.columns = table, columns
        if isinstance(columns, AnswerColumns) and columns.item is not None:
            columns.check(table)
            self.items = ItemTable(table, columns, part_rows, with_tokens=with_tokens)
            self.table, self.columns = self.items.table, self.items.columns
        self.model, self.part_rows, self.progress = model, part_rows, progress
        self.counts: ReplyCounts | None = None
        self.stopped: str | None = None

    @property
    def stored(self) -> str:
        """Clause on replies that a stopped run has in a ledger; empty without one."""
        return REPLIES_STAY if self.model is not None and self.model.runner.keeps_replies else ""

    def key(self, signature: Signature) -> dict[str, str]:
        """Return the settings that determine the content of a part, for a run with a signature."""
        item = {name: title for name, title in self.named if name == "item"}
        return {**item, **dict(signature.fields)}

    def is_in_parts(self, most: int) -> bool:
        """Return whether a separate estimate is needed: for several parts, or more than ``most`` items."""
        return (self.table.n_rows or 0) > min(self.part_rows, most)

    def first_answers(self, model: AskedModel, prompts: Sequence[str]) -> list[str]:
        """Request answers without samples, for estimates."""
        answers, self.stopped = run_to_end(model.first_answers(prompts, self.progress))
        return answers

    def note(self, replies: Replies) -> None:
        """Store the replies of a part."""
        self.replies = replies
        self.counts_of_part = replies.counts
        self.stopped = replies.counts.stopped or self.stopped

    @property
    def is_finished(self) -> bool:
        """Return whether no cap stopped the last part."""
        return self.stopped is None

    @property
    def has_failed_calls(self) -> bool:
        """Return whether calls of the last part failed that may succeed later."""
        return self.model is not None and bool(self.stored) and self.replies.has_failed_calls

    @property
    def notes(self) -> dict[str, Any]:
        """Counts of the part's replies; empty without a model."""
        return {} if self.model is None else {"replies": asdict(self.replies.counts)}

    @property
    def reply_columns(self) -> list[pl.Series]:
        """Answers and samples of the last part, and their reasoning if there is any."""
        columns = [
            pl.Series(ANSWER, self.replies.answers, pl.String),
            pl.Series(SAMPLES_ASKED, self.replies.samples, pl.List(pl.String)),
        ]
        if any(text for texts in self.replies.reasoning for text in texts):
            columns.append(pl.Series(REASONING, self.replies.reasoning, pl.List(pl.String)))
        return columns

    def read_counts(self, notes: Mapping[str, Any]) -> None:
        """Read the counts of a part's replies back, if a model was asked."""
        if self.model is not None:
            self.counts_of_part = ReplyCounts(**notes["replies"])

    def add_counts(self) -> None:
        """Add the counts of the last part's replies, if a model was asked."""
        if self.model is not None:
            self.counts = (self.counts or ReplyCounts()).plus(self.counts_of_part)

    def answers(self, cells: Cells) -> list[Any]:
        """Return the answers of a measured part."""
        return cells["answer"] if self.model is None else cells.rows[ANSWER].to_list()


class ConsistencyTable(TableInstrument[Consistencies, ConsistencySummary]):
    """Consistency in a run over a table.

    Args:
        source: source of answers and samples.
        instrument: measures.
        plan: settings of the intervals.
        correctness: how P(correct) is made of labels.
    """

    stage = "measuring"
    result = Consistencies
    private = (_TEXTS, SAMPLES, TOKENS)

    def __init__(
        self,
        source: AnswerSource,
        instrument: Consistency,
        plan: IntervalPlan,
        correctness: CorrectnessSettings | None = None,
    ) -> None:
        self.columns: AnswerColumns | AskedColumns = source.columns.with_preparation(instrument.settings)
        self._source, self._instrument, self._plan = source, instrument, plan
        self._correctness_settings = correctness or CorrectnessSettings()
        self._ensemble = self._correctness_settings.ensemble
        items = source.items
        self._eligible = None if items is None else items.rows.eligible(instrument.settings.fewest_samples)
        self._needs_floor = "floor" in instrument.needs and isinstance(instrument.settings.floor, str)
        self._sample = RowSample[str](FLOOR_ITEMS, instrument.settings.seed)
        self._labels = LabelCounts(0, 0)
        self._floor: Floor | None = None
        self._tally: ConsistencyTally | None = None
        self._signature = instrument.signature
        self._correctness: CorrectnessProbability | None = None

    @property
    def stored(self) -> str:
        """Clause on stored replies or embeddings."""
        if self._source.stored:
            return self._source.stored
        cached = "cosine" in self._instrument.needs and isinstance(self._instrument.embedder, CachedEmbedder)
        return KEPT_EMBEDDINGS if cached else ""

    def key(self) -> dict[str, str]:
        """Return the fields of the signature."""
        signature, model = self._instrument.signature, self._source.model
        return self._source.key(signature if model is None else signature.plus(model.sampling.signature))

    def inspect(self, cells: Cells) -> None:
        """Check log-probabilities, count labels, and draw the items for the floor."""
        if self._source.model is None:
            _read_answer_tokens(cells)
        if "label" in cells.values:
            self._labels = self._labels.plus(LabelCounts.count(cells["label"]))
        if self._needs_floor:
            texts = self._floor_texts(cells)
            self._sample.add((cells.first_row + item, text) for item, text in texts)

    def _floor_texts(self, cells: Cells) -> list[tuple[int, str]]:
        """List the answers for the floor, or the prompts to request them, by row."""
        if self._source.model is not None:
            prompts = enumerate(questions(cells))
            return [(item, text) for item, text in prompts if prompt_status(text) is Status.SCORED]
        if self._eligible is not None:
            answers = ((item, str(cell)) for item, cell in enumerate(cells["answer"]))
            return [
                (item, answer)
                for item, answer in answers
                if self._eligible[cells.first_row + item] and answer and not gives_no_answer(answer)
            ]
        fewest = self._instrument.settings.fewest_samples
        pairs = pair_samples(cells["answer"], sample_texts(cells), fewest=fewest).pairs
        answer_of = dict(zip(pairs.item.tolist(), pairs.prediction.tolist(), strict=True))
        return [(item, pairs.texts[text]) for item, text in answer_of.items()]

    def start(self, table: Table) -> None:
        """Check that there are enough labels for tuned weights, or before a model is asked."""
        self._source.table = table
        needed = FewestLabels.for_ensemble(self._ensemble)
        must = self._source.model is not None or needed.of_each > 0
        if self.columns.label is not None and must and not needed.are_met(self._labels):
            raise InputError(
                "label",
                f": column '{self.columns.label}' must label at least {needed.total} answers"
                f"{needed.kinds}, got {self._labels}{needed.remedy}",
            )

    def measure(self, cells: Cells) -> Consistencies:
        """Measure some items, after requesting answers and samples if a model is asked."""
        source, instrument, floor = self._source, self._instrument, self._table_floor()
        if source.model is None:
            tokens = _read_answer_tokens(cells)
            return instrument.measure_part(
                cells["answer"],
                sample_texts(cells),
                floor,
                source.progress,
                tokens=tokens.without_reasoning() if instrument.settings.reasoning == "remove" else tokens,
            )
        asked = run_to_end(
            instrument.ask_part(
                questions(cells), source.model, floor=floor, stopped=source.stopped, progress=source.progress
            )
        )
        source.note(asked.replies)
        return asked.consistencies

    def _table_floor(self) -> Floor | None:
        """Return the floor of all items, estimated before the first part is measured.

        ``None`` for a single part, so that a cap leaves complete prompts instead of answers without samples.
        """
        source = self._source
        if self._floor is None and (source.model is None or source.is_in_parts(FLOOR_ITEMS)):
            answers = list(self._sample.items)
            if source.model is not None and answers:
                answers = source.first_answers(source.model, answers)
            self._floor = self._instrument.choose_floor(answers, source.progress)
        return self._floor

    def is_finished(self, result: Consistencies) -> bool:
        """Return whether no cap stopped the requests."""
        return self._source.is_finished

    def has_failed_calls(self, result: Consistencies) -> bool:
        """Return whether calls failed that may succeed later."""
        return self._source.has_failed_calls

    def notes(self, result: Consistencies) -> dict[str, Any]:
        """Return the counts of replies."""
        return self._source.notes

    def further_columns(self, cells: Cells, result: Consistencies) -> list[pl.Series]:
        """Return the samples of items, and the answers and settled sides of replies."""
        if self._source.model is not None:
            sides = [_SIDES[side] for side in self._source.replies.sides]
            return [*self._source.reply_columns, pl.Series(f"{PREFIX}settled", sides, pl.String)]
        texts = [[None if cell is None else str(cell) for cell in row] for row in sample_texts(cells)]
        return [pl.Series(_TEXTS, texts, pl.List(pl.String))]

    def read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> Consistencies:
        """Read the result and the counts of replies of a part back."""
        self._source.read_counts(notes)
        return super().read(frame, notes)

    def add(self, cells: Cells, result: Consistencies) -> None:
        """Add a part, and use its floor for the next ones."""
        self._floor, self._signature = Floor(result.floor or 0.0, result.floor_from), result.signature
        self._source.add_counts()
        if self._tally is None:
            # P(correct) of one measure needs that of all items, an ensemble all measures.
            stored = 0 if self.columns.label is None else 1 if self._ensemble == "none" else None
            self._tally = ConsistencyTally(
                result, by=self.columns.grouping, seed=self._plan.seed, stored=stored
            )
        texts = AnswerTexts(
            cells.get("prompt") or [None] * len(result),
            self._source.answers(cells),
            cells.rows[_TEXTS if self._source.model is None else SAMPLES_ASKED].to_list(),
        )
        self._tally.add(result, texts, groups=cells.get("by"), labels=cells.get("label"))

    def summary(self) -> ConsistencySummary:
        """Summarize all parts, and estimate P(correct) if there are labels."""
        tally = self._tally
        if tally is None:
            raise InputError(f"{self._source.table.name} has no rows")
        labels, too_few = tally.labels, None
        replies = self._source.counts
        # Of a run that a cap stopped the first items are there, and labels among these are no random sample.
        is_whole = replies is None or not (replies.stopped or replies.all_failed)
        if labels is not None and is_whole:
            needed = FewestLabels.for_ensemble(self._ensemble)
            counts = LabelCounts.count(labels[rows_with_value(tally.measures, self._ensemble)])
            if needed.are_met(counts):
                self._correctness = estimate_correctness(
                    tally.measures, labels, labelled=tally.labelled, **dict(self._correctness_settings)
                )
            else:
                too_few = TooFewLabels(counts, needed)
        return tally.summary(
            self._plan,
            self._source.table.file_name,
            signature=(replies or ReplyCounts()).update_signature(self._signature),
            columns=self._source.named,
            correctness=self._correctness,
            replies=replies,
            too_few_labels=too_few,
        )

    def final_columns(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return P(correct) and decisions, which depend on the labels of the whole table."""
        if self._correctness is None:
            return None
        return correctness_frame(self._correctness, start, stop).rename(lambda name: PREFIX + name)


def questions(cells: Cells) -> list[Any]:
    """Return the questions of some rows, with numbers as texts."""
    return [str(cell) if isinstance(cell, int | float) else cell for cell in cells["prompt"]]


def _read_answer_tokens(cells: Cells) -> AnswerTokens:
    """Read the log-probabilities of tokens and the questions that the table has."""
    n, first = cells.rows.height, cells.first_row
    prompts, logprobs = cells.get("prompt"), cells.get("logprobs")
    answers = None if logprobs is None else read_tokens(logprobs, n, first=first)
    samples = None
    if cells.get("sample_logprobs") is not None:
        samples = []
        rows = zip(cells["sample"], cells["sample_logprobs"], strict=True)
        for row, (columns, tokens) in enumerate(rows, first):
            read = [
                # A single sample has its own list, a list of samples a list of theirs.
                read_sample_tokens([cell], [len(sample.texts)], first=row)[0]
                if sample.is_list
                else read_tokens([cell], 1, first=row, parameter="sample_logprobs")
                for sample, cell in zip(columns, tokens, strict=True)
            ]
            samples.append(list(chain.from_iterable(read)))
    questions = None if prompts is None else [str(cell or "") for cell in prompts]
    return AnswerTokens(answers, samples, None, questions)


class ItemRows:
    """Rows of each item: the first has the answer, each other row a sample.

    Items are identified by 64-bit hashes instead of names. They are numbered from 0 in order of their first
    rows; a row without an item is a separate item.

    Examples:
        >>> rows = ItemRows()
        >>> rows.add(["a", "b", None], ["yes", "no", "no"])
        >>> rows.add(["a", None], ["Yes", " "])
        >>> rows.finish()
        >>> rows.n, rows.between(0, 2), rows.eligible(1).tolist()
        (4, [[0, 3], [1]], [True, False, False, False])
    """

    def __init__(self) -> None:
        self.n = 0
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._usable: list[Mask] = []
        self._n_rows = 0

    def add(self, items: Sequence[object], answers: Sequence[object]) -> None:
        """Add the next rows: the item of each, and its answer or sample."""
        names = pl.Series([None if item is None else str(item) for item in items], dtype=pl.String)
        rows = pl.Series(range(self._n_rows, self._n_rows + len(names)), dtype=pl.UInt64)
        keys = names.hash(seed=0).zip_with(names.is_not_null(), rows.hash(seed=_NO_ITEM))
        self._keys.append(keys.to_numpy())
        usable = [isinstance(cell, str) and bool(cell.strip()) for cell in answers]
        self._usable.append(np.array(usable, dtype=bool))
        self._n_rows += len(names)

    def finish(self) -> None:
        """Number the items after all rows are added."""
        _, first, number = np.unique(np.concatenate(self._keys), return_index=True, return_inverse=True)
        self._keys = []
        by_first = np.argsort(first, kind="stable")
        positions = np.empty(len(first), np.int64)
        positions[by_first] = np.arange(len(first))
        small = np.int32 if self._n_rows <= np.iinfo(np.int32).max else np.int64
        self._number: Integers = positions[number].astype(small)
        self.first: Integers = first[by_first].astype(small)
        self._order: Integers = np.argsort(self._number, kind="stable").astype(small)
        self._starts: Integers = np.searchsorted(self._number[self._order], np.arange(len(first) + 1))
        self.n = len(first)

    def between(self, start: int, stop: int) -> list[list[int]]:
        """List the rows of each item from ``start`` up to, not including, ``stop``."""
        bounds = self._starts[start : min(stop, self.n) + 1].tolist()
        return [self._order[low:high].tolist() for low, high in zip(bounds[:-1], bounds[1:], strict=True)]

    def are_first(self, first_row: int, n: int) -> Mask:
        """Return which of n rows are the first of an item."""
        rows = np.arange(first_row, first_row + n)
        return np.asarray(self.first[self._number[rows]] == rows, dtype=bool)

    def eligible(self, fewest: int) -> Mask:
        """Return which items have an answer and enough samples, shape (items,)."""
        usable = np.concatenate(self._usable)
        counts = np.bincount(self._number[usable], minlength=self.n)
        return np.asarray(usable[self.first] & (counts - 1 >= fewest), dtype=bool)


class ItemTable:
    """A table with several rows per item, read as a table with one row per item.

    In an evaluation log, outputs to several prompts, of several models or runs, are of several items.

    Args:
        table: table with several rows per item.
        columns: its columns, with an ``item``.
        size: number of rows to read at once for the index of items.
        with_tokens: whether log-probabilities are read in the rows of samples, too.

    Attributes:
        table: table of items: the first row of each, with its samples in a further column. Its
            ``read_columns`` reads the rows once, with empty samples.
        columns: columns of the table of items.
        rows: the rows of each item.
    """

    def __init__(self, table: Table, columns: AnswerColumns, size: int, *, with_tokens: bool = False) -> None:
        self._base, self._answer, self.rows = table, columns.answer, ItemRows()
        self._cells_in = columns.cells_in
        self._logprobs = columns.logprobs if with_tokens else None
        item, variants = str(columns.item), log_variants(table)

        def index(batch: pl.DataFrame, _: int) -> None:
            items, *further = (column_in(batch, title).to_list() for title in (item, *variants))
            if variants:
                rows = zip(items, *further, strict=True)
                items = [None if row[0] is None else json.dumps(row) for row in rows]
            self.rows.add(items, columns.cells_in(batch, columns.answer).to_list())

        inspect_rows(table, {item, columns.answer, *variants}, size, index)
        self.rows.finish()
        further = (SAMPLES,) if self._logprobs is None else (SAMPLES, TOKENS)
        self.columns = columns.with_values(item=None, sample=(SAMPLES,), sample_logprobs=further[1:])
        self.table = replace(
            table,
            columns=(*table.columns, *further),
            read=self._read,
            read_columns=self._heads,
            n_rows=self.rows.n,
            row_in_whole=self._row_of_file,
        )

    def sample_texts(self, size: int) -> Iterator[tuple[int, object]]:
        """Yield the rows of samples, with their texts."""
        row = 0
        for batch in self._base.batches_with({self._answer}, size):
            is_first = self.rows.are_first(row, batch.height)
            for number in np.flatnonzero(~is_first).tolist():
                yield row + number, self._cells_in(batch, self._answer)[number]
            row += batch.height

    def _row_of_file(self, item: int) -> int:
        row, before = int(self.rows.first[item]), self._base.row_in_whole
        return row if before is None else before(row)

    def _heads(self, size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        """Read the first row of each item, without samples."""
        row = 0
        for batch in self._base.batches_with({*titles} - {SAMPLES, TOKENS}, size):
            heads = batch.filter(pl.Series(self.rows.are_first(row, batch.height)))
            row += batch.height
            if heads.height:
                empty: list[list[Any]] = [[] for _ in range(heads.height)]
                yield heads.with_columns(self._sample_columns(empty, empty))

    def _read(self, size: int, skip: int) -> Iterator[pl.DataFrame]:
        """Read items in their order; rows between those of an item may be read more than once."""
        for start in range(skip, self.rows.n, size):
            rows = self.rows.between(start, start + size)
            wanted = np.sort(np.concatenate([np.array(numbers, np.int64) for numbers in rows]))
            heads = [numbers[0] for numbers in rows]
            frames, texts, tokens = [], dict[int, Any](), dict[int, Any]()
            for batch, numbers in pick_rows(self._base, wanted):
                check_free(batch.columns, self._base.name)
                texts |= zip(numbers.tolist(), self._cells_in(batch, self._answer).to_list(), strict=True)
                if self._logprobs is not None:
                    cells = column_in(batch, self._logprobs).to_list()
                    tokens |= zip(numbers.tolist(), cells, strict=True)
                frames.append(storable(batch.filter(pl.Series(np.isin(numbers, heads)))))
            samples = [[texts[row] for row in numbers[1:]] for numbers in rows]
            listed = [[tokens.get(row) for row in numbers[1:]] for numbers in rows]
            yield pl.concat(frames, how="diagonal_relaxed").with_columns(
                self._sample_columns(samples, listed)
            )

    def _sample_columns(self, samples: list[list[Any]], tokens: list[list[Any]]) -> list[pl.Series]:
        texts = [[cell if isinstance(cell, str) else None for cell in cells] for cells in samples]
        columns = [pl.Series(SAMPLES, texts, pl.List(pl.String))]
        return columns if self._logprobs is None else [*columns, pl.Series(TOKENS, tokens, pl.Object)]
