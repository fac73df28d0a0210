"""What a person types, chooses and presses while an answer of the workbench is on its way, in a Chromium."""

import json

import pytest
from tests.support.reviewed_history import write_history
from tests.workbench.conftest import IN_CHROMIUM
from tests.workbench.test_answers_browser import judged
from tests.workbench.test_browser import BOOK, read_book

from semscale.history import HISTORY_FILE
from semscale.scales import load_scale
from semscale.survey.survey_file import read_survey
from semscale.tabulation.basket import read_basket

pytestmark = IN_CHROMIUM

_PRESS = 40  # milliseconds between two keys
_FOCUS = "document.activeElement.id || document.activeElement.name"


class Held:
    """Requests of a page that wait until a test lets them go.

    Args:
        page: the page.
        path: the path that they ask for, as a pattern.
    """

    def __init__(self, page, path) -> None:
        self._page, self._holds = page, True
        self._routes: list = []
        page.route(
            f"**{path}", lambda route: self._routes.append(route) if self._holds else route.continue_()
        )

    def wait(self, n=1):
        """Wait for this many requests."""
        while len(self._routes) < n:
            self._page.wait_for_timeout(_PRESS)

    def release(self, index=0):
        """Let a request go, and wait for its answer."""
        self.wait(index + 1)
        route = self._routes.pop(index)
        with self._page.expect_response(lambda answer: answer.request == route.request) as answer:
            route.continue_()
        answer.value.finished()
        self._page.wait_for_timeout(_PRESS)

    def end(self):
        """Let all requests go, also later ones."""
        self._holds = False
        while self._routes:
            self._routes.pop(0).continue_()


@pytest.fixture
def folder(folder):
    """The small survey, with codes, a history of runs and judged answers."""
    (folder / "codebooks").mkdir()
    (folder / "codebooks" / "why.yaml").write_text(BOOK)
    write_history(folder / HISTORY_FILE)
    (folder / "results").mkdir()
    judged([1 + (row * 7) % 5 for row in range(500)]).write_parquet(folder / "results" / "judged.parquet")
    return folder


@pytest.fixture
def open_page(new_page, workbench):
    """Open a page by its path and wait for an element."""

    def opened(path, ready="[data-question]"):
        page = new_page()
        page.set_default_timeout(8_000)
        page.locator("[data-question]").first.wait_for()
        page.goto(workbench.address.partition("/?")[0] + path)
        page.locator(ready).first.wait_for()
        return page

    return opened


def type_keys(page, text):
    page.keyboard.type(text, delay=_PRESS)


def card(page, name):
    return page.locator("[data-question]").filter(has=page.locator(f":is(h2, h3) bdi:text-is('{name}')"))


PAGES = pytest.mark.parametrize(("path", "name"), [("/data", "country"), ("/code?codebook=why", "liking")])


@PAGES
def test_a_form_that_opens_late_takes_no_focus_from_a_field(open_page, path, name):
    page = open_page(path)
    editor = Held(page, "edit=*")
    card(page, name).focus()
    page.keyboard.press("e")
    editor.wait()
    page.locator("#find").focus()
    type_keys(page, "li")
    editor.release()
    page.locator(".editing").wait_for()
    type_keys(page, "k")
    assert page.locator("#find").input_value() == "lik"
    assert page.evaluate(_FOCUS) == "find"


@PAGES
def test_keys_before_a_form_opens_act_on_nothing(open_page, folder, path, name):
    page = open_page(path)
    editor, undo = Held(page, "edit=*"), Held(page, "/data/undo")
    card(page, name).focus()
    for key in "eux":
        page.keyboard.press(key)
    editor.wait()
    assert not page.locator("[data-act=choose]:checked").count()
    editor.release()
    page.locator(".editing :focus").wait_for()
    undo.end()


@PAGES
def test_an_open_form_and_chosen_entries_stay_while_others_are_looked_for(open_page, path, name):
    page = open_page(path)
    other = {"country": "tea", "liking": "silence"}[name]
    if path == "/data":
        page.get_by_label("join columns").check()
    card(page, other).locator("[data-act=choose]").check()
    card(page, name).locator("[data-act=edit]").click()
    title = page.locator(".editing form[data-editor]").locator("[name=title], [name=definition]")
    title.wait_for()
    found = Held(page, "find=*")
    page.locator("#find").focus()
    type_keys(page, "sound")
    found.wait()
    title.fill("")
    title.focus()
    type_keys(page, "half")
    found.release()
    card(page, "sound").wait_for()
    type_keys(page, " done")
    assert title.input_value() == "half done"
    assert card(page, other).locator("[data-act=choose]").is_checked()
    page.keyboard.press("Control+Enter")
    page.locator(".editing").wait_for(state="detached")
    assert not page.locator("#message p").count()


