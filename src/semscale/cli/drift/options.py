"""Options of the commands ``semscale drift``."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

from pydantic import Field

from semscale.cli.options import As, Rare, Without, refuse_stated
from semscale.cli.outputs import OUTPUT, Outputs
from semscale.cli.process import message_if_stopped, say
from semscale.cli.shared import (
    ARGUMENTS,
    CHAT,
    COLUMNS,
    HISTORY,
    RUN,
    CallOptions,
    ChatOptions,
    EmbedderOptions,
    HistoryOptions,
    RunOptions,
    TableOptions,
)
from semscale.drift.directions import Direction
from semscale.errors import InputError, ReplyError
from semscale.matching.settings import MatchSettings
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.cli.drift.webhook import Webhook
    from semscale.drift.asking import AskSettings
    from semscale.drift.gate.drift_summary import DriftSummary
    from semscale.drift.reading import RunColumns
    from semscale.drift.ruler.anchor_file import AnchorColumns
    from semscale.judging.judge import Judge
    from semscale.types import Progress

MEASURING, GATE, JUDGE, DAMAGE = "Measuring", "Gate", "Judge", "Damage"
NOTIFY_VARIABLE = "SEMSCALE_NOTIFY"

_NOTIFIED = {
    "fail": ("fail",),
    "undecided": ("fail", "undecided"),
    "always": ("fail", "undecided", "pass"),
}

Seed = Annotated[
    int | None, Field(description="Seed of everything that is random (default: 0)."), Option(RUN, rare=True)
]


class RunColumnOptions(Settings):
    """Columns of a table of outputs, as ``RunColumns`` takes them."""

    id: Annotated[
        str | None, Field(description="Names of the items."), Option(COLUMNS, "COLUMN", rare=True)
    ] = None
    input: Annotated[
        str | None, Field(description="What the model was asked."), Option(COLUMNS, "COLUMN", rare=True)
    ] = None
    output: Annotated[
        tuple[str, ...],
        Field(description="The model's output: a text, or a list of texts or objects; can be repeated."),
        Option(COLUMNS, "COLUMN", rare=True),
    ] = ()
    field: Annotated[
        tuple[str, ...],
        Field(description="Numbers of outputs, such as credits; can be repeated."),
        Option(COLUMNS, "NAME", rare=True),
    ] = ()
    by: Annotated[
        tuple[str, ...],
        Field(description="Groups that items belong to; can be repeated."),
        Option(COLUMNS, "COLUMN"),
    ] = ()
    reference: Annotated[
        str | None,
        Field(description="Answers known to be right, which tell better outputs from worse ones."),
        Option(COLUMNS, "COLUMN", rare=True),
    ] = None
    long: Annotated[
        bool,
        Field(description="Each row is one output; rows of one id are one item."),
        Option(COLUMNS, rare=True),
    ] = False

    @property
    def columns(self) -> "RunColumns":
        """The columns; those that are not given are as ``RunColumns`` has them."""
        from semscale.drift.reading import RunColumns

        usual = RunColumns()
        return RunColumns(
            id=self.id or usual.id,
            input=self.input or usual.input,
            output=self.output or usual.output,
            fields=self.field,
            by=self.by,
            long=self.long,
            reference=self.reference,
        )


class SourceOptions(Settings):
    """Description of a file of outputs."""

    model: Annotated[
        str | None,
        Field(
            description="Model that gave the outputs, such as gpt-4o-2024-08-06; Athena's files and "
            "evaluation logs may name it themselves."
        ),
        Option(HISTORY, "NAME"),
    ] = None
    note: Annotated[
        str | None, Field(description="Anything worth knowing later."), Option(HISTORY, "TEXT", rare=True)
    ] = None
    columns: RunColumnOptions


class CandidateOptions(SourceOptions):
    """Description of a file of outputs of a candidate, whose groups are those of the baseline."""

    columns: Annotated[RunColumnOptions, Without("by")]


class MeasuringOptions(Settings):
    """How runs are measured, apart from the embedding model."""

    pairing: Annotated[
        Literal["assignment", "position"],
        Field(description="How lists of outputs are paired: best assignment, or in order."),
        Option(MEASURING, rare=True),
    ] = "assignment"
    layer: Annotated[
        int | None,
        Field(description="Layer that bertscore_f1 compares; needed if none is known for the embedder."),
        Option(MEASURING, rare=True),
    ] = None
    directions: Annotated[
        tuple[str, ...],
        Field(
            description="Better values of a numeric field: lower, higher, or either if any change counts; "
            "can be repeated. Tokens, cost, price, latency and duration: lower by default."
        ),
        Option(MEASURING, "FIELD=lower|higher|either", name="--direction", rare=True),
    ] = ()

    @property
    def fields(self) -> dict[str, Direction]:
        """Directions by field.

        Raises:
            InputError: one has another form, or a field has two.
        """
        by_field: dict[str, Direction] = {}
        for written in self.directions:
            name, _, way = (part.strip() for part in written.rpartition("="))
            if not name or way not in get_args(Direction):
                raise InputError(
                    "--direction must be a field with lower, higher or either, such as cost=lower, got "
                    f"{written!r:.60}"
                )
            if by_field.setdefault(name, cast("Direction", way)) != way:
                raise InputError(f"--direction {name} is given as {by_field[name]} and as {way}: keep one")
        return by_field


class GateOptions(Settings):
    """Options of the gate: its tests, and when it fails."""

    file: Annotated[
        Path | None,
        Field(description="Settings of the gate; options override them."),
        Option(GATE, "FILE.yaml", name="--gate"),
    ] = None
    metrics: Annotated[
        tuple[str, ...],
        Field(description="Metric to test, such as match; can be repeated."),
        Option(GATE, "NAME", name="--metric"),
    ] = ()
    by: Annotated[
        tuple[str, ...],
        Field(description="Kind of groups to test separately; can be repeated."),
        Option(GATE, "KIND"),
    ] = ()
    alpha: Annotated[
        float | None,
        Field(description="Chance of a false alarm over all tests (default: .05)."),
        Option(GATE, "SHARE", rare=True),
    ] = None
    correction: Annotated[
        Literal["holm", "bh", "benjamini-hochberg"] | None,
        Field(
            description="Correction of p-values for several tests (default: holm); bh: benjamini-hochberg."
        ),
        Option(GATE, rare=True),
    ] = None
    thresholds: Annotated[
        tuple[str, ...],
        Field(
            description="Limit of a mean, such as min_bertscore_f1=0.8 or max_avg_credit_drift=0.5; can be "
            "repeated."
        ),
        Option(GATE, "NAME=NUMBER", name="--threshold"),
    ] = ()
    limits: Annotated[
        tuple[str, ...],
        Field(
            description="Items that may break a hard limit, a share of them below 1, or off, such as "
            "silenced=2 or changed_numbers=off; can be repeated."
        ),
        Option(GATE, "NAME=NUMBER|off", name="--limit"),
    ] = ()
    must_pass: Annotated[
        tuple[str, ...],
        Field(description="Item that fails the gate alone when it becomes worse; can be repeated."),
        Option(GATE, "ID", rare=True),
    ] = ()
    undecided: Annotated[
        Literal["fail", "warn", "pass"] | None,
        Field(description="Exit code of an undecided gate: 1, or 0 with or without a warning (default: 4)."),
        Option(GATE),
    ] = None
    over_runs: Annotated[
        bool,
        Field(description="Test over all runs since the baseline, for a daily gate."),
        Option(GATE, rare=True),
    ] = False
    no_noise_history: Annotated[
        bool, Field(description="Ignore earlier runs in the noise."), Option(GATE, rare=True)
    ] = False


class RequestOptions(Settings):
    """Parameters of each request."""

    temperature: Annotated[
        float | None,
        Field(description="Temperature of the replies (default: the model's)."),
        Option(CHAT, name="--chat-temperature", rare=True),
    ] = None
    system: Annotated[
        str | None,
        Field(description="Instructions before every prompt."),
        Option(CHAT, "TEXT", name="--system-prompt", rare=True),
    ] = None
    max_tokens: Annotated[
        int | None, Field(description="Tokens at which a reply is cut."), Option(CHAT, rare=True)
    ] = None

    @property
    def settings(self) -> "AskSettings":
        """Parameters of the requests.

        Raises:
            InputError: a number out of range.
        """
        from semscale.drift.asking import AskSettings

        return AskSettings(self.temperature, self.max_tokens, self.system)


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
        Field(
            description="Chat model that compares each pair of answers in both orders: a name, NAME@URL, or "
            "local."
        ),
        Option(JUDGE, "NAME", name="--judge-model"),
    ] = None
    rubric: Annotated[
        str | None,
        Field(description="Your instructions on which answer is better; @FILE reads them."),
        Option(JUDGE, "TEXT", rare=True),
    ] = None
    method: Annotated[
        Literal["prose", "decision"],
        Field(description="prose, or decision: a probability for each verdict, and nothing to parse."),
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


class RecordOptions(Settings):
    """All options of ``semscale drift record``.

    Raises:
        InputError: neither a file nor prompts, both, or options of the one with the other.
    """

    file: Annotated[
        str | None,
        Field(
            description="A model's outputs: JSONL, CSV, Parquet, Excel, or a folder or file of Athena's "
            "exercises. Leave it out to ask the model with --prompts."
        ),
        Option(ARGUMENTS, "[OUTPUTS]", positional=True),
    ] = None
    source: SourceOptions
    history: HistoryOptions
    rerun_of: Annotated[
        str | None,
        Field(
            description="Run with the same model and prompt that this one repeats, or baseline. Shows how "
            "far outputs differ by chance."
        ),
        Option(HISTORY, "RUN"),
    ] = None
    prompts: Annotated[
        str | None,
        Field(
            description="Ask for the outputs: a table of items whose input is sent, or a template (.txt, "
            ".md) with columns of --items in braces, such as {input}."
        ),
        Option(CHAT, "FILE"),
    ] = None
    items: Annotated[
        str | None,
        Field(description="Table of the items, one per row, that a template is filled with."),
        Option(CHAT, "FILE", rare=True),
    ] = None
    chat: ChatOptions
    command: Annotated[
        str | None,
        Field(
            description="Program to ask instead: it reads a JSON line for each item and writes one, such as "
            '"python ask.py".'
        ),
        Option(CHAT, "PROGRAM", rare=True),
    ] = None
    reruns: Annotated[
        int, Field(ge=0, description="How often everything is asked once more."), Option(CHAT)
    ] = 0
    request: RequestOptions
    calls: CallOptions
    outputs: Annotated[Outputs, Without("out", "escape", "report", "figures")]
    table: TableOptions

    def model_post_init(self, _context: object) -> None:
        """Refuse options that do not go together."""
        if self.prompts is None:
            recording = ("file", "source", "history", "rerun_of", "outputs", "table")
            refuse_stated("--prompts FILE, which is not given", self, but=recording)
            if self.file is None:
                raise InputError(
                    "name a file of outputs, or what to ask: --prompts FILE with --chat-model NAME"
                )
            return
        if self.file is not None:
            raise InputError("give either a file of outputs or --prompts, got both")
        if self.command is not None and self.chat.is_stated:
            raise InputError("--prompts needs whom to ask: --chat-model or --command, got both")
        if self.command is None and self.chat.chat_model is None:
            raise InputError("--prompts needs whom to ask: --chat-model or --command, got neither")
        owner = "a file of outputs, and not to --prompts"
        refuse_stated(owner, self.source.columns, but=("id", "input", "by", "reference"))
        if self.command is not None:
            # A program's calls cannot be counted or capped from outside.
            refuse_stated("--chat-model, and not to --command", self.calls, but=("timeout", "ledger"))
            refuse_stated("--chat-model, and not to --command", self.request)


class ApprovalOptions(Settings):
    """All options of ``semscale drift approve``."""

    run: Annotated[
        str,
        Field(description="A run: the first characters of its id, or latest."),
        Option(ARGUMENTS, "RUN", positional=True),
    ]
    by: Annotated[
        str,
        Field(description="Name of the person who approves it."),
        Option(HISTORY, "NAME", name="--approved-by"),
    ]
    why: Annotated[str, Field(description="Reason of the approval."), Option(HISTORY, "TEXT")]
    expires: Annotated[
        str | None,
        Field(description="When it expires: a span such as 90d, 12w or 24h, or a date."),
        Option(HISTORY, "WHEN"),
    ] = None
    history: HistoryOptions
    outputs: Annotated[Outputs, Without("out", "escape", "report", "figures")]


class AnchorColumnOptions(Settings):
    """Columns of a table of anchors, as ``AnchorColumns`` takes them."""

    reference: Annotated[
        str | None,
        Field(description="What the output should say (default: reference)."),
        Option(COLUMNS, "COLUMN", rare=True),
    ] = None
    output: Annotated[
        str | None,
        Field(description="The text that is measured (default: output)."),
        Option(COLUMNS, "COLUMN", rare=True),
    ] = None
    id: Annotated[
        str | None,
        Field(description="Names of the anchors (default: numbers)."),
        Option(COLUMNS, "COLUMN", rare=True),
    ] = None
    label: Annotated[
        str | None,
        Field(description="People's scores of the outputs."),
        Option(COLUMNS, "COLUMN", name="--human"),
    ] = None
    label_range: Annotated[
        tuple[float, float] | None,
        Field(description="Lowest and highest score people could give (default: 0 1)."),
        Option(COLUMNS, "LOW HIGH", name="--human-range"),
    ] = None

    @property
    def columns(self) -> "AnchorColumns":
        """The columns; those that are not given are as ``AnchorColumns`` has them.

        Raises:
            InputError: a range that does not rise.
        """
        from semscale.drift.ruler.anchor_file import AnchorColumns

        usual = AnchorColumns()
        return AnchorColumns(
            reference=self.reference or usual.reference,
            output=self.output or usual.output,
            id=self.id or usual.id,
            label=self.label,
            label_range=self.label_range,
        )


class AnchorOptions(Settings):
    """All options of ``semscale drift anchors``.

    Raises:
        InputError: options of a file without one.
    """

    file: Annotated[
        str | None,
        Field(
            description="10 to 500 pairs of texts, one per row: CSV, JSONL, Parquet or Excel. Leave it out "
            "to show what is stored."
        ),
        Option(ARGUMENTS, "[ANCHORS]", positional=True),
    ] = None
    name: Annotated[
        str | None,
        Field(description="Name of the anchor set (default: the file's, without its ending)."),
        Option(HISTORY, "NAME"),
    ] = None
    again: Annotated[
        bool,
        Field(description="Measure the latest anchor set again; later runs are compared with these values."),
        Option(HISTORY),
    ] = False
    history: HistoryOptions
    columns: AnchorColumnOptions
    measuring: Annotated[MeasuringOptions, Without("directions")]
    outputs: Annotated[Outputs, Without("out", "escape", "figures")]
    embedder: EmbedderOptions
    table: TableOptions
    seed: Seed = None

    def model_post_init(self, _context: object) -> None:
        """Refuse options of a file without one."""
        if self.file is None:
            owner = "a file of anchors, which is not given"
            refuse_stated(owner, self.columns, self.table)
            if self.name is not None:
                raise InputError(f"--name belongs to {owner}")
        elif self.again:
            raise InputError("--again measures what is stored: leave the file out")


class CompareOptions(Settings):
    """All options of ``semscale drift compare``; ``gate`` has more.

    Raises:
        InputError: a rubric or caps of calls without a judge.
    """

    candidate: Annotated[
        str,
        Field(
            description="A run (first characters of its id, or latest) or a file of outputs, which is "
            "recorded first."
        ),
        Option(ARGUMENTS, "CANDIDATE", positional=True),
    ]
    baseline: Annotated[
        str | None,
        Field(description="Run to compare with instead of the approved one."),
        Option(HISTORY, "RUN"),
    ] = None
    history: HistoryOptions
    source: CandidateOptions
    measuring: MeasuringOptions
    judge: PairJudgeOptions
    chat: Annotated[ChatOptions, Without("chat_model")]
    calls: Annotated[CallOptions, Without("dry_run")]
    outputs: Outputs
    embedder: EmbedderOptions
    table: TableOptions
    seed: Seed = None

    def model_post_init(self, _context: object) -> None:
        """Refuse options of a judge without one."""
        if self.judge.model is None:
            refuse_stated("--judge-model NAME, which is not given", self.judge, self.chat, self.calls)


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


class NotifyOptions(Settings):
    """The webhook that gets the gate's decision, and when."""

    notify: Annotated[
        str | None,
        Field(
            description="Webhook that gets the decision: Slack's a short message, any other what --json "
            f"prints. The address is a secret: better set {NOTIFY_VARIABLE}."
        ),
        Option(OUTPUT, "URL", rare=True),
    ] = None
    notify_on: Annotated[
        Literal["fail", "undecided", "always"] | None,
        Field(
            description="When it is sent: if the gate fails; if it fails or is undecided (default); always."
        ),
        Option(OUTPUT, rare=True),
    ] = None

    def webhook(self) -> "Webhook | None":
        """Return the webhook that the option or the environment names, checked.

        Returns:
            ``None`` without one, or if the address is empty, as a secret is in a pull request from a fork.

        Raises:
            InputError: it cannot be used, or there is none although ``--notify-on`` is given.
        """
        address = self.notify or os.environ.get(NOTIFY_VARIABLE, "").strip()
        if not address:
            if self.notify_on and self.notify is None and NOTIFY_VARIABLE not in os.environ:
                raise InputError(
                    f"--notify-on belongs to --notify, or to {NOTIFY_VARIABLE}: add the webhook's address"
                )
            return None
        from semscale.cli.drift.webhook import Webhook

        try:
            return Webhook(address)
        except InputError as error:
            raise InputError(f"{'--notify' if self.notify else NOTIFY_VARIABLE}: {error}") from None

    def send(self, summary: "DriftSummary", comparison_id: str) -> None:
        """Send the decision where its outcome is to be sent; a failure is reported, and changes nothing.

        Args:
            summary: the comparison and the decision.
            comparison_id: id of the stored comparison.

        Raises:
            StoppedByUserError: stopped by the user.
        """
        webhook, decision = self.webhook(), summary.decision
        outcomes = _NOTIFIED[self.notify_on or "undecided"]
        if webhook is None or decision is None or str(decision.outcome) not in outcomes:
            return
        from semscale.cli.drift.webhook import plain_message, slack_text

        message = slack_text(summary, decision) if webhook.is_slack else plain_message(summary, comparison_id)
        with message_if_stopped("stopped; the comparison is stored, and the webhook may not have been told"):
            try:
                webhook.post(message)
            except ReplyError as error:
                say(f"warning: the webhook was not told: {error}; the decision stands")


