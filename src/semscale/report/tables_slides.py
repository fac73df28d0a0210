"""Crosstabs as slides: for each question and banner a finding with a native chart that shows it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.report import slide_charts
from semscale.report.chart_data import Charts
from semscale.report.document import stamp
from semscale.report.formatting import (
    capitalise,
    chart_name,
    clip_text,
    count,
    count_of,
    coverage,
    join_list,
    one_line,
    p_value_text,
    percent,
)
from semscale.report.parts import quote_file_name
from semscale.report.slides import Deck
from semscale.report.tables import finding, margin_note
from semscale.report.tables_basket import name_of
from semscale.report.tables_charts import charts_of, columns_of, has_letters
from semscale.spelling import without_hints

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs

_WORDING = 110
_CORRECTED = {
    "holm": ", adjusted for the number of comparisons",
    "bh": ", with a limited share of false findings",
    None: ", each comparison on its own",
}


def write(summaries: "Sequence[Crosstabs]", path: Path, template: Path | None = None) -> None:
    """Write crosstabs as slides.

    Each table has its charts (``tables_charts.charts_of``); large ones continue on further slides. Those that
    show no charts have no slides. The last slides state how the tables were made.

    Args:
        summaries: the tables, by their settings.
        path: the file.
        template: presentation with the layouts, fonts and colours to use.

    Raises:
        MissingExtraError: the extra ``slides`` is not installed.
        InputError: the template cannot be used.
        OSError: the file cannot be written.
    """
    deck = Deck(template)
    for summary in summaries:
        for table in summary.tables if summary.settings.show != "table" else ():
            _write_table(deck, table, summary)
    _write_methods(deck, summaries)
    first = summaries[0]
    name = quote_file_name(first.source).text if first.source else ""
    deck.save(path, f"Tables of {name}" if name else "Tables", first.created)


def _write_table(deck: Deck, table: "Crosstab", summary: "Crosstabs") -> None:
    """Write the slides of a table."""
    charts = charts_of(columns_of(table))
    parts = list(slide_charts.parts_of(charts, deck)) if charts else []
    shown = dict.fromkeys(name for part in parts for chart in part.charts for name in chart.categories)
    notes = [
        f"Question: {table.question.wording or table.question.text}",
        *([f"Groups: {table.banner.title}"] if table.banner.groups else []),
        *(chart_name(name) for name in shown if len(name) > slide_charts.LONG_NAME),
        *(f"{capitalise(one_line(without_hints(note)))}." for note in table.question.notes),
        f"Signature: {summary.signature}",
    ]
    if not parts:
        deck.add(finding(table), notes=notes)
    for position, part in enumerate(parts, start=1):
        subtitle = _subtitle(table, position, len(parts), one_line(summary.title))
        slide = deck.add(finding(table), subtitle, notes=notes)
        slide.footnote([*([part.note] if part.note else []), *_footnotes(table, part.charts, summary)])
        slide_charts.draw(slide, part.charts)


def _subtitle(table: "Crosstab", position: int, n: int, title: str) -> str:
    """Return the title, the banner, the wave, the number of the slide if several, and the wording."""
    question, banner = table.question, one_line(table.banner.title)
    wording = clip_text(question.wording, _WORDING).shown if question.wording != question.text else ""
    by = ""
    if table.banner.groups:
        by = f"by the answers to ‘{banner}’" if banner.endswith("?") else f"by {banner}"
    parts = [
        clip_text(title, _WORDING).shown,
        by,
        one_line(table.wave),
        f"{position} of {n}" if n > 1 else "",
        wording,
    ]
    return "  |  ".join(capitalise(part) for part in parts if part) or "Total"


# Texts


def _footnotes(table: "Crosstab", charts: Charts, summary: "Crosstabs") -> Iterator[str]:
    """Yield the base, the meaning of whiskers and letters, and the test, in plain words."""
    tests = summary.settings
    noun = "answer" if summary.is_of_panel else "respondent"
    weighted = ", weighted" if summary.is_weighted else ""
    yield f"Base: {count_of(int(table.bases[0][0]), noun)} with an answer{weighted}."
    if table.question.kind == "multiple choice":
        yield "Several answers were possible."
    if table.question.kind == "rated text":
        yield "Texts were rated by Semscale; intervals do not include the error of the ratings."
    lack_intervals = any(chart.kind == "stack" or chart.has_panels for chart in charts)
    if lack_intervals and (margins := margin_note(table, tests.level, kinds=("share",))):
        yield margins
    if any(chart.kind == "points" for chart in charts):
        yield f"Lines: {coverage(tests.level)} intervals."
    elif any(chart.kind == "bars" and not chart.has_panels for chart in charts):
        yield f"In brackets: {coverage(tests.level)} intervals."
    if any(any(series.marks) for chart in charts for series in chart.series) and has_letters(table):
        alpha = percent(1 - tests.level, 0)
        yield (
            "Letters: higher than the group with that letter, unlikely to be chance "
            f"({alpha} level{_CORRECTED[tests.correction]})."
        )
    if table.small[:, 1:].any() or table.is_small[0]:
        yield f"* Fewer than {count_of(tests.min_base, 'respondent')}, not tested."
    yield from _test_of_all(table, 1 - tests.level)


def _test_of_all(table: "Crosstab", alpha: float) -> Iterator[str]:
    """State the test of all answers by all groups together, in plain words."""
    test = table.association
    if test is None or test.reason:
        return
    shown = p_value_text(test.p_value)
    if test.p_value >= alpha:
        yield f"Taken together, the answers do not differ clearly between the groups ({shown})."
    elif has_letters(table):
        yield f"Taken together, the answers differ between the groups ({shown})."
    else:
        yield (
            f"Taken together, the answers differ between the groups ({shown}), but no difference of two "
            "groups is clear by itself."
        )


def _write_methods(deck: Deck, summaries: "Sequence[Crosstabs]") -> None:
    """Write the slides that state how the tables were made: one for those that were made alike."""
    alike: dict[tuple[tuple[str, str], ...], dict[str, str]] = {}
    for position, summary in enumerate(summaries, start=1):
        members = alike.setdefault(tuple(_method(summary)), {})
        members[name_of(summary, position)] = str(summary.signature)
    shared = [note for note in summaries[0].input_notes if all(note in one.input_notes for one in summaries)]
    notes = " ".join(f"{capitalise(one_line(without_hints(note)))}." for note in shared)
    for rows, members in alike.items():
        named = [("Tables", "; ".join(members))] if len(alike) > 1 else []
        signatures = [("Signature", text) for text in members.values()] if len(members) == 1 else []
        noted = [("Data", notes)] if notes else []
        deck.add_facts("How this was made", [*named, *rows, *noted, *signatures])


def _method(summary: "Crosstabs") -> Iterator[tuple[str, str]]:
    """Yield the facts on how tables were made, without their signature."""
    settings = summary.settings
    noun = "answer" if summary.is_of_panel else "respondent"
    left_out = summary.n - summary.n_counting
    design = [
        f"{name} in “{one_line(', '.join(columns) if isinstance(columns, tuple) else columns)}”"
        for name, columns in (
            ("weights", settings.weight),
            ("strata", settings.strata),
            ("clusters", settings.cluster),
            ("waves", settings.wave),
        )
        if columns
    ]
    if settings.raked_to:
        design.append("weights raked to known shares of the population")
    yield "File", str(quote_file_name(summary.source).text) if summary.source else "data in memory"
    yield "Respondents" if noun == "respondent" else "Answers", _counted(summary, left_out)
    yield "Sample", capitalise(join_list(design)) if design else "Unweighted, as a simple random sample"
    yield "Intervals", f"{coverage(settings.level)}; they cover the chance of drawing other {noun}s."
    if any(np.isfinite(table.differences.p_values).any() for table in summary.tables):
        yield (
            "Tests",
            f"Two-sided t tests of pairs of groups at {percent(1 - settings.level, 0)}"
            f"{_CORRECTED[settings.correction]}; groups of fewer than {settings.min_base} are not tested. "
            "The total is not tested.",
        )
    yield "Made", f"{stamp(summary.created)}, Semscale"


def _counted(summary: "Crosstabs", left_out: int) -> str:
    if not left_out:
        return count(summary.n_counting)
    reasons = "; ".join(f"{count(n)} {reason}" for reason, n in summary.left_out.items() if n)
    return f"{count(summary.n_counting)} of {count(summary.n)} rows; left out: {reasons}"
