"""Groups of options: a command takes a dataclass of options as one parameter."""

import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from itertools import chain
from typing import Annotated, Any, TypeVar, dataclass_transform, get_args, get_origin, get_type_hints

import typer
from pydantic.fields import FieldInfo
from typer.models import OptionInfo

from semscale.errors import InputError
from semscale.settings import Option, Settings, option_name, option_of, options_of

Kind = TypeVar("Kind")

# Options that are not called after the parameter that they set.
_PARAMETERS = {
    "n_samples": "--ask",
    "correct": "--label",
    "kinds": "--damage",
    "shares": "--share",
    "metrics": "--metric",
    "guards": "--guard",
}


@dataclass(frozen=True)
class Changes:
    """Options that a command changes in a group.

    Attributes:
        options: by the field's name, the option in its place, or another group in the place of a group;
            ``None`` where the command has no such option, so that the field keeps its default.
    """

    options: Mapping[str, Any]


def without(*fields: str) -> Changes:
    """Drop options from a group, by the field's name."""
    return Changes(dict.fromkeys(fields))


def instead(**options: object) -> Changes:
    """Replace options of a group, by the field's name."""
    return Changes(options)


@dataclass_transform(frozen_default=True, kw_only_default=True)
def option_group(kind: type[Kind]) -> type[Kind]:
    """Make a class a frozen dataclass of options; it has no comparison and no ``repr``, for a short start."""
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(kind)


def grouped(command: Callable[..., object]) -> Callable[..., object]:
    """Let a command take its options in groups.

    A parameter whose type is a dataclass becomes one option for each field, in the order of the fields; a
    field may itself be such a dataclass. An option that is declared without a name has that of its field:
    ``part_rows`` is ``--part-rows``. When the command is called, the dataclasses are made of the values.

    Args:
        command: a function whose parameters and fields carry ``typer.Option`` or ``typer.Argument`` in their
            annotations.

    Returns:
        A function with one keyword parameter for each option, as Typer takes it.

    Raises:
        TypeError: a change names a field that its group does not have.
    """
    group = _grouped(command, "", {})
    parameters = list(group.parameters())

    @functools.wraps(command)
    def call(**values: object) -> object:
        try:
            return group.made_of(values)
        except InputError as error:
            # Only here is it known that a parameter is an option, and what the option is called.
            if error.args:
                error.args = (_with_option(str(error), parameters), *error.args[1:])
            raise

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return call


def _with_option(message: str, parameters: Sequence[inspect.Parameter]) -> str:
    """Name the option where a message begins with the parameter that it is for."""
    subject = re.match(r"(\w+)(?= must | needs | belongs to |: )", message)
    if subject is None:
        return message
    wanted = _PARAMETERS.get(subject[1], option_name(subject[1]))
    return wanted + message[subject.end() :] if wanted in _option_names(parameters) else message


def _option_names(parameters: Sequence[inspect.Parameter]) -> set[str]:
    notes = [note for parameter in parameters for note in _parted(parameter.annotation)[1]]
    return {_first_name(note) for note in notes if isinstance(note, OptionInfo)}


def refuse_given(owner: str, *groups: object, but: Collection[str] = ()) -> None:
    """Refuse options that belong to something that is not given; one with its default value changes nothing.

    Args:
        owner: what they belong to, and that it is not given.
        groups: dataclasses of options.
        but: fields, or whole groups in them, that are let pass.

    Raises:
        InputError: a field has another value than its default.
    """
    given = [name for group in groups for name in _given(group, but)]
    if given:
        listed = " and ".join(filter(None, [", ".join(given[:-1]), given[-1]]))
        raise InputError(f"{listed} {'belongs' if len(given) == 1 else 'belong'} to {owner}")


def _given(group: Any, but: Collection[str]) -> Iterator[str]:  # noqa: ANN401 - any group of options
    """Name the options of a group, and of the groups in it, that have another value than their default."""
    if isinstance(group, Settings):
        yield from _changed_options(group, but)
        return
    kind: Callable[..., object] = type(group)
    hints, _ = _declared(kind)
    for field in fields(group):
        value = getattr(group, field.name)
        if field.name in but:
            continue
        if is_dataclass(value) or isinstance(value, Settings):
            yield from _given(value, but)
        elif value not in (field.default, MISSING):
            _, notes = _parted(hints[field.name])
            for note in notes:
                if isinstance(named := _named(note, field.name), OptionInfo):
                    yield _first_name(named)


def _changed_options(settings: Settings, but: Collection[str]) -> Iterator[str]:
    for name, info, option in options_of(type(settings)):
        if name not in but and getattr(settings, name) != info.get_default():
            yield option.name or option_name(name)


