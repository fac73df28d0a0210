"""Words of a text, their roles and clauses, phrases with classes, and words that two texts share."""

import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.guards.text import (
    PHRASE_GUARDS,
    Cue,
    PhraseReader,
    Text,
    alignment,
    coverage,
    phrase_reader,
    read_words,
    same_but_for_marks,
    similarity,
)
from semscale.guards.words import (
    CONTENT,
    CUE,
    END,
    begins_sentence,
    clause_start,
    ends_clause,
    is_answer,
    is_content,
    read_lexicon,
    role_of,
    sentence_end,
    stem,
)

ALPHABET = "abA'’`\"´stREvellm İǅßſΣé²½0٣.,-_ \n\u0301中😀"


def test_token_positions_skip_blanks_and_underscores():
    text = Text("a_a  a.A")
    assert text.words == ["a", "a", "a", ".", "a"]
    assert text.starts == [0, 2, 5, 6, 7]
    assert text.characters(1, 4) == (2, 8)


@given(st.text(alphabet=ALPHABET, max_size=30))
def test_tokens_cover_the_text_except_blanks_and_underscores(text):
    end = 0
    for word in read_words(text):
        assert set(text[end : word.start]) <= set(" _\n")
        assert len(word.text) == word.end - word.start > 0
        end = word.end
    assert set(text[end:]) <= set(" _\n")


def test_only_dotted_capital_i_has_a_longer_lower_case():
    # So all others keep their places when the case is folded, and that one is replaced.
    longer = [chr(code) for code in range(sys.maxunicode + 1) if len(chr(code).lower()) != 1]
    assert longer == ["İ"]
    assert [word.text for word in read_words("İs 5")] == ["is", "5"]


