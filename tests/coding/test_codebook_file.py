"""Codebooks from YAML, with the line of what is wrong."""

import pytest

from semscale.coding.codebook_file import load_codebook, parse_codebook
from semscale.errors import InputError

GOOD = """name: phones
codes:
  - name: power
    definition: the battery
    examples: [it died, it lasts]
    negative_examples: [it died on the cross]
  - name: fees
    definition: extra costs
    examples:
      - a fee
    parent: price
  - name: price
    definition: what it costs
    examples: [dear]
"""


def refused(text):
    with pytest.raises(InputError) as found:
        parse_codebook(text.encode(), source="c.yaml")
    return str(found.value)


def test_a_good_file_is_read():
    book = parse_codebook(GOOD.encode(), source="c.yaml")
    assert book.names == ("power", "fees", "price")
    assert book.codes[0].negative_examples == ("it died on the cross",)
    assert book.ancestors("fees") == ("price",)


def test_a_mistyped_key_has_its_line_and_the_nearest_key():
    said = refused(GOOD.replace("examples:\n      - a fee", "exmples:\n      - a fee"))
    assert said == "'c.yaml', line 9: code 'fees': unknown key 'exmples'; did you mean 'examples'?"


def test_a_code_without_examples_has_the_line_of_the_code():
    assert refused(GOOD.replace("    examples: [dear]\n", "")) == (
        "'c.yaml', line 12: code 'price': examples is missing: add it"
    )
    said = refused(GOOD.replace("[dear]", "[]"))
    assert said.startswith("'c.yaml', line 14: code 'price': examples must have at least one entry")


def test_numbers_must_be_quoted():
    assert "line 14: code 'price': examples must be text, in quotes" in refused(GOOD.replace("[dear]", "[5]"))


def test_two_codes_with_one_name_have_the_line_of_the_second():
    said = refused(GOOD.replace("name: price", "name: POWER").replace("parent: price", "parent: power"))
    assert said == "'c.yaml', line 12: codes 'power' and 'POWER' have the same name: rename one"


def test_a_wrong_parent_has_the_line_of_its_code():
    said = refused(GOOD.replace("parent: price", "parent: prices"))
    assert "line 7: code 'fees': there is no code 'prices'" in said
    assert "did you mean 'price'?" in said


@pytest.mark.parametrize(
    "text", ["- a", "just text", "name: b\ncodes: 3\n", "name: b\n", "name: b\ncodes: []\n"]
)
def test_what_is_no_codebook_is_refused_in_one_line(text):
    assert "\n" not in refused(text)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_codebook(tmp_path / "none.yaml")
