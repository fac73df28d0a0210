"""The page of tables composes an entry of ``tables.yaml`` with a preview, and makes files of the basket."""

import json
import re
import shlex
import threading
import time
from html import unescape
from urllib.parse import urlencode

import polars as pl
import pytest
from python_calamine import CalamineWorkbook
from tests.workbench.conftest import SURVEY, fields_in, message_in

from semscale.errors import InputError
from semscale.store.expressions import filter_table
from semscale.store.reading import open_table
from semscale.tabulation.basket import read_basket
from semscale.workbench import tables_waves


@pytest.fixture
def entries(folder):
    return lambda: read_basket(folder / "tables.yaml").entries


def form_of(page):
    start = page.index('id="tables-form"')
    return fields_in(page[start : page.index("</form>", start)])


def add(browser, address):
    """Add the tables of an address to the basket, and return the page."""
    return browser.change("/tables/save", form_of(browser.get(address)))


def entry_form(page, position):
    start = page.index(f'id="entry-{position}"')
    return fields_in(page[start : page.index("</form>", start)])


def test_a_question_and_a_group_are_shown_at_once(browser, folder):
    page = browser.get("/tables")
    assert "to see its table here" in page
    page = browser.get("/tables?act=questions:satisfaction")
    assert 'name="questions" value="satisfaction"' in page
    page = browser.get("/tables?questions=satisfaction&act=banners:country&min_base=1")
    assert "base, unweighted" in page.lower()
    assert "DE (" in page
    assert "A letter after a figure" not in page  # six respondents differ by chance
    assert "All differences" in page
    address = re.search(r'hx-get="(/tables/numbers[^"]*)"', page)[1]
    numbers = browser.get(unescape(address))
    assert "adjusted p-value" in numbers.lower()
    assert "p is the probability" in numbers
    assert not (folder / "tables.yaml").exists()


def test_letters_and_p_are_explained_where_a_table_has_them(browser, folder):
    rows = [("AT", 1)] * 40 + [("DE", 5)] * 40 + [("DE", 1), ("AT", 5)]
    (folder / "answers.csv").write_text("country,satisfaction\n" + "".join(f"{c},{s}\n" for c, s in rows))
    page = browser.get("/tables?questions=satisfaction&banners=country")
    assert "A letter after a figure" in page
    assert "p is the probability" in page
    page = browser.get("/tables?questions=satisfaction")
    assert "A letter after a figure" not in page
    assert "p is the probability" not in page


def test_new_tables_begin_with_the_only_weight_of_the_survey(browser, folder):
    (folder / "survey.yaml").write_text("survey: 1\nquestions:\n- {name: age, kind: weight}\n")
    assert form_of(browser.get("/tables"))["weight"] == "age"
    assert form_of(browser.get("/tables?weight=&questions=tea"))["weight"] == ""


def test_further_questions_follow_when_they_are_looked_at(browser):
    names = ("satisfaction", "sound", "shape", "tea", "milk", "age")
    page = browser.get("/tables?" + "&".join(f"questions={name}" for name in names))
    assert page.count('<section id="question-') == 4
    address = re.search(r'hx-get="(/tables/further[^"]*)"', page)[1]
    further = browser.get(unescape(address))
    assert re.findall(r'<section id="(question-\d-\d)', further) == ["question-4-0", "question-4-1"]
    assert 'hx-trigger="revealed"' not in further


def test_a_second_press_takes_a_question_out(browser):
    page = browser.get("/tables?questions=satisfaction&questions=shape&act=questions:satisfaction")
    assert form_of(page)["questions"] == "shape"


def test_a_dragged_question_is_added_once(browser):
    page = browser.get("/tables?questions=shape&act=questions&question=shape")
    assert form_of(page)["questions"] == "shape"
    page = browser.get("/tables?questions=shape&act=banners&question=country")
    assert form_of(page)["banners"] == "country"


def test_questions_are_moved(browser):
    page = browser.get("/tables?questions=shape&questions=sound&act=up:sound")
    assert form_of(page)["questions"] == ["sound", "shape"]


def test_tables_that_are_in_the_basket_leave_the_emphasis_to_the_workbook(browser):
    emphasised = '<button class="main" id="add-to-basket"'
    assert emphasised in browser.get("/tables?questions=shape")
    page = add(browser, "/tables?questions=shape")
    assert emphasised not in page
    assert page.count(">Make Excel workbook</button>") == 2
    assert emphasised in browser.get("/tables?questions=shape&banners=country")


def test_tables_are_added_changed_moved_and_removed(browser, entries):
    page = add(browser, "/tables?questions=shape&banners=country&decimals=0")
    browser.change("/tables/change", entry_form(page, 0) | {"title": "First"})
    page = add(browser, "/tables?questions=sound")
    assert "n the basket: 2 entries" in page
    assert [(entry.title, entry.questions) for entry in entries()] == [
        ("First", ("shape",)),
        ("", ("sound",)),
    ]
    assert (entries()[0].banners, entries()[0].decimals) == (("country",), 0)
    page = browser.change("/tables/change", entry_form(page, 1) | {"to": "0"})
    assert [entry.questions for entry in entries()] == [("sound",), ("shape",)]
    page = browser.change("/tables/change", entry_form(page, 0) | {"title": "Sound"})
    assert entries()[0].title == "Sound"
    browser.change("/tables/change", entry_form(page, 0) | {"act": "remove"})
    assert [entry.title for entry in entries()] == ["First"]
    page = browser.change("/data/undo")
    assert [entry.title for entry in entries()] == ["Sound", "First"]
    assert "<h1>Tables</h1>" in page


