"""Crosstabs as slides: for each question and banner a finding with a native chart that shows it."""

import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from semscale.report import slide_charts
from semscale.report.chart_data import Charts
from semscale.report.document import stamp
from semscale.report.formatting import (
    capitalise,
    chart_name,
    count,
    count_of,
    coverage,
    end_sentence,
    join_list,
    line_text,
    one_line,
    p_value_text,
    percent,
)
from semscale.report.parts import quote_file_name
from semscale.report.slides import METHOD_TITLE, Deck
from semscale.report.tables import (
    change_finding,
    change_line,
    finding,
    hidden_note,
    margin_note,
    paired_tests,
    report_title,
    result,
    rows_that_count,
    title_of,
)
from semscale.report.tables_basket import entry_names, without_repeats
from semscale.report.tables_charts import changes_chart, charts_of, columns_of, has_letters, mark_changes
from semscale.spelling import without_hints
from semscale.survey.wave_files import WAVE

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs

_SHORT_NAME = 50  # characters of a question's name in a headline or on the first slide
_COVER_NAMES = 5  # names on the first slide
_METHOD = (
    "File",
    "Respondents",
    "Answers",
    "Filter",
    "Sample",
    "Notes",
    "Ratings",
    "Codes",
    "Tests",
    "Intervals",
    "Made",
    "Signature",
)
"""Facts of the last slide, in the order of their weight."""
_CORRECTED = {
    "holm": ", adjusted for the number of comparisons",
    "bh": ", with a limited share of false findings",
    None: ", each comparison on its own",
}


