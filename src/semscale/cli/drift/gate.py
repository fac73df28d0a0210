"""Runs of ``semscale drift compare``, ``gate``, ``self-test`` and ``plan``, and messages to a webhook."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from semscale.chat.budget import Budget
from semscale.chat.runner import run_apart
from semscale.cli.drift.options import (
    CompareOptions,
    GateOptions,
    GateOutputs,
    PlanOptions,
    SelfTestOptions,
)
from semscale.cli.drift.recording import (
    BASELINE,
    baseline_of,
    dataset_of,
    drift_meter,
    read_outputs,
    run_of,
)
from semscale.cli.options import refuse_stated
from semscale.cli.outputs import Outputs, present
from semscale.cli.process import echo
from semscale.cli.progress import progress_bars
from semscale.drift.directions import Direction
from semscale.drift.gate.check import check_gate
from semscale.drift.gate.decision import GateDecision
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings, read_gate_settings
from semscale.drift.limits.kinds import OFF, read_limits
from semscale.drift.limits.slices import each_slice
from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.measure.metrics import Metric
from semscale.drift.measure.quality_metrics import REFERENCE_MATCH, SIDE_BY_SIDE
from semscale.drift.nights.earlier import load_earlier, load_nights
from semscale.drift.quality.pair_judging import check_inputs
from semscale.drift.quality.quality_metric import with_side_by_side
from semscale.drift.ruler.attribution import with_ruler
from semscale.drift.ruler.checking import check_ruler, keep_check
from semscale.drift.ruler.text_ruler import TextRuler
from semscale.drift.self_testing.results import SelfTest
from semscale.drift.self_testing.self_test import self_test
from semscale.drift.sizing.plan import GatePlan, plan_gate
from semscale.errors import InputError, InterruptedRunError, ReplyError, StoppedByUserError, UnknownNameError
from semscale.history.runs import Approval, Run, short_id
from semscale.history.stored_comparison import StoredComparison
from semscale.store.atomic import replacing

if TYPE_CHECKING:
    from semscale.drift.gate.decision import GateDecision
    from semscale.drift.gate.drift_summary import DriftSummary
    from semscale.history.history import History
    from semscale.judging.judge import Judge
    from semscale.types import Progress


def gate_settings(
    options: GateOptions, seed: int | None = None, directions: Mapping[str, Direction] | None = None
) -> GateSettings:
    """Read the file of settings, and let options override it.

    Args:
        options: what is not given comes from the file, else it is as ``GateSettings`` has it; thresholds,
            limits and must-pass items are added to those of the file.
        seed: of the bootstrap.
        directions: which numbers of a field are better, in place of those of the file.

    Raises:
        InputError: a setting that cannot be used.
    """
    fields = {} if options.file is None else read_gate_settings(options.file).model_dump()
    names = ("metrics", "by", "alpha", "correction", "over_runs", "undecided")
    given = {name: getattr(options, name) for name in names}
    fields |= {
        name: value for name, value in {**given, "seed": seed}.items() if value not in (None, (), False)
    }
    if options.no_noise_history:
        fields["noise_history"] = False
    if directions:
        fields["fields"] = {**fields.get("fields", {}), **directions}
    if options.thresholds:
        fields["thresholds"] = {**fields.get("thresholds", {}), **_thresholds(options.thresholds)}
    if options.limits:
        fields["limits"] = {**fields.get("limits", {}), **_limits(options.limits)}
    if options.must_pass:
        fields["must_pass"] = tuple(dict.fromkeys([*fields.get("must_pass", ()), *options.must_pass]))
    return GateSettings(**fields)


def _limits(written: Sequence[str]) -> dict[str, float | str]:
    """Read the limits of ``--limit``; they are checked here so that errors name the option."""
    limits: dict[str, float | str] = {}
    for one in written:
        name, limit = _limit(one)
        read_limits({name: limit})
        if limits.setdefault(name, limit) != limit:
            raise InputError(f"limit {name} is given as {limits[name]} and as {limit}: keep one of them")
    return limits


def _limit(written: str) -> tuple[str, float | str]:
    name, _, value = written.partition("=")
    if name.strip() and value.strip() == OFF:
        return name.strip(), OFF
    share = as_number(value.rstrip().removesuffix("%")) if value.rstrip().endswith("%") else None
    if share is not None and not 0 <= share < 100:  # noqa: PLR2004 - percent
        raise InputError(f"--limit {name.strip()} must be 0 % or more and below 100 %, or off, got {value}")
    named = named_number(written) if share is None else (name.strip(), share / 100)
    if named is None or not named[0]:
        raise InputError(
            f"--limit must be a name with a number or off, such as silenced=2, got {written!r:.60}"
        )
    return named


def _thresholds(written: Sequence[str]) -> dict[str, float]:
    limits: dict[str, float] = {}
    for name, limit in map(_threshold, written):
        if limits.setdefault(name, limit) != limit:
            raise InputError(
                f"threshold {name} is given as {limits[name]:g} and as {limit:g}: keep one of them"
            )
    return limits


def _threshold(written: str) -> tuple[str, float]:
    named = named_number(written)
    if named is None:
        raise InputError(
            f"threshold must be a name and a number, such as min_bertscore_f1=0.8, got {written!r:.60}"
        )
    return named


def named_number(written: str) -> tuple[str, float] | None:
    """Read ``name=number``; ``None`` if it is not written so.

    Example:
        >>> named_number("match=0.1"), named_number("0.1")
        (('match', 0.1), None)
    """
    name, _, number = written.partition("=")
    limit = as_number(number)
    return (name.strip(), limit) if name.strip() and limit is not None else None


def as_number(written: str) -> float | None:
    """Read a finite number; ``None`` if it is not one."""
    try:
        number = float(written)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


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
        if outputs.json_ and annotate:
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
            refuse_stated(owner, self.options.source, self.options.table, but=("model",))
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
        echo("\n".join(github_annotations(summary, summary.decision)))
    stop, resume = stop_commands()
    echo(stop)
    try:
        yield
    finally:
        echo(resume)


def quality_metrics_of(baseline: Run, candidate: Run, *, is_judged: bool) -> Mapping[str, Metric]:
    """Name the metrics that references and a judge will give, before anything is measured."""
    has_references = any(item.reference for run in (baseline, candidate) for item in run.items)
    given = [*([REFERENCE_MATCH] if has_references else []), *([SIDE_BY_SIDE] if is_judged else [])]
    return {metric.name: metric for metric in given}


def load_judge(options: CompareOptions, progress: "Progress | None") -> "Judge | None":
    """Load the judge that the options name; ``None`` where they name none.

    Raises:
        SemscaleError: the model cannot be loaded, or a file cannot be read.
    """
    return options.judge.load(options.chat, progress)


def judged(
    options: CompareOptions, comparison: Comparison, judge: "Judge", progress: "Progress | None"
) -> Comparison:
    """Let a judge compare both runs; a judge that is down leaves a caution, and the rest is decided.

    Raises:
        InterruptedRunError: a cap was reached; replies are kept.
    """
    from semscale.drift.quality.pair_judging import judge_runs

    running = options.calls.running()
    asked = judge_runs(comparison.baseline, comparison.candidate, judge, running=running, progress=progress)
    try:
        return with_side_by_side(comparison, run_apart(asked))
    except StoppedByUserError:
        raise
    except InterruptedRunError as error:
        if running.budget != Budget():
            raise
        why = str(error)
    except ReplyError as error:
        why = str(error)
    missing = f"the judge, {judge.name}, could not be asked, and {SIDE_BY_SIDE.name} is missing: {why}"
    return replace(comparison, cautions=(*comparison.cautions, missing))


def settings_for(comparison: Comparison, settings: GateSettings) -> GateSettings:
    """Leave out of the settings what needs a judge who could not be asked.

    Raises:
        ReplyError: nothing else is to be tested.
    """
    name = SIDE_BY_SIDE.name
    if name in comparison.metrics:
        return settings
    if settings.metrics == (name,):
        raise ReplyError(f"{comparison.cautions[-1]}; the gate tests nothing else")
    return settings.without_metric(name)


def write_files(summary: DriftSummary, outputs: Outputs) -> None:
    """Write the files that were asked for; JUnit XML and the summary only if there is a decision."""
    decision = summary.decision
    if outputs.out is not None:
        outputs.write_table(item_table(summary))
    if decision is None or not isinstance(outputs, GateOutputs):
        return
    if outputs.junit is not None:
        from semscale.report.ci import junit_xml

        with replacing(outputs.junit) as temporary:
            temporary.write_text(junit_xml(summary, decision), encoding="utf-8", newline="\n")
    if outputs.summary is not None:
        from semscale.report.ci import job_summary
        from semscale.report.markdown import markdown

        with outputs.summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(markdown(job_summary(summary, decision)))


def item_table(summary: DriftSummary) -> pl.DataFrame:
    """Lay out every item: its groups, its loss and drift in each metric, and what both runs gave.

    Returns:
        Columns ``id``, ``group_...`` for each kind, ``status``, ``harm``, ``..._loss`` and ``..._drift`` for
        each metric, ``baseline`` and ``candidate``; null where an item has no value.
    """
    comparison = summary.comparison
    items = comparison.baseline.items
    columns = [pl.Series("id", [item.id for item in items])]
    for kind in comparison.baseline.group_kinds:
        columns.append(pl.Series(f"group_{kind}", [item.groups.get(kind) for item in items], dtype=pl.String))
    columns.append(pl.Series("status", [str(status) for status in comparison.measured.status]))
    columns.append(pl.Series("harm", summary.harm.of_items).fill_nan(None))
    for metric in comparison.metrics:
        columns.append(pl.Series(f"{metric}_loss", comparison.losses(metric)).fill_nan(None))
        columns.append(pl.Series(f"{metric}_drift", comparison.drifts(metric)).fill_nan(None))
    for name, run in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        texts = [[output.text for output in item.outputs] for item in run.items]
        columns.append(pl.Series(name, texts, dtype=pl.List(pl.String)))
    return pl.DataFrame(columns)


def damage_and_gate(options: SelfTestOptions) -> SelfTest:
    """Damage a run many times, and count how often the gate fails.

    Raises:
        SemscaleError: what the history or the model cannot do, or a setting that cannot be used.
    """
    settings, damage, dataset = (
        gate_settings(options.gate, options.seed, options.measuring.fields),
        options.damage,
        options.history.dataset,
    )
    options.outputs.check()
    with options.history.open() as history:
        baseline = run_of(history, options.run or BASELINE, dataset)
        reruns = history.reruns(baseline.id)
    check_gate(baseline, settings)
    with progress_bars() as progress:
        found = self_test(
            baseline,
            reruns=reruns,
            meter=drift_meter(options.measuring, options.embedder, options.seed, settings.fields),
            settings=settings,
            kinds=damage.kinds or None,
            items=damage.items,
            draws=damage.draws,
            seed=options.seed or 0,
            progress=progress,
            **({} if not damage.shares else {"shares": tuple(damage.shares)}),
        )
    options.outputs.write_table(found.to_frame())
    return found


_RECENT = 60  # comparisons that a plan takes the spread from: more would change it little


def plan_from_history(options: PlanOptions) -> GatePlan:
    """Plan from the stored comparisons, or from a rerun.

    Raises:
        InputError: there is neither, or a setting that cannot be used.
    """
    settings = gate_settings(options.gate, options.seed, options.measuring.fields)
    options.outputs.check()
    drift = read_drifts(options.drift)
    with options.history.open() as history:
        baseline = run_of(history, BASELINE, options.history.dataset)
        check_gate(baseline, settings)
        source = _source(options, history, baseline, settings)
    return plan_gate(source, n_items=options.items, settings=settings, power=options.power, drift=drift)


def _source(
    options: PlanOptions, history: "History", baseline: Run, settings: GateSettings
) -> Comparison | list[StoredComparison]:
    """Prefer two or more comparisons, then a rerun, which needs the model, then a single comparison."""
    kept = history.comparisons(baseline_id=baseline.id)[-_RECENT:]
    reruns = history.reruns(baseline.id)
    if len(kept) > 1 or (kept and not reruns):
        return [replace(each, scores=history.scores(each.id)) for each in kept]
    if not reruns:
        raise InputError(
            "a plan needs to know how far items differ: record a rerun of the baseline (semscale drift "
            "record OUTPUTS --rerun-of baseline), or gate a candidate first"
        )
    *others, latest = reruns
    with progress_bars() as progress:
        meter = drift_meter(options.measuring, options.embedder, options.seed, settings.fields)
        return compare(baseline, latest, reruns=others, meter=meter, progress=progress)


def read_drifts(written: Sequence[str]) -> float | Mapping[str, float] | None:
    """Read drifts to plan for: one number for all metrics, or some by metric.

    Raises:
        InputError: one is neither, or a number for all stands beside others.

    Example:
        >>> read_drifts(["0.1"]), read_drifts(["match=0.1"]), read_drifts([])
        (0.1, {'match': 0.1}, None)
    """
    if not written:
        return None
    for_all = [number for number in map(as_number, written) if number is not None]
    by_metric = [named for named in map(named_number, written) if named is not None]
    if len(written) == 1 and for_all:
        return for_all[0]
    if len(by_metric) < len(written):
        raise InputError(
            f"drift must be one number, or METRIC=NUMBER for each metric, got {', '.join(written)!r:.60}"
        )
    return dict(by_metric)
