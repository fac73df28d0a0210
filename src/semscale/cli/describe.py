"""The command ``semscale config``, and the page docs/settings.md with all settings and options."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from semscale.cli.config import VARIABLES, ConfigurableSetting, ProjectSettings, configurable_settings
from semscale.cli.options import CommandOption, command
from semscale.cli.outputs import OUTPUT
from semscale.cli.process import echo
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from cyclopts import App


class ConfigOptions(Settings):
    """All options of ``semscale config``."""

    json_: Annotated[
        bool, Field(description="Print JSON instead of a table."), Option(OUTPUT, name="--json")
    ] = False


@command
def config(options: ConfigOptions, project: ProjectSettings) -> None:
    """Show every setting that a project's file can have, with its value and where that comes from.

    The file is semscale.toml, or the table tool.semscale of pyproject.toml, in the working folder or above. Options
    override --set KEY=VALUE, which overrides variables of the environment, which override the file.
    """
    rows = [
        (key, *_value_and_origin(key, setting, project)) for key, setting in configurable_settings().items()
    ]
    if options.json_:
        records = {key: {"value": value, "origin": origin} for key, value, origin in rows}
        echo(json.dumps({"file": None if project.file is None else str(project.file), "settings": records}))
        return
    from rich.table import Table

    from semscale.report.terminal import print_table

    table = Table("setting", "value", "origin", box=None, header_style="bold")
    for key, value, origin in rows:
        table.add_row(key, "" if value is None else _toml(value), origin)
    print_table(table)


def _value_and_origin(key: str, setting: ConfigurableSetting, project: ProjectSettings) -> tuple[object, str]:
    """Return a setting's value, without passwords, and where it comes from."""
    configured = project.find(f"--{key}")
    if configured is not None:
        return _public(configured[0]), str(configured[1])
    variable = VARIABLES.get(key)
    if variable is not None and os.environ.get(variable):
        return _public(os.environ[variable]), f"environment {variable}"
    return setting.info.get_default(call_default_factory=True), "default"


def _public(value: object) -> object:
    """Leave a password and the parameters out of an address."""
    from semscale.store.databases.address import shown_address

    return shown_address(value) if isinstance(value, str) and "://" in value else value


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def settings_page() -> str:
    """Return docs/settings.md: the settings of a project's file, and the options of every command."""
    from semscale.cli.main import program

    lines = [
        "# Settings and options",
        "",
        "<!-- Written by `python -m semscale.cli.describe docs/settings.md` from the settings classes. -->",
        "",
        "## Settings of a project's file",
        "",
        "What [semscale.toml](configuration.md) can have. Commands that use a setting have it as an option.",
        "",
        "| setting | default | variable | meaning |",
        "|---|---|---|---|",
    ]
    for key, setting in configurable_settings().items():
        default = setting.info.get_default(call_default_factory=True)
        shown = "" if default is None else f"`{_toml(default)}`"
        variable = f"`{VARIABLES[key]}`" if key in VARIABLES else ""
        lines.append(f"| `{key}` | {shown} | {variable} | {_cell(str(setting.info.description))} |")
    for name, function in commands(program()):
        lines += ["", f"## {name}", "", *_option_table(function.options)]
    return "\n".join(lines) + "\n"


def commands(app: "App", prefix: str = "") -> "Iterator[tuple[str, Any]]":
    """Yield name and function of every command below a program or a group, in the order of the help."""
    for name in app:
        if name.startswith("-"):
            continue
        below = app[name]
        full = f"{prefix} {name}".strip()
        if hasattr(below.default_command, "options"):
            yield f"semscale {full}", below.default_command
        yield from commands(below, full)


def _option_table(options: list[CommandOption]) -> list[str]:
    if not options:
        return ["It has no options."]
    lines = ["| option | value | default | meaning |", "|---|---|---|---|"]
    for option in options:
        default = "required" if option.info.is_required() else f"`{option.default}`" if option.default else ""
        value = "" if option.is_flag else option.value_name
        lines.append(f"| `{option.name}` | {_cell(value)} | {default} | {_cell(option.help)} |")
    return lines


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(settings_page(), encoding="utf-8", newline="\n")
