"""The page of answers shows measured answers, stores labels, and writes regression sets that others read."""

import json
import re
import shlex
from html import unescape
from urllib.parse import urlencode

import numpy as np
import polars as pl
import pytest
from tests.judging.conftest import Scripted, material, plain_running
from tests.support.evaluation_logs import inspect_log, promptfoo_log
from tests.workbench.conftest import fields_in, message_in

from semscale.drift.reading import read_run
from semscale.judging.human_labels import compare_with_labels
from semscale.judging.judge import Judge
from semscale.judging.settings import JudgeColumns
from semscale.judging.table import judge_table
from semscale.judging.templates import load_template
from semscale.snapshots.regression_sets import RegressionItem, candidate_answers, read_set, set_content
from semscale.store.reading import open_table

N = 24
JUDGED = "results/judged.parquet"
QUESTIONS = [f"Question {row}: how much <b>?" for row in range(1, N + 1)]
REFERENCES = [f"It takes {row} days." for row in range(1, N + 1)]
LEVELS = [1, 5, 4, 2, 5, 3] * 4
ANSWERS = [
    f"It takes {row} days & grade{level}." if row % 5 else f"It does not take {row} days & grade{level}."
    for row, level in enumerate(LEVELS, start=1)
]
PERSON = {"rater": "Ada"}


def scored(request):
    """Score an answer by the level in it, and answer the tenth question in no readable way."""
    answer = material(request)
    level = re.search(r"grade(\d)", answer)[1]
    if "takes 12 days" in answer:
        return "no idea"
    return json.dumps({"score": int(level), "explanation": f"because of grade {level}"})


def judge(folder, answers, out):
    """Judge answers with a stand-in for a chat model, as the command does."""
    table = pl.DataFrame(
        {"id": [f"q{row}" for row in range(1, N + 1)], "question": QUESTIONS, "answer": answers}
    ).with_columns(reference=pl.Series(REFERENCES))
    table.write_csv(folder / "answers.csv")
    (folder / "results").mkdir(exist_ok=True)
    columns = JudgeColumns(question="question", answer="answer", reference=("reference",))
    judge_table(
        open_table(folder / "answers.csv"),
        columns,
        judge=Judge(Scripted(scored), corrections=0),
        running=plain_running(),
        out=folder / out,
    )


@pytest.fixture(scope="module")
def stored():
    return {}


@pytest.fixture
def folder(tmp_path, stored):
    """A project with judged answers, which are the same in all tests."""
    if not stored:
        judge(tmp_path, ANSWERS, JUDGED)
        stored["judged"], stored["answers"] = (
            (tmp_path / name).read_bytes() for name in (JUDGED, "answers.csv")
        )
    (tmp_path / "results").mkdir(exist_ok=True)
    (tmp_path / JUDGED).write_bytes(stored["judged"])
    (tmp_path / "answers.csv").write_bytes(stored["answers"])
    return tmp_path


def address(path="/answers", **fields):
    return f"{path}?{urlencode({'file': JUDGED, **fields})}"


def command_in(page):
    """Return the words of the command in the shell that a page ends with, without its name."""
    shown = unescape(re.search(r'"copy">(.*?)</pre>', page, re.DOTALL)[1])
    return [word for word in shlex.split(shown.splitlines()[-1]) if word != "semscale"]


def rows_in(page):
    """Return the rows of the shown answers, from 1."""
    return [int(row) for row in re.findall(r'id="row-(\d+)"', page)]


def label_as_ada(browser, row, value):
    browser.change("/answers/rater", PERSON | {"filters": f"file={JUDGED}"})
    page = browser.get(address(order="row", start=max(row - 2, 0)))
    form = page[page.index(f'id="acts-{row}"') :]
    fields = fields_in(form[: form.index("</form>")])
    return browser.change("/answers/label", fields | {"label": value})


