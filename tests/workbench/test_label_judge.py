"""Answers that a judge scored are labelled by its levels, and the command compares it with the labels."""

import json
import re
import shlex
import shutil

import polars as pl
import pytest
from tests.support.decision_endpoint import deciding_endpoint
from tests.workbench.conftest import fields_in, message_in
from tests.workbench.test_label_page import Person, commands_on

from semscale.cli.main import main
from semscale.judging.human_labels import label_table
from semscale.judging.stored_scores import StoredScores
from semscale.judging.templates import load_template
from semscale.stats.agreement import krippendorff_alpha
from semscale.workbench.label_judging import JudgeMeasure
from semscale.workbench.label_tasks import LabelTasks
from semscale.workbench.project import Project

pytestmark = pytest.mark.needs("api")

JUDGING = {"table": "judged.parquet", "prompt": "q", "text": "a", "reference": "", "measure": "likert"}


@pytest.fixture(scope="module")
def decider():
    with deciding_endpoint() as endpoint:
        endpoint.masses = lambda asked, names, text: (
            [0, 0, 0.2, 0.3, 0.5] if "right" in text else [0.6, 0.4, 0, 0, 0]
        )
        yield endpoint


@pytest.fixture(scope="module")
def chat(decider):
    """Options of the judge that the page does not know."""
    return ["--chat-model", "m", "--chat-url", decider.url, "--reply", "decision"]


@pytest.fixture(scope="module")
def judged(tmp_path_factory, chat):
    """A project with judged answers, which the tests copy."""
    project = tmp_path_factory.mktemp("judged")
    rows = range(1, 31)
    table = pl.DataFrame({
        "q": [f"What is <{row}>?" for row in rows],
        "a": [f"{'right' if row % 2 else 'wrong'} & {row}" for row in rows],
        "truth": [f"truth {row}" for row in rows],
    })  # fmt: skip
    table.write_csv(project / "answers.csv")
    (project / "results").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        patch.setenv("SEMSCALE_CACHE", str(project / "cache"))
        words = ["judge", "answers.csv", "--prompt", "q", "--answer", "a", *chat]
        assert main([*words, "--out", "results/judged.parquet"]) == 0
    return project


@pytest.fixture
def folder(tmp_path, judged, monkeypatch):
    """A project with judged answers of its own."""
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    return shutil.copytree(judged, tmp_path, dirs_exist_ok=True)


def person_named(browser, name, start=JUDGING):
    return Person(browser, name, "judged", start)


def test_answers_are_labelled_without_a_file_of_a_survey(browser, folder):
    (folder / "answers.csv").rename(folder / "results" / "answers.csv")
    assert "Answers in judged" in browser.get("/label")
    browser.change("/label/start", JUDGING)
    assert (folder / "labels" / "judged").is_dir()


def test_answers_are_shown_with_their_questions_and_the_judges_levels_but_no_scores(browser, folder):
    page = browser.get("/label")
    form = fields_in(page[page.index('action="/label/start"') :])
    assert {name: form[name] for name in JUDGING} == JUDGING | {"reference": "truth"}
    person = person_named(browser, "Ada", JUDGING | {"reference": "truth"})
    page = person.page()
    row = person.rows()[0]
    assert f"What is &lt;{row}&gt;?" in page
    assert f"truth {row}" in page
    assert f"{'right' if row % 2 else 'wrong'} &amp; {row}" in page
    assert 'value="1" data-key="1"><kbd>1</kbd> <bdi>Completely incorrect</bdi>' in page
    assert "nothing in it that answers the question is right" in page
    assert "Judge how correct the answer is" in page
    assert "0.82" not in page  # .2 * .5 + .3 * .75 + .5 * 1
    assert len(person.rows()) == 30


def test_agreement_and_the_corrected_mean_are_those_of_the_command(browser, folder, semscale, chat, decider):
    ada, bo = person_named(browser, "Ada"), person_named(browser, "Bo", None)
    assert "Label 10 more answers" in ada.figures()
    rows = ada.label("5432154321543215")
    assert "Judge and people agree" in ada.figures()
    assert "Judge minus people" in ada.figures()
    ada.send(ada.rows()[0], act="nothing")
    for row, label in zip(rows, "54321543214", strict=False):
        bo.send(row, label=label)
    assert "11 of 30 texts" in bo.figures()
    browser.change("/label/sheet", {"task": "judged"})
    sheet = pl.read_csv(folder / "labels" / "judged.csv", infer_schema=False)
    assert sheet.columns == ["q", "a", "truth", "human", "inclusion"]
    assert [sheet["human"][row - 1] for row in rows[9:12]] == ['["1", "1"]', '["5", "4"]', "4"]
    (command,) = commands_on(ada.page())
    asked = len(decider.requests)
    ended = semscale(*command[1:], *chat, "--json")
    assert ended.code == 0, ended.err
    human = json.loads(ended.out)["human"]
    assert len(decider.requests) == asked  # the ledger has all replies
    assert human["n_labelled"] == 16
    for file in (folder / "labels" / "judged").glob("bo*"):
        file.unlink()
    browser.change("/label/sheet", {"task": "judged"})
    human = json.loads(semscale(*command[1:], *chat, "--json").out)["human"]
    shown = ada.figures()
    for figure in (human["corrected"], human["kappa"]):
        value, low, high = (f"{figure[name]:.2f}".replace("-", "−") for name in ("value", "low", "high"))
        assert f"{value} [{low}, {high}]" in shown


