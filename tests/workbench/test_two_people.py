"""Two people who work in one project never overwrite each other: a sentence instead of a loss."""

import io
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.workbench.conftest import SURVEY, Browser, fields_in, message_in

from semscale.survey.survey_file import read_survey
from semscale.workbench.label_journals import ADJUDICATED, Entry, Journal
from semscale.workbench.project import ConflictError, Project


def form_in(page, action):
    """Return the fields of a page's form."""
    return fields_in(re.search(rf'<form method="post" action="{action}".*?</form>', page, re.DOTALL)[0])


def outdated(browser, path, form):
    """Send a form of a page that is outdated, which must be refused with a sentence."""
    answer = browser.post(path, form)
    assert (answer.status_code, "elsewhere" in message_in(answer)) == (409, True)


@pytest.fixture
def survey(folder):
    return lambda: read_survey(folder / "survey.yaml")


def test_rows_that_another_person_changed_are_not_replaced(browser, survey):
    form = form_in(browser.get("/data"), "/data/rows")
    browser.change("/data/rows", form | {"where": "age > 20"})
    outdated(browser, "/data/rows", form | {"where": "age > 50"})
    outdated(browser, "/data/rows", form)  # such as “Write it now”, which would remove the condition
    assert survey().where == "age > 20"


def test_a_file_that_another_person_chose_is_not_replaced(browser, folder, survey):
    for name in ("second.csv", "third.csv"):
        (folder / name).write_text(SURVEY)
    pages = [browser.get(f"/data/file?file={name}") for name in ("second.csv", "third.csv")]
    browser.change("/data/file", form_in(pages[0], "/data/file"))
    outdated(browser, "/data/file", form_in(pages[1], "/data/file"))
    assert survey().file == "second.csv"


def test_questions_that_another_person_changed_are_not_joined(browser, survey):
    boxes = re.findall(r'name="join" value="([^"]*)"', browser.get("/data"))
    chosen = [box for box in boxes if box.rpartition(" ")[2] in ("tea", "milk")]
    browser.change("/data/question", browser.form("tea") | {"title": "Drinks tea"})
    outdated(browser, "/data/join", {"join": chosen, "kind": "multiple"})
    assert survey().question("tea").title == "Drinks tea"


def test_only_the_change_that_the_page_shows_is_taken_back(browser, survey):
    browser.change("/data/question", browser.form("tea") | {"title": "First"})
    undo = form_in(browser.get("/data"), "/data/undo")
    browser.change("/data/question", browser.form("milk") | {"title": "Second"})
    outdated(browser, "/data/undo", undo)
    assert survey().question("milk").title == "Second"
    browser.change("/data/undo", form_in(browser.get("/data"), "/data/undo"))
    assert survey().question("milk").title == ""


def test_a_decision_is_not_replaced_but_undone_and_made_again(tmp_path):
    journal = Journal(tmp_path / f"{ADJUDICATED}.jsonl")
    first = Entry(id="a", rater=ADJUDICATED, row=7, label="3")
    second = Entry(id="b", rater=ADJUDICATED, row=7, label="4")
    journal.add(first, replaces=False)
    journal.add(first, replaces=False)  # sent twice
    with pytest.raises(ConflictError, match="was decided elsewhere"):
        journal.add(second, replaces=False)
    assert journal.labels().cells == {7: "3"}
    journal.add(Entry(id="c", rater=ADJUDICATED, act="undo", undoes="a"), replaces=False)
    journal.add(second, replaces=False)
    assert journal.labels().cells == {7: "4"}


def at_once(*calls):
    """Call functions in threads that begin together, and return their results."""
    start = threading.Barrier(len(calls))

    def call(function):
        start.wait()
        return function()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(call, calls))


def test_files_of_the_same_name_that_arrive_at_once_are_all_stored(folder):
    project = Project.open(folder)
    contents = [f"name\n{number}\n".encode() for number in range(8)]
    names = at_once(*(lambda c=content: project.add_file("new.csv", io.BytesIO(c)) for content in contents))
    assert sorted((folder / name).read_bytes() for name in names) == contents


def test_of_two_changes_at_once_each_is_saved_or_refused(app, survey):
    """Two browsers change the titles of two questions, again and again."""
    people = {name: Browser(app) for name in ("tea", "milk")}
    saved = {name: "" for name in people}
    for number in range(5):
        forms = {name: browser.form(name) for name, browser in people.items()}

        def change(name, forms=forms, number=number):
            return people[name].post("/data/question", forms[name] | {"title": f"{name} {number}"})

        answers = at_once(*(lambda name=name: change(name) for name in people))
        for name, answer in zip(people, answers, strict=True):
            assert answer.status_code in (200, 409)
            if answer.status_code == 200:
                saved[name] = f"{name} {number}"
        assert {name: survey().question(name).title for name in people} == saved
    assert all(saved.values())
