"""Measures the rows of a table part by part, and sums the parts up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import polars as pl

from semscale.answer_consistency.asking.asked_model import AskedModel
from semscale.answer_consistency.asking.asking import ReplyCounts
from semscale.answer_consistency.asking.p_true_forms import with_p_true_forms
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.consistency_collector import AnswerTexts, ConsistencyCollector
from semscale.answer_consistency.correctness_probability import (
    CorrectnessProbability,
    CorrectnessSettings,
    correctness_frame,
    estimate_correctness,
)
from semscale.answer_consistency.files.columns import AnswerColumns
from semscale.answer_consistency.files.item_rows import ItemRows, item_cells
from semscale.answer_consistency.files.measured_part import (
    SPANS,
    TEXTS,
    part_columns,
    part_items,
    part_notes,
    text_columns,
)
from semscale.answer_consistency.labels import (
    FewestLabels,
    LabelCounts,
    TooFewLabels,
    read_labels,
    rows_with_value,
)
from semscale.answer_consistency.sampling import without_parameters
from semscale.answer_consistency.scoring.floor import Floor
from semscale.answer_consistency.scoring.measures import MEASURES
from semscale.answer_consistency.summary import ConsistencySummary
from semscale.answer_consistency.white_box.answer_tokens import AnswerTokens
from semscale.chat.runner import run_apart
from semscale.embedding.cache.cached_embedder import KEPT_EMBEDDINGS, CachedEmbedder
from semscale.results.tallies import Tallies
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.pmf_figures import value_figure
from semscale.store.columns import as_names, column_in, groups_in
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Floats, Progress


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
    collector: ConsistencyCollector = field(init=False)
    tallies: Tallies | None = None
    stage = "measuring"

    def __post_init__(self) -> None:
        # P(correct) of one measure needs that of all items, an ensemble the means of all measures.
        first = 1 if self.correctness.get("ensemble", "none") == "none" else None
        kept = 0 if self.columns.label is None else first
        self.collector = ConsistencyCollector(self.plan.seed, kept=kept)
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
            counts = LabelCounts.of(labels[rows_with_value(measures, ensemble)])
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
            self._floor = self.instrument.estimated_floor(answers, self.progress)
            self.floor_from = ()
        return self._floor
