"""Crosstabs as a document: a section with sentences and notes for each question by each banner."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from semscale.report import parts
from semscale.report.document import (
    Citation,
    Compared,
    Count,
    DataTable,
    Document,
    Figure,
    Label,
    Number,
    Paragraph,
    Quoted,
    Section,
    Value,
    WithInterval,
    notices,
    p_cell,
)
from semscale.report.figures import charts_figure
from semscale.report.formatting import (
    capitalise,
    cell_text,
    clip_text,
    count,
    count_of,
    coverage,
    end_sentence,
    join_list,
    number,
    one_line,
    p_value_text,
    percent,
    with_sign,
)
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.sentences import unlikely_to_be_chance
from semscale.report.tables_charts import charts_of, columns_of, has_letters, limit_bars, total_name
from semscale.spelling import has_hint, hint, with_hints, with_marks, without_hints
from semscale.store.table import SENTENCE_ENDS
from semscale.survey.wave_files import WAVE

if TYPE_CHECKING:
    from semscale.tabulation.banners import Banner
    from semscale.tabulation.crosstab_figures import ColumnDifferences, Crosstab, WaveChanges
    from semscale.tabulation.crosstabs import Crosstabs
    from semscale.tabulation.lines import Line, LineKind
    from semscale.tabulation.settings import TestSettings
    from semscale.types import Floats, Mask

_RAO_SCOTT = Citation(
    "Rao, J. N. K., & Scott, A. J. (1984).",
    "On chi-squared tests for multiway contingency tables with cell proportions estimated from survey data",
    "Annals of Statistics 12(1), 46-60",
    "the test of question and banner",
    "https://doi.org/10.1214/aos/1176346391",
)
_METHODS = {"holm": "adjusted by Holm", "bh": "adjusted by Benjamini and Hochberg"}
_UNADJUSTED = "not adjusted for the number of tests"
_SINGLE = "not adjusted, as each is a single test"
_MAX_DIFFERENCES = 500  # rows of a table, so that a page of many questions by many groups opens quickly
_MOST_PANELS = 12  # columns of a chart of bars
_NAME = 60
_DIGITS, _NPS_DIGITS = 2, 1
_UNITS: Mapping[str, tuple[int, int, str]] = {
    "share": (100, 0, " points"),
    "nps": (1, 0, ""),
    "mean": (1, _DIGITS, ""),
}
"""Factor, digits and unit of the changes of each kind of line."""
_MIN_GROUPS = 2
_EXAMPLES = 3
_MARGINS = {"share": "shares", "nps": "NPS", "mean": "means"}
_NOTE = 1_000  # characters of a sentence below a table
_TITLE, _GROUP = 90, 40  # characters of a question and of a group in a sentence
_PATTERN_END = re.compile(r"(?<=.)[_.\-/ ]*\*$")  # of "drink_*"


def tables_document(summary: "Crosstabs") -> Document:
    """Turn crosstabs into a document: for each question a section with a chart and a table by each banner."""
    return replace(tables_head(summary), sections=tuple(question_sections(summary)))


def question_sections(summary: "Crosstabs", first: int = 1) -> Iterator[Section]:
    """Yield a section for each question.

    Args:
        summary: the tables.
        first: number of the first question, for the sections' names.
    """
    for position, tables in enumerate(summary.questions(), start=first):
        shown = section(
            f"question-{position}",
            _section_title(tables, summary.title),
            *_blocks(tables, summary),
            *folded_tables(tables, summary.settings),
        )
        if shown is not None:
            yield shown


def question_section(tables: "Sequence[Crosstab]", summary: "Crosstabs", name: str) -> Section | None:
    """Return the section of a question without its ``folded_tables``, which are long.

    Args:
        tables: the tables of the question.
        summary: all tables.
        name: name of the section.
    """
    return section(name, _section_title(tables, summary.title), *_blocks(tables, summary))


def folded_tables(tables: "Sequence[Crosstab]", tests: "TestSettings") -> Iterator[DataTable]:
    """Yield the tables of a question that a page folds: shares of all answers, and differences of columns.

    Args:
        tables: the tables of the question.
        tests: settings of their tests.
    """
    for crosstab in tables:
        listed = (
            _answer_shares(crosstab, _heads(crosstab), tables),
            difference_table(crosstab, tests, tables),
        )
        yield from without_none(*listed)


def tables_head(summary: "Crosstabs") -> Document:
    """Return the document of crosstabs without its sections: what holds for all tables."""
    counting = (
        f"{rows_that_count(summary)}{';' if summary.people else ','} {count_of(len(summary.tables), 'table')}"
    )
    is_tested = any(crosstab.banner.groups for crosstab in summary.tables)
    return Document(
        kind="tables",
        name="Tables",
        title=report_title(summary),
        source=parts.input_and_date(summary),
        introduction=without_none(
            parts.sentence(counting),
            Paragraph(
                "Lines in charts, and small figures in tables, are "
                f"{coverage(summary.settings.level)} intervals."
            ),
        ),
        notices=notices(
            cautions=cautions(summary),
            notes=[interval_line(summary)],
        ),
        facts=parts.facts(
            ("Rows", summary.n),
            (
                "Answers of personas"
                if summary.is_of_panel
                else "Answers counted"
                if summary.people
                else "Respondents counted",
                summary.n_counting,
            ),
            ("Left out", summary.n - summary.n_counting),
            ("Tables", len(summary.tables)),
        ),
        settings=parts.run_settings(
            summary,
            *(
                (role.capitalize(), Quoted(column))
                for role, column in summary.settings.columns_by_role.items()
            ),
            ("Intervals", interval_line(summary)),
            ("Tests", _rule(summary.settings) if is_tested else None),
        ),
        citations=(_RAO_SCOTT,) if any(crosstab.association for crosstab in summary.tables) else (),
        signature=summary.signature,
        hints=tuple(dict.fromkeys(_hints(summary))),
    )


def rows_that_count(summary: "Crosstabs") -> str:
    """Count the respondents; of paired waves, the answers and the people who gave them."""
    if summary.people:
        return f"{count_of(summary.n_counting, 'answer')} of {summary.people}"
    return count_of(summary.n_counting, "answer" if summary.is_of_panel else "respondent")


def paired_tests(summary: "Crosstabs") -> str:
    """State how the changes of paired waves are tested."""
    return f"changes are tested within people, paired by ‘{one_line(summary.settings.pair_by or '')}’"


def report_title(summary: "Crosstabs") -> tuple[str | Quoted, ...] | str:
    """Return the title of the page, the workbook and the deck: the user's own, or one with the file."""
    if summary.report_title:
        return (Quoted(summary.report_title),)
    return ("Tables of ", parts.quote_file_name(summary.source)) if summary.source else "Tables"


