"""Labels of values in conditions, in the place of the values themselves."""

from collections.abc import Mapping
from dataclasses import replace

from semscale.store.column_labels import ColumnLabels
from semscale.store.conditions.parsing import (
    ColumnComparison,
    Condition,
    Conjunction,
    Disjunction,
    Negation,
    Value,
)

_EQUALITY = frozenset({"=", "!=", "in"})


def with_values(condition: Condition, labels: Mapping[str, ColumnLabels]) -> Condition:
    """Put values in the place of their labels: with 1 for "north", ``region = 'north'`` is ``region = '1'``.

    A text that is itself a value, or is the label of none or of several, stays.

    Example:
        >>> region = {"region": ColumnLabels(values={"1": "north"})}
        >>> with_values(ColumnComparison("region", "=", ("north",)), region).values
        ('1',)
    """
    match condition:
        case ColumnComparison(column=column, operator=operator) if operator in _EQUALITY and column in labels:
            named = labels[column].values
            return replace(condition, values=tuple(_value(value, named) for value in condition.values))
        case Negation(part=part):
            return Negation(with_values(part, labels))
        case Conjunction(left=left, right=right):
            return Conjunction(with_values(left, labels), with_values(right, labels))
        case Disjunction(left=left, right=right):
            return Disjunction(with_values(left, labels), with_values(right, labels))
    return condition


def _value(value: Value, labels: Mapping[str, str]) -> Value:
    codes = [code for code, label in labels.items() if label == value]
    return codes[0] if len(codes) == 1 and value not in labels else value
