"""URLs are told from paths, and shown without secrets."""

import pytest

from semscale.store.places import is_url, scheme_of, shown, url_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://b/x.parquet", True),
        ("https://h/x.csv", True),
        ("x.parquet", False),
        ("C:\\x.csv", False),
        ("folder/x://y", False),
        ("-", False),
    ],
)
def test_what_is_a_url(text, expected):
    assert is_url(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://key:SECRET@b/x.parquet", "s3://b/x.parquet"),
        ("https://ann:SEC@RET@h/x.csv", "https://h/x.csv"),
        ("https://h/x.csv?X-Amz-Signature=SECRET&a=1", "https://h/x.csv?..."),
        ("https://h/x.csv#SECRET", "https://h/x.csv?..."),
        ("https://u:SECRET@h?key=SECRET", "https://h?..."),
        (
            "no answer from https://u:SECRET@h/a?k=SECRET, tried twice",
            "no answer from https://h/a?... tried twice",
        ),
        ("'https://h/a?k=SECRET' failed", "'https://h/a?...' failed"),
        ("a@b.com is no URL", "a@b.com is no URL"),
        ("s3://b/a@b.parquet", "s3://b/a@b.parquet"),
    ],
)
def test_secrets_are_not_shown(text, expected):
    assert shown(text) == expected


def test_parts_of_a_url():
    assert scheme_of("GS://b/x") == "gs"
    assert url_name("https://u:p@h/a/b.csv?k=/c.csv") == "b.csv"
    assert url_name("s3://b/rated/") == "rated"
