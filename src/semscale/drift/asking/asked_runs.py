"""Runs of a chat model that Python programs ask for, LangChain's models among them."""

from collections.abc import Sequence
from dataclasses import replace

from semscale.chat.chat_model import load_chat_model
from semscale.chat.ledger import Ledger
from semscale.chat.runner import Running, run_apart
from semscale.drift.asking.answers import Answers, answered_items
from semscale.drift.asking.items_to_ask import ItemToAsk
from semscale.drift.asking.model_asking import AskSettings, ModelAsker
from semscale.drift.asking.prompt_template import PromptTemplate
from semscale.drift.asking.rounds import close_round, open_round
from semscale.errors import InputError, InterruptedRunError
from semscale.history.runs import Run
from semscale.types import Progress


def ask_runs(  # noqa: PLR0913 - each is one noun, and all but three have a default
    items: Sequence[ItemToAsk],
    chat_model: object,
    *,
    dataset: str,
    reruns: int = 0,
    template: PromptTemplate | None = None,
    settings: AskSettings | None = None,
    running: Running | None = None,
    progress: Progress | None = None,
) -> tuple[Run, ...]:
    """Ask a chat model for a run and its reruns, each by new calls.

    With a ledger, a call of this function that was stopped goes on where it was; one that has returned asks
    anew the next time.

    Args:
        items: what is asked about.
        chat_model: what ``load_chat_model`` takes: a chat model, LangChain's too, or a model's name.
        dataset: name of the dataset.
        reruns: how often everything is asked once more.
        template: of the prompts; the items' inputs are sent unless given.
        settings: parameters of the requests.
        running: how calls are made: at once, repeated, paid, kept.
        progress: called as replies come.

    Returns:
        The run, and then its reruns.

    Raises:
        InputError: a negative number of reruns, or a prompt that cannot be written.
        InterruptedRunError: it was stopped early, or calls failed that may succeed another time.
        ReplyError: no call brought a reply.
    """
    if reruns < 0:
        raise InputError(f"reruns must be at least 0, got {reruns}")
    running = running or Running()
    asker = ModelAsker(load_chat_model(chat_model), settings or AskSettings(), running)
    prompts = [item.prompt(template) for item in items]
    answers = run_apart(_asked(asker, prompts, reruns + 1, progress))
    empty = [item.unanswered for item in items]
    runs = [Run(dataset, asker.name, answered_items(empty, asking)) for asking in answers.asked]
    return runs[0], *(replace(run, rerun_of=runs[0].id) for run in runs[1:])


def check_answered(answers: Answers) -> None:
    """Check that no call failed that may succeed another time: an outage is not the model's silence.

    Raises:
        InterruptedRunError: some did.
    """
    lost = answers.lost
    if lost:
        raise InterruptedRunError(
            f"{sum(lost.values())} of {len(answers.every)} calls failed, most often because: "
            f"{next(iter(lost))}; no run is recorded, replies that came are kept, and the same command asks "
            "for the rest"
        )


async def _asked(asker: ModelAsker, prompts: Sequence[str], n: int, progress: Progress | None) -> Answers:
    place = asker.running.ledger
    if place is False:
        answers, _ = await asker.ask(prompts, range(n), progress)
        check_answered(answers)
        return answers
    ledger = place if isinstance(place, Ledger) else Ledger(None if place is True else place)
    try:
        open_asker = replace(asker, running=replace(asker.running, ledger=ledger))
        asked = await open_round(ledger, asker.keys(prompts))
        answers, _ = await open_asker.ask(prompts, asked.samples(n), progress)
        check_answered(answers)
        await close_round(ledger, asked)
    finally:
        if ledger is not place:
            ledger.close()
    return answers
