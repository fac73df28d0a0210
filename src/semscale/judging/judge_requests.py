"""How a judge asks about an item: its requests, corrections, reading of replies, and signature."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from semscale.chat.calls.parameter_form import LEFT_OUT
from semscale.chat.chat_model import ChatModel
from semscale.chat.costs.tokens import BYTES_PER_TOKEN, most_reply_tokens
from semscale.chat.messages import Request
from semscale.chat.replies import Reply
from semscale.judging.asking import Conversation, Running, ask
from semscale.judging.model_capabilities import ModelCapabilities
from semscale.judging.prompts.prompting import JudgedItem, Order, PromptForm, ReferencePlace
from semscale.judging.prompts.template import Template
from semscale.judging.replies import ReplyReading, read_reply
from semscale.judging.verdict import Verdict
from semscale.judging.verdict_aggregation import aggregate_verdict
from semscale.signature import Signature
from semscale.types import Progress


@dataclass(frozen=True)
class JudgeRequests:
    """How a judge asks about one item.

    Attributes:
        template: the levels or the range that the judge chooses from.
        order: whether the score or the explanation comes first.
        context: further words of the user's; empty for none.
        reference_place: whether a reference stands after the answer or before it.
        samples: replies for each item, at least 1.
        corrections: how often a reply that cannot be read is asked for again, at least 0.
        sampling: ``temperature``, ``max_tokens`` and ``seed``, as ``Parameters`` takes them.
    """

    template: Template
    order: Order
    context: str
    reference_place: ReferencePlace
    samples: int
    corrections: int
    sampling: Mapping[str, Any]

    def prompt_form(self, capabilities: ModelCapabilities) -> PromptForm:
        """Choose the form of the prompt for a model that takes these options."""
        return PromptForm(
            self.template, self.order, self.context, capabilities.structured, self.reference_place
        )

    def conversations(self, item: JudgedItem, capabilities: ModelCapabilities) -> list[Conversation]:
        """Begin the conversations about an item, one for each sample."""
        form = self.prompt_form(capabilities)
        request = capabilities.request(form.messages(item), form.schema(), self.sampling)
        return [Conversation(request.resampled(sample)) for sample in range(self.samples)]

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
            capabilities: what the model takes.
            running: how calls are made.
            progress: called as replies come.

        Returns:
            What is left to run with, and why asking stopped early, or ``None``.

        Raises:
            ReplyError: no call can succeed.
        """
        form = self.prompt_form(capabilities)
        asked = [each for each in conversations if each.is_waiting]
        stopped = None
        for turn in range(self.corrections + 1):
            if asked:
                running, stopped = await ask(model, asked, self.read, running=running, progress=progress)
            asked = [each for each in conversations if each.unread]
            if stopped is not None or not asked:
                break
            if turn < self.corrections:
                for each in asked:
                    each.correct(form.correction(each.replies[-1].text))
        return running, stopped

    def longest_corrections(self, request: Request) -> list[Request]:
        """Write the corrections after replies that cannot be read and are as long as they may be."""
        form = self.prompt_form(ModelCapabilities(request.parameters.schema is not None, None))
        messages = form.correction("x" * int(BYTES_PER_TOKEN * most_reply_tokens(request)))
        return [
            replace(request, messages=request.messages + messages * turn)
            for turn in range(1, self.corrections + 1)
        ]

    def read(self, request: Request, reply: Reply) -> ReplyReading:
        """Read the score that a reply states, if it states one beyond doubt.

        Args:
            request: what was asked; under a schema the value of the reply is taken as it is.
            reply: what came back.
        """
        return read_reply(
            reply.text,
            self.template,
            score_last=self.order == "explanation-first",
            cut=reply.finish_reason == "length",
            structured=request.parameters.schema is not None,
        )

    def aggregate(self, conversations: Sequence[Conversation], *, stopped: str | None) -> Verdict:
        """Aggregate the conversations about one item, one for each sample, into its verdict.

        Args:
            conversations: with all replies and failures.
            stopped: why no more was asked, or ``None``.
        """
        return aggregate_verdict(conversations, self.template, stopped=stopped)

    def signature(self, capabilities: ModelCapabilities, left_out: Collection[str] = ()) -> Signature:
        """Record what is asked of a model that takes these options; the model itself is not in it.

        Args:
            capabilities: what the model takes.
            left_out: parameters that the model refused.
        """
        return Signature.of(
            "judge",
            template=f"{self.template.name}#{self.template.content_hash}",
            words=self.prompt_form(capabilities).content_hash,
            order=self.order,
            reference=self.reference_place,
            samples=self.samples,
            **self.sampling,
            structured=capabilities.structured,
            logprobs=capabilities.top_logprobs,
            corrections=self.corrections,
        ).replaced(dict.fromkeys(left_out, LEFT_OUT))
