"""Options of commands: derived from settings classes, parsed by Cyclopts, checked by the settings classes.

A command is a function of one settings class. Each field with an ``Option`` becomes an option; a field that
is itself a settings class is a group, whose options join those of the command. Values arrive as text, and
pydantic converts and checks them, so that options, the project's file and requests over HTTP are refused with
the same words. Values that are not given come from the project's file, where it has them.
"""

import functools
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin

from cyclopts import Group, Parameter
from pydantic.fields import FieldInfo

from semscale.cli.project_file import Configurable, Origin, ProjectSettings, load_project
from semscale.errors import InputError, SemscaleError
from semscale.settings import Option, Settings, group_of, option_of
from semscale.spelling import Spelling, in_python, option_name, option_with_value

AnySettings = TypeVar("AnySettings", bound=Settings)

STANDARD_INPUT = "-"
HIDDEN_INPUT = "\0"  # stands for "-" while Cyclopts parses, which would take that for an option

_SETTINGS = "Settings"


class Without:
    """Marks a group in a command that lacks some of its options; those keep their defaults.

    Args:
        names: of the fields, also of those in groups within it.
    """

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)


class Rare:
    """Marks a group in a command that rarely needs some of its options; only ``--help-all`` shows them.

    Args:
        names: of the fields, also of those in groups within it.
    """

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)


class As:
    """Marks a setting that has the option and the help of another class's setting.

    Args:
        kind: the other class.
        name: its field.
    """

    def __init__(self, kind: type[Settings], name: str) -> None:
        self.info = kind.model_fields[name]


