"""A plan for the gate, on the screen and as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from semscale.cli.drift.json_output import dumped
from semscale.report.drift_json import number_or_none
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.wording import MISSING, count, counted, number, plain, printable

if TYPE_CHECKING:
    from semscale.drift.gate.plan import GatePlan, MetricPlan


def show_plan(plan: "GatePlan") -> None:
    """Print what drift the gate finds and how many items it takes."""
    print_plainly(lambda console: _plan(console, plan))


def plan_json(plan: "GatePlan") -> str:
    """Write a plan as a JSON object; what does not exist is null."""
    content = asdict(plan)
    content["metrics"] = [
        {name: number_or_none(value) if isinstance(value, float) else value for name, value in one.items()}
        for one in content["metrics"]
    ]
    return dumped(content)


def _plan(console: Console, plan: "GatePlan") -> None:
    console.print(Text("Plan for the drift gate", style="bold"))
    said = f"{counted(plan.n_items, 'item')}, {counted(plan.n_tests, 'test')}, power {plain(plan.power)}"
    console.print(f"{said}; strictest level {number(plan.alpha, 4)}")
    asked = any(one.drift is not None for one in plan.metrics)
    heads = ["metric", "spread", "margin", "finds from", "items for the margin", "items to pass"]
    table = figure_grid(*heads, *(["drift", "items for it"] if asked else []), title="\nBy metric")
    for one in plan.metrics:
        table.add_row(*_planned(one, asked=asked))
    console.print(table)
    within = [one.metric for one in plan.metrics if one.drift is not None and one.drift <= one.margin]
    if within:
        said = f"a drift within its margin is not to fail, whatever the number of items: {', '.join(within)}"
        console.print(Text(f"\n{printable(said)}", style="yellow"))
    for source in dict.fromkeys(one.source for one in plan.metrics):
        console.print(Text(f"\nspread: {printable(source)}", style="dim"))
    for caution in plan.cautions:
        console.print(Text(printable(caution), style="yellow"))


def _planned(one: "MetricPlan", *, asked: bool) -> list[str]:
    figures = [number(value, 3) for value in (one.sd, one.margin, one.detectable)]
    cells = [one.metric, *figures, count(one.items_for_margin), count(one.items_to_pass)]
    if not asked:
        return cells
    return [*cells, number(one.drift, 3) if one.drift is not None else MISSING, count(one.items_for_drift)]
