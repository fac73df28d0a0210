"""Tests the built wheel as a new user would run it: in a new environment, without the checkout.

``python release/smoke_test.py [FOLDER] [--python VERSION]...``: uv installs the wheel in FOLDER (``dist``)
for each version of Python on this machine, and its commands run the demo and rate a file. The model comes
only from the wheel of weights in FOLDER. uv then installs the wheel as a tool in an empty home, and the tool
opens the workbench.
"""

import argparse
import csv
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urljoin

VERSIONS = ("3.11", "3.12", "3.13")
REVIEWS = 300  # in the demo
UV = (sys.executable, "-m", "uv")
ANSWERS = """text
I love it and would buy it again at once.
It is neither good nor bad.
It broke on the first day and nobody helped me.
""
"""

_LONGEST = 120  # seconds until the workbench must show a page
_SECONDS_TO_END = 10
_TRIES, _PAUSE = 100, 0.1  # while the workbench reads the example
_OF_SYSTEM = (
    "PATH",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "PATHEXT",
    "TEMP",
    "TMP",
    "SSL_CERT_FILE",
)


class Program:
    """An installed Semscale, its working folder, and the environment variables of its commands.

    Args:
        command: how the program is called.
        folder: existing folder in which commands run.
        variables: all environment variables.
        version: the version that the program should have.
    """

    def __init__(self, command: Sequence[str], folder: Path, variables: dict[str, str], version: str) -> None:
        self.command, self.folder, self.variables, self.version = command, folder, variables, version

    def semscale(self, *arguments: str) -> str:
        """Run a command of the program and return its output."""
        return self.run(*self.command, *arguments)

    def run(self, *command: str) -> str:
        """Run any program in the folder and return its output.

        Raises:
            SystemExit: the program failed; its output is shown.
        """
        done = subprocess.run(
            command, cwd=self.folder, env=self.variables, capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def first_page(self, *arguments: str) -> tuple[str, float]:
        """Start the workbench, and end it when it has shown a page.

        Returns:
            The first page, and the seconds from the start until it was there.

        Raises:
            SystemExit: the program ended, or there was no page within two minutes.
        """
        command = (*self.command, *arguments)
        started = time.monotonic()
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            start_new_session=True,
        ) as process:
            watchdog = threading.Timer(_LONGEST, _end, (process,))
            watchdog.start()
            try:
                lines = iter(process.stderr or ())
                address = next((line.split()[-1] for line in lines if "/?token=" in line), None)
                if address is None:
                    raise SystemExit(f"{' '.join(command)}: no address of the workbench")
                return _page(address), time.monotonic() - started
            finally:
                watchdog.cancel()
                _end(process)


class Environment(Program):
    """A new virtual environment with the wheel and its dependencies, created by uv.

    Args:
        python: version or path of a Python on this machine.
        wheels: folder with the wheel of Semscale and the wheel of the weights.
        folder: existing folder for the environment and the files of the commands; the model, which all
            environments share, is beside it.
    """

    def __init__(self, python: str, wheels: Path, folder: Path) -> None:
        (wheel,) = wheels.glob("semscale-[0-9]*.whl")
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
            "SEMSCALE_CACHE": str(folder.parent / "cache"),
            "HF_HUB_OFFLINE": "1",
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": wheels.resolve().as_uri(),
            "PYTHONUTF8": "1",
        }
        program = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "semscale"
        super().__init__((str(program),), folder, variables, wheel.name.split("-")[1])
        environment = str(folder / "environment")
        self.run(*UV, "venv", "--no-python-downloads", "--python", python, environment)
        self.run(*UV, "pip", "install", "--python", environment, str(wheel.resolve()))


class Tool(Program):
    """Semscale with the workbench, installed by ``uv tool install`` in an empty home.

    Args:
        python: version or path of a Python on this machine.
        wheels: folder with the wheel of Semscale.
        home: existing empty folder, the home of a user; downloaded packages are this user's.
    """

    def __init__(self, python: str, wheels: Path, home: Path) -> None:
        (wheel,) = wheels.glob("semscale-[0-9]*.whl")
        cache, python = (
            subprocess.run((*UV, *question), capture_output=True, encoding="utf-8", check=True).stdout.strip()
            for question in (("cache", "dir"), ("python", "find", "--no-python-downloads", python))
        )
        variables = {name: os.environ[name] for name in _OF_SYSTEM if name in os.environ} | {
            "HOME": str(home),
            "USERPROFILE": str(home),
            "UV_CACHE_DIR": cache,
            "UV_PYTHON": python,
            "UV_PYTHON_DOWNLOADS": "never",
        }
        program = home / ".local" / "bin" / "semscale"
        super().__init__((str(program),), home, variables, wheel.name.split("-")[1])
        # By its path, as the name may be another's on the index.
        self.requirement = f"semscale[workbench] @ {wheel.resolve().as_uri()}"
        self.run(*UV, "tool", "install", self.requirement)


def tool_test(tool: Tool) -> None:
    """Open the workbench by the installed tool, and by ``uvx``.

    Raises:
        SystemExit: there is no first page.
    """
    _check(tool.semscale("--version").strip().endswith(tool.version), "the tool has another version")
    without_installing = (*UV, "tool", "run", "--from", tool.requirement, "semscale")
    for command in (tool.command, without_installing):
        opened = Program(command, tool.folder, tool.variables, tool.version)
        page, _ = opened.first_page("open", "--no-browser")
        check_page(page)


def check_page(page: str) -> None:
    """Check that the workbench shows the example.

    Raises:
        SystemExit: it does not.
    """
    _check("devices.csv" in page, "the workbench does not show the example")


def smoke_test(environment: Program) -> None:
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


def _page(address: str) -> str:
    """Open the address in a browser without JavaScript, and return the page of the example."""
    direct = urllib.request.ProxyHandler({})
    browser = urllib.request.build_opener(direct, urllib.request.HTTPCookieProcessor())
    page = ""
    for path in (address, *[urljoin(address, "/data")] * _TRIES):
        with browser.open(path, timeout=_LONGEST) as answer:
            page = answer.read().decode()
        if path != address and "Reading the file" not in page:
            break
        time.sleep(_PAUSE)
    return page


def _end(process: subprocess.Popen) -> None:
    """End a program, which has a session of its own, and those that it started."""
    if process.poll() is not None:
        return
    if os.name == "nt":
        subprocess.run(("taskkill", "/T", "/F", "/PID", str(process.pid)), capture_output=True, check=False)
        return
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(_SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)


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
        for python in available[:1]:
            tool_test(Tool(python, chosen.folder, Path(tempfile.mkdtemp(dir=temporary))))
            sys.stdout.write("uv tool install and uvx: the workbench showed its first page\n")
    for python in set(pythons) - set(available):
        sys.stdout.write(f"Python {python}: not on this machine\n")
    return 0 if available else 1


if __name__ == "__main__":
    sys.exit(main())
