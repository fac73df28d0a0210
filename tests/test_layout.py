"""The layout of the code: imports without circles, one class for a name, and a test file for each module."""

import ast
import re
from collections import defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src"
PACKAGE = SOURCE / "semscale"


def module_name(path):
    parts = path.relative_to(SOURCE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree, modules):
    """Modules that a file imports anywhere: at its top, inside functions, and for annotations alone."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in modules:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in modules else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)


def test_no_modules_import_each_other_in_a_circle():
    paths = {module_name(path): path for path in SOURCE.rglob("*.py")}
    graph = {
        name: set(imported(ast.parse(path.read_text(encoding="utf-8")), paths)) - {name}
        for name, path in paths.items()
    }
    assert "semscale.errors" in graph["semscale.messages"]
    # Raises CycleError with the modules of a circle.
    assert len(list(TopologicalSorter(graph).static_order())) == len(paths)


def test_no_two_classes_have_one_name():
    places = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        classes = (node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.ClassDef))
        for node in classes:
            places[node.name].append(str(path.relative_to(SOURCE)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def reasons_by_module():
    """Modules without a test file of their own, with the test that covers them or the reason."""
    lines = (TESTS / "untested_modules.txt").read_text("utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def test_each_module_has_a_test_file_or_a_reason():
    modules = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    without = {
        path.as_posix() for path in modules if not (TESTS / path.parent / f"test_{path.name}").exists()
    }
    listed = set(reasons_by_module())
    assert without - listed == set(), "write a test file, or an entry in tests/untested_modules.txt"
    assert listed - without == set(), "take the entry out: the module is gone, or has a test file"


def test_each_reason_names_tests_that_exist():
    reasons = reasons_by_module()
    assert list(reasons) == sorted(reasons)
    assert all(reason.strip() for reason in reasons.values())
    named = {path for reason in reasons.values() for path in re.findall(r"tests/[\w/]+\.py", reason)}
    assert {path for path in named if not (TESTS.parent / path).exists()} == set()
