"""Runs of ``semscale consistency``: check the options, ask a model or read samples, measure, write."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from semscale.answer_consistency.asking import AskedModel, Prompt, Sampling, prompt_status
from semscale.answer_consistency.columns import AnswerColumns
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.file_consistency import consistency_file
from semscale.answer_consistency.measures import (
    DEFAULT_MEASURES,
    check_measures,
    check_nli,
    check_same_by,
    check_sample_tokens,
    check_stopping,
    needed_parts,
)
from semscale.answer_consistency.p_true import p_true_request
from semscale.answer_consistency.settings import ConsistencySettings, checked_fewest, checked_floor
from semscale.answer_consistency.summary import ConsistencySummary
from semscale.chat.costs.forecast import Forecast, forecast
from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.chat.costs.tokens import BYTES_PER_TOKEN, most_reply_tokens
from semscale.chat.decisions.loading import load_deciding_model
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
    columns, run = replace(columns, by=by), options.run
    with progress_bars() as progress:
        chat = model = None
        if sampling is not None:
            chat = options.asking.load(progress)
            asked = load_deciding_model(chat) if sampling.asks_p_true else chat
            model = AskedModel(sampling, options.calls.runner(asked))
        return consistency_file(
            table,
            columns,
            instrument=_instrument(options, chat, progress),
            model=model,
            correctness=options.correctness.settings(run),
            plan=run.plan,
            out=options.outputs.out,
            settings=run.parts,
            progress=progress,
        )


def forecast_samples(options: ConsistencyOptions) -> ForecastSummary:
    """Forecast the most calls that asking would take, without asking.

    Raises:
        InputError: nobody is to be asked.
    """
    columns, sampling = _checked(options)
    if sampling is None:
        raise InputError("--dry-run says what asking would take: give --ask N and --model NAME")
    table, column = options.table.open(options.file), str(columns.prompt)
    columns.check(table)

    def prompts() -> Iterator[Any]:
        for batch in table.batches_with({column}, options.run.part_rows):
            yield from column_in(batch, column).to_list()

    counts = Counter(str(prompt_status(prompt)) for prompt in prompts())
    asked, chat = counts.pop(Status.SCORED, 0), options.asking.load()
    works = {chat.name: lambda ledger: _forecast(prompts, sampling, chat, ledger)}
    return ForecastSummary(table.name, options.calls.forecasts(works), asked, counts, "prompt")


def checked_source(options: ConsistencyOptions) -> tuple[AnswerColumns, Sampling | None]:
    """Give the columns of answers and samples, or how they are asked for.

    Raises:
        InputError: neither answers nor a model that is asked, or both.
    """
    columns, sampling = options.columns.columns, options.asking.sampling
    if (columns.answer is None) != (sampling is not None):
        raise InputError("name either --answer, whose answers are measured, or --ask N with --model")
    return columns, sampling


def _checked(options: ConsistencyOptions) -> tuple[AnswerColumns, Sampling | None]:
    """Check, before anything is read or loaded, that options go together and outputs can be written."""
    columns, sampling = checked_source(options)
    measures = _measures(options)
    main, *_ = check_measures(measures)
    checked_floor(_floor(options))
    checked_fewest(options.measures.fewest_samples)
    check_same_by(options.measures.same_by, measures, has_entailment=options.measures.nli is not None)
    if options.measures.nli is not None:
        check_nli(measures, options.measures.same_by)
    needs = _needs(options)
    if sampling is None:
        _check_tokens(measures, needs, columns)
    else:
        sampling = sampling.for_parts(needs)
    if sampling is not None and sampling.stopping is not None:
        check_stopping(main)
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


def _instrument(
    options: ConsistencyOptions, chat: "ChatModel | None", progress: Progress | None
) -> Consistency:
    measures, embedder, needs = _measures(options), options.embedder, _needs(options)
    settings: ConsistencySettings = {
        "measures": measures,
        "floor": _floor(options),
        "fewest_samples": options.measures.fewest_samples,
        "seed": options.run.seed,
        "same_by": options.measures.same_by,
    }
    if options.measures.nli is not None:
        settings["nli"] = chosen_model(
            options.measures.nli,
            options.measures.nli_label_list,
            precision=embedder.precision,
            cache=not embedder.no_cache,
            progress=progress,
        )
    if "cosine" in needs:
        settings["embedder"] = embedder.load(progress)
    if "f1" in needs:
        named = embedder.engine == "openvino"
        settings["bert_embedder"] = embedder.chosen_name if named else embedder.load(progress)
    return Consistency(chat, **settings)


def _measures(options: ConsistencyOptions) -> Sequence[str]:
    return tuple(options.measures.names or DEFAULT_MEASURES)


def _needs(options: ConsistencyOptions) -> frozenset[str]:
    """Tell what the measures are made from."""
    given = options.measures
    return needed_parts(_measures(options), given.same_by, has_entailment=given.nli is not None)


def _floor(options: ConsistencyOptions) -> float | str:
    try:
        return float(options.measures.floor)
    except ValueError:
        return options.measures.floor


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
