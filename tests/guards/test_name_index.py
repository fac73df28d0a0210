"""Looking up names in another text; what is the same name was decided by hand."""

import pytest

from semscale.guards.meaning_guards import name_index
from semscale.guards.names import is_present
from semscale.guards.reading import analyse


def present(text, other):
    (name,) = analyse(text).names
    return is_present(name, name_index(analyse(other)))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("near Iraq", "Iraqi troops"),
        ("by George Bush", "by Mr Bush"),
        ("by George Bush", "by George W. Bush"),
        ("for the WHO", "for the World Health Organization"),
        ("in March", "signed then"),
        ("on Sep 3", "in September"),
        ("with CYP3A4", "with cyp 3a4"),
    ],
)
def test_other_forms_of_a_name_are_present(text, other):
    assert present(text, other)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("by John Smith", "by John Brown"),
        ("by John Smith", "by Jane Smith"),
        ("near Slovenia", "near Slovakia"),
        ("in March", "in April"),
        ("with B1", "with B12"),
    ],
)
def test_other_names_are_not_present(text, other):
    assert not present(text, other)


def test_the_first_word_of_a_sentence_counts_only_if_it_is_a_known_name():
    (doubtful,) = analyse("Yesterday Karenina wept.").names
    (known,) = analyse("Anna Karenina wept.").names
    assert (doubtful.certain_parts, known.certain_parts) == (("karenina",), ("anna", "karenina"))
