"""What was recorded and approved, on the screen and as JSON."""

import json
import math
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from semscale.cli.drift.view import run_line
from semscale.drift.runs.run_texts import number_of
from semscale.history.runs import short_id
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.wording import count, counted, listed, one_line, printable

if TYPE_CHECKING:
    from semscale.history.runs import Approval, Run


def show_recorded(run: "Run", where: str) -> None:
    """Print what a run holds and where it is kept."""
    print_plainly(lambda console: _recorded(console, run, where))


def show_approved(run: "Run", approval: "Approval") -> None:
    """Print which run is the baseline now."""
    print_plainly(lambda console: _approved(console, run, approval))


def recorded_json(run: "Run", where: str) -> str:
    """Write what a run holds as a JSON object."""
    content: dict[str, Any] = {
        "id": run.id,
        "dataset": run.dataset,
        "model": run.model,
        "recorded": run.recorded.isoformat(),
        "items": len(run.items),
        "outputs": n_outputs(run),
        "silent": n_silent(run),
        "fields": list(run.fields),
        "without_number": n_without_number(run),
        "groups": n_groups(run),
        "rerun_of": run.rerun_of,
        "revision": run.revision,
        "note": run.note,
        "history": where,
        "signature": str(run.signature),
    }
    return json.dumps(content, ensure_ascii=False, indent=2)


def n_outputs(run: "Run") -> int:
    """Count the outputs that say something."""
    return sum(len(item.spoken) for item in run.items)


def n_silent(run: "Run") -> int:
    """Count the items for which the model said nothing."""
    return sum(not item.spoken for item in run.items)


def n_without_number(run: "Run") -> dict[str, int]:
    """Count, for each field, the outputs that say something and have no such number; NaN is none."""
    spoken = [output for item in run.items for output in item.spoken]
    return {name: sum(math.isnan(number_of(output, name)) for output in spoken) for name in run.fields}


def n_groups(run: "Run") -> dict[str, int]:
    """Count the groups of each kind."""
    return {
        kind: len({item.groups[kind] for item in run.items if kind in item.groups})
        for kind in run.group_kinds
    }


def _recorded(console: Console, run: "Run", where: str) -> None:
    console.print(Text.assemble(("Recorded", "bold"), (f"  {short_id(run.id)}", "cyan")))
    groups = [f"{one_line(kind)} ({count(n)})" for kind, n in n_groups(run).items()]
    fields = [
        f"{one_line(name)} (missing in {counted(n, 'output')})" if n else one_line(name)
        for name, n in n_without_number(run).items()
    ]
    table = figure_grid("", "")
    table.columns[1].justify = "left"
    for name, value in {
        "dataset": one_line(run.dataset),
        "model": one_line(run.model),
        "items": count(len(run.items)),
        "outputs": count(n_outputs(run)),
        "silent": counted(n_silent(run), "item"),
        "fields": listed(fields) or "none",
        "groups": listed(groups) or "none",
        "rerun of": run.rerun_of and short_id(run.rerun_of),
        "Git revision": run.revision or "none",
        "note": run.note and one_line(run.note),
        "history": printable(where),
    }.items():
        if value is not None:
            table.add_row(name, value)
    console.print(table)


def _approved(console: Console, run: "Run", approval: "Approval") -> None:
    until = (
        f"until {approval.expires:%Y-%m-%d %H:%M} UTC" if approval.expires else "until another is approved"
    )
    console.print(f"baseline of {one_line(run.dataset)}: {run_line(run)}")
    console.print(f"approved by {one_line(approval.by)}, {until}: {one_line(approval.why)}")
    if n_silent(run) == len(run.items):
        said = "No item of it says anything, so that a candidate cannot do worse: approve a run with outputs."
        console.print(Text(said, style="yellow"))
    if run.rerun_of is not None:
        console.print(f"It was recorded as a rerun of {short_id(run.rerun_of)}.")
