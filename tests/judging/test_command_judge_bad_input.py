"""What ``semscale judge`` cannot use: one line, and nobody is asked."""

import pytest

from semscale.cli.main import main

pytestmark = pytest.mark.needs("api")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--template", "lickert"), "unknown template 'lickert': did you mean 'likert'"),
        (("--order", "last"), "--order must be score-first, explanation-first or score-only, got 'last'"),
        (("--samples", "0"), "--samples must be between 1 and 1000, got 0"),
        (("--reference", "nown"), "known"),
        (("--human", "q"), "--human must be another column than --prompt, got 'q' for both"),
        (("--human", "known"), "--human: labels must be those of template 'likert', numbers from 1 to 5 or"),
        (("--rubric", "@nowhere.txt"), "--rubric: file 'nowhere.txt' cannot be read: "),
        (("--report", "judged.pdf"), "report must end in .html"),
        (("--inclusion", "known"), "--inclusion belongs to --human: name the column"),
        (("--per-minute", "0"), "--per-minute must be > 0, got 0"),
        (("--restart",), "--restart belongs to --out"),
        (("--part-rows", "0"), "--part-rows must be at least 1"),
        (("--panel", "panel.yaml"), "name a judge with --chat-model or several with --panel, got both"),
    ],
)  # fmt: skip
def test_bad_input_prints_a_single_line_and_exits_with_2(judge_command, capsys, more, message):
    assert main(judge_command(*more)) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1


def test_an_address_with_a_panel_is_refused_and_not_ignored(judge_command, capsys):
    assert main(judge_command(model=("--panel", "panel.yaml"))) == 2
    assert "write base_url for each model" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("judges: [{model: one}]", "a list of two or more"),
        ("[", "line 1: not readable as YAML"),
        ("judges: [{model: a, tempo: 1}, {model: b}]", "unknown setting of a judge 'tempo'"),
    ],
)
def test_a_wrong_panel_file_is_named(judge_command, tmp_path, capsys, content, message, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    panel = tmp_path / "panel.yaml"
    panel.write_text(content)
    assert main(judge_command(model=("--panel", str(panel)), url=False)) == 2
    assert message in capsys.readouterr().err


def test_without_a_key_nothing_is_asked(judge_command, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert main(judge_command(url=False)) == 2
    assert "OPENAI_API_KEY is not set" in capsys.readouterr().err
