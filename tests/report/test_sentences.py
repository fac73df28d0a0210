"""Sentences that all documents share: rows that were scored, languages, unread texts."""

import json
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.schema_check import check_json
from tests.workbook_sheets import sheets_of

import semscale
from semscale.report.consistency import MEANINGS as CONSISTENCY
from semscale.report.document import Count, Label, Paragraph, Reasons, WithInterval
from semscale.report.html import notebook_fragment, page
from semscale.report.judging import MEANINGS as JUDGING
from semscale.report.markdown import markdown
from semscale.report.matching import MEANINGS as MATCHING
from semscale.report.parts import languages_section, left_out_section
from semscale.report.rating import MEANINGS as RATING
from semscale.report.sentences import (
    language_name,
    most_frequent,
    off_topic_warnings,
    rows_scored,
    unread_language_warnings,
    unread_rows_warnings,
    unread_warnings,
)
from semscale.report.terminal import print_document
from semscale.results.languages import LanguageCount, UnreadLanguage
from semscale.spelling import hint
from semscale.types import Status


def test_counts_and_reasons_form_a_single_sentence():
    # 10 = 6 + 3 + 1
    message = rows_scored(6, 10, {"no-weight": 1, "not-text": 3, "empty": 0}, "answer")
    assert message == "6 of 10 answers were scored; left out: 3 not text and 1 without weight"
    assert rows_scored(1, 1, {}) == "1 of 1 row was scored"


def test_reasons_that_do_not_occur_are_not_named():
    assert most_frequent({"empty": 0, "missing": 2, "failed": 5}) == {"failed": 5, "missing": 2}


@pytest.mark.parametrize("meanings", [JUDGING, MATCHING, RATING, CONSISTENCY])
def test_shared_statuses_have_a_meaning_in_every_instrument(meanings):
    assert {Status.MISSING, Status.NOT_TEXT, Status.EMPTY} <= set(meanings)


def summary_of(n, left_out, examples=()):
    estimates = SimpleNamespace(overall=SimpleNamespace(left_out=left_out))
    return SimpleNamespace(n=n, estimates=estimates, left_out=dict.fromkeys(left_out, examples))


def test_few_example_rows_are_shown_per_reason():
    examples = [(row, f"text {row}") for row in range(5)]
    section = left_out_section(summary_of(10, {"empty": 5}, examples), {"empty": "blank"})
    (reasons,) = (block for block in section.blocks if isinstance(block, Reasons))
    (reason,) = reasons.reasons
    assert (reason.status, reason.meaning, reason.n, reason.share) == ("empty", "blank", 5, 0.5)
    assert [row for row, _ in reason.examples] == [1, 2, 3]


@pytest.mark.parametrize(
    ("total", "message"), [(3, "Nothing: every row has a score."), (0, "The input has no rows.")]
)
def test_nothing_left_out_is_reported(total, message):
    assert left_out_section(summary_of(total, {}), {}).blocks == (Paragraph(message),)


ENGLISH = LanguageCount(("en", "en"), rows=6, scored=6)


GERMAN = LanguageCount(("de", "de"), rows=3, scored=0, unread=3)


MIXED = LanguageCount(("fr", "en"), rows=2, scored=1, unread=1)


UNCLEAR = LanguageCount((None, "en"), rows=1, scored=1)


def test_languages_have_english_names():
    # "nan" is Min Nan, which has no code of two letters.
    assert [language_name(code) for code in ("de", None, "nan")] == ["German", "not clear", "nan"]


def test_rows_that_were_not_read_are_warned_of_with_their_languages():
    (message,) = unread_rows_warnings([ENGLISH, GERMAN, MIXED, UNCLEAR])
    # 4 of 12 are a third.
    assert message == (
        "4 of 12 rows (33\N{NO-BREAK SPACE}%) have no score: the model does not read their language "
        "(German 3 and French–English 1). Use a model that does" + hint(" (`embedder='e5-small'`)") + "."
    )
    (left,) = unread_rows_warnings([MIXED], "prompt", lack="value")
    assert left == (
        "1 of 2 prompts (50\N{NO-BREAK SPACE}%) has no value: the model does not read its language "
        "(French–English 1). Use a model that does" + hint(" (`embedder='e5-small'`)") + "."
    )


