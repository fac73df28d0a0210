"""Sentences of a text, and replacement of their words."""

from hypothesis import given
from hypothesis import strategies as st

from semscale.damage.rewriting import Sentence, match_case
from semscale.matching.entailment import sentences_of


@given(st.text(alphabet="aB .!?\n'1e.g", max_size=60))
def test_sentences_join_to_the_text(text):
    assert "".join(sentences_of(text)) == text


def test_abbreviations_end_no_sentence():
    assert sentences_of("Use units, e.g. ms. Done") == ["Use units, e.g. ms.", " Done"]


def test_capitals_are_carried_over():
    assert [match_case("film", model) for model in ("movie", "Movie", "MOVIE")] == ["film", "Film", "FILM"]


def test_a_word_is_replaced_with_its_capitals_and_the_rest_stays():
    sentence = Sentence(" Isn’t it HOT, Ann?")
    assert [sentence.word(at) for at in range(-1, 5)] == ["", "isn't", "it", "hot", "ann", ""]
    assert sentence.put(2, "cold") == " Isn’t it COLD, Ann?"
    assert sentence.put(0, "is it not", words=2) == " Is it not HOT, Ann?"
    assert (sentence.before(1), sentence.after(2)) == (" Isn’t ", ", Ann?")
