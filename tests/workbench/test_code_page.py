"""The page of codes suggests, changes and merges codes, keeps their file, and codes as the command does."""

import re
import shlex
import threading
from html import unescape
from urllib.parse import urlencode

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.workbench.conftest import Browser, app_of, fields_in, message_in

from semscale.coding.codebook import load_codebook
from semscale.survey.survey_file import parse_survey
from semscale.workbench.code_results import CodingPlan

BOOK = """# Ours.
name: phones
codes:
  # about power
  - name: power
    definition: battery life
    examples: [the battery died, my battery]
    keywords: [battery]
  - name: cost
    definition: price paid
    examples: [the price rose, my price, a cheap price]
  - name: <b>screen</b> & "size"
    definition: screen size
    examples: [the screen broke, my screen]
"""
HOSTILE = '<b>screen</b> & "size"'


@pytest.fixture
def folder(tmp_path):
    words = {"battery": "power", "price": "cost", "screen": HOSTILE}
    rows = [
        {
            "id": f"p{n}{word}",
            "why": f"the {word} is {n} <i>now</i>",
            "hand": name,
            "region": "NS"[n % 2],
            "stars": n % 5 + 1,
        }
        for n in range(20)
        for word, name in words.items()
    ]
    rows.append({"id": "last", "why": None, "hand": None, "region": "N", "stars": 1})
    pl.DataFrame(rows).write_csv(tmp_path / "answers.csv")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nfile: answers.csv\nquestions:\n- {name: Reason, kind: open, columns: why}\n"
        "- {name: hand, kind: open}\n- {name: region, kind: single}\n- {name: stars, kind: scale}\n"
    )
    (tmp_path / "codebooks").mkdir()
    (tmp_path / "codebooks" / "Reason.yaml").write_text(BOOK)
    return tmp_path


@pytest.fixture
def quick(monkeypatch, toy_embedder, asked_models):
    """Code with a small embedder."""
    monkeypatch.setattr("semscale.workbench.models.load_embedder", lambda *_, **__: toy_embedder)


@pytest.fixture
def book(folder):
    return lambda: load_codebook(folder / "codebooks" / "Reason.yaml")


def form_on(browser, code, action, book="Reason"):
    """Return the fields of a form on a code, as the page has them."""
    from semscale.workbench.pages import element_id

    page = browser.get(f"/code?{urlencode({'codebook': book, 'edit': code})}")
    start = page.index(f'action="/code/{action}"', page.index(f'id="{element_id(code)}"'))
    return fields_in(page[start : page.index("</form>", start)])


def change(browser, code, /, **fields):
    return browser.change("/code/change", {**form_on(browser, code, "change"), **fields})


def rename(browser, book, code, name):
    """Give a code another name, and return the page."""
    fields = form_on(browser, code, "change", book)
    return browser.change("/code/change", {**fields, "name": name})


def chosen(browser, *names):
    """Return the values of the boxes of some codes."""
    boxes = re.findall(r'name="join" value="([^"]*)"', browser.get("/code?codebook=Reason"))
    return [box for name in names for box in map(unescape, boxes) if box.partition(" ")[2] == name]


def test_a_code_is_added_and_taken_back(browser, book):
    page = browser.get("/code?codebook=Reason")
    start = page.index('action="/code/new"')
    fields = fields_in(page[start : page.index("</form>", start)])
    fields |= {"name": "weight", "keywords": "heavy, kilo", "examples": "it is heavy\nmy back hurts"}
    browser.change("/code/new", fields)
    code = book().codes[-1]
    assert (code.name, code.keywords) == ("weight", ("heavy", "kilo"))
    assert code.examples == ("it is heavy", "my back hurts")
    assert "Not done" in browser.post("/code/new", fields).text  # there is one of this name
    browser.change("/data/undo")
    assert "weight" not in book().names


def wait(browser, path="/code/progress"):
    while "hx-retarget" not in browser.client.get(path).headers:
        pass