def _hints(summary: "Crosstabs") -> Iterator[str]:
    """Yield the notes on questions that have a hint, with it."""
    for crosstab in summary.tables:
        for note in filter(has_hint, crosstab.question.notes):
            yield f"‘{one_line(crosstab.question.name)}’: {one_line(with_hints(note))}."


def _section_title(tables: "Sequence[Crosstab]", title: str) -> tuple[str | Quoted, ...]:
    """Return the title in a basket and the question, with the banner if there is one alone."""
    question = _title(tables[0]) if len(tables) == 1 else (Quoted(tables[0].question.text),)
    return (Quoted(title), ": ", *question) if title else question


def _title(crosstab: "Crosstab") -> tuple[str | Quoted, ...]:
    if not crosstab.banner.groups:
        return (Quoted(crosstab.question.text),)
    return Quoted(crosstab.question.text), " by ", Quoted(crosstab.banner.title, _NAME)


def _blocks(
    tables: "Sequence[Crosstab]", summary: "Crosstabs"
) -> Iterator[Paragraph | DataTable | Figure | None]:
    """Yield the blocks of a question: those of its tables, and the notes on them."""
    for crosstab in tables:
        if len(tables) > 1:
            yield Paragraph(_table_heading(crosstab), "heading")
        if summary.only:
            yield Paragraph(Quoted(f"{summary.only}.", _NOTE), "note", "both")
        yield from _table_blocks(crosstab, summary, result_by_banner(crosstab, tables, summary.settings))
    for note in question_notes(tables, summary.settings):
        yield Paragraph(Quoted(note, _NOTE), "note")


def _table_heading(crosstab: "Crosstab") -> tuple[str | Quoted, ...] | str:
    return ("By ", Quoted(crosstab.banner.title, _NAME)) if crosstab.banner.groups else "Total"


def result_by_banner(crosstab: "Crosstab", tables: "Sequence[Crosstab]", tests: "TestSettings") -> str:
    """State the main result of a table in a sentence, with its banner if its question has several tables."""
    by = f"By {one_line(crosstab.banner.title)}: " if len(tables) > 1 and crosstab.banner.groups else ""
    return f"{by}{end_sentence(result(crosstab, tests))}"


def _table_blocks(
    crosstab: "Crosstab", summary: "Crosstabs", finding: str
) -> Iterator[Paragraph | DataTable | Figure | None]:
    """Yield the blocks of a table: its main result, its chart, its figures and its changes."""
    tests = summary.settings
    yield Paragraph(Quoted(end_sentence(result(crosstab, tests)), _NOTE))
    heads = _heads(crosstab)
    rows = _rows(crosstab, is_weighted=summary.is_weighted)
    figures = table(heads, rows, brief_title=_title(crosstab), noun="line", is_crosstab=True)
    charts = tuple(limit_bars(chart, _MOST_PANELS) for chart in charts_of(columns_of(crosstab)))
    if not charts or tests.show == "table":
        yield figures
    else:
        figure = charts_figure("chart", charts, figures, finding=finding)
        yield replace(figure, shows_table=tests.show == "both")
    for note in table_notes(crosstab, tests):
        yield Paragraph(Quoted(with_hints(note), _NOTE), "note", "brief")
    if note := margin_note(crosstab, tests.level):
        yield Paragraph(note, "note", "brief")
    if crosstab.changes is not None:
        period: tuple[str | Quoted, ...] = ("Change to the wave before",)
        if crosstab.wave:
            period = ("Change from wave ", Quoted(crosstab.before), " to ", Quoted(crosstab.wave))
        yield table(
            heads,
            _change_rows(crosstab, crosstab.changes, tests),
            title=(*period, f": shares in percentage points, {_p_title(crosstab, tests)} in brackets"),
            noun="line",
            is_crosstab=True,
        )
        yield Paragraph(change_note(crosstab, tests), "note", "both")


def _heads(crosstab: "Crosstab") -> list[str | Quoted]:
    groups = zip(crosstab.columns[1:], crosstab.column_letters[1:], strict=True)
    return [
        "",
        total_name(crosstab).lower(),
        *(Quoted(f"{group} ({letter})", _NAME) for group, letter in groups),
    ]


def _rule(tests: "TestSettings") -> str:
    """State how p-values of any question are adjusted."""
    if tests.correction is None:
        return _UNADJUSTED
    method = _METHODS[tests.correction]
    return f"{method} within a question, over its answers, and separately over its nets, mean and NPS"


def _p_title(crosstab: "Crosstab", tests: "TestSettings") -> str:
    return "p and adjusted p" if _has_adjusted_changes(crosstab, tests) else "p"


