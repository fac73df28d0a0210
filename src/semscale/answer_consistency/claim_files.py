"""Claims of the answers of a table, judged by samples or by passages: part by part, resumable."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
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
from semscale.answer_consistency.claim_summary import (
    AgreementSummary,
    ClaimCollector,
    GroundedClaim,
    GroundingSummary,
    SampledClaim,
)
from semscale.answer_consistency.claims import (
    ClaimJudge,
    JudgedAnswers,
    Support,
    agreement_signature,
    grounding_signature,
    judge_by_passages,
    judge_by_samples,
    passage_sentences,
    sample_sentences,
)
from semscale.answer_consistency.columns import (
    AnswerChecks,
    AnswerColumns,
    ItemRows,
    answer_cells,
    index_items,
    item_cells,
    rows_of_items,
)
from semscale.answer_consistency.consistencies import asking_reasons, measuring_reasons
from semscale.answer_consistency.correctness import FewestLabels
from semscale.answer_consistency.samples import pair_samples
from semscale.chat.runner import run_apart
from semscale.matching.entailment import worded_sentences
from semscale.matching.matcher import CORPUS_ROWS
from semscale.matching.settings import GroundingColumns
from semscale.results.table_columns import CellChecks
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.sampling import RowSample
from semscale.store.columns import as_names, column_in, groups_in
from semscale.store.first_look import look_through, needs_counting
from semscale.store.places.output_places import Target
from semscale.store.result_columns import check_free, check_output
from semscale.store.runs.table_run import PartSettings, TableRun, WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress, Status


def claim_consistency_file(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: AnswerColumns,
    *,
    judge: ClaimJudge,
    model: AskedModel | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> AgreementSummary:
    """Judge each sentence of a table's answers by samples of the same answer, write the table, and sum it up.

    The written table has a row for each item with the input's columns, then those of
    ``JudgedAnswers.to_frame`` with the prefix ``semscale_``, ``semscale_reason``,
    ``semscale_supported_share``, ``semscale_lowest_claim`` with its ``semscale_lowest_value``, and the
    numbers of samples.

    All cells are checked first. Word weights and the level of unrelated texts, which a judge without a model
    of entailment estimates, are from the sentences of 50,000 rows' samples, drawn by the seed. Where a model
    is asked, they are from its own replies if all questions are one part, and else from the answers to 50,000
    questions, which are asked for first. Finished parts are kept as ``TableRun`` describes.

    Args:
        table: the input.
        columns: which column is what; labels and log-probabilities are not used.
        judge: judges claims.
        model: the model that is asked for answers and samples, if any; it needs a ledger, so that nothing is
            paid for twice.
        plan: how intervals are made, and the seed of all draws.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts; their size is that in items.
        progress: called as answers are judged, while texts are embedded and replies come.

    Returns:
        Numbers of all answers, and the worst claims; texts of other answers are not kept in memory.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a broken list, more
            than 100,000 groups, an output that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
        ReplyError: no call can succeed; finished parts are kept.
    """
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if out is not None:
        check_output(table, out)
    size, items = settings.part_rows, None
    if columns.item is not None:
        items, needed = ItemRows(), {columns.item, str(columns.answer)}
        index = items
        look_through(table, needed, size, lambda batch, _: index_items(index, columns, batch))
        items.finish()
    by_corpus = not judge.uses_entailment
    look = _AgreementLook(columns, items, plan.seed, asks=model is not None, needs_corpus=by_corpus)
    table = look_through(table, columns.titles, size, look.look, counting=needs_counting(table, out))
    look.checks.finish()
    corpus_from = None
    if by_corpus and model is None:
        judge = judge.over([sentence for each in look.sample.items for sentence in each])
    elif by_corpus and look.checks.n > min(size, CORPUS_ROWS):
        corpus_from = [prompt for (prompt,) in look.sample.items]
    work = AgreementWork(table, columns, judge, plan, items, model, corpus_from, progress)
    shown = table if items is None else replace(table, n_rows=items.n)
    return replace(TableRun(shown, settings, progress).of(work, out), input_notes=table.notes)


class _AgreementLook:
    """Checks the cells of a table, and draws the rows that the judge's estimates come from.

    Of tables with samples these are the sentences of a row's samples, and where a model is asked, its
    question.
    """

    def __init__(
        self, columns: AnswerColumns, items: ItemRows | None, seed: int, *, asks: bool, needs_corpus: bool
    ) -> None:
        self._columns, self._items, self._asks, self._needs_corpus = columns, items, asks, needs_corpus
        self.checks = AnswerChecks(columns, FewestLabels.for_ensemble("none"))
        self.sample: RowSample[list[str]] = RowSample(CORPUS_ROWS, seed)

    def look(self, batch: pl.DataFrame, first_row: int) -> None:
        """Look at the next rows."""
        rows, items = np.arange(first_row, first_row + batch.height), self._items
        first = np.ones(len(rows), np.bool_) if items is None else items.are_first(first_row, len(rows))
        heads = batch if items is None else batch.filter(pl.Series(first))
        with rows_of_items(rows[first]):
            cells = answer_cells(heads, self._columns, samples=None if items is None else [[]] * heads.height)
            self.checks.add(cells)
        answers, beside = cells.answers, cells.samples
        if items is not None:
            # A row that is not the first of its item is a sample; its own text stands for the answer.
            answers = column_in(batch, str(self._columns.answer)).to_list()
            beside = [[] if head else [text] for text, head in zip(answers, first, strict=True)]
        if self._needs_corpus:
            listed = _questions(cells.prompts) if self._asks else sample_sentences(answers, beside)
            self.sample.add((first_row + row, each) for row, each in enumerate(listed) if each)


def _questions(prompts: list[object]) -> list[list[str]]:
    known = [str(cell) if isinstance(cell, int | float) else cell for cell in prompts]
    return [[str(cell)] if prompt_status(cell) is Status.SCORED else [] for cell in known]


MEASURES = ("score", "supported_share")
"""Mean support of an answer's claims, and the share of claims that every sample supports."""

