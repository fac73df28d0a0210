"""Extras: declared for the code's imports, optional, and named in the command that installs them."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from semscale.cli.main import program
from semscale.errors import MissingExtraError
from semscale.extras import EXTRAS, require, usage_reports_off
from semscale.version import ON_INDEX, install_command, upgrade_advice

ROOT = Path(__file__).parent.parent
INSTALL = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
DECLARED = PROJECT["optional-dependencies"]
# Packages that are required and that no module imports: pip is a program.
PROGRAMS = {"pip"}
# Modules that are no requirement: who calls a function that needs one has it already.
HOSTS = {"pytest", "pandas", "langchain_core"}
# What a requirement's own extra brings and the code needs beside it.
BROUGHT = {"openai": {"aiohttp"}}
# Requirements whose module has another name.
MODULES = {"python-pptx": "pptx"}

# Runs commands, one a line, and says how each ended and which modules of extras were loaded for it.
PROGRAM = """
import sys
from semscale.cli.main import main
from semscale.extras import EXTRAS
codes = [main(line.split("\\t")) for line in sys.argv[1:]]
loaded = {module for modules in EXTRAS.values() for module in modules} & set(sys.modules)
print(*codes, "loaded:", *sorted(loaded), file=sys.stderr)
"""
WITHOUT = "import semscale.extras\nsemscale.extras.find_spec = lambda name: None\n" + PROGRAM

TEXTS = {".md", ".py", ".yml", ".yaml"}
ENDPOINT = ("--chat-model", "m", "--chat-url", "http://localhost:9/v1")
ANSWERS = (
    "I love it",
    "It is fine",
    "Not what I hoped for",
    "It broke on the second day",
    "Works as it should",
)


def name_of(requirement: str) -> str:
    return re.match(r"[\w.-]+", requirement)[0].lower()


def declared_modules(extra: str) -> set[str]:
    names: set[str] = set()
    for requirement in DECLARED[extra]:
        name = name_of(requirement)
        if name == "semscale":
            (other,) = re.findall(r"\[(\w+)\]", requirement)
            names |= declared_modules(other)
        else:
            names |= {MODULES.get(name, name.replace("-", "_"))} | BROUGHT.get(name, set())
    return names


def imported_modules() -> set[str]:
    names = set()
    for file in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names) - {"semscale"}


def run(program: str, *commands: Iterable[object]) -> subprocess.CompletedProcess[str]:
    lines = ["\t".join(map(str, command)) for command in commands]
    return subprocess.run(
        [sys.executable, "-c", program, *lines], capture_output=True, text=True, check=False, timeout=300
    )


def all_commands() -> list[str]:
    names, todo = [], [("", program())]
    while todo:
        name, app = todo.pop()
        names.append(name)
        todo += [(f"{name} {inner}".strip(), app[inner]) for inner in app if not inner.startswith("-")]
    return names


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("text,other\n" + "".join(f'"{text}","{text}"\n' for text in ANSWERS), encoding="utf-8")
    return path


class TestDeclared:
    def test_the_table_of_extras_matches_the_project(self):
        assert {extra: set(modules) for extra, modules in EXTRAS.items()} == {
            extra: declared_modules(extra) for extra in DECLARED
        }

    @pytest.mark.exhaustive
    def test_every_import_is_declared_and_every_requirement_is_imported(self):
        extras = {module for modules in EXTRAS.values() for module in modules}
        owners = packages_distributions()
        used = {
            owner.lower().replace("_", "-")
            for module in imported_modules() - extras - HOSTS
            for owner in owners[module]
        }
        required = {name_of(entry) for entry in PROJECT["dependencies"]}
        assert (
            used - {"pydantic-core"} == required - PROGRAMS
        )  # pydantic requires a fixed version of its core

    def test_the_page_on_installing_lists_every_requirement(self):
        table, sentence = INSTALL.partition("<!-- checked: requirements -->\n")[2].split("\n\n")[:2]
        listed = re.findall(r"^\| ([\w-]+) \|", table, re.MULTILINE)[1:]
        listed += re.findall(r"[\w-]+(?:\.\w+)?", sentence.partition(":")[2])
        assert sorted(listed) == sorted(name_of(entry) for entry in PROJECT["dependencies"])
        assert f"uses {len(listed)} of them" in INSTALL

    def test_the_page_on_installing_lists_every_extra(self):
        assert sorted(re.findall(r"^\| `(\w+)` \|", INSTALL, re.MULTILINE)) == sorted(EXTRAS)

    @pytest.mark.parametrize(
        "file", ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "src", "examples"]
    )
    def test_every_extra_that_is_named_exists(self, file):
        path = ROOT / file
        files = [path] if path.is_file() else [entry for entry in path.rglob("*") if entry.suffix in TEXTS]
        named = {
            name
            for entry in files
            for names in re.findall(r"(?:semscale|\.)\[([a-z, ]+)\]", entry.read_text(encoding="utf-8"))
            for name in names.replace(" ", "").split(",")
        }
        assert named <= set(EXTRAS)


class TestInstallCommands:
    """Before the first release, no command takes ``semscale`` from the index, as others may own that name."""

    def test_no_module_spells_an_install_command(self):
        spelled = re.compile(r"\b(pip|uv) (install|add)\b")
        files = [path for path in (ROOT / "src").rglob("*.py") if path.name != "version.py"]
        assert [path.name for path in files if spelled.search(path.read_text(encoding="utf-8"))] == []

    def test_the_new_study_shows_the_install_command_of_its_extra(self):
        study = (ROOT / "src/semscale/study/new_study.yaml.txt").read_text(encoding="utf-8")
        assert re.findall("pip install.*", study) == [install_command("semscale[local]")]

    @pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/install.md"])
    def test_a_first_installation_is_from_the_checkout_until_the_index_has_semscale(self, page):
        blocks = re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
        commands = [line for block in blocks for line in block.splitlines() if " -m pip install " in line]
        first = next(line for line in commands if line.startswith("$ "))
        source = "semscale" if ON_INDEX else "--editable ."
        assert first.partition("#")[0].strip() == f"$ python -m pip install {source}"

    def test_uv_installs_from_the_checkout_until_the_index_has_semscale(self):
        lines = [line for line in INSTALL.splitlines() if re.match(r"\$ uvx? ", line)]
        source = "semscale[workbench]" if ON_INDEX else ".[workbench]"
        assert lines == [f'$ uv tool install "{source}"', f'$ uvx --from "{source}" semscale open']

    def test_the_advice_to_upgrade_names_the_index_once_it_has_semscale(self, monkeypatch):
        assert ("pip" in upgrade_advice()) is ON_INDEX
        monkeypatch.setattr("semscale.version.ON_INDEX", True)
        assert upgrade_advice() == "pip install --upgrade semscale"


class TestTargets:
    def test_make_test_all_installs_the_extras_missing_in_the_developer_environment(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        recipe = re.search(r"^test-all:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
        groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
        (developer,) = (line for line in groups["dev"] if line.startswith("semscale["))
        lacking = set(EXTRAS) - set(re.findall(r"\w+", developer))
        installed = re.findall(r"\.\[([\w,]+)\]", recipe)
        assert lacking == {name for names in installed for name in names.split(",")} | {"cloud"}
        assert "--group cloud" in recipe

    def test_torch_tests_are_in_the_folders_that_make_test_all_runs(self):
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        (folders,) = re.findall(r"--extra torch (.*)$", makefile, re.MULTILINE)
        files = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")]
        mark = f'needs("{"torch"}")'  # in two pieces, so that this file is not found
        marked = [file for file in files if mark in (ROOT / file).read_text(encoding="utf-8")]
        assert marked
        assert [file for file in marked if not file.startswith(tuple(folders.split()))] == []


class TestMissing:
    @pytest.mark.parametrize(
        ("extra", "module", "message"),
        [
            ("api", "openai", 'openai is not installed: pip install "semscale[api]"'),
            ("local", "openvino_genai", 'openvino-genai is not installed: pip install "semscale[local]"'),
            ("mcp", "mcp", 'mcp is not installed: pip install "semscale[mcp]"'),
            ("postgres", "pg8000", 'pg8000 is not installed: pip install "semscale[postgres]"'),
            ("torch", "torch", 'torch is not installed: pip install "semscale[torch]"'),
        ],
    )
    def test_the_line_to_type(self, monkeypatch, extra, module, message):
        monkeypatch.setattr("semscale.extras.find_spec", lambda name: None if name == module else name)
        with pytest.raises(MissingExtraError) as caught:
            require(extra)
        assert str(caught.value) == message

    @pytest.mark.exhaustive
    def test_no_help_loads_an_extra(self):
        commands = all_commands()
        done = run(PROGRAM, *([*command.split(), "--help"] for command in commands))
        assert done.stderr == f"{'0 ' * len(commands)}loaded:\n"
        assert len(commands) > 20
        assert done.stdout.count("Usage: ") == len(commands)

    @pytest.mark.exhaustive
    def test_no_base_command_loads_an_extra(self, table, embedder, tmp_path):
        assert embedder.dimensions == 384  # the default model's weights are on disk
        rated = [tmp_path / "rated.xlsx", tmp_path / "rated.html"]
        done = run(
            PROGRAM,
            [
                "rate",
                table,
                "--text",
                "text",
                "--scale",
                "satisfaction",
                "--out",
                rated[0],
                "--report",
                rated[1],
            ],
            ["match", table, "--prediction", "text", "--reference", "other"],
            ["consistency", table, "--answer", "text", "--sample", "other"],
        )
        assert done.stderr.splitlines()[-1] == "0 0 0 loaded:", done.stderr
        assert [file.exists() for file in rated] == [True, True]

    @pytest.mark.exhaustive
    def test_a_command_that_needs_an_extra_names_it(self, table):
        wanted = {
            "api": 'openai is not installed: pip install "semscale[api]"',
            "local": 'openvino-genai is not installed: pip install "semscale[local]"',
            "mcp": 'mcp is not installed: pip install "semscale[mcp]"',
            "postgres": 'pg8000 is not installed: pip install "semscale[postgres]"',
        }
        ask = ("consistency", table, "--prompt", "text", "--ask", "2")
        rate = ("rate", table, "--text", "text", "--scale", "satisfaction")
        commands = [
            ("postgres", ("drift", "history", "--history", "postgresql://ana@localhost/team")),
            ("api", (*rate, "--engine", "api", "--embedder", "m", "--embedder-url", "http://localhost:9/v1")),
            ("api", (*ask, *ENDPOINT)),
            ("local", (*ask, "--chat-model", "local")),
            ("mcp", ("mcp",)),
        ]
        done = run(WITHOUT, *(command for _, command in commands))
        messages = [f"semscale: {wanted[extra]}" for extra, _ in commands]
        assert done.stderr.splitlines() == [*messages, "2 2 2 2 2 loaded:"]


REPORTS = "openvino_telemetry"


def test_the_package_is_hidden_inside_and_as_before_outside(monkeypatch):
    monkeypatch.delitem(sys.modules, REPORTS, raising=False)
    with usage_reports_off(), pytest.raises(ImportError):
        __import__(REPORTS)
    assert REPORTS not in sys.modules


def test_it_is_shown_again_after_an_error(monkeypatch):
    monkeypatch.delitem(sys.modules, REPORTS, raising=False)
    with pytest.raises(RuntimeError), usage_reports_off():
        raise RuntimeError
    assert REPORTS not in sys.modules


def test_a_package_that_was_imported_before_stays(monkeypatch):
    module = object()
    monkeypatch.setitem(sys.modules, REPORTS, module)
    with usage_reports_off():
        assert sys.modules[REPORTS] is module
    assert sys.modules[REPORTS] is module
