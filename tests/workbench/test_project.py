"""A project is a folder: which file it shows, files that are added, and how they are read."""

import io

import pytest
from tests.workbench.conftest import SURVEY

from semscale.errors import InputError
from semscale.survey.survey_file import read_survey
from semscale.workbench.project import Project


def upload(browser, name, content):
    return browser.post("/data/upload", files={"file": (name, io.BytesIO(content))})


def test_an_empty_folder_asks_for_a_file(browser, folder):
    (folder / "answers.csv").unlink()
    page = browser.get("/data")
    assert "Choose a file" in page
    for name in ("rate", "code", "tables"):
        page = browser.get(f"/{name}")
        assert "Choose a file" in page
        assert "Not done" not in page
    answer = upload(browser, "new.csv", SURVEY.encode())
    assert (answer.status_code, "Too loud for me" in answer.text) == (200, True)
    assert "Too loud for me" in browser.get("/data")


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("../../evil.csv", "evil.csv"),
        ("C:\\data\\evil.csv", "evil.csv"),
        ("..csv", None),
        (".hidden.csv", "hidden.csv"),
        ("<img src=x onerror=alert(1)>.csv", "<img src=x onerror=alert(1)>.csv"),
        ("a\u202eb.csv", "ab.csv"),
        ("program.exe", None),
        ("answers.csv", "answers (2).csv"),
        ("顧" * 120 + ".csv", "顧" * 66 + ".csv"),  # of 3 bytes each
    ],
)
def test_hostile_names_stay_in_the_folder_and_replace_nothing(browser, folder, name, stored):
    answer = upload(browser, name, SURVEY.encode())
    assert {path.name for path in folder.iterdir()} - {"answers.csv"} == ({stored} if stored else set())
    assert not (folder.parent / "evil.csv").exists()
    assert (folder / "answers.csv").read_text() == SURVEY
    assert answer.status_code == (200 if stored else 422)
    assert "<img" not in answer.text


def test_the_row_of_names_is_chosen_by_a_preview_and_written(browser, folder):
    (folder / "titled.csv").write_text("My survey;;\nname;stars;note\nAnna;5;fine\nBert;1;loud\n")
    page = browser.get("/data/file?file=titled.csv&header_row=2")
    assert ">stars</th>" in page
    browser.change("/data/file", {"file": "titled.csv", "header_row": "2", "header": "auto"})
    survey = read_survey(folder / "survey.yaml")
    assert (survey.file, survey.reading.header_row) == ("titled.csv", 2)
    assert "stars" in browser.get("/data")


def test_the_sheets_of_a_workbook_are_listed(browser, folder):
    import xlsxwriter

    with xlsxwriter.Workbook(folder / "book.xlsx") as book:
        for title, cells in (("Read me", ["About"]), ("Answers", ["stars", 5])):
            sheet = book.add_worksheet(title)
            sheet.write_column(0, 0, [*cells, 3])
    page = browser.get("/data/file?file=book.xlsx")
    assert "<option>Answers</option>" in page
    browser.change("/data/file", {"file": "book.xlsx", "sheet": "Answers"})
    assert read_survey(folder / "survey.yaml").reading.sheet == "Answers"


def test_settings_that_a_file_does_not_have_are_refused(browser):
    answer = browser.answer("/data/file?file=answers.csv&sheet=One")
    assert (answer.status_code, "applies to xlsx" in answer.text) == (422, True)
    assert browser.answer("/data/file?file=../answers.csv").status_code == 422


def test_a_broken_file_is_a_sentence(browser, folder):
    (folder / "answers.csv").write_bytes(b"\x00\x01\x02" * 50)
    answer = browser.answer("/data")
    assert answer.status_code == 422
    assert "answers.csv" in answer.text


def test_the_next_wave_keeps_the_description(browser, folder):
    browser.change("/data/question", browser.form("country") | {"title": "Home"})
    upload(browser, "second.csv", SURVEY.replace("age", "age,income").replace(",30\n", ",30,1\n").encode())
    (folder / "second.csv").write_text("respondent,country,why,income\n9,FR,Very nice of you,100\n")
    browser.change("/data/file", {"file": "second.csv"})
    page = browser.get("/data")
    assert "Home" in page
    assert "the file lacks" in page
    browser.change("/data/question", browser.form("income") | {"title": "Income"})
    survey = read_survey(folder / "survey.yaml")
    assert survey.question("country").title == "Home"
    assert survey.file == "second.csv"


def test_a_file_opens_its_folder_and_a_missing_path_is_named(folder):
    project = Project.open(folder / "answers.csv")
    assert (project.folder, project.chosen) == (folder, "answers.csv")
    with pytest.raises(InputError, match="does not exist"):
        Project.open(folder / "gone.csv")


def test_several_files_are_a_choice(folder, browser):
    (folder / "more.csv").write_text(SURVEY)
    page = browser.get("/data")
    assert page.count("/data/file?file=") == 2


def test_a_file_is_not_read_as_the_description_states_of_another(folder):
    from tests.workbench.conftest import Browser, app_of

    (folder / "survey.yaml").write_text(
        "survey: 1\nfile: first.csv\nreading: {header_row: 3}\nquestions:\n- {name: country, kind: single}\n"
    )
    browser = Browser(app_of(Project.open(folder / "answers.csv")))
    assert "6 rows" in browser.get("/data")


def test_the_next_wave_is_read_as_the_description_reads_its_own_file(browser, folder):
    title = "My survey;;\nexported;;\n"
    (folder / "may.csv").write_text(f"{title}name;stars;note\nAnna;5;fine\nBert;1;loud\n")
    (folder / "june.csv").write_text(f"{title}name;stars;note;extra\nCarl;4;good;1\nDora;2;bad;2\n")
    browser.change("/data/file", {"file": "may.csv", "header_row": "3"})
    browser.change("/data/question", browser.form("stars") | {"title": "Stars"})
    page = browser.get("/data/file?file=may.csv")
    assert "describes each column of this file: everything is set" in page
    page = browser.get("/data/file?file=june.csv")
    assert 'name="header_row" value="3"' in page
    assert "describes this file, except 1 new column (<bdi>extra</bdi>)" in page
    assert "describes none of these columns" in browser.get("/data/file?file=answers.csv")
    browser.change("/data/file", {"file": "june.csv", "header_row": "3"})
    assert "<bdi>Stars</bdi>" in browser.get("/data")


def test_notes_name_files_without_their_folders(browser, folder):
    (folder / "answers.csv").write_bytes("name,note\nAnna,schön\n".encode("cp1252"))
    assert "<bdi>answers.csv is read as cp1252, because byte 0xf6" in browser.get("/data")
    assert " answers.csv is read as cp1252, because" in browser.get("/data/file?file=answers.csv")


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (["answers.csv"], "/data"),
        (["answers.csv", "results"], "/start"),
        (["semscale-history.sqlite"], "/start"),
        (["answers.csv", "results", "survey.yaml"], "/data"),
    ],
)
def test_a_folder_with_other_work_than_a_survey_begins_with_the_jobs(tmp_path, names, first):
    for name in names:
        (tmp_path / name).touch()
    assert Project.open(tmp_path).first_page == first


def test_a_chosen_file_is_shown_first(folder):
    (folder / "results").mkdir()
    assert Project.open(folder / "answers.csv").first_page == "/data"
