"""The commands ``semscale match`` and ``semscale match evaluate``: texts beside what they should say."""

from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.options.model import BaseUrl, Engine, Model, NoCache, Precision, PrecisionName, option
from semscale.cli.options.table import (
    COLUMNS,
    OUTPUT,
    RUN,
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

_MATCHING = "Matching"

Prediction = Annotated[str, option(COLUMNS, "--prediction", "The texts to be judged.", metavar="COLUMN")]
Reference = Annotated[
    list[str],
    option(
        COLUMNS,
        "--reference",
        'What they should say: texts, or lists like ["one", "other"]; can be repeated.',
        metavar="COLUMN",
    ),
]
Method = Annotated[str, option(_MATCHING, "--method", "How to match.", shown=True, metavar="METHOD")]
Corpus = Annotated[
    str | None,
    option(
        _MATCHING,
        "--corpus",
        "Texts to estimate word weights and unrelated pairs from: a .txt file with one a line, or a table; "
        "the references unless given.",
        metavar="FILE",
    ),
]
CorpusColumn = Annotated[
    str | None, option(_MATCHING, "--corpus-column", "Its column, where it is a table.", metavar="COLUMN")
]
Explain = Annotated[
    bool, option(_MATCHING, "--explain", "Show which words and findings made the lowest scores.")
]
Guard = Annotated[
    list[str] | None,
    option(
        _MATCHING,
        "--guard",
        "What a guard does: negation, opposite, number, name or all, =off, =warn or =weigh; can be repeated.",
        metavar="GUARD=MODE",
    ),
]
RecallShare = Annotated[
    float | None,
    option(
        _MATCHING,
        "--recall-share",
        "For calibrated: 0 asks whether all that is said is backed, 1 whether all of the reference is said.",
        metavar="SHARE",
    ),
]
Layer = Annotated[
    int | None, option(_MATCHING, "--layer", "For bertscore: whose states are compared.", metavar="NUMBER")
]
Out = Annotated[
    Path | None, option(OUTPUT, "--out", "Matched table: .parquet, .csv, .jsonl or .xlsx.", metavar="FILE")
]
Folder = Annotated[
    str, typer.Argument(metavar="FOLDER", help="Holds true_false.json, short.json and the others.")
]
OutItems = Annotated[
    Path | None,
    option(OUTPUT, "--out", "Table of items: .parquet, .csv, .jsonl or .xlsx.", metavar="FILE"),
]
DrawSeed = Annotated[int, option(RUN, "--seed", "Of what is drawn.", shown=True, metavar="NUMBER")]


def match(  # noqa: PLR0913, PLR0917 - each is an option of the command
    file: File,
    prediction: Prediction,
    reference: Reference,
    by: By = None,
    method: Method = "calibrated",
    corpus: Corpus = None,
    corpus_column: CorpusColumn = None,
    explain: Explain = False,  # noqa: FBT002
    guard: Guard = None,
    recall_share: RecallShare = None,
    layer: Layer = None,
    out: Out = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
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
    """Say how far predictions say what their references say, and why.

    [bold]semscale match answers.csv --prediction answer --reference expected --report match.html[/bold]

    Of several references the one that gives the highest score counts.

    Stopped at any moment, the same command with --out goes on after the last finished part.

    Texts that a spreadsheet would run as a formula get a leading apostrophe in CSV.
    """
    from semscale.cli.options.corpus import corpus_choice
    from semscale.cli.options.guards import guard_modes
    from semscale.cli.options.model_choice import ModelChoice
    from semscale.cli.outputs import Outputs, present
    from semscale.cli.runs.match import MatchRun
    from semscale.matching.match_columns import MatchColumns
    from semscale.stats.intervals.estimates import IntervalPlan
    from semscale.store.table_run import PartSettings

    run = MatchRun(
        columns=MatchColumns(prediction, tuple(reference), by),
        method=method,
        model=ModelChoice(model, precision.value, engine, base_url, cache=not no_cache),
        plan=IntervalPlan(interval, seed=seed),
        corpus=corpus_choice(corpus, corpus_column),
        explain=explain,
        guards=guard_modes(guard or []),
        recall_share=recall_share,
        layer=layer,
        outputs=Outputs(out, report, figures),
        parts=PartSettings(part_rows, restart),
    )
    run.check_options()
    summary = run.on(file, encoding=encoding, format=None if format is None else format.value, sheet=sheet)
    present(summary, run.outputs, json=json)


def evaluate(  # noqa: PLR0913, PLR0917 - each is an option of the command
    folder: Folder,
    method: Method = "cliniqlink-doc",
    corpus: Corpus = None,
    corpus_column: CorpusColumn = None,
    out: OutItems = None,
    report: Report = None,
    figures: Figures = None,
    json: Json = False,  # noqa: FBT002
    model: Model = None,
    precision: PrecisionName = Precision.EXACT,
    seed: DrawSeed = 0,
) -> None:
    """Score a submission to ClinIQLink: closed questions by rule, open ones by matching.

    Each task file holds {"inputs": [...], "responses": [...]}; files that are not there are left out.
    """
    from semscale.cli.options.corpus import corpus_choice
    from semscale.cli.options.model_choice import ModelChoice
    from semscale.cli.outputs import Outputs, present
    from semscale.cli.runs.evaluate import EvaluateRun

    run = EvaluateRun(
        method=method,
        model=ModelChoice(model, precision.value),
        corpus=corpus_choice(corpus, corpus_column),
        seed=seed,
        outputs=Outputs(out, report, figures),
    )
    present(run.on(folder), run.outputs, json=json)
