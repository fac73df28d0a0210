"""A team behind a reverse proxy: who is let in, what each role may do, and whose name journals have."""

import json
import re

import pytest
from tests.support.reviewed_history import PASSED, write_history
from tests.workbench.conftest import Browser, message_in

from semscale.errors import InputError
from semscale.history import HISTORY_FILE
from semscale.history.history import open_history
from semscale.survey.survey_file import read_survey
from semscale.workbench.changes import Changes
from semscale.workbench.label_journals import ADJUDICATED
from semscale.workbench.label_measures import Draw, DrawnText
from semscale.workbench.project import Project
from semscale.workbench.team import SECRET, Team, TeamAccess, read_team, team_file
from semscale.workbench.users import APPROVALS, User

ADDRESS = "https://surveys.example.org"
KEY = "s" * 32
ROLES = {"ada@example.org": "approver", "Bo": "editor", "Cy": "rater"}
REFUSED = "Not opened"


@pytest.fixture
def app(folder):
    from semscale.workbench.access import Access
    from semscale.workbench.application import workbench

    rule = TeamAccess(Team(address=ADDRESS, roles=ROLES), KEY)
    return Access(workbench(Project.open(folder)), rule=rule)


class Person(Browser):
    """Sends requests as the proxy passes them on for a person."""

    def __init__(self, app, name, **headers) -> None:
        from starlette.testclient import TestClient

        headers = {"X-Semscale-User": name, "X-Semscale-Secret": KEY} | headers
        self.client = TestClient(app, base_url=ADDRESS, headers=headers)

    def status(self, path):
        return self.client.get(path).status_code


@pytest.fixture
def person(app):
    return lambda name, **headers: Person(app, name, **headers)


@pytest.fixture
def drawn(folder):
    """Two texts that were drawn to be rated on the scale of quality."""
    import polars as pl

    (folder / "results").mkdir()
    pl.DataFrame({"why": ["It is good", "Too loud for me"]}).write_parquet(folder / "results" / "a.parquet")
    texts = tuple(
        DrawnText(row=row, text=text, inclusion=1.0)
        for row, text in ((1, "It is good"), (2, "Too loud for me"))
    )
    draw = Draw(
        kind="rate",
        table="a.parquet",
        question="why",
        heading="Why?",
        column="why",
        measure="quality",
        n_texts=2,
        texts=texts,
    )
    place = folder / "labels" / "a"
    place.mkdir(parents=True)
    (place / "draw.json").write_text(draw.model_dump_json())
    return place


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_the_proxy_and_its_secret_let_people_in(person):
    page = person("Bo").get("/data")
    assert re.search(r'title="Role: editor"><bdi>Bo</bdi>', page)
    assert person("ADA@example.org").status("/data") == 200  # case does not matter


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Semscale-Secret": ""},
        {"X-Semscale-Secret": "t" * 32},
        {"X-Semscale-Secret": KEY + "s"},
        {"X-Semscale-User": ""},
        {"X-Semscale-User": "Di"},
        {"X-Semscale-User": ADJUDICATED},
        {"X-Semscale-User": "B" * 61},
        {"Host": "evil.example"},
        {"Host": "127.0.0.1:8400"},
    ],
)
def test_everybody_else_is_refused(person, headers):
    stranger = person("Bo", **headers)
    for path in ("/", "/data", "/static/workbench.js"):
        if path.startswith("/static") and "X-Semscale-User" in headers:
            continue  # files that hold nothing of the users'
        answer = stranger.client.get(path)
        assert (answer.status_code, REFUSED in answer.text) == (403, True)


def test_a_header_that_a_client_adds_to_the_proxys_is_refused(app):
    from starlette.testclient import TestClient

    twice = [("X-Semscale-User", "Bo"), ("X-Semscale-User", "ada@example.org"), ("X-Semscale-Secret", KEY)]
    assert TestClient(app, base_url=ADDRESS).get("/data", headers=twice).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": ADDRESS}, 200),
        ({}, 403),
        ({"Origin": "http://surveys.example.org"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
    ],
)
def test_a_change_must_come_from_a_page_of_the_address(person, headers, status):
    form = {"where": "age > 20", "name": "", "expression": ""}
    assert person("Bo").post("/data/rows", form, headers=headers).status_code == status


