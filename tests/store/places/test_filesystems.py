"""Errors of services become one sentence, with a remedy and without secrets."""

import pytest

from semscale.errors import InputError, MissingExtraError, UnreachableError
from semscale.store.places import open_filesystem, reached

URL = "s3://ann:hidden@bucket/a.csv?key=hidden"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            FileNotFoundError("bucket/a.csv"),
            r"read \(it does not exist\); check the name, and that its bucket",
        ),
        (PermissionError("Forbidden"), r"read \(Forbidden\); check the credentials"),
        (TimeoutError(), r"read \(TimeoutError\); check the name, the network"),
        (ValueError(f"bad {URL}"), r"read \(bad s3://bucket/a.csv\?...\)"),
        (ValueError("x" * 500), r"x{200}\.\.\.\); check"),
    ],
)
def test_what_is_said(error, message):
    with pytest.raises(UnreachableError, match=message) as caught, reached(URL, "read"):
        raise error
    assert "hidden" not in str(caught.value)


def test_errors_of_semscale_pass():
    with pytest.raises(InputError, match="^another$"), reached(URL, "read"):
        raise InputError("another")


@pytest.mark.parametrize(
    ("url", "module", "error", "message"),
    [
        ("s3://b/x.csv", "s3fs", MissingExtraError, r'pip install "semscale\[cloud\]"'),
        ("gs://b/x.csv", "gcsfs", InputError, "gs://b/x.csv needs a package.*: pip install gcsfs"),
        ("az://b/x.csv", "adlfs", InputError, "az://b/x.csv needs a package.*: pip install adlfs"),
    ],
)
def test_a_package_that_is_missing_is_named(monkeypatch, url, module, error, message):
    def missing(*_, **__):
        raise ImportError(f"Install {module}")

    monkeypatch.setattr("fsspec.core.url_to_fs", missing)
    with pytest.raises(error, match=message):
        open_filesystem(url, "read")
