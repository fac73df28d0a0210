"""Runs of many calls to one model: concurrent, within limits and a budget, resumable."""

import asyncio
import itertools
import warnings
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Sequence,
    Sized,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar, cast

from semscale.chat.budget import (
    CapReachedError,
    Meter,
    PriceTable,
)
from semscale.chat.chat_model import Model, check_run, keep_open, validate_chat_model
from semscale.chat.endpoint import Scrubber, environment_secrets, failure_of
from semscale.chat.ledger import ContentKeys, Ledger, repetition_key
from semscale.chat.messages import (
    BYTES_PER_TOKEN,
    FATAL,
    Call,
    CallError,
    FailureKind,
    Reply,
    RequestOutcome,
    Usage,
    validate_reply,
)
from semscale.chat.pacing import (
    Calls,
    Clock,
    FirstFailures,
    Pacer,
    ReplyWatch,
    Retries,
    UnreadableReplies,
    enumerate_calls,
)
from semscale.chat.refused_parameters import ParameterForm, model_parameters
from semscale.chat.settings import Budget, Limits, Spent
from semscale.errors import InputError, InterruptedRunError, SemscaleError, UnfinishedWarning
from semscale.types import Progress, Status

LONGEST_WAIT = 10.0
"""Seconds after Ctrl-C in which calls in progress may still finish."""

_TICK = 1.0  # seconds between checks of how long no reply has come
_REPEATED_AFTER = 0.4  # seconds without progress after which the callback is called again, to let it cancel
_LOOK_AGAIN = 0.1  # seconds between checks whether calls are done
_REFUSED_BY = 5.0  # seconds after which other requests are sent: endpoints refuse parameters at once
_RUN_NUMBERS = itertools.count()  # runs may share a ledger, which distinguishes their claims

_HOLDING = frozenset({FailureKind.RATE_LIMITED, FailureKind.SERVER})
_ACCEPTED = frozenset({FailureKind.REFUSED, FailureKind.SILENT})
_MAYBE_PAID = frozenset(
    {
        FailureKind.TIMEOUT,
        FailureKind.CONNECTION,
        FailureKind.MALFORMED,
        FailureKind.EMPTY,
        FailureKind.SILENT,
    }
)

T = TypeVar("T")

IsReadable = Callable[[int, Reply], bool]
"""Function that returns whether the reply to the request with an index can be used."""


@dataclass(frozen=True)
class Running:
    """Settings of calls: limits, retries, budget, ledger. They affect no result and are in no signature.

    Attributes:
        limits: concurrent calls, calls and tokens per minute, and the time limits of a call and without any
            reply.
        retries: how failed calls are repeated.
        budget: limits of spending; a panel's judges get equal parts.
        prices: prices for limits in money; by default the user's table.
        ledger: a ledger, the path of a ledger, ``True`` for the default one, ``False`` for none.
        cap_remedy: what to do if a cap is reached; by default, repeat the command.
        on_spent: called at the end of each run with its spending, even if it failed or was cancelled.
        retry_unreadable: whether calls are repeated whose stored replies could not be read, such as a judge's
            without a score; the new replies are stored, too, and later runs use them.
    """

    limits: Limits = field(default_factory=Limits)
    retries: Retries = field(default_factory=Retries)
    budget: Budget = field(default_factory=Budget)
    prices: PriceTable | None = None
    ledger: Ledger | str | Path | bool = True
    cap_remedy: str | None = None
    on_spent: Callable[[Spent], None] | None = None
    retry_unreadable: bool = False

    def after(self, spent: Spent) -> "Running":
        """Return the settings with spending subtracted from the budget."""
        return replace(self, budget=self.budget.after(spent))

    def divide(self, parts: int, sharers: str) -> "Running":
        """Return the settings with an equal part of the budget for each of several judges."""
        return replace(self, budget=self.budget.divide(parts, sharers))


