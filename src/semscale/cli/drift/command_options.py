"""All options of each command of ``semscale drift``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.drift.asking.asking_options import AskedRunOptions
from semscale.cli.drift.options import (
    HISTORY,
    DriftEmbedder,
    GateOptions,
    HistoryOptions,
    MeasuringOptions,
    RunColumnOptions,
    Seed,
    SourceOptions,
)
from semscale.cli.drift.side_by_side_options import PairJudgeOptions
from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import instead, option_group, refuse_given, without
from semscale.cli.options.panels import OUTPUT, RUN, option, setting
from semscale.cli.options.table import TableOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError

_DAMAGE = "Damage"
_ITEMS = written_as("Table of items with losses")


@option_group
class RecordOptions:
    """All options of ``semscale drift record``.

    Raises:
        InputError: neither a file nor prompts, both, or options of the one with the other.
    """

    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[OUTPUTS]",
            help="A model's outputs: JSONL, CSV, Parquet, Excel, or a folder or file of Athena's exercises. "
            "Leave it out to ask the model with --prompts.",
        ),
    ] = None
    source: Annotated[
        SourceOptions,
        instead(
            model=option(
                HISTORY,
                "Model that gave the outputs, such as gpt-4o-2024-08-06; Athena's files name it themselves.",
                "NAME",
            )
        ),
    ]
    history: HistoryOptions
    rerun_of: Annotated[
        str | None,
        option(
            HISTORY,
            "The same model and prompt as this run, asked once more: a run, or baseline. Tells how far "
            "outputs differ by chance.",
            "RUN",
        ),
    ] = None
    asking: AskedRunOptions
    calls: CallOptions
    outputs: Annotated[Outputs, without("out", "report", "figures")]
    table: TableOptions

    def __post_init__(self) -> None:
        if self.asking.prompts is None:
            refuse_given("--prompts FILE, which is not given", self.asking, self.calls)
            if self.file is None:
                raise InputError(
                    "name a file of outputs, or what to ask: --prompts FILE with --chat-model NAME"
                )
        else:
            owner = "a file of outputs, and not to --prompts"
            refuse_given(owner, self.source.columns, but=("id", "input", "by", "reference"))
            if self.asking.command is not None:
                # A program's calls cannot be counted or capped from outside.
                refuse_given("--chat-model, and not to --command", self.calls, but=("timeout", "ledger"))
                refuse_given("--chat-model, and not to --command", self.asking.request)
            if self.file is not None:
                raise InputError("give either a file of outputs or --prompts, got both")


@option_group
class ApprovalOptions:
    """All options of ``semscale drift approve``."""

    run: Annotated[
        str, typer.Argument(metavar="RUN", help="A run: the first characters of its id, or latest.")
    ]
    by: Annotated[str, option(HISTORY, "Who approves it.", "NAME")]
    why: Annotated[str, option(HISTORY, "Why it is approved.", "TEXT")]
    expires: Annotated[
        str | None, option(HISTORY, "When it expires: a span such as 90d, 12w or 24h, or a date.", "WHEN")
    ] = None
    history: HistoryOptions
    outputs: Annotated[Outputs, without("out", "report", "figures")]


@option_group
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


@option_group
class CompareOptions:
    """All options of ``semscale drift compare``; ``gate`` has more.

    Raises:
        InputError: a rubric or caps of calls without a judge.
    """

    candidate: Annotated[
        str,
        typer.Argument(
            metavar="CANDIDATE",
            help="A run (first characters of its id, or latest) or a file of outputs, which is recorded "
            "first.",
        ),
    ]
    baseline: Annotated[
        str | None, option(HISTORY, "Run to compare with instead of the approved one.", "RUN")
    ] = None
    history: HistoryOptions
    source: Annotated[SourceOptions, instead(columns=Annotated[RunColumnOptions, without("by")])]
    measuring: MeasuringOptions
    judge: PairJudgeOptions
    calls: Annotated[CallOptions, without("dry_run")]
    outputs: Annotated[Outputs, _ITEMS]
    embedder: DriftEmbedder
    table: TableOptions
    seed: Seed = None

    def __post_init__(self) -> None:
        if self.judge.model is None:
            refuse_given("--judge-model NAME, which is not given", self.judge, self.calls)


GATED = instead(outputs=Annotated[GateOutputs, _ITEMS])
"""Options that ``gate`` has in place of those of ``compare``."""


@option_group
class HistoryViewOptions:
    """All options of ``semscale drift history``."""

    history: HistoryOptions
    merge: Annotated[
        list[str] | None,
        option(HISTORY, "Add the contents of another history, a file or a URL; can be repeated.", "OTHER"),
    ] = None
    verify: Annotated[
        bool, option(HISTORY, "Check that no entry was changed, and print the hashes to note down.")
    ] = False
    heads: Annotated[
        list[str] | None,
        option(
            HISTORY,
            "A hash that was noted before: --verify checks that it is still there; can be repeated.",
            "HASH",
            name="--head",
        ),
    ] = None
    outputs: Annotated[Outputs, without("out")]


@option_group
class DamageOptions:
    """How a run is damaged, and how often."""

    kinds: Annotated[
        list[str] | None,
        option(
            _DAMAGE,
            "Kind of change, such as negate; all unless given; can be repeated.",
            "KIND",
            name="--damage",
        ),
    ] = None
    shares: Annotated[
        list[float] | None,
        option(
            _DAMAGE,
            "Share of the items that are damaged; .1, .25, .5 and 1 unless given; can be repeated.",
            "SHARE",
            name="--share",
        ),
    ] = None
    items: Annotated[int, setting(_DAMAGE, "Items that each gate sees.")] = 30
    draws: Annotated[int, setting(_DAMAGE, "Gates run for each kind and share.")] = 200


@option_group
class SelfTestOptions:
    """All options of ``semscale drift self-test``."""

    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]",
            help="A run to damage instead of the baseline: first characters of its id, or latest.",
        ),
    ] = None
    history: HistoryOptions
    damage: DamageOptions
    gate: Annotated[GateOptions, without("over_runs", "no_noise_history", "must_pass", "undecided")]
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, written_as("Table of all rates")]
    embedder: DriftEmbedder
    seed: Seed = None


@option_group
class PlanOptions:
    """All options of ``semscale drift plan``."""

    history: HistoryOptions
    power: Annotated[float, setting(RUN, "Chance of finding the drift.", "SHARE")] = 0.8
    drift: Annotated[
        list[str] | None,
        option(
            RUN, "Drift to plan for: a number for all metrics, or METRIC=NUMBER; can be repeated.", "NUMBER"
        ),
    ] = None
    items: Annotated[
        int | None, option(RUN, "Items to plan with; those of the baseline unless given.", "NUMBER")
    ] = None
    gate: Annotated[
        GateOptions,
        without("thresholds", "over_runs", "no_noise_history", "limits", "must_pass", "undecided"),
    ]
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, without("out", "figures")]
    embedder: DriftEmbedder
    seed: Seed = None