def test_no_more_than_four_languages_are_named():
    counts = [LanguageCount((code,), 1, 0, unread=1) for code in ("de", "es", "fr", "it", "nl")]
    (message,) = unread_rows_warnings(counts)
    assert "(German 1, Spanish 1, French 1, Italian 1 and others)" in message


def test_without_an_unread_row_there_is_no_warning():
    assert unread_rows_warnings([ENGLISH, UNCLEAR]) == ()
    assert unread_rows_warnings([]) == ()


def test_only_texts_outside_english_have_a_languages_section():
    assert languages_section([ENGLISH, UNCLEAR], ("prediction", "reference")) is None
    section = languages_section([ENGLISH, GERMAN, UNCLEAR], ("prediction", "reference"))
    table = section.blocks[0]
    assert table.columns == ("prediction–reference", "rows", "scored")
    assert table.rows == (
        (Label("English–English"), Count(6), Count(6)),
        (Label("German–German"), Count(3), Count(0)),
        (Label("not clear–English"), Count(1), Count(1)),
    )


GERMAN_TEXTS = (
    (Path(__file__).parents[1] / "data/german_answers.txt").read_text(encoding="utf-8").splitlines()
)


FIRST = "Most texts seem to be in languages that all-MiniLM-L6-v2 does not read"


ENGLISH_TEXTS = ["I would buy it today.", "No, I would never buy that.", "I am not sure yet."]


# 30 of 33 are 90.9 %.
NO_RATING = (
    "30 of 33 texts (91\N{NO-BREAK SPACE}%) have no rating: the model does not read their language "
    "(German 30). Use a model that does."
)
WITH_HINT = NO_RATING.replace("does.", "does (--embedder e5-small).")


@pytest.fixture(scope="module")
def rated():
    texts = [*GERMAN_TEXTS, *ENGLISH_TEXTS]
    return semscale.rate(texts, embedder="all-MiniLM-L6-v2").summarize(texts)


def test_german_answers_are_warned_of_above_the_headline_in_every_output(rated, capsys, tmp_path):
    document = rated.document()
    headline = document.lead.value
    assert isinstance(headline, WithInterval)
    mean = f"{headline.value:.2f}"
    assert document.sentences("warning")[0] == NO_RATING
    assert not any(warning.startswith(FIRST) for warning in document.sentences("warning"))  # said once
    print_document(document)
    rated.report(tmp_path / "x.xlsx")
    summary = sheets_of(tmp_path / "x.xlsx")["Summary"]
    cells = [str(cell) for row in summary.iter_rows() for cell in row if cell is not None]
    first = next(at for at, cell in enumerate(cells) if cell.startswith(f"Warning: {NO_RATING}"))
    assert first < next(at for at, cell in enumerate(cells) if "Mean score" in cell)
    shown = {
        "screen": capsys.readouterr().out,
        "page": unescape(page(document).partition("<body")[2].partition('id="method"')[0]),
        "markdown": markdown(document).replace("\\", "").partition("<details>")[0],
        "notebook": unescape(notebook_fragment(document)),
    }
    for output, text in shown.items():
        message = NO_RATING.partition("\N{NO-BREAK SPACE}")[0]  # Markdown has a plain space
        assert 0 <= text.find(message) < text.find(mean), output
        assert text.count(message) == 1, output


def test_json_has_warnings_first_and_the_languages_as_values(rated):
    text = rated.to_json()
    check_json(text)
    result = json.loads(text)
    assert list(result)[:2] == ["schema", "warnings"]
    assert result["warnings"][0] == WITH_HINT
    assert result["unread_language"] is None
    assert result["languages"][0] == {
        "language": "de",
        "texts": 30,
        "rated": 0,
        "unread": 30,
        "anchors": None,
    }


def test_the_share_is_that_of_all_languages_together():
    result = UnreadLanguage("zh", "Chinese", 0.75, 8, "a-model")
    (warning,) = unread_language_warnings(result)
    assert "75\N{NO-BREAK SPACE}% of the 8 texts whose language is clear are in such languages" in warning
    assert "most often Chinese" in warning


