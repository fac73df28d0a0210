"""The command ``semscale consistency``: how far several answers to one prompt agree."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from semscale.answer_consistency.settings import (
    MEASURING,
    AnswerColumns,
    AskedColumns,
    ConsistencySettings,
    CorrectnessSettings,
)
from semscale.chat.settings import CHAT, AskSettings
from semscale.cli.options import As, Rare, command, refuse_stated
from semscale.cli.outputs import Outputs, present
from semscale.cli.shared import (
    CallOptions,
    ChatOptions,
    EmbedderOptions,
    InputFile,
    RowOptions,
    RunOptions,
    SurveyOptions,
)
from semscale.errors import InputError
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.answer_consistency.asking import Prompt, Sampling
    from semscale.answer_consistency.claim_tables import AgreementSummary
    from semscale.answer_consistency.summary import ConsistencySummary
    from semscale.chat.budget import Forecast, ForecastSummary, PriceTable
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.ledger import Ledger
    from semscale.chat.messages import CallError, Reply, Request
    from semscale.store.table import Table
    from semscale.types import Progress

_LOOKED_UP_TOGETHER = 256  # prompts
_OF_SAMPLING = ("n_samples", "chat", "temperature", "system", "max_tokens")
"""Options of asking that serve with --claims, too."""


class SampleColumns(Settings):
    """Columns of answers and their samples, or of questions that a model is asked."""

    prompt: Annotated[str | None, As(AskedColumns, "prompt")] = None
    answer: Annotated[str | None, As(AnswerColumns, "answer")] = None
    sample: Annotated[tuple[str, ...], As(AnswerColumns, "sample")] = ()
    item: Annotated[str | None, As(AnswerColumns, "item")] = None
    label: Annotated[str | None, As(AnswerColumns, "label")] = None
    by: Annotated[str | None, As(AnswerColumns, "by")] = None
    logprobs: Annotated[str | None, As(AnswerColumns, "logprobs")] = None
    sample_logprobs: Annotated[tuple[str, ...], As(AnswerColumns, "sample_logprobs")] = ()

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
            raise InputError(
                "answer", "must name a column, or prompt the column of questions that --ask sends"
            )
        if self.sample or self.item or self.logprobs or self.sample_logprobs:
            raise InputError("sample, item and logprobs need answer: name the column with the answers")
        return AskedColumns(prompt=self.prompt, label=self.label, by=self.by)


class StoppingOptions(Settings):
    """The rule that stops the samples of a question early, if there is one."""

    threshold: Annotated[
        float | None,
        Field(description="Stop sampling a question once its consistency is clearly above or below this."),
        Option(CHAT, name="--stop-at", rare=True),
    ] = None
    confidence: Annotated[
        float,
        Field(description="Confidence for --stop-at."),
        Option(CHAT, name="--stop-confidence", rare=True),
    ] = 0.95


class AskingOptions(Settings):
    """The chat model that answers, if any, and how answers are sampled.

    Raises:
        InputError: options that do not go together.
    """

    n_samples: Annotated[
        int | None,
        Field(description="Ask a model for an answer and this many samples per question."),
        Option(CHAT, "NUMBER", name="--ask"),
    ] = None
    chat: ChatOptions
    temperature: Annotated[
        float,
        Field(description="Temperature of the samples."),
        Option(CHAT, name="--chat-temperature", rare=True),
    ] = 1.0
    system: Annotated[str | None, As(AskSettings, "system")] = None
    max_tokens: Annotated[int | None, As(AskSettings, "max_tokens")] = None
    stopping: StoppingOptions = StoppingOptions()

    def model_post_init(self, _context: object) -> None:
        """Refuse options without ``--ask``, and ``--ask`` without a model."""
        if self.n_samples is None and (self.chat.is_stated or self.stopping.threshold is not None):
            raise InputError("--chat-model and --stop-at need --ask N; the embedding model is --embedder")
        if self.n_samples is not None and self.chat.model is None:
            raise InputError("--ask needs --chat-model NAME")

    @property
    def sampling(self) -> "Sampling | None":
        """Settings for sampling answers; ``None`` where no model is asked.

        Raises:
            InputError: a number out of range.
        """
        if self.n_samples is None:
            return None
        from semscale.answer_consistency.asking import Sampling, Stopping
        from semscale.chat.messages import Parameters

        rule = self.stopping
        return Sampling(
            n_samples=self.n_samples,
            temperature=self.temperature,
            answer=Parameters(max_tokens=self.max_tokens),
            system=self.system,
            stopping=None if rule.threshold is None else Stopping(rule.threshold, rule.confidence),
        )


class ConsistencyOptions(Settings):
    """All options of ``semscale consistency``.

    Raises:
        InputError: an option without the one that it belongs to.
    """

    file: InputFile
    columns: Annotated[SampleColumns, Rare("by")]
    measures: ConsistencySettings
    claims: Annotated[
        bool,
        Field(description="Score each sentence of an answer by its support in the samples."),
        Option(MEASURING),
    ] = False
    asking: AskingOptions
    calls: Annotated[CallOptions, Rare("money")]
    correctness: CorrectnessSettings
    outputs: Outputs
    embedder: Annotated[EmbedderOptions, Rare("name")]
    description: Annotated[SurveyOptions, Rare("survey")]
    table: Annotated[RowOptions, Rare("where")]
    run: RunOptions

    def model_post_init(self, _context: object) -> None:
        """Refuse options without the one that they belong to."""
        if self.asking.n_samples is None:
            refuse_stated("--ask N, which is not given", self.asking, self.calls, but=("dry_run",))
        if self.columns.label is None:
            refuse_stated("--correct, which is not given", self.correctness)
        if self.measures.nli is None and self.measures.nli_labels is not None:
            raise InputError("nli_labels", "belongs to --nli, which is not given")
        if self.claims:
            whole = "measures of whole answers, which --claims does not make"
            refuse_stated(whole, self.measures, but=("nli", "nli_labels", "reasoning", "html"))
            refuse_stated(whole, self.columns, but=("prompt", "answer", "sample", "item", "by"))
            refuse_stated(whole, self.asking, but=_OF_SAMPLING)
            if self.measures.nli is not None and self.embedder.is_stated:
                raise InputError(
                    "--embedder belongs to --claims without --nli: an NLI model reads no vectors"
                )


@command
def consistency(options: ConsistencyOptions) -> None:
    """Measure how far several answers to one question agree, and which can be trusted.

    [bold]semscale consistency answers.csv --answer answer --sample again1 --sample again2[/bold]

    With --ask N --chat-model NAME the answers come from a model. If it is stopped, the same command continues
    and sends again only the calls that were in flight when it was killed; with --out it continues after the
    last finished part.

    With --claims each sentence of an answer is judged by the samples, and the least supported are shown.
    """
    if options.calls.dry_run:
        present(forecast_samples(options), options.outputs.of_forecast)
        return
    began = monotonic()
    summary = measure_claims(options) if options.claims else run_consistency(options)
    seconds = monotonic() - began
    with options.outputs.report_if_stopped():
        present(summary, options.outputs, stopped=summary.stopped, failed=summary.failed, seconds=seconds)


def run_consistency(options: ConsistencyOptions) -> "ConsistencySummary":
    """Measure a file, write its table, and sum it up; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that do not go together, or what the table or a model cannot do.
    """
    from semscale.answer_consistency.asking import AskedModel
    from semscale.answer_consistency.consistency import Consistency
    from semscale.answer_consistency.table import measure_consistency
    from semscale.cli.progress import progress_bars

    columns, sampling = _validate_options(options)
    table, columns = _open(options, columns)
    run = options.run
    with progress_bars() as progress:
        chat = model = None
        if sampling is not None:
            chat = options.asking.chat.load(progress)
            model = AskedModel(sampling, options.calls.runner(chat))
        return measure_consistency(
            table,
            columns,
            instrument=Consistency(chat, **dict(_with_models(options, progress))),
            model=model,
            correctness=options.correctness.with_values(interval=run.interval, seed=run.seed),
            plan=run.plan,
            out=options.outputs.out,
            settings=run.parts_into(options.outputs),
            progress=progress,
        )


def measure_claims(options: ConsistencyOptions) -> "AgreementSummary":
    """Judge the claims of a file's answers, write its table, and sum it up; where a cap is reached, so far.

    Raises:
        SemscaleError: options that do not go together, or what the table or a model cannot do.
    """
    from semscale.answer_consistency.asking import AskedModel
    from semscale.answer_consistency.claim_tables import measure_agreement
    from semscale.answer_consistency.claims import ClaimConsistency
    from semscale.cli.progress import progress_bars
    from semscale.matching.matcher import check_method

    columns, sampling = _source(options)
    nli, labels = options.measures.nli, options.measures.nli_labels
    check_method("calibrated" if nli is None else "entailment", options.embedder.engine)
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, columns = _open(options, columns)
    with progress_bars() as progress:
        model = None
        if sampling is not None:
            model = AskedModel(sampling, options.calls.runner(options.asking.chat.load(progress)))
        return measure_agreement(
            table,
            columns,
            instrument=ClaimConsistency(
                **claim_models(options.embedder, nli, labels, progress),
                reasoning=options.measures.reasoning,
                html=options.measures.html,
            ),
            model=model,
            plan=options.run.plan,
            out=options.outputs.out,
            settings=options.run.parts_into(options.outputs),
            progress=progress,
        )


def _open(
    options: ConsistencyOptions, columns: "AnswerColumns | AskedColumns"
) -> "tuple[Table, AnswerColumns | AskedColumns]":
    """Open the table, and find its columns by the description of the survey."""
    table = options.table.open(options.file, is_reported=True)
    return options.description.resolve(table, options.file, columns)


def claim_models(
    model: EmbedderOptions, nli: str | None, labels: Sequence[str] | None, progress: "Progress | None"
) -> dict[str, Any]:
    """Load the model that judges claims, by its setting: the embedding model, or one of entailment."""
    from semscale.matching.bertscore import token_encoder
    from semscale.matching.entailment import load_entailment_model

    if nli is not None:
        entailment = load_entailment_model(
            nli, labels, precision=model.precision, cache=model.cache, progress=progress
        )
        return {"nli": entailment}
    encoder = token_encoder(
        model.chosen_name, model.precision, progress, engine=model.engine, device=model.device
    )
    return {"embedder": encoder}


def forecast_samples(options: ConsistencyOptions) -> "ForecastSummary":
    """Forecast the most calls that asking would take, without asking.

    Raises:
        InputError: no model is to be asked.
    """
    from semscale.answer_consistency.asking import prompt_status
    from semscale.chat.budget import ForecastSummary
    from semscale.types import Status

    columns, sampling = _validate_options(options)
    if sampling is None or not isinstance(columns, AskedColumns):
        raise InputError("--dry-run forecasts the calls and their cost: name --ask N and --chat-model NAME")
    table = options.table.open(options.file)
    table, asked_columns = options.description.resolve(table, options.file, columns, is_reported=False)
    asked_columns.check(table)

    def prompts() -> Iterator[Any]:
        for batch in table.batches_with({asked_columns.prompt}, options.run.part_rows):
            yield from asked_columns.cells_in(batch, asked_columns.prompt).to_list()

    counts = Counter(str(prompt_status(prompt)) for prompt in prompts())
    asked, chat = counts.pop(Status.SCORED, 0), options.asking.chat.load()
    works = {chat.name: partial(_forecast, prompts, sampling, chat)}
    return ForecastSummary(table.file_name, options.calls.forecasts(works), asked, counts, "prompt")


def _source(options: ConsistencyOptions) -> "tuple[AnswerColumns | AskedColumns, Sampling | None]":
    """Return the columns of answers and samples, or how they are asked for.

    Raises:
        InputError: neither answers nor a model that is asked, or both.
    """
    columns, sampling = options.columns.columns, options.asking.sampling
    if isinstance(columns, AskedColumns) != (sampling is not None):
        raise InputError(
            "name either --answer, the column of answers to measure, or --ask N with --chat-model"
        )
    return columns, sampling


def _validate_options(options: ConsistencyOptions) -> "tuple[AnswerColumns | AskedColumns, Sampling | None]":
    """Check, before anything is read or loaded, that options go together and outputs can be written."""
    from semscale.answer_consistency.measures import check_stopping
    from semscale.embedding.token_states import TOKENLESS_ENGINES

    columns, sampling = _source(options)
    measures, needs = options.measures.measures, options.measures.needs
    if isinstance(columns, AnswerColumns):
        _check_tokens(measures, needs, columns)
    if sampling is not None:
        sampling = sampling.for_parts(needs)
        if sampling.stopping is not None:
            check_stopping(measures[0])
    if "bert_score" in measures and options.embedder.engine in TOKENLESS_ENGINES:
        raise InputError(
            "measure bert_score needs engine openvino or torch, which show the states of tokens, "
            f"got {options.embedder.engine!r}"
        )
    options.outputs.check_run(options.file, restart=options.run.restart)
    return columns, sampling


def _check_tokens(measures: Sequence[str], needs: frozenset[str], columns: AnswerColumns) -> None:
    """Check that a table has the log-probabilities that its measures need, and no useless ones of samples.

    Raises:
        InputError: it has not.
    """
    from semscale.answer_consistency.measures import check_sample_tokens

    if columns.sample_logprobs:
        check_sample_tokens(measures)
    if "p_true" in needs:
        raise InputError(
            "--measure p_true asks a model whether its own answer is right: name --ask N and --chat-model "
            "NAME; semscale judge asks about answers in a table"
        )
    if "logprobs" in needs and columns.logprobs is None:
        raise InputError("measures of tokens need --logprobs COLUMN, or --ask N")
    if "sample_logprobs" in needs and not columns.has_sample_tokens:
        raise InputError(
            "measures of samples' tokens need --sample-logprobs COLUMN for each --sample, --item with "
            "--logprobs COLUMN, or --ask N"
        )


def _with_models(options: ConsistencyOptions, progress: "Progress | None") -> ConsistencySettings:
    """Return the settings with the models that the measures need."""
    from semscale.matching.entailment import load_entailment_model

    chosen, model = options.measures, options.embedder
    models: dict[str, object] = {"seed": options.run.seed}
    if chosen.nli is not None:
        models["nli_labels"] = None
        models["nli"] = load_entailment_model(
            chosen.nli,
            chosen.nli_labels,
            precision=model.precision,
            cache=model.cache,
            progress=progress,
        )
    if "cosine" in chosen.needs:
        models["embedder"] = model.load(progress)
    if "f1" in chosen.needs:
        is_named = model.engine == "openvino"
        models["bert_embedder"] = model.chosen_name if is_named else model.load(progress)
    return chosen.with_values(**models)


async def _forecast(
    prompts: Callable[[], Iterator[Any]],
    sampling: "Sampling",
    chat: "ChatModel",
    ledger: "Ledger",
    prices: "PriceTable | None",
) -> "Forecast":
    from semscale.answer_consistency.asking import prompt_status
    from semscale.chat.budget import forecast
    from semscale.chat.ledger import ContentKeys
    from semscale.types import Status

    keys = ContentKeys(chat)

    async def find_stored(request: "Request") -> "Reply | CallError | None":
        return await ledger.find(keys.of(request))

    async def list_requests(prompt: "Prompt") -> "list[Request]":
        return [request async for request in _requests(prompt, sampling, find_stored)]

    async def iterate_requests() -> "AsyncIterator[Request]":
        scored = (prompt for prompt in prompts() if prompt_status(prompt) is Status.SCORED)
        # Replies are looked up for many prompts together, which a server answers with one statement.
        while some := list(islice(scored, _LOOKED_UP_TOGETHER)):
            for requests in await asyncio.gather(*map(list_requests, some)):
                for request in requests:
                    yield request

    return await forecast(iterate_requests(), chat, prices=prices, ledger=ledger)


async def _requests(
    prompt: "Prompt", sampling: "Sampling", stored: "Callable[[Request], Awaitable[Reply | CallError | None]]"
) -> "AsyncIterator[Request]":
    """Yield the requests for a prompt's answer, for its samples, and for P(True) where it is asked for."""
    from semscale.answer_consistency.p_true import p_true_request
    from semscale.chat.messages import BYTES_PER_TOKEN, CallError

    texts = []
    for index in range(sampling.n_samples + 1):
        request = sampling.request(prompt, index)
        yield request
        outcome = await stored(request)
        if isinstance(outcome, CallError):
            if not index:
                return  # a prompt whose answer was refused gets no samples
            continue
        # A reply that is still to come counts at its longest.
        longest = "x" * round(BYTES_PER_TOKEN * request.most_tokens.completion_tokens)
        texts.append(f"{index}{longest}" if outcome is None else outcome.text)
    if sampling.wants_p_true(texts[0]):
        yield p_true_request(str(prompt), texts[0], texts[1:])
