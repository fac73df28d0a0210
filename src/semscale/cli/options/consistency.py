"""Options of ``semscale consistency``."""

from typing import Annotated

from semscale.answer_consistency.settings import (
    MEASURING,
    AnswerColumns,
    AskedColumns,
    ConsistencySettings,
    CorrectnessSettings,
)
from semscale.cli.options.asking import AskingOptions
from semscale.cli.options.calls import CallOptions
from semscale.cli.options.groups import option_group, refuse_given, setting_of, without
from semscale.cli.options.model import EmbedderOptions
from semscale.cli.options.panels import option
from semscale.cli.options.run import RunOptions
from semscale.cli.options.table import File, RowOptions
from semscale.cli.outputs import Outputs, written_as
from semscale.errors import InputError

_ASKED = ("samples", "model", "base_url", "temperature", "system", "max_tokens")  # of samples for any measure


@option_group
class AnswerColumnOptions:
    """The columns: of answers and their samples, or of questions that a model is asked."""

    prompt: Annotated[str | None, setting_of(AskedColumns, "prompt")] = None
    answer: Annotated[str | None, setting_of(AnswerColumns, "answer")] = None
    sample: Annotated[list[str] | None, setting_of(AnswerColumns, "sample")] = None
    item: Annotated[str | None, setting_of(AnswerColumns, "item")] = None
    label: Annotated[str | None, setting_of(AnswerColumns, "label")] = None
    by: Annotated[str | None, setting_of(AnswerColumns, "by")] = None
    logprobs: Annotated[str | None, setting_of(AnswerColumns, "logprobs")] = None
    sample_logprobs: Annotated[list[str] | None, setting_of(AnswerColumns, "sample_logprobs")] = None

    @property
    def columns(self) -> AnswerColumns | AskedColumns:
        """The columns.

        Raises:
            InputError: columns that do not go together.
        """
        if self.answer is not None:
            named = {name: getattr(self, name) for name in AnswerColumns.model_fields}
            return AnswerColumns(**{name: title for name, title in named.items() if title})
        if self.prompt is None:
            raise InputError("answer must name a column, or prompt one whose questions --ask asks")
        if self.sample or self.item or self.logprobs or self.sample_logprobs:
            raise InputError("sample, item and logprobs need answer: name the column with the answers")
        return AskedColumns(prompt=self.prompt, label=self.label, by=self.by)


@option_group
class ConsistencyOptions:
    """All options of ``semscale consistency``.

    Raises:
        InputError: an option without the one that it belongs to.
    """

    file: File
    columns: AnswerColumnOptions
    measures: ConsistencySettings
    claims: Annotated[
        bool,
        option(MEASURING, "Split answers into sentences, and judge by samples how far each is supported."),
    ] = False
    asking: AskingOptions
    calls: CallOptions
    correctness: CorrectnessSettings
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
        if self.claims:
            whole = "measures of whole answers, which --claims does not make"
            refuse_given(whole, self.measures, but=("nli", "nli_labels"))
            refuse_given(whole, self.columns, but=("prompt", "answer", "sample", "item", "by"))
            refuse_given(whole, self.asking, but=_ASKED)
            if self.measures.nli is not None and self.embedder.name is not None:
                raise InputError("--embedder belongs to --claims without --nli, whose model reads no vectors")
