"""Parts of documents that instruments share: the head, tables of estimates, groups and guards, settings."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from semscale.embedding.languages.language_counts import LanguageCount, are_english
from semscale.report.document import (
    Block,
    Cell,
    Count,
    DataTable,
    Document,
    Headline,
    Interval,
    Label,
    Line,
    Paragraph,
    Quoted,
    Reason,
    Reasons,
    ScoreGroup,
    Section,
    WithInterval,
    estimate_cell,
    stamp,
)
from semscale.report.formatting import capitalised, cell_text, count, coverage, has_interval, one_line
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
from semscale.results.shown_rows import EXAMPLES_PER_STATUS
from semscale.signature import Signature
from semscale.stats.intervals.estimates import GroupEstimate
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.results.estimates import Estimates
    from semscale.stats.intervals.means import MeanEstimate

GROUPS = 50
"""Groups that the screen shows."""

LISTED_GROUPS = 1_000
"""Groups that the tables of a page list."""

_ROUNDING = 1e-9  # by which the mean of equal scores may differ from them
_LONGEST_EXAMPLE = 160
_MOST_LANGUAGES = 12  # on the screen

Item = TypeVar("Item")

Columns = Sequence[tuple[str | Quoted, Callable[[Item], Cell]]]
"""Columns of a table: their headings, each with the function that gives an item's cell."""


class EstimatedSummary(Protocol):
    """A summary of any instrument with estimates."""

    @property
    def source(self) -> str:
        """Name of the input; empty where it has none."""
        ...

    @property
    def created(self) -> datetime:
        """Time of its creation."""
        ...

    @property
    def n(self) -> int:
        """Rows altogether."""
        ...

    @property
    def estimates(self) -> "Estimates":
        """Figures about all rows and each group."""
        ...

    @property
    def signature(self) -> Signature:
        """Settings that were applied."""
        ...


def table_of(items: Iterable[Item], columns: "Columns[Item]", **settings: Any) -> DataTable:  # noqa: ANN401 - fields of DataTable
    """Lay items out as a table with one row for each.

    Args:
        items: from top to bottom.
        columns: headings, each with the function that gives an item's cell.
        settings: other fields of ``DataTable``.
    """
    rows = tuple(tuple(cell(item) for _, cell in columns) for item in items)
    return DataTable(tuple(head for head, _ in columns), rows, **settings)


def headline(
    estimates: "Estimates",
    name: str,
    bounds: tuple[float, float],
    *,
    digits: int = 2,
    ticks: tuple[float, ...] | None = None,
) -> Headline | None:
    """Put the mean of everything on a ruler; ``None`` where nothing counts.

    Args:
        estimates: of all items.
        name: of the mean.
        bounds: least and greatest value that an item can have.
        digits: decimals that are shown.
        ticks: values that are marked; quarters of the range unless given.
    """
    mean = estimates.overall.mean
    if mean is None:
        return None
    if ticks is None:
        ticks = tuple(np.linspace(*bounds, 5).tolist())
    return Headline(name, estimate_cell(mean, digits), bounds, estimates.interval, ticks)


def altogether(rows: Iterable[tuple[str, Cell]], interval: float) -> DataTable:
    """Lay out the figures about everything, for a brief rendering."""
    shown = tuple((Label(name), value) for name, value in rows)
    title = altogether_title((value for _, value in shown), interval)
    return DataTable(("", "estimate"), shown, title=title, detail="brief")


def altogether_title(cells: Iterable[Cell], interval: float) -> str:
    """Write the title of the figures about everything."""
    return f"Altogether{covered(cells, interval)}"


def covered(cells: Iterable[Cell], interval: float) -> str:
    """State the coverage of intervals at the end of a title; empty where no cell has one.

    Example:
        >>> covered([WithInterval(0.5, 0.4, 0.6)], 0.9), covered([WithInterval(0.5, np.nan, np.nan)], 0.9)
        (' (90 % interval)', '')
    """
    has_any = any(isinstance(cell, WithInterval) and has_interval(cell) for cell in cells)
    return f" ({coverage(interval)} interval)" if has_any else ""


