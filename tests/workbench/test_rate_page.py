"""The page of ratings rates as the command does, shows its report, and finds its texts."""

import re
from html import unescape

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.workbench.conftest import Browser, app_of, fields_in, message_in

from semscale.rating.expected import expected_correlation
from semscale.rating.rater import Rater
from semscale.survey.survey_file import parse_survey

ROWS = """person,country,why,wt
1,DE,I am very happy with it.,1
2,DE,It is terrible and broke at once.,2
3,AT,It is fine I suppose.,1
4,AT,,1
5,AT,<b>Great</b> & cheap value,1
6,DE,I would buy it again tomorrow.,1
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "answers.csv").write_text(ROWS, encoding="utf-8")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nfile: answers.csv\nquestions:\n- {name: Reason, kind: open, columns: why}\n"
        "- name: Home\n  kind: single\n  columns: country\n"
        "  values: [{value: AT, label: Austria}, {value: DE, label: Germany}]\n"
    )
    return tmp_path


@pytest.fixture
def quick(monkeypatch, toy_embedder):
    """Rate with a small embedder."""
    monkeypatch.setattr("semscale.workbench.models.load_embedder", lambda *_, **__: toy_embedder)


def rate(browser, **fields):
    """Start a run, and wait for its end as the page does."""
    browser.change("/rate", {"text": "Reason", "scale": "quality", **fields})
    return end_of_run(browser)


def end_of_run(browser):
    """Wait for the end of a run as the page does."""
    while "hx-retarget" not in browser.client.get("/rate/progress").headers:
        pass
    return browser.get("/rate")


@pytest.mark.usefixtures("quick")
def test_a_question_is_rated_and_its_report_shown(browser, folder):
    page = rate(browser, by="Home", floor="none")
    out = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet")
    assert out["semscale_status"].to_list() == ["scored"] * 3 + ["missing"] + ["scored"] * 2
    assert "mean score and its 95\u00a0% interval" in page
    assert "Germany" in page
    assert "semscale rate answers.csv --text Reason --scale quality --by Home --floor none" in page
    assert "--out results/answers-Reason-quality.parquet" in page
    assert "&lt;b&gt;Great&lt;/b&gt; &amp; cheap value" in page
    assert "<b>Great</b>" not in page
    assert "/label?table=answers-Reason-quality.parquet" in page


@pytest.mark.usefixtures("quick")
def test_a_file_that_has_ratings_of_another_text_is_rated_searched_and_labelled_by_its_own(tmp_path):
    # All is very bad by the ratings that the file has, as those of another text would be.
    stored = {"semscale_status": "scored", "semscale_mean": 1.0, "semscale_mode": 1, "semscale_p_1": 1.0}
    stored |= {f"semscale_p_{point}": 0.0 for point in range(2, 6)}
    whys = [f"I am very happy with it, number {row}" for row in range(30)]
    others = [f"It is terrible, number {row}" for row in range(30)]
    table = pl.DataFrame({"why": whys, "other": others}).with_columns(
        pl.lit(value).alias(name) for name, value in stored.items()
    )
    table.write_csv(tmp_path / "answers.csv")
    from semscale.workbench.label_sources import LabelTables
    from semscale.workbench.project import Project

    browser = Browser(app_of(Project.open(tmp_path)))
    assert "mean score" in rate(browser, text="why", floor="none")
    rated = pl.read_parquet(tmp_path / "results" / "answers-why-quality.parquet")
    first, *_ = means = rated["semscale_why_mean"].to_list()
    assert first > 1.1
    assert f"{first:.2f}" in browser.get("/rate/texts?words=number+0")

    labelled = LabelTables(tmp_path / "results").read("answers-why-quality.parquet")
    assert labelled["semscale_mean"].to_list() == means
    page = browser.get("/label?table=answers-why-quality.parquet")
    assert 'value="why"' in page
    assert 'value="other"' not in page


def test_a_run_that_the_system_stops_says_so_in_a_sentence(browser, monkeypatch):
    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("semscale.workbench.models.load_embedder", fail)
    assert "a file cannot be read or written: No space left on device" in rate(browser)


@pytest.mark.usefixtures("quick")
def test_a_scale_that_cannot_be_read_is_named_and_others_are_offered(browser, folder):
    (folder / "scales").mkdir()
    mood = folder / "scales" / "mood.yaml"
    mood.write_text(
        "name: mood\ntitle: Mood\nquestion: How?\n"
        "points:\n- {value: 1, label: Bad}\n- {value: 2, label: Good}\n"
        "anchor_sets:\n  plain: [it is terrible, it is fine]\nprovenance: a test\n"
    )
    rate(browser, scale="scales/mood.yaml", floor="none")
    mood.write_text("points: [")
    page = browser.get("/rate")
    assert "A scale is not offered: <bdi>&#39;scales/mood.yaml&#39;, line 1: not readable as YAML" in page
    mood.unlink()
    page = browser.get("/rate")
    assert '<option value="quality" selected>' in page
    assert "A scale is not offered" not in page


@pytest.mark.usefixtures("quick")
def test_questions_whose_long_wordings_begin_alike_have_tables_of_their_own(tmp_path):
    begin = "このサービスの良かった点や改善してほしい点をお書きください。" * 3
    questions = [f"{begin}（{of}）" for of in ("電話", "店舗")]
    answers = [f"Answer {row} is that it was good" for row in range(30)]
    path = tmp_path / "顧客満足度調査アンケート回答データ二〇二六年十一月分（最終版）.csv"
    pl.DataFrame({"id": range(30), **dict.fromkeys(questions, answers)}).write_csv(path)
    from semscale.workbench.project import Project

    browser = Browser(app_of(Project.open(tmp_path)))
    for question in questions:
        assert "mean score" in rate(browser, text=question, floor="none")
    assert len([*(tmp_path / "results").glob("*.parquet")]) == len(questions)


@pytest.mark.usefixtures("quick")
def test_texts_are_found_by_words_status_group_and_point(browser, folder):
    rate(browser, by="Home", floor="none")
    out = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet")
    mode = out["semscale_mode"][0]
    expected = out.filter(pl.col("semscale_mode") == mode).height
    for query, n in (
        ("words=TERRIBLE", 1),
        ("words=.*", 0),
        ("status=missing", 1),
        ("group=Austria", 3),
        ("group=Austria&status=scored", 2),
        (f"point={float(mode)}", expected),
        ("point=nonsense", 0),
        ("start=nonsense", 6),
    ):
        line = f'role="status">{n} text{"" if n == 1 else "s"}</p>'
        assert line in browser.get(f"/rate?{query}"), query
        assert line in browser.get(f"/rate/texts?{query}"), query


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("order", "is_falling"), [("lowest", False), ("highest", True)])
def test_texts_are_sorted_by_score_with_those_without_one_last(browser, folder, order, is_falling):
    rate(browser, floor="none")
    out = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet").with_row_index("row", 1)
    scored = out.filter(pl.col("semscale_status") == "scored").sort("row")
    rows = scored.sort("semscale_mean", descending=is_falling, maintain_order=True)["row"].to_list()
    (missing,) = set(out["row"]) - set(rows)
    page = browser.get(f"/rate/texts?sort={order}")
    assert [int(row) for row in re.findall(r"<span>row (\d+)</span>", page)] == [*rows, missing]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "kind",
    [
        "html",
        "xlsx",
        "md",
        "csv",
        "table.xlsx",
        "parquet",
        pytest.param("sav", marks=pytest.mark.needs("spss")),
    ],
)
def test_reports_are_downloaded_and_stay_in_the_folder(browser, folder, kind):
    assert browser.post(f"/rate/export/{kind}").status_code == 422
    rate(browser)
    answer = browser.post(f"/rate/export/{kind}")
    assert answer.status_code == 200
    assert f'filename="answers-Reason-quality.{kind}"' in answer.headers["content-disposition"]
    assert (folder / "results" / f"answers-Reason-quality.{kind}").read_bytes() == answer.content


@pytest.mark.usefixtures("quick")
def test_the_table_has_a_row_for_each_answer_as_the_command_writes_it(browser, folder, semscale):
    rate(browser, floor="none")
    page = browser.change("/rate/export/html")
    assert "mean score" in page
    browser.post("/rate/export/csv")
    words = ("rate", "answers.csv", "--text", "Reason", "--scale", "quality", "--floor", "none")
    ended = semscale(*words, "--out", "again.csv")
    assert ended.code == 0, ended.err
    written = (folder / "results" / "answers-Reason-quality.csv").read_text()
    assert written == (folder / "again.csv").read_text()


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"scale": "nonsense"}, "must be one of the list"),
        ({"scale": "../../etc/passwd"}, "must be one of the list"),
        ({"temperature": "-1"}, "temperature must be 0 or more"),
        ({"readout": "magic"}, "readout"),
        ({"floor": "high"}, "floor must be auto, none or a cosine"),
    ],
)
def test_wrong_settings_are_refused_before_a_run(browser, folder, fields, reason):
    answer = browser.post("/rate", {"text": "Reason", "scale": "quality", **fields})
    assert answer.status_code == 422
    assert reason in message_in(answer)
    assert not (folder / "results").exists()


def test_a_model_that_cannot_be_loaded_is_a_sentence(browser, monkeypatch):
    from semscale.errors import ModelError

    def fail(*_, **__):
        raise ModelError("the weights are not on this machine, and no network is there")

    monkeypatch.setattr("semscale.workbench.models.load_embedder", fail)
    page = rate(browser)
    assert "the weights are not on this machine" in page
    assert 'id="rate-form"' in page


def test_a_run_is_stopped_and_a_later_one_waits_for_its_end(browser, monkeypatch, toy_embedder):
    import threading

    begun, let = threading.Event(), threading.Event()

    def load(*_, **__):
        begun.set()
        assert let.wait(60)
        return toy_embedder

    monkeypatch.setattr("semscale.workbench.models.load_embedder", load)
    browser.change("/rate", {"text": "Reason", "scale": "quality"})
    assert begun.wait(60)
    assert "Stop" in browser.get("/rate")
    browser.change("/rate/stop")
    let.set()
    while "hx-retarget" not in browser.client.get("/rate/progress").headers:
        pass
    assert "stopped" in browser.get("/rate")
    assert "mean score" in rate(browser)


@pytest.mark.usefixtures("quick")
def test_the_command_repeats_codes_and_lists_sets(browser):
    page = rate(browser, missing="NA, -99", anchor_sets="verdict,fails", temperature="2")
    assert "--anchor-sets verdict,fails" in page
    assert "--temperature 2.0" in page
    assert "--missing NA --missing -99" in page


@pytest.mark.usefixtures("quick")
def test_a_scale_of_the_project_can_be_chosen(browser, folder):
    from importlib import resources

    (folder / "scales").mkdir()
    shipped = (resources.files("semscale.scales") / "quality.yaml").read_text(encoding="utf-8")
    (folder / "scales" / "mine.yaml").write_text(shipped.replace("title: Quality", "title: My own"), "utf-8")
    assert ">My own</option>" in browser.get("/rate")
    assert "--scale scales/mine.yaml" in rate(browser, scale="scales/mine.yaml")


def test_a_file_without_open_texts_says_what_to_do(browser, folder):
    path = folder / "survey.yaml"
    path.write_text(path.read_text().replace("kind: open", "kind: ignore"))
    assert "No question of this file is an open text" in browser.get("/rate")


@pytest.mark.usefixtures("quick")
def test_the_page_and_the_command_write_the_same_ratings(browser, folder, semscale):
    page = rate(browser, by="Home", floor="none")
    (line,) = [line for line in page.splitlines() if "semscale rate" in line]
    command = line.removesuffix("</pre>").replace("results/answers-Reason-quality", "again").split()
    written = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet")
    ended = semscale(*command[1:])
    assert ended.code == 0, ended.err
    assert_frame_equal(written, pl.read_parquet(folder / "again.parquet"), check_exact=True)


def test_a_missing_model_is_a_sentence_beside_the_button_that_loads_it(browser, tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path / "empty"))
    monkeypatch.delenv("SEMSCALE_OFFLINE", raising=False)
    page = browser.get("/rate")
    assert "e5-small is not on this machine yet: the run downloads it first (89 MB)" in page
    assert ">Load the model and rate</button>" in page
    monkeypatch.setenv("SEMSCALE_OFFLINE", "1")
    assert "SEMSCALE_OFFLINE forbids to download it" in browser.get("/rate")


def test_the_list_of_keys_is_that_of_the_page(browser):
    pages = {path: browser.get(path).partition('id="keys"')[2] for path in ("/data", "/rate")}
    keys = {path: page.partition("</aside>")[0] for path, page in pages.items()}
    assert ("join several" in keys["/data"], "join several" in keys["/rate"]) == (True, False)
    assert "find texts" in keys["/rate"]


@pytest.mark.usefixtures("quick")
@pytest.mark.needs("spss")
def test_the_spss_file_has_the_labels_that_the_command_writes(browser, folder, semscale):
    from pyreadstat import read_sav

    rate(browser, by="Home", floor="none")
    browser.change("/rate/export/sav")
    ended = semscale(
        *("rate", "answers.csv", "--text", "Reason", "--scale", "quality", "--by", "Home"),
        *("--floor", "none", "--out", "again.sav"),
    )
    assert ended.code == 0, ended.err
    files = [read_sav(str(folder / name)) for name in ("results/answers-Reason-quality.sav", "again.sav")]
    (left, described), (right, expected) = files
    assert left.equals(right)
    assert described.column_names_to_labels == expected.column_names_to_labels
    assert described.variable_value_labels == expected.variable_value_labels
    assert described.variable_value_labels["semscale_mode"][1.0] == "Very bad"


@pytest.mark.usefixtures("quick")
def test_a_missing_extra_is_a_sentence_on_the_page(browser, monkeypatch):
    from semscale.errors import MissingExtraError

    rate(browser)

    def lack(extra):
        raise MissingExtraError("pyreadstat", extra)

    monkeypatch.setattr("semscale.store.writing.require", lack)
    answer = browser.post("/rate/export/sav")
    assert answer.status_code == 422
    assert "pyreadstat is not installed" in message_in(answer)
    assert "mean score" in answer.text


@pytest.mark.usefixtures("quick")
def test_a_text_opens_with_its_nearest_anchors_and_its_sentences(browser, folder, toy_embedder):
    rows = ROWS.replace("It is terrible and broke at once.", "It is terrible. I am very happy.")
    (folder / "answers.csv").write_text(rows, encoding="utf-8")
    assert 'hx-get="/rate/text?row=2"' in rate(browser, floor="none")
    page = browser.get("/rate/text?row=2")
    explained = Rater("quality", embedder=toy_embedder, floor=None).explain(
        "It is terrible. I am very happy."
    )
    shown = unescape(page)
    assert [anchor.sentence for anchor in explained.anchors if anchor.sentence not in shown] == []
    assert shown.index(explained.anchors[0].sentence) < shown.index(explained.anchors[1].sentence)
    assert explained.sentences == ("It is terrible.", "I am very happy.")
    for sentence, mean in zip(explained.sentences, explained.sentence_ratings.mean, strict=True):
        row = shown[shown.index(f'dir="auto">{sentence}</th>') :].partition("</tr>")[0]
        assert f"<td>{mean:.2f}</td>" in row


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("row", ["0", "4", "99", "-1", "x", "", "²"])
def test_rows_without_a_text_are_refused(browser, row):
    rate(browser)
    answer = browser.answer(f"/rate/text?row={row}")
    assert answer.status_code == 422
    assert "must be a row with a text" in message_in(answer)


@pytest.mark.usefixtures("quick")
def test_a_scale_that_measures_nothing_shows_no_means_of_single_texts_either(browser, monkeypatch):
    doubtful = expected_correlation(0.08, 300)
    monkeypatch.setattr("semscale.rating.ratings.expected_from_moments", lambda *_: doubtful)
    page = rate(browser, floor="none")
    assert "Probably not measured" in page
    assert "Ratings of single texts are not shown" in page
    assert "mean <b>" not in page
    assert 'class="spark"' not in page
    answer = browser.answer("/rate/text?row=1")
    assert answer.status_code == 422
    assert "single ratings are not shown" in message_in(answer)


@pytest.mark.usefixtures("quick")
def test_earlier_runs_are_opened_after_a_restart(browser, folder):
    from semscale.workbench.project import Project

    before = rate(browser, by="Home", floor="none")
    (folder / "results" / "broken.choices.json").write_text("[1", encoding="utf-8")
    again = Browser(app_of(Project.open(folder)))
    page = again.get("/rate")
    start = page.index('<ul class="earlier">')
    assert page.count("<bdi>answers-Reason-quality</bdi>") == 1
    form = fields_in(page[start : page.index("</form>", start)])
    assert (form["by"], form["floor"]) == ("Home", "none")
    opened = rate(again, **form)
    (command,) = (line for line in before.splitlines() if "semscale rate" in line)
    assert command in opened


@pytest.mark.usefixtures("quick")
def test_ratings_of_another_file_or_description_are_marked(browser, folder):
    page = rate(browser, floor="none")
    assert "Outdated" not in page
    browser.change("/data/question", browser.form("Reason") | {"title": "Why so"})
    page = browser.get("/rate")
    assert "The description of the data has changed since these ratings were made." in page
    assert "Outdated" not in rate(browser, floor="none")
    (folder / "second.csv").write_text(ROWS.replace("fine", "good"), encoding="utf-8")
    browser.change("/data/file", {"file": "second.csv"})
    page = browser.get("/rate")
    stated = "These ratings are of answers.csv; the open file is second.csv."
    assert page.index(stated) < page.index('id="rate-form"')
    assert "Outdated" not in rate(browser, floor="none")


@pytest.mark.usefixtures("quick")
def test_a_run_that_did_not_finish_can_be_continued(browser, folder):
    rate(browser)
    (folder / "results" / "answers-Reason-quality.parquet").unlink()
    assert "Continue<span" in browser.get("/rate")


@pytest.mark.usefixtures("quick")
def test_the_only_weight_is_chosen_until_a_run_goes_without_it(browser, folder):
    (folder / "survey.yaml").write_text(
        "survey: 1\nquestions:\n- {name: Reason, kind: open, columns: why}\n- {name: wt, kind: weight}\n"
    )
    assert '<option value="wt" selected>' in browser.get("/rate")
    page = rate(browser, weight="", floor="none")
    assert '<option value="wt" selected>' not in page
    assert page.index("mean score and its") < page.index("Label some texts by hand")


@pytest.mark.usefixtures("quick")
def test_texts_that_look_like_codes_are_left_out_for_all_pages_by_a_button(browser, folder):
    (folder / "answers.csv").write_text(f"{ROWS}7,DE,n/a,1\n", encoding="utf-8")
    page = rate(browser, floor="none", by="Home")
    assert "Rate again without <bdi>n/a</bdi>" in page
    assert "Not checked by people yet" in page
    before = (folder / "survey.yaml").read_bytes()
    browser.change("/rate/missing", {})
    page = end_of_run(browser)
    assert "Rate again without" not in page
    assert "--by Home --floor none" in page
    out = pl.read_parquet(folder / "results" / "answers-Reason-quality.parquet")
    assert out["semscale_status"].to_list()[-1] == "missing"
    question = parse_survey((folder / "survey.yaml").read_bytes(), source="").by_name["Reason"]
    assert dict(question.missing) == {"n/a": "no answer"}
    assert "Outdated" not in page
    assert "Rate again without" not in rate(browser, floor="none")
    browser.change("/data/undo", {})
    assert (folder / "survey.yaml").read_bytes() == before
    assert "Outdated" in browser.get("/rate")
    assert browser.post("/rate/missing").status_code == 409


@pytest.mark.usefixtures("quick")
def test_outdated_ratings_are_made_again_with_their_choices(browser):
    rate(browser, floor="none", by="Home")
    browser.change("/data/question", browser.form("Reason") | {"title": "Why so"})
    page = browser.get("/rate")
    start = page.index("<b>Outdated</b>")
    browser.change("/rate", fields_in(page[start : page.index("</form>", start)]))
    page = end_of_run(browser)
    assert "Outdated" not in page
    assert "--by Home --floor none" in page


@pytest.mark.usefixtures("quick")
def test_labels_of_another_wave_are_not_offered(browser, folder):
    (folder / "labels").mkdir()
    sheet = "row,text,human,inclusion\n3,It is fine I suppose.,4,0.5\n"
    for name in ("answers-Reason-quality", "answers-2-Reason-quality", "by hand"):
        (folder / "labels" / f"{name}.csv").write_text(sheet, encoding="utf-8")
    (folder / "answers-2.csv").write_text(ROWS.replace("fine", "good"), encoding="utf-8")
    options = (
        "labels/answers-Reason-quality.csv",
        "labels/answers-2-Reason-quality.csv",
        "labels/by hand.csv",
    )
    page = browser.get("/rate")
    assert [f'<option value="{option}"' in page for option in options] == [True, False, True]
    rate(browser, labels=options[0], floor="none")
    browser.change("/data/file", {"file": "answers-2.csv"})
    page = browser.get("/rate")
    assert [f'<option value="{option}"' in page for option in options] == [False, True, True]
    start = page.index("<b>Outdated</b>")
    assert "labels" not in fields_in(page[start : page.index("</form>", start)])
    refused = browser.post("/rate", {"text": "Reason", "scale": "quality", "labels": options[0]})
    assert "these labels are of answers.csv; the open file is answers-2.csv" in message_in(refused)


@pytest.mark.usefixtures("quick")
def test_a_file_that_is_opened_again_has_its_own_last_report(browser, folder):
    (folder / "answers-2.csv").write_text(ROWS.replace("fine", "good"), encoding="utf-8")
    rate(browser, floor="none", by="Home")
    browser.change("/data/file", {"file": "answers-2.csv"})
    assert "Outdated" in browser.get("/rate")
    assert "Outdated" not in rate(browser, floor="none")
    browser.change("/data/file", {"file": "answers.csv"})
    page = browser.get("/rate")
    assert "Outdated" not in page
    assert "semscale rate answers.csv --text Reason --scale quality --by Home" in page