def write(summaries: "Sequence[Crosstabs]", path: Path, template: Path | None = None) -> None:
    """Write crosstabs as slides.

    Each table has its charts (``tables_charts.charts_of``); large ones continue on further slides. A table of
    groups in the last of several waves has a further slide with the groups' changes. Tables that show no
    charts have no slides, and a table that repeats an earlier one has none, either. The first slide is a
    title, and the last states how all was measured.

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
    _write_cover(deck, summaries)
    for summary in without_repeats(summaries):
        for table in summary.tables if summary.settings.show != "table" else ():
            _write_table(deck, table, summary)
    _write_method(deck, summaries)
    first = summaries[0]
    deck.save(path, line_text(report_title(first)), first.created)


def _write_table(deck: Deck, table: "Crosstab", summary: "Crosstabs") -> None:
    """Write the slides of a table."""
    charts = charts_of(columns_of(table))
    if table.banner.is_wave:
        charts = mark_changes(charts, table)
    parts = list(slide_charts.parts_of(charts, deck)) if charts else []
    shown = dict.fromkeys(name for part in parts for chart in part.charts for name in chart.categories)
    notes = [
        f"Question: {table.question.wording or table.question.text}",
        *([f"{one_line(summary.only)}."] if summary.only else []),
        *([f"Groups: {table.banner.title}"] if table.banner.groups else []),
        *(chart_name(name) for name in shown if len(name) > slide_charts.LONG_NAME),
        *(f"{capitalise(one_line(without_hints(note)))}." for note in table.question.notes),
        f"Signature: {summary.signature}",
    ]
    if not parts:
        deck.add(_headline(table, summary), one_line(summary.only), notes=notes)
    detail = _detail(table)
    for position, part in enumerate(parts, start=1):
        number = f"{position} of {len(parts)}" if len(parts) > 1 else ""
        subtitle = _subtitle(table, summary, one_line(table.wave))
        slide = deck.add(_headline(table, summary), subtitle, detail, part=number, notes=notes)
        slide.footnote([*([part.note] if part.note else []), *_footnotes(table, part.charts, summary)])
        slide_charts.draw(slide, part.charts)
    _write_changes(deck, table, summary, notes)


def _write_changes(deck: Deck, table: "Crosstab", summary: "Crosstabs", notes: Sequence[str]) -> None:
    """Write the slides with the change of each group from the wave before, if there is one."""
    line = change_line(table, summary.settings)
    chart = None if line is None or not table.wave else changes_chart(table, line)
    if chart is None:
        return
    tests = summary.settings
    subtitle = _subtitle(table, summary, f"{one_line(table.before)} to {one_line(table.wave)}")
    parts = list(slide_charts.parts_of((chart,), deck))
    for position, part in enumerate(parts, start=1):
        number = f"{position} of {len(parts)}" if len(parts) > 1 else ""
        slide = deck.add(change_finding(table, tests), subtitle, part=number, notes=notes)
        slide.footnote([
            f"{capitalise(chart.quantity)}, with {coverage(tests.level)} intervals.",
            *([f"p-values{_CORRECTED[tests.correction]}."] if tests.correction else []),
            *_measuring(table),
            *_notes_on_groups(table, tests.min_base),
        ])  # fmt: skip
        slide_charts.draw(slide, part.charts)


def _headline(table: "Crosstab", summary: "Crosstabs") -> str:
    """Return the main result; a question without a short title is named below it."""
    state = result if _has_long_name(table) else finding
    return state(table, summary.settings)


def _detail(table: "Crosstab") -> str:
    """Return the wording of a question that the headline does not have."""
    question = table.question
    wording = one_line(question.wording or question.text)
    return wording if _has_long_name(table) or question.text not in ("", wording, question.name) else ""


def _has_long_name(table: "Crosstab") -> bool:
    return len(one_line(title_of(table))) > _SHORT_NAME


def _subtitle(table: "Crosstab", summary: "Crosstabs", wave: str) -> str:
    """Return the condition of the rows, the title in a basket, the banner and the wave.

    The condition comes first, so that a long title cannot push it off the slide.
    """
    banner = one_line(table.banner.title)
    by = ""
    if table.banner.groups:
        by = f"by the answers to ‘{banner}’" if banner.endswith("?") else f"by {banner}"
    parts = (one_line(summary.only), one_line(summary.title), capitalise(by), wave)
    return "  |  ".join(filter(None, parts)) or "Total"


# Texts


def _footnotes(table: "Crosstab", charts: Charts, summary: "Crosstabs") -> Iterator[str]:
    """Yield the base, the meaning of whiskers and letters, and the test, in plain words."""
    tests = summary.settings
    yield _base(table, summary)
    if table.question.kind == "multiple choice":
        yield "Several answers were possible."
    yield from _measuring(table)
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
    if table.banner.is_wave:
        yield from _note_on_changes(table, tests.level)
    yield from _notes_on_groups(table, tests.min_base)
    yield from _test_of_all(table, 1 - tests.level)


def _base(table: "Crosstab", summary: "Crosstabs") -> str:
    """State how many answers a table has, and whether they are weighted."""
    n, weighted = int(table.bases[0][0]), ", weighted" if summary.is_weighted else ""
    if summary.people and table.banner.is_wave:
        return f"Base: {count_of(n, 'answer')}{weighted}; people in several waves count in each of them."
    noun = "answer" if summary.is_of_panel else "respondent"
    return f"Base: {count_of(n, noun)} with an answer{weighted}."


def _measuring(table: "Crosstab") -> Iterator[str]:
    """State how texts were rated or coded."""
    if table.question.kind == "rated text":
        yield "Texts were rated by Semscale; intervals do not include the error of the ratings."
    if table.question.coding:
        yield end_sentence(capitalise(one_line(table.question.coding)))


def _note_on_changes(table: "Crosstab", level: float) -> Iterator[str]:
    """State what the changes beside figures are, and how wide their intervals are at most."""
    changes, question = table.changes, table.question
    if changes is None or not np.isfinite(changes.p_values).any():
        return
    stated = "In brackets after figures: change from the wave before"
    if question.main_line is not None:
        yield f"{stated}."
        return
    tested = np.isfinite(changes.p_values) & np.array([[line.kind == "share"] for line in question.lines])
    margins = np.fmax(changes.high - changes.values, changes.values - changes.low)[tested]
    widest = math.ceil(round(100 * float(np.nanmax(margins, initial=0.0)), 6))
    yield f"{stated}, in points; its {coverage(level)} intervals are at most ± {widest}."


def _notes_on_groups(table: "Crosstab", min_base: int) -> Iterator[str]:
    """Yield what is not tested and what is not shown."""
    if table.small[:, 1:].any() or table.is_small[0]:
        yield f"* Fewer than {count_of(min_base, 'respondent')}, not tested."
    if table.hidden:
        yield hidden_note(table)


def _test_of_all(table: "Crosstab", alpha: float) -> Iterator[str]:
    """State the test of all answers by all groups together, in plain words.

    A table whose headline is about a test of its mean or NPS leaves it out, as the two can disagree.
    """
    test, line = table.association, table.question.main_line
    has_own_test = line is not None and np.isfinite(table.differences.p_values[line]).any()
    if test is None or test.reason or has_own_test:
        return
    shown, groups = p_value_text(test.p_value), "waves" if table.banner.is_wave else "groups"
    if test.p_value >= alpha:
        yield f"Taken together, the answers do not differ clearly between the {groups} ({shown})."
    elif has_letters(table):
        yield f"Taken together, the answers differ between the {groups} ({shown})."
    else:
        yield (
            f"Taken together, the answers differ between the {groups} ({shown}), but no difference of two "
            f"{groups} is clear by itself."
        )


# The first and the last slide


def _write_cover(deck: Deck, summaries: "Sequence[Crosstabs]") -> None:
    """Write the title: the file or the tables, the questions, the respondents, the weights and the date."""
    first = summaries[0]
    names = list(dict.fromkeys(one_line(summary.title) for summary in summaries if summary.title))
    has_names = all(summary.title for summary in summaries)
    file = quote_file_name(first.source).text if first.source else ""
    title = f"Results of {file}" if file else "Results"
    if first.report_title:
        title = one_line(first.report_title)
    elif has_names and len(names) == 1:
        title = names[0]
    tables = [table for summary in summaries for table in summary.tables]
    questions = list(dict.fromkeys(capitalise(one_line(title_of(table))) for table in tables))
    asked = [f"‘{name}’" for name in questions]
    groups = list(dict.fromkeys(one_line(table.banner.title) for table in tables if table.banner.groups))
    by = f", by {_name_some(groups, 'group')}" if groups else ""
    is_listed = has_names and title not in names
    date = f"{first.created:%Y-%m-%d}"
    lines = [
        "; ".join(names) if is_listed else f"{_name_some(asked, 'question')}{by}",
        f"{_respondents(summaries)}, {_weighting(summaries)}",
        f"{file} | {date}" if file and (first.report_title or title in names) else date,
    ]
    deck.add_cover(title, lines, notes=[f"Questions: {'; '.join(questions)}"])


def _name_some(names: list[str], noun: str) -> str:
    """List names that are short, and count the others."""
    short = [name for name in names if len(name) <= _SHORT_NAME][:_COVER_NAMES]
    if not short:
        return count_of(len(names), noun)
    more = len(names) - len(short)
    return join_list([*short, *([f"{more} more"] if more else [])])


def _respondents(summaries: "Sequence[Crosstabs]") -> str:
    """State how many rows count; at most how many, if tables count different ones."""
    most = max(summaries, key=lambda summary: (summary.n_counting, summary.people))
    stated = rows_that_count(most)
    return stated if len({summary.n_counting for summary in summaries}) == 1 else f"up to {stated}"


def _weighting(summaries: "Sequence[Crosstabs]") -> str:
    weighted = {summary.is_weighted for summary in summaries}
    return "partly weighted" if len(weighted) > 1 else "weighted" if weighted == {True} else "not weighted"


def _write_method(deck: Deck, summaries: "Sequence[Crosstabs]") -> None:
    """Write the slide that states how the tables were made; what is not of all of them names its tables."""
    members: dict[str, dict[str, list[str]]] = {name: {} for name in _METHOD}
    entries = entry_names(summaries)
    for summary, entry in zip(summaries, entries, strict=True):
        for name, value in _method(summary):
            named = members[name].setdefault(value, [])
            named += [entry] if entry not in named else []
    shared = [note for note in summaries[0].input_notes if all(note in one.input_notes for one in summaries)]
    facts = [(name, _by_tables(values, len(summaries))) for name, values in members.items() if values]
    facts[-2:-2] = _listed("Data", _sentences(shared))
    signatures = [
        f"Signature of {entry}: {summary.signature}"
        for summary, entry in zip(summaries, entries, strict=True)
    ]
    deck.add_facts(METHOD_TITLE, facts, notes=signatures)


def _listed(name: str, sentences: Iterable[str]) -> list[tuple[str, str]]:
    """Return a fact for each sentence; the first one has the name."""
    return [("" if position else name, sentence) for position, sentence in enumerate(sentences)]


def _sentences(notes: Iterable[str]) -> Iterator[str]:
    """Yield notes without hints as whole sentences."""
    for note in filter(None, map(without_hints, notes)):
        yield end_sentence(capitalise(one_line(note)))


def _by_tables(values: dict[str, list[str]], n: int) -> str:
    """Join the values of a fact; those that are not of all n tables name theirs."""
    return " ".join(
        value if len(names) == n else f"{join_list(names)}: {value.rstrip('.')}."
        for value, names in values.items()
    )


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
            ("waves", None if settings.wave == WAVE else settings.wave),
        )
        if columns
    ]
    if settings.wave == WAVE:
        waves = join_list([f"“{one_line(name)}”" for name in settings.wave_order])
        design.append(f"waves {waves}, each from a file")
    if settings.raked_to:
        design.append("weights raked to known shares of the population")
    yield "File", str(quote_file_name(summary.source).text) if summary.source else "data in memory"
    is_of_people = noun == "respondent" and not summary.people
    yield "Respondents" if is_of_people else "Answers", _counted(summary, left_out)
    if summary.only:
        yield "Filter", f"{one_line(summary.only)}."
    yield "Sample", capitalise(join_list(design)) if design else "Unweighted, as a simple random sample"
    if summary.sample_notes:
        yield "Notes", " ".join(_sentences(summary.sample_notes))
    yield "Intervals", f"{coverage(settings.level)}; they cover the chance of drawing other {noun}s."
    for table in summary.tables:
        for sentence in _measuring(table):
            yield "Ratings" if table.question.kind == "rated text" else "Codes", sentence
    if any(np.isfinite(table.differences.p_values).any() for table in summary.tables):
        paired = f" {capitalise(paired_tests(summary))}."
        yield (
            "Tests",
            f"Two-sided t tests of pairs of groups at {percent(1 - settings.level, 0)}"
            f"{_CORRECTED[settings.correction]}; groups of fewer than {settings.min_base} are not tested. "
            f"The total is not tested.{paired if summary.people else ''}",
        )
    yield "Made", f"{stamp(summary.created)}, Semscale {summary.signature.version}"
    yield "Signature", f"{summary.signature.digest}, in full in the notes of this slide"


def _counted(summary: "Crosstabs", left_out: int) -> str:
    counted = count(summary.n_counting)
    if summary.people:
        counted = f"{counted}, of {summary.people}"
    if not left_out:
        return counted
    reasons = "; ".join(f"{count(n)} {reason}" for reason, n in summary.left_out.items() if n)
    return f"{counted} of {count(summary.n)} rows; left out: {reasons}"
