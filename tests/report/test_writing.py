"""The ending of a report's name chooses its renderer."""

from pathlib import Path

import pytest
from tests.report.made_up_document import document_of

from semscale.errors import InputError
from semscale.report.html import page
from semscale.report.markdown import markdown
from semscale.report.writing import check_ending, write_report


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


def test_another_ending_is_refused():
    with pytest.raises(InputError, match=r"report must end in \.html, \.htm, \.md or \.xlsx, got 'a\.pdf'"):
        check_ending(Path("a.pdf"))


def test_markdown_links_to_figures_beside_it(tmp_path):
    write_report(document_of(), tmp_path / "a.md", figures=tmp_path / "figures")
    assert "](figures/bars.svg)" in (tmp_path / "a.md").read_text("utf-8")
