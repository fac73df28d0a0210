"""``semscale drift history``, ``self-test`` and ``plan``: what was, what the gate finds, what it takes."""

from semscale.cli.drift.watch_options import HistoryViewOptions, PlanOptions, SelfTestOptions
from semscale.cli.options.groups import grouped
from semscale.cli.outputs import present


@grouped
def history(options: HistoryViewOptions) -> None:
    """List runs, baselines and comparisons, and how each metric developed.

    [bold]semscale drift history --report trend.html[/bold]

    The trend is that of all comparisons with the latest baseline.
    """
    from semscale.cli.drift.history_run import read_history

    present(read_history(options), options.outputs)


@grouped
def self_test(options: SelfTestOptions) -> None:
    """Damage the baseline in known ways, and say how often the gate as configured notices.

    [bold]semscale drift self-test --gate gate.yaml --report self-test.html[/bold]

    It also says how often the gate fails where nothing was harmed: order, other words, the model asked again.
    """
    from semscale.cli.drift.self_test_run import damage_and_gate

    present(damage_and_gate(options), options.outputs)


@grouped
def plan(options: PlanOptions) -> None:
    """Say which drift the gate can find, and how many items another one takes.

    [bold]semscale drift plan --power .8 --drift .1[/bold]

    How far items differ comes from the comparisons with this baseline, or from a rerun of it.
    """
    from semscale.cli.drift.plan_run import plan_from_history

    present(plan_from_history(options), options.outputs)
