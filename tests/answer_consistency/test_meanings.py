"""Meanings: clusters, entropies, relations of texts, and their measures."""

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import ToyEmbedder

import semscale
from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.meanings import (
    Ground,
    ItemPairs,
    Relations,
    best_text,
    cluster_entropy,
    cosine_relations,
    entailment_relations,
    exact_relations,
    meaning_clusters,
    relate_texts,
    semantic_negentropy,
    sets_agreement,
)
from semscale.answer_consistency.measures import MEASURES, Evidence, measures_needing
from semscale.answer_consistency.pairs import NO_FLOOR, compare_pairs
from semscale.answer_consistency.samples import PairReaders
from semscale.answer_consistency.settings import AnswerColumns
from semscale.answer_consistency.table import measure_consistency
from semscale.matching.cosines import Cosines
from semscale.matching.entailment import Entailments
from semscale.matching.pairs import pair_up
from semscale.signature import Signature
from semscale.store.reading import open_table


def test_a_text_joins_the_first_cluster_with_an_equivalent_first_text():
    # 2 means the same as 1 alone, and 1 the same as 0: 2 is compared with 0, the first text, and stays alone.
    same = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool)
    assert meaning_clusters(same).tolist() == [0, 0, 1]


def test_distinct_texts_are_clusters_of_size_1():
    assert meaning_clusters(np.eye(4, dtype=bool)).tolist() == [0, 1, 2, 3]


def test_entropy_of_three_texts_with_two_equivalent_texts():
    # 2/3 log 3/2 + 1/3 log 3 = log 3 - 2/3 log 2
    entropy = math.log(3) - 2 / 3 * math.log(2)
    assert cluster_entropy(np.array([2, 1])) == pytest.approx(entropy)
    assert semantic_negentropy(np.array([2, 1])) == pytest.approx(2 / 3 * math.log(2) / math.log(3))
    assert sets_agreement(np.array([2, 1])) == 0.5


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5).filter(lambda counts: sum(counts) > 1))
def test_agreement_is_between_0_and_1(counts):
    sizes = np.array(counts)
    for value in (semantic_negentropy(sizes), sets_agreement(sizes)):
        assert -1e-9 <= value <= 1 + 1e-9
        assert (value == pytest.approx(1, abs=1e-9)) == (len(counts) == 1)


@pytest.mark.parametrize(
    ("texts", "clusters", "weights", "best"),
    [
        (["a", "b"], [0, 1], None, 0),  # of equal meanings the first
        (["a", "bb", "ccc"], [0, 1, 1], None, 2),  # the longest
        (["a", "bb", "ccc", "bb"], [0, 1, 1, 1], None, 1),  # the most frequent
        (["a", "bb", "cc"], [0, 1, 1], None, 1),  # of equal lengths the first
        (["a", "bb", "ccc"], [0, 1, 1], [0.9, 0.4, 0.4], 0),  # the most probable
    ],
)
def test_the_text_of_the_most_probable_meaning(texts, clusters, weights, best):
    mass = None if weights is None else np.array(weights)
    assert best_text(texts, np.array(clusters), mass) == best


# An answer and two samples; the first sample means the same, the second does not.
SAME_OF_THREE = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], bool)


def measured(relations, *names):
    """Values of measures for two items, of which only the second has samples."""
    compared = compare_pairs(pair_up(["a", "b"], [[], ["c", "d"]]), 0.0, PairReaders())
    evidence = Evidence(compared, {1: relations})
    return {name: MEASURES[name].function(evidence) for name in names}


def test_an_item_has_every_measure_unless_it_has_no_samples():
    free = np.array([[1, 0.9, 0.4], [0.9, 1, 0.5], [0.4, 0.5, 1]])
    relations = Relations(Ground.ENTAILMENT, SAME_OF_THREE.astype(float), SAME_OF_THREE, free)
    columns = measured(relations, *measures_needing("meanings", MEASURES))
    values = {name: column[1] for name, column in columns.items()}
    assert len(values) == 4
    assert all(np.isnan(column[0]) for column in columns.values())
    assert values["semantic_negentropy"] == pytest.approx(2 / 3 * math.log(2) / math.log(3))
    assert values["semantic_sets_confidence"] == 0.5
    assert values["entailment"] == 0.5
    assert values["noncontradiction"] == pytest.approx((0.9 + 0.4) / 2)


def test_without_entailment_no_contradiction_is_known():
    relations = Relations(Ground.EXACT, SAME_OF_THREE * 1.0, SAME_OF_THREE)
    assert np.isnan(measured(relations, "noncontradiction")["noncontradiction"]).all()


