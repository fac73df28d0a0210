"""Where tables are written: files, folders and URLs are told apart, and checked before any work."""

from pathlib import Path

import pytest

from semscale.errors import InputError
from semscale.store.places import OutputPlace, check_target, refuse_folder, target_of


def test_what_is_a_file_a_folder_and_a_url(tmp_path):
    assert target_of("rated.csv") == Path("rated.csv")
    assert target_of(Path("rated")) == Path("rated")
    assert target_of(f"file://{tmp_path.as_posix()}/a%20b.csv") == tmp_path / "a b.csv"
    assert target_of("rated/") == OutputPlace("rated/", is_folder=True)
    assert target_of("s3://b/rated/") == OutputPlace("s3://b/rated/", is_folder=True)
    place = target_of("s3://key:hidden@b/rated.csv")
    assert (str(place), place.name, place.suffix) == ("s3://b/rated.csv", "rated.csv", ".csv")
    assert target_of("s3://b/rated/").suffix == ".parquet"


def test_a_folder_is_refused_where_one_file_is_written():
    refuse_folder(target_of("s3://b/rated.csv"))
    with pytest.raises(InputError, match="must be a file here, got the folder rated/"):
        refuse_folder(target_of("rated/"))


def test_places_that_cannot_be_written_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    check_target(target_of(f"{tmp_path}/new/"), "out")
    check_target(target_of("memory://bucket/rated/"), "out")
    for text, message in [
        (f"{tmp_path}/file/", "out must be a folder, but .* is a file"),
        (f"{tmp_path}/none/new/", "the folder .* does not exist"),
        ("https://localhost:1/rated.csv", "can only be read"),
    ]:
        with pytest.raises(InputError, match=message):
            check_target(target_of(text), "out")
