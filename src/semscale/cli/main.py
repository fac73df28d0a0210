"""The program ``semscale``: its commands and exit codes."""

import sys
import warnings
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from semscale.cli.errors import exit_code, said_as_code, say, stopped
from semscale.cli.interrupts import end, heed_interrupts
from semscale.cli.single_values import CommandGroup
from semscale.cli.streams import flush_output, prepare_streams
from semscale.version import __version__

PROGRAM = "semscale"


# Name, module below ``semscale.cli.commands``, its function or group, and its line in the help. A command is
# imported when it is called, so that a start takes no longer than its own options need.
_COMMANDS = (
    ("demo", "demo", "demo", "Rate 300 sentences that come with Semscale, and open the report."),
    ("rate", "rate", "rate", "Rate a column of texts on a scale, and estimate what they say as a whole."),
    ("calibrate", "calibrate", "calibrate", "Fit a correction of ratings to texts that people rated."),
    ("label", "label", "label", "Draw a sheet of texts for people to rate."),
    ("columns", "columns", "columns", "Describe each column of a table and its inferred type."),
    (
        "consistency",
        "consistency",
        "consistency",
        "Measure whether a model repeats its answers.",
    ),
    ("embed", "embed", "embed", "Turn a column of texts into vectors."),
    ("serve", "serve", "serve", "Answer requests over HTTP."),
    ("match", "match", "match", "Measure how far predictions say the same as their references."),
    ("match evaluate", "match", "evaluate", "Score a submission to ClinIQLink."),
    ("judge", "judge", "judge", "Let a chat model score answers, and compare it with people's labels."),
    ("judge audit", "judge", "judge_audit", "Test a judge for position, length and injected instructions."),
    ("judge compare", "judge", "judge_compare", "Let a judge compare the answers of two or more systems."),
    ("judge label", "judge", "judge_label", "Draw a sheet of answers for people to label."),
    ("study", "study", "app", "Questionnaires put to synthetic respondents, and crosstabs."),
    ("code", "code", "code", "Give open answers the codes of a codebook."),
    ("code label", "code", "code_label", "Draw a sheet of answers for people to code."),
    ("code suggest", "code", "code_suggest", "Propose a codebook for open answers."),
    ("drift", "drift", "app", "Compare a candidate's outputs with an approved baseline."),
    ("scales", "scales", "app", "Scales and their anchors: list, show, lint, start a new one."),
    ("bertscore", "bertscore", "app", "BERTScore: calibrate a model's layer and baseline."),
    ("models", "models", "app", "Models: list, pull, verify, and find their files."),
    ("cache", "cache", "app", "The cache of embeddings that were computed before."),
)


class _LoadedOnUse(dict[str, Any]):
    """The commands by name; one is imported when it is looked up."""

    def __init__(self) -> None:
        super().__init__((name, None) for name, *_ in _COMMANDS)
        self._places = {name: (module, member) for name, module, member, _ in _COMMANDS}

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - whichever click it is
        if super().__getitem__(name) is None:
            module, member = self._places[name]
            target = getattr(import_module(f"semscale.cli.commands.{module}"), member)
            if not isinstance(target, typer.Typer):
                single = CommandGroup(add_completion=False, rich_markup_mode="rich")
                single.command(name)(target)
                target = single
            command = get_command(target)
            command.name = name
            self[name] = command
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:  # noqa: ANN401 - whichever click it is
        """Return a command, imported, or the default."""
        try:
            return self[name]
        except KeyError:
            return default

    def values(self) -> Any:  # noqa: ANN401 - a view of commands
        """Return all commands, imported."""
        return [self[name] for name in self]

    def items(self) -> Any:  # noqa: ANN401 - a view of names and commands
        """Return names with their commands, imported."""
        return [(name, self[name]) for name in self]


class _Commands(TyperGroup):
    """Commands of one word or two: ``match FILE`` takes a file, and ``match evaluate`` is another command."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _LoadedOnUse()
        self._lines = {name: line for name, _, _, line in _COMMANDS}

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - whichever click it is
        """Return the names in the order of the help."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - whichever click it is
        """Return what the help shows of a command; ``resolve_command`` gives the command itself."""
        if cmd_name not in self._lines:
            return None
        return TyperCommand(cmd_name, help=self._lines[cmd_name], rich_markup_mode="rich")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - whichever click it is
        """Find the command by its first two words, or else by its first."""
        both = " ".join(args[:2])
        if both in self.commands:
            return both, self.commands[both], args[2:]
        if args[0] in self.commands:
            return args[0], self.commands[args[0]], args[1:]
        return super().resolve_command(ctx, args)


app = CommandGroup(
    name=PROGRAM,
    cls=_Commands,
    help="Measure what free text means: survey answers, reviews and LLM output on a scale, offline.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)

# From some version on typer carries its own copy of click: the class is found through one that it names.
_INTERRUPTED_IN_CLICK = 130
_PARSER_ERROR: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"semscale {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str], program: str = PROGRAM) -> int:
    """Run a command and return the program's exit code.

    Args:
        arguments: as on the command line, without the program's name.
        program: how the program was called; its help and its hints at the help say so.
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        return exit_code(lambda: _run(arguments, program))


def run(program: str = PROGRAM) -> None:
    """Run the command that the command line names, and exit."""
    heed_interrupts()
    prepare_streams()
    try:
        code = main(sys.argv[1:], program)
        flush_output()
    except KeyboardInterrupt:
        code = stopped()
    except OSError as error:
        code = code or said_as_code(error)
    end(code)


def _run(arguments: list[str], program: str) -> int:
    try:
        code = app(arguments, prog_name=program, standalone_mode=False)
    except typer.Abort:
        return stopped()
    except _PARSER_ERROR as error:
        return _refused(error)
    if code == _INTERRUPTED_IN_CLICK:
        return stopped()
    return code if isinstance(code, int) else 0


def _refused(error: Any) -> int:  # noqa: ANN401 - whichever click it is
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()  # prints the help
        return 2
    context = getattr(error, "ctx", None)
    # A library puts "Value error" before our words.
    message = error.format_message().replace(": Value error, ", ": ", 1).rstrip(".")
    if context:
        message += f"{' See' if message.endswith('?') else '; see'} {context.command_path} --help"
    say(message)
    return int(getattr(error, "exit_code", 2))


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    say(f"warning: {message}")
