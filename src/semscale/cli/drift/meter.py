"""The drift meter that options of ``semscale drift`` describe."""

from collections.abc import Mapping

from semscale.cli.drift.options import MeasuringOptions
from semscale.cli.options.model import ModelOptions
from semscale.drift.measure.direction import Direction
from semscale.drift.measure.meter import DriftMeter
from semscale.embedding.tokens.state_engine import TOKENLESS_ENGINES
from semscale.errors import InputError


def drift_meter(
    measuring: MeasuringOptions,
    embedder: ModelOptions,
    seed: int | None,
    fields: Mapping[str, Direction] | None = None,
) -> DriftMeter:
    """Make the meter; with the engine ``openvino`` the model is loaded when it is first needed.

    Args:
        measuring: how runs are measured.
        embedder: the model.
        seed: of what is random.
        fields: which numbers of a field are better, from a gate's settings.

    Raises:
        InputError: an engine that shows no states of tokens, or a setting that cannot be used.
        MissingExtraError: the engine's extra is not installed.
    """
    if embedder.engine in TOKENLESS_ENGINES:
        raise InputError(
            f"--engine must be openvino or torch, which show the states of tokens, got {embedder.engine!r}"
        )
    named = embedder.engine == "openvino"
    return DriftMeter(
        embedder.chosen_name if named else embedder.load(None),
        precision=embedder.precision,
        seed=seed or 0,
        pairing=measuring.pairing,
        layer=measuring.layer,
        cache=not embedder.no_cache,
        fields=fields,
    )
