"""Columns of a survey's table with the counts of their cells: codes for no answer, types, and answers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from semscale.store.column_profile import ColumnKind, ColumnProfile
from semscale.store.missing_codes import code_key
from semscale.store.table import ColumnLabels
from semscale.survey.description import MissingReason, cell_name
from semscale.survey.marks import missing_reason
from semscale.survey.number_codes import CUSTOMARY_CODES, codes_apart, parse_number
from semscale.survey.question_words import mentions_any
from semscale.survey.value_order import FEWEST_POINTS, MOST_TEXTS, order_labels

_CODES_OF_TOOLS: Mapping[str, Mapping[str, MissingReason]] = {
    "Qualtrics": {"-99": "no answer"},
    "SoSci Survey": {
        "-1": "don't know",
        **dict.fromkeys(("-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9", "-10"), "no answer"),
    },
}
"""Numbers for no answer, by the tool that wrote the file."""

NPS_POINTS = frozenset(map(str, range(11)))


@dataclass(frozen=True)
class CountedColumns:
    """The columns of a table, whose cells are counted.

    Attributes:
        profiles: counts of all columns' cells, by the columns' names.
        export: the tool that wrote the file; empty if it was not recognised.
        _codes: codes for no answer of columns that were read, by the columns' names.
        _kinds: types of columns that were read, likewise.
    """

    profiles: Mapping[str, ColumnProfile]
    export: str
    _codes: dict[str, dict[str, MissingReason]] = field(default_factory=dict)
    _kinds: dict[str, ColumnKind] = field(default_factory=dict)

    def labels(self, column: str) -> ColumnLabels:
        """Return the labels of a column in the file."""
        return self.profiles[column].labels

    @cached_property
    def columns_of_texts(self) -> tuple[str, ...]:
        """Columns with what people wrote beside an option, as the file states."""
        return tuple(name for name, profile in self.profiles.items() if profile.labels.is_text)

    def codes(self, profile: ColumnProfile) -> dict[str, MissingReason]:
        """Return the values of a column that are codes for no answer, with their reasons.

        A number is one if it has no label, and is a customary code apart from the other numbers or among
        texts.
        """
        if not self._is_column(profile):
            return self._find_codes(profile)
        if profile.name not in self._codes:
            self._codes[profile.name] = self._find_codes(self.profiles[profile.name])
        return self._codes[profile.name]

    def _find_codes(self, profile: ColumnProfile) -> dict[str, MissingReason]:
        labels = profile.labels.values
        of_tool = _CODES_OF_TOOLS.get(self.export, {})
        codes: dict[str, MissingReason] = {}
        for value in {**labels, **profile.values}:
            reason = missing_reason(labels.get(value) or value) or of_tool.get(cell_name(value))
            if reason is not None:
                codes[value] = reason
        codes = self._without_points(codes, profile)
        rest = [value for value in profile.values if value not in codes and not labels.get(value)]
        numbers = {number: value for value in rest if (number := parse_number(value)) is not None}
        others = {
            number for value in labels if value not in codes and (number := parse_number(value)) is not None
        }
        are_below_zero = len(numbers) < len(rest) and all(number < 0 for number in numbers)
        if 2 * len(numbers) < len(rest) or are_below_zero:
            codes |= {value: "no answer" for value in rest if cell_name(value) in CUSTOMARY_CODES}
        elif mentions_any(f"{profile.name} {profile.labels.title}", "recommend") and (
            outside := _outside_nps(numbers)
        ):
            codes |= dict.fromkeys(outside, "no answer")
        elif len(numbers) >= FEWEST_POINTS or others:
            apart = codes_apart(sorted({*numbers, *others}))
            codes |= {numbers[number]: "no answer" for number in apart if number in numbers}
        return codes

    def _without_points(
        self, codes: Mapping[str, MissingReason], profile: ColumnProfile
    ) -> dict[str, MissingReason]:
        """Leave out texts that are points of the other answers' scale, as "does not apply" can be."""
        labels = profile.labels.values
        names = {value: labels.get(value) or value for value in {**labels, **profile.values}}
        answers = [name for value, name in names.items() if value not in codes][: MOST_TEXTS + 1]
        if len(answers) > MOST_TEXTS:
            return dict(codes)
        return {
            value: reason
            for value, reason in codes.items()
            if reason != "not asked"
            or value in profile.labels.missing_values
            or order_labels([*answers, names[value]]) is None
        }

    def kind(self, profile: ColumnProfile) -> ColumnKind:
        """Return the type of a column by its answers, without codes for no answer."""
        if not self._is_column(profile):
            return self._find_kind(profile)
        if profile.name not in self._kinds:
            self._kinds[profile.name] = self._find_kind(profile)
        return self._kinds[profile.name]

    def _find_kind(self, profile: ColumnProfile) -> ColumnKind:
        answered = profile.without(self.codes(profile))
        if profile.is_cut or not answered.values:
            return profile.kind
        labels = {value: label for value, label in profile.labels.values.items() if not missing_reason(label)}
        return replace(answered, labels=replace(profile.labels, values=labels)).kind

    def _is_column(self, profile: ColumnProfile) -> bool:
        """Return whether a profile is that of a column, with or without its codes for no answer."""
        column = self.profiles.get(profile.name)
        return column is not None and column.labels is profile.labels

    def answers(self, column: str) -> set[str]:
        """Return the normalised values of a column that are answers."""
        profile = self.profiles[column]
        codes = self.codes(profile)
        return {code_key(value) for value in profile.values if value not in codes}

    def join(self, name: str, columns: Sequence[str]) -> ColumnProfile:
        """Count the cells of columns with the same answers together."""
        profiles = [self.profiles[column] for column in columns]
        labels = {value: label for profile in profiles for value, label in profile.labels.values.items()}
        declared = {value for profile in profiles for value in profile.labels.missing_values}
        measure = next((profile.labels.measure for profile in profiles), "")
        joined = ColumnProfile(name, ColumnLabels(values=labels, missing_values=declared, measure=measure))
        for profile in profiles:
            joined.include(profile)
        return joined


def _outside_nps(numbers: Mapping[float, str]) -> list[str]:
    """Return customary codes outside 0 to 10, if all other numbers are inside."""
    inside = [value for value in numbers.values() if leading_number(value) in NPS_POINTS]
    outside = [value for value in numbers.values() if value not in inside]
    are_codes = inside and {cell_name(value) for value in outside} <= CUSTOMARY_CODES
    return outside if are_codes else []


def leading_number(text: str) -> str:
    """Return the whole number at the beginning of a text, such as 10 of "10 - Extremely likely"."""
    found = re.match(r"\s*(\d{1,2})(?:\D|$)", text)
    return str(int(found[1])) if found else text
