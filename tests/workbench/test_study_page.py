"""The page of studies writes files, previews interviews, asks the panel, and compares it with people."""

import json
import re
import shutil

import polars as pl
import pytest
from tests.support.endpoint import misbehaving_endpoint
from tests.workbench.conftest import fields_in, message_in

from semscale.scales import load_scale
from semscale.study import load, read_study
from semscale.study.questionnaire import parse_study

pytestmark = pytest.mark.needs("api")

STUDY = """# ours
name: bars
seed: 1
model: {name: m, base_url: "http://127.0.0.1:9/v1", max_tokens: 40}

# who is asked
panel:
  size: 6
  marginals:
    age: {young: 0.5, old: 0.5}   # of the census
persona: You are {age}.
concepts:
  - name: oat
    text: A bar of oats.   # plain
  - name: nut
    text: A bar of nuts.

# what is asked
questions:
  - {name: intent, text: "Would you buy it?", scale: purchase-intent, methods: [dlr]}
groups: [age]
"""
PEOPLE = "concept,Q1,age\n" + "".join(
    f"{concept},{answer},{age}\n"
    for concept, answers in (("oat", "54435"), ("nut", "12213"))
    for answer, age in zip(answers, ("young", "old", "young", "old", "old"), strict=True)
)


@pytest.fixture(autouse=True)
def _ledger_of_the_test(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path_factory.mktemp("ledger") / "ledger.sqlite"))


@pytest.fixture
def endpoint():
    with misbehaving_endpoint() as started:
        started.reply = lambda asked: "4"
        yield started


@pytest.fixture
def study(folder):
    path = folder / "bars.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.fixture
def asked(study, endpoint):
    """The study, with an endpoint that answers."""
    study.write_text(STUDY.replace("http://127.0.0.1:9/v1", endpoint.url))
    return study


def form_of(page):
    start = page.index('id="study-form"')
    return fields_in(page[start : page.index("</form>", start)])


def open_form(browser):
    return form_of(browser.get("/study/edit?file=bars.yaml"))


def main_buttons(page):
    """Return the texts of the emphasised buttons and links."""
    found = re.findall(r'<(?:a|button)[^>]*class="(?:button )?main"[^>]*>(.*?)</(?:a|button)>', page)
    return [re.sub("<[^>]*>", "", text) for text in found]


def ask(browser):
    browser.change("/study/run", {"file": "bars.yaml"})
    return wait(browser, "run")


def wait(browser, kind, page="run"):
    while "hx-refresh" not in browser.client.get(f"/study/progress/{kind}").headers:
        pass
    return browser.get(f"/study/{page}?file=bars.yaml")


def test_studies_are_listed_with_what_they_ask_or_their_mistake(browser, folder, study):
    (folder / "broken.yaml").write_text(STUDY.replace("[dlr]", "[guess]"))
    (folder / "panel.yaml").write_text("judges: []\n")
    page = browser.get("/study")
    assert "6 personas, 2 concepts, 1 question: 12 answers" in page
    assert "&#39;broken.yaml&#39;, line 20" in page
    assert "panel.yaml" not in page
    assert main_buttons(page) == ["Ask the panel of bars.yaml"]
    study.unlink()
    (folder / "broken.yaml").unlink()
    assert main_buttons(browser.get("/study")) == ["Create the study"]


def test_a_new_study_is_the_commented_example_and_can_be_taken_back(browser, folder):
    page = browser.change("/study", {"name": "Tea: new"})
    assert 'id="study-form"' in page
    path = folder / "tea-new.yaml"
    assert load(path).design.name == "Tea: new"
    assert "#   semscale study run tea-new.yaml\n" in path.read_text()
    answer = browser.post("/study", {"name": "tea new"})
    assert (answer.status_code, "tea-new.yaml exists" in message_in(answer)) == (409, True)
    browser.change("/data/undo")
    assert not path.exists()


def test_a_study_is_named_in_any_script(browser, folder):
    browser.change("/study", {"name": "お茶"})
    assert (folder / "お茶.yaml").is_file()


def test_a_form_that_is_saved_as_it_is_changes_nothing(browser, study):
    browser.change("/study/edit", open_form(browser))
    assert study.read_text() == STUDY
    shutil.copy("examples/study/personas.csv", study.parent)
    shutil.copy("examples/study/snack_bars.yaml", study)
    before = study.read_bytes()
    browser.change("/study/edit", open_form(browser))
    assert study.read_bytes() == before


def test_saving_leads_to_the_page_that_asks_if_its_button_is_pressed(browser, study):
    answer = browser.post("/study/edit", open_form(browser) | {"seed": "3", "then": "run"})
    assert (answer.status_code, answer.url.raw_path) == (200, b"/study/run?file=bars.yaml")
    assert "seed: 3" in study.read_text()


