"""The program: its commands, help and version, and how it starts and ends."""

import os
import signal
import subprocess
import sys
import warnings

import pytest

from semscale.cli.describe import commands
from semscale.cli.main import program
from semscale.store import reading
from semscale.version import __version__


def test_version(semscale):
    ended = semscale("--version")
    assert (ended.code, ended.out, ended.err) == (0, f"semscale {__version__}\n", "")


def test_help_names_every_command(semscale):
    ended = semscale("--help")
    assert ended.code == 0
    for command in ("rate", "scales", "models", "config"):
        assert f" {command} " in ended.out


@pytest.mark.parametrize("command", ["rate", "scales", "models", "config"])
def test_every_command_has_help(semscale, command):
    ended = semscale(command, "--help")
    assert (ended.code, ended.err) == (0, "")
    assert f"semscale {command}" in ended.out


@pytest.mark.parametrize("arguments", [[], ["scales"]])
def test_no_command_is_answered_with_help(semscale, arguments):
    ended = semscale(*arguments)
    assert ended.code == 2
    assert "Commands" in ended.out + ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rat"], ["No such command 'rat'", "semscale --help"]),
        (["drift", "gat"], ["No such command 'gat'. Did you mean 'gate'? See semscale drift --help"]),
        (["rate"], ["Missing argument 'FILE'", "semscale rate --help"]),
        (["rate", "x.csv"], ["Missing option '--scale'"]),
        (["rate", "x.csv", "--text"], ["--text"]),
        (["rate", "x.csv", "y.csv", "--text", "a", "--scale", "b"], ["y.csv"]),
    ],
)
def test_wrong_usage_is_one_line(semscale, arguments, words):
    ended = semscale(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("semscale: ")
    assert ended.err.count("\n") == 1
    for word in words:
        assert word in ended.err


def test_a_warning_is_one_line(semscale, monkeypatch):

    def warn(*_, **__):
        warnings.warn("the cache is\nfull", UserWarning, stacklevel=1)
        raise KeyboardInterrupt

    monkeypatch.setattr(reading, "open_table", warn)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        ended = semscale("rate", "x.csv", "--text", "a", "--scale", "quality")
    assert ended.code == 3
    assert ended.err == (
        "semscale: warning: the cache is full\n"
        "semscale: stopped; the same command starts again, or continues after the finished parts of an "
        "earlier run\n"
    )


MOST_SHOWN = 13
"""Options and arguments that the short help of a command may show."""


def test_the_short_help_shows_what_the_job_needs_and_the_long_help_everything(semscale):
    for name, function in commands(program()):
        shown = [option.name for option in function.options if not option.option.rare]
        assert len(shown) <= MOST_SHOWN, name
    short, long = semscale("rate", "--help"), semscale("rate", "--help-all")
    assert ("--text" in short.out, "--text" in long.out) == (True, True)
    # A setting that all commands can have is rare where a command hardly needs it.
    assert ("--chat-model" in short.out, "--chat-model" in long.out) == (False, True)
    assert "--chat-model" in semscale("judge", "--help").out


def test_a_name_of_an_option_has_one_meaning():
    """Numbers, files and columns of one name would be different things."""
    kinds = {}
    for _, function in commands(program()):
        for option in function.options:
            if not option.option.positional:
                kind = "number" if option.type in (int, float) else "flag" if option.is_flag else "text"
                kinds.setdefault(option.name, set()).add(kind)
    assert {name: kind for name, kind in kinds.items() if len(kind) > 1} == {}


HEAVY = [
    "numpy",
    "polars",
    "openvino",
    "scipy",
    "resvg_py",
    "openai",
    "tokenizers",
    "jinja2",
    "yaml",
]


def test_help_loads_nothing_heavy():
    script = (
        "import sys; from semscale.cli.main import main; main(['--help']); main(['rate', '--help']);"
        "main(['judge', '--help']);"
        f"sys.exit(' '.join(name for name in {HEAVY} if name in sys.modules) or 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")


STOPPED = """
import importlib.util, os, signal, sys
spec = importlib.util.spec_from_file_location("loaded", sys.argv[1])
toy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(toy)
from semscale.cli import main
from semscale.embedding import loading
number, call = int(sys.argv[2]), int(sys.argv[3])

class Stopping(toy.ToyEmbedder):
    calls = 0
    def embed(self, texts, *, progress=None):
        self.calls += 1
        if self.calls == call:
            os.kill(os.getpid(), number)
        return super().embed(texts, progress=progress)

loading.load_embedder = lambda *_, **__: Stopping()
sys.argv = ["semscale", *sys.argv[4:]]
main.run()
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(os.name == "nt", reason="Windows delivers no signals to itself")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_middle_keeps_finished_parts_and_the_same_command_goes_on(
    semscale, tmp_path, pytestconfig, number
):
    (tmp_path / "answers.csv").write_text("text\n" + "".join(f"great thing {n}\n" for n in range(40)))
    conftest = str(pytestconfig.rootpath / "tests" / "conftest.py")
    rate = ["rate", "answers.csv", "--text", "text", "--scale", "quality", "--floor", "none"]
    rate += ["--part-rows", "10", "--out"]
    # The anchors are the first call, and the linter comes last, so the fifth call is the fourth part.
    command = [sys.executable, "-c", STOPPED, conftest, str(int(number)), "5", *rate, "rated.csv"]
    stopped = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert stopped.returncode == 3
    assert stopped.stdout == ""
    assert stopped.stderr == (
        "semscale: stopped: 30 rows are finished and stored in rated.csv.parts; "
        "the same command continues after them\n"
    )
    assert not (tmp_path / "rated.csv").exists()
    gone_on, whole = semscale(*rate, "rated.csv"), semscale(*rate, "whole.csv")
    assert (gone_on.code, whole.code) == (0, 0)
    assert (tmp_path / "rated.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    assert not (tmp_path / "rated.csv.parts").exists()
