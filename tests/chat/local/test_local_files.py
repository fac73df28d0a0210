"""Files of local chat models: which paths are models, and what a model is called."""

import hashlib

import pytest

from semscale.chat.local import LocalModel, find_local_model
from semscale.errors import ModelError


def test_a_gguf_file(tmp_path):
    path = tmp_path / "my model:1.gguf"
    path.write_bytes(b"weights")
    sha256 = hashlib.sha256(b"weights").hexdigest()
    assert find_local_model(str(path)) == LocalModel(path, "my_model_1", sha256, context=None)


def test_a_folder_exported_for_openvino(tmp_path):
    (tmp_path / "exported").mkdir()
    (tmp_path / "exported" / "openvino_model.bin").write_bytes(b"weights")
    found = find_local_model(str(tmp_path / "exported"))
    assert (found.path, found.name) == (tmp_path / "exported", "exported")


@pytest.mark.parametrize("name", ["missing.gguf", "model.safetensors", "."])
def test_what_is_no_local_model(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    with pytest.raises(ModelError, match="is no local chat model: give SmolLM2-135M-Instruct"):
        find_local_model(name)


def test_an_embedding_model_is_no_chat_model():
    with pytest.raises(ModelError, match="all-MiniLM-L6-v2 turns texts into vectors"):
        find_local_model("all-MiniLM-L6-v2")
