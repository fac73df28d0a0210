"""Options of ``semscale drift``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.options.model import option
from semscale.cli.options.table import COLUMNS, OUTPUT, RUN

HISTORY, MEASURING, GATE = "History", "Measuring", "Gate"


class Pairing(StrEnum):
    """How lists of outputs are aligned."""

    ASSIGNMENT = "assignment"
    POSITION = "position"


class Correction(StrEnum):
    """How p-values are corrected for the number of tests."""

    HOLM = "holm"
    BH = "bh"


Outputs = Annotated[
    str,
    typer.Argument(
        metavar="OUTPUTS",
        help="What a model gave: JSONL, CSV, Parquet, Excel, or a folder or file of Athena's exercises.",
    ),
]
RunId = Annotated[
    str, typer.Argument(metavar="RUN", help="A run: the first characters of its id, or latest.")
]
Candidate = Annotated[
    str,
    typer.Argument(
        metavar="CANDIDATE",
        help="A run (first characters of its id, or latest) or a file of outputs, which is recorded first.",
    ),
]

Where = Annotated[
    str | None,
    option(
        HISTORY,
        "--history",
        "SQLite file, or URL of a PostgreSQL database; SEMSCALE_HISTORY or ./semscale-history.sqlite unless "
        "given.",
        metavar="FILE|URL",
    ),
]
Dataset = Annotated[
    str | None,
    option(
        HISTORY, "--dataset", "What the outputs are for; the history's only one unless given.", metavar="NAME"
    ),
]
ModelName = Annotated[
    str | None,
    option(
        HISTORY,
        "--model",
        "What gave the outputs, such as gpt-4o-2024-08-06; Athena's files say so themselves.",
        metavar="NAME",
    ),
]
FileModelName = Annotated[
    str | None,
    option(HISTORY, "--model", "What gave the outputs, where CANDIDATE is a file.", metavar="NAME"),
]
Note = Annotated[str | None, option(HISTORY, "--note", "Anything worth knowing later.", metavar="TEXT")]
RerunOf = Annotated[
    str | None,
    option(
        HISTORY,
        "--rerun-of",
        "The same model and prompt as this run, asked once more: a run, or baseline. Tells how far outputs "
        "differ by chance.",
        metavar="RUN",
    ),
]
Baseline = Annotated[
    str | None,
    option(HISTORY, "--baseline", "Another run than the approved one to compare with.", metavar="RUN"),
]
ApprovedBy = Annotated[str, option(HISTORY, "--by", "Who approves it.", metavar="NAME")]
Why = Annotated[str, option(HISTORY, "--why", "For what reason.", metavar="TEXT")]
Expires = Annotated[
    str | None,
    option(
        HISTORY,
        "--expires",
        "Until when it counts: a span such as 90d, 12w or 24h, or a date.",
        metavar="WHEN",
    ),
]
Merge = Annotated[
    list[str] | None,
    option(
        HISTORY,
        "--merge",
        "Take in what another history holds, a file or a URL; can be repeated.",
        metavar="OTHER",
    ),
]

Id = Annotated[str | None, option(COLUMNS, "--id", "Names of the items.", metavar="COLUMN")]
Input = Annotated[str | None, option(COLUMNS, "--input", "What the model was asked.", metavar="COLUMN")]
Output = Annotated[
    list[str] | None,
    option(
        COLUMNS,
        "--output",
        "What it gave: a text, or a list of texts or objects; can be repeated.",
        metavar="COLUMN",
    ),
]
Field = Annotated[
    list[str] | None,
    option(COLUMNS, "--field", "Numbers of outputs, such as credits; can be repeated.", metavar="NAME"),
]
Groups = Annotated[
    list[str] | None,
    option(COLUMNS, "--by", "Groups that items belong to; can be repeated.", metavar="COLUMN"),
]
Long = Annotated[bool, option(COLUMNS, "--long", "Each row is one output; rows of one id are one item.")]

PairingName = Annotated[
    Pairing,
    option(
        MEASURING, "--pairing", "Lists of outputs: the best assignment, or one by one in order.", shown=True
    ),
]
Layer = Annotated[
    int | None,
    option(
        MEASURING,
        "--layer",
        "For bertscore_f1: whose states are compared; needed where none is known for --embedder.",
        metavar="NUMBER",
    ),
]

GateFile = Annotated[
    Path | None, option(GATE, "--gate", "Settings of the gate; options go before them.", metavar="FILE.yaml")
]
Metrics = Annotated[
    list[str] | None,
    option(GATE, "--metric", "What to test, such as match; can be repeated.", metavar="NAME"),
]
Kinds = Annotated[
    list[str] | None,
    option(GATE, "--by", "Kind of groups to test one by one; can be repeated.", metavar="KIND"),
]
Alpha = Annotated[
    float | None,
    option(GATE, "--alpha", "Chance of a false alarm over all tests; .05 unless given.", metavar="SHARE"),
]
CorrectionName = Annotated[
    Correction | None,
    option(GATE, "--correction", "Of p-values for the number of tests; holm unless given."),
]
Threshold = Annotated[
    list[str] | None,
    option(
        GATE,
        "--threshold",
        "A limit of a mean, such as min_bertscore_f1=0.8 or max_avg_credit_drift=0.5; can be repeated.",
        metavar="NAME=NUMBER",
    ),
]
OverRuns = Annotated[
    bool,
    option(GATE, "--over-runs", "Let all runs since the baseline say what is significant: for a daily gate."),
]

Junit = Annotated[Path | None, option(OUTPUT, "--junit", "JUnit XML, for a CI server.", metavar="FILE.xml")]
Summary = Annotated[
    Path | None,
    option(
        OUTPUT, "--summary", "Markdown, added to the file, such as $GITHUB_STEP_SUMMARY.", metavar="FILE.md"
    ),
]
Github = Annotated[bool, option(OUTPUT, "--github", "Print annotations for GitHub Actions, too.")]
OutItems = Annotated[
    Path | None,
    option(OUTPUT, "--out", "Table of items with losses: .parquet, .csv, .jsonl or .xlsx.", metavar="FILE"),
]

Seed = Annotated[
    int | None, option(RUN, "--seed", "Of everything that is random; 0 unless given.", metavar="NUMBER")
]