def change_note(crosstab: "Crosstab", tests: "TestSettings") -> str:
    """State how p-values of changes are adjusted, and what their intervals cover."""
    tested = _tested_changes(crosstab)
    groups = tested[:, 1:]
    several = "all groups" if crosstab.wave else "all waves"
    adjusted = _adjustment(crosstab, groups if groups.any() else tested, tests, several)
    is_apart = crosstab.wave and tested[:, 0].any() and groups.any() and tests.correction is not None
    apart = ", and the total separately" if is_apart else ""
    if not _has_adjusted_changes(crosstab, tests):
        return f"p-values are {adjusted}; intervals are of single comparisons."
    return f"The second p-value is {adjusted}{apart}; intervals are of single comparisons."


def _tested_changes(crosstab: "Crosstab") -> "Mask":
    """True for changes with a test, shape (lines, columns)."""
    if crosstab.changes is None:
        return np.zeros(crosstab.cells.values.shape, dtype=bool)
    return np.isfinite(crosstab.changes.p_values)


def _has_adjusted_changes(crosstab: "Crosstab", tests: "TestSettings") -> bool:
    """Return whether a family has several changes, so that p-values of changes are adjusted."""
    tested, are_summaries = _tested_changes(crosstab), crosstab.question.are_summaries
    families = (
        columns[are_summaries == is_summary]
        for columns in (tested[:, :1], tested[:, 1:])
        for is_summary in (True, False)
    )
    return tests.correction is not None and any(family.sum() > 1 for family in families)


def _adjustment(crosstab: "Crosstab", tested: "Mask", tests: "TestSettings", several: str) -> str:
    """State the tests over which p-values of a table are adjusted.

    Args:
        crosstab: the table.
        tested: shape (lines, comparisons), true for each test.
        tests: settings of the tests.
        several: phrase for the comparisons, such as "all pairs of columns".
    """
    if tests.correction is None:
        return _UNADJUSTED
    lines = [
        line
        for line, has_test in zip(crosstab.question.lines, np.asarray(tested.any(axis=1)), strict=True)
        if has_test
    ]
    answers = [line for line in lines if not line.is_summary]
    summaries = [line for line in lines if line.is_summary]
    has_several = tested.any(axis=0).sum() > 1
    if not has_several and max(len(answers), len(summaries)) <= 1:
        return _SINGLE
    method = _METHODS[tests.correction]
    if len(lines) == 1:
        return f"{method} over {several}"
    families = ["the answers"] * bool(answers) + [_summaries(summaries)] * bool(summaries)
    return (
        f"{method} over {', and separately over '.join(families)}{f', in {several}' if has_several else ''}"
    )


def _summaries(lines: "Sequence[Line]") -> str:
    """Name the nets, means and scores among lines."""
    n_nets = sum(line.is_net for line in lines)
    kinds = {line.kind for line in lines}
    names = ["the nets" if n_nets > 1 else "the net"] * bool(n_nets)
    names += ["the NPS"] * ("nps" in kinds) + ["the mean"] * ("mean" in kinds)
    return join_list(names)


def _answer_shares(
    crosstab: "Crosstab", heads: Sequence[str | Quoted], tables: "Sequence[Crosstab]"
) -> DataTable | None:
    """Build the table of shares of all answers; ``None`` unless respondents could give several."""
    shares = crosstab.answer_shares
    if shares is None:
        return None
    lines = [index for index, line in enumerate(crosstab.question.lines) if not line.is_summary]
    rows = (
        (
            _line_name(crosstab.question.lines[line]),
            *(
                _figure_cell("share", (float(share), math.nan, math.nan), crosstab.decimals)
                for share in shares[line].tolist()
            ),
        )
        for line in lines
    )
    return table(
        heads,
        rows,
        note="Each answer counts once, so that shares sum to 100 %; they have no tests.",
        noun="line",
        folded=f"Shares of all answers{_by(crosstab, tables)}",
        detail="full",
    )


def _rows(crosstab: "Crosstab", *, is_weighted: bool) -> Iterator[Sequence[Value]]:
    n, weight, effective = crosstab.bases
    bases = (Count(int(base), is_small=bool(small)) for base, small in zip(n, crosstab.is_small, strict=True))
    yield "base, unweighted", *bases
    if is_weighted:
        yield "base, weighted", *(Number(float(base), 1) for base in weight)
        yield "base, effective", *(Number(float(base), 1) for base in effective)
    for index, line in enumerate(crosstab.question.lines):
        yield _line_name(line), *(_cell(crosstab, index, column) for column in range(len(crosstab.columns)))
        if crosstab.question.kind == "ranking" and line.kind == "mean":
            counts = zip(crosstab.cells.n[index].tolist(), crosstab.small[index].tolist(), strict=True)
            yield "ranked by", *(Count(int(ranked), is_small=is_small) for ranked, is_small in counts)
        if index == crosstab.question.mean_line:
            cells = zip(crosstab.deviations.tolist(), crosstab.small[index].tolist(), strict=True)
            figures = (
                Compared(_figure_cell("mean", (value, math.nan, math.nan), crosstab.decimals), is_small=small)
                for value, small in cells
            )
            yield "standard deviation", *figures


def _cell(crosstab: "Crosstab", line: int, column: int) -> Compared:
    value, low, high = (
        float(part[line, column]) for part in (crosstab.cells.values, crosstab.cells.low, crosstab.cells.high)
    )
    figure = _figure_cell(crosstab.question.lines[line].kind, (value, low, high), crosstab.decimals)
    return Compared(figure, str(crosstab.letters[line, column]), bool(crosstab.small[line, column]))


def _figure_cell(kind: "LineKind", figure: tuple[float, float, float], decimals: int | None) -> WithInterval:
    """Return a figure and the ends of its interval with the decimals of a table, or of its kind."""
    digits = {"share": 1, "nps": _NPS_DIGITS, "mean": _DIGITS}[kind] if decimals is None else decimals
    return WithInterval(*figure, digits=digits, is_share=kind == "share", percent_digits=digits)


def _line_name(line: "Line") -> Label | Quoted:
    """Return the name of a line: a quoted answer, or Semscale's name of a net, mean or score."""
    return Label(line.label) if line.is_summary else Quoted(line.name, _NAME)


