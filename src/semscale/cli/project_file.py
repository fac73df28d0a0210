"""The project's file: settings that hold for all commands in a folder and below it.

``semscale.toml``, or ``[tool.semscale]`` in ``pyproject.toml``, is searched from the working folder upward.
In order of precedence: options, ``--set KEY=VALUE``, variables of the environment, the file, defaults.

A file may come with a folder that somebody else wrote. So it can name no secret, only the variable of a key,
and that key goes to the endpoint of the same file alone; its files stay in its folder; and a command that
sends texts to an endpoint or database of the file prints a line that names both.
"""

import functools
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import PrivateAttr

from semscale.cli.process import say
from semscale.errors import InputError
from semscale.json_reading import MOST_LEVELS, levels
from semscale.messages import did_you_mean, shorten
from semscale.settings import Option, Settings, options_of
from semscale.spelling import in_python, option_name

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

FILE, PYPROJECT, TABLE = "semscale.toml", "pyproject.toml", "semscale"
SET = "--set"

VARIABLES = {
    "ledger": "SEMSCALE_LEDGER",
    "history": "SEMSCALE_HISTORY",
    "prices": "SEMSCALE_PRICES",
    "chat-url": "OPENAI_BASE_URL",
    "embedder-url": "OPENAI_BASE_URL",
}
"""Variables of the environment that override the file."""

_PATHS = ("ledger", "history", "prices", "survey")
SERVERS = ("postgresql://", "postgres://", "postgresql+")


@dataclass(frozen=True)
class Origin:
    """Source of a value that the command line does not state.

    Attributes:
        file: the project's file; ``None`` for ``--set``.
    """

    file: Path | None = None

    def __str__(self) -> str:
        return SET if self.file is None else str(self.file)


class Configurable(Settings):
    """Base of groups whose values can come from the project's file; remembers which of them did."""

    _origins: dict[str, Origin] = PrivateAttr(default_factory=dict)

    def origin(self, name: str) -> Origin | None:
        """Return where a value comes from; ``None`` for the command line, the environment or the default."""
        return self._origins.get(name)


@dataclass(frozen=True)
class ConfigurableSetting:
    """A setting that the project's file can have.

    Attributes:
        kind: its settings class.
        name: name of its field.
        info: its field.
        option: its option.
    """

    kind: type[Settings]
    name: str
    info: "FieldInfo"
    option: Option

    @property
    def key(self) -> str:
        """Its key in the file."""
        return (self.option.name or option_name(self.name)).removeprefix("--")

    def check(self, value: object, source: str) -> None:
        """Check a value as the command line would.

        Args:
            value: from a file or from ``--set``.
            source: where it is from, for messages.

        Raises:
            InputError: the setting cannot have it; the message names source, key and value.
        """
        try:
            self.kind(**{self.name: value})
        except InputError as error:
            message = error.spelled(
                lambda name, value: self.key if name == self.name else in_python(name, value)
            )
            raise InputError(f"{source}: {message}") from None


@functools.cache
def configurable_settings() -> Mapping[str, ConfigurableSetting]:
    """Return the settings that a project's file can have, by key: those of all groups that are defined."""
    settings = [
        ConfigurableSetting(kind, name, info, option)
        for group in Configurable.__subclasses__()
        for kind, name, info, option in options_of(group)
        if option.configurable
    ]
    return {setting.key: setting for setting in settings}


@dataclass(frozen=True)
class ProjectSettings:
    """Settings of a project.

    Attributes:
        file: where they were read; ``None`` without a file.
        values: of the file, by key.
        overrides: of ``--set``, by key.
    """

    file: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    overrides: Mapping[str, Any] = field(default_factory=dict)

    def find(self, option: str) -> tuple[object, Origin] | None:
        """Return a setting's value and origin; ``None`` where the environment or the default decides.

        Args:
            option: name of the option, such as ``--chat-model``.
        """
        key = option.removeprefix("--")
        if key in self.overrides:
            return self.overrides[key], Origin()
        if key in self.values and not os.environ.get(VARIABLES.get(key, "")):
            return self.values[key], Origin(self.file)
        return None


