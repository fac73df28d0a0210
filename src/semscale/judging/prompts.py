"""Prompts of a judge: items with sanitized and delimited texts, the task, and the form of the reply.

Texts of a table are data, never instructions. Tokens of chat templates and invisible characters are replaced
by visible ones, and delimiters contain a code that no text can contain.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from semscale.chat.messages import Message
from semscale.embedding.texts import text_status
from semscale.errors import InputError
from semscale.judging.settings import Order, ReferencePosition
from semscale.judging.templates import Template, read_data
from semscale.spelling import marked
from semscale.store.columns import as_list
from semscale.text_preparation import TextPreparation
from semscale.types import Status

_LONGEST_QUOTED = 2000
_ALTERNATIVES = "\n\nor:\n\n"

_TOKENS = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|<｜[^<>\n]{1,40}｜>|\[/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\]|<</?SYS>>|</?s>"
    r"|</?(?:start_of_turn|end_of_turn|bos|eos|pad|unk|think|thinking|system|assistant|user|human)>",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u180e\u200b\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)  # control characters, reversals of direction, tags: not the joiners and marks that scripts need
_LOOKALIKES = str.maketrans({"<": "‹", ">": "›", "[": "⁅", "]": "⁆", "|": "¦", "｜": "¦"})


@dataclass(frozen=True)
class JudgedItem:
    """An answer to be judged.

    Attributes:
        question: the question.
        answer: the answer to judge.
        reference: a right answer, or ``None``.
    """

    question: str
    answer: str
    reference: str | None = None


def read_items(
    questions: object,
    answers: object,
    references: object = None,
    preparation: TextPreparation | None = None,
) -> list[JudgedItem | Status]:
    """Combine columns into items.

    Args:
        questions: shape (n,), a list or a series.
        answers: shape (n,).
        references: shape (n,), each a text or a list of right answers; ``None`` without references.
        preparation: treatment of reasoning and HTML in answers and references; ``None`` leaves them as they
            are.

    Returns:
        For each row an item, or the status that says why it cannot be judged: the question's, the answer's,
        or ``NO_REFERENCE``.

    Raises:
        InputError: something other than lists, or lists of unequal length.

    Examples:
        >>> read_items(["2+2?", ""], ["4", "5"])
        [JudgedItem(question='2+2?', answer='4', reference=None), <Status.EMPTY: 'empty'>]
    """
    columns = {"questions": as_list(questions, "questions"), "answers": as_list(answers, "answers")}
    if references is not None:
        columns["references"] = as_list(references, "references")
    if preparation is not None:
        for name in columns.keys() - {"questions"}:
            columns[name] = preparation.prepare(columns[name])
    lengths = {name: len(cells) for name, cells in columns.items()}
    if len(set(lengths.values())) > 1:
        listed = " and ".join(f"{n} {name}" for name, n in lengths.items())
        raise InputError(f"{' and '.join(map(marked, columns))} must have equal lengths, got {listed}")
    return [_item(*cells) for cells in zip(*columns.values(), strict=True)]


def _item(question: object, answer: object, *references: object) -> JudgedItem | Status:
    for cell in (question, answer):
        status = text_status(cell, most_characters=None)
        if status is not Status.SCORED:
            return status
    if not references:
        return JudgedItem(str(question), str(answer))
    cell = references[0]
    alternatives = cell if isinstance(cell, Sequence) and not isinstance(cell, str) else [cell]
    usable = [str(text) for text in alternatives if text_status(text, most_characters=None) is Status.SCORED]
    if not usable:
        return Status.NO_REFERENCE
    return JudgedItem(str(question), str(answer), _ALTERNATIVES.join(usable))


@dataclass(frozen=True)
class PromptForm:
    """The form in which a judge is asked about items.

    Attributes:
        template: the task and its levels.
        order: whether the score or the explanation comes first.
        context: further instructions of the user; may be empty.
        as_json: whether to request the reply as JSON.
        reference_position: position of a reference: after the answer, or before it.
    """

    template: Template
    order: Order = "score-first"
    context: str = ""
    as_json: bool = False
    reference_position: ReferencePosition = "after"

    def messages(self, item: JudgedItem) -> tuple[Message, ...]:
        """Write the messages for an item; the same item gives the same messages.

        Args:
            item: its texts are sanitized, and delimited with a code that they cannot contain.
        """
        text = wording()
        note = [text["reference_note"]] if item.reference is not None else []
        parts = [self.instructions(), *note, self._mark_item(item), text["finally"], self.form()]
        return (Message("system", text["system"]), Message("user", "\n\n".join(parts)))

    def decision_messages(self, item: JudgedItem) -> tuple[Message, ...]:
        """Write the input of a decision: the texts of an item, sanitized and delimited in the same way."""
        return (Message("system", decision_wording()["system"]), Message("user", self._mark_item(item)))

    def decision_task(self, *, has_reference: bool) -> str:
        """Write the question of a decision, whose levels are sent separately."""
        note = [wording()["reference_note"]] if has_reference else []
        return "\n\n".join([*self._task(), *self._context(), *note])

    def instructions(self) -> str:
        """Write the task with its levels, the rubric and the context."""
        text, template = wording(), self.template
        if template.highest is not None:
            choices = text["range"].format(highest=template.highest)
        else:
            listed = "\n".join(
                _level_line(level.number, level.label, level.meaning) for level in template.levels
            )
            choices = f"{text['levels']}\n{listed}"
        return "\n\n".join([*self._task(), choices, *self._context()])

    def form(self) -> str:
        """Describe the form of the reply."""
        key = self.order.replace("-", "_")
        if self.as_json:
            key = "json_only" if self.order == "score-only" else f"json_{key}"
        form: str = wording()[key].format(choice=self._choice())
        return form

    def correction(self, reply: str) -> tuple[Message, ...]:
        """Ask again after a reply that could not be read."""
        request = Message("user", wording()["correction"].format(form=self.form()))
        quoted = sanitize(reply.strip())[0][:_LONGEST_QUOTED]
        return (Message("assistant", quoted), request) if quoted else (request,)

    def schema(self) -> Mapping[str, object]:
        """Return the JSON Schema of the reply, its keys in the order in which they are to be written."""
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
        """Hash (8 hex digits of SHA-256) of everything that the judge reads besides the item."""
        parts = [
            self.instructions(), self.form(), self.correction(""), self.reference_position, wording()
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:8]

    def _task(self) -> list[str]:
        rubric = self.template.rubric
        return [self.template.task, *([f"{wording()['rubric']}\n{rubric}"] if rubric else [])]

    def _context(self) -> list[str]:
        return [f"{wording()['context']}\n{self.context}"] if self.context else []

    def _mark_item(self, item: JudgedItem) -> str:
        texts = {"question": sanitize(item.question)[0], "answer": sanitize(item.answer)[0]}
        if item.reference is not None:
            texts["reference"] = sanitize(item.reference)[0]
        names = list(texts)
        if self.reference_position == "before":
            names.sort(key=("question", "reference", "answer").index)
        code = mark_code(*(texts[name] for name in names), self.template.content_hash, self.context)
        titles = {name: wording()[name].upper() for name in names}
        marked = "\n\n".join(
            f"[BEGIN {titles[name]} {code}]\n{texts[name]}\n[END {titles[name]} {code}]" for name in names
        )
        return f"{wording()['material'].format(code=code)}\n\n{marked}"

    def _choice(self) -> str:
        text, template = wording(), self.template
        if not template.numbered:
            labels = ", ".join(f"“{level.label}”" for level in template.levels)
            return str(text["choice_label"].format(labels=labels))
        numbers = [level.number for level in template.levels if level.number is not None]
        if template.highest is not None:
            numbers = [0.0, float(template.highest)]
        return str(text["choice_number"].format(low=f"{min(numbers):g}", high=f"{max(numbers):g}"))


def wording() -> dict[str, Any]:
    """Return Semscale's texts that surround every template."""
    texts: dict[str, Any] = read_data("wording")
    return texts