def test_the_files_with_measured_answers_are_listed(browser, folder):
    inspect_log(folder)
    label_as_ada(browser, 1, "4")
    page = browser.get("/answers")
    assert "scored by a language model (judge)" in page
    assert "log of an evaluation" in page
    assert "answers.csv</bdi>" not in page
    judged, log = page[page.index(f"file={JUDGED.replace('/', '%2F')}") :].split("</tr>")[:2]
    mean = sum((level - 1) / 4 for row, level in enumerate(LEVELS, start=1) if row != 12) / (N - 1)
    for head, shown in (("Answers", N), ("Mean score", f"{mean:.2f}"), ("Labelled", 1)):
        assert f'data-head="{head}">{shown}<' in judged
    assert f" of {N - 1} scored</small>" in judged
    assert 'data-head="Labelled">0<' in log


def test_a_single_file_is_a_card_with_its_mean_and_interval(browser):
    page = re.sub(r"\s+", " ", re.sub("<[^>]*>", "", browser.get("/answers")))
    mean = sum((level - 1) / 4 for row, level in enumerate(LEVELS, start=1) if row != 12) / (N - 1)
    assert re.search(rf"{N} answers, mean score {mean:.2f} \[0\.\d\d, 0\.\d\d\] on a scale", page)
    assert f"{N - 1} scored. No person has checked these scores yet." in page
    assert "Read the worst Label some" in page
    label_as_ada(browser, 1, "4")
    page = browser.get("/answers")
    assert "; 1 labelled by people." in page
    assert '<a class="button" href="/label?table=judged.parquet">Label more</a>' in page


def test_the_lowest_scores_come_first_and_unreadable_ones_last(browser):
    rows = rows_in(browser.get(address(order="worst")))
    rows += rows_in(browser.get(address(order="worst", start=20)))
    expected = sorted(range(1, N + 1), key=lambda row: (row == 12, LEVELS[row - 1], row))
    assert rows == expected


def test_an_answer_shows_texts_marks_scores_and_what_the_judge_said(browser):
    page = browser.get(address(order="row"))
    card = page[page.index('id="row-5"') : page.index('id="row-6"')]
    assert "how much &lt;b&gt;?" in card
    assert 'class="negation"' in card
    assert "Completely correct level 5 of 5\n" in re.sub("<[^>]*>", "", card)
    assert "because of grade 5" in card
    whole = browser.get(address("/answers/row", row=4))
    assert "Raw replies" in whole
    assert unescape(whole).count('{"score": 5, "explanation": "because of grade 5"}') == 1
    assert "semscale_provenance" in whole
    before, _, further = unescape(whole).partition('<div class="whole">')
    assert QUESTIONS[4] in before
    assert QUESTIONS[4] not in further  # the card has the whole text already


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        ({"words": "Question 7:"}, [7]),
        ({"words": "BECAUSE OF GRADE 3"}, [6, 18, 24]),
        ({"show": "low", "order": "row"}, [1, 4, 7, 10, 13, 16, 19, 22]),
        ({"show": "unscored"}, [12]),
        ({"show": "labelled"}, []),
    ],
)
def test_answers_are_found_by_words_and_filters(browser, fields, rows):
    assert rows_in(browser.get(address("/answers/found", **fields))) == rows


def test_contradictions_with_the_references_are_found(browser):
    import time

    for _ in range(100):
        page = browser.get(address(show="contradiction", order="row"))
        if "are being looked for" not in page:
            break
        time.sleep(0.05)
    assert rows_in(page) == [5, 10, 15, 20]
    assert "find that 4 of 24 answers contradict their references" in page
    found = browser.get(address("/answers/looking", words="no such word", order="row"))
    assert "find that 4 of 24 answers contradict their references" in found
    link = unescape(re.search(r'<a href="([^"]*)">Show them', found)[1])
    assert rows_in(browser.get(link)) == [5, 10, 15, 20]


