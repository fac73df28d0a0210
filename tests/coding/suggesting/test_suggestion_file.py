"""The file of a proposal is a codebook."""

import pytest

from semscale.coding.codebook_file import load_codebook
from semscale.coding.suggesting.suggestion import suggest
from semscale.coding.suggesting.suggestion_file import suggested_codebook, suggestion_yaml, write_suggestion


@pytest.fixture
def summary(key_words):
    words = ("battery: yes", 'price "high"', "screen - 5")
    return suggest([f"{word} number {n}" for word in words for n in range(20)], key_words, codes=3)


def test_what_is_written_is_read_again(summary, tmp_path):
    write_suggestion(summary, tmp_path / "codes.yaml")
    assert load_codebook(tmp_path / "codes.yaml") == suggested_codebook(summary)


def test_comments_have_size_and_stability(summary):
    lines = suggestion_yaml(summary).splitlines()
    comments = [line for line in lines if line.startswith("  # ")]
    for code, line in zip(summary.codes, comments, strict=True):
        assert line.startswith("  # 20 answers (33 %), ")
        assert ("NOT STABLE" in line) == (not code.is_stable)
