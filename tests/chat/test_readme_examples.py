"""The README's examples on the local model run as they are written."""

import re
import shlex
from pathlib import Path

import pytest

from semscale.cli.main import main

pytestmark = pytest.mark.needs("local")

ROOT = Path(__file__).parents[2]
COMMANDS = re.findall(
    r"^\$ (semscale .* --chat-model local)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
)


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_runs(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    arguments = [*shlex.split(command)[1:], "--ledger", str(tmp_path / "replies.sqlite")]
    assert main(arguments) == 0
    assert "signature: " in capsys.readouterr().out


def test_the_readme_has_both_examples():
    assert [command.split()[1] for command in COMMANDS] == ["consistency", "judge"]
