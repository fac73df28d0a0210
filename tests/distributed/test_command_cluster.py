"""What ``--ray`` refuses before any model is loaded, and without a cluster."""

import pytest

from semscale.cli.main import main


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("text,other\ngood,fine\nbad,poor\n")
    return str(path)


def refused(capsys, *arguments):
    assert main(list(arguments)) == 2
    return capsys.readouterr().err


def test_options_of_a_cluster_need_a_cluster(answers, capsys):
    line = ["rate", answers, "--text", "text", "--scale", "quality"]
    assert "--actors belongs to --ray, which is not given" in refused(capsys, *line, "--actors", "2")
    message = refused(capsys, *line, "--gpus-per-actor", "1", "--actors", "2")
    assert "--actors, --gpus-per-actor belong to --ray" in message.replace(" and ", ", ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--actors", "0"], "--actors must be >= 1, got 0"),
        (["--gpus-per-actor", "-1"], "--gpus-per-actor must be >= 0, got -1"),
        (["--text", "other"], "--ray belongs to one --text, got 2"),
    ],
)
def test_settings_that_do_not_serve_are_refused(arguments, message, answers, capsys):
    line = ["rate", answers, "--text", "text", "--scale", "quality", "--ray", "auto"]
    assert message in refused(capsys, *line, *arguments)


def test_gpus_belong_to_an_engine_that_uses_them(answers, capsys):
    line = ["match", answers, "--prediction", "text", "--reference", "other", "--method", "cosine"]
    message = refused(capsys, *line, "--ray", "auto", "--gpus-per-actor", "1")
    assert "--gpus-per-actor belongs to --engine torch, got --engine openvino" in message


def test_an_empty_address_is_refused(answers, capsys):
    message = refused(capsys, "rate", answers, "--text", "text", "--scale", "quality", "--ray", " ")
    assert "--ray must be HOST:PORT, auto or local, got an empty text" in message


@pytest.mark.needs("ray")
@pytest.mark.parametrize(
    "arguments",
    [
        ["rate", "--scale", "quality", "--method", "decision", "--chat-model", "no-such-model"],
        ["embed", "--out", "vectors.parquet"],
    ],
)
def test_an_unreachable_cluster_is_reported_before_a_model_is_loaded(arguments, answers, capsys):
    line = [arguments[0], answers, "--text", "text", *arguments[1:], "--embedder", "no/such-folder"]
    assert "--ray: no Ray cluster answers at 127.0.0.1:9" in refused(capsys, *line, "--ray", "127.0.0.1:9")


@pytest.mark.needs("ray")
def test_an_unreachable_cluster_is_reported_in_a_single_line(answers, capsys, tmp_path):
    line = ["match", answers, "--prediction", "text", "--reference", "other", "--method", "cosine"]
    # Port 9 (discard) of this machine: nothing listens there.
    message = refused(capsys, *line, "--ray", "127.0.0.1:9", "--out", str(tmp_path / "out.csv"))
    assert message.count("\n") == 1
    assert "--ray: no Ray cluster answers at 127.0.0.1:9" in message
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]