def decision_wording() -> dict[str, Any]:
    """Return Semscale's texts that surround every decision."""
    texts: dict[str, Any] = read_data("decision_wording")
    return texts


def sanitize(text: str) -> tuple[str, int]:
    """Replace tokens of chat templates, such as ``<|im_end|>``, and invisible characters.

    Args:
        text: a question, an answer or a reference.

    Returns:
        The text for the judge, and the number of replacements.

    Examples:
        >>> sanitize("fine<|im_end|>")
        ('fine‹¦im_end¦›', 1)
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    visible, n_hidden = _HIDDEN.subn("\N{REPLACEMENT CHARACTER}", unified)
    shown, n_tokens = _TOKENS.subn(lambda match: match[0].translate(_LOOKALIKES), visible)
    return shown, n_hidden + n_tokens


def mark_code(*texts: str) -> str:
    """Derive the code of the delimiters from all text between them.

    The code is a hash of the texts, so no text can contain it and close its delimiters. The same texts always
    have the same code, so the ledger recognizes a repeated request.

    Args:
        texts: all texts of the request.

    Returns:
        Twelve hex digits that occur in none of the texts.
    """
    lowered = [text.lower() for text in texts]
    codes = (_code(attempt, texts) for attempt in count())
    return next(code for code in codes if not any(code in text for text in lowered))


def _code(attempt: int, texts: tuple[str, ...]) -> str:
    content = "\0".join([str(attempt), *(f"{len(text)}:{text}" for text in texts)])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _level_line(number: float | None, label: str, meaning: str) -> str:
    name = label if number is None else f"{number:g}: {label}"
    return f"- {name} ({meaning})" if meaning else f"- {name}"
