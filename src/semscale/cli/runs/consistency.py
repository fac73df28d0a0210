"""What ``semscale consistency`` does between its options and its output: check, ask, measure, write."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Unpack

from semscale.chat.forecast_summary import ForecastSummary
from semscale.cli.options.asking import AskingChoice
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.embedding.tokens.state_engine import TOKENLESS_ENGINES
from semscale.errors import InputError
from semscale.self_consistency.asking.asked_model import AskedModel
from semscale.self_consistency.consistency import Consistency
from semscale.self_consistency.correctness_probability import CorrectnessSettings
from semscale.self_consistency.file_consistency import consistency_file
from semscale.self_consistency.files.columns import AnswerColumns
from semscale.self_consistency.sampling import prompt_status
from semscale.self_consistency.scoring.measures import MEASURES, check_measures
from semscale.self_consistency.settings import ConsistencySettings, checked_fewest, checked_floor
from semscale.self_consistency.summary import ConsistencySummary
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.columns import column_in
from semscale.store.reading import TableSettings, open_table
from semscale.store.table import Table
from semscale.store.table_run import PART_ROWS, PartSettings
from semscale.types import Progress, Status

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel


@dataclass(frozen=True)
class ConsistencyRun:
    """One call of ``semscale consistency``.

    Attributes:
        columns: which column is what.
        measures: names of measures, the first of which is the score.
        model: which embedding model.
        plan: how intervals are made, and the seed of all that is random.
        asking: whom to ask for what, if anybody.
        correctness: how P(correct) is made of labels.
        floor: cosine of unrelated answers, or ``auto``.
        fewest: samples that a prompt needs.
        outputs: files to write.
        parts: how the file is cut into parts.
    """

    columns: AnswerColumns
    measures: Sequence[str]
    model: ModelChoice
    plan: IntervalPlan
    asking: AskingChoice | None = None
    correctness: CorrectnessSettings = field(default_factory=CorrectnessSettings)
    floor: float | str = "auto"
    fewest: int = 1
    outputs: Outputs = Outputs()
    parts: PartSettings = PartSettings()

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
        self.outputs.check_restart(restart=self.parts.restart)

    def on(self, file: str, **settings: Unpack[TableSettings]) -> ConsistencySummary:
        """Measure a file, write its table, and sum it up; where a cap is reached, as far as it went.

        Raises:
            SemscaleError: what the table or a model cannot do.
        """
        table = self._table(file, **settings)
        with progress_bars() as progress:
            chat = None if self.asking is None else self.asking.load(progress)
            model = None
            if self.asking is not None and chat is not None:
                model = AskedModel(self.asking.sampling, self.asking.calls.runner(chat))
            return consistency_file(
                table,
                self.columns,
                instrument=self._instrument(chat, progress),
                model=model,
                correctness=self.correctness,
                plan=self.plan,
                out=self.outputs.out,
                settings=self.parts,
                progress=progress,
            )

    def preflight(self, file: str, **settings: Unpack[TableSettings]) -> ForecastSummary:
        """Say what asking would take, without asking.

        Raises:
            InputError: nobody is to be asked.
        """
        if self.asking is None:
            raise InputError("--dry-run says what asking would take: give --ask N and --model NAME")
        table = self._table(file, **settings)
        self.columns.check(table)
        column = str(self.columns.prompt)
        batches = table.batches_with({column}, PART_ROWS)
        prompts = [cell for batch in batches for cell in column_in(batch, column).to_list()]
        counts = Counter(str(prompt_status(prompt)) for prompt in prompts)
        asked = counts.pop(Status.SCORED, 0)
        return ForecastSummary(table.name, self.asking.preflight(prompts), asked, counts, "prompt")

    def _table(self, file: str, **settings: Unpack[TableSettings]) -> Table:
        self.outputs.check_input(file)
        return open_table(file, **settings)

    def _instrument(self, chat: "ChatModel | None", progress: Progress | None) -> Consistency:
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
        return Consistency(chat, **settings)
