"""A comparison before a judge, for ``semscale drift compare`` and ``gate``."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.chat.budget import Budget
from semscale.chat.runner import run_apart
from semscale.cli.drift.asking.asking_options import RequestOptions
from semscale.cli.drift.command_options import CompareOptions
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import Metric
from semscale.drift.measure.quality_metrics import REFERENCE_MATCH, SIDE_BY_SIDE
from semscale.drift.quality.quality_metric import with_side_by_side
from semscale.errors import InterruptedRunError, ReplyError, StoppedByUserError
from semscale.history.runs import Run

if TYPE_CHECKING:
    from semscale.judging.judge import Judge
    from semscale.types import Progress


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
    return options.judge.load(RequestOptions(), progress)


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