def _change_rows(
    crosstab: "Crosstab", changes: "WaveChanges", tests: "TestSettings"
) -> Iterator[Sequence[Value]]:
    shown = (changes.p_values, changes.adjusted)[: 1 + _has_adjusted_changes(crosstab, tests)]
    for index, line in enumerate(crosstab.question.lines):
        cells = []
        for column in range(len(crosstab.columns)):
            p_values = [float(part[index, column]) for part in shown]
            listed = ", ".join(cell_text(p_cell(p)) for p in p_values)
            mark = "" if math.isnan(p_values[0]) else f"({listed})"
            small = bool(changes.small[index, column])
            cells.append(Compared(_difference(line, changes, (index, column)), mark, small))
        yield _line_name(line), *cells


def _difference(
    line: "Line", figures: "ColumnDifferences | WaveChanges", cell: tuple[int, int]
) -> WithInterval:
    """Return a difference with its interval; differences of shares are in percentage points."""
    points, digits = {"share": (100, 1), "nps": (1, _NPS_DIGITS), "mean": (1, _DIGITS)}[line.kind]
    value, low, high = (points * float(part[cell]) for part in (figures.values, figures.low, figures.high))
    return WithInterval(value, low, high, digits=digits, signed=True)


def _by(crosstab: "Crosstab", tables: "Sequence[Crosstab]") -> str:
    """Return the banner for the label of a list below several tables; empty for one table."""
    return f" by {one_line(crosstab.banner.title)}" if len(tables) > 1 and crosstab.banner.groups else ""


def difference_table(
    crosstab: "Crosstab", tests: "TestSettings", tables: "Sequence[Crosstab]" = ()
) -> DataTable | None:
    """Build the table of differences between all pairs of columns; ``None`` with fewer than two columns.

    Args:
        crosstab: table with its differences.
        tests: settings of its tests.
        tables: all tables of its question.
    """
    differences, lines, names = crosstab.differences, crosstab.question.lines, crosstab.columns
    n = differences.values.size
    if not n:
        return None
    columns: Columns[tuple[int, int]] = (
        ("line", lambda cell: _line_name(lines[cell[0]])),
        ("first", lambda cell: Quoted(names[differences.first[cell[1]]], _NAME)),
        ("second", lambda cell: Quoted(names[differences.second[cell[1]]], _NAME)),
        ("first minus second", lambda cell: _difference(lines[cell[0]], differences, cell)),
        ("p-value", lambda cell: p_cell(float(differences.p_values[cell]))),
        ("adjusted p-value", lambda cell: p_cell(float(differences.adjusted[cell]))),
    )
    left = n - _MAX_DIFFERENCES
    more = f" {count_of(left, 'further row')} in the workbook, .csv and .json." if left > 0 else ""
    return table_of(
        islice(np.ndindex(differences.values.shape), _MAX_DIFFERENCES),
        columns,
        note=f"{difference_note(tests, crosstab)}{more}",
        noun="difference",
        detail="full",
        folded=f"Differences of columns{_by(crosstab, tables)} ({n:,})",
    )


def difference_note(tests: "TestSettings", crosstab: "Crosstab | None" = None) -> str:
    """State the tests of differences of columns, and the limits of their intervals.

    Args:
        tests: settings of the tests.
        crosstab: the table; ``None`` for several questions.
    """
    least = count_of(tests.min_base, "respondent")
    rule = _rule(tests) if crosstab is None else _of_columns(crosstab, tests)
    return (
        f"Tests: {rule}. {coverage(tests.level)} intervals are of single comparisons, "
        f"not adjusted. Shares differ by percentage points. Columns with fewer than {least} are not tested."
    )


def _of_columns(crosstab: "Crosstab", tests: "TestSettings") -> str:
    """State how p-values of differences of columns are adjusted."""
    tested = np.isfinite(crosstab.differences.p_values)
    return _adjustment(crosstab, tested, tests, "all pairs of columns")


def finding(crosstab: "Crosstab", tests: "TestSettings") -> str:
    """State the main result of a table in a sentence for readers, with its uncertainty in words.

    It is about the mean or the NPS if there is one, otherwise about the most frequent answer and the answer
    that differs most; by waves, it is about the change to the last one. It speaks of tested groups only, and
    names those with too few answers. If several models answered, the sentence starts with the table's model.

    Args:
        crosstab: the table.
        tests: settings of its tests.
    """
    return _with_title(crosstab, _result(crosstab, tests))


def _with_title(crosstab: "Crosstab", main: str) -> str:
    """Put the model and the question before a statement."""
    model = crosstab.banner.answered_by
    title = clip_text(title_of(crosstab), _TITLE).shown
    stated = f"{title} {capitalise(main)}" if title.endswith(SENTENCE_ENDS) else f"{title}: {main}"
    return f"{one_line(model)}: {stated}" if model else capitalise(stated)


def result(crosstab: "Crosstab", tests: "TestSettings") -> str:
    """State the main result as ``finding`` does, below a heading that names the question."""
    model, stated = crosstab.banner.answered_by, _result(crosstab, tests)
    return f"{one_line(model)}: {stated}" if model else capitalise(stated)


def title_of(crosstab: "Crosstab") -> str:
    """Return the text of a question, without the signs of a pattern of columns."""
    question = crosstab.question
    return _PATTERN_END.sub("", question.text) if question.text == question.name else question.text


def _result(crosstab: "Crosstab", tests: "TestSettings") -> str:
    if not crosstab.bases[0][0]:
        return "nobody answered"
    line = _main_line(crosstab)
    overall = _overall(crosstab, line)
    if not crosstab.banner.groups:
        return f"{overall}{_plausible(crosstab, line)}"
    if len(crosstab.banner.groups) < _MIN_GROUPS:
        return f"{overall}; there is only one group, {clip_text(crosstab.banner.groups[0], _GROUP).shown}"
    if len(crosstab.groups) < _MIN_GROUPS:
        return overall
    return _wave_change(crosstab, line, tests) if crosstab.banner.is_wave else _comparison(crosstab, line)


