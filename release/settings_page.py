"""Write docs/settings.md, the page with the settings of a project's file and the options of every command.

    python release/settings_page.py

The page is derived from the settings classes; `make settings` runs this after a change of an option.
"""

from collections import Counter
from collections.abc import Iterator
from inspect import getdoc
from pathlib import Path
from typing import Annotated, Any

from cyclopts import App

from semscale.cli import shared
from semscale.cli.drift.options import DecisionOptions, MeasuringOptions, OutputColumns
from semscale.cli.main import program
from semscale.cli.options import CommandOption, Without, options_in
from semscale.cli.outputs import Outputs
from semscale.cli.project_file import VARIABLES, configurable_settings
from semscale.judging.settings import JudgeColumns, JudgeSettings
from semscale.rating.settings import RaterSettings
from semscale.settings import Settings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"


def settings_page() -> str:
    """Return docs/settings.md: the settings of a project's file, and the options of every command."""
    groups = {
        title: [_row(option) for option in options_in(kind)] for title, kind in _shared_groups().items()
    }
    functions = dict(commands(program()))
    groups["Common options"] = _repeated_rows([function.options for function in functions.values()], groups)
    lines = [
        "# Commands and settings",
        "",
        "<!-- Written by `make settings` from the settings classes. -->",
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


def commands(app: App, prefix: str = "") -> Iterator[tuple[str, Any]]:
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
        "Drift columns": OutputColumns,
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
    meaning = option.description.rstrip(".")
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
    PAGE.write_text(settings_page(), encoding="utf-8", newline="\n")
