"""The commands ``semscale drift``; their work is in the modules beside this one."""

from cyclopts import App

from semscale.cli.drift.options import (
    AnchorOptions,
    ApprovalOptions,
    CompareOptions,
    GateCommandOptions,
    HistoryViewOptions,
    MatrixOptions,
    PlanOptions,
    RecordOptions,
    SelfTestOptions,
)
from semscale.cli.options import command
from semscale.cli.outputs import present
from semscale.cli.process import message_if_stopped, say

_EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 4}
_UNDECIDED = {"fail": 1, "warn": 0, "pass": 0}

app = App(name="drift", help="Compare a model's outputs with an approved baseline: record, approve, gate.")


@app.command(name="record")
@command
def record(options: RecordOptions) -> None:
    """Store a model's outputs for a dataset as a run that is never changed.

    [bold]semscale drift record outputs.jsonl --model gpt-4o-2024-08-06 --dataset feedback[/bold]

    Each row is an item with its id and its outputs. If the same model was asked again: --rerun-of baseline.

    [bold]semscale drift record --prompts items.jsonl --chat-model gpt-5-mini --reruns 3[/bold]

    asks the model for the outputs. Replies are stored: if it is stopped, the same command continues.
    """
    from semscale.cli.drift.asking import forecast_recording, record_asked
    from semscale.cli.drift.recording import record_outputs

    if options.calls.dry_run:
        present(forecast_recording(options), options.outputs.of_forecast)
        return
    asked = options.prompts is not None
    rest = "goes on with what was answered" if asked else "starts again"
    with message_if_stopped(
        f"stopped; if `semscale drift history` does not list the run, the same command {rest}"
    ):
        present(record_asked(options) if asked else record_outputs(options), options.outputs)


@app.command(name="approve")
@command
def approve(options: ApprovalOptions) -> None:
    """Make a run the baseline of its dataset, with which later runs are compared.

    [bold]semscale drift approve latest --approved-by Ann --why "checked by two tutors" --expires 90d[/bold]
    """
    from semscale.cli.drift.recording import approve_run

    present(approve_run(options), options.outputs)


@app.command(name="anchors")
@command
def anchors(options: AnchorOptions) -> None:
    """Freeze pairs of texts that show whether the measuring instrument has moved, or show what is frozen.

    [bold]semscale drift anchors pairs.csv --human score --human-range 1 5[/bold]

    Each later comparison measures them again and reports whether the system or the ruler moved: the embedding
    model, its engine, a dependency or the machine.
    """
    from semscale.cli.drift.recording import summarize_anchor_sets

    with message_if_stopped("stopped; nothing was stored, and the same command starts again"):
        present(summarize_anchor_sets(options), options.outputs)


@app.command(name="compare")
@command
def compare(options: CompareOptions) -> None:
    """Measure how far a candidate is from the baseline, and decide nothing.

    [bold]semscale drift compare new.jsonl --model gpt-4o-mini --out losses.parquet --report drift.html[/bold]
    """
    from semscale.cli.drift.gate import CompareRun

    CompareRun(options).present()


@app.command(name="gate")
@command
def gate(options: GateCommandOptions) -> int:
    """Decide whether a candidate is as good as the baseline: pass, fail or undecided.

    [bold]semscale drift gate new.jsonl --model gpt-4o-mini --report drift.html[/bold]

    It fails where a metric drifted significantly and by its margin or more, a threshold does not hold, or an
    item breaks a hard limit, such as one that is silent now.

    Exit code 0: passed; 1: failed; 4: undecided, unless --undecided says otherwise.
    """
    from semscale.cli.drift.gate import CompareRun, gate_settings

    options.notify.webhook()
    settings = gate_settings(options.gate, options.seed, options.measuring.fields)
    summary, comparison_id = CompareRun(options, settings).present()
    options.notify.send(summary, comparison_id)
    outcome = str(summary.stored.outcome)
    if outcome == "undecided" and settings.undecided is not None:
        if settings.undecided == "warn":
            say("warning: the gate is undecided, which passes with --undecided warn")
        return _UNDECIDED[settings.undecided]
    return _EXIT_CODES[outcome]


@app.command(name="matrix")
@command
def matrix(options: MatrixOptions) -> None:
    """Ask several models with several prompts, and report which is better.

    [bold]semscale drift matrix --prompts items.jsonl --chat-model x --chat-model y --reference right[/bold]

    By a column of references, or by a judge that compares answers side by side. Replies are stored: the same
    command continues and never repeats a paid call.
    """
    from semscale.cli.drift.asking import compare_matrix, forecast_matrix

    if options.calls.dry_run:
        present(forecast_matrix(options), options.outputs.of_forecast)
        return
    with message_if_stopped("stopped; replies that came are kept, and the same command goes on"):
        present(compare_matrix(options), options.outputs)


@app.command(name="history")
@command
def history(options: HistoryViewOptions) -> int:
    """List runs, baselines and comparisons, and how each metric developed.

    [bold]semscale drift history --report trend.html[/bold]

    The trend covers all comparisons with the latest baseline.

    With --verify: exit code 1 if an entry was changed since it was stored.
    """
    from semscale.cli.drift.recording import read_history, verify_history

    if options.verify:
        verification = verify_history(options)
        present(verification, options.outputs)
        return 0 if verification.holds else 1
    rest = "what was merged is kept, and the same command goes on with the rest"
    with message_if_stopped(f"stopped; {rest if options.merge else 'the same command starts again'}"):
        present(read_history(options), options.outputs)
    return 0


@app.command(name="self-test")
@command
def self_test(options: SelfTestOptions) -> None:
    """Damage the baseline in known ways, and count how often the gate notices.

    [bold]semscale drift self-test --gate gate.yaml --report self-test.html[/bold]

    It also counts how often the gate fails although nothing is worse: other order, other words, a rerun.
    """
    from semscale.cli.drift.gate import damage_and_gate

    present(damage_and_gate(options), options.outputs)


@app.command(name="plan")
@command
def plan(options: PlanOptions) -> None:
    """Report which drift the gate can find, and how many items it needs for another drift.

    [bold]semscale drift plan --power .8 --drift .1[/bold]

    How far items differ is taken from comparisons with this baseline, or from a rerun of it.
    """
    from semscale.cli.drift.gate import plan_from_history

    present(plan_from_history(options), options.outputs)
