"""The file ``survey.yaml``: what is read, and what stays when it is written anew."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from semscale.errors import InputError
from semscale.survey.description import Option, Question, Survey, Value
from semscale.survey.survey_file import parse_survey, read_survey, replace_entry, survey_text, write_survey
from semscale.survey.updating import update_survey

PUBLISHED = json.loads(
    (Path(__file__).parents[2] / "docs" / "schema" / "survey-1.json").read_text(encoding="utf-8")
)
DRINKS = Question(
    name="Q1",
    kind="multiple",
    text="Which drinks?",
    options=[Option(label="Tea", column="Q1_1"), Option(label="Other", column="Q1_9", is_text=True)],
    chosen=["Yes", 1.0],
    not_chosen=["No", ""],
    missing={"N/A": "not asked"},
    nets={"Hot": ["Tea"]},
    source="inferred",
    reason="cells say whether the option was chosen",
)
SATISFACTION = Question(
    name="sat", kind="scale", values=[Value(value="1", label="bad"), Value(value="2", label="good")]
)
CHOICE = "name: a, kind: multiple, options: [{label: t, column: c}]"
SURVEY = Survey(
    file="a.csv",
    export="LimeSurvey",
    leave_out={"status": ["test", 2.0]},
    questions=[DRINKS, SATISFACTION],
)


def test_what_was_written_is_read_back():
    assert parse_survey(survey_text(SURVEY).encode(), source="s") == SURVEY


@pytest.mark.parametrize("name", ["Q1", "sat"])
def test_only_the_changed_question_is_written_as_the_whole_file_would_be(name):
    text = "# head\n" + survey_text(SURVEY).replace("kind: scale", "kind: scale  # mine")
    text = text.replace("  - name: sat", "\n  # about it\n  - name: sat") + "  # the end\nwhere: a > 1\n"
    before = parse_survey(text.encode(), source="s")
    changed = [
        entry.model_copy(update={"title": "Short", "text": "a: b # c"}) if entry.name == name else entry
        for entry in before.questions
    ]
    after = before.with_fields(questions=changed)
    written, read = replace_entry(text.encode(), before, after)
    assert parse_survey(written, source="s") == read == after
    assert written.decode() == survey_text(after, text.encode())
    assert "# mine" in written.decode()


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("questions:\n- {name: a, kind: open}\n- {name: b, kind: open}\n", {"name": "c"}),
        ("questions:\n- &x {name: a, kind: open}\n- {name: b, kind: open}\n", {"title": "c"}),
        ("questions: [{name: a, kind: open}, {name: b, kind: open}]\n", {"title": "c"}),
        ("questions:\n- {name: a, kind: open}\n- name: b\n  kind: open\n  text: 'x\n- y'\n", {"title": "c"}),
    ],
    ids=["name", "anchor", "one line", "text that looks like an entry"],
)
def test_a_file_in_another_form_is_written_as_a_whole(text, change):
    before = parse_survey(text.encode(), source="s")
    first, *others = before.questions
    after = before.with_fields(questions=[first.model_copy(update=change), *others])
    assert replace_entry(text.encode(), before, after) is None


def test_more_than_one_change_is_written_as_a_whole():
    before = parse_survey(survey_text(SURVEY).encode(), source="s")
    changed = [entry.model_copy(update={"title": "x"}) for entry in before.questions]
    content = survey_text(SURVEY).encode()
    assert replace_entry(content, before, before.with_fields(questions=changed)) is None
    assert replace_entry(content, before, before.with_fields(questions=changed[:1])) is None
    first = before.with_fields(questions=[changed[0], before.questions[1]])
    assert replace_entry(content, before, first) is not None
    assert replace_entry(content, before, first.with_fields(where="a > 1")) is None


@pytest.mark.parametrize("entry", ["- {name: %s, kind: single}\n", "- name: %s\n  kind: single\n"])
def test_a_list_of_questions_without_indent_is_not_given_an_entry_with_one(entry):
    text = "survey: 1\nquestions:\n" + "".join(entry % name for name in "abc")
    before = parse_survey(text.encode(), source="s")
    first, second, third = before.questions
    after = before.with_fields(questions=[first, second.model_copy(update={"title": "x"}), third])
    replaced = replace_entry(text.encode(), before, after)
    written = survey_text(after, text.encode()).encode() if replaced is None else replaced[0]
    assert [question.title for question in parse_survey(written, source="s").questions] == ["", "x", ""]


def test_values_are_texts_as_they_are_written():
    content = (
        b"questions:\n- {name: q, kind: multiple, options: [{label: a, column: b}], "
        b"chosen: [Yes, 01, 1.0], not_chosen: [No]}"
    )
    question = parse_survey(content, source="s").questions[0]
    assert (question.chosen, question.not_chosen) == (("Yes", "01", "1"), ("No",))


def test_comments_and_entries_of_a_user_stay():
    text = survey_text(SURVEY)
    text = text.replace("kind: scale", "kind: scale  # mine").replace(
        "  - name: sat", "  # about it\n  - name: sat"
    )
    known = parse_survey(text.encode(), source="s")
    more = known.model_copy(
        update={
            "questions": (
                known.questions[0].model_copy(update={"title": "Drinks"}),
                known.questions[1],
                Question(name="why", kind="open"),
            )
        }
    )
    written = survey_text(more, text.encode())
    assert parse_survey(written.encode(), source="s") == more
    assert "kind: scale  # mine" in written
    assert "# about it" in written
    before, after = text.splitlines(), written.splitlines()
    assert set(before) <= set(after)


def test_a_file_is_written_and_read(tmp_path):
    path = tmp_path / "survey.yaml"
    write_survey(SURVEY, path)
    first = path.read_bytes()
    write_survey(SURVEY, path)
    assert path.read_bytes() == first
    assert read_survey(path) == SURVEY


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a", "must hold the keys of the description of a survey"),
        ("questions:\n- {name: q, kind: singel}", "line 2: question 1, kind must be open"),
        ("questions:\n- {name: q, knd: single}", "line 2: unknown key 'knd'"),
        ("questions:\n- {name: q, kind: open}\n- {name: q, kind: open}", "two questions have the name 'q'"),
        (
            "questions:\n- {name: a, kind: open, columns: [x]}\n- {name: b, kind: open, columns: [x]}",
            "questions 'a' and 'b' share column 'x'",
        ),
        (
            f"questions:\n- {{{CHOICE}, chosen: [1], not_chosen: [1]}}",
            "mark '1' cannot be chosen and not chosen",
        ),
        (
            f"questions:\n- {{{CHOICE}, chosen: [1], missing: [1]}}",
            "'1' cannot be a mark and a code for no answer",
        ),
        (
            "questions:\n- {name: a, kind: scale, values: [{value: 1}], nets: {good: [2]}}",
            "net 'good' names '2', which is none of its answers",
        ),
        ("questions:\n- {name: a, kind: scale, options: [{label: t}]}", "which has no options: list values"),
    ],
)
def test_mistakes_are_named_with_their_line(text, message):
    with pytest.raises(InputError) as error:
        parse_survey(text.encode(), source="s.yaml")
    assert message in str(error.value)
    assert "s.yaml" in str(error.value)


def question(fields):
    return f"questions:\n- {{name: q, {fields}}}\n"


ACCEPTED = [
    "survey: 1\nfile: 3\nexport:\nquestions: []\n",
    "survey: '1'\nquestions:\n- {name: 1, kind: open, columns: Q4, title: 5, text: , missing: [n/a, 99]}\n",
    question("kind: open, missing: 99, columns: , reason: "),
    question("kind: open, missing: , from: user, confidence: low"),
    question("kind: scale, columns: [1, b], missing: {99: refused, 98: , N/A: ''}"),
    question("kind: scale, values: [{value: 1, label: 5, score: 2}, {value: 2.0, score: '-1.5e1'}]"),
    question("kind: scale, values: [{value: Yes, score: , missing: }, {value: No, missing: don't know}]"),
    question("kind: single, values: [{value: 1}], nets: {2: [1], Few: []}"),
    question("kind: multiple, columns: [a, b], chosen: Yes, not_chosen: [No, 2, '']"),
    question("kind: multiple, options: [{label: a, column: x, chosen: [1], exclusive: yes, text: 0}]"),
    question("kind: multiple, columns: x, separator: ;, options: [{label: a, value: 1.0, column: }]"),
]
REFUSED = [
    "questions:\n",
    "survey: 1\n",
    "survey: 2\nquestions: []\n",
    "survey: one\nquestions: []\n",
    "extra: 1\nquestions: []\n",
    "questions: {q: open}\n",
    "questions:\n- {name: q}\n",
    "questions:\n- {kind: open}\n",
    "questions:\n- {name: '', kind: open}\n",
    question("kind: opened"),
    question("kind: open, source: user"),
    question("kind: open, confidence: sure"),
    question("kind: open, columns: {a: b}"),
    question("kind: open, title: [a]"),
    question("kind: open, missing: {99: odd}"),
    question("kind: scale, values: [1, 2]"),
    question("kind: scale, values: {1: Low}"),
    question("kind: scale, values: [{label: Low}]"),
    question("kind: scale, values: [{value: 1, score: high}]"),
    question("kind: scale, values: [{value: 1, score: nan}]"),
    question("kind: scale, values: [{value: 1, missing: odd}]"),
    question("kind: single, values: [{value: 1}], nets: {N: 1}"),
    question("kind: multiple, chosen: {1: Yes}"),
    question("kind: multiple, options: [Tea]"),
    question("kind: multiple, options: [{column: x}]"),
    question("kind: multiple, options: [{label: a, exclusive: perhaps}]"),
    question("kind: multiple, options: [{label: a, is_text: true}]"),
]


@pytest.mark.parametrize(
    ("text", "is_accepted"), [*((text, True) for text in ACCEPTED), *((text, False) for text in REFUSED)]
)
def test_the_reader_and_the_published_schema_accept_the_same_files(text, is_accepted):
    content = json.loads(json.dumps(YAML(typ="safe").load(text)))
    assert Draft202012Validator(PUBLISHED).is_valid(content) == is_accepted
    if is_accepted:
        parse_survey(text.encode(), source="s")
    else:
        with pytest.raises(InputError):
            parse_survey(text.encode(), source="s")


def test_an_empty_key_states_nothing():
    entry = parse_survey(question("kind: multiple, columns: , chosen: , not_chosen: ").encode(), source="s")
    assert (entry.question("q").columns, entry.question("q").chosen, entry.question("q").not_chosen) == (
        (), (), (),
    )  # fmt: skip
    stated = parse_survey(question('kind: multiple, columns: [a, b], not_chosen: [""]').encode(), source="s")
    assert stated.question("q").not_chosen == ("",)


@pytest.mark.parametrize(
    "fields",
    ["kind: open, columns: [a, a]", "kind: grid, options: [{label: s, column: a}, {label: t, column: a}]"],
)
def test_a_column_that_is_named_twice_is_refused(fields):
    with pytest.raises(InputError, match="question 'q' names column 'a' twice"):
        parse_survey(question(fields).encode(), source="s")
    both = question("kind: grid, columns: [a, b], options: [{label: s, column: a}, {label: t, column: b}]")
    assert parse_survey(both.encode(), source="s").columns == ("a", "b")


def test_an_unknown_key_lists_the_keys_of_the_file():
    with pytest.raises(InputError, match="did you mean 'text'.*known: label, column, value, chosen, exclus"):
        parse_survey(question("kind: multiple, options: [{label: a, txt: true}]").encode(), source="s")


def test_the_published_schema_is_that_of_the_classes():
    schema = Survey.model_json_schema(by_alias=True)
    assert {key: PUBLISHED[key] for key in schema if key != "title"} == {
        key: value for key, value in schema.items() if key != "title"
    }


def test_rows_that_a_user_takes_back_stay_respondents():
    # The file has previews, and the user has deleted the line that leaves them out.
    inferred = Survey(
        leave_out={"Status": ["Survey Preview"]}, questions=[Question(name="Status", kind="ignore")]
    )
    known = Survey(questions=[SATISFACTION])
    assert update_survey(known, inferred).survey.leave_out == {}
    gone = Survey(leave_out={"Gone": ["x"]}, questions=[SATISFACTION])
    assert update_survey(gone, inferred).survey.leave_out == {"Gone": ("x",)}
    assert update_survey(inferred, inferred).survey.leave_out == {"Status": ("Survey Preview",)}


def test_a_value_that_the_user_lists_twice_is_refused():
    fields = "kind: single, values: [{value: N}, {value: N}]"
    with pytest.raises(InputError, match="question 'q' lists value 'N' twice"):
        parse_survey(question(fields).encode(), source="s")


def question_of(name, column, **fields):
    return Question(name=name, kind="single", columns=(column,), **{"source": "inferred", **fields})


FILE = Survey(
    file="a.csv",
    questions=[question_of(name, name) for name in ("q1", "q2", "q3")] + [Question(name="why", kind="open")],
)


@pytest.mark.parametrize(
    ("renamed", "columns"),
    [
        (Question(name="Sex", kind="single", source="inferred"), ("q2",)),  # it lies between q1 and q3
        (Question(name="Sex", kind="open", source="inferred"), None),  # of another kind, which nobody states
        (Question(name="Sex", kind="open"), ("q2",)),  # the user states it
        (Question(name="Sex", kind="single", columns=["q22"]), ("q2",)),
    ],
)
def test_a_renamed_question_without_its_column_stays_and_is_told_its_column(renamed, columns):
    known = Survey(file="a.csv", questions=[FILE.questions[0], renamed, *FILE.questions[2:]])
    updated = update_survey(known, FILE)
    names = [question.name for question in updated.survey.questions]
    if columns is None:
        assert names == ["q1", "q3", "why", "q2"]
        assert updated.gone == ("Sex",)
        return
    assert updated.survey.questions[1] == renamed
    assert names == ["q1", "Sex", "q3", "why"]
    assert updated.unplaced == {"Sex": columns}
    assert updated.remedies("a.csv")["Sex"].endswith("if it is q2, add ‘columns: q2’")


def test_the_wording_tells_the_column_of_a_renamed_question():
    inferred = Survey(questions=[question_of("a", "a", text="Your sex?"), question_of("b", "b", text="Age?")])
    known = Survey(questions=[Question(name="Years", kind="scale", text="Age?"), inferred.questions[0]])
    assert update_survey(known, inferred).unplaced == {"Years": ("b",)}


def test_without_a_likely_column_the_entry_stays_and_any_column_is_described():
    known = Survey(file="a.csv", questions=[Question(name="Mood", kind="scale")])
    updated = update_survey(known, FILE)
    assert [question.name for question in updated.survey.questions] == ["Mood", "q1", "q2", "q3", "why"]
    assert updated.unplaced == {"Mood": ()}


def test_entries_that_leave_the_description_become_comments():
    text = survey_text(SURVEY).replace("- name: sat", "- name: sat  # mine")
    less = Survey(file="a.csv", export="LimeSurvey", leave_out=SURVEY.leave_out, questions=[DRINKS])
    written = survey_text(less, text.encode())
    assert parse_survey(written.encode(), source="s") == less
    comments = written.partition("# Entries that named columns which the file lacks:\n")[2]
    entry = "\n".join(line[2:] for line in comments.splitlines())
    assert parse_survey(f"questions:\n{entry}".encode(), source="s").questions == (SATISFACTION,)
    assert "# mine" in entry
    again = survey_text(less, written.encode())
    assert again == written


def test_options_of_a_stated_entry_that_leave_it_are_comments():
    stated = DRINKS.model_copy(update={"source": "user", "nets": {}})
    survey = Survey(file="a.csv", questions=[stated])
    updated = update_survey(survey, Survey(file="b.csv", questions=[Question(name="Q1_1", kind="single")]))
    written = survey_text(updated.survey, survey_text(survey).encode())
    assert "#       - {label: Other, column: Q1_9, text: true}" in written
    assert parse_survey(written.encode(), source="s").columns == ("Q1_1",)
