"""``semscale drift history``, ``self-test`` and ``plan``: what was, what the gate finds, what it takes."""

import typer

from semscale.cli.drift_options import Dataset, Merge, Where
from semscale.cli.table_options import Json, Report


def history(
    dataset: Dataset = None,
    history: Where = None,
    merge: Merge = None,
    report: Report = None,
    json: Json = False,  # noqa: FBT002
) -> None:
    """List runs, baselines and comparisons, and how each metric developed.

    [bold]semscale drift history --report trend.html[/bold]

    The trend is that of all comparisons with the latest baseline. --merge first takes in what another history
    has and this one has not.
    """
    from semscale.cli.drift_history_run import HistoryRun

    seen = HistoryRun(history, dataset, tuple(merge or ()), report).done()
    if json:
        from semscale.cli.drift_history_json import history_json

        typer.echo(history_json(seen))
        return
    from semscale.cli.drift_history_view import show_history

    show_history(seen)
