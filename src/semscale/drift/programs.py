"""Runs with outputs of a program that reads items as JSON lines and writes answers."""

import asyncio
import contextlib
import hashlib
import json
import os
import shlex
import shutil
import signal
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from semscale.chat.ledger import KEY_BYTES, Ledger
from semscale.chat.messages import Reply
from semscale.drift.asking import NO_RUN, Answer, Answers, ItemToAsk
from semscale.drift.cells import CellLocation, number_in, outputs_in
from semscale.drift.settings import COST, LATENCY, TOKENS
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.history.items import Output
from semscale.json_reading import parse_json
from semscale.types import Progress

_CONTINUES = "its answers are stored, and the same command continues with the rest"
_NO_LINE = Answer(reason="the program wrote no line for it")
_NUMBERS = {"tokens": TOKENS, "cost": COST, "latency": LATENCY}
_LONGEST_LINE = 2**24  # bytes
_STDERR_BYTES = 4000
_LONGEST_MESSAGE = 200
_SHOWN = 80
_SECONDS_TO_FINISH = 5.0


@dataclass(frozen=True)
class ProgramAsker:
    """Program that answers items, with one process for each round.

    Items without an answer are written to its standard input, one JSON line each; then standard input is
    closed. The program writes one line for each, in any order, and ends with exit code 0.

    Attributes:
        command: command line in shell syntax; no shell runs it.
        ledger: ledger that stores each answer as soon as it arrives.
        timeout: seconds to wait for the next line, or for the end.

    Raises:
        InputError: the command is empty or has an unclosed quotation, or the timeout is not above 0.
    """

    command: str
    ledger: Ledger
    timeout: float = 120.0

    def __post_init__(self) -> None:
        try:
            arguments = shlex.split(self.command)
        except ValueError as error:
            raise InputError(f"command {self.command!r} cannot be read: {error}") from None
        if not arguments:
            raise InputError("command", "must name a program, such as 'python ask.py', got nothing")
        if not self.timeout > 0:
            raise InputError("timeout", f"must be > 0, got {self.timeout}")

    def keys(self, items: Sequence[ItemToAsk], prompts: Sequence[str]) -> list[bytes]:
        """Return hashes of the command, the files in it, and an item's line, one for each item."""
        pairs = zip(items, prompts, strict=True)
        return [self._key(line_for(item, prompt, 0), 0) for item, prompt in pairs]

    async def ask(
        self,
        items: Sequence[ItemToAsk],
        prompts: Sequence[str],
        samples: Sequence[int],
        progress: Progress | None = None,
    ) -> Answers:
        """Ask the program for every item once for each sample number; reuse stored answers.

        Args:
            items: n items.
            prompts: n prompts.
            samples: sample numbers of the k rounds.
            progress: called as lines arrive.

        Raises:
            InputError: the program cannot be started, or writes something other than answers.
            InterruptedRunError: the program ended too early or wrote nothing for too long; its answers are
                stored.
            ReplyError: the program returned no output for any item.
        """
        asked, n_calls, n_stored = [], 0, 0
        for rerun, sample in enumerate(samples):
            pairs = zip(items, prompts, strict=True)
            lines = {item.id: line_for(item, prompt, rerun) for item, prompt in pairs}
            answers = await self._find_stored_answers(lines, sample)
            waiting = {id_: line for id_, line in lines.items() if id_ not in answers}
            if waiting:
                answers |= await self._run(waiting, sample, progress)
            n_calls, n_stored = n_calls + len(waiting), n_stored + len(lines) - len(waiting)
            asked.append(tuple(answers.get(item.id, _NO_LINE) for item in items))
        result = Answers(tuple(asked), n_calls, n_kept=n_stored)
        if not result.n_answered:
            reason = next(iter(result.reasons))
            raise ReplyError(f"{self.command} gave no output for any item, most often because: {reason}")
        return result

    @cached_property
    def _files(self) -> str:
        """Hashes of the program and all files in the command; a change invalidates stored answers."""
        first, *others = shlex.split(self.command)
        paths = [Path(argument) for argument in (shutil.which(first) or first, *others)]
        return "\0".join(_content_hash(path) for path in paths if path.is_file())

    def _key(self, line: str, sample: int) -> bytes:
        content = f"program\0{self.command}\0{self._files}\0{sample}\0{line}"
        return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()

    async def _find_stored_answers(self, lines: Mapping[str, str], sample: int) -> dict[str, Answer]:
        answers = {}
        for id_, line in lines.items():
            reply = await self.ledger.find(self._key(line, sample))
            if isinstance(reply, Reply):
                _, answers[id_] = read_line(reply.text, self.command, 1)
        return answers

    async def _run(
        self, lines: Mapping[str, str], sample: int, progress: Progress | None
    ) -> dict[str, Answer]:
        """Run the program once, and store each answer as it arrives."""
        answers: dict[str, Answer] = {}
        async with _run_program(self.command, lines.values(), self.timeout) as program:
            try:
                number = 0
                async for line in program.lines():
                    number += 1
                    id_, answer = read_line(line, self.command, number)
                    self._check(id_, lines, answers)
                    if answer.outputs or answer.is_silent:  # the next run asks again
                        await self.ledger.record(self._key(lines[id_], sample), NO_RUN, Reply(line))
                    answers[id_] = answer
                    if progress:
                        progress(f"asking {self.command}", len(answers), len(lines))
                code = await program.exit_code()
            except _SilentProgramError:
                raise InterruptedRunError(
                    f"{self.command} wrote nothing for {self.timeout:g} s after {len(answers)} of "
                    f"{len(lines)} items; {_CONTINUES} (--timeout waits longer)"
                ) from None
            message = await program.last_message() if code else ""
        if code:
            raise InterruptedRunError(
                f"{self.command} ended with exit code {code} after {len(answers)} of {len(lines)} items"
                f"{f': {message}' if message else ''}; {_CONTINUES}"
            )
        return answers

    def _check(self, id_: str, lines: Mapping[str, str], answers: Mapping[str, Answer]) -> None:
        if id_ not in lines:
            raise InputError(
                f"{self.command} answered {id_!r}, which it was not asked: write the 'id' of the "
                "line that is answered"
            )
        if id_ in answers:
            raise InputError(f"{self.command} answered {id_!r} twice: write one line for each item")


