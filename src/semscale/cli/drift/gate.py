"""Runs of ``semscale drift gate`` and ``plan``."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from semscale.chat.runner import run_to_end
from semscale.chat.settings import Budget
from semscale.cli.drift.options import DecisionOptions, GateOptions, GateOutputs, PlanOptions
from semscale.cli.drift.recording import (
    BASELINE,
    baseline_of,
    dataset_of,
    read_outputs,
    record_reruns,
    run_of,
)
from semscale.cli.options import refuse_stated
from semscale.cli.outputs import present
from semscale.cli.process import echo
from semscale.cli.progress import progress_bars
from semscale.drift.anchors import TextRuler, check_ruler, keep_check, with_ruler
from semscale.drift.comparison import Comparison, compare
from semscale.drift.copied_runs import without_copies
from semscale.drift.decision import check_settings, decide, with_rejection
from semscale.drift.metrics import REFERENCE_MATCH, SIDE_BY_SIDE, Metric
from semscale.drift.quality_scores import check_inputs, judge_runs
from semscale.drift.runs import check_rerun
from semscale.drift.settings import GateSettings
from semscale.drift.simulation import GatePlan, SelfTest, plan_gate, self_test
from semscale.drift.summary import DriftSummary
from semscale.errors import InputError, InterruptedRunError, ReplyError, StoppedByUserError, UnknownNameError
from semscale.history.runs import Approval, Run, short_id
from semscale.store.atomic import replacing

if TYPE_CHECKING:
    from semscale.history.history import History
    from semscale.judging.judge import Judge
    from semscale.types import Progress


def run_gate(options: GateOptions, settings: GateSettings) -> DriftSummary:
    """Compare, decide, store the comparison, write the files that were asked for, and print a summary.

    Returns:
        The summary of the stored comparison.

    Raises:
        SemscaleError: what the history, the file or the model cannot do.
        StoppedByUserError: the user stopped it, before or after the comparison was stored.
    """
    outputs = options.outputs
    if outputs.json_ and outputs.github:
        raise InputError("--github prints annotations in addition to the table: leave out --json")
    outputs.check()
    with options.history.open() as history:
        history.check_writable()
        try:
            summary, comparison_id = _compare_runs(options, settings, history)
        except KeyboardInterrupt:
            raise StoppedByUserError(
                "stopped; no comparison was stored. The same command continues with the parts of the "
                "baseline that were read"
            ) from None
    try:
        with _print_annotations(summary) if outputs.github else nullcontext():
            _write_files(summary, outputs)
            present(summary, outputs, facts={"comparison": comparison_id})
    except KeyboardInterrupt:
        raise StoppedByUserError(
            "stopped; the comparison is stored, and files may be missing: ask about "
            f"{short_id(summary.comparison.candidate.id)} again"
        ) from None
    return summary


def _compare_runs(
    options: GateOptions, settings: GateSettings, history: "History"
) -> tuple[DriftSummary, str]:
    runs = _runs(options, history)
    baseline, candidate, file = runs.baseline, runs.candidate, runs.file
    if candidate.id == baseline.id:
        raise InputError(
            "candidate",
            f"must be another run than the baseline {short_id(baseline.id)}: record what the new "
            "model gives, or name its file",
        )
    meter = options.measuring.meter(settings.fields)
    is_judged = options.judge.model is not None
    further = quality_metrics_of(baseline, candidate, is_judged=is_judged)
    _check_settings(baseline, options.decision, settings, further)
    reruns = [run for run in history.reruns(baseline.id) if run.id != candidate.id]
    with progress_bars() as progress:
        judge = options.judge.load(options.chat, progress)
        if judge is not None:
            check_inputs(baseline)
        floors = bool(settings.thresholds)
        comparison = compare(
            baseline,
            candidate,
            reruns=reruns,
            deterministic=settings.deterministic,
            meter=meter,
            floors=floors,
            progress=progress,
        )
        if runs.repeated:
            first = (
                f"the candidate has {len(runs.repeated) + 1} outputs of each item: the first is compared, "
                "and the others are stored as its reruns"
            )
            comparison = replace(comparison, cautions=(*comparison.cautions, first))
        if judge is not None:
            comparison = _judge_comparison(options, comparison, judge, progress)
        decision = decide(comparison, _settings_without_judge(comparison, settings))
        ruler = check_ruler(history, baseline.dataset, TextRuler(meter), progress=progress)
    if ruler is not None:
        decision = with_ruler(decision, ruler)
    decision = with_rejection(decision, history.rejection_of(candidate))
    summary = DriftSummary(comparison, decision, runs.approval, recorded_from=file, ruler=ruler)
    stored = history.record_comparison(summary.stored, candidate=None if file is None else candidate)
    if stored.candidate_id != candidate.id:  # another process has stored the same outputs meanwhile
        known = replace(comparison.candidate, id=stored.candidate_id)
        summary = replace(summary, comparison=replace(comparison, candidate=known))
    record_reruns(history, summary.comparison.recorded or candidate, runs.repeated)
    if ruler is not None:
        keep_check(history, ruler, stored.id)
    return summary.with_head(history.head(baseline.dataset)), stored.id


def _check_settings(
    baseline: Run,
    decision: DecisionOptions,
    settings: GateSettings,
    further: Mapping[str, Metric] | None = None,
) -> None:
    """Check settings of the gate against the baseline; the message of an error in the file names the file."""
    try:
        check_settings(baseline, settings, further)
    except InputError:
        if decision.file is None:
            raise
        try:
            check_settings(baseline, decision.from_file, further)
        except InputError as error:
            raise type(error)(f"{str(decision.file)!r}: {error}") from None
        raise  # an option is wrong, as the settings of the file alone are right


@dataclass(frozen=True)
class _GatedRuns:
    """Runs of a gate.

    Attributes:
        baseline: the baseline.
        candidate: the candidate.
        approval: approval of the baseline; ``None`` for another run in its place.
        file: name of the candidate's file, if it is none of the history's runs.
        repeated: further outputs of the candidate's items in its file.
    """

    baseline: Run
    candidate: Run
    approval: Approval | None
    file: str | None = None
    repeated: tuple[Run, ...] = ()


def _runs(options: GateOptions, history: "History") -> _GatedRuns:
    name = options.candidate
    if name == "-" or Path(name).exists():
        baseline, approval = baseline_of(history, options.baseline, _dataset(options, history))
        read, *repeated = read_outputs(
            name, options.source, options.table, dataset=baseline.dataset, like=baseline
        )
        candidate = history.same_run(read, besides=[baseline.id]) or read
        return _GatedRuns(baseline, candidate, approval, name, tuple(repeated))
    candidate = _find_candidate(options, history)
    owner = f"a file of outputs, and {name!r:.60} is a run"
    refuse_stated(owner, options.source, options.table, but=("model",))
    baseline, approval = baseline_of(history, options.baseline, candidate.dataset)
    return _GatedRuns(baseline, candidate, approval)


def _dataset(options: GateOptions, history: "History") -> str:
    """Return the stated dataset, or the only one with an approved baseline that has the candidate's items.

    Raises:
        InputError: none is stated, and none or several fit.
        UnknownNameError: there is none of the stated name.
    """
    known = history.datasets()
    approvals = {name: given for name in known if (given := history.approvals(name))}
    if options.history.dataset is not None or len(known) < 2 or not approvals:
        return dataset_of(history, options.history.dataset)
    if len(approvals) > 1 and options.candidate != "-":
        read, *_ = read_outputs(options.candidate, options.source, options.table)
        ids = {item.id for item in read.items}
        approvals = {
            name: given
            for name, given in approvals.items()
            if ids & {item.id for item in history.run(given[-1].run_id).items}
        }
    return next(iter(approvals)) if len(approvals) == 1 else dataset_of(history, None)


def _find_candidate(options: GateOptions, history: "History") -> Run:
    try:
        candidate = run_of(history, options.candidate, options.history.dataset)
    except UnknownNameError as error:
        if Path(options.candidate).suffix:
            raise InputError(
                f"{options.candidate} does not exist, and no run has this name: name a file of outputs, or a "
                "run that semscale drift history lists"
            ) from error
        raise
    model = options.source.model
    if model not in {None, candidate.model}:
        raise InputError(
            "model",
            f": run {short_id(candidate.id)} is of {candidate.model!r:.60}, got {model!r:.60}: drop "
            "--model, or name the file of the new outputs",
        )
    return candidate


@contextmanager
def _print_annotations(summary: DriftSummary) -> Iterator[None]:
    """Print the annotations of a decision, and keep GitHub Actions from reading any in what follows."""
    from semscale.report.drift_ci import github_annotations, stop_commands

    echo("\n".join(github_annotations(summary)))
    stop, resume = stop_commands()
    echo(stop)
    try:
        yield
    finally:
        echo(resume)


def quality_metrics_of(baseline: Run, candidate: Run, *, is_judged: bool) -> Mapping[str, Metric]:
    """List the metrics that references and a judge will give, before anything is measured."""
    has_references = any(item.reference for run in (baseline, candidate) for item in run.items)
    metrics = [*([REFERENCE_MATCH] if has_references else []), *([SIDE_BY_SIDE] if is_judged else [])]
    return {metric.name: metric for metric in metrics}


def _judge_comparison(
    options: GateOptions, comparison: Comparison, judge: "Judge", progress: "Progress | None"
) -> Comparison:
    """Let a judge compare both runs; if it cannot be asked, a caution says so and the rest is decided.

    Raises:
        InterruptedRunError: a cap was reached; replies are stored.
    """
    running = options.calls.running()
    asked = judge_runs(comparison.baseline, comparison.candidate, judge, running=running, progress=progress)
    try:
        return comparison.with_judge(run_to_end(asked))
    except StoppedByUserError:
        raise
    except InterruptedRunError as error:
        if running.budget != Budget():
            raise
        reason = str(error)
    except ReplyError as error:
        reason = str(error)
    missing = f"the judge, {judge.name}, could not be reached, and {SIDE_BY_SIDE.name} is missing: {reason}"
    return replace(comparison, cautions=(*comparison.cautions, missing))


def _settings_without_judge(comparison: Comparison, settings: GateSettings) -> GateSettings:
    """Return the settings without those about a judge that could not be asked.

    Raises:
        ReplyError: nothing else is to be tested.
    """
    name = SIDE_BY_SIDE.name
    if name in comparison.metrics:
        return settings
    if settings.metrics == (name,):
        raise ReplyError(f"{comparison.cautions[-1]}; the gate tests nothing else")
    return settings.without_metric(name)


def _write_files(summary: DriftSummary, outputs: GateOutputs) -> None:
    """Write the table, JUnit XML and the Markdown summary that were asked for."""
    if outputs.out is not None:
        outputs.write_table(item_table(summary))
    if outputs.junit is not None:
        from semscale.report.drift_ci import junit_xml

        with replacing(outputs.junit) as temporary:
            temporary.write_text(junit_xml(summary), encoding="utf-8", newline="\n")
    if outputs.summary is not None:
        from semscale.report.drift_gate import job_summary
        from semscale.report.markdown import markdown

        with outputs.summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(markdown(job_summary(summary)))


def item_table(summary: DriftSummary) -> pl.DataFrame:
    """Lay out every item: its groups, its loss and drift in each metric, and the outputs of both runs.

    Returns:
        Columns ``id``, ``group_...`` for each kind, ``status``, ``harm``, ``..._loss`` and ``..._drift`` for
        each metric, ``baseline`` and ``candidate``; null where an item has no value.
    """
    comparison = summary.comparison
    items = comparison.baseline.items
    columns = [pl.Series("id", [item.id for item in items])]
    for kind in comparison.baseline.group_kinds:
        columns.append(pl.Series(f"group_{kind}", [item.groups.get(kind) for item in items], dtype=pl.String))
    columns.append(pl.Series("status", [str(status) for status in comparison.status]))
    columns.append(pl.Series("harm", summary.harm).fill_nan(None))
    for metric in comparison.metrics:
        columns.append(pl.Series(f"{metric}_loss", comparison.losses(metric)).fill_nan(None))
        columns.append(pl.Series(f"{metric}_drift", comparison.drifts(metric)).fill_nan(None))
    for name, run in (("baseline", comparison.baseline), ("candidate", comparison.candidate)):
        texts = [[output.text for output in item.outputs] for item in run.items]
        columns.append(pl.Series(name, texts, dtype=pl.List(pl.String)))
    return pl.DataFrame(columns)


def plan_from_history(options: PlanOptions) -> GatePlan:
    """Plan items and reruns from stored runs, which are measured again.

    Raises:
        InputError: there are too few reruns, or a setting is invalid.
    """
    settings = options.decision.read()
    options.outputs.check()
    with options.history.open() as history:
        baseline, _ = baseline_of(history, None, dataset_of(history, options.history.dataset))
        reruns = history.reruns(baseline.id)
        name = options.candidate
        candidate = None if name is None else run_of(history, name, options.history.dataset)
    _check_settings(baseline, options.decision, settings)
    ordered = [
        check_rerun(baseline, rerun) for rerun in reruns if candidate is None or rerun.id != candidate.id
    ]
    reruns, copies = without_copies(baseline, ordered, deterministic=settings.deterministic)
    least = 2 if candidate is None else 1
    if len(reruns) < least:
        left_out = "".join(f"; {copy.sentence}" for copy in copies)
        raise InputError(
            f"a plan needs {least} reruns of the baseline, which show the noise, got {len(reruns)}: record "
            f"one with semscale drift record OUTPUTS --rerun-of baseline{left_out}"
        )
    *others, latest = reruns
    with progress_bars() as progress:
        comparison = compare(
            baseline,
            candidate or latest,
            reruns=reruns if candidate else others,
            deterministic=settings.deterministic,
            meter=options.measuring.meter(settings.fields),
            progress=progress,
        )
    is_unchanged = candidate is None
    plan = plan_gate(
        comparison, settings, is_unchanged=is_unchanged, power=options.power, seed=options.measuring.seed
    )
    return replace(plan, copies=(*copies, *plan.copies))


def run_self_test(options: PlanOptions) -> SelfTest:
    """Damage the baseline many times, and count how often the gate fails.

    Raises:
        SemscaleError: what the history or the model cannot do, or a setting is invalid.
    """
    settings, damage = options.decision.read(), options.damage
    options.outputs.check()
    with options.history.open() as history:
        baseline = run_of(history, BASELINE, options.history.dataset)
        reruns = history.reruns(baseline.id)
    _check_settings(baseline, options.decision, settings)
    with progress_bars() as progress:
        result = self_test(
            baseline,
            reruns=reruns,
            meter=options.measuring.meter(settings.fields),
            settings=settings,
            kinds=damage.kinds or None,
            items=damage.items,
            draws=damage.draws,
            seed=options.measuring.seed,
            progress=progress,
            **({"shares": damage.shares} if damage.shares else {}),
        )
    options.outputs.write_table(result.to_frame())
    return result
