"""The page of answers as a builder uses it: the worst ones, labels by keys, a regression set, and a gate."""

import json

import polars as pl
import pytest
from tests.workbench.conftest import IN_CHROMIUM, check_for_barriers

from semscale.snapshots.regression_sets import RegressionItem, read_set, set_content

pytestmark = IN_CHROMIUM

N = 500
QUESTIONS = [f"Question {row} <i>" for row in range(1, N + 1)]
REFERENCES = [f"It takes {row} days." for row in range(1, N + 1)]


def judged(levels):
    """Return a table as a judge writes it."""
    answers = [f"It does not take {row} days, grade {level}." for row, level in enumerate(levels, start=1)]
    masses = {f"semscale_p_{one}": [float(one == level) for level in levels] for one in range(1, 6)}
    scores = [(level - 1) / 4 for level in levels]
    return pl.DataFrame({
        "id": [f"q{row}" for row in range(1, N + 1)],
        "question": QUESTIONS,
        "answer": answers,
        "reference": REFERENCES,
        "semscale_status": "scored",
        "semscale_score": scores,
        "semscale_expected": scores,
        "semscale_provenance": "single",
        "semscale_explanation": [f"It deserves a {level}." for level in levels],
        "semscale_replies": [[json.dumps({"score": level})] for level in levels],
        **masses,
    })  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """A project with two judged runs of 500 answers, and the answers of a candidate."""
    levels = [1 + (row * 7) % 5 for row in range(N)]
    (tmp_path / "results").mkdir()
    judged(levels).write_parquet(tmp_path / "results" / "judged.parquet")
    judged([min(level + 1, 5) if row < 9 else level for row, level in enumerate(levels)]).write_parquet(
        tmp_path / "results" / "second.parquet"
    )
    pl.DataFrame({"id": [f"q{row}" for row in range(1, N + 1)], "output": REFERENCES}).write_ndjson(
        tmp_path / "candidate.jsonl"
    )
    return tmp_path


def test_the_worst_answers_are_labelled_kept_and_gate_a_candidate(new_page, folder):
    page = new_page()
    page.get_by_role("navigation").get_by_role("link", name="Answers").click()
    page.get_by_role("link", name="results/judged.parquet").click()
    page.get_by_label("Label answers as").fill("Ada")
    page.keyboard.press("Enter")
    page.get_by_text("You label as Ada").wait_for()
    page.get_by_label("Sort by").select_option("lowest score")
    first = page.locator(".answer-list > li").first
    first.get_by_text("It deserves a 1.").wait_for()
    check_for_barriers(page)
    rows = [
        int(card.get_attribute("id").removeprefix("row-")) for card in page.locator(".answer-list > li").all()
    ]
    for keys in ("j1x", "j2x", "jx1", "j12x1", "j2x1"):
        for key in keys:
            page.keyboard.press(key)
    page.locator("#in-set", has_text="5 answers").wait_for()
    page.locator("#people div:has(dt:text-is('Answers with a score and a label')) dd:text-is('5')").wait_for()
    entries = [
        json.loads(line) for line in (folder / "labels" / "judged" / "ada.jsonl").read_text().splitlines()
    ]
    given = {entry["row"]: entry["label"] for entry in entries}
    assert given == dict(zip(rows[:5], "12111", strict=True))
    assert {item.row for item in read_set(folder / "regression" / "judged.jsonl")} == set(rows[:5])

    page.get_by_role("link", name="Open the regression set: 5 answers").click()
    page.get_by_label("File with the candidate’s answers").select_option("candidate.jsonl")
    check_for_barriers(page)
    page.get_by_role("button", name="Check").click()
    page.get_by_text("gives the right answers to 5 questions").wait_for()
    check_for_barriers(page)


def test_a_name_leaves_the_list_as_it_was_filtered(new_page, workbench):
    page = new_page()
    page.goto(workbench.address.partition("/?")[0] + "/answers?file=results/judged.parquet")
    page.get_by_label("Sort by").select_option("lowest score")
    page.wait_for_url("**order=worst")
    page.get_by_label("Label answers as").fill("Ada")
    page.keyboard.press("Enter")
    page.get_by_text("You label as Ada").wait_for()
    assert page.get_by_label("Sort by").input_value() == "worst"


def test_a_key_lists_the_keys_on_a_touchscreen_with_a_keyboard(new_page):
    page = new_page(has_touch=True, is_mobile=True)
    page.get_by_role("navigation").get_by_role("link", name="Answers").click()
    page.get_by_role("link", name="results/judged.parquet").click()
    page.locator(".answer-list > li").first.wait_for()
    page.keyboard.press("?")
    page.locator("#keys").get_by_text("show and hide this list").wait_for()