def line_for(item: ItemToAsk, prompt: str, rerun: int) -> str:
    """Return an item's line with ``id``, ``prompt``, ``groups`` and ``rerun``, the number of the round.

    Examples:
        >>> line_for(ItemToAsk("q1", "Is 7 prime?"), "Is 7 prime?", 0)
        '{"id": "q1", "prompt": "Is 7 prime?", "groups": {}, "rerun": 0}'
    """
    content = {"id": item.id, "prompt": prompt, "groups": dict(item.groups), "rerun": rerun}
    return json.dumps(content, ensure_ascii=False)


def read_line(line: str, program: str, number: int) -> tuple[str, Answer]:
    """Parse a line that a program wrote.

    The line has the item's ``id``, and either ``output`` (a text), ``outputs`` (a list of texts, or of
    objects with a text and numbers), or ``error`` (the reason for a missing output). A single output can have
    ``tokens``, ``cost`` and ``latency`` in seconds.

    Args:
        line: the line without its line break.
        program: name of the program, for messages.
        number: number of the line, from 1.

    Returns:
        The item's id and its answer. If the program reports an error, the answer has no output and does not
        count as silent, so that the next run asks again.

    Raises:
        InputError: the line is not such an object.

    Examples:
        >>> read_line('{"id": "q1", "output": "Yes.", "latency": 0.5}', "ask.py", 1)[1].outputs
        (Output(text='Yes.', fields={'call_latency': 0.5}),)
    """
    content = _object(line, program, number)
    id_, error = str(content["id"]), content.get("error")
    if error is not None:
        return id_, Answer(reason=" ".join(str(error).split()) or "an error")
    name = "outputs" if "outputs" in content else "output"
    listed = outputs_in(content.get(name), CellLocation(program, number - 1, name))
    outputs = tuple(output.separate_reasoning() for output in listed)
    outputs = _with_numbers(content, outputs, program, number)
    if all(output.is_silent for output in outputs):
        return id_, Answer(reason="the program gave no output", is_silent=True)
    return id_, Answer(outputs)


def _object(line: str, program: str, number: int) -> Mapping[str, Any]:
    try:
        content = parse_json(line)
    except json.JSONDecodeError:
        content = None
    if not isinstance(content, Mapping) or content.get("id") is None:
        raise InputError(
            f"{program} wrote line {number}, which is no JSON object with an 'id': {line[:_SHOWN]!r}; write "
            "one object for each item, and messages to standard error"
        )
    if not {"output", "outputs", "error"} & content.keys():
        raise InputError(
            f"{program} wrote line {number} for {content['id']!r} without 'output', 'outputs' or 'error': "
            f"{line[:_SHOWN]!r}"
        )
    return content