def test_a_label_is_in_the_journal_and_only_taken_back_where_the_page_shows_it(browser, folder):
    label_as_ada(browser, 1, "4")
    journal = folder / "labels" / "judged" / "ada.jsonl"
    (entry,) = map(json.loads, journal.read_text().splitlines())
    assert (entry["row"], entry["label"], entry["rater"]) == (1, "4", "Ada")
    page = browser.get(address())
    assert rows_in(page)[0] == 1, "the disagreement comes first"
    assert rows_in(browser.get(address(show="disagree"))) == [1]
    label_as_ada(browser, 1, "4")  # as in another tab, which does not show the label yet
    assert len(journal.read_text().splitlines()) == 1
    fields = {"filters": f"file={JUDGED}", "row": "0", "key": "other"}
    refused = browser.post("/answers/label", fields | {"back": "5"})
    assert "changed elsewhere" in message_in(refused)
    assert rows_in(browser.get(address(show="disagree"))) == [1]
    browser.change("/answers/label", fields | {"back": "4"})
    assert rows_in(browser.get(address(show="disagree"))) == []


def test_agreement_and_the_mean_are_of_labels_in_random_order(browser):
    order = rows_in(browser.get(address(order="chance"))) + rows_in(
        browser.get(address(order="chance", start=20))
    )
    assert sorted(order) == list(range(1, N + 1))
    assert order[-1] == 12, "an answer without a score"
    given = {row: str(LEVELS[row - 1]) for row in (*order[:5], order[9])}
    given[order[0]] = "1" if given[order[0]] != "1" else "2"
    for row, label in given.items():
        label_as_ada(browser, row, label)
    page = unescape(browser.get(address("/answers/people")))
    template, scores = load_template("likert"), (np.array(LEVELS) - 1.0) / 4
    scores[11] = np.nan
    labels = np.full((N, 1), np.nan)
    for row, label in given.items():
        labels[row - 1] = (int(label) - 1) / 4
    labels[order[9] - 1] = np.nan
    drawn = compare_with_labels(scores, labels, template)
    kappa, corrected = drawn.kappa.value, drawn.corrected.value
    assert "<dt>Answers with a score and a label</dt><dd>6 <" in page
    assert f"(kappa)</dt><dd>{kappa:.2f} ".replace("0.", ".") in page.replace("0.", ".")
    assert f"<b>{corrected:.2f}".replace("0.", ".") in page.replace("0.", ".")
    assert "corrected by 5 labels" in page
    assert "1 label of an answer that was picked, not drawn at random, does not correct the mean" in page


def test_agreement_is_of_picked_answers_as_long_as_none_is_drawn(browser):
    order = rows_in(browser.get(address(order="chance")))
    for row in order[1:5]:
        label_as_ada(browser, row, "3")
    page = browser.get(address("/answers/people"))
    assert "(kappa)<small> of answers that you picked</small>" in page
    assert "mean corrected" not in page


def test_agreement_that_is_not_known_has_its_reason(browser):
    lowest = rows_in(browser.get(address(order="worst")))[:3]
    for row in lowest:
        label_as_ada(browser, row, "1")
    page = browser.get(address("/answers/people"))
    assert "not known yet <small>both raters used one and the same level only</small>" in page


def test_in_random_order_only_an_unfiltered_list_claims_to_correct_the_mean(browser):
    assert "these labels correct the mean" in browser.get(address(order="chance"))
    unlabelled = browser.get(address(order="chance", show="unlabelled"))
    assert "these labels correct the mean" in unlabelled
    for fields in ({"words": "days"}, {"show": "low"}):
        filtered = browser.get(address(order="chance", **fields))
        assert "these labels correct the mean" not in filtered
        assert "To correct the mean, label without a filter" in filtered


def test_in_random_order_the_score_is_hidden_until_there_is_a_label(browser):
    browser.change("/answers/rater", PERSON | {"filters": f"file={JUDGED}"})
    page = browser.get(address(order="chance"))
    assert "because of grade" not in page
    first = rows_in(page)[0]
    label_as_ada(browser, first, "3")
    assert browser.get(address(order="chance")).count("because of grade") == 1


def test_labels_need_a_name_and_one_of_the_levels(browser):
    refused = browser.post("/answers/label", {"filters": f"file={JUDGED}", "row": "0", "label": "1"})
    assert refused.status_code == 422
    assert "write your name" in message_in(refused)
    browser.change("/answers/rater", PERSON | {"filters": f"file={JUDGED}"})
    for fields in ({"row": "0", "label": "6"}, {"row": "99", "label": "1"}, {}):
        refused = browser.post("/answers/label", {"filters": f"file={JUDGED}", **fields})
        assert refused.status_code == 422


