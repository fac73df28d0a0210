"""Each change on the page of the data is a change of ``survey.yaml``, which commands read."""

import re
import shutil

import pytest
from tests.workbench.conftest import Browser, app_of, fields_in, message_in

from semscale.survey.survey_file import read_survey
from semscale.workbench.changes import Change, Changes
from semscale.workbench.project import Project


@pytest.fixture
def survey(folder):
    return lambda: read_survey(folder / "survey.yaml")


def test_questions_are_shown_with_counts_before_anything_is_written(browser, folder):
    page = browser.get("/data")
    assert "answers.csv" in page
    assert "your changes are kept in survey.yaml" in page
    assert "3 columns" not in page
    assert not (folder / "survey.yaml").exists()


def test_a_title_and_a_kind_are_written(browser, survey):
    form = browser.form("country") | {"title": "Home", "kind": "single"}
    browser.change("/data/question", form)
    question = survey().question("country")
    assert (question.title, question.source, question.reason) == ("Home", "user", "")
    # What Semscale inferred of the other columns is written as well, as by semscale columns --out.
    assert "why" in survey().by_name


def test_labels_order_scores_and_codes_are_written(browser, survey):
    form = browser.form("satisfaction")
    order = ["3", "2", "1", "99"]
    form |= {
        "kind": "scale",
        "value": order,
        "label": ["good", "so so", "bad", ""],
        "score": ["1", "", "-1", ""],
        "counts_as": ["answer", "answer", "answer", "refused"],
        "codes": "98, 97=not asked",
    }
    browser.change("/data/question", form)
    question = survey().question("satisfaction")
    assert [(value.value, value.label, value.score) for value in question.values] == [
        ("3", "good", 1.0),
        ("2", "so so", None),
        ("1", "bad", -1.0),
    ]
    assert question.missing == {"99": "refused", "98": "no answer", "97": "not asked"}
    # What was written is what the form shows again.
    again = browser.form("satisfaction")
    assert again["value"] == order
    assert again["counts_as"] == ["answer", "answer", "answer", "refused"]
    assert again["codes"] == "98, 97=not asked"


def test_a_button_moves_an_answer_without_a_script(browser, survey):
    form = browser.form("country")
    before = form["value"]
    page = browser.change("/data/question", form | {"move": "value:0:1"})
    assert [value.value for value in survey().question("country").values] == [
        before[1],
        before[0],
        *before[2:],
    ]
    assert "data-editor" in page


def versions(browser, *names):
    """Return the values of the boxes that choose questions to join."""
    boxes = re.findall(r'name="join" value="([^"]*)"', browser.get("/data"))
    return [box for name in names for box in boxes if box.endswith(f" {name}")]


def test_questions_are_joined_marked_and_split_again(browser, survey):
    browser.change("/data/join", {"join": versions(browser, "tea", "milk"), "kind": "multiple"})
    (joined,) = [question for question in survey().questions if question.kind == "multiple"]
    assert joined.all_columns == ("tea", "milk")
    form = browser.form(joined.name)
    assert sorted(form["mark"]) == ["", "No", "Yes"]
    meanings = {"Yes": "chosen", "No": "not chosen", "": "not asked"}
    browser.change("/data/question", form | {"mark_as": [meanings[mark] for mark in form["mark"]]})
    marked = survey().question(joined.name)
    assert (marked.chosen, marked.not_chosen) == (("Yes",), ("No",))
    browser.change("/data/split", {"question": joined.name, "version": browser.form(joined.name)["version"]})
    assert {"tea", "milk"} <= set(survey().by_name)


def test_items_are_joined_to_a_grid(browser, survey):
    browser.change("/data/join", {"join": versions(browser, "sound", "shape"), "kind": "grid"})
    (grid,) = [question for question in survey().questions if question.kind == "grid"]
    assert [option.column for option in grid.options] == ["sound", "shape"]


def test_shares_leave_out_codes_for_no_answer_and_state_their_base(browser):
    page = browser.get("/data?find=satisfaction")
    rows = re.findall(r'<th scope="row"[^>]*><span>(\w+).*?<td>(\d+)</td><td>(.*?)</td>', page, re.DOTALL)
    assert "Shares of 5 answers" in page  # the sixth is the code 99
    assert {label: (n, share.replace("\u00a0", " ")) for label, n, share in rows} == {
        "1": ("1", "20 %"),
        "2": ("2", "40 %"),
        "3": ("2", "40 %"),
        "99": ("1", ""),
    }
    assert re.findall(r'<i style="width:([\d.]+)%"', page) == ["20.0", "40.0", "40.0"]  # of the whole track


