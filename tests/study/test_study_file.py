"""Writing the file of a study changes what is to be changed, and leaves everything else as it is written."""

import pytest
import yaml

from semscale.errors import InputError
from semscale.study.study_file import new_study, study_text

FILE = """# my study
name: bars

# a model that reasons
model:
  - {name: one}   # the first
  - name: two
panel: {size: 4, marginals: {age: {"18": 0.5, "19": 0.5}}}
persona: |
  You are {age}.
  # no comment, but a line of the prompt
concepts:
  - name: oat     # sweet
    text: "Oats"
  - name: nut
    text: Nuts
    # images: [nut.png]

# asked
questions:
- {name: intent, scale: purchase-intent, methods: [ssr]}
"""


def keys(text=FILE):
    return yaml.safe_load(text)


def written(**changes):
    fields = {name: value for name, value in (keys() | changes).items() if value is not None}
    text = study_text(fields, FILE.encode(), source="study.yaml")
    assert keys(text) == fields
    return text


def test_equal_keys_leave_every_byte():
    assert written() == FILE


def test_only_the_changed_section_is_written_anew():
    assert written(name="a: b") == FILE.replace("name: bars", 'name: "a: b"')


def test_an_entry_is_added_after_the_last_one_and_before_the_comments_of_the_next_section():
    text = written(concepts=[*keys()["concepts"], {"name": "rye", "text": "Rye\nbread"}])
    assert text == FILE.replace(
        "    text: Nuts\n",
        "    text: Nuts\n  - name: rye\n    text: |-\n      Rye\n      bread\n",
    )


def test_an_entry_is_removed_with_its_comments_alone():
    text = written(concepts=keys()["concepts"][1:])
    assert text == FILE.replace('  - name: oat     # sweet\n    text: "Oats"\n', "")


def test_keys_are_added_and_removed():
    text = written(samples=2, budget={"max_cost": 1.5}, panel=None)
    assert text.endswith("samples: 2\nbudget: {max_cost: 1.5}\n")
    assert "panel" not in text


def test_texts_that_yaml_reads_as_something_else_are_quoted():
    text = written(panel={"size": 2, "marginals": {"No": {"Yes": 0.5, "1": 0.5}}}, groups=["No"])
    assert '"No": {"Yes": 0.5, "1": 0.5}' in text
    assert 'groups: ["No"]' in text


def test_a_prompt_with_a_line_like_a_comment_is_changed_as_a_whole():
    text = written(persona="You are {age}.\nYou are a person.")
    assert "no comment" not in text


@pytest.mark.parametrize("content", [b"a: [1", b"[1]"])
def test_a_file_that_is_no_mapping_is_refused(content):
    with pytest.raises(InputError, match=r"study\.yaml"):
        study_text({"a": 1}, content, source="study.yaml")


def test_a_new_study_names_its_file_and_has_the_name():
    text = new_study("tea.yaml", "No: tea")
    assert keys(text)["name"] == "No: tea"
    assert "semscale study run tea.yaml" in text
    assert keys(new_study("tea.yaml"))["name"] == "snack bars"
