"""Runs of ``semscale drift record --prompts``: a model or a program is asked, or the calls are forecast."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.chat.budget import Forecast, ForecastSummary, PriceTable, forecast
from semscale.chat.runner import run_to_end
from semscale.cli.drift.options import RecordOptions, load_chat
from semscale.cli.drift.recording import approval_to_come, approve_recorded, with_dataset
from semscale.cli.outputs import check_input
from semscale.cli.process import say
from semscale.cli.progress import progress_bars
from semscale.drift.asking import (
    Answer,
    Answers,
    AskingRound,
    ItemToAsk,
    ModelAsker,
    PromptColumns,
    close_round,
    is_template,
    items_with_answers,
    open_round,
    read_items_to_ask,
    read_template,
)
from semscale.drift.programs import ProgramAsker
from semscale.drift.revision import git_revision
from semscale.drift.runs import RecordedRun, check_rerun, copies_among, count_shared_ids, reasoning_notes
from semscale.errors import InputError
from semscale.history.runs import Approval, Run, now
from semscale.report.drift_history import none_shared_sentence
from semscale.spelling import as_option, spelled

if TYPE_CHECKING:
    from semscale.chat.ledger import Ledger
    from semscale.types import Progress


@dataclass(frozen=True)
class AskedTable:
    """Items with their prompts.

    Attributes:
        items: in the table's order.
        prompts: one for each item.
        dataset: default name of the dataset: the table's, without its ending.
        source: name of the table or template with the prompts.
    """

    items: tuple[ItemToAsk, ...]
    prompts: tuple[str, ...]
    dataset: str
    source: str


def read_asked_table(options: RecordOptions) -> AskedTable:
    """Read items and their prompts.

    Raises:
        InputError: a file cannot be read, or a template has no table, or a table of prompts has a second one.
    """
    prompts, items = str(options.prompts), options.items
    check_input(prompts)
    if is_template(prompts) and items is None:
        raise InputError(f"--prompts {prompts} is a template: name the table that fills it with --items")
    if not is_template(prompts) and items is not None:
        raise InputError(
            f"--items belongs to a template (.txt or .md), and --prompts {prompts} is a table: leave one out"
        )
    template, file = (None, prompts) if items is None else (read_template(prompts), items)
    named = options.source.columns
    input_ = named.input if "input" in named.model_fields_set else None
    columns = PromptColumns(named.id, input_, named.by, named.reference)
    read = read_items_to_ask(options.table.open(file), columns, [template] if template else [])
    source = f"{template.name} #{template.content_hash}" if template else Path(file).name
    return AskedTable(read, tuple(item.prompt(template) for item in read), Path(file).stem, source)


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
    table = read_asked_table(options)
    ledger = options.calls.open_ledger()
    try:
        with progress_bars() as progress:
            asker = _asker(options, ledger, progress)
            draft = _draft(options, table, _model_name(options, asker))
            approval = approval_to_come(draft, options.approval)
            with options.history.open(create=True) as history:
                history.check_writable()
                assigned = with_dataset(
                    history, draft, options.history.dataset, options.rerun_of, is_answered=False
                )
                shared = count_shared_ids(history, assigned)
            if shared is not None and not shared.n:
                say(f"warning: {spelled(none_shared_sentence(shared, assigned.dataset), as_option)}")
            answers, asked = run_to_end(_ask(asker, table, options.reruns + 1, ledger, progress))
        answers.check_complete()
        recorded = replace(_record_runs(options, table, draft, answers, approval), shared=shared)
        run_to_end(close_round(ledger, asked))
    finally:
        ledger.close()
    return recorded


def _asker(
    options: RecordOptions, ledger: "Ledger", progress: "Progress | None"
) -> ModelAsker | ProgramAsker:
    if options.command is not None:
        return ProgramAsker(options.command, ledger, options.calls.limits.timeout)
    model = load_chat(options.chat, str(options.chat.model), progress)
    return ModelAsker(model, options.request, options.calls.running(ledger))


def _model_name(options: RecordOptions, asker: ModelAsker | ProgramAsker) -> str:
    """Name what gives the outputs; a program asks a model that only its user knows."""
    if options.source.model is not None:
        return options.source.model
    if isinstance(asker, ProgramAsker):
        raise InputError("--command needs --model NAME: what the program asks, such as gpt-5-mini")
    return asker.name


async def _ask(
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
        tuple(item.unanswered for item in table.items),
        revision=git_revision(Path.cwd()),
        note=_note(options, table),
    )


def _note(options: RecordOptions, table: AskedTable) -> str:
    given = {} if options.command is not None else options.request.given
    settings = [f"{name} {value}" for name, value in given.items() if name != "system"]
    settings += [f"system “{given['system']}”"] if "system" in given else []
    whom = [] if options.command is None else [f"by {options.command}"]
    said = ", ".join([f"asked with {table.source}", *whom, *settings])
    return said if options.source.note is None else f"{options.source.note}; {said}"


def _record_runs(
    options: RecordOptions, table: AskedTable, draft: Run, answers: Answers, approval: Approval | None
) -> RecordedRun:
    """Store the first asking as a run, and the others as its reruns."""
    first, *others = (_add_answers(draft, asking) for asking in answers.asked)
    with options.history.open(create=True) as history:
        assigned = with_dataset(history, first, options.history.dataset, options.rerun_of)
        numbered = [
            replace(run, dataset=assigned.dataset, note=f"{run.note}; rerun {number} of {len(others)}")
            for number, run in enumerate(others, start=1)
        ]
        for rerun in numbered:
            check_rerun(assigned, rerun)
        stored = history.record(assigned)
        origin = stored.rerun_of or stored.id
        reruns = tuple(history.record(replace(rerun, rerun_of=origin)) for rerun in numbered)
        given = {} if options.command is not None else options.request.given
        facts = answers.facts(table.source, given)
        asked_again = reruns if stored.rerun_of is None else (stored, *reruns)
        copies = copies_among(history, history.run(origin), asked_again) if asked_again else ()
        recorded = RecordedRun(
            stored,
            history.where,
            stored is assigned,
            reruns,
            facts,
            copies=copies,
            input_notes=reasoning_notes(stored),
        )
        return approve_recorded(history, recorded, approval)


def _add_answers(draft: Run, answers: Sequence[Answer]) -> Run:
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
        items_with_answers(draft.items, answers),
        recorded=now(),
        revision=draft.revision,
        note=f"{draft.note}{without}",
    )


def forecast_recording(options: RecordOptions) -> ForecastSummary:
    """Forecast the calls of ``drift record --prompts``, without asking.

    Raises:
        InputError: a file cannot be read, or a setting is out of range.
    """
    table = read_asked_table(options)
    model = load_chat(options.chat, str(options.chat.model))
    asker = ModelAsker(model, options.request, options.calls.running())

    async def work(ledger: "Ledger", prices: PriceTable | None) -> Forecast:
        asked = await open_round(ledger, asker.keys(table.prompts))
        samples = asked.samples(options.reruns + 1)
        requests = asker.requests(table.prompts, samples)
        return await forecast(requests, model, prices=prices, ledger=ledger)

    forecasts = options.calls.forecasts({asker.name: work})
    return ForecastSummary(table.source, forecasts, len(table.items), {}, "item")
