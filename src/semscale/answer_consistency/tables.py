"""Runs of consistency over tables: answers of the table, or asked for first, measured part by part."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any

import polars as pl

from semscale.answer_consistency.asking import (
    AskedModel,
    Replies,
    ReplyCounts,
    prompt_status,
    without_parameters,
)
from semscale.answer_consistency.columns import AnswerColumns, AskedColumns, sample_texts
from semscale.answer_consistency.consistencies import Consistencies
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
from semscale.answer_consistency.item_tables import SAMPLES, TOKENS, ItemTable
from semscale.answer_consistency.measures import check_sample_tokens
from semscale.answer_consistency.p_true import with_p_true_forms
from semscale.answer_consistency.pairs import Floor
from semscale.answer_consistency.samples import pair_samples
from semscale.answer_consistency.settings import CorrectnessSettings
from semscale.answer_consistency.summary import AnswerTexts, ConsistencySummary, ConsistencyTally
from semscale.answer_consistency.tokens import AnswerTokens, read_sample_tokens, read_tokens
from semscale.chat.declining import gives_no_answer
from semscale.chat.runner import run_apart
from semscale.embedding.cache.cached_embedder import KEPT_EMBEDDINGS, CachedEmbedder
from semscale.errors import InputError
from semscale.results.runs import PartState, TableInstrument, measure_table
from semscale.results.table_columns import Cells
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.places.output_places import Target
from semscale.store.runs.table_run import PartSettings
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress, Status

FLOOR_ITEMS = 50_000
"""Items from whose answers the floor is estimated."""

ANSWER, SAMPLES_ASKED = f"{PREFIX}answer", f"{PREFIX}samples_asked"
"""Columns of replies."""
REPLIES_STAY = "replies that came stay in the ledger"

_TEXTS = f"{PREFIX}sample_texts"  # samples of each item, which the stored cells may no longer have as lists
_SIDES = {True: "above", False: "below", None: None}


def consistency_file(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: AnswerColumns | AskedColumns,
    *,
    instrument: Consistency,
    model: AskedModel | None = None,
    correctness: CorrectnessSettings | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> ConsistencySummary:
    """Measure the answers of a table, or ask for them first, write the measured table, and sum it up.

    The written table has a row for each item with the input's columns, then those of
    ``Consistencies.to_frame`` with the prefix ``semscale_``; with labels ``semscale_probability_correct`` and
    ``semscale_decision``, and where a model is asked ``semscale_answer``, ``semscale_samples_asked`` and
    ``semscale_settled``.

    All cells are checked before any model is asked and any text is embedded. A floor that is estimated is
    that of the answers to 50,000 items, drawn by the seed; of all items where there are no more. Where a
    model is asked, these answers are asked for first. Replies are stored in the runner's ledger.

    Args:
        table: the input.
        columns: those of answers, or of questions where a model is asked.
        instrument: measures.
        model: the model that is asked for answers and samples, if any; it needs a ledger, so that no paid
            call is repeated.
        correctness: how P(correct) is made of labels.
        plan: how intervals are made, and the seed of all draws.
        out: as for ``measure_table``.
        settings: the parts; their size is that in items.
        progress: called as items are measured, while texts are embedded and replies come.

    Returns:
        Numbers of all items, and the items to look at; texts of other items are not held in memory.

    Raises:
        InputError: as ``measure_table``, columns that no measure uses, or a label that is neither right nor
            wrong or too few of these.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
        ReplyError: no call can succeed; finished parts are kept.
    """
    settings, items = settings or PartSettings(), None
    if isinstance(columns, AnswerColumns):
        columns.check(table)
        if columns.sample_logprobs:
            check_sample_tokens(instrument.measures)
        if columns.item is not None:
            with_tokens = "sample_logprobs" in instrument.needs
            items = ItemTable(table, columns, settings.part_rows, with_tokens=with_tokens)
            table = items.table
    work = ConsistencyTable(
        columns if items is None else items.columns,
        instrument,
        plan or IntervalPlan(),
        named=columns.named(),
        items=items,
        model=model,
        correctness=correctness or CorrectnessSettings(),
        part_rows=settings.part_rows,
        progress=progress,
    )
    return measure_table(table, work, out=out, settings=settings, progress=progress)


class ConsistencyTable(TableInstrument[Consistencies, ConsistencySummary]):
    """Consistency as a run over a table uses it.

    Args:
        columns: of the table.
        instrument: measures.
        plan: how intervals are made.
        named: uses and names of the columns, for the summary; those of ``columns`` unless given.
        items: the rows of each item, where the table is one of items.
        model: the model that is asked; ``None`` where the table has answers and samples.
        correctness: how P(correct) is made of labels.
        part_rows: items of a part; without it each part estimates its own floor.
        progress: called while texts are embedded and replies come.
    """

    stage = "measuring"
    result = Consistencies
    private = (_TEXTS, SAMPLES, TOKENS)

    def __init__(  # noqa: PLR0913 - settings of a run
        self,
        columns: AnswerColumns | AskedColumns,
        instrument: Consistency,
        plan: IntervalPlan,
        *,
        named: list[tuple[str, str]] | None = None,
        items: ItemTable | None = None,
        model: AskedModel | None = None,
        correctness: CorrectnessSettings | None = None,
        part_rows: int = 0,
        progress: Progress | None = None,
    ) -> None:
        self.columns: AnswerColumns | AskedColumns = columns
        self._named = columns.named() if named is None else named
        self._instrument, self._plan, self._progress = instrument, plan, progress
        self._asking = None if model is None else AskedParts(model, progress)
        self._correctness_settings = correctness or CorrectnessSettings()
        self._ensemble = self._correctness_settings.ensemble
        self._part_rows = part_rows
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
        """Clause on replies or embeddings that are stored."""
        if self._asking is not None and self._asking.keeps_replies:
            return REPLIES_STAY
        cached = "cosine" in self._instrument.needs and isinstance(self._instrument.embedder, CachedEmbedder)
        return KEPT_EMBEDDINGS if cached else ""

    def key(self) -> dict[str, str]:
        """Return the fields of the signature."""
        signature = self._instrument.signature
        if self._asking is not None:
            signature = signature.extended(self._asking.model.sampling.signature)
        item = {name: title for name, title in self._named if name == "item"}
        return {**item, **dict(signature.fields)}

    def look(self, cells: Cells) -> None:
        """Check log-probabilities, count labels, and draw the items that the floor is estimated from."""
        if self._asking is None:
            _read_answer_tokens(cells)
        if "label" in cells.values:
            self._labels = self._labels.added(LabelCounts.count(cells["label"]))
        if self._needs_floor:
            texts = self._floor_texts(cells)
            self._sample.add((cells.first_row + item, text) for item, text in texts)

    def _floor_texts(self, cells: Cells) -> list[tuple[int, str]]:
        """List the answers that count for the floor, or the prompts whose answers will, by their rows."""
        if self._asking is not None:
            prompts = enumerate(questions(cells))
            return [(item, text) for item, text in prompts if prompt_status(text) is Status.SCORED]
        if self._eligible is not None:
            answers = ((item, str(cell)) for item, cell in enumerate(cells["answer"]))
            return [
                (item, answer)
                for item, answer in answers
                if self._eligible[cells.first_row + item] and not gives_no_answer(answer)
            ]
        fewest = self._instrument.settings.fewest_samples
        pairs = pair_samples(cells["answer"], sample_texts(cells), fewest=fewest).pairs
        answer_of = dict(zip(pairs.item.tolist(), pairs.prediction.tolist(), strict=True))
        return [(item, pairs.texts[text]) for item, text in answer_of.items()]

    def start(self, table: Table) -> None:
        """Refuse too few labels for a model that is to be asked, or for tuned weights."""
        self._table = table
        needed = FewestLabels.for_ensemble(self._ensemble)
        must = self._asking is not None or needed.of_each > 0
        if self.columns.label is not None and must and not needed.are_met(self._labels):
            raise InputError(
                f"label: column '{self.columns.label}' must label at least {needed.total} answers"
                f"{needed.kinds}, got {self._labels}{needed.remedy}"
            )

    def measure(self, cells: Cells) -> Consistencies:
        """Measure some items, or ask for their answers and samples first."""
        floor, asking = self._known_floor(), self._asking
        if asking is None:
            return self._instrument.measure_part(
                cells["answer"], sample_texts(cells), floor, self._progress, tokens=_read_answer_tokens(cells)
            )
        asked = run_apart(
            self._instrument.ask_part(
                questions(cells), asking.model, floor=floor, stopped=asking.stopped, progress=self._progress
            )
        )
        asking.note(asked.replies)
        return asked.consistencies

    def _known_floor(self) -> Floor | None:
        """Return the floor of all items, estimated when the first of them are measured.

        ``None`` for a single part, so that a cap leaves prompts with all their samples, not answers alone.
        """
        n = self._table.n_rows or 0
        if self._floor is None and (self._asking is None or n > min(self._part_rows, FLOOR_ITEMS)):
            answers = list(self._sample.items)
            if self._asking is not None and answers:
                answers = self._asking.first_answers(answers)
            self._floor = self._instrument.applied_floor(answers, self._progress)
        return self._floor

    def state(self, result: Consistencies) -> PartState:  # noqa: ARG002 - what counts are replies
        """Tell how far the part is done."""
        return PartState() if self._asking is None else self._asking.state

    def notes(self, result: Consistencies) -> dict[str, Any]:  # noqa: ARG002 - replies are beside it
        """Return the counts of replies."""
        return {} if self._asking is None else self._asking.notes

    def further_columns(self, cells: Cells, result: Consistencies) -> list[pl.Series]:  # noqa: ARG002
        """Return the samples of items; of replies also the answers, and the sides that were settled."""
        if self._asking is not None:
            sides = [_SIDES[side] for side in self._asking.replies.sides]
            return [*self._asking.columns, pl.Series(f"{PREFIX}settled", sides, pl.String)]
        texts = [[None if cell is None else str(cell) for cell in row] for row in sample_texts(cells)]
        return [pl.Series(_TEXTS, texts, pl.List(pl.String))]

    def add(self, cells: Cells, result: Consistencies, notes: Mapping[str, Any]) -> None:
        """Add a part, and go on with its floor."""
        self._floor, self._signature = Floor(result.floor or 0.0, result.floor_from), result.signature
        if self._asking is not None:
            self._asking.add(notes)
        if self._tally is None:
            # P(correct) of one measure needs that of all items, an ensemble all measures.
            stored = 0 if self.columns.label is None else 1 if self._ensemble == "none" else None
            self._tally = ConsistencyTally(result, by=self.columns.by, seed=self._plan.seed, stored=stored)
        asked = self._asking is not None
        texts = AnswerTexts(
            cells.get("prompt") or [None] * len(result),
            cells.rows[ANSWER].to_list() if asked else cells["answer"],
            cells.rows[SAMPLES_ASKED if asked else _TEXTS].to_list(),
        )
        self._tally.add(result, texts, groups=cells.get("by"), labels=cells.get("label"))

    def summary(self) -> ConsistencySummary:
        """Sum all parts up, and estimate P(correct) where there are labels."""
        tally = self._tally
        if tally is None:
            raise InputError(f"{self._table.name} has no rows")
        labels, too_few = tally.labels, None
        replies = None if self._asking is None else self._asking.counts
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
        counted = replies or ReplyCounts()
        signature = without_parameters(self._signature, counted.left_out)
        return tally.summary(
            self._plan,
            self._table.name,
            signature=with_p_true_forms(signature, counted.p_true_forms),
            columns=tuple(self._named),
            correctness=self._correctness,
            replies=replies,
            too_few_labels=too_few,
        )

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Return P(correct) and decisions, which depend on the labels of the whole table."""
        if self._correctness is None:
            return None
        return correctness_frame(self._correctness, start, stop).rename(lambda name: PREFIX + name)


