"""How a judge asks about the criteria of a rubric: by decisions, or in prose criterion by criterion."""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from semscale.chat.chat_model import ChatModel
from semscale.chat.decisions.decision_calls import decision_calls
from semscale.chat.decisions.questions import DecisionRequest, Option, ScoreQuestion
from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.judging.asking import Conversation, Running, ask
from semscale.judging.decisions.decided_verdicts import decided_verdicts
from semscale.judging.decisions.rubric import RULE, Rubric
from semscale.judging.judge_requests import JudgeRequests
from semscale.judging.model_capabilities import ModelCapabilities
from semscale.judging.prompts.prompting import JudgedItem, PromptForm, decision_wording
from semscale.judging.prompts.template import Template
from semscale.judging.replies import ReplyReading
from semscale.judging.verdict import Verdict
from semscale.signature import Signature
from semscale.types import Progress

PROSE = "prose"
_PLAIN = ModelCapabilities(structured=False, top_logprobs=None)


@dataclass(frozen=True)
class CriteriaRequests:
    """How a judge asks about one item by a rubric.

    Attributes:
        rubric: the criteria.
        prose: how each criterion is asked about in prose.
        method: ``decision`` or ``prose``, as the judge was told.
    """

    rubric: Rubric
    prose: tuple[JudgeRequests, ...]
    method: str

    def prompt_form(self, capabilities: ModelCapabilities) -> PromptForm:
        """The form of the prompt of the first criterion."""
        return self.prose[0].prompt_form(capabilities)

    def conversations(self, item: JudgedItem, capabilities: ModelCapabilities) -> list[Conversation]:
        """Begin the conversations about an item."""
        if capabilities.decision is None:
            found = []
            for place, own in enumerate(self.prose):
                for conversation in own.conversations(item, capabilities):
                    conversation.criterion = place
                    found.append(conversation)
            return found
        calls = decision_calls(self.decision(item), capabilities.decision)
        return [Conversation(call.request, call=call) for call in calls]

    async def ask(
        self,
        model: ChatModel,
        conversations: Sequence[Conversation],
        capabilities: ModelCapabilities,
        *,
        running: Running,
        progress: Progress | None = None,
    ) -> tuple[Running, str | None]:
        """Ask for every reply that is missing; arguments are those of ``JudgeRequests.ask``."""
        if capabilities.decision is not None:
            missing = [each for each in conversations if each.is_waiting]
            if not missing:
                return running, None
            return await ask(model, missing, self.read, running=running, progress=progress)
        stopped = None
        for place, own in enumerate(self.prose):
            mine = [each for each in conversations if each.criterion == place]
            if stopped is None:
                running, stopped = await own.ask(
                    model, mine, capabilities, running=running, progress=progress
                )
        return running, stopped

    def longest_corrections(self, request: Request) -> list[Request]:
        """Write the longest corrections that may follow a request; a decision has none."""
        own = self._owner(request)
        return [] if own is None else own.longest_corrections(request)

    def read(self, request: Request, reply: Reply) -> ReplyReading:
        """Read a reply in prose by the criterion that it was asked for."""
        own = self._owner(request)
        return ReplyReading(None, "scored") if own is None else own.read(request, reply)

    def aggregate(self, conversations: Sequence[Conversation], *, stopped: str | None) -> Verdict:
        """Aggregate the conversations about one item into its verdict."""
        if any(each.call is not None for each in conversations):
            verdicts = decided_verdicts(self.rubric, self._asked, conversations, stopped=stopped)
        else:
            verdicts = [
                own.aggregate([each for each in conversations if each.criterion == place], stopped=stopped)
                for place, own in enumerate(self.prose)
            ]
        return self.rubric.combined(verdicts)

    def signature(self, capabilities: ModelCapabilities, left_out: Collection[str] = ()) -> Signature:
        """Record what is asked of a model that takes these options; the model itself is not in it.

        Args:
            capabilities: what the model takes.
            left_out: parameters that the model refused.
        """
        rubric = self.rubric
        several = {"criteria": len(rubric.criteria), "rule": RULE} if len(rubric.criteria) > 1 else {}
        named = f"{rubric.name}#{rubric.content_hash}" if several else None
        if capabilities.decision is None:
            prose = self.prose[0].signature(capabilities, left_out)
            method = {"method": PROSE} if self.method != PROSE else {}
            changed = prose.replaced({"template": named} if named else {})
            return changed.extended(Signature.of("judge", **several, **method))
        template = self.rubric.template
        return Signature.of(
            "judge",
            template=named or f"{template.name}#{template.content_hash}",
            **several,
            method=capabilities.decision,
            words=self._words_hash(),
            reference=self.prose[0].reference_place,
        )

    def decision(self, item: JudgedItem) -> DecisionRequest:
        """Write the decision about an item: its texts, and a question for each criterion."""
        form = self.prompt_form(_PLAIN)
        return DecisionRequest(form.decision_messages(item), self._questions(item.reference is not None))

    @property
    def _asked(self) -> DecisionRequest:
        return self.decision(JudgedItem("", ""))

    def _questions(self, has_reference: bool) -> dict[str, ScoreQuestion]:
        return {
            criterion.name: ScoreQuestion(
                own.prompt_form(_PLAIN).decision_task(has_reference=has_reference),
                options_of(criterion.template),
            )
            for criterion, own in zip(self.rubric.criteria, self.prose, strict=True)
        }

    def _words_hash(self) -> str:
        """Eight hex digits of the SHA-256 over every word that is not the item's."""
        questions = [
            [question.instructions, *map(str, question.options)]
            for question in self._questions(True).values()
        ]
        content = json.dumps([questions, decision_wording()], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:8]

    def _owner(self, request: Request) -> JudgeRequests | None:
        """Find the criterion that a request in prose is about; ``None`` for a decision."""
        text = request.messages[1].text if len(request.messages) > 1 else ""
        return next((own for own in self.prose if own.prompt_form(_PLAIN).instructions() in text), None)


def options_of(template: Template) -> tuple[Option, ...]:
    """Give a template's levels as options, in the template's order."""
    return tuple(Option(level.label or level.shown, level.meaning) for level in template.levels)
