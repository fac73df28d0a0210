"""Small random checkpoints and classifiers, and an empty cache."""

from pathlib import Path

import pytest
from tests.support.random_checkpoint import write_random_checkpoint
from tests.support.random_classifier import write_random_classifier

from semscale.embedding.cache import EmbeddingCache


@pytest.fixture
def write_checkpoint(tmp_path: Path):
    """Give a function that writes a random checkpoint of a family and returns its folder and weights."""

    def write(family: str, *, seed: int = 0, **settings: object) -> tuple[Path, dict]:
        folder = tmp_path / f"{family}-{seed}"
        return folder, write_random_checkpoint(folder, family, seed=seed, **settings)

    return write


@pytest.fixture
def write_classifier(tmp_path: Path):
    """Give a function that writes a random classifier of a family and returns its folder and weights."""

    def write(family: str, **settings: object) -> tuple[Path, dict]:
        folder = tmp_path / f"{family}-classifier-{len(list(tmp_path.iterdir()))}"
        return folder, write_random_classifier(folder, family, **settings)

    return write


@pytest.fixture
def cache(tmp_path: Path):
    """Give an empty cache in a folder that does not exist yet."""
    with EmbeddingCache(tmp_path / "folder") as opened:
        yield opened
