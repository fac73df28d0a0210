"""The instrument: a chat model that scores answers against a template, alone or in a panel."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar, Unpack

import numpy as np

from semscale.chat.chat_model import ChatModel, Model, keep_open
from semscale.chat.decisions import load_deciding_model
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import Call, CallError, Parameters, Reply, Request
from semscale.chat.negotiation import Evidence, Negotiation
from semscale.chat.runner import Running, run_to_end, warn_if_stopped
from semscale.errors import InputError, SemscaleError
from semscale.judging.conversations import UNREAD, Conversation
from semscale.judging.prompts import JudgedItem, read_items
from semscale.judging.requests import (
    JudgeRequests,
    JudgeState,
    RequestForm,
    prose_forms,
    rubric_forms,
)
from semscale.judging.settings import JudgeKeywords, JudgeSettings
from semscale.judging.templates import Rubric, load_rubric, load_template
from semscale.judging.verdict import Verdict
from semscale.judging.verdicts import PanelVerdicts, Verdicts
from semscale.messages import reject_unknown_settings
from semscale.settings import takes
from semscale.signature import Signature
from semscale.text_preparation import TextPreparation
from semscale.types import Progress, Status

_FEWEST_JUDGES = 2

R = TypeVar("R", Verdicts, PanelVerdicts)


@takes(JudgeSettings)
def judge(
    questions: object,
    answers: object,
    references: object = None,
    *,
    chat_model: object,
    running: Running | None = None,
    **settings: Unpack[JudgeKeywords],
) -> Verdicts:
    """Judge answers to questions, in one call.

    Args:
        questions: a list or a series.
        answers: likewise, one for each question.
        references: right answers.
        chat_model: the judge's model: a chat model, a LangChain model, or a name; see ``load_chat_model``.
        running: how calls are made.
        settings: fields of ``JudgeSettings``.

    Warns:
        UnfinishedWarning: as ``Judge.judge``.

    Raises:
        InputError: as ``Judge`` and ``Judge.judge``.
        ReplyError: as ``Judge.judge``.
    """
    instrument = Judge(chat_model, **settings)
    items = read_items(questions, answers, references, instrument.preparation)
    verdicts = run_to_end(instrument.judge_items(items, running or Running()))
    warn_if_stopped(verdicts.stopped, verdicts.status, stacklevel=4)  # above the wrapper of ``takes``
    return verdicts


class AnyJudge(ABC, Generic[R]):
    """A judge or a panel of judges, which score items in the same way.

    Attributes:
        members: the judges, at least one.
    """

    members: "tuple[Judge, ...]"

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """The signature if every model accepts every option."""

    @property
    def preparation(self) -> TextPreparation:
        """Treatment of reasoning and HTML in answers and references; for a panel that of its first judge."""
        return TextPreparation.from_settings(self.members[0].settings)

    @abstractmethod
    async def judge_part(
        self, items: Sequence[JudgedItem | Status], states: Sequence[JudgeState], progress: Progress | None
    ) -> tuple[R, tuple[JudgeState, ...]]:
        """Judge the rows of one part; equal items are asked about once.

        Args:
            items: result of ``read_items``.
            states: the members' states after the previous part; a member that reached a cap is not asked.
            progress: called as replies come.

        Returns:
            A verdict for each row, and the members' states for the next part.
        """

    @abstractmethod
    def result(self, verdicts: Sequence[tuple[Verdict, ...]], states: Sequence[JudgeState]) -> R:
        """Combine the verdicts of each member on the same items with the settings that were applied."""

    def start(self, running: Running) -> tuple[JudgeState, ...]:
        """Return the members' states before the first part; a budget is divided equally among them."""
        part = running.divide(len(self.members), "judges")
        return tuple(JudgeState(part) for _ in self.members)

    def judge(
        self,
        questions: object,
        answers: object,
        references: object = None,
        *,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> R:
        """Judge answers, in their order; equal items are asked about once.

        It waits for the replies, even in a running event loop (a notebook); ``judge_async`` can be awaited.
        In a panel, a judge that fails, for one item or altogether, does not affect the others.

        Args:
            questions: shape (n,), a list or a series; a cell that is missing, empty or not text gets that
                status.
            answers: shape (n,), likewise.
            references: shape (n,), right answers, each a text or a list of texts.
            running: how calls are made: concurrency, retries, budget, ledger; a panel's judges get equal
                parts of the budget.
            progress: called as replies come.

        Returns:
            Verdicts; where a cap or 20 unreadable replies in a row ended the run early, its remaining items
            are ``unfinished``, and ``stopped`` has the reason.

        Warns:
            UnfinishedWarning: the run ended early.

        Raises:
            InputError: lists of unequal length.
            ReplyError: no call of a single judge can succeed: the key is wrong, the model unknown, the
                account empty.
        """
        items = read_items(questions, answers, references, self.preparation)
        verdicts = run_to_end(self.judge_items(items, running or Running(), progress))
        warn_if_stopped(verdicts.stopped, verdicts.status)
        return verdicts

    async def judge_async(
        self,
        questions: object,
        answers: object,
        references: object = None,
        *,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> R:
        """Judge answers; as ``judge``, for code that runs in an event loop."""
        items = read_items(questions, answers, references, self.preparation)
        verdicts = await self.judge_items(items, running or Running(), progress)
        warn_if_stopped(verdicts.stopped, verdicts.status)
        return verdicts

    async def judge_items(
        self, items: Sequence[JudgedItem | Status], running: Running, progress: Progress | None = None
    ) -> R:
        """Judge the result of ``read_items``, without a warning of an early end."""
        result, _ = await self.judge_part(items, self.start(running), progress)
        return result


class Judge(AnyJudge[Verdicts]):
    """A chat model that scores answers to questions.

    Args:
        chat_model: a chat model, a LangChain model, or a model's name; see ``load_chat_model``.
        settings: fields of ``JudgeSettings``.

    Raises:
        InputError: an unknown template, a setting out of range, or more levels than decisions accept.

    References:
        Zheng et al. (2023), Judging LLM-as-a-Judge, arXiv 2306.05685; expected scores, and the order of score
        and explanation: arXiv 2503.03064.
    """

    @takes(JudgeSettings)
    def __init__(self, chat_model: object, **settings: Unpack[JudgeKeywords]) -> None:
        self.settings = JudgeSettings(**settings)
        self.members = (self,)
        decides = self.settings.method == "decision"
        self.model: Model = load_deciding_model(chat_model) if decides else load_chat_model(chat_model)
        alone = Rubric.from_template(load_template(self.settings.template, rubric=self.settings.rubric))
        self.rubric = alone if self.settings.criteria is None else load_rubric(self.settings.criteria)
        self.template = self.rubric.template
        Parameters(**self.settings.sampling)  # checks their ranges before anything is sent
        self._requests = JudgeRequests(self.rubric, self.settings)
        self._forms: tuple[RequestForm, ...] = ()
        if decides:
            self._forms = rubric_forms(self.model, self.rubric)
        if self.answers_prose:
            logprobs = self.settings.logprobs if self.settings.samples == 1 else False
            self._forms += prose_forms(self.settings.structured, logprobs)

    def with_settings(self, **changes: Any) -> "Judge":
        """Return the judge with some settings changed; a new template includes its rubric."""
        if "template" in changes:
            changes = {"rubric": None, "criteria": None, **changes}
        settings = {name: getattr(self.settings, name) for name in JudgeSettings.model_fields}
        return Judge(self.model, **{**settings, **changes})

    @property
    def criteria(self) -> dict[str, float]:
        """Weights of the criteria by their names; empty for a template."""
        return self.rubric.weights if len(self.rubric.criteria) > 1 else {}

    @property
    def answers_prose(self) -> bool:
        """True if the model answers prose, which a pure decision model does not."""
        return isinstance(self.model, ChatModel)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    @property
    def signature(self) -> Signature:
        """The signature if the model accepts every option."""
        return self._signature(self._forms[0])

    async def judge_part(
        self, items: Sequence[JudgedItem | Status], states: Sequence[JudgeState], progress: Progress | None
    ) -> tuple[Verdicts, tuple[JudgeState, ...]]:
        """Judge the rows of one part; see ``AnyJudge.judge_part``.

        Raises:
            ReplyError: no call can succeed.
        """
        async with keep_open(self.model):
            verdicts, state = await self._judge_rows(items, states[0], progress)
        return verdicts, (state,)

    def result(self, verdicts: Sequence[tuple[Verdict, ...]], states: Sequence[JudgeState]) -> Verdicts:
        """Combine the judge's verdicts on n items with the settings that were applied."""
        state = states[0]
        return Verdicts(
            verdicts=verdicts[0],
            status=np.array([verdict.status for verdict in verdicts[0]], dtype=object),
            template=self.template,
            model=self.name,
            signature=self._final_signature(state),
            stopped=state.stopped,
            criteria=self.criteria,
            refused_forms=state.refused_forms,
        )

    async def _judge_rows(
        self, rows: Sequence[JudgedItem | Status], state: JudgeState, progress: Progress | None
    ) -> tuple[Verdicts, JudgeState]:
        items = list(dict.fromkeys(row for row in rows if isinstance(row, JudgedItem)))
        replied: Mapping[JudgedItem, list[Conversation]] = {}
        if items and state.form is None and state.stopped is None:
            state, replied = await self._find_form(items, state, progress)
        form = state.form or self._forms[0]
        conversations = {
            item: replied.get(item) or self._requests.conversations(item, form) for item in items
        }
        flat = [conversation for group in conversations.values() for conversation in group]
        if state.stopped is None:
            state = await self._requests.ask(
                self.model, flat, state, corrections=self.settings.corrections, progress=progress
            )
        state = state.after(flat)
        aggregated = {
            item: self._requests.aggregate(group, stopped=state.stopped)
            for item, group in conversations.items()
        }
        verdicts = tuple(
            aggregated[row] if isinstance(row, JudgedItem) else Verdict.without_item(row) for row in rows
        )
        return self.result([verdicts], [state]), state

    async def _find_form(
        self, items: Sequence[JudgedItem], state: JudgeState, progress: Progress | None
    ) -> tuple[JudgeState, Mapping[JudgedItem, list[Conversation]]]:
        """Ask about the first items until the model accepts the form of a request.

        Returns:
            The state with the form that the model accepts, and the conversations with them, by item.
        """
        prose = [form for form in self._forms if form.decision is None]
        decisions = ([form] for form in self._forms if form.decision is not None)
        negotiation = Negotiation(*decisions, prose, n_items=len(items))
        replied: dict[RequestForm, dict[JudgedItem, list[Conversation]]] = {}
        while (trial := negotiation.trial) is not None:
            form, index = trial
            conversations = self._requests.conversations(items[index], form)
            state = await self._requests.ask(self.model, conversations[:1], state, progress=progress)
            replied.setdefault(form, {})[items[index]] = conversations
            if state.stopped is not None:
                break
            evidence, reason = conversations[0].form_evidence
            negotiation.note(form, evidence, reason)
            if form.structured and evidence is Evidence.FORM:
                # A model without schemas lacks them with every number of log-probabilities.
                for other in filter(lambda other: other.structured, prose):
                    negotiation.exclude(other)
        else:
            form = negotiation.form or self._forms[-1]
        refused_forms = tuple(refusal for refusal in negotiation.refusals if refusal.form != str(form))
        state = replace(state, form=form, refused_forms=refused_forms)
        return state, replied.get(form, {})

    def _final_signature(self, state: JudgeState) -> Signature:
        """Return the signature without options that no reply has, or that the model refused or ignored."""
        form = state.form or self._forms[0]
        if state.replied and not state.gave_logprobs:
            form = replace(form, top_logprobs=None)
        applied = self._signature(form, state.left_out)
        # The wording of the prompt is still that for structured output; a decision has no such field.
        return applied.with_values({"structured": False}) if state.ignored_schema else applied

    def requests(self, questions: object, answers: object, *, references: object = None) -> list[list[Call]]:
        """Write the first requests of a run, once for each form that the model may accept.

        Returns:
            A list for each form, the one with most options first. A run finds out which form the model
            accepts.
        """
        rows = read_items(questions, answers, references, self.preparation)
        return self.requests_about(row for row in rows if isinstance(row, JudgedItem))

    def requests_about(self, items: Iterable[JudgedItem]) -> list[list[Call]]:
        """Write the first requests about items, each once, as ``requests`` does."""
        distinct = dict.fromkeys(items)
        return [
            [
                conversation.request
                for item in distinct
                for conversation in self._requests.conversations(item, form)
            ]
            for form in self._forms
        ]

    def corrections_after(self, request: Call, outcome: Reply | CallError | None = None) -> list[Request]:
        """Write the longest corrections that may follow a first request.

        Args:
            request: one of ``requests``.
            outcome: the known outcome, if any; a readable reply, a refusal or a failure needs no correction.
        """
        if outcome is not None and not self.is_unread(request, outcome):
            return []
        return self._requests.longest_corrections(request)

    def is_unread(self, request: Call, outcome: Reply | CallError) -> bool:
        """Return whether the outcome of a first request is a reply in prose that cannot be read."""
        return isinstance(outcome, Reply) and self._requests.read(request, outcome).status in UNREAD

    def prompt(self, item: JudgedItem) -> str:
        """The last message to the judge about an item, without the system message."""
        return self._requests.prompt_form(as_json=self._forms[0].structured).messages(item)[-1].text

    def _signature(self, form: RequestForm, left_out: frozenset[str] = frozenset()) -> Signature:
        return self._requests.signature(form, left_out).plus(self.model.signature)


class Panel(AnyJudge[PanelVerdicts]):
    """A panel of judges that score the same items at the same time.

    Args:
        judges: two or more; the same model may occur twice with different settings.

    Raises:
        InputError: fewer than two judges, or an object that is not a judge.

    References:
        Verga et al. (2024), Replacing Judges with Juries, arXiv 2404.18796.
    """

    @reject_unknown_settings
    def __init__(self, judges: Sequence[Judge]) -> None:
        members = tuple(judges) if isinstance(judges, Sequence) else ()
        if len(members) < _FEWEST_JUDGES or not all(isinstance(judge, Judge) for judge in members):
            raise InputError("judges", f"must be a list of two or more Judge, got {judges!r}")
        self.judges = self.members = members

    @property
    def names(self) -> tuple[str, ...]:
        """The judges' names, numbered if some are equal."""
        plain = [judge.name for judge in self.judges]
        numbers = [plain[: index + 1].count(name) for index, name in enumerate(plain)]
        return tuple(
            f"{name} ({number})" if plain.count(name) > 1 else name
            for name, number in zip(plain, numbers, strict=True)
        )

    @property
    def signature(self) -> Signature:
        """The judges' signatures, numbered, in their order."""
        return join_signatures([judge.signature for judge in self.judges])

    async def judge_part(
        self, items: Sequence[JudgedItem | Status], states: Sequence[JudgeState], progress: Progress | None
    ) -> tuple[PanelVerdicts, tuple[JudgeState, ...]]:
        """Let every judge score the rows of one part; see ``AnyJudge.judge_part``.

        If a judge cannot be asked at all, all its items have failed.
        """

        async def verdicts_of(judge: Judge, state: JudgeState) -> tuple[Verdicts, JudgeState]:
            try:
                verdicts, (after,) = await judge.judge_part(items, [state], progress)
            except SemscaleError as error:
                failed = Verdict.without_score(Status.FAILED, str(error))
                rows = (failed if isinstance(row, JudgedItem) else Verdict.without_item(row) for row in items)
                return judge.result([tuple(rows)], [state]), state
            return verdicts, after

        judging = [
            asyncio.ensure_future(verdicts_of(judge, state))
            for judge, state in zip(self.judges, states, strict=True)
        ]
        try:
            results = await asyncio.gather(*judging)
        finally:  # an error that is not of one judge, such as of the progress callback, ends all of them
            for task in judging:
                task.cancel()
        return self._join_verdicts([verdicts for verdicts, _ in results]), tuple(
            state for _, state in results
        )

    def result(self, verdicts: Sequence[tuple[Verdict, ...]], states: Sequence[JudgeState]) -> PanelVerdicts:
        """Combine the verdicts of all judges on the same items with the settings that were applied."""
        members = zip(self.judges, verdicts, states, strict=True)
        return self._join_verdicts([judge.result([rows], [state]) for judge, rows, state in members])

    def _join_verdicts(self, judges: Sequence[Verdicts]) -> PanelVerdicts:
        rows = zip(*(verdicts.status.tolist() for verdicts in judges), strict=True)
        status = np.array([_common_status(statuses) for statuses in rows], dtype=object)
        signature = join_signatures([verdicts.signature for verdicts in judges])
        return PanelVerdicts(self.names, tuple(judges), status, signature)


def join_signatures(signatures: Sequence[Signature]) -> Signature:
    """Join several judges' signatures into one, with fields numbered from 1."""
    fields = tuple(
        (f"{name}_{number}", value)
        for number, signature in enumerate(signatures, start=1)
        for name, value in signature.fields
    )
    return Signature.of("panel", judges=len(signatures)).plus(Signature("panel", fields))


def _common_status(statuses: Sequence[Status]) -> Status:
    """Return ``scored`` if any judge scored the item, else the most repairable of the judges' statuses."""
    order = (Status.SCORED, Status.UNFINISHED, Status.FAILED, Status.UNPARSABLE, Status.REFUSED)
    return next((status for status in order if status in statuses), statuses[0])
