"""Baskets: tables with several settings in one order, and the file ``tables.yaml`` that lists them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import StringIO
from itertools import takewhile
from os import PathLike
from pathlib import Path, PureWindowsPath
from typing import Annotated, Any

import polars as pl
from pydantic import Field
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

from semscale.errors import InputError
from semscale.messages import did_you_mean, shorten
from semscale.presentable import Presentable
from semscale.spelling import hint
from semscale.store.expressions import filter_table
from semscale.store.table import Table
from semscale.survey.description import Survey
from semscale.survey.finding import unused_facts
from semscale.tabulation.conditions import condition_in_words, simple_condition_in_words
from semscale.tabulation.crosstabs import Crosstabs, build_crosstabs, write_tables
from semscale.tabulation.settings import EVERY_QUESTION, CrosstabSettings
from semscale.types import Progress
from semscale.yaml_reading import YamlFile, parse_yaml
from semscale.yaml_writing import comment_keeping_yaml, escape_line_breaks

FILE_NAME = "tables.yaml"
"""Name of the file of a project's basket."""

_LIST = "tables"
_EARLIER = "earlier"
_WAVES = "waves"
_TITLE = "title"
_PAIR_BY = "pair_by"
_KEYS = (_TITLE, _EARLIER, _WAVES, _PAIR_BY, _LIST)
_OPTIONS = {_EARLIER: "earlier", _WAVES: "wave_name"}
_NAMED = "such as {may.csv: Summer 2026}"
_EXAMPLE = "{questions: [q1], banners: [region]}"
_WIDTH = 110
_HEADING = (
    "Tables for one workbook, one deck of slides and one page, in this order:\n"
    f"semscale tables FILE --basket {FILE_NAME} --out tables.xlsx --out tables.pptx"
)


class TableEntry(CrosstabSettings):
    """Tables of a basket with the same settings.

    Raises:
        InputError: as for ``CrosstabSettings``.
    """

    title: Annotated[str, Field(description="Title of these tables; empty for none.")] = ""
    where: Annotated[str, Field(description="SQL condition for the rows to keep.")] = ""

    @property
    def name(self) -> str:
        """The title, or the questions."""
        return self.title or ", ".join([*self.questions, *(f"{a} minus {b}" for a, b in self.pairs)])

    def with_questions(self, questions: Sequence[str], pairs: Sequence[tuple[str, str]] = ()) -> "TableEntry":
        """Return the entry with other questions, without settings of questions that it no longer has.

        Args:
            questions: names of the questions.
            pairs: questions that are compared within people.
        """
        named = [*questions, *(name for pair in pairs for name in pair)]
        known = {EVERY_QUESTION, *named, *(name.partition("=")[0].strip() for name in named)}
        return self.with_values(
            questions=questions,
            pairs=pairs,
            scales={name: scale for name, scale in self.scales.items() if name in known},
            missing={name: codes for name, codes in self.missing.items() if name in known},
            numeric=[name for name in self.numeric if name in known],
        )


KEYS = ("title", *(name for name in TableEntry.model_fields if name not in ("title", "survey")))
"""Keys of an entry of the file."""


