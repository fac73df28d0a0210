"""Studies in YAML files, and what is wrong with them, with the line."""

import re
from pathlib import Path

import pytest

from semscale.errors import InputError
from semscale.study import load
from semscale.study.questionnaire import (
    TYPES,
    Caps,
    ConceptKeys,
    ModelChoice,
    PanelKeys,
    QuestionKeys,
    StudyKeys,
)

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 8
DRAWN = """panel:
  size: 4
  marginals:
    name: {Ann: 0.5, Bob: 0.5}
    age: {30: 0.5, "60": 0.5}"""


def test_a_file_is_read_as_it_is_written(written, tmp_path):
    study = written()
    asked = study.design.questionnaire
    assert repr(study) == "Study('bars', personas=3, concepts=2, questions=1)"
    assert [concept.name for concept in asked.concepts] == ["oat", "nut"]
    assert (asked.questions[0].scale.name, asked.questions[0].methods) == (
        "purchase-intent",
        ("ssr", "flr", "dlr"),
    )
    assert (asked.samples, asked.exposure, study.design.seed) == (1, "separate", 1)
    assert study.design.panel.ids == ("ann", "bob", "cid")
    # 3 personas, 2 concepts, 3 methods.
    assert study.design.n_answers == 18


def test_question_without_text_uses_the_text_of_its_scale(written):
    study = written(('text: "Would you buy it?", ', ""))
    question = study.design.questionnaire.questions[0]
    assert question.text == question.scale.question


def test_a_model_may_be_a_name_alone(written):
    study = written(("model: {name: local, temperature: 0.5, max_tokens: 40}", "model: other"))
    assert (study.design.models[0].name, study.design.models[0].max_tokens) == ("other", 200)


def test_several_models_stand_in_a_list(written):
    study = written(
        (
            "model: {name: local, temperature: 0.5, max_tokens: 40}",
            "model: [one, {name: two, temperature: 0}]",
        )
    )
    assert [(item.name, item.temperature) for item in study.design.models] == [("one", None), ("two", 0)]
    # 3 personas, 2 concepts, 3 methods, 2 models.
    assert study.design.n_answers == 36


@pytest.mark.parametrize(
    ("models", "stated"),
    [
        ("model:\n  - one\n  - two\n  - one", "line 7: model 'one' is named twice"),
        ("model: []", "line 4: model must have at least 1 entry, got"),
        ("model: [one, 3]", "line 4: model 2 must be a mapping with its keys, or a name, got 3"),
        (
            "model: [one, {name: two, temperature: -1}]",
            "line 4: model 2, temperature must be >= 0",
        ),
        ("model:\n  - one\n  - name: two\n    temprature: 1", "line 7: unknown key 'temprature' in model"),
        ("model:\n  name: one\n  temprature: 1", "line 6: unknown key 'temprature' in model"),
    ],
)
def test_a_wrong_list_of_models_is_refused_with_its_line(written, models, stated):
    with pytest.raises(InputError, match=stated):
        written(("model: {name: local, temperature: 0.5, max_tokens: 40}", models))


def test_images_are_read_beside_the_file(written, tmp_path):
    (tmp_path / "bar.png").write_bytes(PNG)
    study = written(("{name: oat, text: A bar of oats.}", "{name: oat, images: [bar.png]}"))
    (image,) = study.design.questionnaire.concepts[0].images
    assert image.url.startswith("data:image/png;base64,")


def test_custom_scale_is_read_from_the_study_folder(written, tmp_path):
    (tmp_path / "own.yaml").write_text(
        "name: own\ntitle: Own\nquestion: Well?\nprovenance: a test\n"
        "points: [{value: 1, label: bad}, {value: 2, label: good}]\nanchor_sets: {plain: [Bad., Good.]}\n"
    )
    study = written(("purchase-intent", "own.yaml"))
    assert study.design.questionnaire.questions[0].scale.labels == ("bad", "good")


