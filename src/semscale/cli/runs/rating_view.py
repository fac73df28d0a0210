"""A rating summary on the screen: tables with colour on a terminal, plain aligned text in a pipe."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from semscale.report.cautions import cautions, lint_line, rows_that_count
from semscale.report.rating_reasons import codes_hint
from semscale.report.render.fitting import fitted
from semscale.report.render.grids import bar, figure_grid, print_plainly
from semscale.report.wording import (
    counted,
    coverage,
    digits_for,
    number,
    one_line,
    percent_with_interval,
    plain,
    printable,
    with_interval,
)

if TYPE_CHECKING:
    from semscale.cli.runs.rating import RatedFile
    from semscale.rating.human.comparison import RatingComparison
    from semscale.rating.summary import RatingSummary
    from semscale.stats.intervals.estimates import Estimate, GroupEstimate

_BAR = 24
_GROUPS = 50
_NAME_CELLS = 30
_LABEL_CELLS = 40
_QUIET = "dim"


def show_rating(rated: "RatedFile") -> None:
    """Print what came of a run to standard output."""
    print_plainly(lambda console: _print(console, rated))


def _print(console: Console, rated: "RatedFile") -> None:
    summary = rated.summary
    console.print(
        Text.assemble((one_line(summary.scale.title), "bold"), (f"  {one_line(summary.source)}", _QUIET))
    )
    console.print(rows_that_count(summary))
    if hint := codes_hint(summary):
        console.print(f"hint: {hint}")
    for table in _tables(summary):
        console.print(table)
    warned = [*cautions(summary), *filter(None, [lint_line(rated.lint)])]
    for line in [""] * bool(warned) + warned:
        console.print(Text(line, style="yellow"))
    for line in _notes(summary):
        console.print(Text(line, style=_QUIET))
    for name, path in (("table", rated.out), ("report", rated.report)):
        if path is not None:
            console.print(f"{name}: {printable(path)}")


def _tables(summary: "RatingSummary") -> Iterator[Table | str]:
    if summary.estimates.overall.pmf:
        yield _figures(summary)
        yield _distribution(summary)
    else:
        yield "\nNo row counts, so there is nothing to estimate."
    if summary.estimates.groups:
        yield _groups(summary)
    if summary.comparison is not None:
        yield _comparison(summary.comparison)


def _figures(summary: "RatingSummary") -> Table:
    overall, digits = summary.estimates.overall, _digits(summary)
    percent = f"{coverage(summary.estimates.interval)} interval"
    table = figure_grid("", "estimate", title=f"\nAltogether ({percent})")
    if overall.mean is not None:
        low, high = summary.scale.values[0], summary.scale.values[-1]
        table.add_row(f"mean, from {plain(low)} to {plain(high)}", with_interval(overall.mean, digits))
    for name, estimate in _shares(overall).items():
        table.add_row(name, percent_with_interval(estimate))
    return table


def _shares(group: "GroupEstimate") -> "dict[str, Estimate]":
    named = {
        "top 2 points": group.top_2_box,
        "bottom 2 points": group.bottom_2_box,
        "net (top less bottom)": group.net,
        "NPS": group.nps,
    }
    return {name: estimate for name, estimate in named.items() if estimate is not None}


def _distribution(summary: "RatingSummary") -> Table:
    masses = summary.estimates.overall.pmf
    table = figure_grid("point", "share", "", title="\nDistribution")
    table.columns[2].justify = "left"
    most = max(mass.value for mass in masses) or 1.0
    for point, mass in zip(summary.scale.points, masses, strict=True):
        label = fitted(f"{plain(point.value)} {point.label}", _LABEL_CELLS)
        table.add_row(label, percent_with_interval(mass), Text(bar(mass.value / most, _BAR), style="cyan"))
    return table


def _groups(summary: "RatingSummary") -> Table:
    groups, digits = summary.estimates.groups, _digits(summary)
    with_boxes = any(group.top_2_box for group in groups)
    heads = [
        fitted(summary.by or "group", _NAME_CELLS),
        "rows",
        "mean",
        *(["top 2 points"] if with_boxes else []),
    ]
    table = figure_grid(*heads, title="\nBy group")
    for group in groups[:_GROUPS]:
        cells = [
            _name(group),
            f"{group.n:,}",
            with_interval(group.mean, digits) if group.mean else number(None),
        ]
        if with_boxes:
            cells.append(percent_with_interval(group.top_2_box) if group.top_2_box else number(None))
        table.add_row(*cells)
    if len(groups) > _GROUPS:
        table.add_row(
            f"... and {counted(len(groups) - _GROUPS, 'more group', 'more groups')}; --json has all"
        )
    return table


def _name(group: "GroupEstimate") -> str:
    return "(none)" if group.group is None else fitted(group.group, _NAME_CELLS) or "(blank)"


def _comparison(compared: "RatingComparison") -> Table:
    table = figure_grid("", "estimate", title=f"\nCompared with humans ({_compared_texts(compared)})")
    rows = {
        "Pearson r of means": compared.pearson,
        "Spearman rho of means": compared.spearman,
        "KS similarity of distributions": compared.ks_similarity,
        "ceiling: reliability of the humans": compared.ceiling,
        "to beat: r of text length": compared.null_length,
        "to beat: KS of equal shares": compared.null_ks,
    }
    for name, estimate in rows.items():
        if estimate is not None:
            table.add_row(name, with_interval(estimate, 3))
    return table


def _compared_texts(compared: "RatingComparison") -> str:
    n = counted(compared.n, "text")
    return n if compared.n == compared.n_eligible else f"a sample of {n} of {compared.n_eligible:,}"


def _notes(summary: "RatingSummary") -> list[str]:
    method = summary.estimates.method
    clusters = "respondents" if summary.estimates.clustered else "rows"
    how = f"bootstrap of {clusters}" if method == "bootstrap" else f"linearized variance over {clusters}"
    # With fewer than two rows or respondents there are no intervals to speak of.
    lines = ["", *([f"intervals: {how}"] if summary.estimates.overall.method else [])]
    if summary.n_windowed:
        lines.append(
            f"{counted(summary.n_windowed, 'text')} read in overlapping windows, because of their length"
        )
    return [*lines, f"signature: {printable(summary.signature)}"]


def _digits(summary: "RatingSummary") -> int:
    return digits_for(float(summary.scale.values[0]), float(summary.scale.values[-1]))