def code(browser, **fields):
    """Code the answers, and wait for the end as the page does."""
    browser.change("/code/run", {"question": "Reason", "codebook": "Reason", **fields})
    wait(browser)
    return browser.get("/code/results")


def command_in(page):
    (line,) = [line for line in page.splitlines() if "semscale code" in line and "--out" in line]
    return unescape(line.removesuffix("</pre>"))


def test_the_page_shows_codes_as_they_are_written(browser):
    page = browser.get("/code")
    assert "&lt;b&gt;screen&lt;/b&gt; &amp; &#34;size&#34;" in page
    assert "<b>screen</b>" not in page
    assert "the battery died" in page
    assert "semscale code answers.csv --text Reason --codebook codebooks/Reason.yaml" in page


def test_a_code_is_changed_and_the_file_keeps_its_comments(browser, book, folder):
    change(browser, "power", name="energy", definition="how long it lasts", keywords="battery, mAh")
    code = book().codes[0]
    assert (code.name, code.definition, code.keywords) == ("energy", "how long it lasts", ("battery", "mAh"))
    assert code.examples == ("the battery died", "my battery")
    text = (folder / "codebooks" / "Reason.yaml").read_text()
    assert "# Ours." in text
    assert "  # about power\n  - name: energy\n" in text


def test_every_change_is_undone(browser, folder):
    path = folder / "codebooks" / "Reason.yaml"
    change(browser, "power", new_net="hardware")
    netted = path.read_text()
    browser.change("/code/merge", {"codebook": "Reason", "join": chosen(browser, "power", "cost")})
    assert "Undo" in browser.get("/code")
    page = browser.change("/data/undo")
    assert path.read_text() == netted
    assert "hardware" in page
    browser.change("/data/undo")
    assert path.read_text() == BOOK


def test_an_example_moves_from_another_code_if_its_box_is_ticked(browser, book):
    fields = form_on(browser, "power", "change")
    fields["examples"] += "\nMy  price"
    assert "share the text" in message_in(browser.post("/code/change", fields))
    browser.change("/code/change", fields | {"takes_examples": "true"})
    codes = {code.name: code.examples for code in book().codes}
    assert codes["power"] == ("the battery died", "my battery", "My price")
    assert codes["cost"] == ("the price rose", "a cheap price")
    new = {"codebook": "Reason", "name": "cheap", "examples": "a cheap price", "takes_examples": "true"}
    browser.change("/code/new", new)
    assert [code.examples for code in book().codes if code.name in ("cost", "cheap")] == [
        ("the price rose",), ("a cheap price",),
    ]  # fmt: skip


def test_codes_are_merged_into_the_first(browser, book):
    join = chosen(browser, "cost", HOSTILE)
    browser.change("/code/merge", {"codebook": "Reason", "join": join})
    assert book().names == ("power", "cost")
    assert book().codes[1].examples == (
        "the price rose", "my price", "a cheap price", "the screen broke", "my screen",
    )  # fmt: skip
    answer = browser.post("/code/merge", {"codebook": "Reason", "join": chosen(browser, "power")})
    assert "names of two codes or more" in message_in(answer)


def test_a_code_is_split_by_its_examples(browser, book):
    fields = form_on(browser, "cost", "split")
    browser.change("/code/split", {**fields, "name": "cheap", "texts": ["a cheap price"]})
    assert book().names == ("power", "cost", "cheap", HOSTILE)
    assert [code.examples for code in book().codes][1:3] == [
        ("the price rose", "my price"),
        ("a cheap price",),
    ]
    everything = ["the price rose", "my price"]
    fields = form_on(browser, "cost", "split")
    answer = browser.post("/code/split", {**fields, "name": "more", "texts": everything})
    assert "must leave at least one example to 'cost'" in unescape(message_in(answer))


