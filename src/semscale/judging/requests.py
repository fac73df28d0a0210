"""Requests to a judge's model: the form that it accepts, and the state of a judge between parts.

Endpoints refuse options that they do not know. So ``Judge`` sends the first item with all options, then with
fewer, until a request is accepted. The replies show if a model ignores an option that it has accepted.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from functools import reduce
from itertools import product
from typing import Any, Literal, Self

from semscale.chat.chat_model import Model
from semscale.chat.decision_formats import (
    DecisionRequest,
    LetterRequest,
    Option,
    ScoreQuestion,
    check_decision,
)
from semscale.chat.decisions import decision_calls, forms_of, limits_of
from semscale.chat.messages import (
    BYTES_PER_TOKEN,
    Call,
    CallError,
    FailureKind,
    Message,
    Parameters,
    Reply,
    Request,
    Usage,
)
from semscale.chat.negotiation import FormRefusal
from semscale.chat.pacing import UnreadableReplies
from semscale.chat.refused_parameters import LEFT_OUT
from semscale.chat.runner import Runner, Running
from semscale.errors import InputError, InterruptedRunError
from semscale.judging.conversations import Conversation, Turns, aggregate_decisions, aggregate_replies
from semscale.judging.prompts import JudgedItem, PromptForm, decision_wording
from semscale.judging.replies import ReplyReading, read_reply
from semscale.judging.settings import JudgeSettings
from semscale.judging.templates import RULE, Rubric, Template
from semscale.judging.verdict import Verdict, combine_criteria
from semscale.signature import Signature
from semscale.types import Progress

_TOP_LOGPROBS = (20, 5)
_CORRECTIONS = 2  # after which an unreadable reply counts as final


@dataclass(frozen=True)
class RequestForm:
    """Form of requests to a model: their kind and the options that they use.

    Attributes:
        structured: whether the reply must follow a schema.
        top_logprobs: number of alternatives requested for each token; ``None`` for no probabilities.
        decision: the form of typed decisions, one of ``forms_of``; ``None`` for prose.
    """

    structured: bool
    top_logprobs: int | None
    decision: str | None = None

    def __str__(self) -> str:
        """Name the form, for reports about models that do not accept it.

        Examples:
            >>> print(RequestForm(True, 20), RequestForm(False, None, "decisions"), sep=", ")
            prose by a schema with 20 log-probabilities, decisions
        """
        if self.decision is not None:
            return self.decision
        schema = " by a schema" if self.structured else ""
        logprobs = f" with {self.top_logprobs} log-probabilities" if self.top_logprobs else ""
        return f"prose{schema}{logprobs}"

    def request(
        self, messages: tuple[Message, ...], schema: Mapping[str, object], sampling: Mapping[str, Any]
    ) -> Request:
        """Build a request in prose in this form."""
        parameters = Parameters(
            **sampling, top_logprobs=self.top_logprobs, schema=schema if self.structured else None
        )
        return Request(messages, parameters)


def prose_forms(
    structured: bool | Literal["auto"], logprobs: bool | Literal["auto"]
) -> tuple[RequestForm, ...]:
    """List the forms of requests in prose to try, those with most options first.

    Examples:
        >>> [(form.structured, form.top_logprobs) for form in prose_forms(False, "auto")]
        [(False, 20), (False, 5), (False, None)]
    """
    schemas = (True, False) if structured == "auto" else (structured,)
    tops: tuple[int | None, ...] = _TOP_LOGPROBS if logprobs else (None,)
    if logprobs == "auto":
        tops = (*_TOP_LOGPROBS, None)
    return tuple(RequestForm(schema, top) for schema, top in product(schemas, tops))


@dataclass(frozen=True)
class JudgeState:
    """State of a judge between the parts of a table: what its model accepts, and what is left to spend.

    Attributes:
        running: how calls are made, with the rest of the budget.
        form: the form of requests that the model accepts; ``None`` until the first item has shown it.
        replied: whether any reply came.
        gave_logprobs: whether any reply came with probabilities of its tokens.
        ignored_schema: whether any reply that had to follow a schema was not JSON.
        refused_forms: forms that the model did not accept, and why.
        left_out: parameters that the model refused, so that replies came without them.
        stopped: why asking stopped early, or ``None``.
        usage: tokens of all replies of this run, including replies from the ledger.
        unreadable: counter of unreadable replies in a row.
    """

    running: Running
    form: RequestForm | None = None
    replied: bool = False
    gave_logprobs: bool = False
    ignored_schema: bool = False
    refused_forms: tuple[FormRefusal, ...] = ()
    left_out: frozenset[str] = frozenset()
    stopped: str | None = None
    usage: Usage = Usage(0, 0)
    unreadable: UnreadableReplies = field(default_factory=UnreadableReplies, compare=False)

    def after(self, conversations: Sequence[Conversation]) -> Self:
        """Return the state updated by the replies of further conversations."""
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
        """Return what a resumed run needs to know, for JSON."""
        return {
            "form": None if self.form is None else asdict(self.form),
            "replied": self.replied,
            "gave_logprobs": self.gave_logprobs,
            "ignored_schema": self.ignored_schema,
            "refused_forms": list(map(asdict, self.refused_forms)),
            "left_out": sorted(self.left_out),
        }

    def resume(self, notes: Mapping[str, Any]) -> Self:
        """Return the state in the notes of an earlier run, with this state's budget."""
        form = notes["form"]
        known = {
            **notes,
            "form": None if form is None else RequestForm(**form),
            "refused_forms": tuple(FormRefusal(**refusal) for refusal in notes["refused_forms"]),
            "left_out": frozenset(notes["left_out"]),
        }
        return replace(self, **known)


