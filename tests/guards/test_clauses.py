"""Where clauses and sentences begin and end; the sentences were read by hand."""

import pytest

from semscale.guards.words import begins_sentence, clause_start, ends_clause, role_of, sentence_end


@pytest.mark.parametrize(
    ("text", "at", "ends"),
    [
        ("no fever , so rest", 2, True),
        ("no fever , chills or cough", 2, False),
        ("no fever and chills", 2, False),
        ("no fever and it is late", 2, True),
        ("not safe unless tested", 2, True),
        ("not safe in tests", 2, False),
    ],
)
def test_marks_and_words_that_end_a_clause(text, at, ends):
    assert ends_clause(text.split(), at) == ends


def test_a_clause_begins_after_the_last_mark_or_conjunction():
    texts = ["it", "works", "because", "the", "lamp", "is", "lit"]
    assert clause_start(texts, [role_of(text) for text in texts], 5) == 3


def test_a_sentence_ends_at_its_mark_or_with_the_text():
    texts = ["it", "works", ".", "it", "is", "lit"]
    assert (sentence_end(texts, 0), sentence_end(texts, 3)) == (2, 6)
    assert [at for at in range(6) if begins_sentence(texts, at)] == [0, 3]
