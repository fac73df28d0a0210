"""The commands ``semscale models``: list, pull, verify and find models."""

from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.single_values import CommandGroup

app = CommandGroup(help="Models: list, pull, verify, and find their files.", no_args_is_help=True)

_A_MODEL = "A known model, or organisation/name on the Hugging Face hub"


@app.command("list")
def list_models() -> None:
    """List the known models, and whatever else has been pulled."""
    from rich.table import Table

    from semscale.report.terminal import print_table
    from semscale.weights.known import HUB_MODELS, KNOWN
    from semscale.weights.resolving import installed

    here = installed()
    named = {model.hub_id: model for model in HUB_MODELS}
    table = Table("model", "on this disk", "size", "licence", "what it is", box=None, header_style="bold")
    for model in KNOWN.values():
        table.add_row(
            model.name,
            "yes" if model.name in here else "no",
            _megabytes(model.size),
            model.licence,
            model.summary,
        )
    for name in dict.fromkeys([*named, *here]):
        if name not in KNOWN:
            there, size = ("yes", _megabytes(_size_of(name))) if name in here else ("no", "")
            licence, said = (named[name].licence, f"{named[name].summary}; ") if name in named else ("", "")
            table.add_row(name, there, size, licence, f"{said}from the hub, hash not pinned")
    print_table(table)


@app.command()
def pull(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help=f"{_A_MODEL}; both default models unless given: e5-small (89 MB), which rate uses, and "
            "all-MiniLM-L6-v2 (91 MB), which the other commands use.",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--from", metavar="FOLDER", help="Look for the files here first.")
    ] = None,
) -> None:
    """Pull a model's files onto this disk; damaged files are pulled again."""
    from semscale.cli.interrupts import said_if_stopped
    from semscale.cli.progress import progress_bars
    from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL
    from semscale.weights.resolving import resolve

    stopped = "stopped; a model that was not whole is dropped, and the same command pulls all of it again"
    for each in [name] if name else [DEFAULT_RATING_MODEL, DEFAULT_MODEL]:
        with said_if_stopped(stopped), progress_bars() as progress:
            files = resolve(each, folder=folder, thorough=True, progress=progress)
        pinned = "as pinned" if files.pinned else "not pinned"
        typer.echo(f"{files.name} is in {files.folder} (SHA-256 {files.sha256[:12]}..., {pinned})")


@app.command()
def verify(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="By default every model here.")] = None,
) -> None:
    """Check the hashes of a model's files; exit code 2 if one differs."""
    from semscale.weights.resolving import installed
    from semscale.weights.resolving import verify as verify_files

    names = [name] if name else installed()
    for each in names:
        files = verify_files(each)
        typer.echo(f"{files.name}: all files are {'as pinned' if files.pinned else 'as they were pulled'}")
    if not names:
        typer.echo("no model on this disk yet: semscale models pull brings the default ones")


@app.command()
def path(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help=f"{_A_MODEL}; all-MiniLM-L6-v2 unless given.")
    ] = None,
) -> None:
    """Print the folder with a model's files."""
    from semscale.errors import ModelError
    from semscale.weights.known import DEFAULT_MODEL
    from semscale.weights.resolving import home_of, installed

    name = name or DEFAULT_MODEL
    folder = home_of(name)
    if home_of(name).name.replace("--", "/", 1) not in installed():
        raise ModelError(f"{name} is not on this disk: semscale models pull {name}")
    typer.echo(folder)


def _size_of(name: str) -> int:
    from semscale.weights.resolving import home_of

    return sum(file.stat().st_size for file in home_of(name).rglob("*") if file.is_file())


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.0f} MB"
