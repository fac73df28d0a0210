"""Tables of a basket as one document: the sections of all its entries, and what holds for them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from semscale.report import parts
from semscale.report.document import Document, Notice, Paragraph, Quoted, Section, notices
from semscale.report.formatting import clip_text, count_of, coverage, join_list, one_line
from semscale.report.tables import question_sections, tables_head, title_of
from semscale.spelling import with_marks

if TYPE_CHECKING:
    from semscale.tabulation.basket import BasketTables
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs

_Note = TypeVar("_Note", Notice, str)
_SIGNATURE = 2_000  # characters
_NAME = 60  # characters of a question in the name of its entry
_MOST_QUESTIONS = 2  # in the name of an entry


def basket_document(basket: "BasketTables") -> Document:
    """Turn the tables of a basket into a document, in the order of its entries."""
    named = entry_names(basket.parts)
    head = tables_heads(basket.parts, named)
    stated = (*notices(cautions=input_notes(basket.parts, named)), *head.notices)
    return replace(head, notices=stated, sections=tuple(_sections(basket.parts)))


def _sections(summaries: Iterable["Crosstabs"]) -> Iterator[Section]:
    first = 1
    for summary in summaries:
        sections = list(question_sections(summary, first))
        first += len(list(summary.questions()))
        yield from sections


def without_repeats(summaries: Sequence["Crosstabs"]) -> list["Crosstabs"]:
    """Return the tables of all entries without those that an earlier entry shows already.

    Args:
        summaries: the tables, by their settings; one that only repeats others keeps no table.
    """
    earlier: list[tuple[Crosstab, Crosstabs]] = []
    lists = []
    for summary in summaries:
        new = [
            table
            for table in summary.tables
            if not any(_shows_same(table, summary, *other) for other in earlier)
        ]
        earlier += [(table, summary) for table in new]
        lists.append(replace(summary, tables=tuple(new)))
    return lists


def _shows_same(table: "Crosstab", summary: "Crosstabs", other: "Crosstab", entry: "Crosstabs") -> bool:
    """Return whether two tables of a basket have the same lines, columns, figures, tests and charts."""
    settings, alike = summary.settings, entry.settings
    return (
        (settings.level, settings.correction, settings.min_base, settings.show, summary.is_weighted)
        == (alike.level, alike.correction, alike.min_base, alike.show, entry.is_weighted)
        and summary.only == entry.only
        and _identity(table) == _identity(other)
        and all(map(_are_equal, _figures(table), _figures(other)))
    )


def _identity(table: "Crosstab") -> tuple[object, ...]:
    question, banner = table.question, table.banner
    return (
        question.name, question.text, question.lines, question.notes, table.columns, banner.name,
        banner.title, banner.answered_by, table.wave, table.before, table.hidden, table.decimals,
        table.n_ungrouped, table.changes is None,
    )  # fmt: skip


def _figures(table: "Crosstab") -> Iterator[np.ndarray]:
    for record in (table.cells, table.differences, table.changes):
        if record is not None:
            yield from (getattr(record, field.name) for field in fields(record))


def _are_equal(left: np.ndarray, right: np.ndarray) -> bool:
    return np.array_equal(left, right, equal_nan=True)


def tables_heads(summaries: Sequence["Crosstabs"], named: Sequence[str]) -> Document:
    """Return the document of tables with several settings, without its sections.

    Args:
        summaries: the tables, by their settings.
        named: their names.
    """
    heads = [tables_head(summary) for summary in summaries]
    if len(summaries) == 1:
        return heads[0]
    n_rows = max(summary.n for summary in summaries)
    n_tables = sum(len(summary.tables) for summary in summaries)
    levels = sorted({coverage(summary.settings.level) for summary in summaries})
    return replace(
        heads[0],
        introduction=(
            parts.sentence(f"{count_of(n_rows, 'row')}, {count_of(n_tables, 'table')}"),
            Paragraph(f"Lines in charts, and small figures in tables, are {join_list(levels)} intervals."),
        ),
        notices=tuple(_notices(named, heads)),
        facts=parts.facts(("Rows", n_rows), ("Entries", len(summaries)), ("Tables", n_tables)),
        settings=(
            *heads[0].settings[:2],
            *(
                (name, Quoted(str(summary.signature), _SIGNATURE))
                for name, summary in zip(named, summaries, strict=True)
            ),
        ),
        citations=tuple(dict.fromkeys(work for head in heads for work in head.citations)),
        signature=None,
        hints=tuple(dict.fromkeys(hint for head in heads for hint in head.hints)),
    )


def entry_names(summaries: Sequence["Crosstabs"]) -> list[str]:
    """Return the titles of the entries of a basket, or the questions and groups of those without a title.

    Equal names have the condition of the rows and, if they are still equal, the number of their entry.
    """
    names = [one_line(summary.title) or _contents(summary) for summary in summaries]
    names = [
        f"{name} ({summary.only[:1].lower()}{one_line(summary.only[1:])})"
        if summary.only and names.count(name) > 1
        else name
        for summary, name in zip(summaries, names, strict=True)
    ]
    return [
        name if names.count(name) == 1 else f"{name} (entry {position})"
        for position, name in enumerate(names, start=1)
    ]


def _contents(summary: "Crosstabs") -> str:
    """Name the questions and the groups of an entry."""
    questions = [clip_text(title_of(tables[0]), _NAME).shown for tables in summary.questions()]
    more = len(questions) - _MOST_QUESTIONS
    if more > 1:
        questions[_MOST_QUESTIONS:] = [f"{more} more"]
    banners = dict.fromkeys(table.banner.title for table in summary.tables if table.banner.groups)
    by = join_list([clip_text(title, _NAME).shown for title in banners])
    return f"{join_list(questions)}{' by ' if by else ''}{by}"


def _notices(named: Sequence[str], heads: Sequence[Document]) -> Iterator[Notice]:
    """Yield the notices of all entries, each once; one that is not of all of them names its entry."""
    for notice, name in _with_names([head.notices for head in heads], named):
        before = f"{name}: " if name else ""
        brief = notice.brief and f"{before}{with_marks(notice.brief)}"
        yield replace(notice, text=f"{before}{with_marks(notice.text)}", brief=brief)


def input_notes(summaries: Sequence["Crosstabs"], named: Sequence[str]) -> tuple[str, ...]:
    """Return the notes on the input of tables; one that is not of all of them names its entry.

    Args:
        summaries: the tables, by their settings.
        named: their names.
    """
    listed = _with_names([summary.input_notes for summary in summaries], named)
    return tuple(f"{name}: {note}" if name else note for note, name in listed)


def _with_names(listed: Sequence[Sequence[_Note]], named: Sequence[str]) -> Iterator[tuple[_Note, str]]:
    """Yield each note once with the names of its entries, which are empty if all entries have it."""
    for note in dict.fromkeys(note for notes in listed for note in notes):
        entries = [name for name, notes in zip(named, listed, strict=True) if note in notes]
        yield note, "" if len(entries) == len(named) else join_list(entries)
