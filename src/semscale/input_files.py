"""Files of the user: reading, refusal of pipes, devices and sockets, and files for all projects."""

import stat
from pathlib import Path

from semscale.errors import SpecialFileError

_SPECIAL = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def check_regular(path: Path) -> None:
    """Refuse a pipe, a device or a socket: reading it may never end, or not even begin.

    Raises:
        SpecialFileError: it is one of these.
        OSError: it does not exist, or cannot be reached.
    """
    mode = path.stat().st_mode
    for is_special, kind in _SPECIAL:
        if is_special(mode):
            error = SpecialFileError(
                f"{path} is {kind}, and only files can be read: write its content to a file, and name that"
            )
            error.strerror = f"it is {kind}"
            raise error


def configuration_file(name: str) -> Path:
    """Return the path of a file in the user's configuration folder, which all projects share."""
    from platformdirs import user_config_path

    return user_config_path("semscale", appauthor=False) / name


def state_folder(name: str) -> Path:
    """Return the path of a folder for what programs remember of the user's work, such as changes to undo."""
    from platformdirs import user_state_path

    return user_state_path("semscale", appauthor=False) / name


def read_input(path: str | Path) -> bytes:
    """Read a file.

    Raises:
        SpecialFileError: it is a pipe, a device or a socket.
        OSError: it cannot be read.
    """
    check_regular(Path(path))
    return Path(path).read_bytes()


def read_input_text(path: str | Path, encoding: str = "utf-8") -> str:
    """Read a text file.

    Raises:
        SpecialFileError: it is a pipe, a device or a socket.
        OSError: it cannot be read.
        UnicodeDecodeError: it has another encoding.
    """
    check_regular(Path(path))
    return Path(path).read_text(encoding=encoding)
