import shutil
import subprocess

import pytest

from semscale.drift.runs.revision import git_revision
from semscale.errors import InputError

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None, reason="Git is not there: install it from git-scm.com"
)


def git(folder, *arguments):
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    answer = subprocess.run(["git", "-C", folder, *settings, *arguments], check=True, capture_output=True)
    return answer.stdout.decode().strip()


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    folder = tmp_path / "tree"
    folder.mkdir()
    return folder


def test_outside_a_repository_and_before_the_first_commit_there_is_none(tree):
    assert git_revision(tree) is None
    git(tree, "init", "-q")
    assert git_revision(tree) is None


def test_the_revision_says_whether_tracked_files_differ(tree):
    git(tree, "init", "-q")
    (tree / "prompt.txt").write_text("one")
    git(tree, "add", "prompt.txt")
    git(tree, "commit", "-q", "-m", "Begin")
    revision = git(tree, "log", "-1", "--format=%h")
    (tree / "outputs.jsonl").write_text("untracked")
    assert git_revision(tree) == revision
    (tree / "prompt.txt").write_text("two")
    assert git_revision(tree) == f"{revision}+changes"
    (tree / "below").mkdir()
    assert git_revision(tree / "below") == f"{revision}+changes"


def test_without_git_there_is_none(tree, monkeypatch):
    monkeypatch.setenv("PATH", str(tree))
    assert git_revision(tree) is None


def test_a_repository_that_git_cannot_read_is_named(tree):
    git(tree, "init", "-q")
    (tree / ".git" / "config").write_text("[core")
    with pytest.raises(InputError, match="Git cannot tell the revision of .*tree .*bad config"):
        git_revision(tree)
