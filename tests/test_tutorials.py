"""The tutorials run from the first cell to the last, and print their stored outputs."""

import re
from pathlib import Path

import pytest
from tests.test_readme import without_ids_and_times

import tutorials

ROOT = Path(__file__).parent.parent


@pytest.mark.exhaustive
@pytest.mark.needs("local")
@pytest.mark.parametrize("path", tutorials.notebooks(), ids=lambda path: path.stem)
def test_tutorials_print_the_shown_output(path):
    nbformat = pytest.importorskip("nbformat", reason="pip install --group tutorials")
    pytest.importorskip("nbclient", reason="pip install --group tutorials")
    shown = nbformat.read(path, as_version=4)
    for before, after in zip(shown.cells, tutorials.run(path).cells, strict=True):
        if before.cell_type == "code":
            shorten = _row_names if "--chat-model local" in before.source else without_ids_and_times
            expected, actual = (shorten(tutorials.printed(cell)) for cell in (before, after))
            assert actual == expected, before.source


def _row_names(table):
    """Return the first column of a table: a model on this machine replies otherwise on other processors."""
    return [re.split(r" {2,}", line.strip())[0] for line in table.splitlines() if not line.startswith(" ")]


def test_a_page_shows_commands_code_and_output(tmp_path):
    notebook = """{"cells": [
        {"cell_type": "markdown", "source": ["# Title\\n", "Text."]},
        {"cell_type": "code", "source": ["%%sh\\n", "semscale rate a.csv\\n", "head a.csv"], "outputs": [
            {"output_type": "stream", "text": ["first\\n"]},
            {"output_type": "stream", "text": ["second\\n"]}]},
        {"cell_type": "code", "source": ["1 + 1"], "outputs": [
            {"output_type": "execute_result", "data": {"text/plain": ["2"]}}]},
        {"cell_type": "code", "source": ["x = 1"], "outputs": []}
    ]}"""
    path = tmp_path / "a.ipynb"
    path.write_text(notebook, encoding="utf-8")
    assert tutorials.page(path) == (
        "# Title\nText.\n\n"
        "```console\n$ semscale rate a.csv\n$ head a.csv\n```\n\n```text\nfirst\nsecond\n```\n\n"
        "```python\n1 + 1\n```\n\n```text\n2\n```\n\n"
        "```python\nx = 1\n```\n"
    )


def test_all_tutorials_are_pages_of_the_site():
    navigation = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    assert tutorials.notebooks()
    assert all(f'"tutorials/{path.stem}.md"' in navigation for path in tutorials.notebooks())