class AskedParts:
    """Replies of a model that is asked part by part.

    Args:
        model: the model; what is left of its budget is for the next part.
        progress: called while replies come.

    Attributes:
        replies: of the part that was asked last.
        counts: of the replies of all parts that were added.
        stopped: why the model is not asked any more, or ``None``.
    """

    replies: Replies

    def __init__(self, model: AskedModel, progress: Progress | None) -> None:
        self.model, self._progress = model, progress
        self.counts: ReplyCounts | None = None
        self.stopped: str | None = None

    @property
    def keeps_replies(self) -> bool:
        """Whether a ledger stores the replies."""
        return self.model.runner.keeps_replies

    def first_answers(self, prompts: Sequence[str]) -> list[str]:
        """Ask for the answers alone from which something is estimated."""
        answers, self.stopped = run_apart(self.model.first_answers(prompts, self._progress))
        self.model = self.model.for_next_part()
        return answers

    def note(self, replies: Replies) -> None:
        """Take the replies of a part."""
        self.replies, self.model = replies, self.model.for_next_part()
        self.stopped = replies.counts.stopped or self.stopped

    @property
    def state(self) -> PartState:
        """Whether a cap cut the part short, and whether calls failed that may succeed another time."""
        return PartState(self.stopped is None, self.keeps_replies and self.replies.has_failed_calls)

    @property
    def notes(self) -> dict[str, Any]:
        """Counts of the part's replies."""
        return {"replies": asdict(self.replies.counts)}

    @property
    def columns(self) -> list[pl.Series]:
        """Answers and samples of the part."""
        return [
            pl.Series(ANSWER, self.replies.answers, pl.String),
            pl.Series(SAMPLES_ASKED, self.replies.samples, pl.List(pl.String)),
        ]

    def add(self, notes: Mapping[str, Any]) -> None:
        """Add the counts of a part."""
        self.counts = (self.counts or ReplyCounts()).added(ReplyCounts(**notes["replies"]))


def questions(cells: Cells) -> list[Any]:
    """Return the questions of some rows; numbers are texts here."""
    return [str(cell) if isinstance(cell, int | float) else cell for cell in cells["prompt"]]


def _read_answer_tokens(cells: Cells) -> AnswerTokens:
    """Read the log-probabilities of tokens, and the questions, as far as the table has them."""
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
