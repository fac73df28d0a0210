"""Options of ``semscale drift self-test`` and ``plan``."""

from typing import Annotated

from semscale.cli.model_options import option
from semscale.cli.table_options import RUN

_DAMAGE = "Damage"

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
Items = Annotated[int, option(_DAMAGE, "--items", "That the gate has.", shown=True, metavar="NUMBER")]
Draws = Annotated[
    int, option(_DAMAGE, "--draws", "Gates asked for each kind and share.", shown=True, metavar="NUMBER")
]
Power = Annotated[float, option(RUN, "--power", "Chance to find the drift.", shown=True, metavar="SHARE")]
WantedDrift = Annotated[
    float | None,
    option(RUN, "--drift", "Drift that is to be found; the margin unless given.", metavar="NUMBER"),
]
