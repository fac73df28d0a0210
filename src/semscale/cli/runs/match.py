"""What ``semscale match`` does between its options and its output: check, load, match, write."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Unpack

from semscale.cli.options.corpus import read_corpus
from semscale.cli.options.model_choice import ModelChoice
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.matching.file_matching import match_file
from semscale.matching.match_columns import MatchColumns
from semscale.matching.match_summary import MatchSummary
from semscale.matching.methods import MethodSettings, build_method, check_method, guards_for
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.reading import TableSettings, open_table
from semscale.store.table_run import PartSettings
from semscale.types import Progress


@dataclass(frozen=True)
class MatchRun:
    """One call of ``semscale match``.

    Attributes:
        columns: which column is what.
        method: of matching.
        model: which model.
        plan: how intervals are made, and the seed of all that is random.
        corpus: file and column of the corpus, if one is named.
        explain: whether explanations are wanted.
        guards: modes of guards that shall do otherwise than the method has it.
        recall_share: for ``calibrated``.
        layer: for ``bertscore``.
        outputs: files to write.
        parts: how the file is cut into parts.
    """

    columns: MatchColumns
    method: str
    model: ModelChoice
    plan: IntervalPlan
    corpus: tuple[str, str | None] | None = None
    explain: bool = False
    guards: Mapping[str, str] = field(default_factory=dict)
    recall_share: float | None = None
    layer: int | None = None
    outputs: Outputs = Outputs()
    parts: PartSettings = PartSettings()

    def check_options(self) -> None:
        """Check, before anything is read or loaded, that options go together and outputs can be written.

        Raises:
            InputError: an unknown method, or an extension, folder or file that does not serve.
        """
        check_method(self.method, self.model.engine)
        guards_for(self.method, self.guards)
        self.outputs.check()
        self.outputs.check_restart(restart=self.parts.restart)

    def on(self, file: str, **settings: Unpack[TableSettings]) -> MatchSummary:
        """Match a file, write its table, and sum it up.

        Args:
            file: path of the table, or ``-``.
            settings: as ``open_table`` takes them.

        Raises:
            SemscaleError: what the table, the model or the method cannot do.
        """
        self.outputs.check_input(file)
        table = open_table(file, **settings)
        corpus = None if self.corpus is None else read_corpus(*self.corpus)
        with progress_bars() as progress:
            return match_file(
                table,
                self.columns,
                method=build_method(self.method, self._recipe(corpus, progress)),
                guards=guards_for(self.method, self.guards),
                explain=self.explain,
                plan=self.plan,
                out=self.outputs.out,
                settings=self.parts,
                progress=progress,
            )

    def _recipe(self, corpus: list[str] | None, progress: Progress | None) -> MethodSettings:
        return MethodSettings(
            self.model.chosen_name,
            self.model.precision,
            corpus,
            self.plan.seed,
            self.model.loading(progress),
            guards_for(self.method, self.guards),
            self.recall_share,
            self.layer,
        )
