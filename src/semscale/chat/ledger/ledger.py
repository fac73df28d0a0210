"""The ledger: all calls and their outcomes on disk, so that a restarted run pays for none again."""

import asyncio
import os
import queue
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from semscale.chat.ledger.file import LedgerFile
from semscale.chat.ledger.operations import (
    REPLIED,
    Attempt,
    Claim,
    ClaimCall,
    FindOutcome,
    LedgerStore,
    ListAttempts,
    Operation,
    RecordAttempt,
    ReleaseCall,
)
from semscale.chat.ledger.reply_json import dump_reply, load_reply, text_in, write_json
from semscale.chat.messages import CallError, FailureKind, Reply
from semscale.errors import InputError, SemscaleError
from semscale.extras import require
from semscale.json_reading import parse_json
from semscale.store.databases.address import Address, read_address
from semscale.weights.folders import cache_root

FILE_NAME = "ledger.sqlite"
VARIABLE = "SEMSCALE_LEDGER"
"""Environment variable that names the ledger of all runs for which none is named."""

_AT_ONCE = 1024  # jobs that share one write to disk

_Job = tuple[Operation, "asyncio.Future[object]"]


class Ledger:
    """Stores every attempt at every call under a hash of its content.

    Several runs and processes may use one ledger at once, and several machines one on a server. One thread
    works on it and puts all waiting jobs together, so many replies share one write to disk. A reply is on
    disk before the caller gets it. Prompts are stored only as a hash.

    Args:
        where: path of a SQLite file, or ``postgresql://user@host/database``. By default what
            ``SEMSCALE_LEDGER`` names, or ``ledger.sqlite`` in the folder named by ``SEMSCALE_CACHE``, or else
            in the system's cache folder.

    Raises:
        InputError: the address has another form. When it is first used: the file or the server cannot be
            used, or holds no ledger.
        MissingExtraError: the extra ``postgres`` is not installed, for a server.
    """

    def __init__(self, where: str | Path | None = None) -> None:
        self._address = _address(where)
        if self._address.url is not None:
            require("postgres")
        self._closing = threading.Event()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._guard = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    async def claim(self, key: bytes, run: int) -> Reply | CallError | Claim:
        """Return a call's final outcome; reserve the call if there is none and nobody else is making it.

        Args:
            key: of the call.
            run: number of the run, as several may share this object.

        Returns:
            The reply, the final failure, or a ``Claim`` that says who makes the call.
        """
        try:
            found = await self._do(ClaimCall(key, run))
        except asyncio.CancelledError:
            await self.release(key, run)  # the thread may have reserved it already
            raise
        return found if isinstance(found, Claim) else self._outcome(found)

    async def find(self, key: bytes) -> Reply | CallError | None:
        """Return a call's final outcome without reserving the call."""
        found = await self._do(FindOutcome(key))
        return None if found is None else self._outcome(found)

    async def record(self, key: bytes, run: int, outcome: Reply | CallError) -> None:
        """Store an attempt; it is on disk when this returns."""
        await self._do(RecordAttempt(key, run, _attempt(outcome)))

    async def release(self, key: bytes, run: int) -> None:
        """Give up the reservation of a call without a final outcome, even if the caller is cancelled."""
        releasing = asyncio.ensure_future(self._do(ReleaseCall(key, run)))
        # Of a cancelled caller nobody waits for the error: the run ends with the one that cancelled it.
        releasing.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.shield(releasing)

    async def attempts(self, key: bytes) -> list[Attempt]:
        """Return all attempts at a call, oldest first."""
        attempts: list[Attempt] = await self._do(ListAttempts(key))
        return attempts

    def close(self) -> None:
        """End all claims and close it; the next use opens it again."""
        with self._guard:
            if self._thread is not None:
                self._closing.set()
                self._jobs.put(None)
                self._thread.join()
                self._thread = None
                self._closing.clear()

    def _outcome(self, attempt: Attempt) -> Reply | CallError:
        try:
            return _read(attempt)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(
                f"{self._address.shown} holds a damaged reply ({error!r:.80}); move it away or name another "
                "ledger"
            ) from error

    async def _do(self, operation: Operation) -> Any:  # noqa: ANN401 - each kind has an answer of its own
        answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="semscale-ledger", daemon=True)
                self._thread.start()
            self._jobs.put((operation, answer))
        try:
            return await answer
        except SemscaleError as error:  # others that wait get the same one, and each task raises its own
            raise type(error)(*error.args) from error

    def _serve(self) -> None:
        store: LedgerStore | None = None
        while (waiting := self._waiting(store.longest_idle if store else None)) is not None:
            try:
                store = store or self._opened()
                if not waiting:
                    store.renew()
                    continue
                answers = store.do([operation for operation, _ in waiting])
            except Exception as error:  # raised again where the job's result is awaited; the thread goes on
                answers = [error] * len(waiting)
            _hand_out(waiting, answers)
        if store is not None:
            store.close()

    def _opened(self) -> LedgerStore:
        if self._address.url is None:
            return LedgerFile(self._address.path or Path())
        from semscale.chat.ledger.server import LedgerServer

        return LedgerServer(self._address, self._closing)

    def _waiting(self, longest_idle: float | None) -> list[_Job] | None:
        """Wait for jobs: none of them if none comes for so long, ``None`` when the ledger is closed."""
        try:
            first = self._jobs.get(timeout=longest_idle)
        except queue.Empty:
            return []
        if first is None:
            return None
        jobs = [first]
        while len(jobs) < _AT_ONCE:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
            if job is None:
                self._jobs.put(None)
                break
            jobs.append(job)
        return jobs


def _hand_out(jobs: Sequence[_Job], answers: Sequence[object]) -> None:
    """Deliver the answers, with one wake-up for each event loop."""
    loops = {answer.get_loop() for _, answer in jobs}
    for loop in loops:
        mine = [
            (future, answer)
            for (_, future), answer in zip(jobs, answers, strict=True)
            if future.get_loop() is loop
        ]
        with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            loop.call_soon_threadsafe(_resolve, mine)


def _resolve(pairs: "list[tuple[asyncio.Future[object], object]]") -> None:
    for future, answer in pairs:
        if future.done():  # the waiting task was cancelled
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def _address(where: str | Path | None) -> Address:
    """Read a ledger's address; a plain path is not looked at before it is used."""
    named, kind = (where, "ledger") if where is not None else (os.environ.get(VARIABLE), VARIABLE)
    if where is None and not named:
        named, kind = cache_root() / FILE_NAME, "ledger"
    if "://" in str(named) or not str(named).strip():  # that of a blank is refused
        try:
            return read_address(str(named), kind)
        except InputError as error:
            raise InputError(str(error).replace(f"{VARIABLE}.sqlite", FILE_NAME)) from None
    path = Path(str(named)).expanduser()
    return Address("ledger", str(path), path=path)


def _attempt(outcome: Reply | CallError) -> Attempt:
    if isinstance(outcome, Reply):
        return Attempt(REPLIED, dump_reply(outcome))
    return Attempt(outcome.kind.value, write_json({"message": str(outcome), "raw": outcome.raw}))


def _read(attempt: Attempt) -> Reply | CallError:
    if attempt.status != REPLIED:
        body = parse_json(attempt.body)
        return CallError(text_in(body, "message"), kind=FailureKind(attempt.status), raw=text_in(body, "raw"))
    return load_reply(attempt.body)
