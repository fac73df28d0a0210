"""What a self-test found, on the screen and as JSON."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from semscale.cli.drift.json_output import dumped
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.wording import MISSING, counted, percent, percent_with_interval, printable

if TYPE_CHECKING:
    from pathlib import Path

    from semscale.drift.self_testing.results import SelfTest, SelfTestRow


def show_self_test(found: "SelfTest", written: "dict[str, Path]") -> None:
    """Print how often the gate failed, for each kind of change."""
    print_plainly(lambda console: _self_test(console, found, written))


def self_test_json(found: "SelfTest", written: "dict[str, Path]") -> str:
    """Write what a self-test found as a JSON object; what does not exist is null."""
    return dumped(
        {
            "rows": found.to_frame().to_dicts(),
            "reruns": found.n_reruns,
            "signature": str(found.signature),
            **{name: str(path) for name, path in written.items()},
        }
    )


def _self_test(console: Console, found: "SelfTest", written: "dict[str, Path]") -> None:
    rows = found.rows
    console.print(Text("Self-test of the drift gate", style="bold"))
    reruns = counted(found.n_reruns, "rerun") if found.n_reruns else "no rerun"
    drawn = max((row.n_draws for row in rows), default=0)
    items = max((row.items for row in rows), default=0)
    console.print(
        f"{counted(items, 'item')} a gate, {counted(drawn, 'gate')} for each line, {reruns} of the baseline"
    )
    for title, some in (
        ("\nFalse alarms: what must not fail", found.false_alarms),
        ("\nDetection: what must fail", found.detections),
    ):
        table = figure_grid("change", "of items", "failed", "undecided", "passed", "found by", title=title)
        table.columns[5].justify = "left"
        for row in some:
            table.add_row(*_cells(row))
        console.print(table)
    if not found.n_reruns:
        said = "\nwithout a rerun of the baseline, false alarms say nothing about the model's own noise"
        console.print(Text(said, style="yellow"))
    console.print(Text(f"\nsignature: {printable(found.signature)}", style="dim"))
    for name, path in written.items():
        console.print(f"{name}: {printable(path)}")


def _cells(row: "SelfTestRow") -> list[str]:
    share = percent(row.share, 0) if row.share else MISSING
    if not row.n_draws:
        return [row.kind, share, "no item can be changed so", "", "", ""]
    failed = percent_with_interval(row.failed)
    found_by = row.detected_by or MISSING
    return [row.kind, share, failed, percent(row.undecided.value), percent(row.passed.value), found_by]
