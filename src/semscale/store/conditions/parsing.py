"""Conditions as trees: comparisons of a column with values, joined by and, or, and not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.store.conditions.tokens import ConditionToken, tokens_of

Value = float | str | bool
"""A value that a column is compared with."""

Operator = Literal["=", "!=", "<", "<=", ">", ">=", "in"]

_SAME: dict[str, Operator] = {"==": "=", "<>": "!="}
_OPERATORS: dict[str, Operator] = {"=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_RESERVED = frozenset({"and", "or", "not", "in", "is", "between", "true", "false"})
_MISSING = ("missing", "null")
_DEEPEST = 50


@dataclass(frozen=True)
class ColumnComparison:
    """A column compared with one value, or for ``in`` with any of several."""

    column: str
    operator: Operator
    values: tuple[Value, ...]


@dataclass(frozen=True)
class IsMissing:
    """A cell of a column is missing or blank."""

    column: str


@dataclass(frozen=True)
class Negation:
    """The opposite of a condition."""

    part: "Condition"


@dataclass(frozen=True)
class Conjunction:
    """Both conditions."""

    left: "Condition"
    right: "Condition"


@dataclass(frozen=True)
class Disjunction:
    """One condition at least."""

    left: "Condition"
    right: "Condition"


Condition = ColumnComparison | IsMissing | Negation | Conjunction | Disjunction


def parse_condition(text: str) -> Condition:
    """Read a condition.

    A comparison is ``column = value``, with ``!=``, ``<``, ``<=``, ``>`` or ``>=`` likewise, or ``column in
    (value, value)``, ``column between 1 and 5``, ``column is missing``; ``not`` stands before any of them or
    before ``in``. Values are numbers, texts in quotation marks, ``true`` and ``false``. ``not`` binds
    closest, then ``and``, then ``or``; parentheses change that.

    Args:
        text: the condition; its words are read in any case, the names of columns as they are.

    Raises:
        InputError: it cannot be read; the message says from where on.

    Example:
        >>> parse_condition("age >= 18")
        ColumnComparison(column='age', operator='>=', values=(18.0,))
    """
    if not text.strip():
        raise InputError("where must not be empty: write a condition such as age >= 18")
    return _Parser(tokens_of(text), text).whole()


def columns_of(condition: Condition) -> Iterator[str]:
    """Give the names of the columns in a condition, in order, repeated ones too."""
    match condition:
        case ColumnComparison(column=column) | IsMissing(column=column):
            yield column
        case Negation(part=part):
            yield from columns_of(part)
        case Conjunction(left=left, right=right) | Disjunction(left=left, right=right):
            yield from columns_of(left)
            yield from columns_of(right)


class _Parser:
    """Reads tokens from left to right."""

    def __init__(self, tokens: list[ConditionToken], text: str) -> None:
        self._tokens, self._text = tokens, text
        self._place = self._depth = 0

    def whole(self) -> Condition:
        condition = self._either()
        if self._now.kind != "end":
            raise self._unexpected("and, or, or the end")
        return condition

    def _either(self) -> Condition:
        condition = self._both()
        while self._took("or"):
            condition = Disjunction(condition, self._both())
        return condition

    def _both(self) -> Condition:
        condition = self._negated()
        while self._took("and"):
            condition = Conjunction(condition, self._negated())
        return condition

    def _negated(self) -> Condition:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise InputError(f"where: parentheses and not are nested more than {_DEEPEST} deep; simplify it")
        condition = Negation(self._negated()) if self._took("not") else self._single()
        self._depth -= 1
        return condition

    def _single(self) -> Condition:
        if self._took("("):
            condition = self._either()
            self._need(")")
            return condition
        column = self._column()
        if self._took("is"):
            return self._missing(column)
        if self._took("not"):
            return Negation(self._listed(column, "in or between"))
        if self._now.kind == "sign":
            sign = _SAME.get(self._now.text, self._now.text)
            if sign in _OPERATORS:
                self._place += 1
                return ColumnComparison(column, _OPERATORS[sign], (self._value(),))
        return self._listed(column, "a comparison such as = or in")

    def _listed(self, column: str, wanted: str) -> Condition:
        """Read what follows a column and begins with ``in`` or ``between``."""
        if self._took("between"):
            least = self._value()
            self._need("and")
            return Conjunction(
                ColumnComparison(column, ">=", (least,)), ColumnComparison(column, "<=", (self._value(),))
            )
        if not self._took("in"):
            raise self._unexpected(wanted)
        self._need("(")
        values = [self._value()]
        while self._took(","):
            values.append(self._value())
        self._need(")")
        return ColumnComparison(column, "in", tuple(values))

    def _missing(self, column: str) -> Condition:
        is_negated = self._took("not")
        if not any(self._took(word) for word in _MISSING):
            raise self._unexpected("missing")
        condition = IsMissing(column)
        return Negation(condition) if is_negated else condition

    def _column(self) -> str:
        token = self._now
        if token.kind == "name" or (token.kind == "word" and token.text.lower() not in _RESERVED):
            self._place += 1
            return token.text
        raise self._unexpected("the name of a column")

    def _value(self) -> Value:
        token = self._now
        self._place += 1
        match token.kind:
            case "number":
                return float(token.text)
            case "text" | "name":
                return token.text
            case "word" if token.text.lower() in {"true", "false"}:
                return token.text.lower() == "true"
        self._place -= 1
        if token.kind == "word":
            raise InputError(f"where: write texts in quotation marks: '{token.text}' in {self._shown()}")
        raise self._unexpected("a number or a text in quotation marks")

    @property
    def _now(self) -> ConditionToken:
        return self._tokens[self._place]

    def _took(self, text: str) -> bool:
        """Go on after a word or sign if it stands here."""
        token = self._now
        found = token.kind in {"word", "sign"} and token.text.lower() == text
        self._place += found
        return found

    def _need(self, text: str) -> None:
        if not self._took(text):
            raise self._unexpected(text)

    def _unexpected(self, wanted: str) -> InputError:
        token = self._now
        found = "the end" if token.kind == "end" else shortened(self._text[token.place :])
        return InputError(f"where: {wanted} was expected, got {found} in {self._shown()}")

    def _shown(self) -> str:
        return shortened(self._text)
