"""What the README shows is what the program prints."""

import re
import shlex
from pathlib import Path

import pytest

from semscale.cli.main import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def without_versions(text: str) -> str:
    return re.sub(r"(openvino-|py3langid-|semscale )[\d.]+", r"\1VERSION", text).strip()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_demo_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    (line,) = re.findall(r"^\$ (semscale rate examples/product_reviews.*)$", README, re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n\t  ", "")
    assert line in makefile.replace("$(BIN)/", "")
    monkeypatch.chdir(ROOT)
    code = main([word.replace("demo/", f"{tmp_path}/") for word in shlex.split(line)[1:]])
    assert code == 0
    printed = capsys.readouterr().out.replace(f"{tmp_path}/", "demo/")
    shown = re.search(r"<!-- checked: demo -->\n```text\n(.*?)```", README, re.DOTALL)[1]
    assert without_versions(printed) == without_versions(shown)


def test_the_match_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    (line,) = re.findall(r"^\$ (semscale match examples/.*)$", README, re.MULTILINE)
    monkeypatch.chdir(ROOT)
    assert main([word.replace("demo/", f"{tmp_path}/") for word in shlex.split(line)[1:]]) == 0
    printed = capsys.readouterr().out.replace(f"{tmp_path}/", "demo/")
    shown = re.search(r"<!-- checked: match -->\n```text\n(.*?)```", README, re.DOTALL)[1]
    assert without_versions(printed) == without_versions(shown)


def without_ids_and_times(text: str) -> str:
    without_times = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "WHEN", without_versions(text))
    return re.sub(r"\b[0-9a-f]{8}([0-9a-f]{8})?\b", "ID", without_times)


@pytest.mark.needs("history")
def test_the_drift_gate_prints_what_the_readme_shows(tmp_path, monkeypatch, capsys):
    lines = re.findall(r"^\$ (semscale drift .*examples/.*|semscale drift approve .*)$", README, re.MULTILINE)
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("SEMSCALE_HISTORY", str(tmp_path / "history.sqlite"))
    codes = []
    for line in lines:
        capsys.readouterr()
        codes.append(main([word.replace("demo/", f"{tmp_path}/") for word in shlex.split(line)[1:]]))
    assert codes == [0, 0, 0, 1]
    printed = capsys.readouterr().out.replace(f"{tmp_path}/", "demo/")
    shown = re.search(r"<!-- checked: drift -->\n```text\n(.*?)```", README, re.DOTALL)[1]
    assert without_ids_and_times(printed) == without_ids_and_times(shown)


def test_the_python_example_prints_what_the_readme_shows(capsys):
    code, shown = re.search(
        r"<!-- checked: python -->\n```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL
    ).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert without_versions(capsys.readouterr().out) == without_versions(shown)


@pytest.mark.parametrize("command", re.findall(r"^\$ semscale (\w+(?: [\w-]+)?)", README, re.MULTILINE))
def test_every_command_that_is_shown_exists(command, capsys):
    words = command.split()[: 2 if command.split()[0] in {"scales", "models", "cache", "drift"} else 1]
    assert main([*words, "--help"]) == 0
    assert "Usage" in capsys.readouterr().out


def test_every_link_to_a_file_leads_somewhere():
    targets = re.findall(r"\]\(((?!http)[^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []
