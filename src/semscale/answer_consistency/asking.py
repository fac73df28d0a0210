"""Requests of an answer and samples for each prompt from a chat model, with early stopping."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from semscale.answer_consistency.p_true import (
    P_TRUE,
    TOKENS,
    FormTrials,
    PTrueForms,
    Slot,
    decision_forms,
    p_true_request,
    with_p_true_forms,
)
from semscale.chat.declining import gives_no_answer
from semscale.chat.messages import (
    Call,
    Message,
    OutcomeStatus,
    Parameters,
    Request,
    RequestOutcome,
    TokenLogprob,
)
from semscale.chat.refused_parameters import LEFT_OUT
from semscale.chat.runner import Runner
from semscale.errors import InputError, InterruptedRunError
from semscale.signature import Signature
from semscale.store.missing_codes import is_missing
from semscale.types import Floats, Progress, Status

TOP_LOGPROBS = 5
"""Number of likeliest tokens to request for measures of tokens; most endpoints support it."""
STAKE = 0.75
"""Share of the largest bet that cannot make the capital negative; any share below 1 keeps the error rate."""
_STATED = ("temperature", "max_tokens", "top_p", "seed", "top_logprobs")
_MOST_REASONS = 1000

Prompt = str | Sequence[Message] | None
"""A question or a conversation; ``None`` if missing."""

Side = bool | None
"""``True``: at or above the threshold. ``False``: below it. ``None``: not settled."""

Score = Callable[[list[str], list[str]], Floats]
"""Function that scores k answers with one sample each, shape (k,), 0 to 1; NaN where missing."""

Scorer = Callable[[list[str]], Score]
"""Function that returns a ``Score`` from the received answers."""


@dataclass(frozen=True)
class Stopping:
    """Rule to stop requesting samples early.

    Attributes:
        threshold: value of the first measure, above 0 and below 1, that consistency is compared with.
        confidence: probability that all samples would give the same side of the threshold.

    Raises:
        InputError: a number out of range.
    """

    threshold: float
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name in ("threshold", "confidence"):
            if not 0 < getattr(self, name) < 1:
                raise InputError(f"stopping:{name}", f"must lie between 0 and 1, got {getattr(self, name)!r}")


@dataclass(frozen=True)
class Sampling:
    """Settings of the requests for each prompt: one answer, and samples to compare it with.

    Attributes:
        n_samples: number of samples of each prompt, without the answer.
        temperature: temperature of the samples, above 0.
        answer: parameters of the answer; the model's defaults by default. The samples have the same ones,
            except the temperature.
        system: instructions before every prompt that is a question.
        stopping: rule to stop a prompt's samples early; ``None`` to request all.
        asks_p_true: whether the model is asked, after the samples, if its answer is right.

    Raises:
        InputError: a number out of range.
    """

    n_samples: int = 5
    temperature: float = 1.0
    answer: Parameters = field(default_factory=Parameters)
    system: str | None = None
    stopping: Stopping | None = None
    asks_p_true: bool = False

    def __post_init__(self) -> None:
        if isinstance(self.n_samples, bool) or not isinstance(self.n_samples, int) or self.n_samples < 1:
            raise InputError("n_samples", f"must be a whole number of at least 1, got {self.n_samples!r}")
        if not self.temperature > 0:
            raise InputError(
                "temperature", f"must be > 0 to sample different answers, got {self.temperature!r}"
            )

    @property
    def signature(self) -> Signature:
        """The settings of the requests, with the answer's parameters that are set."""
        stated = {name: getattr(self.answer, name) for name in _STATED}
        settings: dict[str, object] = {"n_samples": self.n_samples, "sampling_temperature": self.temperature}
        settings |= {f"answer_{name}": value for name, value in stated.items() if value is not None}
        if self.system is not None:
            settings["system"] = f"#{hashlib.sha256(self.system.encode()).hexdigest()[:12]}"
        if self.stopping is not None:
            settings |= {"stop_at": self.stopping.threshold, "stop_confidence": self.stopping.confidence}
        if self.asks_p_true:
            asked = p_true_request("", "").parameters
            settings |= {f"p_true_{name}": getattr(asked, name) for name in ("temperature", "top_logprobs")}
        return Signature.of("sampling", **settings)

    def for_parts(self, parts: Collection[str]) -> "Sampling":
        """Return settings that request everything measures need.

        Args:
            parts: parts from ``needed_parts``. With ``logprobs`` or ``sample_logprobs``, the likeliest tokens
                of answers and samples are requested, unless their number is set; with ``p_true``, whether
                answers are right.
        """
        plan = replace(self, asks_p_true=True) if "p_true" in parts else self
        if not {"logprobs", "sample_logprobs"} & set(parts) or plan.answer.top_logprobs is not None:
            return plan
        return replace(plan, answer=replace(plan.answer, top_logprobs=TOP_LOGPROBS))

    def request(self, prompt: Prompt, sample: int) -> Request:
        """Build the request of a prompt's answer (0) or of one of its samples (from 1)."""
        messages: tuple[Message, ...]
        if isinstance(prompt, str):
            question = Message("user", prompt)
            messages = (question,) if self.system is None else (Message("system", self.system), question)
        else:
            messages = tuple(prompt or ())
        if not sample:
            return Request(messages, self.answer)
        random = replace(self.answer, temperature=self.temperature)
        return Request(messages, random).with_sample(sample)

    def wants_p_true(self, answer: str | None) -> bool:
        """Return whether to ask if an answer is right: not if it is missing, empty or declines."""
        return self.asks_p_true and bool((answer or "").strip()) and not gives_no_answer(answer or "")


