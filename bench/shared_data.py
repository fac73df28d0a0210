"""Human-rated data that is not part of the repository, in the folder ``../shared/data``."""

import sys
from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared" / "data"


def shared_data(*path):
    """Return a path below ``shared/data``; if it is missing, print a message and exit with code 0."""
    wanted = SHARED.joinpath(*path)
    if not wanted.exists():
        relative, script = "/".join(("../shared/data", *path)), Path(sys.argv[0]).name
        print(f"skipped {script}: it needs {relative}, which is not part of the repository")
        sys.exit(0)
    return wanted
