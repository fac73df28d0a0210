"""Scores of a submission, on the screen and as JSON."""

import json
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from semscale.cli.runs.match_json import estimate_json, number_or_null
from semscale.report.render.grids import figure_grid, print_plainly
from semscale.report.wording import number, one_line, printable, with_interval

if TYPE_CHECKING:
    from semscale.cli.runs.evaluate import EvaluatedFolder
    from semscale.matching.cliniqlink.submission_scores import TaskScore

_DIGITS = 3


def show_evaluation(evaluated: "EvaluatedFolder") -> None:
    """Print what came of a run to standard output."""
    print_plainly(lambda console: _print(console, evaluated))


def evaluation_json(evaluated: "EvaluatedFolder") -> str:
    """Write what came of a run as a JSON object; what does not exist is null."""
    scores = evaluated.scores
    content: dict[str, Any] = {
        "folder": evaluated.folder,
        "overall": number_or_null(scores.overall),
        "tasks": [
            {
                "task": task.task,
                "measure": task.measure,
                **estimate_json(task.estimate),
                "invalid": task.n_invalid,
                "figures": {name: number_or_null(value) for name, value in task.figures.items()},
            }
            for task in scores.tasks
        ],
        "signature": str(scores.signature),
        "out": None if evaluated.out is None else str(evaluated.out),
    }
    return json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False)


def _print(console: Console, evaluated: "EvaluatedFolder") -> None:
    scores = evaluated.scores
    console.print(Text.assemble(("Submission", "bold"), (f"  {one_line(evaluated.folder)}", "dim")))
    table = figure_grid("task", "score", "measure", "items", "invalid", "left out", "", title="\nBy task")
    table.columns[2].justify = table.columns[6].justify = "left"
    for task in scores.tasks:
        estimate = task.estimate
        table.add_row(
            task.task,
            with_interval(estimate, _DIGITS),
            task.measure,
            f"{estimate.n:,}",
            f"{task.n_invalid:,}",
            f"{estimate.n_left_out:,}",
            _further(task),
        )
    console.print(table)
    console.print(f"\noverall, each task counting the same: {number(scores.overall, _DIGITS)}")
    console.print(Text("intervals: 95 %; replies that are invalid count as 0", style="dim"))
    console.print(Text(f"signature: {printable(scores.signature)}", style="dim"))
    if evaluated.out is not None:
        console.print(f"table: {printable(evaluated.out)}")


def _further(task: "TaskScore") -> str:
    return ", ".join(
        f"{name.replace('_', ' ')} {number(value, _DIGITS)}" for name, value in task.figures.items()
    )
