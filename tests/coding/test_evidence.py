"""Evidence for codes in sentences, and the words that can carry a topic."""

from pathlib import Path

import numpy as np
import pytest
import yaml

from semscale import load_embedder
from semscale.coding.codebook import Code, Codebook
from semscale.coding.coder import Coder
from semscale.coding.evidence import FEATURES, EvidenceReader, strongest_rival
from semscale.coding.words import content_words, is_evaluation, words_in
from semscale.embedding.embedder import Embeddings
from semscale.errors import InputError
from semscale.signature import Signature

CODED = Path(__file__).parents[2] / "bench" / "data" / "coded"


class AxisEmbedder:
    """Embeds a text by the words that it has of a list, one axis for each; all other texts are alike."""

    signature = Signature.of("embed", model="axes")

    def __init__(self, *words):
        self._words, self.dimensions = words, len(words) + 1

    def embed(self, texts, *, progress=None):
        vectors = np.array([[*(float(word in text) for word in self._words), 0.01] for text in texts])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return Embeddings(vectors.astype(np.float32), np.ones(len(texts), np.int64))


def features(reader, sentence, *clauses):
    read = reader.read([sentence], [clauses or (sentence,)])
    return dict(zip(FEATURES, np.moveaxis(read.features[0], 1, 0), strict=True))


BOOK = Codebook("b", (Code("red", "roses", ("a rose is red",)), Code("blue", "skies", ("the sky is blue",))))


@pytest.fixture
def reader():
    return EvidenceReader(BOOK, AxisEmbedder("red", "ros", "blue", "sk"))


def test_a_sentence_is_similar_to_its_code_and_has_the_other_as_rival(reader):
    evidence = features(reader, "red roses")
    assert evidence["similarity"][0] > 3 > evidence["similarity"][1]
    assert evidence["rival"].tolist() == evidence["similarity"][::-1].tolist()


def test_the_best_clause_counts(reader):
    evidence = features(reader, "red roses and blue skies", "red roses", "and blue skies")
    assert evidence["clause"][0] > evidence["similarity"][0]
    read = reader.read(["red roses and blue skies"], [("red roses", "and blue skies")])
    assert read.clauses.tolist() == [[0, 1]]


def test_length_is_the_logarithm_of_the_number_of_words_plus_one(reader):
    assert features(reader, "one two three four five")["length"] == pytest.approx([np.log(6)] * 2)
    # Fewer than four words count as four.
    assert features(reader, "one")["length"] == pytest.approx([np.log(5)] * 2)


def test_words_are_compared_with_those_of_the_other_code(reader):
    evidence = features(reader, "I saw the sky")
    assert evidence["words"][1] > 0 > evidence["words"][0]
    # "sky" is a word of an example, "skies" one of the definition: both have the axis "sk"
    assert evidence["examples"][1] > 0
    assert evidence["definition"][1] > 0


def test_a_sentence_without_content_words_has_the_lowest_margin(reader):
    assert features(reader, "it was the")["words"].tolist() == [-3.0, -3.0]


def test_a_word_of_two_codes_counts_for_neither():
    codes = (Code("red", "roses", ("a red rose, garden",)), Code("blue", "skies", ("blue sky, garden",)))
    reader = EvidenceReader(Codebook("b", codes), AxisEmbedder("red", "ros", "blue", "sk", "garden"))
    assert features(reader, "garden")["words"] == pytest.approx([0, 0], abs=0.1)


@pytest.mark.parametrize(
    ("codes", "sentence"),
    [
        (BOOK.codes, "The bus to the harbour leaves from platform six."),
        (
            (
                Code("Essen", "Wie das Essen schmeckt und aussieht.", ("Das Essen war kalt",)),
                Code("Preis", "Was es kostet und ob es teuer ist.", ("Das ist viel zu teuer",)),
            ),
            "Der Bus zum Hafen fährt von Bahnsteig sechs.",
        ),
    ],
)
def test_similarity_is_compared_with_unrelated_sentences_in_the_language_of_the_codebook(codes, sentence):
    embedder, texts = AxisEmbedder("ros", "sk", "Essen", "teuer"), []
    embed = embedder.embed
    embedder.embed = lambda some, **rest: texts.extend(some) or embed(some, **rest)
    EvidenceReader(Codebook("b", codes), embedder)
    assert sentence in texts