def test_a_code_moves_between_nets_and_a_net_is_renamed_and_dissolved(browser, book):
    assert "onto a net" not in browser.get("/code?codebook=Reason")
    change(browser, "power", new_net="hardware")
    browser.change("/code/net", {**form_on(browser, HOSTILE, "delete"), "net": "hardware"})
    assert [code.parent for code in book().codes] == [None, "hardware", None, "hardware"]
    assert "onto a net" in browser.get("/code?codebook=Reason")
    change(browser, "hardware", name="device")
    assert book().codes[0].definition == f"At least one of: power, {HOSTILE}."
    browser.change("/code/delete", form_on(browser, "device", "delete"))
    assert [code.parent for code in book().codes] == [None, None, None]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "name must name a code"),
        ("none", "'none' means that no code applies"),
        ("a; b", "must not contain ';'"),
        ("COST", "have the same name"),
        ("x" * 61, "at most 60 characters, got 61"),
        ("outcome", "would share a column"),
        ("power_p", None),
        ("other", None),
        ("<script>alert(1)</script>", None),
        ("- [a]: {b}, #c 'd' \"e\" !f &g *h |", None),
        ("no", None),
        ("\u202eevil \u96fb\u6c60", None),
    ],
)
def test_a_name_is_stored_as_it_is_typed_or_refused(browser, book, folder, name, reason):
    answer = browser.post("/code/change", {**form_on(browser, "power", "change"), "name": name})
    if reason is None:
        assert answer.status_code == 200
        assert book().names[0] == name
        assert "<script>alert" not in answer.text
        assert form_on(browser, name, "change")["name"] == name
    else:
        assert answer.status_code == 422
        assert reason in unescape(message_in(answer))
        assert (folder / "codebooks" / "Reason.yaml").read_text() == BOOK


def test_two_tabs_change_different_codes_but_never_the_same(browser, book):
    first, second = form_on(browser, "power", "change"), form_on(browser, "power", "change")
    cost = form_on(browser, "cost", "change")
    join = chosen(browser, "power", "cost")
    browser.change("/code/change", {**first, "definition": "first"})
    answer = browser.post("/code/change", {**second, "definition": "second"})
    assert answer.status_code == 409
    assert "code 'power' was changed elsewhere" in unescape(message_in(answer))
    assert browser.post("/code/merge", {"codebook": "Reason", "join": join}).status_code == 409
    browser.change("/code/change", {**cost, "definition": "third"})
    assert [code.definition for code in book().codes][:2] == ["first", "third"]


def test_an_undo_never_overwrites_a_change_in_an_editor(browser, folder):
    change(browser, "power", definition="new")
    path = folder / "codebooks" / "Reason.yaml"
    path.write_text(BOOK + "# mine\n")
    assert browser.post("/data/undo").status_code == 409
    assert path.read_text() == BOOK + "# mine\n"


@pytest.mark.parametrize(
    ("words", "n"), [("BATTERY", 20), ("batter", 0), ("battery, price", 40), (".*", 0), ("", None)]
)
def test_answers_with_keywords_are_counted(browser, words, n):
    page = browser.get(f"/code/count?question=Reason&keywords={words}")
    assert ("of 60 answers" in page) == (n is not None)
    if n is not None:
        assert f"<b>{n}</b>" in page


def test_a_broken_codebook_is_a_sentence_and_another_can_be_added(browser, folder):
    (folder / "codebooks" / "Reason.yaml").write_text("name: x\ncodes: [")
    assert "line 2: not readable as YAML" in browser.get("/code?codebook=Reason")
    answer = browser.post("/code/add", files={"file": ("../../my codes.yaml", BOOK.encode())})
    assert answer.status_code == 200
    assert (folder / "codebooks" / "my-codes.yaml").read_text() == BOOK
    assert browser.post("/code/add", files={"file": ("x.yaml", b"nonsense")}).status_code == 422
    assert browser.post("/code/change", {"codebook": "../survey"}).status_code == 422
    (folder / "codebooks" / "folder.yaml").mkdir()
    assert "Not readable" in browser.get("/code?codebook=folder")