def test_a_rater_labels_and_gets_a_sentence_for_all_else(person, folder, drawn):
    rater = person("Cy")
    page = rater.get("/")
    assert ("Why?" in page, 'href="/data"' in page, "/label/start" in page) == (True, False, False)
    for path in ("/data", "/data/survey.yaml", "/rate", "/code", "/label?task=a&decide=true"):
        answer = rater.client.get(path)
        assert (answer.status_code, "needs the role editor" in re.sub(r"needs? ", "needs ", answer.text)) == (
            403,
            True,
        )
        assert "country" not in answer.text
    for path in ("/data/rows", "/label/start", "/label/sheet", "/rate", "/code/suggest", "/data/upload"):
        answer = rater.post(path, {"task": "a", "where": "age > 20"})
        assert (answer.status_code, "role rater" in message_in(answer)) == (403, True)
    assert not (folder / "survey.yaml").exists()
    answer = {"task": "a", "key": "1", "row": "1", "label": "4"}
    assert rater.post("/label/answer", answer | {"rater": "Cy"}).status_code == 200
    assert [entry["rater"] for entry in lines(drawn / "cy.jsonl")] == ["Cy"]


def test_a_name_cannot_be_changed(person, drawn):
    page = person("Bo").get("/label?task=a")
    assert "You label as <bdi><b>Bo</b></bdi>" in page
    assert "Another person" not in page
    answer = {"task": "a", "key": "1", "row": "1", "label": "4", "rater": "Cy"}
    for form, path in ((answer, "/label/answer"), ({"task": "a", "rater": "Cy"}, "/label/rater")):
        refused = person("Bo").post(path, form)
        assert (refused.status_code, "signed in as Bo" in message_in(refused)) == (403, True)
    assert not list(drawn.glob("*.jsonl"))


def test_decisions_have_the_name_of_who_decided_and_only_own_ones_are_undone(person, drawn):
    for name, label in (("Bo", "4"), ("Cy", "2")):
        form = {"task": "a", "key": name, "row": "1", "label": label, "rater": name}
        assert person(name).post("/label/answer", form).status_code == 200
    decision = {"task": "a", "row": "1", "rater": ADJUDICATED}
    assert person("Bo").post("/label/answer", decision | {"key": "1", "label": "4"}).status_code == 200
    refused = person("ada@example.org").post("/label/answer", decision | {"key": "2", "label": "2"})
    assert (refused.status_code, "decided elsewhere (by Bo)" in message_in(refused)) == (409, True)
    assert person("Cy").post("/label/answer", decision | {"key": "3", "label": "2"}).status_code == 403
    undo = decision | {"act": "undo"}
    person("ada@example.org").change("/label/answer", undo | {"key": "4"})
    assert [(entry["label"], entry["by"]) for entry in lines(drawn / "adjudicated.jsonl")] == [("4", "Bo")]
    person("Bo").change("/label/answer", undo | {"key": "5"})
    assert lines(drawn / "adjudicated.jsonl")[-1]["undoes"] == "1"


def test_changes_have_the_name_of_who_made_them(person, folder):
    editor, approver = person("Bo"), person("ada@example.org")
    editor.change("/data/question", editor.form("tea") | {"title": "Tea"})
    assert Changes(folder).last.by == "Bo"
    assert "by <bdi>Bo</bdi>" in approver.get("/data")
    assert "by <bdi>Bo</bdi>" not in editor.get("/data")
    approver.change("/data/undo")
    assert not (folder / "survey.yaml").exists()


def test_two_people_edit_one_question_and_the_second_gets_a_sentence(person, folder):
    editor, approver = person("Bo"), person("ada@example.org")
    forms = [each.form("tea") for each in (editor, approver)]
    editor.change("/data/question", forms[0] | {"title": "First"})
    refused = approver.post("/data/question", forms[1] | {"title": "Second"})
    assert (refused.status_code, "changed elsewhere" in message_in(refused)) == (409, True)
    assert read_survey(folder / "survey.yaml").question("tea").title == "First"


def test_only_approvers_approve():
    for path in APPROVALS:
        User("ada", "approver").check(path, changes=True)
        User("Bo", "editor").check(path, changes=False)
        for role in ("editor", "rater"):
            with pytest.raises(InputError, match=f"the role {role}"):
                User("Bo", role).check(path, changes=True)


