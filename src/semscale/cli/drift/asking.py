"""Runs of ``semscale drift record --prompts`` and ``matrix``: models are asked, or their calls forecast."""

from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.chat.budget import ASSUMED_REPLY, BYTES_PER_TOKEN, Forecast, ForecastSummary, forecast
from semscale.chat.messages import Request
from semscale.chat.runner import run_apart
from semscale.cli.drift.options import (
    MatrixOptions,
    RecordOptions,
    RunColumnOptions,
    SourceOptions,
    load_chat,
)
from semscale.cli.drift.recording import placed_run
from semscale.cli.judge import forecast_judge
from semscale.cli.outputs import check_input
from semscale.cli.process import say
from semscale.cli.progress import progress_bars
from semscale.cli.shared import TableOptions
from semscale.drift.asking import (
    Answer,
    Answers,
    AskingRound,
    ItemToAsk,
    ModelAsker,
    PromptColumns,
    PromptTemplate,
    answered_items,
    close_round,
    is_template,
    open_round,
    read_items_to_ask,
    read_template,
)
from semscale.drift.matrix.asked_matrix import ask_matrix
from semscale.drift.matrix.cells import AskedCell, cells_of
from semscale.drift.matrix.matrix_summary import MatrixSummary
from semscale.drift.programs import ProgramAsker
from semscale.drift.runs import RecordedRun, check_rerun, git_revision, shared_ids
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, now
from semscale.judging.comparing import AnswerPair
from semscale.judging.judge import Judge
from semscale.matching.matcher import check_method
from semscale.matching.settings import MatchSettings
from semscale.report.drift_runs import none_shared_words

if TYPE_CHECKING:
    from semscale.chat.ledger import Ledger
    from semscale.types import Progress


@dataclass(frozen=True)
class AskedTable:
    """Items with their prompts.

    Attributes:
        items: in the table's order.
        prompts: one for each item.
        dataset: name of the dataset unless another is given: the table's, without its ending.
        source: where the prompts are from, in words.
    """

    items: tuple[ItemToAsk, ...]
    prompts: tuple[str, ...]
    dataset: str
    source: str

    @property
    def empty_items(self) -> tuple[Item, ...]:
        """The items of a run before anybody has answered."""
        return tuple(item.unanswered for item in self.items)


def read_asked_table(
    prompts: str | None, items: str | None, source: SourceOptions, table: TableOptions
) -> AskedTable:
    """Read items and their prompts.

    Args:
        prompts: a table of items, or a template.
        items: the table of a template.
        source: names of columns.
        table: how a table is read.

    Raises:
        InputError: a file cannot be read, or a template has no table, or a table of prompts has a second one.
    """
    template, file = template_and_table(str(prompts), items)
    templates = [] if template is None else [template]
    read = read_items_to_ask(table.open(file), prompt_columns(source.columns), templates)
    filled = tuple(item.prompt(template) for item in read)
    name = Path(file).name
    where = name if template is None else f"{template.name} #{template.content_hash}"
    return AskedTable(read, filled, Path(file).stem, where)


def template_and_table(prompts: str, items: str | None) -> tuple[PromptTemplate | None, str]:
    """Tell a template from a table by its ending.

    Raises:
        InputError: a template without a table, or a table beside another one.
    """
    if is_template(prompts):
        if items is None:
            raise InputError(f"--prompts {prompts} is a template: name the table that fills it with --items")
        return read_template(prompts), items
    if items is not None:
        raise InputError(
            f"--items belongs to a template (.txt or .md), and --prompts {prompts} is a table: leave one out"
        )
    return None, prompts


def prompt_columns(options: RunColumnOptions) -> PromptColumns:
    """Name the columns as ``read_items_to_ask`` takes them."""
    return PromptColumns(options.id or "id", options.input, tuple(options.by or ()), options.reference)


_SHOWN_REASONS = 3


def record_asked(options: RecordOptions) -> RecordedRun:
    """Ask for outputs and keep them as a run, with its reruns.

    The history is looked at before anybody is asked. Replies are in the ledger until all of them are there;
    then the runs are recorded, and the round of asking is closed.

    Raises:
        InputError: what is to be asked does not fit the history, or cannot be read.
        InterruptedRunError: it was stopped early, or calls failed that may succeed another time.
        ReplyError: no call brought a reply.
    """
    check_input(str(options.prompts))
    table = read_asked_table(options.prompts, options.items, options.source, options.table)
    ledger = options.calls.open_ledger()
    try:
        with progress_bars() as progress:
            asker = _asker(options, ledger, progress)
            draft = _draft(options, table, _model_name(options, asker))
            with options.history.open(create=True) as history:
                history.check_writable()
                placed = placed_run(
                    history, draft, options.history.dataset, options.rerun_of, is_answered=False
                )
                shared = shared_ids(history, placed)
            if shared is not None and not shared.n:
                say(f"warning: {none_shared_words(shared, placed.dataset)}")
            answers, asked = run_apart(_asked(asker, table, options.reruns + 1, ledger, progress))
        answers.check_complete()
        recorded = replace(_recorded(options, table, draft, answers), shared=shared)
        run_apart(close_round(ledger, asked))
    finally:
        ledger.close()
    return recorded


