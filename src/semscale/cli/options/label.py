"""Options of ``semscale label``."""

from pathlib import Path
from typing import Annotated

from semscale.cli.options.groups import option_group, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, option, setting
from semscale.cli.options.rating import Scale
from semscale.cli.options.table import File, RowOptions
from semscale.rating.settings import RaterSettings


@option_group
class LabelOptions:
    """All options of ``semscale label``."""

    file: File
    text: Annotated[str, option(COLUMNS, "The texts to draw from.", "COLUMN")]
    scale: Scale
    rating: Annotated[RaterSettings, without("calibration")]
    out: Annotated[Path, option(OUTPUT, "The sheet: .csv, .xlsx, .jsonl or .parquet.", "FILE")]
    model: ModelOptions
    table: RowOptions
    n: Annotated[int, setting(RUN, "Texts to draw.")] = 100
    by_interest: Annotated[
        bool,
        option(RUN, "Draw texts more often that the rating is least sure of; rate --labels allows for it."),
    ] = False
    seed: Annotated[int, setting(RUN, "Seed of the draw.")] = 0
