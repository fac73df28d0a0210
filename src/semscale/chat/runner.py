"""Runs of many requests to one chat model: concurrent, within limits and a budget, resumable."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterator, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, asynccontextmanager, contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from semscale.chat.budget import Budget, CapReachedError, Meter, PriceTable, Spent
from semscale.chat.calling import (
    Caller,
    FatalCallError,
    NoReplyError,
    StoppedRunError,
    running_task,
)
from semscale.chat.chat_model import ChatModel, check_run, checked_chat_model, held_open
from semscale.chat.ledger import Ledger
from semscale.chat.messages import CallError, FailureKind, Request, RequestOutcome
from semscale.chat.pacing import Clock, Limits, NumberedRequests, Requests, Retries
from semscale.errors import InputError, InterruptedRunError, SemscaleError
from semscale.types import Progress

_TICK = 1.0  # seconds between looks at how long no reply has come
_LOOK_AGAIN = 0.1  # seconds between looks whether calls are done

T = TypeVar("T")


class Runner:
    """Sends many requests to a chat model.

    The ledger holds every outcome before the caller gets it. A run that was stopped, even by a crash, pays
    for no reply again after a restart.

    Args:
        model: the model that answers.
        limits: concurrent calls, calls and tokens per minute, and the time allowed for a call and without
            any reply.
        retries: how failed calls are repeated.
        budget: what each run may spend.
        prices: needed for a cap on money; the user's table by default.
        ledger: a ledger, its path, ``True`` for the one in Semscale's own folder, or ``False`` for none.
        clock: gives the time, pauses and random numbers.

    Raises:
        InputError: the budget caps money and the model's price is not known, the model's signature is no
            ``Signature``, its key is missing, or replies are stored and nothing tells it from other models.
    """

    def __init__(  # noqa: PLR0913  # each is one noun, and all but the model have a default
        self,
        model: ChatModel,
        *,
        limits: Limits | None = None,
        retries: Retries | None = None,
        budget: Budget | None = None,
        prices: PriceTable | None = None,
        ledger: Ledger | str | Path | bool = True,
        clock: Clock | None = None,
    ) -> None:
        self.model = checked_chat_model(model)
        self._limits = limits or Limits()
        self._retries = retries or Retries()
        self._budget = budget or Budget()
        table = prices or PriceTable.load()
        self._price = table.find(model.name)
        if self._budget.money is not None and self._price is None:
            raise InputError(f"money cannot be capped: {table.unknown(model.name)}; or cap calls or tokens")
        check_run(self.model, stores_replies=ledger is not False)
        self._ledger = ledger
        self._clock = clock or Clock()
        self._meter = Meter(self._budget, self._price)

    @property
    def spent(self) -> Spent:
        """Calls, tokens and money that the last run has spent so far."""
        return self._meter.spent

    @property
    def keeps_replies(self) -> bool:
        """True if replies are stored in a ledger."""
        return self._ledger is not False

    def rest(self) -> "Runner":
        """Make a runner like this one, with what its last run has left of the budget."""
        other = copy(self)
        other._budget = self._budget.after(self.spent)
        other._meter = Meter(other._budget, self._price)
        return other

    def run(self, requests: Requests, *, progress: Progress | None = None) -> list[RequestOutcome]:
        """Send requests and wait for all of them; asynchronous programs use :meth:`collect`.

        Raises:
            InterruptedRunError: a cap was reached, or no reply came for as long as the limits say; finished
                requests are in the ledger.
            ReplyError: no call can succeed: the key is wrong, the model unknown, the account empty.
        """
        return run_apart(self.collect(requests, progress=progress))

    async def collect(self, requests: Requests, *, progress: Progress | None = None) -> list[RequestOutcome]:
        """Send requests and return their outcomes in order; raises the errors of :meth:`run`."""
        async with aclosing(self.stream(requests, progress=progress)) as outcomes:
            unordered = [outcome async for outcome in outcomes]
        return sorted(unordered, key=lambda outcome: outcome.index)

    async def stream(
        self, requests: Requests, *, progress: Progress | None = None
    ) -> AsyncGenerator[RequestOutcome, None]:
        """Send requests as they arrive, and yield each outcome, with its request's index, when it is ready.

        Memory holds only as many requests and outcomes as calls are under way. Wrap the generator in
        ``contextlib.aclosing`` if you may leave it early. It raises the errors of :meth:`run` after the last
        outcome.
        """
        self._meter = Meter(self._budget, self._price)
        shown = RunProgress(f"asking {self.model.name}", requests, progress)
        async with held_open(self.model), _opened(self._ledger) as ledger:
            await RUNS.raise_if_stopped()
            caller = Caller(
                self.model,
                limits=self._limits,
                retries=self._retries,
                meter=self._meter,
                ledger=ledger,
                clock=self._clock,
            )
            run = _RunTasks(caller, NumberedRequests(requests), self._limits, progress)
            try:
                with RUNS.listed(run, run.end_after_calls, run.n_calls):
                    async for outcome in run.outcomes():
                        yield outcome
                        shown.add(outcome)
            finally:
                await run.stop()
        await RUNS.raise_if_stopped()
        run.raise_if_ended_early(self.keeps_replies, has_replies=self._meter.spent_in_all.replies > 0)


@dataclass(frozen=True)
class Running:
    """Settings of calls: limits, retries, budget, ledger. They change no number and stand in no signature.

    Attributes:
        limits: concurrent calls, calls per minute, and the time that a call may take.
        retries: how failed calls are repeated.
        budget: what may be spent; a panel's judges get equal parts of it.
        prices: for caps in money; by default the user's table.
        ledger: a ledger, the path of one, ``True`` for the one in Semscale's folder, ``False`` for none.
    """

    limits: Limits = field(default_factory=Limits)
    retries: Retries = field(default_factory=Retries)
    budget: Budget = field(default_factory=Budget)
    prices: PriceTable | None = None
    ledger: Ledger | str | Path | bool = True

    def runner(self, model: ChatModel) -> Runner:
        """Build the runner that sends requests to a model in this way.

        Raises:
            InputError: as ``Runner``.
        """
        return Runner(
            model,
            limits=self.limits,
            retries=self.retries,
            budget=self.budget,
            prices=self.prices,
            ledger=self.ledger,
        )

    def after(self, spent: Spent) -> "Running":
        """Return the same, with what was spent subtracted from the budget."""
        return replace(self, budget=self.budget.after(spent))

    def shared(self) -> "Running":
        """Return the same for several concurrent runs, which spend the budget together."""
        return replace(self, budget=self.budget.shared())

    @property
    def spent(self) -> Spent:
        """The amount that runs with a shared budget have spent; nothing where none has run.

        Raises:
            ValueError: the budget is not shared.
        """
        if self.budget.pool is None:
            raise ValueError("only a shared budget knows what was spent of it")
        return self.budget.pool.spent

    def divided(self, parts: int, sharers: str) -> "Running":
        """Return the same, with an equal part of the budget for each of several judges."""
        return replace(self, budget=self.budget.divided(parts, sharers))


def run_apart(work: Coroutine[object, object, T]) -> T:
    """Run a coroutine to its end, in its own thread if an event loop already runs, as in a notebook.

    Raises:
        KeyboardInterrupt: the user stopped the program; calls that were under way are done.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        try:
            return asyncio.run(work)
        except UserStoppedError:
            RUNS.begin_again()
            raise KeyboardInterrupt from None
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