def _asker(
    options: RecordOptions, ledger: "Ledger", progress: "Progress | None"
) -> ModelAsker | ProgramAsker:
    if options.command is not None:
        return ProgramAsker(options.command, ledger, options.calls.timeout)
    settings = options.request.settings  # a number out of range is refused before a model is loaded
    model = load_chat(options.chat, str(options.chat.chat_model), progress)
    return ModelAsker(model, settings, options.calls.running(ledger))


def _model_name(options: RecordOptions, asker: ModelAsker | ProgramAsker) -> str:
    """Name what gives the outputs; a program asks a model that only its user knows."""
    if options.source.model is not None:
        return options.source.model
    if isinstance(asker, ProgramAsker):
        raise InputError("--command needs --model NAME: what the program asks, such as gpt-5-mini")
    return asker.name


async def _asked(
    asker: ModelAsker | ProgramAsker, table: AskedTable, n: int, ledger: "Ledger", progress: "Progress | None"
) -> tuple[Answers, AskingRound]:
    if isinstance(asker, ProgramAsker):
        asked = await open_round(ledger, asker.keys(table.items, table.prompts))
        return await asker.ask(table.items, table.prompts, asked.samples(n), progress), asked
    asked = await open_round(ledger, asker.keys(table.prompts))
    answers, _ = await asker.ask(table.prompts, asked.samples(n), progress)
    return answers, asked


def _draft(options: RecordOptions, table: AskedTable, model: str) -> Run:
    """Make the run without outputs."""
    return Run(
        options.history.dataset or table.dataset,
        model,
        table.empty_items,
        revision=git_revision(Path.cwd()),
        note=_note(options, table),
    )


def _note(options: RecordOptions, table: AskedTable) -> str:
    given = {} if options.command is not None else options.request.settings.given
    settings = [f"{name} {value}" for name, value in given.items() if name != "system"]
    settings += [f"system “{given['system']}”"] if "system" in given else []
    whom = [] if options.command is None else [f"by {options.command}"]
    said = ", ".join([f"asked with {table.source}", *whom, *settings])
    return said if options.source.note is None else f"{options.source.note}; {said}"


def _recorded(options: RecordOptions, table: AskedTable, draft: Run, answers: Answers) -> RecordedRun:
    """Store the first asking as a run, and the others as its reruns."""
    first, *others = (_answered(draft, asking) for asking in answers.asked)
    with options.history.open(create=True) as history:
        placed = placed_run(history, first, options.history.dataset, options.rerun_of)
        numbered = [
            replace(run, dataset=placed.dataset, note=f"{run.note}; rerun {place} of {len(others)}")
            for place, run in enumerate(others, start=1)
        ]
        for rerun in numbered:
            check_rerun(placed, rerun)
        kept = history.record_once(placed)
        origin = kept.rerun_of or kept.id
        reruns = tuple(history.record_once(replace(rerun, rerun_of=origin)) for rerun in numbered)
        given = {} if options.command is not None else options.request.settings.given
        facts = answers.facts(table.source, given)
        return RecordedRun(kept, history.where, kept is placed, reruns, facts)


def _answered(draft: Run, answers: Sequence[Answer]) -> Run:
    missing = [
        f"{item.id}: {answer.reason}"
        for item, answer in zip(draft.items, answers, strict=True)
        if answer.reason is not None
    ]
    more = f" and {len(missing) - _SHOWN_REASONS} more" if len(missing) > _SHOWN_REASONS else ""
    without = f"; no output for {'; '.join(missing[:_SHOWN_REASONS])}{more}" if missing else ""
    return Run(
        draft.dataset,
        draft.model,
        answered_items(draft.items, answers),
        recorded=now(),
        revision=draft.revision,
        note=f"{draft.note}{without}",
    )


def compare_matrix(options: MatrixOptions) -> MatrixSummary:
    """Ask every model with every prompt, and compare what they gave.

    Raises:
        InputError: options that do not go together, or a file that cannot be read.
        InterruptedRunError: a cap was reached; replies are kept, and the same command goes on.
        ReplyError: all models are down, or the judge is.
    """
    templates, items, file = read_matrix(options)
    _ = options.request.settings  # a number out of range is refused before a model is loaded
    with progress_bars() as progress, options.calls.open_ledger() as ledger:
        model = options.embedder
        matrix = ask_matrix(
            items,
            options.load_models(progress),
            [one for one in templates if one is not None],
            reruns=options.reruns,
            settings=options.request.settings,
            judge=options.judge.load(options.chat, progress),
            method=options.method,
            matching=MatchSettings(
                embedder=model.chosen_name,
                precision=model.precision,
                seed=options.run.seed,
                loading=model.loading(progress),
            ),
            running=options.calls.running(ledger),
            progress=progress,
        )
    matrix = replace(matrix, source=file)
    options.outputs.write_table(matrix.to_frame())
    return matrix.summarize(options.run.plan)


