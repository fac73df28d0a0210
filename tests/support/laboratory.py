"""Undisturbed runs of the long commands, and folders in which they are disturbed."""

import shlex
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.commands import LongCommand, reply
from tests.support.endpoint import Endpoint
from tests.support.forking import Ended, Fault, Starter
from tests.support.traces import assert_sound, entries_of, files_in, outputs_of, plain, strays


@dataclass(frozen=True)
class Whole:
    """What an undisturbed run has left.

    Attributes:
        ended: how it ended.
        printed: what it printed, without ids.
        outputs: its files.
        entries: of the history.
        n_requests: how often it asked the chat model.
        folder: where it ran.
    """

    ended: Ended
    printed: str
    outputs: dict[str, bytes]
    entries: Counter
    n_requests: int
    folder: Path


class Trial:
    """A folder with a command's input, in which it runs once or more.

    Args:
        command: the command.
        folder: with its input.
        starter: starts it.
        endpoint: the chat model.
    """

    def __init__(self, command: LongCommand, folder: Path, starter: Starter, endpoint: Endpoint) -> None:
        self.command, self.folder = command, folder
        self._starter, self._endpoint = starter, endpoint
        self._given = files_in(folder)
        self._n_before = len(endpoint.requests)

    @property
    def n_requests(self) -> int:
        """How often the chat model has been asked here."""
        return len(self._endpoint.requests) - self._n_before

    def run(self, fault: Fault | None = None) -> Ended:
        """Run the command."""
        (ended,) = self.run_at_once([self.command], fault)
        return ended

    def run_at_once(self, commands: Sequence[LongCommand], fault: Fault | None = None) -> Sequence[Ended]:
        """Run several commands at once in this folder."""
        words = [command.words(self._endpoint.url) for command in commands]
        return self._starter.run_at_once(words, self.folder, fault)

    def left(self, ended: Ended) -> Whole:
        """Say what is there after a run."""
        printed = plain(ended.out.encode(), self.folder).decode()
        entries = entries_of(self.folder / "history.sqlite", drawn=self.command.adds)
        outputs = outputs_of(self.command, self.folder)
        return Whole(ended, printed, outputs, entries, self.n_requests, self.folder)

    def assert_as(self, whole: Whole, ended: Ended) -> None:
        """Check that a run has ended as an undisturbed one, with the same files, and left none but these.

        Args:
            whole: of the undisturbed run.
            ended: the last run.
        """
        left = self.left(ended)
        assert (ended.code, ended.err) == (whole.ended.code, whole.ended.err)
        assert_same(left.outputs, whole.outputs)
        assert strays(self.command, self.folder, self._given) == set()
        assert left.entries == whole.entries
        assert_sound(self.folder)
        assert left.printed == whole.printed


def assert_same(actual: Mapping[str, bytes], whole: Mapping[str, bytes]) -> None:
    """Check that files are equal byte for byte; a difference names the file and does not show it."""
    assert actual.keys() == whole.keys()
    assert [name for name, content in whole.items() if actual[name] != content] == []


class Laboratory:
    """Makes trials of commands.

    Args:
        root: folder for all of them.
        starter: starts the commands.
        endpoint: the chat model that they ask.
    """

    def __init__(self, root: Path, starter: Starter, endpoint: Endpoint) -> None:
        self._root, self._starter, self._endpoint = root, starter, endpoint
        self._wholes: dict[str, Whole] = {}
        self._n = 0
        endpoint.reply = reply

    def trial(self, command: LongCommand, within: Path | None = None) -> Trial:
        """Make a folder with the command's input.

        Args:
            command: the command.
            within: folder for it; by default that of all trials.
        """
        template = self._root / command.name
        if not template.exists():
            template.mkdir()
            command.prepare(template)
            for line in command.before:
                ended = self._starter.run(shlex.split(line), template)
                assert ended.code == 0, ended.err
        self._n += 1
        folder = (within or self._root) / f"trial-{self._n}"
        shutil.copytree(template, folder)
        return Trial(command, folder, self._starter, self._endpoint)

    def whole(self, command: LongCommand) -> Whole:
        """Run the command undisturbed, unless it has been."""
        if command.name not in self._wholes:
            self.trial(command).run()  # what it imports is imported once for all
            trial = self.trial(command)
            self._wholes[command.name] = trial.left(trial.run())
        return self._wholes[command.name]
