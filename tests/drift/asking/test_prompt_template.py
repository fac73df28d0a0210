"""Templates of prompts: what is filled in, and what is refused."""

import pytest

from semscale.drift.asking.prompt_template import PromptTemplate, is_template, read_template
from semscale.errors import InputError


def test_columns_are_filled_in_and_other_braces_stay():
    template = PromptTemplate("a.txt", 'Q: {my question}\n{"score": {n}} {} {{n}} {my question}')
    assert template.columns == ("my question", "n")
    assert template.fill({"my question": "Why {n}?", "n": "5"}) == (
        'Q: Why {n}?\n{"score": 5} {} {n} Why {n}?'
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Answer.", "a.txt names no column of items.csv in braces, such as {id}"),
        ("{{question}}", "names no column"),
        ("{qestion}", "has no column 'qestion'; did you mean 'question'? its columns are id, question"),
        ("{unlike}", "has no column 'unlike'; its columns are id, question; write {{unlike}} for the word"),
    ],
)
def test_a_template_that_does_not_fit_the_table_is_refused(text, said):
    with pytest.raises(InputError) as refused:
        PromptTemplate("a.txt", text).check(("id", "question"), "items.csv")
    assert said in str(refused.value)


def test_the_hash_is_that_of_the_text():
    # printf %s Hello | sha256sum
    assert PromptTemplate("a.txt", "Hello").content_hash == "185f8db3"


def test_files_of_templates(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("\ufeff {question}\n", encoding="utf-8")
    assert read_template(path) == PromptTemplate("a.txt", "{question}")
    path.write_text(" \n")
    with pytest.raises(InputError, match=r"is empty: write the prompt into it"):
        read_template(path)
    path.write_bytes(b"\xff\xfe{q}")
    with pytest.raises(InputError, match="cannot be read: not UTF-8"):
        read_template(path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_template(tmp_path / "b.txt")
    assert [is_template(name) for name in ("a.TXT", "b.md", "c.csv")] == [True, True, False]