def test_a_change_of_one_field_leaves_all_else_as_it_was_written(browser, study):
    form = open_form(browser)
    form["concept_text"][0] = "A bar of oats: new"
    form["levels"] = "young: 40 %\nold: 60 %"
    form["max_calls"] = "100"
    browser.change("/study/edit", form)
    expected = (
        STUDY.replace("A bar of oats. ", '"A bar of oats: new"').replace("0.5, old: 0.5", "40, old: 60")
    ) + "budget: {max_calls: 100}\n"
    assert parse_study(study.read_bytes(), source="", folder=study.parent).caps.max_calls == 100
    assert [line.split() for line in study.read_text().splitlines()] == [
        line.split() for line in expected.splitlines()
    ]


def test_entries_are_added_and_removed(browser, study):
    form = open_form(browser)
    form = form_of(browser.change("/study/try", form | {"change": "add:question"}))
    form["question_name"][1], form["question_type"][1] = "where", "choice"
    form["question_text"][1], form["question_options"][1] = "Where?", "shop\nNo\n"
    form = form_of(browser.change("/study/try", form | {"change": "remove:concept:0"}))
    browser.change("/study/edit", form)
    design = parse_study(study.read_bytes(), source="", folder=study.parent)
    assert [concept.name for concept in design.questionnaire.concepts] == ["nut"]
    assert design.questionnaire.questions[1].labels == ("shop", "No")
    assert "# what is asked\nquestions:" in study.read_text()


def test_removing_a_question_keeps_the_methods_of_those_after_it(browser, study):
    second = "  - {name: liking, scale: purchase-intent, methods: [flr, decision]}\ngroups"
    study.write_text(STUDY.replace("groups", second))
    form = open_form(browser)
    form = form_of(browser.change("/study/try", form | {"change": "remove:question:0"}))
    assert form["methods"] == ["0:flr", "0:decision"]


def test_a_mistake_while_typing_has_its_line_and_is_not_saved(browser, study):
    form = open_form(browser) | {"levels": "young: 0.5\nold: 0.2"}
    page = browser.change("/study/seen", form)
    assert "line 10: the shares of margin &#39;age&#39; must sum to 1" in page
    answer = browser.post("/study/edit", form)
    assert (answer.status_code, "must sum to 1" in message_in(answer)) == (422, True)
    assert form_of(answer.text)["levels"] == "young: 0.5\nold: 0.2"
    assert study.read_text() == STUDY


def test_a_file_that_an_editor_changed_is_not_overwritten(browser, study):
    form = open_form(browser)
    study.write_text(STUDY + "samples: 2\n")
    answer = browser.post("/study/edit", form | {"seed": "3"})
    assert (answer.status_code, "was changed outside of this page" in message_in(answer)) == (409, True)
    assert study.read_text() == STUDY + "samples: 2\n"


def test_the_preview_has_the_concept_the_question_its_points_and_the_prompt(browser, study):
    form = open_form(browser)
    pages = [browser.change("/study/seen", form | {"shown": str(row)}) for row in range(6)]
    panel = load(study).design.panel
    for row, page in enumerate(pages):
        assert f"Persona {row + 1} of 6<" in page
        assert f"You are {panel.fields['age'][row]}.\n\nYou take part in a survey." in page
    assert "A bar of nuts." in pages[0]
    for label in load_scale("purchase-intent").labels:
        assert f"<li><bdi>{label}</bdi></li>" in pages[0]
    assert "Reply with one of these numbers, from 1 to 5" in pages[0]


def test_a_broken_file_is_corrected_as_text(browser, study):
    study.write_text(STUDY.replace("seed: 1", "seed: [1"))
    page = browser.get("/study/edit?file=bars.yaml")
    assert "not readable as YAML" in page
    form = fields_in(page[page.index('action="/study/text"') :])
    answer = browser.post("/study/text", form | {"content": STUDY.replace("seed: 1", "seed: x")})
    assert (answer.status_code, "line 3" in message_in(answer)) == (422, True)
    browser.change("/study/text", form | {"content": STUDY})
    assert study.read_text() == STUDY


def plan_of(page):
    """Return what a run is going to do, by name, as the page states it."""
    plan = page[page.index('<dl class="values">') :].partition("</dl>")[0]
    rows = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", plan, re.DOTALL)
    return {name: " ".join(re.sub("<[^>]*>", "", text).split()) for name, text in rows}


