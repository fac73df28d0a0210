"""The chat model that answers the questions of a table, and its first answers, which give the floor."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from semscale.answer_consistency.asking.asking import Asking, Replies, Score
from semscale.answer_consistency.asking.p_true_forms import FormTrials
from semscale.answer_consistency.sampling import Prompt, Sampling
from semscale.chat.declining import gives_no_answer
from semscale.errors import InputError, InterruptedRunError
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.chat.runner import Runner


@dataclass(frozen=True)
class AskedModel:
    """A chat model that is asked for answers and samples.

    Attributes:
        sampling: how many samples are asked for, and how.
        runner: sends the requests; its budget holds for all parts together.
        trials: what its replies have shown of the forms in which P(True) may be asked for.
    """

    sampling: Sampling
    runner: "Runner"
    trials: FormTrials = field(default_factory=FormTrials)

    async def ask(
        self, prompts: Sequence[Prompt], stopped: str | None = None, progress: Progress | None = None
    ) -> Replies:
        """Ask for the answers and all samples of some prompts.

        Args:
            prompts: n questions.
            stopped: why the model is not asked, if there is a reason.
            progress: called while replies come.

        Raises:
            InputError: a sampling that stops early, which needs values of samples.
            ReplyError: no call can succeed.
        """
        asking = Asking(prompts, self.sampling, _no_values, self.trials)
        return asking.unasked(stopped) if stopped else await asking.run(self.runner, progress)

    def for_next_part(self) -> "AskedModel":
        """Give the model with what is left of the runner's budget."""
        return replace(self, runner=self.runner.rest())

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


def _no_values(_: list[str]) -> Score:
    raise InputError("stopping must be None where samples have no values while they are asked for")
