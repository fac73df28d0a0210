"""Codebooks and their YAML files."""

import pytest

from semscale.coding.codebook import Code, Codebook, load_codebook, parse_codebook
from semscale.errors import InputError


# --- test_codebook
def code(name, **changes):
    return Code(
        **{"name": name, "definition": f"about {name}", "examples": (f"an answer on {name}",), **changes}
    )


def test_a_code_without_examples_is_refused():
    with pytest.raises(InputError, match="code 'price' needs at least one example"):
        Codebook("b", (code("price", examples=()), code("cost")))
    with pytest.raises(InputError, match="code 'price' needs at least one example"):
        code("price", examples=("too dear", " "))


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
        Codebook("b", (code("power"), code(other)))


def test_a_single_code_is_no_codebook():
    with pytest.raises(InputError, match="at least 2 codes, got 1"):
        Codebook("b", (code("price"),))


def test_equal_names_are_refused_regardless_of_case():
    with pytest.raises(InputError, match="'Price' and 'price' have the same name"):
        Codebook("b", (code("Price"), code("price", examples=("other",), definition="other words")))


def test_a_text_in_two_codes_is_refused_regardless_of_spaces():
    with pytest.raises(InputError, match="'price' and 'cost' share the text 'too dear'"):
        Codebook("b", (code("price", examples=("Too  dear",)), code("cost", examples=("too dear",))))


def test_an_unknown_parent_has_the_nearest_name():
    with pytest.raises(InputError, match="no code 'prise', its parent; did you mean 'price'"):
        Codebook("b", (code("price"), code("fees", parent="prise")))


def test_codes_in_a_cycle_of_parents_are_refused():
    with pytest.raises(InputError, match="is its own parent"):
        Codebook("b", (code("price", parent="fees"), code("fees", parent="price")))


def test_the_hash_changes_with_an_example():
    first = Codebook("b", (code("price"), code("size")))
    second = Codebook("b", (code("price"), code("size", examples=("large",))))
    assert first.content_hash != second.content_hash
    assert first.content_hash == Codebook("other name", first.codes).content_hash


# --- test_codebook_file
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
    with pytest.raises(InputError) as raised:
        parse_codebook(text.encode(), source="c.yaml")
    return str(raised.value)


def test_a_good_file_is_read():
    book = parse_codebook(GOOD.encode(), source="c.yaml")
    assert book.names == ("power", "fees", "price")
    assert book.codes[0].negative_examples == ("it died on the cross",)
    assert book.ancestors("fees") == ("price",)


def test_a_mistyped_key_has_its_line_and_the_nearest_key():
    message = refused(GOOD.replace("examples:\n      - a fee", "exmples:\n      - a fee"))
    assert message.startswith("'c.yaml', line 9: unknown key 'exmples' in codes; did you mean 'examples'?")


def test_a_code_without_examples_has_the_line_of_the_code():
    assert refused(GOOD.replace("    examples: [dear]\n", "")) == (
        "'c.yaml', line 12: code 3, examples is missing: add it"
    )
    message = refused(GOOD.replace("[dear]", "[]"))
    assert message.startswith("'c.yaml', line 14: code 3, examples must have at least 1 entry")


def test_numbers_must_be_quoted():
    assert "line 14: code 3, examples, 1 must be text, in quotes" in refused(GOOD.replace("[dear]", "[5]"))


def test_a_repeated_code_name_is_reported_at_the_line_of_the_second():
    message = refused(GOOD.replace("name: price", "name: POWER").replace("parent: price", "parent: power"))
    assert message == "'c.yaml', line 12: codes 'power' and 'POWER' have the same name: rename one"


def test_a_wrong_parent_has_the_line_of_its_code():
    message = refused(GOOD.replace("parent: price", "parent: prices"))
    assert "line 7: code 'fees': there is no code 'prices'" in message
    assert "did you mean 'price'?" in message


@pytest.mark.parametrize(
    "text", ["- a", "just text", "name: b\ncodes: 3\n", "name: b\n", "name: b\ncodes: []\n"]
)
def test_a_text_that_is_no_codebook_is_refused_in_a_single_line(text):
    assert "\n" not in refused(text)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_codebook(tmp_path / "none.yaml")


FILE = """name: phones
{lists}codes:
  - {{name: battery, definition: It lasts., examples: [lasts all day]}}
  - {{name: charging, definition: It charges., examples: [charges fast]}}
  - {{name: price, definition: It costs., examples: [too dear]}}
  - {{name: fees, definition: What is added., examples: [a fee], parent: price}}
"""


def with_lists(lists):
    return parse_codebook(FILE.format(lists=lists).encode(), source="b.yaml")


def test_a_line_merges_codes_under_the_first_name():
    book = with_lists("merge:\n  - [battery, charging]\n")
    assert book.names == ("battery", "price", "fees")
    assert book.codes[0] == Code("battery", "It lasts. It charges.", ("lasts all day", "charges fast"))
    wide = with_lists("merge: [[battery, price]]\n")
    assert wide.codes[-1].parent == "battery"


def test_nets_come_first_and_have_their_codes_as_children():
    book = with_lists("nets:\n  - name: power\n    codes: [battery, charging]\n")
    net = book.codes[0]
    assert (net.name, net.is_net, net.prototypes) == ("power", True, ())
    assert net.definition == "At least one of: battery, charging."
    assert [code.parent for code in book.codes] == [None, "power", "power", None, "price"]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ("merge: [[battery]]\n", "'b.yaml', line 2: merge needs the names of two codes or more, got battery"),
        (
            "merge: [[battery, chargin]]\n",
            "line 2: merge: there is no code 'chargin'; did you mean 'charging'",
        ),
        ("merge: [[battery, fees]]\n", "merge: 'battery' and 'fees' are below different codes"),
        (
            "nets: [{name: n, codes: [prise]}]\n",
            "line 2: net 'n': there is no code 'prise'; did you mean 'price'",
        ),
        ("nets: [{name: n, codes: [fees]}]\n", "net 'n': code 'fees' is below 'price' already"),
        ("nets: [{name: price, codes: [battery]}]\n", "line 2: .* have the same name"),
    ],
)
def test_mistakes_in_these_lists_have_their_line(lists, message):
    with pytest.raises(InputError, match=message):
        with_lists(lists)


def test_keywords_are_read_and_are_part_of_the_hash(tmp_path):
    path = tmp_path / "codes.yaml"
    first = "{name: a, definition: d, examples: [x], keywords: [y]}"
    second = "{name: b, definition: e, examples: [z]}"
    path.write_text(f"name: b\ncodes: [{first}, {second}]\n", encoding="utf-8")
    book = load_codebook(path)
    assert book.codes[0].keywords == ("y",)
    plain = Codebook("b", (Code("a", "d", ("x",)), book.codes[1]))
    assert plain.content_hash != book.content_hash


def test_a_keyword_without_a_letter_is_refused():
    with pytest.raises(InputError, match="keyword '5' has no letter"):
        Code("a", "d", ("x",), keywords=("5",))
