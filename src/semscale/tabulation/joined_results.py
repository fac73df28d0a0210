"""Results of ``semscale rate`` and ``semscale code`` in tables of their own, joined to a survey."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path

import polars as pl

from semscale.errors import InputError
from semscale.results.facts import Measured, ResultFacts, read_facts
from semscale.store.columnar import rebatch
from semscale.store.columns import column_in, groups_in, storable, without_blanks
from semscale.store.missing_codes import code_key
from semscale.store.reading import open_table
from semscale.store.table import ColumnLabels, Table
from semscale.store.writing import is_reserved
from semscale.survey.description import Survey
from semscale.survey.finding import codes_by_column, column_named
from semscale.tabulation.text_results import (
    LINKS,
    are_of_text,
    code_columns,
    coded_text,
    mass_columns,
    name_on,
    results_start,
    results_title,
    unnamed_masses,
)

_BATCH = 50_000
_UNITS = "\0units"
_IN_WAVES = {
    "ratings": "rate the texts of all waves on one scale",
    "codes": "code the answers of all waves by one codebook",
}
_AGAIN = {"ratings": "rate the texts again", "codes": "code the answers again"}


@dataclass(frozen=True)
class TextResults:
    """Ratings or codes of a text in a table of their own.

    Attributes:
        table: the table.
        text: the column with the texts, in this table and in that of the survey.
        columns: names of the columns beside those of the survey, by their names in this table.
        facts: what the file says of them.
        title: title of the scale or the codebook that their names have, too; empty for none.
    """

    table: Table
    text: str
    columns: Mapping[str, str] = field(repr=False)
    facts: ResultFacts
    title: str = ""

    @property
    def measured(self) -> str:
        """``ratings`` or ``codes``."""
        return self.facts.measured

    @property
    def question(self) -> str:
        """Name of the question that stands for these results alone."""
        return results_title(self._name, self.measured)

    @property
    def _name(self) -> str:
        return name_on(self.text, self.title) if self.title else self.text

    def of_text(self, text: str) -> "TextResults":
        """Return the results with columns that name a text."""
        return self._renamed(replace(self, text=text))

    def with_title(self) -> "TextResults":
        """Return the results with columns that name their scale or codebook, too, if it is known."""
        return self._renamed(replace(self, title=self.facts.title))

    def _renamed(self, other: "TextResults") -> "TextResults":
        old, new = results_start(self._name), results_start(other._name)
        columns = {own: new + name.removeprefix(old) for own, name in self.columns.items()}
        return replace(other, columns=columns)

    def frames(self, size: int, skip: int, titles: Collection[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield the columns of these results, or some of them, with their names beside others."""
        chosen = {own: name for own, name in self.columns.items() if titles is None or name in titles}
        batches = self.table.batches(size, skip) if titles is None else self.table.batches_with(chosen, size)
        for batch in batches:
            yield pl.DataFrame([column_in(batch, own).alias(name) for own, name in chosen.items()])

    @property
    def note(self) -> str:
        """Clause that names the file of the results."""
        return f"{self.measured} of ‘{self.text}’ are those of {self.table.file_name}"

    @property
    def labels(self) -> dict[str, ColumnLabels]:
        """Labels of the points of ratings, and the nets among codes, by the names beside others."""
        named = self.facts.labels.items()
        start = results_start(self._name)
        points = {f"{start}p_{point}": ColumnLabels(option=label) for point, label in named}
        nets = {start + net: ColumnLabels(is_net=True) for net in self.facts.nets}
        return {name: known for name, known in (points | nets).items() if name in self.columns.values()}


def join_to_waves(
    tables: Sequence[Table], files: Iterable[str], survey: Survey | None, questions: Collection[str] = ()
) -> list[Table]:
    """Open tables with results, and join them to those tables of a survey whose rows they are of.

    Columns without the name of their text are those of the text that the user states or the file names. If
    neither does, they are those of the open question that they fit.

    Args:
        tables: the survey's table, or one for each wave, with the rows that count.
        files: each the path of a table, or ``QUESTION=PATH`` if the table does not tell whose results it has.
        survey: description of the tables; ``None`` without one.
        questions: names that the user asks for, which can be texts without a description.

    Raises:
        InputError: a file cannot be read, has no results, does not tell of which text they are, or has those
            of other rows; results were made with other codes for no answer, or are there twice.
    """
    fitting: list[list[TextResults]] = [[] for _ in tables]
    for file in files:
        for entry in _open_results(file, tables[-1], survey, questions):
            problems = [_problem(table, entry, survey) for table in tables]
            if "" not in problems:
                reasons = "; ".join(reversed(problems))
                raise InputError("results", f": {reasons}: {_AGAIN[entry.measured]}")
            fitting[problems.index("")].append(entry)
    fitting = [_name_by_questions(results, questions) for results in fitting]
    joined = [_join(table, results) for table, results in zip(tables, fitting, strict=True)]
    check_waves(fitting)
    return joined


