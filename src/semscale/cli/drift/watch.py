"""``semscale drift history``, ``self-test`` and ``plan``: what was, what the gate finds, what it takes."""

from semscale.cli.drift import options, watch_options
from semscale.cli.options.consistency import Embedder
from semscale.cli.options.model import NoCache, Precision, PrecisionName
from semscale.cli.options.table import Figures, Json, Report


def history(
    dataset: options.Dataset = None,
    history: options.Where = None,
    merge: options.Merge = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """List runs, baselines and comparisons, and how each metric developed.

    [bold]semscale drift history --report trend.html[/bold]

    The trend is that of all comparisons with the latest baseline.
    """
    from semscale.cli.drift.history_run import HistoryRun
    from semscale.cli.outputs import Outputs, present

    outputs = Outputs(report=report, figures=figures)
    present(HistoryRun(history, dataset, tuple(merge or ()), outputs).done(), outputs, json=json)


def self_test(  # noqa: PLR0913, PLR0917 - each is an option of the command
    run: watch_options.TestedRun = None,
    dataset: options.Dataset = None,
    history: options.Where = None,
    damage: watch_options.Damages = None,
    share: watch_options.Shares = None,
    items: watch_options.DrawnItems = 30,
    draws: watch_options.Draws = 200,
    gate: options.GateFile = None,
    metric: options.Metrics = None,
    by: options.Kinds = None,
    alpha: options.Alpha = None,
    correction: options.CorrectionName = None,
    threshold: options.Threshold = None,
    pairing: options.PairingName = options.Pairing.ASSIGNMENT,
    out: watch_options.OutRows = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    embedder: Embedder = None,
    layer: options.Layer = None,
    precision: PrecisionName = Precision.EXACT,
    no_cache: NoCache = False,  # noqa: FBT002
    seed: options.Seed = None,
) -> None:
    """Damage the baseline in known ways, and say how often the gate as configured notices.

    [bold]semscale drift self-test --gate gate.yaml --report self-test.html[/bold]

    It also says how often the gate fails where nothing was harmed: order, other words, the model asked again.
    """
    from semscale.cli.drift.meter import MeterChoice
    from semscale.cli.drift.self_test_run import SelfTestRun
    from semscale.cli.drift.settings import gate_settings
    from semscale.cli.outputs import Outputs, present

    settings = gate_settings(
        gate, threshold, metrics=metric, by=by, alpha=alpha, correction=correction, seed=seed
    )
    outputs = Outputs(out, report, figures)
    found = SelfTestRun(
        run,
        history,
        dataset,
        MeterChoice(embedder, precision.value, pairing.value, seed or 0, cache=not no_cache, layer=layer),
        settings,
        kinds=damage or None,
        shares=share,
        items=items,
        draws=draws,
        outputs=outputs,
    ).done()
    present(found, outputs, json=json)


def plan(  # noqa: PLR0913, PLR0917 - each is an option of the command
    dataset: options.Dataset = None,
    history: options.Where = None,
    power: watch_options.Power = 0.8,
    drift: watch_options.WantedDrifts = None,
    items: watch_options.PlannedItems = None,
    gate: options.GateFile = None,
    metric: options.Metrics = None,
    by: options.Kinds = None,
    alpha: options.Alpha = None,
    correction: options.CorrectionName = None,
    pairing: options.PairingName = options.Pairing.ASSIGNMENT,
    report: Report = None,
    json: Json = False,  # noqa: FBT002
    embedder: Embedder = None,
    layer: options.Layer = None,
    precision: PrecisionName = Precision.EXACT,
    no_cache: NoCache = False,  # noqa: FBT002
    seed: options.Seed = None,
) -> None:
    """Say which drift the gate can find, and how many items another one takes.

    [bold]semscale drift plan --power .8 --drift .1[/bold]

    How far items differ comes from the comparisons with this baseline, or from a rerun of it.
    """
    from semscale.cli.drift.meter import MeterChoice
    from semscale.cli.drift.plan_run import PlanRun
    from semscale.cli.drift.settings import gate_settings
    from semscale.cli.outputs import Outputs, present

    settings = gate_settings(gate, metrics=metric, by=by, alpha=alpha, correction=correction, seed=seed)
    measuring = MeterChoice(
        embedder, precision.value, pairing.value, seed or 0, cache=not no_cache, layer=layer
    )
    outputs = Outputs(report=report)
    run = PlanRun(history, dataset, measuring, settings, power, tuple(drift or ()), items, outputs)
    present(run.done(), outputs, json=json)
