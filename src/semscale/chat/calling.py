"""Answering one request: from the ledger, or by calls that are paced, budgeted, retried and stored."""

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from semscale.chat.budget import BYTES_PER_TOKEN, Meter, estimated_prompt, most_reply_tokens
from semscale.chat.chat_model import ChatModel, ParameterForm, taken_parameters
from semscale.chat.failures import Scrubber, environment_secrets, failure_of
from semscale.chat.ledger.content_key import ContentKeys
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.ledger.operations import Claim
from semscale.chat.messages import Request
from semscale.chat.pacing import Clock, Limits, Pacer, Retries
from semscale.chat.replies import FATAL, TRANSIENT, CallError, FailureKind, Reply, RequestOutcome, Usage
from semscale.errors import SemscaleError

_RUNS = itertools.count()
_LOOK_AGAIN = 0.5  # seconds between looks while another process makes the call
_REFUSED_BY = 5.0  # seconds after which a request is at work: endpoints refuse parameters at once
_HOLDING = frozenset({FailureKind.RATE_LIMITED, FailureKind.SERVER})
_ANSWERED = frozenset({FailureKind.REFUSED, FailureKind.SILENT})
_MAYBE_PAID = frozenset(
    {FailureKind.TIMEOUT, FailureKind.CONNECTION, FailureKind.MALFORMED, FailureKind.EMPTY}
)


class CapReachedError(SemscaleError):
    """The budget does not allow another call."""


class NoReplyError(SemscaleError):
    """No reply has come for so long that more waiting is in vain."""


class StoppedRunError(SemscaleError):
    """The user stopped the run: calls under way finish, and nothing more is sent."""


class FatalCallError(SemscaleError):
    """A call failed for a reason that would fail every other call, too; ``failure`` says which."""

    def __init__(self, failure: CallError) -> None:
        super().__init__(str(failure))
        self.failure = failure


@dataclass(frozen=True)
class Setting:
    """Settings that all calls of a run share.

    Attributes:
        model: the model that answers.
        limits: concurrent calls, and calls and tokens per minute.
        retries: how failed calls are repeated.
        meter: counts what is spent against the budget.
        ledger: outcomes of earlier calls; ``None`` for no ledger.
        clock: gives the time, pauses and random numbers.
    """

    model: ChatModel
    limits: Limits
    retries: Retries
    meter: Meter
    ledger: Ledger | None
    clock: Clock