def _tested_columns(crosstab: "Crosstab", line: int) -> list[int]:
    """Return the groups with enough respondents to test a line."""
    return [column for column in range(1, len(crosstab.columns)) if not crosstab.small[line, column]]


def _untested(crosstab: "Crosstab", tested: Sequence[int]) -> str:
    """Name the groups that no test compares; empty if all are tested."""
    left_out = [column for column in range(1, len(crosstab.columns)) if column not in tested]
    if not left_out:
        return ""
    if len(left_out) > _EXAMPLES:
        return f"; {len(left_out)} groups have too few answers to test"
    named = join_list([_group(crosstab, column) for column in left_out])
    return f"; {named} {'has' if len(left_out) == 1 else 'have'} too few answers to test"


def _comparison(crosstab: "Crosstab", line: int) -> str:
    """State which groups differ, and which are not tested."""
    tested, overall = _tested_columns(crosstab, line), _overall(crosstab, line)
    if len(tested) < _MIN_GROUPS:
        return f"{overall}; the groups are too small to compare"
    return f"{_difference_of_groups(crosstab, line, overall)}{_untested(crosstab, tested)}"


def _difference_of_groups(crosstab: "Crosstab", line: int, overall: str) -> str:
    """State the difference in the line that sums the answers up, in another one, or that there is none."""
    most = _most_different(crosstab)
    has_main = crosstab.question.main_line is not None
    if _n_letters(crosstab, line) and (has_main or most in (line, None)):
        n = max(len(letters.split()) for letters in crosstab.letters[line])
        return f"{_difference_sentence(crosstab, line)}; {unlikely_to_be_chance(n)}"
    if most is not None and has_main:
        return f"{_no_difference(crosstab, line)}, but {_difference_sentence(crosstab, most)}"
    if most is not None:
        return f"{overall}; {_difference_sentence(crosstab, most)}, more than chance explains"
    if has_main:
        return f"{overall}; differences between the groups{_span(crosstab, line)} may be chance"
    if has_letters(crosstab):
        return f"{overall}; mean ranks differ by group, more than chance explains"
    return f"{overall}; no answer differs clearly by group{_nearest(crosstab)}"


def _nearest(crosstab: "Crosstab") -> str:
    """Name the answer whose groups differ most, in brackets; empty without tests."""
    tested = crosstab.differences
    line = _least_p(crosstab, tested.adjusted, tested.p_values)
    return "" if line is None else f" (most: {_answer(crosstab, line)})"


def _least_p(crosstab: "Crosstab", adjusted: "Floats", p_values: "Floats", alpha: float = 0.0) -> int | None:
    """Return the share with the least adjusted p-value, then the least p-value; ``None`` without tests.

    Answers go before nets, which repeat them; but significant nets go before other answers.

    Args:
        crosstab: the table.
        adjusted: shape (lines, comparisons), NaN without a test.
        p_values: likewise, not adjusted.
        alpha: adjusted p-value below which a test is significant.
    """
    lines = crosstab.question.lines
    tested = [n for n, line in enumerate(lines) if line.kind == "share" and np.isfinite(adjusted[n]).any()]
    least = {line: float(np.nanmin(adjusted[line])) for line in tested}
    return min(
        tested,
        key=lambda line: (
            least[line] >= alpha, lines[line].is_net, least[line], float(np.nanmin(p_values[line]))
        ),
        default=None,
    )  # fmt: skip


def _p_text(p_value: float, adjusted: float) -> str:
    """Write a p-value for a sentence: the adjusted one, which is named so if it differs."""
    return p_value_text(adjusted) if adjusted == p_value else f"adjusted {p_value_text(adjusted)}"


def _overall(crosstab: "Crosstab", line: int, column: int = 0) -> str:
    """State a line's figure in a column: the total, or a wave."""
    figure = _figure(crosstab, line, column)
    wave = f" in {_group(crosstab, column)}" if column else ""
    match crosstab.question.lines[line].kind:
        case "mean" | "nps":
            return f"{_subject(crosstab, line)} is {figure}{wave}"
        case _:
            return f"{_answer(crosstab, line)} is most frequent ({figure}{wave})"


def _subject(crosstab: "Crosstab", line: int) -> str:
    """Name a line in a sentence."""
    return {"mean": _mean_of(crosstab), "nps": "the net promoter score"}.get(
        crosstab.question.lines[line].kind, _answer(crosstab, line)
    )


def _plausible(crosstab: "Crosstab", line: int) -> str:
    """State the interval of a line's figure in the total; empty without one."""
    cells, kind = crosstab.cells, crosstab.question.lines[line].kind
    ends = (float(cells.low[line, 0]), float(cells.high[line, 0]))
    if not all(map(math.isfinite, ends)):
        return ""
    low, high = (_write_figure(kind, end) for end in ends)
    return f", plausibly between {low} and {high}"


def _difference_sentence(crosstab: "Crosstab", line: int) -> str:
    """State the column that is above most others in a line, and the others."""
    subject = {"mean": f"{_mean_of(crosstab)} is higher", "nps": "the net promoter score is higher"}.get(
        crosstab.question.lines[line].kind, f"{_answer(crosstab, line)} is more frequent"
    )
    best = max(  # of columns above as many others, the one with the highest figure
        range(len(crosstab.columns)),
        key=lambda column: (
            len(crosstab.letters[line][column].split()), np.nan_to_num(crosstab.cells.values[line, column])
        ),
    )  # fmt: skip
    below = [crosstab.column_letters.index(letter) for letter in crosstab.letters[line, best].split()]
    within = _within(crosstab)
    above = f"{subject} {within} {_group(crosstab, best)} ({_figure(crosstab, line, best)})"
    if len(below) > _EXAMPLES:
        below.sort(key=lambda column: float(crosstab.cells.values[line, column]))
        low, high = _figure(crosstab, line, below[0]), _figure(crosstab, line, below[-1])
        span = low if low == high else f"{low} to {high}"
        return f"{above} than {within} {len(below)} other groups ({span})"
    named = [f"{_group(crosstab, column)} ({_figure(crosstab, line, column)})" for column in below]
    return f"{above} than {within} {join_list(named)}"


