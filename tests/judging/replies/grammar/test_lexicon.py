"""The lexicon's classes: each phrase in one of them, and no pattern with a class that nothing has."""

import re
from collections import defaultdict
from importlib import resources

import yaml

from semscale.judging.replies import statements, withdrawals
from semscale.judging.replies.grammar import role_patterns
from semscale.judging.replies.grammar.lexicon import Lexicon, lexicon, split_words
from semscale.judging.replies.grammar.tokens import tokenize

CONTENT = yaml.safe_load(
    (resources.files("semscale.judging.replies.grammar") / "lexicon.yaml").read_text(encoding="utf-8")
)


def test_each_phrase_belongs_to_one_class():
    places = defaultdict(set)
    for name, entry in CONTENT.items():
        for phrase in entry["phrases"].split(","):
            places[tuple(split_words(phrase))].add(name)
    assert {phrase: found for phrase, found in places.items() if len(found) > 1 or not phrase} == {}


def test_each_class_says_what_it_means():
    assert all(isinstance(name, str) and entry["means"].strip() for name, entry in CONTENT.items())


def test_patterns_name_classes_that_exist():
    signs = {token.kind for token in tokenize(": , - (a) . ? \n + < / % | 4 é")}
    known = set(CONTENT) | signs | {"level", "number", "item", "word"}
    modules = (role_patterns, statements, withdrawals)
    patterns = [item for module in modules for item in vars(module).values() if isinstance(item, re.Pattern)]
    named = {name for pattern in patterns for name in re.findall(r"\\b(\w+)\\x20", pattern.pattern)}
    assert named - known == set()


def test_the_longest_phrase_wins():
    found = Lexicon({"be": ["is"], "earn": ["is worth"]})
    assert found.find(["is", "worth"], 0) == ("earn", 2)
    assert found.find(["is", "it"], 0) == ("be", 1)
    assert found.find(["worth"], 0) == ("word", 1)


def test_words_of_scripts_without_spaces_are_found_inside():
    assert lexicon().find(["总得分为"], 0)[0] == "score_word"