def read_matrix(
    options: MatrixOptions,
) -> tuple[list[PromptTemplate | None], tuple[ItemToAsk, ...], str]:
    """Check the options, and read templates and items; the last is the name of the items' file.

    Raises:
        InputError: options that do not go together, or a file that cannot be read.
    """
    check_method(options.method, options.embedder.engine)
    options.outputs.check()
    templates, file = _prompts(options)
    columns = PromptColumns(
        options.columns.id or "id", options.columns.input, reference=options.columns.reference
    )
    check_input(file, options.outputs.report)
    items = read_items_to_ask(options.table.open(file), columns, [one for one in templates if one])
    return templates, items, file


def _prompts(options: MatrixOptions) -> tuple[list[PromptTemplate | None], str]:
    """Tell templates from a table of items; ``None`` stands for the items' own inputs."""
    named = options.prompts
    tables = [name for name in named if not is_template(name)]
    if options.items is not None and not tables:
        return [read_template(name) for name in named] or [None], options.items
    if options.items is None and len(tables) == len(named) == 1:
        return [None], tables[0]
    if tables:
        raise InputError(
            f"--prompts {tables[0]} is a table: name it with --items, and templates (.txt or .md) with "
            "--prompts"
        )
    raise InputError(f"--prompts {named[0]} is a template: name the table that fills it with --items")


_PART = 500  # pairs of answers whose prompts are in memory together


_JUDGED = (
    "Nobody was asked. The judge's calls are the most that there can be: each pair of answers differs, and "
    "answers are as long as they may be."
)


def forecast_recording(options: RecordOptions) -> ForecastSummary:
    """Forecast the calls of ``drift record --prompts``, without asking.

    Raises:
        InputError: a file cannot be read, or a setting is out of range.
    """
    check_input(str(options.prompts))
    table = read_asked_table(options.prompts, options.items, options.source, options.table)
    settings = options.request.settings
    model = load_chat(options.chat, str(options.chat.chat_model))
    asker = ModelAsker(model, settings, options.calls.running())

    async def work(ledger: "Ledger") -> Forecast:
        asked = await open_round(ledger, asker.keys(table.prompts))
        samples = asked.samples(options.reruns + 1)
        return await forecast(asker.requests(table.prompts, samples), model, ledger=ledger)

    forecasts = options.calls.forecasts({asker.name: work})
    return ForecastSummary(table.source, forecasts, len(table.items), {}, "item")


def forecast_matrix(options: MatrixOptions) -> ForecastSummary:
    """Forecast the calls of ``drift matrix``, without asking; a judge's as the most that there can be.

    Raises:
        InputError: as ``compare_matrix``.
    """
    templates, items, file = read_matrix(options)
    settings = options.request.settings
    cells = cells_of(options.load_models(), templates)
    judge = options.judge.load(options.chat)
    by_model: dict[str, list[AskedCell]] = {}
    for cell in cells:
        by_model.setdefault(cell.model.name, []).append(cell)

    async def work(of_model: Sequence[AskedCell], ledger: "Ledger") -> Forecast:
        asker = ModelAsker(of_model[0].model, settings, options.calls.running())
        prompts = [prompt for cell in of_model for prompt in cell.prompts(items)]
        requests = asker.requests(prompts, range(options.reruns + 1))
        return await forecast(requests, asker.model, ledger=ledger)

    works: dict[str, Any] = {name: partial(work, found) for name, found in by_model.items()}
    if judge is not None:
        longest = settings.max_tokens or ASSUMED_REPLY

        def judged(ledger: "Ledger") -> Coroutine[object, object, Forecast]:
            return forecast_judge(judge, partial(_longest_pairs, judge, items, len(cells), longest), ledger)

        works[judge.name if judge.name not in works else f"{judge.name}, as the judge"] = judged
    found = ForecastSummary(file, options.calls.forecasts(works), len(items), {}, "item")
    return found if judge is None else replace(found, note=_JUDGED)


def _longest_pairs(
    judge: Judge, items: Sequence[ItemToAsk], n_cells: int, tokens: int, form: int
) -> Iterator[Request]:
    """Give the judge's requests if all answers differed and were as long as they may be."""
    for one, other in combinations(range(n_cells), 2):
        for start in range(0, len(items), _PART):
            shown = [
                judged
                for item in items[start : start + _PART]
                for judged in AnswerPair(
                    item.input, _longest(one, tokens), _longest(other, tokens), item.reference
                ).in_both_orders
            ]
            yield from judge.requests_about(shown)[form]


def _longest(cell: int, tokens: int) -> str:
    return f"{cell} ".ljust(round(tokens * BYTES_PER_TOKEN), "x")
