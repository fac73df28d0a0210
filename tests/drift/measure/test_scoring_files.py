"""The hash of files: any edit and any name count, compiled files do not."""

import pytest

from semscale.drift.scoring import files_hash


@pytest.fixture
def rules(tmp_path):
    folder = tmp_path / "guards"
    folder.mkdir()
    (folder / "negation.py").write_text("not")
    (folder / "words.yaml").write_text("never")
    return folder


def test_an_edit_or_a_name_changes_the_hash(rules):
    before = files_hash([rules])
    assert files_hash([rules]) == before
    (rules / "negation.pyc").write_text("compiled")
    assert files_hash([rules]) == before
    (rules / "words.yaml").write_text("seldom")
    edited = files_hash([rules])
    (rules / "words.yaml").rename(rules / "adverbs.yaml")
    assert len({before, edited, files_hash([rules])}) == 3


def test_content_does_not_run_over_into_the_next_file(rules):
    before = files_hash([rules])
    (rules / "negation.py").write_text("notwords.yaml:5:never")
    (rules / "words.yaml").unlink()
    assert files_hash([rules]) != before
