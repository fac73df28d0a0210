"""How long it takes to import Semscale, to show its help, and from the shell to the first ten ratings.

Run with ``python bench/startup.py``.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from measuring import machine, seconds, spread

BIN = Path(sys.executable).parent


def timed(command, turns, **settings):
    def run():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **settings)

    run()
    return spread([seconds(run) for _ in range(turns)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=9)
    turns = parser.parse_args().turns
    print(f"{date.today()}, {machine()}; whole processes, seconds")
    print("python -c pass:         ", timed([sys.executable, "-c", "pass"], turns))
    print("import semscale:        ", timed([sys.executable, "-c", "import semscale"], turns))
    print("semscale --help:        ", timed([str(BIN / "semscale"), "--help"], turns))
    print("to reach: import 0.5, help 0.4")
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.csv"
        answers.write_text(
            "text\n" + "\n".join(f"It is number {place} and I like it." for place in range(10))
        )
        command = [str(BIN / "semscale"), "rate", str(answers), "--text", "text", "--scale", "quality"]
        print("first ten, warm cache:  ", timed(command, turns))
        print("first ten, computed:    ", timed([*command, "--no-cache"], turns, env=os.environ))
        larger = [*command, "--no-cache", "--model", "e5-small"]
        print("the same with e5-small: ", timed(larger, turns, env=os.environ))
        print("to reach: e5-small 3.0")


if __name__ == "__main__":
    main()
