"""Words with their places, found by their order alone, and texts that differ in marks only."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.guards.words import TextWords, read_words, same_but_for_marks, stem

ALPHABET = "abA'’`\"´stREvellm İǅßſΣé²½0٣.,-_ \n\u0301中😀"


def test_places_pass_over_blanks_and_underscores_and_tell_equal_words_apart():
    words = TextWords("a_a  a.A")
    assert words.texts == ["a", "a", "a", ".", "a"]
    assert words.starts == [0, 2, 5, 6, 7]
    assert words.place(1, 4) == (2, 8)


@given(st.text(alphabet=ALPHABET, max_size=30))
def test_every_word_stands_at_its_place_and_nothing_but_blanks_and_underscores_between(text):
    end = 0
    for word in read_words(text):
        assert set(text[end : word.start]) <= set(" _\n")
        assert len(word.text) == word.end - word.start > 0
        end = word.end
    assert set(text[end:]) <= set(" _\n")


def test_one_letter_alone_has_a_longer_lower_case():
    # So all others keep their places when the case is folded, and that one is replaced.
    longer = [chr(code) for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]
    assert longer == ["İ"]
    assert [word.text for word in read_words("İs 5")] == ["is", "5"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("", " …", True),
        ("It's open!", "its OPEN", True),
        ("Straße", "STRASSE", True),
        ("1.5", "15", False),
        ("1-2", "12", False),
        ("-4", "4", False),
        ("5 %", "5", False),
        ("on no", "no on", False),  # the same letters
        ("is", "is it", False),
        ("nowhere", "now here", False),
        ("the cat", "the car", False),
    ],
)
def test_texts_differ_in_case_white_space_and_marks_only_or_in_more(one, other, same):
    assert same_but_for_marks(one, other) is same
    assert same_but_for_marks(other, one) is same


@pytest.fixture
def restless_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("restless_threads")
def test_threads_that_stem_at_once_leave_each_other_alone():
    # Words of a thread's own, so that none is answered by what another thread has kept.
    letters = "bcdfghkmpt"
    roots = [f"{first}a{second}" for first in letters for second in letters]

    def stem_all(thread):
        return [stem(f"{thread}{root}kening") for root in roots]

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(stem_all, "bdfg"))
    # Snowball's step 1b takes -ing off behind a vowel.
    assert found == [[f"{thread}{root}ken" for root in roots] for thread in "bdfg"]