def test_a_language_of_texts_read_together_has_no_share():
    texts = ["gut", "schlecht", "teuer", "zu teuer", "sehr gut", "geht so", "nein danke", "weiß nicht"]
    summary = semscale.rate(texts, embedder="all-MiniLM-L6-v2").summarize(texts)
    warning = summary.document().sentences("warning")[0]
    assert warning.startswith("Read together, the 8 sampled texts seem to be German, which all-MiniLM-L6-v2")
    assert "%" not in warning
    text = summary.to_json()
    check_json(text)
    result = json.loads(text)["unread_language"]
    assert (result["code"], result["share"], result["n"]) == ("de", None, 8)


def test_match_and_consistency_warn_of_the_language_too():
    other_texts = [*GERMAN_TEXTS[1:], GERMAN_TEXTS[0]]
    matched = semscale.match(GERMAN_TEXTS, other_texts).summarize(GERMAN_TEXTS, other_texts)
    assert matched.document().brief_sentences("warning")[0] == (
        "30 of 30 rows (100\N{NO-BREAK SPACE}%) have no score: the model does not read their language "
        "(German 30). Use a model that does (--embedder e5-small)."
    )
    check_json(matched.to_json())
    samples = [[other] for other in other_texts]
    measured = semscale.consistency(GERMAN_TEXTS, samples).summarize(answers=GERMAN_TEXTS, samples=samples)
    assert measured.document().brief_sentences("warning")[0] == (
        "30 of 30 prompts (100\N{NO-BREAK SPACE}%) have no score: the model does not read their language "
        "(German 30). Use a model that does (--embedder e5-small)."
    )
    check_json(measured.to_json())


def test_match_and_consistency_warn_of_texts_that_the_model_cannot_read():
    texts, other_texts = ["👍"] * 3 + ["It is good."] * 7, ["👎"] * 3 + ["It is bad."] * 7
    matched = semscale.match(texts, other_texts).summarize(texts, other_texts).document()
    (warning,) = matched.sentences("warning")
    assert warning.startswith("In 3 of 10 rows (30\N{NO-BREAK SPACE}%) the model cannot read a text")
    assert matched.brief_introduction == ("7 of 10 rows were scored; left out: 3 that the model cannot read",)
    samples = [[other] for other in other_texts]
    measured = semscale.consistency(texts, samples).summarize(answers=texts, samples=samples).document()
    assert measured.sentences("warning")[0].startswith(
        "In 3 of 10 prompts (30\N{NO-BREAK SPACE}%) the model cannot read a text"
    )


def test_english_answers_have_no_warning():
    texts = ["I would buy it today.", "No, it is far too expensive.", "I am not sure yet."] * 4
    summary = semscale.rate(texts, embedder="all-MiniLM-L6-v2").summarize(texts)
    assert summary.document().sentences("warning") == ()
    assert json.loads(summary.to_json())["unread_language"] is None


def test_a_fifth_is_not_yet_warned_of():
    assert off_topic_warnings({"scored": 8, "off-topic": 2}) == ()
    assert off_topic_warnings({"scored": 79, "off-topic": 21})[0].startswith(
        "21 of 100 texts (21\N{NO-BREAK SPACE}%) are"
    )
    assert off_topic_warnings({"scored": 1, "off-topic": 1})[0].startswith(
        "1 of 2 texts (50\N{NO-BREAK SPACE}%) is"
    )
    assert unread_warnings({"scored": 8, "weightless": 2}) == ()


def test_rows_without_a_text_are_not_among_those_that_the_share_is_of():
    # 2 of 5 texts; 95 other rows hold nothing.
    message = off_topic_warnings({"scored": 3, "off-topic": 2, "missing": 90, "empty": 5})
    assert message[0].startswith("2 of 5 texts (40\N{NO-BREAK SPACE}%)")


def test_no_warnings_without_unread_rows():
    assert unread_language_warnings(None) == off_topic_warnings({}) == unread_warnings({"missing": 3}) == ()