@dataclass(frozen=True)
class CommandOption:
    """An option or argument of a command.

    Attributes:
        path: names of the groups around the setting, and its own.
        info: the setting's field.
        option: how the command line takes it.
    """

    path: tuple[str, ...]
    info: FieldInfo
    option: Option

    @property
    def key(self) -> str:
        """Its name as an identifier."""
        return "__".join(self.path)

    @property
    def name(self) -> str:
        """Its name on the command line, such as ``--part-rows``; a switch that is on has ``--no-``."""
        if self.option.positional:
            return str(self.option.metavar)
        return self.plain_name.replace("--", "--no-", 1) if self.is_switched_off else self.plain_name

    @property
    def plain_name(self) -> str:
        """Its name without ``--no-``."""
        return self.option.name or option_name(self.path[-1])

    @property
    def type(self) -> Any:
        """Type that the command line accepts: the option's, or that of the setting without ``None``."""
        declared = self.option.type or self.info.annotation
        parts = [part for part in get_args(declared) if part is not type(None)]
        is_union = get_origin(declared) in (Union, UnionType)
        return parts[0] if is_union and len(parts) == 1 else declared

    @property
    def is_flag(self) -> bool:
        """True if the option takes no value."""
        return self.type is bool

    @property
    def is_switched_off(self) -> bool:
        """True if the option switches off a setting that is on by default."""
        return self.is_flag and self.info.default is True

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it can have, if they are listed."""
        return tuple(map(str, get_args(self.type))) if get_origin(self.type) is Literal else ()

    @property
    def default(self) -> str | None:
        """Its default as the help shows it."""
        value = self.info.get_default(call_default_factory=True)
        is_shown = self.option.shown and isinstance(value, str | int | float) and not isinstance(value, bool)
        return str(value) if is_shown else None

    @property
    def is_repeatable(self) -> bool:
        """True if the option can be repeated."""
        return not self.option.positional and _token_type(self.type) == list[str]

    @property
    def description(self) -> str:
        """The sentence of its settings class."""
        return str(_field_with_help(self.info).description or "")

    @property
    def help(self) -> str:
        """Its line in the help."""
        return f"{self.description.rstrip('.')}; can be repeated." if self.is_repeatable else self.description

    @property
    def value_name(self) -> str:
        """Placeholder of its value, such as ``NUMBER`` or ``exact|fast``."""
        return self.option.metavar or ("NUMBER" if self.type in (int, float) else "|".join(self.choices))

    def parameter(self, group: Group | str, *, show: bool) -> inspect.Parameter:
        """Return the parameter that Cyclopts parses, for a panel of the help."""
        required = self.info.is_required()
        default = inspect.Parameter.empty if required else False if self.is_flag else None
        token_type = _token_type(self.type)
        note = Parameter(
            name=self.name,
            help=self.help,
            group=group,
            show=show,
            negative=(),
            completer=(lambda _: self.choices) if self.choices else None,
            show_default=(lambda _: self.default) if self.default else False,
            metavar=self.value_name or None,
            allow_leading_hyphen=not self.option.positional,
        )
        return inspect.Parameter(
            self.key,
            inspect.Parameter.POSITIONAL_ONLY if self.option.positional else inspect.Parameter.KEYWORD_ONLY,
            default=default,
            annotation=Annotated[token_type if required or self.is_flag else token_type | None, note],
        )

    def convert(self, value: Any) -> object:
        """Return a parsed value as its settings class takes it."""
        if self.is_switched_off:
            return False
        if value == HIDDEN_INPUT:
            return STANDARD_INPUT
        if isinstance(value, list | tuple):
            parts = get_args(self.type)
            entries = (STANDARD_INPUT if entry == HIDDEN_INPUT else entry for entry in value)
            return type(value)(_number(entry, parts[0] if parts else str) for entry in entries)
        return Path(value) if self.option.type is Path else _number(value, self.type)


def _number(text: Any, kind: Any) -> object:
    """Convert a number; what is none stays text, and the settings class refuses it."""
    if kind not in (int, float) or not isinstance(text, str):
        return text
    try:
        return kind(text)
    except ValueError:
        return text


def _token_type(declared: Any) -> Any:
    """Return a type of texts with as many values as an option of the declared type has."""
    if declared is bool:
        return bool
    origin, parts = get_origin(declared), get_args(declared)
    if origin is tuple and Ellipsis not in parts:
        return tuple[(str,) * len(parts)]  # type: ignore[misc]  # built while running
    return list[str] if origin in (tuple, list) else str


def options_in(
    kind: type[Settings],
    path: tuple[str, ...] = (),
    without: frozenset[str] = frozenset(),
    rare: frozenset[str] = frozenset(),
) -> Iterator[CommandOption]:
    """Yield the options of a command in the order of its fields.

    Raises:
        TypeError: a group lacks a field that ``Without`` or ``Rare`` names.
    """
    for name, info in kind.model_fields.items():
        if name in without:
            continue
        group, option = group_of(info), _option_of(info)
        if group is not None:
            left_out, seldom = _names(info, group, Without), _names(info, group, Rare)
            yield from options_in(group, (*path, name), without | left_out, rare | seldom)
        elif option is not None:
            yield CommandOption((*path, name), info, replace(option, rare=option.rare or name in rare))


def _option_of(info: FieldInfo) -> Option | None:
    return option_of(_field_with_help(info))


def _field_with_help(info: FieldInfo) -> FieldInfo:
    """Return the field with a setting's option and help: its own, or the one that ``As`` names."""
    return next((note.info for note in info.metadata if isinstance(note, As)), info)


def _names(info: FieldInfo, group: type[Settings], mark: type[Without | Rare]) -> frozenset[str]:
    """Return the fields of a group that a mark names.

    Raises:
        TypeError: the group lacks one of them.
    """
    names: frozenset[str] = next(
        (note.names for note in info.metadata if isinstance(note, mark)), frozenset()
    )
    unknown = names.difference(_fields_in(group)) if names else names
    if unknown:
        raise TypeError(f"{group.__name__} has no option {', '.join(sorted(unknown))}")
    return names


