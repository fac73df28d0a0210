"""Cells of a matrix: each prompt with each model; different endpoints are asked beside each other."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from semscale.chat.calling import CapReachedError
from semscale.chat.chat_model import ChatModel
from semscale.chat.declining import declines_to_answer
from semscale.chat.messages import FATAL, TRANSIENT, CallError
from semscale.chat.runner import Running
from semscale.drift.asking import (
    Answer,
    Answers,
    AskSettings,
    ItemToAsk,
    ModelAsker,
    PromptTemplate,
    UnreachedModelError,
)
from semscale.errors import InputError, InterruptedRunError, ReplyError, SemscaleError
from semscale.types import Progress

T = TypeVar("T")


@dataclass(frozen=True)
class AskedCell:
    """One prompt with one model.

    Attributes:
        name: in tables; the model's, the prompt's or both, whatever tells the cells apart.
        model: the model that is asked.
        template: of the prompts; ``None`` where the items' inputs are sent.
    """

    name: str
    model: ChatModel
    template: PromptTemplate | None = None

    def prompts(self, items: Sequence[ItemToAsk]) -> list[str]:
        """Write what is sent for each item."""
        return [item.prompt(self.template) for item in items]


@dataclass(frozen=True)
class CellAnswers:
    """What a cell gave.

    Attributes:
        cell: the prompt and the model.
        answers: to all items; ``None`` where the model is down.
        down: why it is down; ``None`` where it answered.
    """

    cell: AskedCell
    answers: Answers | None
    down: str | None = None


def text_of(answer: Answer) -> str | None:
    """The text of an answer; ``None`` where no output came or none has a text."""
    return next((output.text for output in answer.outputs if not output.is_silent), None)


def gives_nothing(answer: Answer, reference: str | None = None) -> bool:
    """Whether a model answered and gave nothing: it refused, its text is empty, or its text only declines.

    A call that failed is no such answer. A text that declines is one like any other where the reference
    declines, too.

    Args:
        answer: of a model.
        reference: the answer that is known to be right; ``None`` without one.

    Example:
        >>> from semscale.history.items import Output
        >>> declined = Answer((Output("I'm sorry, but I can't help with that."),))
        >>> gives_nothing(declined, "Paris"), gives_nothing(declined, "I cannot answer that.")
        (True, False)
        >>> gives_nothing(Answer(reason="no reply", is_lost=True))
        False
    """
    if not answer.outputs:
        return answer.is_silent
    text = text_of(answer)
    if text is None:
        return True
    return declines_to_answer(text) and not (reference is not None and declines_to_answer(reference))


def cells_of(
    models: Sequence[ChatModel], templates: Sequence[PromptTemplate | None]
) -> tuple[AskedCell, ...]:
    """Pair each prompt with each model.

    Args:
        models: at least one.
        templates: at least one; ``None`` stands for the items' own inputs.

    Raises:
        InputError: a model or a prompt is named twice, or there is only one cell.
    """
    for what, names in (
        ("chat_model", [model.name for model in models]),
        ("prompts", [template.name for template in templates if template is not None]),
    ):
        twice = [name for place, name in enumerate(names) if name in names[:place]]
        if twice:
            raise InputError(f"{what} must name each one once, got {twice[0]!r} twice")
    if len(models) * len(templates) == 1:
        raise InputError(
            "a matrix compares at least two cells: give --chat-model or --prompts a second time, or use "
            "semscale drift record for one"
        )
    return tuple(
        AskedCell(_name(template, model, len(templates), len(models)), model, template)
        for template, model in product(templates, models)
    )


async def ask_cells(
    cells: Sequence[AskedCell],
    items: Sequence[ItemToAsk],
    *,
    settings: AskSettings,
    running: Running,
    times: int = 1,
    progress: Progress | None = None,
) -> tuple[tuple[CellAnswers, ...], Running]:
    """Ask all cells about all items; a model that is down leaves the others to finish.

    Cells of one endpoint are asked one after the other, so that its pace holds, and those of others beside
    them. A model that could not be reached for one prompt is down for its further prompts, and not tried
    again.

    Args:
        cells: prompts with models.
        items: what is asked about.
        settings: parameters of the requests.
        running: how calls are made; its budget holds for all cells together.
        times: how often each prompt is asked.
        progress: called as replies come.

    Returns:
        What each cell gave, and ``running`` with what is left of its budget.

    Raises:
        InputError: an item's prompt cannot be written.
        InterruptedRunError: a cap was reached; replies are kept.
        ReplyError: all cells are down.
    """
    work = _CellWork(items, settings, running.shared(), times, progress)
    for cell in cells:
        cell.prompts(items)  # one that cannot be written is refused before anybody is asked
    chains: dict[str, list[AskedCell]] = {}
    for cell in cells:
        chains.setdefault(_endpoint(cell.model), []).append(cell)
    asked = [one for chain in await _beside_each_other(map(work.chain, chains.values())) for one in chain]
    for _, one in asked:
        if isinstance(one, InterruptedRunError):
            raise one
    found = {cell.name: one for cell, one in asked if isinstance(one, CellAnswers)}
    every = tuple(found[cell.name] for cell in cells)
    if all(one.answers is None for one in every):
        raise ReplyError(f"no model answered; {every[0].cell.name}: {every[0].down}")
    return every, running.after(work.running.spent)


@dataclass(frozen=True)
class _CellWork:
    """What all cells are asked with."""

    items: Sequence[ItemToAsk]
    settings: AskSettings
    running: Running
    times: int
    progress: Progress | None

    async def chain(
        self, cells: Sequence[AskedCell]
    ) -> list[tuple[AskedCell, CellAnswers | InterruptedRunError]]:
        """Ask the cells of one endpoint; the last one may be ended by a cap."""
        found: list[tuple[AskedCell, CellAnswers | InterruptedRunError]] = []
        unreached: dict[str, str] = {}
        for cell in cells:
            if cell.model.name in unreached:
                found.append((cell, CellAnswers(cell, None, unreached[cell.model.name])))
                continue
            try:
                found.append((cell, CellAnswers(cell, await self._answers(cell))))
            except (ReplyError, InterruptedRunError) as error:
                if isinstance(error, InterruptedRunError) and isinstance(error.__cause__, CapReachedError):
                    return [*found, (cell, error)]
                down = str(error if isinstance(error, ReplyError) else error.__cause__ or error)
                found.append((cell, CellAnswers(cell, None, down)))
                if _is_out_of_reach(error):
                    unreached[cell.model.name] = down
        return found

    async def _answers(self, cell: AskedCell) -> Answers:
        asker = ModelAsker(cell.model, self.settings, self.running)
        answers, _ = await asker.ask(cell.prompts(self.items), range(self.times), self.progress)
        return answers


async def _beside_each_other(works: Iterable[Coroutine[object, object, T]]) -> list[T]:
    """Do all works at once; an error in one of them ends the others."""
    tasks = [asyncio.create_task(work) for work in works]
    done, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
    for task in done:
        task.result()
    return [task.result() for task in tasks]


def _endpoint(model: ChatModel) -> str:
    """Name the place where a model is asked, whose pace and caps its models share.

    Models that do not say it share one by their kind.
    """
    fields = dict(model.signature.fields)
    return fields.get("endpoint") or fields.get("engine") or type(model).__qualname__


def _is_out_of_reach(error: SemscaleError) -> bool:
    """Whether another prompt would fare no better: the model takes no request at all."""
    if isinstance(error, CallError):
        return error.kind in FATAL | TRANSIENT
    return isinstance(error, InterruptedRunError | UnreachedModelError)


def _name(template: PromptTemplate | None, model: ChatModel, n_templates: int, n_models: int) -> str:
    if template is None or n_templates == 1:
        return model.name
    return template.name if n_models == 1 else f"{template.name}, {model.name}"
