"""The form of a question: its fields, and the entry of ``survey.yaml`` that they state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from semscale.errors import InputError
from semscale.messages import first_mistake
from semscale.store.missing_codes import code_key
from semscale.survey.description import (
    MissingReason,
    Option,
    Question,
    QuestionKind,
    Value,
    cell_name,
)

KINDS: dict[QuestionKind, str] = {
    "open": "open text",
    "single": "single choice",
    "scale": "scale",
    "multiple": "multiple choice",
    "ranking": "ranking",
    "numeric": "number",
    "nps": "likelihood to recommend (NPS)",
    "grid": "grid",
    "date": "date",
    "weight": "weight",
    "identifier": "identifier",
    "wave": "wave",
    "ignore": "not used",
}
"""Names of the kinds of questions, in the order of the form."""

REASONS: tuple[str, ...] = get_args(MissingReason)
"""Reasons why a value is no answer."""

LISTED_KINDS = frozenset({"single", "scale", "nps", "grid", "ranking", "wave"})
"""Kinds whose values the form lists; a multiple choice with codes of one list has them, too."""

ANSWER, CHOSEN, NOT_CHOSEN, UNKNOWN = "answer", "chosen", "not chosen", "not known"


class QuestionForm(BaseModel):
    """Fields of the form; lists have an entry for each row of a table, in the order of the rows.

    Attributes:
        question: name of the question before the change.
        version: hash of the entry that the page showed.
        name: new name.
        kind: new kind.
        title: short title.
        text: wording.
        separator: what separates options in one cell.
        value: values of the cells.
        label: their labels.
        score: numbers that count in means.
        counts_as: ``answer``, or the reason why a value is none.
        option: columns of options, or their codes.
        option_label: their labels.
        exclusive: options that exclude the others.
        written: options whose cells are texts.
        mark: values of options' cells.
        mark_as: ``chosen``, ``not chosen``, ``not known``, or the reason why a value is no answer.
        nets: groups of answers, each in a line such as ``NAME: ANSWER; ANSWER``.
        codes: further codes for no answer, as ``CODE`` or ``CODE=REASON``, with commas between them.
        move: a row to move: table, position from 0 and direction, such as ``value:3:-1``.
    """

    question: str = ""
    version: str = ""
    name: str = ""
    kind: str = ""
    title: str = ""
    text: str = ""
    separator: str = ""
    value: list[str] = []
    label: list[str] = []
    score: list[str] = []
    counts_as: list[str] = []
    option: list[str] = []
    option_label: list[str] = []
    exclusive: list[str] = []
    written: list[str] = []
    mark: list[str] = []
    mark_as: list[str] = []
    nets: str = ""
    codes: str = ""
    move: str = ""

    def apply(self, question: Question) -> Question:
        """Return the question as the form states it.

        Args:
            question: the entry that the form changes.

        Raises:
            InputError: a field is wrong, or fields contradict each other.
        """
        if self.kind not in KINDS:
            raise InputError("kind", f"must be one of {', '.join(KINDS)}, got {self.kind!r:.40}")
        fields: dict[str, Any] = {
            **question.model_dump(),
            "name": self.name.strip() or question.name,
            "columns": question.all_columns if question.columns or not question.options else (),
            "kind": self.kind,
            "title": self.title.strip(),
            "text": self.text.strip(),
            "separator": self.separator,
            "values": tuple(self._values()),
            "options": tuple(self._options(question)) if self.kind in {"multiple", "ranking", "grid"} else (),
            "missing": dict(self._missing(question.missing)),
            "source": "user",
            "reason": "",
            "confidence": "high",
        }
        fields["nets"] = self._nets(question, [*fields["values"], *fields["options"]])
        if self.mark:
            fields |= {"chosen": self._marks(CHOSEN), "not_chosen": self._marks(NOT_CHOSEN)}
        try:
            return Question(**fields)
        except ValidationError as error:
            raise InputError(first_mistake(error, ())) from None

    def _rows(self, table: str, *columns: Sequence[str]) -> Iterator[tuple[str, ...]]:
        """Yield the rows of a table of the form, with the row moved that a button moves.

        Raises:
            InputError: the columns have different lengths.
        """
        if len({len(column) for column in columns}) > 1:
            raise InputError(f"the rows of the table of {table}s are incomplete: load the page again")
        rows = list(zip(*columns, strict=True))
        moved, position, step = (*self.move.split(":"), "", "", "")[:3]
        if moved == table and position.isdigit() and step in {"-1", "1"} and int(position) < len(rows):
            row = rows.pop(int(position))
            rows.insert(max(0, int(position) + int(step)), row)
        yield from rows

    def _values(self) -> Iterator[Value]:
        rows = self._rows("value", self.value, self.label, self.score, self.counts_as)
        for value, written, score, counts_as in rows:
            label = written.strip()
            if counts_as == ANSWER:
                yield Value(value=value, label=_unless_same(label, value), score=_number(score, value))
            elif label:  # a code with a label stays among the values, as it would lose the label otherwise
                yield Value(value=value, label=label, missing=_reason(counts_as))

    def _options(self, question: Question) -> Iterator[Option]:
        known = {option.column or option.code: option for option in question.options}
        for key, label in self._rows("option", self.option, self.option_label):
            option = known.get(key)
            if option is None:
                raise InputError(f"question {question.name!r} has no option {key!r:.40}")
            code = option.value or (option.label if option.column is None and not option.is_text else "")
            changes = {
                "label": label.strip() or option.label,
                "value": "" if code == label.strip() else code,
                "exclusive": key in self.exclusive,
                "is_text": key in self.written,
            }
            yield Option(**{**option.model_dump(), **changes})

    def _nets(self, known: Question, answers: Sequence[Value | Option]) -> dict[str, tuple[str, ...]]:
        """Return the nets; answers that the form renames are renamed in them.

        Raises:
            InputError: a line names no net, or no answer.
        """
        lines = _lines(self.nets)
        nets = known.nets if lines == _lines(nets_text(known)) else dict(map(_net, lines))
        described: list[Value | Option] = [*known.values, *known.options]
        before = {_key_of(answer): _name_of(answer) for answer in described}
        names = {before.get(_key_of(answer)): _name_of(answer) for answer in answers}
        return {net: tuple(names.get(member, member) for member in members) for net, members in nets.items()}

    def _marks(self, meaning: str) -> tuple[str, ...]:
        return tuple(mark for mark, stated in zip(self.mark, self.mark_as, strict=True) if stated == meaning)

    def _missing(self, known: Mapping[str, MissingReason]) -> Iterator[tuple[str, MissingReason]]:
        """Yield codes for no answer: of the tables, and those that are written beside them."""
        rows = zip(self.value, self.label, self.counts_as, strict=True)
        for value, label, counts_as in rows:
            if counts_as != ANSWER and not label.strip():
                yield value, _reason(counts_as)
        for mark, stated in zip(self.mark, self.mark_as, strict=True):
            if stated in REASONS:
                yield mark, _reason(stated)
        reasons = {code_key(code): reason for code, reason in known.items()}
        for entry in filter(None, map(str.strip, self.codes.split(","))):
            code, equals, reason = (part.strip() for part in entry.rpartition("="))
            code, reason = (code, reason) if equals else (entry, "")
            yield cell_name(code), _reason(reason or reasons.get(code_key(code), "no answer"))


def further_codes(question: Question, listed: Sequence[str]) -> str:
    """Return the codes for no answer that no table of the form lists, as the form has them."""
    keys = {code_key(value) for value in listed}
    codes = {code: reason for code, reason in question.missing.items() if code_key(code) not in keys}
    return ", ".join(code if reason == "no answer" else f"{code}={reason}" for code, reason in codes.items())


def nets_text(question: Question) -> str:
    """Return the nets of a question as the form has them."""
    return "\n".join(f"{net}: {'; '.join(members)}" for net, members in question.nets.items())


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _net(line: str) -> tuple[str, tuple[str, ...]]:
    """Read a net from its line of the form.

    Raises:
        InputError: it has no name, or no answers.
    """
    name, _, listed = line.partition(":")
    members = tuple(filter(None, map(str.strip, listed.split(";"))))
    if not name.strip() or not members:
        raise InputError("nets", f"must have lines such as 'Warm: Tea; Coffee', got {line!r:.60}")
    return name.strip(), members


def _key_of(answer: Value | Option) -> str:
    return answer.value if isinstance(answer, Value) else answer.column or answer.code


def _name_of(answer: Value | Option) -> str:
    return answer.name if isinstance(answer, Value) else answer.label


def _unless_same(label: str, value: str) -> str:
    return "" if label == value else label


def _number(text: str, value: str) -> float | None:
    text = text.strip().replace(",", ".")
    if not text:
        return None
    try:
        number = float(text)
    except ValueError:
        raise InputError("score", f"of {value!r:.40} must be a number, got {text!r:.40}") from None
    try:
        return None if number == float(value) else number
    except ValueError:
        return number


def _reason(text: str) -> Any:
    """Return a reason as descriptions have it.

    Raises:
        InputError: it is none of them.
    """
    if text not in REASONS:
        raise InputError("missing", f": a reason must be one of {', '.join(REASONS)}, got {text!r:.40}")
    return text