def keep(browser, *rows, act="add"):
    for row in rows:
        browser.change("/answers/keep", {"filters": f"file={JUDGED}", "row": str(row - 1), "act": act})


def test_chosen_answers_are_a_set_that_is_undone(browser, folder):
    label_as_ada(browser, 4, "1")
    keep(browser, 1, 4)
    path = folder / "regression" / "judged.jsonl"
    first, second = read_set(path)
    assert (first.id, first.input, first.output) == ("q1", QUESTIONS[0], REFERENCES[0])
    assert (second.answer, second.label, second.score) == (ANSWERS[3], "Completely incorrect", 0.25)
    assert rows_in(browser.get(address(show="set", order="row"))) == [1, 4]
    browser.change("/data/undo")
    assert [item.id for item in read_set(path)] == ["q1"]
    keep(browser, 1)  # as in another tab, which does not show that the set has it
    assert [item.id for item in read_set(path)] == ["q1"]
    keep(browser, 1, act="remove")
    keep(browser, 1, act="remove")
    assert read_set(path) == []


def test_undoing_leads_back_to_the_filters(browser):
    browser.change("/answers/keep", {"filters": f"file={JUDGED}&order=worst&words=Question", "row": "3"})
    undone = browser.post("/data/undo", follow_redirects=False)
    assert undone.headers["location"] == address(order="worst", words="Question")


def test_the_commands_of_the_page_read_the_set(browser, folder, semscale, monkeypatch):
    keep(browser, *range(1, 13))
    monkeypatch.chdir(folder)
    page = unescape(browser.get("/answers/set?name=judged"))
    test, as_run = re.findall(r'"copy">(.*?)</pre>', page, re.DOTALL)
    assert "pytest" in test
    assert "drift" not in test  # it asks another question, and approves a baseline
    commands = [shlex.split(line) for line in as_run.splitlines()]
    record = next(words for words in commands if "record" in words)
    ended = semscale(*record[1:])
    assert ended.code == 0, ended.err
    run = read_run(folder / "regression" / "judged.jsonl")
    assert [item.outputs[0].text for item in run.items] == REFERENCES[:12]
    assert run.items[0].input == QUESTIONS[0]
    gate = next(words for words in commands if "gate" in words)
    assert gate[3:] == ["answers.csv", "--input", "question", "--output", "answer", "--dataset", "judged"]
    ended = semscale(*gate[1:])
    assert "column" not in ended.err, ended.err
    assert "12 items" in ended.out
    first = re.search(r'name="candidate".*?<option value="([^"]*)"', page, re.DOTALL)[1]
    assert first != JUDGED, "the set came from it"


def test_the_test_module_of_a_set_runs_with_the_plugin(browser, folder, pytester, monkeypatch):
    keep(browser, 1, 2, 3)
    path = folder / "regression" / "judged.jsonl"
    items = read_set(path)
    items.append(RegressionItem("q4", output="Yes.", rejected=("Sure.",), row=4))
    path.write_bytes(set_content(items))
    output = [REFERENCES[0], "A few days.", "Sure."]
    candidate = pl.DataFrame({"id": ["q1", "q2", "q4"], "output": output})
    candidate.write_ndjson(folder / "candidate.jsonl")
    monkeypatch.setenv("SEMSCALE_CANDIDATE", str(folder / "candidate.jsonl"))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p semscale.pytest_plugin -p no:cacheprovider")
    result = pytester.runpytest_inprocess(str(folder / "regression"))
    result.assert_outcomes(passed=1, skipped=1, failed=2)
    result.stdout.fnmatch_lines(["*test_answer[[]row-3]*", "E *the answer fails: there is no answer.*"])
    result.stdout.fnmatch_lines(["E *the answer fails: a person rejected it.*"])