def _no_difference(crosstab: "Crosstab", line: int) -> str:
    kind = crosstab.question.lines[line].kind
    subject = "the net promoter scores" if kind == "nps" else f"{_mean_of(crosstab)}s"
    return f"{subject} do not differ clearly{_span(crosstab, line)}"


def _wave_change(crosstab: "Crosstab", line: int, tests: "TestSettings") -> str:
    """State the change to the last wave, with its interval and whether it may be chance."""
    last = len(crosstab.columns) - 1
    changes = crosstab.changes
    if changes is None or not np.isfinite(changes.p_values[:, last]).any():
        return f"{_overall(crosstab, line, last)}; the waves are too small to compare"
    alpha = 1 - tests.level
    column = slice(last, last + 1)
    most = _least_p(crosstab, changes.adjusted[:, column], changes.p_values[:, column], alpha)
    if crosstab.question.main_line is None or not np.isfinite(changes.p_values[line, last]):
        return _answer_change(crosstab, changes, (line, most), alpha)
    stated = _change_sentence(crosstab, changes, (line, last), alpha)
    if most is None or changes.adjusted[line, last] < alpha or not changes.adjusted[most, last] < alpha:
        return stated
    return f"{stated}; but {_change_sentence(crosstab, changes, (most, last), alpha)}"


def _answer_change(
    crosstab: "Crosstab", changes: "WaveChanges", lines: tuple[int, int | None], alpha: float
) -> str:
    """State the most frequent answer of the last wave, and the answer that changed most, if it has a test."""
    (line, most), last = lines, len(crosstab.columns) - 1
    now = _overall(crosstab, line, last)
    if most is None:
        return now
    if changes.adjusted[most, last] < alpha:
        stated = _change_sentence(crosstab, changes, (most, last), alpha)
        return stated if most == line else f"{now}; {stated}"
    if (changes.adjusted[:, last] < alpha).any():
        return f"{now}; mean ranks changed, more than chance explains"
    before = clip_text(crosstab.banner.groups[crosstab.groups[last - 1] - 1], _GROUP).shown
    amount = _amount(crosstab.question.lines[most].kind, float(changes.values[most, last]))
    return (
        f"{now}; no answer changed clearly from {before} "
        f"({_answer(crosstab, most)} changed most, by {amount})"
    )


def change_finding(crosstab: "Crosstab", tests: "TestSettings") -> str:
    """State the changes of groups from the wave before in the line of ``change_line``.

    Args:
        crosstab: a table with changes of a banner's groups.
        tests: settings of its tests.
    """
    return _with_title(crosstab, _group_changes(crosstab, tests))


def change_line(crosstab: "Crosstab", tests: "TestSettings") -> int | None:
    """Return the mean or the NPS, or the answer whose change is least likely to be chance in a group."""
    line, changes = crosstab.question.main_line, crosstab.changes
    if line is not None or changes is None:
        return line
    return _least_p(crosstab, changes.adjusted[:, 1:], changes.p_values[:, 1:], 1 - tests.level)


def _group_changes(crosstab: "Crosstab", tests: "TestSettings") -> str:
    line, changes = change_line(crosstab, tests), crosstab.changes
    if line is None or changes is None or not np.isfinite(changes.p_values[line, 1:]).any():
        return "the groups are too small to state a change"
    cell = line, 1 + int(np.nanargmin(changes.p_values[line, 1:]))
    tested = [n for n in range(1, len(crosstab.columns)) if np.isfinite(changes.p_values[line, n])]
    untested = _untested(crosstab, tested)
    clear = [column for column in tested if changes.adjusted[line, column] < 1 - tests.level]
    if len(clear) > 1:
        return f"{_several_changes(crosstab, changes, line, clear)}{untested}"
    if clear:
        return f"{_change_sentence(crosstab, changes, (line, clear[0]), 1 - tests.level)}{untested}"
    amount = _amount(crosstab.question.lines[line].kind, float(changes.values[cell]))
    if crosstab.question.main_line is None:
        amount = f"{_answer(crosstab, line)} for {_group(crosstab, cell[1])} by {amount}"
        return f"no answer changed clearly in a group (most: {amount}){untested}"
    return (
        f"{_subject(crosstab, line)} did not change clearly in a group "
        f"(most: {_group(crosstab, cell[1])}, by {amount}){untested}"
    )


def _several_changes(crosstab: "Crosstab", changes: "WaveChanges", line: int, columns: Sequence[int]) -> str:
    """State the significant changes of several groups, the largest first."""
    largest = sorted(columns, key=lambda column: -abs(float(changes.values[line, column])))
    stated: list[str] = []
    verb = ""
    for column in largest[:_EXAMPLES]:
        moved = _move(crosstab, changes, (line, column))
        # "rose by 3 to 5 for a, and by 2 to 4 for b"
        stated.append(f"{moved.removeprefix(f'{verb} ')} for {_group(crosstab, column)}")
        verb = moved.partition(" ")[0]
    left = len(largest) - len(stated)
    more = f", and changed in {count_of(left, 'more group')}" if left else ""
    return f"{_subject(crosstab, line)} {join_list(stated)}{more}; each change is unlikely to be chance"


