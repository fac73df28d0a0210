"""``semscale.toml``, ``--set`` and ``semscale config``, and what a folder of somebody else cannot do."""

import json
import os

import pytest
from tests.support.endpoint import misbehaving_endpoint

KEY = "sk-the-users-own-secret"
TABLE = "question,answer\nWhen was Hastings?,In 1066.\n"
JUDGE = ("judge", "answers.csv", "--prompt", "question", "--answer", "answer")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Write the project's file; commands run in a folder below it."""
    for name in ("SEMSCALE_LEDGER", "SEMSCALE_HISTORY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project" / "survey"
    folder.mkdir(parents=True)
    (folder / "answers.csv").write_text(TABLE)

    def write(text, name="semscale.toml"):
        (folder.parent / name).write_text(text)
        monkeypatch.chdir(folder)
        return folder.parent / name

    return write


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as result:
        result.reply = lambda asked: '{"score": 5, "explanation": "right"}'
        yield result


def keys(endpoint):
    """Return the keys that were sent."""
    return {headers.get("authorization") for _, headers, _ in endpoint.requests}


def settings(semscale, *arguments):
    return json.loads(semscale("config", "--json", *arguments).out)["settings"]


class TestPrecedence:
    def test_every_setting_has_a_value_and_an_origin(self, semscale, project, monkeypatch):
        file = project('precision = "fast"\nconcurrency = 4\nledger = "replies.sqlite"\ncache = false\n')
        monkeypatch.setenv("SEMSCALE_HISTORY", "postgresql://ann:s3cret@db/team")
        result = settings(semscale, "--set", "concurrency=8")
        assert result["precision"] == {"value": "fast", "origin": str(file)}
        assert result["concurrency"] == {"value": 8, "origin": "--set"}
        assert result["cache"] == {"value": False, "origin": str(file)}
        assert result["ledger"] == {"value": str(file.parent / "replies.sqlite"), "origin": str(file)}
        assert result["engine"] == {"value": "openvino", "origin": "default"}
        assert result["history"]["origin"] == "environment SEMSCALE_HISTORY"
        assert "s3cret" not in json.dumps(result)

    def test_a_variable_overrides_the_file_and_set_overrides_it(self, semscale, project, monkeypatch):
        project('ledger = "replies.sqlite"\n')
        monkeypatch.setenv("SEMSCALE_LEDGER", "mine.sqlite")
        assert settings(semscale)["ledger"]["origin"] == "environment SEMSCALE_LEDGER"
        stated = settings(semscale, "--set", "ledger=other.sqlite")["ledger"]
        assert stated == {"value": "other.sqlite", "origin": "--set"}

    def test_pyproject_has_a_table_and_the_nearest_file_counts(self, semscale, project):
        project('[project]\nname = "x"\n[tool.semscale]\nprecision = "fast"\n', "pyproject.toml")
        assert settings(semscale)["precision"]["value"] == "fast"
        project('precision = "turbo"\n')
        assert settings(semscale)["precision"]["value"] == "turbo"

    def test_commands_use_the_file_and_options_override_it(self, semscale, project, asked_models):
        project('embedder = "some/model"\n')
        rate = ("rate", "answers.csv", "--text", "answer", "--scale", "quality", "--floor", "none")
        assert semscale(*rate).code == 0
        assert semscale(*rate, "--set", "embedder=other/model").code == 0
        assert semscale(*rate, "--set", "embedder=other/model", "--embedder", "third/model").code == 0
        assert asked_models == ["some/model", "other/model", "third/model"]

    def test_a_setting_of_the_file_does_not_require_its_companion_option(self, semscale, project):
        project('chat-model = "m"\nconcurrency = 4\n')
        rate = ("rate", "answers.csv", "--text", "answer", "--scale", "quality", "--floor", "none")
        assert semscale(*rate).code == 0
        assert "--chat-url belongs to --method decision" in semscale(*rate, "--chat-url", "http://x/v1").err


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('chat-modle = "m"', "unknown setting 'chat-modle'; did you mean 'chat-model'?"),
            ('precision = "fst"', "precision must be exact, fast or turbo, got 'fst'; did you mean 'fast'?"),
            ('concurrency = "many"', "concurrency must be a whole number, got 'many'"),
            ("timeout = [", "cannot be read as TOML"),
            (f"a = {'[' * 50_000}", "more than 100 levels of lists and tables"),
            (f"embedder = {'[' * 250}{']' * 250}", "more than 100 levels of lists and tables"),
            (f"[embedder{'.a' * 20_000}]\nb = 1", "more than 100 levels of lists and tables"),
            ("max-cost = -1", "max-cost must be >= 0, got -1"),
            ("max-cost = true", "max-cost must be a number, got True"),
            ("concurrency = false", "concurrency must be a number, got False"),
            ("max-cost = nan", "max-cost must be >= 0, got nan"),
            ("concurrency = 0", "concurrency must be >= 1, got 0"),
        ],
    )
    def test_a_mistake_prints_a_single_line_with_file_and_key(self, semscale, project, text, message):
        file = project(text)
        ended = semscale("config")
        assert (ended.code, ended.err.count("\n")) == (2, 1)
        assert f"semscale: {file}" in ended.err
        assert message in ended.err

    @pytest.mark.parametrize(
        "text", ["tool = 3", "[tool]\nsemscale = 3", f"[tool.semscale]\na = {'[' * 50_000}"]
    )
    def test_an_invalid_pyproject_file_is_skipped(self, semscale, project, text):
        project(text, "pyproject.toml")
        assert json.loads(semscale("config", "--json").out)["file"] is None

    def test_set_needs_a_key_and_a_value_that_exist(self, semscale, project):
        project("")
        assert "--set must be KEY=VALUE" in semscale("config", "--set", "precision").err
        assert "--set: unknown setting 'prcision'; did you mean 'precision'?" in (
            semscale("config", "--set", "prcision=fast").err
        )


