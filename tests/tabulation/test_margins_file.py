"""Margins from a YAML file."""

import pytest

from semscale.errors import InputError
from semscale.tabulation.margins_file import read_margins


def test_shares_and_numbers_are_read_by_the_names_of_values(tmp_path):
    (tmp_path / "m.yaml").write_text("sex: {f: 0.51, m: 0.49}\nage:\n  1: 20.5\n  2: 79.5\n")
    assert read_margins(tmp_path / "m.yaml") == {
        "sex": {"f": 0.51, "m": 0.49}, "age": {"1": 20.5, "2": 79.5},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2]", "m.yaml has no margins"),
        ("sex: 3", "'sex' in m.yaml, line 1 has no categories"),
        (
            "sex:\n  m: 1\n  f: much",
            "'sex', category 'f' in m.yaml, line 3 must be a number >= 0, got 'much'",
        ),
        ("sex: {f: -1}", "must be a number >= 0, got -1"),
        ("age: {a: 1}\nsex: {f: 0.5, m: 0.4}", "the shares of 'sex' in m.yaml, line 2, sum to 0.9"),
        (
            "margins:\n  sex: {f: 1, m: 1}",
            "'margins' in m.yaml, line 1 has no categories, but lists of its own",
        ),
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