def _change_sentence(
    crosstab: "Crosstab", changes: "WaveChanges", cell: tuple[int, int], alpha: float
) -> str:
    """State the change of a cell, a line in a column, with its interval and whether it may be chance."""
    line, column = cell
    scale, digits, unit = _UNITS[crosstab.question.lines[line].kind]
    low, high = (scale * float(end[cell]) for end in (changes.low, changes.high))
    interval = f"{with_sign(number(low, digits))} to {with_sign(number(high, digits))}{unit}"
    where = f"in {_group(crosstab, column)}"
    if not crosstab.banner.is_wave:
        where = f"for {_group(crosstab, column)}" if column else "in total"
    verdict = "may be chance"
    if changes.adjusted[cell] < alpha:
        p_value = _p_text(float(changes.p_values[cell]), float(changes.adjusted[cell]))
        verdict = f"is unlikely to be chance ({p_value})"
    moved = _move(crosstab, changes, cell)
    return f"{_subject(crosstab, line)} {moved} {where}; the change, plausibly {interval}, {verdict}"


def _move(crosstab: "Crosstab", changes: "WaveChanges", cell: tuple[int, int]) -> str:
    """State by how much a cell changed, and to which figure."""
    scale, digits, unit = _UNITS[crosstab.question.lines[cell[0]].kind]
    value = scale * float(changes.values[cell])
    if not round(value, digits):
        return f"stayed at {_figure(crosstab, *cell)}"
    size = f"{number(abs(value), digits)}{unit}"
    return f"{'rose' if value > 0 else 'fell'} by {size} to {_figure(crosstab, *cell)}"


def _amount(kind: "LineKind", change: float) -> str:
    """Write a change with its sign; of shares, in percentage points."""
    scale, digits, unit = _UNITS[kind]
    return f"{with_sign(number(scale * change, digits))}{unit}"


def _span(crosstab: "Crosstab", line: int) -> str:
    """Return the least and the greatest figure of the tested groups, in brackets."""
    tested = _tested_columns(crosstab, line)
    tested.sort(key=lambda column: float(crosstab.cells.values[line, column]))
    least, most = (_figure(crosstab, line, column) for column in (tested[0], tested[-1]))
    return f" ({least} to {most})" if least != most else ""


def _within(crosstab: "Crosstab") -> str:
    return "in" if crosstab.banner.is_wave else "for"


def _group(crosstab: "Crosstab", column: int) -> str:
    return clip_text(crosstab.columns[column], _GROUP).shown


def _mean_of(crosstab: "Crosstab") -> str:
    """Name the mean: of a rated text, it is that of ratings."""
    return "the mean rating" if crosstab.question.kind == "rated text" else "the mean"


def _answer(crosstab: "Crosstab", line: int) -> str:
    entry = crosstab.question.lines[line]
    name = clip_text(entry.label, _NAME).shown
    return name if entry.is_net else f"‘{name}’"


def _main_line(crosstab: "Crosstab") -> int:
    """Return the line that sums the answers up, or the most frequent answer."""
    summary = crosstab.question.main_line
    if summary is not None:
        return summary
    lines = crosstab.question.lines
    answers = [n for n, line in enumerate(lines) if not line.is_summary] or range(len(lines))
    column = len(crosstab.columns) - 1 if crosstab.banner.is_wave else 0
    return max(answers, key=lambda line: float(np.nan_to_num(crosstab.cells.values[line, column])))


def _most_different(crosstab: "Crosstab") -> int | None:
    """Return the share with letters and the least adjusted p-value; ``None`` without letters."""
    tested = crosstab.differences
    clear = np.array([[_n_letters(crosstab, line) > 0] for line in range(len(crosstab.question.lines))])
    return _least_p(
        crosstab, np.where(clear, tested.adjusted, np.nan), np.where(clear, tested.p_values, np.nan)
    )


def _n_letters(crosstab: "Crosstab", line: int) -> int:
    return sum(len(letters.split()) for letters in crosstab.letters[line])


def _figure(crosstab: "Crosstab", line: int, column: int) -> str:
    kind = crosstab.question.lines[line].kind
    return _write_figure(kind, float(crosstab.cells.values[line, column]))


def _write_figure(kind: "LineKind", value: float) -> str:
    return percent(value, 0) if kind == "share" else number(value, 0 if kind == "nps" else 2)


def table_notes(crosstab: "Crosstab", tests: "TestSettings") -> Iterator[str]:
    """State the tests of a table, and the respondents who are not in it."""
    if np.isfinite(crosstab.differences.p_values).any():
        compared = "No column is significantly above another"
        if has_letters(crosstab):
            compared = "Letters: significantly above the column of that letter,"
        alpha = percent(1 - tests.level, 0)
        yield f"{compared} at {alpha}, {_of_columns(crosstab, tests)}; the total is not tested."
    changes = crosstab.changes
    if crosstab.small.any() or (changes is not None and changes.small.any()):
        use = "shown, not tested" if crosstab.banner.groups else "shown"
        yield f"* fewer than {count_of(tests.min_base, 'respondent')}: {use}."
    test, banner = crosstab.association, one_line(crosstab.banner.title)
    if test is not None and test.reason:
        yield f"No Rao and Scott’s test of all answers by {banner}: {test.reason}."
    elif test is not None:
        yield (
            f"Test of all answers by {banner}: Rao and Scott’s F({test.df:.1f}, "
            f"{test.df_below:,.0f}) = {test.f:.2f}, {p_value_text(test.p_value)}."
        )
    if crosstab.hidden:
        yield hidden_note(crosstab)
    if crosstab.wave:
        before = one_line(crosstab.before)
        yield f"Figures are of wave {one_line(crosstab.wave)}. Changes since wave {before}."
    yield from _notes_on_bases(crosstab)
    yield from (f"{capitalise(with_marks(note))}." for note in crosstab.question.notes)


