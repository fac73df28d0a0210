"""The command ``semscale config``: the settings of a project, their values and where these come from."""

import json
import os
from typing import Annotated

from cyclopts import App
from pydantic import Field

from semscale.cli import shared  # noqa: F401 - its groups have the settings of a project's file
from semscale.cli.options import command
from semscale.cli.outputs import OUTPUT
from semscale.cli.process import echo
from semscale.cli.project_file import VARIABLES, ConfigurableSetting, ProjectSettings, configurable_settings
from semscale.cli.trust import trust
from semscale.settings import Option, Settings


class ConfigOptions(Settings):
    """All options of ``semscale config``."""

    json_: Annotated[
        bool, Field(description="Print JSON instead of a table."), Option(OUTPUT, name="--json")
    ] = False


app = App(name="config")


@app.default
@command
def config(options: ConfigOptions, project: ProjectSettings) -> None:
    """Show every setting that a project's file can have, with its value and where that comes from.

    The file is semscale.toml, or the table tool.semscale of pyproject.toml, in the working folder or above.
    Options override --set KEY=VALUE, which overrides variables of the environment, which override the file.
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


app.command(trust)


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
    from semscale.store.databases.address import redact_address

    return redact_address(value) if isinstance(value, str) and "://" in value else value


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
