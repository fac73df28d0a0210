"""The commands ``semscale drift``; the modules beside this one do their work."""

from cyclopts import App

from semscale.cli.drift.options import (
    ApprovalOptions,
    DriftPageOptions,
    GateOptions,
    HistoryViewOptions,
    PlanOptions,
    RecordOptions,
    RejectionOptions,
    ShowOptions,
)
from semscale.cli.options import command
from semscale.cli.outputs import present
from semscale.cli.process import DONE, GATE_FAILED, UNDECIDED, message_if_stopped, say
from semscale.cli.project_file import ProjectSettings

_EXIT_CODES = {"pass": DONE, "fail": GATE_FAILED, "undecided": UNDECIDED}
_EXIT_CODES_IF_UNDECIDED = {"fail": GATE_FAILED, "warn": DONE, "pass": DONE}

app = App(name="drift", help="Compare a model's outputs with an approved baseline: record, approve, gate.")


@app.command(name="record")
@command
def record(options: RecordOptions) -> None:
    """Store a model's outputs for a dataset as a run in the history.

    [bold]semscale drift record baseline.jsonl --approve[/bold]

    Each row is an item with its ID and its outputs. --approve makes the run the baseline. If all IDs occur
    several times, the further outputs are reruns, which show how much outputs differ by chance.

    [bold]semscale drift record again.jsonl --rerun-of baseline[/bold]

    This command records a rerun from a file of its own.

    [bold]semscale drift record --prompts items.jsonl --chat-model gpt-5-mini --reruns 3[/bold]

    This command asks the model for the outputs. If it is stopped, run it again to continue.
    """
    from semscale.cli.drift.asking import forecast_recording, record_asked
    from semscale.cli.drift.recording import record_anchor_set, record_outputs

    if options.calls.dry_run:
        present(forecast_recording(options), options.outputs.of_forecast)
        return
    if options.anchors is not None:
        with message_if_stopped("stopped; nothing was stored, and the same command starts again"):
            present(record_anchor_set(options), options.outputs)
        return
    is_asked = options.prompts is not None
    rest = "continues with what was answered" if is_asked else "starts again"
    with message_if_stopped(
        f"stopped; if `semscale drift history` does not list the run, the same command {rest}"
    ):
        present(record_asked(options) if is_asked else record_outputs(options), options.outputs)


@app.command(name="approve")
@command
def approve(options: ApprovalOptions) -> None:
    """Make a run the baseline of its dataset, with which later runs are compared.

    [bold]semscale drift approve latest --approved-by Ann --why "checked by two tutors" --expires 90d[/bold]
    """
    from semscale.cli.drift.recording import approve_run

    present(approve_run(options), options.outputs)


@app.command(name="reject")
@command
def reject(options: RejectionOptions) -> None:
    """Reject a run: gates fail its outputs, and it is no baseline, until it is approved.

    [bold]semscale drift reject latest --rejected-by Ann --why "invents sources" --expires 90d[/bold]
    """
    from semscale.cli.drift.recording import reject_run

    present(reject_run(options), options.outputs)


@app.command(name="gate")
@command
def gate(options: GateOptions) -> int:
    """Decide whether a candidate is worse than the baseline: pass, fail or undecided.

    [bold]semscale drift gate new.jsonl --report drift.html[/bold]

    The gate fails if a metric drifts by more than chance explains and by at least its margin, if a threshold
    is not met, or if too many items break a hard limit, such as losing all outputs. A YAML file (--gate) has
    all settings.

    Exit code 0: passed; 1: failed; 4: undecided, unless --undecided sets another.
    """
    from semscale.cli.drift.gate import run_gate

    settings = options.decision.read()
    summary = run_gate(options, settings)
    outcome = str(summary.stored.outcome)
    if outcome == "undecided" and settings.undecided is not None:
        if settings.undecided == "warn":
            say("warning: the gate is undecided, which passes with --undecided warn")
        return _EXIT_CODES_IF_UNDECIDED[settings.undecided]
    return _EXIT_CODES[outcome]


@app.command(name="history")
@command
def history(options: HistoryViewOptions) -> int:
    """List runs, baselines and comparisons.

    [bold]semscale drift history --report history.html[/bold]

    [bold]semscale drift history --report site/[/bold]

    The folder gets a page for each run, with links between them, which need no server.

    With --verify: exit code 1 if an entry was changed since it was stored.
    """
    from semscale.cli.drift.recording import read_history, verify_history

    if options.verify:
        verification = verify_history(options)
        present(verification, options.outputs)
        return DONE if verification.holds else GATE_FAILED
    with message_if_stopped("stopped; the same command starts again"):
        present(read_history(options), options.outputs)
    return DONE


@app.command(name="show")
@command
def show(options: ShowOptions) -> None:
    """Show why the last gate of a run ended as it did, its outputs beside the baseline's, and the decisions.

    [bold]semscale drift show latest --report run.html[/bold]

    Nothing is measured again: the history has the figures.
    """
    from semscale.cli.drift.recording import show_run

    present(show_run(options), options.outputs)


@app.command(name="open")
@command
def open_page(options: DriftPageOptions, settings: ProjectSettings) -> None:
    """Open the runs in the browser, and approve or reject them there.

    [bold]semscale drift open[/bold]

    This is semscale open for the working folder, at the page of drift.
    """
    from semscale.cli.open import open_drift

    open_drift(options.history, options.listening, settings)


@app.command(name="plan")
@command
def plan(options: PlanOptions) -> None:
    """Estimate how many items and reruns the gate needs, by simulation on the recorded runs.

    [bold]semscale drift plan latest --power .9[/bold]

    [bold]semscale drift plan --self-test --report self-test.html[/bold]

    This command damages the baseline in known ways. It reports how often the gate detects the damage, and how
    often it fails although nothing is worse.
    """
    from semscale.cli.drift.gate import plan_from_history, run_self_test

    present(run_self_test(options) if options.self_test else plan_from_history(options), options.outputs)