@dataclass(frozen=True)
class Basket:
    """Tables in the order of a workbook, a deck and a page.

    Attributes:
        entries: the entries in order.
        earlier: files of earlier waves, the oldest first, as paths from the folder of the basket's file.
        title: title of the workbook, the deck and the page; empty for one that names the file.
        waves: names of waves by their files, which are such paths as well.
        pair_by: column of the people's IDs, who are in several files, for entries that name none; empty for
            independent samples.
        file: the file that lists them; ``None`` without one.
    """

    entries: tuple[TableEntry, ...] = ()
    earlier: tuple[str, ...] = ()
    title: str = ""
    waves: Mapping[str, str] = field(default_factory=dict)
    pair_by: str = ""
    file: YamlFile | None = field(default=None, compare=False)

    def earlier_than(self, latest: Path, folder: Path) -> tuple[Path, ...]:
        """Return the paths of the files of earlier waves: of a listed file, those that are listed before it.

        Args:
            latest: the file of the last wave.
            folder: the folder of the basket's file.

        Examples:
            >>> basket = Basket(earlier=("may.csv", "june.csv", "july.csv"))
            >>> [path.name for path in basket.earlier_than(Path("2026/june.csv"), Path("2026"))]
            ['may.csv']
            >>> [path.name for path in basket.earlier_than(Path("2026/august.csv"), Path("2026"))]
            ['may.csv', 'june.csv', 'july.csv']
        """
        paths = (folder / name for name in self.earlier)
        return tuple(takewhile(lambda path: path.resolve() != latest.resolve(), paths))

    def names_from(self, folder: Path) -> dict[str, str]:
        """Return the names of waves by the paths of their files.

        Args:
            folder: the folder of the basket's file.
        """
        return {str(folder / file): name for file, name in self.waves.items()}

    def with_waves(self, wave: str, names: Sequence[str]) -> "Basket":
        """Return the basket with waves in all its tables, and with the people who are paired.

        Args:
            wave: column of waves.
            names: the waves from the first to the last.

        Raises:
            InputError: an entry has waves of its own.
        """
        entries = []
        for position, entry in enumerate(self.entries):
            with self.locate_errors(position):
                if entry.wave is not None:
                    raise InputError("wave", "does not go with files of earlier waves: leave it out")
            pair_by = entry.pair_by or self.pair_by or None
            entries.append(entry.with_values(wave=wave, wave_order=names, pair_by=pair_by))
        return replace(self, entries=tuple(entries))

    @contextmanager
    def locate_errors(self, position: int) -> Iterator[None]:
        """Name the file and the line of an entry, from 0, in errors of the ``with`` block."""
        if self.file is None:
            yield
        else:
            with self.file.locate_errors(_LIST, position):
                yield


# The file


def read_basket(path: str | Path) -> Basket:
    """Read a basket.

    Args:
        path: a YAML file.

    Raises:
        InputError: the file cannot be read or is no basket; the message names the line.
    """
    file = YamlFile.read(path, "basket of tables")
    return parse_basket(file.content, source=file.source)


def parse_basket(content: bytes, *, source: str) -> Basket:
    r"""Parse a basket from the bytes of a YAML file.

    Args:
        content: the file, UTF-8; each value is read as it is written, so that ``01`` needs no quotes.
        source: the file's name in messages.

    Raises:
        InputError: as ``read_basket``.

    Examples:
        >>> parse_basket(b"tables:\n- {questions: [q1], decimals: 0}", source="t.yaml").entries[0].decimals
        0
        >>> parse_basket(b"tables:\n- {question: [q1]}", source="t.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 't.yaml', line 2: unknown key 'question'; did you mean 'questions'? (...
    """
    file = YamlFile(content, source)
    fields = parse_yaml(content, source=source, as_texts=True)
    listed = fields.get(_LIST) if isinstance(fields, dict) else None
    if not isinstance(fields, dict) or listed is None:
        raise InputError(
            f"{source!r} must hold ‘{_LIST}:’ with a list of entries such as {_EXAMPLE}, "
            f"got {shorten(fields or '')}"
        )
    if unknown := next((key for key in fields if key not in _KEYS), None):
        near = did_you_mean(str(unknown), _KEYS)
        raise file.error((unknown,), f"unknown key {unknown!r}{near} (known: {', '.join(_KEYS)})")
    texts = {key: fields.get(key) or "" for key in (_TITLE, _PAIR_BY)}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise file.error((key,), f"{key} must be a text, got {shorten(text)}")
    entries = listed if isinstance(listed, list) else [listed] if listed else []
    tables = tuple(_entry(file, position, entry) for position, entry in enumerate(entries))
    return Basket(
        tables,
        _earlier_files(file, fields.get(_EARLIER)),
        texts[_TITLE].strip(),
        _names_of_waves(file, fields.get(_WAVES)),
        texts[_PAIR_BY],
        file,
    )


