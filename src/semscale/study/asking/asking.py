"""Asks all personas in one run; a reply lets what follows from it join the line: the next call, a rating."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from semscale.chat.declining import declines_to_answer
from semscale.chat.ledger.content_key import ContentKeys
from semscale.chat.messages import Request
from semscale.chat.outcomes import RequestOutcome
from semscale.chat.runner import Runner
from semscale.errors import InterruptedRunError
from semscale.study.asking.interviews import Interview, Kind, ReplyKey, Step, likeliest_label
from semscale.study.asking.prompts import Prompts
from semscale.study.asking.replies import Heard
from semscale.study.questionnaire import Questionnaire
from semscale.types import Progress


@dataclass
class _Open:
    """A step whose calls are under way, and the interview that goes on after it."""

    step: Step
    interview: Interview | None
    outcomes: dict[int, RequestOutcome] = field(default_factory=dict)


class CallLine:
    """Calls that wait to be sent; those of the first personas go first, so that a cap leaves few half asked.

    Args:
        most: how many calls there will be at most; ``len(line)``.

    Attributes:
        taken: steps in the order in which their calls were taken, each with the call's number in the step.
    """

    def __init__(self, most: int) -> None:
        self.taken: list[tuple[_Open, int]] = []
        self._most = most
        self._number = 0
        self._waiting: asyncio.PriorityQueue[tuple[int, int, int, _Open | None, int]] = (
            asyncio.PriorityQueue()
        )

    def __len__(self) -> int:
        return self._most

    def join(self, step: Step, interview: Interview | None = None) -> int:
        """Let the calls of a step wait, and say how many these are."""
        waiting = _Open(step, interview)
        for part in range(len(step.requests)):
            self._number += 1
            self._waiting.put_nowait((0, step.asked.persona, self._number, waiting, part))
        return len(step.requests)

    def expect_fewer(self, n: int) -> None:
        """Say that n of the calls that were to come will not."""
        self._most -= n

    def end(self) -> None:
        """Say that no more will come."""
        self._waiting.put_nowait((1, 0, 0, None, 0))

    async def __aiter__(self) -> AsyncIterator[Request]:
        while True:
            _, _, _, waiting, part = await self._waiting.get()
            if waiting is None:
                return
            self.taken.append((waiting, part))
            yield waiting.step.requests[part]


class StudyAsking:
    """Asks for all replies of a study.

    Args:
        prompts: writes the requests.
        questionnaire: what is asked.
        interviews: all conversations.

    Attributes:
        heard: what came back, for each stop.
        sent: the calls of each prompt, by its hash.
    """

    def __init__(
        self, prompts: Prompts, questionnaire: Questionnaire, interviews: Sequence[Interview]
    ) -> None:
        self.heard: dict[ReplyKey, Heard] = {}
        self.sent: dict[str, tuple[Request, ...]] = {}
        self._prompts, self._questionnaire = prompts, questionnaire
        self._interviews = interviews

    async def run(self, runner: Runner, most: int, progress: Progress | None = None) -> str | None:
        """Ask everything.

        Args:
            runner: sends the calls.
            most: how many these are at most, for the progress.
            progress: called as replies come.

        Returns:
            Why not everything was asked, or ``None``.

        Raises:
            ReplyError: no call can succeed.
        """
        line, keys = CallLine(most), ContentKeys(runner.model)
        left = sum(line.join(interview.step(), interview) for interview in self._interviews)
        if not left:
            line.end()
        try:
            async with aclosing(runner.stream(line, progress=progress)) as outcomes:
                async for outcome in outcomes:
                    waiting, part = line.taken[outcome.index]
                    waiting.outcomes[part] = outcome
                    left -= 1
                    if len(waiting.outcomes) == len(waiting.step.requests):
                        prompt = keys.of(waiting.step.requests[0]).hex()
                        left += sum(line.join(*further) for further in self._finish(waiting, prompt, line))
                    if not left:
                        line.end()
        except InterruptedRunError as error:
            return str(error)
        return None

    def _finish(self, waiting: _Open, prompt: str, line: CallLine) -> Iterable[tuple[Step, Interview | None]]:
        """Keep what came back, and give the steps that follow."""
        step, interview = waiting.step, waiting.interview
        outcomes = tuple(waiting.outcomes[part] for part in range(len(step.requests)))
        heard = Heard(prompt, outcomes, step.decided(outcomes))
        self.heard[step.asked] = heard
        self.sent[prompt] = step.requests
        if rating := self.rating_step(step.asked, heard.text):
            yield rating, None
        elif self._may_be_rated(step.asked):
            line.expect_fewer(1)
        if interview is not None:
            interview.hear(self.said(step.asked, heard))
            if not interview.is_done:
                yield interview.step(), interview

    def said(self, asked: ReplyKey, heard: Heard) -> str | None:
        """Say what stands in the conversation as the persona's reply, if there is one."""
        if heard.decision is None:
            return heard.text
        return likeliest_label(heard.decision, self._questionnaire.questions[asked.question])

    def rating_step(self, asked: ReplyKey, text: str | None) -> Step | None:
        """Ask for the point of an answer in free words, where that is wanted and the answer is one."""
        if not self._may_be_rated(asked) or not is_answer(text):
            return None
        question = self._questionnaire.questions[asked.question]
        request = self._prompts.rating_request(question, str(text))
        return Step(asked._replace(kind=Kind.RATING), (request,))

    def _may_be_rated(self, asked: ReplyKey) -> bool:
        methods = self._questionnaire.questions[asked.question].methods
        return asked.kind is Kind.WORDS and "flr" in methods


def is_answer(text: str | None) -> bool:
    """Whether a reply is more than white space, and does not decline to answer."""
    return text is not None and bool(text.strip()) and not declines_to_answer(text)
