"""The command ``semscale rate``: texts in, estimates on the screen, a rated table and a report out."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from semscale.cli.options.model import BaseUrl, Engine, Model, NoCache, Precision, PrecisionName, option
from semscale.cli.options.table import (
    COLUMNS,
    OUTPUT,
    By,
    Encoding,
    Figures,
    File,
    FormatName,
    Interval,
    Json,
    PartRows,
    Report,
    Restart,
    Seed,
    Sheet,
)


class Semantics(StrEnum):
    """Which reading of the method is applied."""

    SAFE = "safe"
    PAPER = "paper"
    GUIDE = "guide"


_RATING = "Rating"

Text = Annotated[str, option(COLUMNS, "--text", "The texts to rate.", metavar="COLUMN")]
Weight = Annotated[str | None, option(COLUMNS, "--weight", "Weights, 0 or more.", metavar="COLUMN")]
Respondent = Annotated[
    str | None,
    option(
        COLUMNS, "--respondent", "Who wrote each text; one person's texts belong together.", metavar="COLUMN"
    ),
]
Human = Annotated[
    str | None,
    option(
        COLUMNS,
        "--human",
        "Human ratings to compare with: a number, or a list like [3, 4].",
        metavar="COLUMN",
    ),
]
HumanRange = Annotated[
    tuple[float, float] | None,
    option(COLUMNS, "--human-range", "Lowest and highest value humans could give.", metavar="LOW HIGH"),
]
ScaleName = Annotated[
    str,
    option(
        _RATING,
        "--scale",
        "A scale's name (see [bold]semscale scales list[/bold]) or YAML file.",
        metavar="SCALE",
    ),
]
AnchorSets = Annotated[
    str | None, option(_RATING, "--anchor-sets", "Use only these sets of anchors.", metavar="NAME,NAME")
]
Temperature = Annotated[
    float,
    option(_RATING, "--temperature", "Below 1 sharper, above 1 flatter.", shown=True, metavar="NUMBER"),
]
Epsilon = Annotated[
    float, option(_RATING, "--epsilon", "Mass added to each rating.", shown=True, metavar="NUMBER")
]
SemanticsName = Annotated[
    Semantics,
    option(_RATING, "--semantics", "A value for every text, or the equation as published.", shown=True),
]
Floor = Annotated[
    str,
    option(
        _RATING,
        "--floor",
        "Cosine below which a text is off topic: auto, none or a number.",
        shown=True,
        metavar="FLOOR",
    ),
]
Missing = Annotated[
    list[str] | None,
    option(
        _RATING,
        "--missing",
        "A code that stands for no answer, such as NA or -99; can be repeated.",
        metavar="CODE",
    ),
]
Out = Annotated[
    Path | None,
    option(OUTPUT, "--out", "Rated table: .parquet, .csv, .jsonl or .xlsx.", metavar="FILE"),
]


def rate(  # noqa: PLR0913, PLR0917 - each is an option of the command
    file: File,
    text: Text,
    scale: ScaleName,
    by: By = None,
    weight: Weight = None,
    respondent: Respondent = None,
    human: Human = None,
    human_range: HumanRange = None,
    out: Out = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    anchor_sets: AnchorSets = None,
    temperature: Temperature = 1.0,
    epsilon: Epsilon = 0.0,
    semantics: SemanticsName = Semantics.SAFE,
    floor: Floor = "auto",
    missing: Missing = None,
    model: Model = None,
    precision: PrecisionName = Precision.EXACT,
    engine: Engine = "openvino",
    base_url: BaseUrl = None,
    no_cache: NoCache = False,  # noqa: FBT002
    encoding: Encoding = None,
    format: FormatName = None,  # noqa: A002
    sheet: Sheet = None,
    interval: Interval = 0.95,
    seed: Seed = 0,
    part_rows: PartRows = 50_000,
    restart: Restart = False,  # noqa: FBT002
) -> None:
    """Rate a column of texts on a scale, and say what they say altogether.

    [bold]semscale rate answers.csv --text comment --scale satisfaction --report rated.html[/bold]

    Stopped at any moment, the same command with --out goes on after the last finished part.

    Texts that a spreadsheet would run as a formula get a leading apostrophe in CSV.
    """
    from semscale.cli.options.model_choice import ModelChoice
    from semscale.cli.outputs import Outputs, present
    from semscale.cli.runs.rating import RatingRun, as_floor
    from semscale.rating.files.columns import FileColumns
    from semscale.rating.files.file_rating import FileSettings

    run = RatingRun(
        columns=FileColumns(text, by, weight, respondent, human, human_range),
        scale=scale,
        rating={
            "anchor_sets": _names(anchor_sets),
            "temperature": temperature,
            "epsilon": epsilon,
            "semantics": semantics.value,
            "floor": as_floor(floor),
            "missing": missing or [],
        },
        model=ModelChoice(model, precision.value, engine, base_url, cache=not no_cache),
        settings=FileSettings(part_rows, interval, seed, restart),
        outputs=Outputs(out, report, figures),
    )
    run.check_options()
    summary = run.on(file, encoding=encoding, format=None if format is None else format.value, sheet=sheet)
    present(summary, run.outputs, json=json)


def _names(listed: str | None) -> list[str] | None:
    return None if listed is None else [name.strip() for name in listed.split(",") if name.strip()]