def _earlier_files(file: YamlFile, listed: object) -> tuple[str, ...]:
    """Read the files of earlier waves.

    Raises:
        InputError: they are no list of files in the basket's folder.
    """
    names = listed if isinstance(listed, list) else [listed] if listed else []
    for name in names:
        _check_file(file, _EARLIER, name)
    return tuple(names)


def _names_of_waves(file: YamlFile, fields: object) -> dict[str, str]:
    """Read the names of waves by their files.

    Raises:
        InputError: a file is none of the basket's folder, or has no name.
    """
    if fields is not None and not isinstance(fields, dict):
        raise file.error((_WAVES,), f"{_WAVES} must be files with names, {_NAMED}, got {shorten(fields)}")
    waves = {}
    for path, name in (fields or {}).items():
        _check_file(file, _WAVES, path)
        if not isinstance(name, str) or not name.strip():
            raise file.error((_WAVES, path), f"{path} must have a name, {_NAMED}, got {shorten(name or '')}")
        waves[path] = name.strip()
    return waves


def _check_file(file: YamlFile, key: str, name: object) -> None:
    """Check that the file of a wave stands in the folder of the basket's file or below it.

    A basket that somebody else wrote cannot name other files of the reader's machine.

    Raises:
        InputError: it does not.
    """
    if not isinstance(name, str) or not name:
        raise file.error((key,), f"{key} must be names of files, got {shorten(name)}")
    path = PureWindowsPath(name)  # it takes both separators
    if path.anchor or ".." in path.parts:
        raise file.error(
            (key,),
            f"{key} must be files in the basket's folder, got {shorten(name)}"
            + hint(f"; name others by `{_OPTIONS[key]}`"),
        )


def _entry(file: YamlFile, position: int, fields: object) -> TableEntry:
    """Read an entry.

    Raises:
        InputError: a key or a value is wrong.
    """
    path = (_LIST, position)
    if not isinstance(fields, dict):
        raise file.error(path, f"must be an entry such as {_EXAMPLE}, got {shorten(fields)}")
    for key in fields:
        if key not in KEYS:
            near = did_you_mean(str(key), KEYS)
            raise file.error((*path, key), f"unknown key {key!r}{near} (known: {', '.join(KEYS)})")
    try:
        entry = TableEntry(**fields)
    except InputError as error:
        key = next((key for key in fields if key in {error.parameter, f"{error.parameter}s"}), None)
        raise file.error(path if key is None else (*path, key), error) from error
    if not entry.all_questions:
        raise file.error(path, f"needs ‘questions’: write an entry such as {_EXAMPLE}")
    return entry


def basket_text(basket: Basket, content: bytes | None = None, *, source: str = FILE_NAME) -> str:
    """Write a basket as YAML.

    Args:
        basket: the basket.
        content: the existing file, whose comments and unchanged entries stay; ``None`` for a new one.
        source: the existing file's name in messages.

    Raises:
        InputError: the existing file is no basket, or cannot be changed without losing something.

    Examples:
        >>> print(basket_text(Basket((TableEntry(questions=["q1"], banners=["sex"], level=0.9),))))
        # Tables for one workbook, one deck of slides and one page, in this order:
        # semscale tables FILE --basket tables.yaml --out tables.xlsx --out tables.pptx
        tables:
          - questions: [q1]
            banners: [sex]
            level: 0.9
        <BLANKLINE>
    """
    yaml = comment_keeping_yaml(_WIDTH)
    known = Basket()
    if content is None or not content.strip():
        document = CommentedMap()
        document.yaml_set_start_comment(_HEADING)
    else:
        known = parse_basket(content, source=source)
        try:
            document = yaml.load(content.decode("utf-8-sig"))
        except YAMLError as error:
            raise InputError(f"{source!r} cannot be changed without losing comments: {error}") from error
    for key in (_TITLE, _PAIR_BY):
        if (text := getattr(basket, key)) != getattr(known, key):
            _put(document, key, _node(text))
    if basket.earlier != known.earlier:
        _put(document, _EARLIER, _arrange_names(basket.earlier, document.get(_EARLIER)))
    if basket.waves != known.waves:
        _put_waves(document, basket.waves)
    document[_LIST] = _arrange(basket.entries, known.entries, document.get(_LIST))
    stream = StringIO()
    yaml.dump(document, stream)
    text = stream.getvalue()
    if parse_basket(text.encode(), source=source) != replace(basket, file=None):
        raise InputError(f"{source!r} cannot be changed by Semscale: write the change with an editor")
    return text


