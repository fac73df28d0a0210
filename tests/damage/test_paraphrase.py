"""The harmless change "paraphrase", on sentences whose changed form was written by hand."""

import numpy as np
import pytest
from tests.support.always import Always

from semscale.damage.rewriting import paraphrase

PARAPHRASED = {
    "It isn't clear.": "It is not clear.",
    "It is clear.": "It’s clear.",
    "For example, add an issue.": "For instance, add a problem.",
    "A problem!": "An issue!",
    "The colour of movies": "The color of films",
    "Next time, provide reasons.": "Provide reasons next time.",
    "It is a clear and concise text.": "It’s a concise and clear text.",
    'See the "large" one': "See the “big” one",
    "- See movies": "* See films",
    "It's been fixed, however, today.": "It’s been fixed, nevertheless, today.",
}


@pytest.mark.parametrize(("text", "expected"), PARAPHRASED.items())
def test_a_paraphrase_replaces_the_listed_phrases(text, expected):
    assert paraphrase(text, Always()) == expected


@pytest.mark.parametrize("text", ["Fine.", "He knows what it is.", "a lack of time", 'only "marks" differ'])
def test_a_text_that_no_rule_covers_stays(text):
    assert paraphrase(text, Always()) is None


def test_different_seeds_give_different_paraphrases():
    text = "For example, it is very good, however, the issue often occurs. " * 3
    versions = {paraphrase(text, np.random.default_rng(seed)) for seed in range(8)}
    assert len(versions) > 4
    assert None not in versions
