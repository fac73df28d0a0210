"""What ``semscale consistency`` does between its options and its output: check, ask, measure, write."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import polars as pl

from semscale.cli.options.asking import AskingChoice
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import check_input, check_report, write_page
from semscale.cli.progress import progress_bars
from semscale.embedding.tokens.state_engine import TOKENLESS_ENGINES
from semscale.errors import InputError
from semscale.self_consistency.asking import Replies
from semscale.self_consistency.columns import AnswerCells, AnswerColumns, read_answers
from semscale.self_consistency.consistencies import Consistencies
from semscale.self_consistency.consistency import Consistency
from semscale.self_consistency.correctness_probability import estimate_trust, trust_frame
from semscale.self_consistency.measures import MEASURES, check_measures
from semscale.self_consistency.settings import ConsistencySettings, checked_fewest, checked_floor
from semscale.self_consistency.summary import ConsistencySummary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.atomic import check_writable
from semscale.store.reading import TableSettings, open_table
from semscale.store.result_columns import PREFIX, check_output
from semscale.store.writing import output_format, write_table
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.stats.calibration.calibrators import CurveName


@dataclass(frozen=True)
class TrustChoice:
    """How P(correct) is made of labels.

    Attributes:
        curve: ``platt`` or ``isotonic``.
        error_rate: share of wrong answers that is allowed among accepted ones.
        lost_rate: share of right answers that is allowed among those given up.
        confidence: with which both hold.
    """

    curve: "CurveName" = "platt"
    error_rate: float = 0.05
    lost_rate: float = 0.2
    confidence: float = 0.95


@dataclass(frozen=True)
class ConsistentFile:
    """What came of one call of ``semscale consistency``.

    Attributes:
        summary: what was measured.
        out: where the table was written, if it was.
        report: where the report was written, if it was.
    """

    summary: ConsistencySummary
    out: Path | None = None
    report: Path | None = None


@dataclass(frozen=True)
class ConsistencyRun:
    """One call of ``semscale consistency``.

    Attributes:
        columns: which column is what.
        measures: names of measures, the first of which is the score.
        model: which embedding model.
        plan: how intervals are made, and the seed of all that is random.
        asking: whom to ask for what, if anybody.
        trust: how P(correct) is made.
        floor: cosine of unrelated answers, or ``auto``.
        fewest: samples that a prompt needs.
        out: file for the table.
        report: file for the report.
    """

    columns: AnswerColumns
    measures: Sequence[str]
    model: ModelChoice
    plan: IntervalPlan
    asking: AskingChoice | None = None
    trust: TrustChoice = field(default_factory=TrustChoice)
    floor: float | str = "auto"
    fewest: int = 1
    out: Path | None = None
    report: Path | None = None

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: an unknown measure, or an extension, folder or file that does not serve.
        """
        check_measures(self.measures)
        checked_floor(self.floor)
        checked_fewest(self.fewest)
        if (self.columns.answer is None) != (self.asking is not None):
            raise InputError("name either --answer, whose answers are measured, or --ask N with --model")
        if self.asking is not None:
            self.asking.check(check_measures(self.measures)[0])
        if "bert_score" in self.measures and self.model.engine in TOKENLESS_ENGINES:
            raise InputError(
                "measure bert_score needs engine openvino or torch, which show the states of tokens, "
                f"got {self.model.engine!r}"
            )
        if self.out is not None:
            output_format(self.out)
            check_writable(self.out, "out")
        check_report(self.report)

    def on(self, file: str, **settings: Unpack[TableSettings]) -> ConsistentFile:
        """Measure a file, write what was asked for, and sum it up.

        Args:
            file: path of the table, or ``-``.
            settings: as ``open_table`` takes them.

        Raises:
            SemscaleError: what the table or a model cannot do.
        """
        cells, name = self.read(file, **settings)
        with progress_bars() as progress:
            found, replies = self._measured(cells, progress)
        if replies is not None:
            cells = replace(cells, answers=list(replies.answers), samples=[list(s) for s in replies.samples])
        summary = self._summary(name, cells, found, replies)
        if self.out is not None:
            write_table(written(summary), self.out)
        if self.report is not None:
            from semscale.report.consistency_page import consistency_page

            write_page(self.report, consistency_page(summary))
        return ConsistentFile(summary, self.out, self.report)

    def read(self, file: str, **settings: Unpack[TableSettings]) -> tuple[AnswerCells, str]:
        """Read the cells of a file, and say what messages call it."""
        check_input(file, self.report)
        table = open_table(file, **settings)
        self.columns.check(table)
        if self.out is not None:
            check_output(table, self.out)
        return read_answers(table, self.columns), table.name

    def _measured(
        self, cells: AnswerCells, progress: Progress | None
    ) -> tuple[Consistencies, Replies | None]:
        chat = None if self.asking is None else self.asking.load(progress)
        needs = frozenset().union(*(MEASURES[name].needs for name in self.measures))
        settings: ConsistencySettings = {
            "measures": self.measures,
            "floor": self.floor,
            "fewest_samples": self.fewest,
            "seed": self.plan.seed,
        }
        if "cosine" in needs:
            settings["embedder"] = self.model.load(progress)
        if "f1" in needs:
            named = self.model.engine == "openvino"
            settings["bert_embedder"] = self.model.chosen_name if named else self.model.load(progress)
        instrument = Consistency(chat, **settings)
        if self.asking is None or chat is None:
            return instrument.measure(cells.answers, cells.samples, progress=progress), None
        prompts = [str(cell) if isinstance(cell, int | float) else cell for cell in cells.prompts]
        asked = instrument.ask(
            prompts, sampling=self.asking.sampling, runner=self.asking.runner(chat), progress=progress
        )
        return asked.consistencies, asked.replies

    def _summary(
        self, source: str, cells: AnswerCells, found: Consistencies, replies: Replies | None
    ) -> ConsistencySummary:
        plan, choice = self.plan, self.trust
        trust = None
        if cells.labels is not None:
            trust = estimate_trust(
                found,
                cells.labels,
                curve=choice.curve,
                error_rate=choice.error_rate,
                lost_rate=choice.lost_rate,
                confidence=choice.confidence,
                seed=plan.seed,
            )
        estimates = found.estimate(
            by=cells.groups, interval=plan.interval, seed=plan.seed, replicates=plan.replicates
        )
        return ConsistencySummary(source, self.columns, cells, found, estimates, trust, replies, plan.seed)


def written(summary: ConsistencySummary) -> pl.DataFrame:
    """Put the result beside the items' own columns."""
    result = summary.found.to_frame()
    if summary.replies is not None:
        sides = {True: "above", False: "below", None: None}
        result = result.with_columns(
            pl.Series("answer", summary.replies.answers, dtype=pl.String),
            pl.Series("samples_asked", summary.replies.samples, dtype=pl.List(pl.String)),
            pl.Series("settled", [sides[side] for side in summary.replies.sides], dtype=pl.String),
        )
    if summary.trust is not None:
        result = pl.concat([result, trust_frame(summary.trust)], how="horizontal")
    return pl.concat([summary.cells.rows, result.rename(lambda name: PREFIX + name)], how="horizontal")
