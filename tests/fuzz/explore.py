"""Looks for inputs that break one reader: guided by coverage where Atheris is installed, else by Hypothesis.

``found.json`` in its folder has counts, and beside it is an input for each way in which the reader broke.
``current`` is the input under work, for the case that a reader takes the process down.
"""

import contextlib
import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fuzz.targets import Target

MEMORY = 8 << 30
"""Bytes of address space that a reader may take."""
IS_GUIDED = find_spec("atheris") is not None
"""Whether Atheris is installed."""
PLAIN = 0.3
"""Share of inputs that libFuzzer changes its own way, without knowing their structure."""
_SLOWEST = 5
_LEAST = 100_000
"""Bytes that a short input counts as: what any input costs is not counted for each of its few bytes."""


def seconds_per_mb(seconds: float, size: int) -> float:
    return seconds * 1e6 / max(size, _LEAST)


@dataclass
class Findings:
    """Counts of one exploration, written to its folder every second.

    Attributes:
        folder: where they are written.
        cases: inputs that were tried.
        broken: for each way in which the reader broke, the name of the input's file.
        slowest: seconds per MB and file of the slowest inputs.
    """

    folder: Path
    cases: int = 0
    broken: dict[str, str] = field(default_factory=dict)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    written: float = 0.0

    def broke(self, error: BaseException, content: bytes) -> None:
        where = next(
            (f"{frame.name} in {Path(frame.filename).name}" for frame in _package_frames(error)),
            "an unknown place",
        )
        way = f"{type(error).__name__} from {where}"
        if way not in self.broken:
            self.broken[way] = self._save(content, f"broken-{len(self.broken)}")

    def took(self, seconds: float, content: bytes) -> None:
        self.cases += 1
        rate = seconds_per_mb(seconds, len(content))
        if len(self.slowest) < _SLOWEST or rate > self.slowest[-1][0]:
            self.slowest.append((rate, self._save(content, f"slow-{self.cases}")))
            self.slowest.sort(reverse=True)
            for _, name in self.slowest[_SLOWEST:]:
                (self.folder / name).unlink()
            del self.slowest[_SLOWEST:]
        if time.monotonic() > self.written + 1:
            self.write()

    def write(self) -> None:
        shown = {"cases": self.cases, "broken": self.broken, "slowest": self.slowest}
        fresh = self.folder / "found.json.part"
        fresh.write_text(json.dumps(shown))
        fresh.replace(self.folder / "found.json")
        self.written = time.monotonic()

    def _save(self, content: bytes, name: str) -> str:
        (self.folder / name).write_bytes(content)
        return name


def _package_frames(error: BaseException):
    frames = traceback.extract_tb(error.__traceback__)
    return (frame for frame in reversed(frames) if f"{os.sep}semscale{os.sep}" in frame.filename)


def trying(read: Callable[[bytes], object], findings: Findings, until: float) -> Callable[[bytes], None]:
    """Make the function that tries one input; when the time is over it writes what was found and ends."""
    from semscale.errors import SemscaleError

    current = findings.folder / "current"

    def try_input(content: bytes) -> None:
        if time.monotonic() > until:
            findings.write()
            current.unlink(missing_ok=True)
            sys.stdout.flush()
            os._exit(0)  # libFuzzer would not return
        current.write_bytes(content)
        started = time.process_time()
        try:
            read(content)
        except SemscaleError:
            pass
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            findings.broke(error, content)
        findings.took(time.process_time() - started, content)

    return try_input


def load_targets() -> "dict[str, Target]":
    """Import all readers, with counters for the code that an input reaches where Atheris is installed."""
    if not IS_GUIDED:
        from tests.fuzz.targets import TARGETS

        return TARGETS
    import atheris

    with atheris.instrument_imports(include=["semscale", "yaml"]):
        from tests.fuzz.targets import TARGETS
    return TARGETS


def explore(target: "Target", seconds: float, folder: Path) -> None:
    """Try inputs for some seconds, then end the process."""
    with contextlib.suppress(ValueError):  # a lower limit that stands already
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    try_input = trying(target.read, Findings(folder), time.monotonic() + seconds)
    (guided if IS_GUIDED else unguided)(target, try_input, folder)


def guided(target: "Target", try_input: Callable[[bytes], None], folder: Path) -> None:
    """Explore with Atheris: it keeps inputs that reach new code, and changes those."""
    import atheris

    def change(content: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < PLAIN:
            return atheris.Mutate(content, most)
        return target.changed(content, random)[:most]

    corpus = folder / "corpus"
    corpus.mkdir()
    options = ["-max_len=20000", "-timeout=60", "-rss_limit_mb=0", f"-artifact_prefix={folder}/"]
    atheris.Setup(["fuzz", *options, str(corpus), str(target.folder)], try_input, custom_mutator=change)
    atheris.Fuzz()


def unguided(target: "Target", try_input: Callable[[bytes], None], _: Path) -> None:
    """Explore with Hypothesis alone, which draws changes of fixed inputs without looking at coverage."""
    from hypothesis import HealthCheck, given, seed, settings
    from tests.fuzz.drawing import inputs

    checks = list(HealthCheck)
    for number in range(sys.maxsize):
        test = given(inputs(target))(try_input)
        rules = settings(max_examples=500, deadline=None, database=None, suppress_health_check=checks)
        rules(seed(number)(test))()
