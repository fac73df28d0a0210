"""``semscale drift compare`` and ``gate``: a candidate beside the baseline, without and with a decision."""

import typer

from semscale.cli.drift import options
from semscale.cli.options.consistency import Embedder
from semscale.cli.options.model import NoCache, Precision, PrecisionName
from semscale.cli.options.table import Encoding, Figures, FormatName, Json, Report, Sheet

_EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 4}


def compare(  # noqa: PLR0913, PLR0917 - each is an option of the command
    candidate: options.Candidate,
    baseline: options.Baseline = None,
    dataset: options.Dataset = None,
    history: options.Where = None,
    model: options.FileModelName = None,
    note: options.Note = None,
    id: options.Id = None,  # noqa: A002
    input: options.Input = None,  # noqa: A002
    output: options.Output = None,
    field: options.Field = None,
    long: options.Long = False,  # noqa: FBT002
    pairing: options.PairingName = options.Pairing.ASSIGNMENT,
    out: options.OutItems = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    embedder: Embedder = None,
    layer: options.Layer = None,
    precision: PrecisionName = Precision.EXACT,
    no_cache: NoCache = False,  # noqa: FBT002
    encoding: Encoding = None,
    format: FormatName = None,  # noqa: A002
    sheet: Sheet = None,
    seed: options.Seed = None,
) -> None:
    """Measure how far a candidate is from the baseline, and decide nothing.

    [bold]semscale drift compare new.jsonl --model gpt-4o-mini --out losses.parquet --report drift.html[/bold]
    """
    from semscale.cli.drift.meter import MeterChoice
    from semscale.cli.drift.run import CompareRun
    from semscale.cli.drift.source import OutputFile, run_columns, table_settings
    from semscale.cli.outputs import Outputs

    columns = run_columns(id=id, input=input, output=output, field=field, long=long)
    run = CompareRun(
        candidate,
        history,
        dataset,
        baseline,
        source=OutputFile(model, columns, note, table_settings(encoding, format, sheet)),
        measuring=MeterChoice(
            embedder, precision.value, pairing.value, seed or 0, cache=not no_cache, layer=layer
        ),
        outputs=Outputs(out, report, figures),
    )
    run.present(run.done(), json=json)


def gate(  # noqa: PLR0913, PLR0917 - each is an option of the command
    candidate: options.Candidate,
    gate: options.GateFile = None,
    metric: options.Metrics = None,
    by: options.Kinds = None,
    alpha: options.Alpha = None,
    correction: options.CorrectionName = None,
    threshold: options.Threshold = None,
    over_runs: options.OverRuns = False,  # noqa: FBT002
    baseline: options.Baseline = None,
    dataset: options.Dataset = None,
    history: options.Where = None,
    model: options.FileModelName = None,
    note: options.Note = None,
    id: options.Id = None,  # noqa: A002
    input: options.Input = None,  # noqa: A002
    output: options.Output = None,
    field: options.Field = None,
    long: options.Long = False,  # noqa: FBT002
    pairing: options.PairingName = options.Pairing.ASSIGNMENT,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    junit: options.Junit = None,
    summary: options.Summary = None,
    github: options.Github = False,  # noqa: FBT002
    out: options.OutItems = None,
    embedder: Embedder = None,
    layer: options.Layer = None,
    precision: PrecisionName = Precision.EXACT,
    no_cache: NoCache = False,  # noqa: FBT002
    encoding: Encoding = None,
    format: FormatName = None,  # noqa: A002
    sheet: Sheet = None,
    seed: options.Seed = None,
) -> None:
    """Decide whether a candidate is as good as the baseline: pass, fail or undecided.

    [bold]semscale drift gate new.jsonl --model gpt-4o-mini --report drift.html[/bold]

    It fails where a metric drifted significantly and by its margin or more, or a threshold does not hold.

    Exit code 0: passed; 1: failed; 4: undecided, with the number of items that would decide.
    """
    from semscale.cli.drift.meter import MeterChoice
    from semscale.cli.drift.run import CompareRun
    from semscale.cli.drift.settings import gate_settings
    from semscale.cli.drift.source import OutputFile, run_columns, table_settings
    from semscale.cli.outputs import Outputs
    from semscale.errors import InputError

    if json and github:
        raise InputError("--github prints its lines beside the table: take it without --json")
    settings = gate_settings(
        gate,
        threshold,
        metrics=metric,
        by=by,
        alpha=alpha,
        correction=correction,
        over_runs=over_runs,
        seed=seed,
    )
    columns = run_columns(id=id, input=input, output=output, field=field, long=long)
    run = CompareRun(
        candidate,
        history,
        dataset,
        baseline,
        source=OutputFile(model, columns, note, table_settings(encoding, format, sheet)),
        measuring=MeterChoice(
            embedder, precision.value, pairing.value, seed or 0, cache=not no_cache, layer=layer
        ),
        settings=settings,
        outputs=Outputs(out, report, figures, {"junit": junit, "summary": summary}),
    )
    compared = run.done()
    run.present(compared, json=json, annotate=github)
    raise typer.Exit(_EXIT_CODES[str(compared.stored.outcome)])