def test_rows_and_derived_columns_are_tried_saved_and_counted(browser, survey):
    count = browser.get("/data/count?where=older&name=older&expression=age >= 40")
    # 41, 52 and 63 years.
    assert "<b>3</b> rows are used" in count
    browser.change("/data/rows", {"where": "older", "name": ["older", ""], "expression": ["age >= 40", ""]})
    assert (survey().where, survey().derive) == ("older", {"older": "age >= 40"})
    assert "older" in survey().by_name or "older" in browser.get("/data")
    assert ">3 rows<" in browser.get("/data")


def test_half_of_a_condition_is_answered_with_the_reason(browser):
    assert "is no SQL expression" in browser.get("/data/count?where=age >")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"where": "nobody = 1"}, "has no column &#39;nobody&#39;"),
        ({"where": "age > 200"}, "no rows are left"),
        ({"name": "x"}, "must have a name and an expression"),
        ({"where": "age > (select 1)"}, "reads other rows or tables"),
    ],
)
def test_rows_that_cannot_be_read_are_refused(browser, folder, fields, reason):
    answer = browser.post("/data/rows", {"name": "", "expression": "", **fields})
    assert answer.status_code == 422
    assert reason in answer.text
    assert not (folder / "survey.yaml").exists()


def test_comments_of_a_user_stay(browser, folder):
    browser.change("/data/question", browser.form("country"))
    path = folder / "survey.yaml"
    path.write_text(path.read_text().replace("kind: numeric", "kind: numeric  # in years"))
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    assert "kind: numeric  # in years" in path.read_text()


def test_an_entry_that_was_changed_elsewhere_is_never_overwritten(browser, folder, survey):
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    form = browser.form("country")
    path = folder / "survey.yaml"
    path.write_text(path.read_text().replace("title: Home", "title: Land"))
    answer = browser.post("/data/question", form | {"title": "State"})
    assert answer.status_code == 409
    assert "was changed elsewhere" in message_in(answer)
    assert survey().question("country").title == "Land"


def test_a_change_of_another_entry_outside_is_no_conflict(browser, folder, survey):
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    form = browser.form("age")
    path = folder / "survey.yaml"
    path.write_text(path.read_text().replace("title: Home", "title: Land"))
    browser.change("/data/question", form | {"title": "Years"})
    assert [survey().question(name).title for name in ("country", "age")] == ["Land", "Years"]


def test_changes_are_undone_one_by_one_up_to_no_file(browser, folder):
    path = folder / "survey.yaml"
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    first = path.read_bytes()
    browser.change("/data/question", browser.form("age") | {"title": "Years"})
    assert "change of age" in browser.get("/data")
    browser.change("/data/undo")
    assert path.read_bytes() == first
    browser.change("/data/undo")
    assert not path.exists()
    assert browser.post("/data/undo").status_code == 409


def test_undo_never_takes_back_what_was_written_outside(browser, folder):
    path = folder / "survey.yaml"
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    path.write_text(path.read_text() + "# mine\n")
    assert browser.post("/data/undo").status_code == 409
    assert path.read_text().endswith("# mine\n")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"kind": "song"}, "kind must be one of"),
        ({"codes": "99=whatever"}, "a reason must be one of"),
        ({"name": "age"}, "two questions have the name"),
        ({"value": ["DE"], "label": []}, "incomplete"),
        ({"question": "nobody"}, "nobody"),
    ],
)
def test_wrong_fields_are_refused_with_a_reason(browser, folder, fields, reason):
    answer = browser.post("/data/question", browser.form("country") | fields)
    assert answer.status_code == 422
    assert reason in answer.text
    assert not (folder / "survey.yaml").exists()


def test_words_and_doubts_choose_the_questions_that_are_shown(browser):
    assert "data-question" in browser.get("/data?find=COUNTRY")
    page = browser.get("/data?find=country zebra")
    assert ("data-question" in page, "No question matches" in page) == (False, True)


