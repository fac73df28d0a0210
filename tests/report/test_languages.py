from semscale.embedding.languages.language_counts import LanguageCount
from semscale.report.document import Count, Words
from semscale.report.parts import counts_section
from semscale.report.sentences import foreign_warnings, language_name

ENGLISH = LanguageCount(("en", "en"), rows=6, scored=6)
GERMAN = LanguageCount(("de", "de"), rows=3, scored=0, unread=3)
MIXED = LanguageCount(("fr", "en"), rows=2, scored=1, unread=1)
UNCLEAR = LanguageCount((None, "en"), rows=1, scored=1)


def test_languages_have_english_names():
    # "nan" is Min Nan, which has no code of two letters.
    assert [language_name(code) for code in ("de", None, "nan")] == ["German", "not clear", "nan"]


def test_rows_that_were_not_read_are_warned_of_with_their_languages():
    (said,) = foreign_warnings([ENGLISH, GERMAN, MIXED, UNCLEAR])
    # 4 of 12 are a third.
    assert said == (
        "4 of 12 rows (33\N{NO-BREAK SPACE}%) have no score: the model does not read their language "
        "(German 3 and French–English 1). Use a model that does (--model e5-small)."
    )
    (one,) = foreign_warnings([MIXED], "prompt", lack="value", remedy="--embedder e5-small")
    assert one == (
        "1 of 2 prompts (50\N{NO-BREAK SPACE}%) has no value: the model does not read its language "
        "(French–English 1). Use a model that does (--embedder e5-small)."
    )


def test_no_more_than_four_languages_are_named():
    counts = [LanguageCount((code,), 1, 0, unread=1) for code in ("de", "es", "fr", "it", "nl")]
    (said,) = foreign_warnings(counts)
    assert "(German 1, Spanish 1, French 1, Italian 1 and others)" in said


def test_without_an_unread_row_there_is_no_warning():
    assert foreign_warnings([ENGLISH, UNCLEAR]) == ()
    assert foreign_warnings([]) == ()


def test_english_texts_have_no_section_and_others_have_one():
    assert list(counts_section([ENGLISH, UNCLEAR], ("prediction", "reference"))) == []
    (section,) = counts_section([ENGLISH, GERMAN, UNCLEAR], ("prediction", "reference"))
    table = section.blocks[0]
    assert table.columns == ("prediction–reference", "rows", "scored")
    assert table.rows == (
        (Words("English–English"), Count(6), Count(6)),
        (Words("German–German"), Count(3), Count(0)),
        (Words("not clear–English"), Count(1), Count(1)),
    )