class _RunTasks:
    """The tasks of one run: each repeatedly takes a request and puts its outcome into the queue."""

    def __init__(
        self, caller: Caller, numbered: NumberedRequests, limits: Limits, progress: Progress | None
    ) -> None:
        self._caller = caller
        self._numbered = numbered
        self._ready: asyncio.Queue[RequestOutcome | None] = asyncio.Queue(maxsize=limits.concurrency)
        self._tasks = [asyncio.create_task(self._work()) for _ in range(limits.concurrency)]
        self._reason: SemscaleError | None = None
        self._waiting: set[asyncio.Task[object]] = set()
        self._asking: set[asyncio.Task[object]] = set()
        self._closing = asyncio.create_task(self._close())
        self._watching = asyncio.create_task(self._watch(limits, progress))
        self._ending: asyncio.Task[None] | None = None

    async def outcomes(self) -> AsyncIterator[RequestOutcome]:
        while (outcome := await self._ready.get()) is not None:
            yield outcome
        for task in self._tasks:
            if not task.cancelled():
                task.result()

    async def stop(self) -> None:
        ending = [] if self._ending is None else [self._ending]
        everything = [self._watching, self._closing, *ending, *self._tasks]
        for task in everything:
            task.cancel()
        await asyncio.gather(*everything, return_exceptions=True)

    def raise_if_ended_early(self, keeps_replies: bool, *, has_replies: bool) -> None:
        if isinstance(self._reason, CapReachedError | NoReplyError):
            is_capped = isinstance(self._reason, CapReachedError)
            rest = _how_to_go_on(is_capped, keeps_replies, has_replies)
            raise InterruptedRunError(f"{self._reason}; {rest}") from self._reason
        if isinstance(self._reason, FatalCallError):
            raise self._reason.failure

    async def _work(self) -> None:
        while self._reason is None and (numbered := await self._next()) is not None:
            try:
                with self._listed(self._asking):
                    outcome = await self._caller.answer(*numbered)
            except (CapReachedError, FatalCallError, StoppedRunError) as error:
                self._end(error)
                return
            except asyncio.CancelledError:
                if isinstance(self._reason, NoReplyError | StoppedRunError):
                    return
                raise
            await self._ready.put(outcome)
            if self._caller.cap is not None:
                self._end(self._caller.cap)

    def n_calls(self) -> int:
        """Calls under way."""
        return len(self._caller.calling)

    def end_after_calls(self) -> None:
        """Send nothing more, and end when the calls under way are done, or after some seconds."""
        self._ending = asyncio.create_task(self._finish_calls())

    async def _finish_calls(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + LONGEST_WAIT
        self._caller.is_ending = True
        self._end(StoppedRunError())
        while self._caller.calling and (left := until - loop.time()) > 0:
            await asyncio.wait(set(self._caller.calling), timeout=min(left, _LOOK_AGAIN))
        for task in self._asking:
            task.cancel()

    def _end(self, reason: SemscaleError) -> None:
        self._reason = self._reason or reason
        for task in self._waiting:  # their requests may depend on outcomes that will not come
            task.cancel()

    async def _watch(self, limits: Limits, progress: Progress | None) -> None:
        """Show how long no reply has come, and end the run when that is too long."""
        watch, loop = self._caller.watch, asyncio.get_running_loop()
        shown = WaitProgress(self._caller.model.name, progress)
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
            shown.show(seconds, longest, watch.failure)
        why = "" if watch.failure is None else f": {watch.failure}"
        self._end(NoReplyError(f"no reply came for {longest:,.12g} s{why}"))
        for task in self._asking:
            task.cancel()

    async def _next(self) -> tuple[int, Request] | None:
        try:
            with self._listed(self._waiting):
                return await self._numbered.next()
        except asyncio.CancelledError:
            if self._reason is None:
                raise
            return None

    @staticmethod
    @contextmanager
    def _listed(tasks: "set[asyncio.Task[object]]") -> Iterator[None]:
        """Keep the running task in a set, so that it can be cancelled while it waits."""
        task = running_task()
        tasks.add(task)
        try:
            yield
        finally:
            tasks.discard(task)

    async def _close(self) -> None:
        _, left = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in left:  # only after an unexpected error in one of them
            task.cancel()
        if left:
            await asyncio.wait(left)
        await self._ready.put(None)


def _how_to_go_on(is_capped: bool, keeps_replies: bool, has_replies: bool) -> str:
    """Return the next step for the user after a run that ended early."""
    if not keeps_replies:
        what = "a higher cap" if is_capped else "the same command"
        return f"without a ledger {what} asks for everything again"
    if not is_capped:
        return "replies that came are kept, and the same command goes on from there"
    if not has_replies:
        return "no reply came, so give a higher cap"
    return "replies that came are kept; a cap counts for each run, so the same command goes on from there"


@asynccontextmanager
async def _opened(ledger: Ledger | str | Path | bool) -> AsyncIterator[Ledger | None]:
    """Open the ledger; one that was given by its path is closed at the end."""
    if isinstance(ledger, Ledger) or ledger is False:
        yield ledger or None
        return
    opened = Ledger(None if ledger is True else ledger)
    try:
        yield opened
    finally:
        await asyncio.to_thread(opened.close)


_SHOWN_FROM = 10.0  # seconds of waiting that are worth a word
_UNREACHED_FROM = 3.0  # the same where the endpoint cannot be reached, which the first calls have shown


class RunProgress:
    """Shows how many requests were sent, of how many; those with replies in the ledger do not count.

    Args:
        stage: name of the work.
        requests: where their number is known, it may change while they come.
        progress: called at once, and after each outcome.
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


class WaitProgress:
    """Shows for how long no reply has come, and why calls failed.

    Args:
        model: name of the model that is asked.
        progress: called while the run waits, and once when a reply has come.
    """

    def __init__(self, model: str, progress: Progress | None) -> None:
        self._model, self._progress = model, progress
        self._stage = ""

    def show(self, seconds: float, longest: float, failure: CallError | None) -> None:
        """Show a wait that is long enough.

        Args:
            seconds: since the last reply.
            longest: seconds of waiting after which the run ends.
            failure: of the last call since then, if one failed.
        """
        if self._progress is None:
            return
        is_unreached = failure is not None and failure.kind is FailureKind.CONNECTION
        is_long = seconds >= (_UNREACHED_FROM if is_unreached else _SHOWN_FROM)
        if is_long and (not self._stage or (failure is not None and self._stage == self._stage_name(None))):
            self._stage = self._stage_name(failure)  # one reason for each wait: its text may differ by call
        if self._stage:
            self._progress(self._stage, int(seconds), int(longest))
        if not is_long:
            self._stage = ""

    def _stage_name(self, failure: CallError | None) -> str:
        why = "" if failure is None else f": {failure}"
        return f"waiting for {self._model} (seconds without a reply{why})"


LONGEST_WAIT = 10.0
"""Seconds for which calls under way may still bring their replies after Ctrl-C."""


class UserStoppedError(BaseException):
    """The user stopped the program, and the calls that were under way are done.

    Inside an event loop it takes the place of ``KeyboardInterrupt``, which would leave the loop at once,
    before other tasks have ended. No handler of ordinary errors takes it for one.
    """


class StoppableRuns:
    """The runs of a program that send calls, so that a signal can ask all of them to end."""

    def __init__(self) -> None:
        self._runs: dict[object, tuple[asyncio.AbstractEventLoop, Callable[[], None], Callable[[], int]]] = {}
        self._is_stopping = False

    @property
    def n_calls(self) -> int:
        """Calls under way."""
        return sum(n_calls() for _, _, n_calls in self._runs.values())

    def stop(self) -> bool:
        """Ask all runs to send nothing more, and to raise ``UserStoppedError`` once their calls are done.

        It may be called from a signal handler.

        Returns:
            Whether a call is under way; where none is, nothing changes.
        """
        if not self.n_calls:
            return False
        self._is_stopping = True
        for loop, end, _ in self._runs.values():
            loop.call_soon_threadsafe(end)
        return True

    @contextmanager
    def listed(self, run: object, end: Callable[[], None], n_calls: Callable[[], int]) -> Iterator[None]:
        """List a run of the running event loop while it is under way.

        Args:
            run: names it.
            end: lets it send nothing more, and end.
            n_calls: gives how many of its calls are under way.
        """
        self._runs[run] = (asyncio.get_running_loop(), end, n_calls)
        try:
            yield
        finally:
            del self._runs[run]

    async def raise_if_stopped(self) -> None:
        """Raise an error where the runs were asked to end, once the calls of all are done.

        Raises:
            UserStoppedError: they were.
        """
        if not self._is_stopping:
            return
        while self.n_calls:
            await asyncio.sleep(_LOOK_AGAIN)
        raise UserStoppedError

    def begin_again(self) -> None:
        """Let runs begin again: whoever asked has heard that they ended."""
        self._is_stopping = False


RUNS = StoppableRuns()
"""Those of this program."""