def test_a_broken_description_is_shown_with_its_line_and_kept(browser, folder):
    path = folder / "survey.yaml"
    path.write_text("survey: 1\nquestions:\n- {name: a, kind: song}\n")
    answer = browser.answer("/data")
    assert answer.status_code == 422
    assert "line 3" in answer.text
    assert "Correct <b>survey.yaml</b>" in answer.text
    assert "choose another one" not in answer.text  # that page reads the description as well
    assert path.read_text().endswith("kind: song}\n")


def test_a_description_of_another_file_is_never_written_over(browser, folder):
    path = folder / "survey.yaml"
    content = "survey: 1\nfile: other.csv\nquestions:\n- {name: a, kind: open}\n"
    path.write_text(content)
    assert browser.answer("/data").status_code == 422
    assert browser.post("/data/file", {"file": "answers.csv"}).status_code == 422
    assert path.read_text() == content


def test_columns_without_answers_follow_the_questions_and_are_found_by_words(browser):
    page = browser.get("/data")
    assert page.index(">country<") < page.index("1 column without answers") < page.index(">respondent<")
    page = browser.get("/data?find=respondent")
    assert (">respondent<" in page, "without answers" in page) == (True, False)


def test_thousands_of_questions_are_shown_by_pages(browser, folder):
    names = [f"question {n}" for n in range(250)]
    rows = "".join(",".join(str((row + n) % 3) for n in range(250)) + "\n" for row in range(6))
    (folder / "answers.csv").write_text(f"{','.join(names)}\n{rows}")
    page = browser.get("/data")
    assert page.count("data-question") == 200
    assert 'href="/data?start=200">Further questions' in page
    page = browser.get("/data?start=200")
    assert (page.count("data-question"), "Further questions" in page) == (50, False)
    # The page with the form is the one with its question.
    assert "data-editor" in browser.get("/data?edit=question 240")
    assert browser.get("/data?find=question 249").count("data-question") == 1


def test_a_huge_cell_is_a_text_of_which_the_beginning_is_shown(browser, folder):
    (folder / "answers.csv").write_text(f"kind,note\na,{'x' * 1_000_000}\nb,short\na,short\n")
    for address in ("/data", "/data?edit=note", "/data/file?file=answers.csv"):
        assert len(browser.get(address)) < 50_000
    assert "open text" in browser.get("/data?find=note")


def test_a_condition_that_the_next_wave_does_not_meet_is_corrected_on_its_page(browser, folder, survey):
    browser.change("/data/rows", {"where": "age > 20", "name": "", "expression": ""})
    (folder / "answers.csv").write_text("respondent,country\n1,DE\n2,AT\n")
    answer = browser.answer("/data")
    assert (answer.status_code, "has no column" in message_in(answer)) == (422, True)
    assert 'name="where" value="age &gt; 20"' in answer.text
    browser.change("/data/rows", {"where": "", "name": "", "expression": ""})
    assert survey().where == ""
    assert "2 rows" in browser.get("/data")


def test_incomplete_fields_are_refused(browser):
    answer = browser.post("/data/rows", {"name": ["x", "y"], "expression": ["age"]})
    assert (answer.status_code, "incomplete" in message_in(answer)) == (422, True)


def test_a_folder_that_is_gone_or_cannot_be_written_is_a_sentence(browser, folder, monkeypatch):
    form = browser.form("country")

    def refuse(_path):
        raise PermissionError(13, "Permission denied", str(folder / "survey.yaml"))

    with monkeypatch.context() as patched:
        patched.setattr("semscale.workbench.project.replacing", refuse)
        answer = browser.post("/data/question", form | {"title": "Home"})
        assert message_in(answer).count("survey.yaml cannot be read or written: Permission denied") == 1
    shutil.rmtree(folder)
    for path in ("/data", "/rate", "/data/file", "/data/progress"):
        answer = browser.answer(path)
        assert (answer.status_code, "No such file" in message_in(answer)) == (422, True)
    assert browser.post("/data/question", form).status_code == 422


def test_changes_are_undone_after_a_new_start(browser, folder):
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    first = (folder / "survey.yaml").read_bytes()
    browser.change("/data/question", browser.form("age") | {"title": "Years"})

    again = Browser(app_of(Project.open(folder)))
    assert "Undo: change of age" in again.get("/data")
    again.change("/data/undo")
    assert (folder / "survey.yaml").read_bytes() == first
    (folder / "survey.yaml").write_bytes(first + b"# mine\n")
    # What was written elsewhere is never taken back, so nothing is offered.
    assert "Undo" not in again.get("/data")


