"""Factors of replicates, written as numbers or in a file."""

import pytest

from semscale.errors import InputError
from semscale.tabulation.replicate_factors import read_rscales


def test_numbers_and_files_are_read(tmp_path):
    assert read_rscales(".5") == (0.5,)
    assert read_rscales("0.5,0.75, 0.5") == (0.5, 0.75, 0.5)
    (tmp_path / "r.txt").write_text("0.5\n\n0.75\n")
    assert read_rscales(str(tmp_path / "r.txt")) == (0.5, 0.75)


@pytest.mark.parametrize(
    ("text", "message"),
    [("0.5\nhalf\n", "line 2 of r.txt is no number: 'half'"), ("\n", "r.txt has no numbers")],
)
def test_a_file_with_something_else_is_refused(tmp_path, text, message):
    (tmp_path / "r.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        read_rscales(str(tmp_path / "r.txt"))


def test_words_that_are_no_file_are_refused():
    with pytest.raises(InputError, match="rscales must be numbers with commas between"):
        read_rscales("half,half")
