"""What was asked and answered before, on disk: a second start pays for nothing twice."""

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
from semscale.chat.ledger.reply_json import dump_reply, load_reply
from semscale.chat.replies import CallError, FailureKind, Reply
from semscale.errors import InputError, InterruptedRunError
from semscale.weights.places import cache_root

T = TypeVar("T")
FILE_NAME = "ledger.sqlite"
_AT_ONCE = 1024  # questions answered in one transaction

_Job = tuple[Callable[[LedgerFile], object], "asyncio.Future[object]"]


class Ledger:
    """Every attempt at every call, by content; several runs and processes may use one at once.

    One thread does all the work on the file. Whatever waits for it goes into one transaction, so many replies
    share one write to disk, and each is on disk before it is handed on. Prompts are not kept, only a hash.

    Args:
        path: of the file; by default ``ledger.sqlite`` in the folder that ``SEMSCALE_CACHE`` names, or in the
            system's folder for caches.

    Raises:
        InputError: the file cannot be opened, or is no ledger; raised at the first use.
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
        """Look a call up; where it has no outcome, reserve it unless somebody else is at it.

        Args:
            key: of the call.
            run: tells apart the runs that share this object.

        Returns:
            The reply, the failure that is final, or whose the call is.
        """
        try:
            found = await self._do(lambda file: file.claim(key, run))
        except asyncio.CancelledError:
            await asyncio.shield(self.release(key, run))  # the thread may have reserved it all the same
            raise
        return found if isinstance(found, Claim) else _outcome(found)

    async def find(self, key: bytes) -> Reply | CallError | None:
        """Look a call up without reserving it."""
        found = await self._do(lambda file: file.find(key))
        return None if found is None else _outcome(found)

    async def record(self, key: bytes, run: int, outcome: Reply | CallError) -> None:
        """Keep an attempt; when this returns, it is on disk."""
        attempt = _attempt(outcome)
        await self._do(lambda file: file.record(key, run, attempt))

    async def release(self, key: bytes, run: int) -> None:
        """Let others have a call that was reserved and brought no outcome."""
        await self._do(lambda file: file.release(key, run))

    async def attempts(self, key: bytes) -> list[Attempt]:
        """Read every attempt at a call, in the order they were made."""
        return await self._do(lambda file: file.attempts(key))

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._guard:
            if self._thread is not None:
                self._jobs.put(None)
                self._thread.join()
                self._thread = None

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
            raise InterruptedRunError(
                f"the ledger {self.path} cannot be used ({error}); everything before is kept"
            ) from error
        except (sqlite3.DatabaseError, OSError) as error:
            raise InputError(
                f"{self.path} cannot be used as a ledger ({error}); move it away or name another file"
            ) from error

    def _serve(self) -> None:
        file: LedgerFile | None = None
        while (waiting := self._waiting()) is not None:
            try:
                file = file or LedgerFile(self.path)
                answers = _in_one_transaction(file, waiting)
            except Exception as error:  # handed to whoever waits for it
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
    """Wake whoever waits, each event loop once for all of its own."""
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
        if future.done():  # whoever waited was cancelled
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def _quietly(do: Callable[[], object]) -> None:
    """Do what may fail only because nobody is left to care: a closed loop, a file that is gone."""
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


def _outcome(attempt: Attempt) -> Reply | CallError:
    if attempt.status != REPLIED:
        body = json.loads(attempt.body)
        return CallError(body["message"], kind=FailureKind(attempt.status), raw=body["raw"])
    return load_reply(attempt.body)