def hidden_note(crosstab: "Crosstab") -> str:
    """Name the lines and groups that a table has and does not show."""
    named = join_list([f"‘{clip_text(name, _NAME).shown}’" for name in crosstab.hidden])
    return f"Not shown: {named}; bases and tests include {'it' if len(crosstab.hidden) == 1 else 'them'}."


def question_notes(
    tables: "Sequence[Crosstab]", tests: "TestSettings", *, has_margins: bool = False
) -> list[str]:
    """Return the notes on the tables of a question, each once; a note on one of several banners names it.

    Args:
        tables: tables of one question.
        tests: settings of their tests.
        has_margins: true to state how wide the intervals are.
    """
    listed = [
        [
            *map(without_hints, table_notes(crosstab, tests)),
            *([margin_note(crosstab, tests.level)] if has_margins else []),
        ]
        for crosstab in tables
    ]
    notes: dict[str, None] = {}
    for crosstab, of_table in zip(tables, listed, strict=True):
        banner = one_line(crosstab.banner.title)
        for note in filter(None, of_table):
            has_banner = f" by {banner}: " in note  # as a test of all answers has
            is_general = not banner or has_banner or all(note in others for others in listed)
            notes[note if is_general else f"{capitalise(banner)}: {note}"] = None
    return list(notes)


def _notes_on_bases(crosstab: "Crosstab") -> Iterator[str]:
    """State the number of respondents outside a table's bases."""
    if (crosstab.cells.n != crosstab.cells.n[0]).any():
        why = "not everybody ranked every item"
        if crosstab.question.kind != "ranking":
            why = "some answers are not known"
        yield f"Bases differ by line, as {why}; the base above is the largest."
    missing = int(crosstab.cells.n_missing[:, 0].min())
    if missing:
        yield f"{count_of(missing, 'respondent')} gave no answer; the bases leave them out."
    if crosstab.n_ungrouped:
        yield f"{count_of(crosstab.n_ungrouped, 'respondent')} without a group: in the total only."


def margin_note(
    crosstab: "Crosstab", level: float, kinds: Sequence["LineKind"] = ("share", "nps", "mean")
) -> str:
    """State how far the ends of intervals are from their figures at most; empty without intervals.

    Args:
        crosstab: the table.
        level: coverage of its intervals.
        kinds: statistics to state.
    """
    cells = crosstab.cells
    margins = np.fmax(cells.high - cells.values, cells.values - cells.low)
    stated: list[str] = []
    for kind in kinds:
        lines = [index for index, line in enumerate(crosstab.question.lines) if line.kind == kind]
        parts_of_table = [(margins[lines, :1], " in the total"), (margins[lines, 1:], " in a group")]
        if crosstab.banner.is_wave:
            parts_of_table = [(margins[lines, 1:], " in a wave")]
        widest = [
            f"{_write_margin(kind, part)}{'' if stated else where}"
            for part, where in parts_of_table
            if np.isfinite(part).any()
        ]
        if widest:
            stated.append(f"{_MARGINS[kind]} {join_list(widest)}")
    return f"{coverage(level)} intervals of at most: {'; '.join(stated)}." if stated else ""


def _write_margin(kind: "LineKind", margins: np.ndarray) -> str:
    """Write the largest margin, rounded up; of shares, it is in percentage points."""
    per_unit = {"share": 100, "nps": 1, "mean": 100}[kind]
    units = math.ceil(round(per_unit * float(np.nanmax(margins)), 6))
    shown = number(units / 100, _DIGITS) if kind == "mean" else count(units)
    return f"± {shown}{' points' if kind == 'share' else ''}"


def cautions(summary: "Crosstabs") -> Iterator[str]:
    """Return the limits of all tables: excluded rows, and groups that cannot be compared."""
    for reason, n in summary.left_out.items():
        yield f"{count_of(n, 'row')} left out: {reason}"
    if summary.people:
        yield f"{rows_that_count(summary)}; {paired_tests(summary)}"
    yield from summary.sample_notes
    questions = {crosstab.question.name: crosstab.question for crosstab in summary.tables}
    yield from dict.fromkeys(caution for question in questions.values() for caution in question.cautions)
    banners: dict[str, Banner] = {}
    for crosstab in summary.tables:
        banners.setdefault(crosstab.banner.name, crosstab.banner)
    for banner in banners.values():
        if banner.is_wave and len(banner.groups) >= _MIN_GROUPS:
            waves = ", ".join(f"‘{one_line(name)}’" for name in banner.groups)
            # The order of waves in several files is that of the files.
            remedy = "" if banner.name == WAVE else hint("; `wave_order` gives another order")
            yield f"waves from first to last ({banner.order_from}): {waves}{remedy}"
        if len(banner.groups) == 1:
            kind = "wave" if banner.is_wave else "group"
            yield f"‘{banner.name}’ has one {kind}, ‘{banner.groups[0]}’: there is nothing to compare"
    small = [crosstab for crosstab in summary.tables if crosstab.groups and crosstab.is_small[1:].all()]
    if small:
        names = [f"‘{crosstab.question.name}’ by ‘{one_line(crosstab.banner.title)}’" for crosstab in small]
        named = join_list(names[:_EXAMPLES])
        more = f" and {count_of(len(small) - _EXAMPLES, 'more table')}" if len(small) > _EXAMPLES else ""
        least = summary.settings.min_base
        yield f"every group has fewer than {least} respondents in {named}{more}: nothing is tested there"


def interval_line(summary: "Crosstabs") -> str:
    """State the method of the intervals."""
    sample = summary.settings
    if sample.replicates:
        source = "replicate weights"
    elif any((sample.strata, sample.cluster, sample.fpc, sample.pair_by, sample.weight, sample.raked_to)):
        source = "Taylor linearisation of the design"
    else:
        source = "a plain sample"
    return (
        f"{coverage(summary.settings.level)} intervals from {source}: of means by t, of shares by log odds "
        "(exact where all or none gave an answer)"
    )
