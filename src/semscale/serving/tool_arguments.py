"""Arguments of an agent's tools: their names, compact schemas with examples, and the mistakes of a call."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field, ValidationError, create_model

from semscale.errors import InputError, MistakesError, SemscaleError
from semscale.messages import all_mistakes
from semscale.serving.requests import Kind, RequestFields, ServiceLimits, check_field
from semscale.spelling import Spelling, in_request, plain_name, spelled

_MOST_MISTAKES = 20

_NULL = {"type": "null"}

EXAMPLES: Mapping[str, Any] = {
    "answers": ["Lisbon"],
    "by": "country",
    "codes": [{"name": "price", "definition": "Too expensive.", "examples": ["It costs too much."]}],
    "context": "The readers are children.",
    "floor": "auto",
    "guards": {"number": "weigh"},
    "header_row": 3,
    "item": "question_id",
    "language": "de",
    "measures": ["consistency"],
    "method": "cosine",
    "empty": "wrong",
    "missing": ["-99"],
    "out": "rated.csv",
    "predictions": ["It takes 4 days."],
    "questions": ["What is the capital of Portugal?"],
    "references": ["It takes 5 days."],
    "replies": 5,
    "respondent": "household",
    "rows": False,
    "rubric": "Is the answer polite?",
    "sentiment": "satisfaction",
    "samples": [["Lisbon", "Porto"]],
    "scale": "quality",
    "sheet": "2024",
    "show_anyway": True,
    "table": "answers.csv",
    "template": "likert",
    "temperature": 0.8,
    "texts": ["I would buy it.", None],
    "weight": "weight",
}
"""An example of each argument that schemas list; the same name means the same in all tools."""

COLUMN_EXAMPLES: Mapping[str, Any] = {
    "answers": "answer",
    "predictions": "output",
    "references": ["expected"],
    "samples": ["sample_1", "sample_2"],
    "texts": "comment",
}
"""Examples of arguments that name columns of a table."""


def with_names(
    kind: type[Kind], names: Mapping[str, str], descriptions: Mapping[str, str] | None = None
) -> type[Kind]:
    """Rename arguments, so that a name means one thing in all tools.

    Args:
        kind: class that declares the arguments.
        names: new names by the names of fields, which code uses.
        descriptions: new descriptions by the new names.
    """
    descriptions = descriptions or {}
    fields: dict[str, Any] = {}
    for name, argument in names.items():
        info = kind.model_fields[name]
        declared = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
        default = ... if info.is_required() else info.default
        description = descriptions.get(argument, info.description)
        fields[name] = (declared, Field(default, alias=argument, description=description))
    return create_model(kind.__name__, __base__=kind, **fields)


def argument_names(kind: type[RequestFields]) -> dict[str, str]:
    """Return the arguments of a call by the names of their fields."""
    return {name: info.alias or name for name, info in kind.model_fields.items()}


def in_arguments(kind: type[RequestFields]) -> Spelling:
    """Return how a tool names settings in messages: by its arguments.

    Examples:
        >>> class Fields(RequestFields):
        ...     samples: int = Field(1, alias="replies")
        >>> spelled("`samples` must be 1; leave out `header=1`", in_arguments(Fields))
        'replies must be 1; leave out header=1'
    """
    names = argument_names(kind)

    def spell(name: str, value: str | None) -> str:
        field, bracket, further = plain_name(name).partition("[")
        return in_request(names.get(field, field) + bracket + further, value)

    return spell


class ToolCall:
    """Arguments of a call, checked in steps that collect all mistakes.

    Args:
        kind: class that declares the arguments.
        arguments: the arguments of the call.

    Attributes:
        fields: the arguments; the default stands for a wrong one, which has no attribute if it has no
            default.
    """

    def __init__(self, kind: type[RequestFields], arguments: Mapping[str, Any]) -> None:
        self._mistakes: list[str] = []
        self._wrong: set[str] = set()
        self.fields: Any
        try:
            self.fields = kind.model_validate(arguments)
        except ValidationError as error:
            known = set(argument_names(kind).values())
            self._mistakes += all_mistakes(error, known)
            self._wrong = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]}
            self.fields = kind.model_construct()
            for name, argument in argument_names(kind).items():
                if argument in arguments and argument not in self._wrong:
                    kind.__pydantic_validator__.validate_assignment(self.fields, name, arguments[argument])

    def check(self, work: Callable[[Any], object], *names: str) -> Any:
        """Return the result of a step, or collect its error and return ``None``.

        Args:
            work: called with the fields.
            names: arguments that the step needs; if one is wrong, the step is left out.
        """
        if not self._wrong.intersection(names):
            with self._collect_mistakes():
                return work(self.fields)
        return None

    @contextmanager
    def _collect_mistakes(self) -> Iterator[None]:
        try:
            yield
        except SemscaleError as error:
            spelling = in_arguments(type(self.fields))
            mistakes = error.mistakes if isinstance(error, MistakesError) else (str(error.args[0]),)
            self._mistakes += [spelled(mistake, spelling) for mistake in mistakes]

    def check_limits(self, limits: ServiceLimits, remedy: str = "") -> None:
        """Check the number of texts in each argument, and their lengths.

        Args:
            limits: limits of a call.
            remedy: remedy for too many texts in a column, for the message.
        """
        columns = type(self.fields).columns()
        for field, argument in argument_names(type(self.fields)).items():
            value = getattr(self.fields, field, None)
            if value is not None and argument not in self._wrong:
                with self._collect_mistakes():
                    check_field(argument, value, limits, is_column=field in columns, remedy=remedy)

    def raise_mistakes(self) -> None:
        """Raise one error for all mistakes so far.

        Raises:
            InputError: there are mistakes.
        """
        stated = list(dict.fromkeys(self._mistakes))
        if len(stated) == 1:
            raise InputError(stated[0])
        if stated:
            listed = "; ".join(f"({n}) {mistake}" for n, mistake in enumerate(stated[:_MOST_MISTAKES], 1))
            raise InputError(f"{len(stated)} mistakes: {listed}")


def arguments_schema(
    kind: type[RequestFields], examples: Mapping[str, Any], unlisted: Collection[str] = ()
) -> dict[str, Any]:
    """Return the JSON schema of arguments in few characters, with an example in each description.

    Args:
        kind: class that declares the arguments.
        examples: examples by argument.
        unlisted: arguments that are accepted, but that the schema leaves out.
    """
    schema = _compact(kind.model_json_schema())
    properties = {
        name: _with_example(argument, examples[name])
        for name, argument in schema["properties"].items()
        if name not in unlisted
    }
    schema.pop("description", None)
    if unlisted:
        del schema["additionalProperties"]
    return {**schema, "properties": properties}


def _with_example(argument: Mapping[str, Any], example: object) -> dict[str, Any]:
    shown = [example] if argument.get("type") == "array" and not isinstance(example, list) else example
    description = f"{argument['description']} Example: {json.dumps(shown, ensure_ascii=False)}"
    return {**argument, "description": description}


def _compact(schema: Any) -> Any:
    """Leave out titles, empty defaults, and ``null`` where an argument may be left out instead."""
    if isinstance(schema, list):
        return [_compact(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {
        key: part
        for key, part in schema.items()
        if (key, part) not in (("default", []), ("default", None), ("additionalProperties", True))
        and not (key == "title" and isinstance(part, str))
    }
    options = parts.pop("anyOf", None)
    if options is not None:
        if "default" in schema and schema["default"] is None:
            options = [option for option in options if option != _NULL]
        simple = [option["type"] for option in options if option.keys() == {"type"}]
        joint = {"type": simple[0] if len(simple) == 1 else simple}
        parts = {**(joint if len(simple) == len(options) else {"anyOf": options}), **parts}
        if len(options) == 1:
            parts = {**options[0], **{key: part for key, part in parts.items() if key != "anyOf"}}
    return {
        key: {name: _compact(inner) for name, inner in part.items()}
        if key in {"properties", "$defs"}
        else _compact(part)
        for key, part in parts.items()
    }
