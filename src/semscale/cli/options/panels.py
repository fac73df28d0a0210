"""How options are declared: in a panel of the help, with a name and a text."""

from typing import Any

import typer

COLUMNS, INPUT, OUTPUT, RUN, MODEL, CALLS = "Columns", "Input", "Output", "Run", "Model", "Calls"
"""Panels that several commands have."""


def option(panel: str, name: str, text: str, metavar: str | None = None, *, shown: bool = False) -> Any:  # noqa: ANN401
    """Declare an option in a panel of the help; its default is shown only if ``shown`` is true."""
    return typer.Option(name, help=text, rich_help_panel=panel, metavar=metavar, show_default=shown)


def number(panel: str, name: str, text: str, metavar: str = "NUMBER") -> Any:  # noqa: ANN401
    """Declare an option that takes a number and shows its default."""
    return option(panel, name, text, metavar, shown=True)


def column(name: str, text: str) -> Any:  # noqa: ANN401
    """Declare an option that names a column of the input."""
    return option(COLUMNS, name, text, "COLUMN")