def _with_numbers(
    content: Mapping[str, Any], outputs: tuple[Output, ...], program: str, number: int
) -> tuple[Output, ...]:
    """Add the numbers of a line to its single output."""
    names = [name for name in _NUMBERS if content.get(name) is not None]
    if not names or not outputs:
        return outputs
    if len(outputs) > 1:
        raise InputError(
            f"{program} wrote line {number} with '{names[0]}' and {len(outputs)} outputs: write it into "
            'their objects, such as {"text": "Yes.", "call_cost": 0.01}'
        )
    (output,) = outputs
    values = {
        _NUMBERS[name]: number_in(content[name], CellLocation(program, number - 1, name)) for name in names
    }
    known = {field: value for field, value in values.items() if value is not None}
    return (replace(output, fields={**known, **output.fields}),)


class _SilentProgramError(Exception):
    """Error for a program that neither writes a line nor ends within its timeout."""


class _Program:
    """A running program.

    Args:
        command: command line, for messages.
        process: process with pipes.
        timeout: seconds to wait for the next line, or for the end.
    """

    def __init__(self, command: str, process: asyncio.subprocess.Process, timeout: float) -> None:
        self._command = command
        self._process = process
        self._timeout = timeout
        self._listening = asyncio.create_task(_last_line(process.stderr))

    async def lines(self) -> AsyncIterator[str]:
        """Yield the non-blank lines of the program's standard output.

        Raises:
            _SilentProgramError: no line arrived in time.
            InputError: a line is too long.
        """
        stream = self._process.stdout
        while stream is not None and (raw := await self._line(stream)):
            line = raw.decode("utf-8", "replace").strip()
            if line:
                yield line

    async def exit_code(self) -> int:
        """Wait for the end of the program and return its exit code.

        Raises:
            _SilentProgramError: the program does not end in time.
        """
        try:
            async with asyncio.timeout(self._timeout):
                return await self._process.wait()
        except TimeoutError:
            raise _SilentProgramError from None

    async def last_message(self) -> str:
        """Return the last line of standard error after the program's end; empty if there is none."""
        await asyncio.wait([self._listening], timeout=_SECONDS_TO_FINISH)
        return self._listening.result() if self._listening.done() else ""

    async def feed(self, lines: Iterable[str]) -> None:
        """Write lines to standard input, and close it; ignore a program that stops reading."""
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
        """Kill the program and all programs that it started."""
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
            await self._process.wait()
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)

    async def _line(self, stream: asyncio.StreamReader) -> bytes:
        try:
            async with asyncio.timeout(self._timeout):
                return await stream.readline()
        except TimeoutError:
            raise _SilentProgramError from None
        except ValueError:
            raise InputError(
                f"{self._command} wrote a line of more than {_LONGEST_LINE:,} bytes: write one short "
                "object for each item"
            ) from None


@asynccontextmanager
async def _run_program(command: str, lines: Iterable[str], timeout: float) -> AsyncIterator[_Program]:
    """Start a program, write lines to it, and stop it at the end of the ``with`` block.

    Args:
        command: command line in shell syntax; no shell runs it.
        lines: lines for its standard input.
        timeout: seconds to wait for the next line, or for the end.

    Raises:
        InputError: the program cannot be started.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(
            *shlex.split(command),
            stdin=pipe, stdout=pipe, stderr=pipe,
            limit=_LONGEST_LINE, start_new_session=True,
        )  # fmt: skip
    except OSError as error:
        raise InputError(
            f"command {command!r} cannot be started: {error.strerror or error}; name a program, such as "
            "'python ask.py'"
        ) from None
    program = _Program(command, process, timeout)
    feeding = asyncio.create_task(program.feed(lines))
    try:
        yield program
    finally:
        feeding.cancel()
        await asyncio.gather(feeding, return_exceptions=True)
        await program.stop()


async def _last_line(stream: asyncio.StreamReader | None) -> str:
    """Read standard error to its end, so that the program never blocks, and return the last line."""
    end = b""
    while stream is not None and (block := await stream.read(_STDERR_BYTES)):
        end = (end + block)[-_STDERR_BYTES:]
    lines = end.decode("utf-8", "replace").strip().splitlines()
    return " ".join(lines[-1].split())[:_LONGEST_MESSAGE] if lines else ""


def _content_hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()
    except OSError:
        return "unreadable"
