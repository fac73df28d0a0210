"""Where a history is, and what of it is shown."""

from pathlib import Path

import pytest

from semscale.errors import InputError
from semscale.store.databases.address import read_address


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ("history.sqlite", "history.sqlite"),
        (Path("a") / "history.sqlite", "a/history.sqlite"),
        ("sqlite:///history.sqlite", "history.sqlite"),
        ("sqlite:////srv/history.sqlite", "/srv/history.sqlite"),
    ],
)
def test_a_file(where, path):
    address = read_address(where)
    assert address.path == Path(path)
    assert address.url is None
    assert address.shown == str(Path(path))


def test_a_path_in_the_home_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ana")
    monkeypatch.setenv("USERPROFILE", "/home/ana")
    assert read_address("~/history.sqlite").path == Path("/home/ana/history.sqlite")


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+pg8000", "postgres"])
@pytest.mark.parametrize(
    ("rest", "shown"),
    [
        ("ana:s3cret@db.example.org:5433/team", "ana@db.example.org:5433/team"),
        ("ana:s3cret@/team?host=/run/s3cret", "ana@/team"),
        ("ana:p@s3cret?a:b/c@db/team?sslmode=require", "ana@db/team"),
        ("db/team?user=ana&password=s3cret", "db/team"),
        ("db/team?password=s3cret@home", "db/team@home"),
        ("db/team", "db/team"),
    ],
)
def test_no_password_is_shown(scheme, rest, shown):
    address = read_address(f"{scheme}://{rest}")
    assert address.path is None
    assert "s3cret" not in address.shown
    assert "s3cret" not in repr(address)
    assert address.shown == f"{scheme}://{shown}"


def test_another_server():
    with pytest.raises(InputError) as caught:
        read_address("mysql://ana:s3cret@db/team")
    assert str(caught.value).endswith("sqlite:///... or postgresql://..., got 'mysql://ana@db/team'")


@pytest.mark.parametrize("where", ["", " ", ":memory:", "sqlite:///", "sqlite:///:memory:"])
def test_nothing_that_lasts(where):
    with pytest.raises(InputError, match="must be a file on disk"):
        read_address(where)