def test_a_change_is_saved_where_nothing_can_be_remembered(browser, folder, monkeypatch, tmp_path, survey):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    assert survey().question("country").title == "Home"
    assert browser.post("/data/undo").status_code == 409


def test_only_the_last_hundred_changes_are_remembered(tmp_path):
    changes = Changes(tmp_path)
    for number in range(103):
        changes.add(Change(f"change {number}", tmp_path / "survey.yaml", b"\xff", b"after", "/data"))
    assert (changes.last.name, changes.last.before) == ("change 102", b"\xff")
    assert len(list(changes.last.entry.parent.iterdir())) == 100
    assert changes.last.entry.stat().st_mode & 0o077 == 0


PREVIEWS = """Status,ResponseId,Q1
Response Type,Response ID,How was it?
"{""ImportId"":""status""}","{""ImportId"":""_recordId""}","{""ImportId"":""QID1""}"
IP Address,R_1,good
Survey Preview,R_2,bad
IP Address,R_3,good
IP Address,R_4,bad
"""


def test_rows_of_previews_count_until_the_description_is_written_and_all_numbers_follow(browser, folder):
    (folder / "answers.csv").write_text(PREVIEWS)
    page = browser.get("/data")
    assert "<span>4 rows</span><span>3 columns</span><span>1 question</span>" in page
    assert "Until then, rows that it leaves out are used, too" in page
    fields = browser.form("Q1") | {"title": "How"}
    headers = {"Sec-Fetch-Site": "same-origin", "HX-Request": "true"}
    assert browser.post("/data/question", fields, headers).headers["HX-Refresh"] == "true"
    page = browser.get("/data")
    assert "<span>3 rows</span>" in page
    assert "Until then" not in page


def test_the_description_is_written_without_a_change(browser, folder):
    (folder / "answers.csv").write_text(PREVIEWS)
    page = browser.get("/data")
    assert '<form id="keep" method="post" action="/data/rows">' in page
    assert "<span>3 rows</span>" in browser.change("/data/rows")
    assert (folder / "survey.yaml").exists()


def test_a_new_description_leaves_out_rows_of_previews_as_soon_as_the_file_is_chosen(browser, folder):
    (folder / "answers.csv").write_text(PREVIEWS)
    browser.change("/data/file", {"file": "answers.csv"})
    page = browser.get("/data")
    assert "<span>3 rows</span>" in page
    assert "Until then" not in page
    assert "Survey Preview" in (folder / "survey.yaml").read_text()


def test_nets_are_lines_of_the_form_and_follow_renamed_answers(browser, folder):
    fields = browser.form("sound") | {"nets": "Low: 1; 2\n\nHigh: 4;5"}
    browser.change("/data/question", fields)
    assert browser.form("sound")["nets"] == "Low: 1; 2\nHigh: 4; 5"
    fields = browser.form("sound")
    fields["label"] = ["quiet", *fields["label"][1:]]
    browser.change("/data/question", fields)
    assert browser.form("sound")["nets"] == "Low: quiet; 2\nHigh: 4; 5"
    nameless = browser.post("/data/question", browser.form("sound") | {"nets": "1; 2"})
    assert "must have lines such as" in message_in(nameless)
    unknown = browser.post("/data/question", browser.form("sound") | {"nets": "Low: 9"})
    assert "which is none of its answers" in message_in(unknown)
    browser.change("/data/question", browser.form("sound") | {"nets": ""})
    assert "nets" not in (folder / "survey.yaml").read_text()


def test_nets_with_signs_of_the_form_stay_as_they_are(browser, folder):
    entry = "{name: tea, kind: single, values: [{value: 'Yes'}, {value: 'No'}], nets: {'a: b': ['Yes']}}"
    (folder / "survey.yaml").write_text(f"survey: 1\nquestions:\n- {entry}\n")
    browser.change("/data/question", browser.form("tea") | {"title": "Tea"})
    assert "a: b" in (folder / "survey.yaml").read_text()


def filter_form(browser, question):
    """Return the fields of the form that filters by a question, as the page has them."""
    page = browser.get(f"/data/filter?question={question}")
    start = page.index('id="filter"')
    return fields_in(page[start : page.index("</form>", start)])