def _name_by_questions(results: Sequence[TextResults], questions: Collection[str]) -> list[TextResults]:
    """Return results under the names that a user asks for, which can have a scale or a codebook.

    The first ratings and codes of a text are also those that are asked for without one.
    """
    named = [own if (own := entry.with_title()).question in questions else entry for entry in results]
    known = {entry.question for entry in named}
    first = {entry.question: entry for entry in reversed(results) if entry.question in questions}
    return [*named, *(entry for question, entry in first.items() if question not in known)]


def check_waves(waves: Sequence[Sequence[TextResults]]) -> None:
    """Check that the ratings of a text are on one scale in all waves, and its codes of one codebook.

    Args:
        waves: the results of each wave.

    Raises:
        InputError: they are on several.
    """
    first: dict[str, TextResults] = {}
    for entry in chain.from_iterable(waves):
        other = first.setdefault(entry.question, entry)
        titles = [other.facts.title, entry.facts.title]
        if all(titles) and titles[0] != titles[1]:
            link, remedy = LINKS[entry.measured], _IN_WAVES[entry.measured]
            raise InputError(
                "results",
                f": {other.table.name} has {entry.measured} of ‘{entry.text}’ {link} {titles[0]}, and "
                f"{entry.table.name} {link} {titles[1]}: {remedy}",
            )


def _open_results(
    file: str, table: Table, survey: Survey | None, questions: Collection[str]
) -> list[TextResults]:
    question, _, path = file.partition("=")
    if Path(file).exists() or not path:
        return read_results(open_table(file), open_texts(table, survey, questions))
    text = column_named(question, table.columns, survey, "results")
    table.require(text, "results")
    return read_results(open_table(path), [text], is_stated=True)


def _problem(table: Table, results: TextResults, survey: Survey | None) -> str:
    return find_difference(table, results, codes_by_column(table, survey).get(results.text, ()))


def _join(table: Table, results: Sequence[TextResults]) -> Table:
    """Return the table with results of its rows beside them.

    Raises:
        InputError: results are there twice.
    """
    for position, entry in enumerate(results):
        what = f"{entry.measured} of ‘{entry.text}’"
        if set(entry.columns.values()) & {*table.columns}:
            raise InputError("results", f": {table.name} itself has {what}: leave {entry.table.name} out")
        if twice := next((other for other in results[:position] if other.question == entry.question), None):
            names = dict.fromkeys([twice.with_title().question, entry.with_title().question])
            listed = " and ".join(f"‘{name}’" for name in names)
            asked = f", or ask for {listed}" if len(names) > 1 else ""
            raise InputError(
                "results",
                f": {twice.table.name} and {entry.table.name} both have {what}: name one of them{asked}",
            )
    return place_beside(table, results)


def open_texts(table: Table, survey: Survey | None, questions: Collection[str] = ()) -> list[str]:
    """Return the columns of described open questions, and undescribed columns that a user names."""
    by_name = {} if survey is None else survey.by_name
    opened = () if survey is None else survey.of_kind("open")
    described = [column for question in opened for column in question.all_columns]
    return list(dict.fromkeys([*described, *(n for n in questions if n not in by_name and table.has(n))]))


def read_results(results: Table, texts: Sequence[str], *, is_stated: bool = False) -> list[TextResults]:
    """Find the ratings and the codes in a table.

    Args:
        results: the table with results.
        texts: columns with texts that can be theirs if they do not name it.
        is_stated: whether the user states that they are of the only one of these texts.

    Raises:
        InputError: as for ``join_to_waves``.
    """
    known = read_facts(results)
    written = [name for name in results.columns if not is_reserved(name)]
    found = [entry for name in written for entry in _results_of(results, known, name)]
    named = {(entry.measured, entry.text) for entry in found}
    known = [facts for facts in known if (facts.measured, facts.text) not in named]
    for entry in _results_of(results, known):
        text = texts[0] if is_stated else entry.text
        found.append(entry.of_text(text or _find_text(entry, [name for name in texts if name in written])))
    if is_stated:
        found = [entry for entry in found if entry.text == texts[0]]
    if not found:
        raise InputError(
            "results",
            f": {results.name} has no results{f' of {texts[0]!r}' if is_stated else ''}: name a table that "
            "semscale rate or semscale code wrote",
        )
    return found


def _results_of(table: Table, known: Sequence[ResultFacts], text: str = "") -> Iterator[TextResults]:
    """Yield the ratings and the codes whose columns name a text; without a text, those that name none.

    Args:
        table: the table with results.
        known: the facts of its file.
        text: the text; empty for none.
    """
    masses = mass_columns(table.columns, text) if text else unnamed_masses(table.columns)
    codes = code_columns(table.columns, text)
    outcome = [f"{results_start(text)}outcome"]
    columns: dict[Measured, list[str]] = {
        "ratings": [*masses.values()],
        "codes": [*outcome, *codes, *chain.from_iterable(codes.values())] if codes else [],
    }
    for measured, titles in columns.items():
        stated = [facts for facts in known if facts.measured == measured and text in ("", facts.text)]
        facts = stated[0] if stated else ResultFacts(measured=measured, text=text)
        if titles:
            results = TextResults(table, text, {title: title for title in titles}, facts)
            yield results.of_text(facts.text)