class Caller:
    """Answers requests; any number of them at once.

    Args:
        setting: settings of the run.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._pacer = Pacer(setting.limits, setting.clock)
        self._keys = ContentKeys(setting.model)
        self._under_way: dict[bytes, asyncio.Future[Reply | CallError | None]] = {}
        self._scrubber = Scrubber(environment_secrets())
        self._taken = taken_parameters(setting.model)
        self._trial: asyncio.Event | None = None
        self.watch = ReplyWatch(
            setting.clock.now, setting.retries.patience, was_reached=self._taken.has_answered
        )
        self._first_failures = FirstFailures(has_replies=setting.meter.spent_in_all.replies > 0)
        self._run = next(_RUNS)
        self.cap: CapReachedError | None = None
        """The cap that let no failed call be repeated; ``None`` where there was none."""
        self.calling: set[asyncio.Task[object]] = set()
        """Tasks whose call was sent, until its reply is stored."""
        self.is_ending = False
        """Whether nothing more is to be sent."""

    @property
    def model_name(self) -> str:
        """The name of the model that is asked."""
        return self._setting.model.name

    async def bring(self, index: int, request: Request) -> RequestOutcome:
        """Answer one request; equal requests are sent once.

        Raises:
            CapReachedError: the budget does not allow the call.
            FatalCallError: no call can succeed.
        """
        key = self._keys.of(request)
        while (first := self._under_way.get(key)) is not None:
            result = await asyncio.shield(first)
            if result is not None:
                return RequestOutcome.of(index, result)
        ended = asyncio.get_running_loop().create_future()
        self._under_way[key] = ended
        outcome = None
        try:
            outcome = await self._found_or_called(index, key, request)
            return outcome
        finally:
            del self._under_way[key]
            ended.set_result((outcome.reply or outcome.failure) if outcome else None)

    async def _found_or_called(self, index: int, key: bytes, request: Request) -> RequestOutcome:
        ledger = self._setting.ledger
        if ledger is None:
            return await self._called(index, key, request)
        while (found := await ledger.claim(key, self._run)) is Claim.ELSEWHERE:
            await self._setting.clock.sleep(_LOOK_AGAIN)
        if not isinstance(found, Claim):
            if isinstance(found, Reply):
                self._note_reply()
            return RequestOutcome.of(index, found)
        outcome = None
        try:
            outcome = await self._called(index, key, request)
            return outcome
        finally:
            if outcome is None or outcome.status == "failed":
                await ledger.release(key, self._run)

    async def _called(self, index: int, key: bytes, request: Request) -> RequestOutcome:
        self.watch.request_begins()
        try:
            return await self._repeated(index, key, request)
        finally:
            self.watch.request_ends()

    async def _repeated(self, index: int, key: bytes, request: Request) -> RequestOutcome:
        setting, attempts = self._setting, 0
        failure: CallError | None = None
        for repeated in itertools.count():
            try:
                async with self._first_alone(request):
                    result, calls = await self._in_a_form_taken(key, request)
            except CapReachedError as cap:
                if failure is None:
                    raise
                self.cap = cap
                break
            attempts += calls
            if isinstance(result, Reply):
                self._note_reply()
                return RequestOutcome.of(index, result, attempts)
            failure = result
            self._end_if_in_vain(failure, repeated)
            wait = setting.retries.wait_after(failure, repeated, setting.clock.chance())
            if wait is None:
                break
            if failure.retry_after is not None and failure.kind in _HOLDING:
                self.watch.endpoint_pauses(self._pacer.hold(wait))
            await setting.clock.sleep(wait)
        return RequestOutcome(index, failure=failure, attempts=attempts)

    def _note_reply(self) -> None:
        self._setting.meter.count_reply()
        self._taken.has_answered = True
        self.watch.note_answer()
        self._first_failures.note_reply()

    def _end_if_in_vain(self, failure: CallError, repeated: int) -> None:
        """Raise ``FatalCallError`` after a failure that every other call has, too."""
        if failure.kind in FATAL:
            raise FatalCallError(failure)
        if self._first_failures.are_all_alike(failure, repeated):
            raise FatalCallError(_in_vain(failure, self._first_failures.n))

    async def _in_a_form_taken(self, key: bytes, request: Request) -> tuple[Reply | CallError, int]:
        """Call, and call again at once without the parameters that the model refuses.

        Returns:
            The result, and how many calls it took.
        """
        form, calls = self._taken.form, 0
        while True:
            result = await self._stored(key, request, form)
            calls += 1
            if isinstance(result, Reply) or result.kind in _ANSWERED:
                self._taken.learn(form, request)
                return result, calls
            other = form.after_refusal(result.refused, request)
            if other is None:
                return result, calls
            form = other

    async def _stored(self, key: bytes, request: Request, form: ParameterForm) -> Reply | CallError:
        ledger = self._setting.ledger
        try:
            result = await self._paid(request, form)
            if ledger is not None:
                await ledger.record(key, self._run, result)
            return result
        finally:
            self.calling.discard(_this_task())

    @contextlib.asynccontextmanager
    async def _first_alone(self, request: Request) -> AsyncIterator[None]:
        """Let one request with unknown parameters go ahead, so that a refusal is not met by all at once."""
        if not self._taken.unknown_in(request):
            yield
        elif self._trial is not None:
            await self._trial.wait()
            yield
        else:
            trial = self._trial = asyncio.Event()
            at_work = asyncio.get_running_loop().call_later(_REFUSED_BY, trial.set)
            try:
                yield
            finally:
                at_work.cancel()
                trial.set()
                self._trial = None

    async def _paid(self, request: Request, form: ParameterForm) -> Reply | CallError:
        meter = self._setting.meter
        expected = Usage(estimated_prompt(request), most_reply_tokens(request))
        number, reason = await meter.reserve(expected)
        if reason is not None:
            raise CapReachedError(reason)
        taken = Usage(expected.prompt_tokens, 0)  # what a cancelled call may have cost
        try:
            await self._pacer.turn(expected.tokens)
            if self.is_ending:
                taken = Usage(0, 0)
                raise StoppedRunError
            self.calling.add(_this_task())
            result = await self._watched(form.of(request))
            if isinstance(result, Reply) and (left_out := form.left_out_of(request)):
                result = replace(result, left_out=(*result.left_out, *left_out))
            taken = _taken(result, expected)
            self._pacer.correct(expected.tokens, taken.tokens)
            return result
        finally:
            meter.settle(number, taken)

    async def _watched(self, request: Request) -> Reply | CallError:
        result = None
        self.watch.call_begins()
        try:
            result = await self._asked(request)
            return result
        finally:
            self.watch.call_ends(result)

    async def _asked(self, request: Request) -> Reply | CallError:
        model, timeout = self._setting.model, self._setting.limits.timeout
        now = self._setting.clock.now
        begun = now()
        try:
            async with asyncio.timeout(timeout):
                reply = await model.complete(request)
            return reply if reply.seconds is not None else replace(reply, seconds=now() - begun)
        except CallError as failure:
            return failure
        except TimeoutError:
            return CallError(f"{model.name} did not answer within {timeout:g} s", kind=FailureKind.TIMEOUT)
        except Exception as error:  # a foreign model may raise anything; the run goes on
            return failure_of(error, self._scrubber, model=model.name)


def _this_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("calls of a run must be made inside a task")
    return task


def _in_vain(failure: CallError, n: int) -> CallError:
    said = f"no call brought a usable reply, and the first {n} failed alike: {failure}"
    return CallError(f"{said}; check the endpoint's address and what it takes", kind=failure.kind)


def _taken(result: Reply | CallError, expected: Usage) -> Usage:
    if result.usage is not None:
        return result.usage
    if isinstance(result, Reply):
        return Usage(expected.prompt_tokens, int(len(result.text.encode()) / BYTES_PER_TOKEN) + 1)
    return Usage(expected.prompt_tokens, 0) if result.kind in _MAYBE_PAID else Usage(0, 0)


class ReplyWatch:
    """Counts the seconds without a reply, so that a run does not wait for a dead endpoint for ever.

    A refusal, or any other answer that repeating would not change, counts as a reply. Seconds in which
    nothing is asked do not count, nor does a pause that the endpoint asks for.

    Args:
        now: gives the time in seconds.
        patience: the most seconds of such pauses, all together, that do not count.
        was_reached: whether the model has answered before.
    """

    def __init__(self, now: Callable[[], float], patience: float, *, was_reached: bool = False) -> None:
        self._now = now
        self._patience = patience
        self._since: float | None = None
        self._idle_since: float | None = None
        self._paused = 0.0
        self._requests = self._calls = 0
        self._was_reached = was_reached
        self.failure: CallError | None = None

    @property
    def seconds(self) -> float:
        """Seconds since the last reply, or since the first call after it."""
        if self._since is None:
            return 0.0
        until = self._now() if self._idle_since is None else self._idle_since
        return max(0.0, until - self._since)

    @property
    def is_unreached(self) -> bool:
        """Whether all calls that ended, from the first one on, failed to connect."""
        return self.failure is not None and not self._was_reached

    def note_answer(self) -> None:
        """Note that the model answered, now or in an earlier run."""
        self._was_reached = True

    def request_begins(self) -> None:
        """Note that a request is taken up; it may take several calls."""
        self._requests += 1
        if self._since is not None and self._idle_since is not None:
            self._since += self._now() - self._idle_since
        self._idle_since = None

    def request_ends(self) -> None:
        """Note that nothing more is done for a request."""
        self._requests -= 1
        if not self._requests:
            self._idle_since = self._now()

    def call_begins(self) -> None:
        """Note that a call is sent."""
        self._calls += 1
        if self._since is None:
            self._since = self._now()

    def call_ends(self, result: Reply | CallError | None) -> None:
        """Note what a call brought; ``None`` if it was given up."""
        self._calls -= 1
        if result is not None and not _found_nobody(result):
            self._was_reached = True
        if isinstance(result, CallError) and result.kind in TRANSIENT:
            self.failure = result
        elif result is not None:
            self._since = self._now() if self._calls else None
            self._paused = 0.0
            self.failure = None

    def endpoint_pauses(self, seconds: float) -> None:
        """Leave out seconds that the endpoint asks to wait, as far as patience goes."""
        taken = max(0.0, min(seconds, self._patience - self._paused))
        self._paused += taken
        self.leave_out(taken)

    def leave_out(self, seconds: float) -> None:
        """Leave out seconds in which no reply could be seen."""
        if self._since is not None:
            self._since += seconds


def _found_nobody(result: Reply | CallError) -> bool:
    return isinstance(result, CallError) and result.kind is FailureKind.CONNECTION


_CALLS = 20
_REPETITIONS = 4


class FirstFailures:
    """Counts the calls from the first one on that fail alike, and may be expected to go on failing.

    Endpoints that are slow, down or busy are no such case: they may recover, and ``ReplyWatch`` bounds the
    wait for them. An answer that is no reply, such as the page of a login, may pass too, so a call is
    repeated four times before it counts.

    Args:
        has_replies: whether a reply came earlier in the run.
    """

    def __init__(self, *, has_replies: bool) -> None:
        self._kind: tuple[FailureKind, str] | None = None
        self._n = 0
        self._is_over = has_replies

    def are_all_alike(self, failure: CallError, repeated: int) -> bool:
        """Note how a call failed, and say whether there are enough failures, all of them alike.

        Args:
            failure: of the call.
            repeated: how often the call was repeated before.
        """
        kind = None if self._is_over else _kind_of(failure)
        if kind is None or self._kind not in {None, kind}:
            self._is_over = True
            return False
        self._kind = kind
        self._n += 1
        return self._n >= _CALLS if kind[0] not in TRANSIENT else repeated >= _REPETITIONS

    def note_reply(self) -> None:
        """Note that a reply came, from the model or from the ledger."""
        self._is_over = True

    @property
    def n(self) -> int:
        """How many calls were counted."""
        return self._n


def _kind_of(failure: CallError) -> tuple[FailureKind, str] | None:
    """Give what makes failures alike; ``None`` for a refusal, which is an answer, and for what may pass."""
    if failure.kind is FailureKind.MALFORMED:
        return failure.kind, ""  # the same page may have another time or number in it
    is_other = failure.kind is FailureKind.REFUSED or failure.kind in TRANSIENT
    return None if is_other else (failure.kind, str(failure))
