"""The Git revision of a folder, to record which code produced a run."""

import os
import subprocess  # noqa: S404 - Git is asked with fixed arguments
from pathlib import Path

from semscale.errors import InputError

_SECONDS = 30
_NOTHING_HERE = ("not a git repository", "unknown revision", "bad revision", "Needed a single revision")


def git_revision(folder: str | Path) -> str | None:
    """Return the revision of a folder's working tree.

    Args:
        folder: any folder in the working tree.

    Returns:
        A revision such as ``a1b2c3d``, or ``a1b2c3d+changes`` if tracked files differ from it; ``None`` if
        Git is not installed, the folder is in no repository, or there is no commit.

    Raises:
        InputError: Git cannot read the repository; the message has Git's reason.
    """
    revision = _ask(folder, "rev-parse", "--verify", "--short", "HEAD")
    if not revision:
        return None
    changes = _ask(folder, "status", "--porcelain", "--untracked-files=no")
    return f"{revision}+changes" if changes else revision


def _ask(folder: str | Path, *arguments: str) -> str | None:
    quiet = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        answer = subprocess.run(  # noqa: S603
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the Git that the user has
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            env=os.environ | quiet,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _unreadable(folder, str(error)) from error
    if answer.returncode == 0:
        return answer.stdout.strip()
    if any(reason in answer.stderr for reason in _NOTHING_HERE):
        return None
    raise _unreadable(folder, (answer.stderr.strip().splitlines() or ["no reason given"])[0])


def _unreadable(folder: str | Path, reason: str) -> InputError:
    return InputError(f"Git cannot tell the revision of {folder} ({reason}); mend it, or pass the revision")
