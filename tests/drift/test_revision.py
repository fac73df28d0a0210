"""The Git revision of a folder, and repositories whose settings name programs."""

import os
import shlex
import shutil
import subprocess

import pytest

from semscale.drift.revision import git_revision
from semscale.errors import InputError

needs_git = pytest.mark.skipif(
    shutil.which("git") is None, reason="Git is not there: install it from git-scm.com"
)

posix = pytest.mark.skipif(os.name == "nt", reason="Git runs scripts of a shell: use a POSIX system")


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


@needs_git
def test_a_folder_without_a_commit_has_no_revision(tree):
    assert git_revision(tree) is None
    git(tree, "init", "-q")
    assert git_revision(tree) is None


@needs_git
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


@needs_git
def test_without_git_there_is_no_revision(tree, monkeypatch):
    monkeypatch.setenv("PATH", str(tree))
    assert git_revision(tree) is None


@needs_git
def test_a_repository_that_git_cannot_read_is_named(tree):
    git(tree, "init", "-q")
    (tree / ".git" / "config").write_text("[core")
    with pytest.raises(InputError, match="Git cannot report the revision of .*tree .*bad config"):
        git_revision(tree)


@pytest.fixture
def program(tmp_path):
    """Write a program that leaves a trace when it runs."""
    path = tmp_path / "program.sh"
    path.write_text(f"#!/bin/sh\ntouch {shlex.quote(str(tmp_path / 'ran'))}\ncat\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def ran(tmp_path):
    """Return whether the program has run."""
    return (tmp_path / "ran").exists


def committed(tree, **files):
    """Commit files and return the revision."""
    git(tree, "init", "-q")
    for name, text in files.items():
        (tree / name).write_text(text)
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "Begin")
    return git(tree, "log", "-1", "--format=%h")


def make_racy(tree):
    """Make files as recent as the index, so that Git has to read them again."""
    for path in (*tree.iterdir(), tree / ".git" / "index"):
        os.utime(path, (1_700_000_000, 1_700_000_000))


@needs_git
@posix
@pytest.mark.parametrize(
    "settings",
    [
        {"core.fsmonitor": "{program}", "core.fsmonitorHookVersion": "2"},
        {"filter.any.clean": "{program}", "filter.any.required": "true"},
        {"filter.any.process": "{program}", "filter.any.required": "true"},
        {"core.hooksPath": "{hooks}"},
        {"diff.external": "{program}", "diff.any.command": "{program}", "diff.any.textconv": "{program}"},
        {"include.path": "{included}"},
        {"core.pager": "{program}", "pager.status": "true", "pager.diff": "{program}"},
        {"alias.rev-parse": "!{program}", "alias.diff": "!{program}", "alias.status": "!{program}"},
        {"hook.any.command": "{program}", "hook.any.event": "post-index-change"},
    ],
)
def test_no_program_that_a_repository_names_is_run(tree, program, ran, tmp_path, settings):
    revision = committed(tree, **{"prompt.txt": "one", ".gitattributes": "* filter=any diff=any\n"})
    hooks, included = tmp_path / "hooks", tmp_path / "included"
    hooks.mkdir()
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        shutil.copy(program, hooks / name)
    included.write_text(f"[core]\n\tfsmonitor = {program}\n")
    values = {"program": program, "hooks": hooks, "included": included}
    for key, value in settings.items():
        git(tree, "config", key, value.format(**values))
    (tree / "prompt.txt").write_text("two")
    make_racy(tree)
    assert git_revision(tree) == f"{revision}+changes"
    assert not ran()


@needs_git
@posix
def test_the_program_would_run_with_git_status(tree, program, ran):
    # Otherwise, the tests above could not fail.
    committed(tree, **{"prompt.txt": "one"})
    git(tree, "config", "core.fsmonitor", str(program))
    git(tree, "status", "--porcelain", "--untracked-files=no")
    assert ran()


@needs_git
@posix
def test_a_missing_object_is_fetched_from_no_remote(tree, program, ran):
    revision = committed(tree, **{"prompt.txt": "one"})
    git(tree, "config", "core.repositoryFormatVersion", "1")
    for key, value in {
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::{program}",
        "remote.origin.uploadpack": str(program),
        "protocol.ext.allow": "always",
        "core.sshCommand": str(program),
    }.items():
        git(tree, "config", key, value)
    content = git(tree, "rev-parse", "HEAD:prompt.txt")
    (tree / ".git" / "objects" / content[:2] / content[2:]).unlink()
    (tree / "prompt.txt").write_text("two")
    make_racy(tree)
    try:
        assert git_revision(tree) == f"{revision}+changes"
    except InputError as error:
        assert "Git cannot report the revision" in str(error)  # noqa: PT017 - depends on Git's version
    assert not ran()


