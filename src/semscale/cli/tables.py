"""Prints tables: fitted to a terminal, unfolded into a pipe."""

_PIPE_WIDTH = 200


def print_table(table: object) -> None:
    """Print a table of rich to standard output."""
    from rich.console import Console

    # In a pipe there is no width to fit into, and a folded line would be of no use to the next program.
    console = Console()
    (console if console.is_terminal else Console(width=_PIPE_WIDTH)).print(table)