def test_a_candidate_is_gated_in_the_page(browser, folder):
    keep(browser, 1, 2, 3)
    pl.DataFrame({"question": QUESTIONS[:2], "answer": REFERENCES[:2]}).write_csv(folder / "candidate.csv")
    page = browser.change("/answers/gate", {"name": "judged", "candidate": "candidate.csv"})
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "fails 1 of 3 questions" in page
    assert "the candidate has no such answer" in page
    browser.change("/answers/set", {"name": "judged", "removed": "q3"})
    page = browser.change("/answers/gate", {"name": "judged", "candidate": "candidate.csv"})
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "gives the right answers to 2 questions" in page


def test_an_answer_that_a_person_accepts_passes(browser, folder):
    keep(browser, 1, 2)
    other = "Certainly not before Easter."
    pl.DataFrame({"id": ["q1", "q2"], "output": [REFERENCES[0], other]}).write_csv(folder / "new.csv")
    page = browser.change("/answers/gate", {"name": "judged", "candidate": "new.csv"})
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "Failed" in page or "Read 1 answer" in page
    assert page.count("Accept as right<") == 1
    refused = browser.post("/answers/accept?id=q2", {"name": "judged", "answer": "Another text."})
    assert "check the candidate again" in refused.text
    page = browser.change("/answers/accept?id=q2", {"name": "judged", "answer": other})
    assert "gives the right answers to 2 questions" in page
    browser.change("/data/undo")
    form = {"name": "judged", "item": "q1", "was": REFERENCES[0], "output": "Typed.", "answer": other}
    assert "Check again" in browser.change("/answers/accept?id=q2", form)
    first, second = read_set(folder / "regression" / "judged.jsonl")
    assert (first.output, second.output, second.accepted) == ("Typed.", REFERENCES[1], (other,))
    browser.change("/answers/take-back?id=q2", {"name": "judged", "answer": other})
    assert read_set(folder / "regression" / "judged.jsonl")[1].accepted == ()
    browser.change("/data/undo")
    assert read_set(folder / "regression" / "judged.jsonl")[1].accepted == (other,)


def test_an_answer_that_a_person_rejects_fails(browser, folder):
    keep(browser, 1, 2)
    wrong, path = "It will take 2 days.", folder / "regression" / "judged.jsonl"
    pl.DataFrame({"id": ["q1", "q2"], "output": [REFERENCES[0], wrong]}).write_csv(folder / "new.csv")
    page = browser.change("/answers/gate", {"name": "judged", "candidate": "new.csv"})
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "gives the right answers to 2 questions" in page
    assert page.count("Reject as wrong<") == 1  # the right answer itself is not rejected
    form = {"name": "judged", "answer": wrong}
    assert "check the candidate again" in browser.post("/answers/reject?id=q1", form).text
    right = {"name": "judged", "answer": REFERENCES[0]}
    assert "change that one instead" in browser.post("/answers/reject?id=q1", right).text
    page = browser.change("/answers/reject?id=q2", form)
    assert "fails 1 of 2 questions" in page
    assert "A person rejected it" in page
    assert read_set(path)[1].rejected == (wrong,)
    assert "gives the right answers to 2 questions" in browser.change("/data/undo")
    assert read_set(path)[1].rejected == ()
    browser.change("/answers/reject?id=q2", form)
    page = browser.change("/answers/gate", {"name": "judged", "candidate": "new.csv"})
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "fails 1 of 2 questions" in page
    browser.change("/answers/accept?id=q2", form)
    assert (read_set(path)[1].accepted, read_set(path)[1].rejected) == ((wrong,), ())
    browser.change("/answers/reject?id=q2", form)
    assert (read_set(path)[1].accepted, read_set(path)[1].rejected) == ((), (wrong,))
    browser.change("/answers/take-back?id=q2", form)
    assert read_set(path)[1].rejected == ()


