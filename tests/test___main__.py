"""``python -m semscale`` is the program."""

import subprocess
import sys

import pytest

from semscale.version import __version__


def run(*arguments):
    command = [sys.executable, "-m", "semscale", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_python_runs_the_package():
    ended = run("--version")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"semscale {__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("drift", "gate"),
            "CANDIDATE is missing; for example: python -m semscale drift gate new.jsonl",
        ),
        (("--nope",), "No such option: --nope; see python -m semscale --help"),
    ],
)
@pytest.mark.exhaustive
def test_a_refusal_names_the_help_as_it_can_be_asked_for(arguments, said):
    ended = run(*arguments)
    assert (ended.returncode, ended.stderr) == (2, f"semscale: {said}\n")


@pytest.mark.exhaustive
def test_the_help_names_the_program_as_called():
    assert "Usage: python -m semscale drift gate " in run("drift", "gate", "--help").stdout
