from itertools import combinations
from statistics import mean

import pytest
from tests.conftest import ToyEmbedder
from tests.matching.slow_layered import code_score, cosine, doc_score

from semscale.errors import InputError
from semscale.matching.layered import PRESETS, LayeredMatch
from semscale.matching.pairs import pair_up

PREDICTIONS = [
    "the heart is, enlarged",
    "a heart attack , of course",
    "no",
    "Lung disease",
    "liver failure - acute",
]
REFERENCES = ["heart enlarged", "the attack of the heart", "not", "lung disease", "kidney stones b12"]


def layered(name, **settings):
    return LayeredMatch(PRESETS[name], **{"embedder": ToyEmbedder(), "pieces": str.split, **settings})


def test_the_document_s_reading_agrees_with_the_formulas_pair_by_pair():
    toy = ToyEmbedder()
    # Fewer than 100 pairs of references can be drawn from 5, so the baseline is the mean of all 10.
    baseline = mean(cosine(toy, *pair) for pair in combinations(REFERENCES, 2))
    expected = [
        doc_score(toy, prediction, reference, REFERENCES, baseline)
        for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    assert layered("cliniqlink-doc").score(pair_up(PREDICTIONS, REFERENCES)).score == pytest.approx(expected)


def test_the_code_s_reading_agrees_with_the_formulas_pair_by_pair():
    toy = ToyEmbedder()
    expected = [
        code_score(toy, prediction, reference, REFERENCES, baseline=0.3)  # under 100 references
        for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    assert layered("cliniqlink-code").score(pair_up(PREDICTIONS, REFERENCES)).score == pytest.approx(expected)


def test_equal_texts_score_three_quarters_by_the_document_and_1_by_the_code():
    pairs = pair_up(["heart attack", "lung"], ["heart attack", "Lung"])
    assert layered("cliniqlink-doc").score(pairs).score == pytest.approx([0.75, 0.75])
    assert layered("cliniqlink-code").score(pairs).score.tolist() == [1.0, 1.0]


def test_with_100_references_the_code_s_baseline_is_the_mean_of_50_pairs():
    corpus = [f"word{number} common" for number in range(100)]
    scored = layered("cliniqlink-code", corpus=corpus).score(pair_up(["x"], ["y"]))
    # Every pair shares one of two words: cosine 1 / 2 but for the toy vectors' floor and collisions.
    stated = float(dict(scored.signature.fields)["baseline"])
    assert stated == pytest.approx(0.5, abs=0.05)


def test_the_baseline_does_not_depend_on_the_order_of_the_references_and_depends_on_the_seed():
    corpus = [f"word{number % 7} other{number}" for number in range(150)]
    pairs = pair_up(["x"], ["y"])

    def baseline(texts, seed=0):
        return dict(layered("cliniqlink-code", corpus=texts, seed=seed).score(pairs).signature.fields)[
            "baseline"
        ]

    assert baseline(corpus) == baseline(corpus[::-1])
    assert len({baseline(corpus, seed) for seed in range(5)}) > 1


def test_single_reference_is_no_corpus_for_a_baseline():
    with pytest.raises(InputError, match="corpus must have at least 2 different texts"):
        layered("cliniqlink-doc").score(pair_up(["a", "b"], ["c", "c"]))


def test_a_score_does_not_depend_on_its_company_where_the_corpus_is_stated():
    match = layered("cliniqlink-doc", corpus=REFERENCES)
    together = match.score(pair_up(PREDICTIONS, REFERENCES)).score.tolist()
    alone = [
        match.score(pair_up([prediction], [reference])).score[0]
        for prediction, reference in zip(PREDICTIONS, REFERENCES, strict=True)
    ]
    assert together == alone
