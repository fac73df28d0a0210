"""The page of labels as people use it: by keys, in several tabs, and while the workbench is killed."""

import json
import socket

import polars as pl
import pytest
from tests.workbench.conftest import IN_CHROMIUM, Workbench, check_for_barriers

pytestmark = IN_CHROMIUM

N = 120
TASK = "answers-why-quality"


@pytest.fixture
def folder(tmp_path):
    """A project with texts that were drawn from a rated and a coded table."""
    rows = pl.DataFrame(
        {"person": range(1, N + 1), "why": [f"text number {row} <b>" for row in range(1, N + 1)]}
    )
    rows.write_csv(tmp_path / "answers.csv")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nfile: answers.csv\nquestions:\n- {name: why, kind: open}\n"
        "- {name: person, kind: identifier}\n"
    )
    (tmp_path / "codebooks").mkdir()
    (tmp_path / "codebooks" / "topics.yaml").write_text(
        "name: topics\ncodes:\n- {name: sound, definition: Sound., examples: [loud]}\n"
        "- {name: price, definition: Price., examples: [dear]}\n"
    )
    (tmp_path / "results").mkdir()
    share = pl.Series([row / N for row in range(N)])
    points = {f"semscale_p_{point}": share * 0 + 0.1 for point in (2, 3, 4)}
    masses = {"semscale_p_1": 0.7 * (1 - share), **points, "semscale_p_5": 0.7 * share}
    rows.with_columns(semscale_status=pl.lit("scored"), **masses).write_parquet(
        tmp_path / f"results/{TASK}.parquet"
    )
    codes = {"semscale_outcome": pl.lit("coded"), "semscale_sound": 1, "semscale_price": 0}
    codes |= {"semscale_sound_likeness": share, "semscale_price_likeness": 1 - share}
    rows.with_columns(**codes).write_parquet(tmp_path / "results/answers-why-codes.parquet")
    scores = {"question": pl.format("What is {}?", "person"), "semscale_provenance": pl.lit("decision")}
    scores |= {"semscale_expected": share * 0.7 + 0.15} | masses
    rows.with_columns(**scores).write_parquet(tmp_path / "results/judged.parquet")
    return tmp_path


def origin(page):
    """Return scheme, host and port of a page's address."""
    return page.url[: page.url.index("/", len("http://"))]


def start(page, name, kind="Rated"):
    """Draw texts, if nobody has, and say who labels."""
    page.goto(origin(page) + "/label")
    begun = page.locator(".task").filter(has_text=f"{kind} {'on' if kind == 'Rated' else 'by'}")
    if begun.count():
        begun.get_by_role("link", name="Continue").click()
    else:
        page.locator(".task").filter(has_text=kind).get_by_role("button", name="Draw texts").click()
    page.fill("#rater", name)
    page.keyboard.press("Enter")
    page.locator("#tally progress").wait_for()
    return page


def shown_row(page):
    return int(page.locator(".shown > div").get_attribute("data-row"))


def wait_until_saved(page):
    page.locator("#unsaved:text-is('')").wait_for(state="attached")


def wait_for_tally(page, n):
    page.locator(f".tally span:has-text('{n} of ')").wait_for()


def entries(folder, rater, task=TASK):
    path = folder / "labels" / task / f"{rater}.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_fifty_keys_at_the_speed_of_the_machine_are_all_stored(new_page, folder):
    page = start(new_page(), "Ada")
    draw = json.loads((folder / "labels" / TASK / "draw.json").read_text())["texts"]
    keys = "1234512345" * 5
    for key in keys:
        page.keyboard.press(key)
    wait_for_tally(page, 50)
    stored = entries(folder, "ada")
    assert [(entry["row"], entry["label"]) for entry in stored] == [
        (text["row"], key) for text, key in zip(draw, keys, strict=False)
    ]
    assert shown_row(page) == draw[50]["row"]
    has_next_text_at_once = page.evaluate("""() => {
        const before = document.querySelector('.shown').textContent;
        document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '3', bubbles: true}));
        return document.querySelector('.shown').textContent !== before;
    }""")
    assert has_next_text_at_once
    wait_for_tally(page, 51)


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def test_a_killed_workbench_loses_and_doubles_no_label(chromium, folder):
    port = free_port()
    context = chromium.new_context()
    first = Workbench(folder, port)
    try:
        page = context.new_page()
        page.goto(first.address)
        page.wait_for_url("**/data")
        start(page, "Ada")
        for key in "12345123":
            page.keyboard.press(key)
        first.process.kill()  # while answers are on their way
        first.process.wait()
        for key in "45n":
            page.keyboard.press(key)
        page.locator("#unsaved:has-text('not saved yet: the workbench does not answer')").wait_for()
    finally:
        first.process.kill()
        first.process.communicate()
    second = Workbench(folder, port)
    try:
        other = context.new_page()
        other.goto(second.address)
        other.wait_for_url("**/data")
        other.goto(f"http://127.0.0.1:{port}/label?task={TASK}")
        wait_for_tally(other, 11)
        wait_until_saved(page)  # the first tab goes on as well
        page.bring_to_front()
        page.keyboard.press("5")
        wait_until_saved(page)
        other.reload()
        wait_for_tally(other, 12)
        stored = entries(folder, "ada")
        assert [entry.get("label") for entry in stored] == [*"1234512345", None, "5"]
        assert len({entry["row"] for entry in stored}) == len({entry["id"] for entry in stored}) == 12
        assert shown_row(other) not in {entry["row"] for entry in stored}
    finally:
        context.close()
        second.process.kill()
        second.process.communicate()


