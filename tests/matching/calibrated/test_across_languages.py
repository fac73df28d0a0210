"""Texts in different languages: which layers count, what guards say, and right answers above wrong ones."""

import numpy as np
import pytest

from semscale.embedding.loading import load_token_encoder
from semscale.errors import ModelError
from semscale.matching.matcher import Matcher

REFERENCES = [
    "The patient must not eat before the operation.",
    "The bulb is on because it is in a closed path with the battery.",
    "Water boils at a lower temperature on high mountains.",
]
RIGHT = [
    "Der Patient darf vor der Operation nichts essen.",
    "Die Lampe leuchtet, weil sie in einem geschlossenen Stromkreis mit der Batterie ist.",
    "Auf hohen Bergen kocht das Wasser bei einer niedrigeren Temperatur.",
]
WRONG = RIGHT[1:] + RIGHT[:1]


@pytest.fixture(scope="module")
def matcher():
    try:
        return Matcher(embedder=load_token_encoder("e5-small"), corpus=[*REFERENCES, *MORE])
    except ModelError as error:
        pytest.skip(f"e5-small is not on this machine: semscale models pull e5-small ({error})")


MORE = [
    f"{thing} is not what it was." for thing in ("This phone", "Our garden", "The old train", "Her voice")
]


@pytest.mark.exhaustive
def test_only_whole_texts_count_and_guards_pass_over(matcher):
    result = matcher.match([*RIGHT, REFERENCES[0]], [*REFERENCES, REFERENCES[0]])
    assert np.isnan(result.components["word"]).tolist() == [True, True, True, False]
    assert np.isnan(result.components["context"]).tolist() == [True, True, True, False]
    np.testing.assert_allclose(result.score[:3], result.components["text"][:3])
    assert result.guarded.tolist() == [False, False, False, True]
    assert result.to_frame()["findings"].to_list() == [None, None, None, []]
    assert result.score[3] == 1


@pytest.mark.exhaustive
def test_right_answers_score_above_wrong_answers_across_languages(matcher):
    right, wrong = (matcher.match(answers, REFERENCES).score for answers in (RIGHT, WRONG))
    assert (right > wrong).all()


@pytest.mark.exhaustive
def test_the_summary_says_what_counted(matcher):
    summary = matcher.match(RIGHT, REFERENCES).summarize(RIGHT, REFERENCES)
    assert (summary.n_unguarded, summary.n_by_text_alone) == (3, 3)
    cautions = " ".join(summary.document().sentences("caution"))
    assert "3 rows in other languages were not checked" in cautions
    assert "In 3 rows the texts are in different languages" in cautions


@pytest.mark.exhaustive
def test_texts_of_the_same_foreign_language_are_compared_token_by_token(matcher):
    result = matcher.match([RIGHT[0]], [RIGHT[0].replace("Der Patient", "Ein Patient")])
    assert 0 < result.components["word"][0] < 1
    assert result.guarded.tolist() == [False]
