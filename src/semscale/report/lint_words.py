"""A line about what the linter measured, without figures that do not exist."""

import math
from typing import TYPE_CHECKING

from semscale.report.wording import counted, number

if TYPE_CHECKING:
    from semscale.rating.lint.report import LintReport


def measured(report: "LintReport") -> str:
    """Say on how many sets and probes a verdict rests, and what they gave."""
    ladder = report.ladder
    words = [counted(len(report.sets), "set"), probes(report)]
    if report.scale.probes:
        words += [f"order {number(ladder.spearman)}", f"spread {number(ladder.spread)}"]
    if not math.isnan(report.reliability):
        words.append(f"reliability {number(report.reliability)}")
    return ", ".join(words)


def probes(report: "LintReport") -> str:
    """Count the probes, and say so where they are not the scale's own."""
    if report.scale.probes:
        return counted(len(report.probes), "probe")
    return f"no probes of its own, tried on {counted(len(report.probes), 'probe')} of the library"
