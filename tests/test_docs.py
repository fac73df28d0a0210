"""The commands and Python code on the pages run in order, and print the output on the pages.

Each page runs in an empty folder with a copy of ``examples/``, so a block may use what an earlier one wrote.
Output below a command or below Python code is compared; ``...`` stands for any output. Comments right above a
block:

- ``<!-- needs: a chat model -->``: the block is not run;
- ``<!-- exit: 1 -->``: exit code of its last command (0 otherwise);
- ``<!-- file: semscale.toml -->``: its text is written to this file.
"""

import contextlib
import doctest
import io
import itertools
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.test_readme import without_ids_and_times

from semscale.cli.main import main

ROOT = Path(__file__).parent.parent
PAGES = ["README.md", "examples/README.md", *(f"docs/{path.name}" for path in sorted(ROOT.glob("docs/*.md")))]

BLOCK = re.compile(
    r"^(?P<comments>(?:<!--[^\n]*-->\n)*)```(?P<language>console|python|text|yaml|toml|csv)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
OUTPUT = re.compile(r"\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of code, the comments above it, and the output in a ``text`` block right below it."""

    language: str
    text: str
    comments: dict[str, str]
    output: str


def blocks(page: str) -> Iterator[Block]:
    for match in BLOCK.finditer(page):
        comments = dict(re.findall(r"<!-- (\w+): (.*?) -->", match["comments"]))
        below = OUTPUT.match(page, match.end())
        yield Block(match["language"], match["text"], comments, below[1] if below else "")


def commands(block: Block) -> Iterator[tuple[list[str], str]]:
    """Return the words of each command of a console block, and the output below it."""
    for entry in re.split(r"^\$ ", block.text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        line, _, output = entry.partition("\n")
        yield shlex.split(line, comments=True), output


class Screen(io.StringIO):
    """Output on a terminal that can draw bars."""

    encoding = "utf-8"


@contextlib.contextmanager
def captured() -> Iterator[Screen]:
    printed = Screen()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        yield printed


def run_console(block: Block) -> None:
    shown = list(commands(block))
    assert shown, f"no command begins with $ in {block.text}"
    for number, (arguments, output) in enumerate(shown, start=1):
        assert arguments[0] == "semscale", f"not run, so it needs a comment `needs`: {shlex.join(arguments)}"
        with captured() as printed:
            code = main(arguments[1:])
        expected_code = int(block.comments.get("exit", "0")) if number == len(shown) else 0
        assert code == expected_code, f"{shlex.join(arguments)}: exit code {code}\n{printed.getvalue()}"
        last = number == len(shown)
        check_output(output + (block.output if last else ""), printed.getvalue(), shlex.join(arguments))


def run_python(block: Block, names: dict[str, object]) -> None:
    with captured() as printed:
        exec(compile(block.text, "page", "exec"), names)
    check_output(block.output, printed.getvalue(), block.text)


def check_output(shown: str, printed: str, source: str) -> None:
    if not shown.strip():
        return
    expected, actual = (
        without_ids_and_times(re.sub(r" +$", "", text.replace("\N{NO-BREAK SPACE}", " "), flags=re.MULTILINE))
        for text in (shown, printed)
    )
    same = doctest.OutputChecker().check_output(f"{expected}\n", f"{actual}\n", doctest.ELLIPSIS)
    assert same, f"{source}\n--- the page shows\n{expected}\n--- printed\n{actual}"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_runs(name, tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks((ROOT / name).read_text(encoding="utf-8")):
        if "file" in block.comments:
            (tmp_path / block.comments["file"]).write_text(block.text, encoding="utf-8")
        elif "needs" in block.comments:
            continue
        elif block.language == "console":
            run_console(block)
        elif block.language == "python":
            run_python(block, names)


@pytest.mark.parametrize("name", PAGES)
def test_the_options_of_commands_that_are_not_run_exist(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    page = blocks((ROOT / name).read_text(encoding="utf-8"))
    for block in (block for block in page if block.language == "console" and "needs" in block.comments):
        for arguments, _ in commands(block):
            assert unknown_options(arguments) == set(), shlex.join(arguments)


def unknown_options(arguments: list[str]) -> set[str]:
    """Return the options of a command that its help lacks; none for a command of another program."""
    if "semscale" not in arguments:
        return set()
    arguments = arguments[arguments.index("semscale") + 1 :]
    command = itertools.takewhile(str.isidentifier, arguments[:2])
    with captured() as printed:
        main([*command, "--help-all"])
    known = set(re.findall(r"--[\w-]+", printed.getvalue()))
    return {word for word in arguments if word.startswith("--")} - known


def test_an_option_that_does_not_exist_is_noticed():
    assert unknown_options(["TOKEN=x", "semscale", "judge", "audit", "a.csv", "--rows", "5"]) == set()
    assert unknown_options(["semscale", "judge", "a.csv", "--rows", "5"]) == {"--rows"}


def test_a_page_that_shows_other_output_is_noticed():
    page = "<!-- exit: 2 -->\n```console\n$ semscale rate none.csv --scale quality\n{}\n```\n"
    (right,) = blocks(page.format("semscale: none.csv does not exist..."))
    run_console(right)
    (wrong,) = blocks(page.format("rated: none.csv"))
    with pytest.raises(AssertionError, match="the page shows"):
        run_console(wrong)
