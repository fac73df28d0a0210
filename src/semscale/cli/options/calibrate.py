"""Options of ``semscale calibrate``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from semscale.cli.options.groups import option_group, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import COLUMNS, OUTPUT, RUN, column, option, setting
from semscale.cli.options.rating import Scale
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs
from semscale.rating.settings import RaterSettings


@option_group
class LabelColumnOptions:
    """The columns of labelled texts."""

    text: Annotated[str, column("The texts to rate.")]
    human: Annotated[
        str, column("People's ratings: a number, or a list like [3, 4]; empty cells are passed over.")
    ]
    by: Annotated[
        str | None,
        column("Groups to leave out whole, such as surveys, so that the error holds for new ones."),
    ] = None
    human_range: Annotated[
        tuple[float, float] | None, option(COLUMNS, "Lowest and highest value people could give.", "LOW HIGH")
    ] = None


@option_group
class CalibrationOutputs(Outputs):
    """Files that ``semscale calibrate`` writes."""

    calibration: Annotated[
        Path,
        option(OUTPUT, "The calibration, for [bold]rate --calibration[/bold]: .json.", "FILE", name="--out"),
    ]

    @property
    def further(self) -> Mapping[str, Path | None]:
        """The calibration."""
        return {"calibration": self.calibration}


@option_group
class CalibrateOptions:
    """All options of ``semscale calibrate``."""

    file: File
    columns: LabelColumnOptions
    scale: Scale
    rating: Annotated[RaterSettings, without("calibration")]
    outputs: Annotated[CalibrationOutputs, without("out")]
    model: ModelOptions
    table: RowOptions
    interval: Annotated[float, setting(RUN, "Coverage of the intervals.")] = 0.95
    seed: Annotated[int, setting(RUN, "Seed of everything that is random.")] = 0
