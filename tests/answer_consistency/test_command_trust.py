"""Addresses that a project's file, a panel or a study names get nothing before the user trusts them."""

import io
import json
import os
import sys
from pathlib import Path

import pytest
from tests.support.endpoint import misbehaving_endpoint

from semscale.trust import Recipient, trust_file

pytestmark = pytest.mark.needs("api")

SECRET = "wJalrXUtnFEMI-K7MDENG"
TABLE = "question,answer\nWhen was Hastings?,In 1066.\n"
JUDGE = ("judge", "answers.csv", "--prompt", "question", "--answer", "answer", "--samples", "1")
RATE = ("rate", "answers.csv", "--text", "answer", "--scale", "quality", "--floor", "none")


@pytest.fixture
def cloned(tmp_path, monkeypatch):
    """Work in a folder that somebody else wrote."""
    for name in ("SEMSCALE_LEDGER", "SEMSCALE_HISTORY", "OPENAI_BASE_URL", "OPENAI_API_KEY", "PGPASSWORD"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    folder = tmp_path / "cloned"
    folder.mkdir()
    (folder / "answers.csv").write_text(TABLE)
    return folder


@pytest.fixture
def run(semscale, cloned, monkeypatch):
    """Run a command in the folder."""

    def run_there(*arguments, folder=cloned):
        monkeypatch.chdir(folder)
        return semscale(*arguments)

    return run_there


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as server:
        server.reply = lambda asked: '{"score": 5, "explanation": "right"}'
        yield server


class Terminal(io.StringIO):
    """A stream of a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def type_in(monkeypatch):
    """Let a user type lines at a terminal."""

    def type_lines(text):
        monkeypatch.setattr(sys, "stdin", Terminal(text))
        monkeypatch.setattr(sys, "stderr", Terminal())

    return type_lines


def chat(endpoint, variable=None):
    key = f'chat-key-variable = "{variable}"\n' if variable else ""
    return f'chat-model = "m"\nchat-url = "{endpoint.url}"\n{key}'


class TestEndpoints:
    def test_a_variable_is_sent_to_no_address_that_is_not_trusted(self, run, cloned, endpoint):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        ended = run(*JUDGE)
        assert ended.code == 2
        assert f"with the value of AWS_SECRET_ACCESS_KEY to {endpoint.url}" in ended.err
        assert "run semscale config trust" in ended.err
        assert not endpoint.requests

    def test_after_trust_all_commands_send_the_key_and_announce_it(self, run, cloned, endpoint):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        shown = run("config", "trust").out
        assert f"with the value of AWS_SECRET_ACCESS_KEY to {endpoint.url}" in shown
        for _ in range(2):
            ended = run(*JUDGE)
            assert ended.code == 0, ended.err
            assert "note: prompts are sent with the value of AWS_SECRET_ACCESS_KEY" in ended.err
        assert {headers["authorization"] for _, headers, _ in endpoint.requests} == {f"Bearer {SECRET}"}

    @pytest.mark.parametrize(
        "change",
        [
            lambda text: text.replace("AWS_SECRET_ACCESS_KEY", "HOME"),
            lambda text: text.replace("/v1", "/v2"),
        ],
    )
    def test_a_changed_variable_or_address_needs_new_trust(self, run, cloned, endpoint, change):
        file = cloned / "semscale.toml"
        file.write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        assert run("config", "trust").code == 0
        file.write_text(change(file.read_text()))
        assert run(*JUDGE).code == 2
        assert not endpoint.requests

    def test_trust_covers_files_of_a_single_folder(self, run, cloned, endpoint):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        assert run("config", "trust").code == 0
        other = cloned.with_name("other")
        other.mkdir()
        for name in ("semscale.toml", "answers.csv"):
            (other / name).write_text((cloned / name).read_text())
        assert run(*JUDGE, folder=other).code == 2
        assert not endpoint.requests

    def test_removed_trust_is_gone(self, run, cloned, endpoint):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        run("config", "trust")
        assert endpoint.url in run("config", "trust", "--list").out
        run("config", "trust", "--remove")
        assert endpoint.url not in run("config", "trust", "--list").out
        assert run(*JUDGE).code == 2

    def test_a_variable_of_the_command_line_is_not_sent_to_an_address_of_the_file(
        self, run, cloned, endpoint
    ):
        (cloned / "semscale.toml").write_text(chat(endpoint))
        ended = run(*JUDGE, "--chat-key-variable", "AWS_SECRET_ACCESS_KEY")
        assert (ended.code, len(endpoint.requests)) == (2, 0)

    def test_an_address_of_the_command_line_needs_no_trust(self, run, cloned, endpoint):
        (cloned / "semscale.toml").write_text('chat-model = "m"\n')
        assert run(*JUDGE, "--chat-url", endpoint.url).code == 0

    def test_a_remote_address_without_a_key_needs_trust(self, run, cloned):
        (cloned / "semscale.toml").write_text(
            'chat-model = "m"\nchat-url = "https://models.example.org/v1"\n'
        )
        assert "without a key to https://models.example.org/v1" in run(*JUDGE).err

    def test_pyproject_is_no_other_file(self, run, cloned, endpoint):
        text = f"[tool.semscale]\n{chat(endpoint, 'AWS_SECRET_ACCESS_KEY')}"
        (cloned / "pyproject.toml").write_text(text)
        assert run(*JUDGE).code == 2
        assert not endpoint.requests


class TestEmbedding:
    def test_texts_are_sent_to_no_address_that_is_not_trusted(self, run, cloned):
        (cloned / "semscale.toml").write_text(
            'engine = "api"\nembedder = "e"\nembedder-url = "https://models.example.org/v1"\n'
            'embedder-key-variable = "AWS_SECRET_ACCESS_KEY"\n'
        )
        ended = run(*RATE)
        assert ended.code == 2
        assert (
            "texts would be sent with the value of AWS_SECRET_ACCESS_KEY to https://models.exa" in ended.err
        )

    def test_the_engine_alone_sends_no_texts_to_the_usual_endpoint(self, run, cloned, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)
        (cloned / "semscale.toml").write_text('engine = "api"\nembedder = "text-embedding-3-small"\n')
        ended = run(*RATE)
        assert ended.code == 2
        assert "with the value of OPENAI_API_KEY to https://api.openai.com/v1" in ended.err
        assert "https://api.openai.com/v1" in run("config", "trust").out
        assert run(*RATE).code == 0

    @pytest.mark.exhaustive
    def test_agents_tools_do_not_start_with_it(self, run, cloned):
        pytest.importorskip("mcp")
        (cloned / "semscale.toml").write_text(
            'engine = "api"\nembedder-url = "https://models.example.org/v1"\n'
        )
        assert "you do not trust yet" in run("mcp").err


class TestDatabases:
    @pytest.mark.parametrize("name", ["ledger", "history"])
    def test_a_server_gets_no_password_before_it_is_trusted(self, run, cloned, name, endpoint):
        url = "postgresql://ann@localhost:1/team?host=db.example.org"
        (cloned / "semscale.toml").write_text(f'{name} = "{url}"\n')
        command = (*JUDGE, "--chat-model", "m", "--chat-url", endpoint.url)
        ended = run(*(("drift", "history") if name == "history" else command))
        assert ended.code == 2
        assert f"with the value of PGPASSWORD to {url}" in ended.err
        assert not endpoint.requests


class TestOtherFiles:
    def test_a_panel_gets_no_variable_before_it_is_trusted(self, run, cloned, endpoint):
        judges = [
            {"model": name, "base_url": endpoint.url, "key_variable": "AWS_SECRET_ACCESS_KEY"}
            for name in "ab"
        ]
        (cloned / "panel.yaml").write_text(json.dumps({"judges": judges}))
        ended = run(*JUDGE, "--panel", "panel.yaml")
        assert (ended.code, len(endpoint.requests)) == (2, 0)
        assert "run semscale config trust panel.yaml" in ended.err
        assert run("config", "trust", "panel.yaml").code == 0
        assert run(*JUDGE, "--panel", "panel.yaml").code == 0

    def test_a_file_without_addresses_is_named(self, run, cloned):
        (cloned / "panel.yaml").write_text("judges: [{model: a}, {model: b}]")
        assert run("config", "trust", "panel.yaml").out == "panel.yaml names no address\n"

    def test_without_a_settings_file_the_command_names_it(self, run, cloned):
        assert "there is no semscale.toml in this folder or above" in run("config", "trust").err


class TestTerminal:
    def test_a_new_address_is_asked_for_once(self, run, cloned, endpoint, type_in):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        type_in("y\n")
        assert run(*JUDGE).code == 0
        asked = sys.stderr.getvalue()
        assert f"would be sent with the value of AWS_SECRET_ACCESS_KEY to {endpoint.url}" in asked
        assert f"trust it in files of {cloned}? [y/N]" in asked
        type_in("")
        assert run(*JUDGE).code == 0

    @pytest.mark.parametrize("answer", ["n\n", "\n", ""])
    def test_any_answer_but_yes_sends_nothing(self, run, cloned, endpoint, type_in, answer):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        type_in(answer)
        assert run(*JUDGE).code == 2
        assert not endpoint.requests

    def test_text_that_is_piped_in_is_no_answer(self, run, cloned, endpoint, monkeypatch):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
        assert run(*JUDGE).code == 2
        assert not endpoint.requests


class TestStoredAnswers:
    def test_they_are_outside_of_the_project_and_private(self, run, cloned, endpoint):
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        before = sorted(cloned.iterdir())
        run("config", "trust")
        assert sorted(cloned.iterdir()) == before
        stored = trust_file()
        assert SECRET not in stored.read_text()
        assert os.name == "nt" or stored.stat().st_mode & 0o077 == 0

    @pytest.mark.parametrize("content", ["[", "[1]", '[{"folder": 1}]', "{}x", "[" * 10_000])
    def test_a_damaged_file_prints_a_single_line(self, run, cloned, endpoint, content):
        stored = trust_file()
        stored.parent.mkdir(parents=True)
        stored.write_text(content)
        (cloned / "semscale.toml").write_text(chat(endpoint, "AWS_SECRET_ACCESS_KEY"))
        ended = run(*JUDGE)
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert f"{stored} cannot be read" in ended.err
        assert not endpoint.requests


@pytest.mark.parametrize(
    ("address", "harmless"),
    [
        ("http://localhost:11434/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://[::1]:80/v1", True),
        ("http://localhost.example.org/v1", False),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://localhost@example.org/v1", False),
        ("http://example.org\\@localhost/v1", False),
        ("http://0.0.0.0:80/v1", False),
        ("http://LOCALHOST.:80/v1", False),
        ("http://localhost:80/v1?to=example.org", False),
        ("http://10.0.0.1/v1", False),
        ("postgresql://localhost/team", False),
    ],
)
def test_only_this_machine_needs_no_trust_and_only_without_a_key(address, harmless):
    assert Recipient(address).is_harmless is harmless
    assert not Recipient(address, "KEY").is_harmless


def test_an_address_is_shown_without_look_alikes_and_commands_to_the_terminal():
    shown = str(Recipient("https://api.open\u0430i.com/v1\x1b[2K"))
    assert shown == "without a key to https://api.open\\u0430i.com/v1\\x1b[2K"


def test_the_settings_folder_is_not_the_working_folder():
    assert Path.cwd() not in trust_file().parents
