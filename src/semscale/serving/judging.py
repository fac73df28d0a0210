"""Calls of a judge for the service and for an agent's tools, which share one chat model and one budget."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from semscale.judging.settings import TEMPLATES, JudgeSettings
from semscale.messages import unknown_name
from semscale.scales import Scale, scale_names
from semscale.serving.instruments import scale_in_request
from semscale.serving.refusals import RefusedRequestError, invalid
from semscale.serving.requests import SPLIT, ServiceLimits
from semscale.text_preparation import TextPreparation
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.runner import Running
    from semscale.chat.settings import Spent
    from semscale.judging.prompts import JudgedItem
    from semscale.judging.verdicts import Verdicts

_CAP_REMEDY = "the cap holds for all calls together until the server ends; start it again with a higher cap"
_MOST_WAITING = 64
_REPLIES_PER_TEXT = 10
_RETRY_AFTER = 5


class JudgeCalls:
    """Calls of a judge, which share one chat model and one budget.

    Args:
        load: loads the chat model.
        running: settings of the calls, with the budget of the server.
    """

    def __init__(self, load: "Callable[[], ChatModel]", running: "Running") -> None:
        self._load = load
        self._running = replace(running, on_spent=self._spend, cap_remedy=_CAP_REMEDY)
        self._model: ChatModel | None = None
        self._turn = asyncio.Lock()
        self._n = 0

    def load(self) -> None:
        """Load the chat model, which otherwise the first call does."""
        if self._model is None:
            self._model = self._load()

    async def verdicts(self, fields: Any) -> "Verdicts":
        """Judge the answers of a call; calls run one after the other, so that they share the budget.

        Args:
            fields: checked fields, see ``check_replies``.

        Raises:
            RefusedRequestError: too many calls wait.
            SemscaleError: a setting or a cell is invalid, or no call of the model can succeed.
        """
        if self._n >= _MOST_WAITING:
            raise RefusedRequestError(
                429, "too many requests are waiting for the judge: try again later", retry_after=_RETRY_AFTER
            )
        # A separate task is needed because an agent's server cancels a call again at each wait. Otherwise
        # running calls would be neither stopped nor counted before the next one begins.
        task = asyncio.create_task(self._judge(fields))
        self._n += 1
        task.add_done_callback(self._end)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.cancel()
            raise

    def _end(self, _: object) -> None:
        self._n -= 1

    async def _judge(self, fields: Any) -> "Verdicts":
        from semscale.judging.judge import Judge

        settings = {name: getattr(fields, name) for name in JudgeSettings.model_fields if name != "criteria"}
        # Texts without reasoning, HTML and white space.
        items = await asyncio.to_thread(combine_items, fields)
        async with self._turn:
            if self._model is None:
                await asyncio.to_thread(self.load)
            judge = Judge(self._model, **{**settings, "template": template_in_request(fields.template)})
            verdicts, _ = await judge.judge_part(items, judge.start(self._running), None)
        return verdicts

    def _spend(self, spent: "Spent") -> None:
        self._running = self._running.after(spent)


def combine_items(fields: Any) -> "Sequence[JudgedItem | Status]":
    """Combine the questions, answers and references of a call.

    Raises:
        InputError: lists of unequal length.
    """
    from semscale.judging.prompts import read_items

    preparation = TextPreparation.from_settings(fields)
    return read_items(fields.questions, fields.answers, fields.references, preparation)


def check_replies(fields: Any, limits: ServiceLimits, remedy: str = SPLIT) -> None:
    """Refuse a call that asks for too many replies.

    Args:
        fields: fields of the call.
        limits: limits of a call.
        remedy: remedy, for the message.

    Raises:
        RefusedRequestError: the limit is exceeded.
    """
    most = _REPLIES_PER_TEXT * limits.max_texts
    replies = fields.samples * len(fields.answers)
    if replies > most:
        raise invalid(
            f"`samples` times answers must be at most {most:,}, got {replies:,}: {remedy}", "samples"
        )


def template_in_request(template: str | dict[str, Any]) -> str | Scale:
    """Return a built-in template or scale, or the scale defined in the call; no file is read.

    Raises:
        InputError: no template or scale has this name, or the fields of a scale are invalid.
    """
    known = [*TEMPLATES, *scale_names()]
    if isinstance(template, str) and template not in known:
        raise unknown_name("template", template, known)
    return template if isinstance(template, str) and template in TEMPLATES else scale_in_request(template)
