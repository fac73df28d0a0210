"""Tries a built folder as a user without Python would: in an empty home, with no program on the path.

``python release/try_app.py [FOLDER]``: the start file of FOLDER (``build/app/Semscale``) opens the workbench,
runs the demo and rates a file. The models come only from the folder. The time from each start to the first
page is printed.
"""

import argparse
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

from app_folder import START_FILES
from smoke_test import Program, check_page, smoke_test

STARTS = 3
_OF_SYSTEM = ("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT")
_RECORDER = """#!/bin/sh
echo "$1" >> "$HOME/opened"
"""


class App(Program):
    """A built folder, started in an empty home.

    Args:
        app: the built folder.
        home: existing empty folder.
    """

    def __init__(self, app: Path, home: Path) -> None:
        (home / "empty").mkdir()
        (home / "work").mkdir()
        variables = {name: os.environ[name] for name in _OF_SYSTEM if name in os.environ} | {
            "HOME": str(home),
            "USERPROFILE": str(home),
            "LOCALAPPDATA": str(home),
            "APPDATA": str(home),
            "TEMP": str(home),
            "TMP": str(home),
            "PATH": str(home / "empty"),
            "HF_HUB_OFFLINE": "1",
            "PIP_NO_INDEX": "1",
        }
        start = app.resolve() / START_FILES[platform.system()]
        super().__init__((str(start),), home / "work", variables, version_in(app))
        self.home = home

    def open(self) -> tuple[str, float]:
        """Open the start file without arguments, and end the workbench when it has shown a page.

        A program that writes the address down stands for the browser. On Windows, no browser is opened.

        Returns:
            The first page, and the seconds from the start until it was there.

        Raises:
            SystemExit: there is no first page, or the browser was not opened.
        """
        if os.name == "nt":
            return self.first_page("open", "--no-browser")
        recorder = self.home / "browser"
        recorder.write_text(_RECORDER, encoding="utf-8")
        recorder.chmod(0o755)
        self.variables["BROWSER"] = str(recorder)
        page, seconds = self.first_page()
        opened = (self.home / "opened").read_text(encoding="utf-8")
        if "/?token=" not in opened:
            raise SystemExit(f"the browser was opened with {opened}")
        return page, seconds


def version_in(app: Path) -> str:
    """Return the version that README.txt of a built folder states."""
    return (app / "README.txt").read_text(encoding="utf-8").split()[1]


def main() -> int:
    """Try the folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default="build/app/Semscale", type=Path)
    app = parser.parse_args().folder
    seconds = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        for _ in range(STARTS):
            page, duration = App(app, Path(tempfile.mkdtemp(dir=temporary))).open()
            check_page(page)
            seconds.append(duration)
        smoke_test(App(app, Path(tempfile.mkdtemp(dir=temporary))))
    shown = ", ".join(f"{value:.1f}" for value in seconds)
    sys.stdout.write(
        f"from the start to the first page: {shown} s, median {statistics.median(seconds):.1f} s\n"
    )
    sys.stdout.write("the demo and a file were rated\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
