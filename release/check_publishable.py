"""Checks that the built wheel can be published: the package index needs some metadata and files.

``python release/check_publishable.py FOLDER TAG``: the wheel of Semscale in FOLDER must have the version of
TAG, such as v0.1.0. All problems are listed, and the exit code is 1 if there is one.
"""

import argparse
import re
import sys
import zipfile
from email import message_from_string
from pathlib import Path

ROOT = Path(__file__).parent.parent
SET_REPOSITORY = "python release/set_repository.py URL"
RELATIVE_LINK = re.compile(r"\]\((?!https?://|#)([^)\s]+)\)")


def problems(wheel: Path, changelog: str, tag: str) -> list[str]:
    """List the problems that prevent a wheel from being published.

    Args:
        wheel: path of the wheel of Semscale.
        changelog: text of ``CHANGELOG.md``.
        tag: the release's tag, ``v`` and the version.

    Returns:
        One sentence per problem; empty if there is none.
    """
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = message_from_string(archive.read(path).decode())
        module = archive.read("semscale/version.py").decode()
    version = metadata["Version"]
    links = RELATIVE_LINK.findall(metadata.get_payload())
    dated = re.search(rf"^## {re.escape(version)}, \d{{4}}-\d\d-\d\d$", changelog, re.MULTILINE)
    checks = {
        f"the tag is {tag}, the wheel's version {version}": tag == f"v{version}",
        f"pyproject.toml has no [project.urls] with Repository: run {SET_REPOSITORY}": _has_repository(
            metadata.get_all("Project-URL")
        ),
        "README.md has relative links, which an index page cannot follow, such as "
        f"{', '.join(links[:3])}: run {SET_REPOSITORY}": not links,
        f"CHANGELOG.md has no line '## {version}, YYYY-MM-DD'": dated is not None,
        "ON_INDEX is not True in src/semscale/version.py": "\nON_INDEX = True\n" in module,
    }
    return [problem for problem, holds in checks.items() if not holds]


def _has_repository(urls: list[str] | None) -> bool:
    return any(re.match(r"repository, https://", url, re.IGNORECASE) for url in urls or ())


def main() -> int:
    """List the problems of the wheel in a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tag")
    chosen = parser.parse_args()
    (wheel,) = chosen.folder.glob("semscale-*.whl")
    lacking = problems(wheel, (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), chosen.tag)
    sys.stdout.writelines(f"not publishable: {problem}\n" for problem in lacking)
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
