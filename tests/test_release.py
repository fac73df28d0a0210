"""A wheel with problems is not published; the repository's address is set once."""

import re
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import check_publishable
import set_repository

ROOT = Path(__file__).parent.parent
URL, SITE = "https://host.example/acme/semscale", "https://acme.example/semscale/"

METADATA = """Metadata-Version: 2.4
Name: semscale
Version: 1.2.0
Project-URL: Repository, https://host.example/semscale

# Semscale

[ratings](https://host.example/rating.md), [install](#install)
"""
MODULE = """
__version__ = "1.2.0"

ON_INDEX = True
"""
CHANGELOG = "# Changelog\n\n## 1.2.0, 2026-12-01\n"


@pytest.fixture
def problems(tmp_path):
    """Return the script's problems for a wheel with some metadata and a module."""

    def check(metadata=METADATA, module=MODULE, changelog=CHANGELOG, tag="v1.2.0"):
        wheel = tmp_path / "semscale-1.2.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("semscale-1.2.0.dist-info/METADATA", metadata)
            archive.writestr("semscale/version.py", module)
        return check_publishable.problems(wheel, changelog, tag)

    return check


def test_a_complete_wheel_has_no_problem(problems):
    assert problems() == []


def test_the_tag_is_the_version(problems):
    assert problems(tag="v1.2.1") == ["the tag is v1.2.1, the wheel's version 1.2.0"]


def test_the_page_of_the_index_links_to_the_repository(problems):
    without = METADATA.replace("Project-URL: Repository", "Project-URL: Documentation")
    assert problems(without) == [
        "pyproject.toml has no [project.urls] with Repository: run python release/set_repository.py URL"
    ]
    assert problems(METADATA.replace("https://host.example/rating.md", "docs/rating.md")) == [
        "README.md has relative links, which an index page cannot follow, such as docs/rating.md: run "
        "python release/set_repository.py URL"
    ]


def test_the_changelog_has_the_date(problems):
    assert problems(changelog="## 1.2.0, unreleased\n") == ["CHANGELOG.md has no line '## 1.2.0, YYYY-MM-DD'"]


def test_messages_name_the_index(problems):
    module = MODULE.replace("True", "False")
    assert problems(module=module) == ["ON_INDEX is not True in src/semscale/version.py"]


@pytest.fixture
def checkout(tmp_path):
    """Return a copy of the files that contain the address of the repository."""
    folder = tmp_path / "checkout"
    for name in ("docs/tutorials", "examples"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("README.md", "pyproject.toml", "CITATION.cff", "zensical.toml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def metadata_of(checkout):
    """Return the metadata of a wheel of the checkout."""
    urls = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
    lines = "".join(f"Project-URL: {name}, {address}\n" for name, address in urls.items())
    return f"Name: semscale\nVersion: 1.2.0\n{lines}\n{(checkout / 'README.md').read_text('utf-8')}"


def test_the_address_is_written_into_every_file(checkout, problems):
    before = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))
    assert set_repository.main([f"{URL}.git", "--site", SITE], checkout) == 0
    messages = problems(metadata_of(checkout), MODULE.replace("True", "False"), "## 1.2.0, unreleased\n")
    assert messages == [
        "CHANGELOG.md has no line '## 1.2.0, YYYY-MM-DD'",
        "ON_INDEX is not True in src/semscale/version.py",
    ]
    pyproject = tomllib.loads((checkout / "pyproject.toml").read_text("utf-8"))
    assert pyproject["project"].pop("urls") == {
        "Repository": URL,
        "Documentation": SITE,
        "Changelog": f"{URL}/blob/main/CHANGELOG.md",
        "Issues": f"{URL}/issues",
    }
    before["project"].pop("urls", None)
    assert pyproject == before
    assert yaml.safe_load((checkout / "CITATION.cff").read_text("utf-8"))["repository-code"] == URL
    site = tomllib.loads((checkout / "zensical.toml").read_text("utf-8"))["project"]
    assert (site["repo_url"], site["site_url"]) == (URL, SITE)
    examples = contents(checkout / "examples")
    assert not [path for path, text in examples.items() if b"OWNER/semscale" in text]
    workflow = examples[checkout / "examples/drift/github-workflow.yml"].decode()
    assert f"git+{URL}@COMMIT" in workflow
    assert "uses: acme/semscale@COMMIT" in examples[checkout / "examples/drift/README.md"].decode()


def test_links_and_pictures_of_the_readme_lead_to_files_of_the_repository(checkout):
    set_repository.main([URL], checkout)
    readme = (checkout / "README.md").read_text("utf-8")
    pictures = re.findall(rf"!\[[^\]]*\]\({URL}/raw/main/([^)#]+)", readme)
    links = re.findall(rf"\]\({URL}/blob/main/([^)#]+)", readme)
    assert pictures == ["docs/browser/tour.webp"]
    assert "docs/rating.md" in links
    assert [path for path in links if not (ROOT / path).exists()] == []


def test_the_same_address_changes_nothing_and_another_address_replaces_it(checkout):
    set_repository.main([URL, "--site", SITE], checkout)
    once = contents(checkout)
    set_repository.main([f"{URL}/", "--site", SITE], checkout)
    assert contents(checkout) == once
    set_repository.main(["https://host.example/moved/semscale", "--site", SITE], checkout)
    assert not [path for path, text in contents(checkout).items() if b"acme/semscale" in text]


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["http://host.example/acme/semscale"], "URL"),
        (["host.example"], "URL"),
        ([URL, "--site", "ftp://acme.example"], "--site"),
    ],
)
def test_an_address_that_is_not_https_is_refused_in_a_single_line(checkout, capsys, arguments, name):
    before = contents(checkout)
    assert set_repository.main(arguments, checkout) == 2
    message = capsys.readouterr().err
    assert message == (
        f"{name} must be an https address such as https://github.com/acme/semscale, got {arguments[-1]!r}\n"
    )
    assert contents(checkout) == before
