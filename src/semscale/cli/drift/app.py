"""The commands ``semscale drift``: did the new model make it worse than the approved baseline?"""

import typer

from semscale.cli.drift.gate import compare, gate
from semscale.cli.drift.record import approve, record
from semscale.cli.drift.watch import history, plan, self_test

app = typer.Typer(
    help="Outputs of a new model beside an approved baseline: record, approve, compare, gate.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
app.command()(record)
app.command()(approve)
app.command()(compare)
app.command()(gate)
app.command()(history)
app.command("self-test")(self_test)
app.command()(plan)
