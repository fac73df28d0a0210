"""Runs of ``semscale drift compare`` and ``gate``: load two runs, measure, decide, keep the decision."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from semscale.cli.drift.command_options import CompareOptions, GateOutputs
from semscale.cli.drift.comparison_files import write_files
from semscale.cli.drift.judged_comparison import judged, load_judge, quality_metrics_of, settings_for
from semscale.cli.drift.meter import drift_meter
from semscale.cli.drift.output_reading import read_outputs
from semscale.cli.drift.run_lookup import baseline_of, dataset_of, run_of
from semscale.cli.options.groups import refuse_given
from semscale.cli.outputs import present
from semscale.cli.progress import progress_bars
from semscale.drift.gate.check import check_gate
from semscale.drift.gate.decision import GateDecision
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.limits.slices import each_slice
from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.nights.earlier import load_earlier, load_nights
from semscale.drift.quality.pair_judging import check_inputs
from semscale.drift.ruler.attribution import with_ruler
from semscale.drift.ruler.checking import check_ruler, keep_check
from semscale.drift.ruler.text_ruler import TextRuler
from semscale.errors import InputError, StoppedByUserError, UnknownNameError
from semscale.history.runs import Approval, Run, short_id
from semscale.history.stored_comparison import StoredComparison

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True)
class CompareRun:
    """One call of ``semscale drift compare`` or ``gate``.

    Attributes:
        options: what is compared and how.
        settings: of the gate; ``None`` where none is asked.
    """

    options: CompareOptions
    settings: GateSettings | None = None

    def present(self) -> tuple[DriftSummary, str]:
        """Compare, store the comparison, write the files that were asked for, and print a summary.

        Returns:
            The summary, and the id of the stored comparison.

        Raises:
            SemscaleError: what the history, the file or the model cannot do.
            StoppedByUserError: the user stopped it, before or after the comparison was stored.
        """
        outputs = self.options.outputs
        annotate = isinstance(outputs, GateOutputs) and outputs.github
        if outputs.json and annotate:
            raise InputError("--github prints its lines beside the table: take it without --json")
        summary, kept_id = self._done()
        try:
            with _annotated(summary) if annotate else nullcontext():
                write_files(summary, outputs)
                present(summary, outputs, comparison=kept_id)
        except KeyboardInterrupt:
            raise StoppedByUserError(
                "stopped; the comparison is stored, and files may be missing: ask about "
                f"{short_id(summary.comparison.candidate.id)} again"
            ) from None
        return summary, kept_id

    def _done(self) -> tuple[DriftSummary, str]:
        options = self.options
        options.outputs.check()
        fields = options.measuring.fields if self.settings is None else self.settings.fields
        meter = drift_meter(options.measuring, options.embedder, options.seed, fields)
        with options.history.open() as history:
            history.check_writable()
            try:
                return self._compared(history, meter)
            except KeyboardInterrupt:
                raise StoppedByUserError(
                    "stopped; no comparison was stored. The same command goes on with what "
                    "was read of the baseline"
                ) from None

    @property
    def _needs_floors(self) -> bool:
        settings = self.settings
        return settings is not None and bool(
            settings.thresholds or any(own.thresholds for _, own in each_slice(settings.slices))
        )

    def _decided(self, history: "History", baseline: Run, comparison: Comparison) -> GateDecision | None:
        settings = self.settings
        if settings is None:
            return None
        earlier: list[StoredComparison] = []
        if settings.over_runs:
            earlier = load_earlier(history, baseline)
        elif settings.noise_history:
            earlier = load_nights(history, baseline, comparison)
        settings = settings_for(comparison, settings)
        return decide(comparison, settings, earlier=earlier)

    def _compared(self, history: "History", meter: DriftMeter) -> tuple[DriftSummary, str]:
        baseline, candidate, approval, recorded = self._runs(history)
        if candidate.id == baseline.id:
            raise InputError(
                f"candidate must be another run than the baseline {short_id(baseline.id)}: record what "
                "the new model gives, or name its file"
            )
        further = quality_metrics_of(baseline, candidate, is_judged=self.options.judge.model is not None)
        directions = self.options.measuring.fields
        if self.settings is not None or directions:
            check_gate(baseline, self.settings or GateSettings(fields=directions), further)
        reruns = [run for run in history.reruns(baseline.id) if run.id != candidate.id]
        with progress_bars() as progress:
            judge = load_judge(self.options, progress)
            if judge is not None:
                check_inputs(baseline)
            comparison = compare(
                baseline, candidate, reruns=reruns, meter=meter, floors=self._needs_floors, progress=progress
            )
            if judge is not None:
                comparison = judged(self.options, comparison, judge, progress)
            decision = self._decided(history, baseline, comparison)
            ruler = check_ruler(history, baseline.dataset, TextRuler(meter), progress=progress)
        if decision is not None and ruler is not None:
            decision = with_ruler(decision, ruler)
        summary = DriftSummary(comparison, decision, approval, recorded_from=recorded, ruler=ruler)
        kept = history.keep_once(summary.stored, candidate=None if recorded is None else candidate)
        if kept.candidate_id != candidate.id:  # another process has stored the same outputs meanwhile
            known = replace(comparison.candidate, id=kept.candidate_id)
            summary = replace(summary, comparison=replace(comparison, candidate=known))
        if ruler is not None:
            keep_check(history, ruler, kept.id)
        return summary.with_heads(history.heads(baseline.dataset)), kept.id

    def _runs(self, history: "History") -> tuple[Run, Run, Approval | None, str | None]:
        """Load the baseline and the candidate; say who approved it, and which file was read."""
        named, dataset, replaced = self.options.candidate, self.options.history.dataset, self.options.baseline
        if named != "-" and not Path(named).exists():
            candidate = self._stored_candidate(history)
            self._check_model(candidate)
            owner = f"a file of outputs, and {named!r:.60} is a run"
            refuse_given(owner, self.options.source, self.options.table, but=("model",))
            baseline, approval = baseline_of(history, replaced, candidate.dataset)
            return baseline, candidate, approval, None
        baseline, approval = baseline_of(history, replaced, dataset_of(history, dataset))
        source, table = self.options.source, self.options.table
        read = read_outputs(named, source, table, dataset=baseline.dataset, like=baseline)
        return baseline, history.same_run(read, besides=[baseline.id]) or read, approval, named

    def _check_model(self, candidate: Run) -> None:
        """Refuse ``--model`` where the candidate is a stored run of another model."""
        named = self.options.source.model
        if named not in {None, candidate.model}:
            raise InputError(
                f"model: run {short_id(candidate.id)} is of {candidate.model!r:.60}, got {named!r:.60}: drop "
                "--model, or name the file of the new outputs"
            )

    def _stored_candidate(self, history: "History") -> Run:
        try:
            return run_of(history, self.options.candidate, self.options.history.dataset)
        except UnknownNameError as error:
            if Path(self.options.candidate).suffix:
                raise InputError(
                    f"{self.options.candidate} does not exist, and no run has this name: name a file "
                    "of outputs, or a run that semscale drift history lists"
                ) from error
            raise


@contextmanager
def _annotated(summary: DriftSummary) -> Iterator[None]:
    """Print the annotations of a decision, and let GitHub Actions read none in what is printed after them."""
    from semscale.report.ci import github_annotations, stop_commands

    if summary.decision is not None:
        typer.echo("\n".join(github_annotations(summary, summary.decision)))
    stop, resume = stop_commands()
    typer.echo(stop)
    try:
        yield
    finally:
        typer.echo(resume)
