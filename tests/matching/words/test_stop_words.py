from semscale.matching.layered import content_only
from semscale.matching.words import stop_words


def test_the_list_is_nltk_s():
    # The corpus of August 2024 has 198 words, "not" and "no" among them.
    assert len(stop_words()) == 198
    assert {"not", "no", "yourselves", "won't"} <= stop_words()


def test_content_only_removes_stopwords_and_punctuation_and_preserves_case():
    assert content_only("The Heart is - NOT - enlarged .") == "Heart enlarged"


def test_a_stop_word_with_punctuation_at_its_end_stays():
    assert content_only("the, heart") == "the, heart"


def test_with_marks_apart_a_stop_word_goes_with_its_mark_and_contractions_stay_whole():
    assert content_only("the, heart (left) isn't the end.", marks_apart=True) == "heart left end"
    assert content_only("b-12, 3.5%", marks_apart=True) == "b-12 3.5"


def test_content_only_of_stopwords_is_empty():
    assert content_only("it is not") == ""
