"""What makes a codebook, and what it refuses."""

import pytest

from semscale.coding.codebook import Code, CodeFrame
from semscale.errors import InputError


def code(name, **changes):
    return Code(
        **{"name": name, "definition": f"about {name}", "examples": (f"an answer on {name}",), **changes}
    )


def test_a_code_without_examples_is_refused():
    with pytest.raises(InputError, match="code 'price' needs at least one example"):
        code("price", examples=())


@pytest.mark.parametrize("name", ["", "none", "None", "price; value"])
def test_names_that_hand_codes_could_not_hold_are_refused(name):
    with pytest.raises(InputError, match="name"):
        code(name)


@pytest.mark.parametrize("name", ["outcome", "Reason", "chat_status"])
def test_names_of_other_columns_are_refused(name):
    with pytest.raises(InputError, match=f"code '{name}' would share a column"):
        code(name)


@pytest.mark.parametrize("other", ["power_p", "Power_Likeness"])
def test_two_codes_that_would_share_a_column_are_refused(other):
    with pytest.raises(InputError, match=f"'power' and '{other}' would share a column"):
        CodeFrame("b", (code("power"), code(other)))


def test_one_code_alone_is_no_codebook():
    with pytest.raises(InputError, match="at least 2 codes, got 1"):
        CodeFrame("b", (code("price"),))


def test_equal_names_are_refused_whatever_their_case():
    with pytest.raises(InputError, match="'Price' and 'price' have the same name"):
        CodeFrame("b", (code("Price"), code("price", examples=("other",), definition="other words")))


def test_a_text_in_two_codes_is_refused_whatever_its_spaces():
    with pytest.raises(InputError, match="'price' and 'cost' share the text 'too dear'"):
        CodeFrame("b", (code("price", examples=("Too  dear",)), code("cost", examples=("too dear",))))


def test_an_unknown_parent_has_the_nearest_name():
    with pytest.raises(InputError, match="no code 'prise', its parent; did you mean 'price'"):
        CodeFrame("b", (code("price"), code("fees", parent="prise")))


def test_codes_that_are_each_others_parents_are_refused():
    with pytest.raises(InputError, match="is its own parent"):
        CodeFrame("b", (code("price", parent="fees"), code("fees", parent="price")))


def test_the_hash_changes_with_an_example():
    first = CodeFrame("b", (code("price"), code("size")))
    second = CodeFrame("b", (code("price"), code("size", examples=("large",))))
    assert first.content_hash != second.content_hash
    assert first.content_hash == CodeFrame("other name", first.codes).content_hash
