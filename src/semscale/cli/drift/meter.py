"""How the options of ``semscale drift`` have runs measured."""

from semscale.cli.drift.options import MeasuringOptions
from semscale.cli.options.model import ModelOptions
from semscale.drift.measure.meter import DriftMeter


def drift_meter(measuring: MeasuringOptions, embedder: ModelOptions, seed: int | None) -> DriftMeter:
    """Make the instrument; the model is loaded when it is first needed."""
    return DriftMeter(
        embedder.chosen_name,
        precision=embedder.precision,
        seed=seed or 0,
        pairing=measuring.pairing,
        layer=measuring.layer,
        cache=not embedder.no_cache,
    )