def test_what_a_run_does_is_stated_before_it_is_started(browser, study):
    page = browser.get("/study/run?file=bars.yaml")
    sentence = re.sub("<[^>]*>", "", page[page.index('class="sentence"') :].partition("</p>")[0])
    assert "Each of 6 personas answers 1 question about 2 concepts." in sentence
    plan = plan_of(page)
    assert (plan["Question"], plan["Concepts"]) == ("Would you buy it?", "oat, nut")
    assert (plan["Answers"], plan["Model"]) == ("12", "m, on this machine: nothing is sent elsewhere")
    assert main_buttons(page) == ["Forecast calls and cost"]
    assert plan["Calls"].startswith("at most 12 ")
    assert plan["Replies come from"].startswith("http://127.0.0.1:9/v1")
    assert plan["Cost"] == "not known yet: a forecast states it and sends nothing"
    assert "The answers show nothing about people until you" in page
    study.write_text(STUDY.replace("http://127.0.0.1:9/v1", "https://models.example.org/v1"))
    plan = plan_of(browser.get("/study/run?file=bars.yaml"))
    assert plan["Model"].startswith("m, all questions are sent to models.example.org")
    # Similarity and the follow-up rating share the call for free words: 3 calls for 4 methods and 12 answers.
    study.write_text(STUDY.replace("[dlr]", "[ssr, flr, dlr]") + "budget: {max_cost: 2.5}\n")
    plan = plan_of(browser.get("/study/run?file=bars.yaml"))
    assert plan["Calls"].startswith("at most 36 ")
    assert plan["Cost"].endswith("; the run stops at 2.5")
    study.write_text(STUDY.replace('{name: m, base_url: "http://127.0.0.1:9/v1", max_tokens: 40}', "local"))
    page = browser.get("/study/run?file=bars.yaml")
    assert plan_of(page)["Cost"] == "none, as the model runs on this machine"
    assert main_buttons(page) == ["Ask the panel"]


def test_a_dry_run_forecasts_and_sends_nothing(browser, asked, endpoint, tmp_path, monkeypatch):
    prices = tmp_path / "prices.yaml"
    prices.write_text("currency: EUR\nmodels: {}\n")
    monkeypatch.setenv("SEMSCALE_PRICES", str(prices))
    browser.change("/study/forecast", {"file": "bars.yaml"})
    wait(browser, "forecast")
    page = browser.get("/study/run?file=bars.yaml&forecast=true")
    assert re.search(r"Calls to make\s*12\s", re.sub("<[^>]*>", " ", page))
    assert "Nothing was sent." in page
    assert "semscale study run bars.yaml --dry-run" in page
    assert plan_of(page)["Cost"] == "not known, as the price of the model is not in your list of prices"
    prices.write_text("currency: EUR\nmodels:\n  m: {prompt: 0, completion: 1000}\n")
    browser.change("/study/forecast", {"file": "bars.yaml"})
    wait(browser, "forecast")
    page = browser.get("/study/run?file=bars.yaml&forecast=true")
    assert plan_of(page)["Cost"] == "at most 0.48 EUR"  # 12 replies of 40 tokens, at 1,000 EUR per million
    assert endpoint.requests == []


def test_a_run_writes_what_the_command_writes_and_asks_nothing_twice(browser, folder, asked, endpoint):
    page = ask(browser)
    assert len(endpoint.requests) == 12
    result = read_study(folder / "bars-results")
    assert result.answers["value"].to_list() == [4.0] * 12
    assert (folder / "bars-results" / "report.html").is_file()
    shown = ("<h1>", "Personas rate all concepts alike (4.00", "<svg")
    parts = (*shown, "Before you use these figures", "No people were asked", 'id="method"')
    positions = [page.index(part) for part in parts]
    assert positions == sorted(positions)
    assert "No people were asked" in page
    ask(browser)
    assert len(endpoint.requests) == 12
    answers = browser.post("/study/export/answers", {"file": "bars.yaml"})
    assert pl.read_parquet(answers.content).height == 12
    assert browser.post("/study/export/xlsx", {"file": "bars.yaml"}).content[:2] == b"PK"


def test_the_report_is_there_after_a_new_start_and_says_if_the_file_changed(browser, app, asked):
    from tests.workbench.conftest import Browser

    ask(browser)
    asked.write_text(asked.read_text().replace("samples: 1", "").replace("seed: 1", "seed: 2"))
    page = Browser(app).get("/study/run?file=bars.yaml")
    assert "The report is of an earlier state" in page