class GateCommandOptions(CompareOptions):
    """All options of ``semscale drift gate``."""

    gate: Annotated[GateOptions, Rare("by")]
    calls: Annotated[CallOptions, Without("dry_run"), Rare("max_cost")]
    outputs: Annotated[GateOutputs, Rare("out")]
    embedder: Annotated[EmbedderOptions, Rare("embedder")]
    notify: NotifyOptions


class MatrixColumnOptions(Settings):
    """Columns of the items."""

    id: Annotated[str | None, As(RunColumnOptions, "id")] = None
    input: Annotated[str | None, As(RunColumnOptions, "input")] = None
    reference: Annotated[str | None, As(RunColumnOptions, "reference")] = None


class MatrixOptions(Settings):
    """All options of ``semscale drift matrix``.

    Raises:
        InputError: nothing or no model to ask, or a rubric without a judge.
    """

    prompts: Annotated[
        tuple[str, ...],
        Field(
            description="A template (.txt, .md) with columns of --items in braces, such as {input}; can be "
            "repeated. Or one table of items whose input is sent."
        ),
        Option(CHAT, "FILE"),
    ] = ()
    items: Annotated[
        str | None,
        Field(description="Table of the items, one per row, that templates are filled with."),
        Option(CHAT, "FILE"),
    ] = None
    chat_models: Annotated[
        tuple[str, ...],
        Field(description="Chat model to ask: a name at an endpoint, NAME@URL, or local; can be repeated."),
        Option(CHAT, "NAME", name="--chat-model"),
    ] = ()
    reruns: Annotated[
        int, Field(ge=0, description="How often everything is asked once more."), Option(CHAT)
    ] = 0
    chat: Annotated[ChatOptions, Without("chat_model")]
    request: RequestOptions
    columns: MatrixColumnOptions
    judge: PairJudgeOptions
    calls: CallOptions
    method: Annotated[str, As(MatchSettings, "method")] = "calibrated"
    outputs: Outputs
    embedder: EmbedderOptions
    table: TableOptions
    run: Annotated[RunOptions, Without("part_rows", "restart")]

    def model_post_init(self, _context: object) -> None:
        """Refuse a matrix of nothing."""
        if not self.prompts and self.items is None:
            raise InputError("name what to ask: --prompts FILE, with --items FILE for templates")
        if not self.chat_models:
            raise InputError("name whom to ask: --chat-model NAME, which can be repeated")
        if self.judge.model is None:
            refuse_stated("--judge-model NAME, which is not given", self.judge)

    def load_models(self, progress: "Progress | None" = None) -> "list[ChatModel]":
        """Load the models that are asked.

        Raises:
            SemscaleError: one of them cannot be loaded.
        """
        return [load_chat(self.chat, name, progress) for name in self.chat_models]