@pytest.mark.needs("api")
class TestFolderOfSomebodyElse:
    def test_its_endpoint_gets_no_key_and_is_announced(self, semscale, project, endpoint, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        file = project(f'chat-model = "m"\nchat-url = "{endpoint.url}"\n')
        ended = semscale(*JUDGE)
        assert ended.code == 0, ended.err
        assert f"prompts are sent without a key to {endpoint.url}, which {file} names" in ended.err
        assert keys(endpoint) == {"Bearer none"}

    def test_it_gets_the_key_of_the_variable_that_the_file_names(
        self, semscale, project, endpoint, monkeypatch
    ):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("TEAM_KEY", "sk-team")
        project(f'chat-model = "m"\nchat-url = "{endpoint.url}"\nchat-key-variable = "TEAM_KEY"\n')
        assert semscale("config", "trust").code == 0
        ended = semscale(*JUDGE)
        assert "prompts are sent with the value of TEAM_KEY to" in ended.err
        assert keys(endpoint) == {"Bearer sk-team"}

    def test_its_variable_is_for_no_other_endpoint(self, semscale, project, endpoint, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("DATABASE_PASSWORD", "s3cret")
        project('chat-model = "m"\nchat-key-variable = "DATABASE_PASSWORD"\n')
        assert semscale(*JUDGE, "--chat-url", endpoint.url).code == 0
        assert keys(endpoint) == {f"Bearer {KEY}"}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('ledger = "/tmp/replies.sqlite"', "ledger must be a file in the folder of this one"),
            ('history = "../history.sqlite"', "history must be a file in the folder of this one"),
            ('prices = "../../prices.yaml"', "prices must be a file in the folder of this one"),
            ('ledger = "sqlite:////tmp/x"', "ledger must be a file in the folder of this one"),
            ('ledger = "postgresql://ann:s3cret@db/team"', "ledger must not hold a password"),
            ('chat-model = "m@http://elsewhere"', "chat-model must be a name"),
        ],
    )
    def test_invalid_settings_are_refused_without_secrets(self, semscale, project, text, message):
        project(text)
        ended = semscale("config")
        assert (ended.code, message in ended.err) == (2, True), ended.err
        assert "s3cret" not in ended.err

    def test_a_link_out_of_the_folder_is_refused(self, semscale, project, tmp_path):
        file = project('ledger = "replies.sqlite"\n')
        os.symlink(tmp_path / "elsewhere.sqlite", file.parent / "replies.sqlite")
        assert "ledger must be a file in the folder of this one" in semscale("config").err

    @pytest.mark.parametrize(
        "case",
        [
            ("", "Bearer none", "without a key"),
            (", key_variable: TEAM_KEY", "Bearer sk-team", "with the value of TEAM_KEY"),
        ],
    )
    def test_an_endpoint_of_a_panel_gets_only_the_key_that_the_panel_names(
        self, semscale, project, endpoint, monkeypatch, case
    ):
        beside, sent, note = case
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("TEAM_KEY", "sk-team")
        project("")
        judges = [f"{{model: {name}, base_url: '{endpoint.url}'{beside}}}" for name in ("one", "two")]
        with open("panel.yaml", "w", encoding="utf-8") as file:
            file.write(f"judges: [{', '.join(judges)}]")
        assert semscale("config", "trust", "panel.yaml").code == 0
        ended = semscale(*JUDGE, "--panel", "panel.yaml")
        assert ended.code == 0, ended.err
        assert f"note: prompts are sent {note} to {endpoint.url}, which panel.yaml names" in ended.err
        assert keys(endpoint) == {sent}

    def test_a_panel_sends_no_other_variable_to_the_usual_endpoint(self, semscale, project, monkeypatch):
        monkeypatch.setenv("DATABASE_PASSWORD", "s3cret")
        project("")
        with open("panel.yaml", "w", encoding="utf-8") as file:
            file.write("judges: [{model: one, key_variable: DATABASE_PASSWORD}, {model: two}]")
        ended = semscale(*JUDGE, "--panel", "panel.yaml")
        assert (ended.code, "key_variable of the judge 'one' belongs to base_url" in ended.err) == (2, True)

    def test_its_ledger_is_announced(self, semscale, project, endpoint):
        file = project(f'chat-model = "m"\nledger = "replies.sqlite"\nchat-url = "{endpoint.url}"\n')
        ended = semscale(*JUDGE)
        ledger = file.parent / "replies.sqlite"
        assert f"replies are read from and stored in {ledger}, which {file} names" in ended.err
        assert ledger.exists()
