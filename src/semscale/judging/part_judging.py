"""How a judge asks about the rows of one part, and what it knows after them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from semscale.chat.chat_model import ChatModel
from semscale.chat.replies import Usage
from semscale.judging.asking import Conversation, ask
from semscale.judging.decisions.criteria_requests import CriteriaRequests
from semscale.judging.judge_requests import JudgeRequests
from semscale.judging.judge_state import JudgeState
from semscale.judging.model_capabilities import ModelCapabilities, find_capabilities
from semscale.judging.prompts.prompting import JudgedItem
from semscale.judging.verdict import Verdict
from semscale.types import Progress, Status

_Waiting = Mapping[JudgedItem, list[Conversation]]


@dataclass(frozen=True)
class PartJudging:
    """How a judge asks about the rows of a part.

    Attributes:
        model: who is asked.
        requests: how it is asked.
        to_try: options that the model may take, the ones to try first at the beginning.
    """

    model: ChatModel
    requests: JudgeRequests | CriteriaRequests
    to_try: tuple[ModelCapabilities, ...]

    async def judged(
        self, rows: Sequence[JudgedItem | Status], state: JudgeState, progress: Progress | None = None
    ) -> tuple[list[Verdict], JudgeState]:
        """Judge rows; equal items are asked about once.

        Args:
            rows: as ``read_items`` gives them.
            state: from the part before; where it says that a cap was reached, nothing is asked.
            progress: called as replies come.

        Returns:
            A verdict for each row, and the state for the next part.

        Raises:
            ReplyError: no call can succeed.
        """
        distinct = list(dict.fromkeys(row for row in rows if isinstance(row, JudgedItem)))
        conversations: Mapping[JudgedItem, list[Conversation]] = {}
        if distinct and state.capabilities is None and state.stopped is None:
            found = await find_capabilities(
                self.to_try,
                distinct,
                self.requests.conversations,
                lambda found, left: ask(
                    self.model, found, self.requests.read, running=left, progress=progress
                ),
                state.running,
            )
            conversations = found.conversations
            state = replace(
                state,
                capabilities=found.capabilities,
                running=found.running,
                stopped=found.stopped,
                not_taken=found.not_taken,
            )
        form, running, stopped = state.capabilities or self.to_try[0], state.running, state.stopped
        waiting = {
            item: conversations.get(item) or self.requests.conversations(item, form) for item in distinct
        }
        if stopped is None:
            every = [conversation for found in waiting.values() for conversation in found]
            running, stopped = await self.requests.ask(
                self.model, every, form, running=running, progress=progress
            )
        aggregated = {
            item: self.requests.aggregate(found, stopped=stopped) for item, found in waiting.items()
        }
        verdicts = [
            aggregated[row] if isinstance(row, JudgedItem) else Verdict.without_item(row) for row in rows
        ]
        return verdicts, _after(replace(state, running=running, stopped=stopped), waiting)


def _after(state: JudgeState, waiting: _Waiting) -> JudgeState:
    """Add what the replies of a part show."""
    replies = [
        reply for found in waiting.values() for conversation in found for reply in conversation.replies
    ]
    return replace(
        state,
        replied=state.replied or bool(replies),
        gave_logprobs=state.gave_logprobs or any(reply.logprobs for reply in replies),
        ignored_schema=state.ignored_schema
        or any(conversation.ignored_schema for found in waiting.values() for conversation in found),
        left_out=state.left_out.union(*(reply.left_out for reply in replies)),
        usage=reduce(Usage.plus, (reply.usage for reply in replies if reply.usage), state.usage),
    )