def test_a_right_answer_is_written_by_hand(browser, folder):
    keep(browser, 1)
    form = {"name": "judged", "item": "q1", "output": "One\r\nday", "was": REFERENCES[0]}
    browser.change("/answers/set", form)
    address = "/answers/set?name=judged"
    own = {"Sec-Fetch-Site": "same-origin"}
    before = f"{browser.client.base_url}{address}"
    refused = browser.post("/answers/set", form, headers=own | {"referer": before})
    assert refused.status_code == 409
    assert refused.text.count(f'href="{address}"') == 2
    refused = browser.post("/answers/set", form, headers=own | {"referer": "http://elsewhere/answers/set"})
    assert refused.text.count('href="/answers"') >= 2
    assert read_set(folder / "regression" / "judged.jsonl")[0].output == "One\nday"
    refused = browser.post("/answers/set", {"name": "judged", "item": "other", "output": "x"})
    assert refused.status_code == 422


def test_a_verdict_on_a_former_set_is_marked(browser, folder):
    keep(browser, 1, 2)
    pl.DataFrame({"id": ["q1", "q2"], "output": [*REFERENCES[:1], ""]}).write_csv(folder / "new.csv")
    page = browser.change("/answers/gate", {"name": "judged", "candidate": "new.csv"})
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "There is no answer" in page
    assert "Check again" not in page
    form = {"name": "judged", "item": "q1", "output": "Never.", "was": REFERENCES[0]}
    page = browser.change("/answers/set", form)
    assert "Check again" in page
    assert 'data-key="u"' in page
    assert 'data-key="u"' not in browser.get(address())  # there, the change is out of sight
    assert "fails 1 of 2" not in page
    assert "Check again" not in browser.change("/data/undo")
    page = browser.change("/answers/set", {"name": "judged", "removed": "q1"})
    assert "Check again" in page


def test_a_check_saves_the_right_answers_that_were_typed(browser, folder):
    keep(browser, 1, 2)
    pl.DataFrame({"id": ["q1", "q2"], "output": ["By hand.", REFERENCES[1]]}).write_csv(folder / "new.csv")
    form = {
        "name": "judged",
        "item": ["q1", "q2"],
        "was": REFERENCES[:2],
        "output": ["By hand.", REFERENCES[1]],
        "candidate": "new.csv",
    }
    page = browser.change("/answers/gate", form)
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "gives the right answers to 2 questions" in page
    assert [item.output for item in read_set(folder / "regression" / "judged.jsonl")] == form["output"]


def test_a_set_of_two_thousand_questions_is_saved_as_a_whole(browser, folder):
    ids = [f"q{row}" for row in range(2000)]
    path = folder / "regression" / "large.jsonl"
    path.parent.mkdir()
    path.write_bytes(set_content([RegressionItem(id_, output="before") for id_ in ids]))
    outputs = ["after" if row % 2 else "before" for row in range(2000)]
    form = {"name": "large", "item": ids, "was": ["before"] * 2000, "output": outputs, "removed": "q0"}
    browser.change("/answers/set", form)
    assert [item.output for item in read_set(path)] == outputs[1:]


def test_answers_of_a_candidate_are_those_with_the_same_question(tmp_path):
    table = pl.DataFrame({"id": ["1", "2"], "input": ["b", "c"], "output": ["to b", "to c"]})
    table.write_ndjson(tmp_path / "new.jsonl")
    items = [RegressionItem("1", input="a"), RegressionItem("7", input="c"), RegressionItem("2", input="c")]
    assert candidate_answers(items, tmp_path / "new.jsonl") == {"7": "to c", "2": "to c"}


ASKED = {"hd-1": "How long does delivery take?", "hd-2": "Quick question: How long does delivery take?"}


