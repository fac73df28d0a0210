"""The program ``semscale``: its commands and exit codes."""

import sys
import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from semscale.cli.commands.bertscore import app as bertscore
from semscale.cli.commands.cache import app as cache
from semscale.cli.commands.calibrate import calibrate
from semscale.cli.commands.code import code, code_label, code_suggest
from semscale.cli.commands.columns import columns
from semscale.cli.commands.consistency import consistency
from semscale.cli.commands.demo import demo
from semscale.cli.commands.drift import app as drift
from semscale.cli.commands.embed import embed
from semscale.cli.commands.judge import judge, judge_audit, judge_compare, judge_label
from semscale.cli.commands.label import label
from semscale.cli.commands.match import evaluate, match
from semscale.cli.commands.models import app as models
from semscale.cli.commands.rate import rate
from semscale.cli.commands.scales import app as scales
from semscale.cli.commands.serve import serve
from semscale.cli.commands.study import app as study
from semscale.cli.errors import exit_code, said_as_code, say, stopped
from semscale.cli.interrupts import end, heed_interrupts
from semscale.cli.single_values import CommandGroup
from semscale.cli.streams import flush_output, prepare_streams
from semscale.version import __version__

PROGRAM = "semscale"


class _Commands(TyperGroup):
    """Commands of one word or two: ``match FILE`` takes a file, and ``match evaluate`` is another command."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - whichever click it is
        """Find the command by its first two words, or else by its first."""
        both = " ".join(args[:2])
        return super().resolve_command(ctx, [both, *args[2:]] if both in self.commands else args)


app = CommandGroup(
    name=PROGRAM,
    cls=_Commands,
    help="Measure what free text means: survey answers, reviews and LLM output on a scale, offline.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(rate)
app.command()(calibrate)
app.command()(label)
app.command()(columns)
app.command()(consistency)
app.command()(embed)
app.command()(serve)
app.command()(match)
app.command("match evaluate")(evaluate)
app.command()(judge)
app.command("judge audit")(judge_audit)
app.command("judge compare")(judge_compare)
app.command("judge label")(judge_label)
app.add_typer(study, name="study")
app.command()(code)
app.command("code label")(code_label)
app.command("code suggest")(code_suggest)
app.add_typer(drift, name="drift")
app.add_typer(scales, name="scales")
app.add_typer(bertscore, name="bertscore")
app.add_typer(models, name="models")
app.add_typer(cache, name="cache")

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