@dataclass(frozen=True)
class _Flattened:
    """A command or dataclass, and by parameter its options and inner groups."""

    target: Callable[..., object]
    parts: "Mapping[str, _Flattened | inspect.Parameter]"

    def parameters(self) -> Iterator[inspect.Parameter]:
        for part in self.parts.values():
            if isinstance(part, _Flattened):
                yield from part.parameters()
            else:
                yield part

    def made_of(self, values: Mapping[str, object]) -> object:
        made = {
            name: part.made_of(values) if isinstance(part, _Flattened) else values[part.name]
            for name, part in self.parts.items()
        }
        if isinstance(self.target, type) and issubclass(self.target, Settings):
            made = {name: value for name, value in made.items() if value not in (None, [])}
        return self.target(**made)


def _grouped(target: Callable[..., object], prefix: str, changes: Mapping[str, Any]) -> _Flattened:
    """Collect the options of a command's parameters or of a dataclass's fields."""
    hints, declared = _declared(target)
    unknown = changes.keys() - declared.keys()
    if unknown:
        raise TypeError(f"{target.__name__} has no option {', '.join(sorted(unknown))}")
    parts: dict[str, _Flattened | inspect.Parameter] = {}
    for name, parameter in declared.items():
        if name in changes and changes[name] is None:
            continue
        kind, notes = _parted(hints[name])
        if name in changes and is_dataclass(kind):
            kind, notes = _parted(changes[name])
        elif name in changes:
            notes = [changes[name]]
        if isinstance(kind, type) and (is_dataclass(kind) or issubclass(kind, Settings)):
            inner = [note.options.items() for note in notes if isinstance(note, Changes)]
            parts[name] = _grouped(kind, f"{prefix}{name}_", dict(chain.from_iterable(inner)))
        else:
            parts[name] = parameter.replace(
                name=f"{prefix}{name}",
                annotation=Annotated[kind, *(_named(note, name) for note in notes)] if notes else kind,
                kind=inspect.Parameter.KEYWORD_ONLY,
            )
    return _Flattened(target, parts)


@functools.cache
def _declared(target: Callable[..., object]) -> tuple[dict[str, Any], Mapping[str, inspect.Parameter]]:
    """Look up types and parameters; once for a group, as many commands share it and start-up is short."""
    if isinstance(target, type) and issubclass(target, Settings):
        return _settings_parameters(target)
    return get_type_hints(target, include_extras=True), inspect.signature(target).parameters


def _settings_parameters(kind: type[Settings]) -> tuple[dict[str, Any], Mapping[str, inspect.Parameter]]:
    """Return type and parameter of each setting that has an option."""
    hints: dict[str, Any] = {}
    parameters = {}
    for name, info, option in options_of(kind):
        value = inspect.Parameter.empty if info.is_required() else _shell_default(info, option)
        taken = option.type or _shell_type(info.annotation)
        hints[name] = Annotated[taken | None if value is None else taken, setting_of(kind, name)]
        parameters[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
    return hints, parameters


def _shell_default(info: FieldInfo, option: Option) -> object:
    """Return an option's default; ``None`` where the shell cannot show it, and the setting keeps its own."""
    value = info.get_default(call_default_factory=True)
    # A default such as "auto" of a number is no value of the option.
    is_of_type = not isinstance(option.type, type) or isinstance(value, option.type)
    return value if is_of_type and not isinstance(value, tuple | list | dict) else None


def setting_of(kind: type[Settings], name: str) -> Any:  # noqa: ANN401 - as typer.Option has it
    """Return the option of a setting, for a field of an option group.

    Args:
        kind: the settings class.
        name: of a setting that has an ``Option``.
    """
    info = kind.model_fields[name]
    option = option_of(info)
    if option is None:
        raise TypeError(f"{kind.__name__}.{name} has no option")
    return typer.Option(
        option.name or option_name(name),
        help=info.description,
        rich_help_panel=option.panel,
        metavar=option.metavar,
        show_default=option.shown and _shell_default(info, option) is not None,
    )


def _shell_type(annotation: Any) -> Any:  # noqa: ANN401 - a type, which has no type of its own
    """Return what Typer takes for a setting's type: a list for a tuple of any length."""
    parts = get_args(annotation)
    if get_origin(annotation) is tuple:
        return list[parts[0]]  # type: ignore[valid-type]
    if type(None) in parts:
        (other,) = (part for part in parts if part is not type(None))
        return _shell_type(other) | None
    return annotation


def _parted(hint: Any) -> tuple[Any, list[Any]]:  # noqa: ANN401 - a type, which has no type of its own
    """Separate a type from the notes of ``Annotated``."""
    if get_origin(hint) is not Annotated:
        return hint, []
    kind, *notes = get_args(hint)
    return kind, notes


def _named(note: object, field: str) -> object:
    """Name an option after its field, unless it has a name."""
    # Typer keeps the first name of an annotation where a parameter's default would be.
    if not isinstance(note, OptionInfo) or note.default is not ...:
        return note
    option = copy(note)
    option.param_decls = (f"--{field.replace('_', '-')}",)
    return option


def _first_name(option: OptionInfo) -> str:
    return option.default if isinstance(option.default, str) else (option.param_decls or ("",))[0]
