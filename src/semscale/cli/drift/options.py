"""Options of the commands ``semscale drift``."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from semscale.chat.settings import CHAT, AskSettings
from semscale.cli.open import ListeningOptions
from semscale.cli.options import Rare, Without, refuse_stated
from semscale.cli.outputs import OUTPUT, Outputs
from semscale.cli.shared import (
    ARGUMENTS,
    HISTORY,
    CallOptions,
    ChatOptions,
    EmbedderOptions,
    HistoryOptions,
    TableOptions,
)
from semscale.drift.columns import AnchorColumns, RunColumns
from semscale.drift.settings import GATE, Direction, GateSettings, read_gate_settings
from semscale.embedding.token_states import TOKENLESS_ENGINES
from semscale.errors import InputError
from semscale.settings import RUN, Option, Settings

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.drift.comparison import DriftMeter
    from semscale.judging.judge import Judge
    from semscale.types import Progress

MEASURING, JUDGE, DAMAGE = "Measuring", "Judge", "Damage"


class OutputColumns(RunColumns):
    """Columns of outputs, prompts or anchors; which of these is known only where they are read."""

    def model_post_init(self, _context: object) -> None:
        """Check nothing: prompts and anchors have columns of their own."""

    def of_outputs(self) -> RunColumns:
        """Return the columns, checked as those of outputs.

        Raises:
            InputError: a column is named twice.
        """
        return RunColumns(**dict(self))


class SourceOptions(Settings):
    """Description of a file of outputs."""

    model: Annotated[
        str | None,
        Field(description="Model that produced the outputs (default: as in the file, or the file's name)."),
        Option(HISTORY, "NAME"),
    ] = None
    note: Annotated[
        str | None, Field(description="Note that is stored with the run."), Option(HISTORY, "TEXT", rare=True)
    ] = None
    columns: OutputColumns


class MeasuringOptions(Settings):
    """Settings of the measurement: the embedding model, and how outputs are paired."""

    embedder: Annotated[EmbedderOptions, Rare("name")]
    pairing: Annotated[
        Literal["assignment", "position"],
        Field(description="Pairing of lists of outputs: best assignment, or by position."),
        Option(MEASURING, rare=True),
    ] = "assignment"
    layer: Annotated[
        int | None,
        Field(description="Layer that bertscore_f1 compares; needed if none is known for the embedder."),
        Option(MEASURING, rare=True),
    ] = None
    seed: Annotated[int, Field(description="Seed of all random numbers."), Option(RUN, rare=True)] = 0

    def meter(self, fields: Mapping[str, Direction] | None = None) -> "DriftMeter":
        """Return the meter; with the engine ``openvino`` the model is loaded when it is first needed.

        Args:
            fields: numbers of a field that are better, by field.

        Raises:
            InputError: the engine has no token states, or a setting is invalid.
            MissingExtraError: the engine's extra is not installed.
        """
        from semscale.drift.comparison import DriftMeter

        embedder = self.embedder
        if embedder.engine in TOKENLESS_ENGINES:
            raise InputError(
                f"--engine must be openvino or torch, which give token states, got {embedder.engine!r}"
            )
        is_named = embedder.engine == "openvino"
        return DriftMeter(
            embedder.chosen_name if is_named else embedder.load(None),
            precision=embedder.precision,
            seed=self.seed,
            pairing=self.pairing,
            layer=self.layer,
            cache=embedder.cache,
            fields=fields,
        )


def load_chat(chat: ChatOptions, name: str, progress: "Progress | None" = None) -> "ChatModel":
    """Load a chat model; the first time a local one's weights are pulled.

    Args:
        chat: the endpoint.
        name: a model's name, or ``NAME@URL`` for one at another endpoint.
        progress: called while weights are pulled.

    Raises:
        SemscaleError: it cannot be loaded.
    """
    from semscale.chat import load_chat_model

    model, at, address = name.partition("@http")
    if at:
        return load_chat_model(model, base_url=f"http{address}", progress=progress)
    return chat.load(progress, name=model)


class PairJudgeOptions(Settings):
    """The judge that compares answers side by side, if there is one."""

    model: Annotated[
        str | None,
        Field(description="Chat model that compares each pair in both orders: NAME, NAME@URL or local."),
        Option(JUDGE, "NAME", name="--judge-model"),
    ] = None
    rubric: Annotated[
        str | None,
        Field(description="Instructions on which answer is better, or @FILE."),
        Option(JUDGE, "TEXT", rare=True),
    ] = None
    method: Annotated[
        Literal["prose", "decision"],
        Field(description="Form of the reply: prose, or decision with a probability for each verdict."),
        Option(JUDGE, name="--reply", rare=True),
    ] = "prose"

    def load(self, chat: ChatOptions, progress: "Progress | None" = None) -> "Judge | None":
        """Load the judge; ``None`` without one.

        Raises:
            SemscaleError: the model cannot be loaded, or a file cannot be read.
        """
        from semscale.cli.judge import read_rubric
        from semscale.judging.judge import Judge
        from semscale.judging.templates import side_by_side_template

        if self.model is None:
            return None
        template = side_by_side_template(read_rubric(self.rubric) or "")
        return Judge(load_chat(chat, self.model, progress), template=template, method=self.method)


class ApproveOptions(Settings):
    """Approval of a run at the moment when it is recorded.

    Raises:
        InputError: a person, a reason or an expiry without an approval.
    """

    approve: Annotated[
        bool,
        Field(description="Make the run the baseline of its dataset at once."),
        Option(HISTORY),
    ] = False
    by: Annotated[
        str | None,
        Field(description="Name of the person who approves the run (default: the user's name)."),
        Option(HISTORY, "NAME", name="--approved-by", rare=True),
    ] = None
    why: Annotated[
        str | None,
        Field(description="Reason for the approval (default: “approved when recorded”)."),
        Option(HISTORY, "TEXT", rare=True),
    ] = None
    expires: Annotated[
        str | None,
        Field(description="Expiry of the approval: a span such as 90d, 12w or 24h, or a date."),
        Option(HISTORY, "WHEN", rare=True),
    ] = None

    def model_post_init(self, _context: object) -> None:
        """Refuse details of an approval without one."""
        if not self.approve:
            refuse_stated("--approve, which is not given", self)


class RecordOptions(Settings):
    """All options of ``semscale drift record``.

    Raises:
        InputError: not exactly one of a file, prompts and anchors, or options that belong to another one.
    """

    file: Annotated[
        str | None,
        Field(description="Table of outputs, or Athena's exercises; without it --prompts asks the model."),
        Option(ARGUMENTS, "[OUTPUTS]", positional=True),
    ] = None
    source: SourceOptions
    history: HistoryOptions
    rerun_of: Annotated[
        str | None,
        Field(description="Run that this one repeats with the same model and prompt, or baseline."),
        Option(HISTORY, "RUN"),
    ] = None
    approval: ApproveOptions
    anchors: Annotated[
        str | None,
        Field(description="Table of 10 to 500 pairs (reference, output) that each gate measures again."),
        Option(HISTORY, "FILE", rare=True),
    ] = None
    labels: Annotated[AnchorColumns, Without("reference", "output", "id")]
    prompts: Annotated[
        str | None,
        Field(description="Prompts to send: a table, or a template (.txt, .md) with columns in braces."),
        Option(CHAT, "FILE"),
    ] = None
    items: Annotated[
        str | None,
        Field(description="Table of the items that fill the template, one per row."),
        Option(CHAT, "FILE", rare=True),
    ] = None
    chat: ChatOptions
    command: Annotated[
        str | None,
        Field(description="Program that answers instead; it reads and writes one JSON line per item."),
        Option(CHAT, "PROGRAM", rare=True),
    ] = None
    reruns: Annotated[
        int, Field(ge=0, description="Number of further runs of all prompts."), Option(CHAT)
    ] = 0
    request: AskSettings
    calls: CallOptions
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, Without("out", "escape", "report", "figures", "template")]
    table: Annotated[TableOptions, Without("header")]

    def model_post_init(self, _context: object) -> None:
        """Refuse options that do not go together."""
        forms = {"a file of outputs": self.file, "--prompts": self.prompts, "--anchors": self.anchors}
        given = [name for name, value in forms.items() if value is not None]
        if len(given) > 1:
            raise InputError(f"give either {' or '.join(given)}, got both")
        if not given:
            raise InputError("name a file of outputs, or what to ask: --prompts FILE with --chat-model NAME")
        if self.approval.approve and (self.rerun_of is not None or self.anchors is not None):
            other = "--anchors" if self.rerun_of is None else "--rerun-of"
            raise InputError(f"--approve makes a new run the baseline: leave it or {other} out")
        if self.anchors is None:
            owner = "--anchors FILE, which is not given"
            refuse_stated(owner, self.labels, self.measuring)
        if self.prompts is None:
            self._check_file()
        else:
            self._check_asking()

    def _check_file(self) -> None:
        recording = (
            "file",
            "source",
            "history",
            "rerun_of",
            "approval",
            "anchors",
            "labels",
            "measuring",
            "outputs",
            "table",
        )
        refuse_stated("--prompts FILE, which is not given", self, but=recording)
        if self.anchors is not None:
            owner = "a file of outputs, and not to --anchors"
            refuse_stated(owner, self.source, but=("id", "output", "reference"))
            if self.rerun_of is not None:
                raise InputError(f"--rerun-of belongs to {owner}")

    def _check_asking(self) -> None:
        if self.command is not None and self.chat.is_stated:
            raise InputError("--prompts needs a model to ask: --chat-model or --command, got both")
        if self.command is None and self.chat.model is None:
            raise InputError("--prompts needs a model to ask: --chat-model or --command, got neither")
        owner = "a file of outputs, and not to --prompts"
        refuse_stated(owner, self.source.columns, but=("id", "input", "by", "reference"))
        if self.command is not None:
            # A program's calls cannot be counted or capped from outside.
            refuse_stated("--chat-model, and not to --command", self.calls, but=("timeout", "ledger"))
            refuse_stated("--chat-model, and not to --command", self.request)

    @property
    def anchor_columns(self) -> AnchorColumns:
        """The columns of a table of anchors."""
        columns = self.source.columns
        named = {"reference": columns.reference, "output": columns.output[0], "id": columns.id}
        stated = {name: title for name, title in named.items() if name in columns.model_fields_set}
        return self.labels.with_values(**stated)


class ApprovalOptions(Settings):
    """All options of ``semscale drift approve``."""

    run: Annotated[
        str,
        Field(description="A run: the first characters of its id, or latest."),
        Option(ARGUMENTS, "RUN", positional=True),
    ]
    by: Annotated[
        str,
        Field(description="Name of the person who approves the run."),
        Option(HISTORY, "NAME", name="--approved-by"),
    ]
    why: Annotated[str, Field(description="Reason for the approval."), Option(HISTORY, "TEXT")]
    expires: Annotated[
        str | None,
        Field(description="Expiry: a span such as 90d, 12w or 24h, or a date."),
        Option(HISTORY, "WHEN"),
    ] = None
    history: HistoryOptions
    outputs: Annotated[Outputs, Without("out", "escape", "report", "figures", "template")]


class RejectionOptions(Settings):
    """All options of ``semscale drift reject``."""

    run: Annotated[
        str,
        Field(description="A run: the first characters of its id, latest or baseline."),
        Option(ARGUMENTS, "RUN", positional=True),
    ]
    by: Annotated[
        str,
        Field(description="Name of the person who rejects the run."),
        Option(HISTORY, "NAME", name="--rejected-by"),
    ]
    why: Annotated[str, Field(description="Reason for the rejection."), Option(HISTORY, "TEXT")]
    expires: Annotated[
        str | None,
        Field(description="End of the rejection: a span such as 90d, 12w or 24h, or a date."),
        Option(HISTORY, "WHEN"),
    ] = None
    history: HistoryOptions
    outputs: Annotated[Outputs, Without("out", "escape", "report", "figures", "template")]


class GateOutputs(Outputs):
    """Files of a decision, and what is printed of it."""

    junit: Annotated[
        Path | None, Field(description="JUnit XML, for a CI server."), Option(OUTPUT, "FILE.xml", rare=True)
    ] = None
    summary: Annotated[
        Path | None,
        Field(description="Markdown, added to the file, such as $GITHUB_STEP_SUMMARY."),
        Option(OUTPUT, "FILE.md", rare=True),
    ] = None
    github: Annotated[
        bool, Field(description="Print annotations for GitHub Actions as well."), Option(OUTPUT, rare=True)
    ] = False

    @property
    def further(self) -> Mapping[str, Path | None]:
        """JUnit XML and the Markdown summary."""
        return {"junit": self.junit, "summary": self.summary}

    def check(self) -> None:
        """Check, before anything is read or loaded, that all can be written.

        Raises:
            InputError: an ending, file or folder that does not serve, or one file for two things.
        """
        if self.junit is not None and self.junit.suffix.lower() != ".xml":
            raise InputError("junit", f"must end in .xml, got {self.junit.name!r}")
        super().check()


class DecisionOptions(Settings):
    """Settings of the gate, from a file and from options, which override it."""

    file: Annotated[
        Path | None,
        Field(description="Settings of the gate; options override them."),
        Option(GATE, "FILE.yaml", name="--gate"),
    ] = None
    settings: Annotated[
        GateSettings, Rare("metrics", "by", "alpha", "margins", "thresholds", "must_pass", "fields")
    ]

    @cached_property
    def from_file(self) -> GateSettings:
        """The settings of the file; the defaults without one.

        Raises:
            InputError: the file cannot be read, or a setting is invalid.
        """
        return GateSettings() if self.file is None else read_gate_settings(self.file)

    def read(self) -> GateSettings:
        """Return the settings; margins, limits, thresholds, items and fields of options join the file's.

        Raises:
            InputError: the file cannot be read, or a setting is invalid.
        """
        settings = self.from_file
        changed: dict[str, object] = {}
        for name in self.settings.model_fields_set:
            value, known = getattr(self.settings, name), getattr(settings, name)
            if isinstance(value, Mapping):
                value = {**known, **value}
            elif name == "must_pass":
                value = tuple(dict.fromkeys([*known, *value]))
            changed[name] = value
        return settings.with_values(**changed)


class GateOptions(Settings):
    """All options of ``semscale drift gate``.

    Raises:
        InputError: a rubric or caps of calls without a judge.
    """

    candidate: Annotated[
        str,
        Field(description="Run (start of its id, or latest), or file of outputs to record first."),
        Option(ARGUMENTS, "CANDIDATE", positional=True),
    ]
    decision: DecisionOptions
    baseline: Annotated[
        str | None,
        Field(description="Run to compare with instead of the approved one."),
        Option(HISTORY, "RUN", rare=True),
    ] = None
    history: HistoryOptions
    source: Annotated[SourceOptions, Without("by")]
    judge: PairJudgeOptions
    chat: Annotated[ChatOptions, Without("model")]
    calls: Annotated[CallOptions, Without("dry_run"), Rare("money")]
    outputs: GateOutputs
    measuring: MeasuringOptions
    table: Annotated[TableOptions, Without("header")]

    def model_post_init(self, _context: object) -> None:
        """Refuse options of a judge without one."""
        if self.judge.model is None:
            refuse_stated("--judge-model NAME, which is not given", self.judge, self.chat, self.calls)


class HistoryOutputs(Outputs):
    """Files of a history, and what is printed of it."""

    report: Annotated[
        tuple[Path, ...],
        Field(description="Report with charts: .html, .md, .xlsx or .pptx; or a folder, for a page per run."),
        Option(OUTPUT, "FILE|FOLDER"),
    ] = ()

    @property
    def documents(self) -> tuple[Path, ...]:
        """The files of the report."""
        return tuple(path for path in self.report if path not in self.folders)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of pages: names without an ending."""
        return tuple(path for path in self.report if not path.suffix)

    def check(self) -> None:
        """Check, before anything is read or loaded, that all can be written.

        Raises:
            InputError: an ending, file or folder that does not serve, or one file for two things.
        """
        from semscale.store.atomic import check_folder

        super().check()
        for folder in self.folders:
            check_folder(folder, "report")


