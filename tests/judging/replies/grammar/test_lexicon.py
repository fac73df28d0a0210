"""The lexicon's classes: each phrase in one of them, and no pattern with a class that nothing has."""

import re
from collections import defaultdict
from importlib import resources
from pathlib import Path

import pytest
import yaml

from semscale.judging.replies import (
    affirmations,
    afterwords,
    mentions,
    quotations,
    remarks,
    statements,
    withdrawals,
)
from semscale.judging.replies.grammar import role_patterns
from semscale.judging.replies.grammar.lexicon import (
    Lexicon,
    classes_of,
    lexicon,
    numerals,
    split_words,
    translated,
)
from semscale.judging.replies.grammar.tokens import tokenize

WORDS = yaml.safe_load(
    (resources.files("semscale.judging.replies.grammar") / "words.yaml").read_text(encoding="utf-8")
)
SIGNS = {token.kind for token in tokenize(": , - (a) . ? \n + < / % | 4 é")} | {"level", "item", "word"}
READERS = {
    "scores": (role_patterns, statements, withdrawals, quotations, mentions, affirmations),
    "afterwords": (afterwords,),
    "remarks": (remarks,),
}


@pytest.mark.parametrize("group", WORDS)
def test_each_phrase_belongs_to_one_class(group):
    places = defaultdict(set)
    for name, entry in WORDS[group].items():
        for phrase in entry["phrases"].split(","):
            places[tuple(split_words(phrase))].add(name)
    assert {phrase: found for phrase, found in places.items() if len(found) > 1 or not phrase} == {}


def test_each_class_says_what_it_means():
    classes = [entry for group in WORDS.values() for entry in group.items()]
    assert all(isinstance(name, str) and entry["means"].strip() for name, entry in classes)


@pytest.mark.parametrize("group", READERS)
def test_patterns_name_classes_that_exist(group):
    found = [item for module in READERS[group] for item in vars(module).values()]
    patterns = [item.pattern for item in found if isinstance(item, re.Pattern)]
    named = {name for pattern in patterns for name in re.findall(r"\\b(\w+)\\x20", pattern)}
    assert named
    assert named - set(WORDS[group]) - SIGNS == set()


@pytest.mark.parametrize("group", READERS)
def test_each_class_is_named_by_a_rule(group):
    # A class that no rule names only hides words from a shorter phrase; "neutral" is there for that.
    sources = " ".join(
        path.read_text(encoding="utf-8") for path in Path(role_patterns.__file__).parents[1].rglob("*.py")
    )
    assert {name for name in WORDS[group] if not re.search(rf"\b{name}\b", sources)} <= {"neutral"}


def test_the_longest_phrase_wins():
    found = Lexicon({"be": ["is"], "earn": ["is worth"]})
    assert found.find(["is", "worth"], 0) == ("earn", 2)
    assert found.find(["is", "it"], 0) == ("be", 1)
    assert found.find(["worth"], 0) == ("word", 1)


def test_words_of_scripts_without_spaces_are_found_inside():
    assert lexicon().find(["总得分为"], 0)[0] == "score_word"


def test_signs_and_numbers_have_classes_in_every_group():
    assert list(classes_of("scale: 4 (four)", "remarks")) == [
        "word",
        "colon",
        "number",
        "open",
        "number",
        "close",
    ]


def test_numbers_and_levels_have_words_in_other_languages():
    assert (numerals()["forty two"], numerals()["cinco"], numerals()["三"]) == (42, 5, 3)
    assert translated({"incorrect": 0.0})["falsch"] == 0.0
    assert "falsch" not in translated({"correct": 1.0})
