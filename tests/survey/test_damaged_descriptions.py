"""Damaged files ``survey.yaml``: a sentence with line and remedy, or a note that the file was not read."""

import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.survey.finding import find_survey
from semscale.survey.survey_file import parse_survey

START = b"survey: 1\nquestions:\n"
DAMAGES = {
    "a list": (b"- a\n", "must hold the keys of the description of a survey"),
    "nothing": (b"", "must hold the keys"),
    "no questions": (b"survey: 1\n", "line 1: questions is missing: add it"),
    "tabs": (START + b"\t- name: q1\n", "line 3: .*indent with blanks, not with tabs"),
    "a key twice": (
        START + b"- name: q\n  kind: open\n  kind: scale\n",
        "line 5: .*'kind' is given twice; leave out",
    ),
    "an unknown kind": (START + b"- {name: q, kind: skale}\n", "line 3: .*did you mean 'scale'"),
    "a mistyped key": (START + b"- {name: q, kind: open, titel: T}\n", "line 3: .*did you mean 'title'"),
    "a value twice": (
        START + b"- {name: q, kind: single, values: [{value: 1}, {value: 1}]}\n",
        "line 3: question 'q' lists value '1' twice: remove one",
    ),
    "plain values": (
        START + b"- {name: q, kind: scale, values: [1, 2]}\n",
        "line 3: question 1, values, 1 must .*; write entries such as {value: 1, label: Very bad}",
    ),
    "plain options": (
        START + b"- {name: q, kind: grid, options: [a]}\n",
        "such as {label: Tea, column: q1_1}",
    ),
    "a plain question": (
        START + b"- q1\n",
        "line 3: question 1 .* got 'q1'; write entries such as {name: q1, kind: scale}",
    ),
    "a name twice": (
        START + b"- {name: q, kind: open}\n- {name: q, kind: open, columns: r}\n",
        "line 4: two questions have the name 'q': rename one",
    ),
    "a shared column": (
        START + b"- {name: q, kind: open}\n- {name: r, kind: open, columns: q}\n",
        "line 4: questions 'q' and 'r' share column 'q': leave it out of one",
    ),
    "an unknown reason": (
        START + b"- {name: q, kind: scale, missing: {99: none}}\n",
        "line 3: .* must be not asked, don't know, refused or no answer, got 'none'",
    ),
    "another encoding": (
        START + "- {name: Größe, kind: open}".encode("latin-1"),
        "line 3: .*save the file as UTF-8",
    ),
    "too much": (START + b"#" * 2_000_000, "at most 2,000,000"),
    "aliases": (
        b"a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
        b"c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
        b"questions: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n",
        "aliases expand to more than 200,000 values",
    ),
    "a tag of Python": (
        b"questions: !!python/object/apply:os.system ['exit 1']\n",
        "line 1: .*tag .*leave out other tags",
    ),
    "an open bracket": (START + b"- {name: q, kind: open\n", "close the bracket"),
    "an odd indent": (START + b"  - name: q\n   kind: open\n", "line 4: .*align the lines"),
    "two documents": (
        START + b"- {name: q, kind: open}\n---\na: 1\n",
        "line 4: .*single document.*leave out the line",
    ),
    "a sign": (START + b"- name: q\n  text: Well: good?\n", "line 4: .*in quotes"),
    "a control character": (START + b"- {name: q\x00, kind: open}\n", "line 3: .*remove the character"),
}


@pytest.mark.parametrize(("content", "message"), DAMAGES.values(), ids=DAMAGES)
def test_damage_is_told_in_a_sentence_with_its_remedy(content, message):
    with pytest.raises(InputError, match=f"survey.yaml.*{message}") as refused:
        parse_survey(content, source="survey.yaml")
    assert "\n" not in str(refused.value)


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    path.write_text("q,r\n1,2\n2,3\n")
    return path


def test_a_folder_and_a_broken_link_beside_the_data_are_noted(answers, tmp_path):
    beside = tmp_path / "survey.yaml"
    beside.mkdir()
    survey, note = find_survey(open_table(answers), str(answers))
    assert survey is None
    assert note == f"{beside} was not read: it is no file"
    beside.rmdir()
    beside.symlink_to("gone.yaml")
    assert find_survey(open_table(answers), str(answers))[1].endswith(
        "it is a link to a file that does not exist"
    )


@pytest.mark.parametrize("content", [b"", b"# to do\n", "survey: 1".encode("utf-16")])
def test_a_file_that_is_no_description_is_noted(answers, tmp_path, content):
    (tmp_path / "survey.yaml").write_bytes(content)
    survey, note = find_survey(open_table(answers), str(answers))
    assert survey is None
    assert "was not read: it has no line 'survey: 1'" in note


@pytest.mark.parametrize("content", ["", "\n"])
def test_an_empty_file_is_written_like_a_new_one(semscale, answers, tmp_path, content):
    (tmp_path / "survey.yaml").write_text(content)
    assert semscale("columns", "answers.csv", "--out", "survey.yaml").code == 0
    assert find_survey(open_table(answers), str(answers))[0].columns == ("q", "r")


@pytest.mark.parametrize("is_stated", [True, False])
def test_a_renamed_question_without_its_column_is_told_its_line(answers, tmp_path, is_stated):
    beside = tmp_path / "survey.yaml"
    beside.write_text(
        "survey: 1\nfile: answers.csv\nquestions:\n- {name: q, kind: scale}\n- {name: Mood, kind: scale}\n"
    )
    message = "survey.yaml', line 5: .*no column 'Mood', which question 'Mood' names; a renamed "
    with pytest.raises(InputError, match=message):
        find_survey(open_table(answers), str(answers), stated=beside if is_stated else None)
