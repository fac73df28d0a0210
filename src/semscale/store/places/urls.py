"""What a URL is, and how it is shown without the secrets in it."""

import re
from urllib.parse import urlsplit

_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+)://")
_WITH_USER = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+://)[^/\s@]*(?:@[^/\s@]*)*@")
_QUERY = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]+://[^\s?#]*)[?#][^\s'\"]*")


def is_url(text: str) -> bool:
    """Tell whether a text begins like a URL; a path with a drive of Windows does not.

    Example:
        >>> is_url("s3://bucket/rated.parquet"), is_url("rated.parquet")
        (True, False)
    """
    return _URL.match(text) is not None


def scheme_of(url: str) -> str:
    """Return the scheme of a URL in small letters.

    Example:
        >>> scheme_of("S3://bucket/rated.parquet")
        's3'
    """
    return urlsplit(url).scheme.lower()


def shown(text: str) -> str:
    """Leave out of a text what may be secret in its URLs: user, password, query and fragment.

    Every message, report, signature, progress and file of a run that names a URL names it by this function.

    Args:
        text: a URL, or a message that contains some.

    Example:
        >>> shown("https://ann:pass@host/answers.csv?X-Amz-Signature=1f")
        'https://host/answers.csv?...'
        >>> shown("s3://bucket/rated.parquet")
        's3://bucket/rated.parquet'
    """
    return _QUERY.sub(r"\1?...", _WITH_USER.sub(r"\1", text))


def without_secrets_of(url: str, words: str) -> str:
    """Leave out of a message what is secret in a URL, also where only a piece of the URL stands in it.

    Args:
        url: the URL that failed.
        words: what a library says of it.

    Example:
        >>> without_secrets_of("s3://ann:pass@b/x", "Invalid bucket name 'ann:pass@b'")
        "Invalid bucket name '...@b'"
    """
    parts = urlsplit(url)
    user = parts.netloc.rpartition("@")[0]
    secrets = [user, *user.split(":", 1)[1:], parts.query, parts.fragment]
    secrets += [value for _, _, value in (pair.partition("=") for pair in parts.query.split("&"))]
    found = shown(words)
    for secret in sorted({each for each in secrets if each}, key=len, reverse=True):
        found = found.replace(secret, "...")
    return found


def url_name(url: str) -> str:
    """Return the last part of a URL's path, without its query; of a folder that of the folder.

    Example:
        >>> url_name("https://host/files/answers.csv?key=1")
        'answers.csv'
        >>> url_name("s3://bucket/rated/")
        'rated'
    """
    path = _QUERY.sub(r"\1", url).rstrip("/")
    return path.rpartition("/")[2]
