"""From a summary to its files: both places are checked first, and the document is made only then."""

import pytest

from semscale.errors import InputError
from semscale.report import presenting


def never(_):
    pytest.fail("work was done before the places were checked")


def test_a_folder_of_figures_that_is_a_file_is_refused_before_work(make_summary, tmp_path, monkeypatch):
    monkeypatch.setattr(presenting, "document_of", never)
    taken = tmp_path / "figures"
    taken.write_text("a file")
    with pytest.raises(InputError, match="figures must be a folder, but .* is a file; choose another name"):
        make_summary(n=5).report(tmp_path / "page.html", figures=taken)
    assert [file.name for file in tmp_path.iterdir()] == ["figures"]


def test_a_folder_of_figures_has_to_have_a_folder_around_it(make_summary, tmp_path, monkeypatch):
    monkeypatch.setattr(presenting, "document_of", never)
    with pytest.raises(InputError, match="figures: the folder .* does not exist; make it"):
        make_summary(n=5).report(tmp_path / "page.html", figures=tmp_path / "none" / "figures")


@pytest.mark.parametrize(
    ("name", "said"), [("page.pdf", "must end in"), ("none/page.html", "does not exist")]
)
def test_a_report_that_cannot_be_written_is_refused_before_work(
    make_summary, tmp_path, monkeypatch, name, said
):
    monkeypatch.setattr(presenting, "document_of", never)
    with pytest.raises(InputError, match=f"report.*{said}"):
        make_summary(n=5).report(tmp_path / name)
