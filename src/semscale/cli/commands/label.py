"""The command ``semscale label``: texts that are worth labelling, in a sheet for people."""

from semscale.cli.options.groups import grouped
from semscale.cli.options.label import LabelOptions


@grouped
def label(options: LabelOptions) -> None:
    """Draw texts for people to label, spread over all ratings, into a sheet with instructions.

    [bold]semscale label answers.csv --text comment --scale satisfaction --n 100 --out sheet.xlsx[/bold]

    The sheet has the probability with which each text was drawn; means weighted by 1 / probability are
    unbiased. The filled sheet goes to [bold]semscale calibrate[/bold].
    """
    from semscale.cli.runs.label import draw_sheet

    draw_sheet(options)