def test_the_model_for_many_languages_is_offered_first_if_answers_need_it(browser, folder):
    def models():
        page = browser.get("/code?question=Reason&codebook=Reason")
        return re.findall(r'<option value="([^"]*)" selected>(?:English|many languages)', page)

    assert models() == ["all-MiniLM-L6-v2"] * 2
    path = folder / "answers.csv"
    english = "".join(f"en{n},we had to wait {n} days for the parcel,,N,1\n" for n in range(24))
    german = "".join(f"de{n},das ist mir in {n} Tagen viel zu teuer geworden,,N,1\n" for n in range(2))
    path.write_text(path.read_text() + english + german.partition("\n")[0] + "\n")
    assert models() == ["all-MiniLM-L6-v2"] * 2  # one of 25 longer answers is German
    path.write_text(path.read_text() + german)
    assert models() == ["e5-small"] * 2  # two of 26 different ones


@pytest.mark.usefixtures("quick")
def test_codings_by_two_codebooks_have_tables_of_their_own(browser, folder):
    (folder / "codebooks" / "needs.yaml").write_text(BOOK.replace("power", "energy"))
    for book in ("Reason", "needs"):
        code(browser, codebook=book, sentiment="none")
    for name, column in (("answers-Reason-codes", "power"), ("answers-Reason-needs-codes", "energy")):
        assert f"semscale_{column}" in pl.read_parquet(folder / "results" / f"{name}.parquet").columns


@pytest.mark.usefixtures("quick")
def test_answers_that_the_model_does_not_read_can_be_coded_with_another(browser, monkeypatch):
    code(browser, sentiment="none", model="all-MiniLM-L6-v2")
    assert "Code with the model for many languages" not in browser.get("/code/results")
    monkeypatch.setattr("semscale.workbench.code_results.CodingRun.n_unread", 3)
    page = browser.get("/code/results")
    assert "3 answers in a language that the model does not read" in page
    start = page.index("<b>Left out</b>")
    assert fields_in(page[start : page.index("</form>", start)])["model"] == "e5-small"


@pytest.mark.usefixtures("quick")
def test_the_page_and_the_command_suggest_the_same_codes(browser, folder, semscale):
    browser.change("/code/suggest", {"question": "Reason", "codes": "3"})
    wait(browser)
    page = browser.get("/code?question=Reason&codebook=Reason-2")
    (line,) = [line for line in page.splitlines() if "semscale code suggest" in line]
    written = (folder / "codebooks" / "Reason-2.yaml").read_text()
    command = line.replace("Reason-2", "again-2").split('">')[-1].split()
    ended = semscale(*command[1:])
    assert ended.code == 0, ended.err
    assert (folder / "codebooks" / "again-2.yaml").read_text() == written
    counts = re.findall(r"semscale code would give it to (\d+)", written)
    assert re.findall(r">(\d+) of \d+ answers", page) == counts
    assert len(counts) == 3
    first = load_codebook(folder / "codebooks" / "Reason-2.yaml").codes[0]
    renamed = rename(browser, "Reason-2", first.name, "Renamed")
    assert re.findall(r">(\d+) of \d+ answers", renamed) == counts
    assert page.count("still decide") == 0
    assert "Semscale suggests 3 codes" in page
    assert "Semscale suggests" not in renamed
    assert f"Its keywords still decide: <bdi>{first.keywords[0]}" in renamed
    browser.change("/data/undo")
    browser.change("/data/undo")
    assert not (folder / "codebooks" / "Reason-2.yaml").exists()


@pytest.mark.usefixtures("quick")
def test_the_page_and_the_command_write_the_same_codes(browser, folder, semscale):
    page = code(browser, labels="hand", by="region", rating="stars", min_base="5", sentiment="none")
    assert "Drivers of" in page
    assert "Shares by" in page
    command = command_in(page)
    assert "--human hand --by region --rating stars --sentiment none --min-base 5" in command
    written = pl.read_parquet(folder / "results" / "answers-Reason-codes-corrected.parquet")
    ended = semscale(*shlex.split(command.replace("results/answers-Reason-codes-corrected", "again"))[1:])
    assert ended.code == 0, ended.err
    assert_frame_equal(written, pl.read_parquet(folder / "again.parquet"), check_exact=True)