def group_table(
    estimates: "Estimates", *, noun: str, digits: int = 2, further: Columns[GroupEstimate] = ()
) -> DataTable:
    """Lay out the mean of each group.

    Args:
        estimates: with groups.
        noun: what a row is called.
        digits: decimals of means.
        further: columns of an instrument.
    """
    columns: Columns[GroupEstimate] = (
        (Quoted(estimates.by or "group"), lambda group: group_name(group, estimates.by)),
        (f"{noun}s", base_of),
        ("left out", lambda group: Count(group.n_left_out)),
        ("mean", lambda group: estimate_cell(group.mean, digits)),
        *further,
    )
    note = f"{small_base_note(estimates, noun)} {unlisted_note(estimates)}".strip()
    return table_of(listed_groups(estimates), columns, title="By group", note=note, most=GROUPS, noun="group")


def listed_groups(estimates: "Estimates") -> tuple[GroupEstimate, ...]:
    """Choose the groups that tables list: all, or the 1,000 largest, in the order of the estimates."""
    groups = estimates.groups
    if len(groups) <= LISTED_GROUPS:
        return groups
    largest = sorted(range(len(groups)), key=lambda index: -groups[index].n)[:LISTED_GROUPS]
    return tuple(groups[index] for index in sorted(largest))


def unlisted_note(estimates: "Estimates") -> str:
    """State where to find the groups that tables do not list; empty where they list all."""
    if len(estimates.groups) <= LISTED_GROUPS:
        return ""
    return (
        f"The {count(LISTED_GROUPS)} largest of {count(len(estimates.groups))} groups are listed; "
        "JSON has all of them."
    )


def base_of(group: GroupEstimate) -> Count:
    """Count the rows behind a group's figures, with a mark where they are few."""
    return Count(group.n, is_small=group.has_small_base)


def small_base_note(estimates: "Estimates", noun: str) -> str:
    """Explain the mark of groups with few rows; empty where no group has it."""
    if not any(group.has_small_base for group in estimates.groups):
        return ""
    return asterisk_note("respondent" if estimates.clustered else noun)


def label_with_base(name: str, base: Count) -> str:
    r"""Write a name beside a bar or a histogram with the rows behind it, which no line break parts.

    Example:
        >>> label_with_base("north", Count(7, is_small=True)).replace("\N{NO-BREAK SPACE}", " ")
        'north (n = 7*)'
    """
    return f"{name} (n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{cell_text(base)})"


def group_label(group: GroupEstimate, by: str | None) -> str:
    """Name a group beside a bar or a histogram, with the rows behind it."""
    return label_with_base(one_line(group_name(group, by).text), base_of(group))


def mean_row(name: Cell, mean: "GroupEstimate | MeanEstimate") -> tuple[Cell, ...]:
    """Lay out a mean with the counts behind it: a name, rows, rows left out, the mean."""
    shown = mean.mean if isinstance(mean, GroupEstimate) else mean
    counted = base_of(mean) if isinstance(mean, GroupEstimate) and mean.group is not None else Count(mean.n)
    return name, counted, Count(mean.n_left_out), estimate_cell(shown)


def largest_groups(groups: Iterable["GroupEstimate"], most: int) -> list["GroupEstimate"]:
    """Choose the largest groups that have a mean, the highest mean first."""
    known = sorted((group for group in groups if group.mean), key=lambda group: -group.n)[:most]
    return sorted(known, key=lambda group: -group.mean.value if group.mean else 0.0)


def score_group(name: str, scores: Floats, colour: str, mean: Interval | None = None) -> ScoreGroup:
    """Make a group of a histogram.

    Args:
        name: of the items.
        scores: shape (n,); NaN where an item has none.
        colour: of its bars.
        mean: of the scores, with its interval, where there is one.
    """
    shown = estimate_cell(mean)
    return ScoreGroup(name, scores[~np.isnan(scores)], colour, shown.low, shown.high)


def low_items(
    items: Iterable[Item],
    score: Callable[[Item], float],
    mean: Interval | None,
    bounds: tuple[float, float],
) -> list[Item]:
    """Keep the items whose score is low: below the mean of all, or in the lower half of what is possible.

    Args:
        items: the ones with the lowest scores.
        score: gives an item's score.
        mean: of all items; ``None`` where there is none.
        bounds: least and greatest score that there can be.

    Example:
        >>> from semscale.stats.intervals.estimates import Estimate
        >>> low_items([0.2, 0.6, 0.7, 1.0], float, Estimate(0.7, 0.6, 0.8), (0.0, 1.0))
        [0.2, 0.6]
    """
    limit = sum(bounds) / 2 if mean is None else max(mean.value, sum(bounds) / 2)
    return [item for item in items if score(item) < limit - _ROUNDING]


