"""The form that writes a study: its models, personas, concepts and questions."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Self

from fastapi import Depends
from pydantic import BaseModel

from semscale.errors import InputError, SemscaleError
from semscale.workbench.forms import reader_of
from semscale.workbench.study_files import StoredStudy

if TYPE_CHECKING:
    from semscale.study.questionnaire import StudyDesign, TypeName

TYPE_TITLES: "dict[TypeName, str]" = {
    "scale": "a scale",
    "choice": "one of several options",
    "choices": "any of several options",
    "number": "a number from a list",
    "ranking": "a ranking of options",
}
"""Kinds of questions in words."""

METHOD_TITLES = {
    "ssr": "a free answer, rated by its meaning",
    "flr": "a free answer, which it then places on the scale",
    "dlr": "a point of the scale",
    "decision": "a probability for each point",
}
"""Methods in words."""

METHOD_USES = {
    "ssr": "Choose this first: personas write as people do, and you can read why.",
    "flr": "Shows whether the model rates its answers as Semscale does. Takes twice the calls.",
    "dlr": "The cheapest: one short call. There is no text to read.",
    "decision": "Shows how sure the model is. Few models state probabilities, and there is no text to read.",
}
"""What methods are chosen for, in a sentence or two."""

METHOD_CODES = {"ssr": "SSR", "flr": "FLR", "dlr": "DLR", "decision": "typed decision"}
"""Names of the methods in reports and papers."""

_MOST_DIGITS = 9
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)

_TOP = ("name", "persona", "samples", "exposure", "rotation", "seed", "embedder")
_MODEL = ("name", "base_url", "key_variable", "temperature", "max_tokens")
_CAPS = ("max_cost", "max_calls", "max_total_tokens", "concurrency", "per_minute")
_TEXTS = frozenset({"name", "persona", "text", "scale", "base_url", "key_variable", "embedder", "file", "id"})


class StudyForm(BaseModel):
    """Fields of the form.

    Attributes:
        file: name of the file.
        version: hash of the file.
        name: name of the study.
        persona: what the model is told to be.
        samples: times that every persona is asked.
        exposure: whether earlier answers are in view.
        rotation: rule for the orders.
        seed: seed of the draw.
        embedder: model that rates free text.
        groups: attributes by which results are shown.
        model_origin: positions of the models in the file; empty for a new one.
        model_name: their names.
        base_url: their endpoints.
        key_variable: environment variables with the keys of the endpoints.
        temperature: their temperatures.
        max_tokens: their limits of a reply.
        panel: ``drawn`` or ``table``.
        size: number of drawn personas.
        table: file with personas.
        id: column with their names.
        attribute: names of the attributes with stated shares.
        levels: their levels with shares, one per line.
        concept_origin: positions of the concepts in the file; empty for a new one.
        concept_name: their names.
        concept_text: their descriptions.
        concept_images: their pictures, one per line.
        question_origin: positions of the questions in the file; empty for a new one.
        question_name: their names.
        question_text: their wordings.
        question_type: their types.
        question_scale: their scales.
        question_options: their options, one per line.
        methods: chosen methods, as ``POSITION:METHOD``.
        max_cost: greatest cost.
        max_calls: greatest number of calls.
        max_total_tokens: greatest number of tokens.
        concurrency: greatest number of simultaneous calls.
        per_minute: greatest number of calls per minute.
        shown: position of the persona whose interview is shown.
        then: ``run`` to go on to the page that asks the panel.
        change: ``add:concept`` adds an empty concept, ``remove:concept:2`` removes the third.
    """

    file: str = ""
    version: str = ""
    name: str = ""
    persona: str = ""
    samples: str = ""
    exposure: str = ""
    rotation: str = ""
    seed: str = ""
    embedder: str = ""
    groups: list[str] = []
    model_origin: list[str] = []
    model_name: list[str] = []
    base_url: list[str] = []
    key_variable: list[str] = []
    temperature: list[str] = []
    max_tokens: list[str] = []
    panel: str = "drawn"
    size: str = ""
    table: str = ""
    id: str = ""
    attribute: list[str] = []
    levels: list[str] = []
    concept_origin: list[str] = []
    concept_name: list[str] = []
    concept_text: list[str] = []
    concept_images: list[str] = []
    question_origin: list[str] = []
    question_name: list[str] = []
    question_text: list[str] = []
    question_type: list[str] = []
    question_scale: list[str] = []
    question_options: list[str] = []
    methods: list[str] = []
    max_cost: str = ""
    max_calls: str = ""
    max_total_tokens: str = ""
    concurrency: str = ""
    per_minute: str = ""
    shown: str = "0"
    then: str = ""
    change: str = ""

    @classmethod
    def of_keys(cls, file: str, version: str, keys: Mapping[str, Any]) -> Self:
        """Return the form that shows the keys of a study.

        Args:
            file: name of the file.
            version: hash of the file.
            keys: its keys, which are valid.
        """
        panel, models = keys["panel"], _models(keys)
        concepts, questions = keys["concepts"], keys["questions"]
        fields: dict[str, Any] = {name: _shown(name, keys) for name in _TOP}
        fields |= {name: _shown(name, keys.get("budget") or {}) for name in _CAPS}
        fields |= {name: [_shown(name, model) for model in models] for name in _MODEL[1:]}
        fields |= {f"concept_{name}": [_shown(name, entry) for entry in concepts] for name in _CONCEPT}
        fields |= {f"question_{name}": [_shown(name, entry) for entry in questions] for name in _QUESTION}
        margins = panel.get("marginals") or {}
        return cls(
            file=file,
            version=version,
            groups=list(map(str, keys.get("groups") or [])),
            model_name=[_shown("name", model) for model in models],
            model_origin=_positions(models),
            concept_origin=_positions(concepts),
            question_origin=_positions(questions),
            panel="table" if panel.get("file") is not None else "drawn",
            size=_shown("size", panel),
            table=_shown("file", panel),
            id=_shown("id", panel),
            attribute=list(map(str, margins)),
            levels=[_level_lines(levels) for levels in margins.values()],
            methods=[
                f"{position}:{method}"
                for position, question in enumerate(questions)
                for method in question.get("methods") or []
            ],
            **fields,
        )

    @property
    def persona_shown(self) -> int:
        """Position of the persona whose interview is shown, from 0."""
        return int(self.shown) if self.shown.isdecimal() and len(self.shown) < _MOST_DIGITS else 0

    def compares_methods(self, position: int) -> bool:
        """Return whether a question has other methods than the usual one.

        Args:
            position: position of the question, from 0.
        """
        usual = f"{position}:ssr"
        return any(method.startswith(f"{position}:") and method != usual for method in self.methods)

    def with_change(self) -> Self:
        """Return the form with an entry added or removed, as a button asks for."""
        verb, _, rest = self.change.partition(":")
        kind, _, position = rest.partition(":")
        if kind not in _ENTRIES:
            return self.model_copy(update={"change": ""})
        names = _ENTRIES[kind]
        columns = {name: list(getattr(self, name)) for name in names}
        n = len(columns[names[0]])
        methods = list(self.methods)
        if verb == "add":
            for name in names:
                default = _defaults().get(name.removeprefix(f"{kind}_"), "")
                columns[name].append(_FIRST.get(name) or str(default))
            methods += [f"{n}:ssr"] if kind == "question" else []
        elif verb == "remove" and position.isdecimal() and int(position) < n:
            removed = int(position)
            for name in names:
                del columns[name][removed : removed + 1]
            if kind == "question":
                methods = list(_without(methods, removed))
        return self.model_copy(update={**columns, "methods": methods, "change": ""})

    def apply(self, stored: StoredStudy) -> bytes:
        """Return the content of the file that the form states, which need not be valid.

        Raises:
            InputError: the file cannot be changed without losing something.
        """
        from semscale.study.study_file import study_text

        return study_text(self._keys(stored.keys), stored.content, source=stored.path.name).encode()

    def _keys(self, stated: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keys of the study; those whose fields are as they were shown stay as they are."""
        keys = dict(stated)
        for name in _TOP:
            _put(keys, name, getattr(self, name))
        caps = dict(stated.get("budget") or {})
        for name in _CAPS:
            _put(caps, name, getattr(self, name))
        if caps or "budget" in stated:
            keys["budget"] = caps
        groups = [name for name in self.groups if name]
        if groups != [str(name) for name in stated.get("groups") or []]:
            keys["groups"] = groups
        keys["model"] = self._models(stated)
        keys["panel"] = self._panel(stated["panel"])
        keys["concepts"] = list(self._entries("concept", _CONCEPT, stated["concepts"]))
        keys["questions"] = self._questions(stated["questions"])
        return keys

    def _models(self, stated: Mapping[str, Any]) -> Any:
        """Return the models in the form of the file: a name, the settings of one, or a list."""
        before, models = _models(stated), []
        for position, origin in enumerate(self.model_origin):
            model = _origin(before, origin)
            for name in _MODEL:
                texts = self.model_name if name == "name" else getattr(self, name)
                _put(model, name, _cell(texts, position))
            models.append(model)
        if models == before:
            return stated["model"]
        return models[0] if len(models) == 1 and not isinstance(stated["model"], list) else models

    def _panel(self, stated: Mapping[str, Any]) -> dict[str, Any]:
        panel = dict(stated)
        left_out = ("size", "joint") if self.panel == "table" else ("file", "id")
        for name in left_out:
            panel.pop(name, None)
        if self.panel == "table":
            _put(panel, "file", self.table)
            _put(panel, "id", self.id)
        else:
            _put(panel, "size", self.size)
        before = {str(name): levels for name, levels in (stated.get("marginals") or {}).items()}
        margins = {}
        for position, attribute in enumerate(self.attribute):
            name, lines = attribute.strip(), _plain(_cell(self.levels, position))
            if not name and not lines:
                continue
            known = before.get(name)
            is_same = known is not None and _level_lines(known) == lines
            margins[name] = known if is_same else _levels(lines)
        if margins != before:
            panel["marginals"] = margins
        if not margins:
            panel.pop("marginals", None)
        return panel

    def _entries(self, kind: str, names: Sequence[str], stated: Sequence[Any]) -> Iterator[dict[str, Any]]:
        """Yield the entries of a list, each with the keys that the form does not show."""
        for position, origin in enumerate(getattr(self, f"{kind}_origin")):
            entry = _origin(stated, origin)
            for name in names:
                _put(entry, name, _cell(getattr(self, f"{kind}_{name}"), position))
            yield entry

    def _questions(self, stated: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the questions; keys that do not belong to a question's type are left out."""
        questions = []
        for position, question in enumerate(self._entries("question", _QUESTION, stated)):
            if question.get("type", "scale") == "scale":
                methods = [name for name in METHOD_TITLES if f"{position}:{name}" in self.methods]
                if set(methods) != set(question.get("methods") or []):
                    question["methods"] = methods
                question.pop("options", None)
            else:
                question.pop("methods", None)
                question.pop("scale", None)
            if question.get("type") == "number" and "options" in question:
                question["options"] = [
                    _number(option) if isinstance(option, str) else option for option in question["options"]
                ]
            questions.append(question)
        return questions


StudyFields = Annotated[StudyForm, Depends(reader_of(StudyForm))]
"""The fields that a request sends."""

_CONCEPT = ("name", "text", "images")
_QUESTION = ("name", "text", "type", "scale", "options")
_ENTRIES = {
    "model": ("model_origin", "model_name", *_MODEL[1:]),
    "attribute": ("attribute", "levels"),
    "concept": ("concept_origin", *(f"concept_{name}" for name in _CONCEPT)),
    "question": ("question_origin", *(f"question_{name}" for name in _QUESTION)),
}
_FIRST = {"question_scale": "purchase-intent"}


def _models(keys: Mapping[str, Any]) -> list[dict[str, Any]]:
    stated = keys["model"]
    models = stated if isinstance(stated, list) else [stated]
    return [{"name": model} if isinstance(model, str) else dict(model) for model in models]


def _positions(entries: Sequence[Any]) -> list[str]:
    return [str(position) for position in range(len(entries))]


def _origin(entries: Sequence[Any], position: str) -> dict[str, Any]:
    """Return a copy of the entry that the form shows; an empty one if it is new."""
    known = position.isdecimal() and len(position) < _MOST_DIGITS and int(position) < len(entries)
    return dict(entries[int(position)]) if known else {}


def _cell(texts: Sequence[str], position: int) -> str:
    """Return a field of an entry.

    Raises:
        InputError: the form lacks it.
    """
    if position >= len(texts):
        raise InputError("the fields of the form are incomplete: load the page again")
    return texts[position]


def _put(entry: dict[str, Any], name: str, text: str) -> None:
    """Set a key as a field states it; a field that is as it was shown changes nothing."""
    text = _plain(text)
    if text == _shown(name, entry):
        return
    value = _READ.get(name, _number if name not in _TEXTS else str)(text)
    if value in ("", []):
        entry.pop(name, None)
    else:
        entry[name] = value


def _shown(name: str, entry: Mapping[str, Any]) -> str:
    """Return a value as its field shows it; an absent one as its default."""
    value = entry.get(name)
    if value is None:
        value = _defaults().get(name, "")
    if isinstance(value, list):
        return "\n".join(map(_text, value))
    return _plain(_text(value))


@cache
def _defaults() -> Mapping[str, object]:
    """Return the values of keys that a file lacks, by name."""
    from semscale.study.questionnaire import Caps, ModelChoice, QuestionKeys, StudyKeys

    kinds = (StudyKeys, ModelChoice, Caps, QuestionKeys)
    fields = [field for kind in kinds for field in kind.model_fields.items()]
    return {name: info.default for name, info in fields if isinstance(info.default, str | int)}


def _text(value: object) -> str:
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _number(text: str) -> object:
    """Return a text as a number; one that is none stays, so that the study's check refuses it by its line."""
    try:
        return int(text) if _WHOLE.fullmatch(text) else float(text)
    except ValueError:
        return text


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


_READ: dict[str, Callable[[str], Any]] = {
    "images": _lines,
    "options": _lines,
    "exposure": str,
    "rotation": str,
    "type": str,
}


def _level_lines(levels: Mapping[Any, Any]) -> str:
    return "\n".join(f"{level}: {_text(share)}" for level, share in levels.items())


def _levels(lines: str) -> dict[str, Any]:
    r"""Read the levels of an attribute with their shares, one per line.

    Examples:
        >>> _levels("18 to 34: 30 %\n35: older: 0.7")
        {'18 to 34': 30, '35: older': 0.7}
    """
    levels: dict[str, Any] = {}
    for line in _lines(lines):
        level, _, share = line.rpartition(":")
        if not level:
            level, share = line, ""
        levels[level.strip()] = _number(share.strip().removesuffix("%").strip())
    return levels


def _without(methods: Sequence[str], removed: int) -> Iterator[str]:
    """Yield the chosen methods after a question was removed."""
    for choice in methods:
        position, _, method = choice.partition(":")
        number = int(position) if position.isdecimal() else removed
        if number != removed:
            yield f"{number - (number > removed)}:{method}"


def problem_in(stored: StoredStudy, form: StudyForm) -> "tuple[bytes, StudyDesign | None, str]":
    """Return the file that a form states, its design, and the mistake if it is not valid.

    Args:
        stored: the study.
        form: the fields.
    """
    try:
        content = form.apply(stored)
    except InputError as error:
        return stored.content, None, str(error)
    try:
        return content, stored.design(content), ""
    except SemscaleError as error:
        return content, None, str(error)