@pytest.mark.usefixtures("quick")
def test_results_begin_with_figures_and_their_limits_follow(browser):
    page = code(browser)
    parts = (
        "<h1>",
        "Most frequent are",
        "Not checked",
        "Change the codes",
        "<svg",
        "How to read this",
        "Before you use",
    )
    texts = ('id="sentiment"', 'id="coded-answers"', 'id="pairs"', 'id="method"')
    positions = [page.index(part) for part in (*parts, *texts)]
    assert positions == sorted(positions)
    assert page.count('id="shares"') == 1


@pytest.mark.usefixtures("quick")
def test_a_sheet_of_labels_corrects_shares_as_the_command_does(browser, folder, semscale):
    (folder / "labels").mkdir()
    sheet = pl.read_csv(folder / "answers.csv")
    labels = pl.Series("human", [*pl.read_csv(folder / "answers.csv")["hand"][:45], *[None] * 16], pl.String)
    sheet = sheet.with_columns(labels, pl.lit(0.75).alias("inclusion"))
    sheet.write_csv(folder / "labels" / "Reason.csv")
    sheet.drop("why").write_csv(folder / "labels" / "other.csv")
    (folder / "labels" / "empty.csv").write_text("")
    page = browser.get("/code")
    assert "sheet labels/Reason.csv" in page
    assert "labels/other.csv" not in page
    page = code(browser, labels="labels/Reason.csv", sentiment="none")
    assert "corrected share" in page
    command = command_in(page)
    assert "semscale code labels/Reason.csv --text Reason" in command
    assert "--survey survey.yaml --human human --inclusion inclusion" in command
    written = pl.read_parquet(folder / "results" / "answers-Reason-codes-corrected.parquet")
    ended = semscale(*shlex.split(command.replace("results/answers-Reason-codes-corrected", "again"))[1:])
    assert ended.code == 0, ended.err
    assert_frame_equal(written, pl.read_parquet(folder / "again.parquet"), check_exact=True)


@pytest.mark.usefixtures("quick")
def test_codes_and_labels_of_another_wave_are_not_taken_for_those_of_the_file(browser, folder):
    (folder / "labels").mkdir()
    sheet = pl.read_csv(folder / "answers.csv").with_columns(human=pl.col("hand"), inclusion=0.75)
    sheet.write_csv(folder / "labels" / "Reason.csv")
    code(browser, labels="labels/Reason.csv", sentiment="none")
    page = browser.get("/code")
    assert " of 60 answers" in page
    assert '<option value="labels/Reason.csv" selected>' in page
    wave = pl.read_csv(folder / "answers.csv").with_columns(why="next wave: " + pl.col("why"))
    browser.post("/data/upload", files={"file": ("second.csv", wave.write_csv().encode())})
    browser.change("/data/file", {"file": "second.csv"})
    page = browser.get("/code")
    assert " of 60 answers" not in page
    assert "labels/Reason.csv" not in page
    stated = "These codes are of answers.csv; the open file is second.csv."
    assert stated in page[page.index("<b>Coded</b>") :]
    page = browser.get("/code/results")
    assert page.index(stated) < page.index("<h1>")
    code(browser, sentiment="none")
    browser.change("/data/file", {"file": "answers.csv"})
    page = browser.get("/code")
    assert "<b>Coded</b>" in page
    assert stated not in page
    assert "--human human" in command_in(browser.get("/code/results"))


@pytest.mark.usefixtures("quick")
def test_after_a_restart_only_codings_of_the_open_file_are_offered(browser, folder):
    from semscale.workbench.project import Project

    code(browser, sentiment="none")
    browser.post("/data/upload", files={"file": ("second.csv", (folder / "answers.csv").read_bytes())})
    browser.change("/data/file", {"file": "second.csv"})
    code(browser, sentiment="none", by="region")
    browser.change("/data/file", {"file": "answers.csv"})
    page = Browser(app_of(Project.open(folder))).get("/code")
    assert "<bdi>answers-Reason-codes</bdi>" in page
    assert "second-Reason-codes" not in page