# Line 2 of the file is its name, as it begins with a line break.
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: bars", "nmae: bars", r"line 2: unknown key 'nmae'; did you mean 'name'\?"),
        ("text: A bar of nuts.", "txt: A bar.", "line 9: unknown key 'txt' in concepts; did you mean 'text'"),
        ("max_tokens", "max_token", r"line 4: unknown key 'max_token' in model; did you mean 'max_tokens'\?"),
        ("seed: 1", "seed: -1", r"line 3: seed"),
        ("name: nut", "name: oat", "line 9: concept 2 has the same name as concept 1"),
        ("A bar of nuts.", "A bar of oats.", "line 9: concept 2 has the same text and images as concept 1"),
        ("text: A bar of nuts.", "text: ''", "line 9: concept 'nut' needs a text or images"),
        ("text: A bar of nuts.", "images: [no.png]", r"line 9: image '.*no\.png' cannot be read"),
        ("purchase-intent", "purchse-intent", "line 11: unknown scale .*: did you mean 'purchase-intent'"),
        ("[ssr, flr, dlr]", "[ssr, sdr]", "line 11: question 1, methods, 2"),
        ("[ssr, flr, dlr]", "[ssr, ssr]", "line 11: method 'ssr' is named twice"),
        ("[ssr, flr, dlr]", "[]", "line 11: question 1, methods"),
        ("{age}", "{agee}", r"line 6: persona: .*people\.csv\) has no column 'agee'; did you mean 'age'\?"),
        ("You are {name}, {age} years old.", "You are old.", "line 6: persona names no column"),
        ("groups: [age]", "groups: [aeg]", "line 12: unknown attribute .* 'aeg': did you mean 'age'"),
        ("people.csv", "nobody.csv", r"line 5: .*nobody\.csv does not exist"),
        ("file: people.csv", "size: 5", "line 5: a drawn panel needs marginals, joint, or both"),
        ("file: people.csv", "file: people.csv, size: 5", "line 5: panel needs file, or size .*; got both"),
        ("file: people.csv", "id: persona", "line 5: panel needs file, or size .*; got neither"),
        ("groups: [age]", "groups: [age, age]", "line 12: group 'age' is named twice"),
        ("groups: [age]", "samples: true", "line 12: samples must be a whole number, got True"),
        ("file: people.csv", 'size: "6"', "line 5: panel, size must be a whole number, got '6'"),
        (
            "file: people.csv",
            "size: 6, marginals: {age: {old: true, young: 0}}",
            "line 5: panel, marginals, age, old.* got True",
        ),
        (
            "file: people.csv",
            "size: 6, marginals: {age: {18: 1}}",
            "line 5: panel, marginals, age, the key 18 must be text, in quotes",
        ),
        ("file: people.csv", "file: people.csv, joint: [{age: a, share: 1}]", "line 5: joint belongs to"),
        (
            "file: people.csv",
            "file: people.csv, marginals: {ages: {a: 1}}",
            "line 5: unknown attribute of the panel 'ages': did you mean 'age'",
        ),
        (
            "file: people.csv",
            'file: people.csv, marginals: {age: {"30": 0.5, "60": 0.2}}',
            "line 5: the shares of margin 'age' must sum to 1",
        ),
        (
            "file: people.csv",
            'file: people.csv, marginals: {age: {"30": 1}}',
            "line 5: margin 'age' has no share for '60', which .*people.csv has in row 2",
        ),
    ],
)  # fmt: skip
def test_mistakes_are_named_with_their_line(written, old, new, message):
    with pytest.raises(InputError, match=message) as caught:
        written((old, new))
    assert str(caught.value).startswith("'study.yaml', line ")
    assert "\n" not in str(caught.value)


def test_a_persona_without_a_needed_field_is_named(written):
    with pytest.raises(InputError, match=r"row 2: persona 'bob' has no 'age', which the study needs"):
        written(people="persona,name,age\nann,Ann,30\nbob,Bob,\n")


def test_a_level_that_reads_like_a_number_must_be_quoted(written):
    with pytest.raises(InputError, match="must be text, in quotes"):
        written(("panel: {file: people.csv}", DRAWN))


def test_margins_that_cannot_be_met_are_named(written):
    joint = """panel:
  size: 4
  joint:
    - {name: Ann, age: "30", share: 0.5}
    - {name: Bob, age: "30", share: 0.5}
  marginals:
    age: {"30": 0.5, "60": 0.5}"""
    with pytest.raises(
        InputError, match="line 10: margin 'age' cannot be met: '60' should have 0.5 of the panel"
    ):
        written(("panel: {file: people.csv}", joint))


def test_a_drawn_panel(written):
    study = written(("panel: {file: people.csv}", DRAWN.replace("30:", '"30":')))
    assert sorted(study.design.panel.fields["age"]) == ["30", "30", "60", "60"]


def test_a_decision_takes_ten_points_at_most(written):
    with pytest.raises(
        InputError, match="line 11: decisions take 2 to 10 levels, and the scale 'recommendation'"
    ):
        written(("purchase-intent", "recommendation"), ("[ssr, flr, dlr]", "[decision]"))


def test_a_file_that_is_no_study(written, tmp_path):
    with pytest.raises(InputError, match="must hold the keys of a study"):
        written(text="- 1")
    with pytest.raises(InputError, match="study file '.*none.yaml' cannot be read: No such file"):
        load(tmp_path / "none.yaml")


def test_an_attribute_with_too_many_values_makes_no_groups(written):
    people = "persona,name,age\n" + "".join(f"p{n},N,{n}\n" for n in range(1001))
    with pytest.raises(InputError, match="line 12: 'age' has 1,001 values, and 1,000 groups are the most"):
        written(people=people)


def test_the_docs_list_every_key():
    text = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    parts = (StudyKeys, ConceptKeys, QuestionKeys, PanelKeys, ModelChoice, Caps)
    keys = {name for model in parts for name in model.model_fields}
    assert {name for name in keys if name not in text} == set()
    assert {name for name in TYPES if f"`{name}`" not in text} == set()


def test_documented_panel_is_valid(written):
    text = (Path(__file__).parents[2] / "docs" / "studies.md").read_text(encoding="utf-8")
    panel = re.search(r"```yaml\n(panel:.*?)```", text, re.DOTALL)[1]
    study = written(
        ("panel: {file: people.csv}\n", panel),
        ("{name}, {age} years old", "a {sex} from the {region}"),
    )
    assert len(study.design.panel) == 300
    # 40 % of 300, and 16 % of 300 women of 18 to 34.
    assert study.design.panel.fields["region"].count("north") == 120
    people = list(zip(study.design.panel.fields["sex"], study.design.panel.fields["age"], strict=True))
    assert people.count(("woman", "18-34")) == 48
