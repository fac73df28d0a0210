"""The page of drift as an approver uses it, in a Chromium."""

import pytest
from tests.support.reviewed_history import PASSED, write_history
from tests.workbench.conftest import IN_CHROMIUM, check_for_barriers

from semscale.history import HISTORY_FILE
from semscale.history.history import open_history

pytestmark = IN_CHROMIUM


@pytest.fixture
def folder(tmp_path):
    write_history(tmp_path / HISTORY_FILE)
    return tmp_path


def open_runs(page):
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Drift").click()
    page.get_by_role("link", name="model-b").wait_for()


def test_an_approver_reads_why_a_run_failed_and_approves_another(new_page, folder):
    page = new_page()
    open_runs(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.locator(".hero .fail:text-is('Failed')").wait_for()
    assert page.locator(".reading p").first.inner_text().startswith("Contradictions rose from 0")
    page.locator(".next-step").get_by_role("link", name="approve the run").click()
    page.wait_for_url("**#decide")
    page.locator(".next-step").get_by_role("link", name="item-18 and item-19 (lost all outputs)").click()
    page.wait_for_url("**#text-4")
    page.get_by_role("link", name="All runs").click()
    page.get_by_role("link", name="model-c").click()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Reason").fill("equally good")
    page.get_by_role("button", name="Approve").click()
    page.locator("#decisions td:has-text('equally good')").wait_for()
    with open_history(folder / HISTORY_FILE) as history:
        assert history.baseline("feedback")[0].id == PASSED


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 420])
def test_pages_fit_and_are_accessible(new_page, scheme, width):
    page = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    open_runs(page)
    for name in (None, "model-b", "model-c", "model-a"):
        if name:
            page.get_by_role("link", name=name).click()
            page.locator("#decide").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        check_for_barriers(page)
        if name:
            page.get_by_role("link", name="All runs").click()
            page.locator("main table").first.wait_for()


def test_a_decision_works_without_javascript(new_page, folder):
    page = new_page(java_script_enabled=False)
    open_runs(page)
    page.get_by_role("link", name="model-b").click()
    page.get_by_label("Your name").fill("Bo")
    page.get_by_label("Reason").fill("denies safety")
    page.get_by_role("button", name="Reject").click()
    page.locator("#decisions td:has-text('denies safety')").wait_for()
