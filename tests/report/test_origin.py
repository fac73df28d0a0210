"""How a document was made: commands, options and signatures are in one collapsed block at its end."""

import ast
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from tests.support.made_up_document import document_of

import semscale
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.presenting import as_json
from semscale.report.presenting import document_of as worded
from semscale.report.terminal import print_document
from semscale.spelling import hint

REPORTS = Path(semscale.__file__).parent / "report"
COMMAND = re.compile(r"(?<![\w-])--[a-z][a-z-]+|\bsemscale (?:[a-z]+ )+|`[A-Za-z_:]+(?:=[^`]*)?`")
ON_SCREEN = {"terminal.py"}  # the screen is where users type
REPORTED = {"drift_ci.py"}  # annotations of a build, which have no page


@pytest.fixture
def waves():
    frame = pl.DataFrame({"q": [1, 2, 3, 4, 5, 4] * 4, "wave": ["2024"] * 12 + ["2025"] * 12})
    return semscale.crosstabs(frame, questions=["q"], wave="wave", min_base=2)


def is_hint(node):
    """Return true for a call of ``hint``."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hint"


def sentences_in(path):
    """Return the texts of a module that are neither docstrings nor hints, each with its parts joined."""
    tree = ast.parse(path.read_text("utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    hints = {id(part) for node in ast.walk(tree) if is_hint(node) for part in ast.walk(node)}
    joined = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    inner = {id(part) for node in joined for part in ast.walk(node) if part is not node}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in inner | hints:
            yield "".join(part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
        elif isinstance(node, ast.Constant) and id(node) not in docstrings | inner | hints:
            yield str(node.value)


@pytest.mark.parametrize(
    "path",
    [path for path in REPORTS.glob("*.py") if path.name not in ON_SCREEN | REPORTED],
    ids=lambda path: path.stem,
)
def test_sentences_of_reports_name_commands_only_in_hints(path):
    assert [text for text in sentences_in(path) if COMMAND.search(text)] == []


def test_a_page_has_the_hint_in_its_last_block_alone(waves):
    before, _, block = unescape(page(worded(waves))).partition('<section id="method">')
    assert "waves from first to last (by their names): ‘2024’, ‘2025’</bdi>" in before
    assert not COMMAND.search(before.partition("</style>")[2])
    assert "Waves from first to last (by their names): ‘2024’, ‘2025’; --wave-order gives another" in block
    assert block.index("<details") < block.index("How this was made") < block.index("--wave-order")


def test_markdown_has_the_hint_in_its_last_part_alone(waves):
    before, _, part = markdown(worded(waves)).partition("<details>\n<summary>How this was made</summary>")
    assert "--wave-order" not in before
    assert "--wave-order" in part
    assert part.endswith("</details>\n")


def test_the_screen_and_json_have_the_hint_in_its_sentence(waves, capsys):
    sentence = "waves from first to last (by their names): ‘2024’, ‘2025’; --wave-order gives another order"
    print_document(worded(waves))
    assert sentence in capsys.readouterr().out
    assert sentence in as_json(waves)


def test_a_document_without_settings_signature_and_hints_has_no_such_block():
    bare = document_of(signature=None, settings=())
    assert "How this was made" not in page(bare) + markdown(bare)
    assert "How this was made" in page(replace(bare, hints=("Use --by.",)))


def test_a_notice_that_is_a_hint_as_a_whole_is_in_the_last_block_alone(waves, capsys):
    noted = worded(replace(waves, input_notes=(hint("questions are described in survey.yaml"),)))
    before, _, block = page(noted).partition('<section id="method">')
    assert "survey.yaml" not in before
    assert "Questions are described in survey.yaml" in block
    assert len(noted.sentences("caution")) == len(worded(waves).sentences("caution"))
    print_document(noted)
    assert "\nquestions are described in survey.yaml\n" in capsys.readouterr().out
