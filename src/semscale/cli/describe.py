"""The command ``semscale config``, and the page docs/settings.md with all settings and options."""

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App
from pydantic import Field

from semscale.cli.config import VARIABLES, ConfigurableSetting, ProjectSettings, configurable_settings
from semscale.cli.options import CommandOption, Without, command, options_in
from semscale.cli.outputs import OUTPUT
from semscale.cli.process import echo
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
    from semscale.store.databases.address import shown_address

    return shown_address(value) if isinstance(value, str) and "://" in value else value


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def settings_page() -> str:
    """Return docs/settings.md: the settings of a project's file, and the options of every command."""
    from semscale.cli.main import program

    groups = {
        title: [_row(option) for option in options_in(kind)] for title, kind in _shared_groups().items()
    }
    functions = dict(commands(program()))
    groups["Common options"] = _repeated_rows([function.options for function in functions.values()], groups)
    lines = [
        "# Commands and settings",
        "",
        "<!-- Written by `python -m semscale.cli.describe docs/settings.md` from the settings classes. -->",
        "",
        "`semscale COMMAND --help` shows the most common options, and `--help-all` shows all. Options with … "
        "can be repeated.",
        "",
        "## Settings of a project's file",
        "",
        "[semscale.toml](configuration.md) can set these options for every command that has them. A key is "
        "the option without `--`. The command line overrides environment variables (in brackets), and these "
        "override the file.",
        "",
        "| options | keys |",
        "|---|---|",
        *_project_rows(groups),
        "",
        "## Shared options",
        "",
        "Several commands share these groups of options. The section of each command lists "
        "its groups and the "
        "options that it requires.",
    ]
    for title, rows in groups.items():
        lines += ["", f"### {title}", "", *_option_table(rows)]
    for name, function in functions.items():
        summary = (getdoc(function) or "").partition("\n")[0]
        lines += ["", f"## {name}", "", summary, *_command_lines(function.options, groups)]
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


def _shared_groups() -> dict[str, type[Settings]]:
    """Return the settings classes that the page describes once, by title."""
    from semscale.cli import shared
    from semscale.cli.drift.options import DecisionOptions, MeasuringOptions, RunColumnOptions
    from semscale.cli.outputs import Outputs
    from semscale.judging.settings import JudgeColumns, JudgeSettings
    from semscale.rating.settings import RaterSettings

    class TableInput(Settings):
        """A table, and how it is read."""

        file: shared.InputFile
        rows: shared.RowOptions

    class Measuring(Settings):
        """The measurement of drift, without the embedding model, which has a group of its own."""

        settings: Annotated[MeasuringOptions, Without("embedder", "seed")]

    return {
        "Table": TableInput,
        "Output": Outputs,
        "Run": shared.RunOptions,
        "Embedding model": shared.EmbedderOptions,
        "Chat model": shared.ChatOptions,
        "Calls": shared.CallOptions,
        "Cluster": shared.RayOptions,
        "Rating": RaterSettings,
        "Judge": JudgeSettings,
        "Question and answer columns": JudgeColumns,
        "History": shared.HistoryOptions,
        "Drift columns": RunColumnOptions,
        "Drift measurement": Measuring,
        "Gate": DecisionOptions,
    }


def _project_rows(groups: dict[str, list[tuple[str, str]]]) -> Iterator[str]:
    """Yield a row for each group of options that a project's file can set, with their variables."""
    for title, rows in groups.items():
        names = {name for name, _ in map(_split_row, rows)}
        keys = [key for key in configurable_settings() if {f"--{key}", f"--no-{key}"} & names]
        if keys:
            listed = ", ".join(
                f"`{key}` (`{VARIABLES[key]}`)" if key in VARIABLES else f"`{key}`" for key in keys
            )
            yield f"| [{title}]({_anchor(title)}) | {listed} |"


def _repeated_rows(
    commands_options: list[list[CommandOption]], groups: dict[str, list[tuple[str, str]]]
) -> list[tuple[str, str]]:
    """Return the options outside the groups that several commands describe alike, one row for each name."""
    counts = Counter(row for options in commands_options for row in _references(options, groups)[1])
    most_frequent: dict[str, tuple[str, str]] = {}
    for row, _ in counts.most_common():
        most_frequent.setdefault(_split_row(row)[0], row)
    return [row for row, count in counts.items() if count > 1 and most_frequent[_split_row(row)[0]] == row]


def _command_lines(options: list[CommandOption], groups: dict[str, list[tuple[str, str]]]) -> list[str]:
    """Name the required options and the groups of a command, and list the options that are in no group."""
    required = [
        option.name for option in options if option.info.is_required() and not option.option.positional
    ]
    references, own = _references(options, groups)
    lines = ["", f"Required: {', '.join(f'`{name}`' for name in required)}."] if required else []
    lines += ["", f"Groups: {'; '.join(references)}."] if references else []
    if own:
        lines += ["", *_option_table(own)]
    return lines


def _references(
    options: list[CommandOption], groups: dict[str, list[tuple[str, str]]]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return links to the groups of a command, and the rows of the options that are in no group."""
    own = [_row(option) for option in options]
    references = []
    for title, rows in groups.items():
        taken = [row for row in rows if row in own]
        lacking = [row for row in rows if row not in own]
        if not taken or (len(taken) == 1 and title.endswith("columns")):  # that column is the command's own
            continue
        own = [row for row in own if row not in taken]
        if len(lacking) > len(taken):
            limits = f": only {_names(taken)}"
        else:
            limits = f" without {_names(lacking)}" if lacking else ""
        references.append(f"[{title}]({_anchor(title)}){limits}")
    return references, own


def _anchor(title: str) -> str:
    return f"#{title.lower().replace(' ', '-')}"


def _names(rows: list[tuple[str, str]]) -> str:
    return ", ".join(f"`{_split_row(row)[0]}`" for row in rows)


def _split_row(row: tuple[str, str]) -> tuple[str, str]:
    """Return the name of an option, and its value."""
    name, _, value = row[0].partition(" ")
    return name, value


def _row(option: CommandOption) -> tuple[str, str]:
    """Return an option as it is typed, and its meaning with its choices and its default."""
    # A site shows the backslash of an escaped bar in code, so choices are in the meaning.
    name = option.name.replace("|", "/")
    value = "CHOICE" if option.choices and not option.option.metavar else option.value_name.replace("|", "/")
    meaning = option.own_help.rstrip(".")
    if any(choice not in meaning for choice in option.choices):
        meaning += f": {', '.join(option.choices[:-1])} or {option.choices[-1]}"
    if option.default:
        meaning += f" (default: {option.default})"
    has_value = value and not option.is_flag and not option.option.positional
    return f"{name}{f' {value}' if has_value else ''}{' …' if option.is_repeatable else ''}", f"{meaning}."


def _option_table(rows: list[tuple[str, str]]) -> list[str]:
    return ["| option | meaning |", "|---|---|", *(f"| `{typed}` | {_cell(text)} |" for typed, text in rows)]


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(settings_page(), encoding="utf-8", newline="\n")