def test_a_run_of_another_person_is_not_replaced():
    from contextvars import copy_context
    from threading import Event

    from semscale.serving.background import BackgroundWork
    from semscale.workbench.project import ConflictError
    from semscale.workbench.runs import replace_run
    from semscale.workbench.users import current_name, set_current_user

    work, goes_on = BackgroundWork(2), Event()
    bo, ada = copy_context(), copy_context()  # as requests of both have them
    bo.run(set_current_user, User("Bo", "editor"))
    ada.run(set_current_user, User("ada", "approver"))
    first = bo.run(replace_run, work, None, goes_on.wait)
    with pytest.raises(ConflictError, match="Bo has started a run"):
        ada.run(replace_run, work, first, current_name)
    goes_on.set()
    first.future.result()
    second = ada.run(replace_run, work, first, current_name)
    assert second.future.result() == "ada"  # threads know who began
    work.close()


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write the team's file."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def write(text):
        team_file().parent.mkdir(parents=True, exist_ok=True)
        team_file().write_text(text)

    return write


def test_the_file_states_the_headers_and_the_roles(written):
    written(
        f'address = "{ADDRESS}:8443"\nuser_header = "X-Forwarded-Email"\n'
        '[roles]\n"ada@example.org" = "approver"\n"*" = "rater"\n'
    )
    team = read_team()
    assert (team.host, team.user_header) == ("surveys.example.org:8443", "X-Forwarded-Email")
    assert [team.role_of(name) for name in ("Ada@Example.org", "anybody")] == ["approver", "rater"]


def test_without_the_file_there_is_no_team(written):
    assert read_team() is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("address", "cannot be read"),
        ('[roles]\nBo = "editor"', "address"),
        (f'address = "{ADDRESS}/path"\n[roles]\nBo = "editor"', "address"),
        (f'address = "{ADDRESS}"\n[roles]\nBo = "owner"', "approver"),
        (f'address = "{ADDRESS}"\n[roles]\n', "roles"),
        (f'address = "{ADDRESS}"\nsecret = "x"\n[roles]\nBo = "editor"', "secret"),
    ],
)
def test_mistakes_in_the_file_are_named(written, text, sentence):
    written(text)
    with pytest.raises(InputError, match=sentence):
        read_team()


@pytest.mark.parametrize("secret", ["", "short", "s" * 31])
def test_a_short_secret_is_refused(monkeypatch, secret):
    monkeypatch.setenv(SECRET, secret)
    with pytest.raises(InputError, match=f"{SECRET} must be a secret of at least 32"):
        TeamAccess(Team(address=ADDRESS, roles=ROLES))


def test_no_other_machine_is_let_in_without_a_team(written, folder, capsys):
    from semscale.cli.main import main

    assert main(["open", str(folder), "--host", "0.0.0.0", "--no-browser"]) == 2
    assert "Put a reverse proxy that signs people in before it" in capsys.readouterr().err


def test_a_run_is_approved_in_the_name_of_who_is_signed_in(person, folder):
    write_history(folder / HISTORY_FILE)
    ada, page = person("ada@example.org"), person("Bo").get(f"/drift/run?run={PASSED}")
    hidden = dict(
        re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page[page.index('class="decide"') :])
    )
    form = {**hidden, "by": "Bo", "why": "equally good", "span": "30d", "act": "approve"}
    refused = person("Bo").client.post("/drift/decide", data=form, headers={"Origin": ADDRESS})
    assert "approvals need the role approver" in message_in(refused)
    ada.change("/drift/decide", form)
    with open_history(folder / HISTORY_FILE) as history:
        _, approval = history.baseline("feedback")
    assert approval.by == "ada@example.org"


def test_answers_are_labelled_in_the_name_of_who_is_signed_in(person, folder):
    (folder / "judged.csv").write_text(
        "question,answer,semscale_provenance,semscale_expected\nq,yes,a,1\nr,no,b,0\n"
    )
    page = person("Bo").get("/answers?file=judged.csv")
    assert re.search(r"You label as <bdi><b>Bo</b></bdi>\.\s*</p>", page)
