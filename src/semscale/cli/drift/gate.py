"""``semscale drift compare`` and ``gate``: a candidate beside the baseline, without and with a decision."""

from typing import Annotated

import typer

from semscale.cli.drift.compare_options import GATED, CompareOptions
from semscale.cli.drift.options import GateOptions
from semscale.cli.options.groups import grouped

_EXIT_CODES = {"pass": 0, "fail": 1, "undecided": 4}


@grouped
def compare(options: CompareOptions) -> None:
    """Measure how far a candidate is from the baseline, and decide nothing.

    [bold]semscale drift compare new.jsonl --model gpt-4o-mini --out losses.parquet --report drift.html[/bold]
    """
    from semscale.cli.drift.run import CompareRun

    CompareRun(options).present()


@grouped
def gate(gate: GateOptions, options: Annotated[CompareOptions, GATED]) -> None:
    """Decide whether a candidate is as good as the baseline: pass, fail or undecided.

    [bold]semscale drift gate new.jsonl --model gpt-4o-mini --report drift.html[/bold]

    It fails where a metric drifted significantly and by its margin or more, or a threshold does not hold.

    Exit code 0: passed; 1: failed; 4: undecided, with the number of items that would decide.
    """
    from semscale.cli.drift.run import CompareRun
    from semscale.cli.drift.settings import gate_settings

    compared = CompareRun(options, gate_settings(gate, options.seed)).present()
    raise typer.Exit(_EXIT_CODES[str(compared.stored.outcome)])
