"""Parts of documents that instruments share: tables, sections, the head, estimates and languages."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Protocol, TypedDict, TypeVar, Unpack

import numpy as np

from semscale.report import chart_data
from semscale.report.chart_data import ChartData
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Detail,
    Headline,
    Interval,
    Label,
    Level,
    Line,
    Paragraph,
    Quoted,
    Reason,
    Reasons,
    Section,
    Share,
    Value,
    as_cell,
    estimate_cell,
    stamp,
)
from semscale.report.formatting import (
    capitalise,
    cell_text,
    clip_text,
    count,
    coverage,
    has_interval,
    line_text,
    number,
    one_line,
)
from semscale.report.sentences import (
    LANGUAGE_NOTE,
    asterisk_note,
    estimate_method,
    language_name,
    most_frequent,
    nothing_scored,
    rows_scored,
    windows_note,
)
from semscale.results.languages import LanguageCount, are_english
from semscale.results.summary import EXAMPLES_PER_STATUS
from semscale.signature import Signature
from semscale.stats.groups import GroupEstimate

if TYPE_CHECKING:
    from semscale.results.estimates import Estimates
    from semscale.results.summary import Summary
    from semscale.stats.intervals import MeanEstimate

SUMMAC = Citation(
    "Laban, P., Schnabel, T., Bennett, P. N., & Hearst, M. A. (2022).",
    "SummaC: Re-visiting NLI-based models for inconsistency detection in summarization",
    "TACL 10, doi:10.1162/tacl_a_00453",
    "sentence by sentence",
)
CORRECTION = Citation(
    "Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I., & Zrnic, T. (2023).",
    "Prediction-powered inference",
    "Science 382, 669–674",
    "corrected means and shares",
)

GROUPS = 50
"""Greatest number of groups on the screen."""

LISTED_GROUPS = 1_000
"""Greatest number of groups in the tables of a page."""

_CHARTED_GROUPS = 24
_NAMED = 40  # characters of a group in a sentence
_ROUNDING = 1e-9  # greatest difference by rounding between equal scores and their mean
_LONGEST_EXAMPLE = 160
_MOST_LANGUAGES = 12  # on the screen

Item = TypeVar("Item")

Column = tuple[str | Quoted, Callable[[Item], Value]]
"""A column of a table: its heading, and the function that returns an item's value."""

Columns = Sequence[Column[Item] | None]
"""Columns of a table in order; ``None`` replaces a column that does not apply."""

Setting = tuple[str, Line | None]
"""Name and value of a setting; ``None`` omits it."""

Fact = tuple[str, Value]
"""Name and value of a fact."""


class DescribedSummary(Protocol):
    """A summary with source, time and signature."""

    @property
    def source(self) -> str:
        """Name of the input; empty if it has none."""
        ...

    @property
    def created(self) -> datetime:
        """Time of its creation."""
        ...

    @property
    def signature(self) -> Signature:
        """Settings that were applied."""
        ...


def without_none(*items: Item | None) -> tuple[Item, ...]:
    """Drop ``None`` and empty sentences.

    Examples:
        >>> without_none("first", None, "", "second")
        ('first', 'second')
    """
    return tuple(item for item in items if item is not None and item != "")


class TableLayout(TypedDict, total=False):
    """Fields of a ``DataTable`` besides its columns and rows."""

    title: Line
    note: str
    explained: bool
    bars: tuple[float, ...]
    most: int
    noun: str
    detail: Detail
    brief_title: Line
    brief: int | None
    folded: str
    is_crosstab: bool
    keeps_last: bool


def table(
    heads: Sequence[str | Quoted], rows: Iterable[Sequence[Value]], **options: Unpack[TableLayout]
) -> DataTable:
    """Build a table from its headings and rows.

    Args:
        heads: heads of the columns; the first column names the row.
        rows: rows with one value per heading; ``as_cell`` converts values to cells.
        options: other fields of ``DataTable``.
    """
    return DataTable(tuple(heads), tuple(tuple(map(as_cell, row)) for row in rows), **options)


def table_of(items: Iterable[Item], columns: Columns[Item], **options: Unpack[TableLayout]) -> DataTable:
    """Build a table from its columns, with one row for each item.

    Args:
        items: items from top to bottom.
        columns: heading and value of each column; ``as_cell`` converts values to cells.
        options: other fields of ``DataTable``.
    """
    shown = without_none(*columns)
    rows = ([value(item) for _, value in shown] for item in items)
    return table([head for head, _ in shown], rows, **options)


