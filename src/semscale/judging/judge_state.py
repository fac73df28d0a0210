"""What a judge carries over from one part of a table to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from semscale.chat.replies import Usage
from semscale.judging.asking import Running
from semscale.judging.decisions.form_refusals import FormRefusal
from semscale.judging.model_capabilities import ModelCapabilities


@dataclass(frozen=True)
class JudgeState:
    """What a judge knows, and has left to spend, before its next items.

    Attributes:
        running: how calls are made, with what is left of the budget.
        capabilities: what the model takes; ``None`` until the first item has shown it.
        replied: whether any reply came.
        gave_logprobs: whether any reply came with probabilities of its tokens.
        ignored_schema: whether any reply that was to follow a schema was no JSON.
        not_taken: forms that the model did not take, and why.
        left_out: parameters that the model refused, so that replies came without them.
        stopped: why no more is asked, or ``None``.
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

    def notes(self) -> dict[str, Any]:
        """List, as JSON has it, what a run needs to know when it is resumed."""
        capabilities = self.capabilities
        return {
            "capabilities": None
            if capabilities is None
            else [capabilities.structured, capabilities.top_logprobs, capabilities.decision],
            "replied": self.replied,
            "gave_logprobs": self.gave_logprobs,
            "ignored_schema": self.ignored_schema,
            "not_taken": [each.record() for each in self.not_taken],
            "left_out": sorted(self.left_out),
        }

    def recalled(self, notes: Mapping[str, Any]) -> Self:
        """Take over the notes of an earlier run, with this one's budget."""
        known = notes["capabilities"]
        return replace(
            self,
            capabilities=None if known is None else ModelCapabilities(*known),
            replied=notes["replied"],
            gave_logprobs=notes["gave_logprobs"],
            ignored_schema=notes["ignored_schema"],
            not_taken=tuple(FormRefusal(**each) for each in notes["not_taken"]),
            left_out=frozenset(notes["left_out"]),
        )
