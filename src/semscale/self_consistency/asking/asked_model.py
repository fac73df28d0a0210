"""The chat model that answers the questions of a table, and its first answers, which give the floor."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, NamedTuple

from semscale.chat.declining import gives_no_answer
from semscale.errors import InterruptedRunError
from semscale.self_consistency.sampling import Sampling
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.chat.runner import Runner


class AskedModel(NamedTuple):
    """A chat model that is asked for answers and samples.

    Attributes:
        sampling: how many samples are asked for, and how.
        runner: sends the requests; its budget holds for all parts together.
    """

    sampling: Sampling
    runner: "Runner"

    async def first_answers(
        self, prompts: Sequence[str], progress: Progress | None = None
    ) -> tuple[list[str], str | None]:
        """Ask for answers alone, such as those that a floor is estimated from; the ledger keeps them.

        Returns:
            The answers that came, in any order, and why not all were asked for, or ``None``.
        """
        answers: list[str] = []
        stopped = None
        requests = [self.sampling.request(prompt, 0) for prompt in prompts]
        try:
            async with aclosing(self.runner.stream(requests, progress=progress)) as outcomes:
                async for outcome in outcomes:
                    text = "" if outcome.reply is None else outcome.reply.text
                    if text.strip() and not gives_no_answer(text):
                        answers.append(text)
        except InterruptedRunError as error:
            stopped = str(error)
        return answers, stopped