def section(
    name: str, title: Line, *blocks: Block | str | None, level: tuple[str, Level | None] | None = None
) -> Section | None:
    """Build a section; ``None`` if all its blocks are empty.

    Args:
        name: identifier: lower-case letters and hyphens.
        title: title of the section.
        blocks: blocks in order. A sentence becomes a note on the other blocks. ``None``, empty sentences and
            tables without rows are dropped.
        level: verdict after the title.
    """
    shown: list[Block | str] = [
        block for block in blocks if block and not (isinstance(block, DataTable) and not block.rows)
    ]
    if all(isinstance(block, str) for block in shown):
        return None
    applying = (Paragraph(block, "note") if isinstance(block, str) else block for block in shown)
    return Section(name, title, tuple(applying), level)


def input_and_date(summary: DescribedSummary) -> tuple[Line, ...]:
    """Return the name of the input, if it has one, and the date, for the line below the title."""
    date = f"{summary.created:%Y-%m-%d}"
    return (quote_file_name(summary.source), date) if summary.source else (date,)


def input_line(summary: DescribedSummary) -> str:
    """Return the name of the input and the date in one line, for the first slide of a deck."""
    return " | ".join(one_line(line_text(line)) for line in input_and_date(summary))


def sentence(line: str) -> Paragraph:
    """Build a paragraph from a line; a page shows it as a sentence, with a capital and a full stop."""
    return Paragraph(f"{capitalise(line)}.", detail="both", brief=line)


def scored_rows(summary: "Summary", noun: str = "row") -> Paragraph:
    """Build the paragraph on the number of scored rows; on a page, also that there is nothing to estimate."""
    overall = summary.estimates.overall
    scored = rows_scored(overall.n, summary.n, overall.left_out, noun)
    if overall.n:
        return sentence(scored)
    nothing = nothing_scored(noun, summary.n)
    return Paragraph(f"{nothing} {scored}." if summary.n else nothing, detail="both", brief=scored)


def row_counts(summary: "Summary", noun: str = "row", *, n_windowed: int = 0) -> tuple[Fact | None, ...]:
    """Return the numbers of rows as facts.

    Args:
        summary: summary of an instrument.
        noun: name of a row.
        n_windowed: number of rows with a text that was read in windows.
    """
    overall = summary.estimates.overall
    return (
        (f"{capitalise(noun)}s", summary.n),
        ("Scored", overall.n),
        ("Left out", overall.n_left_out),
        ("Read in windows", n_windowed) if n_windowed else None,
    )


def estimate_notes(estimates: "Estimates", noun: str = "row", *, n_windowed: int = 0) -> tuple[str, ...]:
    """State how estimates were made, for the end of a brief rendering.

    Args:
        estimates: estimates of all items and of groups.
        noun: name of an item.
        n_windowed: number of items with a text that was read in windows.
    """
    return (
        f"intervals: {estimate_method(estimates, noun)}",
        windows_note(n_windowed, noun),
        small_base_note(estimates, noun),
        omission_note(estimates),
    )


def facts(*entries: Fact | None) -> tuple[tuple[str, Cell], ...]:
    """Convert the values of facts to cells; ``None`` is dropped."""
    return tuple((name, as_cell(value)) for name, value in without_none(*entries))


def quote_file_name(source: str, limit: int = 220) -> Quoted:
    """Quote the name of a file; only the last part of an absolute path, to reveal nothing about the machine.

    Examples:
        >>> quote_file_name("/home/ann/study/people.csv").text, quote_file_name("waves/people.csv").text
        ('people.csv', 'waves/people.csv')
    """
    is_absolute = PurePosixPath(source).is_absolute() or PureWindowsPath(source).is_absolute()
    return Quoted(PureWindowsPath(source).name if is_absolute else source, limit)


def column_settings(columns: object | None, **names: str) -> tuple[Setting, ...]:
    """List the columns of the input as settings.

    Args:
        columns: record with a field for each use of columns: a name, several names, or ``None``; ``None`` if
            texts were in memory.
        names: names of the settings, by field.
    """
    listed: list[Setting] = []
    for use, name in names.items():
        used = None if columns is None else getattr(columns, use)
        several = (used,) if used is None or isinstance(used, str) else used
        listed += [(name, in_column(column)) for column in several]
    return tuple(listed)


def in_column(name: str | None) -> Line | None:
    """Return the setting for a column of the input; ``None`` without a column."""
    return None if name is None else ("column “", Quoted(name), "”")


def run_settings(summary: DescribedSummary, *settings: Setting) -> tuple[tuple[str, Line], ...]:
    """List the settings of a run.

    Args:
        summary: summary of any instrument, with input, time and signature; its fields come last.
        settings: settings of the instrument.
    """
    listed: tuple[Setting, ...] = (
        ("Source", quote_file_name(summary.source) if summary.source else None),
        ("Made", stamp(summary.created)),
        *settings,
        *signature_fields(summary.signature),
    )
    return tuple((name, value) for name, value in listed if value is not None)