def test_entries_with_the_same_questions_say_what_differs(browser):
    add(browser, "/tables?questions=shape&banners=country&hide=DE")
    add(browser, "/tables?questions=shape&banners=tea&where=age+>+1")
    page = unescape(add(browser, "/tables?questions=shape&level=0.9&hide_small=yes"))
    described = re.findall(r"<strong><bdi>\s*(.*?)\s*</bdi></strong>", page)
    assert described == [
        "shape by country, without ‘DE’",
        "shape by tea, only respondents with: age > 1",
        "shape, intervals and significance 0.9, hide small groups",
    ]


def test_changed_tables_keep_the_title_that_the_basket_gives_them(browser, entries):
    page = add(browser, "/tables?questions=shape")
    browser.change("/tables/change", entry_form(page, 0) | {"title": "First"})
    browser.change("/tables/save", form_of(browser.get("/tables?open=0")) | {"decimals": "0"})
    assert [(entry.title, entry.decimals) for entry in entries()] == [("First", 0)]


def test_an_opened_entry_is_changed_in_its_place_and_keeps_what_the_page_does_not_show(
    browser, folder, entries
):
    (folder / "tables.yaml").write_text(
        "tables:\n- {questions: [shape], missing: {shape: [5]}}  # mine\n- {questions: [sound]}\n"
    )
    form = form_of(browser.get("/tables?open=0"))
    assert form["questions"] == "shape"
    browser.change("/tables/save", form | {"level": "0.9"})
    assert [entry.level for entry in entries()] == [0.9, 0.95]
    assert entries()[0].missing == {"shape": ("5",)}
    assert "# mine" in (folder / "tables.yaml").read_text()


def test_the_first_tables_write_the_description_that_commands_need(browser, folder):
    add(browser, "/tables?questions=shape")
    assert (folder / "survey.yaml").is_file()


def test_answers_and_groups_to_hide_are_listed_by_question_and_banner(browser):
    address = "/tables?questions=tea&questions=milk&banners=country&min_base=1"

    def listed(page):
        fields = re.findall(r'class="hide-labels"><legend><bdi>([^<]*)</bdi></legend>(.*?)</fieldset>', page)
        return {
            title: re.findall(r'name="hide" value="([^"]*)"( checked)?', names) for title, names in fields
        }

    before = listed(browser.get(address))
    assert list(before)[-1] == "country"
    assert ("DE", "") in before["country"]
    names = [name for group in before.values() for name, _ in group]
    assert len(names) == len(set(names))
    after = listed(browser.get(f"{address}&hide=DE"))
    assert after["Hidden"] == [("DE", " checked")]
    assert ("DE", "") not in after["country"]


def test_a_choice_without_tables_is_a_sentence(browser):
    page = browser.get("/tables?questions=shape&where=nonsense+>")
    assert "No tables" in page
    page = browser.get("/tables?questions=shape&level=95")
    assert "level must be" in page


def filtered(browser, here="questions=shape&min_base=1", **fields):
    """Add a condition on the answers to a question, and return the form of the tables."""
    page = browser.change("/tables/filter", {"here": here, **fields})
    return form_of(page)


def test_rows_are_chosen_by_the_answers_to_a_question(browser, folder):
    assert "choose a question" in browser.get("/tables?questions=shape")
    page = browser.get("/tables/filter?question=milk&mode=keep&answer=Yes")
    assert re.search(r"<b>2</b> of 6 rows stay, 4 are left out", page)
    page = browser.get("/tables/filter?question=milk&mode=keep&answer=Yes&here=where%3Dage%2B%253E%2B30")
    assert re.search(r"<b>1</b> of 6 rows stay", page)  # aged 63 and 19
    form = filtered(browser, question="milk", answer="Yes")
    assert (form["where"], form["questions"], form["min_base"]) == ("milk IN ('Yes')", "shape", "1")
    form = filtered(browser, "where=age > 30", question="country", answer=["DE", "AT"], mode="leave")
    assert form["where"] == "(age > 30) AND (country IS NULL OR country NOT IN ('DE', 'AT'))"
    browser.change("/tables/save", form | {"questions": "shape", "min_base": "1"})
    assert read_basket(folder / "tables.yaml").entries[0].where == form["where"]
    address = "/tables?questions=shape&where=milk+IN+('Yes')"
    assert "<bdi>Only: milk = Yes</bdi>" in browser.get(address)
    assert form_of(browser.get(f"{address}&act=all-rows"))["where"] == ""


def test_codes_for_no_answer_are_no_answer_in_a_condition(browser, folder):
    (folder / "survey.yaml").write_text(
        "survey: 1\nquestions:\n- {name: satisfaction, kind: scale, missing: [99]}\n"
    )
    rows = {}
    for mode in ("keep", "leave"):
        fields = {"question": "satisfaction", "without": "true", "answer": "2", "mode": mode}
        page = browser.get("/tables/filter?" + urlencode(fields))
        n = int(re.search(r"<b>(\d)</b> of 6 rows stay", page)[1])
        where = filtered(browser, **fields)["where"]
        rows[mode] = filter_table(open_table(folder / "answers.csv"), where).n_rows
        assert rows[mode] == n
    assert rows == {"keep": 3, "leave": 3}  # 2, 99, 2; and 3, 3, 3


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"question": "milk"}, "choose at least one answer"),
        ({"question": "milk", "answer": "Maybe"}, "must be an answer to"),
        ({"question": "milk", "answer": "Yes", "here": "where=age > 70"}, "no rows are left"),
        ({"answer": "Yes"}, "question"),
    ],
)
def test_a_condition_that_leaves_no_rows_or_names_no_answer_is_refused(browser, fields, reason):
    answer = browser.post("/tables/filter", fields)
    assert answer.status_code == 422
    assert reason in message_in(answer)


