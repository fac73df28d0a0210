"""The outputs in the README and the files next to it are those of the program."""

import doctest
import re
import shlex
import shutil
from pathlib import Path

import pytest

from semscale.cli.main import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
START = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
DRIFT = (ROOT / "examples" / "drift" / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def beside_the_examples(tmp_path, monkeypatch):
    """Change to a folder with the examples and ``demo``, like a checkout after ``make demo``."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "demo").mkdir()
    monkeypatch.chdir(tmp_path)


def command(document: str, pattern: str) -> list[str]:
    (line,) = re.findall(rf"^\$ semscale ({pattern}.*)$", document, re.MULTILINE)
    return shlex.split(line)


def shown(document: str, name: str) -> str:
    return re.search(rf"<!-- checked: {name} -->\n```text\n(.*?)```", document, re.DOTALL)[1]


def without_versions(text: str) -> str:
    """Remove versions and the hash of a signature, which depends on them."""
    without_hash = re.sub(r"signature: [0-9a-f]{12}", "signature: HASH", text)
    return re.sub(r"(openvino-|py3langid-|semscale )[\d.]+", r"\1VERSION", without_hash).strip()


def without_ids_and_times(text: str) -> str:
    without_times = re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", "WHEN", without_versions(text))
    return re.sub(r"\b[0-9a-f]{8}([0-9a-f]{8})?\b", "ID", without_times)


def test_the_demo_prints_what_the_first_page_shows(beside_the_examples, capsys):
    arguments = command(START, "rate examples/product_reviews")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n\t  ", "")
    assert f"$(BIN)/semscale {shlex.join(arguments)}" in makefile
    assert main(arguments) == 0
    expected, actual = (
        f"{without_versions(text)}\n" for text in (shown(START, "demo"), capsys.readouterr().out)
    )
    # "..." on the page stands for lines that it leaves out.
    assert doctest.OutputChecker().check_output(expected, actual, doctest.ELLIPSIS), actual


def test_the_drift_gate_prints_what_the_example_shows(beside_the_examples, capsys):
    lines = re.findall(
        r"^\$ semscale (drift .*)$", DRIFT.partition("## What the gate prints")[0], re.MULTILINE
    )
    codes = []
    for line in lines[:4]:
        capsys.readouterr()
        codes.append(main(shlex.split(line)))
    assert codes == [0, 0, 0, 1]
    printed = capsys.readouterr().out
    assert without_ids_and_times(printed) == without_ids_and_times(shown(DRIFT, "drift"))


def test_the_python_example_prints_what_the_readme_shows(capsys):
    code, output = re.search(
        r"<!-- checked: python -->\n```python\n(.*?)```\n\n```text\n(.*?)```", README, re.DOTALL
    ).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert without_versions(capsys.readouterr().out) == without_versions(output)


@pytest.mark.parametrize(
    "command", re.findall(r"^\$ semscale (\w+(?: [\w-]+)?)", README + START, re.MULTILINE)
)
def test_every_command_that_is_shown_exists(command, capsys):
    arguments = command.split()[: 2 if command.split()[0] in {"scales", "models", "cache", "drift"} else 1]
    assert main([*arguments, "--help-all"]) == 0
    assert "Usage" in capsys.readouterr().out


def test_the_readme_has_at_most_130_lines():
    assert len(README.splitlines()) <= 130


@pytest.mark.parametrize(
    "document",
    ["README.md", "CONTRIBUTING.md", *sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/*.md"))],
)
def test_every_link_to_a_file_or_a_heading_leads_somewhere(document):
    path = ROOT / document
    broken = []
    for target in re.findall(r"\]\(((?!http)[^)\s]+)\)", path.read_text(encoding="utf-8")):
        name, _, heading = target.partition("#")
        file = path.parent / name if name else path
        if file.parent.name == "tutorials":
            file = file.with_suffix(".ipynb")  # `make docs` writes the page
        if not file.exists() or (heading and heading not in headings(file)):
            broken.append(target)
    assert broken == []


def headings(path: Path) -> set[str]:
    """Return the anchors that GitHub creates from a page's headings."""
    titles = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