def signature_fields(signature: Signature) -> tuple[tuple[str, Line], ...]:
    """List the fields of a signature as settings."""
    return tuple((name, Quoted(value)) for name, value in signature.fields)


def headline(
    estimates: "Estimates",
    name: str,
    bounds: tuple[float, float],
    *,
    digits: int = 2,
    ticks: tuple[float, ...] | None = None,
    advice: str = "",
) -> Headline | None:
    """Build the headline with the mean of all rows on a ruler; ``None`` if no row was scored.

    Args:
        estimates: estimates of all items.
        name: name of the mean.
        bounds: least and greatest possible value of an item.
        digits: number of decimals.
        ticks: marked values; by default quarters of the range.
        advice: sentence on the limits of the mean's meaning.
    """
    mean = estimates.overall.mean
    if mean is None:
        return None
    if ticks is None:
        ticks = tuple(np.linspace(*bounds, 5).tolist())
    return Headline(name, estimate_cell(mean, digits), bounds, estimates.interval, ticks, advice)


def altogether(rows: Iterable[tuple[str, Value]], interval: float) -> DataTable:
    """Build the table of figures over all rows, for a brief rendering."""
    shown = list(rows)
    title = f"Altogether{coverage_suffix((value for _, value in shown), interval)}"
    return table(("", "estimate"), shown, title=title, detail="brief")


def coverage_suffix(values: Iterable[Value], interval: float) -> str:
    """Return the coverage of intervals for the end of a title; empty if no value has an interval.

    Examples:
        >>> from semscale.report.document import WithInterval
        >>> coverage_suffix([WithInterval(0.5, 0.4, 0.6)], 0.9)
        ' (90 % interval)'
        >>> coverage_suffix([WithInterval(0.5, np.nan, np.nan)], 0.9)
        ''
    """
    has_any = any(isinstance(value, Interval) and has_interval(value) for value in values)
    return f" ({coverage(interval)} interval)" if has_any else ""


def group_table(
    estimates: "Estimates", *, noun: str = "row", digits: int = 2, further: Columns[GroupEstimate] = ()
) -> DataTable:
    """Build the table of the mean of each group.

    Args:
        estimates: with groups.
        noun: name of a row.
        digits: number of decimals of means.
        further: further columns of the instrument.
    """
    columns: Columns[GroupEstimate] = (
        (Quoted(estimates.group_title), lambda group: group_name(group.group, estimates.group_title)),
        (f"{noun}s", base_of),
        ("left out", lambda group: group.n_left_out),
        ("mean", lambda group: estimate_cell(group.mean, digits)),
        *further,
    )
    note = f"{small_base_note(estimates, noun)} {omission_note(estimates)}".strip()
    title = group_title(estimates)
    listed = table_of(groups_to_list(estimates), columns, title=title, note=note, most=GROUPS, noun="group")
    return replace(
        listed, data=_group_means(estimates, noun, digits), finding=_range_of_means(estimates, digits)
    )


def _range_of_means(estimates: "Estimates", digits: int) -> str:
    """State the least and the greatest mean of the groups; empty for fewer than two."""
    known = [(group.mean.value, group.group) for group in estimates.groups if group.mean is not None]
    if len(known) < 2:
        return ""
    known.sort(key=lambda entry: entry[0])
    least, most = (
        f"{number(value, digits)} for {clip_text(group_name(name, estimates.group_title).text, _NAMED).shown}"
        for value, name in (known[0], known[-1])
    )
    return f"The means of the groups range from {least} to {most}"


def _group_means(estimates: "Estimates", noun: str, digits: int) -> tuple[ChartData, ...]:
    """Return the data of a native chart of the means of all rows and of the largest groups."""
    overall = estimates.overall
    shown = {group.group for group in largest_groups(estimates.groups, _CHARTED_GROUPS)}
    rows = [
        (group_label(group, estimates.group_title), group.mean)
        for group in estimates.groups
        if group.mean is not None and group.group in shown
    ]
    if overall.mean is None or not rows:
        return ()
    total = label_with_base(f"All {noun}s", Count(overall.n))
    names, series = chart_data.estimates("mean", [(total, overall.mean), *rows])
    form = chart_data.decimals(digits)
    return (
        ChartData(
            "points",
            names,
            series,
            form,
            "mean",
            has_total=True,
            coverage=estimates.interval,
            note=small_base_note(estimates, noun),
        ),
    )


