"""Requests of a judge about an item: in prose, criterion by criterion, or as typed decisions."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from semscale.chat.calls.parameter_form import LEFT_OUT
from semscale.chat.chat_model import ChatModel
from semscale.chat.costs.tokens import BYTES_PER_TOKEN, most_reply_tokens
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.decision_calls import decision_calls
from semscale.chat.decisions.decision_model import check_decision
from semscale.chat.decisions.loading import forms_of, limits_of
from semscale.chat.decisions.questions import DecisionRequest, Option, ScoreQuestion
from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.errors import InputError
from semscale.judging.asking import Conversation, ModelCapabilities, Running, ask
from semscale.judging.prompts import JudgedItem, PromptForm, decision_wording
from semscale.judging.replies import ReplyReading, read_reply
from semscale.judging.settings import JudgeSettings
from semscale.judging.templates import RULE, Rubric, Template
from semscale.judging.verdict import Verdict, aggregate_decisions, aggregate_replies, combine_criteria
from semscale.signature import Signature
from semscale.types import Progress


@dataclass(frozen=True)
class JudgeRequests:
    """The requests of a judge about items.

    Attributes:
        rubric: the criteria; a template is a rubric of one.
        settings: of the judge.
    """

    rubric: Rubric
    settings: JudgeSettings

    def prompt_form(self, criterion: int = 0, *, as_json: bool = False) -> PromptForm:
        """Return the form of the prompt about a criterion."""
        settings, template = self.settings, self.rubric.criteria[criterion].template
        context = (settings.context or "").strip()
        return PromptForm(template, settings.order, context, as_json, settings.reference_place)

    def conversations(self, item: JudgedItem, capabilities: ModelCapabilities) -> list[Conversation]:
        """Begin the conversations about an item: one for each sample of each criterion, or the decision's."""
        if capabilities.decision is not None:
            calls = decision_calls(self.decision(item), capabilities.decision)
            return [Conversation(call.request, call=call) for call in calls]
        conversations = []
        for criterion in range(len(self.rubric.criteria)):
            form = self.prompt_form(criterion, as_json=capabilities.structured)
            request = capabilities.request(form.messages(item), form.schema(), self.settings.sampling)
            samples = map(request.resampled, range(self.settings.samples))
            conversations += [Conversation(sample, criterion=criterion) for sample in samples]
        return conversations

    def decision(self, item: JudgedItem) -> DecisionRequest:
        """Write the decision about an item: its texts, and a question for each criterion."""
        messages = self.prompt_form().decision_messages(item)
        return DecisionRequest(messages, self._questions(has_reference=item.reference is not None))

    async def ask(
        self,
        model: ChatModel,
        conversations: Sequence[Conversation],
        capabilities: ModelCapabilities,
        *,
        running: Running,
        progress: Progress | None = None,
    ) -> tuple[Running, str | None]:
        """Ask for every reply that is missing, and again for those that cannot be read.

        Args:
            model: who is asked.
            conversations: about any items; changed in place.
            capabilities: the options that the model accepts.
            running: how calls are made.
            progress: called as replies come.

        Returns:
            What is left to run with, and why asking stopped early, or ``None``.

        Raises:
            ReplyError: no call can succeed.
        """
        stopped = None
        for criterion in range(len(self.rubric.criteria)):
            concerned = [
                conversation for conversation in conversations if conversation.criterion == criterion
            ]
            form = self.prompt_form(criterion, as_json=capabilities.structured)
            waiting = [conversation for conversation in concerned if conversation.is_waiting]
            for turn in range(self.settings.corrections + 1):
                if waiting:
                    running, stopped = await ask(
                        model, waiting, self.read, running=running, progress=progress
                    )
                waiting = [conversation for conversation in concerned if conversation.is_unread]
                if stopped is not None or not waiting:
                    break
                if turn < self.settings.corrections:
                    for conversation in waiting:
                        conversation.correct(form.correction(conversation.replies[-1].text))
            if stopped is not None:
                break
        return running, stopped

    def longest_corrections(self, request: Request) -> list[Request]:
        """Write the corrections after replies that cannot be read and are as long as they may be."""
        criterion = self._criterion_of(request)
        if criterion is None:
            return []
        form = self.prompt_form(criterion, as_json=request.parameters.schema is not None)
        messages = form.correction("x" * int(BYTES_PER_TOKEN * most_reply_tokens(request)))
        return [
            replace(request, messages=request.messages + messages * turn)
            for turn in range(1, self.settings.corrections + 1)
        ]

    def read(self, request: Request, reply: Reply) -> ReplyReading:
        """Read the score that a reply states, if it states one beyond doubt.

        Args:
            request: what was asked; under a schema the value of the reply is taken literally.
            reply: what came back; a decision is not read here.
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
        if any(conversation.call is not None for conversation in conversations):
            request = self.decision(JudgedItem("", ""))
            verdicts = aggregate_decisions(self.rubric, request, conversations, stopped=stopped)
            return combine_criteria(self.rubric, verdicts)
        verdicts = []
        for index, criterion in enumerate(self.rubric.criteria):
            concerned = [conversation for conversation in conversations if conversation.criterion == index]
            verdicts.append(aggregate_replies(concerned, criterion.template, stopped=stopped))
        return combine_criteria(self.rubric, verdicts)

    def signature(self, capabilities: ModelCapabilities, left_out: Collection[str] = ()) -> Signature:
        """Record what is asked of a model that accepts these options; the model itself is not in it.

        Args:
            capabilities: the options that the model accepts.
            left_out: parameters that the model refused.
        """
        rubric = self.rubric
        has_several = len(rubric.criteria) > 1
        several = {"criteria": len(rubric.criteria), "rule": RULE} if has_several else {}
        content = rubric if has_several else rubric.template
        template = f"{content.name}#{content.content_hash}"
        if capabilities.decision is not None:
            return Signature.of(
                "judge",
                template=template,
                **several,
                method=capabilities.decision,
                words=self._wording_hash(),
                reference=self.settings.reference_place,
            )
        prose = Signature.of(
            "judge",
            template=template,
            words=self.prompt_form(as_json=capabilities.structured).content_hash,
            **self.settings.signed(),
            **self.settings.sampling,
            structured=capabilities.structured,
            logprobs=capabilities.top_logprobs,
        ).replaced(dict.fromkeys(left_out, LEFT_OUT))
        method = {"method": "prose"} if self.settings.method != "prose" else {}
        return prose.extended(Signature.of("judge", **several, **method))

    def _questions(self, *, has_reference: bool) -> dict[str, ScoreQuestion]:
        return {
            criterion.name: ScoreQuestion(
                self.prompt_form(index).decision_task(has_reference=has_reference),
                _options(criterion.template),
            )
            for index, criterion in enumerate(self.rubric.criteria)
        }

    def _wording_hash(self) -> str:
        """Eight hex digits of the SHA-256 over everything that a decision model reads besides the item."""
        questions = [
            [question.instructions, *map(str, question.options)]
            for question in self._questions(has_reference=True).values()
        ]
        content = json.dumps([questions, decision_wording()], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def _criterion_of(self, request: Request) -> int | None:
        """Return the index of the criterion that a request in prose is about; ``None`` for a decision."""
        text = request.messages[1].text if len(request.messages) > 1 else ""
        indices = range(len(self.rubric.criteria))
        return next(
            (index for index in indices if text.startswith(f"{self.prompt_form(index).instructions()}\n\n")),
            None,
        )


def decisions_to_try(model: DecidingChat, rubric: Rubric) -> tuple[ModelCapabilities, ...]:
    """List the forms of decisions that can hold a rubric's questions, the first to try first.

    Args:
        model: who decides.
        rubric: what it is asked.

    Raises:
        InputError: a criterion has a range and no levels, or more levels than any form takes.
    """
    most = max(limits_of(model, form).levels for form in forms_of(model))
    for criterion in rubric.criteria:
        n = len(criterion.template.levels)
        if not n:
            problem = f"needs a template with levels, {criterion.template.name!r} has a range"
            raise InputError(f"method='decision' {problem}", in_shell=f"--method decision {problem}")
        if n > most:
            noun = "template" if criterion.name == rubric.name else "criterion"
            raise InputError(
                f"{model.name} takes 2 to {most} levels, got {n} in the {noun} {criterion.name!r}; ask "
                "in prose, or take fewer levels"
            )
    questions = {
        criterion.name: ScoreQuestion("?", _options(criterion.template)) for criterion in rubric.criteria
    }
    request, options, errors = DecisionRequest.of("?", questions), [], []
    for form in forms_of(model):
        try:
            check_decision(request, limits_of(model, form), model.name)
        except InputError as error:
            errors.append(error)
        else:
            options.append(ModelCapabilities(structured=False, top_logprobs=None, decision=form))
    if not options:
        raise InputError(f"{errors[0]}; ask in prose, or take fewer levels")
    return tuple(options)


def _options(template: Template) -> tuple[Option, ...]:
    """List a template's levels as options, in the template's order."""
    return tuple(Option(level.label or level.shown, level.meaning) for level in template.levels)
