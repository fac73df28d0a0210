"""A file is read once: its first rows are shown meanwhile, later pages read memory; changes are noticed."""

import threading

import pytest
from tests.workbench.conftest import SURVEY, fields_in

from semscale.workbench import survey_view


@pytest.fixture
def opened(monkeypatch):
    """Count how often files are opened."""
    paths = []

    def open_counted(path, **settings):
        paths.append(path)
        return open_table(path, **settings)

    open_table = survey_view.open_table
    monkeypatch.setattr(survey_view, "open_table", open_counted)
    return paths


def test_counts_of_conditions_and_changes_read_no_file(browser, opened):
    browser.get("/data")
    for age in (20, 30, 40):
        assert "rows are used" in browser.get(f"/data/count?where=age > {age}&name=&expression=")
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    browser.change("/data/rows", {"where": "age > 30", "name": "", "expression": ""})
    assert ">3 rows<" in browser.get("/data")
    assert len(opened) == 1


def test_a_first_description_counts_nothing_again(browser, folder, monkeypatch):
    """The description says of the rows what was assumed before it was there."""
    counted = []
    profiles_of = survey_view.profiles_of
    monkeypatch.setattr(survey_view, "profiles_of", lambda table: counted.append(table) or profiles_of(table))
    form = fields_in(browser.get("/tables?questions=shape").partition("tables-form")[2])
    browser.change("/tables/save", {"questions": "shape", "version": form["version"]})
    assert (folder / "survey.yaml").exists()
    assert len(counted) == 1


def test_the_page_that_waits_takes_the_place_of_the_whole_page(browser, monkeypatch):
    goes_on = threading.Event()
    monkeypatch.setattr(survey_view, "_SECONDS", 0)
    load = survey_view.table_in_memory
    monkeypatch.setattr(survey_view, "table_in_memory", lambda *given: goes_on.wait(30) and load(*given))
    answer = browser.client.get("/tables?questions=shape", headers={"hx-request": "true"})
    goes_on.set()
    assert "Reading the file" in answer.text
    assert (answer.headers["hx-retarget"], answer.headers["hx-reselect"]) == ("#page", "#page")


def test_a_file_that_changes_is_read_again(browser, folder, opened):
    browser.get("/data")
    (folder / "answers.csv").write_text(SURVEY.replace("AT", "FR"))
    page = browser.get("/data")
    assert ("FR" in page, ">AT<" in page) == (True, False)
    assert len(opened) == 2


def test_first_rows_and_progress_are_shown_while_a_file_is_read(browser, monkeypatch):
    goes_on = threading.Event()
    monkeypatch.setattr(survey_view, "_SECONDS", 0.01)
    load = survey_view.table_in_memory

    def load_slowly(table, progress):
        progress("reading the rows", 2, 6)
        goes_on.wait(30)
        return load(table, progress)

    monkeypatch.setattr(survey_view, "table_in_memory", load_slowly)
    page = ""
    while "Too loud for me" not in page:  # the file must be opened first
        page = browser.client.get("/data").text
    assert "Reading the rows: 2 of 6" in page
    assert "Reading the rows: 2 of 6" in browser.client.get("/data/progress").text
    goes_on.set()
    while "The file was read" not in browser.client.get("/data/progress").text:
        pass
    assert "data-question" in browser.client.get("/data").text
    assert "hx-refresh" in browser.client.get("/data/progress?current=label").headers


def test_a_large_file_with_a_broken_row_is_read_once_and_refused(browser, folder, opened, monkeypatch):
    monkeypatch.setattr(survey_view, "_SECONDS", 0)
    (folder / "answers.csv").write_text(f"{SURVEY}7,DE\n")
    while "The file was read" not in browser.client.get("/data/progress").text:
        pass
    answer = browser.client.get("/data")
    assert (answer.status_code, "line 8: 2 cells" in answer.text) == (422, True)
    assert len(opened) == 1
