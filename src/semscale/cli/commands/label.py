"""The command ``semscale label``: texts that are worth labelling, in a sheet for people."""

from semscale.cli.options.groups import grouped
from semscale.cli.options.label import LabelOptions


@grouped
def label(options: LabelOptions) -> None:
    """Draw texts for people to label, spread over all ratings, into a sheet with instructions.

    [bold]semscale label answers.csv --text comment --scale satisfaction --n 100 --out sheet.xlsx[/bold]

    The filled sheet goes to [bold]semscale calibrate[/bold], for ratings as these people would give them, or
    to [bold]semscale rate --labels[/bold], for the mean that they would give to all texts. That mean is right
    on average, as the sheet has the probability with which each text was drawn.
    """
    from semscale.cli.runs.label import draw_sheet

    draw_sheet(options)