def answers_offered(browser, question):
    """Return the number of rows that the form states for each answer."""
    page = browser.get(f"/data/filter?question={question}")
    boxes = re.findall(r'name="answer" value="([^"]*)".*?<small>(\d+)</small>', page)
    return {key: int(n) for key, n in boxes}, re.findall(r'name="without".*?<small>(\d+)</small>', page)


def test_only_rows_with_an_answer_are_kept_and_those_without_one_are_not(browser, folder, survey):
    # Four of six answer about milk: No, Yes, Yes and No; two cells are empty.
    (folder / "answers.csv").write_text(
        "milk,why\nNo,It is good\nYes,Too loud for me\nYes,I like it\nNo,Hard to say\n,Fine\n,Good\n"
    )
    assert answers_offered(browser, "milk") == ({"No": 2, "Yes": 2}, ["2"])
    page = browser.get("/data/filter?question=milk&mode=keep&answer=Yes")
    assert "<b>2</b> of 6 rows stay, 4 are left out." in page
    assert "Rows without an answer are left out: 2" in page
    browser.change("/data/filter", filter_form(browser, "milk") | {"answer": ["Yes"], "mode": "keep"})
    assert survey().where == "milk IN ('Yes')"
    page = browser.get("/data")
    assert ">2 rows<" in page
    assert "Remove this condition" in page


def test_rows_with_an_answer_are_left_out_and_those_without_one_stay(browser, folder, survey):
    (folder / "answers.csv").write_text("milk,why\nNo,It is good\nYes,Too loud for me\n,Fine\n")
    page = browser.get("/data/filter?question=milk&mode=leave&answer=No")
    assert "<b>2</b> of 3 rows stay, 1 is left out." in page
    assert "Rows without an answer stay: 1" in page
    browser.change("/data/filter", filter_form(browser, "milk") | {"answer": ["No"], "mode": "leave"})
    assert (survey().leave_out, survey().where) == ({"milk": ("No",)}, "")
    page = browser.get("/data")
    assert ">2 rows<" in page
    browser.change("/data/restore", {"column": "milk", "version": filter_form(browser, "milk")["version"]})
    assert survey().leave_out == {}


def test_rows_are_used_again_if_a_filter_leaves_none_in_the_next_file(browser, folder, survey):
    form = filter_form(browser, "milk") | {"answer": ["Yes"], "mode": "leave", "without": ""}
    browser.change("/data/filter", {name: value for name, value in form.items() if value})
    (folder / "answers.csv").write_text("milk,why\nYes,Too loud for me\nYes,Fine\n")
    refused = browser.answer("/data")
    assert "no rows are left" in refused.text
    start = refused.text.index('action="/data/restore"')
    restore = fields_in(refused.text[start : refused.text.index("</form>", start)])
    assert ">2 rows<" in browser.change("/data/restore", restore)
    assert survey().leave_out == {}


def test_rows_without_an_answer_are_kept_or_left_out_if_that_is_ticked(browser, folder, survey):
    (folder / "answers.csv").write_text("milk,why\nNo,It is good\nYes,Too loud for me\n,Fine\n")
    form = filter_form(browser, "milk") | {"answer": ["Yes"], "mode": "keep", "without": "true"}
    browser.change("/data/filter", form)
    assert ">2 rows<" in browser.get("/data")
    form = filter_form(browser, "milk") | {"mode": "leave", "without": "true"}
    browser.change("/data/filter", form)
    assert survey().where == "(milk IN ('Yes') OR milk IS NULL) AND (milk IS NOT NULL)"
    assert ">1 rows<" in browser.get("/data") or ">1 row<" in browser.get("/data")


def test_codes_for_no_answer_count_as_rows_without_one(browser):
    # 99 is a code: five rows have an answer.
    assert answers_offered(browser, "satisfaction") == ({"1": 1, "2": 2, "3": 2}, ["1"])
    page = browser.get("/data/filter?question=satisfaction&mode=keep&answer=3&answer=2&without=true")
    assert "<b>5</b> of 6 rows stay" in page


def test_values_that_a_description_writes_in_another_way_are_left_out(browser, folder, survey):
    (folder / "answers.csv").write_text("score,why\n1.0,It is good\n2.5,Too loud for me\n,Fine\n")
    browser.change("/data/filter", filter_form(browser, "score") | {"answer": ["1"], "mode": "leave"})
    assert survey().where == "score IS NULL OR score NOT IN ('1.0')"
    assert ">2 rows<" in browser.get("/data")


