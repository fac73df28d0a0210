"""How long it takes to import Semscale, to show its help, and from the shell to the first ten ratings."""

import os
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

from measuring import machine, seconds, spread

TURNS = 9
BIN = Path(sys.executable).parent


def timed(command, **settings):
    def run():
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **settings)

    run()
    return spread([seconds(run) for _ in range(TURNS)])


def main():
    print(f"{date.today()}, {machine()}; whole processes, seconds")
    print("python -c pass:         ", timed([sys.executable, "-c", "pass"]))
    print("import semscale:        ", timed([sys.executable, "-c", "import semscale"]))
    print("semscale --help:        ", timed([str(BIN / "semscale"), "--help"]))
    print("to reach: import 0.5, help 0.4")
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.csv"
        answers.write_text(
            "text\n" + "\n".join(f"It is number {place} and I like it." for place in range(10))
        )
        command = [str(BIN / "semscale"), "rate", str(answers), "--text", "text", "--scale", "quality"]
        print("first ten, warm cache:  ", timed(command))
        print("first ten, computed:    ", timed([*command, "--no-cache"], env=os.environ))


main()
