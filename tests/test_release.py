"""A wheel that is not fit for the package index is not published, and each reason is named."""

import zipfile

import pytest

import check_publishable

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
    """What the script lists for a wheel with such metadata and such a module."""

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
    assert problems(without) == ["pyproject.toml has no [project.urls] with Repository"]
    assert problems(METADATA.replace("https://host.example/rating.md", "docs/rating.md")) == [
        "README.md has relative links, which an index page cannot follow: docs/rating.md"
    ]


def test_the_changelog_has_the_date(problems):
    assert problems(changelog="## 1.2.0, unreleased\n") == ["CHANGELOG.md has no line '## 1.2.0, YYYY-MM-DD'"]


def test_messages_name_the_index(problems):
    module = MODULE.replace("True", "False")
    assert problems(module=module) == ["ON_INDEX is not True in src/semscale/version.py"]
