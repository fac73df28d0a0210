"""``semscale models`` as a user types it."""

import hashlib
import os

import pytest

from semscale.cli.main import main
from semscale.weights import known

FILES = {"config.json": b"{}", "model.safetensors": b"made-up weights"}
SUMS = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}


@pytest.fixture(autouse=True)
def model(monkeypatch, tmp_path):
    """A small known model whose files lie in a folder, and an empty cache."""
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    monkeypatch.delenv("SEMSCALE_MODELS", raising=False)
    monkeypatch.setitem(
        known.KNOWN, "tiny", known.KnownModel("tiny", "some/tiny", "abc", SUMS, 17_000_000, "MIT", "made up")
    )
    folder = tmp_path / "given"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    return folder


def test_list_shows_known_and_installed_models(capsys, model):
    assert main(["models", "list"]) == 0
    before = capsys.readouterr().out
    main(["models", "pull", "tiny", "--from", str(model)])
    capsys.readouterr()
    assert main(["models", "list"]) == 0
    shown = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in shown.splitlines()}
    assert rows["tiny"] == ["yes", "17", "MB", "MIT", "made", "up"]
    assert rows["all-MiniLM-L6-v2"][:5] == ["no", "91", "MB", "Apache-2.0", "English,"]
    assert "on this processor, --precision computes exact in float32, fast in " in shown
    assert rows["cross-encoder/nli-MiniLM2-L6-H768"][:3] == ["no", "Apache-2.0", "English,"]
    assert rows["MoritzLaurer/multilingual-MiniLMv2-L6-mnli-xnli"][:2] == ["no", "MIT"]
    assert ["tiny", "no"] in [line.split()[:2] for line in before.splitlines()]


def test_pull_path_verify(capsys, model, tmp_path):
    assert main(["models", "pull", "tiny", "--from", str(model)]) == 0
    home = tmp_path / "cache/models/tiny"
    assert (
        f"tiny is in {home} (SHA-256 {SUMS['model.safetensors'][:12]}..., as pinned)"
        in capsys.readouterr().out
    )
    assert main(["models", "path", "some/tiny"]) == 0
    assert capsys.readouterr().out == f"{home}\n"
    assert main(["models", "verify"]) == 0
    assert capsys.readouterr().out == "tiny: all files are as pinned\n"


def test_verify_exits_with_2_and_a_single_line_that_names_the_file(capsys, model, tmp_path):
    main(["models", "pull", "tiny", "--from", str(model)])
    path = tmp_path / "cache/models/tiny/model.safetensors"
    seen = path.stat()
    path.write_bytes(b"made-up weightz")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    capsys.readouterr()
    assert main(["models", "verify", "tiny"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert f"{path} has SHA-256" in err
    assert main(["models", "pull", "tiny", "--from", str(model)]) == 0  # the remedy the line gives
    assert main(["models", "verify", "tiny"]) == 0


@pytest.mark.parametrize("command", ["path", "verify"])
def test_model_that_was_not_pulled(capsys, command):
    assert main(["models", command, "tiny"]) == 2
    assert "tiny is not on this disk: semscale models pull tiny" in capsys.readouterr().err


def test_verify_with_nothing_here(capsys):
    assert main(["models", "verify"]) == 0
    assert (
        capsys.readouterr().out == "no model on this disk yet: semscale models pull brings the default ones\n"
    )


def test_pull_without_any_source_prints_a_single_line(capsys):
    assert main(["models", "pull", "tiny"]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert (
        "tiny is available from no source (Hugging Face hub: not contacted, SEMSCALE_OFFLINE is set)" in err
    )


def test_pull_of_an_unknown_name(capsys):
    assert main(["models", "pull", "tinny"]) == 2
    assert "did you mean 'tiny'" in capsys.readouterr().err


def test_path_without_a_name_is_that_of_the_default_model(capsys):
    # Not on this disk, so the message must name it.
    assert main(["models", "path"]) == 2
    assert "all-MiniLM-L6-v2" in capsys.readouterr().err


def test_pull_without_a_name_brings_both_default_models(capsys, model, monkeypatch):
    for name, default in (("tiny", "DEFAULT_RATING_MODEL"), ("small", "DEFAULT_MODEL")):
        known_model = known.KnownModel(name, f"some/{name}", "abc", SUMS, 17_000_000, "MIT", "made up")
        monkeypatch.setitem(known.KNOWN, name, known_model)
        monkeypatch.setattr(known, default, name)
    assert main(["models", "pull", "--from", str(model)]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["tiny", "small"]


def test_the_help_of_pull_says_how_large_the_default_models_are(capsys):
    main(["models", "pull", "--help"])
    printed = " ".join(capsys.readouterr().out.replace("│", " ").split())
    for name in (known.DEFAULT_RATING_MODEL, known.DEFAULT_MODEL):
        assert f"{name} ({known.KNOWN[name].size / 1e6:.0f} MB)" in printed


@pytest.mark.parametrize("command", ["path", "verify", "pull"])
def test_an_unknown_name_does_not_suggest_models_pull(capsys, command):
    assert main(["models", command, "nosuch"]) == 2
    err = capsys.readouterr().err
    assert "model 'nosuch' is neither a known name, nor a folder, nor organisation/name" in err
    assert "models pull" not in err
