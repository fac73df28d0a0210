"""The command ``semscale calibrate``: what people's ratings of some texts say about all others."""

from semscale.cli.options.calibrate import CalibrateOptions
from semscale.cli.options.groups import grouped


@grouped
def calibrate(options: CalibrateOptions) -> None:
    """Learn from people's ratings of some texts how to rate others like them.

    [bold]semscale calibrate labelled.csv --text comment --human rating --scale quality --out cal.json[/bold]

    Then [bold]semscale rate answers.csv ... --calibration cal.json[/bold] rates with it. Every figure that is
    printed is of texts that nothing was fitted to.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.calibrate import calibrate_table

    summary = calibrate_table(options)
    present(summary, options.outputs)
