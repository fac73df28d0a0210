"""Forms that derive from settings classes: the fields of a form, and the settings that it states."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from starlette.requests import Request

from semscale.settings import Settings, option_of
from semscale.spelling import option_name

AnySettings = TypeVar("AnySettings", bound=Settings)
AnyForm = TypeVar("AnyForm", bound=BaseModel)

_MOST_FIELDS = 10_000
_YES_NO = ("no", "yes")


def reader_of(form: type[AnyForm]) -> Callable[[Request], Awaitable[AnyForm]]:
    """Return the function that reads the form of a request, which may have thousands of fields.

    Args:
        form: its fields, which are texts, or lists of texts if they may occur several times.
    """
    lists = {name for name, field in form.model_fields.items() if isinstance(field.default, list)}

    async def read(request: Request) -> AnyForm:
        sent = await request.form(max_fields=_MOST_FIELDS)
        names = [name for name in form.model_fields if name in sent]
        texts = {name: list(map(str, sent.getlist(name))) for name in names}
        return form(**{name: texts[name] if name in lists else texts[name][-1] for name in names})

    return read


@dataclass(frozen=True)
class FormField:
    """A field of a form.

    Attributes:
        name: name of the setting.
        label: its title, or else its name in words.
        help: its sentence.
        choices: values to choose from; empty for a text.
        default: its default as text; empty for none.
    """

    name: str
    label: str
    help: str
    choices: tuple[str, ...]
    default: str


def form_fields(kind: type[Settings], names: Collection[str]) -> list[FormField]:
    """Return the fields for some settings, in the order of their class.

    Args:
        kind: the settings class.
        names: settings that the form has.

    Examples:
        >>> from semscale.rating.settings import RaterSettings
        >>> [(field.label, field.default) for field in form_fields(RaterSettings, ["temperature"])]
        [('Sharpness (temperature)', '1.0')]
    """
    return [_field(name, info) for name, info in kind.model_fields.items() if name in names]


def _field(name: str, info: FieldInfo) -> FormField:
    default = info.get_default()
    return FormField(
        name=name,
        label=info.title or name.replace("_", " ").capitalize(),
        help=info.description or "",
        choices=_choices(info),
        default=_text(default),
    )


def _text(value: object) -> str:
    """Return a value as the text of a field; empty for none, and for lists."""
    if isinstance(value, bool):
        return _YES_NO[value]
    return str(value) if isinstance(value, str | int | float) else ""


def _choices(info: FieldInfo) -> tuple[str, ...]:
    """Return the values of a setting that has one of a list, or none."""
    if info.annotation is bool:
        return _YES_NO
    parts = [part for part in (info.annotation, *get_args(info.annotation)) if get_origin(part) is Literal]
    values = tuple(str(value) for part in parts for value in get_args(part))
    is_optional = NoneType in get_args(info.annotation)
    return ("", *values) if values and is_optional else values


def settings_of_form(kind: type[AnySettings], form: Mapping[str, str], names: Collection[str]) -> AnySettings:
    """Return the settings that a form states; empty fields have their defaults.

    Args:
        kind: the settings class.
        form: values of the fields, by name.
        names: settings that the form has.

    Raises:
        InputError: a value is wrong.
    """
    values: dict[str, Any] = {}
    for name in names:
        text, info = form.get(name, "").strip(), kind.model_fields[name]
        if text and text != _text(info.get_default()):
            values[name] = _value(text, info)
    return kind(**values)


def _value(text: str, info: FieldInfo) -> object:
    """Return a text as its settings class takes it: a number, or a list of entries between commas."""
    option = option_of(info)
    if get_origin(info.annotation) is tuple and (option is None or option.type is None):
        return tuple(map(str.strip, text.split(",")))
    if info.annotation in (int, float):
        try:
            return info.annotation(text)
        except ValueError:
            return text  # the settings class refuses it, and names the setting
    return text


def option_words(settings: Settings, names: Collection[str]) -> list[str]:
    """Return the options of a command that state settings, without those that have their defaults.

    Args:
        settings: the settings.
        names: those that the form has.

    Examples:
        >>> from semscale.rating.settings import RaterSettings
        >>> option_words(RaterSettings(temperature=2.0, missing=("NA", "-99")), ["temperature", "missing"])
        ['--temperature', '2.0', '--missing', 'NA', '--missing', '-99']
    """
    words: list[str] = []
    for name in names:
        value, info = getattr(settings, name), type(settings).model_fields[name]
        if value == info.get_default():
            continue
        option = option_of(info)
        flag = option.name if option is not None and option.name is not None else option_name(name)
        if isinstance(value, bool):
            words.append(flag)
            continue
        entries = list(value) if isinstance(value, tuple) else ["none" if value is None else str(value)]
        if option is not None and option.type is str:
            entries = [",".join(entries)]
        words += [word for entry in entries for word in (flag, entry)]
    return words
