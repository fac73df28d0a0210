"""Margins from a YAML file."""

import pytest

from semscale.errors import InputError
from semscale.tabulation.margins_file import read_margins


def test_shares_and_numbers_are_read_by_the_names_of_values(tmp_path):
    (tmp_path / "m.yaml").write_text("sex: {f: 0.51, m: 0.49}\nage:\n  1: 20\n  2: 30.5\n")
    assert read_margins(tmp_path / "m.yaml") == {
        "sex": {"f": 0.51, "m": 0.49}, "age": {"1": 20.0, "2": 30.5},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "m.yaml has no margins"),
        ("sex: 3", "'sex' in m.yaml has no categories"),
        ("sex: {f: much}", "'sex', category 'f' in m.yaml must be a number >= 0, got 'much'"),
        ("sex: {f: -1}", "must be a number >= 0, got -1"),
        ("sex: {f: 1, f: 2}", "line 1: .*given twice"),
    ],
)
def test_another_form_is_refused(tmp_path, text, message):
    (tmp_path / "m.yaml").write_text(text)
    with pytest.raises(InputError, match=message):
        read_margins(tmp_path / "m.yaml")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match="raked_to: .*m.yaml cannot be read"):
        read_margins(tmp_path / "m.yaml")
