"""The command ``semscale rate``: texts in, estimates on the screen, a rated table and a report out."""

from semscale.cli.options.groups import grouped
from semscale.cli.options.rating import RatingOptions


@grouped
def rate(options: RatingOptions) -> None:
    """Rate a column of texts on a scale, and say what they say altogether.

    [bold]semscale rate answers.csv --text comment --scale satisfaction --report rated.html[/bold]

    Stopped at any moment, the same command with --out goes on after the last finished part.

    Texts that a spreadsheet would run as a formula get a leading apostrophe in CSV.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.rating import rate_table

    present(rate_table(options), options.outputs)