class Runner:
    """Runner of many calls to a model, such as chat requests and decisions.

    The budget holds for all runs of a runner together.

    Every outcome is in the ledger before the caller gets it. A restarted run sends again only the calls that
    were in flight when the earlier one was killed.

    Args:
        model: the model that answers.
        running: the settings of calls.
        clock: source of time, pauses and random numbers.
        **settings: attributes of :class:`Running` by name; they override those of ``running``.

    Raises:
        InputError: the budget limits money and the model's price is not known, the model's signature is not a
            ``Signature``, its key is missing, or replies are stored and nothing distinguishes it from other
            models.
    """

    def __init__(
        self,
        model: Model,
        running: Running | None = None,
        *,
        clock: Clock | None = None,
        **settings: Any,
    ) -> None:
        self.model = validate_chat_model(model)
        self._running = replace(running or Running(), **settings)
        table = self._running.prices or PriceTable.load()
        self._price = table.find(model.name)
        if self._running.budget.money is not None and self._price is None:
            raise InputError(f"money cannot be capped: {table.unknown(model.name)}; or cap calls or tokens")
        check_run(self.model, stores_replies=self.keeps_replies)
        self._clock = clock or Clock()
        self._meter = Meter(self._running.budget, self._price)
        self._earlier = self._meter.spent  # by the runs before the last one
        self._run: _Run | None = None

    @property
    def spent(self) -> Spent:
        """Calls, tokens and money that all runs have spent so far."""
        return self._earlier.plus(self._meter.spent)

    @property
    def currency(self) -> str:
        """Currency of the money; empty if the model's price is unknown."""
        return self._price.currency if self._price else ""

    @property
    def keeps_replies(self) -> bool:
        """True if replies are stored in a ledger."""
        return self._running.ledger is not False

    def run(self, requests: Calls, *, progress: Progress | None = None) -> list[RequestOutcome]:
        """Send requests and wait for all of them; asynchronous programs use :meth:`collect`.

        Raises:
            InterruptedRunError: a cap was reached, or no reply came for as long as the limits say; finished
                requests are in the ledger.
            ReplyError: no call can succeed: the key is wrong, the model unknown, the account empty, or the
                address was never reached.
        """
        return run_to_end(self.collect(requests, progress=progress))

    async def collect(self, requests: Calls, *, progress: Progress | None = None) -> list[RequestOutcome]:
        """Send requests and return their outcomes in order; raises the errors of :meth:`run`."""
        async with aclosing(self.stream(requests, progress=progress)) as outcomes:
            unordered = [outcome async for outcome in outcomes]
        return sorted(unordered, key=lambda outcome: outcome.index)

    async def collect_readable(
        self,
        requests: Sequence[Call],
        is_readable: IsReadable,
        *,
        progress: Progress | None = None,
    ) -> list[RequestOutcome]:
        """Send requests whose replies the caller reads, and return their outcomes in order.

        Args:
            requests: the requests.
            is_readable: whether the reply to the request with an index can be used.
            progress: called as replies come.

        Raises:
            InterruptedRunError: as :meth:`run`, or 20 replies in a row could not be used.
            ReplyError: as :meth:`run`.
        """
        unordered, unreadable = [], UnreadableReplies()
        async with aclosing(self.stream(requests, progress=progress, is_readable=is_readable)) as outcomes:
            async for outcome in outcomes:
                unordered.append(outcome)
                if outcome.reply is not None:
                    is_read = is_readable(outcome.index, outcome.reply)
                    unreadable.note(outcome.reply, is_readable=is_read)
                if unreadable.reason is not None:
                    self.end(f"{unreadable.reason}; {self.unreadable_remedy}")
        return sorted(unordered, key=lambda outcome: outcome.index)

    @property
    def unreadable_remedy(self) -> str:
        """Clause on how to go on after a stop because of unreadable replies."""
        if not self.keeps_replies:
            return "without a ledger, the same command sends every call again"
        return (
            "the same command reads the stored replies again and stops as before; --retry-unparsable asks "
            "for them anew"
        )

    async def stream(
        self,
        requests: Calls,
        *,
        progress: Progress | None = None,
        is_readable: IsReadable | None = None,
    ) -> AsyncGenerator[RequestOutcome, None]:
        """Send requests as they arrive, and yield each outcome, with its request's index, when it is ready.

        Memory holds only as many requests and outcomes as there are concurrent calls. Wrap the generator in
        ``contextlib.aclosing`` if you may leave it early. It raises the errors of :meth:`run` after the last
        outcome.

        Args:
            requests: the requests.
            progress: called after each reply, and at least once a second; an exception that it raises
                cancels the run with all calls in flight.
            is_readable: whether a reply can be used. A stored reply that cannot is replaced by the reply to
                its repetition, which ``retry_unreadable`` requests.
        """
        self._earlier = self.spent
        self._meter = meter = Meter(self._running.budget.after(self._earlier), self._price)
        repeated = None if progress is None else RepeatedProgress(progress)
        shown = RunProgress(f"asking {self.model.name}", requests, repeated)
        async with keep_open(self.model), _open_ledger(self._running.ledger) as ledger:
            await RUNS.raise_if_stopped()
            self._run = run = _Run(self.model, self._running, meter, ledger, self._clock, is_readable)
            run.start(requests, repeated)
            try:
                with RUNS.register(run):
                    async for outcome in run.outcomes():
                        yield outcome
                        shown.add(outcome)
            finally:
                await run.stop()
                if self._running.on_spent is not None:
                    self._running.on_spent(meter.spent)
        await RUNS.raise_if_stopped()
        run.raise_if_ended_early()

    def end(self, reason: str) -> None:
        """End the run: calls in progress finish, no further call is sent, and then the run raises.

        Args:
            reason: message of the ``InterruptedRunError``; the first one counts.
        """
        if self._run is not None:
            self._run.end(InterruptedRunError(reason))


