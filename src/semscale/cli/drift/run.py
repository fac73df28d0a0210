"""What ``semscale drift compare`` and ``gate`` do between options and output: load, measure, decide, keep."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.cli.drift.meter import MeterChoice
from semscale.cli.drift.outputs import DriftOutputs
from semscale.cli.drift.place import baseline_of, chosen_history, dataset_of, run_of
from semscale.cli.drift.source import OutputFile
from semscale.cli.progress import progress_bars
from semscale.drift.gate.check import check_gate
from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.stored_figures import stored
from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.meter import DriftMeter
from semscale.errors import InputError, InterruptedRunError, UnknownNameError
from semscale.history.runs import Approval, Run, short_id
from semscale.history.stored_comparison import StoredComparison
from semscale.report.drift_items import HarmedItem, most_harmed
from semscale.report.drift_words import headline

if TYPE_CHECKING:
    from semscale.history.history import History

WORST = 6
"""How many of the items that changed most are shown on the screen."""


@dataclass(frozen=True)
class ComparedRuns:
    """What came of one call of ``compare`` or ``gate``.

    Attributes:
        comparison: what was measured.
        decision: what the gate decided; ``None`` where none was asked.
        stored: the comparison as the history keeps it.
        approval: what made the baseline the baseline; ``None`` where another run was named.
        recorded: the file that the candidate was recorded from, if it was one.
        written: files that were written, by what they are.
    """

    comparison: Comparison
    decision: GateDecision | None
    stored: StoredComparison
    approval: Approval | None = None
    recorded: str | None = None
    written: dict[str, Path] = field(default_factory=dict)

    @property
    def worst(self) -> tuple[HarmedItem, ...]:
        """The items that changed most."""
        return most_harmed(self.comparison, self.decision, limit=WORST)

    @property
    def verdict(self) -> str:
        """The gate's outcome, why, and what to do; empty where no gate was asked."""
        if self.decision is None:
            return ""
        said = f"{self.decision.outcome}: {headline(self.decision, self.comparison)}"
        return f"{said} {self._advice(self.decision.outcome)}".rstrip()

    def _advice(self, outcome: Outcome) -> str:
        if outcome is Outcome.FAIL:
            candidate = short_id(self.comparison.candidate.id)
            return f"If the change is meant: semscale drift approve {candidate} --by NAME --why REASON."
        if outcome is Outcome.UNDECIDED and not self.comparison.reruns:
            return "Some of it may be chance: record a rerun of the baseline (--rerun-of baseline)."
        return ""


@dataclass(frozen=True)
class CompareRun:
    """One call of ``semscale drift compare`` or ``gate``.

    Attributes:
        candidate: a run, or a file of outputs.
        where: the history.
        dataset: of both; the history's only one unless given.
        baseline: a run that stands in for the approved one.
        source: how a file is read.
        measuring: how runs are measured.
        settings: of the gate; ``None`` where none is asked.
        outputs: files that are written.
    """

    candidate: str
    where: str | None = None
    dataset: str | None = None
    baseline: str | None = None
    source: OutputFile = field(default_factory=OutputFile)
    measuring: MeterChoice = field(default_factory=MeterChoice)
    settings: GateSettings | None = None
    outputs: DriftOutputs = field(default_factory=DriftOutputs)

    def done(self) -> ComparedRuns:
        """Compare, keep what came of it, and write what was asked for.

        Raises:
            SemscaleError: what the history, the file or the model cannot do.
            InterruptedRunError: the user stopped it; nothing of it is kept.
        """
        self.outputs.check()
        meter = self.measuring.meter()
        with chosen_history(self.where) as history:
            history.check_writable()
            try:
                return self._done(history, meter)
            except KeyboardInterrupt:
                raise InterruptedRunError(
                    "stopped; no comparison was stored. The same command goes on with what "
                    "was read of the baseline"
                ) from None

    @property
    def _needs_floors(self) -> bool:
        return self.settings is not None and bool(self.settings.thresholds)

    def _decided(self, history: "History", comparison: Comparison) -> GateDecision | None:
        settings = self.settings
        if settings is None:
            return None
        earlier = history.comparisons(baseline_id=comparison.baseline.id) if settings.over_runs else ()
        return decide(comparison, settings, earlier=earlier)

    def _done(self, history: "History", meter: DriftMeter) -> ComparedRuns:
        baseline, candidate, approval, recorded = self._runs(history)
        if candidate.id == baseline.id:
            raise InputError(
                f"candidate must be another run than the baseline {short_id(baseline.id)}: record what "
                "the new model gives, or name its file"
            )
        if self.settings is not None:
            check_gate(baseline, self.settings)
        reruns = [run for run in history.reruns(baseline.id) if run.id != candidate.id]
        with progress_bars() as progress:
            comparison = compare(
                baseline, candidate, reruns=reruns, meter=meter, floors=self._needs_floors, progress=progress
            )
            decision = self._decided(history, comparison)
        kept = stored(comparison, decision, self.settings or GateSettings(by=baseline.group_kinds))
        if recorded is not None:
            history.record(candidate)
        history.keep(kept)
        try:
            self.outputs.write(comparison, decision, approval)
        except KeyboardInterrupt:
            raise InterruptedRunError(
                "stopped; the comparison is stored, and files may be missing: ask about "
                f"{short_id(candidate.id)} again"
            ) from None
        return ComparedRuns(comparison, decision, kept, approval, recorded, self.outputs.named)

    def _runs(self, history: "History") -> tuple[Run, Run, Approval | None, str | None]:
        """Load the baseline and the candidate; say who approved it, and which file was read."""
        if self.candidate != "-" and not Path(self.candidate).exists():
            candidate = self._stored_candidate(history)
            self._check_model(candidate)
            baseline, approval = baseline_of(history, self.baseline, candidate.dataset)
            return baseline, candidate, approval, None
        baseline, approval = baseline_of(history, self.baseline, dataset_of(history, self.dataset))
        candidate = self.source.read(self.candidate, dataset=baseline.dataset, like=baseline)
        return baseline, candidate, approval, self.candidate

    def _check_model(self, candidate: Run) -> None:
        """See that nobody takes a run of the history for one of another model."""
        named = self.source.model
        if named not in {None, candidate.model}:
            raise InputError(
                f"model: run {short_id(candidate.id)} is of {candidate.model!r:.60}, got {named!r:.60}: drop "
                "--model, or name the file of the new outputs"
            )

    def _stored_candidate(self, history: "History") -> Run:
        try:
            return run_of(history, self.candidate, self.dataset)
        except UnknownNameError as error:
            if Path(self.candidate).suffix:
                raise InputError(f"{self.candidate} does not exist, and it names no run") from error
            raise