def test_a_word_of_a_definition_counts_less_if_an_example_of_another_code_has_it():
    axes = AxisEmbedder("red", "ros", "blue", "sk", "garden")
    margins = [
        features(EvidenceReader(Codebook("b", codes), axes), "garden")["definition"][0]
        for codes in (
            (Code("red", "roses, garden", ("a red rose",)), BOOK.codes[1]),
            (Code("red", "roses, garden", ("a red rose",)), Code("blue", "skies", ("blue sky, gardens",))),
        )
    ]
    assert margins[1] < 0.6 * margins[0]


def test_keywords_are_words_of_the_definition():
    codes = (Code("red", "roses", ("a rose",), keywords=("lips",)), BOOK.codes[1])
    reader = EvidenceReader(Codebook("b", codes), AxisEmbedder("red", "ros", "blue", "sk", "lips"))
    with_keyword, without = features(reader, "two lips"), features(reader, "two cats")
    assert with_keyword["definition"][0] > without["definition"][0] + 3
    assert with_keyword["examples"][0] < with_keyword["definition"][0] - 1


def test_a_keyword_may_praise():
    codes = (Code("red", "roses", ("a rose",), keywords=("great",)), BOOK.codes[1])
    assert is_evaluation("great", "en")
    reader = EvidenceReader(Codebook("b", codes), AxisEmbedder("red", "ros", "blue", "sk", "great"))
    assert features(reader, "great")["words"][0] > 3


def test_negative_examples_lower_the_similarity():
    axes = AxisEmbedder("red", "ros", "blue", "sk")
    negative = Code("red", "roses", ("a rose is red",), ("red wine",))
    with_negative = EvidenceReader(Codebook("b", (negative, BOOK.codes[1])), axes)
    plain = EvidenceReader(BOOK, axes)
    assert features(with_negative, "red wine")["similarity"][0] < features(plain, "red wine")["similarity"][0]


def test_codes_above_and_below_are_no_rivals():
    values, related = np.array([[3.0, 2.0, 1.0]]), np.array([[0, 0, 1], [0, 0, 1], [1, 1, 0]], dtype=bool)
    assert strongest_rival(values, related).tolist() == [[1.0, 1.0, 3.0]]
    assert strongest_rival(values, np.zeros((3, 3), dtype=bool)).tolist() == [[0.0, 0.0, 0.0]]


def test_two_codes_alike_are_refused_with_their_cosine():
    book = Codebook("b", (Code("a", "red", ("red!",)), Code("b", "red?", ("so red",))))
    with pytest.raises(InputError, match=r"'a' and 'b' are alike \(cosine 1.000, at most 0.95\)"):
        Coder(book, embedder=AxisEmbedder("red", "blue"))


def test_examples_nearer_to_a_different_code_are_refused():
    codes = (Code("a", "red and green", ("blue one",)), Code("b", "blue and pink", ("green one",)))
    with pytest.raises(InputError, match="no nearer to their own code"):
        Coder(Codebook("b", codes), embedder=AxisEmbedder("red", "green", "blue", "pink"))


def test_code_that_is_near_to_everything_is_no_reason_to_refuse_a_codebook():
    # With e5-small, examples such as "too much homework" are nearer to the code for the course as a whole
    # than to their own, before its nearness to unrelated sentences is subtracted.
    content = yaml.safe_load((CODED / "course.yaml").read_text(encoding="utf-8"))
    codes = tuple(Code(**{**code, "examples": tuple(code["examples"])}) for code in content["codes"])
    EvidenceReader(Codebook("course", codes), load_embedder("e5-small"))


def test_content_words_leave_out_function_words_of_the_language():
    assert content_words("The battery was, for me, the worst", "en") == ["battery", "worst"]
    assert content_words("Der Akku war für mich das Schlimmste", "de") == ["akku", "schlimmste"]
    assert content_words("Der Akku", "fi") == ["der", "akku"]


def test_words_of_chinese_are_runs_and_pairs_of_characters():
    assert words_in("手机电池很差") == ["手机", "机电", "电池", "池很", "很差"]


def test_words_are_the_same_with_and_without_other_letters():
    text = "Don't buy 2 iPads, they're X-rated!"
    assert [*words_in(text), "é"] == words_in(f"{text} é")