class ScriptedEntailment:
    """Gives probabilities from a table of pairs; others are neutral."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self, known):
        self.known, self.calls = known, []

    def probabilities(self, premises, hypotheses):
        pairs = list(zip(premises, hypotheses, strict=True))
        self.calls.append(pairs)
        return np.array([self.known.get(pair, (0.0, 1.0, 0.0)) for pair in pairs])


def paired(answers, samples):
    return ItemPairs.from_pairs(pair_up(answers, samples))


def test_all_texts_of_an_item_are_paired_the_answer_first():
    pairs = paired(["a", "x", "y"], [["b", "a"], [], ["z"]])
    named = [(pairs.texts[i], pairs.texts[j]) for i, j in zip(pairs.first, pairs.second, strict=True)]
    assert named == [("a", "b"), ("a", "a"), ("b", "a"), ("y", "z")]
    assert pairs.item.tolist() == [0, 0, 0, 2]
    assert [len(members) for members in pairs.members] == [3, 0, 2]


def test_items_with_a_longer_text_are_not_short():
    pairs = paired(["Paris", "Paris", "x"], [["Rome"], ["It is the old capital of sunny France."], []])
    assert pairs.are_short.tolist() == [True, False, False]


def test_short_answers_are_compared_by_exact_match():
    result = exact_relations(paired(["red"], [["Red.", "blue"]]))[0]
    assert result.ground is Ground.EXACT
    np.testing.assert_array_equal(result.similarity, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    np.testing.assert_array_equal(result.same, result.similarity > 0)


def test_equal_texts_are_equivalent_regardless_of_their_cosine():
    pairs = paired(["a"], [["b", "a"]])
    result = cosine_relations(pairs, np.array([0.25, 0.5, 0.75]), np.array([False, False, False]))[0]
    np.testing.assert_array_equal(result.similarity, [[1, 0.25, 1], [0.25, 1, 0.75], [1, 0.75, 1]])
    assert result.same.sum() == 5


def test_entailment_counts_in_both_directions_and_is_asked_for_once():
    known = {
        ("a dog", "an animal"): (0.9, 0.1, 0.0),
        ("an animal", "a dog"): (0.3, 0.6, 0.1),
        ("a dog", "a hound"): (0.8, 0.1, 0.1),
        ("a hound", "a dog"): (0.6, 0.2, 0.2),
        ("an animal", "a hound"): (0.0, 0.0, 1.0),
    }
    model = ScriptedEntailment(known)
    result = entailment_relations(paired(["a dog", "a dog"], [["an animal", "a hound"], ["a hound"]]), model)
    first = result[0]
    assert first.same[0].tolist() == [True, False, True]
    assert first.similarity[0].tolist() == pytest.approx([1, (0.9 + 0.3) / 2, (0.8 + 0.6) / 2])
    assert first.noncontradictions[0].tolist() == pytest.approx([1, 1 - 0.1 / 2, 1 - 0.3 / 2])
    assert result[1].similarity[0, 1] == pytest.approx(0.7)
    assert len(model.calls) == 1
    assert len(model.calls[0]) == len(set(model.calls[0])) == 6


LONG = "the pool in the old town is open on every sunny weekday morning"
PAIRS = pair_up(["red", LONG, "x"], [["Red"], [LONG, "not " + LONG], []])


def related(same_by, guards=("negation",)):
    readers = PairReaders(Cosines(ToyEmbedder()))
    return relate_texts(PAIRS, same_by, NO_FLOOR, readers, guards=guards)


def grounds(same_by):
    return {item: relations.ground for item, relations in related(same_by).items()}


def test_the_texts_of_an_item_decide_how_meanings_are_compared():
    assert grounds("auto") == {0: Ground.EXACT, 1: Ground.COSINE}
    assert grounds("cosine") == {0: Ground.COSINE, 1: Ground.COSINE}
    assert grounds("exact") == {0: Ground.EXACT, 1: Ground.EXACT}


def test_a_text_that_a_guard_contradicts_does_not_mean_the_same():
    guarded, unguarded = related("cosine")[1], related("cosine", ())[1]
    np.testing.assert_array_equal(guarded.same, [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert unguarded.similarity[0, 2] > guarded.similarity[0, 2]


class Counting:
    """An entailment model that finds every pair neutral, and counts the pairs of each call."""

    signature = Signature.of("nli", model="made-up")

    def __init__(self):
        self.calls = []

    def probabilities(self, premises, hypotheses):
        self.calls.append(len(premises))
        return np.tile([0.0, 1.0, 0.0], (len(premises), 1))


def test_pairs_of_all_prompts_are_read_in_a_single_call():
    model = Counting()
    measures = ["semantic_negentropy", "entailment", "noncontradiction"]
    answers = [f"answer {item}" for item in range(7)]
    samples = [[f"sample {item} {sample}" for sample in range(5)] for item in range(7)]
    Consistency(measures=measures, nli=model).measure(answers, samples)
    # Six texts a prompt make 15 pairs, each read in both directions.
    assert model.calls == [7 * 15 * 2]


OF_CLUSTERS = ["semantic_negentropy", "semantic_sets_confidence"]


class AlwaysEntailed:
    signature = Signature.of("nli", model="made-up")

    def probabilities(self, premises, hypotheses):
        return np.tile([0.75, 0.25, 0.0], (len(premises), 1))


class UnreadGerman(AlwaysEntailed):
    def entailments(self, premises, hypotheses):
        unread = np.array(["blau" in pair for pair in zip(premises, hypotheses, strict=True)])
        values = np.where(unread[:, None], np.nan, self.probabilities(premises, hypotheses))
        return Entailments(values, np.zeros(len(unread), bool), unread)


def test_short_answers_are_compared_word_by_word_and_longer_answers_by_cosine():
    # Monday and Tuesday have a cosine of .87: as vectors they would be one meaning.
    answers = ["Monday", "It is safe to swim here today."]
    samples = [["Tuesday", "monday"], ["Swimming here today is safe.", "It is not safe to swim here today."]]
    result = semscale.consistency(answers, samples, measures=OF_CLUSTERS)
    assert [str(ground) for ground in result.same_by] == ["exact", "cosine"]
    assert result.n_meanings.tolist() == [2, 2]
    assert result.measures["semantic_sets_confidence"].tolist() == [0.5, 0.5]
    assert "same_by:auto" in str(result.signature)


def test_an_entailment_model_decides_if_configured():
    result = semscale.consistency(
        ["Monday"], [["Tuesday"]], measures=["semantic_negentropy", "entailment"], nli=AlwaysEntailed()
    )
    assert result.measures["semantic_negentropy"].tolist() == [1.0]
    assert result.measures["entailment"].tolist() == [0.75]
    assert "entailment_model:made-up" in str(result.signature)


@pytest.mark.parametrize("samples", [[], [""], ["", None, "  "]])
def test_an_item_without_usable_samples_has_no_value(samples):
    result = semscale.consistency(
        ["Paris", "Rome"], [samples, ["Rome"]], measures=OF_CLUSTERS, same_by="exact"
    )
    assert [str(status) for status in result.status] == ["too-few-samples", "scored"]
    assert all(np.isnan(column[0]) and column[1] == 1 for column in result.measures.values())
    assert result.to_frame()["same_by"].to_list() == [None, "exact"]
    assert result.to_frame()["meanings"].to_list() == [None, 1]


def test_opposite_short_answers_are_two_meanings():
    result = semscale.consistency(["-5"], [["5", "5", "5"]], measures=OF_CLUSTERS[:1], same_by="exact")
    # Shares of 1/4 and 3/4 of four texts.
    entropy = -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))
    assert result.score.tolist() == pytest.approx([1 - entropy / np.log(4)])
    assert result.n_meanings.tolist() == [2]


def test_texts_that_the_model_of_entailment_cannot_read_have_no_value():
    result = semscale.consistency(
        ["red", "red"],
        [["blau", "red"], ["blue"]],
        measures=["entailment", "noncontradiction", "semantic_negentropy"],
        nli=UnreadGerman(),
    )
    assert all(np.isnan(column[0]) for column in result.measures.values())
    assert [column[1] for column in result.measures.values()] == [0.75, 1.0, 1.0]
    assert result.reasons == ("the entailment model cannot read the answer, or a sample", None)
    frame = result.to_frame()
    assert frame["meanings"].to_list() == [None, 1]
    again = Consistencies.from_part(*result.to_part())
    assert again.n_meanings.tolist() == [0, 1]
    assert again.to_frame().equals(frame)


def test_measures_stay_in_order_and_the_first_is_the_score():
    result = semscale.consistency(
        ["a"], [["b"]], measures=["semantic_negentropy", "exact_match"], same_by="exact"
    )
    assert list(result.measures) == ["semantic_negentropy", "exact_match"]
    assert result.score.tolist() == pytest.approx([0.0], abs=1e-12)


def test_a_file_has_the_columns_of_meanings(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text('answer,again\nred,blue\nred,"[""Red"", ""red""]"\n', encoding="utf-8")
    instrument = semscale.Consistency(measures=["semantic_negentropy"], same_by="exact")
    columns = AnswerColumns(answer="answer", sample=("again",))
    measure_consistency(open_table(source), columns, instrument=instrument, out=out)
    written = pl.read_csv(out)
    assert written["semscale_semantic_negentropy"].to_list() == [0.0, 1.0]
    assert written["semscale_meanings"].to_list() == [2, 1]
    assert written["semscale_same_by"].to_list() == ["exact", "exact"]