def test_two_people_have_an_alpha_for_ordered_labels(browser, folder):
    ada, bo = person_named(browser, "Ada"), person_named(browser, "Bo", None)
    rows = ada.label("5432154321")
    for row, label in zip(rows, "5432154322", strict=True):
        bo.send(row, label=label)
    ratings = pl.DataFrame({"a": [5, 4, 3, 2, 1] * 2, "b": [5, 4, 3, 2, 1, 5, 4, 3, 2, 2]}).to_numpy() * 1.0
    agreement = browser.get("/label/agreement?task=judged")
    assert f"{krippendorff_alpha(ratings, metric='ordinal').value:.2f}" in agreement
    assert "2 Mostly incorrect" in agreement
    assert f"What is &lt;{rows[-1]}&gt;?" in agreement


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"prompt": "a"}, "must be another column"),
        ({"prompt": ""}, "prompt must be one of the list"),
        ({"text": "semscale_explanation"}, "text must be one of the list"),
        ({"reference": "a"}, "must be another column"),
        ({"measure": "true_false"}, "measure must be one of the list"),
        ({"measure": "../x.yaml"}, "measure must be one of the list"),
    ],
)
def test_wrong_choices_are_refused(browser, folder, fields, reason):
    answer = browser.post("/label/start", {**JUDGING, **fields})
    assert answer.status_code == 422
    assert reason in message_in(answer)
    assert not (folder / "labels").exists()


def test_labels_of_an_earlier_sheet_are_not_written_over(browser, folder):
    path = folder / "results" / "judged.parquet"
    pl.read_parquet(path).with_columns(human=pl.lit("5")).write_parquet(path)
    answer = browser.post("/label/start", JUDGING)
    assert answer.status_code == 422
    assert "column &#39;human&#39;" in message_in(answer)


@pytest.mark.parametrize(
    ("name", "keys", "labels"),
    [
        ("true_false", "12", ["Incorrect", "Correct"]),
        ("likert", "12345", ["1", "2", "3", "4", "5"]),
        ("continuous", "0123456789q", [str(10 * number) for number in range(11)]),
    ],
)
def test_levels_have_keys_and_are_read_by_the_command(name, keys, labels):
    template = load_template(name)
    choices = JudgeMeasure(template, name).choices
    assert "".join(choice.key for choice in choices) == keys
    assert [choice.value for choice in choices] == labels
    scores = label_table([choice.value for choice in choices], template)[:, 0]
    assert scores.tolist() == pytest.approx([step / (len(keys) - 1) for step in range(len(keys))])


def test_stored_scores_have_the_deviation_of_their_masses():
    table = pl.DataFrame({
        "semscale_provenance": ["decision", None],
        "semscale_expected": [0.5, None],
        "semscale_p_Incorrect": [0.5, None],
        "semscale_p_Correct": [0.5, None],
    })  # fmt: skip
    scores = StoredScores.from_table(table, load_template("true_false"))
    assert scores.deviation.tolist() == pytest.approx([0.5, float("nan")], nan_ok=True)
    panel = pl.DataFrame({"semscale_n_judges": [2, 0], "semscale_mean": [0.7, None]})
    scores = StoredScores.from_table(panel, load_template("likert"))
    assert scores.masses[0].tolist() == [0, 0, 0, 1, 0]
    assert scores.deviation.tolist() == pytest.approx([0, float("nan")], nan_ok=True)


def test_the_command_on_the_page_can_be_copied(browser, folder):
    person = person_named(browser, "Ada")
    person.label("5")
    (command,) = commands_on(person.page())
    assert shlex.join(command) == (
        "semscale judge labels/judged.csv --prompt q --answer a --template likert "
        "--human human --inclusion inclusion"
    )


ANSWERS = "file=results/judged.parquet"


def pick(browser, name, row, label):
    """Label an answer on the page of answers."""
    browser.change("/answers/rater", {"rater": name, "filters": ANSWERS})
    fields = {"filters": ANSWERS, "row": str(row - 1), "key": f"{name} {row}", "label": label}
    return browser.change("/answers/label", fields)


def figures_in(page):
    """Return the figures of a page with their intervals, the mean first."""
    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", page))
    return re.findall(r"[−\d.]+ \[[^\]]*\]", text)


def shown_mean(page):
    return figures_in(page)[0]


