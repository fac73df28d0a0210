"""The instrument: a chat model that scores answers against a template."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Unpack

import numpy as np

from semscale.chat.connections import held_open
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.loading import load_deciding_model
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import Parameters, Request
from semscale.chat.replies import CallError, Reply
from semscale.chat.runner import run_apart
from semscale.judging.asking import UNREAD, Running
from semscale.judging.decisions.criteria_requests import CriteriaRequests
from semscale.judging.decisions.decision_tries import decision_tries
from semscale.judging.decisions.rubric import Rubric
from semscale.judging.decisions.rubric_file import loaded_rubric
from semscale.judging.items import read_items
from semscale.judging.judge_requests import JudgeRequests
from semscale.judging.judge_settings import (
    JudgeSettings,
    Method,
    check_method,
    check_settings,
    checked_temperature,
)
from semscale.judging.judge_state import JudgeState
from semscale.judging.model_capabilities import ModelCapabilities, capabilities_to_try
from semscale.judging.part_judging import PartJudging
from semscale.judging.prompts.prompting import JudgedItem, Order, ReferencePlace
from semscale.judging.prompts.template import Template, load_template
from semscale.judging.verdicts import Verdicts
from semscale.known_settings import known_settings
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.types import Progress, Status


class Judge:
    """A chat model that scores answers to questions.

    Args:
        chat_model: what ``load_chat_model`` takes: a chat model, LangChain's too, or a model's name.
        template: a name among ``TEMPLATES``, a ``Template``, a scale, or a scale's name.
        rubric: your own words on what is to be judged.
        context: further words for the judge, such as who asks.
        order: ``score-first``, ``explanation-first`` or ``score-only``. Explaining first narrows the spread.
        samples: replies for each item; with several the distribution is their shares.
        temperature: ``auto`` is 0 for one sample and 1 for several; ``None`` leaves it to the model.
        max_tokens: at which length a reply is cut; ``None`` leaves it to the model.
        structured: whether replies are asked for as JSON by a schema; ``auto`` where the model takes one.
        logprobs: whether probabilities of tokens are asked for; ``auto`` where the model gives them.
        corrections: how often a reply that cannot be read is asked for again.
        reference_place: whether a reference stands after the answer or before it.
        seed: sent to the model, where it takes one.
        method: ``prose``, or ``decision`` for typed decisions: a probability for each level, and nothing to
            read. A model that takes none gives probabilities of letters, or else prose; the signature's
            ``method`` says which.
        criteria: a rubric of several criteria, or its YAML file; it takes the template's place.

    Raises:
        InputError: an unknown template, a setting out of range, or more levels than decisions take.

    References:
        Zheng et al. (2023), Judging LLM-as-a-Judge, arXiv 2306.05685; on expected scores and the order of
        score and explanation arXiv 2503.03064.
    """

    @known_settings
    def __init__(  # noqa: PLR0913 - each is a setting that the signature records
        self,
        chat_model: object,
        *,
        template: str | Template | Scale = "likert",
        rubric: str | None = None,
        context: str | None = None,
        order: Order = "score-first",
        samples: int = 1,
        temperature: float | None | Literal["auto"] = "auto",
        max_tokens: int | None = 1024,
        structured: bool | Literal["auto"] = "auto",
        logprobs: bool | Literal["auto"] = "auto",
        corrections: int = 2,
        reference_place: ReferencePlace = "after",
        seed: int | None = None,
        method: Method = "prose",
        criteria: Rubric | str | Path | None = None,
    ) -> None:
        check_settings(order=order, samples=samples, corrections=corrections, reference_place=reference_place)
        check_method(method, samples, temperature=temperature, order=order)
        temperature = checked_temperature(temperature, samples)
        deciding = load_deciding_model(chat_model) if method == "decision" else None
        self.model = deciding or load_chat_model(chat_model)
        self._settings: JudgeSettings = {
            "template": template, "rubric": rubric, "context": context, "order": order,
            "samples": samples, "temperature": temperature, "max_tokens": max_tokens,
            "structured": structured, "logprobs": logprobs, "corrections": corrections,
            "reference_place": reference_place, "seed": seed, "method": method, "criteria": criteria,
        }  # fmt: skip
        self.method: Method = method
        self.rubric = loaded_rubric(criteria, load_template(template, rubric=rubric))
        self.template = self.rubric.template
        self.context = (context or "").strip()
        self.order: Order = order
        self.samples, self.corrections = samples, corrections
        self.reference_place: ReferencePlace = reference_place
        sampling: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        Parameters(**sampling)  # checks their ranges before anything is sent
        prose = tuple(
            JudgeRequests(each.template, order, self.context, reference_place, samples, corrections, sampling)
            for each in self.rubric.criteria
        )
        is_plain = method == "prose" and len(prose) == 1
        self._requests = prose[0] if is_plain else CriteriaRequests(self.rubric, prose, method)
        tries = capabilities_to_try(structured, logprobs if samples == 1 else False)
        if deciding is not None and deciding.chat is None:
            tries = ()
        self._to_try = (*(decision_tries(deciding, self.rubric) if deciding else ()), *tries)
        self._part = PartJudging(self.model, self._requests, self._to_try)

    def varied(self, **changes: Unpack[JudgeSettings]) -> "Judge":
        """The same judge with some settings changed; another template comes with its own rubric."""
        kept: JudgeSettings = {**self._settings, **changes}
        if "template" in changes and "rubric" not in changes:
            kept["rubric"] = None
        if "template" in changes and "criteria" not in changes:
            kept["criteria"] = None
        return Judge(self.model, **kept)

    @property
    def criteria(self) -> dict[str, float]:
        """Weights of the criteria by their names; empty for a template."""
        return self.rubric.weights if len(self.rubric.criteria) > 1 else {}

    @property
    def answers_prose(self) -> bool:
        """Whether the model can be asked in prose, too; a mere decision model cannot."""
        return not isinstance(self.model, DecidingChat) or self.model.chat is not None

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def signature(self) -> Signature:
        """What is applied if the model takes every option."""
        return self._signature(self._to_try[0])

    def judge(
        self,
        questions: object,
        answers: object,
        *,
        references: object = None,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> Verdicts:
        """Judge answers, in their order; equal items are asked about once.

        It waits for the replies, in a running event loop (a notebook) too; ``judge_async`` can be awaited.

        Args:
            questions: shape (n,), a list or a series; what is missing, empty or no text has a status.
            answers: shape (n,), likewise.
            references: shape (n,), answers that are known to be right, each a text or a list of texts.
            running: how calls are made: at once, repeated, paid, kept.
            progress: called as replies come.

        Returns:
            Verdicts; where a cap ended the run early its remaining items are ``unfinished``.

        Raises:
            InputError: lists of unequal length.
            ReplyError: no call can succeed: the key is wrong, the model unknown, the account empty.
        """
        return run_apart(
            self.judge_async(questions, answers, references=references, running=running, progress=progress)
        )

    async def judge_async(
        self,
        questions: object,
        answers: object,
        *,
        references: object = None,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> Verdicts:
        """Judge answers; as ``judge``, for code that runs in an event loop."""
        rows = read_items(questions, answers, references)
        async with held_open(self.model):
            return await self.judge_items(rows, running or Running(), progress)

    async def judge_items(
        self, rows: Sequence[JudgedItem | Status], running: Running, progress: Progress | None = None
    ) -> Verdicts:
        """Judge rows as ``read_items`` gives them."""
        verdicts, _ = await self.judge_part(rows, JudgeState(running), progress)
        return verdicts

    async def judge_part(
        self, rows: Sequence[JudgedItem | Status], state: JudgeState, progress: Progress | None = None
    ) -> tuple[Verdicts, JudgeState]:
        """Judge the rows of one part, and give the state for the next part.

        Args:
            rows: as ``read_items`` gives them.
            state: from the part before; where it says that a cap was reached, nothing is asked.
            progress: called as replies come.
        """
        verdicts, after = await self._part.judged(rows, state, progress)
        status = np.array([verdict.status for verdict in verdicts] or [], dtype=object)
        found = Verdicts(
            tuple(verdicts),
            status,
            self.template,
            self.name,
            self.applied(after),
            after.stopped,
            self.criteria,
            after.not_taken,
        )
        return found, after

    def applied(self, state: JudgeState) -> Signature:
        """Record what was really applied, without what no reply has or the model refused or ignored."""
        capabilities = state.capabilities or self._to_try[0]
        given = state.gave_logprobs or not state.replied
        capabilities = capabilities if given else replace(capabilities, top_logprobs=None)
        applied = self._signature(capabilities, state.left_out)
        if capabilities.decision is not None:
            return applied
        # The words of the prompt are still those for structured output.
        return applied.replaced({"structured": False}) if state.ignored_schema else applied

    def requests(
        self, questions: object, answers: object, *, references: object = None
    ) -> list[list[Request]]:
        """Write the first requests of a run, once for each set of options that the model may take.

        Returns:
            A list for each set, the one with most options first; a run finds out which set the model takes.
        """
        rows = read_items(questions, answers, references)
        return self.requests_about(row for row in rows if isinstance(row, JudgedItem))

    def requests_about(self, items: Iterable[JudgedItem]) -> list[list[Request]]:
        """Write the first requests about items, each once, as ``requests`` does."""
        distinct = dict.fromkeys(items)
        return [
            [
                conversation.request
                for item in distinct
                for conversation in self._requests.conversations(item, capabilities)
            ]
            for capabilities in self._to_try
        ]

    def corrections_after(self, request: Request, found: Reply | CallError | None = None) -> list[Request]:
        """Write the longest corrections that may follow a first request.

        Args:
            request: one of ``requests``.
            found: what is known to come back; a reply that can be read, a refusal or a failure has none.
        """
        if isinstance(found, CallError):
            return []
        if found is not None and self._requests.read(request, found).status not in UNREAD:
            return []
        return self._requests.longest_corrections(request)

    def prompt(self, item: JudgedItem) -> str:
        """The last message to the judge about an item, without the system message."""
        return self._requests.prompt_form(self._to_try[0]).messages(item)[-1].text

    def _signature(
        self, capabilities: ModelCapabilities, left_out: frozenset[str] = frozenset()
    ) -> Signature:
        return self._requests.signature(capabilities, left_out).extended(self.model.signature)
