"""The first page is there before the pages are imported, and all other requests wait for them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.workbench.conftest import PORT, TOKEN

OPENING = {"Sec-Fetch-Mode": "navigate"}
"""Headers of a browser that opens a page."""
STARTING = "The workbench starts"


@pytest.fixture
def imported(monkeypatch):
    """Give the event that lets the import of the pages end."""
    from semscale.workbench import starting

    event, import_pages = threading.Event(), starting._import_pages

    def import_later():
        event.wait()
        return import_pages()

    monkeypatch.setattr(starting, "_import_pages", import_later)
    return event


@pytest.fixture
def client(folder, imported):
    """Give a browser with the cookie, before the pages are imported."""
    from starlette.testclient import TestClient

    from semscale.workbench.access import Access, TokenAccess
    from semscale.workbench.project import Project
    from semscale.workbench.starting import StartingWorkbench

    app = Access(StartingWorkbench(Project.open(folder), None), rule=TokenAccess(TOKEN, PORT))
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}", raise_server_exceptions=False) as client:
        client.get(f"/?token={TOKEN}")
        yield client
        imported.set()


def test_the_first_page_shows_that_the_workbench_starts_and_loads_itself_again(client, folder):
    answer = client.get("/data", headers=OPENING)
    assert answer.status_code == 200
    assert STARTING in answer.text
    assert '<meta http-equiv="refresh" content="0">' in answer.text
    assert folder.name in answer.text
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_page_that_is_loaded_again_waits_for_the_pages(client, imported):
    client.get("/data", headers=OPENING)
    with ThreadPoolExecutor() as pool:
        again = pool.submit(client.get, "/data", headers=OPENING)
        imported.set()
        assert "answers.csv" in again.result().text


def test_scripts_and_forms_wait_for_the_pages(client, imported):
    same = {"Sec-Fetch-Site": "same-origin"}
    with ThreadPoolExecutor() as pool:
        script = pool.submit(client.get, "/static/workbench.js", headers={"Sec-Fetch-Mode": "no-cors"})
        undo = pool.submit(client.post, "/data/undo", headers=OPENING | same)
        imported.set()
        assert script.result().headers["Content-Type"].startswith("text/javascript")
        assert STARTING not in undo.result().text


@pytest.mark.parametrize(
    ("headers", "cookies"), [({"Host": "elsewhere.example"}, True), ({}, False)], ids=["host", "cookie"]
)
def test_nothing_is_shown_without_access_during_the_start(client, headers, cookies):
    if not cookies:
        client.cookies.clear()
    answer = client.get("/data", headers=OPENING | headers)
    assert answer.status_code == 403
    assert STARTING not in answer.text


def test_a_failed_import_is_reported_by_each_request(folder, monkeypatch):
    from starlette.testclient import TestClient

    from semscale.workbench import starting
    from semscale.workbench.project import Project

    def fail():
        raise ImportError("no module named 'fastapi'")

    monkeypatch.setattr(starting, "_import_pages", fail)
    client = TestClient(starting.StartingWorkbench(Project.open(folder), None))
    with pytest.raises(ImportError, match="fastapi"), client:
        client.get("/data")