NO_CLAIM = "no sentence of the answer states something that the model reads, or no sample does"


@dataclass
class AgreementWork:
    """Judges the claims of a table's answers part by part, and keeps the numbers that a report shows.

    Attributes:
        table: the input.
        columns: which column is what.
        judge: judges claims.
        plan: how intervals are made.
        items: which rows belong to which item, where an item has several.
        model: the model that is asked; ``None`` where answers and samples stand in the table.
        corpus_from: questions whose answers are asked for first, as the judge's estimates come from them;
            ``None`` where these are made already, or where a single part makes its own.
        progress: called while texts are embedded and replies come.
    """

    table: Table
    columns: AnswerColumns
    judge: ClaimJudge
    plan: IntervalPlan
    items: ItemRows | None = None
    model: AskedModel | None = None
    corpus_from: Sequence[str] | None = None
    progress: Progress | None = None
    stage = "judging claims"
    private = ()

    def __post_init__(self) -> None:
        self._collector = ClaimCollector(_sampled_claim, _least_supported)
        self._counts: ReplyCounts | None = None
        self._stopped: str | None = None
        self._applied: Sequence[Any] = ()
        self._n_samples = self._n_left_out = 0

    @property
    def kept(self) -> str:
        """Clause on replies that are kept."""
        return "replies that came stay in the ledger" if self._keeps_replies else ""

    def key(self) -> dict[str, str]:
        """Name the columns and the fields of the signature."""
        columns = self.columns
        return {
            "prompt": columns.prompt or "none",
            "answer": columns.answer or "none",
            "sample": ", ".join(columns.samples),
            "item": columns.item or "none",
            **dict(self._signature.fields),
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Judge the items after the first ``skip`` ones."""
        for cells in item_cells(self.table, self.columns, self.items, size, skip):
            if self.model is None:
                found = judge_by_samples(cells.answers, cells.samples, self.judge, self.progress)
                added = _columns(found, cells.answers, cells.samples)
                yield WorkedPart(pl.concat([cells.rows, added], how="horizontal"), self._notes(None))
                continue
            replies = self._asked(self.model, cells.prompts)
            yield WorkedPart(
                pl.concat([cells.rows, self._judged(replies)], how="horizontal"),
                self._notes(replies),
                is_finished=self._stopped is None,
                has_failed_calls=self._keeps_replies and replies.has_failed_calls,
            )

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:
        """Take a part."""
        by = self.columns.by
        self._applied = notes["signature"]
        if notes["replies"] is not None:
            self._counts = (self._counts or ReplyCounts()).added(ReplyCounts(**notes["replies"]))
        answer = f"{PREFIX}answer" if self.model is not None else str(self.columns.answer)
        groups = (
            None if by is None else pl.Series(by, as_names(groups_in(column_in(frame, by)), "by"), pl.String)
        )
        self._collector.add(frame, column_in(frame, answer).to_list(), groups, MEASURES)
        self._n_samples += int(frame[f"{PREFIX}samples"].sum())
        self._n_left_out += int(frame[f"{PREFIX}samples_left_out"].sum())

    def summary(self) -> AgreementSummary:
        """Sum all parts up."""
        collector = self._collector
        left_out = () if self._counts is None else self._counts.left_out
        instrument, fields = self._applied
        applied = Signature(instrument, tuple((name, value) for name, value in fields))
        estimates = collector.estimated(without_parameters(applied, left_out), self.plan)
        return AgreementSummary(
            source=self.table.name,
            columns=tuple(self.columns.named),
            n_samples=self._n_samples,
            n_samples_left_out=self._n_left_out,
            uses_entailment=self.judge.uses_entailment,
            estimates=estimates,
            worst=collector.worst,
            replies=self._counts,
            **collector.counted(estimates.signature),
        )

    def late(self, start: int, stop: int) -> None:
        """Every column is there as soon as its rows are judged."""

    @property
    def _signature(self) -> Signature:
        signature = agreement_signature(self.judge)
        if self.model is None:
            return signature
        chat = self.model.runner.model.signature.fields
        named = Signature("chat", tuple((f"chat_{name}", value) for name, value in chat))
        return signature.extended(self.model.sampling.signature).extended(named)

    @property
    def _keeps_replies(self) -> bool:
        return self.model is not None and self.model.runner.keeps_replies

    def _notes(self, replies: Replies | None) -> dict[str, Any]:
        """List what the columns of a part do not hold: counts of replies, and the signature."""
        signature = self._signature
        return {
            "replies": None if replies is None else asdict(replies.counts),
            "signature": [signature.instrument, [list(named) for named in signature.fields]],
        }

    def _asked(self, model: AskedModel, prompts: Sequence[Any]) -> Replies:
        """Ask about the prompts of a part; before the first one for the answers that estimates come from."""
        if self.corpus_from is not None:
            answers, self._stopped = run_apart(model.first_answers(self.corpus_from, self.progress))
            self.judge = self.judge.over([one for text in answers for one in worded_sentences(text)])
            self.corpus_from, model = None, model.for_next_part()
        texts = [str(cell) if isinstance(cell, int | float) else cell for cell in prompts]
        replies = run_apart(model.ask(texts, self._stopped, self.progress))
        self.model = model.for_next_part()
        self._stopped = replies.counts.stopped or self._stopped
        return replies

    def _judged(self, replies: Replies) -> pl.DataFrame:
        """Judge the answers that came with all their samples, and lay replies out beside them."""
        whole = replies.status == Status.SCORED
        answers = [text if there else None for text, there in zip(replies.answers, whole, strict=True)]
        found = judge_by_samples(answers, replies.samples, self.judge, self.progress)
        status = np.where(whole, found.status, replies.status)
        frame = _columns(found, answers, replies.samples)
        reasons = asking_reasons(replies, tuple(frame[f"{PREFIX}reason"].to_list()))
        return frame.with_columns(
            pl.Series(f"{PREFIX}status", [str(one) for one in status], dtype=pl.String),
            pl.Series(f"{PREFIX}reason", reasons, dtype=pl.String),
            pl.Series(f"{PREFIX}answer", replies.answers, dtype=pl.String),
            pl.Series(f"{PREFIX}samples_asked", replies.samples, dtype=pl.List(pl.String)),
        )


def _columns(found: JudgedAnswers, answers: Sequence[Any], samples: Sequence[Sequence[Any]]) -> pl.DataFrame:
    """Lay out a row an answer: its scores, its lowest claim, its samples, and last its claims."""
    taken, lowest = pair_samples(answers, samples), found.lowest()
    frame, reasons = found.to_frame(), list(measuring_reasons(taken, found.score, "consistency"))
    for row in np.flatnonzero(found.status == Status.WEIGHTLESS).tolist():
        reasons[row] = NO_CLAIM
    laid = frame.drop("claims").with_columns(
        pl.Series("reason", reasons, dtype=pl.String),
        pl.Series("supported_share", found.supported_share(), nan_to_null=True),
        pl.Series("lowest_claim", [one and one[0] for one in lowest], dtype=pl.String),
        pl.Series("lowest_value", [one and one[1] for one in lowest], dtype=pl.Float64),
        pl.Series("samples", taken.n_samples),
        pl.Series("samples_left_out", taken.n_left_out),
        frame["claims"],
    )
    return laid.rename(lambda name: PREFIX + name)


def _sampled_claim(item: int, one: Mapping[str, Any]) -> SampledClaim:
    return SampledClaim(
        item=item,
        claim=one["claim"],
        verdict=Support(one["verdict"]),
        value=one["value"],
        sample=one["text"],
        sentence=one["sentence"],
        reason=one["reason"],
    )


def _least_supported(one: Mapping[str, Any]) -> float:
    """Put the claims with the least support first; NaN for those that every sample supports, or unread."""
    shown = one["verdict"] in {Support.CONTRADICTED, Support.NOT_FOUND} and one["value"] is not None
    return float(one["value"]) if shown else np.nan


def groundedness_file(  # noqa: PLR0913 - what, by what, how, where to, and who is told
    table: Table,
    columns: GroundingColumns,
    *,
    judge: ClaimJudge,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> GroundingSummary:
    """Judge each sentence of a table's answers by the passages beside it, write the table, and sum it up.

    The written table has the input's columns and rows in their order, then those of
    ``JudgedAnswers.to_frame`` with the prefix ``semscale_``.

    All cells are checked first. Word weights and the level of unrelated texts, which a judge without a model
    of entailment estimates, are from the sentences of 50,000 rows' passages, drawn by the seed; of a shorter
    file from those of all rows. Finished parts are kept as ``TableRun`` describes.

    Args:
        table: the input.
        columns: names of the columns; the passages are ``context``.
        judge: judges claims.
        plan: how intervals are made, and the seed of all draws.
        out: ``.parquet``, ``.csv``, ``.jsonl`` or ``.xlsx``, or another ``target_of``; no
            parts are kept unless given.
        settings: the parts.
        progress: called as rows are judged, and while texts are embedded.

    Returns:
        Numbers of all rows, and the worst claims; texts of other rows are not kept in memory.

    Raises:
        InputError: a column that does not exist or holds no text, a name that is taken, a broken list, more
            than 100,000 groups, an output that cannot be written, or parts of a run that differs.
        StoppedByUserError: stopped by the user; finished parts are kept.
        ModelError: the model cannot be run; finished parts are kept.
    """
    settings, plan = settings or PartSettings(), plan or IntervalPlan()
    columns.check(table)
    if out is not None:
        check_output(table, out)
    checks, sample = CellChecks(columns), RowSample[list[str]](CORPUS_ROWS, plan.seed)

    def look(batch: pl.DataFrame, first_row: int) -> None:
        cells = columns.read(batch, first_row)
        checks.add(cells)
        if not judge.uses_entailment:
            listed = passage_sentences(cells["prediction"], cells["context"])
            sample.add([(first_row + row, each) for row, each in enumerate(listed) if each])

    table = look_through(table, columns.titles, settings.part_rows, look, counting=needs_counting(table, out))
    checks.finish()
    over = judge.over([sentence for each in sample.items for sentence in each])
    return TableRun(table, settings, progress).of(GroundingWork(table, columns, over, plan, progress), out)


@dataclass
class GroundingWork:
    """Judges the rows of a table part by part, and keeps the numbers and claims that a report shows.

    Attributes:
        table: the input.
        columns: names of the columns; the passages are ``context``.
        judge: judges claims; its estimates must not depend on the part.
        plan: how intervals are made.
        progress: called while texts are embedded.
    """

    table: Table
    columns: GroundingColumns
    judge: ClaimJudge
    plan: IntervalPlan
    progress: Progress | None = None
    stage = "judging claims"
    kept = ""
    private = ()

    def __post_init__(self) -> None:
        self._collector = ClaimCollector(_grounded_claim, _contradicted_first)

    def key(self) -> dict[str, str]:
        """Name the columns and the fields of the signature."""
        return {
            "prediction": self.columns.prediction,
            "context": ", ".join(self.columns.context),
            **dict(self.judge.signature.fields),
        }

    def parts(self, size: int, skip: int) -> Iterator[WorkedPart]:
        """Judge the rows after the first ``skip`` ones."""
        first_row = skip
        for batch in self.table.batches(size, skip):
            check_free(batch.columns, self.table.name)
            cells = self.columns.read(batch, first_row)
            found = judge_by_passages(cells["prediction"], cells["context"], self.judge, self.progress)
            added = found.to_frame().rename(lambda name: PREFIX + name)
            yield WorkedPart(pl.concat([cells.rows, added], how="horizontal"))
            first_row += batch.height

    def add(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> None:  # noqa: ARG002 - no part has notes
        """Take a part."""
        cells = self.columns.read(frame, self._collector.n)
        groups = None if cells.get("by") is None else pl.Series(self.columns.by, cells["by"], pl.String)
        self._collector.add(frame, cells["prediction"], groups)

    def summary(self) -> GroundingSummary:
        """Sum all parts up."""
        collector = self._collector
        estimates = collector.estimated(grounding_signature(self.judge), self.plan)
        return GroundingSummary(
            source=self.table.name,
            columns=self.columns,
            uses_entailment=self.judge.uses_entailment,
            estimates=estimates,
            worst=collector.worst,
            **collector.counted(estimates.signature),
        )

    def late(self, start: int, stop: int) -> None:
        """Every column is there as soon as its rows are judged."""


def _grounded_claim(row: int, one: Mapping[str, Any]) -> GroundedClaim:
    return GroundedClaim(
        row=row,
        claim=one["claim"],
        verdict=Support(one["verdict"]),
        score=one["score"],
        sentence=one["sentence"],
        reason=one["reason"],
    )


def _contradicted_first(one: Mapping[str, Any]) -> float:
    """Put contradicted claims first, then those not found, the least supported first; NaN for others."""
    match Support(one["verdict"]):
        case Support.CONTRADICTED:
            return -1.0
        case Support.NOT_FOUND:
            return one["score"] or 0.0
        case _:
            return np.nan
