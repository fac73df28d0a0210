"""Sentences about crosstabs: what a table found, how it was tested, and what was left out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.formatting import counted, coverage, listed, number, one_line, percent

if TYPE_CHECKING:
    from semscale.tabulation.asked.banner import Banner
    from semscale.tabulation.summary import Crosstabs
    from semscale.tabulation.tables.crosstab import Crosstab
    from semscale.tabulation.tables.tabulating import TestSettings

ADJUSTED = {
    "holm": "adjusted by Holm within the table",
    "bh": "adjusted by Benjamini and Hochberg within the table",
    "benjamini-hochberg": "adjusted by Benjamini and Hochberg within the table",
    None: "not adjusted for the number of tests",
}
"""How p-values were adjusted, in words."""

_FEWEST = 2
_NAMED = 3


def finding(table: "Crosstab") -> str:
    """State in a sentence what a table found: the column that lies above most others, in its main line.

    That is the mean where there is one, and otherwise the answer in which most columns differ. Where several
    models answered, the sentence begins with the one whose table it is.
    """
    model = table.banner.answered_by
    return f"{one_line(model)}: {_found(table)}" if model else _found(table)


def _found(table: "Crosstab") -> str:
    line, names = _main_line(table), table.columns
    by = one_line(table.banner.text)
    overall = f"{_named(table, line)} {_shown(table, line, 0)}"
    if not table.banner.groups:
        return overall
    if len(names) <= _FEWEST:
        return f"{overall}; {by} has one group alone"
    if table.is_small[1:].sum() > len(names) - 1 - _FEWEST:
        return f"{overall}; bases are too small to compare {by}"
    counts = [len(letters.split()) for letters in table.letters[line]]
    best = int(np.argmax(counts))
    if not counts[best]:
        return f"{overall}; no certain difference by {by}"
    above = f"{_named(table, line)} {_shown(table, line, best)} in {one_line(names[best])}"
    below = [table.column_letters.index(one) for one in table.letters[line, best].split()]
    return f"{above}, above {_below(table, line, below)}"


def _below(table: "Crosstab", line: int, columns: list[int]) -> str:
    """Name the columns that another one lies above, with their figures; many are counted."""
    ordered = sorted(columns, key=lambda column: float(table.cells.values[line, column]))
    low, high = (_shown(table, line, ordered[place]) for place in (0, -1))
    if len(columns) > _NAMED:
        return f"{len(columns)} other groups ({low} to {high})"
    return listed([f"{one_line(table.columns[one])} ({_shown(table, line, one)})" for one in columns])


def table_notes(table: "Crosstab", tests: "TestSettings") -> Iterator[str]:
    """Say how a table was tested, and which respondents are not in it."""
    if table.banner.groups:
        alpha = percent(1 - tests.level, 0)
        yield (
            f"Letters: significantly above the column of that letter, at {alpha}, "
            f"{ADJUSTED[tests.correction]}; the total is not tested."
        )
    if table.small.any() or (table.changes is not None and table.changes.small.any()):
        what = "shown, not tested" if table.banner.groups else "shown"
        yield f"* fewer than {counted(tests.min_base, 'respondent')}: {what}."
    if (test := _association_words(table)) is not None:
        yield test
    if table.wave:
        yield f"Figures are of wave {one_line(table.wave)}; changes are to wave {one_line(table.before)}."
    yield from left_out_notes(table)
    yield from (f"{note[:1].upper()}{note[1:]}." for note in table.question.notes)


def left_out_notes(table: "Crosstab") -> Iterator[str]:
    """Say which respondents are not in a table's bases."""
    if (table.cells.n != table.cells.n[0]).any():
        yield "Bases differ by line, as some answers are not known; the base above is the largest."
    missing = int(table.cells.n_missing[:, 0].min())
    if missing:
        yield f"Without an answer, and in no base: {counted(missing, 'respondent')}."
    if table.n_ungrouped:
        n = counted(table.n_ungrouped, "respondent")
        yield f"Without a group, and in the total alone: {n}."