def test_a_code_that_is_being_written_stays_when_another_is_saved(open_page, folder):
    page = open_page("/code?codebook=why")
    for name in ("sound", "liking"):
        card(page, name).locator("[data-act=edit]").click()
        card(page, name).locator("form[data-editor]").wait_for()
    card(page, "sound").locator("textarea[name=definition]").fill("noise")
    definition = card(page, "liking").locator("textarea[name=definition]")
    saved = Held(page, "/code/change")
    card(page, "sound").locator("[data-act=save]").click()
    saved.wait()
    definition.fill("")
    type_keys(page, "they ")
    saved.release()
    saved.end()
    card(page, "sound").locator("form[data-editor]").wait_for(state="detached")
    type_keys(page, "like it")
    assert definition.input_value() == "they like it"
    page.keyboard.press("Control+Enter")
    page.locator(".editing").wait_for(state="detached")
    assert [code.definition for code in read_book(folder).codes][:2] == ["noise", "they like it"]


@pytest.mark.parametrize("first", [0, 1])
def test_the_list_of_the_last_request_is_shown(open_page, first):
    page = open_page("/code?codebook=why")
    saved, found = Held(page, "/code/net"), Held(page, "find=sound*")
    card(page, "sound").locator("[data-act=edit]").click()
    page.fill(".editing [name=new_net]", "device")
    page.keyboard.press("Control+Enter")
    page.locator("[data-net=device]").wait_for()
    card(page, "liking").locator("[name=net]").select_option("device")
    saved.wait()
    page.locator("#find").focus()
    type_keys(page, "sound")
    found.wait()
    for request in (saved, found) if first == 0 else (found, saved):
        request.release()
    if first == 0:
        card(page, "silence").wait_for(state="detached")
        card(page, "sound").wait_for()
    else:
        page.locator("[data-net=device] h3 bdi:text-is('liking')").wait_for()


def labelled(folder):
    entries = (folder / "labels" / "judged" / "ada.jsonl").read_text().splitlines()
    return {entry["row"]: entry["label"] for entry in map(json.loads, entries)}


@pytest.fixture
def answers(open_page):
    page = open_page("/answers?file=results/judged.parquet", "#person")
    page.fill("#person", "Ada")
    page.keyboard.press("Enter")
    page.get_by_text("You label as Ada").wait_for()
    return page


def test_a_label_that_is_corrected_at_once_is_stored(answers, folder):
    page = answers
    sent = Held(page, "/answers/label")
    page.keyboard.press("j")
    row = page.evaluate("document.activeElement.id")
    for key in ("1", "2", "x"):
        page.keyboard.press(key)
    sent.release()
    sent.end()
    page.locator(f"#{row} [name=label][value='2'][aria-pressed=true]").wait_for()
    page.locator(f"#{row} [data-act=choose][aria-pressed=true]").wait_for()
    assert labelled(folder) == {int(row.removeprefix("row-")): "2"}


def test_a_card_keeps_the_focus_after_a_click_in_it(answers, folder):
    page = answers
    cards = [one.get_attribute("id") for one in page.locator(".answer-list > li").all()]
    page.locator(f"#{cards[3]} [name=label][value='2']").click()
    page.locator(f"#{cards[3]} [aria-pressed=true]").wait_for()
    for key in ("j", "1"):
        page.keyboard.press(key)
    page.locator(f"#{cards[4]} [aria-pressed=true]").wait_for()
    assert len(labelled(folder)) == 2


def test_a_key_that_is_held_labels_one_answer(answers, folder):
    page = answers
    page.keyboard.press("j")
    for _ in range(4):
        page.keyboard.down("1")
    page.keyboard.up("1")
    page.locator("[name=label][aria-pressed=true]").wait_for()
    page.wait_for_load_state("networkidle")
    assert len(labelled(folder)) == 1


def test_fast_keys_compose_all_tables(open_page, folder):
    page = open_page("/tables?questions=shape", "#preview section")
    shown = Held(page, "act=*")
    for name in ("sound", "satisfaction"):
        card(page, name).focus()
        page.keyboard.press("r")
    shown.wait()
    page.get_by_role("button", name="Add to the basket").click()
    for _ in range(2):
        shown.release()
    page.locator("#entry-0").wait_for()
    (entry,) = read_basket(folder / "tables.yaml").entries
    assert entry.questions == ("shape", "sound", "satisfaction")


def test_a_title_and_open_details_stay_while_tables_are_shown(open_page, folder):
    page = open_page("/tables?questions=shape", "#preview section")
    page.get_by_role("button", name="Add to the basket").click()
    page.get_by_text("Give a title to these tables").click()
    title = page.locator("#entry-0 [name=title]")
    title.wait_for()
    page.locator("#basket .terminal summary").click()
    shown = Held(page, "act=*")
    title.focus()
    type_keys(page, "My")
    card(page, "sound").locator("[data-act=rows]").click()
    shown.wait()
    title.focus()
    page.keyboard.press("End")
    type_keys(page, " title")
    shown.release()
    page.locator("#preview h2:has-text('sound')").wait_for()
    assert title.input_value() == "My title"
    assert page.evaluate(_FOCUS) == title.get_attribute("id")
    assert page.locator("#basket .terminal").get_attribute("open") is not None
    page.keyboard.press("Enter")
    page.locator("#entry-0 [name=title][value='My title']").wait_for(state="attached")


