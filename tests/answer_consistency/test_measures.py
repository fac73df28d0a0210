"""The table of measures: names, needs, and which go together."""

import pytest

from semscale.answer_consistency.measures import (
    MEASURES,
    check_entailment,
    check_measures,
    check_stopping,
    list_needed_parts,
)
from semscale.errors import InputError, UnknownNameError


def test_an_unknown_measure_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="got 'cosine_similarity'; did you mean 'cosine_sim'"):
        check_measures(["cosine_similarity"])


def test_measures_stay_in_order_without_repeats():
    assert check_measures(["exact_match", "cosine_sim", "exact_match"]) == ("exact_match", "cosine_sim")
    assert check_measures("bert_score") == ("bert_score",)
    with pytest.raises(InputError, match="measures must name at least one"):
        check_measures([])


def test_measures_have_a_description():
    assert all(measure.about for measure in MEASURES.values())


def test_measures_of_meanings_need_vectors_only_if_cosines_can_count():
    cosines = {"meanings", "cosine", "floor", "contradicted"}
    assert list_needed_parts(["semantic_negentropy"], "auto", has_entailment=False) == cosines
    assert list_needed_parts(["semantic_negentropy"], "cosine", has_entailment=True) == cosines | {
        "entailment"
    }
    assert list_needed_parts(["semantic_negentropy"], "auto", has_entailment=True) == {
        "meanings",
        "entailment",
    }
    assert list_needed_parts(["semantic_negentropy", "cosine_sim"], "exact", has_entailment=False) == {
        "meanings",
        "cosine",
    }


def test_a_measure_without_its_model_names_the_pull_command():
    with pytest.raises(InputError, match="measure noncontradiction needs .* semscale models pull cross-enc"):
        check_entailment(["semantic_negentropy", "noncontradiction"], "auto", has_entailment=False)
    with pytest.raises(InputError, match="same_by entailment needs an entailment model"):
        check_entailment(["semantic_negentropy"], "entailment", has_entailment=False)
    with pytest.raises(InputError, match="measure entailment needs same_by auto or entailment, got 'exact'"):
        check_entailment(["entailment"], "exact", has_entailment=True)
    with pytest.raises(UnknownNameError, match="did you mean 'cosine'"):
        check_entailment(["semantic_negentropy"], "cosines", has_entailment=False)


def test_asking_stops_early_by_a_measure_of_single_samples_only():
    check_stopping("cosine_sim")
    for name in ("semantic_negentropy", "bert_score", "consistency_and_confidence"):
        with pytest.raises(InputError, match=f"measure of single samples from 0 to 1, .* got '{name}'"):
            check_stopping(name)