def group_title(estimates: "Estimates") -> Line:
    """Name the question or the column of groups in the heading of its figures."""
    if estimates.title not in {"", estimates.by}:
        return "By ", Quoted(estimates.title)
    return "By group" if estimates.by is None else ("By ", Quoted(estimates.by))


def variance_table(variances: Mapping[str, Interval], title: Line = "") -> DataTable:
    """Build the table of variances with their shares of the sum; negative ones are noise and count as 0.

    Args:
        variances: variances by name of the source.
        title: title of the table.
    """
    whole = sum(max(variance.value, 0.0) for variance in variances.values())
    columns: Columns[tuple[str, Interval]] = (
        ("between", lambda row: row[0]),
        ("variance", lambda row: estimate_cell(row[1], 3)),
        ("of all", lambda row: Share(max(row[1].value, 0.0) / whole if whole > 0 else None)),
    )
    return table_of(variances.items(), columns, title=title, detail="full")


def by_groups(title: str, estimates: "Estimates") -> Line:
    """Return the title of a section, extended by "groups" if there are any."""
    return (f"{title}, by ", Quoted(estimates.group_title)) if estimates.groups else title


def groups_to_list(estimates: "Estimates") -> tuple[GroupEstimate, ...]:
    """Return the groups that tables list: all, or the 1,000 largest, in the order of the estimates."""
    groups = estimates.groups
    if len(groups) <= LISTED_GROUPS:
        return groups
    largest = sorted(range(len(groups)), key=lambda index: -groups[index].n)[:LISTED_GROUPS]
    return tuple(groups[index] for index in sorted(largest))


def omission_note(estimates: "Estimates") -> str:
    """State where to find the groups that tables omit; empty if tables list all."""
    if len(estimates.groups) <= LISTED_GROUPS:
        return ""
    return (
        f"The {count(LISTED_GROUPS)} largest of {count(len(estimates.groups))} groups are listed; "
        "JSON has all of them."
    )


def base_of(group: GroupEstimate) -> Count:
    """Return the number of rows behind a group's figures, marked if small."""
    return Count(group.n, is_small=group.has_small_base)


def small_base_note(estimates: "Estimates", noun: str) -> str:
    """Explain the mark of groups with few rows; empty without marked groups."""
    if not any(group.has_small_base for group in estimates.groups):
        return ""
    return asterisk_note("respondent" if estimates.clustered else noun)


def label_with_base(name: str, base: Count) -> str:
    r"""Return the label of a bar or histogram with its number of rows, on one line.

    Examples:
        >>> label_with_base("north", Count(7, is_small=True)).replace("\N{NO-BREAK SPACE}", " ")
        'north (n = 7*)'
    """
    return f"{name} (n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{cell_text(base)})"


def group_label(group: GroupEstimate, title: str) -> str:
    """Return the label of a group's bar or histogram with its number of rows."""
    return label_with_base(one_line(group_name(group.group, title).text), base_of(group))


def mean_row(name: Value, mean: "GroupEstimate | MeanEstimate") -> tuple[Cell, ...]:
    """Return the row of a mean: name, number of rows, number of excluded rows, mean."""
    shown = mean.mean if isinstance(mean, GroupEstimate) else mean
    counted = base_of(mean) if isinstance(mean, GroupEstimate) and mean.group is not None else Count(mean.n)
    return as_cell(name), counted, Count(mean.n_left_out), estimate_cell(shown)


def largest_groups(groups: Iterable["GroupEstimate"], most: int) -> list["GroupEstimate"]:
    """Return the largest groups with a mean, in the order of the estimates."""
    known = [group for group in groups if group.mean]
    largest = sorted(range(len(known)), key=lambda index: -known[index].n)[:most]
    return [known[index] for index in sorted(largest)]


def low_items(
    items: Iterable[Item],
    score: Callable[[Item], float],
    mean: Interval | None,
    bounds: tuple[float, float],
) -> list[Item]:
    """Return the items with low scores: below the mean of all, or in the lower half of the range.

    Args:
        items: items with the lowest scores.
        score: returns an item's score.
        mean: mean of all items; ``None`` without one.
        bounds: least and greatest possible score.

    Examples:
        >>> from semscale.stats.intervals import Estimate
        >>> low_items([0.2, 0.6, 0.7, 1.0], float, Estimate(0.7, 0.6, 0.8), (0.0, 1.0))
        [0.2, 0.6]
    """
    limit = sum(bounds) / 2 if mean is None else max(mean.value, sum(bounds) / 2)
    return [item for item in items if score(item) < limit - _ROUNDING]


