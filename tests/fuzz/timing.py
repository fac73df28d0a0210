"""Times readers in seconds of the processor, without instruments: ``timing.py FOLDER TARGET...`` prints JSON.

Measured are the slowest inputs that the exploration left in its folder, and each fixed input made long.
"""

import json
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.fuzz.explore import seconds_per_mb
from tests.fuzz.targets import TARGETS, Target

from semscale.errors import SemscaleError


def elapsed(target: Target, content: bytes) -> float:
    """Return the seconds per MB that a reader takes in the faster of two runs: the first may load modules."""
    rates = []
    for _ in range(2):
        started = time.process_time()
        with suppress(SemscaleError):
            (target.timed or target.read)(content)
        rates.append(seconds_per_mb(time.process_time() - started, len(content)))
    return min(rates)


def slowest(target: Target, folder: Path) -> float:
    """Return the highest seconds per MB of a target."""
    contents = [path.read_bytes() for path in folder.glob("*/slow-*")]
    contents += [target.grow(path.read_bytes()) for path in target.corpus]
    return max(elapsed(target, content) for content in contents)


if __name__ == "__main__":
    rates = {name: slowest(TARGETS[name], Path(sys.argv[1], name)) for name in sys.argv[2:]}
    print(json.dumps(rates))  # noqa: T201 - its parent reads this
