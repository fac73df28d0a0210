"""The program ``semscale``: its commands and exit codes."""

import gc
import re
import sys
import warnings
from collections.abc import Callable, Sequence
from inspect import getdoc
from typing import Any

from cyclopts import App, CycloptsError
from cyclopts.exceptions import (
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from semscale.cli.options import HIDDEN_INPUT, STANDARD_INPUT, CommandOption
from semscale.cli.process import (
    BAD_INPUT,
    catch_interrupts,
    echo,
    end,
    exit_code,
    flush_output,
    prepare_streams,
    report_error,
    report_stop,
    say,
)
from semscale.messages import nearest_name
from semscale.version import __version__

PROGRAM = "semscale"
HELP, HELP_ALL = "--help", "--help-all"
_OBJECTS_PER_COLLECTION = 100_000

# Name, function or group in ``semscale.cli``, and line in the help. A command is imported when it is called.
_COMMANDS = (
    ("demo", "rate:demo", "Rate 300 sentences that come with Semscale, and open the report."),
    ("rate", "rate:rate", "Rate a column of texts on a scale, and estimate means and shares."),
    ("code", "code:app", "Assign the codes of a codebook to open answers; suggest a codebook."),
    (
        "open",
        "open:open_workbench",
        "Open a survey in the browser: correct its questions, rate its open answers.",
    ),
    ("match", "match:app", "Measure the agreement of predictions with references."),
    ("consistency", "consistency:consistency", "Measure the agreement of repeated answers of a model."),
    ("judge", "judge:app", "Let a chat model score answers; compare systems; audit the judge."),
    ("study", "study:app", "Ask synthetic respondents a questionnaire, and compare them with people."),
    ("tables", "tables:tables", "Tabulate the questions of a survey by groups."),
    ("drift", "drift.commands:app", "Compare a candidate's outputs with an approved baseline."),
    ("label", "label:label", "Draw a sheet for people to rate, code or judge."),
    ("calibrate", "rate:calibrate", "Learn a correction of ratings from texts that people rated."),
    ("scales", "scales:app", "List, show and check scales and their anchors; start a new one."),
    ("columns", "tables:columns", "Describe each column of a table and its inferred type."),
    ("embed", "embed:embed", "Turn a column of texts into vectors."),
    ("models", "models:app", "List, pull, verify, find and calibrate models; empty their caches."),
    ("serve", "serve:serve", "Answer requests over HTTP."),
    ("mcp", "serve:mcp", "Offer measurements to an AI agent as tools (MCP)."),
    ("config", "config:app", "Show the settings of the project's file; trust the addresses in it."),
)


def program(name: str = PROGRAM) -> App:
    """Return the program.

    Args:
        name: how it was called, for its help.
    """
    app = App(
        name=name,
        help="Measure what free text means: survey answers, reviews and LLM output on a scale, offline.",
        version=f"semscale {__version__}",
        help_flags=(HELP, HELP_ALL),
        help_format="rich",
        result_action="return_value",
        exit_on_error=False,
        print_error=False,
        suppress_keyboard_interrupt=False,
    )
    for order, (command, target, line) in enumerate(_COMMANDS):
        app.command(f"semscale.cli.{target}", name=command, help=line, sort_key=order)
    app.register_install_completion_command(show=False)
    return app


def main(arguments: list[str], name: str = PROGRAM) -> int:
    """Run a command and return the program's exit code.

    Args:
        arguments: as on the command line, without the program's name.
        name: how the program was called; its help and its hints at the help say so.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return exit_code(lambda: _run(arguments, name))


def run(name: str = PROGRAM) -> None:
    """Run the command that the command line names, and exit."""
    # Rows of tables are many objects without cycles; a collection per 700 new ones is a fifth of a match.
    gc.set_threshold(_OBJECTS_PER_COLLECTION, *gc.get_threshold()[1:])
    catch_interrupts()
    prepare_streams()
    code = 0
    try:
        code = main(sys.argv[1:], name)
        flush_output()
    except KeyboardInterrupt:
        code = report_stop()
    except OSError as error:
        code = code or report_error(error)
    end(code)


def _run(arguments: list[str], name: str) -> int:
    app = program(name)
    tokens = [HIDDEN_INPUT if token == STANDARD_INPUT else token for token in arguments]
    if HELP in tokens or HELP_ALL in tokens:
        return _show_help(app, tokens)
    try:
        result = app(tokens)
    except CycloptsError as error:
        return _print_usage_error(error, name, tokens)
    if result is None and _is_group(app, tokens):
        return BAD_INPUT  # the help was shown, as no command was named
    return result if isinstance(result, int) else 0


def _show_help(app: App, tokens: list[str]) -> int:
    names = [token for token in tokens if not token.startswith("-")]
    try:
        chain, apps, unknown = app.parse_commands(names)
    except CycloptsError as error:
        return _print_usage_error(error, app.name[0], tokens)
    if unknown and apps[-1].default_command is None:
        unknown_command = UnknownCommandError(unused_tokens=unknown, app=apps[-1], command_chain=chain)
        return _print_usage_error(unknown_command, app.name[0], tokens)
    command: Any = apps[-1].default_command
    everything = HELP_ALL in tokens
    hidden = 0
    if command is not None and hasattr(command, "show_all"):
        command.show_all(everything)
        # Not its line in the list of commands; lines of a paragraph are filled again.
        apps[-1].help = re.sub(r"(?<!\n)\n(?!\n)", " ", getdoc(command) or "")
        hidden = sum(option.option.rare for option in command.options)
    app.help_print(chain)
    if hidden and not everything:
        echo(f"{hidden} more option{'s' if hidden > 1 else ''}: {' '.join([app.name[0], *chain])} {HELP_ALL}")
    return 0


def _is_group(app: App, tokens: list[str]) -> bool:
    _, apps, _ = app.parse_commands(tokens)
    return apps[-1].default_command is None and "--version" not in tokens


def _print_usage_error(error: CycloptsError, name: str, tokens: Sequence[str]) -> int:
    """Print a mistake in usage as one line, with an example of the command or a hint at its help."""
    command: Any = error.app.default_command if error.app is not None else None
    if isinstance(error, MissingArgumentError) and not _lacks_value(error) and hasattr(command, "options"):
        message, example = _missing_message(error, command.options, tokens), _example_of(command)
        if example is not None:
            say(f"{message}; for example: {name}{example.removeprefix(PROGRAM)}")
            return BAD_INPUT
    else:
        message = _usage_message(error)
    where = " ".join([name, *(error.command_chain or ())])
    say(f"{message}{' See' if message.endswith('?') else '; see'} {where} {HELP}")
    return BAD_INPUT


def _lacks_value(error: MissingArgumentError) -> bool:
    """Return true if an option is there, but without its value or all of its values."""
    return error.keyword is not None or bool(error.tokens_so_far)


def _missing_message(
    error: MissingArgumentError, options: Sequence[CommandOption], tokens: Sequence[str]
) -> str:
    """Name all required arguments and options that are missing, of which Cyclopts reports the first."""
    first = str(error.argument.name) if error.argument is not None else ""
    required = [option.name for option in options if option.info.is_required()]
    later = required[required.index(first) + 1 :] if first in required else []
    stated = {token.partition("=")[0] for token in tokens}
    is_positional = not first.startswith("--")
    missing = [name for name in later if (name not in stated if name.startswith("--") else is_positional)]
    *names, last = [first, *missing]
    message = f"{', '.join(names)} and {last} are missing" if names else f"{last} is missing"
    misspelled = [token for token in error.unused_tokens or () if token.startswith("--")]
    near = None if is_positional else nearest_name(first, misspelled)
    return f"{message} (did you mean {first} instead of {near}?)" if near else message


def _example_of(command: Callable[..., Any]) -> str | None:
    """Return the first example in a command's help, without its report."""
    example = re.search(r"^\[bold\](.*?)\[/bold\]$", getdoc(command) or "", re.MULTILINE | re.DOTALL)
    return None if example is None else re.sub(r" --report \S+", "", " ".join(example[1].split()))


def _usage_message(error: CycloptsError) -> str:  # noqa: PLR0911 - one for each kind of mistake
    if isinstance(error, UnknownCommandError) and error.unused_tokens:
        word = error.unused_tokens[0]
        if word.startswith("-"):
            return f"No such option: {word}"
        known = [] if error.app is None else [name for name in error.app if not name.startswith("-")]
        near = nearest_name(word, known)
        return f"No such command {word!r}" + (f". Did you mean {near!r}?" if near else "")
    if isinstance(error, UnknownOptionError):
        message = str(error).replace(HIDDEN_INPUT, STANDARD_INPUT).rstrip(".")
        return message.replace("Unknown option", "No such option", 1)
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is given twice; it takes one value"
    if isinstance(error, UnusedCliTokensError):
        return f"Got unexpected arguments: {' '.join(error.unused_tokens or ())}"
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        count = error.argument.token_count()[0]
        name = error.keyword or error.argument.name
        return f"{name} needs {'a value' if count == 1 else f'{count} values'}"
    return str(error).rstrip(".")


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    say(f"warning: {message}")