@dataclass(frozen=True)
class JudgeRequests:
    """The requests of a judge about items.

    Attributes:
        rubric: the criteria; a template is a rubric of one.
        settings: settings of the judge.
    """

    rubric: Rubric
    settings: JudgeSettings

    def prompt_form(self, criterion: int = 0, *, as_json: bool = False) -> PromptForm:
        """Return the form of the prompt about a criterion."""
        settings, template = self.settings, self.rubric.criteria[criterion].template
        context = (settings.context or "").strip()
        return PromptForm(template, settings.order, context, as_json, settings.reference_place)

    def conversations(self, item: JudgedItem, form: RequestForm) -> list[Conversation]:
        """Begin the conversations about an item: one per sample and criterion, or the calls of a decision."""
        if form.decision is not None:
            return [*map(Conversation, decision_calls(self.decision(item), form.decision))]
        conversations = []
        for criterion in range(len(self.rubric.criteria)):
            prompt = self.prompt_form(criterion, as_json=form.structured)
            request = form.request(prompt.messages(item), prompt.schema(), self.settings.sampling)
            samples = map(request.with_sample, range(self.settings.samples))
            conversations += [Conversation(sample, criterion=criterion) for sample in samples]
        return conversations

    def decision(self, item: JudgedItem) -> DecisionRequest:
        """Write the decision about an item: its texts, and a question for each criterion."""
        messages = self.prompt_form().decision_messages(item)
        return DecisionRequest(messages, self._questions(has_reference=item.reference is not None))

    async def ask(
        self,
        model: Model,
        conversations: Sequence[Conversation],
        state: JudgeState,
        *,
        corrections: int = 0,
        progress: Progress | None = None,
    ) -> JudgeState:
        """Request every missing reply, and ask again after replies that cannot be read.

        After about 20 of them in a row, no further request is sent.

        Args:
            model: the model that is asked.
            conversations: about any items; changed in place.
            state: how calls are made, and the counter of unreadable replies.
            corrections: maximum number of corrections of a conversation.
            progress: called as replies come.

        Returns:
            The state with the rest of its budget, and why asking stopped early, if it did.

        Raises:
            ReplyError: no call can succeed.
        """
        runner, unreadable, stopped = Runner(model, state.running), state.unreadable, None
        turns = Turns(conversations, self._correct, corrections, unreadable)

        def can_read(index: int, reply: Reply) -> bool:
            return turns.sent[index].can_read(reply, self.read)

        try:
            async with aclosing(runner.stream(turns, progress=progress, is_readable=can_read)) as outcomes:
                async for outcome in outcomes:
                    conversation = turns.sent[outcome.index]
                    conversation.failure = outcome.failure
                    if outcome.reply is not None:
                        conversation.add(outcome.reply, self.read)
                        unreadable.note(
                            outcome.reply,
                            is_readable=can_read(outcome.index, outcome.reply),
                            is_last=len(conversation.replies) > min(corrections, _CORRECTIONS),
                        )
                    if unreadable.reason is not None:
                        runner.end(f"{unreadable.reason}; {runner.unreadable_remedy}")
                    turns.settle(conversation)
        except InterruptedRunError as error:
            stopped = str(error)
        except CallError as error:
            is_trial = state.form is None and conversations[0].decision is not None
            if error.kind is not FailureKind.MALFORMED or not is_trial:
                raise
            conversations[0].failure = error  # the model may answer in another form
        return replace(state, running=state.running.after(runner.spent), stopped=stopped)

    def _correct(self, conversation: Conversation) -> None:
        """Add a correction after the last reply to a conversation in prose."""
        as_json = conversation.request.parameters.schema is not None
        prompt = self.prompt_form(conversation.criterion, as_json=as_json)
        conversation.correct(prompt.correction(conversation.replies[-1].text))

    def longest_corrections(self, request: Call) -> list[Request]:
        """Write the corrections that follow unreadable replies of the maximum length, for forecasts."""
        criterion = self._criterion_of(request)
        if criterion is None or not isinstance(request, Request):
            return []
        prompt = self.prompt_form(criterion, as_json=request.parameters.schema is not None)
        messages = prompt.correction("x" * int(BYTES_PER_TOKEN * request.most_tokens.completion_tokens))
        return [
            replace(request, messages=request.messages + messages * turn)
            for turn in range(1, self.settings.corrections + 1)
        ]

    def read(self, request: Call, reply: Reply) -> ReplyReading:
        """Read the score that a reply states, if it states exactly one.

        Args:
            request: the request; if it has a schema, the reply's value is taken literally.
            reply: the reply, in prose or JSON; one to a decision counts as scored.
        """
        criterion = self._criterion_of(request)
        if criterion is None:
            return ReplyReading(None, "scored")
        return read_reply(
            reply.text,
            self.rubric.criteria[criterion].template,
            score_last=self.settings.order == "explanation-first",
            cut=reply.finish_reason == "length",
            structured=request.parameters.schema is not None,
        )

    def aggregate(self, conversations: Sequence[Conversation], *, stopped: str | None) -> Verdict:
        """Aggregate the conversations about one item into its verdict.

        Args:
            conversations: with all replies and failures.
            stopped: why asking stopped early, or ``None``.
        """
        if any(conversation.decision is not None for conversation in conversations):
            request = self.decision(JudgedItem("", ""))
            verdicts = aggregate_decisions(self.rubric, request, conversations, stopped=stopped)
            return combine_criteria(self.rubric, verdicts)
        verdicts = []
        for index, criterion in enumerate(self.rubric.criteria):
            concerned = [conversation for conversation in conversations if conversation.criterion == index]
            verdict = aggregate_replies(
                concerned, criterion.template, corrections=self.settings.corrections, stopped=stopped
            )
            verdicts.append(verdict)
        return combine_criteria(self.rubric, verdicts)

    def signature(self, form: RequestForm, left_out: Collection[str] = ()) -> Signature:
        """Return the signature of requests in a form, without the model.

        Args:
            form: the form that the model accepts.
            left_out: parameters that the model refused.
        """
        rubric = self.rubric
        has_several = len(rubric.criteria) > 1
        several = {"criteria": len(rubric.criteria), "rule": RULE} if has_several else {}
        content = rubric if has_several else rubric.template
        template = f"{content.name}#{content.content_hash}"
        if form.decision is not None:
            return Signature.of(
                "judge",
                template=template,
                **several,
                method=form.decision,
                words=self._wording_hash(),
                reference=self.settings.reference_place,
            )
        prose = Signature.of(
            "judge",
            template=template,
            words=self.prompt_form(as_json=form.structured).content_hash,
            **self.settings.signature_fields(),
            **self.settings.sampling,
            structured=form.structured,
            logprobs=form.top_logprobs,
        ).with_values(dict.fromkeys(left_out, LEFT_OUT))
        method = {"method": "prose"} if self.settings.method != "prose" else {}
        return prose.plus(Signature.of("judge", **several, **method))

    def _questions(self, *, has_reference: bool) -> dict[str, ScoreQuestion]:
        return {
            criterion.name: ScoreQuestion(
                self.prompt_form(index).decision_task(has_reference=has_reference),
                _options(criterion.template),
            )
            for index, criterion in enumerate(self.rubric.criteria)
        }

    def _wording_hash(self) -> str:
        """Hash (8 hex digits of SHA-256) of everything that a decision model reads besides the item."""
        questions = [
            [question.instructions, *map(str, question.options)]
            for question in self._questions(has_reference=True).values()
        ]
        content = json.dumps([questions, decision_wording()], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def _criterion_of(self, request: Call) -> int | None:
        """Return the index of the criterion that a request in prose is about; ``None`` for a decision."""
        if not isinstance(request, Request) or isinstance(request, LetterRequest):
            return None
        text = request.messages[1].text if len(request.messages) > 1 else ""
        indices = range(len(self.rubric.criteria))
        return next(
            (index for index in indices if text.startswith(f"{self.prompt_form(index).instructions()}\n\n")),
            None,
        )


def rubric_forms(model: Model, rubric: Rubric) -> tuple[RequestForm, ...]:
    """List the forms of decisions that can carry a rubric's questions, in the order to try them.

    Args:
        model: the model that decides.
        rubric: the criteria.

    Raises:
        InputError: a criterion has a range instead of levels, or more levels than any form accepts.
    """
    most = max(limits_of(model, form).levels for form in forms_of(model))
    for criterion in rubric.criteria:
        n = len(criterion.template.levels)
        if not n:
            raise InputError(
                f"`method='decision'` needs a template with levels, {criterion.template.name!r} has a range"
            )
        if n > most:
            noun = "template" if criterion.name == rubric.name else "criterion"
            raise InputError(
                f"{model.name} takes 2 to {most} levels, got {n} in the {noun} {criterion.name!r}; ask "
                "in prose, or take fewer levels"
            )
    questions = {
        criterion.name: ScoreQuestion("?", _options(criterion.template)) for criterion in rubric.criteria
    }
    request, accepted, errors = DecisionRequest.of("?", questions), [], []
    for name in forms_of(model):
        try:
            check_decision(request, limits_of(model, name), model.name)
        except InputError as error:
            errors.append(error)
        else:
            accepted.append(RequestForm(structured=False, top_logprobs=None, decision=name))
    if not accepted:
        raise InputError(f"{errors[0]}; ask in prose, or take fewer levels")
    return tuple(accepted)


def _options(template: Template) -> tuple[Option, ...]:
    """List a template's levels as options, in the template's order."""
    return tuple(Option(level.label or level.shown, level.meaning) for level in template.levels)
