"""Folders, size limits and the offline setting come from the environment."""

import pytest

from semscale.errors import InputError
from semscale.weights.folders import cache_cap, cache_root, is_offline, models_root


def test_the_cache_folder_can_be_set(monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
    assert cache_root() == tmp_path
    assert models_root() == tmp_path / "models"
    monkeypatch.setenv("SEMSCALE_CACHE", "~/mine")
    assert "~" not in str(cache_root())
    monkeypatch.delenv("SEMSCALE_CACHE")
    assert cache_root().name == "semscale"


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 2 * 1024**3),
        ("500MB", 500_000_000),
        (" 1.5 gb ", 1_500_000_000),
        ("2GiB", 2 * 1024**3),
        ("7B", 7),
        ("1TB", 10**12),
    ],
)
def test_sizes(monkeypatch, text, size):
    monkeypatch.setenv("SEMSCALE_CACHE_MAX", text)
    assert cache_cap() == size


@pytest.mark.parametrize("text", ["0B", "0.4B", "-1MB", "500", "much", "5iB", "1e3MB"])
def test_what_is_no_size(monkeypatch, text):
    monkeypatch.setenv("SEMSCALE_CACHE_MAX", text)
    with pytest.raises(InputError, match="SEMSCALE_CACHE_MAX must be a size above 0"):
        cache_cap()


@pytest.mark.parametrize(
    ("text", "offline"),
    [("1", True), (" Yes ", True), ("on", True), ("", False), ("0", False), ("no", False)],
)
def test_offline(monkeypatch, text, offline):
    monkeypatch.setenv("SEMSCALE_OFFLINE", text)
    assert is_offline() is offline
