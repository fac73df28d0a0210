"""What the examples of drift show can be typed, and does what they say."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("examples/drift/README.md", "examples/drift/github-workflow.yml")


def commands(name):
    """Every command line of a document, joined where it goes on in the next line."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"^[\s$]*(?:run: )?(semscale drift .*)$", text, re.MULTILINE)
    return [re.split(r" \|\| | > ", line)[0] for line in lines]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_documented_options_exist(semscale, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "200")
    shown = commands(name)
    assert shown
    for command in shown:
        arguments = shlex.split(command)
        described = semscale(*arguments[1:3], "--help-all")
        assert described.code == 0, command
        known = set(re.findall(r"--[\w-]+", described.out))
        assert {word for word in arguments if word.startswith("--")} - known == set(), command


def test_the_example_does_what_its_readme_describes(semscale, monkeypatch, tmp_path):
    text = (ROOT / "examples/drift/README.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\$ (semscale drift .*)$", text.split("## In GitHub")[0], re.MULTILINE)
    shutil.copytree(ROOT / "examples" / "drift", tmp_path / "examples" / "drift")
    monkeypatch.chdir(tmp_path)
    ended = [semscale(*shlex.split(line)[1:]) for line in lines]
    assert [run.code for run in ended] == [0, 0, 0, 1, 0, 0, 0], [run.err for run in ended]
