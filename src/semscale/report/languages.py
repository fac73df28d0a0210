"""Languages of texts in reports: their names, counts by language, and rows that the model did not read."""

from collections.abc import Iterator, Sequence

from semscale.embedding.languages.language_counts import LanguageCount, Languages, are_english
from semscale.embedding.languages.language_names import LANGUAGE_NAMES
from semscale.report.document.blocks import DataTable, Paragraph
from semscale.report.document.document import Section
from semscale.report.document.values import Cell, Count, Words
from semscale.report.formatting import count, counted, listed, percent

BY_ITSELF = "The language of each text is identified by itself; of a word or two it is often not clear."

_NAMED = 4  # languages in a sentence
_MOST_ROWS = 12


def language_name(code: str | None) -> str:
    """Name a language in English.

    Example:
        >>> language_name("de"), language_name(None)
        ('German', 'not clear')
    """
    return "not clear" if code is None else LANGUAGE_NAMES.get(code, code)


def foreign_warnings(
    counts: Sequence[LanguageCount],
    noun: str = "row",
    *,
    lack: str = "score",
    remedy: str = "--model e5-small",
) -> tuple[str, ...]:
    """Warn of rows that have no score because the model does not read their language.

    Args:
        counts: rows by language.
        noun: what a row is called.
        lack: what they have none of.
        remedy: option of the command line that chooses a model with many languages.

    Example:
        >>> counts = [LanguageCount(("de", "en"), 3, 0, unread=3), LanguageCount(("en", "en"), 7, 7)]
        >>> foreign_warnings(counts)[0].partition(": ")[2]
        'the model does not read their language (German–English 3). Use a model that does (--model e5-small).'
    """
    unread = [found for found in counts if found.unread]
    n, total = sum(found.unread for found in unread), sum(found.rows for found in counts)
    if not n:
        return ()
    named = [f"{_pair_name(found.languages)} {count(found.unread)}" for found in unread[:_NAMED]]
    named += ["others"] if len(unread) > _NAMED else []
    verb, their = ("has", "its") if n == 1 else ("have", "their")
    return (
        f"{count(n)} of {counted(total, noun)} ({percent(n / total, 0)}) {verb} no {lack}: the model does "
        f"not read {their} language ({listed(named)}). Use a model that does ({remedy}).",
    )


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
        (Words("–".join(map(language_name, found.languages))), Count(found.rows), Count(found.scored))
        for found in counts
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
        note: what else is to be known, after how languages are identified.
    """
    table = DataTable(heads, tuple(rows), title=title, most=_MOST_ROWS)
    return Section("languages", "Languages", (table, Paragraph(f"{BY_ITSELF} {note}".rstrip(), "note")))


def _pair_name(languages: Languages) -> str:
    """Name the languages of a row: one name where they are the same."""
    return "–".join(dict.fromkeys(map(language_name, languages)))
