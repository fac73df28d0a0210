"""The page of studies as people use it, from an example to a comparison with people, in a Chromium."""

import pytest
from tests.support.endpoint import misbehaving_endpoint
from tests.workbench.conftest import IN_CHROMIUM, check_for_barriers
from tests.workbench.test_study_page import PEOPLE, STUDY

from semscale.study import load, read_study

pytestmark = [*IN_CHROMIUM, pytest.mark.needs("api")]


@pytest.fixture
def endpoint(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path_factory.mktemp("ledger") / "ledger.sqlite"))
    with misbehaving_endpoint() as started:
        started.reply = lambda asked: "4" if "oats" in str(asked) else "2"
        yield started


@pytest.fixture
def folder(folder, endpoint):
    (folder / "bars.yaml").write_text(STUDY.replace("http://127.0.0.1:9/v1", endpoint.url))
    (folder / "people.csv").write_text(PEOPLE)
    return folder


def go(page, path):
    page.goto(page.url[: page.url.index("/", len("http://"))] + path)


def check_on_a_phone(page):
    assert page.evaluate("document.documentElement.scrollWidth") <= 420
    check_for_barriers(page)


def test_a_study_is_written_previewed_asked_and_compared(endpoint, new_page, folder):
    page = new_page(viewport={"width": 420, "height": 900}, bypass_csp=True)
    page.get_by_role("link", name="Study").click()
    page.fill("#study-name", "Tea")
    page.get_by_role("button", name="Create the study").click()
    page.get_by_label("Description").fill("A new tea with ginger.")
    page.locator(".stimulus:has-text('with ginger')").wait_for()
    page.get_by_role("button", name="Next").click()
    page.locator("h2:text-is('Persona 2 of 6')").wait_for()
    page.get_by_label("Description").fill("A new tea with mint.")
    page.locator(".stimulus:has-text('with mint')").wait_for()
    page.locator("h2:text-is('Persona 2 of 6')").wait_for()
    page.get_by_label("Number of personas").fill("none")
    page.locator("#seen .decide:has-text('line')").wait_for()
    page.get_by_label("Number of personas").fill("4")
    page.keyboard.press("Control+Enter")
    page.locator("#status button:has-text('Undo')").wait_for()
    design = load(folder / "tea.yaml").design
    assert (design.questionnaire.concepts[0].text, len(design.panel)) == ("A new tea with mint.", 4)

    go(page, "/study/run?file=bars.yaml")
    page.get_by_role("button", name="Forecast calls and cost").click()
    page.get_by_text("Forecast of the calls").first.wait_for()
    endpoint.fault = lambda prompt, n_asked: "wait" if len(endpoint.requests) > 4 else None
    page.get_by_role("button", name="Ask the panel").click()
    page.get_by_role("button", name="Stop").click()
    page.locator(".next-step:has-text('the same run continues')").wait_for()
    endpoint.fault = lambda prompt, n_asked: None
    endpoint.go.set()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Excel").wait_for()
    check_on_a_phone(page)
    assert read_study(folder / "bars-results").answers.height == 12

    page.get_by_role("link", name="Compare with people").click()
    page.select_option("#people", "people.csv")
    page.get_by_label("Would you buy it?").select_option("Q1")
    page.get_by_role("button", name="Compare").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="slides").click()
    assert download.value.suggested_filename == "bars-results-compared.pptx"
    check_on_a_phone(page)


def test_entries_are_added_and_removed_in_the_page(endpoint, new_page, folder):
    page = new_page()
    go(page, "/study/edit?file=bars.yaml")
    page.get_by_role("button", name="Add a question").click()
    new = page.locator(".asked-question").last
    new.locator("[name=question_name]:focus").wait_for()
    page.keyboard.type("where")
    new.get_by_label("Answered by").select_option("choice")
    assert new.get_by_label("Scale", exact=True).is_hidden()
    new.get_by_label("Wording").fill("Where?")
    new.get_by_label("Options").fill("shop\nweb")
    page.locator(".picks.of-choice li:has-text('web')").first.wait_for()
    page.get_by_role("button", name="Remove this concept nut").click()
    page.locator("summary bdi:text-is('nut')").wait_for(state="detached")
    page.get_by_role("button", name="Save bars.yaml").click()
    page.locator("#status button:has-text('Undo')").wait_for()
    asked = load(folder / "bars.yaml").design.questionnaire
    assert (len(asked.concepts), asked.questions[1].labels) == (1, ("shop", "web"))


@pytest.mark.parametrize(("scheme", "width"), [("light", 1300), ("dark", 420)])
def test_pages_fit_and_are_accessible(endpoint, new_page, folder, scheme, width):
    page = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    for path in (
        "",
        "/edit?file=bars.yaml",
        "/text?file=bars.yaml",
        "/run?file=bars.yaml",
        "/compare?file=bars.yaml",
    ):
        go(page, f"/study{path}")
        page.locator("h1").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        check_for_barriers(page)
