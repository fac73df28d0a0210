"""Builds the prompt of a judge: the task, its levels, the delimited texts, and the form of the reply."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from semscale.chat.messages import Message
from semscale.judging.prompts.input_sanitizing import mark_code, sanitize
from semscale.judging.prompts.template import Template, read_yaml

Order = Literal["score-first", "explanation-first", "score-only"]
"""Order of the reply. An explanation before the score narrows the spread of scores (arXiv 2503.03064)."""

ORDERS: tuple[Order, ...] = ("score-first", "explanation-first", "score-only")
ReferencePlace = Literal["after", "before"]
_LONGEST_QUOTED = 2000


@dataclass(frozen=True)
class JudgedItem:
    """One answer to be judged.

    Attributes:
        question: what was asked.
        answer: what is judged.
        reference: an answer that is known to be right, or ``None``.
    """

    question: str
    answer: str
    reference: str | None = None


@dataclass(frozen=True)
class PromptForm:
    """The form in which a judge is asked about items.

    Attributes:
        template: the task and its levels.
        order: whether the score or the explanation comes first.
        context: further words of the user's, empty for none.
        as_json: whether the reply is asked for as JSON.
        reference_place: whether a reference stands after the answer or before it.
    """

    template: Template
    order: Order = "score-first"
    context: str = ""
    as_json: bool = False
    reference_place: ReferencePlace = "after"

    def messages(self, item: JudgedItem) -> tuple[Message, ...]:
        """Write the messages for one item; the same item gives the same messages.

        Args:
            item: its texts are sanitized, and delimited with a code that they cannot contain.
        """
        words = wording()
        note = [words["reference_note"]] if item.reference is not None else []
        asked = [self.instructions(), *note, self._marked(item), words["finally"], self.form()]
        return (Message("system", words["system"]), Message("user", "\n\n".join(asked)))

    def decision_messages(self, item: JudgedItem) -> tuple[Message, ...]:
        """Write what a decision is about: the texts of one item, sanitized and delimited alike."""
        return (Message("system", decision_wording()["system"]), Message("user", self._marked(item)))

    def decision_task(self, *, has_reference: bool) -> str:
        """Write the question of a decision, whose levels are sent beside it."""
        note = [wording()["reference_note"]] if has_reference else []
        context = [f"{wording()['context']}\n{self.context}"] if self.context else []
        return "\n\n".join([*self._task(), *context, *note])

    def instructions(self) -> str:
        """The task with its levels, the rubric and the context."""
        words, template = wording(), self.template
        parts = self._task()
        if template.highest is not None:
            parts.append(words["range"].format(highest=template.highest))
        else:
            listed = "\n".join(_listed(level.number, level.label, level.meaning) for level in template.levels)
            parts.append(f"{words['levels']}\n{listed}")
        if self.context:
            parts.append(f"{words['context']}\n{self.context}")
        return "\n\n".join(parts)

    def form(self) -> str:
        """The form of the reply."""
        name = self.order.replace("-", "_")
        if not self.as_json:
            text: str = wording()[name].format(choice=self._choice())
            return text
        key = "json_only" if self.order == "score-only" else f"json_{name}"
        asked: str = wording()[key].format(choice=self._choice())
        return asked

    def correction(self, reply: str) -> tuple[Message, ...]:
        """Ask again after a reply that could not be read."""
        asked = Message("user", wording()["correction"].format(form=self.form()))
        said = sanitize(reply.strip())[0][:_LONGEST_QUOTED]
        return (Message("assistant", said), asked) if said else (asked,)

    def schema(self) -> Mapping[str, object]:
        """JSON Schema of the reply, its keys in the order in which they are to be written."""
        score: dict[str, object]
        template = self.template
        if template.highest is not None:
            score = {"type": "integer", "minimum": 0, "maximum": template.highest}
        elif all(level.number is not None and level.number.is_integer() for level in template.levels):
            score = {"type": "integer", "enum": [int(level.number or 0) for level in template.levels]}
        elif template.numbered:
            score = {"type": "number", "enum": [level.number for level in template.levels]}
        else:
            score = {"type": "string", "enum": [level.label for level in template.levels]}
        explanation: dict[str, object] = {"explanation": {"type": "string"}}
        orders: dict[str, dict[str, object]] = {
            "score-only": {"score": score},
            "score-first": {"score": score, **explanation},
            "explanation-first": {**explanation, "score": score},
        }
        fields = orders[self.order]
        return {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        }

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 over every word that is not the item's."""
        shown = [self.instructions(), self.form(), self.correction(""), self.reference_place, wording()]
        return hashlib.sha256(json.dumps(shown, sort_keys=True, default=str).encode()).hexdigest()[:8]

    def _task(self) -> list[str]:
        rubric = self.template.rubric
        return [self.template.task, *([f"{wording()['rubric']}\n{rubric}"] if rubric else [])]

    def _marked(self, item: JudgedItem) -> str:
        words, parts = wording(), self._material(item)
        code = mark_code(*(text for _, text in parts), self.template.content_hash, self.context)
        marked = "\n\n".join(
            f"[BEGIN {words[name].upper()} {code}]\n{text}\n[END {words[name].upper()} {code}]"
            for name, text in parts
        )
        return f"{words['material'].format(code=code)}\n\n{marked}"

    def _material(self, item: JudgedItem) -> list[tuple[str, str]]:
        parts = [("question", sanitize(item.question)[0]), ("answer", sanitize(item.answer)[0])]
        if item.reference is not None:
            place = 2 if self.reference_place == "after" else 1
            parts.insert(place, ("reference", sanitize(item.reference)[0]))
        return parts

    def _choice(self) -> str:
        words, template = wording(), self.template
        numbers = [level.number for level in template.levels if level.number is not None]
        if template.highest is not None:
            numbers = [0.0, float(template.highest)]
        if template.numbered:
            chosen: str = words["choice_number"].format(low=f"{min(numbers):g}", high=f"{max(numbers):g}")
            return chosen
        labels = ", ".join(f"“{level.label}”" for level in template.levels)
        named: str = words["choice_label"].format(labels=labels)
        return named


@cache
def wording() -> dict[str, Any]:
    """The words around every template, as they ship with Semscale."""
    return read_yaml("wording")


@cache
def decision_wording() -> dict[str, Any]:
    """The words around every decision, as they ship with Semscale."""
    return read_yaml("decision_wording")


def _listed(number: float | None, label: str, meaning: str) -> str:
    named = label if number is None else f"{number:g}: {label}"
    return f"- {named} ({meaning})" if meaning else f"- {named}"
