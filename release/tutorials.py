"""Run the tutorials, which are notebooks, and write them as pages for the site.

    python release/tutorials.py run      run each notebook and store its outputs
    python release/tutorials.py pages    write docs/tutorials/NAME.md from the stored outputs

A notebook runs in an empty folder with a copy of ``examples/``. Running needs the
dependency group ``tutorials``.
"""

import json
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
TUTORIALS = ROOT / "docs" / "tutorials"
_SHELL = "%%sh\n"
_ENVIRONMENT = {
    "COLUMNS": "100",
    "NO_COLOR": "1",
    "POLARS_FMT_STR_LEN": "60",
    "POLARS_FMT_TABLE_HIDE_DATAFRAME_SHAPE_INFORMATION": "1",
}


def notebooks() -> list[Path]:
    """Return the files of all tutorials."""
    return sorted(TUTORIALS.glob("*.ipynb"))


def run(path: Path) -> "NotebookNode":
    """Run a notebook in a new folder, and return it with its outputs, without progress on standard error."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **_ENVIRONMENT, "PATH": programs}
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "examples", Path(folder) / "examples")
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=600, coalesce_streams=True, resources=resources)
        client.execute(env=environment)
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def store(path: Path) -> None:
    """Run a notebook, and write it with its outputs."""
    import nbformat

    path.write_text(nbformat.writes(run(path)) + "\n", encoding="utf-8")


def printed(cell: dict[str, Any]) -> str:
    """Return the text that a code cell prints or shows."""
    parts = (output.get("text", output.get("data", {}).get("text/plain", "")) for output in cell["outputs"])
    return "".join(part if isinstance(part, str) else "".join(part) for part in parts).strip("\n")


def page(path: Path) -> str:
    """Return a notebook as a page in Markdown."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    blocks = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            blocks.append(source)
            continue
        if source.startswith(_SHELL):
            commands = re.sub(r"^(?=\S)", "$ ", source.removeprefix(_SHELL), flags=re.MULTILINE)
            blocks.append(f"```console\n{commands}\n```")
        else:
            blocks.append(f"```python\n{source}\n```")
        if output := printed(cell):
            blocks.append(f"```text\n{output}\n```")
    return "\n\n".join(blocks) + "\n"


def write_pages() -> None:
    """Write each tutorial as Markdown for the site, into the folder of its notebook."""
    for path in notebooks():
        path.with_suffix(".md").write_text(page(path), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["pages"]:
        write_pages()
    else:
        for notebook_path in notebooks():
            store(notebook_path)
