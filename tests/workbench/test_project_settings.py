"""The workbench uses the settings of a project's file as commands in its folder do, and trusts it no more."""

import pytest
from tests.support.endpoint import misbehaving_endpoint
from tests.support.reviewed_history import PASSED, write_history
from tests.workbench.conftest import Browser, app_of, message_in
from tests.workbench.test_code_page import BOOK
from tests.workbench.test_drift_page import DECISION, form_of
from tests.workbench.test_rate_page import ROWS

from semscale.cli.open import _shared_settings
from semscale.cli.project_file import load_project
from semscale.errors import InputError
from semscale.history.history import open_history
from semscale.survey.survey_file import read_survey


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "project" / "wave"
    folder.mkdir(parents=True)
    (folder / "answers.csv").write_text(ROWS.replace("cheap", "café"), encoding="utf-8")
    return folder


@pytest.fixture
def start(folder):
    """Write the project's file, and open the workbench below it."""

    def start(content, name="semscale.toml"):
        from semscale.workbench.project import Project

        (folder.parent / name).write_text(content)
        project = Project.open(folder)
        project.settings = _shared_settings(load_project(folder=folder), folder)
        return Browser(app_of(project))

    return start


def rate(browser):
    browser.change("/rate", {"text": "why", "scale": "quality", "floor": "none"})
    while "hx-retarget" not in browser.client.get("/rate/progress").headers:
        pass
    return browser.get("/rate")


def test_runs_use_the_stated_model_and_intervals_and_forms_show_them(start, monkeypatch, toy_embedder):
    asked = []

    def load(name, **settings):
        asked.append((name, settings["precision"], settings["cache"]))
        return toy_embedder

    monkeypatch.setattr("semscale.embedding.loading.load_embedder", load)
    page = rate(start('precision = "fast"\ncache = false\ninterval = 0.9\n'))
    assert asked == [("e5-small", "fast", False)]
    assert "mean score and its 90\u00a0% interval" in page
    assert "<b>precision</b> <bdi>fast</bdi>, <b>cache</b> <bdi>false</bdi>" in page


def test_the_section_of_pyproject_is_read(start):
    page = start("[tool.semscale]\nseed = 7\n", "pyproject.toml").get("/rate")
    assert "<b>seed</b> <bdi>7</bdi>" in page


def test_files_are_read_with_the_stated_encoding(start):
    browser = start('encoding = "latin-1"\n')
    assert "cafÃ©" in browser.get("/data")
    assert "the encoding <b>latin-1</b>" in browser.get("/data/file?file=answers.csv")


def test_the_stated_description_is_written_and_read(start, folder):
    browser = start('survey = "described.yaml"\n')
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    assert read_survey(folder.parent / "described.yaml").question("country").title == "Home"
    assert "--out ../described.yaml" in browser.get("/data")
    assert not (folder / "survey.yaml").exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [('survey = "none"', "survey is none"), ("colour = 1", "unknown setting 'colour'"), ("x", "TOML")],
)
def test_settings_that_do_not_serve_are_refused(start, content, reason):
    with pytest.raises(InputError, match=reason):
        start(content)


def test_nothing_is_sent_to_an_address_that_the_user_does_not_trust(start, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("TEAM_KEY", "secret")
    with misbehaving_endpoint() as endpoint:
        page = rate(
            start(
                f'engine = "api"\nembedder = "m"\nembedder-url = "{endpoint.url}"\n'
                'embedder-key-variable = "TEAM_KEY"\n'
            )
        )
        assert endpoint.requests == []
    assert "you do not trust yet" in page


def test_a_description_that_is_a_link_to_another_folder_is_refused(start, folder):
    target = folder.parent / "elsewhere.yaml"
    target.write_text("survey: 1\nquestions: []\n")
    (folder / "survey.yaml").symlink_to(target)
    answer = start("").client.get("/data")
    assert (answer.status_code, "is a link to another folder" in message_in(answer)) == (422, True)


def test_codes_use_the_stated_model_and_offer_no_other(start, folder, asked_models):
    (folder / "codebooks").mkdir()
    (folder / "codebooks" / "why.yaml").write_text(BOOK, encoding="utf-8")
    browser = start('embedder = "all-MiniLM-L12-v2"\n')
    page = browser.get("/code?question=why&codebook=why")
    assert 'name="model"' not in page
    assert "<b>embedder</b> <bdi>all-MiniLM-L12-v2</bdi>" in page
    browser.change("/code/run", {"question": "why", "codebook": "why", "sentiment": "none"})
    while "hx-retarget" not in browser.client.get("/code/progress").headers:
        pass
    page = browser.get("/code/results")
    assert "Share of answers" in page
    assert "--embedder" not in page
    assert asked_models == ["all-MiniLM-L12-v2"]


@pytest.mark.needs("postgres")
def test_a_team_decides_on_runs_in_postgresql(start, monkeypatch, new_database):
    where = new_database()
    write_history(where)
    monkeypatch.setenv("SEMSCALE_HISTORY", where)
    browser = start("")
    page = browser.get(f"/drift/run?run={PASSED}")
    assert where not in page
    assert where not in browser.get("/drift")
    browser.change("/drift/decide", {**form_of(page), **DECISION})
    with open_history(where) as history:
        run, approval = history.baseline("feedback")
    assert (run.id, approval.by) == (PASSED, "Ann")
