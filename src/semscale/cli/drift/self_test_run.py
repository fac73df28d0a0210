"""Runs of ``semscale drift self-test``: load a run, damage it, ask the gate, write."""

from semscale.cli.drift.command_options import SelfTestOptions
from semscale.cli.drift.meter import drift_meter
from semscale.cli.drift.run_lookup import BASELINE, run_of
from semscale.cli.drift.settings import gate_settings
from semscale.cli.progress import progress_bars
from semscale.drift.gate.check import check_gate
from semscale.drift.self_testing.results import SelfTest
from semscale.drift.self_testing.self_test import self_test
from semscale.store.writing import write_table


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
            kinds=damage.kinds,
            items=damage.items,
            draws=damage.draws,
            seed=options.seed or 0,
            progress=progress,
            **({} if not damage.shares else {"shares": tuple(damage.shares)}),
        )
    if options.outputs.out is not None:
        write_table(found.to_frame(), options.outputs.out)
    return found
