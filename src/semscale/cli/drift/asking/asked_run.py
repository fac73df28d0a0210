"""Runs of ``semscale drift record --prompts``: ask a model or a program, and store what it gave."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.chat.runner import run_apart
from semscale.cli.drift.asking.asked_items import AskedTable, read_asked_table
from semscale.cli.drift.command_options import RecordOptions
from semscale.cli.drift.record_run import placed_run
from semscale.cli.errors import say
from semscale.cli.outputs import check_input
from semscale.cli.progress import progress_bars
from semscale.drift.asking.answers import Answer, Answers, answered_items, facts_of
from semscale.drift.asking.asked_runs import check_answered
from semscale.drift.asking.model_asking import ModelAsker
from semscale.drift.asking.program import ProgramAsker
from semscale.drift.asking.rounds import AskingRound, close_round, open_round
from semscale.drift.runs.comparability import check_rerun
from semscale.drift.runs.revision import git_revision
from semscale.drift.runs.run_summaries import RecordedRun
from semscale.drift.runs.shared_ids import shared_ids
from semscale.errors import InputError
from semscale.history.runs import Run, now
from semscale.report.drift_runs import none_shared_words

if TYPE_CHECKING:
    from semscale.chat.ledger.ledger import Ledger
    from semscale.types import Progress

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
    check_input(str(options.asking.prompts))
    table = read_asked_table(options.asking.prompts, options.asking.items, options.source, options.table)
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
            answers, asked = run_apart(_asked(asker, table, options.asking.reruns + 1, ledger, progress))
        check_answered(answers)
        recorded = replace(_recorded(options, table, draft, answers), shared=shared)
        run_apart(close_round(ledger, asked))
    finally:
        ledger.close()
    return recorded


def _asker(
    options: RecordOptions, ledger: "Ledger", progress: "Progress | None"
) -> ModelAsker | ProgramAsker:
    asking = options.asking
    if asking.command is not None:
        return ProgramAsker(asking.command, ledger, options.calls.timeout)
    settings = asking.request.settings  # a number out of range is refused before a model is loaded
    model = asking.request.load(str(asking.chat_model), progress)
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
    asking = options.asking
    given = {} if asking.command is not None else asking.request.settings.given
    settings = [f"{name} {value}" for name, value in given.items() if name != "system"]
    settings += [f"system “{given['system']}”"] if "system" in given else []
    whom = [] if asking.command is None else [f"by {asking.command}"]
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
        given = {} if options.asking.command is not None else options.asking.request.settings.given
        facts = facts_of(answers, prompts=table.source, settings=given)
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
