"""Questions with a column of their own: open, closed, numeric, NPS, a list of options, or no question."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from semscale.store.column_profile import ColumnProfile
from semscale.store.missing_codes import code_key
from semscale.survey.answer_values import are_labels_of_scale, are_points, label_values, order_values
from semscale.survey.column_groups import ColumnGroups
from semscale.survey.counted_columns import NPS_POINTS, CountedColumns, leading_number
from semscale.survey.description import MissingReason, Question, QuestionKind, Value, cell_name
from semscale.survey.list_columns import describe_list, find_options
from semscale.survey.number_codes import parse_number
from semscale.survey.question_words import mentions_any
from semscale.survey.value_order import FEWEST_POINTS
from semscale.survey.wave_order import order_waves

_COUNTS_OPTIONS = "SoSci Survey"
"""The tool that adds a column with the number of chosen options."""

_FACTS: Mapping[str, tuple[QuestionKind, str]] = {
    "empty": ("ignore", "all cells are empty"),
    "id": ("identifier", "different in each row"),
    "weight": ("weight", "numbers, in a column called a weight"),
    "date": ("date", "dates"),
}

_FEWEST_NPS = 4
_LEAST_HIGHEST = 8  # a scale of recommendation may have 5 or 7 points


@dataclass(frozen=True)
class SingleColumns:
    """Describes columns with a question of their own."""

    counted: CountedColumns
    groups: ColumnGroups

    def describe(self, column: str, *, is_named: bool = False) -> Question:
        """Describe a column of its own, by the first rule that fits.

        Args:
            column: its name.
            is_named: whether somebody asks for it, so that it is more than what a tool adds by itself.
        """
        whole = self.counted.profiles[column]
        codes = self.counted.codes(whole)
        rules: list[Callable[[ColumnProfile], Question | None]] = [
            self._text_beside,
            self._count_of_options,
            self._wave,
            self._nps_group,
            self._list,
            self._nps,
            self._open_or_number,
            self._choice_beside_text,
            self._closed_question,
        ]
        if not (is_named and whole.labels.role):
            rules.insert(0, self._fact)
        has_answers = bool(whole.values.keys() - codes.keys())
        profile = whole.without(codes) if has_answers else whole
        question = next(filter(None, (rule(profile) for rule in rules)))
        return _with_codes(question, codes, whole)

    def _fact(self, profile: ColumnProfile) -> Question | None:
        """Describe a column that is no question: a tool's own, a weight, an ID, a date, or an empty one."""
        if role := profile.labels.role:
            values = order_values(self.counted, profile)[0] if role == "wave" else ()
            reason = f"a column that {self.counted.export} adds"
            return _question(profile, role, reason=reason, source="file", values=values)
        if profile.labels.is_weight:
            return _question(profile, "weight", reason="the file is weighted by it", source="file")
        if (fact := self.counted.kind(profile)) not in _FACTS:
            return None
        kind, reason = _FACTS[fact]
        return _question(profile, kind, reason=reason)

    def _text_beside(self, profile: ColumnProfile) -> Question | None:
        """Describe what people wrote beside an option, or a comment on it."""
        if not self.groups.is_beside(profile.name) or not profile.filled:
            return None
        source: Literal["inferred", "file"] = "file" if profile.labels.is_text else "inferred"
        return _question(profile, "open", reason="what people wrote beside an answer", source=source)

    def _count_of_options(self, profile: ColumnProfile) -> Question | None:
        """Describe a column with the number of options that were chosen, which SoSci Survey adds."""
        if self.counted.export != _COUNTS_OPTIONS:
            return None
        options = [
            name for name in self.counted.profiles if self.counted.labels(name).question == profile.name
        ]
        numbers = {cell_name(value) for value in profile.values}
        possible = {str(n) for n in range(-10, len(options) + 1)}
        if not options or not numbers <= possible:
            return None
        return _question(profile, "ignore", reason="number of chosen options", source="file")

    def _wave(self, profile: ColumnProfile) -> Question | None:
        if self.counted.kind(profile) == "open text" or not mentions_any(profile.name, "wave"):
            return None
        if profile.labels.answers:
            values, order = label_values(self.counted, profile), "labels and their order are the file's"
        else:
            written = {code_key(value): " ".join(cell_name(value).split()) for value in profile.values}
            names, source = order_waves([*written.values()])
            values, order = tuple(Value(value=name) for name in names), f"in order {source}"
        reason = f"few values under the name of waves; {order}"
        return _question(profile, "wave", reason=reason, values=values)

    def _nps_group(self, profile: ColumnProfile) -> Question | None:
        """Describe a column that groups the answers of an NPS question: detractors, passives, promoters."""
        if not mentions_any(profile.name, "nps_group"):
            return None
        groups = dict(zip("123", ("Detractor", "Passive", "Promoter"), strict=True))
        answers = set(profile.values)
        if answers <= groups.keys():
            values = tuple(Value(value=value, label=label) for value, label in groups.items())
        elif answers <= set(groups.values()):
            values = tuple(Value(value=label) for label in groups.values())
        else:
            return None
        reason = "groups of the answers to an NPS question"
        return _question(profile, "single", reason=reason, values=values)

    def _list(self, profile: ColumnProfile) -> Question | None:
        """Describe a column whose cells list options."""
        whole = self.counted.profiles[profile.name]
        listed = None if whole.labels.is_entry else find_options(self.counted, whole)
        return None if listed is None else describe_list(self.counted, whole, listed)

    def _nps(self, profile: ColumnProfile) -> Question | None:
        """Describe a question with answers from 0 to 10 whose wording asks for a recommendation."""
        written = {leading_number(value): value for value in profile.values}
        if not _are_of_nps(written, f"{profile.name} {profile.labels.title}"):
            return None
        labels = profile.labels.answers
        points = tuple(
            Value(
                value=written.get(point, point),
                label=labels.get(point, ""),
                score=float(point) if written.get(point, point) != point else None,
            )
            for point in map(str, range(11))
        )
        reason = "0 to 10, and the wording asks for a recommendation"
        return _question(profile, "nps", reason=reason, values=points)

    def _open_or_number(self, profile: ColumnProfile) -> Question | None:
        kind = self.counted.kind(profile)
        if kind == "number":
            return _question(profile, "numeric", reason="many different numbers")
        if profile.labels.is_entry and (kind == "multiple choice" or _are_varied(profile)):
            return _question(profile, "open", reason="texts that people typed", source="file")
        if kind == "open text" and not are_points(profile.values):
            return _question(profile, "open", reason="many different texts")
        return None

    def _choice_beside_text(self, profile: ColumnProfile) -> Question | None:
        """Describe a choice with an option "other", whose column of texts shows that numbers are codes."""
        start = f"{profile.name}_"
        if not any(name.startswith(start) for name in self.counted.columns_of_texts):
            return None
        question = self._closed_question(profile)
        values = tuple(value.model_copy(update={"score": None}) for value in question.values)
        return question.model_copy(update={"kind": "single", "values": values})

    def _closed_question(self, profile: ColumnProfile) -> Question:
        values, reason, confidence = order_values(self.counted, profile)
        answers = [value for value in values if value.missing is None]
        are_scored = len(answers) >= FEWEST_POINTS and any(value.score is not None for value in answers)
        has_numbers = bool(answers) and all(value.number is not None for value in answers)
        is_scale = has_numbers and (
            self.counted.kind(profile) == "ordinal" or are_scored or are_labels_of_scale(answers)
        )
        return Question(
            name=profile.name,
            kind="scale" if is_scale else "single",
            text=profile.labels.title,
            values=values
            if is_scale
            else tuple(value.model_copy(update={"score": None}) for value in values),
            source="file" if profile.labels.answers and profile.labels.measure else "inferred",
            reason=reason,
            confidence=confidence,
        )


