"""Asks a chat model for an answer and samples to each prompt, and stops early where they suffice."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from semscale.answer_consistency.asking.early_stopping import Side, early_decision
from semscale.answer_consistency.asking.p_true_forms import TOKENS, FormTrials, PTrueForms, decision_forms
from semscale.answer_consistency.asking.waiting_line import P_TRUE, Place, WaitingLine
from semscale.answer_consistency.sampling import Prompt, Sampling, Stopping, prompt_status
from semscale.answer_consistency.white_box.p_true import p_true_request
from semscale.chat.messages import Request
from semscale.chat.outcomes import OutcomeStatus, RequestOutcome
from semscale.chat.replies import TokenLogprob
from semscale.chat.runner import Runner
from semscale.errors import InputError, InterruptedRunError
from semscale.types import Floats, Progress, Status

Score = Callable[[list[str], list[str]], Floats]
"""Gives answers with one sample each their values, shape (k,), 0 to 1; NaN where there is none."""


_MOST_REASONS = 1000


@dataclass(frozen=True)
class ReplyCounts:
    """How many replies were asked for, saved, and did not come.

    Attributes:
        n_calls: replies that were asked for, from the ledger or from the model.
        n_saved: replies that were not asked for, because the decision was settled.
        failures: reasons why requests have no reply, each with the number of these requests.
        stopped: why not everything was asked, or ``None``.
        left_out: parameters that the model refused, so that replies came without them.
        p_true_forms: answers by the form that their P(True) comes from: ``tokens``, or a typed decision's.
    """

    n_calls: int = 0
    n_saved: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    stopped: str | None = None
    left_out: Sequence[str] = ()
    p_true_forms: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_failed(self) -> int:
        """Requests without a reply."""
        return sum(self.failures.values())

    @property
    def n_decided(self) -> int:
        """Answers whose P(True) is a typed decision."""
        return sum(n for form, n in self.p_true_forms.items() if form != TOKENS)

    @property
    def all_failed(self) -> bool:
        """Whether something was asked for and nothing came."""
        return 0 < self.n_failed == self.n_calls

    @property
    def why_failed(self) -> str | None:
        """The most frequent reason; ``None`` where each request has a reply."""
        return Counter(self.failures).most_common(1)[0][0] if self.failures else None

    def added(self, other: "ReplyCounts") -> "ReplyCounts":
        """Add the counts of further prompts."""
        failures = dict(self.failures)
        for why, n in other.failures.items():
            name = why if why in failures or len(failures) < _MOST_REASONS else "other reasons"
            failures[name] = failures.get(name, 0) + n
        return ReplyCounts(
            self.n_calls + other.n_calls,
            self.n_saved + other.n_saved,
            failures,
            self.stopped or other.stopped,
            sorted({*self.left_out, *other.left_out}),
            dict(Counter(self.p_true_forms) + Counter(other.p_true_forms)),
        )


@dataclass(frozen=True)
class Replies:
    """Answers and samples for n prompts.

    Attributes:
        answers: n texts; ``None`` where no answer came.
        samples: n lists of texts; ``None`` stands for a sample that did not come.
        status: shape (n,), ``SCORED`` where an answer came, else why not; ``UNFINISHED`` where a cap was
            reached before all that belongs to the prompt was asked for.
        sides: n sides of the threshold, each ``None`` where it was not settled or not asked for.
        reasons: n reasons, in words, why the answer did not come, or else why most of the missing samples did
            not; ``None`` where all came.
        counts: how many replies were asked for, saved, and did not come.
        tokens: of the n answers; ``None`` where the model gave no log-probabilities.
        sample_tokens: of each sample, likewise.
        has_failed_calls: whether a call failed that may succeed another time; a refusal is no failure.
        p_true: shape (n,), P(True) of each answer; NaN where it was not asked for or no reply gives it.
    """

    answers: list[str | None]
    samples: list[list[str | None]]
    status: npt.NDArray[np.object_]
    sides: tuple[Side, ...]
    reasons: tuple[str | None, ...]
    counts: ReplyCounts
    tokens: tuple[tuple[TokenLogprob, ...] | None, ...]
    sample_tokens: tuple[tuple[tuple[TokenLogprob, ...] | None, ...], ...]
    has_failed_calls: bool = False
    p_true: Floats = field(default_factory=lambda: np.empty(0))


class Asking:
    """Asks for answers and samples to n prompts.

    All of it is one run of the runner, whose budget thus holds for everything. The samples of a prompt are
    asked for as soon as its answer is there, before further answers, so that a cap leaves few prompts half
    asked. With ``stopping`` there are rounds: first every answer, then one sample of every prompt that is not
    settled. Where P(True) is wanted, the model is asked for it once all samples of a prompt are there, in the
    form that ``PTrueForms`` finds; an answer that declines is not asked about.

    Args:
        prompts: n texts or conversations.
        sampling: what is asked for.
        scorer: makes the function that gives values, from the answers that came; for ``stopping``.
        trials: what earlier prompts of the run have shown of the forms of P(True); nothing unless given.

    Raises:
        InputError: P(True) of a conversation is wanted, or a prompt is neither text nor conversation.
    """

    def __init__(
        self,
        prompts: Sequence[Prompt],
        sampling: Sampling,
        scorer: Callable[[list[str]], Score],
        trials: FormTrials | None = None,
    ) -> None:
        self._prompts = prompts
        self._sampling = sampling
        self._scorer = scorer
        self._status = np.array([prompt_status(prompt) for prompt in prompts], dtype=object).reshape(-1)
        if sampling.asks_p_true and any(prompt and not isinstance(prompt, str) for prompt in prompts):
            raise InputError("measure p_true needs prompts that are texts, got a conversation")
        self._replies: dict[Place, RequestOutcome] = {}
        self._trials = trials
        self._forms = PTrueForms((), self._replies)
        self._sides: list[Side] = [None] * len(prompts)
        most = int((self._status == Status.SCORED).sum()) * (1 + sampling.n_samples + sampling.asks_p_true)
        self._line = WaitingLine(self._request, most)

    async def run(self, runner: Runner, progress: Progress | None = None) -> Replies:
        """Ask; where a cap is reached, prompts that are not finished have the status ``UNFINISHED``.

        Raises:
            ReplyError: no call can succeed.
        """
        self._forms = PTrueForms(decision_forms(runner.model), self._replies, self._trials)
        rounds = self._rounds()
        left = self._line.join(next(rounds, []))
        stopped = None
        try:
            async with aclosing(runner.stream(self._line, progress=progress)) as outcomes:
                if not left:
                    self._line.end()
                async for outcome in outcomes:
                    place = self._line.taken[outcome.index]
                    self._replies[place] = outcome
                    if place[1] <= P_TRUE:
                        self._forms.note(place)
                    left += self._line.join(self._places_after(*place)) - 1
                    if not left:
                        # Scoring takes the processor for a while; the run has nothing under way then.
                        left = self._line.join(await asyncio.to_thread(next, rounds, []))
                        if not left:
                            self._line.end()
        except InterruptedRunError as error:
            stopped = str(error)
        return self._collected(stopped)

    def unasked(self, stopped: str) -> Replies:
        """Give empty replies without asking, and say why nothing is asked."""
        return self._collected(stopped)

    def _request(self, item: int, sample: int) -> Request:
        if sample > P_TRUE:
            return self._sampling.request(self._prompts[item], sample)
        samples = (self._text(item, place) for place in range(1, self._sampling.n_samples + 1))
        come = [text for text in samples if text is not None]
        asked = str(self._prompts[item]), str(self._text(item, 0)), come
        return self._forms.request((item, sample), *asked) or p_true_request(*asked)

    def _places_after(self, item: int, sample: int) -> list[Place]:
        """List what is asked for once a reply came: samples after the answer, P(True) after the samples."""
        if sample <= P_TRUE:
            further = self._next_p_true(item)
            self._line.expect_fewer(-len(further))
            return further
        every = [(item, place) for place in range(1, self._sampling.n_samples + 1)]
        has_answer = self._text(item, 0) is not None
        if not sample:
            fewer = self._sampling.asks_p_true and not self._wants_p_true(item)
            self._line.expect_fewer((0 if has_answer else len(every)) + fewer)
        if not has_answer or self._sampling.stopping is not None:
            return []
        if not sample:
            return every
        return self._next_p_true(item) if all(place in self._replies for place in every) else []

    def _next_p_true(self, item: int) -> list[Place]:
        """Give the place where the model is asked next whether an answer is right, if any."""
        place = self._forms.next_place(item) if self._wants_p_true(item) else None
        return [] if place is None else [place]

    def _wants_p_true(self, item: int) -> bool:
        """Tell whether the model is asked if the answer that came is right."""
        return self._sampling.wants_p_true(self._text(item, 0))

    def _rounds(self) -> Iterator[list[Place]]:
        """Yield what is asked for in each round; the replies to a round are there when the next begins."""
        m, stopping = self._sampling.n_samples, self._sampling.stopping
        yield [(int(item), 0) for item in np.flatnonzero(self._status == Status.SCORED)]
        if stopping is None:
            return
        answers = {
            item: text for item in range(len(self._prompts)) if (text := self._text(item, 0)) is not None
        }
        score = self._scorer(list(answers.values()))
        values: dict[int, list[float]] = {item: [] for item in answers}
        for sample in range(1, m + 1):
            asked = [item for item in answers if self._sides[item] is None]
            if not asked:
                break
            yield [(item, sample) for item in asked]
            self._decide(score, values, asked, sample, stopping)
        wanted = [item for item in answers if self._wants_p_true(item)]
        yield [(item, P_TRUE) for item in wanted[:1]]  # the first one shows in which form to ask
        yield [place for item in wanted[1:] for place in self._next_p_true(item)]

    def _decide(
        self,
        score: Score,
        values: dict[int, list[float]],
        asked: list[int],
        sample: int,
        stopping: Stopping,
    ) -> None:
        texts = {item: (self._text(item, 0), self._text(item, sample)) for item in asked}
        come = {item: (one, other) for item, (one, other) in texts.items() if one and other and other.strip()}
        pairs = list(come.values())
        new = score([one for one, _ in pairs], [other for _, other in pairs])
        for item, value in zip(come, new.tolist(), strict=True):
            if not np.isnan(value):
                values[item].append(min(max(value, 0.0), 1.0))
        # A sample that did not come will not come any more, so fewer are needed to settle the decision.
        for item in asked:
            n = len(values[item]) + self._sampling.n_samples - sample
            if values[item]:
                self._sides[item] = early_decision(values[item], stopping.threshold, n, stopping.confidence)
            if self._sides[item] is not None:
                self._line.expect_fewer(self._sampling.n_samples - sample)

    def _collected(self, stopped: str | None) -> Replies:
        n, m = len(self._prompts), self._sampling.n_samples
        samples = [
            [place for place in range(1, m + 1) if (item, place) in self._replies] for item in range(n)
        ]
        status = self._status.copy()
        n_saved = 0
        for item in np.flatnonzero(status == Status.SCORED).tolist():
            status[item] = self._status_of(item, len(samples[item]))
            n_saved += m - len(samples[item]) if status[item] is Status.SCORED else 0
        asked = {place: self._replies[place] for place in sorted(self._replies) if not self._is_trial(place)}
        failures = Counter(str(one.failure) for one in asked.values() if one.failure)
        left_out = {name for one in asked.values() if one.reply for name in one.reply.left_out}
        has_failed_calls = any(one.status is OutcomeStatus.FAILED for one in asked.values())
        forms = self._forms.counts(range(n))
        return Replies(
            [self._text(item, 0) for item in range(n)],
            [[self._text(item, place) for place in places] for item, places in enumerate(samples)],
            status,
            tuple(self._sides),
            tuple(self._reason(item, samples[item]) for item in range(n)),
            ReplyCounts(len(asked), n_saved, dict(failures), stopped, sorted(left_out), forms),
            tuple(self._tokens(item, 0) for item in range(n)),
            tuple(tuple(self._tokens(item, at) for at in places) for item, places in enumerate(samples)),
            has_failed_calls,
            np.array([self._forms.value(item)[0] for item in range(n)], np.float64),
        )

    def _status_of(self, item: int, n_samples: int) -> Status:
        """Say what became of a prompt that could be asked, given how many of its samples have an outcome."""
        answer = self._replies.get((item, 0))
        if answer is not None and answer.status is not OutcomeStatus.REPLIED:
            return Status.REFUSED if answer.status is OutcomeStatus.REFUSED else Status.FAILED
        is_sampled = n_samples == self._sampling.n_samples or self._sides[item] is not None
        is_whole = is_sampled and not self._next_p_true(item)
        return Status.SCORED if answer is not None and is_whole else Status.UNFINISHED

    def _reason(self, item: int, samples: list[int]) -> str | None:
        """Say why the answer did not come, or else why most of the missing samples did not."""
        judged = [place for place in self._forms.places(item) if not self._forms.is_trial(place)]
        places = [(item, 0), *((item, sample) for sample in samples), *judged]
        failures = [self._replies[place].failure for place in places if place in self._replies]
        said = [str(failure) for failure in failures if failure is not None]
        return Counter(said).most_common(1)[0][0] if said else None

    def _is_trial(self, place: Place) -> bool:
        return place[1] <= P_TRUE and self._forms.is_trial(place)

    def _tokens(self, item: int, sample: int) -> tuple[TokenLogprob, ...] | None:
        outcome = self._replies.get((item, sample))
        return None if outcome is None or outcome.reply is None else outcome.reply.logprobs

    def _text(self, item: int, sample: int) -> str | None:
        outcome = self._replies.get((item, sample))
        return None if outcome is None or outcome.reply is None else outcome.reply.text
