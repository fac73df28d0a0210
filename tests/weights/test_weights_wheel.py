"""The wheel of a model's files that maintainers publish: equal bytes each time, and pip installs from it."""

import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.made_up_model import FILES, TINY, write_model

import weights_wheel
from semscale.errors import InputError
from semscale.weights import known, resolving
from semscale.weights.known import KNOWN, Wheel

CUSTOM_WHEEL = Wheel("semscale-tiny", "1.0", "semscale_tiny")


@pytest.fixture
def built(tmp_path) -> Path:
    files = write_model(tmp_path / "files")
    return weights_wheel.build_wheel(TINY, CUSTOM_WHEEL, files, "as you like", tmp_path / "first")


def test_equal_files_give_equal_bytes(built, tmp_path):
    again = weights_wheel.build_wheel(
        TINY, CUSTOM_WHEEL, write_model(tmp_path / "later"), "as you like", tmp_path / "second"
    )
    assert again.name == built.name == "semscale_tiny-1.0-py3-none-any.whl"
    assert again.read_bytes() == built.read_bytes()


def test_files_and_licences_are_inside(built):
    with zipfile.ZipFile(built) as archive:
        assert archive.read("semscale_tiny-1.0.dist-info/licenses/LICENSE") == b"as you like"
        assert {name: archive.read(f"semscale_tiny/{name}") for name in FILES} == FILES
        record = archive.read("semscale_tiny-1.0.dist-info/RECORD").decode().splitlines()
        assert {line.split(",")[0] for line in record} == set(archive.namelist())


@pytest.mark.exhaustive
def test_a_model_is_pulled_from_it_through_a_local_index(secluded, built, tmp_path, monkeypatch):
    page = tmp_path / "simple" / "semscale-tiny"
    page.mkdir(parents=True)
    built.rename(page / built.name)
    (page / "index.html").write_text(f'<a href="{built.name}">{built.name}</a>')
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "simple").as_uri())
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setitem(known.KNOWN, "tiny", replace(TINY, wheels=(CUSTOM_WHEEL, *TINY.wheels)))
    files = resolving.resolve("tiny")
    assert {name: (files.folder / name).read_bytes() for name in FILES} == FILES


def test_a_wheel_that_is_too_large_for_the_index_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(weights_wheel, "LARGEST", 1000)
    with pytest.raises(InputError, match=r"has [\d,]+ bytes, the package index takes 1,000"):
        weights_wheel.build_wheel(TINY, CUSTOM_WHEEL, write_model(tmp_path / "files"), "", tmp_path / "out")


def test_wheel_of_e5_small_is_its_first_listed_wheel():
    assert weights_wheel.own_wheel(KNOWN["e5-small"]) == KNOWN["e5-small"].wheels[0]
    assert (Path(weights_wheel.__file__).parent / "licences_e5-small.txt").read_text().count(
        "Copyright (c) 2023 Intfloat"
    ) == 1
    with pytest.raises(InputError, match="all-MiniLM-L6-v2 has no wheel of ours"):
        weights_wheel.own_wheel(KNOWN["all-MiniLM-L6-v2"])
