"""Options of ``semscale consistency``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

from semscale.cli.options.model import option
from semscale.cli.options.table import COLUMNS, OUTPUT, RUN

_MEASURING, _ASKING, _TRUST, _MODEL = "Measuring", "Asking", "Trust", "Model"


class Curve(StrEnum):
    """How consistency becomes a probability."""

    PLATT = "platt"
    ISOTONIC = "isotonic"


Prompt = Annotated[str | None, option(COLUMNS, "--prompt", "The questions.", metavar="COLUMN")]
Answer = Annotated[str | None, option(COLUMNS, "--answer", "The answers to be judged.", metavar="COLUMN")]
Sample = Annotated[
    list[str] | None,
    option(
        COLUMNS,
        "--sample",
        'Further answers to the same question: texts, or lists like ["one", "other"]; can be repeated.',
        metavar="COLUMN",
    ),
]
Item = Annotated[
    str | None,
    option(
        COLUMNS,
        "--item",
        "Which rows belong to one question: its first row has the answer, the others a sample each.",
        metavar="COLUMN",
    ),
]
Label = Annotated[
    str | None, option(COLUMNS, "--label", "Whether the answer is right, where checked.", metavar="COLUMN")
]
Measures = Annotated[
    list[str] | None,
    option(_MEASURING, "--measure", "What to measure; can be repeated, the first counts.", metavar="NAME"),
]
Floor = Annotated[
    str,
    option(
        _MEASURING,
        "--floor",
        "Cosine of answers to different questions: auto or a number.",
        shown=True,
        metavar="FLOOR",
    ),
]
Fewest = Annotated[
    int,
    option(_MEASURING, "--fewest-samples", "Samples that a question needs.", shown=True, metavar="NUMBER"),
]
Ask = Annotated[
    int | None,
    option(_ASKING, "--ask", "Ask a model for an answer and so many samples a question.", metavar="NUMBER"),
]
ChatName = Annotated[
    str | None,
    option(_ASKING, "--model", "The model to ask: a name at an endpoint, or local.", metavar="NAME"),
]
ChatUrl = Annotated[
    str | None, option(_ASKING, "--base-url", "An OpenAI-compatible endpoint.", metavar="URL")
]
Temperature = Annotated[
    float, option(_ASKING, "--temperature", "Of the samples.", shown=True, metavar="NUMBER")
]
System = Annotated[
    str | None, option(_ASKING, "--system", "Instructions before every question.", metavar="TEXT")
]
MaxTokens = Annotated[
    int | None, option(_ASKING, "--max-tokens", "Length at which replies are cut.", metavar="NUMBER")
]
StopAt = Annotated[
    float | None,
    option(
        _ASKING,
        "--stop-at",
        "Stop asking once it is settled on which side of this consistency a question lies.",
        metavar="NUMBER",
    ),
]
StopConfidence = Annotated[
    float, option(_ASKING, "--stop-confidence", "How settled.", shown=True, metavar="NUMBER")
]
CurveName = Annotated[
    Curve, option(_TRUST, "--curve", "From consistency to the probability of being right.", shown=True)
]
ErrorRate = Annotated[
    float, option(_TRUST, "--error-rate", "Wrong among accepted answers.", shown=True, metavar="SHARE")
]
LostRate = Annotated[
    float, option(_TRUST, "--lost-rate", "Right among answers given up.", shown=True, metavar="SHARE")
]
Embedder = Annotated[
    str | None,
    option(_MODEL, "--embedder", "The embedding model: name, folder, or name on the hub.", metavar="MODEL"),
]
Out = Annotated[
    Path | None, option(OUTPUT, "--out", "Measured table: .parquet, .csv, .jsonl or .xlsx.", metavar="FILE")
]
Confidence = Annotated[
    float, option(RUN, "--confidence", "Of what the thresholds promise.", shown=True, metavar="NUMBER")
]