def _put_waves(document: CommentedMap, waves: Mapping[str, str]) -> None:
    """Write the names of waves; known ones with their comments."""
    names = document.get(_WAVES)
    if isinstance(names, CommentedMap):
        _update(names, waves)
    else:
        _put(document, _WAVES, _node(waves))


def _put(document: CommentedMap, key: str, value: Any) -> None:
    """Write a key of the file; a new one after those that come before it."""
    if key in document:
        document[key] = value
    else:
        document.insert(sum(before in document for before in _KEYS[: _KEYS.index(key)]), key, value)


def _arrange_names(names: Sequence[str], node: object) -> CommentedSeq:
    """Return the list of names: known ones with their comments."""
    if isinstance(node, CommentedSeq):
        for position in reversed(range(len(node))):
            if node[position] not in names:
                del node[position]
        for position, name in enumerate(names):
            if name not in node:
                node.insert(position, name)
        if list(node) == list(names):
            return node
    arranged: CommentedSeq = _node(names)
    return arranged


def _arrange(
    entries: Sequence[TableEntry], known: Sequence[TableEntry], nodes: CommentedSeq | None
) -> CommentedSeq:
    """Return the list of entries: known ones as they are written, and a changed one with its comments."""
    left = list(range(len(known)))
    matches: list[int | None] = []
    for entry in entries:
        matches.append(next((place for place in left if known[place] == entry), None))
        left = [place for place in left if place != matches[-1]]
    is_change = len(entries) == len(known)
    arranged = CommentedSeq()
    for position, (entry, match) in enumerate(zip(entries, matches, strict=True)):
        place = left.pop(0) if match is None and is_change else match
        node = CommentedMap() if nodes is None or place is None else nodes[place]
        if match is None:
            _update(node, _plain(entry))
        arranged.append(node)
        if nodes is not None and place in nodes.ca.items:
            arranged.ca.items[position] = nodes.ca.items[place]
    if nodes is not None:
        arranged.ca.comment = nodes.ca.comment
    return arranged


def _plain(entry: TableEntry) -> dict[str, Any]:
    """Return an entry's keys and values as the file has them, without those that have their defaults."""
    values = {name: getattr(entry, name) for name in KEYS}
    defaults = {name: TableEntry.model_fields[name].get_default() for name in KEYS}
    return {
        name: [f"{first}={second}" for first, second in value] if name == "pairs" else value
        for name, value in values.items()
        if value != defaults[name]
    }


def _update(node: CommentedMap, fields: Mapping[str, Any]) -> None:
    """Bring the keys of a node to new values."""
    for key in [key for key in node if key not in fields]:
        del node[key]
    for key, value in fields.items():
        node[key] = _node(value)


def _node(value: Any) -> Any:
    """Return a value as ruamel.yaml writes it: lists and mappings on one line."""
    if isinstance(value, str):
        return escape_line_breaks(value)
    node: CommentedMap | CommentedSeq
    if isinstance(value, Mapping):
        node = CommentedMap({key: _node(entry) for key, entry in value.items()})
    elif isinstance(value, Sequence):
        node = CommentedSeq([_node(entry) for entry in value])
    else:
        return value
    node.fa.set_flow_style()
    return node


# The tables


