"""Options of ``semscale columns``."""

from typing import Annotated

from semscale.cli.options.groups import option_group, without
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as


@option_group
class ColumnsOptions:
    """All options of ``semscale columns``."""

    file: File
    outputs: Annotated[Outputs, written_as("Table of columns and values"), without("figures")]
    table: RowOptions
