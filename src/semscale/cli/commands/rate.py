"""The command ``semscale rate``: texts rated on a scale."""

from semscale.cli.options.groups import grouped
from semscale.cli.options.rating import RatingOptions


@grouped
def rate(options: RatingOptions) -> None:
    """Rate a column of texts on a scale, and estimate what they say as a whole.

    [bold]semscale rate answers.csv --text comment --scale satisfaction --report rated.html[/bold]

    If it is stopped, the same command with --out goes on after the last finished part.

    Texts that a spreadsheet would run as a formula get a leading apostrophe in CSV.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.rating import rate_table
    from semscale.rating.summary import RatingSummary

    summary = rate_table(options)
    with options.outputs.told_if_stopped():
        found = (summary.decided or summary.undecided) if isinstance(summary, RatingSummary) else None
        stopped, failed = (None, None) if found is None else (found.stopped, found.failed)
        present(summary, options.outputs, stopped=stopped, failed=failed)
