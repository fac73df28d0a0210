"""``python -m semscale`` is the program."""

import subprocess
import sys

from semscale.version import __version__


def test_python_runs_the_package():
    command = [sys.executable, "-m", "semscale", "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"semscale {__version__}\n", "")