def test_an_outdated_page_changes_nothing(browser, folder, entries):
    form = form_of(browser.get("/tables?questions=shape"))
    (folder / "tables.yaml").write_text("tables:\n- {questions: [sound]}\n")
    answer = browser.post("/tables/save", form)
    assert answer.status_code == 409
    assert "was changed elsewhere" in message_in(answer)
    assert [entry.questions for entry in entries()] == [("sound",)]


def test_two_entries_of_a_page_are_removed_one_after_the_other(browser, entries):
    add(browser, "/tables?questions=shape")
    add(browser, "/tables?questions=tea")
    page = add(browser, "/tables?questions=sound")
    browser.change("/tables/change", entry_form(page, 0) | {"act": "remove"})
    browser.change("/tables/change", entry_form(page, 2) | {"act": "remove"})
    assert [entry.questions for entry in entries()] == [("tea",)]
    again = browser.post("/tables/change", entry_form(page, 2) | {"act": "remove"})
    assert again.status_code == 409
    assert browser.post("/tables/change", entry_form(page, 1) | {"act": "down"}).status_code == 409
    assert [entry.questions for entry in entries()] == [("tea",)]


def test_no_other_entry_is_opened_by_a_removal_on_an_outdated_page(browser, entries):
    for name in ("shape", "tea", "sound"):
        add(browser, f"/tables?questions={name}")
    page = browser.get("/tables?open=1")
    browser.change("/tables/change", entry_form(page, 0) | {"act": "remove"})
    later = browser.change("/tables/change", entry_form(page, 2) | {"act": "remove"})
    assert form_of(later)["entry"] == ""


def test_entries_are_moved_by_a_step_and_equal_ones_are_told_apart(browser, entries):
    for name in ("shape", "shape", "sound"):
        page = add(browser, f"/tables?questions={name}")
    page = browser.change("/tables/change", entry_form(page, 2) | {"act": "up"})
    assert [entry.questions for entry in entries()] == [("shape",), ("sound",), ("shape",)]
    browser.change("/tables/change", entry_form(page, 2) | {"act": "remove"})
    assert [entry.questions for entry in entries()] == [("shape",), ("sound",)]


def test_a_broken_basket_is_a_sentence_and_is_never_overwritten(browser, folder):
    (folder / "tables.yaml").write_text("tables:\n- {question: [sound]}\n")
    page = browser.get("/tables?questions=shape")
    assert "unknown key" in page
    answer = browser.post("/tables/save", form_of(page))
    assert answer.status_code == 422
    assert "question:" in (folder / "tables.yaml").read_text()


def test_empty_fields_are_accepted(browser):
    assert browser.post("/tables/save").status_code == 409
    for path in ("/tables/make", "/tables/stop"):
        assert browser.post(path).status_code < 500
    assert browser.post("/tables/change").status_code == 422


def end_of_run(browser):
    """Return the page once the run that makes files has ended."""
    while "Making tables of" in (page := browser.get("/tables")):
        time.sleep(0.05)
    return page


def wait_for(browser, text):
    deadline = time.monotonic() + 60
    while text not in (page := browser.get("/tables")):
        assert "Not made" not in page, page[page.index("Not made") :][:300]
        assert time.monotonic() < deadline
    return page


