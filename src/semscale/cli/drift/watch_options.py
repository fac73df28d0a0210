"""Options of ``semscale drift self-test`` and ``plan``."""

from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.options.model import option
from semscale.cli.options.table import OUTPUT, RUN

_DAMAGE = "Damage"

TestedRun = Annotated[
    str | None,
    typer.Argument(
        metavar="[RUN]",
        help="A run to damage instead of the baseline: first characters of its id, or latest.",
    ),
]
Damages = Annotated[
    list[str] | None,
    option(
        _DAMAGE,
        "--damage",
        "Kind of change, such as negate; all unless given; can be repeated.",
        metavar="KIND",
    ),
]
Shares = Annotated[
    list[float] | None,
    option(
        _DAMAGE,
        "--share",
        "Of the items that are changed; .1, .25, .5 and 1 unless given; can be repeated.",
        metavar="SHARE",
    ),
]
DrawnItems = Annotated[
    int, option(_DAMAGE, "--items", "Items that each gate sees.", shown=True, metavar="NUMBER")
]
Draws = Annotated[
    int, option(_DAMAGE, "--draws", "Gates asked for each kind and share.", shown=True, metavar="NUMBER")
]
OutRows = Annotated[
    Path | None,
    option(OUTPUT, "--out", "Table of all rates: .parquet, .csv, .jsonl or .xlsx.", metavar="FILE"),
]
Power = Annotated[float, option(RUN, "--power", "Chance of finding the drift.", shown=True, metavar="SHARE")]
WantedDrifts = Annotated[
    list[str] | None,
    option(
        RUN,
        "--drift",
        "Drift to plan for: a number for all metrics, or METRIC=NUMBER; can be repeated.",
        metavar="NUMBER",
    ),
]
PlannedItems = Annotated[
    int | None,
    option(RUN, "--items", "Items to plan with; those of the baseline unless given.", metavar="NUMBER"),
]