@pytest.mark.usefixtures("quick")
def test_answers_are_found_by_code_outcome_and_words(browser, folder):
    page = code(browser)
    out = pl.read_parquet(folder / "results" / "answers-Reason-codes.parquet")
    n_power = int((out["semscale_power"] == 1).sum())
    assert n_power
    assert '<mark class="evidence">the battery is' in page
    assert "&lt;i&gt;now&lt;/i&gt;" in page
    for query, n in (
        ("", 61),
        ("code=power", n_power),
        ("code=%3Fpower", out.filter(pl.col("semscale_power").is_null(), pl.col("why").is_not_null()).height),
        ("words=SCREEN", 20),
        ("words=.*", 0),
        ("outcome=no+answer", 1),
        ("code=power&words=battery+is+3", 1),
        ("code=nonsense&start=nonsense", 61),
    ):
        line = f'role="status">{n} answer{"" if n == 1 else "s"}</p>'
        assert line in browser.get(f"/code/results?{query}"), query
        assert line in browser.get(f"/code/answers?{query}"), query
    share = f"{100 * n_power / 60:.0f}\N{NO-BREAK SPACE}%"
    page = browser.get("/code")
    assert f'<b>{share}</b><span class="track"' in page
    assert f"<span>{n_power} of 60 answers</span>" in page
    assert "From answers that were coded" in browser.get("/code?edit=power")


@pytest.mark.usefixtures("quick")
def test_a_star_lets_slides_quote_an_answer(browser, folder):
    code(browser, sentiment="none")
    fields = {"code": "power", "filters": "code=power&start=0"}
    page = browser.change("/code/star", {"row": "4", **fields})
    assert 'aria-pressed="true"' in page
    assert "20 answers" in page
    path = folder / "codebooks" / "Reason.quotes.csv"
    assert pl.read_csv(path).rows() == [("power", "the battery is 1 <i>now</i>")]
    assert "--quotes codebooks/Reason.quotes.csv" in command_in(page)
    browser.change("/code/star", {"row": "1", **fields})
    browser.change("/code/star", {"row": "4", **fields})
    assert pl.read_csv(path)["text"].to_list() == ["the battery is 0 <i>now</i>"]
    browser.change("/code/star", {"row": "1", **fields})
    assert 'aria-pressed="true"' not in browser.get("/code/results?code=power")
    browser.change("/data/undo")
    assert 'aria-pressed="true"' in browser.get("/code/results?code=power")
    for row, name in (("61", "power"), ("62", "power"), ("0", "power"), ("1", "nonsense")):
        assert browser.post("/code/star", {"row": row, "code": name}).status_code == 422


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
    assert browser.post(f"/code/export/{kind}").status_code == 422
    code(browser, sentiment="none")
    answer = browser.post(f"/code/export/{kind}")
    assert f'filename="answers-Reason-codes.{kind}"' in answer.headers["content-disposition"]
    assert (folder / "results" / f"answers-Reason-codes.{kind}").read_bytes() == answer.content


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("path", "fields", "reason"),
    [
        ("run", {"codebook": "nonsense"}, "the project has no codebook 'nonsense'"),
        ("run", {"codebook": "../../etc/passwd"}, "the project has no codebook"),
        ("run", {"given_from": "2"}, "given_from"),
        ("run", {"model": "/tmp/model"}, "must be one of all-MiniLM-L6-v2, e5-small"),
        ("run", {"by": "Reason"}, "name a column with groups"),
        ("suggest", {"codes": "many"}, "must be a number"),
    ],
)
def test_wrong_settings_are_refused_before_a_run(browser, folder, path, fields, reason):
    answer = browser.post(f"/code/{path}", {"question": "Reason", "codebook": "Reason", **fields})
    assert answer.status_code == 422
    assert reason in unescape(message_in(answer))
    assert not (folder / "results").exists()


