"""Runs over tables that judge answers claim by claim, by samples or passages, and their summaries."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Any, Generic, TypeVar

import numpy as np
import polars as pl

from semscale.answer_consistency.asking import AskedModel, Replies, ReplyCounts, prompt_status
from semscale.answer_consistency.claims import (
    ClaimConsistency,
    ClaimVerdict,
    Groundedness,
    JudgedAnswers,
    Support,
)
from semscale.answer_consistency.consistencies import asking_reasons, measuring_reasons
from semscale.answer_consistency.samples import pair_samples
from semscale.answer_consistency.settings import AnswerColumns, AskedColumns, sample_texts
from semscale.answer_consistency.summary import SampledSummary
from semscale.answer_consistency.table import SAMPLES, AnswerSource, questions
from semscale.chat.runner import run_to_end
from semscale.errors import InputError
from semscale.matching.entailment import sentences_with_text
from semscale.matching.settings import GroundingColumns
from semscale.matching.table import CORPUS_ROWS
from semscale.results.estimates import Grouping
from semscale.results.instrument import TableInstrument
from semscale.results.languages import n_unguarded
from semscale.results.summary import ForemostRows, RowTally, Summary
from semscale.results.table_columns import Cells
from semscale.results.table_runs import PartSettings, measure_table
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan, value_figure
from semscale.stats.sampling import RowSample
from semscale.store.places import Target
from semscale.store.table import Table
from semscale.store.writing import PREFIX
from semscale.types import Floats, Progress, Status

WORST_CLAIMS = 20
"""Number of claims in a summary."""

NO_CLAIM = "no sentence of the answer states something that the model reads, or no sample does"


@dataclass(frozen=True, repr=False, kw_only=True)
class ClaimSummary(Summary):
    """Summary of n answers whose claims were judged.

    Attributes:
        claims: number of claims by verdict, for all verdicts.
        n_contradicted: number of answers with a contradicted claim.
        uses_entailment: whether an entailment model was used.
        worst: the worst claims, each with its answer's number, from 0; at most 20.
    """

    language_of = ("language",)

    claims: Mapping[Support, int]
    n_contradicted: int
    uses_entailment: bool
    worst: tuple[tuple[int, ClaimVerdict], ...]

    @property
    def n_claims(self) -> int:
        """Number of claims, including those that the model could not read."""
        return sum(self.claims.values())

    @property
    def n_unguarded(self) -> int:
        """Number of scored answers that guards did not check, as they are clearly not in English."""
        return 0 if self.uses_entailment else n_unguarded(self.languages)

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers of claims by name, for JSON."""
        return {
            "claims": {str(verdict): n for verdict, n in self.claims.items()},
            "contradicted": self.n_contradicted,
            "unguarded": self.n_unguarded,
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class AgreementSummary(ClaimSummary, SampledSummary):
    """Summary of n answers whose claims were judged by samples.

    The estimates are mean support (``score``) and mean share of supported claims (``supported_share``). The
    worst claims are those that at least one sample does not support, the least supported first.
    """

    instrument = "consistency claims"

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers of claims and samples by name, for JSON; items are numbered from 1."""
        replies = self.replies
        worst = [
            {
                "item": item + 1,
                "claim": claim.claim,
                "verdict": str(claim.verdict),
                "value": claim.value,
                "sample": None if claim.text < 0 else claim.text + 1,
                "sentence": claim.sentence,
                "reason": claim.reason,
            }
            for item, claim in self.worst
        ]
        return {
            **super().instrument_record(),
            "samples": self.n_samples,
            "samples_left_out": self.n_samples_left_out,
            "worst": worst,
            "asking": None if replies is None else {"replies": replies.n_calls, "failed": replies.n_failed},
            "stopped": self.stopped,
        }


@dataclass(frozen=True, repr=False, kw_only=True)
class GroundingSummary(ClaimSummary):
    """Summary of n answers that were judged by passages, one per row.

    The estimate is the mean share of supported claims (``score``). The worst claims are those that are
    contradicted, then those that are not found, the least supported first.

    Attributes:
        columns: names of the columns of answers, passages and groups.
    """

    instrument = "groundedness"

    columns: GroundingColumns

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers of claims by name, for JSON; rows are numbered from 1."""
        worst = [
            {
                "row": row + 1,
                "claim": claim.claim,
                "verdict": str(claim.verdict),
                "score": None if np.isnan(claim.score) else claim.score,
                "sentence": claim.sentence,
                "reason": claim.reason,
            }
            for row, claim in self.worst
        ]
        return {**super().instrument_record(), "worst": worst}


S = TypeVar("S", bound=ClaimSummary)


class ClaimTally(Generic[S]):
    """Adds up judged answers in parts, and stores the worst claims.

    Args:
        kind: class of the summary.
        figures: returns the values of each mean, shape (m,), by name.
        badness: returns the rank of a claim, the worst with the lowest; NaN for a claim that is not shown.
        by: the column of groups; ``None`` without groups.
    """

    def __init__(
        self,
        kind: type[S],
        figures: Mapping[str, Callable[[JudgedAnswers], Floats]],
        badness: Callable[[ClaimVerdict], float],
        by: Grouping | None,
    ) -> None:
        self._kind, self._figures, self._badness, self._by = kind, figures, badness, by
        measures = [value_figure(name, (0.0, 1.0)) for name in figures]
        self._rows = RowTally(measures, Signature.of("claims"), by=() if by is None else (by,))
        self._n_claims = self._n_contradicted = 0
        self._verdicts: Counter[Support] = Counter()
        self._worst = ForemostRows[tuple[int, ClaimVerdict]](WORST_CLAIMS)

    def add(self, judged: JudgedAnswers, answers: Sequence[Any], groups: Sequence[str | None] | None) -> None:
        """Add the next m answers.

        Args:
            judged: the answers.
            answers: m cells.
            groups: m names of groups; ``None`` without groups.
        """
        first = self._rows.n
        claims = [(first + row, claim) for row, listed in enumerate(judged.claims) for claim in listed]
        contradicted = {row for row, claim in claims if claim.verdict is Support.CONTRADICTED}
        self._n_contradicted += len(contradicted)
        self._verdicts.update(claim.verdict for _, claim in claims)
        badness = np.array([self._badness(claim) for _, claim in claims], np.float64)
        self._worst.add(badness, self._n_claims, claims.__getitem__)
        self._n_claims += len(claims)
        self._rows.add(
            np.column_stack([values(judged) for values in self._figures.values()]),
            judged.status,
            groups=None if self._by is None or groups is None else {self._by.column: groups},
            shown=answers.__getitem__,
        )
        self._rows.add_languages(([str(cell or "")] for cell in answers), judged.status)
        self._rows.sample_language(judged.status, answers.__getitem__)

    def summary(self, plan: IntervalPlan, table: Table, signature: Signature, **more: Any) -> S:
        """Summarize all answers.

        Args:
            plan: settings of the intervals.
            table: table of the answers.
            signature: the settings that were applied.
            more: further fields of the summary.

        Raises:
            InputError: there are no answers.
        """
        if not self._rows.n:
            raise InputError("there are no rows to estimate from; name a table that has some")
        return self._kind(
            **self._rows.summary_fields(plan, table.file_name, signature),
            claims={verdict: self._verdicts[verdict] for verdict in Support},
            n_contradicted=self._n_contradicted,
            worst=self._worst.items,
            **more,
        )


def measure_agreement(
    table: Table,
    columns: AnswerColumns | AskedColumns,
    *,
    instrument: ClaimConsistency,
    model: AskedModel | None = None,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> AgreementSummary:
    """Judge each sentence of a table's answers by samples, write the table, and summarize it.

    The written table has a row for each item with the input's columns, then those of
    ``JudgedAnswers.to_frame`` with the prefix ``semscale_``, ``semscale_reason``,
    ``semscale_supported_share``, ``semscale_lowest_claim`` with its ``semscale_lowest_value``, and the
    numbers of samples.

    All cells are checked first. A judge without an entailment model estimates word weights and the level of
    unrelated texts from the samples of 50,000 random rows. If a model is asked, they come from its replies if
    all questions are one part, and else from the answers to 50,000 questions, which are requested first.

    Args:
        table: the input.
        columns: columns of answers, or of questions if a model is asked; labels and log-probabilities are not
            used.
        instrument: instrument that measures the answers.
        model: chat model for answers and samples, if any; it needs a ledger, so that stored
            replies are not requested again.
        plan: settings of the intervals, and the seed of all draws.
        out: as for ``measure_table``.
        settings: settings of the parts; their size is in items.
        progress: called as answers are judged, while texts are embedded and replies come.

    Returns:
        Numbers of all answers, and the worst claims; texts of other answers are not kept in memory.

    Raises:
        InputError: as ``measure_table``.
        StoppedByUserError: stopped by the user; finished parts are stored.
        ModelError: the model cannot be run; finished parts are stored.
        ReplyError: no call can succeed; finished parts are stored.
    """
    settings = settings or PartSettings()
    source = AnswerSource(table, columns, model=model, part_rows=settings.part_rows, progress=progress)
    work = AgreementTable(source, instrument, plan or IntervalPlan())
    return measure_table(source.table, work, out=out, settings=settings, progress=progress)


class AgreementTable(TableInstrument[JudgedAnswers, AgreementSummary]):
    """Judging of claims by samples in a run over a table.

    Args:
        source: source of answers and samples.
        instrument: instrument that measures the answers.
        plan: settings of the intervals, and the seed of all draws.
    """

    stage = "judging claims"
    result = JudgedAnswers
    private = (SAMPLES,)

    def __init__(self, source: AnswerSource, instrument: ClaimConsistency, plan: IntervalPlan) -> None:
        self.columns: AnswerColumns | AskedColumns = source.columns.with_preparation(instrument.settings)
        self._source, self._instrument, self._plan = source, instrument, plan
        self._estimates = not instrument.claim_judge.uses_entailment
        self._sample = RowSample[list[str]](CORPUS_ROWS, plan.seed)
        self._asks_corpus = False
        self._applied = self._signature
        self._n_samples = self._n_left_out = 0

    @property
    def stored(self) -> str:
        """Clause on replies that are stored."""
        return self._source.stored

    def key(self) -> dict[str, str]:
        """Return the fields of the signature."""
        return self._source.key(self._signature)

    def inspect(self, cells: Cells) -> None:
        """Draw the rows for estimates: sentences of samples, or questions."""
        if not self._estimates or self._source.items is not None:
            return
        if self._source.model is None:
            listed = self._instrument.sentences(cells["answer"], sample_texts(cells))
        else:
            listed = [
                [str(prompt)] if prompt_status(prompt) is Status.SCORED else [] for prompt in questions(cells)
            ]
        self._sample.add((cells.first_row + row, texts) for row, texts in enumerate(listed) if texts)

    def start(self, table: Table) -> None:
        """Set the instrument's corpus, or prepare to request answers for it."""
        source = self._source
        source.table = table
        self._tally = ClaimTally(
            AgreementSummary,
            {"score": attrgetter("score"), "supported_share": JudgedAnswers.supported_share},
            _support_rank,
            self.columns.grouping,
        )
        if not self._estimates:
            return
        if source.items is not None:
            # A row that is not the first of its item is a sample; its own text takes the place of the answer.
            prepare = self.columns.preparation.prepare
            rows = ((row, prepare(text)) for row, text in source.items.sample_texts(source.part_rows))
            listed = ((row, self._instrument.sentences([text], [[text]])[0]) for row, text in rows)
            self._sample.add((row, texts) for row, texts in listed if texts)
        if source.model is None:
            self._instrument = self._instrument.over(list(chain.from_iterable(self._sample.items)))
        self._asks_corpus = source.model is not None and source.is_in_parts(CORPUS_ROWS)

    def measure(self, cells: Cells) -> JudgedAnswers:
        """Judge the claims of some answers, after requesting answers and samples if a model is asked."""
        source = self._source
        if source.model is None:
            return self._instrument.measure_prepared(cells["answer"], sample_texts(cells), source.progress)
        if self._asks_corpus:
            answers = source.first_answers(source.model, [prompt for (prompt,) in self._sample.items])
            sentences = [sentence for text in answers for sentence in sentences_with_text(text)]
            self._instrument, self._asks_corpus = self._instrument.over(sentences), False
        replies = run_to_end(source.model.ask(questions(cells), source.stopped, source.progress))
        source.note(replies)
        judged = self._instrument.measure_prepared(_whole_answers(replies), replies.samples, source.progress)
        status = np.where(replies.status == Status.SCORED, judged.status, replies.status)
        return replace(judged, status=status, signature=self._signature)

    def is_finished(self, result: JudgedAnswers) -> bool:
        """Return whether no cap stopped the requests."""
        return self._source.is_finished

    def has_failed_calls(self, result: JudgedAnswers) -> bool:
        """Return whether calls failed that may succeed later."""
        return self._source.has_failed_calls

    def notes(self, result: JudgedAnswers) -> dict[str, Any]:
        """Return the counts of replies."""
        return self._source.notes

    def further_columns(self, cells: Cells, result: JudgedAnswers) -> list[pl.Series]:
        """Return reasons, the lowest claim and counts of samples, and the texts of replies."""
        replies = None if self._source.model is None else self._source.replies
        if replies is None:
            sampled = pair_samples(cells["answer"], sample_texts(cells))
        else:
            sampled = pair_samples(_whole_answers(replies), replies.samples)
        reasons = measuring_reasons(sampled, result.score, "consistency")
        reasons = tuple(
            NO_CLAIM if status is Status.WEIGHTLESS else reason
            for status, reason in zip(result.status, reasons, strict=True)
        )
        lowest = result.lowest()
        columns = [
            pl.Series("reason", reasons if replies is None else asking_reasons(replies, reasons), pl.String),
            pl.Series("supported_share", result.supported_share(), nan_to_null=True),
            pl.Series("lowest_claim", [claim and claim[0] for claim in lowest], pl.String),
            pl.Series("lowest_value", [claim and claim[1] for claim in lowest], pl.Float64),
            pl.Series("samples", sampled.n_samples),
            pl.Series("samples_left_out", sampled.n_left_out),
        ]
        named = [column.alias(PREFIX + column.name) for column in columns]
        return named if replies is None else [*named, *self._source.reply_columns]

    def read(self, frame: pl.DataFrame, notes: Mapping[str, Any]) -> JudgedAnswers:
        """Read the result and the counts of replies of a part back."""
        self._source.read_counts(notes)
        return super().read(frame, notes)

    def add(self, cells: Cells, result: JudgedAnswers) -> None:
        """Add a part to the summary."""
        self._applied = result.signature
        self._source.add_counts()
        self._tally.add(result, self._source.answers(cells), cells.get("by"))
        self._n_samples += int(cells.rows[f"{PREFIX}samples"].sum())
        self._n_left_out += int(cells.rows[f"{PREFIX}samples_left_out"].sum())

    def summary(self) -> AgreementSummary:
        """Summarize all parts."""
        replies = self._source.counts
        return self._tally.summary(
            self._plan,
            self._source.table,
            (replies or ReplyCounts()).update_signature(self._applied),
            uses_entailment=not self._estimates,
            columns=self._source.named,
            n_samples=self._n_samples,
            n_samples_left_out=self._n_left_out,
            replies=replies,
        )

    @property
    def _signature(self) -> Signature:
        signature, model = self._instrument.signature, self._source.model
        if model is None:
            return signature
        chat = tuple((f"chat_{name}", value) for name, value in model.runner.model.signature.fields)
        return signature.plus(model.sampling.signature).plus(Signature("chat", chat))


def _whole_answers(replies: Replies) -> list[str | None]:
    """Return the answers with complete samples."""
    rows = zip(replies.answers, replies.status == Status.SCORED, strict=True)
    return [text if is_whole else None for text, is_whole in rows]


def _support_rank(claim: ClaimVerdict) -> float:
    """Rank claims by their support; NaN for claims that every sample supports, or that were not read."""
    is_shown = claim.verdict in {Support.CONTRADICTED, Support.NOT_FOUND}
    return claim.value if is_shown else np.nan


def measure_groundedness(
    table: Table,
    columns: GroundingColumns,
    *,
    instrument: Groundedness,
    plan: IntervalPlan | None = None,
    out: Target | None = None,
    settings: PartSettings | None = None,
    progress: Progress | None = None,
) -> GroundingSummary:
    """Judge each sentence of a table's answers by the passages in its row, write the table, and summarize it.

    The written table has the input's columns and rows in their order, then those of
    ``JudgedAnswers.to_frame`` with the prefix ``semscale_``.

    A judge without an entailment model estimates word weights and the level of unrelated texts from the
    passages of 50,000 random rows, or of all rows of a shorter file.

    Args:
        table: the input.
        columns: names of the columns; the passages are ``context``.
        instrument: instrument that judges the answers.
        plan: settings of the intervals, and the seed of all draws.
        out: as for ``measure_table``.
        settings: the parts.
        progress: called as rows are judged, and while texts are embedded.

    Returns:
        Numbers of all rows, and the worst claims; texts of other rows are not kept in memory.

    Raises:
        InputError: as ``measure_table``.
        StoppedByUserError: stopped by the user; finished parts are stored.
        ModelError: the model cannot be run; finished parts are stored.
    """
    work = GroundingTable(columns, instrument, plan or IntervalPlan(), progress)
    return measure_table(table, work, out=out, settings=settings, progress=progress)


class GroundingTable(TableInstrument[JudgedAnswers, GroundingSummary]):
    """Judging of claims by passages in a run over a table.

    Args:
        columns: names of the columns.
        instrument: instrument that judges the answers.
        plan: settings of the intervals, and the seed of all draws.
        progress: called while texts are embedded.
    """

    stage = "judging claims"
    result = JudgedAnswers

    def __init__(
        self,
        columns: GroundingColumns,
        instrument: Groundedness,
        plan: IntervalPlan,
        progress: Progress | None = None,
    ) -> None:
        self.columns: GroundingColumns = columns.with_preparation(instrument.settings)
        self._instrument, self._plan, self._progress = instrument, plan, progress
        self._sample = RowSample[list[str]](CORPUS_ROWS, plan.seed)

    def key(self) -> dict[str, str]:
        """Return the fields of the judge's signature."""
        return dict(self._instrument.claim_judge.signature.fields)

    def inspect(self, cells: Cells) -> None:
        """Draw sentences of passages for estimates."""
        if not self._instrument.claim_judge.uses_entailment:
            listed = self._instrument.sentences(cells["prediction"], cells["context"])
            self._sample.add((cells.first_row + row, texts) for row, texts in enumerate(listed) if texts)

    def start(self, table: Table) -> None:
        """Compute the estimates."""
        self._table = table
        self._tally = ClaimTally(
            GroundingSummary, {"score": attrgetter("score")}, _grounding_rank, self.columns.grouping
        )
        self._instrument = self._instrument.over(list(chain.from_iterable(self._sample.items)))

    def measure(self, cells: Cells) -> JudgedAnswers:
        """Judge the claims of some answers."""
        return self._instrument.judge_prepared(cells["prediction"], cells["context"], self._progress)

    def add(self, cells: Cells, result: JudgedAnswers) -> None:
        """Add a part to the summary."""
        self._tally.add(result, cells["prediction"], cells.get("by"))

    def summary(self) -> GroundingSummary:
        """Summarize all parts."""
        return self._tally.summary(
            self._plan,
            self._table,
            self._instrument.signature,
            uses_entailment=self._instrument.claim_judge.uses_entailment,
            columns=self.columns,
        )


def _grounding_rank(claim: ClaimVerdict) -> float:
    """Rank contradicted claims first, then claims that were not found, by their support; NaN for others."""
    if claim.verdict is Support.CONTRADICTED:
        return -1.0
    score = 0.0 if np.isnan(claim.score) else claim.score
    return score if claim.verdict is Support.NOT_FOUND else np.nan