def group_name(group: "GroupEstimate", by: str | None) -> Label | Quoted:
    """Name a group; rows whose group is missing, and groups with a blank name, are called so."""
    if group.group is None:
        return Label(f"(no {one_line(by or 'group')})")
    return Quoted(group.group) if group.group.strip() else Label("(blank)")


def histogram_caption(contents: str, estimates: "Estimates") -> str:
    """Explain how to read histograms of scores.

    Args:
        contents: what they count, such as "rows have which score".
        estimates: whose mean the first histogram shows.
    """
    mean = estimates.overall.mean
    line = f", the line its {coverage(estimates.interval)} interval" if mean and has_interval(mean) else ""
    return f"How many {contents}, each histogram by its own measure; the dot is the mean{line}."


def estimated_document(  # noqa: PLR0913 - what an instrument states of itself
    summary: EstimatedSummary, *, kind: str, name: str, title: Line, noun: str = "row", n_windowed: int = 0
) -> Document:
    """Begin the document of a summary with estimates: all that every instrument states about them.

    Args:
        summary: of an instrument.
        kind: such as "matching report".
        name: on the screen, such as "Match".
        title: a sentence or a name.
        noun: what a row is called.
        n_windowed: rows with a text that was read in windows.

    Returns:
        A document without a lead and sections, with counts, warnings of the estimates and how intervals were
        made.
    """
    estimates, overall = summary.estimates, summary.estimates.overall
    counting = rows_scored(overall.n, summary.n, overall.left_out, noun)
    nothing = "" if overall.n else f"{nothing_scored(noun, summary.n)} "
    windowed, small = windows_note(n_windowed, noun), small_base_note(estimates, noun)
    unlisted = unlisted_note(estimates)
    return Document(
        kind=kind,
        name=name,
        title=title,
        source=(*([Quoted(summary.source)] if summary.source else []), f"{summary.created:%Y-%m-%d}"),
        signature=summary.signature,
        counting=(counting,),
        reading=(f"{nothing}{counting}." if summary.n else nothing.strip(),),
        facts=(
            (f"{capitalised(noun)}s", Count(summary.n)),
            ("Scored", Count(overall.n)),
            ("Left out", Count(overall.n_left_out)),
            *([("Read in windows", Count(n_windowed))] if n_windowed else []),
        ),
        cautions=estimates.notes_about(noun),
        notes=(
            f"intervals: {estimate_method(estimates, noun)}",
            *([windowed] if windowed else []),
            *([small] if small else []),
            *([unlisted] if unlisted else []),
        ),
    )


def nothing_section(name: str, noun: str = "row") -> Section:
    """State on the screen that nothing was scored; a page states it in its head."""
    return Section(name, "", (Paragraph(nothing_scored(noun), detail="brief"),))


def estimated_settings(
    summary: EstimatedSummary,
    columns: Iterable[tuple[str, str | None]],
    further: Iterable[tuple[str, Line]] = (),
    *,
    noun: str = "row",
) -> tuple[tuple[str, Line], ...]:
    """List the settings of a summary with estimates one by one.

    Args:
        summary: of an instrument.
        columns: what a column was used for, and its name; ``None`` where there is none.
        further: settings of the instrument.
        noun: what a row is called.
    """
    estimates = summary.estimates
    used = ((name, ("column “", Quoted(column), "”")) for name, column in columns if column is not None)
    intervals = ("Intervals", estimate_method(estimates, noun))
    return settings(summary.source, summary.created, (*used, *further, intervals), summary.signature)


def settings(
    source: str, created: datetime, further: Iterable[tuple[str, Line]], signature: Signature
) -> tuple[tuple[str, Line], ...]:
    """List the settings of a run one by one.

    Args:
        source: what was read; empty where that has no name.
        created: when.
        further: settings of the instrument.
        signature: its fields follow.
    """
    return (
        *([("Source", Quoted(source))] if source else []),
        ("Made", stamp(created)),
        *further,
        *signature_fields(signature),
    )


def signature_fields(signature: Signature) -> tuple[tuple[str, Line], ...]:
    """List the fields of a signature as settings."""
    return tuple((name, Quoted(value)) for name, value in signature.fields)


