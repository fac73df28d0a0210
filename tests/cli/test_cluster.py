"""What ``--ray`` refuses before any model is loaded, and without a cluster."""

import pytest

from semscale.cli.main import main


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("text,other\ngood,fine\nbad,poor\n")
    return str(path)


def refused(capsys, *words):
    assert main(list(words)) == 2
    return capsys.readouterr().err


def test_options_of_a_cluster_belong_to_one(answers, capsys):
    line = ["rate", answers, "--text", "text", "--scale", "quality"]
    assert "--actors belongs to --ray, which is not given" in refused(capsys, *line, "--actors", "2")
    found = refused(capsys, *line, "--gpus-per-actor", "1", "--actors", "2")
    assert "--actors, --gpus-per-actor belong to --ray" in found.replace(" and ", ", ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--actors", "0"], "--actors must be >= 1, got 0"),
        (["--gpus-per-actor", "-1"], "--gpus-per-actor must be >= 0, got -1"),
        (["--text", "other"], "--ray belongs to one --text, got 2"),
    ],
)
def test_settings_that_do_not_serve_are_refused(words, message, answers, capsys):
    line = ["rate", answers, "--text", "text", "--scale", "quality", "--ray", "auto"]
    assert message in refused(capsys, *line, *words)


def test_gpus_belong_to_an_engine_that_uses_them(answers, capsys):
    line = ["match", answers, "--prediction", "text", "--reference", "other", "--method", "cosine"]
    found = refused(capsys, *line, "--ray", "auto", "--gpus-per-actor", "1")
    assert "--gpus-per-actor belongs to --engine torch, got --engine openvino" in found


def test_an_empty_address_is_refused(answers, capsys):
    found = refused(capsys, "rate", answers, "--text", "text", "--scale", "quality", "--ray", " ")
    assert "--ray must be HOST:PORT, auto or local, got an empty text" in found


@pytest.mark.needs("ray")
@pytest.mark.parametrize(
    "words",
    [
        ["rate", "--scale", "quality", "--method", "decision", "--chat-model", "no-such-model"],
        ["embed", "--out", "vectors.parquet"],
    ],
)
def test_a_cluster_that_is_not_there_is_said_before_a_model_is_loaded(words, answers, capsys):
    line = [words[0], answers, "--text", "text", *words[1:], "--embedder", "no/such-folder"]
    assert "--ray: no Ray cluster answers at 127.0.0.1:9" in refused(capsys, *line, "--ray", "127.0.0.1:9")


@pytest.mark.needs("ray")
def test_a_cluster_that_is_not_there_is_one_line(answers, capsys, tmp_path):
    line = ["match", answers, "--prediction", "text", "--reference", "other", "--method", "cosine"]
    # Port 9 (discard) of this machine: nothing listens there.
    found = refused(capsys, *line, "--ray", "127.0.0.1:9", "--out", str(tmp_path / "out.csv"))
    assert found.count("\n") == 1
    assert "--ray: no Ray cluster answers at 127.0.0.1:9" in found
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]