def test_groups_are_hidden_by_the_keyboard_alone(open_page):
    page = open_page("/tables?questions=shape&banners=country", "#preview section")
    page.locator("details.hide summary").click()
    page.locator("[name=hide][value='DE']").focus()
    shown = Held(page, "/tables?*")
    for _ in range(2):
        page.keyboard.press("Space")
        shown.release()
        assert page.evaluate("document.activeElement.value") == "DE"


def test_a_form_is_sent_once(open_page, folder):
    page = open_page("/tables?questions=shape", "#preview section")
    sent = Held(page, "/tables/save")
    page.get_by_role("button", name="Add to the basket").dblclick()
    sent.release()
    sent.end()
    page.locator("#entry-0").wait_for()
    page.get_by_role("link", name="Drift").click()
    page.get_by_role("link", name="model-c").click()
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("Reason").fill("equally good")
    sent = Held(page, "/drift/decide")
    page.get_by_role("button", name="Approve").evaluate(
        "(button) => [0, 300].map((wait) => setTimeout(() => button.click(), wait))"
    )
    page.wait_for_timeout(600)
    sent.end()
    page.locator("#decisions td:has-text('equally good')").wait_for()
    assert not page.locator("#message p").count()
    assert len(read_basket(folder / "tables.yaml").entries) == 1


def test_sentences_that_are_typed_while_a_set_is_added_stay(open_page, folder):
    page = open_page("/rate/scale?scale=quality", "#anchor-0-4")
    added = Held(page, "/rate/scale/try")
    page.get_by_role("button", name="Add a set").click()
    added.wait()
    page.locator("details[data-set='0']").evaluate("set => { set.open = true }")
    page.locator("#anchor-0-4").fill("")
    type_keys(page, "It is grand.")
    added.release()
    page.locator("#anchor-14-0").wait_for()
    assert page.locator("#anchor-0-4").input_value() == "It is grand."
    assert page.evaluate(_FOCUS) == "anchor-0-4"
    page.keyboard.press("Control+Enter")
    page.wait_for_url("**/rate?scale=*")
    assert (
        next(iter(load_scale(folder / "scales" / "my-quality.yaml").anchor_sets.values()))[4]
        == "It is grand."
    )


def test_two_sets_are_removed_one_after_the_other(open_page):
    page = open_page("/rate/scale?scale=quality", "#anchor-0-4")
    sets = page.locator("details[data-set]")
    values = "fields => fields.map(field => field.value)"
    names = sets.locator("[name=set_name]").evaluate_all(values)
    answers = Held(page, "/rate/scale/try")
    for position in (1, 2):
        sets.nth(position).evaluate("set => { set.open = true }")
        sets.nth(position).get_by_role("button", name="Remove this set").click()
    answers.wait()
    answers.end()
    sets.nth(len(names) - 2).wait_for(state="detached")
    assert sets.locator("[name=set_name]").evaluate_all(values) == [names[0], *names[3:]]


def test_enter_that_ends_a_composition_sends_nothing(open_page, folder):
    page = open_page("/data?edit=country", ".editing")
    page.locator(".editing [name=title]").fill("国")
    page.locator(".editing [name=title]").evaluate(
        """field => {
            const enter = {key: "Enter", isComposing: true, bubbles: true};
            field.dispatchEvent(new KeyboardEvent("keydown", enter));
        }"""
    )
    page.wait_for_timeout(300)
    assert page.locator(".editing").count() == 1
    page.keyboard.press("Control+Enter")
    page.locator(".editing").wait_for(state="detached")
    assert read_survey(folder / "survey.yaml").question("country").title == "国"


def test_a_star_and_a_search_do_not_undo_each_other(open_page):
    page = open_page("/code?codebook=why", "#code-form")
    page.get_by_role("button", name="Code the answers").click()
    page.locator("#coded-answers").wait_for(timeout=120_000)
    starred, found = Held(page, "/code/star"), Held(page, "/code/answers?*")
    page.locator("[data-act=star]").first.click()
    starred.wait()
    page.locator("#words").focus()
    type_keys(page, "loud")
    found.wait()
    starred.release()
    found.end()
    page.locator("#found .note:text-is('1 answer')").wait_for()
    assert (page.locator("#words").input_value(), page.evaluate(_FOCUS)) == ("loud", "words")


def test_a_study_keeps_what_is_typed_while_a_concept_is_added(open_page):
    page = open_page("/study", "#study-name")
    page.fill("#study-name", "Tea")
    page.get_by_role("button", name="Create the study").click()
    page.locator("#study-concept-text-0").wait_for()
    added, seen = Held(page, "/study/try"), Held(page, "/study/seen")
    page.get_by_role("button", name="Add a concept").click()
    added.wait()
    page.locator("#study-concept-text-0").fill("")
    page.locator("#study-concept-text-0").focus()
    type_keys(page, "Tea with")
    seen.wait()
    added.release()
    page.locator("#concept-1").wait_for()
    type_keys(page, " mint")
    seen.end()
    assert page.locator("#study-concept-text-0").input_value() == "Tea with mint"
    assert page.evaluate(_FOCUS) == "study-concept-text-0"
