"""Options of ``semscale embed``."""

from typing import Annotated, Literal

from semscale.cli.options.cluster import ClusterOptions
from semscale.cli.options.groups import option_group, without
from semscale.cli.options.model import ModelOptions
from semscale.cli.options.panels import MODEL, column, option
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError


@option_group
class EmbedOptions:
    """All options of ``semscale embed``.

    Raises:
        InputError: no output is named.
    """

    file: File
    text: Annotated[str, column("The texts.")]
    dtype: Annotated[
        Literal["float32", "float16"],
        option(MODEL, "Type of the numbers; float16 takes half.", shown=True),
    ] = "float32"
    outputs: Annotated[Outputs, written_as("Table with vectors"), without("figures")]
    model: Annotated[ModelOptions, without("no_cache")]
    table: RowOptions
    run: Annotated[RunOptions, without("interval", "seed")]
    cluster: ClusterOptions

    def __post_init__(self) -> None:
        if self.outputs.out is None:
            raise InputError("out must name where the vectors go: a .parquet file, or a folder (vectors/)")
