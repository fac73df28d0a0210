"""Changes of a codebook, and its file, in which everything else stays as it was written."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semscale.coding.codebook import Code, Codebook, parse_codebook
from semscale.coding.codebook_editing import (
    add_code,
    change_code,
    code_named,
    codebook_text,
    delete_code,
    merge_in,
    put_under_net,
    split_code,
)
from semscale.errors import InputError

FILE = """# Written by hand.
name: phones
merge: []
nets:   # two of them
  - {name: device, codes: [battery, sound]}
codes:
  # topic of 12 answers
  - name: battery
    definition: "How long it lasts."   # as the sheet has it
    examples: [the battery is empty, it is dead by noon]
    keywords: [mAh]

  # topic of 9 answers
  - name: sound
    definition: How it sounds.
    examples:
      - it is too quiet
      - the treble is harsh
  # topic of 4 answers
  - name: price
    definition: What it costs.
    examples: [it is too dear]
    negative_examples: [no change]
# end
"""


@pytest.fixture
def book():
    return parse_codebook(FILE.encode(), source="b")


def written(codebook):
    """Write a codebook over the file, and check that it is read as the same codebook."""
    text = codebook_text(codebook, FILE.encode())
    assert parse_codebook(text.encode(), source="b") == codebook
    return text


def test_a_codebook_without_a_change_is_written_as_it_was(book):
    assert written(book) == FILE


def test_a_changed_code_leaves_all_other_lines_alone(book):
    text = written(change_code(book, "sound", definition="Its sound.", keywords=("bass", "no", "0xF")))
    assert text == FILE.replace("How it sounds.", "Its sound.").replace(
        "      - the treble is harsh\n",
        '      - the treble is harsh\n    keywords:\n      - bass\n      - "no"\n      - "0xF"\n',
    )


def test_a_deleted_code_takes_its_comment_with_it_and_no_other(book):
    text = written(delete_code(book, "sound"))
    assert "topic of 9" not in text
    assert [line.strip() for line in text.splitlines() if line.strip().startswith("#")] == [
        "# Written by hand.",
        "# topic of 12 answers",
        "# topic of 4 answers",
        "# end",
    ]
    assert parse_codebook(text.encode(), source="b").codes[0].definition == "At least one of: battery."


def test_a_new_name_is_that_of_the_net_as_well(book):
    renamed = change_code(book, "battery", name="power")
    assert renamed.codes[0].definition == "At least one of: power, sound."
    assert "# as the sheet has it" in written(renamed)
    assert code_named(change_code(book, "device", name="hardware"), "sound").parent == "hardware"


def test_merged_codes_have_the_examples_of_all_and_the_name_and_net_of_the_first(book):
    merged = merge_in(book, ["price", "battery"])
    price = code_named(merged, "price")
    assert price.examples == ("it is too dear", "the battery is empty", "it is dead by noon")
    assert (price.parent, price.keywords) == (None, ("mAh",))
    assert merged.names == ("device", "sound", "price")
    written(merged)
    assert merge_in(book, ["battery", "sound"]).codes[0].definition == "At least one of: battery."


def test_a_merge_that_the_file_states_is_written_as_one_code():
    content = FILE.replace("merge: []", "merge: [[battery, sound]]").replace(
        "[battery, sound]}", "[battery]}"
    )
    book = parse_codebook(content.encode(), source="b")
    text = codebook_text(change_code(book, "price", definition="Money."), content.encode())
    assert "merge: []" in text
    assert parse_codebook(text.encode(), source="b").names == ("device", "battery", "price")


def test_a_split_code_gives_the_chosen_texts_to_a_new_one_in_the_same_net(book):
    split = split_code(book, "sound", "treble", ["the treble is harsh", "it hisses"])
    assert code_named(split, "treble") == Code(
        "treble", "Says something about treble.", ("the treble is harsh", "it hisses"), parent="device"
    )
    assert code_named(split, "sound").examples == ("it is too quiet",)
    assert split.names == ("device", "battery", "sound", "treble", "price")
    written(split)
    with pytest.raises(InputError, match="must leave at least one example to 'price'"):
        split_code(book, "price", "cost", ["it is too dear"])
    with pytest.raises(InputError, match="must be chosen"):
        split_code(book, "price", "cost", [])


def test_a_code_is_added_after_the_others_and_needs_an_example(book):
    added = add_code(book, "weight", ["it is heavy"], keywords=["kilo"])
    assert added.names == (*book.names, "weight")
    assert code_named(added, "weight").definition == "Says something about weight."
    assert "it is heavy" in written(added)
    with pytest.raises(InputError, match="at least one text for 'weight'"):
        add_code(book, "weight", [])


def test_codes_move_into_nets_and_a_net_without_codes_goes(book):
    money = put_under_net(book, ["price"], "money")
    assert money.names == ("device", "money", "battery", "sound", "price")
    written(money)
    assert put_under_net(money, ["price"], "").names == book.names
    none = put_under_net(book, ["battery", "sound"], "")
    assert none.names == ("battery", "sound", "price")
    assert "nets: []" in written(none)
    assert delete_code(book, "device") == none


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda book: change_code(book, "prize", definition="x"),
            "there is no code 'prize'; did you mean 'price'",
        ),
        (lambda book: change_code(book, "price", name=""), "must name a code"),
        (lambda book: change_code(book, "price", name="none"), "'none' means that no code applies"),
        (lambda book: change_code(book, "price", name="a;b"), "must not contain ';'"),
        (lambda book: change_code(book, "price", name="Sound"), "have the same name"),
        (lambda book: change_code(book, "price", name="x" * 61), "at most 60 characters, got 61"),
        (lambda book: change_code(book, "price", examples=()), "must have at least one text for 'price'"),
        (lambda book: put_under_net(book, ["price"], "y" * 61), "at most 60 characters"),
        (lambda book: put_under_net(book, ["price"], "none"), "means that no code applies"),
        (lambda book: merge_in(book, ["price"]), "two codes or more, got price"),
        (lambda book: merge_in(book, ["price", "price"]), "two codes or more"),
        (lambda book: merge_in(book, ["price", "device"]), "'device' is a net"),
        (lambda book: split_code(book, "sound", "x" * 61, ["new"]), "at most 60 characters"),
        (lambda book: delete_code(delete_code(book, "price"), "sound"), "at least 2 codes"),
    ],
)
def test_changes_that_a_codebook_cannot_have_are_refused(book, change, message):
    with pytest.raises(InputError, match=message):
        change(book)


def test_a_file_in_brackets_is_written_anew():
    entries = ("{name: %s, definition: %s1, examples: [%s2]}" % (3 * (name,)) for name in "ac")
    content = f"{{name: b, codes: [{', '.join(entries)}]}}".encode()
    book = change_code(parse_codebook(content, source="b"), "a", definition="new: \xfc")
    text = codebook_text(book, content)
    assert parse_codebook(text.encode(), source="b") == book


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(str.strip)


@settings(max_examples=40)
@given(TEXTS, TEXTS.map(str.strip), TEXTS)
def test_any_text_is_read_as_it_was_written_or_refused(definition, name, example):
    book = parse_codebook(FILE.encode(), source="b")
    try:
        changed = change_code(book, "sound", name=name, definition=definition, examples=(example, "loud"))
        split = split_code(changed, "battery", "part of it", [example + " too"])
    except InputError:
        return
    for codebook in (changed, split):
        written(codebook)
        text = codebook_text(codebook)
        assert parse_codebook(text.encode(), source="b") == codebook


def test_a_codebook_of_two_new_codes_is_written():
    book = Codebook("new", (Code("yes", "no", ("1.0",)), Code("- a", "# b", ("{c}",), keywords=("null",))))
    assert parse_codebook(codebook_text(book).encode(), source="b") == book
