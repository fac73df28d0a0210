"""Options of ``semscale drift anchors``."""

from typing import TYPE_CHECKING, Annotated

import typer

from semscale.cli.drift.options import HISTORY, DriftEmbedder, HistoryOptions, MeasuringOptions, Seed
from semscale.cli.options.groups import option_group, refuse_given, without
from semscale.cli.options.panels import COLUMNS, column, option
from semscale.cli.options.table import TableOptions
from semscale.cli.outputs import Outputs
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.drift.ruler.anchor_file import AnchorColumns


@option_group
class AnchorColumnOptions:
    """The columns of a table of anchors, as ``AnchorColumns`` takes them."""

    reference: Annotated[str | None, column("What the output should say; reference unless given.")] = None
    output: Annotated[str | None, column("The text that is measured; output unless given.")] = None
    id: Annotated[str | None, column("Names of the anchors; numbered unless given.")] = None
    label: Annotated[str | None, column("People's scores of the outputs.")] = None
    label_range: Annotated[
        str | None,
        option(COLUMNS, "Least and greatest label, such as 1,5; 0,1 unless given.", "LOW,HIGH"),
    ] = None

    @property
    def columns(self) -> "AnchorColumns":
        """The columns; what is not given is as ``AnchorColumns`` takes them.

        Raises:
            InputError: a range that is no two numbers, or does not rise.
        """
        from semscale.drift.ruler.anchor_file import AnchorColumns

        usual = AnchorColumns()
        return AnchorColumns(
            reference=self.reference or usual.reference,
            output=self.output or usual.output,
            id=self.id or usual.id,
            label=self.label,
            label_range=None if self.label_range is None else _range(self.label_range),
        )


@option_group
class AnchorOptions:
    """All options of ``semscale drift anchors``.

    Raises:
        InputError: options of a file without one.
    """

    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[ANCHORS]",
            help="10 to 500 pairs of texts, one a row: CSV, JSONL, Parquet or Excel. Leave it out to show "
            "what is stored.",
        ),
    ] = None
    name: Annotated[
        str | None,
        option(HISTORY, "Name of the anchor set; the file's, without its ending, unless given.", "NAME"),
    ] = None
    again: Annotated[
        bool,
        option(HISTORY, "Read the latest anchor set once more: later runs are held against these readings."),
    ] = False
    history: HistoryOptions
    columns: AnchorColumnOptions
    measuring: Annotated[MeasuringOptions, without("directions")]
    outputs: Annotated[Outputs, without("out", "figures")]
    embedder: DriftEmbedder
    table: TableOptions
    seed: Seed = None

    def __post_init__(self) -> None:
        if self.file is None:
            owner = "a file of anchors, which is not given"
            refuse_given(owner, self.columns, self.table)
            if self.name is not None:
                raise InputError(f"--name belongs to {owner}")
        elif self.again:
            raise InputError("--again reads what is stored: take it without a file")


def _range(written: str) -> tuple[float, float]:
    try:
        low, high = map(float, written.split(","))
    except ValueError:
        raise InputError(f"--label-range must be two numbers, such as 1,5, got {written!r:.60}") from None
    return low, high