def _are_varied(profile: ColumnProfile) -> bool:
    """Return whether most people typed a text that nobody else typed."""
    texts = [value for value in profile.values if parse_number(value) is None]
    return len(texts) > profile.filled / 2


def _with_codes(question: Question, codes: Mapping[str, MissingReason], profile: ColumnProfile) -> Question:
    """State the codes for no answer of a question.

    Among answers without an order, "don't know" is one of them, but not a number without a label.

    Args:
        question: the description without them.
        codes: the codes, with their reasons.
        profile: the column, with the codes.
    """
    if question.separator:
        return question  # which has the codes that are no options
    values = question.values
    answers: set[str] = set()
    if question.kind == "single":
        answers = {
            value
            for value, reason in codes.items()
            if reason == "don't know"
            and value not in profile.labels.missing_values
            and (parse_number(value) is None or value in profile.labels.values)
        }
        values = tuple(
            value.model_copy(update={"missing": None}) if value.value in answers else value
            for value in values
        )
        described = {value.value for value in values}
        values += tuple(
            Value(value=value) for value in answers & profile.values.keys() if value not in described
        )
    described = {value.value for value in values}
    missing = {value: reason for value, reason in codes.items() if value not in answers | described}
    if question.kind == "open":
        missing = {}  # what looks like a code may be what somebody wrote
    return question.model_copy(update={"values": values, "missing": missing})


def _question(
    profile: ColumnProfile,
    kind: QuestionKind,
    *,
    reason: str,
    source: Literal["inferred", "file"] = "inferred",
    values: tuple[Value, ...] = (),
) -> Question:
    return Question(
        name=profile.name,
        kind=kind,
        text=profile.labels.title,
        values=values,
        source=source,
        reason=reason,
    )


def _are_of_nps(numbers: Collection[str], wording: str) -> bool:
    """Return whether answers are from 0 to 10, by the highest one or the name, and about recommending."""
    if not numbers or not set(numbers) <= NPS_POINTS or not mentions_any(wording, "recommend"):
        return False
    if mentions_any(wording, "nps"):
        return True
    return len(numbers) >= _FEWEST_NPS and max(map(int, numbers)) >= _LEAST_HIGHEST