def test_a_stopped_run_continues_from_stored_replies(browser, asked, endpoint):
    endpoint.fault = lambda prompt, n_asked: "wait" if len(endpoint.requests) > 4 else None
    browser.change("/study/run", {"file": "bars.yaml"})
    while len(endpoint.requests) < 12:
        pass
    assert 'action="/study/stop/run"' in browser.get("/study/run?file=bars.yaml")
    browser.change("/study/stop/run", {"file": "bars.yaml"})
    page = wait(browser, "run")
    assert "the same run continues" in page
    assert ">Continue</button>" in page
    endpoint.fault = lambda prompt, n_asked: None
    endpoint.go.set()
    endpoint.requests.clear()
    page = ask(browser)
    assert 0 < len(endpoint.requests) <= 8
    assert "No people were asked" in page


def test_a_missing_variable_and_an_address_that_is_not_trusted_are_named_and_nothing_is_sent(
    browser, asked, endpoint, monkeypatch, tmp_path
):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("TEAM_KEY", "secret")
    asked.write_text(asked.read_text().replace("max_tokens", "key_variable: TEAM_KEY, max_tokens"))
    page = browser.get("/study/run?file=bars.yaml")
    assert "with the value of TEAM_KEY" in page
    assert "you do not trust yet" in page
    assert "semscale config trust" in page
    answer = browser.post("/study/run", {"file": "bars.yaml"})
    assert (answer.status_code, "do not trust" in message_in(answer)) == (422, True)
    (tmp_path / "config" / "semscale").mkdir(parents=True)
    entry = {"folder": str(asked.parent), "address": endpoint.url, "variable": "TEAM_KEY"}
    from semscale.trust import trust_file

    trust_file().write_text(json.dumps([entry]))
    assert "do not trust" not in browser.get("/study/run?file=bars.yaml")
    monkeypatch.delenv("TEAM_KEY")
    assert "TEAM_KEY is not set" in browser.get("/study/run?file=bars.yaml")
    assert endpoint.requests == []


def test_answers_are_compared_with_people_as_by_the_command(browser, folder, asked, endpoint):
    (folder / "people.csv").write_text(PEOPLE)
    endpoint.reply = lambda asked: "4" if "oats" in str(asked) else "2"
    ask(browser)
    page = browser.get("/study/compare?file=bars.yaml&people=people.csv")
    form = fields_in(page[page.index('action="/study/compare"') :].partition("</form>")[0])
    assert (form["concept"], form["question"], form["by"]) == ("concept", "", "age=age")
    form |= {"question": "intent=Q1", "splits": "50"}
    browser.change("/study/compare", form)
    page = wait(browser, "compare", "compare")
    assert (
        "semscale study compare bars-results people.csv --question intent=Q1 --concept concept --by age "
        "--splits 50" in page
    )
    assert "order of concepts" in page
    report = browser.post("/study/compare/html", {"file": "bars.yaml"})
    assert "Semscale" in report.text
    assert (folder / "bars-results" / "compared.html").is_file()


def test_columns_stay_chosen_when_another_table_has_them(browser, folder, asked):
    (folder / "people.csv").write_text(PEOPLE)
    (folder / "others.csv").write_text(PEOPLE.replace("concept", "product", 1))
    ask(browser)
    chosen = "file=bars.yaml&people=others.csv&question=intent%3DQ1&concept=concept&by=age%3Dage"
    page = browser.get(f"/study/compare?{chosen}")
    form = fields_in(page[page.index('action="/study/compare"') :].partition("</form>")[0])
    assert (form["question"], form["concept"], form["by"]) == ("intent=Q1", "", "age=age")


def test_a_wrong_column_is_a_sentence(browser, folder, asked):
    (folder / "people.csv").write_text(PEOPLE)
    ask(browser)
    fields = {"file": "bars.yaml", "people": "people.csv", "question": "intent=Q9"}
    browser.change("/study/compare", fields)
    assert "Q9" in wait(browser, "compare", "compare")
    answer = browser.post("/study/compare", fields | {"splits": "many"})
    assert (answer.status_code, "splits" in message_in(answer)) == (422, True)


@pytest.mark.parametrize("path", ["/study/edit", "/study/run", "/study/compare", "/study/text"])
def test_only_studies_of_the_folder_are_opened(browser, path, folder):
    (folder.parent / "other.yaml").write_text(STUDY)
    answer = browser.client.get(f"{path}?file=../other.yaml")
    assert "A bar of oats" not in answer.text


def test_the_page_needs_no_table(browser, folder, study):
    (folder / "answers.csv").unlink()
    assert 'id="study-form"' in browser.get("/study/edit?file=bars.yaml")
    assert "Ask the panel" in browser.get("/study/run?file=bars.yaml")
    assert "Ask the panel" in browser.get("/study/compare?file=bars.yaml")
