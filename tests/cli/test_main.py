"""The program: its commands, help and version, and how it starts and ends."""

import os
import shlex
import signal
import subprocess
import sys
import warnings

import pytest

from semscale.cli.main import program
from semscale.store import reading
from semscale.version import __version__
from settings_page import commands


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
    ("arguments", "messages"),
    [
        (["rat"], ["No such command 'rat'", "semscale --help"]),
        (["drift", "gat"], ["No such command 'gat'. Did you mean 'gate'? See semscale drift --help"]),
        (["rate", "x.csv", "--text"], ["--text needs a value; see semscale rate --help"]),
        (["rate", "x.csv", "y.csv", "--text", "a", "--scale", "b"], ["y.csv"]),
    ],
)
def test_wrong_usage_prints_a_single_line(semscale, arguments, messages):
    ended = semscale(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("semscale: ")
    assert ended.err.count("\n") == 1
    for word in messages:
        assert word in ended.err


MATCH = "semscale match answers.csv --prediction answer --reference expected"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["match", "x.csv"], f"--prediction is missing; for example: {MATCH}"),
        (["match", "--prediction=a"], f"FILE is missing; for example: {MATCH}"),
        (["match"], f"FILE and --prediction are missing; for example: {MATCH}"),
        (
            ["match", "x.csv", "--predictions", "a"],
            "--prediction is missing (did you mean --prediction instead of --predictions?); for example: "
            + MATCH,
        ),
        (
            ["judge", "x.csv", "--json"],
            "--prompt and --answer are missing; for example: semscale judge answers.csv --prompt question "
            "--answer answer --chat-model gpt-4o-mini",
        ),
        (
            ["study", "compare", "answers"],
            "HUMAN is missing; for example: semscale study compare study-results people.csv --concept "
            "concept --by age",
        ),
    ],
)
def test_missing_options_are_named_with_an_example(semscale, arguments, message):
    ended = semscale(*arguments)
    assert (ended.code, ended.out, ended.err) == (2, "", f"semscale: {message}\n")


@pytest.mark.exhaustive
def test_commands_with_required_options_have_a_valid_example(semscale):
    examples = {}
    for name, command in commands(program()):
        if any(option.info.is_required() for option in command.options):
            examples[name] = semscale(*name.split()[1:]).err.split("for example: ")[1]
    assert len(examples) > 15
    for name, example in examples.items():
        assert example.startswith(f"{name} ")
        program().parse_args(shlex.split(example)[1:], exit_on_error=False, print_error=False)


def test_a_warning_prints_a_single_line(semscale, monkeypatch):

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


def test_the_short_help_shows_common_options_and_the_long_help_all(semscale):
    for name, function in commands(program()):
        shown = [option.name for option in function.options if not option.option.rare]
        assert len(shown) <= MOST_SHOWN, name
    short, long = semscale("rate", "--help"), semscale("rate", "--help-all")
    assert ("--text" in short.out, "--text" in long.out) == (True, True)
    # A setting that all commands can have is rare where a command hardly needs it.
    assert ("--chat-model" in short.out, "--chat-model" in long.out) == (False, True)
    assert "--chat-model" in semscale("judge", "--help").out


def test_an_option_name_has_the_same_meaning_everywhere():
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
def test_a_signal_keeps_finished_parts_and_the_same_command_continues(
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