def test_keys_in_random_order_label_one_answer_after_the_other(new_page, workbench, folder):
    page = new_page()
    address = workbench.address.partition("/?")[0] + "/answers?file=results/judged.parquet"
    page.goto(address)
    page.get_by_label("Label answers as").fill("Ada")
    page.keyboard.press("Enter")
    page.get_by_text("You label as Ada").wait_for()
    page.goto(f"{address}&order=chance")
    cards = page.locator(".answer-list > li")
    rows = [int(cards.nth(place).get_attribute("id").removeprefix("row-")) for place in range(3)]
    for key in "123":
        page.keyboard.press(key)
    page.get_by_text("mean corrected by 3 labels").wait_for()
    lines = (folder / "labels" / "judged" / "ada.jsonl").read_text().splitlines()
    assert [(json.loads(line)["row"], json.loads(line)["label"]) for line in lines] == list(
        zip(rows, "123", strict=True)
    )


def test_keys_after_the_last_answer_of_a_page_change_none_and_lead_to_further_ones(
    new_page, workbench, folder
):
    page = new_page()
    page.goto(workbench.address.partition("/?")[0] + "/answers?file=results/judged.parquet")
    page.get_by_label("Label answers as").fill("Ada")
    page.keyboard.press("Enter")
    page.get_by_text("You label as Ada").wait_for()
    cards = page.locator(".answer-list > li")
    cards.last.focus()
    last = cards.last.get_attribute("id")
    page.keyboard.press("1")
    cards.last.locator("[name=label][aria-pressed=true]").wait_for()
    page.keyboard.press("Backspace")
    cards.last.locator("[name=label][aria-pressed=true]").wait_for(state="detached")
    for key in "j2x":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_url("**start=20**")
    lines = (folder / "labels" / "judged" / "ada.jsonl").read_text().splitlines()
    label, undo = map(json.loads, lines)
    assert f"row-{label['row']}" == last
    assert (undo["act"], undo["undoes"]) == ("undo", label["id"])
    assert not (folder / "regression").exists()


def test_an_answer_opens_is_found_and_is_compared(new_page, workbench):
    page = new_page()
    page.goto(workbench.address.partition("/?")[0] + "/answers?file=results/judged.parquet")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.get_by_role("heading", name="Raw replies and reasoning").wait_for()
    check_for_barriers(page)
    page.keyboard.press("/")
    page.keyboard.type("question 417")
    page.get_by_role("status").get_by_text("1 answer", exact=True).wait_for()
    page.get_by_label("Compare with another run").select_option("results/second.parquet")
    page.get_by_role("button", name="Compare").click()
    page.locator("mark.added").first.wait_for()
    assert page.locator(".answer-list > li").count() == 7
    assert page.locator(".answer-list .score").first.inner_text().startswith("+0.25")
    check_for_barriers(page)
    page.get_by_label("Show").select_option("wins")
    page.wait_for_url("**show=wins")
    page.set_viewport_size({"width": 420, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 420


def test_a_person_decides_about_the_answers_to_a_set_by_keys(new_page, workbench, folder):
    path = folder / "regression" / "judged.jsonl"
    path.parent.mkdir()
    path.write_bytes(
        set_content([RegressionItem(f"q{row}", output=f"It takes {row} days.") for row in (1, 2)])
    )
    given = pl.DataFrame(
        {"id": ["q1", "q2"], "output": ["Certainly not before Easter.", "It will take 2 days."]}
    )
    given.write_ndjson(folder / "candidate.jsonl")
    page = new_page()

    def checked(name, outcome):
        card = page.locator(".pairs.changed > li").filter(has=page.locator(f"h3:text-is('{name}')"))
        return card.locator(f"b:text-is('{outcome}')")

    page.goto(workbench.address.partition("/?")[0] + "/answers/set?name=judged")
    page.get_by_label("File with the candidate’s answers").select_option("candidate.jsonl")
    page.get_by_role("button", name="Check").click()
    checked("q2", "pass").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("a")
    checked("q1", "pass").wait_for()
    page.keyboard.press("j")
    page.keyboard.press("r")
    checked("q2", "fail").wait_for()
    check_for_barriers(page)
    first, second = read_set(path)
    assert (first.accepted, second.rejected) == (("Certainly not before Easter.",), ("It will take 2 days.",))
    page.keyboard.press("Backspace")
    checked("q2", "pass").wait_for()
    page.keyboard.press("k")
    page.keyboard.press("Backspace")
    checked("q1", "pass").wait_for(state="detached")
    assert {(item.accepted, item.rejected) for item in read_set(path)} == {((), ())}
    page.keyboard.press("e")
    page.locator("textarea:focus").wait_for()
    page.keyboard.press("End")
    page.keyboard.type(" At most.")
    page.keyboard.press("Control+Enter")
    page.locator("li:focus textarea:text-is('It takes 1 days. At most.')").wait_for()
    page.keyboard.press("?")
    page.locator("#keys").get_by_text("reject the answer as wrong").wait_for()