@pytest.mark.parametrize(
    ("item", "other", "same"),
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
def test_texts_differ_in_case_white_space_and_marks_only_or_in_more(item, other, same):
    assert same_but_for_marks(item, other) is same
    assert same_but_for_marks(other, item) is same


@pytest.fixture
def restless_threads():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("restless_threads")
def test_threads_can_stem_concurrently():
    # Words of a thread's own, so that none is answered by what another thread has kept.
    letters = "bcdfghkmpt"
    roots = [f"{first}a{second}" for first in letters for second in letters]

    def stem_all(thread):
        return [stem(f"{thread}{root}kening") for root in roots]

    with ThreadPoolExecutor(4) as threads:
        stems = list(threads.map(stem_all, "bdfg"))
    # Snowball's step 1b takes -ing off behind a vowel.
    assert stems == [[f"{thread}{root}ken" for root in roots] for thread in "bdfg"]


@pytest.mark.parametrize(
    ("text", "role"),
    [("lamp", CONTENT), (",", END), ("isn't", CUE), ("7", END), ("because", END), ("the", 0)],
)
def test_role_of_a_text_is_read(text, role):
    assert role_of(text) == role


@pytest.mark.parametrize(
    ("texts", "at", "answers"),
    [
        (["no"], 0, True),
        (["no", ",", "it", "is"], 0, True),
        (["no", "it", "is"], 0, True),
        (["yes", "it", "is"], 0, True),
        (["safe", "?", "no", "it", "is"], 2, True),
        (["no", "drug", "is", "safe"], 0, False),
        (["room", "no", ".", "5"], 1, False),
    ],
)
def test_a_yes_or_no_answers_where_a_sentence_begins_and_no_noun_follows(texts, at, answers):
    assert is_answer(texts, at) == answers


@pytest.mark.parametrize(
    ("texts", "at", "counts"),
    [
        (["the", "lamp", "is", "on"], 3, True),
        (["on", "the", "road"], 0, False),
        (["at", "least", "5"], 1, False),
        (["the", "least"], 1, True),
        (["an", "even", "number"], 1, True),
        (["even", "a", "child"], 0, False),
        (["most", "of", "the", "day"], 0, False),
        (["the", "most", "expensive"], 1, True),
    ],
)
def test_switches_and_bounds_are_content_only_in_context(texts, at, counts):
    assert is_content(texts, at) == counts


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
def test_clause_endings_are_recognized(text, at, ends):
    assert ends_clause(text.split(), at) == ends


def test_a_clause_begins_after_the_last_mark_or_conjunction():
    texts = ["it", "works", "because", "the", "lamp", "is", "lit"]
    assert clause_start(texts, [role_of(text) for text in texts], 5) == 3


def test_a_sentence_ends_at_its_mark_or_with_the_text():
    texts = ["it", "works", ".", "it", "is", "lit"]
    assert (sentence_end(texts, 0), sentence_end(texts, 3)) == (2, 6)
    assert [at for at in range(6) if begins_sentence(texts, at)] == [0, 3]


BOOK = {
    "hedged": ["may, <be> said to, so _ says"],
    "only": ["no .. but"],
    "harmless": ["may day, said so"],
    "groups": {"be": "is was"},
}


@pytest.mark.parametrize(
    ("text", "cues"),
    [
        ("It may rain.", [Cue("hedged", 1, 1)]),
        ("It rains on May Day.", []),
        ("It is said to rain, and was said to snow.", [Cue("hedged", 1, 3), Cue("hedged", 7, 9)]),
        ("It is said that it rains.", []),
        ("It rains, so Ann says.", [Cue("hedged", 3, 5)]),
        ("No one but Ann came.", [Cue("only", 0, 2)]),
        ("No one of us here all but Ann came.", []),  # five words between
        ("No one, but Ann came.", []),  # a mark between
        ("", []),
    ],
)
def test_phrases_are_read_with_class_and_position(text, cues):
    assert PhraseReader({"book": BOOK}).read(Text(text).words) == {"book": cues}


@pytest.mark.parametrize("guard", PHRASE_GUARDS)
def test_no_phrase_of_a_guard_has_two_classes(guard):
    entries = {
        kind: [" ".join(phrase.split()) for line in lines for phrase in line.split(",")]
        for kind, lines in read_lexicon(guard).items()
        if kind != "groups"
    }
    phrases = list(itertools.chain.from_iterable(entries.values()))
    assert "" not in phrases
    assert {item for item in phrases if sum(item in listed for listed in entries.values()) > 1} == set()


def test_lexicons_read_together_match_the_same_phrases_as_separately():
    words = Text("Perhaps only Ann says it is too much if most tests passed before the others.").words
    alone = {guard: PhraseReader({guard: read_lexicon(guard)}).read(words)[guard] for guard in PHRASE_GUARDS}
    assert phrase_reader().read(words) == alone
    assert all(alone.values())


def wordings(*texts):
    return [Text(text) for text in texts]


@pytest.mark.parametrize(
    ("item", "other", "guard", "shared"),
    [
        ("Dogs chase cats.", "Cats chase dogs.", "order", 1.0),
        ("Dogs chase cats.", "Dogs chase birds.", "order", 2 / 3),  # 2 of 3 words each
        ("He paid the rent.", "He pays the rent.", "order", 1.0),  # an irregular verb
        ("Perhaps dogs bark.", "Dogs bark.", "certainty", 1.0),  # the cue is left out
        ("Perhaps dogs bark.", "Dogs bark.", "order", 4 / 5),
        ("It is.", "", "order", 0.0),
    ],
)
def test_similarity_is_the_share_of_common_tokens_without_cues(item, other, guard, shared):
    assert similarity(*wordings(item, other), guard) == pytest.approx(shared)
    assert similarity(*wordings(other, item), guard) == pytest.approx(shared)


def test_coverage_is_the_share_of_the_shorter_text():
    short, long = wordings("Dogs bark.", "Dogs bark at cats in gardens.")
    assert coverage(short, long, "order") == coverage(long, short, "order") == 1.0
    assert coverage(*wordings("Dogs sleep.", "Dogs bark at cats."), "order") == 0.5
    assert coverage(*wordings("", "Dogs bark."), "order") == 0.0


@pytest.mark.parametrize(
    ("item", "other", "guard", "aligned"),
    [
        ("Dogs chase cats.", "Dogs often chase cats.", "order", 6 / 7),  # 3 of 3 and of 4 in order
        ("Dogs chase cats.", "Cats chase dogs.", "order", 2 / 6),  # only one of three keeps its place
        ("Dogs chase dogs.", "Dogs chase dogs.", "order", 1.0),
        ("Perhaps dogs bark.", "Dogs bark.", "certainty", 1.0),
        ("", "Dogs bark.", "order", 0.0),
        ("", "", "order", 0.0),
    ],
)
def test_alignment_counts_common_tokens_in_the_same_order(item, other, guard, aligned):
    assert alignment(*wordings(item, other), guard) == pytest.approx(aligned)
    assert alignment(*wordings(other, item), guard) == pytest.approx(aligned)


words = st.lists(st.sampled_from(["dog", "cat", "bird", "fish"]), max_size=12)


@given(words, words)
def test_alignment_is_twice_the_longest_common_subsequence_over_all_tokens(item, other):
    expected = 2 * longest_by_recursion(tuple(item), tuple(other)) / (len(item) + len(other) or 1)
    assert alignment(*wordings(" ".join(item), " ".join(other)), "order") == pytest.approx(expected)


@cache
def longest_by_recursion(item, other):
    if not (item and other):
        return 0
    if item[0] == other[0]:
        return 1 + longest_by_recursion(item[1:], other[1:])
    return max(longest_by_recursion(item[1:], other), longest_by_recursion(item, other[1:]))
