"""Texts written as YAML are read as they were, with signs at which YAML ends a line, too."""

from io import StringIO

import pytest
import yaml
from ruamel.yaml import YAML

from semscale.coding.codebook import parse_codebook
from semscale.coding.codebook_editing import change_code, codebook_text
from semscale.scales.scale import Scale, parse_scale
from semscale.scales.scale_file import scale_text
from semscale.survey.description import Value
from semscale.survey.survey_file import parse_survey, survey_text
from semscale.yaml_writing import escape_line_breaks, text_node, yaml_block

# A file that is misread as Latin-1 has U+0085 where its author typed an ellipsis.
BREAKS = ("and so on\x85", "a\x85b", "\x85", "a\u2028b", "a\u2029", "a\n\x85b", "\x85 1", "a: \x85")


def written(node):
    stream = StringIO()
    YAML().dump({"text": [node]}, stream)
    return stream.getvalue()


@pytest.mark.parametrize("text", [*BREAKS, "No", "1", "null", "a: b", "# c", "two\nlines", "plain", "é"])
def test_a_text_is_read_as_it_was(text):
    assert yaml.safe_load(written(text_node(text))) == {"text": [text]}
    assert yaml.safe_load(yaml_block({"text": [text]})) == {"text": [text]}


@pytest.mark.parametrize("text", [*BREAKS, "No", "1", "plain"])
def test_a_text_is_read_as_it_was_from_a_file_of_texts(text):
    assert yaml.load(written(escape_line_breaks(text)), Loader=yaml.BaseLoader) == {"text": [text]}


@pytest.mark.parametrize("text", BREAKS)
def test_files_of_the_project_hold_line_breaks(text):
    survey = parse_survey(b"questions:\n- {name: q1, kind: open}\n", source="s")
    question = survey.questions[0].model_copy(update={"text": f"Why{text}?"})
    survey = survey.model_copy(update={"questions": (question,)})
    assert parse_survey(survey_text(survey).encode(), source="s") == survey

    points = ({"value": 1, "label": f"No{text}1"}, {"value": 2, "label": "Good"})
    anchors = {"plain": (f"Bad{text}tea.", "Good tea.")}
    scale = Scale(name="t", title="Tea", question="How?", provenance="a", points=points, anchor_sets=anchors)
    assert parse_scale(scale_text(scale).encode(), source="t") == scale

    content = (
        b"name: b\n"
        b"codes:\n"
        b"- {name: a, definition: of a, examples: [a1]}\n"
        b"- {name: b, definition: of b, examples: [b1]}\n"
    )
    book = change_code(parse_codebook(content, source="b"), "a", examples=(f"x{text}x", "a1"))
    for known in (None, content):
        assert parse_codebook(codebook_text(book, known).encode(), source="b") == book


@pytest.mark.parametrize("text", ["Why?", "a?b", "?a", ":a"])
def test_signs_that_name_a_key_between_brackets_are_quoted_there(text):
    content = b"questions:\n- {name: q1, kind: open}\n- {name: q2, kind: scale}\n"
    survey = parse_survey(content, source="s")
    first, second = survey.questions
    first = first.model_copy(update={"text": text, "missing": {text: "not asked"}})
    values = (Value(value="1", label=text), Value(value=text, label="b"))
    second = second.model_copy(update={"values": values})
    survey = survey.with_fields(questions=(first, second))
    for known in (None, content):
        assert parse_survey(survey_text(survey, known).encode(), source="s") == survey
