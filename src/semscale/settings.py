"""Settings classes: each setting is declared once, and its options, request fields and docs derive from it.

A setting is a field of a frozen pydantic class: type, bounds and default as usual in pydantic, one sentence
of help in ``Field(description=...)``, a label for forms in ``Field(title=...)`` if the name in words is no
plain one, and an ``Option`` if a command has it. Derived from the class are

- the options of the command (``semscale.cli.options``), and the page docs/settings.md,
- the fields of the HTTP request with their bounds in OpenAPI (``request_model``),
- the fields of the workbench's forms (``semscale.workbench.forms``),
- the fields of the signature (``Settings.signature_fields``).

Examples:
    >>> class RoundingSettings(Settings):
    ...     digits: Annotated[int, Field(ge=0, description="Digits after the point."), Option("Output")] = 2
    >>> RoundingSettings(digits=-1)
    Traceback (most recent call last):
    semscale.errors.InputError: digits must be >= 0, got -1
    >>> RoundingSettings(digit=1)
    Traceback (most recent call last):
    TypeError: Rounding has no setting 'digit': did you mean 'digits'? (known: digits)
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Annotated, Any, Self, TypeVar, cast, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticKnownError

from semscale.errors import InputError
from semscale.messages import describe_mistake, shorten, unknown_setting
from semscale.spelling import marked

F = TypeVar("F", bound=Callable[..., Any])
M = TypeVar("M", bound=BaseModel)


COLUMNS, INPUT, RUN = "Columns", "Input", "Run"
"""Panels of the help with settings of several packages."""


@dataclass(frozen=True)
class Option:
    """Command-line option of a setting; a setting without one cannot be set on the command line.

    Attributes:
        panel: title of the option's panel in the help.
        metavar: placeholder of the value, such as ``NUMBER``.
        name: name of the option, such as ``--guard``, if it differs from the setting's name.
        type: type of the option, if it differs from the setting's type; a validator converts the value.
        shown: whether the help shows the default.
        rare: whether the option is left out of ``--help`` and shown by ``--help-all`` only.
        positional: whether the command takes the value without the option's name, as for files.
        configurable: whether the project's configuration file can set it for all commands.
    """

    panel: str
    metavar: str | None = None
    name: str | None = None
    type: Any = None
    shown: bool = True
    rare: bool = False
    positional: bool = False
    configurable: bool = False


@dataclass(frozen=True)
class Signed:
    """Marks a setting that the signature records.

    Attributes:
        name: name of the field in the signature, if it differs from the setting's name.
        unless_default: whether the default is left out.
    """

    name: str | None = None
    unless_default: bool = False


class NumbersModel(BaseModel):
    """Base of models that refuse a boolean for a number, which pydantic would read as 0 or 1.

    YAML has booleans that do not look like ones, such as ``yes``.
    """

    @field_validator("*", mode="before")
    @classmethod
    def refuse_boolean(cls, value: object, info: ValidationInfo) -> object:
        """Refuse a boolean for a number, or in a list or mapping of numbers.

        Raises:
            InputError: a list or mapping contains one.
        """
        name = str(info.field_name)
        field = cls.model_fields[name]
        kinds = list(annotation_parts(field.annotation))
        is_number = (int in kinds or float in kinds) and not {bool, object, Any}.intersection(kinds)
        if not is_number or any(isinstance(kind, type) and issubclass(kind, BaseModel) for kind in kinds):
            return value
        if isinstance(value, bool):
            raise PydanticKnownError("float_type")
        # A validator of entries may give a boolean a meaning, such as "off", which YAML reads as false.
        has_own = any(isinstance(note, BeforeValidator) for note in (*kinds, *field.metadata))
        if isinstance(value, Mapping | list | tuple) and not has_own:
            entries: Iterable[object] = value.values() if isinstance(value, Mapping) else value
            wrong = next((entry for entry in entries if isinstance(entry, bool)), None)
            if wrong is not None:
                raise InputError(name, f"must be a number, got {wrong}")
        return value


class Settings(NumbersModel):
    """Base of all settings classes.

    Raises:
        InputError: a value has another type or is out of bounds; the message has setting, value and remedy.
        TypeError: a setting is unknown; the message suggests the nearest one.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, protected_namespaces=()
    )

    if not TYPE_CHECKING:  # pydantic's plugin derives the typed signature from the fields

        def __init__(self, **values: object) -> None:
            unknown = next((name for name in values if name not in type(self).model_fields), None)
            if unknown is not None:
                owner = type(self).__name__.removesuffix("Settings")
                raise unknown_setting(owner, unknown, type(self).model_fields)
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise _input_error(error, type(self)) from None

    def signature_fields(self) -> dict[str, object]:
        """Return the settings that the signature records, by their names in the signature."""
        recorded = {}
        for name, info in type(self).model_fields.items():
            for note in info.metadata:
                value = getattr(self, name)
                if isinstance(note, Signed) and not (note.unless_default and value == info.get_default()):
                    recorded[note.name or name] = value
        return recorded

    def with_values(self, **values: object) -> Self:
        """Return a copy with other values of some settings, checked as in the constructor."""
        return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | values)