@needs_git
@posix
def test_a_submodule_runs_no_program(tree, program, ran, tmp_path):
    inner = tree / "inner"
    inner.mkdir(parents=True)
    committed(inner, **{"text.txt": "one"})
    revision = committed(tree, **{"prompt.txt": "one"})
    git(inner, "config", "core.fsmonitor", str(program))
    (inner / "text.txt").write_text("two")
    assert git_revision(tree) == revision
    git(tree, "config", "submodule.inner.ignore", "none")
    assert git_revision(tree) == revision
    assert not ran()


@needs_git
@posix
def test_a_bare_repository_inside_of_a_folder_has_no_revision(tree, program, ran):
    # Files of a repository can look like a bare repository, whose settings Git would use.
    committed(tree, **{"prompt.txt": "one"})
    bare = tree.parent / "cloned"
    shutil.copytree(tree / ".git", bare)
    git(tree, "config", "--file", str(bare / "config"), "core.fsmonitor", str(program))
    git(tree, "config", "--file", str(bare / "config"), "core.bare", "true")
    assert git_revision(bare) is None
    git(tree, "config", "--file", str(bare / "config"), "core.bare", "false")
    git(tree, "config", "--file", str(bare / "config"), "core.worktree", str(tree))
    assert git_revision(bare) is None
    assert not ran()


@needs_git
@posix
def test_a_program_named_git_in_the_working_folder_is_not_run(tree, program, ran, monkeypatch):
    revision = committed(tree, **{"prompt.txt": "one"})
    shutil.copy(program, tree / "git")
    monkeypatch.chdir(tree)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")
    assert git_revision(".") == revision
    assert not ran()


@needs_git
def test_a_file_that_was_only_touched_does_not_differ(tree):
    revision = committed(tree, **{"prompt.txt": "one"})
    os.utime(tree / "prompt.txt", (1, 1))
    assert git_revision(tree) == revision


@needs_git
def test_line_breaks_that_git_converts_do_not_differ(tree):
    git(tree, "init", "-q")
    git(tree, "config", "core.autocrlf", "true")
    (tree / "prompt.txt").write_bytes(b"one\r\ntwo\r\n")
    revision = committed(tree)
    os.utime(tree / "prompt.txt", (1, 1))
    assert git_revision(tree) == revision


@needs_git
def test_a_linked_working_tree_and_sha256_have_a_revision(tree, tmp_path):
    committed(tree, **{"prompt.txt": "one"})
    git(tree, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / "prompt.txt").write_text("two")
    git(tmp_path / "linked", "commit", "-q", "-a", "-m", "Change")
    revision = git(tmp_path / "linked", "log", "-1", "--format=%h")
    assert git_revision(tmp_path / "linked") == revision
    (tmp_path / "linked" / "prompt.txt").write_text("three")
    assert git_revision(tmp_path / "linked") == f"{revision}+changes"
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q", "--object-format=sha256")
    assert git_revision(other) is None
    revision = committed(other, **{"prompt.txt": "one"})
    assert git_revision(other) == revision


@needs_git
def test_a_split_index_and_a_sparse_index_are_read(tree):
    revision = committed(tree, **{"prompt.txt": "one", "other.txt": "two"})
    git(tree, "update-index", "--split-index")
    assert git_revision(tree) == revision
    git(tree, "sparse-checkout", "set", "--no-cone", "prompt.txt")
    assert git_revision(tree) == revision


@needs_git
@posix
def test_git_gets_no_key_of_the_environment(tree, tmp_path, monkeypatch):
    wrapper = tmp_path / "bin" / "git"
    wrapper.parent.mkdir()
    wrapper.write_text(f"#!/bin/sh\nenv >> {shlex.quote(str(tmp_path / 'variables'))}\nexit 1\n")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{wrapper.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with pytest.raises(InputError, match="no reason given"):
        git_revision(tree)
    assert "sk-secret" not in (tmp_path / "variables").read_text()