def test_a_model_that_cannot_be_loaded_is_a_sentence_and_codes_can_still_be_changed(
    browser, monkeypatch, book
):
    from semscale.errors import ModelError

    def fail(*_, **__):
        raise ModelError("the weights are not on this machine, and no network is there")

    monkeypatch.setattr("semscale.workbench.models.load_embedder", fail)
    assert "the weights are not on this machine" in code(browser)
    browser.change("/code/suggest", {"question": "Reason"})
    wait(browser)
    assert "the weights are not on this machine" in browser.get("/code?codebook=Reason-2")
    change(browser, "power", definition="still")
    assert book().codes[0].definition == "still"


def test_a_task_is_stopped_and_writes_nothing(browser, folder, monkeypatch, toy_embedder, asked_models):
    begun, let = threading.Event(), threading.Event()

    def load(*_, **__):
        begun.set()
        assert let.wait(60)
        return toy_embedder

    monkeypatch.setattr("semscale.workbench.models.load_embedder", load)
    browser.change("/code/suggest", {"question": "Reason"})
    assert begun.wait(60)
    assert "Stop" in browser.get("/code")
    browser.change("/code/stop")
    let.set()
    wait(browser)
    assert "stopped; nothing was written" in browser.get("/code?question=Reason")
    assert not (folder / "codebooks" / "Reason-2.yaml").exists()
    assert "Share of answers" in code(browser, sentiment="none")


@pytest.mark.usefixtures("quick")
def test_answers_without_clear_topics_offer_a_stated_number_of_codes(browser, monkeypatch):
    from semscale.coding.topics import NoTopicsError
    from semscale.workbench import code_page

    suggest = code_page.suggest

    def few(*answers, codes, **settings):
        if codes is None:
            raise NoTopicsError(97)
        return suggest(*answers, codes=codes, **settings)

    monkeypatch.setattr(code_page, "suggest", few)
    browser.change("/code/suggest", {"question": "Reason"})
    wait(browser)
    page = browser.get("/code?question=Reason")
    start = page.index("<b>No codes</b>")
    assert "97 different sentences and clauses are too few" in page[start:]
    fields = fields_in(page[start : page.index("</form>", start)])
    assert fields["codes"] == "8"
    browser.change("/code/suggest", fields)
    wait(browser)
    assert "Semscale suggests 8 codes" in browser.get("/code?question=Reason&codebook=Reason-2")


@pytest.mark.usefixtures("quick")
def test_a_new_name_keeps_the_number_of_answers(browser):
    code(browser, sentiment="none")
    counts = re.findall(r">(\d+) of \d+ answers", browser.get("/code"))
    assert len(counts) == 3
    assert re.findall(r">(\d+) of \d+ answers", rename(browser, "Reason", "power", "energy")) == counts
    assert re.findall(r">(\d+) of \d+ answers", browser.get("/code")) == counts


@pytest.mark.usefixtures("quick")
def test_the_list_of_codes_states_how_many_answers_have_none(browser, folder):
    browser.change("/code/delete", form_on(browser, HOSTILE, "delete"))
    code(browser, sentiment="none")
    out = pl.read_parquet(folder / "results" / "answers-Reason-codes.parquet")
    has_code = (pl.col("semscale_power") == 1) | (pl.col("semscale_cost") == 1)
    n = out.filter(pl.col("why").is_not_null(), ~has_code.fill_null(False)).height
    assert n
    page = browser.get("/code")
    assert f"for {n} of 60 answers, no code applies or is sure" in page
    assert f"60 answers can be read ({out.height} rows less {out.height - 60} without an answer)." in page


@pytest.mark.usefixtures("quick")
def test_codes_that_were_changed_are_coded_anew(browser, folder):
    code(browser, sentiment="none")
    change(browser, "power", name="energy")
    page = code(browser, sentiment="none")
    assert "energy" in page
    assert "semscale_energy" in pl.read_parquet(folder / "results" / "answers-Reason-codes.parquet").columns


