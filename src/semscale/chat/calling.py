"""Calls to a chat model: from the ledger, or sent within pace and budget, repeated and stored."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from weakref import WeakKeyDictionary

from semscale.chat.budget import BYTES_PER_TOKEN, Meter, estimated_prompt, most_reply_tokens
from semscale.chat.chat_model import ChatModel
from semscale.chat.endpoint import Scrubber, environment_secrets, failure_of
from semscale.chat.ledger import ContentKeys, Ledger
from semscale.chat.messages import (
    FATAL,
    CallError,
    FailureKind,
    Parameters,
    Reply,
    Request,
    RequestOutcome,
    Usage,
    checked_reply,
)
from semscale.chat.pacing import Clock, FirstFailures, Limits, Pacer, ReplyWatch, Retries
from semscale.errors import SemscaleError

_RUNS = itertools.count()
_REFUSED_BY = 5.0  # seconds after which other requests are sent: endpoints refuse parameters at once
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


LEFT_OUT = "default"
"""Value in a signature of a parameter that the model refused, so that its default applies."""

_LIMIT_NAMES = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_FIELDS = {"logprobs": "top_logprobs"} | dict.fromkeys(_LIMIT_NAMES, "max_tokens")
_CAN_BE_LEFT_OUT = ("temperature", "max_tokens", "top_p", "seed", "stop", "top_logprobs")


@dataclass(frozen=True)
class ParameterForm:
    """A form of requests: which parameters are left out, and what the limit on tokens is called.

    Attributes:
        left_out: names of attributes of ``Parameters`` that are not sent.
        limit_name: the name under which ``max_tokens`` is sent; ``None`` for the endpoint's usual one.
    """

    left_out: frozenset[str] = frozenset()
    limit_name: str | None = None

    def applied(self, request: Request) -> Request:
        """Return the request in this form.

        Example:
            >>> form = ParameterForm(frozenset({"temperature"}), "max_completion_tokens")
            >>> sent = form.applied(Request.of("a", temperature=0.0, max_tokens=5)).parameters
            >>> sent.temperature, sent.max_tokens, sent.extra
            (None, None, {'max_completion_tokens': 5})
        """
        asked = request.parameters
        changes: dict[str, object] = {
            name: () if name == "stop" else None for name in self.left_out_of(request)
        }
        if self.limit_name is not None and asked.max_tokens is not None and "max_tokens" not in changes:
            changes |= {"max_tokens": None, "extra": {**asked.extra, self.limit_name: asked.max_tokens}}
        if not changes:
            return request
        return replace(request, parameters=replace(asked, **changes))  # type: ignore[arg-type]  # by names

    def left_out_of(self, request: Request) -> tuple[str, ...]:
        """Name the parameters of a request that this form leaves out."""
        return tuple(name for name in set_parameters(request.parameters) if name in self.left_out)

    def after_refusal(self, answer: Reply | CallError, request: Request) -> "ParameterForm | None":
        """Return the form to try next; ``None`` if the answer refuses no parameter of the request.

        The limit on tokens goes by its other name before it is left out.

        Args:
            answer: of the model; a failure may name parameters that were refused.
            request: request that was sent in this form.
        """
        if isinstance(answer, Reply):
            return None
        form, sent = self, set(set_parameters(request.parameters)) - self.left_out
        for name in answer.refused:
            field_name = _FIELDS.get(name, name)
            if field_name not in sent:
                continue
            if name in _LIMIT_NAMES and form.limit_name is None:
                form = replace(form, limit_name=_LIMIT_NAMES[name])
            else:
                form = replace(form, left_out=form.left_out | {field_name})
        return None if form == self else form

    def merged(self, other: "ParameterForm") -> "ParameterForm":
        """Return a form that leaves out what either of two leaves out."""
        return ParameterForm(self.left_out | other.left_out, self.limit_name or other.limit_name)


@dataclass(eq=False)
class AcceptedParameters:
    """Parameters that a model is known to accept or to refuse.

    Attributes:
        form: in which requests are sent.
        known: parameters that a reply has come to, or that were refused.
        has_answered: whether a reply of the model ever came.
    """

    form: ParameterForm = ParameterForm()
    known: set[str] = field(default_factory=set)
    has_answered: bool = False

    def learn(self, form: ParameterForm, request: Request) -> None:
        """Note that the model took a request in a form."""
        self.form = self.form.merged(form)
        self.known.update(set_parameters(request.parameters))

    def unknown_in(self, request: Request) -> bool:
        """Tell whether a request has parameters of which nothing is known."""
        return not self.known.issuperset(set_parameters(request.parameters))


_BY_MODEL: WeakKeyDictionary[ChatModel, AcceptedParameters] = WeakKeyDictionary()


def accepted_parameters(model: ChatModel) -> AcceptedParameters:
    """Return the parameters of a model that are known since the process began; all runs share them."""
    try:
        return _BY_MODEL.setdefault(model, AcceptedParameters())
    except TypeError:  # a class without a hash or weak references: each run finds out for itself
        return AcceptedParameters()


def set_parameters(parameters: Parameters) -> tuple[str, ...]:
    """Name the parameters that are set and that a model may refuse."""
    return tuple(name for name in _CAN_BE_LEFT_OUT if getattr(parameters, name) not in {None, ()})


class CapReachedError(SemscaleError):
    """The budget does not allow another call."""


class NoReplyError(SemscaleError):
    """No reply has come for longer than the limits allow."""


class StoppedRunError(SemscaleError):
    """The user stopped the run: calls under way finish, and nothing more is sent."""


class FatalCallError(SemscaleError):
    """A call failed for a reason that fails every other call as well: ``failure``."""

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

    Attributes:
        watch: counts the seconds without a reply.
        cap: the cap that let no failed call be repeated; ``None`` where there was none.
        calling: tasks whose call was sent, until its reply is stored.
        is_ending: whether nothing more is to be sent.
    """

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self._pacer = Pacer(setting.limits, setting.clock)
        self._keys = ContentKeys(setting.model)
        self._in_progress: dict[bytes, asyncio.Future[Reply | CallError | None]] = {}
        self._scrubber = Scrubber(environment_secrets())
        self._parameters = accepted_parameters(setting.model)
        self._trial: asyncio.Event | None = None
        self._first_failures = FirstFailures(has_replies=setting.meter.spent_in_all.replies > 0)
        self._run = next(_RUNS)
        self.watch = ReplyWatch(
            setting.clock.now, setting.retries.patience, was_reached=self._parameters.has_answered
        )
        self.cap: CapReachedError | None = None
        self.calling: set[asyncio.Task[object]] = set()
        self.is_ending = False

    @property
    def model_name(self) -> str:
        """The name of the model that is asked."""
        return self._setting.model.name

    async def answer(self, index: int, request: Request) -> RequestOutcome:
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
            result, attempts = await self._look_up_or_ask(key, request)
            return RequestOutcome.of(index, result, attempts)
        finally:
            self._in_progress.pop(key).set_result(result)

    async def _look_up_or_ask(  # noqa: C901 - one request from top to bottom
        self, key: bytes, request: Request
    ) -> tuple[Reply | CallError, int]:
        """Look a request up, else send it and repeat what may pass; return the result and the calls sent."""
        ledger, result = self._setting.ledger, None
        if ledger is not None:
            stored = await ledger.claim(key, self._run)
            if stored is not None:
                self._note_reply(stored)
                return stored, 0
        attempts = repeated = 0
        self.watch.request_begins()
        try:
            async with self._first_alone(request):
                form = self._parameters.form
                while True:
                    try:
                        answer = await self._call(key, request, form)
                    except CapReachedError as cap:
                        if result is None:
                            raise
                        self.cap = cap
                        return result, attempts
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
        finally:
            self.watch.request_ends()
            if ledger is not None and not isinstance(result, Reply):
                await ledger.release(key, self._run)

    async def _call(self, key: bytes, request: Request, form: ParameterForm) -> Reply | CallError:
        """Send one call when budget and pace allow it, and store what it brings."""
        setting, task = self._setting, _running_task()
        expected = Usage(estimated_prompt(request), most_reply_tokens(request))
        number, reason = await setting.meter.reserve(expected)
        if reason is not None:
            raise CapReachedError(reason)
        used = Usage(expected.prompt_tokens, 0)  # the most that a cancelled call may have cost
        try:
            try:
                await self._pacer.turn(expected.tokens)
                if self.is_ending:
                    used = Usage(0, 0)
                    raise StoppedRunError
                self.calling.add(task)
                result = await self._ask(form.applied(request))
                left_out = form.left_out_of(request)
                if isinstance(result, Reply) and left_out:
                    result = replace(result, left_out=(*result.left_out, *left_out))
                used = _used(result, expected)
                self._pacer.correct(expected.tokens, used.tokens)
            finally:
                setting.meter.settle(number, used)
            if setting.ledger is not None:
                await setting.ledger.record(key, self._run, result)
            return result
        finally:
            self.calling.discard(task)

    async def _ask(self, request: Request) -> Reply | CallError:
        """Ask the model once; whatever it raises is a failure."""
        model, timeout, now = self._setting.model, self._setting.limits.timeout, self._setting.clock.now
        result: Reply | CallError | None = None
        begun = now()
        self.watch.call_begins()
        try:
            async with asyncio.timeout(timeout):
                reply = checked_reply(await model.complete(request), model=model.name)
            result = reply if reply.seconds is not None else replace(reply, seconds=now() - begun)
        except CallError as failure:
            result = failure
        except TimeoutError:
            message = f"{model.name} did not answer within {timeout:g} s"
            result = CallError(message, kind=FailureKind.TIMEOUT)
        except Exception as error:  # a foreign model may raise anything; the run goes on
            result = failure_of(error, self._scrubber, model=model.name)
        finally:
            self.watch.call_ends(result)
        return result

    @asynccontextmanager
    async def _first_alone(self, request: Request) -> AsyncIterator[None]:
        """Let one request with unknown parameters go ahead, so that only one call is refused."""
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
            self._setting.meter.count_reply()
            self._parameters.has_answered = True
            self.watch.note_answer()
            self._first_failures.note_reply()

    async def _wait_to_repeat(self, failure: CallError, repeated: int) -> bool:
        """Wait before a call is repeated; return ``False`` at once if it is not to be repeated.

        Raises:
            FatalCallError: every other call fails in this way, too.
        """
        if failure.kind in FATAL:
            raise FatalCallError(failure)
        if self._first_failures.are_all_alike(failure, repeated):
            message = (
                f"no call brought a usable reply, and the first {self._first_failures.n} failed alike: "
                f"{failure}; check the endpoint's address and what it takes"
            )
            raise FatalCallError(CallError(message, kind=failure.kind))
        clock = self._setting.clock
        wait = self._setting.retries.wait_after(failure, repeated, clock.chance())
        if wait is None:
            return False
        if failure.retry_after is not None and failure.kind in _HOLDING:
            self.watch.endpoint_pauses(self._pacer.hold(wait))
        await clock.sleep(wait)
        return True


def _running_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("calls of a run must be made inside a task")
    return task


def _used(result: Reply | CallError, expected: Usage) -> Usage:
    if result.usage is not None:
        return result.usage
    if isinstance(result, Reply):
        return Usage(expected.prompt_tokens, int(len(result.text.encode()) / BYTES_PER_TOKEN) + 1)
    return Usage(expected.prompt_tokens, 0) if result.kind in _MAYBE_PAID else Usage(0, 0)
