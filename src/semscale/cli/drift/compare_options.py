"""Options of ``semscale drift compare`` and ``gate``."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.drift.options import (
    HISTORY,
    DriftEmbedder,
    HistoryOptions,
    MeasuringOptions,
    RunColumnOptions,
    Seed,
    SourceOptions,
)
from semscale.cli.options.groups import instead, without
from semscale.cli.options.panels import OUTPUT, option
from semscale.cli.options.table import TableOptions
from semscale.cli.outputs import Outputs, written_as

_ITEMS = written_as("Table of items with losses")


@dataclass(frozen=True)
class GateOutputs(Outputs):
    """Files of a decision, and what is printed of it.

    Attributes:
        junit: JUnit XML.
        summary: Markdown that is added to a file.
        github: whether annotations are printed.
    """

    junit: Annotated[Path | None, option(OUTPUT, "JUnit XML, for a CI server.", "FILE.xml")] = None
    summary: Annotated[
        Path | None, option(OUTPUT, "Markdown, added to the file, such as $GITHUB_STEP_SUMMARY.", "FILE.md")
    ] = None
    github: Annotated[bool, option(OUTPUT, "Print annotations for GitHub Actions, too.")] = False

    @property
    def further(self) -> Mapping[str, Path | None]:
        """JUnit XML and the Markdown summary."""
        return {"junit": self.junit, "summary": self.summary}


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """All options of ``semscale drift compare``; ``gate`` has more."""

    candidate: Annotated[
        str,
        typer.Argument(
            metavar="CANDIDATE",
            help="A run (first characters of its id, or latest) or a file of outputs, which is recorded "
            "first.",
        ),
    ]
    baseline: Annotated[
        str | None, option(HISTORY, "Another run than the approved one to compare with.", "RUN")
    ] = None
    history: HistoryOptions
    source: Annotated[SourceOptions, instead(columns=Annotated[RunColumnOptions, without("by")])]
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, _ITEMS]
    embedder: DriftEmbedder
    table: TableOptions
    seed: Seed = None


GATED = instead(outputs=Annotated[GateOutputs, _ITEMS])
"""What ``gate`` has in place of options of ``compare``."""