class HistoryViewOptions(Settings):
    """All options of ``semscale drift history``."""

    history: HistoryOptions
    merge: Annotated[
        tuple[str, ...],
        Field(description="Add the contents of another history, a file or a URL; can be repeated."),
        Option(HISTORY, "OTHER"),
    ] = ()
    verify: Annotated[
        bool,
        Field(description="Check that no entry was changed, and print the hashes to note down."),
        Option(HISTORY),
    ] = False
    heads: Annotated[
        tuple[str, ...],
        Field(description="A hash noted before: --verify checks that it is still there; can be repeated."),
        Option(HISTORY, "HASH", name="--head"),
    ] = ()
    outputs: Annotated[Outputs, Without("out", "escape")]


class DamageOptions(Settings):
    """How a run is damaged, and how often."""

    kinds: Annotated[
        tuple[str, ...],
        Field(description="Kind of change, such as negate (default: all); can be repeated."),
        Option(DAMAGE, "KIND", name="--damage"),
    ] = ()
    shares: Annotated[
        tuple[float, ...],
        Field(description="Share of the items that are damaged (default: .1, .25, .5, 1); can be repeated."),
        Option(DAMAGE, "SHARE", name="--share"),
    ] = ()
    items: Annotated[
        int, Field(description="Number of items that each gate sees."), Option(DAMAGE, name="--n-items")
    ] = 30
    draws: Annotated[int, Field(description="Gates run for each kind and share."), Option(DAMAGE)] = 200


