"""A program as a process: lines in, lines out, a limit on silence, and its last words."""

import asyncio
import contextlib
import os
import shlex
import signal
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from semscale.errors import InputError

LONGEST_LINE = 2**24
"""Bytes of a line that a program may write."""

_KEPT_MESSAGES = 4000  # bytes of standard error
_TO_FINISH = 5.0  # seconds for what a program has written, once it has ended
_LONGEST_MESSAGE = 200


class ProgramSilentError(Exception):
    """A program wrote no line, and did not end, for as long as it may."""


class LineTooLongError(Exception):
    """A program wrote a line of more than ``LONGEST_LINE`` bytes."""


class ProgramProcess:
    """A running program.

    Args:
        process: with pipes.
        timeout: seconds to wait for the next line, or for the end.
    """

    def __init__(self, process: asyncio.subprocess.Process, timeout: float) -> None:
        self._process = process
        self._timeout = timeout
        self._listening = asyncio.create_task(_last_message(process.stderr))

    async def lines(self) -> AsyncIterator[str]:
        """Yield the lines of its standard output that are not blank.

        Raises:
            ProgramSilentError: none came in time.
            LineTooLongError: a line is too long.
        """
        stream = self._process.stdout
        while stream is not None and (raw := await self._line(stream)):
            line = raw.decode("utf-8", "replace").strip()
            if line:
                yield line

    async def exit_code(self) -> int:
        """Wait for its end.

        Raises:
            ProgramSilentError: it does not end in time.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._process.wait()
        except TimeoutError:
            raise ProgramSilentError from None

    async def last_message(self) -> str:
        """The last line of its standard error, once it has ended; empty where there is none."""
        await asyncio.wait([self._listening], timeout=_TO_FINISH)
        return self._listening.result() if self._listening.done() else ""

    async def feed(self, lines: Iterable[str]) -> None:
        """Write lines to its standard input, and close it; a program that no longer reads is let be."""
        stream = self._process.stdin
        if stream is None:
            return
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for line in lines:
                stream.write(f"{line}\n".encode("utf-8", "replace"))
                await stream.drain()
            stream.close()
            await stream.wait_closed()

    async def stop(self) -> None:
        """End it, with all programs that it has started."""
        if self._process.returncode is None:
            _kill(self._process)
            await self._process.wait()
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)

    async def _line(self, stream: asyncio.StreamReader) -> bytes:
        try:
            async with asyncio.timeout(self._timeout):
                return await stream.readline()
        except TimeoutError:
            raise ProgramSilentError from None
        except ValueError:
            raise LineTooLongError from None


@asynccontextmanager
async def started(command: str, lines: Iterable[str], timeout: float) -> AsyncIterator[ProgramProcess]:
    """Start a program, write lines to it, and stop it at the end.

    Args:
        command: as a shell would take it; no shell runs it.
        lines: for its standard input.
        timeout: seconds to wait for the next line, or for the end.

    Raises:
        InputError: it cannot be started.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(command),
            stdin=pipe, stdout=pipe, stderr=pipe,
            limit=LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise InputError(
            f"command {command!r} cannot be started: {error.strerror or error}; name a program, such as "
            "'python ask.py'"
        ) from None
    program = ProgramProcess(process, timeout)
    feeding = asyncio.create_task(program.feed(lines))
    try:
        yield program
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
        await program.stop()


async def _last_message(stream: asyncio.StreamReader | None) -> str:
    """Read standard error to its end, so that the program never waits for a reader; keep its last line."""
    kept = b""
    while stream is not None and (block := await stream.read(_KEPT_MESSAGES)):
        kept = (kept + block)[-_KEPT_MESSAGES:]
    said = kept.decode("utf-8", "replace").strip().splitlines()
    return " ".join(said[-1].split())[:_LONGEST_MESSAGE] if said else ""


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
