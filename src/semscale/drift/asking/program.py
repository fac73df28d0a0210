"""Asks a program: items go in as JSON lines, and answers come out."""

import hashlib
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from semscale.chat.ledger import KEY_BYTES, Ledger
from semscale.chat.messages import Reply
from semscale.drift.asking.answers import Answer, Answers
from semscale.drift.asking.items_to_ask import ItemToAsk
from semscale.drift.asking.program_lines import ProgramAnswer, line_for, read_line
from semscale.drift.asking.program_process import (
    LONGEST_LINE,
    LineTooLongError,
    ProgramProcess,
    ProgramSilentError,
    started,
)
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.types import Progress

_OWNER = -1  # no run of the chat layer
_GOES_ON = "its answers are kept, and the same command goes on with the rest"
_NO_LINE = Answer(reason="the program wrote no line for it")


@dataclass(frozen=True)
class ProgramAsker:
    """A program that answers items, one process for each asking.

    All items that have no answer yet are written to its standard input, a JSON line each, and then standard
    input is closed. The program writes a line for each, in any order, and ends with exit code 0.

    Attributes:
        command: as a shell would take it; no shell runs it.
        ledger: keeps each answer as soon as it comes.
        timeout: seconds to wait for the next line, or for the end.

    Raises:
        InputError: the command is empty or has a quotation that does not end, or the time is not above 0.
    """

    command: str
    ledger: Ledger
    timeout: float = 120.0

    def __post_init__(self) -> None:
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise InputError(f"command {self.command!r} cannot be read: {error}") from None
        if not words:
            raise InputError("command must name a program, such as 'python ask.py', got nothing")
        if not self.timeout > 0:
            raise InputError(f"timeout must be > 0, got {self.timeout}")

    def keys(self, items: Sequence[ItemToAsk], prompts: Sequence[str]) -> list[bytes]:
        """Hash what is asked: the command, the files that it names, and each item's line."""
        return [self._key(line_for(*asked, 0), 0) for asked in zip(items, prompts, strict=True)]

    async def ask(
        self,
        items: Sequence[ItemToAsk],
        prompts: Sequence[str],
        samples: Sequence[int],
        progress: Progress | None = None,
    ) -> Answers:
        """Ask for every item once for each sample number; an answer that was kept is not asked for again.

        Args:
            items: n items.
            prompts: n prompts.
            samples: k numbers, which tell the askings apart.
            progress: called as lines come.

        Raises:
            InputError: the program cannot be started, or writes what is no answer.
            InterruptedRunError: it ended too early or wrote nothing for too long; its answers are kept.
            ReplyError: it gave no output for any item.
        """
        asked, n_calls, n_kept = [], 0, 0
        for rerun, sample in enumerate(samples):
            pairs = zip(items, prompts, strict=True)
            lines = {item.id: line_for(item, prompt, rerun) for item, prompt in pairs}
            found = await self._kept(lines, sample)
            waiting = {id_: line for id_, line in lines.items() if id_ not in found}
            if waiting:
                found |= await self._run(waiting, sample, progress)
            n_calls, n_kept = n_calls + len(waiting), n_kept + len(lines) - len(waiting)
            asked.append(tuple(found.get(item.id, _NO_LINE) for item in items))
        answers = Answers(tuple(asked), n_calls, n_kept=n_kept)
        if not answers.n_answered:
            most = next(iter(answers.reasons))
            raise ReplyError(f"{self.command} gave no output for any item, most often because: {most}")
        return answers

    @cached_property
    def _files(self) -> str:
        """Hashes of the program and of all files that the command names, so that a mended one starts anew."""
        first, *others = shlex.split(self.command)
        paths = [Path(word) for word in (shutil.which(first) or first, *others)]
        return "\0".join(_content_hash(path) for path in paths if path.is_file())

    def _key(self, line: str, sample: int) -> bytes:
        content = f"program\0{self.command}\0{self._files}\0{sample}\0{line}"
        return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()

    async def _kept(self, lines: Mapping[str, str], sample: int) -> dict[str, Answer]:
        found = {}
        for id_, line in lines.items():
            reply = await self.ledger.find(self._key(line, sample))
            if isinstance(reply, Reply):
                found[id_] = read_line(reply.text, self.command, 1).answer
        return found

    async def _run(
        self, lines: Mapping[str, str], sample: int, progress: Progress | None
    ) -> dict[str, Answer]:
        """Run the program once, and keep each answer as it comes."""
        found: dict[str, Answer] = {}
        async with started(self.command, lines.values(), self.timeout) as program:
            try:
                await self._read(program, lines, sample, found, progress)
                code = await program.exit_code()
            except ProgramSilentError:
                raise InterruptedRunError(
                    f"{self.command} wrote nothing for {self.timeout:g} s after {len(found)} of {len(lines)} "
                    f"items; {_GOES_ON} (--timeout waits longer)"
                ) from None
            except LineTooLongError:
                raise InputError(
                    f"{self.command} wrote a line of more than {LONGEST_LINE:,} bytes: write one short "
                    "object for each item"
                ) from None
            said = await program.last_message() if code else ""
        if code:
            raise InterruptedRunError(
                f"{self.command} ended with exit code {code} after {len(found)} of {len(lines)} items"
                f"{f': {said}' if said else ''}; {_GOES_ON}"
            )
        return found

    async def _read(
        self,
        program: ProgramProcess,
        lines: Mapping[str, str],
        sample: int,
        found: dict[str, Answer],
        progress: Progress | None,
    ) -> None:
        number = 0
        async for line in program.lines():
            number += 1
            answered = read_line(line, self.command, number)
            self._check(answered, lines, found)
            if not answered.is_error:
                key = self._key(lines[answered.id], sample)
                await self.ledger.record(key, _OWNER, Reply(answered.line))
            found[answered.id] = answered.answer
            if progress:
                progress(f"asking {self.command}", len(found), len(lines))

    def _check(self, answered: ProgramAnswer, lines: Mapping[str, str], found: Mapping[str, Answer]) -> None:
        if answered.id not in lines:
            raise InputError(
                f"{self.command} answered {answered.id!r}, which it was not asked: write the 'id' of the "
                "line that is answered"
            )
        if answered.id in found:
            raise InputError(f"{self.command} answered {answered.id!r} twice: write one line for each item")


def _content_hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()
    except OSError:
        return "unreadable"