def load_project(overrides: Sequence[str] = (), folder: Path | None = None) -> ProjectSettings:
    """Read the project's file, and what ``--set`` overrides.

    Args:
        overrides: ``KEY=VALUE`` each.
        folder: the file is in this folder or above it; by default the working folder.

    Raises:
        InputError: the file is no TOML, or a key or value that no setting has; file, key and the nearest key
            are named.
    """
    file, table = next(_tables(Path.cwd() if folder is None else folder), (None, {}))
    values = {} if file is None else _validate_table(_with_hyphens(table), str(file), file)
    stated: dict[str, object] = {}
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals:
            raise InputError(f"{SET} must be KEY=VALUE, such as precision=fast, got {text!r:.60}")
        stated[key.strip()] = _toml_value(value.strip())
    return ProjectSettings(file, values, _validate_table(_with_hyphens(stated), SET, None))


def _tables(folder: Path) -> Iterator[tuple[Path, Mapping[str, object]]]:
    """Yield the files of projects with their settings, the nearest one first."""
    for parent in (folder, *folder.parents):
        for name in (FILE, PYPROJECT):
            path = parent / name
            if not path.is_file() or _is_foreign(path):
                continue
            try:
                content = _parse_toml(path.read_text(encoding="utf-8"))
            except (OSError, ValueError) as error:
                if name == PYPROJECT:
                    continue  # other tools report it
                raise InputError(f"{path} cannot be read as TOML: {error}") from None
            if name == FILE:
                yield path, content
            elif isinstance(tools := content.get("tool"), dict) and isinstance(tools.get(TABLE), dict):
                yield path, tools[TABLE]


def _is_foreign(path: Path) -> bool:
    """Tell whether a file belongs to another user, as one in a shared folder above may."""
    if os.name == "nt" or os.geteuid() == 0 or path.stat().st_uid in {0, os.geteuid()}:
        return False
    if path.name == FILE:
        say(f"note: {path} belongs to another user, and is not read")
    return True


def _with_hyphens(table: Mapping[str, object]) -> dict[str, object]:
    return {key.replace("_", "-"): value for key, value in table.items()}


def _toml_value(text: str) -> object:
    """Read a value as TOML has it; what is none, such as a bare word, is text."""
    try:
        return _parse_toml(f"value = {text}")["value"]
    except ValueError:
        return text


def _parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        ValueError: it is no TOML, or has more levels of lists and tables than Python's functions can follow.
    """
    too_deep = f"more than {MOST_LEVELS} levels of lists and tables"
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ValueError(too_deep) from None
    if levels(content) > MOST_LEVELS:
        raise ValueError(too_deep)
    return content


def _validate_table(table: Mapping[str, object], source: str, file: Path | None) -> dict[str, object]:
    known = configurable_settings()
    values: dict[str, object] = {}
    for key, value in table.items():
        if key not in known:
            hint = did_you_mean(key, known) or f"; known are {', '.join(known)}"
            raise InputError(f"{source}: unknown setting {shorten(key)}{hint}")
        known[key].check(value, source)
        values[key] = value if file is None else _within(key, str(value), file) if key in _LOCAL else value
    return values


_LOCAL = (*_PATHS, "embedder", "chat-model")


def _within(key: str, value: str, file: Path) -> str:
    """Check what a file says about places, and make its paths absolute.

    Raises:
        InputError: a path outside the file's folder, a password, or an endpoint hidden in a model's name.
    """
    if key == "chat-model" and "@http" in value:
        raise InputError(f"{file}: chat-model must be a name, got {shorten(value)}: set chat-url as well")
    folder = file.parent.resolve()
    path = (folder / value).resolve()
    if key in ("embedder", "chat-model"):
        return str(path) if path.exists() and path.is_relative_to(folder) else value
    if key == "survey" and value == "none":
        return value
    if key in VARIABLES and value.startswith(SERVERS):
        if ":" in value.partition("://")[2].partition("@")[0] and "@" in value:
            raise InputError(
                f"{file}: {key} must not hold a password: leave it out, and set {VARIABLES[key]}"
            )
        return value
    if "://" in value or not path.is_relative_to(folder):
        others = f"--{key} or {VARIABLES[key]}" if key in VARIABLES else f"--{key}"
        raise InputError(
            f"{file}: {key} must be a file in the folder of this one, got {shorten(value)}: name other "
            f"places with {others}"
        )
    return str(path)
