"""Consistency of the answers of a table, part by part; a stopped run can be resumed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from semscale.answer_consistency.asking import (
    AskedModel,
    Replies,
    ReplyCounts,
    prompt_status,
    without_parameters,
)
from semscale.answer_consistency.columns import (
    AnswerCells,
    AnswerChecks,
    AnswerColumns,
    ItemRows,
    answer_cells,
    index_items,
    item_cells,
    rows_of_items,
)
from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.contradictions import Contradiction
from semscale.answer_consistency.correctness import (
    CorrectnessProbability,
    CorrectnessSettings,
    EnsembleName,
    FewestLabels,
    LabelCounts,
    TooFewLabels,
    correctness_frame,
    estimate_correctness,
    read_labels,
    rows_with_value,
)
from semscale.answer_consistency.measures import MEASURES, check_sample_tokens
from semscale.answer_consistency.p_true import with_p_true_forms
from semscale.answer_consistency.pairs import Floor
from semscale.answer_consistency.samples import pair_samples
from semscale.answer_consistency.summary import AnswerTexts, ConsistencySummary, ConsistencyTally
from semscale.answer_consistency.white_box import AnswerTokens
from semscale.chat.declining import gives_no_answer
from semscale.chat.runner import run_apart
from semscale.embedding.cache.cached_embedder import KEPT_EMBEDDINGS, CachedEmbedder
from semscale.guards.findings import Finding, Span
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.stats.sampling import RowSample
from semscale.store.columns import as_names, column_in, floats_in, groups_in, statuses_in
from semscale.store.first_look import look_through, needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_output
from semscale.store.runs.table_run import PartSettings, TableRun, WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Floats, Mask, Progress, Status

FLOOR_ITEMS = 50_000
"""Items from whose answers the floor is estimated."""


def consistency_file(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: AnswerColumns,
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

    The measured table has a row for each item with the input's columns, then those of
    ``Consistencies.to_frame`` with the prefix ``semscale_``; with labels ``semscale_probability_correct`` and
    ``semscale_decision``, and where a model is asked ``semscale_answer``, ``semscale_samples_asked`` and
    ``semscale_settled``.

    All cells are looked at in a reading of their own, before anybody is asked and any text is embedded. A
    floor that is estimated is that of the answers to 50,000 items, drawn by the seed; of all items where
    there are no more. Where a model is asked, these answers are asked for first. Finished parts are kept as
    ``TableRun`` says, and replies in the runner's ledger.

    Args:
        table: the input.
        columns: which column is what.
        instrument: measures.
        model: the model that is asked for answers and samples, if any; it needs a ledger, so that nothing is
            paid for twice.
        correctness: how P(correct) is made of labels.
        plan: how intervals are made, and the seed of what is drawn.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts; their size is that in items.
        progress: called as items are measured, while texts are embedded and replies come.

    Returns:
        Numbers of all items, and the items to look at; texts of other items are not kept in memory.

    Raises:
        InputError: a column that does not exist or holds no text, or that no measure uses, a name that is
            taken, a broken list, a label that says neither right nor wrong or too few of these, more than
            100,000 groups, an output that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
        ReplyError: no call can succeed; finished parts are kept.
    """
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if columns.sample_logprobs:
        check_sample_tokens(instrument.measures)
    if out is not None:
        check_output(table, out)
    correctness = correctness or CorrectnessSettings()
    looking = _FirstLook(columns, instrument, model is not None, correctness.get("ensemble", "none"))
    size = settings.part_rows
    if columns.item is not None:
        items, needed = ItemRows(), {columns.item, str(columns.answer)}
        look_through(table, needed, size, lambda batch, _: index_items(items, columns, batch))
        items.finish()
        looking.items, looking.eligible = items, items.eligible(instrument.fewest_samples)
    table = look_through(table, columns.titles, size, looking.look, counting=needs_counting(table, out))
    looking.checks.finish()
    is_one_part = model is not None and looking.checks.n <= min(size, FLOOR_ITEMS)
    work = ConsistencyWork(
        table,
        columns,
        instrument,
        plan,
        looking.items,
        model,
        None if is_one_part else looking.sample.items,
        correctness,
        progress,
    )
    shown = table if looking.items is None else replace(table, n_rows=looking.items.n)
    return replace(TableRun(shown, settings, progress).of(work, out), input_notes=table.notes)


