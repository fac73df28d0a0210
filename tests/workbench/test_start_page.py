"""The page on which work begins: jobs, projects that were opened before, new ones and the example."""

import io
import re
from urllib.request import urlopen

import polars as pl
import pytest
from tests.support.reviewed_history import write_history
from tests.workbench.conftest import SURVEY, Browser, Workbench, app_of, message_in

from semscale.errors import InputError
from semscale.history import HISTORY_FILE
from semscale.workbench.project import EXAMPLE, Project
from semscale.workbench.recent import RecentProjects

ADDRESS = "http://127.0.0.1:1/?token=x"


@pytest.fixture
def opened():
    """What pages asked to open."""
    return []


@pytest.fixture
def start(folder, opened):
    """A browser whose pages open further projects."""

    def open_project(path, entry):
        if path is not None and not path.exists():
            raise InputError(f"{path} does not exist")
        opened.append((path, entry))
        return ADDRESS

    return Browser(app_of(Project.open(folder), open_project=open_project))


def test_each_job_leads_to_a_page_or_names_its_command(start):
    page = start.get("/")
    (listed,) = re.findall(r'<ul class="jobs".*?</ul>', page, re.DOTALL)  # only the example sets some apart
    jobs = listed.split("</li>")[:-1]
    assert len(jobs) == 6
    for job in jobs:
        link = re.search(r'href="([^"]+)"', job)
        assert (start.answer(link[1]).status_code == 200) if link else "<code>semscale " in job
    assert "answers.csv" in page


def test_what_is_ready_for_a_job_is_counted(start, folder):
    assert "In this project" not in start.get("/")
    (folder / "results").mkdir()
    judged = pl.DataFrame({"answer": ["Yes."], "semscale_provenance": ["single"]})
    judged.write_parquet(folder / "results" / "judged.parquet")
    judged.select("answer").write_parquet(folder / "results" / "other.parquet")
    (folder / "results" / "torn.parquet").write_bytes(b"PAR1")
    write_history(folder / HISTORY_FILE)
    page = re.sub("<[^>]*>", "", start.get("/"))
    assert "In this project: 1 file with scored answers" in page
    assert "In this project: 3 recorded runs, 1 failed the comparison" in page
    (folder / HISTORY_FILE).write_bytes(b"no history")
    assert "a history of runs, which cannot be read" in start.get("/")


def test_the_example_offers_a_file_of_ones_own_first(tmp_path):
    folder = tmp_path / EXAMPLE
    folder.mkdir()
    (folder / "devices.csv").write_text(SURVEY)
    page = Browser(app_of(Project.open(folder), open_project=lambda *_: ADDRESS)).get("/")
    assert page.index('id="new"') < page.index('class="jobs"')
    assert len(re.findall(r'class="(?:button )?main"', page)) == 1
    ready, further = re.findall(r'<ul class="jobs".*?</ul>', page, re.DOTALL)
    assert re.findall(r'href="/(\w+)"', ready) == ["rate", "code", "tables"]
    assert "Needs" not in ready
    assert further.count("Needs") == 3
    write_history(folder / HISTORY_FILE)
    page = Browser(app_of(Project.open(folder), open_project=lambda *_: ADDRESS)).get("/")
    assert "<h2>For language models</h2>" in page
    assert '<b class="flag fail">1 failed the comparison</b>' in page


def test_projects_that_were_opened_before_are_listed_and_opened(start, opened, tmp_path_factory):
    there, gone = tmp_path_factory.mktemp("there"), tmp_path_factory.mktemp("gone")
    for folder in (there, gone):
        RecentProjects().add(folder)
    gone.rmdir()
    page = start.get("/start")
    assert page.index(gone.name) < page.index(there.name)  # the last one first
    assert page.count("moved or removed") == 1
    known = {project.folder: project.id for project in RecentProjects().listed()}
    answer = start.post("/start/open", {"recent": known[there]})
    assert f'content="0;url={ADDRESS}"' in answer.text
    assert opened == [(there, "/data")]
    start.change("/start/forget", {"recent": known[gone]})
    assert [project.folder for project in RecentProjects().listed()] == [there]


def test_an_entry_that_cannot_be_read_is_left_out(start, tmp_path):
    RecentProjects().add(tmp_path / "other")
    entry = next(RecentProjects()._folder.iterdir())
    entry.write_text("{")
    assert RecentProjects().listed() == []
    assert "Opened before" not in start.get("/")


def test_only_the_last_twenty_projects_are_remembered(tmp_path):
    for number in range(22):
        RecentProjects().add(tmp_path / str(number))
    names = {project.folder.name for project in RecentProjects().listed()}
    assert len(names) == 20
    assert "21" in names


def test_a_file_is_copied_to_a_new_folder_and_shown(start, opened, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for _ in range(2):
        sent = {"file": ("../lounge.csv", io.BytesIO(SURVEY.encode()))}
        assert start.post("/start/new", files=sent).status_code == 200
    folders = [tmp_path / "home" / "Semscale" / name for name in ("lounge", "lounge (2)")]
    assert opened == [(folder / "lounge.csv", "/data/file?file=lounge.csv") for folder in folders]
    assert (folders[1] / "lounge.csv").read_text() == SURVEY
    refused = start.post("/start/new", files={"file": ("notes.exe", io.BytesIO(b"x"))})
    assert (refused.status_code, "must end in one of" in message_in(refused)) == (422, True)
    assert len(list((tmp_path / "home" / "Semscale").iterdir())) == 2


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({}, "must name a file or a folder"),
        ({"path": "/no/such/folder"}, "does not exist"),
        ({"recent": "unknown"}, "no longer in the list"),
    ],
)
def test_what_cannot_be_opened_is_a_sentence(start, opened, form, sentence):
    answer = start.post("/start/open", form)
    assert (answer.status_code, sentence in message_in(answer), opened) == (422, True, [])


def test_the_example_is_opened_from_another_project(start, opened):
    start.post("/start/open", {"example": "true"})
    assert opened == [(None, "/data")]


def test_a_page_that_cannot_open_projects_offers_none(browser):
    RecentProjects().add(RecentProjects()._folder)
    page = browser.get("/")
    assert "/start/open" not in page
    assert browser.post("/start/open", {"path": "/"}).status_code == 422


@pytest.fixture
def process(tmp_path):
    started = Workbench(cwd=tmp_path)
    yield started
    if started.process.poll() is None:
        started.process.kill()
    started.process.communicate()


def test_a_second_project_is_served_beside_the_first_and_ends_with_it(process, folder):
    """The first page is answered while the rest is imported, and both projects end by one Ctrl-C."""
    import httpx

    origin = process.address.partition("/?")[0]
    with httpx.Client(base_url=origin, timeout=60) as client:
        client.get(process.address)
        assert "Try it with the example" in client.get("/").text
        headers = {"Sec-Fetch-Site": "same-origin"}
        answer = client.post("/start/open", data={"path": str(folder)}, headers=headers)
        other = re.search(r'url=([^"]+)"', answer.text)[1]
        again = client.post("/start/open", data={"path": str(folder)}, headers=headers)
        assert other in again.text
        assert client.get("/data").status_code == 200
    assert urlopen(other).status == 200
    assert process.end() == 0
    with pytest.raises(OSError, match="refused"):
        urlopen(other)
