"""What ``semscale drift self-test`` does between options and output: load, damage, ask the gate, write."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from semscale.cli.drift.meter import MeterChoice
from semscale.cli.drift.place import baseline_of, chosen_history, dataset_of, run_of
from semscale.cli.outputs import Outputs
from semscale.cli.progress import progress_bars
from semscale.drift.gate.check import check_gate
from semscale.drift.gate.settings import GateSettings
from semscale.drift.self_testing.results import SelfTest
from semscale.drift.self_testing.self_test import self_test
from semscale.history.runs import Run
from semscale.store.writing import write_table

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True)
class SelfTestRun:
    """One call of ``semscale drift self-test``.

    Attributes:
        run: to be damaged; the baseline unless given.
        where: the history.
        dataset: which one; the only one unless given.
        measuring: how runs are measured.
        settings: of the gate.
        kinds: of change; all unless given.
        shares: of the items that are changed; as ``self_test`` has them unless given.
        items: of each draw.
        draws: of each kind and share.
        outputs: files to write.
    """

    run: str | None = None
    where: str | None = None
    dataset: str | None = None
    measuring: MeterChoice = field(default_factory=MeterChoice)
    settings: GateSettings = field(default_factory=GateSettings)
    kinds: Sequence[str] | None = None
    shares: Sequence[float] | None = None
    items: int = 30
    draws: int = 200
    outputs: Outputs = field(default_factory=Outputs)

    def done(self) -> SelfTest:
        """Damage the run and ask the gate, again and again.

        Raises:
            SemscaleError: what the history or the model cannot do, or a setting that cannot be used.
        """
        self.outputs.check()
        with chosen_history(self.where) as history:
            baseline, reruns = self._runs(history)
        check_gate(baseline, self.settings)
        with progress_bars() as progress:
            found = self_test(
                baseline,
                reruns=reruns,
                meter=self.measuring.meter(),
                settings=self.settings,
                kinds=self.kinds,
                items=self.items,
                draws=self.draws,
                seed=self.measuring.seed,
                progress=progress,
                **({} if not self.shares else {"shares": tuple(self.shares)}),
            )
        if self.outputs.out is not None:
            write_table(found.to_frame(), self.outputs.out)
        return found

    def _runs(self, history: "History") -> tuple[Run, list[Run]]:
        if self.run is None:
            baseline, _ = baseline_of(history, None, dataset_of(history, self.dataset))
        else:
            baseline = run_of(history, self.run, self.dataset)
        return baseline, history.reruns(baseline.id)