def test_two_tabs_of_one_person_and_a_reload_double_nothing(new_page, folder):
    page = start(new_page(), "Ada")
    other = page.context.new_page()
    other.goto(page.url)
    other.locator("#tally progress").wait_for()
    for key in "123":
        for tab in (page, other):
            tab.bring_to_front()  # keys of a tab in the background may never arrive
            tab.keyboard.press(key)
    wait_until_saved(page)
    wait_until_saved(other)
    page.reload()
    wait_for_tally(page, 3)
    assert len(entries(folder, "ada")) == 6
    other.bring_to_front()
    other.keyboard.press("Backspace")
    wait_until_saved(other)
    page.bring_to_front()
    page.reload()
    wait_for_tally(page, 3)  # the label of the first tab holds again
    page.keyboard.press("Backspace")  # the page has forgotten the text, and loads it again
    page.locator(".shown > div").wait_for()
    assert [entry.get("act") for entry in entries(folder, "ada")][-1] == "undo"


def test_undo_skip_comment_and_not_about_by_keys(new_page, folder):
    page = start(new_page(), "Ada")
    first = shown_row(page)
    page.keyboard.press("c")
    page.keyboard.type("4 n s x <b>")
    page.keyboard.press("Control+Enter")  # which chooses nothing
    page.keyboard.press("Enter")
    page.keyboard.press("4")
    second = shown_row(page)
    page.keyboard.press("Backspace")
    assert shown_row(page) == first
    page.keyboard.press("2")
    assert shown_row(page) == second
    page.keyboard.press("s")
    page.keyboard.press("n")
    wait_for_tally(page, 2)
    stored = entries(folder, "ada")
    assert stored[0]["comment"] == "4 n s x <b>"
    assert [entry.get("act", "label") for entry in stored] == ["label", "undo", "label", "skip", "label"]
    assert stored[1]["undoes"] == stored[0]["id"]
    assert page.locator(".tally").inner_text().endswith("1 skipped for now")
    page.keyboard.press("?")
    page.locator("#keys").get_by_text("take your last answer back").wait_for()


def test_codes_are_chosen_by_keys_and_saved_by_enter(new_page, folder):
    page = start(new_page(), "Ada", "Coded")
    page.keyboard.press("Enter")
    page.locator("#unsaved:has-text('Choose a code')").wait_for()
    for keys in ("1 2 Enter", "2 2 1 Enter", "n"):
        for key in keys.split():
            page.keyboard.press(key)
    wait_for_tally(page, 3)
    labels = [entry["label"] for entry in entries(folder, "ada", "answers-why-codes")]
    assert labels == ["sound; price", "sound", "none"]


def test_a_second_person_is_blind_and_differences_are_decided_by_keys(new_page, folder):
    ada = start(new_page(), "Ada")
    for key in "11155":
        ada.keyboard.press(key)
    wait_for_tally(ada, 5)
    bo = start(new_page(), "Bo")
    assert "Ada" not in bo.locator("main").inner_text()
    for key in "11255":
        bo.keyboard.press(key)
    wait_for_tally(bo, 5)
    bo.locator("#sheet").get_by_role("link", name="Agreement").click()
    bo.locator(".differs:has-text('Ada 1 Very bad')").wait_for()
    bo.get_by_role("link", name="Decide 1 difference").click()
    bo.locator(".shown:has-text('Bo 2 Bad')").wait_for()
    bo.keyboard.press("2")
    bo.locator(".shown:has-text('All differences are decided')").wait_for()
    wait_for_tally(bo, 1)
    assert [entry["label"] for entry in entries(folder, "adjudicated")] == ["2"]


def test_labels_are_given_without_javascript(new_page, folder):
    page = new_page(java_script_enabled=False)
    while page.locator("[data-question]").count() == 0:
        page.goto(page.url)
    page.get_by_role("link", name="Label").click()
    page.locator(".task").filter(has_text="Coded").get_by_role("button").click()
    page.fill("#rater", "Ada")
    page.get_by_role("button", name="Start").click()
    page.get_by_label("price").check()
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="none of these").click()
    page.get_by_role("button", name="Take back").click()
    page.get_by_role("link", name="What the labels show").click()
    wait_for_tally(page, 1)
    page.get_by_role("link", name="Back to the texts").click()
    page.get_by_role("button", name="Save labels as CSV").click()
    assert (folder / "labels" / "answers-why-codes.csv").exists()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1300, 420])
def test_pages_of_labels_fit_and_are_accessible(new_page, scheme, width):
    settings = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "bypass_csp": True}
    page = new_page(**settings)

    def check():
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        check_for_barriers(page)

    points = list("145123451234")
    for kind, keys in (("Coded", ["1", "Enter"] * 12), ("Rated", points), ("Judged", [*points])):
        for name in ("Ada", "Bo"):
            start(page, name, kind)
            check()
            for key in keys:
                page.keyboard.press(key)
            wait_for_tally(page, 12)
            check()
            keys[0], task = "2", page.url.partition("task=")[2]
            page.get_by_role("button", name="Another person").click()
            page.locator("#rater").wait_for()
            check()
        for path in ("/label", f"/label/agreement?task={task}"):
            page.goto(origin(page) + path)
            page.locator("h1").wait_for()
            check()
