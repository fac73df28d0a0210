"""The commands ``semscale drift``: is a new model worse than the approved baseline?"""

from typing import Annotated

import typer

from semscale.cli.drift.anchor_options import AnchorOptions
from semscale.cli.drift.command_options import (
    GATED,
    ApprovalOptions,
    CompareOptions,
    HistoryViewOptions,
    PlanOptions,
    RecordOptions,
    SelfTestOptions,
)
from semscale.cli.drift.matrix_options import MatrixOptions
from semscale.cli.drift.notifying.notify import NotifyOptions
from semscale.cli.drift.options import GateOptions
from semscale.cli.interrupts import said_if_stopped
from semscale.cli.options.groups import grouped
from semscale.cli.outputs import present
from semscale.cli.single_values import CommandGroup

_EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 4}
_UNDECIDED = {"fail": 1, "warn": 0, "pass": 0}

app = CommandGroup(
    help="Outputs of a new model beside an approved baseline: record, approve, compare, gate.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)


@app.command()
@grouped
def record(options: RecordOptions) -> None:
    """Store a model's outputs for a dataset as a run that is never changed.

    [bold]semscale drift record outputs.jsonl --model gpt-4o-2024-08-06 --dataset feedback[/bold]

    Each row is an item with its id and its outputs. If the same model was asked again: --rerun-of baseline.

    [bold]semscale drift record --prompts items.jsonl --chat-model gpt-5-mini --reruns 3[/bold]

    asks the model for the outputs. Replies are kept: if it is stopped, the same command goes on.
    """
    from semscale.cli.drift.asking.asked_run import record_asked
    from semscale.cli.drift.record_run import record_outputs

    if options.calls.dry_run:
        from semscale.cli.drift.asking.asking_forecasts import forecast_recording

        present(forecast_recording(options), options.outputs.of_forecast)
        return
    asked = options.asking.prompts is not None
    rest = "goes on with what was answered" if asked else "starts again"
    with said_if_stopped(
        f"stopped; if `semscale drift history` does not list the run, the same command {rest}"
    ):
        present(record_asked(options) if asked else record_outputs(options), options.outputs)


@app.command()
@grouped
def approve(options: ApprovalOptions) -> None:
    """Make a run the baseline of its dataset, with which later runs are compared.

    [bold]semscale drift approve latest --by Ann --why "checked by two tutors" --expires 90d[/bold]
    """
    from semscale.cli.drift.record_run import approve_run

    present(approve_run(options), options.outputs)


@app.command()
@grouped
def anchors(options: AnchorOptions) -> None:
    """Freeze pairs of texts that show whether what measures has moved, or show what is frozen.

    [bold]semscale drift anchors pairs.csv --label score --label-range 1,5[/bold]

    Each later comparison reads them anew and says whether the system or the ruler moved: the embedding
    model, its engine, a dependency or the machine.
    """
    from semscale.cli.drift.anchors_run import anchors_of

    with said_if_stopped("stopped; nothing was stored, and the same command starts again"):
        present(anchors_of(options), options.outputs)


@app.command()
@grouped
def compare(options: CompareOptions) -> None:
    """Measure how far a candidate is from the baseline, and decide nothing.

    [bold]semscale drift compare new.jsonl --model gpt-4o-mini --out losses.parquet --report drift.html[/bold]
    """
    from semscale.cli.drift.compare_run import CompareRun

    CompareRun(options).present()


@app.command()
@grouped
def gate(gate: GateOptions, options: Annotated[CompareOptions, GATED], notify: NotifyOptions) -> None:
    """Decide whether a candidate is as good as the baseline: pass, fail or undecided.

    [bold]semscale drift gate new.jsonl --model gpt-4o-mini --report drift.html[/bold]

    It fails where a metric drifted significantly and by its margin or more, a threshold does not hold, or an
    item breaks a hard limit, such as one that is silent now.

    Exit code 0: passed; 1: failed; 4: undecided, unless --undecided says otherwise.
    """
    from semscale.cli.drift.compare_run import CompareRun
    from semscale.cli.drift.settings import gate_settings

    notify.check()
    settings = gate_settings(gate, options.seed, options.measuring.fields)
    summary, kept_id = CompareRun(options, settings).present()
    notify.tell(summary, kept_id)
    outcome = str(summary.stored.outcome)
    if outcome == "undecided" and settings.undecided is not None:
        if settings.undecided == "warn":
            from semscale.cli.errors import say

            say("warning: the gate is undecided, which passes with --undecided warn")
        raise typer.Exit(_UNDECIDED[settings.undecided])
    raise typer.Exit(_EXIT_CODES[outcome])


@app.command()
@grouped
def matrix(options: MatrixOptions) -> None:
    """Ask several models with several prompts, and say which is better.

    [bold]semscale drift matrix --prompts items.jsonl --chat-model x --chat-model y --reference right[/bold]

    By a column of references, or by a judge who compares answers side by side. Replies are kept: the same
    command goes on, and pays for nothing twice.
    """
    from semscale.cli.drift.matrix_run import compare_matrix

    if options.calls.dry_run:
        from semscale.cli.drift.asking.asking_forecasts import forecast_matrix

        present(forecast_matrix(options), options.outputs.of_forecast)
        return
    with said_if_stopped("stopped; replies that came are kept, and the same command goes on"):
        present(compare_matrix(options), options.outputs)


@app.command()
@grouped
def history(options: HistoryViewOptions) -> None:
    """List runs, baselines and comparisons, and how each metric developed.

    [bold]semscale drift history --report trend.html[/bold]

    The trend covers all comparisons with the latest baseline.

    With --verify: exit code 1 if an entry was changed since it was stored.
    """
    from semscale.cli.drift.history_run import read_history, verify_history

    if options.verify:
        found = verify_history(options)
        present(found, options.outputs)
        raise typer.Exit(0 if found.holds else 1)

    kept = "what was merged is kept, and the same command goes on with the rest"
    with said_if_stopped(f"stopped; {kept if options.merge else 'the same command starts again'}"):
        present(read_history(options), options.outputs)


@app.command("self-test")
@grouped
def self_test(options: SelfTestOptions) -> None:
    """Damage the baseline in known ways, and count how often the gate notices.

    [bold]semscale drift self-test --gate gate.yaml --report self-test.html[/bold]

    It also counts how often the gate fails although nothing is worse: other order, other words, a rerun.
    """
    from semscale.cli.drift.self_test_run import damage_and_gate

    present(damage_and_gate(options), options.outputs)


@app.command()
@grouped
def plan(options: PlanOptions) -> None:
    """Say which drift the gate can find, and how many items it needs for another drift.

    [bold]semscale drift plan --power .8 --drift .1[/bold]

    How far items differ is taken from comparisons with this baseline, or from a rerun of it.
    """
    from semscale.cli.drift.plan_run import plan_from_history

    present(plan_from_history(options), options.outputs)
