"""Options that several commands of ``semscale drift`` share."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

from semscale.cli.options.groups import instead, option_group
from semscale.cli.options.model import EmbedderOptions
from semscale.cli.options.panels import COLUMNS, MODEL, RUN, column, option
from semscale.drift.measure.direction import Direction
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.drift.runs.run_columns import RunColumns
    from semscale.history.history import History

HISTORY, MEASURING, GATE = "History", "Measuring", "Gate"

_VARIABLE = "SEMSCALE_HISTORY"
_DEFAULT_FILE = "semscale-history.sqlite"  # in the current folder, where people see, name and may commit it


@option_group
class HistoryOptions:
    """The history and its dataset."""

    dataset: Annotated[
        str | None, option(HISTORY, "Name of the dataset; the history's only one unless given.", "NAME")
    ] = None
    where: Annotated[
        str | None,
        option(
            HISTORY,
            "SQLite file, or URL of a PostgreSQL database; SEMSCALE_HISTORY or ./semscale-history.sqlite "
            "unless given.",
            "FILE|URL",
            name="--history",
        ),
    ] = None

    def open(self, *, create: bool = False) -> "History":
        """Open the history that is named, or the environment's, or the one in this folder.

        Args:
            create: whether to start one where there is none.

        Raises:
            InputError: it cannot be opened, or there is none.
        """
        from semscale.history.databases.opening import open_history

        return open_history(self.where or os.environ.get(_VARIABLE) or _DEFAULT_FILE, create=create)


@option_group
class RunColumnOptions:
    """The columns of a table of outputs, as ``RunColumns`` takes them."""

    id: Annotated[str | None, column("Names of the items.")] = None
    input: Annotated[str | None, column("What the model was asked.")] = None
    output: Annotated[
        list[str] | None,
        column("What the model gave: a text, or a list of texts or objects; can be repeated."),
    ] = None
    field: Annotated[
        list[str] | None, option(COLUMNS, "Numbers of outputs, such as credits; can be repeated.", "NAME")
    ] = None
    by: Annotated[list[str] | None, column("Groups that items belong to; can be repeated.")] = None
    reference: Annotated[
        str | None, column("Answers known to be right, which say what is better and what is worse.")
    ] = None
    long: Annotated[bool, option(COLUMNS, "Each row is one output; rows of one id are one item.")] = False

    @property
    def columns(self) -> "RunColumns":
        """The columns; what is not given is as ``RunColumns`` takes them."""
        from semscale.drift.runs.run_columns import RunColumns

        usual = RunColumns()
        return RunColumns(
            id=self.id or usual.id,
            input=self.input or usual.input,
            output=tuple(self.output or usual.output),
            fields=tuple(self.field or ()),
            by=tuple(self.by or ()),
            long=self.long,
            reference=self.reference,
        )


@option_group
class SourceOptions:
    """Description of a file of outputs.

    Attributes:
        model: what gave the outputs; Athena's files and evaluation logs may say so themselves.
        note: about the run.
        columns: which column is what.
    """

    model: Annotated[
        str | None, option(HISTORY, "Model that gave the outputs, if CANDIDATE is a file.", "NAME")
    ] = None
    note: Annotated[str | None, option(HISTORY, "Anything worth knowing later.", "TEXT")] = None
    columns: RunColumnOptions = RunColumnOptions()


@option_group
class MeasuringOptions:
    """How runs are measured, beside the model."""

    pairing: Annotated[
        Literal["assignment", "position"],
        option(MEASURING, "How lists of outputs are paired: best assignment, or in order.", shown=True),
    ] = "assignment"
    layer: Annotated[
        int | None,
        option(
            MEASURING, "Layer that bertscore_f1 compares; needed if none is known for the embedder.", "NUMBER"
        ),
    ] = None
    directions: Annotated[
        list[str] | None,
        option(
            MEASURING,
            "Which numbers of a field are better: lower, higher, or either, if any change counts; can be "
            "repeated. What calls took, and cost, price, latency and duration: lower unless given.",
            "FIELD=lower|higher|either",
            name="--direction",
        ),
    ] = None

    @property
    def fields(self) -> "dict[str, Direction]":
        """Directions by field.

        Raises:
            InputError: one is not written so, or a field has two.
        """
        found: dict[str, Direction] = {}
        for written in self.directions or ():
            name, _, way = (part.strip() for part in written.rpartition("="))
            if not name or way not in get_args(Direction):
                raise InputError(
                    "--direction must be a field with lower, higher or either, such as cost=lower, got "
                    f"{written!r:.60}"
                )
            if found.setdefault(name, cast("Direction", way)) != way:
                raise InputError(f"--direction {name} is given as {found[name]} and as {way}: keep one")
        return found


@option_group
class GateOptions:
    """Options of the gate: its tests, and when it fails."""

    file: Annotated[
        Path | None, option(GATE, "Settings of the gate; options override them.", "FILE.yaml", name="--gate")
    ] = None
    metrics: Annotated[
        list[str] | None,
        option(GATE, "What to test, such as match; can be repeated.", "NAME", name="--metric"),
    ] = None
    by: Annotated[
        list[str] | None, option(GATE, "Kind of groups to test one by one; can be repeated.", "KIND")
    ] = None
    alpha: Annotated[
        float | None, option(GATE, "Chance of a false alarm over all tests; .05 unless given.", "SHARE")
    ] = None
    correction: Annotated[
        Literal["holm", "bh", "benjamini-hochberg"] | None,
        option(GATE, "Correction of p-values for several tests; holm unless given. bh: benjamini-hochberg."),
    ] = None
    thresholds: Annotated[
        list[str] | None,
        option(
            GATE,
            "A limit of a mean, such as min_bertscore_f1=0.8 or max_avg_credit_drift=0.5; can be repeated.",
            "NAME=NUMBER",
            name="--threshold",
        ),
    ] = None
    limits: Annotated[
        list[str] | None,
        option(
            GATE,
            "Items that may break a hard limit, a share of them below 1, or off, such as silenced=2 or "
            "changed_numbers=off; can be repeated.",
            "NAME=NUMBER|off",
            name="--limit",
        ),
    ] = None
    must_pass: Annotated[
        list[str] | None,
        option(GATE, "Item that fails the gate alone when it becomes worse; can be repeated.", "ID"),
    ] = None
    undecided: Annotated[
        Literal["fail", "warn", "pass"] | None,
        option(
            GATE, "What an undecided gate does: exit code 1, or 0 with or without a warning; 4 unless given."
        ),
    ] = None
    over_runs: Annotated[bool, option(GATE, "Test over all runs since the baseline, for a daily gate.")] = (
        False
    )
    no_noise_history: Annotated[bool, option(GATE, "Take no account of earlier runs in the noise.")] = False


DriftEmbedder = Annotated[
    EmbedderOptions,
    instead(
        engine=option(MODEL, "openvino or torch.", "ENGINE", shown=True),
        base_url=option(MODEL, "Endpoint of an engine that has one.", "URL"),
    ),
]
Seed = Annotated[int | None, option(RUN, "Seed of everything that is random; 0 unless given.", "NUMBER")]