GUARD_MEANINGS = {
    "negation": "one text denies what the other states",
    "number": "a number or a unit differs",
    "opposite": "a word has become its opposite, or the other side",
    "name": "a named thing is missing or invented",
    "roles": "who and whom are exchanged",
    "quantity": "another share: all, most, some, few, none",
    "certainty": "one text is sure of what the other only suspects",
    "exclusivity": "only this, this too, or all but this",
    "order": "the events come in another order",
    "condition": "another condition, or a condition in one text alone",
}
"""Meaning of a guard's finding in a pair of texts."""

SAMPLE_GUARD_MEANINGS = GUARD_MEANINGS | {
    "name": "one named thing stands where the answer has another",
    "answer": "a short answer gives something else, or yes has become no",
    "entailment": "a model of entailment finds a contradiction more likely than not",
}
"""Meaning of a guard's finding between an answer and one of its samples."""


def guard_table(
    counts: Mapping[str, int], meanings: Mapping[str, str], *, noun: str, title: str
) -> DataTable:
    """Lay out in how many items each guard detected something, and what that means."""
    rows = tuple((Label(guard), Count(n), Label(meanings.get(guard, ""))) for guard, n in counts.items())
    return DataTable(("guard", f"{noun}s", ""), rows, title=title, detail="brief")


def guard_legend(counts: Mapping[str, int], meanings: Mapping[str, str]) -> tuple[tuple[str, str, int], ...]:
    """Explain the marks of guards, each with the number of items in which it detected something."""
    return tuple((guard, meanings.get(guard, ""), n) for guard, n in counts.items())


def left_out_section(
    left_out: Mapping[str, int],
    total: int,
    meanings: Mapping[str, str],
    examples: Callable[[str], Iterable[tuple[int, object]]],
    *,
    noun: str = "row",
    further: Sequence[Block] = (),
) -> Section:
    """List what was left out and why, with some examples.

    Args:
        left_out: rows without a score by reason.
        total: rows altogether.
        meanings: of the reasons.
        examples: gives rows, counted from 0, with a text, for a reason.
        noun: what a row is called.
        further: blocks that follow.
    """
    reasons = tuple(
        Reason(status, meanings.get(status, ""), n, n / total, _examples(examples(status)))
        for status, n in most_frequent(left_out).items()
    )
    explained = f"These {noun}s have no score or were excluded. They are never treated as 0."
    blocks: tuple[Block, ...] = (Paragraph(explained, "note"), Reasons(reasons, noun))
    if not reasons:
        nothing = f"Nothing: every {noun} has a score." if total else nothing_scored(noun, total)
        blocks = (Paragraph(nothing),)
    return Section("left-out", "What was left out", (*blocks, *further))


def _examples(rows: Iterable[tuple[int, object]]) -> tuple[tuple[int, Quoted], ...]:
    shown = (
        (row + 1, Quoted(text, _LONGEST_EXAMPLE))
        for row, text in rows
        if text is not None and str(text).strip()
    )
    return tuple(islice(shown, EXAMPLES_PER_STATUS))


def counts_section(
    counts: Sequence[LanguageCount], heads: tuple[str, ...], noun: str = "row"
) -> Iterator[Section]:
    """Give the section of rows by language; none where all texts seem to be English.

    Args:
        counts: rows by language.
        heads: what the languages are of, such as ``prediction`` and ``reference``.
        noun: what a row is called.
    """
    if are_english(counts):
        return
    rows: list[tuple[Cell, ...]] = [
        (
            Label("–".join(map(language_name, language.languages))),
            Count(language.rows),
            Count(language.scored),
        )
        for language in counts
    ]
    columns = ("–".join(heads), f"{noun}s", "scored")
    yield language_section(columns, rows, f"{noun.capitalize()}s by language")


def language_section(
    heads: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], title: str, note: str = ""
) -> Section:
    """Lay counts by language out as a section.

    Args:
        heads: of the columns.
        rows: a row for each language, or for each pair of them.
        title: of the table.
        note: further explanation, after how languages are identified.
    """
    table = DataTable(heads, tuple(rows), title=title, most=_MOST_LANGUAGES)
    return Section("languages", "Languages", (table, Paragraph(f"{LANGUAGE_NOTE} {note}".rstrip(), "note")))
