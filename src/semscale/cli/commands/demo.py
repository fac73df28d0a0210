"""The command ``semscale demo``: a first result that needs no file."""

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.options.panels import OUTPUT, option


def demo(
    context: typer.Context,
    folder: Annotated[
        Path, option(OUTPUT, "Folder for the ratings and the report.", "FOLDER", name="--out", shown=True)
    ] = Path("semscale-demo"),
    no_open: Annotated[bool, option(OUTPUT, "Leave the browser closed.", name="--no-open")] = False,
) -> None:
    """Rate 300 sentences of product reviews, compare them with people's ratings, and open the report.

    The sentences come with Semscale, each rated by 20 people. The first run pulls the model (89 MB) once.
    """
    from semscale.store.atomic import check_folder

    check_folder(folder, "out")
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.html"
    reviews = folder / "reviews.csv"
    reviews.write_bytes((resources.files("semscale.cli") / "sample" / "reviews.csv").read_bytes())
    arguments = [
        "rate",
        str(reviews),
        *("--text", "text", "--scale", "quality", "--respondent", "review"),
        *("--human", "human_ratings", "--human-range", "-4", "4"),
        *("--out", str(folder / "ratings.csv"), "--report", str(report)),
    ]
    context.find_root().command.main(arguments, context.find_root().info_name, standalone_mode=False)
    typer.echo(f"\nThe same with your own file: semscale {' '.join(arguments)}")
    if not no_open:
        typer.launch(str(report.resolve()))
