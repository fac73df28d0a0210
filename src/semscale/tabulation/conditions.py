"""SQL conditions in words: simple ones by the headings of questions and the labels of answers."""

import re
from collections.abc import Iterator, Mapping

from semscale.store.missing_codes import code_key
from semscale.store.table import ColumnLabels
from semscale.survey.description import Question, Survey, cell_name

_NAME = r"(?:[^\W\d]\w*|\"(?:[^\"]|\"\")+\")"
_TEXT = r"'(?:[^']|'')*'"
_QUOTED = re.compile(rf"{_TEXT}|\"(?:[^\"]|\"\")*\"")
_LIST = rf"{_TEXT}(?:\s*,\s*{_TEXT})*"
_ATOM = re.compile(
    rf"(?P<name>{_NAME})\s+IS\s+NULL\s+OR\s+(?P=name)\s+NOT\s+IN\s*\((?P<others>{_LIST})\)"
    rf"|(?P<first>{_NAME})\s*(?:IN\s*\((?P<texts>{_LIST})\)|=\s*(?P<text>{_TEXT})|IS\s+(?P<empty>NULL)"
    rf"|IS\s+(?P<filled>NOT\s+NULL)|NOT\s+IN\s*\((?P<known_others>{_LIST})\))",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\s+(?P<word>AND|OR)\s+", re.IGNORECASE)
_EMPTY = "no answer"


def condition_in_words(where: str, survey: Survey | None, labels: Mapping[str, ColumnLabels]) -> str:
    """State a condition for readers who do not know the columns of the file.

    Args:
        where: SQL condition.
        survey: description of the table; ``None`` without one.
        labels: labels of its columns.

    Returns:
        A sentence without its full stop. A condition that has not the simple form, ``IN``, ``=``, ``NOT IN``
        or ``IS NULL`` of columns and texts, joined by ``AND`` or ``OR``, is stated as it is.

    Examples:
        >>> labels = {"Q4": ColumnLabels("Region", values={"1": "North"})}
        >>> condition_in_words("Q4 IN ('1', '2')", None, labels)
        'Only: Region = North or 2'
        >>> condition_in_words("age > 30", None, {})
        'Only respondents with: age > 30'
    """
    stated = simple_condition_in_words(where, survey, labels)
    return f"Only: {stated}" if stated else f"Only respondents with: {' '.join(where.split())}"


def simple_condition_in_words(where: str, survey: Survey | None, labels: Mapping[str, ColumnLabels]) -> str:
    """State a condition of the simple form; empty for any other.

    Args:
        where: SQL condition.
        survey: description of the table; ``None`` without one.
        labels: labels of its columns.
    """
    return _Words(survey, labels).state(where.strip())


class _Words:
    """Words for conditions on the columns of a table.

    Args:
        survey: description of the table; ``None`` without one.
        labels: labels of its columns.
    """

    def __init__(self, survey: Survey | None, labels: Mapping[str, ColumnLabels]) -> None:
        self._survey, self._labels = survey, labels

    def state(self, where: str) -> str:
        """Return a condition in words; empty if it has not the simple form."""
        conditions = list(_and_parts(where))
        stated = list(map(self._any_of, conditions))
        return "; ".join(stated) if conditions and all(stated) else ""

    def _any_of(self, condition: str) -> str:
        """State one condition, or several joined by OR; empty if it has not the simple form."""
        answers: dict[str, list[str]] = {}
        position = 0
        while match := _ATOM.match(condition, position):
            column = _unquoted(match["name"] or match["first"], '"')
            heading, are_meant, names = self._atom(column, match)
            answers.setdefault(f"{heading} {'=' if are_meant else '≠'}", []).extend(names)
            position = match.end()
            if position == len(condition):
                listed = (f"{head} {' or '.join(dict.fromkeys(names))}" for head, names in answers.items())
                return " or ".join(listed)
            joint = _JOINT.match(condition, position)
            # What follows "is none of these" would read as one of them.
            if joint is None or joint["word"].upper() == "AND" or not are_meant:
                return ""
            position = joint.end()
        return ""

    def _atom(self, column: str, match: re.Match[str]) -> tuple[str, bool, list[str]]:
        """Return the heading of a column, whether it has the answers or others, and the answers."""
        question = None if self._survey is None else self._survey.of_column(column)
        known = self._labels.get(column, ColumnLabels())
        are_meant = not (match["others"] or match["known_others"] or match["filled"])
        listed = match["texts"] or match["text"] or match["others"] or match["known_others"] or ""
        texts = [_unquoted(text, "'") for text in re.findall(_TEXT, listed)]
        if question is None:
            names = [known.values.get(text, text) for text in texts]
            return known.title or column, are_meant, names or [_EMPTY]
        option = next((entry for entry in question.options if entry.column == column), None)
        if option is None or question.kind != "multiple":
            heading = question.heading if option is None else f"{question.heading}: {option.label}"
            return heading, are_meant, [_answer(question, known, text) for text in texts] or [_EMPTY]
        marks = {*question.chosen, *option.chosen}
        if texts and {cell_name(text) for text in texts} <= marks:
            return question.heading, are_meant, [option.label]
        return f"{question.heading}: {option.label}", are_meant, texts or [_EMPTY]


def _answer(question: Question, known: ColumnLabels, text: str) -> str:
    """Return the label of a cell's text; codes for no answer have none."""
    name = cell_name(text)
    if {code_key(name), code_key(known.values.get(text, ""))} & question.missing_reasons.keys():
        return _EMPTY
    labels = {code_key(value.value): value.name for value in question.answers}
    return labels.get(code_key(name), known.values.get(text, text))


def _and_parts(where: str) -> Iterator[str]:
    """Yield the conditions that brackets and AND join; a condition without brackets is one of them."""
    parts = _bracketed_parts(where)
    if parts is None:
        yield where
        return
    for part in parts:
        yield from _and_parts(part)


def _bracketed_parts(where: str) -> list[str] | None:
    """Return the parts of ``(first) AND (second)``; ``None`` for a condition of another form."""
    parts: list[str] = []
    depth, start, position = 0, 0, 0
    if not where.startswith("("):
        return None
    while position < len(where):
        if quoted := _QUOTED.match(where, position):
            position = quoted.end()
            continue
        depth += {"(": 1, ")": -1}.get(where[position], 0)
        position += 1
        if depth == 0:
            parts.append(where[start + 1 : position - 1].strip())
            joint = _JOINT.match(where, position)
            if position == len(where):
                return parts
            if joint is None or joint["word"].upper() == "OR":
                return None
            start = position = joint.end()
            if not where.startswith("(", start):
                return None
    return None


def _unquoted(text: str, sign: str) -> str:
    """Return a name or a text of SQL without its quotation marks."""
    return text[1:-1].replace(sign * 2, sign) if text.startswith(sign) else text
