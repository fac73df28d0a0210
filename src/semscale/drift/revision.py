"""The Git revision of a folder, read without running any program that the repository names."""

import os
import subprocess
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from semscale.errors import InputError
from semscale.subprocesses import find_program, minimal_environment

_LOCATIONS = ("--show-toplevel", "--absolute-git-dir", "--git-path", "objects", "--show-object-format")
_HARMLESS = r"^core\.(autocrlf|eol|filemode|ignorecase|precomposeunicode|symlinks|trustctime|checkstat)$"
"""Settings of a repository that tell how its files are stored."""

_SECONDS = 30
_NO_REVISION = (
    "not a git repository",
    "unknown revision",
    "Needed a single revision",
    "must be run in a work tree",
    "cannot use bare repository",
)
_VARIABLES = ("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH", "GIT_CONFIG_*")
_SETTINGS = ("safe.bareRepository=explicit", "core.fsmonitor=false", f"core.hooksPath={os.devnull}")
_QUIET = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}


def git_revision(folder: str | Path) -> str | None:
    """Return the Git revision of a folder's working tree, to record the code that produced a run.

    Args:
        folder: any folder in the working tree.

    Returns:
        A revision such as ``a1b2c3d``, or ``a1b2c3d+changes`` if tracked files differ from it; ``None`` if
        Git is not installed, the folder is in no repository, or there is no commit.

    Raises:
        InputError: Git cannot read the repository; the message has Git's reason.
    """
    answer = _ask_git(folder, "rev-parse", *_LOCATIONS, "--short", "HEAD")
    if answer is None:
        return None
    *locations, revision = answer.splitlines()
    if len(locations) != len(_LOCATIONS) - 1:  # --git-path takes a value
        raise _unreadable(folder, "a path has a line break")
    with TemporaryDirectory(prefix="semscale-git-") as settings:
        return f"{revision}+changes" if _has_changes(folder, revision, locations, settings) else revision


def _has_changes(folder: str | Path, revision: str, locations: Sequence[str], settings: str) -> bool:
    """Return true if tracked files differ from a revision.

    A repository's settings can name programs that Git runs when it compares files (filters, hooks, a file
    system monitor, a remote for missing objects). So Git gets an empty folder of settings instead, and only
    those of the repository that tell how file names and line breaks are stored. The settings of the user
    and the machine apply.

    Args:
        folder: a folder in the working tree.
        revision: the revision.
        locations: the working tree, the repository, its objects, and the format of its hashes.
        settings: an empty folder.
    """
    tree, repository, objects, hashes = locations
    Path(settings, "refs").mkdir()
    lines = ["[core]", "repositoryFormatVersion = 0"]
    if hashes == "sha256":
        lines = ["[core]", "repositoryFormatVersion = 1", "[extensions]", f"objectFormat = {hashes}"]
    Path(settings, "config").write_text("\n".join(lines), encoding="utf-8")
    harmless = _ask_git(folder, "config", "--null", "--get-regexp", _HARMLESS, accepted=(0, 1)) or ""
    variables = {
        "GIT_DIR": repository,
        "GIT_COMMON_DIR": settings,
        "GIT_OBJECT_DIRECTORY": str(Path(folder, objects).resolve()),
        "GIT_WORK_TREE": tree,
    }
    compare = ("diff", "--no-ext-diff", "--name-only", "--ignore-submodules=dirty", revision, "--")
    stored = [entry.replace("\n", "=", 1) for entry in harmless.split("\0") if entry]
    return bool(_ask_git(tree, *compare, settings=stored, variables=variables))


def _ask_git(
    folder: str | Path,
    *arguments: str,
    settings: Sequence[str] = (),
    variables: Mapping[str, str] = MappingProxyType({}),
    accepted: Collection[int] = (0,),
) -> str | None:
    """Run Git without what a repository may name as a program; return its output, ``None`` for no revision.

    Args:
        folder: a folder in the working tree.
        arguments: a command and its options.
        settings: further settings, ``key=value``.
        variables: further environment variables.
        accepted: exit codes of a command that did its work.

    Raises:
        InputError: Git cannot read the repository.
    """
    git = find_program("git")
    if git is None:
        return None
    options = [part for setting in (*settings, *_SETTINGS) for part in ("-c", setting)]
    try:
        answer = subprocess.run(
            [git, "-C", str(folder), "--no-pager", *options, *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            errors="surrogateescape",
            env={**minimal_environment(*_VARIABLES), **_QUIET, **variables},
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unreadable(folder, str(error)) from error
    if answer.returncode in accepted:
        return answer.stdout.strip()
    if any(reason in answer.stderr for reason in _NO_REVISION):
        return None
    raise _unreadable(folder, (answer.stderr.strip().splitlines() or ["no reason given"])[0])


def _unreadable(folder: str | Path, reason: str) -> InputError:
    return InputError(
        f"Git cannot report the revision of {folder} ({reason}); repair the repository, or pass the revision"
    )
