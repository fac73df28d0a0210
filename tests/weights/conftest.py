"""A home of its own for every test: no cache, no hub, no package index."""

import os
from pathlib import Path

import huggingface_hub.constants
import pytest
from tests.support import made_up_model

from semscale.weights import known


@pytest.fixture
def secluded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache, a model nobody else knows, a hub that is switched off, and an empty package index."""
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("SEMSCALE_MODELS", "SEMSCALE_OFFLINE", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setitem(known.KNOWN, "tiny", made_up_model.TINY)