@dataclass(frozen=True, repr=False)
class BasketTables(Presentable):
    """Tables of a basket.

    Attributes:
        parts: the tables of each entry, in the order of the basket.
        created: time of the run.
    """

    parts: tuple[Crosstabs, ...]
    created: datetime

    def __repr__(self) -> str:
        return f"BasketTables(source={self.source!r}, entries={len(self.parts)})"

    @property
    def source(self) -> str:
        """Name of the file."""
        return self.parts[0].source

    def record(self) -> dict[str, Any]:
        """Return the tables by name, for JSON; ``filter`` is the condition of an entry's rows in words."""
        entries = [{"title": part.title, "filter": part.only, **part.record()} for part in self.parts]
        return {
            "instrument": "tables basket",
            "source": self.source,
            "entries": entries,
            "created": self.created,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return all cells as ``Crosstabs.to_frame`` does, after three columns.

        Returns:
            ``entry``, from 1, ``title``, and ``filter``, the condition of the rows in words; then the others.
        """
        frames = [
            part.to_frame().select(
                pl.lit(position).alias("entry"),
                pl.lit(part.title).alias("title"),
                pl.lit(part.only).alias("filter"),
                pl.all(),
            )
            for position, part in enumerate(self.parts, start=1)
        ]
        return pl.concat(frames)

    def report(
        self,
        path: str | PathLike[str],
        *,
        figures: str | PathLike[str] | None = None,
        template: str | PathLike[str] | None = None,
        escape: bool = True,
    ) -> None:
        """Write all tables to one file, in the format of its extension, as ``Crosstabs.report`` does.

        Args:
            path: the file.
            figures: has no effect, as tables have no pictures.
            template: PowerPoint file with the layouts, fonts and colours of slides.
            escape: true to put an apostrophe before texts in CSV that a spreadsheet would run as formulas.

        Raises:
            InputError: the extension is unknown, the file cannot be written, or the template cannot be used.
            MissingExtraError: slides need the extra ``slides``.
        """
        layout = None if template is None else Path(template)
        write_tables(self, self.parts, Path(path), layout, escape=escape)


def tabulate_basket(
    table: Table, basket: Basket, survey: Survey | None, progress: Progress | None = None
) -> BasketTables:
    """Tabulate the entries of a basket.

    Args:
        table: the table, with derived columns and the rows that count.
        basket: the basket.
        survey: description of the table; ``None`` without one.
        progress: called with the number of finished entries.

    Raises:
        InputError: the basket is empty, or an entry cannot be tabulated; the message names its line.
    """
    if not basket.entries:
        raise InputError("basket", f": it has no tables: write entries such as {_EXAMPLE}")
    created = datetime.now(UTC)
    parts = []
    for position, entry in enumerate(basket.entries):
        if progress is not None:
            progress("making tables", position, len(basket.entries))
        with basket.locate_errors(position):
            tables = tabulate_entry(table, entry, survey)
            parts.append(replace(tables, created=created, report_title=basket.title))
    return BasketTables(tuple(parts), created)


def tabulate_entry(table: Table, entry: TableEntry, survey: Survey | None) -> Crosstabs:
    """Tabulate an entry of a basket.

    Args:
        table: the table, with derived columns and the rows that count.
        entry: the entry.
        survey: description of the table; ``None`` without one.

    Raises:
        InputError: as ``build_crosstabs``; or the condition is invalid.
    """
    only = condition_in_words(entry.where, survey, table.labels) if entry.where else ""
    if entry.where:
        words = simple_condition_in_words(entry.where, survey, table.labels)
        table = filter_table(table, entry.where, words=words and f"‘{words}’")
    if survey is not None:
        notes = unused_facts(survey, weight=entry.weight, wave=entry.wave, groups=entry.banners)
        table = replace(table, notes=(*table.notes, *notes))
    tables = build_crosstabs(table, entry.with_values(survey=survey))
    return replace(tables, title=entry.title, only=only)
