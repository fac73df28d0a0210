"""Asks for answers, or reads them, and judges their claims by samples, part by part."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.answer_consistency.asking.asked_model import AskedModel
from semscale.answer_consistency.asking.asking import Replies, ReplyCounts
from semscale.answer_consistency.claims.agreement_summary import AgreementSummary, SampledClaim
from semscale.answer_consistency.claims.claim_collector import ClaimCollector
from semscale.answer_consistency.claims.claim_support import ClaimJudge, Support
from semscale.answer_consistency.claims.judged_answers import JudgedAnswers
from semscale.answer_consistency.claims.long_answers import agreeing, agreement_signature
from semscale.answer_consistency.files.columns import AnswerColumns
from semscale.answer_consistency.files.item_rows import ItemRows, item_cells
from semscale.answer_consistency.reasons import asking_reasons, measuring_reasons
from semscale.answer_consistency.sampling import without_parameters
from semscale.answer_consistency.scoring.samples import take_samples
from semscale.chat.runner import run_apart
from semscale.matching.entailment.sentences import worded_sentences
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.columns import as_names, column_in, groups_in
from semscale.store.runs.table_run import WorkedPart
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Progress, Status

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
        self._collector = ClaimCollector(_shown, _badness)
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
                found = agreeing(cells.answers, cells.samples, self.judge, self.progress)
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
        found = agreeing(answers, replies.samples, self.judge, self.progress)
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
    taken, lowest = take_samples(answers, samples), found.lowest()
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


def _shown(item: int, one: Mapping[str, Any]) -> SampledClaim:
    return SampledClaim(
        item=item,
        claim=one["claim"],
        verdict=Support(one["verdict"]),
        value=one["value"],
        sample=one["text"],
        sentence=one["sentence"],
        reason=one["reason"],
    )


def _badness(one: Mapping[str, Any]) -> float:
    """Put the claims with the least support first; NaN for those that every sample supports, or unread."""
    shown = one["verdict"] in {Support.CONTRADICTED, Support.NOT_FOUND} and one["value"] is not None
    return float(one["value"]) if shown else np.nan
