"""Human-rated data that is not part of the repository: the folder ``shared/data`` beside the checkout."""

import sys
from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared" / "data"


def shared_data(*path):
    """Return a path below ``shared/data``; where it is missing, say so and exit with code 0."""
    wanted = SHARED.joinpath(*path)
    if not wanted.exists():
        relative, script = "/".join(("../shared/data", *path)), Path(sys.argv[0]).name
        print(f"skipped {script}: it needs {relative}, which is not part of the repository")
        sys.exit(0)
    return wanted