def run_to_end(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end, in its own thread if an event loop already runs, as in a notebook.

    Raises:
        KeyboardInterrupt: the user stopped the program; calls in progress have finished.
    """
    results: list[T] = []

    async def finish() -> None:
        # asyncio.run writes the repr of a task's result, which takes long for thousands of replies.
        results.append(await work)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        try:
            asyncio.run(finish())
        except UserStoppedError:
            RUNS.begin_again()
            raise KeyboardInterrupt from None
    else:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, finish()).result()
    return results[0]


@asynccontextmanager
async def _open_ledger(ledger: Ledger | str | Path | bool) -> AsyncIterator[Ledger | None]:
    """Open the ledger; a ledger that was named by its path is closed at the end."""
    if isinstance(ledger, Ledger) or ledger is False:
        yield ledger or None
        return
    opened = Ledger(None if ledger is True else ledger)
    try:
        yield opened
    finally:
        await asyncio.to_thread(opened.close)


class NoReplyError(SemscaleError):
    """No reply has come for longer than the limits allow."""


class StoppedRunError(SemscaleError):
    """The user stopped the run: calls in progress finish, and no further call is sent."""


class FatalCallError(SemscaleError):
    """A call failed for a reason that affects every call; ``failure`` is its error."""

    def __init__(self, failure: CallError) -> None:
        super().__init__(str(failure))
        self.failure = failure


class _Run:
    """One run: each of its tasks repeatedly takes a request, answers it, and queues the outcome.

    Args:
        model: the model that answers.
        running: limits and retries.
        meter: counts spending against the budget.
        ledger: results of earlier calls; ``None`` for no ledger.
        clock: source of time, pauses and random numbers.
        is_readable: whether a reply can be used; ``None`` if every reply can.
    """

    def __init__(
        self,
        model: Model,
        running: Running,
        meter: Meter,
        ledger: Ledger | None,
        clock: Clock,
        is_readable: IsReadable | None,
    ) -> None:
        self._model, self._limits, self._retries = model, running.limits, running.retries
        self._meter, self._ledger, self._clock = meter, ledger, clock
        self._cap_remedy = running.cap_remedy
        self._retries_unreadable = running.retry_unreadable
        self._is_readable = is_readable
        self._asked_now: set[bytes] = set()  # requests whose replies are of this run
        self._number = next(_RUN_NUMBERS)
        self._keys = ContentKeys(model)
        self._pacer = Pacer(running.limits, clock)
        self._scrubber = Scrubber(environment_secrets())
        self._parameters = model_parameters(model)
        self._trial: asyncio.Event | None = None
        self._first_failures = FirstFailures(has_replies=meter.spent_in_all.replies > 0)
        self._watch = ReplyWatch(
            clock.now, running.retries.patience, was_reached=self._parameters.has_answered
        )
        self._in_progress: dict[bytes, asyncio.Future[Reply | CallError | None]] = {}
        self._ready: asyncio.Queue[RequestOutcome | None] = asyncio.Queue(running.limits.concurrency)
        self._reason: SemscaleError | None = None
        self._helpers: list[asyncio.Task[None]] = []
        self._waiting: set[asyncio.Task[object]] = set()  # for a request
        self._answering: set[asyncio.Task[object]] = set()
        self._calling: set[asyncio.Task[object]] = set()  # from the call until its reply is stored

    def start(self, requests: Calls, progress: "RepeatedProgress | None") -> None:
        """Start the tasks of the run."""
        self._requests, self._turn = enumerate_calls(requests), asyncio.Lock()
        self._tasks = [asyncio.create_task(self._work()) for _ in range(self._limits.concurrency)]
        self._add_helper(self._close())
        self._add_helper(self._give_up_without_replies(progress))
        if progress is not None:
            self._add_helper(progress.repeat())

    def _add_helper(self, work: Coroutine[object, object, None]) -> None:
        """Start a task beside the calls; an error of it, such as of the progress callback, ends the run."""
        helper = asyncio.create_task(work)
        helper.add_done_callback(self._cancel_after_error)
        self._helpers.append(helper)

    def _cancel_after_error(self, helper: asyncio.Task[None]) -> None:
        if not helper.cancelled() and helper.exception() is not None:
            for task in self._tasks:
                task.cancel()

    async def outcomes(self) -> AsyncIterator[RequestOutcome]:
        """Yield outcomes when they are ready."""
        while (outcome := await self._ready.get()) is not None:
            yield outcome
        for task in (*self._tasks, *self._helpers):
            if task.done() and not task.cancelled():
                task.result()

    async def _work(self) -> None:
        while self._reason is None and (following := await self._next()) is not None:
            try:
                with _register_task(self._answering):
                    outcome = await self._outcome(*following)
            except (CapReachedError, FatalCallError, StoppedRunError) as error:
                self.end(error)
                return
            except asyncio.CancelledError:
                if isinstance(self._reason, NoReplyError | StoppedRunError | FatalCallError):
                    return
                raise
            await self._ready.put(outcome)

    async def _next(self) -> tuple[int, Call] | None:
        try:
            with _register_task(self._waiting):
                async with self._turn:
                    return await anext(self._requests, None)
        except asyncio.CancelledError:
            if self._reason is None:
                raise
            return None

    async def _outcome(self, index: int, request: Call) -> RequestOutcome:
        """Answer one request; equal requests wait for the first of them.

        Raises:
            CapReachedError: the budget does not allow the call.
            FatalCallError: no call can succeed.
        """
        key = self._keys.of(request)
        while (first := self._in_progress.get(key)) is not None:
            result = await asyncio.shield(first)
            if result is not None:
                return RequestOutcome.of(index, result)
        self._in_progress[key] = asyncio.get_running_loop().create_future()
        result, attempts = None, 0
        try:
            result, attempts = await self._look_up_or_ask(key, index, request)
            return RequestOutcome.of(index, result, attempts)
        finally:
            self._in_progress.pop(key).set_result(result)

    async def _look_up_or_ask(  # noqa: C901 - one request from top to bottom
        self, key: bytes, index: int, request: Call
    ) -> tuple[Reply | CallError, int]:
        """Look a request up, or else send it, with repetitions; return its result and number of calls."""
        ledger, result = self._ledger, None
        if ledger is not None:
            first_key = key
            key, stored = await self._claim(ledger, key, index)
            if stored is not None:
                self._note_reply(stored)
                return stored, 0
            self._asked_now.add(first_key)
        attempts = repeated = 0
        self._watch.request_begins()
        try:
            async with self._first_alone(request):
                form = self._parameters.form
                while True:
                    answer = await self._call(key, request, form)
                    attempts += 1
                    other_form = form.after_refusal(answer, request)
                    if other_form is not None:  # sent again at once, without what was refused
                        form = other_form
                        continue
                    result = answer
                    if isinstance(result, Reply) or result.kind in _ACCEPTED:
                        self._parameters.learn(form, request)
                    self._note_reply(result)
                    if isinstance(result, Reply) or not await self._wait_to_repeat(result, repeated):
                        return result, attempts
                    repeated += 1
        except CapReachedError as cap:
            if result is None:
                raise
            self.end(cap)  # a request that failed before has its failure as outcome
            return result, attempts
        finally:
            self._watch.request_ends()
            if ledger is not None and not isinstance(result, Reply):
                await ledger.release(key, self._number)

    async def _claim(self, ledger: Ledger, key: bytes, index: int) -> tuple[bytes, Reply | CallError | None]:
        """Return the stored result of a request, or else reserve its call.

        Where the stored reply cannot be read, the reply to its last repetition counts.

        Returns:
            The key of the call, and its result; ``None`` if the call is now reserved.
        """
        stored, n = await ledger.claim(key, self._number), 0
        repeated = key
        while isinstance(stored, Reply) and not self._can_read(index, stored):
            n += 1
            repeated = repetition_key(key, n)
            later = await ledger.find(repeated)
            if later is None:
                if not self._retries_unreadable or key in self._asked_now:
                    break
                later = await ledger.claim(repeated, self._number)
            stored = later
        return repeated, stored

    def _can_read(self, index: int, reply: Reply) -> bool:
        return self._is_readable is None or self._is_readable(index, reply)

    async def _call(self, key: bytes, request: Call, form: ParameterForm) -> Reply | CallError:
        """Send one call when budget and rate limits allow it, and store its result."""
        expected = request.most_tokens
        await self._meter.reserve(expected)
        used = Usage(expected.prompt_tokens, 0)  # the maximum that a cancelled call may have cost
        try:
            await self._pacer.turn(expected.tokens)
            if isinstance(self._reason, StoppedRunError):
                used = Usage(0, 0)
                raise self._reason
            with _register_task(self._calling):
                result = await self._ask(form.apply(request))
                left_out = form.left_out_of(request)
                if isinstance(result, Reply) and left_out:
                    result = replace(result, left_out=(*result.left_out, *left_out))
                used = _used(result, expected)
                self._pacer.correct(expected.tokens, used.tokens)
                if self._ledger is not None:
                    await self._ledger.record(key, self._number, result)
            return result
        finally:
            self._meter.settle(expected, used)

    async def _ask(self, request: Call) -> Reply | CallError:
        """Ask the model once; any exception becomes a failure."""
        name, begun = self._model.name, self._clock.now()
        result: Reply | CallError | None = None
        self._watch.call_begins()
        try:
            async with asyncio.timeout(self._limits.timeout):
                reply = validate_reply(await request.send(self._model), model=name)
            seconds = self._clock.now() - begun if reply.seconds is None else reply.seconds
            result = replace(reply, seconds=seconds)
        except CallError as failure:
            result = failure
        except TimeoutError:
            message = f"{name} did not answer within {self._limits.timeout:g} s"
            result = CallError(message, kind=FailureKind.TIMEOUT)
        except Exception as error:  # a user's model may raise anything; the run continues
            result = failure_of(error, self._scrubber, model=name)
        finally:
            self._watch.call_ends(result)
        return result

    @asynccontextmanager
    async def _first_alone(self, request: Call) -> AsyncIterator[None]:
        """Send one request with unknown parameters first, so that at most one call is refused."""
        if not self._parameters.unknown_in(request):
            yield
        elif self._trial is not None:
            await self._trial.wait()
            yield
        else:
            trial = self._trial = asyncio.Event()
            end_of_wait = asyncio.get_running_loop().call_later(_REFUSED_BY, trial.set)
            try:
                yield
            finally:
                end_of_wait.cancel()
                trial.set()
                self._trial = None

    def _note_reply(self, result: Reply | CallError) -> None:
        if isinstance(result, Reply):
            self._meter.count_reply()
            self._parameters.has_answered = True
            self._watch.note_answer()
            self._first_failures.note_reply()

    async def _wait_to_repeat(self, failure: CallError, repeated: int) -> bool:
        """Wait before a call is repeated; return ``False`` immediately if it should not be repeated.

        Raises:
            FatalCallError: the failure affects every call.
        """
        if failure.kind in FATAL:
            raise FatalCallError(failure)
        if self._first_failures.are_all_alike(failure, repeated):
            message = (
                f"no call brought a usable reply, and the first {self._first_failures.n} failed in the same "
                f"way: {failure}; check the endpoint's address and the parameters that it accepts"
            )
            raise FatalCallError(CallError(message, kind=failure.kind))
        wait = self._retries.wait_after(failure, repeated, self._clock.chance())
        if wait is None:
            if failure.kind is FailureKind.CONNECTION and self._watch.is_unreached:
                raise FatalCallError(_unreachable(failure))
            return False
        if failure.retry_after is not None and failure.kind in _HOLDING:
            self._watch.endpoint_pauses(self._pacer.hold(wait))
        await self._clock.sleep(wait)
        return True

    def end(self, reason: SemscaleError) -> None:
        """Send no further request; calls in progress finish."""
        self._reason = self._reason or reason
        for task in self._waiting:  # their requests may depend on outcomes that will not come
            task.cancel()

    async def _give_up_without_replies(self, progress: Progress | None) -> None:
        """Show the time without a reply, and end the run when it is too long."""
        limits, watch, loop = self._limits, self._watch, asyncio.get_running_loop()
        shown = WaitProgress(self._model.name, progress)
        tick = min(_TICK, limits.longest_unreached / 10)
        while True:
            before = loop.time()
            await asyncio.sleep(tick)
            late = loop.time() - before - tick
            if late > tick:  # the program, not the model, was busy: replies may wait to be read
                watch.leave_out(late)
            longest = limits.longest_unreached if watch.is_unreached else limits.longest_silence
            seconds = watch.seconds
            if seconds >= longest:
                break
            shown.show(seconds, longest, watch.failure, is_unreached=watch.is_unreached)
        if watch.failure is not None and watch.is_unreached:
            self.end(FatalCallError(_unreachable(watch.failure)))
        else:
            why = "" if watch.failure is None else f": {watch.failure}"
            self.end(NoReplyError(f"no reply came for {longest:,.12g} s{why}"))
        for task in self._answering:
            task.cancel()

    @property
    def n_calls(self) -> int:
        """Number of calls in progress."""
        return len(self._calling)

    def end_after_calls(self) -> None:
        """Send no further call, and end when the calls in progress have finished, or after some seconds."""
        self._add_helper(self._finish_calls())

    async def _finish_calls(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + LONGEST_WAIT
        self.end(StoppedRunError())
        while self._calling and (left := until - loop.time()) > 0:
            await asyncio.wait(set(self._calling), timeout=min(left, _LOOK_AGAIN))
        for task in self._answering:
            task.cancel()

    async def _close(self) -> None:
        """End the stream of outcomes when all tasks have ended."""
        _, left = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in left:  # only after an unexpected error in one of them
            task.cancel()
        if left:
            await asyncio.wait(left)
        await self._ready.put(None)

    async def stop(self) -> None:
        """Cancel everything that still runs."""
        everything = [*self._helpers, *self._tasks]
        for task in everything:
            task.cancel()
        await asyncio.gather(*everything, return_exceptions=True)

    def raise_if_ended_early(self) -> None:
        """Raise the error that states why the run ended before all requests were answered.

        Raises:
            InterruptedRunError: a cap was reached, no reply came for too long, or the caller ended the run.
            CallError: no call can succeed.
        """
        if isinstance(self._reason, FatalCallError):
            raise self._reason.failure
        if isinstance(self._reason, InterruptedRunError):
            raise self._reason
        if not isinstance(self._reason, CapReachedError | NoReplyError):
            return
        is_capped = isinstance(self._reason, CapReachedError)
        if is_capped and self._cap_remedy is not None:
            remedy = self._cap_remedy
        elif self._ledger is None:
            cause = "a higher cap" if is_capped else "the same command"
            remedy = f"without a ledger, {cause} sends every call again"
        elif not is_capped:
            remedy = "received replies are stored, and the same command continues from there"
        elif not self._meter.spent_in_all.replies:
            remedy = "no reply arrived: set a higher cap"
        else:
            remedy = (
                "received replies are stored; a cap counts for each run, so the same command continues from "
                "there"
            )
        raise InterruptedRunError(f"{self._reason}; {remedy}") from self._reason


@contextmanager
def _register_task(tasks: set[asyncio.Task[object]]) -> Iterator[None]:
    """Register the running task in a set during the block, so that it can be counted and cancelled."""
    task = cast("asyncio.Task[object]", asyncio.current_task())
    tasks.add(task)
    try:
        yield
    finally:
        tasks.discard(task)


def _unreachable(failure: CallError) -> CallError:
    """Return the failure of a run in which no call could connect, with the remedy."""
    return CallError(f"{failure}; check the address, and that the server runs", kind=failure.kind)


def _used(result: Reply | CallError, expected: Usage) -> Usage:
    """Return the stated tokens of a call, or else the estimated ones."""
    if result.usage is not None:
        return result.usage
    if isinstance(result, Reply):
        return Usage(expected.prompt_tokens, int(len(result.text.encode()) / BYTES_PER_TOKEN) + 1)
    return Usage(expected.prompt_tokens, 0) if result.kind in _MAYBE_PAID else Usage(0, 0)


_SHOWN_FROM = 10.0  # seconds of waiting that are shown
_UNREACHED_FROM = 3.0  # the same if the first calls could not reach the endpoint


class RunProgress:
    """Progress of a run: number of sent requests and total, without those with replies in the ledger.

    Args:
        stage: name of the work.
        requests: the requests; their number, if known, may change during the run.
        progress: called immediately, and after each outcome.
    """

    def __init__(self, stage: str, requests: object, progress: Progress | None) -> None:
        self._stage, self._requests, self._progress = stage, requests, progress
        self._sent = self._there = 0
        self._show()

    def add(self, outcome: RequestOutcome) -> None:
        """Count an outcome."""
        if outcome.attempts:
            self._sent += 1
        else:
            self._there += 1
        self._show()

    def _show(self) -> None:
        if self._progress:
            total = len(self._requests) - self._there if isinstance(self._requests, Sized) else None
            self._progress(self._stage, self._sent, total)


class RepeatedProgress:
    """Progress callback that is called again while calls take long, so that it can cancel them by raising.

    Args:
        progress: the callback.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last: tuple[str, int, int | None] | None = None

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Report a step."""
        self._last = stage, done, total
        self._progress(stage, done, total)

    async def repeat(self) -> None:
        """Report the last step again whenever none has followed for a while."""
        while True:
            last = self._last
            await asyncio.sleep(_REPEATED_AFTER)
            if last is not None and last is self._last:
                self._progress(*last)


class WaitProgress:
    """Progress of a wait: the time without a reply, and why calls failed.

    Args:
        model: name of the model.
        progress: called while the run waits, and once when a reply has come.
    """

    def __init__(self, model: str, progress: Progress | None) -> None:
        self._model, self._progress = model, progress
        self._connecting = f"waiting for a connection to {model} (seconds)"
        self._stage = ""

    def show(
        self, seconds: float, longest: float, failure: CallError | None, *, is_unreached: bool = False
    ) -> None:
        """Show a wait if it is long enough.

        Args:
            seconds: seconds since the last reply.
            longest: seconds of waiting after which the run ends.
            failure: failure of the last call since then, if one failed.
            is_unreached: whether no call has ever reached the endpoint; then the final error has the reason.
        """
        if self._progress is None:
            return
        is_disconnected = failure is not None and failure.kind is FailureKind.CONNECTION
        is_long = seconds >= (_UNREACHED_FROM if is_disconnected else _SHOWN_FROM)
        without_reason = ("", self._connecting, self._stage_name(None))
        if is_long and self._stage in without_reason:  # one reason for each wait: its text may differ by call
            self._stage = self._connecting if is_unreached else self._stage_name(failure)
        if self._stage:
            self._progress(self._stage, int(seconds), int(longest))
        if not is_long:
            self._stage = ""

    def _stage_name(self, failure: CallError | None) -> str:
        why = "" if failure is None else f": {failure}"
        return f"waiting for {self._model} (seconds without a reply{why})"


class UserStoppedError(BaseException):
    """The user stopped the program, and the calls in progress have finished.

    Inside an event loop it replaces ``KeyboardInterrupt``, which would leave the loop immediately, before
    other tasks have ended. Handlers of ``Exception`` do not catch it.
    """


class StoppableRuns:
    """The program's runs with calls, so that a signal can end all of them."""

    def __init__(self) -> None:
        self._loops: dict[_Run, asyncio.AbstractEventLoop] = {}
        self._is_stopping = False

    @property
    def n_calls(self) -> int:
        """Number of calls in progress."""
        return sum(run.n_calls for run in self._loops)

    def stop(self) -> bool:
        """Ask all runs to send no further call, and to raise ``UserStoppedError`` after their calls.

        It may be called from a signal handler.

        Returns:
            Whether a call is in progress; without one, nothing changes.
        """
        if not self.n_calls:
            return False
        self._is_stopping = True
        for run, loop in self._loops.items():
            loop.call_soon_threadsafe(run.end_after_calls)
        return True

    @contextmanager
    def register(self, run: _Run) -> Iterator[None]:
        """Register a run of the running event loop during the block."""
        self._loops[run] = asyncio.get_running_loop()
        try:
            yield
        finally:
            del self._loops[run]

    async def raise_if_stopped(self) -> None:
        """Raise an error if the runs were asked to end, when all their calls have finished.

        Raises:
            UserStoppedError: the runs were asked to end.
        """
        if not self._is_stopping:
            return
        while self.n_calls:
            await asyncio.sleep(_LOOK_AGAIN)
        raise UserStoppedError

    def begin_again(self) -> None:
        """Allow new runs: the caller has received the error."""
        self._is_stopping = False


RUNS = StoppableRuns()
"""The runs of this program."""


def warn_if_stopped(stopped: str | None, status: Iterable[object], *, stacklevel: int = 3) -> None:
    """Warn a caller in Python that a run ended early.

    Args:
        stopped: why it did; ``None`` if it ended by itself.
        status: status of each of n items.
        stacklevel: as in ``warnings.warn``; by default the caller of the caller.
    """
    if stopped is None:
        return
    statuses = list(status)
    n, unfinished = len(statuses), statuses.count(Status.UNFINISHED)
    # A panel may have verdicts of its other judges.
    share = f", with {unfinished:,} of {n:,} item{'s' * (n != 1)} unfinished" if unfinished else ""
    warnings.warn(f"the run ended early{share}: {stopped}", UnfinishedWarning, stacklevel=stacklevel)
