"""The ledger: the results of all calls on disk, so that a restarted run sends only missing calls again."""

import asyncio
import hashlib
import json
import os
import queue
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from semscale.chat.chat_model import Model
from semscale.chat.messages import Call, CallError, FailureKind, OutcomeStatus, Reply
from semscale.errors import InputError, SemscaleError
from semscale.extras import require
from semscale.json_reading import parse_json
from semscale.store.databases.address import Address, read_address
from semscale.weights.folders import cache_root

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FILE_NAME = "ledger.sqlite"
VARIABLE = "SEMSCALE_LEDGER"
"""Environment variable with the default ledger."""

_BATCH = 1024  # jobs that share one write to disk
_LOOK_AGAIN = 0.5  # seconds between looks while another run makes the call

Result = tuple[str, str]
"""The stored result of a call: ``replied`` or the kind of failure, and JSON."""


@dataclass(frozen=True)
class Job:
    """A job of the ledger's thread about one call.

    Attributes:
        action: ``find`` the final result; ``claim``: find it, or else reserve the call for a run unless
            another run makes it; ``record`` a result, which ends the claim if it is final; ``release`` the
            claim.
        key: key of the call.
        run: number of the run, as several runs may share a ledger.
        result: the result to record.
    """

    action: Literal["find", "claim", "record", "release"]
    key: bytes
    run: int = 0
    result: Result | None = None


class Ledger:
    """Store of the result of every call, by a hash of the call's content.

    Several runs and processes may use one ledger at the same time, and several machines a ledger on a server.
    One thread does all waiting jobs together, so many replies share one write to disk. A reply is on disk
    before the caller gets it. Prompts are stored only as a hash.

    Args:
        where: path of a SQLite file, or ``postgresql://user@host/database``. By default the address in
            ``SEMSCALE_LEDGER``, or ``ledger.sqlite`` in the folder named by ``SEMSCALE_CACHE``, or else in
            the system's cache folder.

    Raises:
        InputError: the address has another form; or, at the first use, the file or the server cannot be used,
            or is not a ledger.
        MissingExtraError: the extra ``postgres`` is not installed, for a server.
    """

    def __init__(self, where: str | Path | None = None) -> None:
        self._address = _address(where)
        if self._address.url is not None:
            require("postgres")
        self._closing = threading.Event()
        self._jobs: queue.SimpleQueue[tuple[Job, asyncio.Future[Any]] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._guard = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def find(self, key: bytes) -> Reply | CallError | None:
        """Return a call's stored reply or refusal; ``None`` without one."""
        return self._outcome(await self._do(Job("find", key)))

    async def claim(self, key: bytes, run: int) -> Reply | CallError | None:
        """Return a call's reply or refusal, or reserve the call; wait while another run makes it.

        Args:
            key: key of the call.
            run: number of the run, as several runs may share this object.

        Returns:
            The result; ``None`` if there is none and the call is now reserved for this run.
        """
        try:
            while (answer := await self._do(Job("claim", key, run))) is False:
                await asyncio.sleep(_LOOK_AGAIN)
        except asyncio.CancelledError:
            await self.release(key, run)  # the thread may have reserved it already
            raise
        return None if answer is True else self._outcome(answer)

    async def record(self, key: bytes, run: int, outcome: Reply | CallError) -> None:
        """Store the result of a call on disk; a final result ends the reservation."""
        await self._do(Job("record", key, run, _result(outcome)))

    async def release(self, key: bytes, run: int) -> None:
        """Release the reservation of a call without a final result, even if the caller is cancelled."""
        releasing = asyncio.ensure_future(self._do(Job("release", key, run)))
        # A cancelled caller does not wait for the error: the run ends with the error that cancelled it.
        releasing.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.shield(releasing)

    def close(self) -> None:
        """End all reservations and close the ledger; the next use opens it again."""
        with self._guard:
            if self._thread is not None:
                self._closing.set()
                self._jobs.put(None)
                self._thread.join()
                self._thread = None
                self._closing.clear()

    def _outcome(self, stored: Result | None) -> Reply | CallError | None:
        if stored is None:
            return None
        status, body = stored
        try:
            if status == OutcomeStatus.REPLIED:
                return load_reply(body)
            failure = parse_json(body)
            return CallError(failure["message"], kind=FailureKind(status), raw=failure["raw"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = " ".join(repr(error).split())
            raise InputError(
                f"{self._address.shown} holds a damaged reply ({reason:.80}); move it away or name another "
                "ledger"
            ) from error

    async def _do(self, job: Job) -> Any:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="semscale-ledger", daemon=True)
                self._thread.start()
            self._jobs.put((job, answer))
        try:
            return await answer
        except SemscaleError as error:  # waiting callers share it, and each raises its own copy
            raise type(error)(*error.args) from error

    def _serve(self) -> None:
        from semscale.chat.stored_calls import StoredCalls  # SQLAlchemy loads when a ledger is first used

        store: StoredCalls | None = None
        while (waiting := self._waiting(store.longest_idle if store else None)) is not None:
            # A claim or a search that was cancelled has no effect; the release of the claim comes behind it.
            waiting = [
                (job, future)
                for job, future in waiting
                if job.action in {"record", "release"} or not future.done()
            ]
            answers: Sequence[object]
            try:
                store = store or StoredCalls(self._address, self._closing)
                if not waiting:
                    store.renew()
                    continue
                answers = store.do([job for job, _ in waiting])
            except Exception as error:  # raised again where the answer is awaited; the thread goes on
                answers = [error] * len(waiting)
            futures = [future for _, future in waiting]
            for loop in {future.get_loop() for future in futures}:  # with one wake-up each
                with suppress(RuntimeError):  # the loop is closed, and no caller waits any more
                    loop.call_soon_threadsafe(_resolve, loop, futures, answers)
        if store is not None:
            store.close()

    def _waiting(self, longest_idle: float | None) -> list[tuple[Job, "asyncio.Future[Any]"]] | None:
        """Wait for jobs; return an empty list after a timeout, and ``None`` when the ledger is closed."""
        try:
            first = self._jobs.get(timeout=longest_idle)
        except queue.Empty:
            return []
        if first is None:
            return None
        waiting = [first]
        while len(waiting) < _BATCH:
            try:
                following = self._jobs.get_nowait()
            except queue.Empty:
                break
            if following is None:
                self._jobs.put(None)
                break
            waiting.append(following)
        return waiting


def _resolve(
    loop: asyncio.AbstractEventLoop, futures: "Sequence[asyncio.Future[Any]]", answers: Sequence[object]
) -> None:
    """Deliver the answers to the waiting callers of an event loop."""
    for future, answer in zip(futures, answers, strict=True):
        if future.get_loop() is not loop or future.done():  # the waiting task may have been cancelled
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def _address(where: str | Path | None) -> Address:
    """Parse a ledger's address; a plain path is not checked before its first use."""
    named, kind = (where, "ledger") if where is not None else (os.environ.get(VARIABLE), VARIABLE)
    if where is None and not named:
        named, kind = cache_root() / FILE_NAME, "ledger"
    if "://" in str(named) or not str(named).strip():  # a blank path is refused
        try:
            return read_address(str(named), kind)
        except InputError as error:
            raise InputError(str(error).replace(f"{VARIABLE}.sqlite", FILE_NAME)) from None
    path = Path(str(named)).expanduser()
    return Address("ledger", str(path), path=path)


KEY_BYTES = 20


class ContentKeys:
    """Keys of calls to one model.

    Args:
        model: the model; its name and signature are part of every key, but not the version of Semscale.

    Examples:
        >>> from semscale.chat.messages import Request
        >>> from semscale.signature import Signature
        >>> class Echo:
        ...     name, signature = "echo", Signature.of("chat", engine="echo")
        >>> keys = ContentKeys(Echo())
        >>> keys.of(Request.of("a")) == keys.of(Request.of("a")), keys.of(Request.of("a", sample=1)).hex()[:0]
        (True, '')
    """

    def __init__(self, model: Model) -> None:
        identity = [model.name, model.signature.instrument, model.signature.fields]
        self._start = hashlib.blake2b(_canonical(identity), digest_size=KEY_BYTES)

    def of(self, call: Call) -> bytes:
        """Return the key of a call: 20 bytes of BLAKE2b over its content."""
        state = self._start.copy()
        state.update(_canonical(call.content))
        return state.digest()


def repetition_key(key: bytes, n: int) -> bytes:
    """Return the key of the nth repetition of a call whose stored reply could not be read; n is above 0."""
    return hashlib.blake2b(b"%d" % n, digest_size=KEY_BYTES, key=key).digest()


def _canonical(content: object) -> bytes:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), default=_plain).encode()


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise InputError(f"a request's parameters must be values that JSON can hold, got {type(value).__name__}")