class SelfTestOptions(Settings):
    """All options of ``semscale drift self-test``."""

    run: Annotated[
        str | None,
        Field(description="A run to damage instead of the baseline: first characters of its id, or latest."),
        Option(ARGUMENTS, "[RUN]", positional=True),
    ] = None
    history: HistoryOptions
    damage: DamageOptions
    gate: Annotated[
        GateOptions, Without("over_runs", "no_noise_history", "must_pass", "undecided"), Rare("by")
    ]
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, Rare("out")]
    embedder: Annotated[EmbedderOptions, Rare("embedder")]
    seed: Seed = None


class PlanOptions(Settings):
    """All options of ``semscale drift plan``."""

    history: HistoryOptions
    power: Annotated[float, Field(description="Chance of finding the drift."), Option(RUN, "SHARE")] = 0.8
    drift: Annotated[
        tuple[str, ...],
        Field(description="Drift to plan for: a number for all metrics, or METRIC=NUMBER; can be repeated."),
        Option(RUN, "NUMBER"),
    ] = ()
    items: Annotated[
        int | None,
        Field(description="Number of items to plan with (default: those of the baseline)."),
        Option(RUN, name="--n-items"),
    ] = None
    gate: Annotated[
        GateOptions,
        Without("thresholds", "over_runs", "no_noise_history", "limits", "must_pass", "undecided"),
    ]
    measuring: MeasuringOptions
    outputs: Annotated[Outputs, Without("out", "escape", "figures")]
    embedder: EmbedderOptions
    seed: Seed = None