def test_a_label_of_one_page_is_known_on_the_other_and_both_show_the_same_figures(browser, folder):
    ada = person_named(browser, "Ada")
    rows = ada.label("543215432154")
    page = browser.get(f"/answers/people?{ANSWERS}")
    assert "mean corrected by 12 labels of random answers" in page
    assert figures_in(page) == figures_in(ada.figures())  # mean, kappa, difference
    assert len(figures_in(page)) == 3
    page = browser.get(f"/answers?{ANSWERS}&order=row&start={rows[0] - 1}")
    assert 'aria-pressed="true" title="Completely correct"' in page
    picked = ada.rows()[3]
    pick(browser, "Ada", picked, "1")
    assert picked not in ada.rows()
    assert "13 of 30 texts labelled" in ada.figures()


def test_a_picked_label_corrects_the_mean_once_the_draw_has_come_to_it(browser, folder):
    ada = person_named(browser, "Ada")
    ada.label("5432154321")
    before, (next_, picked) = shown_mean(ada.figures()), ada.rows()[:2]
    pick(browser, "Ada", picked, "1")
    assert shown_mean(ada.figures()) == before
    assert "You labelled 1 answer that you picked yourself" in ada.figures()
    browser.change("/label/sheet", {"task": "judged"})
    assert pl.read_csv(folder / "labels" / "judged.csv")["human"].count() == 10
    ada.send(next_, label="3")
    assert shown_mean(ada.figures()) != before
    assert "that you picked" not in ada.figures()
    browser.change("/label/sheet", {"task": "judged"})
    assert pl.read_csv(folder / "labels" / "judged.csv")["human"].count() == 12


def test_a_drawn_answer_that_is_labelled_anew_in_the_list_remains_drawn_and_undo_leaves_picked_ones(
    browser, folder
):
    ada = person_named(browser, "Ada")
    rows = ada.label("5432154321")
    pick(browser, "Ada", ada.rows()[5], "2")
    pick(browser, "Ada", rows[3], "5")
    entries = [json.loads(line) for line in (folder / "labels/judged/ada.jsonl").read_text().splitlines()]
    assert [entry.get("picked", False) for entry in entries[-2:]] == [True, False]
    ada.send(0, act="undo")
    assert rows[3] not in ada.rows()
    ada.send(0, act="undo")
    assert ada.rows()[0] == rows[9]


def test_a_sample_that_was_begun_on_the_page_of_answers_is_continued(browser, folder):
    order = [
        int(row) for row in re.findall(r'id="row-(\d+)"', browser.get(f"/answers?{ANSWERS}&order=chance"))
    ]
    for row in order[:4]:
        pick(browser, "Ada", row, "3")
    assert "mean corrected by 4 labels" in browser.get(f"/answers/people?{ANSWERS}")
    ada = person_named(browser, "Ada", {**JUDGING, "n": "10"})
    assert ada.rows() == order[4:10]
    assert "mean corrected by 4 labels" in browser.get(f"/answers/people?{ANSWERS}")


def test_labels_of_a_former_version_are_copied_with_a_sentence_and_none_is_lost(browser, folder):
    earlier, journal = folder / "labels" / "judged-answers", folder / "labels" / "judged" / "ada.jsonl"
    ada = person_named(browser, "Ada")
    rows = ada.label("54")
    times = [json.loads(line)["time"] for line in journal.read_text().splitlines()]
    old = [
        {"id": "a", "rater": "Ada", "row": rows[0], "label": "1", "time": times[0][:-10]},  # before the draw
        {"id": "b", "rater": "Ada", "row": 30, "label": "2", "time": "2099-01-01T00:00:00"},
        {"id": "c", "rater": "Ada", "row": rows[1], "label": "3", "time": "2099-01-01T00:00:01"},
    ]
    content = "".join(json.dumps(entry) + "\n" for entry in old) + '{"id": "torn", "ra'
    earlier.mkdir()
    (earlier / "ada.jsonl").write_text(content)
    tasks = LabelTasks(Project.open(folder))
    labels = tasks.open("judged").journals.of_rater("Ada").labels()
    assert labels.cells == {rows[0]: "5", 30: "2", rows[1]: "3"}
    assert (
        tasks.copied("judged")
        == "3 lines were copied from labels/judged-answers to the labels in labels/judged"
    )
    assert (earlier / "ada.jsonl").read_text() == content
    before = journal.read_bytes()
    again = LabelTasks(Project.open(folder))
    assert again.open("judged").journals.of_rater("Ada").labels().cells == labels.cells
    assert (again.copied("judged"), journal.read_bytes()) == ("", before)


def test_drawn_labels_of_a_table_that_has_changed_are_not_used_on_the_page_of_answers(browser, folder):
    person_named(browser, "Ada").label("5432")
    path = folder / "results" / "judged.parquet"
    pl.read_parquet(path).with_columns(a=pl.lit("another answer")).write_parquet(path)
    page = browser.get(f"/answers/people?{ANSWERS}")
    assert "other texts than when these were drawn" in page
    assert "mean corrected" not in page
