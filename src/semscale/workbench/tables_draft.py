"""Tables that are being composed: fields of the page's address, and the entry that they state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from semscale.errors import InputError
from semscale.survey.description import QuestionKind
from semscale.tabulation.basket import KEYS, Basket, TableEntry
from semscale.workbench.row_filters import FilterForm, join_conditions

ROWS: tuple[QuestionKind, ...] = ("single", "scale", "multiple", "ranking", "numeric", "nps", "grid", "wave")
"""Kinds of questions that have tables."""

ROLES: Mapping[str, tuple[str, tuple[QuestionKind, ...]]] = {
    "weight": ("Weight", ("weight",)),
    "wave": ("Waves", ("wave", "single")),
    "strata": ("Strata", ("single", "scale", "numeric", "ignore")),
    "cluster": ("Clusters", ("identifier", "single", "numeric", "ignore")),
    "fpc": ("Finite population correction", ("numeric", "ignore")),
    "pair_by": ("People in several waves", ("identifier",)),
}
"""Columns of the sample: their names for readers, and the kinds of questions that can serve."""

LOOK = ("show", "sort", "decimals", "level", "adjust", "min_base", "hide_small")
"""Settings of tests and of what is shown."""

SAMPLE = ("lonely", "replicates", "replicate_type", "wave_order")
"""Further settings of the sample."""

_SHOWN = ("title", "questions", "banners", "hide", "weight", "wave", "where", "show")
"""Settings that the page words in a sentence of their own."""

_TEXTS = ("where", *ROLES)
_FIELDS = (*_TEXTS, *LOOK, *SAMPLE)
_STATED = {*_FIELDS, "questions", "banners", "hide", "survey"}

Fields = Mapping[str, Sequence[str]]


class ConditionForm(FilterForm):
    """Fields of the form that adds a condition on the answers to a question.

    Attributes:
        here: the draft, as an address states it.
    """

    here: str = ""


@dataclass(frozen=True)
class Draft:
    """Tables that are being composed.

    Attributes:
        questions: names of the questions, in the order of the tables.
        banners: names of the questions whose answers are groups.
        hide: labels of answers and groups that are not shown.
        texts: values of all other fields, by name; empty ones are left out.
        position: the entry of the basket that is changed, from 0; ``None`` for a new one.
        find: words in the questions to list.
    """

    questions: tuple[str, ...] = ()
    banners: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    position: int | None = None
    find: str = ""

    @classmethod
    def from_fields(cls, fields: Fields) -> Self:
        """Return the draft that fields state, after the change that a button or dragging asks for."""
        single = {name: values[-1].strip() for name, values in fields.items() if values}
        position = single.get("entry", "")
        draft = cls(
            questions=_names(fields, "questions"),
            banners=_names(fields, "banners"),
            hide=_names(fields, "hide"),
            texts={
                name: single[name] for name in _FIELDS if single.get(name, "") not in ("", _default(name))
            },
            position=int(position) if position.isdecimal() else None,
            find=single.get("find", ""),
        )
        return draft._changed(single.get("act", ""), single.get("question", ""))

    @classmethod
    def from_entry(cls, entry: TableEntry, position: int) -> Self:
        """Return the draft of an entry of the basket.

        Args:
            entry: the entry.
            position: its position, from 0.
        """
        values = {name: _text(getattr(entry, name)) for name in _FIELDS}
        texts = {name: value for name, value in values.items() if value != _default(name)}
        return cls(entry.questions, entry.banners, entry.hide, texts, position)

    @classmethod
    def from_query(cls, query: str) -> Self:
        """Return the draft of an address."""
        fields: dict[str, list[str]] = {}
        for name, value in parse_qsl(query):
            fields.setdefault(name, []).append(value)
        return cls.from_fields(fields)

    def _changed(self, act: str, dragged: str) -> Self:
        """Return the draft after a change.

        Args:
            act: ``questions:NAME`` or ``banners:NAME`` chooses a question or takes it away, and ``up:NAME``
                moves it one place to the front; ``questions`` or ``banners`` alone adds a dragged one;
                ``all-rows`` takes the condition away.
            dragged: name of a question that was dragged.
        """
        kind, _, name = act.partition(":")
        if kind == "all-rows":
            return replace(self, texts={key: text for key, text in self.texts.items() if key != "where"})
        if kind == "up" and name in self.questions[1:]:
            names, place = list(self.questions), self.questions.index(name)
            names[place - 1 : place + 1] = names[place], names[place - 1]
            return replace(self, questions=tuple(names))
        if kind not in ("questions", "banners"):
            return self
        names = list(self.questions if kind == "questions" else self.banners)
        chosen = name or dragged
        if name in names:
            names.remove(name)
        elif chosen and chosen not in names:
            names.append(chosen)
        if kind == "questions":
            return replace(self, questions=tuple(names))
        return replace(self, banners=tuple(names))

    def weighted(self, weight: str) -> Self:
        """Return the draft with the weight of this name."""
        return replace(self, texts={**self.texts, "weight": weight})

    def with_condition(self, condition: str) -> Self:
        """Return the draft of the rows that also meet a condition."""
        where = join_conditions(self.value("where"), condition)
        return replace(self, texts={**self.texts, "where": where})

    @property
    def query(self) -> str:
        """The address's fields that state this draft."""
        fields: dict[str, Any] = {
            "questions": self.questions,
            "banners": self.banners,
            "hide": self.hide,
            **self.texts,
            "entry": "" if self.position is None else self.position,
            "find": self.find,
        }
        return urlencode({name: value for name, value in fields.items() if value not in ("", ())}, doseq=True)

    def value(self, name: str) -> str:
        """Return the text of a field; empty for its default."""
        return self.texts.get(name, "")

    def entry(self, basket: Basket) -> TableEntry | None:
        """Return the entry of a basket that the fields state; ``None`` without a question.

        Settings that the page does not show stay as the changed entry has them.

        Args:
            basket: the basket.

        Raises:
            InputError: a value is wrong, or values cannot be combined.
        """
        further = self._further(basket)
        if not self.questions and not further.get("pairs"):
            return None
        lists = {"questions": self.questions, "banners": self.banners, "hide": self.hide}
        return TableEntry(**{**further, **lists, **self.texts})

    def _further(self, basket: Basket) -> dict[str, Any]:
        """Return the settings of the changed entry that the page does not show."""
        if self.position is None:
            return {}
        if self.position >= len(basket.entries):
            raise InputError("these tables are no longer in the basket: load the page again")
        before = basket.entries[self.position]
        entry = before.with_questions(self.questions, before.pairs)
        return {name: getattr(entry, name) for name in before.model_fields_set - _STATED}


def further_settings(entry: TableEntry) -> list[str]:
    """Return phrases on the settings of an entry that are not its questions, groups, rows or weight.

    Args:
        entry: the entry of the basket.

    Examples:
        >>> further_settings(TableEntry(questions=["q1"], level=0.9, hide_small=True, adjust="none"))
        ['adjustment of p none', 'intervals and significance 0.9', 'hide small groups']
    """
    phrases = [f"{first} minus {second}" for first, second in entry.pairs]
    for name in KEYS:
        value, info = getattr(entry, name), TableEntry.model_fields[name]
        if name in (*_SHOWN, "pairs") or value == info.get_default():
            continue
        label = (info.title or name.replace("_", " ")).lower()
        is_label_enough = isinstance(value, bool | Mapping)
        phrases.append(label if is_label_enough else f"{label} {_text(value) or 'none'}")
    return phrases


def _names(fields: Fields, name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, fields.get(name, ()))))


def _default(name: str) -> str:
    return _text(TableEntry.model_fields[name].get_default())


def _text(value: object) -> str:
    """Return the value of a setting as its field has it; empty for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