def difference_note(tests: "TestSettings") -> str:
    """Say how differences of columns were tested, and what their intervals allow for."""
    least = counted(tests.min_base, "respondent")
    return (
        f"Tests: {ADJUSTED[tests.correction]}. {coverage(tests.level)} intervals are of single comparisons, "
        f"not adjusted. Shares differ by percentage points. Columns with fewer than {least} are not tested."
    )


def cautions(summary: "Crosstabs") -> Iterator[str]:
    """Name what a reader must know of all tables: rows left out, groups that cannot be compared."""
    for reason, n in summary.left_out.items():
        yield f"{counted(n, 'row')} left out: {reason}"
    yield from summary.sample_notes
    asked = {table.question.name: table.question for table in summary.tables}
    yield from dict.fromkeys(said for question in asked.values() for said in question.cautions)
    seen: set[str] = set()
    for table in summary.tables:
        banner = table.banner
        if banner.name not in seen and banner.is_wave and len(banner.groups) >= _FEWEST:
            yield _order_of_waves(banner)
        if banner.name not in seen and len(banner.groups) == 1:
            kind = "wave" if banner.is_wave else "group"
            yield f"‘{banner.name}’ has one {kind}, ‘{banner.groups[0]}’: there is nothing to compare"
        seen.add(banner.name)
    small = [table for table in summary.tables if table.banner.groups and table.is_small[1:].all()]
    if small:
        named = listed(
            [f"‘{table.question.name}’ by ‘{one_line(table.banner.title)}’" for table in small[:_NAMED]]
        )
        more = f" and {counted(len(small) - _NAMED, 'more table')}" if len(small) > _NAMED else ""
        least = summary.plan.tests.min_base
        yield f"every group has fewer than {least} respondents in {named}{more}: nothing is tested there"


def _order_of_waves(banner: "Banner") -> str:
    """Say in which order waves stand, and how to give another."""
    named = ", ".join(f"‘{one_line(name)}’" for name in banner.groups)
    return f"waves from first to last ({banner.order_from}): {named}; --wave-order gives another order"


def interval_line(summary: "Crosstabs") -> str:
    """Say how intervals were made."""
    sample = summary.plan.sample
    how = (
        "replicate weights" if sample.replicates else "Taylor linearisation of the design"
        if sample.strata or sample.cluster or sample.fpc or sample.pair_by or sample.weight or sample.margins
        else "a plain sample"
    )  # fmt: skip
    return (
        f"{coverage(summary.plan.tests.level)} intervals from {how}: of means by t, of shares by log odds "
        "(exact where everybody or nobody gave an answer)"
    )


def _main_line(table: "Crosstab") -> int:
    means = [place for place, line in enumerate(table.question.lines) if line.kind == "mean"]
    if means:
        return means[0]
    letters = [sum(len(one.split()) for one in row) for row in table.letters]
    most = max(letters)
    totals = np.nan_to_num(table.cells.values[:, 0])
    return max(range(len(letters)), key=lambda place: (letters[place] == most, totals[place]))


def _named(table: "Crosstab", line: int) -> str:
    """Name a question and one of its lines, as a sentence begins."""
    text, one = one_line(table.question.text), table.question.lines[line]
    if text.endswith(("?", "!", ".", "…")):
        return f"{text} {'Mean' if one.kind == 'mean' else one_line(one.name)}"
    return f"{text}: {one_line(one.name)}"


def _shown(table: "Crosstab", line: int, column: int) -> str:
    value = float(table.cells.values[line, column])
    return percent(value, 0) if table.question.lines[line].kind == "share" else number(value, 2)


def _association_words(table: "Crosstab") -> str | None:
    found = table.association
    if found is None or not np.isfinite(found.p_value):
        return None
    p = number(found.p_value, 3, least=0.001)
    equals = "" if p.startswith("<") else "= "
    return (
        f"Answers and {one_line(table.banner.title)} together: Rao and Scott’s F({found.df:.1f}, "
        f"{found.df_below:,.0f}) = {found.f:.2f}, p {equals}{p}."
    )
