"""Time to import Semscale, to show its help, and to get the first ten ratings from the shell.

Run with ``python bench/startup.py``.
"""

import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path
from uuid import uuid4

from measuring import Options, machine, seconds, spread

BIN = Path(sys.executable).parent


def run(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def timed(command, turns):
    if turns > 1:
        run(command)
    return spread([seconds(lambda: run(command)) for _ in range(turns)])


def write_answers(path, liked):
    lines = [f"It is number {place} and I like {liked}." for place in range(10)]
    path.write_text("\n".join(["text", *lines]))


def timed_new(command, answers, turns):
    """Time a command on new answers, which no cache contains."""
    taken = []
    for _ in range(turns):
        write_answers(answers, uuid4().hex)
        taken.append(seconds(lambda: run(command)))
    return spread(taken)


def main():
    parser = Options(__doc__)
    parser.add_size("--turns", 9, quick=1, help="if several, one more comes first and does not count")
    turns = parser.parse_args().turns
    print(f"{date.today()}, {machine()}; whole processes, seconds")
    print("python -c pass:              ", timed([sys.executable, "-c", "pass"], turns))
    print("import semscale:             ", timed([sys.executable, "-c", "import semscale"], turns))
    print("semscale --help:             ", timed([str(BIN / "semscale"), "--help"], turns))
    print("to reach: import 0.5, help 0.4")
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.csv"
        write_answers(answers, "it")
        command = [str(BIN / "semscale"), "rate", str(answers), "--text", "text", "--scale", "quality"]
        print("first ten, warm cache:       ", timed(command, turns))
        print("ten new ones, anchors cached:", timed_new(command, answers, turns))
        print("first ten, without a cache:  ", timed([*command, "--no-cache"], turns))
        smaller = [*command, "--no-cache", "--embedder", "all-MiniLM-L6-v2"]
        print("the same with MiniLM:        ", timed(smaller, turns))
        print("to reach: e5-small, the default, 3.0")


if __name__ == "__main__":
    main()
