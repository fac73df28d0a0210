import pytest

from semscale.embedding.languages import LanguageCount, LanguageCounter, are_english
from semscale.types import Status

ROWS = [("de", "en"), ("en", "en"), ("de", "en"), ("fr", "en"), (None, "en"), ("en", "en"), ("de", "en")]
STATUSES = [
    Status.SCORED, Status.SCORED, Status.WEIGHTLESS, Status.OTHER_LANGUAGE, Status.SCORED, Status.MISSING,
    Status.SCORED,
]  # fmt: skip


@pytest.mark.parametrize("part", [1, 3, 7])
def test_rows_are_counted_by_their_languages_whatever_the_parts(part):
    counter = LanguageCounter()
    for start in range(0, len(ROWS), part):
        counter.add(ROWS[start : start + part], STATUSES[start : start + part])
    # The row that is missing has no words. What is not clear comes last.
    assert counter.counts == (
        LanguageCount(("de", "en"), rows=3, scored=2),
        LanguageCount(("en", "en"), rows=1, scored=1),
        LanguageCount(("fr", "en"), rows=1, scored=0, unread=1),
        LanguageCount((None, "en"), rows=1, scored=1),
    )


def test_texts_are_identified_and_counted():
    counter = LanguageCounter()
    counter.add_texts([["Das ist nicht sicher.", "It is not safe."], ["Paris", "Paris"]], [Status.SCORED] * 2)
    assert [found.languages for found in counter.counts] == [("de", "en"), (None, None)]


def test_a_row_is_across_languages_only_where_two_are_clear_and_differ():
    rows = [("de", "en"), ("de", "de"), (None, "en"), ("de",)]
    assert [LanguageCount(row, 1, 1).is_across for row in rows] == [True, False, False, False]


def test_texts_whose_language_is_not_clear_do_not_make_a_table_one_of_other_languages():
    assert are_english([LanguageCount(("en", "en"), 5, 5), LanguageCount((None, "en"), 1, 1)])
    assert not are_english([LanguageCount(("en", "en"), 5, 5), LanguageCount(("en", "fr"), 1, 1)])


def test_counts_are_laid_out_by_the_names_of_the_texts():
    found = LanguageCount(("de", "en"), rows=3, scored=2, unread=1)
    assert found.record("prediction", "reference") == {
        "prediction": "de", "reference": "en", "rows": 3, "scored": 2, "unread": 1,
    }  # fmt: skip