def _find_text(results: TextResults, texts: Sequence[str]) -> str:
    """Return the text whose cells fit the results.

    Raises:
        InputError: none does, or several do.
    """
    fitting = [text for text in texts if _fits(results, text)] if len(texts) > 1 else list(texts)
    if len(fitting) == 1:
        return fitting[0]
    name = results.table.name
    listed = " and ".join(f"‘{text}’" for text in fitting) or "no open question of the survey"
    raise InputError(
        "results",
        f": the {results.measured} of {name} do not name their text, and fit {listed}: state the question, "
        f"such as {(fitting or ['Q1'])[0]}={name}",
    )


def _fits(results: TextResults, text: str) -> bool:
    """Return whether texts can be those of results: they have the evidence, and equal ones equal ratings."""
    own = [name for name in results.columns if coded_text(name) is None]  # texts without a result have one
    evidence = [name for name in (f"{column}_evidence" for column in own) if results.table.has(name)]
    cells: list[pl.DataFrame] = []
    for batch in results.table.batches_with([text, *own, *evidence], _BATCH):
        names = _names(batch, text)
        for column in evidence:
            units = column_in(batch, column).cast(pl.String).alias(_UNITS)
            is_in_text = pl.col(text).str.contains(pl.col(_UNITS), literal=True)
            if not pl.DataFrame([names, units]).select(is_in_text.all()).item():
                return False
        number = (
            pl.when(pl.col(text).is_null())
            .then(None)
            .otherwise(pl.col(text).hash().cast(pl.String))
            .alias(text)
        )
        numbers = names.alias(text).to_frame().select(number)
        cells.append(numbers.hstack(batch.select(own)))
    frame = pl.concat(cells, how="vertical_relaxed")
    return are_of_text(frame[text], frame.drop(text), is_open=True, is_exact=results.measured == "ratings")


def find_difference(table: Table, results: TextResults, no_answer: Collection[str]) -> str:
    """Return why results do not belong to the rows of a table; empty if they do.

    Args:
        table: the survey's table, with the rows that count.
        results: the results.
        no_answer: codes for no answer of the text by the description.
    """
    what = f"{results.table.name} has {results.measured}"
    if not table.has(results.text):
        return f"{what} of ‘{results.text}’, and {table.name} has no such column"
    stated = results.facts.no_answer
    changed = {*no_answer}.symmetric_difference(no_answer if stated is None else stated)
    row = 0
    own, other = (_texts_in(source, results.text) for source in (table, results.table))
    for texts, measured in zip_longest(own, other, fillvalue=pl.Series(dtype=pl.String)):
        if len(texts) != len(measured):
            n, n_measured = (sum(map(len, _texts_in(t, results.text))) for t in (table, results.table))
            return f"{what} of {n_measured:,} rows, and {table.name} has {n:,} that count"
        if not (is_same := texts.eq_missing(measured)).all():
            row += int(is_same.arg_min() or 0) + 1
            return f"{what} of other rows than {table.name}: ‘{results.text}’ differs in row {row:,}"
        if changed and not changed.isdisjoint(map(code_key, texts.drop_nulls().unique())):
            return f"{what} that were made with other codes for no answer in ‘{results.text}’"
        row += len(texts)
    return ""


def _texts_in(table: Table, text: str) -> Iterator[pl.Series]:
    """Yield the cells of a column of texts as names, in equal batches."""
    frames = (_names(batch, text).to_frame() for batch in table.batches_with([text], _BATCH))
    for frame in rebatch(frames, _BATCH):
        yield frame.to_series()


def _names(batch: pl.DataFrame, title: str) -> pl.Series:
    names = groups_in(storable(column_in(batch, title).to_frame()).to_series())
    return without_blanks(names).alias(title)


def place_beside(table: Table, results: Sequence[TextResults]) -> Table:
    """Return a table with the columns of results of the same rows, which ``find_difference`` has compared."""
    if not results:
        return table
    added = {name for entry in results for name in entry.columns.values()}

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        size = min(size, table.most_rows)
        yield from _side_by_side([table.batches(size, skip), *(e.frames(size, skip) for e in results)], size)

    def read_columns(size: int, titles: Collection[str]) -> Iterator[pl.DataFrame]:
        own = [title for title in titles if title not in added]
        wanted = [entry for entry in results if {*entry.columns.values()} & {*titles}]
        sides = [table.batches_with(own, size)] if own else []
        yield from _side_by_side([*sides, *(entry.frames(size, 0, titles) for entry in wanted)], size)

    return replace(
        table,
        columns=(*table.columns, *(name for entry in results for name in entry.columns.values())),
        read=read,
        read_columns=read_columns,
        labels={**table.labels, **{k: v for entry in results for k, v in entry.labels.items()}},
        settings=(*table.settings, *(f"results {entry.table.name}" for entry in results)),
        notes=(*(entry.note for entry in results), *table.notes),
    )


def _side_by_side(sides: Sequence[Iterator[pl.DataFrame]], size: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of several tables with the columns of all."""
    if len(sides) == 1:
        yield from sides[0]
        return
    for frames in zip(*(rebatch(side, size) for side in sides), strict=True):
        yield pl.concat(frames, how="horizontal")
