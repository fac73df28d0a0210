"""From a summary to its files: both places are checked first, and the document is made only then."""

import ast
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

import pytest
from tests.support.made_up_document import document_of

import semscale
from semscale.errors import InputError, MissingExtraError
from semscale.presentable import Presentable
from semscale.report import presenting
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.presenting import check_ending, write_report


class Unlisted(Presentable):
    def __repr__(self):
        return "Unlisted()"

    def record(self):
        return {}


@cache
def classes():
    """Read all classes of Semscale from its files."""
    nodes = (ast.parse(path.read_text("utf-8")).body for path in Path(semscale.__file__).parent.rglob("*.py"))
    return [node for body in nodes for node in body if isinstance(node, ast.ClassDef)]


def summary_kinds(base="Presentable"):
    """List the classes with this base by name."""
    return {kind.name: kind for kind in classes() if base in map(ast.unparse, kind.bases)}


@pytest.mark.exhaustive
def test_every_kind_of_summary_has_a_function_that_makes_its_document():
    bases = {"ClaimSummary", "SampledSummary", "Summary"}
    kinds = {*summary_kinds(), *(kind for base in bases for kind in summary_kinds(base))} - bases
    assert kinds == set(presenting._DOCUMENTS)
    for module, function in presenting._DOCUMENTS.values():
        assert callable(getattr(import_module(module), function))


@pytest.mark.exhaustive
def test_every_summary_has_the_same_repr_style():
    for name, kind in summary_kinds().items():
        (method,) = (node for node in kind.body if getattr(node, "name", "") == "__repr__")
        shown = ast.unparse(method.body[-1]).replace("{type(self).__name__}", name)
        shown = shown.replace("type(self).__name__", f"'{name}'")
        assert re.fullmatch(rf"""return (f(["']+){name}\(.*\)\2|summary_in_words\('{name}', .*\))""", shown)


def test_summary_without_a_document_names_where_to_register_it():
    with pytest.raises(TypeError, match="Unlisted has no document: enter .* in semscale.report.presenting"):
        Unlisted().document()


def never(_):
    pytest.fail("work was done before the places were checked")


def test_a_folder_of_figures_that_is_a_file_is_refused_before_work(make_summary, tmp_path, monkeypatch):
    monkeypatch.setattr(presenting, "document_of", never)
    occupied = tmp_path / "figures"
    occupied.write_text("a file")
    with pytest.raises(InputError, match="figures must be a folder, but .* is a file; choose another name"):
        make_summary(n=5).report(tmp_path / "page.html", figures=occupied)
    assert [file.name for file in tmp_path.iterdir()] == ["figures"]


def test_a_folder_of_figures_has_to_have_a_folder_around_it(make_summary, tmp_path, monkeypatch):
    monkeypatch.setattr(presenting, "document_of", never)
    with pytest.raises(InputError, match="figures: the folder .* does not exist; create it"):
        make_summary(n=5).report(tmp_path / "page.html", figures=tmp_path / "none" / "figures")


@pytest.mark.parametrize(
    ("name", "message"), [("page.pdf", "must end in"), ("none/page.html", "does not exist")]
)
def test_a_report_that_cannot_be_written_is_refused_before_work(
    make_summary, tmp_path, monkeypatch, name, message
):
    monkeypatch.setattr(presenting, "document_of", never)
    with pytest.raises(InputError, match=f"report.*{message}"):
        make_summary(n=5).report(tmp_path / name)


def test_markdown_has_its_pictures_in_a_folder_beside_it(make_summary, tmp_path):
    make_summary(n=5).report(tmp_path / "my report.md")
    shown = (tmp_path / "my report.md").read_text(encoding="utf-8")
    linked = [unquote(name) for name in re.findall(r"!\[.*\]\((.*)\)", shown)]
    assert linked
    assert all((tmp_path / name).parent == tmp_path / "my report.files" for name in linked)
    assert all((tmp_path / name).is_file() for name in linked)


def test_file_at_the_figures_folder_is_refused_before_the_run(make_summary, tmp_path):
    (tmp_path / "rated.files").write_text("mine")
    with pytest.raises(InputError, match="figures must be a folder, but .*rated.files is a file"):
        make_summary(n=5).report(tmp_path / "rated.md")
    assert [file.name for file in tmp_path.iterdir()] == ["rated.files"]


@pytest.mark.parametrize("name", ["a.html", "a.HTM", "a.md", "a.xlsx"])
def test_every_ending_has_a_renderer(name, tmp_path):
    check_ending(Path(name))
    write_report(document_of(), tmp_path / name)
    written = (tmp_path / name).read_bytes()
    expected = {".md": markdown, ".html": page, ".htm": page}.get(Path(name).suffix.lower())
    if expected is None:
        assert written.startswith(b"PK")  # a workbook is a zip archive
    else:
        assert written == expected(document_of()).encode()


def test_slides_without_the_extra_say_how_to_install_it(monkeypatch):
    monkeypatch.setattr("semscale.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"semscale\[slides\]"):
        check_ending(Path("a.pptx"))


def test_another_ending_is_refused():
    with pytest.raises(
        InputError, match=r"report must end in \.html, \.htm, \.md, \.xlsx or \.pptx, got 'a\.pdf'"
    ):
        check_ending(Path("a.pdf"))


def test_markdown_links_to_figures_beside_it(tmp_path):
    write_report(document_of(), tmp_path / "a.md", figures=tmp_path / "figures")
    assert "](figures/bars.svg)" in (tmp_path / "a.md").read_text("utf-8")
