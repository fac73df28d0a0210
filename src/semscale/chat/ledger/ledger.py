"""The ledger: all calls and their outcomes on disk, so that a restarted run pays for none again."""

import asyncio
import json
import queue
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from semscale.chat.ledger.file import REPLIED, Attempt, Claim, LedgerFile
from semscale.chat.ledger.reply_json import dump_reply, load_reply, text_in
from semscale.chat.replies import CallError, FailureKind, Reply
from semscale.errors import InputError, InterruptedRunError
from semscale.json_reading import parse_json
from semscale.store.sqlite_errors import primary_code
from semscale.weights.places import cache_root

T = TypeVar("T")
FILE_NAME = "ledger.sqlite"
_NOT_ALLOWED = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM})
_AT_ONCE = 1024  # jobs done in one transaction

_Job = tuple[Callable[[LedgerFile], object], "asyncio.Future[object]"]


class Ledger:
    """Stores every attempt at every call under a hash of its content.

    Several runs and processes may use one ledger at once. One thread works on the file and puts all waiting
    jobs into one transaction, so many replies share one write to disk. A reply is on disk before the caller
    gets it. Prompts are stored only as a hash.

    Args:
        path: of the file; by default ``ledger.sqlite`` in the folder named by ``SEMSCALE_CACHE``, or else in
            the system's cache folder.

    Raises:
        InputError: the file cannot be opened or is no ledger; raised when it is first used.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = cache_root() / FILE_NAME if path is None else Path(path).expanduser()
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
            found = await self._do(lambda file: file.claim(key, run))
        except asyncio.CancelledError:
            await self.release(key, run)  # the thread may have reserved it already
            raise
        return found if isinstance(found, Claim) else self._outcome(found)

    async def find(self, key: bytes) -> Reply | CallError | None:
        """Return a call's final outcome without reserving the call."""
        found = await self._do(lambda file: file.find(key))
        return None if found is None else self._outcome(found)

    async def record(self, key: bytes, run: int, outcome: Reply | CallError) -> None:
        """Store an attempt; it is on disk when this returns."""
        attempt = _attempt(outcome)
        await self._do(lambda file: file.record(key, run, attempt))

    async def release(self, key: bytes, run: int) -> None:
        """Give up the reservation of a call without a final outcome, even if the caller is cancelled."""
        releasing = asyncio.ensure_future(self._do(lambda file: file.release(key, run)))
        # Of a cancelled caller nobody waits for the error: the run ends with the one that cancelled it.
        releasing.add_done_callback(lambda task: task.cancelled() or task.exception())
        await asyncio.shield(releasing)

    async def attempts(self, key: bytes) -> list[Attempt]:
        """Return all attempts at a call, oldest first."""
        return await self._do(lambda file: file.attempts(key))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._guard:
            if self._thread is not None:
                self._jobs.put(None)
                self._thread.join()
                self._thread = None

    def _outcome(self, attempt: Attempt) -> Reply | CallError:
        try:
            return _read(attempt)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise InputError(
                f"{self.path} holds a damaged reply ({error!r:.80}); move it away or name another file"
            ) from error

    async def _do(self, job: Callable[[LedgerFile], T]) -> T:
        answer: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="semscale-ledger", daemon=True)
                self._thread.start()
            self._jobs.put((job, answer))
        try:
            return await answer  # type: ignore[return-value]  # what the job returned
        except sqlite3.OperationalError as error:
            code = primary_code(error)
            if code is None:  # such as the error of Python's module about broken characters
                raise self._unusable(error) from error
            if code in _NOT_ALLOWED:
                raise InputError(
                    f"the ledger {self.path} cannot be written ({error}); check its permissions, or name "
                    "another file"
                ) from error
            raise InterruptedRunError(
                f"the ledger {self.path} cannot be used ({error}); everything before is kept"
            ) from error
        except (sqlite3.DatabaseError, OSError, UnicodeDecodeError) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> InputError:
        return InputError(
            f"{self.path} cannot be used as a ledger ({error}); move it away or name another file"
        )

    def _serve(self) -> None:
        file: LedgerFile | None = None
        while (waiting := self._waiting()) is not None:
            try:
                file = file or LedgerFile(self.path)
                answers = _in_one_transaction(file, waiting)
            except Exception as error:  # raised again where the job's result is awaited
                if file is not None:
                    _quietly(file.roll_back)
                answers = [error] * len(waiting)
            _hand_out(waiting, answers)
        if file is not None:
            _quietly(file.close)

    def _waiting(self) -> list[_Job] | None:
        first = self._jobs.get()
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


def _in_one_transaction(file: LedgerFile, jobs: list[_Job]) -> list[object]:
    file.begin()
    answers = [job(file) for job, _ in jobs]
    file.commit()
    return answers


def _hand_out(jobs: list[_Job], answers: list[object]) -> None:
    """Deliver the answers, with one wake-up for each event loop."""
    loops = {answer.get_loop() for _, answer in jobs}
    for loop in loops:
        mine = [
            (future, answer)
            for (_, future), answer in zip(jobs, answers, strict=True)
            if future.get_loop() is loop
        ]
        _quietly(lambda loop=loop, mine=mine: loop.call_soon_threadsafe(_resolve, mine))  # type: ignore[misc]


def _resolve(pairs: "list[tuple[asyncio.Future[object], object]]") -> None:
    for future, answer in pairs:
        if future.done():  # the waiting task was cancelled
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def _quietly(do: Callable[[], object]) -> None:
    """Ignore failures that no longer matter: a closed event loop, a deleted file."""
    try:
        do()
    except (RuntimeError, sqlite3.Error, OSError):
        return


def _attempt(outcome: Reply | CallError) -> Attempt:
    if isinstance(outcome, Reply):
        return Attempt(REPLIED, dump_reply(outcome))
    return Attempt(
        outcome.kind.value, json.dumps({"message": str(outcome), "raw": outcome.raw}, ensure_ascii=False)
    )


def _read(attempt: Attempt) -> Reply | CallError:
    if attempt.status != REPLIED:
        body = parse_json(attempt.body)
        return CallError(text_in(body, "message"), kind=FailureKind(attempt.status), raw=text_in(body, "raw"))
    return load_reply(attempt.body)
