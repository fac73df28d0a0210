"""Programs that Semscale starts: where they are searched, and which environment variables they get."""

import os
from fnmatch import fnmatchcase
from pathlib import Path

_NEEDED = (
    *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "LC_*", "TZ", "XDG_*"),
    *("TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES*"),
    *("USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA"),
)
"""Variables without which programs do not start or do not find their files; none of them has a key."""


def minimal_environment(*further: str) -> dict[str, str]:
    """Return the environment variables that a program needs, without keys and passwords.

    Args:
        further: names of further variables in capitals; ``*`` stands for any characters. A variable's case
            does not matter, as proxies are named in both.

    Returns:
        The variables that are set. Relative folders are left out of ``PATH``: the working folder may be one
        that somebody else wrote.
    """
    wanted = (*_NEEDED, *further)
    variables = {
        name: value
        for name, value in os.environ.items()
        if any(fnmatchcase(name.upper(), pattern) for pattern in wanted)
    }
    return variables | {"PATH": os.pathsep.join(_program_folders())}


def find_program(name: str) -> str | None:
    """Return the path of a program in an absolute folder of ``PATH``; ``None`` if there is none.

    Windows would also search the working folder, where a program may be somebody else's.

    Args:
        name: the program's name, without an ending.
    """
    file = f"{name}.exe" if os.name == "nt" else name
    paths = (Path(folder, file) for folder in _program_folders())
    return next((str(path) for path in paths if path.is_file() and os.access(path, os.X_OK)), None)


def _program_folders() -> list[str]:
    return [folder for folder in os.get_exec_path() if os.path.isabs(folder)]
