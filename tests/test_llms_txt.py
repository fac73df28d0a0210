"""llms.txt: every page of the site, by section, with a description, for language models."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NAVIGATION = (ROOT / "zensical.toml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "release" / "tutorials.py", "pages"], check=True)
    subprocess.run([sys.executable, ROOT / "release" / "llms_txt.py", folder], check=True)
    return folder


def test_the_head_is_title_and_summary(site):
    head = (site / "llms.txt").read_text(encoding="utf-8").splitlines()[:4]
    assert head[:2] == ["# Semscale", ""]
    assert head[2].startswith("> Measure what free text means")


def test_pages_have_a_line_with_a_markdown_link_and_a_description(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    links = re.findall(r"^- \[[^\]]+\]\(([^)]+)\): \S.{20,}$", text, re.MULTILINE)
    assert links == re.findall(r'"([\w/]+\.md)"', NAVIGATION)
    assert len(links) == text.count("\n- ")
    assert all((site / link).read_bytes() == (ROOT / "docs" / link).read_bytes() for link in links)


def test_sections_are_those_of_the_navigation_and_the_last_is_optional(site):
    sections = re.findall(r"^## (.+)$", (site / "llms.txt").read_text(encoding="utf-8"), re.MULTILINE)
    named = [next(iter(entry)) for entry in tomllib.loads(NAVIGATION)["project"]["nav"]]
    assert sections == [*named[:-1], "Optional"]


def test_a_page_is_described_by_its_first_sentences(site):
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert (
        "- [Give an agent tools](mcp.md): `semscale mcp` offers Semscale's functions as tools of the Model "
        "Context Protocol, so that an assistant or a coding agent can measure texts while it works. " in text
    )


def test_the_full_text_has_all_pages(site):
    full = (site / "llms-full.txt").read_text(encoding="utf-8")
    assert all(
        (ROOT / "docs" / page).read_text(encoding="utf-8").strip() in full for page in ("mcp.md", "rating.md")
    )