def help_desk_log(folder, tool, *, instruction="You are a help desk.\n\nQuestion: ", ids=True):
    """Write the log of an application that asks with an instruction before the question."""
    numbers = dict(enumerate(ASKED.items()))
    if tool == "promptfoo":
        results = [
            {
                "testIdx": number,
                "promptIdx": 0,
                "prompt": {"raw": instruction + question},
                "vars": {"id": id_, "question": question} if ids else {"text": question},
                "response": {"output": f"to {id_}"},
            }
            for number, (id_, question) in numbers.items()
        ]
        log = {"results": {"version": 3, "results": results}}
    else:
        samples = [
            {
                "id": id_ if ids else number + 1,
                "epoch": 1,
                "input": [{"role": "system", "content": instruction}, {"role": "user", "content": question}],
                "output": {"choices": [{"message": {"content": f"to {id_}"}}]},
            }
            for number, (id_, question) in numbers.items()
        ]
        log = {"version": 2, "eval": {}, "samples": samples}
    (folder / "log.json").write_text(json.dumps(log))
    return folder / "log.json"


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("tool", ["promptfoo", "inspect"])
def test_answers_of_a_log_are_found_whose_prompts_have_instructions(tmp_path, tool, ids):
    items = [RegressionItem(id_, input=question) for id_, question in ASKED.items()]
    path = help_desk_log(tmp_path, tool, ids=ids)
    assert candidate_answers(items, path) == {"hd-1": "to hd-1", "hd-2": "to hd-2"}


def test_a_question_within_a_longer_question_is_not_answered_by_its_answer(tmp_path):
    items = [RegressionItem("y", input="does delivery take?"), RegressionItem("x", input=ASKED["hd-2"])]
    assert candidate_answers(items, help_desk_log(tmp_path, "promptfoo")) == {"x": "to hd-2"}


@pytest.mark.parametrize(("tool", "ids", "by"), [("promptfoo", True, "ID"), ("inspect", False, "question")])
def test_a_log_whose_prompts_have_instructions_is_compared(browser, folder, tool, ids, by):
    help_desk_log(folder, tool, ids=ids)
    frame = pl.DataFrame({"id": [*ASKED], "question": [*ASKED.values()], "answer": ["a", "b"]})
    scored = frame.with_columns(semscale_score=0.5, semscale_provenance=pl.lit("single"))
    scored.write_parquet(folder / "results" / "old.parquet")
    for file, other in (("results/old.parquet", "log.json"), ("log.json", "results/old.parquet")):
        page = browser.get(f"/answers?file={file}&other={other}")
        assert f"Questions, matched by {by}</dt><dd>2<" in page


def test_scores_of_different_measures_do_not_name_the_better_run(browser, folder):
    n = len(ANSWERS)
    rows = [
        {"testIdx": row, "promptIdx": 0, "prompt": {"raw": "Q"}, "vars": {"id": f"q{row + 1}"}, "score": 1}
        for row in range(n)
    ]
    (folder / "log.json").write_text(json.dumps({"results": {"version": 3, "results": rows}}))
    page = browser.get(address(other="log.json"))
    assert "<h1>Two runs side by side</h1>" in page
    assert "Different scores" in page
    assert "Second run scores higher" in page
    assert "Second run better" not in page


def test_a_set_and_the_page_of_labels_lead_back_to_the_answers(browser, folder):
    keep(browser, 1, 2)
    back = '<a href="/answers?file=results%2Fjudged.parquet">'
    assert back in browser.get("/answers/set?name=judged")
    draw = {"table": "judged.parquet", "prompt": "question", "text": "answer", "measure": "likert"}
    browser.change("/label/start", draw)
    browser.post("/label/rater", {"task": "judged", "rater": "Ada"})
    assert back in browser.get("/label?task=judged")


def test_a_candidate_with_none_of_the_questions_is_refused(browser, folder):
    keep(browser, 1, 2)
    pl.DataFrame({"id": ["9"], "question": ["Other?"], "output": ["x"]}).write_csv(folder / "other.csv")
    page = browser.change("/answers/gate", {"name": "judged", "candidate": "other.csv"})
    while 'id="progress"' in page:
        page = browser.get("/answers/set?name=judged")
    assert "has an answer to none of the 2 questions of the set, by its columns id and question" in page
    assert "Failed" not in page


