"""Options of ``semscale drift history``, ``self-test`` and ``plan``."""

from dataclasses import dataclass
from typing import Annotated

import typer

from semscale.cli.drift.options import (
    HISTORY,
    DriftEmbedder,
    GateOptions,
    HistoryOptions,
    MeasuringOptions,
    Seed,
)
from semscale.cli.options.groups import without
from semscale.cli.options.panels import RUN, number, option
from semscale.cli.outputs import Outputs, written_as

_DAMAGE = "Damage"


@dataclass(frozen=True, kw_only=True)
class HistoryViewOptions:
    """All options of ``semscale drift history``."""

    history: HistoryOptions
    merge: Annotated[
        list[str] | None,
        option(
            HISTORY,
            "Take in what another history holds, a file or a URL; can be repeated.",
            "OTHER",
        ),
    ] = None
    outputs: Annotated[Outputs, without("out")]


@dataclass(frozen=True)
class DamageOptions:
    """How a run is damaged, and how often."""

    kinds: Annotated[
        list[str] | None,
        option(
            _DAMAGE,
            "Kind of change, such as negate; all unless given; can be repeated.",
            "KIND",
            name="--damage",
        ),
    ] = None
    shares: Annotated[
        list[float] | None,
        option(
            _DAMAGE,
            "Of the items that are changed; .1, .25, .5 and 1 unless given; can be repeated.",
            "SHARE",
            name="--share",
        ),
    ] = None
    items: Annotated[int, number(_DAMAGE, "Items that each gate sees.")] = 30
    draws: Annotated[int, number(_DAMAGE, "Gates asked for each kind and share.")] = 200


@dataclass(frozen=True, kw_only=True)
class SelfTestOptions:
    """All options of ``semscale drift self-test``."""

    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="A run to damage instead of the baseline: first characters of its id, or latest.",
        ),
    ] = None
    history: HistoryOptions
    damage: DamageOptions
    gate: Annotated[GateOptions, without("over_runs")]
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, written_as("Table of all rates")]
    embedder: DriftEmbedder
    seed: Seed = None


@dataclass(frozen=True, kw_only=True)
class PlanOptions:
    """All options of ``semscale drift plan``."""

    history: HistoryOptions
    power: Annotated[float, number(RUN, "Chance of finding the drift.", "SHARE")] = 0.8
    drift: Annotated[
        list[str] | None,
        option(
            RUN,
            "Drift to plan for: a number for all metrics, or METRIC=NUMBER; can be repeated.",
            "NUMBER",
        ),
    ] = None
    items: Annotated[
        int | None, option(RUN, "Items to plan with; those of the baseline unless given.", "NUMBER")
    ] = None
    gate: Annotated[GateOptions, without("thresholds", "over_runs")]
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, without("out", "figures")]
    embedder: DriftEmbedder
    seed: Seed = None
