"""``semscale drift history``, ``self-test`` and ``plan``: what was, what the gate finds, what it takes."""

from semscale.cli.drift.options import (
    Alpha,
    CorrectionName,
    Dataset,
    GateFile,
    Kinds,
    Layer,
    Merge,
    Metrics,
    Pairing,
    PairingName,
    Seed,
    Threshold,
    Where,
)
from semscale.cli.drift.watch_options import (
    Damages,
    DrawnItems,
    Draws,
    OutRows,
    PlannedItems,
    Power,
    Shares,
    TestedRun,
    WantedDrifts,
)
from semscale.cli.options.consistency import Embedder
from semscale.cli.options.model import NoCache, Precision, PrecisionName
from semscale.cli.options.table import Figures, Json, Report


def history(
    dataset: Dataset = None,
    history: Where = None,
    merge: Merge = None,
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
    run: TestedRun = None,
    dataset: Dataset = None,
    history: Where = None,
    damage: Damages = None,
    share: Shares = None,
    items: DrawnItems = 30,
    draws: Draws = 200,
    gate: GateFile = None,
    metric: Metrics = None,
    by: Kinds = None,
    alpha: Alpha = None,
    correction: CorrectionName = None,
    threshold: Threshold = None,
    pairing: PairingName = Pairing.ASSIGNMENT,
    out: OutRows = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    embedder: Embedder = None,
    layer: Layer = None,
    precision: PrecisionName = Precision.EXACT,
    no_cache: NoCache = False,  # noqa: FBT002
    seed: Seed = None,
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
        gate,
        threshold,
        metrics=metric,
        by=by,
        alpha=alpha,
        correction=correction and correction.value,
        seed=seed,
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
    dataset: Dataset = None,
    history: Where = None,
    power: Power = 0.8,
    drift: WantedDrifts = None,
    items: PlannedItems = None,
    gate: GateFile = None,
    metric: Metrics = None,
    by: Kinds = None,
    alpha: Alpha = None,
    correction: CorrectionName = None,
    pairing: PairingName = Pairing.ASSIGNMENT,
    report: Report = None,
    json: Json = False,  # noqa: FBT002
    embedder: Embedder = None,
    layer: Layer = None,
    precision: PrecisionName = Precision.EXACT,
    no_cache: NoCache = False,  # noqa: FBT002
    seed: Seed = None,
) -> None:
    """Say which drift the gate can find, and how many items another one takes.

    [bold]semscale drift plan --power .8 --drift .1[/bold]

    How far items differ comes from the comparisons with this baseline, or from a rerun of it.
    """
    from semscale.cli.drift.meter import MeterChoice
    from semscale.cli.drift.plan_run import PlanRun
    from semscale.cli.drift.settings import gate_settings
    from semscale.cli.outputs import Outputs, present

    settings = gate_settings(
        gate, None, metrics=metric, by=by, alpha=alpha, correction=correction and correction.value, seed=seed
    )
    measuring = MeterChoice(
        embedder, precision.value, pairing.value, seed or 0, cache=not no_cache, layer=layer
    )
    outputs = Outputs(report=report)
    run = PlanRun(history, dataset, measuring, settings, power, tuple(drift or ()), items, outputs)
    present(run.done(), outputs, json=json)