class _FirstLook:
    """Checks the cells of a table, and draws the items that the floor is estimated from."""

    def __init__(
        self, columns: AnswerColumns, instrument: Consistency, asks: bool, ensemble: EnsembleName
    ) -> None:
        self.columns, self.asks = columns, asks
        self.sample: RowSample[str] = RowSample(FLOOR_ITEMS, instrument.seed)
        self.fewest = instrument.fewest_samples
        self.needs_floor = "floor" in instrument.needs and isinstance(instrument.floor, str)
        self.checks = AnswerChecks(columns, FewestLabels.for_ensemble(ensemble))
        self.items: ItemRows | None = None
        self.eligible: Mask | None = None

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Look at the next rows."""
        first, rows = self.checks.n, np.arange(first_row, first_row + batch.height)
        samples: list[list[Any]] | None = None
        if self.items is not None:
            heads = self.items.are_first(first_row, batch.height)
            batch, rows = batch.filter(pl.Series(heads)), rows[heads]
            samples = [[]] * batch.height
        with rows_of_items(rows):
            cells = answer_cells(batch, self.columns, samples=samples)
            self.checks.add(cells)
        if self.needs_floor:
            self.sample.add((first + item, text) for item, text in self._texts(cells, first))

    def _texts(self, cells: AnswerCells, first: int) -> list[tuple[int, str]]:
        """Give the answers that count for the floor, or the prompts whose answers will, with their places."""
        if self.asks:
            known = [str(cell) if isinstance(cell, int | float) else cell for cell in cells.prompts]
            return [(item, cell) for item, cell in enumerate(known) if prompt_status(cell) is Status.SCORED]
        if self.eligible is not None:
            answers = enumerate(cells.answers)
            usable = ((item, str(cell)) for item, cell in answers if self.eligible[first + item])
            return [(item, answer) for item, answer in usable if not gives_no_answer(answer)]
        pairs = pair_samples(cells.answers, cells.samples, fewest=self.fewest).pairs
        own = dict(zip(pairs.item.tolist(), pairs.prediction.tolist(), strict=True))
        return [(item, pairs.texts[text]) for item, text in own.items()]


@dataclass
class ConsistencyWork:
    """Asks for and measures the items of a table part by part, and sums the parts up.

    Attributes:
        table: the input.
        columns: which column is what.
        instrument: measures.
        plan: how intervals are made.
        items: which rows belong to which item, where an item has several.
        model: the model that is asked; ``None`` where answers and samples stand in the table.
        floor_from: answers that the floor is estimated from or, where a model is asked, prompts whose answers
            are asked for first. ``None`` for a single part, whose own answers give the floor.
        correctness: how P(correct) is made of labels.
        progress: called while texts are embedded and replies come.
        collector: takes the parts.
        tallies: sums the values of all parts up.
    """

    table: Table
    columns: AnswerColumns
    instrument: Consistency
    plan: IntervalPlan
    items: ItemRows | None = None
    model: AskedModel | None = None
    floor_from: Sequence[str] | None = ()
    correctness: CorrectnessSettings = field(default_factory=CorrectnessSettings)
    progress: Progress | None = None
    collector: ConsistencyTally = field(init=False)
    tallies: Tallies | None = None
    stage = "measuring"

    def __post_init__(self) -> None:
        # P(correct) of one measure needs that of all items, an ensemble the means of all measures.
        first = 1 if self.correctness.get("ensemble", "none") == "none" else None
        kept = 0 if self.columns.label is None else first
        self.collector = ConsistencyTally(self.plan.seed, stored=kept)
        self._floor: Floor | None = None
        self._stopped: str | None = None
        self._counts: ReplyCounts | None = None
        self._correctness: CorrectnessProbability | None = None
        self._notes: Mapping[str, Any] = {}

    @property
    def kept(self) -> str:
        """Clause on replies or embeddings that are kept."""
        if self._keeps_replies:
            return "replies that came stay in the ledger"
        cached = "cosine" in self.instrument.needs and isinstance(self.instrument.embedder, CachedEmbedder)
        return KEPT_EMBEDDINGS if cached else ""

    @property
    def private(self) -> tuple[str, ...]:
        """Columns that only the summary needs."""
        return (SPANS, TEXTS)

    def key(self) -> dict[str, str]:
        """Give the names of the columns, and the fields of the signature."""
        columns, signature = self.columns, self.instrument.signature
        if self.model is not None:
            signature = signature.extended(self.model.sampling.signature)
        return {
            "prompt": columns.prompt or "none",
            "answer": columns.answer or "none",
            "sample": ", ".join(columns.samples),
            "item": columns.item or "none",
            **({} if columns.logprobs is None else {"logprobs": columns.logprobs}),
            **({"sample_logprobs": ", ".join(columns.sample_logprobs)} if columns.sample_logprobs else {}),
            **dict(signature.fields),
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Measure the items after the first ``skip`` ones."""
        sampled = "sample_logprobs" in self.instrument.needs
        for cells in item_cells(
            self.table, self.columns, self.items, size, skip, needs_sample_tokens=sampled
        ):
            floor, replies = self._known_floor(), None
            if self.model is None:
                asked_about = None
                if self.columns.prompt is not None:
                    asked_about = [str(cell or "") for cell in cells.prompts]
                found = self.instrument.measure_part(
                    cells.answers,
                    cells.samples,
                    floor,
                    self.progress,
                    tokens=AnswerTokens(cells.tokens, cells.sample_tokens, None, asked_about),
                )
            else:
                prompts = [str(cell) if isinstance(cell, int | float) else cell for cell in cells.prompts]
                asked = run_apart(
                    self.instrument.ask_part(
                        prompts, self.model, floor=floor, stopped=self._stopped, progress=self.progress
                    )
                )
                found, replies = asked.consistencies, asked.replies
                self.model = self.model.for_next_part()
                self._stopped = replies.counts.stopped or self._stopped
            notes = {
                **part_notes(found),
                "replies": None if replies is None else asdict(replies.counts),
            }
            added = part_columns(found).with_columns(text_columns(cells, replies))
            frame = pl.concat([cells.rows, added], how="horizontal")
            yield WorkedPart(
                frame,
                notes,
                is_finished=self._stopped is None,
                has_failed_calls=self._keeps_replies and replies is not None and replies.has_failed_calls,
            )

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part, and go on with its floor."""
        columns, asked = self.columns, self.model is not None
        self._notes, self._floor = notes, Floor(notes["applied_floor"] or 0.0, notes["floor_from"])
        if notes["replies"] is not None:
            self._counts = (self._counts or ReplyCounts()).added(ReplyCounts(**notes["replies"]))
        labels: Floats | None = None
        if columns.label is not None:
            labels = read_labels(column_in(frame, columns.label).to_list(), self.collector.n)
        answer = f"{PREFIX}answer" if asked else str(columns.answer)
        texts = AnswerTexts(
            [None] * frame.height if columns.prompt is None else column_in(frame, columns.prompt).to_list(),
            column_in(frame, answer).to_list(),
            frame[f"{PREFIX}samples_asked" if asked else TEXTS].to_list(),
        )
        groups = () if columns.by is None else as_names(groups_in(column_in(frame, columns.by)), "by")
        items = part_items(frame, notes)
        self.collector.add(items, texts, groups, labels)
        self._tallied().add(
            np.column_stack(list(items.measures.values())),
            items.status,
            by=None if columns.by is None else pl.Series(columns.by, groups, pl.String),
        )

    def summary(self) -> ConsistencySummary:
        """Sum all parts up, and estimate P(correct) where there are labels."""
        collector, plan = self.collector, self.plan
        too_few: TooFewLabels | None = None
        # Of a run that a cap stopped the first items are there, and labels among these are no random sample.
        has_replies = self._counts is None or not self._counts.all_failed
        labels = collector.labels
        if labels is not None and self._stopped is None and has_replies:
            ensemble = self.correctness.get("ensemble", "none")
            needed = FewestLabels.for_ensemble(ensemble)
            measures, labelled = collector.measures, collector.labelled
            counts = LabelCounts.count(labels[rows_with_value(measures, ensemble)])
            if needed.are_met(counts):
                self._correctness = estimate_correctness(
                    measures, labels, labelled=labelled, **self.correctness
                )
            else:
                too_few = TooFewLabels(counts, needed)
        asked = self._counts or ReplyCounts()
        applied = without_parameters(self._signature, asked.left_out)
        signature = with_p_true_forms(applied, asked.p_true_forms)
        estimates = self._tallied().estimates(
            interval=plan.interval,
            method=plan.method,
            seed=plan.seed,
            replicates=plan.replicates,
            signature=signature,
        )
        return collector.summary(
            estimates,
            floor=self._notes["applied_floor"],
            floor_from=self._notes["floor_from"],
            source=self.table.name,
            columns=tuple(self.columns.named),
            correctness=self._correctness,
            replies=self._counts,
            too_few_labels=too_few,
        )

    @property
    def _signature(self) -> Signature:
        instrument, fields = self._notes["signature"]
        return Signature(instrument, tuple((name, value) for name, value in fields))

    def _tallied(self) -> Tallies:
        if self.tallies is None:
            figures = [value_figure(name, MEASURES[name].bounds) for name in self._notes["measures"]]
            self.tallies = Tallies(figures, self._signature)
        return self.tallies

    def late(self, start: int, stop: int) -> pl.DataFrame | None:
        """Give P(correct) and decisions, which depend on the labels of the whole table."""
        if self._correctness is None:
            return None
        return correctness_frame(self._correctness, start, stop).rename(lambda name: PREFIX + name)

    @property
    def _keeps_replies(self) -> bool:
        return self.model is not None and self.model.runner.keeps_replies

    def _known_floor(self) -> Floor | None:
        """Give the floor of all items, estimated when the first of them are measured.

        ``None`` for a single part, so that a cap leaves prompts with all their samples, not answers alone.
        """
        if self._floor is None:
            if self.floor_from is None:
                return None
            answers = list(self.floor_from)
            if self.model is not None and answers:
                answers, self._stopped = run_apart(self.model.first_answers(answers, self.progress))
                self.model = self.model.for_next_part()
            self._floor = self.instrument.applied_floor(answers, self.progress)
            self.floor_from = ()
        return self._floor


SPANS = f"{PREFIX}contradiction_spans"
"""A column that a run keeps for itself: where contradictions stand in the answer and in the sample."""

TEXTS = f"{PREFIX}sample_texts"
"""Another one: the samples of each item, where they are no replies."""

_SIDES = {True: "above", False: "below", None: None}
_PLACES = pl.List(pl.List(pl.Int64))


def part_columns(found: Consistencies) -> pl.DataFrame:
    """Lay items out as the columns that a run adds: those of ``to_frame`` with the prefix, and spans."""
    columns = found.to_frame().rename(lambda name: PREFIX + name)
    spans = [[_places(one.finding) for one in each] for each in found.contradictions]
    return columns.with_columns(pl.Series(SPANS, spans, dtype=_PLACES))


def text_columns(cells: AnswerCells, replies: Replies | None) -> list[pl.Series]:
    """Lay out the samples of items; of replies also the answers, and the sides that were settled."""
    if replies is None:
        texts = [[None if cell is None else str(cell) for cell in each] for each in cells.samples]
        return [pl.Series(TEXTS, texts, dtype=pl.List(pl.String))]
    return [
        pl.Series(f"{PREFIX}answer", replies.answers, dtype=pl.String),
        pl.Series(f"{PREFIX}samples_asked", replies.samples, dtype=pl.List(pl.String)),
        pl.Series(f"{PREFIX}settled", [_SIDES[side] for side in replies.sides], dtype=pl.String),
    ]


def part_notes(found: Consistencies) -> dict[str, Any]:
    """List, as JSON has it, what the columns do not hold: names, floor and signature."""
    signature = found.signature
    return {
        "measures": list(found.measures),
        "nulls": list(found.nulls),
        "applied_floor": found.floor,
        "floor_from": found.floor_from,
        "signature": [signature.instrument, [list(named) for named in signature.fields]],
    }


def part_items(frame: pl.DataFrame, notes: Mapping[str, Any]) -> Consistencies:
    """Read items back from their columns and notes."""
    instrument, fields = notes["signature"]
    spans = frame[SPANS].to_list()
    shown = frame[f"{PREFIX}contradictions"].to_list()
    return Consistencies(
        measures={name: floats_in(frame[PREFIX + name]) for name in notes["measures"]},
        status=statuses_in(frame[f"{PREFIX}status"]),
        reasons=tuple(frame[f"{PREFIX}reason"].to_list()),
        n_samples=frame[f"{PREFIX}samples"].to_numpy(),
        samples_left_out=frame[f"{PREFIX}samples_left_out"].to_numpy(),
        windows=frame[f"{PREFIX}windows"].to_numpy(),
        nulls={name: floats_in(frame[PREFIX + name]) for name in notes["nulls"]},
        contradictions=tuple(
            tuple(_contradiction(one, place) for one, place in zip(each, places, strict=True))
            for each, places in zip(shown, spans, strict=True)
        ),
        floor=notes["applied_floor"],
        floor_from=notes["floor_from"],
        signature=Signature(instrument, tuple((name, value) for name, value in fields)),
        **_meanings(frame),
    )


def _meanings(frame: pl.DataFrame) -> dict[str, Any]:
    n, there = frame.height, f"{PREFIX}same_by" in frame.columns
    grounds = frame[f"{PREFIX}same_by"].to_list() if there else [None] * n
    return {
        "n_meanings": frame[f"{PREFIX}meanings"].fill_null(0).to_numpy() if there else np.zeros(n, np.int64),
        "same_by": np.array(grounds, dtype=object),
    }


def _places(finding: Finding) -> list[int | None]:
    sides = (finding.prediction, finding.reference)
    return [place for side in sides for place in ((None, None) if side is None else (side.start, side.end))]


def _contradiction(shown: Mapping[str, Any], places: Sequence[int | None]) -> Contradiction:
    finding = Finding(
        shown["guard"],
        shown["kind"],
        shown["reason"],
        _span(places[0], places[1], shown["answer"]),
        _span(places[2], places[3], shown["contradicting"]),
    )
    return Contradiction(shown["sample"], finding)


def _span(start: int | None, end: int | None, text: str | None) -> Span | None:
    return None if start is None or end is None else Span(start, end, text or "")
