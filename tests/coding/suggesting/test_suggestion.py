"""Proposed codes."""

from dataclasses import replace

import numpy as np
import pytest
from tests.schema_check import check_json

from semscale.coding.suggesting.answer_sample import AnswerSample
from semscale.coding.suggesting.suggestion import renamed_codes, suggest
from semscale.errors import InputError
from semscale.report.coding.suggestion import suggestion_document
from semscale.report.json_encoding import to_json

ANSWERS = [f"{word} number {n}" for word in ("battery", "price", "screen") for n in range(30)]

# A little of another key word, so that answers of a cluster differ.
_BRIGHT = [text + " bright" * (row % 3 == 0) for row, text in enumerate(ANSWERS)]
CELLS = [*_BRIGHT, *_BRIGHT[:10], None, "  "]


@pytest.fixture
def found(key_words):
    return suggest(CELLS, key_words, codes=3)


def test_clusters_are_the_topics_the_largest_first(found):
    assert [code.n for code in found.codes] == [40, 30, 30]
    assert [code.words[0] for code in found.codes] == ["battery", "price", "screen"]
    assert sum(code.share for code in found.codes) == pytest.approx(1)
    assert all(len(code.examples) == 5 for code in found.codes)


def test_rows_without_a_text_have_no_code(found, key_words):
    place, nearness = found.places(CELLS, key_words)
    assert place[-2:].tolist() == [-1, -1]
    assert np.isnan(nearness[-2:]).all()
    assert (place[:30] == 0).all()
    assert (place[90:100] == 0).all()


def test_of_many_answers_a_sample_is_clustered_and_others_take_the_nearest_code(key_words):
    sample = AnswerSample(45, seed=3)
    for start in range(0, len(CELLS), 7):
        sample.add(CELLS[start : start + 7])
    found = suggest(sample, key_words, codes=3)
    assert (found.n, found.n_distinct, found.n_clustered) == (102, 90, 45)
    assert "sampled:45" in str(found.signature)
    by_word = {code.words[0]: place for place, code in enumerate(found.codes)}
    # Each answer, drawn or not, is in the cluster of its word; sizes are of rows with drawn answers.
    place, _ = found.places(CELLS, key_words)
    assert place[:90].tolist() == [by_word[text.split()[0]] for text in CELLS[:90]]
    drawn = set(sample.texts)
    for word, code in by_word.items():
        assert found.codes[code].n == sum(text in drawn and text.startswith(word) for text in CELLS[:100])
    document = suggestion_document(found)
    assert "sample of 45 of 90 different answers" in document.cautions[0]
    n = sum(text in drawn for text in CELLS)
    assert document.counting[0].startswith(f"{n} of 102 rows count; left out: {100 - n} not in the sample")
    check_json(to_json(found, cautions=(), out=None, report=None, figures=None))


def test_names_come_from_words_and_differ(found):
    names = [code.name for code in found.codes]
    assert all(
        name.split("-")[0] == word for name, word in zip(names, ("battery", "price", "screen"), strict=True)
    )
    same = renamed_codes(found, [("money", "about money"), ("Money", "about money"), None], "m")
    assert [code.name for code in same.codes] == ["money", "Money-2", names[2]]
    assert same.n_unnamed == 1


def test_json_keeps_to_the_schema(found):
    check_json(to_json(found, cautions=(), out=None, report=None, figures=None))


def test_too_few_different_answers_are_refused(key_words):
    with pytest.raises(InputError, match="at least 20 different answers, got 2"):
        suggest(["battery", "price"] * 30, key_words)


@pytest.mark.parametrize(
    ("settings", "name"), [({"codes": 1}, "codes"), ({"codes": 46}, "codes"), ({"most": 1}, "most")]
)
def test_numbers_of_codes_out_of_range_are_refused(key_words, settings, name):
    with pytest.raises(InputError, match=f"{name} must be 2 to 45"):
        suggest(ANSWERS, key_words, **settings)


def test_a_piece_names_a_code_alone_and_the_summary_says_that_it_may_be_no_word(key_words):
    class Characters:
        """Embeds a text by two of its characters."""

        signature = key_words.signature

        def embed(self, texts, *, progress=None):
            return key_words.embed([text.replace("池", "battery").replace("价", "price") for text in texts])

    texts = [f"{word}{n}" for n in range(12) for word in ("电池", "价格")]
    found = suggest(texts, Characters(), codes=2)
    assert sorted(code.name for code in found.codes) == ["价格", "电池"]
    assert found.has_pieces
    check_json(to_json(found, cautions=(), **dict.fromkeys(("out", "report", "figures"))))


def test_words_of_a_language_with_spaces_are_no_pieces(found):
    assert not found.has_pieces


def test_a_similarity_below_the_bound_never_reads_as_the_bound(found):
    code = replace(found.codes[0], jaccard=0.7499)
    assert (code.is_stable, code.shown_jaccard) == (False, 0.74)
    assert [replace(code, jaccard=value).shown_jaccard for value in (0.75, 0.29, 1.0)] == [0.75, 0.29, 1.0]


@pytest.mark.parametrize(("settings", "is_most"), [({"most": 2}, True), ({"codes": 2}, False)])
def test_the_most_codes_that_were_tried_are_told_of(key_words, settings, is_most):
    found = suggest(ANSWERS, key_words, **settings)
    assert (len(found.codes), found.is_most) == (2, is_most)
    said = suggestion_document(found).cautions
    assert any("2 codes are the most that were tried" in caution for caution in said) == is_most
