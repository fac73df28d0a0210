"""The page of labels stores what each person answers, shows what it means, and writes sheets for commands."""

import json
import re
import shlex
from html import unescape
from types import SimpleNamespace

import polars as pl
import pytest
from tests.workbench.conftest import fields_in, message_in

from semscale.stats.agreement import krippendorff_alpha
from semscale.workbench.label_rating import RatingMeasure

HOSTILE = [
    "<script>alert(1)</script> & is good",
    "=SUM(A1) is fine",
    "line one\nline two is bad",
    "“quoted” \u202eis\u202c so so 😀",
]
WORDS = ["very good", "good", "neither good nor bad", "bad", "very bad"]
TEXTS = HOSTILE + [f"It is {WORDS[row % 5]} number {row}" for row in range(36)]
CODES = """name: topics
codes:
- {name: sound, definition: sound of good, examples: [good sound, very good sound]}
- {name: <b>price</b>, definition: price of bad, examples: [bad price, very bad price]}
"""


@pytest.fixture(scope="module")
def measured():
    """Measured tables by name, which are the same in all tests."""
    return {}


def measure(semscale, folder, measured, name, command, *arguments):
    """Write a measured table, which the command writes the first time."""
    out = folder / "results" / name
    if name not in measured:
        run(semscale, command, "answers.csv", "--text", "Reason", *arguments, "--out", out)
        measured[name] = out.read_bytes()
    out.write_bytes(measured[name])


@pytest.fixture
def folder(tmp_path, semscale, measured):
    """A project with a rated question."""
    table = pl.DataFrame({"person": range(1, 41), "why": TEXTS, "wave": [1] * 40})
    table.write_csv(tmp_path / "answers.csv")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nfile: answers.csv\nderive: {later: person > 5}\nwhere: person <> 6\nquestions:\n"
        "- {name: Reason, kind: open, columns: why, title: Why <so>}\n- {name: person, kind: identifier}\n"
        "- {name: wave, kind: ignore}\n- {name: later, kind: ignore}\n"
    )
    (tmp_path / "results").mkdir()
    measure(semscale, tmp_path, measured, RATING["table"], "rate", "--scale", "quality", "--floor", "none")
    return tmp_path


@pytest.fixture
def coded(folder, semscale, measured):
    """The same project with a coded question."""
    (folder / "codebooks").mkdir()
    (folder / CODING["measure"]).write_text(CODES)
    measure(semscale, folder, measured, CODING["table"], "code", "--codebook", CODING["measure"])
    return folder


def run(semscale, *arguments):
    ended = semscale(*arguments)
    assert ended.code == 0, ended.err
    return ended


RATING = {"table": "answers-Reason-quality.parquet", "text": "Reason", "measure": "quality"}
CODING = {"table": "answers-Reason-codes.parquet", "text": "Reason", "measure": "codebooks/topics.yaml"}


class Person:
    """A person who labels in a browser without JavaScript, whose answers are numbered."""

    def __init__(self, browser, name, task="answers-Reason-quality", start=RATING):
        self.browser, self.name, self.task, self.n = browser, name, task, 0
        if start:
            browser.change("/label/start", start)

    def become(self):
        """Label as this person, whoever labelled before in this browser."""
        self.browser.change("/label/rater", {"task": self.task, "rater": self.name})

    def page(self, **query):
        self.become()
        return self.browser.get(f"/label?task={self.task}" + "".join(f"&{k}={v}" for k, v in query.items()))

    def rows(self, **query):
        """Rows of the texts that wait, in their order."""
        return list(map(int, re.findall(r'data-row="([1-9]\d*)"', self.page(**query))))

    def send(self, row, *, rater=None, **fields):
        self.n += 1
        common = {"task": self.task, "rater": rater or self.name, "key": f"{self.name}-{self.n}", "row": row}
        return self.browser.post("/label/answer", {**common, **fields})

    def label(self, labels, **fields):
        """Label the texts that wait, and return their rows."""
        rows = self.rows()[: len(labels)]
        for row, label in zip(rows, labels, strict=True):
            answer = self.send(row, label=label, **fields)
            assert answer.status_code == 200, message_in(answer)
        return rows

    def figures(self):
        self.become()
        page = self.browser.get(f"/label/ahead?task={self.task}")
        return re.sub(r"\s+", " ", unescape(re.sub("<[^>]*>", " ", page[page.index('id="tally"') :])))


