"""Declaration of options: their panel in the help, text and placeholder."""

from collections.abc import Callable
from typing import Any

import typer

COLUMNS, INPUT, OUTPUT, RUN, MODEL, CALLS = "Columns", "Input", "Output", "Run", "Model", "Calls"
"""Panels that several commands have."""


def option(  # noqa: PLR0913 - what Typer takes
    panel: str,
    text: str,
    metavar: str | None = None,
    *,
    name: str = "",
    shown: bool = False,
    parser: Callable[[str], Any] | None = None,
) -> Any:  # noqa: ANN401
    """Declare an option in a panel of the help.

    Args:
        panel: the panel's title.
        text: what the help says.
        metavar: what stands for the value.
        name: such as ``--part-rows``; after the field, ``part_rows``, unless given.
        shown: whether the help shows the default.
        parser: what makes the value of the text.
    """
    names = [name] if name else []
    return typer.Option(
        *names, help=text, rich_help_panel=panel, metavar=metavar, show_default=shown, parser=parser
    )


def setting(panel: str, text: str, metavar: str = "NUMBER") -> Any:  # noqa: ANN401
    """Declare an option with a default, which the help shows."""
    return option(panel, text, metavar, shown=True)


def column(text: str) -> Any:  # noqa: ANN401
    """Declare an option that names a column of the input."""
    return option(COLUMNS, text, "COLUMN")
