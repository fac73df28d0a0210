"""Write the repository's address into all files that need it, before the first release.

    python release/set_repository.py https://github.com/acme/semscale --site https://acme.example/semscale

The links and pictures of README.md become absolute, so that they work on the page of a package index. Running
it again changes nothing, and another address replaces the earlier one.
"""

import argparse
import re
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parent.parent
ADDRESS = re.compile(r"https://[\w.-]+/[\w./-]*\w")
SITE = re.compile(r"https://[\w.-]+(/[\w./-]*)?")
RELATIVE = re.compile(r"(?P<picture>!?)(?P<label>\[[^\]]*\])\((?!https?:|#)(?P<path>[^)\s]+)\)")
PLACEHOLDER = "OWNER/semscale"


def set_repository(root: Path, url: str, site: str | None = None) -> None:
    """Write the addresses.

    Args:
        root: folder of the checkout.
        url: address of the repository, without a slash at its end.
        site: address of the documentation; ``None`` for none.
    """
    pyproject = root / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    earlier = tomllib.loads(text)["project"].get("urls", {}).get("Repository")
    urls = {
        "Repository": url,
        **({"Documentation": site} if site else {}),
        "Changelog": f"{url}/blob/main/CHANGELOG.md",
        "Issues": f"{url}/issues",
    }
    table = "[project.urls]\n" + "".join(f'{name} = "{address}"\n' for name, address in urls.items())
    without = re.sub(r"^\[project\.urls\]\n(?:\w+ = .*\n)*\n", "", text, flags=re.MULTILINE)
    first, rest = without.split("[project.optional-dependencies]", 1)
    pyproject.write_text(f"{first}{table}\n[project.optional-dependencies]{rest}", encoding="utf-8")

    _set_line(root / "CITATION.cff", f'repository-code: "{url}"', after="license: ")
    zensical = root / "zensical.toml"
    _set_line(zensical, f'repo_url = "{url}"', after="site_description = ")
    if site:
        _set_line(zensical, f'site_url = "{site}"', after="site_description = ")

    readme = root / "README.md"
    for path in [readme, *_pages_with_placeholder(root)]:
        text = path.read_text(encoding="utf-8")
        if earlier:
            text = re.sub(rf"{re.escape(earlier)}(?=[/@])", url, text)
            text = text.replace(f"uses: {_name(earlier)}@", f"uses: {_name(url)}@")
        text = text.replace(f"https://github.com/{PLACEHOLDER}", url).replace(PLACEHOLDER, _name(url))
        if path == readme:
            text = RELATIVE.sub(
                lambda link: (
                    f"{link['picture']}{link['label']}"
                    f"({url}/{'raw' if link['picture'] else 'blob'}/main/{link['path']})"
                ),
                text,
            )
        path.write_text(text, encoding="utf-8")


def _pages_with_placeholder(root: Path) -> list[Path]:
    """List the pages and notebooks that may contain the placeholder for the address."""
    kinds = ("*.md", "*.yml", "*.ipynb")
    return [
        path
        for folder in ("docs/tutorials", "examples")
        for kind in kinds
        for path in root.glob(f"{folder}/**/{kind}")
    ]


def _name(url: str) -> str:
    """Return the owner and the name of a repository."""
    return urlsplit(url).path.strip("/")


def _set_line(path: Path, line: str, *, after: str) -> None:
    """Replace the line with the same key, or insert it below another one."""
    text = path.read_text(encoding="utf-8")
    key = re.match(r"[\w-]+", line)[0]
    without = re.sub(rf"^{key}\b.*\n", "", text, flags=re.MULTILINE)
    path.write_text(
        re.sub(rf"^{after}.*\n", lambda found: f"{found[0]}{line}\n", without, count=1, flags=re.MULTILINE),
        encoding="utf-8",
    )


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Check the addresses of the command line, and write them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url", help="address of the repository, such as https://github.com/acme/semscale")
    parser.add_argument("--site", help="address of the documentation")
    chosen = parser.parse_args(arguments)
    url = chosen.url.rstrip("/").removesuffix(".git")
    for name, address, pattern in (("URL", url, ADDRESS), ("--site", chosen.site, SITE)):
        if address is not None and not pattern.fullmatch(address):
            sys.stderr.write(
                f"{name} must be an https address such as https://github.com/acme/semscale, got {address!r}\n"
            )
            return 2
    set_repository(root, url, chosen.site)
    return 0


if __name__ == "__main__":
    sys.exit(main())