def _result(outcome: Reply | CallError) -> Result:
    if isinstance(outcome, Reply):
        return OutcomeStatus.REPLIED.value, dump_reply(outcome)
    return outcome.kind.value, write_json({"message": str(outcome), "raw": outcome.raw})


def dump_reply(reply: Reply) -> str:
    """Write a reply as JSON, with tokens and log-probabilities as lists."""
    fields = dict(vars(reply))
    if reply.decisions is not None:
        fields["text"] = ""  # written anew from the decisions
        fields["decisions"] = {name: answer.fields for name, answer in reply.decisions.items()}
    for name, default in (("left_out", ()), ("seconds", None), ("reasoning", ""), ("decisions", None)):
        if fields[name] == default:
            del fields[name]
    return write_json(fields)


def write_json(content: Mapping[str, object]) -> str:
    r"""Write JSON that every database can store: unpaired surrogates, which UTF-8 cannot encode, are escaped.

    Examples:
        >>> print(write_json({"text": "né"}), write_json({"text": "\ud83d"}))
        {"text":"né"} {"text":"\ud83d"}
    """
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # an endpoint's JSON may contain half of a pair, such as a cut-off emoji
        return json.dumps(content, separators=(",", ":"))
    return text


def load_reply(text: str) -> Reply:
    """Read a reply from :func:`dump_reply`.

    Raises:
        ValueError: the text is not from :func:`dump_reply`.

    Examples:
        >>> from semscale.chat.messages import TokenLogprob, Usage
        >>> reply = Reply("4", usage=Usage(12, 1), logprobs=(TokenLogprob("4", -0.5, (("4", -0.5),)),))
        >>> load_reply(dump_reply(reply)) == reply
        True
    """
    return _reply_adapter().validate_python(parse_json(text))


@cache
def _reply_adapter() -> "TypeAdapter[Reply]":
    from pydantic import TypeAdapter

    return TypeAdapter(Reply)
