"""Answers that a judge scored are labelled by its levels, and the command compares it with the labels."""

import json
import shlex

import polars as pl
import pytest
from tests.support.decision_endpoint import deciding_endpoint
from tests.workbench.conftest import fields_in, message_in
from tests.workbench.test_label_page import Person, commands_on

from semscale.judging.human_labels import label_table
from semscale.judging.stored_scores import StoredScores
from semscale.judging.templates import load_template
from semscale.stats.agreement import krippendorff_alpha
from semscale.workbench.label_judging import JudgeMeasure

pytestmark = pytest.mark.needs("api")

JUDGING = {"table": "judged.parquet", "prompt": "q", "text": "a", "reference": "", "measure": "likert"}


@pytest.fixture
def decider():
    with deciding_endpoint() as endpoint:
        endpoint.masses = lambda asked, names, text: (
            [0, 0, 0.2, 0.3, 0.5] if "right" in text else [0.6, 0.4, 0, 0, 0]
        )
        yield endpoint


@pytest.fixture
def chat(decider):
    """Options of the judge that the page does not know."""
    return ["--chat-model", "m", "--chat-url", decider.url, "--reply", "decision"]


@pytest.fixture
def folder(tmp_path, semscale, chat, monkeypatch):
    """A project with judged answers."""
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "cache"))
    rows = range(1, 31)
    table = pl.DataFrame({
        "q": [f"What is <{row}>?" for row in rows],
        "a": [f"{'right' if row % 2 else 'wrong'} & {row}" for row in rows],
        "truth": [f"truth {row}" for row in rows],
    })  # fmt: skip
    table.write_csv(tmp_path / "answers.csv")
    (tmp_path / "results").mkdir()
    words = ["judge", "answers.csv", "--prompt", "q", "--answer", "a", *chat]
    ended = semscale(*words, "--out", tmp_path / "results" / "judged.parquet")
    assert ended.code == 0, ended.err
    return tmp_path


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