def prompt_status(prompt: object) -> Status:
    """Return the status of a prompt before it is sent.

    Raises:
        InputError: it is neither a text nor a list of messages.

    Examples:
        >>> [str(prompt_status(prompt)) for prompt in ("Is 7 prime?", " ", None)]
        ['scored', 'empty', 'missing']
    """
    if is_missing(prompt):
        return Status.MISSING
    if isinstance(prompt, str):
        return Status.SCORED if prompt.strip() else Status.EMPTY
    if isinstance(prompt, Sequence) and all(isinstance(message, Message) for message in prompt):
        return Status.SCORED if prompt else Status.EMPTY
    raise InputError("prompts", f"must be texts or lists of messages, got {type(prompt).__name__}")


@dataclass(frozen=True)
class ReplyCounts:
    """Counts of requested, saved and missing replies.

    Attributes:
        n_calls: number of requested replies, from the ledger or from the model.
        n_saved: number of replies that were not requested, because the side was settled.
        failures: number of requests without a reply, by reason.
        stopped: reason why some requests were not sent, or ``None``.
        left_out: parameters that the model refused, which were left out.
        p_true_forms: number of answers by the form of their P(True): ``tokens``, or a typed decision's form.
    """

    n_calls: int = 0
    n_saved: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    stopped: str | None = None
    left_out: Sequence[str] = ()
    p_true_forms: Mapping[str, int] = field(default_factory=dict)

    @property
    def n_failed(self) -> int:
        """Number of requests without a reply."""
        return sum(self.failures.values())

    @property
    def n_decided(self) -> int:
        """Number of answers whose P(True) is a typed decision."""
        return sum(n for form, n in self.p_true_forms.items() if form != TOKENS)

    @property
    def all_failed(self) -> bool:
        """Return whether requests were sent and none has a reply."""
        return 0 < self.n_failed == self.n_calls

    @property
    def why_failed(self) -> str | None:
        """Most frequent reason for a missing reply; ``None`` if each request has a reply."""
        return Counter(self.failures).most_common(1)[0][0] if self.failures else None

    def update_signature(self, signature: Signature) -> Signature:
        """Update a signature by what the replies show about the requests.

        Args:
            signature: signature with the fields of a ``Sampling``. Refused parameters are left out, and the
                forms of P(True) are named if one is a typed decision.
        """
        fields = [f"{kind}_{name}" for name in self.left_out for kind in ("answer", "sampling", "p_true")]
        return with_p_true_forms(signature.with_values(dict.fromkeys(fields, LEFT_OUT)), self.p_true_forms)

    def plus(self, other: "ReplyCounts") -> "ReplyCounts":
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
        answers: n texts; ``None`` for a missing answer.
        samples: n lists of texts; ``None`` for a missing sample.
        status: shape (n,), ``SCORED`` for a received answer, else the reason; ``UNFINISHED`` if a cap was
            reached before all requests of the prompt were sent.
        sides: n sides of the threshold, each ``None`` if it was not settled or not requested.
        reasons: n reasons, in words, for a missing answer, or else for most of the missing samples; ``None``
            if nothing is missing.
        counts: numbers of requested, saved and missing replies.
        tokens: tokens of the n answers; ``None`` without log-probabilities.
        sample_tokens: tokens of each sample, likewise.
        has_failed_calls: whether a call failed that may succeed later; a refusal is not a failure.
        p_true: shape (n,), P(True) of each answer, 0 to 1; NaN if it was not requested or has no reply.
        reasoning: n lists with the reasoning of the answer, then of each sample; empty texts without any.
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
    reasoning: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class AskedModel:
    """A chat model for answers and samples.

    Attributes:
        sampling: settings of the requests.
        runner: sends the requests; its budget holds for all parts together.
        trials: forms of P(True) that the model accepts, as known from its replies.
    """

    sampling: Sampling
    runner: "Runner"
    trials: FormTrials = field(default_factory=FormTrials)

    async def ask(
        self,
        prompts: Sequence[Prompt],
        stopped: str | None = None,
        progress: Progress | None = None,
        *,
        scorer: Scorer | None = None,
    ) -> Replies:
        """Request the answers and samples of some prompts; after a cap, remaining prompts are ``UNFINISHED``.

        Args:
            prompts: n questions or conversations.
            stopped: reason to send no requests, or ``None``.
            progress: called while replies come.
            scorer: returns the function that scores samples, for a sampling that stops early.

        Raises:
            InputError: a prompt that cannot be asked, or a sampling that stops early without a scorer.
            ReplyError: no call can succeed.
        """
        asking = _Asking(prompts, self, scorer or _no_scores)
        stopped = stopped or self.trials.stopped
        return asking.collect(stopped) if stopped else await asking.run(progress)

    async def first_answers(
        self, prompts: Sequence[str], progress: Progress | None = None
    ) -> tuple[list[str], str | None]:
        """Request answers without samples, for example to estimate a floor; the ledger stores them.

        Returns:
            The received answers, in any order, and the reason why some requests were not sent, or ``None``.
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


def _no_scores(_: list[str]) -> Score:
    raise InputError("stopping", "must be None where samples have no values while they are asked for")


class _Asking:
    """Requests answers and samples for n prompts.

    All requests are one run of the runner, with one budget. The samples of a prompt are requested as soon as
    its answer is received, before further answers, so that a cap leaves few prompts incomplete. With
    ``stopping``, there are rounds: first every answer, then one sample of every prompt that is not settled.
    P(True) is requested when all samples of a prompt are received, in the form that ``PTrueForms`` chooses,
    unless the answer declines. After 20 replies in a row without it, no further request is sent.

    Args:
        prompts: n texts or conversations.
        model: the model, and the settings of its requests.
        scorer: returns the function that scores samples, from the received answers; for ``stopping``.

    Raises:
        InputError: P(True) of a conversation is requested, or a prompt is neither text nor conversation.
    """

    def __init__(self, prompts: Sequence[Prompt], model: AskedModel, scorer: Scorer) -> None:
        self._prompts, self._scorer = prompts, scorer
        self._runner, self._sampling = model.runner, model.sampling
        self._status = np.array([prompt_status(prompt) for prompt in prompts], dtype=object).reshape(-1)
        asks_p_true = self._sampling.asks_p_true
        if asks_p_true and any(prompt and not isinstance(prompt, str) for prompt in prompts):
            raise InputError("measure p_true needs prompts that are texts, got a conversation")
        self._replies: dict[Slot, RequestOutcome] = {}
        self._trials = model.trials
        self._forms = PTrueForms(decision_forms(self._runner.model), self._replies, self._trials)
        self._checked: set[tuple[Prompt, str | None]] = set()  # equal questions share a reply
        self._sides: list[Side] = [None] * len(prompts)
        most = int((self._status == Status.SCORED).sum()) * (1 + self._sampling.n_samples + asks_p_true)
        self._queue = _RequestQueue(self._request, most)

    async def run(self, progress: Progress | None = None) -> Replies:
        """Send the requests; after a cap, prompts that are not finished have the status ``UNFINISHED``.

        Raises:
            ReplyError: no call can succeed.
        """
        rounds = self._rounds()
        left = self._queue.add(next(rounds, []))
        stopped = None
        try:
            async with aclosing(self._runner.stream(self._queue, progress=progress)) as outcomes:
                if not left:
                    self._queue.end()
                async for outcome in outcomes:
                    slot = self._queue.sent[outcome.index]
                    self._replies[slot] = outcome
                    if slot[1] <= P_TRUE:
                        self._note_p_true(slot)
                    left += self._queue.add(self._slots_after(*slot)) - 1
                    if not left:
                        # Scoring takes the processor for a while; the run has no call in flight then.
                        left = self._queue.add(await asyncio.to_thread(next, rounds, []))
                        if not left:
                            self._queue.end()
        except InterruptedRunError as error:
            stopped = str(error)
        replies = self.collect(stopped)
        if self._trials.stopped is not None and Status.UNFINISHED not in replies.status:
            return replace(replies, counts=replace(replies.counts, stopped=None))
        return replies

    def _note_p_true(self, slot: Slot) -> None:
        """Record the reply to a request of P(True), and end the run after too many without it."""
        self._forms.note(slot)
        checked = self._prompts[slot[0]], self._text(slot[0], 0)
        if checked not in self._checked and self._forms.next_slot(slot[0]) is None:
            self._forms.note_readable(slot)
            self._checked.add(checked)
        if self._trials.stopped is not None:
            self._runner.end(self._trials.stopped)

    def _request(self, item: int, sample: int) -> Call:
        if sample > P_TRUE:
            return self._sampling.request(self._prompts[item], sample)
        texts = (self._text(item, number) for number in range(1, self._sampling.n_samples + 1))
        samples = [text for text in texts if text is not None]
        question, answer = str(self._prompts[item]), str(self._text(item, 0))
        return self._forms.request((item, sample), question, answer, samples)

    def _slots_after(self, item: int, sample: int) -> list[Slot]:
        """List the next requests after a reply: samples after the answer, P(True) after the samples."""
        if sample <= P_TRUE:
            further = self._next_p_true(item)
            self._queue.expect_fewer(-len(further))
            return further
        every = [(item, number) for number in range(1, self._sampling.n_samples + 1)]
        has_answer = self._text(item, 0) is not None
        if not sample:
            fewer = self._sampling.asks_p_true and not self._wants_p_true(item)
            self._queue.expect_fewer((0 if has_answer else len(every)) + fewer)
        if not has_answer or self._sampling.stopping is not None:
            return []
        if not sample:
            return every
        return self._next_p_true(item) if all(slot in self._replies for slot in every) else []

    def _next_p_true(self, item: int) -> list[Slot]:
        """Return the slot of the next request of P(True), if any."""
        slot = self._forms.next_slot(item) if self._wants_p_true(item) else None
        return [] if slot is None else [slot]

    def _wants_p_true(self, item: int) -> bool:
        """Return whether to request P(True) of a received answer."""
        return self._sampling.wants_p_true(self._text(item, 0))

    def _rounds(self) -> Iterator[list[Slot]]:
        """Yield the requests of each round; all replies to a round are received before the next begins."""
        stopping = self._sampling.stopping
        yield [(int(item), 0) for item in np.flatnonzero(self._status == Status.SCORED)]
        if stopping is None:
            return
        answers = {
            item: text for item in range(len(self._prompts)) if (text := self._text(item, 0)) is not None
        }
        score = self._scorer(list(answers.values()))
        values: dict[int, list[float]] = {item: [] for item in answers}
        for sample in range(1, self._sampling.n_samples + 1):
            open_items = [item for item in answers if self._sides[item] is None]
            if not open_items:
                break
            yield [(item, sample) for item in open_items]
            self._decide(score, values, open_items, sample, stopping)
        wanted = [item for item in answers if self._wants_p_true(item)]
        yield [(item, P_TRUE) for item in wanted[:1]]  # the first one shows in which form to ask
        yield [slot for item in wanted[1:] for slot in self._next_p_true(item)]

    def _decide(
        self,
        score: Score,
        values: dict[int, list[float]],
        items: list[int],
        sample: int,
        stopping: Stopping,
    ) -> None:
        """Score the samples of a round, and settle the items that need no more samples."""
        texts = {item: (self._text(item, 0), self._text(item, sample)) for item in items}
        pairs = {
            item: (answer, text) for item, (answer, text) in texts.items() if answer and text and text.strip()
        }
        answers, samples = ([pair[side] for pair in pairs.values()] for side in (0, 1))
        for item, value in zip(pairs, score(answers, samples).tolist(), strict=True):
            if not np.isnan(value):
                values[item].append(min(max(value, 0.0), 1.0))
        # A sample that did not come will not come any more, so fewer are needed to settle the decision.
        for item in items:
            n = len(values[item]) + self._sampling.n_samples - sample
            if values[item]:
                self._sides[item] = early_decision(values[item], stopping.threshold, n, stopping.confidence)
            if self._sides[item] is not None:
                self._queue.expect_fewer(self._sampling.n_samples - sample)

    def collect(self, stopped: str | None) -> Replies:
        """Return the replies so far, with the reason why some requests were not sent, if any."""
        n, m = len(self._prompts), self._sampling.n_samples
        samples = [
            [number for number in range(1, m + 1) if (item, number) in self._replies] for item in range(n)
        ]
        status = self._status.copy()
        n_saved = 0
        for item in np.flatnonzero(status == Status.SCORED).tolist():
            status[item] = self._status_of(item, len(samples[item]))
            n_saved += m - len(samples[item]) if status[item] is Status.SCORED else 0
        counted = [self._replies[slot] for slot in sorted(self._replies) if not self._forms.is_trial(slot)]
        failures = Counter(str(outcome.failure) for outcome in counted if outcome.failure)
        left_out = {name for outcome in counted if outcome.reply for name in outcome.reply.left_out}
        forms = self._forms.counts(range(n))
        return Replies(
            answers=[self._text(item, 0) for item in range(n)],
            samples=[[self._text(item, number) for number in samples[item]] for item in range(n)],
            status=status,
            sides=tuple(self._sides),
            reasons=tuple(self._reason(item, samples[item]) for item in range(n)),
            counts=ReplyCounts(len(counted), n_saved, dict(failures), stopped, sorted(left_out), forms),
            tokens=tuple(self._tokens(item, 0) for item in range(n)),
            sample_tokens=tuple(
                tuple(self._tokens(item, number) for number in samples[item]) for item in range(n)
            ),
            has_failed_calls=any(outcome.status is OutcomeStatus.FAILED for outcome in counted),
            p_true=np.array([self._forms.value(item)[0] for item in range(n)], np.float64),
            reasoning=[
                [self._reasoning(item, number) for number in (0, *samples[item])] for item in range(n)
            ],
        )

    def _status_of(self, item: int, n_samples: int) -> Status:
        """Return the status of a valid prompt by how many of its samples have an outcome."""
        answer = self._replies.get((item, 0))
        if answer is not None and answer.status is not OutcomeStatus.REPLIED:
            return Status.REFUSED if answer.status is OutcomeStatus.REFUSED else Status.FAILED
        is_sampled = n_samples == self._sampling.n_samples or self._sides[item] is not None
        is_whole = is_sampled and not self._next_p_true(item)
        return Status.SCORED if answer is not None and is_whole else Status.UNFINISHED

    def _reason(self, item: int, samples: list[int]) -> str | None:
        """Return the reason for a missing answer, or else for most of the missing samples."""
        judged = [slot for slot in self._forms.slots(item) if not self._forms.is_trial(slot)]
        slots = [(item, 0), *((item, sample) for sample in samples), *judged]
        failures = [self._replies[slot].failure for slot in slots if slot in self._replies]
        reasons = Counter(str(failure) for failure in failures if failure is not None)
        return reasons.most_common(1)[0][0] if reasons else None

    def _tokens(self, item: int, sample: int) -> tuple[TokenLogprob, ...] | None:
        outcome = self._replies.get((item, sample))
        return None if outcome is None or outcome.reply is None else outcome.reply.logprobs

    def _text(self, item: int, sample: int) -> str | None:
        outcome = self._replies.get((item, sample))
        return None if outcome is None or outcome.reply is None else outcome.reply.text

    def _reasoning(self, item: int, sample: int) -> str:
        outcome = self._replies.get((item, sample))
        return "" if outcome is None or outcome.reply is None else outcome.reply.reasoning


_SAMPLE, _ANSWER, _END = range(3)


class _RequestQueue:
    """Requests in the order of sending: item by item, and answers after all others.

    Args:
        request: builds the request of an item's slot.
        most: greatest number of requests; ``len(queue)``.

    Attributes:
        sent: slots in the order in which their requests were sent.
    """

    def __init__(self, request: Callable[[int, int], Call], most: int) -> None:
        self.sent: list[Slot] = []
        self._request = request
        self._most = most
        self._waiting: asyncio.PriorityQueue[tuple[int, int, int]] = asyncio.PriorityQueue()

    def __len__(self) -> int:
        return self._most

    def add(self, slots: Sequence[Slot]) -> int:
        """Add slots, and return their number."""
        for item, sample in slots:
            self._waiting.put_nowait((_SAMPLE if sample else _ANSWER, item, sample))
        return len(slots)

    def expect_fewer(self, n: int) -> None:
        """Reduce the expected number of requests by n."""
        self._most -= n

    def end(self) -> None:
        """End the queue after the slots that were added."""
        self._waiting.put_nowait((_END, 0, 0))

    async def __aiter__(self) -> AsyncIterator[Call]:
        while (first := await self._waiting.get())[0] != _END:
            _, item, sample = first
            self.sent.append((item, sample))
            yield self._request(item, sample)


def early_decision(
    values: Sequence[float] | Floats, threshold: float, n: int, confidence: float = 0.95
) -> Side:
    """Decide on which side of a threshold the mean of n samples will be, if that is settled.

    The values so far are the first of n in random order, so they are a sample without replacement. The test
    uses two players: one bets against "below", the other against "at or above". Each bets ``STAKE`` of the
    largest safe bet, so a player's capital is a martingale if the other side is true, and exceeds ``1 / (1 -
    confidence)`` with a probability of at most ``1 - confidence``, regardless of the number of tests (Ville's
    inequality). If no remaining values can change the side, it is settled too.

    Args:
        values: shape (k,), k at most n, each 0 to 1, in the order of the samples.
        threshold: above 0, below 1.
        n: total number of samples without stopping.
        confidence: probability, between 0 and 1, that the side is the one of all n samples; 1 stops only if
            the side cannot change any more.

    Returns:
        ``True``, ``False`` or ``None``, see ``Side``.

    References:
        Waudby-Smith and Ramdas 2020, Confidence sequences for sampling without replacement, arXiv
        2006.04347; and 2024, Estimating means of bounded random variables by betting, section 5,
        doi:10.1093/jrsssb/qkad009.

    Examples:
        >>> early_decision([1.0, 1.0, 1.0, 1.0], 0.5, 10), early_decision([1.0, 0.0], 0.5, 10)
        (True, None)
    """
    seen = np.asarray(values, np.float64)
    total = seen.sum()
    if _is_above(total / n, threshold):
        return True
    if not _is_above((total + n - len(seen)) / n, threshold):
        return False
    needed = np.inf if confidence >= 1 else 1 / (1 - confidence)
    if _capital(seen, threshold, n) >= needed:
        return True
    if _capital(1 - seen, 1 - threshold, n) >= needed:
        return False
    return None


def _is_above(mean: float, threshold: float) -> bool:
    return bool(mean >= threshold - 1e-12)  # sums of tenths


def _capital(seen: Floats, threshold: float, n: int) -> float:
    """Return the greatest capital of a player, from 1, who bets that the mean of n is above the threshold.

    The stake is chosen before each value: if the mean of all is at most the threshold, the remaining values
    have a mean of at most ``left``, so no bet up to ``1 / left`` makes the capital negative.
    """
    capital, total, most = 1.0, 0.0, 0.0
    for index, value in enumerate(seen):
        left = (n * threshold - total) / (n - index)
        if left <= 0:
            return np.inf
        capital *= 1 + STAKE / left * (value - left)
        most, total = max(most, capital), total + value
    return most
