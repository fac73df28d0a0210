"""Columns that belong to one question: by the file's labels, by names that begin alike, or by wordings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix

from semscale.store.missing_codes import code_key
from semscale.survey.counted_columns import CountedColumns
from semscale.survey.marks import is_beside, is_other

_WITH_QUESTIONS = frozenset(
    {
        "Qualtrics",
        "SurveyMonkey",
        "LimeSurvey",
        "SoSci Survey",
        "Google Forms",
        "Microsoft Forms",
        "Typeform",
        "Alchemer",
    }
)
"""Tools whose headers tell which columns belong to a question, so that names need not."""

NAME_SIGNS = "_.-/:[( "
"""Signs between the name of a question and that of its option, in names of columns."""

OPTIONS_AS_NAMES = "Typeform"
"""The tool that names the columns of options by their texts."""

_WITH_BLANKS = "KoboToolbox"
_WITH_CHECKBOXES = "REDCap"
_PARTED = re.compile(
    r"(?P<stem>.*?\w)(?:(?P<sign>_{1,3}|\.|-|/|:\s*|\s-\s|\s*\[|\s*\()"
    r"(?P<part>[^\[\]()/]*(?:\s\([^\[\]()/]*\))?)[\])]?)"
)  # an option may end in a remark: "Services: Other (please specify)"
_LETTERED = re.compile(r"(?P<stem>.*\d)(?P<sign>)(?P<part>[a-z])", re.IGNORECASE)
_WORDING = re.compile(r"(?P<question>.*\S)(?P<sign>(?<=\?) |: | - | – )(?P<option>\S.*)", re.DOTALL)
_ITEM = re.compile(r"\d+|[a-z]")
_FEWEST_ITEMS = 2
_ZERO_ONE = frozenset({"0", "1", "true", "false"})


@dataclass(frozen=True)
class ColumnGroups:
    """Groups the columns of a table by their questions."""

    counted: CountedColumns

    def groups(self) -> list[tuple[str, tuple[str, ...]]]:
        """Group the columns by the questions of the file, and others by their names."""
        groups: dict[tuple[str, str], list[str]] = {}
        shared = self._columns_of_own_text()
        shared |= {column: name for column, (name, _) in self.of_wordings.items()}
        previous = ""
        for column in self.counted.profiles:
            question = self.counted.labels(column).question or shared.get(column, "")
            parted = None if question else self._split_name(column)
            stem = f"{parted['stem']}{parted['sign']}" if parted else ""
            if question:
                groups.setdefault(("question", question), []).append(column)
            elif stem and (stem == previous or ("stem", stem) not in groups):
                groups.setdefault(("stem", stem), []).append(column)
            else:
                groups["column", column] = [column]
            previous = stem
        return [
            (
                name if kind == "question" else name.rstrip(NAME_SIGNS) if len(columns) > 1 else columns[0],
                tuple(columns),
            )
            for (kind, name), columns in groups.items()
        ]

    def _split_name(self, column: str) -> re.Match[str] | None:
        """Split the name of a column that can share a question with others whose names begin alike."""
        labels = self.counted.labels(column)
        if self.counted.export in _WITH_QUESTIONS or labels.role or labels.is_text or self.is_beside(column):
            return None
        parted = _PARTED.fullmatch(column) or _LETTERED.fullmatch(column)
        if parted and self.counted.export == _WITH_BLANKS:
            # A group of questions has the same sign as a question's options, which are 0 or 1.
            values = {value.casefold() for value in self.counted.profiles[column].values}
            return parted if parted["sign"] == "/" and values <= _ZERO_ONE else None
        if parted and self.counted.export == _WITH_CHECKBOXES:
            return parted if _ITEM.fullmatch(parted["part"]) else None
        return parted

    def is_beside(self, column: str) -> bool:
        """Return whether a column holds what people wrote beside another one, by the file or its name."""
        labels = self.counted.labels(column)
        is_stated = labels.is_text and not labels.question
        return is_stated or (not labels.question and is_beside(column, self.counted.profiles))

    def _columns_of_own_text(self) -> dict[str, str]:
        """Return the names of questions by the columns of their options, if a tool names these by the option.

        Each is filled with its name; columns between them may be empty, and one of "other" may follow.
        """
        if self.counted.export != OPTIONS_AS_NAMES:
            return {}
        runs: list[list[str]] = [[]]
        for column, profile in self.counted.profiles.items():
            option = profile.labels.label or column
            answers = {code_key(value) for value in profile.values}
            is_last = bool(runs[-1]) and is_other(option)
            if not profile.labels.role and (answers <= {code_key(option)} or is_last):
                runs[-1].append(column)
            if is_last or column not in runs[-1]:
                runs.append([])
        questions: dict[str, str] = {}
        for run in runs:
            filled = [column for column in run if self.counted.profiles[column].values]
            if len(filled) < _FEWEST_ITEMS:
                continue
            options = run[run.index(filled[0]) : run.index(filled[-1]) + 1]
            more = f" and {len(options) - _FEWEST_ITEMS} more" if len(options) > _FEWEST_ITEMS else ""
            questions |= dict.fromkeys(options, f"{', '.join(options[:_FEWEST_ITEMS])}{more}")
        return questions

    @cached_property
    def of_wordings(self) -> dict[str, tuple[str, str]]:
        """The names of questions, and the options, by columns whose labels begin like a neighbour's.

        A question's name is what the columns' names share, if it has a number, or else the wording.
        """
        runs: list[tuple[str, list[str]]] = []
        for column in self.counted.profiles:
            labels = self.counted.labels(column)
            parts = (
                None if labels.question or labels.role or labels.option else _WORDING.fullmatch(labels.label)
            )
            wording = parts["question"] if parts else ""
            if not runs or runs[-1][0] != wording:
                runs.append((wording, []))
            runs[-1][1].append(column)
        named: dict[str, tuple[str, str]] = {}
        for wording, columns in runs:
            if not wording or len(columns) < _FEWEST_ITEMS or self.counted.export in _WITH_QUESTIONS:
                continue
            stem = commonprefix(columns).rstrip("_.-")
            is_name = any(sign.isdigit() for sign in stem) and stem not in self.counted.profiles
            for column in columns:
                option = self.counted.labels(column).label.removeprefix(wording).lstrip(" :–-")
                named[column] = stem if is_name else wording, option
        return named

    def option_label(self, name: str, column: str) -> str:
        """Return the text of an option: the file's, or what its column's name has beside the question's."""
        labels = self.counted.labels(column)
        if column in self.of_wordings:
            return self.of_wordings[column][1]
        part = column.removeprefix(name.rstrip("*?")).lstrip(NAME_SIGNS).rstrip("_.-/:] ")
        part = part if "(" in part else part.rstrip(")")
        own = "" if labels.question else labels.label  # which is else the question's wording
        return labels.option or own or part or column

    def wording(self, columns: Sequence[str]) -> str:
        """Return the wording of a question with several columns: their label, or what their labels share."""
        entries = [entry for column in columns if (entry := self.counted.labels(column)).label]
        if whole := next((entry.label for entry in entries if entry.option not in {"", entry.label}), ""):
            return whole
        labels = {entry.label for entry in entries}
        if len(labels) == 1 and len(entries) > 1:
            return labels.pop()
        shared = {parts["question"] if (parts := _WORDING.fullmatch(label)) else "" for label in labels}
        return shared.pop() if len(shared) == 1 and len(labels) > 1 else ""
