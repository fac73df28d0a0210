"""The instrument: a chat model that scores answers against a template."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, Literal, Self, TypedDict, Unpack

import numpy as np

from semscale.chat.connections import held_open
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.decision_calls import TRIED_ITEMS
from semscale.chat.decisions.loading import load_deciding_model
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import Parameters, Request
from semscale.chat.replies import CallError, Reply, Usage
from semscale.chat.runner import run_apart
from semscale.errors import InputError
from semscale.judging.asking import (
    UNREAD,
    Conversation,
    FormRefusal,
    ModelCapabilities,
    Running,
    ask,
    capabilities_to_try,
    count_refusals,
)
from semscale.judging.prompts import ORDERS, JudgedItem, Order, ReferencePosition, read_items
from semscale.judging.requests import JudgeRequests, decisions_to_try
from semscale.judging.templates import Rubric, Template, load_rubric, load_template
from semscale.judging.verdict import Verdict
from semscale.judging.verdicts import Verdicts
from semscale.messages import known_settings, unknown_name
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.types import Progress, Status

Method = Literal["prose", "decision"]
"""Kind of reply: prose that states a score, or a probability of each level."""

METHODS: tuple[Method, ...] = ("prose", "decision")

_SAMPLING_TEMPERATURE = 1.0
_MOST_CORRECTIONS, _MOST_SAMPLES = 20, 1000


class JudgeSettings(TypedDict, total=False):
    """Settings of a ``Judge``, as ``judge`` passes them on."""

    template: str | Template | Scale
    rubric: str | None
    context: str | None
    order: Order
    samples: int
    temperature: float | None | Literal["auto"]
    max_tokens: int | None
    structured: bool | Literal["auto"]
    logprobs: bool | Literal["auto"]
    corrections: int
    reference_place: ReferencePosition
    seed: int | None
    method: Method
    criteria: Rubric | str | Path | None


def judge(
    questions: object,
    answers: object,
    *,
    chat_model: object,
    references: object = None,
    running: Running | None = None,
    **settings: Unpack[JudgeSettings],
) -> Verdicts:
    """Judge answers to questions, in one call.

    Args:
        questions: a list or a series.
        answers: likewise, one for each question.
        chat_model: what judges, as ``load_chat_model`` takes it: a chat model, LangChain's too, or a name.
        references: answers that are known to be right.
        running: how calls are made.
        settings: as ``Judge`` takes them.

    Raises:
        InputError: as ``Judge`` and ``Judge.judge``.
        ReplyError: as ``Judge.judge``.
    """
    return Judge(chat_model, **settings).judge(questions, answers, references=references, running=running)


@dataclass(frozen=True)
class JudgeState:
    """State of a judge between the parts of a table: what its model accepts, and what is left to spend.

    Attributes:
        running: how calls are made, with what is left of the budget.
        capabilities: options that the model accepts; ``None`` until the first item has shown it.
        replied: whether any reply came.
        gave_logprobs: whether any reply came with probabilities of its tokens.
        ignored_schema: whether any reply that was to follow a schema was no JSON.
        not_taken: forms that the model did not take, and why.
        left_out: parameters that the model refused, so that replies came without them.
        stopped: why asking stopped early, or ``None``.
        usage: tokens of all replies of this run, those from the ledger included.
    """

    running: Running
    capabilities: ModelCapabilities | None = None
    replied: bool = False
    gave_logprobs: bool = False
    ignored_schema: bool = False
    not_taken: tuple[FormRefusal, ...] = ()
    left_out: frozenset[str] = frozenset()
    stopped: str | None = None
    usage: Usage = Usage(0, 0)

    def after(self, conversations: Sequence[Conversation]) -> Self:
        """Return the state with what the replies of further conversations show."""
        replies = [reply for conversation in conversations for reply in conversation.replies]
        ignored_schema = any(conversation.ignored_schema for conversation in conversations)
        return replace(
            self,
            replied=self.replied or bool(replies),
            gave_logprobs=self.gave_logprobs or any(reply.logprobs for reply in replies),
            ignored_schema=self.ignored_schema or ignored_schema,
            left_out=self.left_out.union(*(reply.left_out for reply in replies)),
            usage=reduce(Usage.plus, (reply.usage for reply in replies if reply.usage), self.usage),
        )

    def notes(self) -> dict[str, Any]:
        """Return, for JSON, what a run needs to know when it is resumed."""
        return {
            "capabilities": None if self.capabilities is None else list(asdict(self.capabilities).values()),
            "replied": self.replied,
            "gave_logprobs": self.gave_logprobs,
            "ignored_schema": self.ignored_schema,
            "not_taken": [refusal.record() for refusal in self.not_taken],
            "left_out": sorted(self.left_out),
        }

    def resumed(self, notes: Mapping[str, Any]) -> Self:
        """Return the state that the notes of an earlier run describe, with this one's budget."""
        capabilities = notes["capabilities"]
        return replace(
            self,
            capabilities=None if capabilities is None else ModelCapabilities(*capabilities),
            replied=notes["replied"],
            gave_logprobs=notes["gave_logprobs"],
            ignored_schema=notes["ignored_schema"],
            not_taken=tuple(FormRefusal(**refusal) for refusal in notes["not_taken"]),
            left_out=frozenset(notes["left_out"]),
        )


