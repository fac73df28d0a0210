"""Options of ``semscale consistency``."""

from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.options.asking import AskingOptions
from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, refuse_given, without
from semscale.cli.options.model import EmbedderOptions
from semscale.cli.options.panels import RUN, column, option, setting
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.answer_consistency.columns import AnswerColumns
    from semscale.answer_consistency.correctness import CorrectnessSettings

_MEASURING, _TRUST = "Measuring", "Trust"
_ASKED = ("samples", "model", "base_url", "temperature", "system", "max_tokens")  # of samples for any measure


@option_group
class AnswerColumnOptions:
    """The columns, as ``AnswerColumns`` takes them."""

    prompt: Annotated[str | None, column("The questions.")] = None
    answer: Annotated[str | None, column("The answers to be judged.")] = None
    sample: Annotated[
        list[str] | None,
        column(
            'Further answers to the same question: texts, or lists like ["one", "other"]; can be repeated.'
        ),
    ] = None
    item: Annotated[
        str | None,
        column("Which rows belong to one question: its first row has the answer, the others a sample each."),
    ] = None
    label: Annotated[str | None, column("Whether the answer is right, where checked.")] = None
    by: Annotated[str | None, column("Names of groups to compare.")] = None
    logprobs: Annotated[
        str | None,
        column("Log-probabilities of each answer's tokens, as a list; for measures of tokens, and a null."),
    ] = None
    sample_logprobs: Annotated[
        list[str] | None,
        column("Those of a sample's tokens; once for each --sample, in the same order."),
    ] = None

    @property
    def columns(self) -> "AnswerColumns":
        """The columns.

        Raises:
            InputError: columns that do not go together.
        """
        from semscale.answer_consistency.columns import AnswerColumns

        samples = tuple(self.sample or ())
        tokens = self.logprobs, tuple(self.sample_logprobs or ())
        return AnswerColumns(self.prompt, self.answer, samples, self.item, self.label, self.by, *tokens)


@option_group
class MeasureOptions:
    """The measures, and which answers they need."""

    names: Annotated[
        list[str] | None,
        option(_MEASURING, "What to measure; can be repeated, the first counts.", "NAME", name="--measure"),
    ] = None
    floor: Annotated[
        str, setting(_MEASURING, "Cosine of answers to different questions: auto or a number.", "FLOOR")
    ] = "auto"
    fewest_samples: Annotated[int, setting(_MEASURING, "Samples that a question needs.")] = 1
    same_by: Annotated[
        Literal["auto", "entailment", "cosine", "exact"],
        option(_MEASURING, "How measures of meanings find texts that mean the same.", shown=True),
    ] = "auto"
    nli: Annotated[
        str | None,
        option(
            _MEASURING,
            "A model of entailment for contradictions, meanings or --claims: a folder, or a name on the hub.",
            "MODEL",
        ),
    ] = None
    nli_labels: Annotated[
        str | None,
        option(
            _MEASURING,
            "Order of that model's classes, where its files do not say it, such as "
            "entailment,neutral,contradiction.",
            "LABELS",
        ),
    ] = None
    claims: Annotated[
        bool, option(_MEASURING, "Split answers into sentences, and say of each how far samples support it.")
    ] = False

    @property
    def nli_label_list(self) -> list[str] | None:
        """Classes of the model of entailment in their order, where they were stated."""
        return None if self.nli_labels is None else self.nli_labels.split(",")


@option_group
class CorrectnessOptions:
    """How labels become the probability of being right, and the error rates that are promised."""

    curve: Annotated[
        Literal["platt", "isotonic"],
        option(_TRUST, "How consistency becomes the probability of being right.", shown=True),
    ] = "platt"
    ensemble: Annotated[
        Literal["none", "mean", "tuned"],
        option(
            _TRUST,
            "Take all measures together: their plain mean, or with weights tuned on labels.",
            shown=True,
        ),
    ] = "none"
    error_rate: Annotated[float, setting(_TRUST, "Wrong answers allowed among those accepted.", "SHARE")] = (
        0.05
    )
    lost_rate: Annotated[float, setting(_TRUST, "Right answers allowed among those given up.", "SHARE")] = 0.2
    confidence: Annotated[float, setting(RUN, "Confidence of what the thresholds promise.")] = 0.95

    def settings(self, run: RunOptions) -> "CorrectnessSettings":
        """Settings of ``estimate_correctness``."""
        return {
            "curve": self.curve,
            "ensemble": self.ensemble,
            "error_rate": self.error_rate,
            "lost_rate": self.lost_rate,
            "confidence": self.confidence,
            "interval": run.interval,
            "seed": run.seed,
        }


@option_group
class ConsistencyOptions:
    """All options of ``semscale consistency``.

    Raises:
        InputError: an option without the one that it belongs to.
    """

    file: File
    columns: AnswerColumnOptions
    measures: MeasureOptions
    asking: AskingOptions
    calls: CallOptions
    correctness: CorrectnessOptions
    outputs: Annotated[Outputs, written_as("Measured table")]
    embedder: Annotated[EmbedderOptions, without("base_url")]
    table: RowOptions
    run: RunOptions

    def __post_init__(self) -> None:
        if self.asking.samples is None:
            refuse_given("--ask N, which is not given", self.asking, self.calls, but=("dry_run",))
        if self.columns.label is None:
            refuse_given("--label, which is not given", self.correctness)
        if self.measures.nli is None and self.measures.nli_labels is not None:
            raise InputError("nli_labels belongs to --nli, which is not given")
        if self.measures.claims:
            self._check_claims()

    def _check_claims(self) -> None:
        whole = "measures of whole answers, which --claims does not make"
        refuse_given(whole, self.measures, but=("claims", "nli", "nli_labels"))
        refuse_given(whole, self.columns, but=("prompt", "answer", "sample", "item", "by"))
        refuse_given(whole, self.asking, but=_ASKED)
        if self.measures.nli is not None and self.embedder.name is not None:
            raise InputError("--embedder belongs to --claims without --nli, whose model reads no vectors")