def test_without_a_rated_question_the_page_says_what_to_do(browser, folder):
    (folder / "results" / "answers-Reason-quality.parquet").unlink()
    assert "Rate a question" in browser.get("/label")


def test_no_more_texts_are_proposed_than_the_table_has(browser, folder):
    assert re.search(r'name="n"[^>]* value="39"', browser.get("/label"))


def test_the_wording_of_the_question_is_shown_with_that_of_the_scale(browser, folder):
    path = folder / "survey.yaml"
    path.write_text(path.read_text().replace("title: Why <so>", "title: Why <so>, text: 'Why <so> exactly?'"))
    person = Person(browser, "Ada")
    page = person.page()
    assert "People answered the question “<bdi>Why &lt;so&gt; exactly?</bdi>”" in page


def test_texts_are_drawn_once_by_design_and_without_their_ratings(browser, folder):
    page = browser.get("/label")
    assert page.index('value="quality"') < page.index('value="agreement"')  # the scale in the table's name
    person = Person(browser, "Ada")
    draw = json.loads((folder / "labels" / "answers-Reason-quality" / "draw.json").read_text())
    assert sorted(text["row"] for text in draw["texts"]) == list(range(1, 40))  # one row of 40 is left out
    assert {text["inclusion"] for text in draw["texts"]} == {1.0}
    assert draw["n_texts"] == 39
    browser.change("/label/start", {**RATING, "n": "5"})
    assert json.loads((folder / "labels" / "answers-Reason-quality" / "draw.json").read_text()) == draw
    assert person.rows() == [text["row"] for text in draw["texts"]]
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; is good" in person.page()
    assert "<script>alert" not in person.page()
    assert "<h1>Label “<bdi>Why &lt;so&gt;</bdi>”</h1>" in person.page()
    mean = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet")["semscale_mean"]
    assert not any(f"{value:.2f}" in person.page() for value in mean.drop_nulls())


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"table": "../answers.csv"}, "table must be one of the list"),
        ({"text": "person"}, "text must be one of the list"),
        ({"measure": "../../x.yaml"}, "measure must be one of the list"),
        ({"n": "0"}, "n must be a number of texts from 1"),
        ({"n": "-5"}, "n must be a number of texts from 1"),
    ],
)
def test_wrong_choices_are_refused(browser, folder, fields, reason):
    answer = browser.post("/label/start", {**RATING, **fields})
    assert answer.status_code == 422
    assert reason in message_in(answer)
    assert not (folder / "labels").exists()


@pytest.mark.parametrize("task", ["", "..", "../results", "nonsense", "answers-Reason-quality/../.."])
def test_a_task_that_is_not_there_is_refused(browser, task):
    Person(browser, "Ada")
    for path in ("/label/answer", "/label/sheet", "/label/rater"):
        fields = {"task": task, "rater": "Ada", "key": "1", "row": 1, "label": "3"}
        assert browser.post(path, fields).status_code == 422
    assert browser.client.get("/label/ahead", params={"task": task}).status_code == 422