def takes(kind: type[Settings]) -> Callable[[F], F]:
    """Give a function the typed signature of the settings class to which it passes ``**settings``.

    ``help()``, notebooks and documentation tools then list every setting with its type and default, and a
    call with an unknown setting raises ``TypeError`` with the nearest one.
    """

    def decorate(function: F) -> F:
        declared = signature(function)
        named = [
            parameter
            for parameter in declared.parameters.values()
            if parameter.kind is not Parameter.VAR_KEYWORD
        ]
        settings = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=_default(info), annotation=info.annotation)
            for name, info in kind.model_fields.items()
            if name not in declared.parameters
        ]
        shown = declared.replace(parameters=[*named, *settings])
        owner = function.__qualname__.removesuffix(".__init__")

        @wraps(function)
        def wrapper(*args: Any, **values: Any) -> Any:
            unknown = next((name for name in values if name not in shown.parameters), None)
            if unknown is not None:
                raise unknown_setting(owner, unknown, shown.parameters)
            return function(*args, **values)

        wrapper.__signature__ = shown  # type: ignore[attr-defined]
        return cast("F", wrapper)

    return decorate


def request_model(
    name: str,
    base: type[M],
    *kinds: type[BaseModel],
    without: Collection[str] = (),
    description: str = "",
    helps: Mapping[str, str] | None = None,
    **other: Any,
) -> type[M]:
    """Derive the fields of an HTTP request from settings classes, with bounds and help.

    Args:
        name: name of the request's schema.
        base: class of the request, with the fields that all requests have.
        kinds: the settings classes.
        without: settings that the request does not have.
        description: one sentence about the request.
        helps: help of settings whose declared help is about options of a command.
        other: replaced types of settings, or further fields, as ``Annotated`` types.
    """
    fields: dict[str, Any] = {}
    helps = helps or {}
    inherited = {setting: info for kind in kinds for setting, info in kind.model_fields.items()}
    for setting, info in inherited.items():
        if setting not in without and setting not in base.model_fields:
            declared: Any = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
            fields[setting] = (declared, _without_notes(info, helps.get(setting)))
    for setting, declared in other.items():
        known = inherited.get(setting)
        fields[setting] = (declared, ... if known is None else _without_notes(known, helps.get(setting)))
    return create_model(name, __base__=base, __doc__=description or None, **fields)


def annotation_parts(annotation: object) -> Iterator[object]:
    """Yield the types and the literal values of an annotation.

    Examples:
        >>> list(annotation_parts(dict[str, float] | None))
        [<class 'str'>, <class 'float'>, <class 'NoneType'>]
    """
    parts = get_args(annotation)
    yield from (inner for part in parts for inner in annotation_parts(part)) if parts else [annotation]


def option_of(info: FieldInfo) -> Option | None:
    """Return the option of a setting; ``None`` if it has none."""
    return next((note for note in info.metadata if isinstance(note, Option)), None)


def group_of(info: FieldInfo) -> type[Settings] | None:
    """Return the settings class of a field that is a group of settings; ``None`` for a single setting."""
    kind = info.annotation
    return kind if isinstance(kind, type) and issubclass(kind, Settings) else None


def options_of(kind: type[Settings]) -> Iterator[tuple[type[Settings], str, FieldInfo, Option]]:
    """Yield the class, the name, the field and the option of each setting that a command takes."""
    for name, info in kind.model_fields.items():
        group, option = group_of(info), option_of(info)
        if group is not None:
            yield from options_of(group)
        elif option is not None:
            yield kind, name, info, option


def _without_notes(info: FieldInfo, help_text: str | None) -> Any:
    """Return default and help of a setting; bounds are in its metadata."""
    description = help_text or info.description
    if info.default_factory is not None:
        return Field(default_factory=info.default_factory, description=description)
    return Field(... if info.is_required() else info.default, description=description)


def _default(info: FieldInfo) -> object:
    return Parameter.empty if info.is_required() else info.get_default(call_default_factory=True)


def _input_error(error: ValidationError, kind: type[Settings]) -> InputError:
    """Turn pydantic's first error into an ``InputError`` with the setting, the value and the remedy."""
    detail = error.errors()[0]
    cause = detail.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return cause
    info = kind.model_fields.get(str(detail["loc"][0])) if len(detail["loc"]) == 1 else None
    bounds = (
        {}
        if info is None
        else {
            side: getattr(note, side)
            for note in info.metadata
            for side in ("ge", "gt", "le", "lt")
            if hasattr(note, side)
        }
    )
    if len(bounds) == 2 and not isinstance(detail["input"], bool):
        low, high = sorted(bounds.values())
        return InputError(
            str(detail["loc"][0]), f"must be between {low:g} and {high:g}, got {shorten(detail['input'])}"
        )
    steps = [step for step in detail["loc"] if not str(step).startswith("function-")]
    # The message about a list's entry names the list.
    steps = steps[:-1] if isinstance(steps[-1], int) else steps
    return InputError(describe_mistake(marked(".".join(map(str, steps))), detail))