def test_options_of_a_multiple_choice_filter_by_their_columns(browser, folder, survey):
    rows = ["Buffet,,It is good", ",Bar,Too loud for me", "Buffet,Bar,I like it", ",,Hard to say"]
    (folder / "answers.csv").write_text("\n".join(["buffet,bar,why", *rows]) + "\n")
    browser.change("/data/join", {"join": versions(browser, "buffet", "bar"), "kind": "multiple"})
    (joined,) = [question for question in survey().questions if question.kind == "multiple"]
    form = filter_form(browser, joined.name) | {"answer": ["buffet", "bar"]}
    browser.change("/data/filter", form | {"mode": "keep"})
    assert survey().where == "buffet IN ('Buffet') OR bar IN ('Bar')"
    assert ">3 rows<" in browser.get("/data")
    form = filter_form(browser, joined.name) | {"answer": ["bar"], "mode": "leave"}
    browser.change("/data/filter", form)
    assert survey().leave_out == {"bar": ("Bar",)}
    assert ">1 row<" in browser.get("/data")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "choose at least one answer"),
        ({"answer": "elsewhere"}, "must be an answer to"),
        ({"question": "nobody", "answer": "1"}, "nobody"),
        ({"question": "respondent", "answer": "1"}, "must have answers to filter by"),
        ({"answer": ["DE", "AT", "<script>alert(1)</script> & more"], "mode": "leave"}, "no rows are left"),
    ],
)
def test_a_filter_that_leaves_no_rows_or_names_no_answer_is_refused(browser, folder, fields, reason):
    answer = browser.post("/data/filter", filter_form(browser, "country") | fields)
    assert answer.status_code == 422
    assert reason in message_in(answer)
    assert not (folder / "survey.yaml").exists()


@pytest.mark.parametrize(
    ("table", "fields"),
    [
        (
            "ResponseId,Finished,Q1\nResponse ID,Finished,Why?\n"
            '"{""ImportId"":""_recordId""}","{""ImportId"":""finished""}","{""ImportId"":""QID1""}"\n'
            "R_1,True,It is good\nR_2,False,Too loud for me\nR_3,True,Fine\n",
            {"leave_out": {"Finished": ("False",)}},
        ),
        (
            "id,submitdate,lastpage,startlanguage,why\n1,2026-01-02 10:00:00,3,en,Good\n2,,1,en,Bad\n"
            "3,2026-01-03 10:00:00,3,en,Fine\n",
            {"where": "submitdate IS NOT NULL"},
        ),
    ],
)
def test_unfinished_interviews_are_left_out_by_one_button(browser, folder, survey, table, fields):
    (folder / "answers.csv").write_text(table)
    page = browser.get("/data")
    assert page.count("Leave them out") == 1
    form = page[page.rindex("<form", 0, page.index("Leave them out")) : page.index("Leave them out")]
    browser.change("/data/filter", fields_in(form))
    assert {name: getattr(survey(), name) for name in fields} == fields
    page = browser.get("/data")
    assert ">2 rows<" in page
    assert "Leave them out" not in page
    start = page.index('action="/data/undo"')
    browser.change("/data/undo", fields_in(page[start : page.index("</form>", start)]))
    assert ">3 rows<" in browser.get("/data")


def test_names_that_sql_reads_otherwise_are_quoted(browser, folder, survey):
    (folder / "answers.csv").write_text("order,why\nbar,It is good\nshop,Too loud for me\nbar,Fine\n")
    browser.change("/data/filter", filter_form(browser, "order") | {"answer": ["bar"], "mode": "keep"})
    assert survey().where == "\"order\" IN ('bar')"
    assert ">2 rows<" in browser.get("/data")


def test_the_form_lists_the_first_thousand_of_many_questions(browser, folder):
    names = [f"q{n}" for n in range(1_001)]
    rows = (",".join("yes" if (n + row) % 2 else "no" for n in range(1_001)) for row in range(4))
    (folder / "answers.csv").write_text("\n".join([",".join(names), *rows]) + "\n")
    page = browser.get("/data/filter")
    assert page.count('<option value="q') == 1_000
    assert "The list has the first 1,000 questions with up to 40 different answers." in page