class HistoryViewOptions(Settings):
    """All options of ``semscale drift history``."""

    history: HistoryOptions
    verify: Annotated[
        bool,
        Field(description="Check that no entry was changed, and print the newest hashes."),
        Option(HISTORY),
    ] = False
    heads: Annotated[
        tuple[str, ...],
        Field(description="Hash noted earlier that --verify must find."),
        Option(HISTORY, "HASH", name="--head"),
    ] = ()
    outputs: Annotated[HistoryOutputs, Without("out", "escape")]


class ShowOptions(Settings):
    """All options of ``semscale drift show``."""

    run: Annotated[
        str,
        Field(description="A run: the first characters of its id, latest or baseline."),
        Option(ARGUMENTS, "RUN", positional=True),
    ]
    history: HistoryOptions
    outputs: Annotated[Outputs, Without("out", "escape")]


class DriftPageOptions(Settings):
    """All options of ``semscale drift open``."""

    history: HistoryOptions
    listening: ListeningOptions


class DamageOptions(Settings):
    """The kinds of damage, their shares and the number of draws."""

    kinds: Annotated[
        tuple[str, ...],
        Field(description="Kind of change, such as negate (default: all)."),
        Option(DAMAGE, "KIND", name="--damage"),
    ] = ()
    shares: Annotated[
        tuple[float, ...],
        Field(description="Share of the items that are damaged (default: .1, .25, .5, 1)."),
        Option(DAMAGE, "SHARE", name="--share"),
    ] = ()
    items: Annotated[
        int,
        Field(description="Number of items per gate."),
        Option(DAMAGE, name="--n-items", rare=True),
    ] = 30
    draws: Annotated[
        int, Field(description="Number of gates per kind and share."), Option(DAMAGE, rare=True)
    ] = 200


class PlanOptions(Settings):
    """All options of ``semscale drift plan``.

    Raises:
        InputError: options of the self-test without it, or a candidate or power with it.
    """

    candidate: Annotated[
        str | None,
        Field(description="Run to plan for (start of its id, or latest); default: a rerun."),
        Option(ARGUMENTS, "[RUN]", positional=True),
    ] = None
    history: HistoryOptions
    power: Annotated[
        float, Field(description="Share of gates that should be decided."), Option(RUN, "SHARE")
    ] = 0.8
    self_test: Annotated[
        bool,
        Field(description="Damage the baseline in known ways, and report how often the gate detects it."),
        Option(DAMAGE),
    ] = False
    damage: DamageOptions
    decision: DecisionOptions
    outputs: Outputs
    measuring: MeasuringOptions

    def model_post_init(self, _context: object) -> None:
        """Refuse options that do not go together."""
        if not self.self_test:
            refuse_stated("--self-test, which is not given", self.damage)
            if self.outputs.out is not None:
                raise InputError("--out belongs to --self-test, which is not given")
        elif self.candidate is not None or "power" in self.model_fields_set:
            raise InputError("--self-test damages the baseline: leave out RUN and --power")