def group_name(name: str | None, title: str) -> Label | Quoted:
    """Return the name of a group, or a phrase for a missing group or a blank name."""
    if name is None:
        return Label(f"(no {one_line(title)})")
    return Quoted(name) if name.strip() else Label("(blank)")


def nothing_section(name: str, noun: str = "row") -> Section:
    """Build the section for the screen that states that nothing was scored; a page states it at the top."""
    return Section(name, "", (Paragraph(nothing_scored(noun), detail="brief"),))


GUARD_MEANINGS = {
    "negation": "one text negates a statement of the other",
    "number": "a number or a unit differs",
    "opposite": "a word has become its opposite, or the other side",
    "name": "a named thing is missing or invented",
    "roles": "subject and object are exchanged",
    "quantity": "another share: all, most, some, few, none",
    "certainty": "one text is sure of what the other only suspects",
    "exclusivity": "only this, this too, or all but this",
    "order": "the events come in another order",
    "condition": "another condition, or a condition in one text alone",
}
"""Meaning of a guard's finding in a pair of texts."""

SAMPLE_GUARD_MEANINGS = GUARD_MEANINGS | {
    "name": "another named thing replaces that of the answer",
    "answer": "a short answer gives something else, or yes has become no",
    "entailment": "an entailment model finds a contradiction more likely than not",
}
"""Meaning of a guard's finding between an answer and one of its samples."""


def guard_table(
    counts: Mapping[str, int], meanings: Mapping[str, str], *, noun: str, title: str
) -> DataTable:
    """Build the table of the number of items with findings by guard, with explanations."""
    rows = ((guard, n, meanings.get(guard, "")) for guard, n in counts.items())
    return table(("guard", f"{noun}s", ""), rows, title=title, detail="brief")


def guard_legend(counts: Mapping[str, int], meanings: Mapping[str, str]) -> tuple[tuple[str, str, int], ...]:
    """Return the legend of the guards' marks, each with the number of items with a finding."""
    return tuple((guard, meanings.get(guard, ""), n) for guard, n in counts.items())


def left_out_section(
    summary: "Summary", meanings: Mapping[str, str], *further: Block | str | None, noun: str = "row"
) -> Section | None:
    """Build the section on excluded items, with reasons and examples.

    Args:
        summary: summary of an instrument.
        meanings: meanings of the reasons.
        further: blocks at the end; a sentence becomes a note.
        noun: name of a row.
    """
    examples = {status: _examples(rows) for status, rows in summary.left_out.items()}
    reasons = tuple(
        Reason(status, meanings.get(status, ""), n, n / summary.n, examples.get(status, ()))
        for status, n in most_frequent(summary.estimates.overall.left_out).items()
    )
    explained = f"These {noun}s have no score or were excluded. They are never treated as 0."
    blocks: tuple[Block, ...] = (Paragraph(explained, "note"), Reasons(reasons, noun))
    if not reasons:
        nothing = f"Nothing: every {noun} has a score." if summary.n else nothing_scored(noun, 0)
        blocks = (Paragraph(nothing),)
    return section("left-out", "Rows left out", *blocks, *further)


def _examples(rows: Iterable[tuple[int, object]]) -> tuple[tuple[int, Quoted], ...]:
    shown = (
        (row + 1, Quoted(text, _LONGEST_EXAMPLE))
        for row, text in rows
        if text is not None and str(text).strip()
    )
    return tuple(islice(shown, EXAMPLES_PER_STATUS))


def languages_section(
    counts: Sequence[LanguageCount], heads: Sequence[str], noun: str = "row"
) -> Section | None:
    """Build the section with the number of rows by language; ``None`` if all texts seem to be English.

    Args:
        counts: number of rows by language.
        heads: names of the texts, such as ``prediction`` and ``reference``.
        noun: name of a row.
    """
    if are_english(counts):
        return None
    rows = [
        ("–".join(map(language_name, language.languages)), language.rows, language.scored)
        for language in counts
    ]
    columns = ("–".join(heads), f"{noun}s", "scored")
    return language_section(columns, rows, f"{noun.capitalize()}s by language")


def language_section(
    heads: Sequence[str], rows: Sequence[Sequence[Value]], title: str, note: str = ""
) -> Section:
    """Build a section of counts by language.

    Args:
        heads: heads of the columns.
        rows: one row for each language or pair of languages.
        title: title of the table.
        note: further explanation, after the note on language detection.
    """
    listed = table(heads, rows, title=title, most=_MOST_LANGUAGES)
    return Section("languages", "Languages", (listed, Paragraph(f"{LANGUAGE_NOTE} {note}".rstrip(), "note")))