def test_files_are_made_of_the_basket_and_again_for_the_next_wave(browser, folder):
    add(browser, "/tables?questions=shape&banners=country")
    (folder / "wave2.csv").write_text(SURVEY.replace("DE", "CH"), encoding="utf-8")
    (folder / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    page = browser.get("/tables")
    assert "Rebuild for <bdi>wave2.csv" in page
    assert '<button name="file" value="answers.csv">Make all three' in page
    assert "other.csv" not in page[page.index('id="basket"') :]
    browser.change("/tables/make", {"kind": "xlsx"})
    page = wait_for(browser, "answers-tables.xlsx")
    assert "semscale tables answers.csv --basket tables.yaml --out results/answers-tables.xlsx" in page
    assert "changed since" not in wait_for(browser, "<b>Made</b>")
    browser.change("/data/question", browser.form("shape") | {"title": "Form"})
    assert "The description of the data has changed since these tables were made." in browser.get("/tables")
    assert browser.client.get("/tables/results/answers-tables.xlsx").content[:2] == b"PK"
    assert browser.client.get("/tables/results/answers.csv").status_code == 422
    browser.change("/tables/make", {"kind": "html"} | {"file": "wave2.csv"})
    wait_for(browser, "wave2-tables.html")
    wait_for(browser, "<b>Made</b>")
    assert "CH" in (folder / "results" / "wave2-tables.html").read_text(encoding="utf-8")


def test_a_note_on_unfinished_interviews_leads_to_where_they_can_be_left_out(browser, folder):
    rows = ["R_1,True,0,yes", "R_2,False,0,no", "R_3,True,1,yes"]
    header = '"{""ImportId"":""_recordId""}","{""ImportId"":""finished""}","{""ImportId"":""status""}"'
    (folder / "answers.csv").write_text(
        "ResponseId,Finished,Status,Q1\nResponse ID,Finished,Response Type,Was it good?\n"
        f'{header},"{{""ImportId"":""QID1""}}"\n' + "\n".join(rows) + "\n"
    )
    browser.change("/data/rows", {"where": "", "version": version_of_rows(browser)})
    page = browser.get("/tables?questions=Q1")
    note = page.index("1 row is not finished and treated like all others")
    assert '<a href="/data">Leave them out' in page[note : note + 200]
    form = {"question": "Finished", "mode": "leave", "answer": "False"}
    browser.change("/data/filter", form | {"version": version_of_rows(browser)})
    page = browser.get("/tables?questions=Q1")
    assert "Leave them out" not in page


def version_of_rows(browser):
    page = browser.get("/data")
    return re.search(r'id="filter".*?name="version" value="([^"]*)"', page, re.DOTALL)[1]


DESCRIBED = """survey: 1
file: answers.csv
questions:
- {name: Reason, kind: open, columns: why, title: The reason}
- {name: country, kind: single}
- {name: shape, kind: scale}
"""
RATED = {"semscale_p_1": [1.0, 0.5, 0, 0, 0, 0], "semscale_p_2": [0.0, 0.5, 1, 1, 1, 1]}
CODED = {
    "semscale_outcome": ["coded"] * 6,
    "semscale_sound": [0, 1, 0, 0, None, 1],
    "semscale_sound_likeness": [0.1, 0.9, 0.1, 0.1, 0.5, 0.9],
}
REASONS = {
    "semscale_outcome": ["coded"] * 6,
    "semscale_habit": [1, 1, 1, 0, 0, 0],
    "semscale_habit_likeness": [0.9, 0.9, 0.9, 0.1, 0.1, 0.1],
}
NAMES = ("semscale_why_mean", "semscale_why_outcome")


@pytest.fixture
def measured(folder):
    """Write ratings and codes of ``why``, as runs do, and a description."""
    (folder / "survey.yaml").write_text(DESCRIBED)
    write_results(folder, "answers-Reason-quality", RATED, "ratings", "Quality")
    write_results(folder, "answers-Reason-codes", CODED, "codes", "topics")


def write_results(folder, name, results, kind, title, source="answers.csv"):
    (folder / "results").mkdir(exist_ok=True)
    facts = [{"measured": kind, "text": "why", "title": title, "labels": {"1": "Bad", "2": "Good"}}]
    frame = pl.read_csv(folder / source).with_columns(pl.Series(*entry) for entry in results.items())
    frame.write_parquet(folder / "results" / f"{name}.parquet", metadata={"semscale": json.dumps(facts)})


@pytest.mark.usefixtures("measured")
def test_ratings_and_codes_of_an_open_question_are_chosen_one_by_one(browser, entries):
    page = browser.get("/tables")
    assert "The reason: rated on Quality" in page
    assert "The reason: codes" in page
    page = browser.get(f"/tables?questions={NAMES[1]}&questions=shape&banners=country&min_base=1")
    assert "The reason (codes)" in page[page.index('id="preview"') :]
    assert "--results results/answers-Reason-codes.parquet" in page
    assert "are those of" not in page  # as the page has found the file itself
    assert "answers-Reason-quality" not in page[page.index('id="preview"') :]
    page = browser.get(f"/tables?questions={NAMES[0]}&min_base=1")
    assert "The reason (ratings)" in page
    assert "1 Bad" in page
    assert "--results results/answers-Reason-quality.parquet" in page
    add(browser, f"/tables?questions={NAMES[0]}&questions={NAMES[1]}&banners=country")
    assert entries()[0].questions == NAMES


@pytest.mark.usefixtures("measured")
def test_the_basket_makes_files_of_results_by_a_command_that_does_the_same(browser, folder, semscale):
    add(browser, f"/tables?questions={NAMES[0]}&questions={NAMES[1]}&questions=shape&min_base=1")
    browser.change("/tables/make", {"kind": "xlsx"})
    page = end_of_run(browser)
    assert "answers-tables.xlsx" in page
    command = unescape(re.search(r"semscale (tables answers.csv --basket[^<]*)", page)[1])
    assert command.count("--results results/answers-Reason-") == 2
    book = CalamineWorkbook.from_path(folder / "results" / "answers-tables.xlsx")
    rows = {row[0]: row for row in book.get_sheet_by_name("why, codes").to_python() if row[0]}
    assert rows["sound"][1] == pytest.approx(2 / 6)  # one of six answers is unsure
    rows = {row[0]: row for row in book.get_sheet_by_name("why, ratings").to_python() if row[0]}
    assert rows["1 Bad"][1] == pytest.approx(1.5 / 6)
    (folder / "results" / "answers-tables.xlsx").unlink()
    assert semscale(*shlex.split(command)).code == 0
    assert (folder / "results" / "answers-tables.xlsx").is_file()


ON_SCALES = ("semscale_why on Trust_mean", "semscale_why on Quality_mean")


@pytest.mark.usefixtures("measured")
def test_ratings_on_two_scales_are_questions_of_their_own(browser, folder, entries, semscale):
    add(browser, f"/tables?questions={NAMES[0]}&min_base=1")
    turned = dict(zip(RATED, reversed(RATED.values()), strict=True))
    write_results(folder, "answers-Reason-trust", turned, "ratings", "Trust")
    page = browser.get("/tables")
    assert [f'value="questions:{name}"' in page for name in (*ON_SCALES, NAMES[0])] == [True, True, False]
    assert "The reason: rated on Trust" in page
    assert "Not shown" not in page
    add(browser, f"/tables?{urlencode({'questions': ON_SCALES, 'min_base': 1}, doseq=True)}")
    assert entries()[1].questions == ON_SCALES
    browser.change("/tables/make", {"kind": "xlsx"})
    command = unescape(re.search(r"semscale (tables answers.csv --basket[^<]*)", end_of_run(browser))[1])

    def of_bad():
        book = CalamineWorkbook.from_path(folder / "results" / "answers-tables.xlsx")
        sheets = {
            name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names if "ratings" in name
        }
        return {name: next(row[1] for row in rows if row[0] == "1 Bad") for name, rows in sheets.items()}

    # The name without a scale, which the basket had before, stands for the latest ratings.
    expected = {"why, ratings": 4.5 / 6, "why on Trust, ratings": 4.5 / 6, "why on Quality, ratings": 1.5 / 6}
    assert of_bad() == pytest.approx(expected)
    (folder / "results" / "answers-tables.xlsx").unlink()
    assert semscale(*shlex.split(command)).code == 0
    assert of_bad() == pytest.approx(expected)


BY_CODEBOOKS = ("semscale_why on reasons_outcome", "semscale_why on topics_outcome")


@pytest.mark.usefixtures("measured")
def test_codes_of_two_codebooks_are_questions_of_their_own(browser, folder, semscale):
    write_results(folder, "answers-Reason-reasons-codes", REASONS, "codes", "reasons")
    page = browser.get("/tables")
    assert [f'value="questions:{name}"' in page for name in (*BY_CODEBOOKS, NAMES[1])] == [True, True, False]
    assert "The reason: coded by reasons" in page
    assert "Not shown" not in page
    add(browser, f"/tables?{urlencode({'questions': BY_CODEBOOKS, 'min_base': 1}, doseq=True)}")
    browser.change("/tables/make", {"kind": "xlsx"})
    command = unescape(re.search(r"semscale (tables answers.csv --basket[^<]*)", end_of_run(browser))[1])
    assert command.count("--results results/answers-Reason-") == 2
    for _ in ("by the page", "by the command"):
        path = folder / "results" / "answers-tables.xlsx"
        book = CalamineWorkbook.from_path(path)
        sheets = [book.get_sheet_by_name(name).to_python() for name in book.sheet_names if "codes" in name]
        rows = {row[0]: row[1] for sheet in sheets for row in sheet if row[0]}
        assert rows["sound"] == pytest.approx(2 / 6)  # one of six answers is unsure
        assert rows["habit"] == pytest.approx(3 / 6)
        path.unlink()
        assert semscale(*shlex.split(command)).code == 0


@pytest.mark.usefixtures("measured")
def test_of_two_ratings_on_one_scale_the_later_one_is_offered_and_the_other_named(browser, folder):
    write_results(folder, "answers-Reason-again", RATED, "ratings", "Quality")
    page = browser.get("/tables")
    assert f'value="questions:{NAMES[0]}"' in page
    assert "answers-Reason-quality.parquet has ratings of the same answers as answers-Reason-again" in page


@pytest.mark.usefixtures("measured")
def test_outdated_results_are_named_and_the_next_wave_needs_its_own(browser, folder):
    add(browser, f"/tables?questions={NAMES[1]}&min_base=1")
    (folder / "wave2.csv").write_text(SURVEY.replace("It is good", "It is bad"))
    browser.change("/tables/make", {"file": "wave2.csv"})
    problem = "wave2.csv has no current codes of ‘The reason’: code its answers on the page Code first"
    assert problem in end_of_run(browser)
    write_results(folder, "wave2-Reason-codes", CODED, "codes", "topics", source="wave2.csv")
    browser.change("/tables/make", {"file": "wave2.csv"})
    page = end_of_run(browser)
    assert "wave2-tables.xlsx" in page
    assert "--results results/wave2-Reason-codes.parquet" in page
    assert "Outdated" not in page
    (folder / "answers.csv").write_text(SURVEY.replace("Hard to say", "Easy to say"))
    page = browser.get(f"/tables?questions={NAMES[1]}")
    assert "answers-Reason-codes.parquet has codes of other rows than answers.csv" in page
    assert 'href="/code">Code again' in page  # as no choices of a run are stored
    assert "answers.csv has no current codes of ‘The reason’" in page


@pytest.fixture
def outdated(folder, measured):
    """Change an answer after a page rated the answers; their codes were not made by a page."""
    (folder / "answers.csv").write_text(SURVEY.replace("Hard to say", "Easy to say"))
    choices = {"text": ["Reason"], "scale": ["quality"], "readout": ["ordinal"]}
    (folder / "results" / "answers-Reason-quality.choices.json").write_text(json.dumps(choices))
    return choices


def measured_again(browser, page):
    """Press the button that makes results again, and return the page of tables after the run."""
    table = re.search(r'form="again" name="table" value="([^"]*)">', page)[1]
    page = browser.change("/tables/again", {"table": table, "here": "questions=shape"})
    while 'id="measuring"' in page:
        assert 'To stop this, go to the page <a href="/rate">Rate' in page
        time.sleep(0.05)
        page = browser.get("/tables?questions=shape")
    return page


def test_outdated_ratings_are_made_again_by_one_press(browser, folder, outdated, monkeypatch, toy_embedder):
    monkeypatch.setattr("semscale.workbench.models.load_embedder", lambda *_, **__: toy_embedder)
    page = browser.get("/tables")
    assert 'href="/code">Code again' in page
    assert NAMES[0] not in page
    page = measured_again(browser, page)
    assert f'value="questions:{NAMES[0]}"' in page
    assert ">Rate again</button>" not in page
    assert form_of(page)["questions"] == "shape"
    rated = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet")
    assert rated["why"][3] == "Easy to say"
    choices = json.loads((folder / "results" / "answers-Reason-quality.choices.json").read_text())
    assert choices == outdated
    browser.change("/tables/again", {"table": "answers-Reason-quality.parquet"})  # of another window
    assert 'id="measuring"' not in browser.get("/tables")


@pytest.mark.usefixtures("outdated")
def test_a_run_that_fails_is_told_where_it_was_started(browser, monkeypatch):
    def fail(*_, **__):
        raise InputError("the model is gone")

    monkeypatch.setattr("semscale.workbench.models.load_embedder", fail)
    page = measured_again(browser, browser.get("/tables"))
    assert '<b class="warn">Not done</b> <bdi>the model is gone' in page
    assert ">Rate again</button>" in page
    assert 'hx-include="#tables-form" hx-trigger="load"' in browser.get("/tables/measuring")


@pytest.fixture
def waves(folder):
    """Write an earlier wave with the same columns, and one without ``shape``; the open file is the last."""
    (folder / "survey.yaml").write_text(DESCRIBED.replace("answers.csv", "wave3.csv"))
    (folder / "answers.csv").rename(folder / "wave3.csv")
    (folder / "wave1.csv").write_text(SURVEY.replace(",It", ",Once it"))
    pl.read_csv(folder / "wave3.csv").drop("shape").write_csv(folder / "wave2.csv")
    (folder / "wave4.csv").write_text(SURVEY)
    (folder / "other.csv").write_text("a,b\n1,2\n")


def offered(page):
    return re.findall(r'type="checkbox" name="earlier" value="([^"]*)"', page)


def ticked(page):
    return re.findall(r'name="earlier" value="([^"]*)" checked', page)


def tick(browser, *names, address="/tables"):
    """Tick earlier waves, and no others, and return the page."""
    return browser.change("/tables/compare", form_of(browser.get(address)) | {"earlier": list(names)})


@pytest.mark.usefixtures("waves")
def test_the_files_before_the_open_one_are_offered_as_earlier_waves(browser, folder):
    address = "/tables?questions=shape&min_base=1&banners=country"
    assert offered(browser.get("/tables")) == ["wave1.csv", "wave2.csv"]
    page = tick(browser, "wave1.csv", address=address)
    assert "semscale tables wave3.csv --earlier wave1.csv --question shape" in page
    assert "Change from wave wave1 to wave3" in page
    assert "Change from wave wave1 to wave3" in browser.get(f"{address}&pair_by=respondent")
    page = tick(browser, "wave1.csv", "wave2.csv", address=address)
    assert "wave2.csv has no ‘shape’: these answers are missing in that wave" in page
    # Names that tell no order leave the choice open.
    (folder / "before.csv").write_text(SURVEY)
    (folder / "coded.csv").write_text(SURVEY.replace("respondent,", "semscale_outcome,respondent,"))
    assert offered(browser.get("/tables")) == ["before.csv", "wave1.csv", "wave2.csv", "wave4.csv"]


@pytest.fixture
def slow_opening(monkeypatch):
    """Let each file that is compared wait for this event."""
    event = threading.Event()
    monkeypatch.setattr(
        tables_waves, "open_table", lambda *args, **of: event.wait(60) and open_table(*args, **of)
    )
    yield event
    event.set()


@pytest.mark.usefixtures("waves")
def test_the_page_is_shown_before_other_files_are_compared(browser, folder, slow_opening):
    basket = "earlier: [wave2.csv]\ntables:\n- {questions: [shape]}\n"
    (folder / "tables.yaml").write_text(basket)
    browser.get("/data")
    page = browser.client.get("/tables?questions=shape").text
    assert '<section id="question-0-0"' in page
    assert ticked(page) == offered(page) == ["wave2.csv"]  # which the basket names
    assert "Rebuild for" not in page
    address = unescape(re.search(r'id="earlier" hx-get="([^"]*)"', page)[1])
    assert 'id="earlier" hx-get=' in browser.client.get(address).text
    slow_opening.set()
    part = browser.get(address)
    assert (offered(part), ticked(part)) == (["wave1.csv", "wave2.csv"], ["wave2.csv"])
    assert "Rebuild for <bdi>wave4.csv" in part
    assert 'id="earlier" hx-get=' not in part
    assert offered(browser.client.get("/tables").text) == ["wave1.csv", "wave2.csv"]


@pytest.mark.usefixtures("waves")
def test_columns_of_other_files_are_compared_whatever_their_format(browser, folder):
    answers = pl.read_csv(folder / "wave3.csv")
    for number, ending in ((1, "parquet"), (2, "xlsx")):
        (folder / f"wave{number}.csv").unlink()
        getattr(answers, {"parquet": "write_parquet", "xlsx": "write_excel"}[ending])(
            folder / f"wave{number}.{ending}"
        )
    answers.with_columns(semscale_mean=1.0).write_parquet(folder / "wave0.parquet")  # results
    (folder / "wave00.parquet").write_bytes(b"PAR1 is damaged PAR1")
    assert offered(browser.get("/tables")) == ["wave1.parquet", "wave2.xlsx"]


@pytest.mark.usefixtures("waves")
def test_ticked_waves_are_stored_in_the_basket_and_undone(browser, folder):
    page = tick(browser, "wave2.csv")
    assert read_basket(folder / "tables.yaml").earlier == ("wave2.csv",)
    assert ticked(page) == ["wave2.csv"]
    page = tick(browser, "wave1.csv", "wave2.csv")
    assert read_basket(folder / "tables.yaml").earlier == ("wave1.csv", "wave2.csv")
    assert ticked(browser.change("/data/undo")) == ["wave2.csv"]
    outdated = form_of(page) | {"earlier": ["wave1.csv"]}
    assert browser.post("/tables/compare", outdated).status_code == 409
    form = form_of(browser.get("/tables")) | {"earlier": ["elsewhere.csv"]}
    assert "no table" in message_in(browser.post("/tables/compare", form))
    assert ticked(tick(browser)) == []
    for _ in range(2):
        browser.change("/data/undo")
    assert not (folder / "tables.yaml").exists()


@pytest.mark.usefixtures("waves")
def test_an_earlier_wave_that_is_not_there_is_unticked_and_the_open_file_stays(browser, folder):
    basket = "earlier: [gone.csv, wave3.csv]  # mine\ntables:\n- {questions: [shape]}\n"
    (folder / "tables.yaml").write_text(basket)
    page = browser.get("/tables?questions=shape")
    assert "no table 'gone.csv'" in unescape(page)
    assert ticked(page) == ["gone.csv"]
    tick(browser)
    assert read_basket(folder / "tables.yaml").earlier == ("wave3.csv",)
    assert "# mine" in (folder / "tables.yaml").read_text()


def rebuilt(page):
    return re.findall(r'name="file" value="([^"]*)">Rebuild for', page)


@pytest.mark.usefixtures("waves")
def test_the_basket_is_rebuilt_for_files_that_can_follow_its_earlier_waves(browser, folder, semscale):
    add(browser, "/tables?questions=shape&min_base=1")
    page = browser.get("/tables")
    assert rebuilt(page) == ["wave1.csv", "wave4.csv"]  # wave2.csv has no shape
    assert "another file, without a comparison" in page
    for name in ("wave00.csv", "spring.csv"):
        (folder / name).write_text(SURVEY)
    (folder / "tables.yaml").write_text(
        "earlier: [wave1.csv]\ntables:\n- {questions: [shape], min_base: 1}\n"
    )
    page = browser.get("/tables")
    assert rebuilt(page) == ["spring.csv", "wave4.csv"]  # spring.csv can be any wave
    assert "another file, with its change since <bdi>wave1.csv</bdi>" in page
    # A listed file follows those before it only.
    (folder / "tables.yaml").write_text(
        "earlier: [wave1.csv, wave3.csv, wave4.csv]\ntables:\n- {questions: [shape], min_base: 1}\n"
    )
    page = browser.get("/tables?questions=shape&min_base=1")
    assert "semscale tables wave3.csv --earlier wave1.csv --question shape" in page
    assert "its change since <bdi>wave1.csv</bdi>, as ticked" in page
    assert "wave4.csv</bdi> <small>listed after wave3.csv, so not compared" in page
    preview = page[page.index('id="preview"') :]
    assert "<bdi>wave4.csv</bdi> comes after <bdi>wave3.csv</bdi>" in preview
    browser.change("/tables/make", {"kind": "xlsx", "file": "wave1.csv"})
    end_of_run(browser)
    made = CalamineWorkbook.from_path(folder / "results" / "wave1-tables.xlsx").sheet_names
    assert "Changes" not in made
    assert semscale("tables", "wave1.csv", "--basket", "tables.yaml", "--out", "same.xlsx").code == 0
    assert CalamineWorkbook.from_path(folder / "same.xlsx").sheet_names == made


@pytest.mark.usefixtures("waves")
def test_a_comparison_that_goes_back_in_time_is_named(browser, folder):
    backwards = "wave3.csv</bdi> is before <bdi>wave4.csv</bdi>: its changes go back in time"
    assert backwards in tick(browser, "wave4.csv")
    assert "back in time" not in tick(browser, "wave1.csv")


@pytest.mark.usefixtures("waves")
def test_files_of_the_basket_compare_its_waves_after_the_page_was_left(browser, folder, entries, semscale):
    tick(browser, "wave1.csv")
    add(browser, "/tables?questions=shape&min_base=1")
    assert entries()[0].wave is None
    assert ticked(browser.get("/tables")) == ["wave1.csv"]
    browser.change("/tables/make", {"kind": "xlsx"})
    page = end_of_run(browser)
    command = unescape(re.search(r"semscale (tables wave3.csv --basket[^<]*)", page)[1])
    assert command.startswith("tables wave3.csv --basket tables.yaml --out")
    names = CalamineWorkbook.from_path(folder / "results" / "wave3-tables.xlsx").sheet_names
    assert "Changes" in names
    (folder / "results" / "wave3-tables.xlsx").unlink()
    assert semscale(*shlex.split(command)).code == 0
    assert CalamineWorkbook.from_path(folder / "results" / "wave3-tables.xlsx").sheet_names == names
    browser.change("/tables/make", {"kind": "xlsx", "file": "wave4.csv"})
    end_of_run(browser)
    assert "Changes" in CalamineWorkbook.from_path(folder / "results" / "wave4-tables.xlsx").sheet_names
    page = browser.get("/tables?questions=shape&wave=country")
    assert "does not go with files of earlier waves" in page


@pytest.mark.usefixtures("waves")
def test_people_in_several_waves_are_paired_in_all_tables_of_the_basket(browser, folder, entries):
    (folder / "survey.yaml").write_text(
        "survey: 1\nfile: wave3.csv\nquestions:\n- {name: age, kind: identifier}\n"
    )
    address = "/tables?questions=shape&min_base=1"
    page = tick(browser, "wave1.csv", address=address)
    assert '<option value="">are not paired</option>' in page
    assert "--pair-by" not in page
    assert "People in several waves" not in page  # the setting of single tables
    browser.change("/tables/compare", form_of(page) | {"earlier": ["wave1.csv"], "people": "age"})
    assert read_basket(folder / "tables.yaml").pair_by == "age"
    page = add(browser, address)
    assert '<option value="age" selected>are paired by age</option>' in page
    assert "tables wave3.csv --earlier wave1.csv --pair-by age --question shape" in page
    assert entries()[0].pair_by is None
    browser.change("/tables/make", {"kind": "html"})
    end_of_run(browser)
    assert "pair_by:age" in (folder / "results" / "wave3-tables.html").read_text(encoding="utf-8")


def naming_form(page):
    start = page.index('action="/tables/name"')
    return fields_in(page[start : page.index("</form>", start)])


@pytest.mark.usefixtures("waves")
def test_the_basket_has_a_title_and_names_of_waves(browser, folder, semscale):
    address = "/tables?questions=shape&banners=country&min_base=1"
    page = add(browser, address)
    assert naming_form(page).keys() == {"version", "here", "title"}
    page = tick(browser, "wave1.csv", address=address)
    form = naming_form(page)
    named = {"title": " Lounges ", "file": ["wave1.csv", "wave3.csv"], "wave": ["Spring", "Summer, late"]}
    page = browser.change("/tables/name", form | named)
    basket = read_basket(folder / "tables.yaml")
    assert (basket.title, basket.waves) == ("Lounges", {"wave1.csv": "Spring", "wave3.csv": "Summer, late"})
    assert "Change from wave Spring to Summer, late" in page
    command = shlex.split(unescape(re.search(r"semscale (tables wave3.csv --earlier[^<]*)", page)[1]))
    assert semscale(*command).code == 0
    report = (folder / "tables.html").read_text(encoding="utf-8")
    assert "Change from wave Spring to Summer, late" in report
    browser.change("/tables/make", {"kind": "xlsx"})
    end_of_run(browser)
    index = CalamineWorkbook.from_path(folder / "results" / "wave3-tables.xlsx").get_sheet_by_name("Index")
    assert index.to_python()[0][0] == "Lounges"
    assert browser.post("/tables/name", form | named).status_code == 409  # the page is outdated
    cleared = named | {"title": "", "wave": ["", "Summer"]}
    browser.change("/tables/name", naming_form(browser.get("/tables")) | cleared)
    basket = read_basket(folder / "tables.yaml")
    assert (basket.title, basket.waves) == ("", {"wave3.csv": "Summer"})
    browser.change("/data/undo")
    assert read_basket(folder / "tables.yaml").title == "Lounges"


@pytest.mark.usefixtures("waves")
def test_an_earlier_wave_without_results_is_named(browser, folder):
    write_results(folder, "wave3-Reason-codes", CODED, "codes", "topics", source="wave3.csv")
    tick(browser, "wave1.csv")
    address = f"/tables?questions={NAMES[1]}&min_base=1"
    page = browser.get(address)
    assert "wave1.csv has no current codes of ‘The reason’" in page
    assert 'href="/data/file?file=wave1.csv">open that file</a> and code its answers' in page
    assert 'on the page <a href="/code">Code</a> first' in page
    write_results(folder, "wave1-Reason-codes", CODED, "codes", "topics", source="wave1.csv")
    page = browser.get(address)
    assert "has no current codes" not in page
    assert "--earlier wave1.csv --results results/wave1-Reason-codes.parquet" in page
    assert "--results results/wave3-Reason-codes.parquet" in page
    assert "Change to the wave before" in page


@pytest.mark.usefixtures("waves")
def test_waves_are_compared_on_the_scale_that_a_question_names(browser, folder, semscale):
    for wave in ("wave1", "wave3"):
        for title in ("Quality", "Trust"):
            write_results(folder, f"{wave}-Reason-{title}", RATED, "ratings", title, source=f"{wave}.csv")
    tick(browser, "wave1.csv")
    add(browser, f"/tables?{urlencode({'questions': ON_SCALES, 'min_base': 1}, doseq=True)}")
    browser.change("/tables/make", {"kind": "xlsx"})
    command = unescape(re.search(r"semscale (tables wave3.csv --basket[^<]*)", end_of_run(browser))[1])
    assert command.count("--results") == 4
    names = CalamineWorkbook.from_path(folder / "results" / "wave3-tables.xlsx").sheet_names
    assert {"Changes", "why on Trust, ratings", "why on Quality, ratings"} <= {*names}
    assert semscale(*shlex.split(command)).code == 0
    (folder / "results" / "wave1-Reason-Trust.parquet").unlink()
    page = browser.get(f"/tables?{urlencode({'questions': ON_SCALES[0], 'min_base': 1})}")
    assert "wave1.csv has no current ratings of ‘The reason’ on ‘Trust’" in page
