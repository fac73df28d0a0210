"""What ``semscale consistency`` does between its options and its output: check, ask, measure, write."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Unpack

import polars as pl

from semscale.chat.forecast_summary import ForecastSummary
from semscale.cli.options.asking import AskingChoice
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.embedding.tokens.state_engine import TOKENLESS_ENGINES
from semscale.errors import InputError
from semscale.self_consistency.asking import Replies
from semscale.self_consistency.columns import AnswerCells, AnswerColumns, read_answers
from semscale.self_consistency.consistencies import Consistencies
from semscale.self_consistency.consistency import Consistency
from semscale.self_consistency.correctness_probability import Trust, TrustSettings, trust_frame
from semscale.self_consistency.measures import MEASURES, check_measures
from semscale.self_consistency.sampling import prompt_status
from semscale.self_consistency.settings import ConsistencySettings, checked_fewest, checked_floor
from semscale.self_consistency.summary import ConsistencySummary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.reading import TableSettings, open_table
from semscale.store.result_columns import PREFIX, check_output
from semscale.store.writing import write_table
from semscale.types import Progress, Status


@dataclass(frozen=True)
class ConsistencyRun:
    """One call of ``semscale consistency``.

    Attributes:
        columns: which column is what.
        measures: names of measures, the first of which is the score.
        model: which embedding model.
        plan: how intervals are made, and the seed of all that is random.
        asking: whom to ask for what, if anybody.
        trust: how P(correct) is made of labels.
        floor: cosine of unrelated answers, or ``auto``.
        fewest: samples that a prompt needs.
        outputs: files to write.
    """

    columns: AnswerColumns
    measures: Sequence[str]
    model: ModelChoice
    plan: IntervalPlan
    asking: AskingChoice | None = None
    trust: TrustSettings = field(default_factory=TrustSettings)
    floor: float | str = "auto"
    fewest: int = 1
    outputs: Outputs = Outputs()

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: an unknown measure, or an extension, folder or file that does not serve.
        """
        main, *_ = check_measures(self.measures)
        checked_floor(self.floor)
        checked_fewest(self.fewest)
        if (self.columns.answer is None) != (self.asking is not None):
            raise InputError("name either --answer, whose answers are measured, or --ask N with --model")
        if self.asking is not None:
            self.asking.check(main)
        if "bert_score" in self.measures and self.model.engine in TOKENLESS_ENGINES:
            raise InputError(
                "measure bert_score needs engine openvino or torch, which show the states of tokens, "
                f"got {self.model.engine!r}"
            )
        self.outputs.check()

    def on(self, file: str, **settings: Unpack[TableSettings]) -> ConsistencySummary:
        """Measure a file, write its table, and sum it up; where a cap is reached, as far as it went.

        Raises:
            SemscaleError: what the table or a model cannot do.
        """
        name, cells = self._cells(file, **settings)
        with progress_bars() as progress:
            found, replies = self._measured(cells, progress)
        trust = self._trusted(cells, found, replies)
        if self.outputs.out is not None:
            write_table(measured_table(cells, found, replies, trust), self.outputs.out)
        return found.summarize(
            answers=cells.answers if replies is None else replies.answers,
            samples=cells.samples if replies is None else replies.samples,
            prompts=cells.prompts,
            trust=trust,
            replies=None if replies is None else replies.counts,
            source=name,
            columns=tuple(self.columns.named),
            by=None if cells.groups is None else pl.Series(self.columns.by, cells.groups),
            interval=self.plan.interval,
            seed=self.plan.seed,
            replicates=self.plan.replicates,
        )

    def preflight(self, file: str, **settings: Unpack[TableSettings]) -> ForecastSummary:
        """Say what asking would take, without asking.

        Raises:
            InputError: nobody is to be asked.
        """
        if self.asking is None:
            raise InputError("--dry-run says what asking would take: give --ask N and --model NAME")
        name, cells = self._cells(file, **settings)
        counts = Counter(str(prompt_status(prompt)) for prompt in cells.prompts)
        asked = counts.pop(Status.SCORED, 0)
        return ForecastSummary(name, self.asking.preflight(cells.prompts), asked, counts, "prompt")

    def _cells(self, file: str, **settings: Unpack[TableSettings]) -> tuple[str, AnswerCells]:
        self.outputs.check_input(file)
        table = open_table(file, **settings)
        self.columns.check(table)
        if self.outputs.out is not None:
            check_output(table, self.outputs.out)
        return table.name, read_answers(table, self.columns)

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
        asked = instrument.ask(
            cells.prompts,
            sampling=self.asking.sampling,
            runner=self.asking.calls.runner(chat),
            progress=progress,
        )
        return asked.consistencies, asked.replies

    def _trusted(self, cells: AnswerCells, found: Consistencies, replies: Replies | None) -> Trust | None:
        # Of a run that a cap stopped the first items are there, and labels among these are no random sample.
        if cells.labels is None or (replies is not None and replies.counts.stopped):
            return None
        return found.trust(cells.labels, **self.trust)


def measured_table(
    cells: AnswerCells, found: Consistencies, replies: Replies | None = None, trust: Trust | None = None
) -> pl.DataFrame:
    """Put what was found beside the items' own columns."""
    result = found.to_frame()
    if replies is not None:
        sides = {True: "above", False: "below", None: None}
        result = result.with_columns(
            pl.Series("answer", replies.answers, dtype=pl.String),
            pl.Series("samples_asked", replies.samples, dtype=pl.List(pl.String)),
            pl.Series("settled", [sides[side] for side in replies.sides], dtype=pl.String),
        )
    if trust is not None:
        result = pl.concat([result, trust_frame(trust)], how="horizontal")
    return pl.concat([cells.rows, result.rename(lambda name: PREFIX + name)], how="horizontal")