class Judge:
    """A chat model that scores answers to questions.

    Args:
        chat_model: what ``load_chat_model`` takes: a chat model, LangChain's too, or a model's name.
        template: a name among ``TEMPLATES``, a ``Template``, a scale, or a scale's name.
        rubric: your instructions on what is to be judged.
        context: further information for the judge, such as who asks.
        order: ``score-first``, ``explanation-first`` or ``score-only``. Explaining first narrows the spread.
        samples: replies for each item; with several the distribution is their shares.
        temperature: ``auto`` is 0 for one sample and 1 for several; ``None`` leaves it to the model.
        max_tokens: length at which a reply is cut; ``None`` leaves it to the model.
        structured: whether replies are asked for as JSON by a schema; ``auto`` where the model accepts one.
        logprobs: whether probabilities of tokens are asked for; ``auto`` where the model gives them.
        corrections: how often a reply that cannot be read is asked for again.
        reference_place: whether a reference stands after the answer or before it.
        seed: sent to the model, where it accepts one.
        method: ``prose``, or ``decision`` for typed decisions: a probability for each level, and nothing to
            parse. A model that takes none gives probabilities of letters, or else prose; the signature's
            ``method`` shows which.
        criteria: a rubric of several criteria, or its YAML file; it replaces the template.

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
        reference_place: ReferencePosition = "after",
        seed: int | None = None,
        method: Method = "prose",
        criteria: Rubric | str | Path | None = None,
    ) -> None:
        _check_settings(
            order=order, samples=samples, corrections=corrections, reference_place=reference_place
        )
        _check_method(method, samples, temperature=temperature, order=order)
        temperature = _checked_temperature(temperature, samples)
        deciding = load_deciding_model(chat_model) if method == "decision" else None
        self.model = deciding or load_chat_model(chat_model)
        self._settings: JudgeSettings = {
            "template": template, "rubric": rubric, "context": context, "order": order,
            "samples": samples, "temperature": temperature, "max_tokens": max_tokens,
            "structured": structured, "logprobs": logprobs, "corrections": corrections,
            "reference_place": reference_place, "seed": seed, "method": method, "criteria": criteria,
        }  # fmt: skip
        alone = Rubric.from_template(load_template(template, rubric=rubric))
        self.rubric = alone if criteria is None else load_rubric(criteria)
        self.template = self.rubric.template
        self.context = (context or "").strip()
        self.method: Method = method
        self.order: Order = order
        self.samples, self.corrections = samples, corrections
        self.reference_place: ReferencePosition = reference_place
        sampling: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "seed": seed}
        Parameters(**sampling)  # checks their ranges before anything is sent
        self._requests = JudgeRequests(
            self.rubric, method, order, self.context, reference_place, samples, corrections, sampling
        )
        self._to_try: tuple[ModelCapabilities, ...] = ()
        if deciding is not None:
            self._to_try = decisions_to_try(deciding, self.rubric)
        if deciding is None or deciding.chat is not None:
            self._to_try += capabilities_to_try(structured, logprobs if samples == 1 else False)

    def varied(self, **changes: Unpack[JudgeSettings]) -> "Judge":
        """Return the same judge with some settings changed; another template comes with its rubric."""
        settings: JudgeSettings = {**self._settings, **changes}
        if "template" in changes:
            settings["rubric"], settings["criteria"] = changes.get("rubric"), changes.get("criteria")
        return Judge(self.model, **settings)

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
        """Judge the rows of a part; equal items are asked about once.

        Args:
            rows: as ``read_items`` returns them.
            state: from the part before; where a cap was reached, nothing is asked.
            progress: called as replies come.

        Returns:
            A verdict for each row, and the state for the next part.

        Raises:
            ReplyError: no call can succeed.
        """
        items = list(dict.fromkeys(row for row in rows if isinstance(row, JudgedItem)))
        replied: Mapping[JudgedItem, list[Conversation]] = {}
        if items and state.capabilities is None and state.stopped is None:
            state, replied = await self._find_capabilities(items, state, progress)
        options = state.capabilities or self._to_try[0]
        conversations = {
            item: replied.get(item) or self._requests.conversations(item, options) for item in items
        }
        flat = [conversation for group in conversations.values() for conversation in group]
        if state.stopped is None:
            running, stopped = await self._requests.ask(
                self.model, flat, options, running=state.running, progress=progress
            )
            state = replace(state, running=running, stopped=stopped)
        state = state.after(flat)
        aggregated = {
            item: self._requests.aggregate(group, stopped=state.stopped)
            for item, group in conversations.items()
        }
        verdicts = tuple(
            aggregated[row] if isinstance(row, JudgedItem) else Verdict.without_item(row) for row in rows
        )
        return self.verdicts(verdicts, state), state

    def verdicts(self, verdicts: tuple[Verdict, ...], state: JudgeState) -> Verdicts:
        """Collect verdicts on n items, with what was applied to them."""
        return Verdicts(
            verdicts=verdicts,
            status=np.array([verdict.status for verdict in verdicts], dtype=object),
            template=self.template,
            model=self.name,
            signature=self.applied(state),
            stopped=state.stopped,
            criteria=self.criteria,
            not_taken=state.not_taken,
        )

    async def _find_capabilities(
        self, items: Sequence[JudgedItem], state: JudgeState, progress: Progress | None
    ) -> tuple[JudgeState, Mapping[JudgedItem, list[Conversation]]]:
        """Ask about the first item, each time with fewer options, until the model accepts a request.

        An item may be refused for what it says, so up to three are tried: in each form of decisions, and in
        prose.

        Returns:
            The state with the options that the model accepts, and the conversations with a reply, by item.
        """
        tried = items[:TRIED_ITEMS]
        decisions = [(options, item) for options in self._to_try if options.decision for item in tried]
        prose = [(options, item) for item in tried for options in self._to_try if not options.decision]
        running, refusals = state.running, []
        replied: dict[ModelCapabilities, dict[JudgedItem, list[Conversation]]] = {}
        unsupported: set[ModelCapabilities] = set()
        for options, item in (*decisions, *prose):
            if options in unsupported:
                continue
            conversations = self._requests.conversations(item, options)
            running, stopped = await ask(
                self.model, conversations[:1], self._requests.read, running=running, progress=progress
            )
            reason = conversations[0].form_refusal
            if stopped is not None or reason is None or len(self._to_try) == 1:
                accepted = {**replied.get(options, {}), item: conversations}
                break
            refusals.append((options.form, reason))
            if options.decision is not None:
                replied.setdefault(options, {})[item] = conversations
                if not conversations[0].may_lie_in_item:
                    unsupported.add(options)
        else:
            options, accepted, stopped = self._to_try[-1], {}, None
        not_taken = count_refusals(refusal for refusal in refusals if refusal[0] != options.form)
        state = replace(state, capabilities=options, running=running, stopped=stopped, not_taken=not_taken)
        return state, accepted

    def applied(self, state: JudgeState) -> Signature:
        """Record what was really applied, without what no reply has or the model refused or ignored."""
        capabilities = state.capabilities or self._to_try[0]
        if state.replied and not state.gave_logprobs:
            capabilities = replace(capabilities, top_logprobs=None)
        applied = self._signature(capabilities, state.left_out)
        # The wording of the prompt is still that for structured output; a decision has no such field.
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

    def corrections_after(self, request: Request, outcome: Reply | CallError | None = None) -> list[Request]:
        """Write the longest corrections that may follow a first request.

        Args:
            request: one of ``requests``.
            outcome: what is known to come back; a reply that can be read, a refusal or a failure has none.
        """
        if isinstance(outcome, CallError):
            return []
        if outcome is not None and self._requests.read(request, outcome).status not in UNREAD:
            return []
        return self._requests.longest_corrections(request)

    def prompt(self, item: JudgedItem) -> str:
        """The last message to the judge about an item, without the system message."""
        return self._requests.prompt_form(as_json=self._to_try[0].structured).messages(item)[-1].text

    def _signature(
        self, capabilities: ModelCapabilities, left_out: frozenset[str] = frozenset()
    ) -> Signature:
        return self._requests.signature(capabilities, left_out).extended(self.model.signature)


def _checked_temperature(temperature: float | Literal["auto"] | None, samples: int) -> float | None:
    """Choose the temperature: 0 for one sample and 1 for several unless another is given.

    Raises:
        InputError: several samples at 0, which would all be alike.
    """
    if temperature == "auto":
        return 0.0 if samples == 1 else _SAMPLING_TEMPERATURE
    if samples != 1 and temperature == 0:
        raise InputError(f"temperature must be > 0 for {samples} samples, which would all be alike at 0")
    return temperature


def _check_method(
    method: str, samples: int, *, temperature: float | Literal["auto"] | None, order: str
) -> None:
    """Check how a judge is asked.

    Raises:
        InputError: an unknown method; or samples, a temperature or an order of a decision.
    """
    if method not in METHODS:
        raise unknown_name("method", str(method), METHODS)
    if method == "decision" and samples != 1:
        raise InputError(
            f"samples must be 1 with method='decision', got {samples}: "
            "a decision has a probability for each level"
        )
    if method == "decision" and temperature not in {"auto", None, 0.0}:
        raise _prose_only("temperature", temperature)
    if method == "decision" and order == "explanation-first":
        raise _prose_only("order", order)


def _prose_only(name: str, value: object) -> InputError:
    reason = "it is for replies in prose, and a decision is a probability for each level"
    return InputError(
        f"leave {name}={value!r} out with method='decision': {reason}",
        in_shell=f"leave --{name} {value} out with --method decision: {reason}",
    )


def _check_settings(*, order: str, samples: int, corrections: int, reference_place: str) -> None:
    """Check settings that have a list of values, and whole numbers.

    Raises:
        InputError: one is out of range.
    """
    if order not in ORDERS:
        raise unknown_name("order", str(order), ORDERS)
    if reference_place not in {"after", "before"}:
        raise InputError(f"reference_place must be 'after' or 'before', got {reference_place!r}")
    _check_count("samples", samples, 1, _MOST_SAMPLES)
    _check_count("corrections", corrections, 0, _MOST_CORRECTIONS)


def _check_count(name: str, number: object, low: int, high: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or not low <= number <= high:
        raise InputError(f"{name} must be a whole number from {low} to {high}, got {number!r}")