@pytest.mark.usefixtures("quick")
def test_earlier_codings_are_opened_after_a_restart(browser, folder):
    from semscale.workbench.project import Project

    page = code(browser, sentiment="none", by="region")
    again = Browser(app_of(Project.open(folder)))
    opened = again.get("/code")
    assert "Earlier codings" in opened
    assert "Earlier ratings" not in again.get("/rate")
    start = opened.index('<ul class="earlier">')
    fields = fields_in(opened[start : opened.index("</form>", start)])
    assert fields["by"] == "region"
    again.change("/code/run", fields)
    wait(again)
    opened = again.get("/code/results")
    assert command_in(opened) == command_in(page)
    shares = [text.partition('id="shares"')[2].partition("</section>")[0] for text in (opened, page)]
    assert shares[0] == shares[1] != ""
    assert again.post("/code/export/html").status_code == 200


@pytest.mark.usefixtures("quick")
def test_a_stopped_coding_goes_on_unless_its_codes_or_choices_changed(browser, folder, monkeypatch):
    restarts = []
    run = CodingPlan.run

    def note(self, *arguments, restart):
        restarts.append(restart)
        return run(self, *arguments, restart=restart)

    monkeypatch.setattr(CodingPlan, "run", note)
    code(browser, sentiment="none")
    code(browser, sentiment="none")
    code(browser, sentiment="none", by="region")
    change(browser, "power", definition="how long it lasts")
    code(browser, sentiment="none", by="region")
    code(browser, sentiment="none", by="region")
    assert restarts == [True, False, True, True, False]


@pytest.mark.usefixtures("quick")
def test_answers_that_look_like_codes_are_left_out_and_outdated_codes_made_again(browser, folder):
    path = folder / "answers.csv"
    path.write_text(path.read_text() + "na,n/a,,N,1\nna2,N/A,,N,1\n")
    page = browser.get("/code")
    assert "2 answers seem to mean “no answer” (2\u00a0×\u00a0n/a)." in page
    code(browser, sentiment="none", by="region")
    page = browser.change("/code/missing", {"question": "Reason", "codebook": "Reason"})
    assert "seem to mean" not in page
    assert parse_survey((folder / "survey.yaml").read_bytes(), source="").by_name["Reason"].missing
    for address in ("/code", "/code/results"):
        page = browser.get(address)
        start = page.index("The description of the data has changed")
        again = fields_in(page[start : page.index("</form>", start)])
    browser.change("/code/run", again)
    wait(browser)
    page = browser.get("/code/results")
    assert "Outdated" not in page
    assert "--by region" in command_in(page)
    outcomes = pl.read_parquet(folder / "results" / "answers-Reason-codes.parquet")["semscale_outcome"]
    assert outcomes.to_list()[-3:] == ["no-answer"] * 3


@pytest.mark.usefixtures("quick")
def test_a_button_codes_with_the_labels_and_the_choices_of_the_run(browser, folder):
    code(browser, sentiment="none", by="region")
    draw = {"table": "answers-Reason-codes.parquet", "text": "Reason", "measure": "codebooks/Reason.yaml"}
    browser.change("/label/start", draw)
    task = "answers-Reason-codes"
    browser.change("/label/rater", {"task": task, "rater": "Ada"})
    page = browser.get(f"/label?task={task}")
    start = page.index('id="label-form"')
    answer = fields_in(page[start : page.index("</form>", start)])
    answer = {name: answer[name] for name in ("task", "rater", "key", "row")}
    browser.change("/label/answer", answer | {"label": "power", "act": "label"})
    browser.change("/code/labels", {"task": task})
    wait(browser)
    command = command_in(browser.get("/code/results"))
    assert f"semscale code labels/{task}.csv" in command
    assert "--human human --inclusion inclusion --by region" in command


def test_a_file_without_open_texts_says_what_to_do(browser, folder):
    path = folder / "survey.yaml"
    path.write_text(path.read_text().replace("kind: open", "kind: ignore"))
    assert "No question of this file is an open text" in browser.get("/code")
