"""The layout of the code: no modules import each other in a circle, and the workbench has little script."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src"


def module_name(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def running(node):
    """Yield all nodes below a node that run; blocks under ``if TYPE_CHECKING`` do not."""
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield child
            yield from running(child)


def imported(tree, modules):
    """Return the modules that a file imports, at its top or inside functions, except for annotations only."""
    for node in running(tree):
        if isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


@pytest.mark.exhaustive
def test_modules_have_no_circular_imports():
    paths = {module_name(path): path for path in SOURCE.rglob("*.py")}
    graph = {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")), paths)) - {name}
        for name, path in paths.items()
    }
    assert "semscale.errors" in graph["semscale.messages"]
    # Raises CycleError with the modules of a circle.
    assert len(list(TopologicalSorter(graph).static_order())) == len(paths)


def test_the_workbench_has_less_than_400_lines_of_its_own_script():
    paths = (SOURCE / "semscale" / "workbench" / "static").glob("*.js")
    lines = {
        path.name: len(path.read_text(encoding="utf-8").splitlines())
        for path in paths
        if path.name != "htmx.min.js"
    }
    assert "workbench.js" in lines
    assert sum(lines.values()) < 400, lines