def test_an_answer_is_stored_and_the_next_text_follows(browser, folder):
    person = Person(browser, "Ada")
    first, second, third, *_ = person.rows()
    person.send(first, label="4", comment="a <b>remark</b>\r\nwith ünicode")
    person.send(second, act="nothing")
    person.send(third, act="skip")
    rows = person.rows()
    assert first not in rows
    assert second not in rows
    assert rows[-1] == third
    lines = (folder / "labels" / "answers-Reason-quality" / "ada.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    assert entries[0]["label"] == "4"
    assert entries[0]["comment"] == "a <b>remark</b>\nwith ünicode"
    assert "label" not in entries[1]
    person.send(0, act="undo")
    person.send(0, act="undo")
    assert person.rows()[0] == second
    assert "2 of 39 texts" not in person.figures()


def test_an_answer_that_is_sent_twice_counts_once(browser, folder):
    person = Person(browser, "Ada")
    fields = {"task": person.task, "rater": "Ada", "key": "same", "row": person.rows()[0], "label": "4"}
    for _ in range(3):
        answer = browser.post(
            "/label/answer", fields, {"Sec-Fetch-Site": "same-origin", "X-Semscale-Queued": "1"}
        )
        assert answer.status_code == 204
    assert len((folder / "labels" / "answers-Reason-quality" / "ada.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"row": "999", "label": "3"},
        {"row": "0", "label": "3"},
        {"row": "6000000000000000000000", "label": "3"},
        {"label": "6"},
        {"label": "3; 4"},
        {"label": ""},
        {"label": ["3", "4"]},
        {},
        {"act": "nonsense", "label": "3"},
        {"label": "3", "key": "x" * 101},
        {"label": "3", "key": ""},
        {"label": "3", "comment": "x" * 2001},
        {"label": "3", "rater": ""},
        {"label": "3", "rater": "x" * 61},
        {"label": "3", "rater": "ADJUDICATED"},
    ],
)
def test_wrong_answers_are_refused_and_nothing_is_stored(browser, folder, fields):
    person = Person(browser, "Ada")
    common = {"task": person.task, "rater": "Ada", "key": "k", "row": person.rows()[0]}
    assert browser.post("/label/answer", common | fields).status_code == 422
    assert not list((folder / "labels").glob("*/*.jsonl"))


@pytest.mark.parametrize(
    "name", ["../../evil", "/etc/passwd", "Ёж 名前", "a;b=c, d\"e'", "<img src=x>", "..", "x" * 60]
)
def test_any_name_of_a_person_stays_in_the_folder(browser, folder, name):
    before = {path for path in folder.parent.rglob("*") if "labels" not in path.parts}
    person = Person(browser, name)
    person.label("34")
    assert {path for path in folder.parent.rglob("*") if "labels" not in path.parts} == before
    assert len(list((folder / "labels" / "answers-Reason-quality").glob("*.jsonl"))) == 1
    assert "<img src=x>" not in person.page()
    assert name in unescape(person.page())
    assert "2 of 39 texts" in person.figures()


@pytest.mark.parametrize("name", ["a\x00b", "x" * 61, "adjudicated", "\u202egnp"])
def test_names_that_cannot_be_shown_are_refused(browser, name):
    browser.change("/label/start", RATING)
    assert browser.post("/label/rater", {"task": "answers-Reason-quality", "rater": name}).status_code == 422
    browser.client.cookies.set("semscale-rater", "%00%ff")
    assert "Who labels?" in browser.get("/label?task=answers-Reason-quality")


def test_a_second_person_sees_nothing_of_the_first(browser):
    ada = Person(browser, "Ada")
    rows = ada.label("12345" * 3, comment="secret remark")
    bo = Person(browser, "Bo", start=None)
    assert bo.rows()[:15] == rows
    bo.become()
    for page in (bo.page(), bo.figures(), browser.get("/label/agreement?task=answers-Reason-quality")):
        assert "secret remark" not in page
        assert "Ada" not in page
    Person(browser, "Cy", start=None).become()
    assert "secret remark" not in browser.get("/label/agreement?task=answers-Reason-quality")
    bo.label("1")
    bo.become()
    agreement = browser.get("/label/agreement?task=answers-Reason-quality")
    assert agreement.count("secret remark") == 1  # of the only text that both labelled
    assert "1 of 39 texts" in bo.figures()


def test_differences_come_first_and_are_decided(browser, folder):
    ada, bo = Person(browser, "Ada"), Person(browser, "Bo", start=None)
    rows = bo.label("3445" * 4)
    for row, label in zip(rows, "3455" * 4, strict=True):
        ada.send(row, label=label)
    agreement = browser.get("/label/agreement?task=answers-Reason-quality")
    assert "16 texts" in agreement
    assert "4 of them differently" in agreement
    alpha = krippendorff_alpha(pl.DataFrame({"a": [3, 4, 4, 5] * 4, "b": [3, 4, 5, 5] * 4}).to_numpy() * 1.0)
    assert f"{alpha.value:.2f}" in agreement
    waiting = ada.rows(decide="true")
    assert sorted(waiting) == sorted(rows[2::4])
    assert "Bo" in ada.page(decide="true")
    ada.send(waiting[0], rater="adjudicated", label="1")
    ada.send(waiting[1], rater="adjudicated", act="nothing")
    assert ada.rows(decide="true") == waiting[2:]
    browser.change("/label/sheet", {"task": "answers-Reason-quality"})
    human = dict(
        pl.read_csv(folder / "labels" / "answers-Reason-quality.csv", infer_schema=False)
        .select("row", "human")
        .rows()
    )
    decided = {str(waiting[0]): "1", str(waiting[1]): None, str(waiting[2]): None, str(rows[0]): "3"}
    assert {row: human[row] for row in decided} == decided


def commands_on(page):
    """Return the commands that a page names, as lists of words."""
    return [shlex.split(unescape(line)) for line in re.split(r"[\n<]", page) if line.startswith("semscale ")]


def test_the_sheet_of_ratings_is_read_by_the_commands_that_the_page_names(browser, folder, semscale):
    ada, bo = Person(browser, "Ada"), Person(browser, "Bo", start=None)
    rows = ada.label("5432154321543215432154")
    for row, label in zip(rows, "54321543215432154321", strict=False):
        bo.send(row, label=label)
    ada.send(ada.rows()[0], act="nothing")
    browser.change("/label/sheet", {"task": "answers-Reason-quality"})
    sheet = pl.read_csv(folder / "labels" / "answers-Reason-quality.csv", infer_schema=False)
    assert sheet.columns == ["row", "text", "human", "inclusion"]
    assert sheet["human"].to_list()[:22] == [f"[{n}, {n}]" for n in "54321543215432154321"] + ["5", "4"]
    rate, calibrate = commands_on(ada.page())
    summary = json.loads(run(semscale, *rate[1:], "--floor", "none", "--json").out)
    corrected = summary["comparison"]["corrected"]
    assert corrected["n_labelled"] == 22
    run(semscale, *calibrate[1:])
    assert (folder / "labels" / "answers-Reason-quality-calibration.json").exists()


def test_the_bar_ends_where_labels_are_expected_to_be_enough(browser, folder):
    means = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet")["semscale_mean"]
    person = Person(browser, "Ada")
    for row in person.rows()[:9]:
        person.send(row, label=str(round(means[row - 1])))
    figures = person.figures()
    assert "9 of 39 texts labelled" in figures
    assert "Label 1 more text" in figures
    row = person.rows()[0]
    person.send(row, label=str(round(means[row - 1])))
    figures = person.figures()
    more = int(re.search(r"Label about (\d+) more", figures)[1])
    assert f"10 of about {10 + more} texts labelled" in figures


def end_of_rating(browser):
    """Wait for the end of a run as the page of ratings does."""
    while "hx-retarget" not in browser.client.get("/rate/progress").headers:
        pass
    return browser.get("/rate")


def test_the_labels_of_a_table_that_a_command_wrote_are_chosen_on_the_page_of_ratings(browser, folder):
    person = Person(browser, "Ada")
    person.label("543215432154")
    form = browser.change("/rate/labels", {"task": "answers-Reason-quality"})
    start = form.index('id="rate-form"')
    fields = fields_in(form[start : form.index("</form>", start)])
    chosen = {name: fields[name] for name in ("text", "scale", "labels")}
    assert chosen == {"text": "Reason", "scale": "quality", "labels": "labels/answers-Reason-quality.csv"}
    browser.change("/rate", chosen | {"floor": "none"})
    page = end_of_rating(browser)
    value, low, high = re.search(r"(\d\.\d\d) \[(\d\.\d\d), (\d\.\d\d)\]", person.figures()).groups()
    assert f"{value} [{low}, {high}]" in page
    assert "--labels labels/answers-Reason-quality.csv" in page
    assert browser.post("/rate", chosen | {"labels": "../secret.csv"}).status_code == 422
    assert '<option value="labels/answers-Reason-quality.csv" selected>' in page


def test_a_button_rates_with_the_labels_and_the_choices_of_the_run(browser, folder):
    browser.change("/rate", {"text": "Reason", "scale": "quality", "floor": "none", "respondent": "person"})
    end_of_rating(browser)
    Person(browser, "Ada").label("543215432154")
    assert 'formaction="/rate/labels"' in browser.get("/label?task=answers-Reason-quality")
    browser.change("/rate/labels", {"task": "answers-Reason-quality"})
    page = end_of_rating(browser)
    assert "--respondent person --labels labels/answers-Reason-quality.csv --floor none" in page
    assert "Not checked by people yet" not in page
    (folder / "second.csv").write_bytes((folder / "answers.csv").read_bytes())
    browser.change("/data/file", {"file": "second.csv"})
    refused = browser.post("/rate/labels", {"task": "answers-Reason-quality"})
    assert "these labels are of answers.csv; the open file is second.csv" in message_in(refused)


def test_the_page_and_the_command_correct_the_same_mean(browser, folder, semscale):
    person = Person(browser, "Ada")
    person.label("543215432154")
    browser.change("/label/sheet", {"task": "answers-Reason-quality"})
    rate, _ = commands_on(person.page())
    content = json.loads(run(semscale, *rate[1:], "--floor", "none", "--json").out)
    corrected, mean = content["comparison"]["corrected"], content["estimates"]["overall"]["figures"]["mean"]
    value, low, high = (f"{corrected[name]:.2f}" for name in ("value", "low", "high"))
    figures = person.figures()
    assert f"{value} [{low}, {high}]" in figures
    assert f"Without the labels, the mean is {mean['value']:.2f}." in figures
    assert "correlat" in figures


def test_figures_are_weighted_by_the_only_weight_of_the_survey(browser, folder, semscale):
    weights = pl.Series("w", [1.0, 7.0] * 20)
    pl.read_csv(folder / "answers.csv").with_columns(weights).write_csv(folder / "answers.csv")
    survey, path = folder / "survey.yaml", folder / "results" / RATING["table"]
    survey.write_text(survey.read_text() + "- {name: w, kind: weight}\n")
    weight = pl.when(pl.col("person").cast(pl.Int64) % 2 == 0).then(7.0).otherwise(1.0)
    pl.read_parquet(path).with_columns(w=weight.cast(pl.String)).write_parquet(path)  # as in a CSV
    person = Person(browser, "Ada")
    person.label("543215432154")
    assert "Weighted by ‘w’." in person.figures()
    browser.change("/label/sheet", {"task": "answers-Reason-quality"})
    rate, _ = commands_on(person.page())
    assert rate[rate.index("--weight") + 1] == "w"
    corrected = json.loads(run(semscale, *rate[1:], "--floor", "none", "--json").out)["comparison"][
        "corrected"
    ]
    value, low, high = (f"{corrected[name]:.2f}" for name in ("value", "low", "high"))
    assert f"{value} [{low}, {high}]" in person.figures()
    survey.write_text(survey.read_text() + "- {name: v, kind: weight, columns: w2}\n")
    pl.read_csv(folder / "answers.csv").with_columns(w2=pl.lit(1.0)).write_csv(folder / "answers.csv")
    assert "These figures are not weighted." in person.figures()


def test_codes_are_labelled_several_at_once_and_the_sheet_is_coded(browser, coded, semscale):
    person = Person(browser, "Ada", "answers-Reason-codes", CODING)
    assert "&lt;b&gt;price&lt;/b&gt;" in person.page()
    rows = person.rows()[:30]
    for number, row in enumerate(rows):
        if number % 3 == 0:
            person.send(row, act="nothing")
        else:
            person.send(row, label=["<b>price</b>", "sound"][: number % 3])
    assert person.send(person.rows()[0], label="nonsense").status_code == 422
    figures = person.figures()
    assert "30 of 39 texts" in figures
    assert re.search(r"sound 10 \d+ % \[", figures)
    assert re.search(r"<b>price</b> 20 \d+ % \[", figures)
    assert "Nearly all of the 39 answers are coded by hand" in figures
    browser.change("/label/sheet", {"task": "answers-Reason-codes"})
    sheet = pl.read_csv(coded / "labels" / "answers-Reason-codes.csv", infer_schema=False)
    assert sheet.columns == ["person", "why", "wave", "human", "inclusion"]
    assert sheet.height == 39
    assert [sheet["human"][row - 1] for row in rows[:3]] == ["none", "<b>price</b>", "sound; <b>price</b>"]
    (command,) = commands_on(person.page())
    page = browser.change("/code/labels", {"task": "answers-Reason-codes"})
    assert '<option value="labels/answers-Reason-codes.csv" selected>' in page
    summary = json.loads(run(semscale, *command[1:], "--json").out)
    assert summary["hand_coded"] == 30


def test_two_coders_have_a_column_each_and_alpha_for_each_code(browser, coded, semscale):
    people = [Person(browser, name, "answers-Reason-codes", CODING) for name in ("Ada", "Bo/../")]
    rows = people[0].rows()[:24]
    for row in rows:
        for number, person in enumerate(people):
            person.send(row, label=["sound"] if (row + number) % 4 else ["<b>price</b>"])
    agreement = browser.get("/label/agreement?task=answers-Reason-codes")
    assert "24 texts" in agreement
    assert agreement.count("[−") + agreement.count("[0") >= 2
    browser.change("/label/sheet", {"task": "answers-Reason-codes"})
    (command,) = commands_on(people[0].page())
    assert command.count("--human") == 2
    run(semscale, *command[1:])


def test_codes_that_have_learned_from_labels_are_not_corrected_by_labels(browser, coded):
    person = Person(browser, "Ada", "answers-Reason-codes", CODING)
    path = coded / "results" / CODING["table"]
    table = pl.read_parquet(path)
    table.rename({"semscale_sound_likeness": "semscale_sound_p"}).write_parquet(path)
    assert "learned from labels" in person.figures()
    (coded / "labels" / "answers-Reason-codes" / "draw.json").unlink()
    assert "answers-Reason-codes" not in browser.get("/label")


def test_further_texts_are_drawn_when_all_are_labelled(browser, folder):
    person = Person(browser, "Ada", start=RATING | {"n": "10"})
    assert "more texts</button>" not in person.page()
    first = person.label("3451234512")
    assert "Draw 29 more texts" in person.page()  # of 39 texts
    browser.change("/label/more", {"task": person.task})
    rows = person.rows()
    assert len(rows) == 29
    assert not set(rows) & set(first)
    draw = json.loads((folder / "labels" / person.task / "draw.json").read_text())
    assert [text["row"] for text in draw["texts"][:10]] == first
    assert {text["inclusion"] for text in draw["texts"]} == {1}
    assert "no further texts" in message_in(browser.post("/label/more", {"task": person.task}))


def test_another_page_leads_to_the_texts_of_a_table(browser, coded):
    address = f"/label?question=Reason&codes=topics&table={CODING['table']}"
    path = coded / "results" / CODING["table"]
    table = pl.read_parquet(path)
    readable = pl.int_range(pl.len()) > 2
    values = pl.when(readable).then(pl.col("^semscale_.*_likeness$"))
    table.with_columns(values.name.keep()).write_parquet(path)
    page = browser.get(address)
    assert '<button class="main">Draw texts<span class="unseen"> of answers-Reason-codes' in page
    assert "answers-Reason-quality" not in page
    assert f'name="n" inputmode="numeric" value="{table.height - 3}"' in page
    assert '<button>Draw texts<span class="unseen"> of answers-Reason-quality' in browser.get("/label")
    Person(browser, "Ada", "answers-Reason-codes", CODING).become()
    assert "Which codes apply?" in browser.get(address)


def test_a_table_with_other_texts_is_noticed_and_labels_stay(browser, folder):
    person = Person(browser, "Ada")
    person.label("345")
    path = folder / "results" / "answers-Reason-quality.parquet"
    table = pl.read_parquet(path)
    table.reverse().write_parquet(path)
    assert "has other texts" in person.figures()
    assert len(person.rows()) == 36
    path.write_bytes(b"nonsense")
    assert "cannot be read" in person.figures()
    path.unlink()
    assert "must be a table" in person.figures()


def test_a_broken_draw_names_its_file(browser, folder):
    Person(browser, "Ada")
    (folder / "labels" / "answers-Reason-quality" / "draw.json").write_text("{")
    answer = browser.answer("/label?task=answers-Reason-quality")
    assert answer.status_code == 422
    assert "labels/answers-Reason-quality/draw.json" in message_in(answer)
    (folder / "results" / "broken.parquet").write_text("nonsense")
    page = browser.get("/label")
    assert "labels/answers-Reason-quality/draw.json cannot be read" in page
    assert "move the folder labels/answers-Reason-quality away and draw texts anew" in page
    assert "results/broken.parquet cannot be read" in page
    assert "Draw texts" in page


def test_a_cut_line_of_a_journal_is_mentioned(browser, folder):
    person = Person(browser, "Ada")
    person.label("345")
    path = folder / "labels" / "answers-Reason-quality" / "ada.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert "2 of 39 texts" in person.figures()
    assert "1 line of the journal was cut short" in person.figures()


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        (range(1, 6), "12345"),
        (range(11), "0123456789q"),
        (range(1, 12), "1234567890q"),
        ([-1, 0, 1], "123"),
        ([0.5, 1.5], "12"),
    ],
)
def test_points_have_keys_in_their_order(values, keys):
    points = [SimpleNamespace(value=float(value), label=f"point {value}") for value in values]
    choices = RatingMeasure(SimpleNamespace(points=points)).choices
    assert "".join(choice.key for choice in choices) == keys
