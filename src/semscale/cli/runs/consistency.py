"""Runs of ``semscale consistency``: check the options, ask a model or read samples, measure, write."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from semscale.answer_consistency.asking import AskedModel, Prompt, Sampling, prompt_status
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import check_sample_tokens, check_stopping
from semscale.answer_consistency.p_true import p_true_request
from semscale.answer_consistency.settings import AnswerColumns, AskedColumns, ConsistencySettings
from semscale.answer_consistency.summary import ConsistencySummary
from semscale.answer_consistency.tables import consistency_file
from semscale.chat.budget import BYTES_PER_TOKEN, most_reply_tokens
from semscale.chat.decisions.models import load_deciding_model
from semscale.chat.forecast import Forecast, ForecastSummary, forecast
from semscale.chat.ledger.content_key import ContentKeys
from semscale.chat.messages import Request
from semscale.chat.replies import CallError, Reply
from semscale.cli.options.consistency import ConsistencyOptions
from semscale.cli.progress import progress_bars
from semscale.embedding.tokens.state_engine import TOKENLESS_ENGINES
from semscale.errors import InputError
from semscale.matching.entailment import chosen_model
from semscale.store.columns import column_in
from semscale.store.deriving.derived_columns import with_label
from semscale.types import Progress, Status

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.ledger.ledger import Ledger

_LOOKED_UP_TOGETHER = 256  # prompts


def measure_table(options: ConsistencyOptions) -> ConsistencySummary:
    """Measure a file, write its table, and sum it up; where a cap is reached, as far as it went.

    Raises:
        SemscaleError: options that do not go together, or what the table or a model cannot do.
    """
    columns, sampling = _checked(options)
    table, by = with_label(options.table.open(options.file, is_reported=True), columns.by)
    run = options.run
    with progress_bars() as progress:
        chat = model = None
        if sampling is not None:
            chat = options.asking.load(progress)
            asked = load_deciding_model(chat) if sampling.asks_p_true else chat
            model = AskedModel(sampling, options.calls.runner(asked))
        return consistency_file(
            table,
            columns.changed(by=by),
            instrument=Consistency(chat, **dict(_loaded(options, progress))),
            model=model,
            correctness=options.correctness.changed(interval=run.interval, seed=run.seed),
            plan=run.plan,
            out=options.outputs.out,
            settings=run.parts,
            progress=progress,
        )


def forecast_samples(options: ConsistencyOptions) -> ForecastSummary:
    """Forecast the most calls that asking would take, without asking.

    Raises:
        InputError: no model is to be asked.
    """
    columns, sampling = _checked(options)
    if sampling is None or not isinstance(columns, AskedColumns):
        raise InputError("--dry-run says what asking would take: give --ask N and --model NAME")
    table, column = options.table.open(options.file), columns.prompt
    columns.check(table)

    def prompts() -> Iterator[Any]:
        for batch in table.batches_with({column}, options.run.part_rows):
            yield from column_in(batch, column).to_list()

    counts = Counter(str(prompt_status(prompt)) for prompt in prompts())
    asked, chat = counts.pop(Status.SCORED, 0), options.asking.load()
    works = {chat.name: lambda ledger: _forecast(prompts, sampling, chat, ledger)}
    return ForecastSummary(table.name, options.calls.forecasts(works), asked, counts, "prompt")


def checked_source(options: ConsistencyOptions) -> tuple[AnswerColumns | AskedColumns, Sampling | None]:
    """Give the columns of answers and samples, or how they are asked for.

    Raises:
        InputError: neither answers nor a model that is asked, or both.
    """
    columns, sampling = options.columns.columns, options.asking.sampling
    if isinstance(columns, AskedColumns) != (sampling is not None):
        raise InputError("name either --answer, whose answers are measured, or --ask N with --model")
    return columns, sampling


def _checked(options: ConsistencyOptions) -> tuple[AnswerColumns | AskedColumns, Sampling | None]:
    """Check, before anything is read or loaded, that options go together and outputs can be written."""
    columns, sampling = checked_source(options)
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
    """Check that a table has the log-probabilities that its measures need, and none of samples for nothing.

    Raises:
        InputError: it has not.
    """
    if columns.sample_logprobs:
        check_sample_tokens(measures)
    if "p_true" in needs:
        raise InputError(
            "--measure p_true asks a model whether its own answer is right: give --ask N and --model NAME; "
            "semscale judge asks about answers that stand in a table"
        )
    if "logprobs" in needs and columns.logprobs is None:
        raise InputError("measures of tokens need --logprobs COLUMN, or --ask N")
    if "sample_logprobs" in needs and not columns.has_sample_tokens:
        raise InputError(
            "measures of samples' tokens need --sample-logprobs COLUMN for each --sample, --item with "
            "--logprobs COLUMN, or --ask N"
        )


def _loaded(options: ConsistencyOptions, progress: Progress | None) -> ConsistencySettings:
    """Give the settings with the models that the measures need."""
    chosen, embedder = options.measures, options.embedder
    models: dict[str, object] = {"seed": options.run.seed}
    if chosen.nli is not None:
        models["nli_labels"] = None
        models["nli"] = chosen_model(
            chosen.nli,
            chosen.nli_labels,
            precision=embedder.precision,
            cache=not embedder.no_cache,
            progress=progress,
        )
    if "cosine" in chosen.needs:
        models["embedder"] = embedder.load(progress)
    if "f1" in chosen.needs:
        named = embedder.engine == "openvino"
        models["bert_embedder"] = embedder.chosen_name if named else embedder.load(progress)
    return chosen.changed(**models)


async def _forecast(
    prompts: Callable[[], Iterator[Any]], sampling: Sampling, chat: "ChatModel", ledger: "Ledger"
) -> Forecast:
    keys = ContentKeys(chat)

    async def found(request: Request) -> Reply | CallError | None:
        return await ledger.find(keys.of(request))

    async def listed(prompt: Prompt) -> list[Request]:
        return [request async for request in _requests(prompt, sampling, found)]

    async def sent() -> AsyncIterator[Request]:
        scored = (prompt for prompt in prompts() if prompt_status(prompt) is Status.SCORED)
        # Replies are looked up for many prompts together, which a server answers with one statement.
        while some := list(islice(scored, _LOOKED_UP_TOGETHER)):
            for requests in await asyncio.gather(*map(listed, some)):
                for request in requests:
                    yield request

    return await forecast(sent(), chat, ledger=ledger)


async def _requests(
    prompt: Prompt, sampling: Sampling, found: Callable[[Request], Awaitable[Reply | CallError | None]]
) -> AsyncIterator[Request]:
    """Yield the requests for a prompt's answer, for its samples, and for P(True) where it is asked for."""
    texts = []
    for place in range(sampling.n_samples + 1):
        request = sampling.request(prompt, place)
        yield request
        outcome = await found(request)
        if isinstance(outcome, CallError):
            if not place:
                return  # a prompt whose answer was refused gets no samples
            continue
        # A reply that is still to come counts at its longest.
        longest = "x" * round(BYTES_PER_TOKEN * most_reply_tokens(request))
        texts.append(f"{place}{longest}" if outcome is None else outcome.text)
    if sampling.wants_p_true(texts[0]):
        yield p_true_request(str(prompt), texts[0], texts[1:])
