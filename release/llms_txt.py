"""Write llms.txt, the list of the documentation's pages for language models, into the built site.

    python release/llms_txt.py site

Pages and sections come from the navigation in zensical.toml, and the description of a page is its first two
sentences. The pages are copied as Markdown, and llms-full.txt has all of them in one file.

References:
    https://llmstxt.org
"""

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
OPTIONAL = "Contributing"  # the section that a reader with little context can skip


def write(site: Path) -> None:
    """Write llms.txt, llms-full.txt and the Markdown of all pages to a folder."""
    project = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    lines = [f"# {project['site_name']}", "", f"> {project['site_description']}"]
    texts = []
    for entry in project["nav"]:
        ((section, pages),) = entry.items()
        lines += ["", f"## {'Optional' if section == OPTIONAL else section}", ""]
        for title, page in pages_of(pages):
            text = (DOCS / page).read_text(encoding="utf-8")
            lines.append(f"- [{title or heading(text)}]({page}): {opening(text)}")
            texts.append(text.strip())
            copy = site / page
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(DOCS / page, copy)
    (site / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (site / "llms-full.txt").write_text("\n\n".join(texts) + "\n", encoding="utf-8")


def pages_of(pages: list[Any]) -> Iterator[tuple[str | None, str]]:
    """Yield the file of each page of a section, with its title if the navigation has one."""
    for page in pages:
        if isinstance(page, str):
            yield None, page
            continue
        ((title, content),) = page.items()
        if isinstance(content, list):
            yield from pages_of(content)
        else:
            yield title, content


def heading(text: str) -> str:
    """Return the title of a page."""
    return text.partition("\n")[0].removeprefix("# ").strip()


def opening(text: str) -> str:
    """Return the first two sentences of a page's first paragraph, without links."""
    paragraphs = (" ".join(block.split()) for block in re.split(r"\n\s*\n", text))
    prose = next(block for block in paragraphs if re.match(r"[\w*\[]|`(?!``)", block))
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", prose)
    return " ".join(re.split(r"(?<=[.?!])\s", plain)[:2]).removesuffix(":")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