def test_two_runs_are_compared_losses_first(browser, folder):
    changed = [
        answer.replace("grade5", "grade2") if row < 6 else answer for row, answer in enumerate(ANSWERS)
    ]
    changed[0] = ANSWERS[0].replace("grade1", "grade4")
    judge(folder, changed, "results/second.parquet")
    page = browser.get(address(other="results/second.parquet"))
    assert rows_in(page) == [2, 5, 1]
    assert "<h1>No clear difference between the runs</h1>" in page
    assert re.search(r"better</dt><dd>1<.*worse</dt><dd>2<.*Equal scores</dt><dd>20<", page)
    assert '<mark class="removed">grade5' in page
    assert '<mark class="added">grade2' in page
    mean = (0.75 - 2 * 0.75) / 23
    assert f"{mean:.2f}".replace("-0.", "") in page
    assert rows_in(browser.get(address("/answers/found", other="results/second.parquet", show="wins"))) == [1]
    assert "q2" in page


def test_logs_of_other_tools_are_opened(browser, folder):
    inspect_log(folder)
    promptfoo_log(folder)
    page = browser.get("/answers?file=log.json")
    assert "The capital of France?" in page
    assert "It is Paris" in page
    assert rows_in(browser.get("/answers?file=results.json")) == [1, 2, 3, 4]
    people = browser.get("/answers/people?file=results.json")
    assert re.search(r'class="figure"><b>1\D.*<p class="unit">mean success\b', people, re.DOTALL)


def test_the_words_of_scorers_and_costs_of_logs_are_shown(browser, folder):
    result = {
        "testIdx": 0,
        "prompt": {"raw": "Why?"},
        "response": {"output": "Because."},
        "success": False,
        "score": 0.25,
        "cost": 0.0125,
        "latencyMs": 1500,
        "gradingResult": {"reason": "It gives no reason."},
        "vars": {"expected": "A reason."},
    }
    (folder / "eval.json").write_text(json.dumps({"results": {"results": [result]}}))
    page = browser.get("/answers?file=eval.json")
    for shown in ("It gives no reason.", "A reason.", ">0.25<", ">0.0125<", ">1.5<"):
        assert shown in page


def test_matched_answers_show_their_findings(browser, folder, semscale, monkeypatch):
    monkeypatch.chdir(folder)
    table = pl.DataFrame({
        "question": ["How much?", "When?"],
        "prediction": ["Take 5 mg.", "At noon."],
        "reference": ["Take 6 mg.", "At noon."],
    })  # fmt: skip
    table.write_csv(folder / "pairs.csv")
    out = folder / "results" / "matched.csv"
    words = ("--prediction", "prediction", "--reference", "reference", "--method", "cosine")
    ended = semscale("match", folder / "pairs.csv", *words, "--out", out)
    assert ended.code == 0, ended.err
    page = browser.get("/answers?file=results/matched.csv&show=contradiction")
    assert rows_in(page) == [1]
    assert 'class="number"' in page
    assert "Incorrect" not in page, "nobody has said who labels"
    assert semscale(*command_in(page)).code == 0


def test_samples_of_an_answer_are_shown_with_what_contradicts_it(browser, folder, semscale, monkeypatch):
    monkeypatch.chdir(folder)
    table = pl.DataFrame({
        "prompt": ["How much?", "When?"],
        "answer": ["Take 5 mg.", "At noon."],
        "sample_1": ["Take 5 mg.", "At noon."],
        "sample_2": ["Take 6 mg.", "At noon."],
    })  # fmt: skip
    table.write_csv(folder / "samples.csv")
    out = folder / "results" / "consistent.parquet"
    columns = ("--prompt", "prompt", "--answer", "answer", "--sample", "sample_1", "--sample", "sample_2")
    ended = semscale("consistency", folder / "samples.csv", *columns, "--out", out)
    assert ended.code == 0, ended.err
    page = browser.get("/answers?file=results/consistent.parquet&show=contradiction")
    assert rows_in(page) == [1]
    assert page.count("<dt>sample</dt>") == 2
    assert semscale(*command_in(page)).code == 0


@pytest.mark.parametrize("file", ["../answers.csv", "/etc/passwd", "answers.csv", "missing.parquet"])
def test_other_files_are_refused(browser, file):
    refused = browser.answer(f"/answers?{urlencode({'file': file})}")
    assert refused.status_code == 422
