"""How a judge stands between two parts of its items."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from semscale.judging.asking import Running
from semscale.judging.model_capabilities import ModelCapabilities


@dataclass(frozen=True)
class JudgeState:
    """How a judge stands before the next of its items.

    Attributes:
        running: how calls are made, with what is left of the budget.
        capabilities: the form that the model takes; ``None`` until the first item has shown it.
        replied: whether any reply came.
        gave_logprobs: whether any reply came with probabilities of its tokens.
        stopped: why no more is asked, or ``None``.
    """

    running: Running
    capabilities: ModelCapabilities | None = None
    replied: bool = False
    gave_logprobs: bool = False
    stopped: str | None = None

    def notes(self) -> dict[str, Any]:
        """Lay out, as JSON has it, what another run must know to go on."""
        capabilities = self.capabilities
        return {
            "capabilities": None
            if capabilities is None
            else [capabilities.structured, capabilities.top_logprobs],
            "replied": self.replied,
            "gave_logprobs": self.gave_logprobs,
        }

    def recalled(self, notes: Mapping[str, Any]) -> Self:
        """Go on from the notes of another run, with this one's budget."""
        known = notes["capabilities"]
        return replace(
            self,
            capabilities=None if known is None else ModelCapabilities(*known),
            replied=notes["replied"],
            gave_logprobs=notes["gave_logprobs"],
        )
