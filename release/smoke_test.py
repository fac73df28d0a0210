"""Tests the built wheel as a new user would run it: in a new environment, without the checkout.

``python release/smoke_test.py [FOLDER] [--python VERSION]...``: uv installs the wheel in FOLDER (``dist``)
for each version of Python on this machine, and its commands run the demo and rate a file. The model comes
only from the wheel of weights in FOLDER.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = ("3.11", "3.12", "3.13")
REVIEWS = 300  # in the demo
ANSWERS = """text
I love it and would buy it again at once.
It is neither good nor bad.
It broke on the first day and nobody helped me.
""
"""


class Environment:
    """A new virtual environment with the wheel and its dependencies, created by uv.

    Args:
        python: version or path of a Python on this machine.
        wheels: folder with the wheel of Semscale and the wheel of the weights.
        folder: existing folder for the environment and the files of the commands; the model, which all
            environments share, is beside it.
    """

    def __init__(self, python: str, wheels: Path, folder: Path) -> None:
        self.folder = folder
        self.variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
            "SEMSCALE_CACHE": str(folder.parent / "cache"),
            "HF_HUB_OFFLINE": "1",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": wheels.resolve().as_uri(),
            "PYTHONUTF8": "1",
        }
        (wheel,) = wheels.glob("semscale-*.whl")
        uv = (sys.executable, "-m", "uv", "--quiet")
        environment = str(folder / "environment")
        self.run(*uv, "venv", "--no-python-downloads", "--python", python, environment)
        self.run(*uv, "pip", "install", "--python", environment, str(wheel.resolve()))
        self.version = wheel.name.split("-")[1]
        self.program = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "semscale"

    def semscale(self, *arguments: str) -> str:
        """Run a command of the installed program and return its output."""
        return self.run(str(self.program), *arguments)

    def run(self, *command: str) -> str:
        """Run a program in the folder and return its output.

        Raises:
            SystemExit: the program failed; its output is shown.
        """
        done = subprocess.run(
            command, cwd=self.folder, env=self.variables, capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout


def smoke_test(environment: Environment) -> None:
    """Run the demo, and rate a file of three answers and a missing one.

    Raises:
        SystemExit: a command failed or its results are wrong.
    """
    version = environment.semscale("--version").strip()
    _check(version.endswith(environment.version), f"the program is {version}")

    environment.semscale("demo", "--no-open", "--out", "demo")
    _check(len(_rows(environment.folder / "demo" / "ratings.csv")) == REVIEWS, "the demo lacks ratings")
    page = (environment.folder / "demo" / "report.html").read_text(encoding="utf-8")
    _check(page.lower().startswith("<!doctype html") and "<svg" in page, "the demo's report has no chart")

    (environment.folder / "answers.csv").write_text(ANSWERS, encoding="utf-8")
    options = ("--text", "text", "--scale", "satisfaction", "--out", "rated.csv")
    environment.semscale("rate", "answers.csv", *options)
    rows = _rows(environment.folder / "rated.csv")
    statuses = [row["semscale_status"] for row in rows]
    _check(statuses == ["scored", "scored", "scored", "missing"], f"statuses are {statuses}")
    *ratings, unrated = [row["semscale_mean"] for row in rows]
    good, middling, bad = map(float, ratings)
    _check(bad < middling < good, f"the ratings are {good}, {middling} and {bad}")
    _check(unrated == "", f"a missing answer has the rating {unrated}")


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _check(condition: bool, problem: str) -> None:
    if not condition:
        raise SystemExit(problem)


def is_available(python: str) -> bool:
    """Tell whether uv finds a version of Python on this machine."""
    find = (sys.executable, "-m", "uv", "python", "find", "--no-python-downloads", python)
    return subprocess.run(find, capture_output=True, check=False).returncode == 0


def main() -> int:
    """Test the wheel with each Python, and fail if there is none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="dist", type=Path)
    parser.add_argument("--python", action="append", help="version or path of a Python; may be repeated")
    chosen = parser.parse_args()
    os.environ["PYENV_VERSION"] = ":".join(VERSIONS)  # pyenv hides the versions that are not active
    pythons = chosen.python or VERSIONS
    available = [python for python in pythons if is_available(python)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        for python in available:
            folder = Path(tempfile.mkdtemp(dir=temporary))
            smoke_test(Environment(python, chosen.folder, folder))
            sys.stdout.write(f"Python {python}: the demo and a file were rated\n")
    for python in set(pythons) - set(available):
        sys.stdout.write(f"Python {python}: not on this machine\n")
    return 0 if available else 1


if __name__ == "__main__":
    sys.exit(main())