def _fields_in(group: type[Settings]) -> Iterator[str]:
    """Yield the names of a group's fields, and of those in groups within it."""
    for name, info in group.model_fields.items():
        yield name
        inner = group_of(info)
        if inner is not None:
            yield from _fields_in(inner)


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function of one settings class take its settings as options.

    A second parameter gets the settings of the project's file.

    The result has a method ``show_all(bool)``, which lets the help show rare options or hides them, and
    ``options``, the list of its ``CommandOption``.
    """
    parameter, *further = inspect.signature(function).parameters.values()
    kind = parameter.annotation
    options = list(options_in(kind))
    by_key = {option.key: option for option in options}
    positional = [option for option in options if option.option.positional]

    @functools.wraps(function)
    def call(*arguments: object, **values: Any) -> Any:
        project = load_project(values.pop("set_", None) or ())
        named = dict(zip((option.key for option in positional), arguments, strict=False)) | values
        parsed = {
            by_key[key].path: by_key[key].convert(value)
            for key, value in named.items()
            if value is not None and value is not False
        }
        configured = _configured_values(options, project)
        try:
            settings = _build(kind, options, parsed, configured)
            return function(settings, project) if further else function(settings)
        except SemscaleError as error:
            # Only here is it known that a parameter is an option, and what the option is called.
            error.args = (error.spelled(spelling_of(options)),)
            raise

    def show_all(everything: bool) -> None:
        call.__signature__ = _signature(options, everything=everything)  # type: ignore[attr-defined]

    show_all(False)
    call.options, call.show_all = options, show_all  # type: ignore[attr-defined]
    return call


def settings_of_project(kind: type[AnySettings], project: ProjectSettings) -> AnySettings:
    """Return the settings of a group as a command has them that states none of its options.

    Raises:
        InputError: values of the project's file do not go together.
    """
    options = list(options_in(kind))
    return cast("AnySettings", _build(kind, options, {}, _configured_values(options, project)))


def _configured_values(
    options: Iterable[CommandOption], project: ProjectSettings
) -> dict[tuple[str, ...], tuple[object, Origin]]:
    """Return the values of a project by the path of their options, with their origins."""
    return {
        option.path: found
        for option in options
        if option.option.configurable and (found := project.find(option.plain_name)) is not None
    }


def _signature(options: Sequence[CommandOption], *, everything: bool) -> inspect.Signature:
    """Return a signature for Cyclopts: arguments first, and ``--set`` last."""
    named = [option for option in options if not option.option.positional]
    panels = dict.fromkeys([option.option.panel for option in named] + [_SETTINGS])
    groups = {panel: Group(panel, sort_key=order) for order, panel in enumerate(panels)}
    parameters = [
        option.parameter(option.option.panel, show=True) for option in options if option.option.positional
    ]
    parameters += [
        option.parameter(groups[option.option.panel], show=everything or not option.option.rare)
        for option in named
    ]
    note = Parameter(
        name="--set",
        help="Override a setting of the project's file; semscale config lists them. Can be repeated.",
        group=groups[_SETTINGS],
        show=everything,
        negative=(),
        metavar="KEY=VALUE",
    )
    override = inspect.Parameter(
        "set_",
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[list[str] | None, note],
    )
    return inspect.Signature([*parameters, override])


def _build(
    kind: type[Settings],
    options: Sequence[CommandOption],
    parsed: Mapping[tuple[str, ...], object],
    configured: Mapping[tuple[str, ...], tuple[object, Origin]],
    path: tuple[str, ...] = (),
) -> Settings:
    """Build the settings of a command or of a group.

    Args:
        kind: their class.
        options: all options of the command.
        parsed: values of the command line by the path of their options.
        configured: further values, of the project, with their origins.
        path: names of the groups around the settings.
    """
    values: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    for name, info in kind.model_fields.items():
        key, group = (*path, name), group_of(info)
        if group is not None:
            values[name] = _build(group, options, parsed, configured, key)
        elif key in parsed:
            values[name] = parsed[key]
        elif key in configured:
            values[name], origins[name] = configured[key]
    try:
        settings = kind(**values)
    except InputError as error:
        # Another group of the command may have a setting of this name.
        of_group = [option for option in options if option.path[: len(path)] == path]
        error.args = (error.spelled(spelling_of(of_group)),)
        raise
    # Fields "set" are those of the command line: only they are refused where they serve no purpose.
    stated = {name for name in values if (*path, name) in parsed}
    object.__setattr__(settings, "__pydantic_fields_set__", stated)
    if isinstance(settings, Configurable):
        settings._origins.update(origins)
    return settings


def spelling_of(options: Sequence[CommandOption]) -> Spelling:
    """Return how a command names settings in messages: those that it has by their options.

    Examples:
        >>> spelling_of([])("human_range", None)
        'human_range'
    """

    def spell(name: str, value: str | None) -> str:
        setting, further = re.match(r"([\w:]+)(.*)", name, re.DOTALL).groups()  # type: ignore[union-attr]
        option = _option_called(setting, options)
        if option is None:
            return in_python(name, value)
        return option_with_value(option + re.sub(r"^\.", " ", further), value)

    return spell


def _option_called(setting: str, options: Sequence[CommandOption]) -> str | None:
    """Find the option of a setting, which may have its group before it; ``None`` if the command has none."""
    *group, field = setting.split(":")
    named = [option for option in options if not option.option.positional]
    if group:
        return next((option.name for option in named if option.path[-2:] == (*group, field)), None)
    plain = option_name(field)
    if any(option.name == plain for option in named):
        return plain
    return next((option.name for option in reversed(named) if option.path[-1] == field), None)


def list_changed_options(*groups: Settings, but: Collection[str] = ()) -> list[str]:
    """List the options of the command line whose values differ from their defaults.

    Args:
        groups: settings of a command.
        but: fields, or whole groups in them, that are left out.
    """
    return [option.name for option, _ in _find_changed_options(groups, but)]


def _find_changed_options(
    groups: Sequence[Settings], but: Collection[str]
) -> Iterator[tuple[CommandOption, object]]:
    for settings in groups:
        for name, info in type(settings).model_fields.items():
            value, option = getattr(settings, name), _option_of(info)
            if name in but:
                continue
            if isinstance(value, Settings):
                yield from _find_changed_options([value], but)
            elif option is not None and name in settings.model_fields_set and value != info.get_default():
                yield CommandOption((name,), info, option), value


def refuse_stated(owner: str, *groups: Settings, but: Collection[str] = ()) -> None:
    """Refuse options that belong to something that is not given; one with its default value changes nothing.

    Args:
        owner: what they belong to, and that it is not given.
        groups: settings of a command.
        but: fields, or whole groups in them, that are let pass.

    Raises:
        InputError: an option of the command line has another value than its default.
    """
    names = list_changed_options(*groups, but=but)
    if names:
        listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
        raise InputError(f"{listed} {'belongs' if len(names) == 1 else 'belong'} to {owner}")


def option_arguments(*groups: Settings, but: Collection[str] = ()) -> list[str]:
    """Write the options of the command line again, for a command that has the same ones.

    Args:
        groups: settings of a command.
        but: fields that are left out.
    """
    from semscale.store.databases.address import is_on_server, redact_address

    arguments: list[str] = []
    for option, value in _find_changed_options(groups, but):
        if option.is_flag:
            arguments.append(option.name)
            continue
        if isinstance(value, tuple) and option.option.type is str:
            entries = [",".join(map(str, value))]
        elif isinstance(value, tuple | list):
            entries = [str(entry) for entry in value]
        else:
            entries = ["none" if value is None else str(value)]
        if get_origin(option.type) is tuple and Ellipsis not in get_args(option.type):
            arguments += [option.name, *entries]
            continue
        for entry in entries:
            arguments += [option.name, redact_address(entry) if is_on_server(entry) else entry]
    return arguments
