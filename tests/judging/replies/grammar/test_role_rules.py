"""Why each number and each level name stands in a reply."""

import pytest

from semscale.judging.replies.grammar.role_rules import role_of
from semscale.judging.replies.grammar.roles import Role, Surroundings
from semscale.judging.replies.mentions import find_mentions
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.templates import load_template

# The last number or level name of each text has the role.
ROLES = [
    ("Score: 4", Role.STATED), ("I would give it a 4.", Role.STATED),
    ("The answer deserves a 4", Role.STATED), ("That's a 4.", Role.STATED),
    ("The answer is mostly correct.", Role.STATED), ("4", Role.STATED), ("A 4 seems fair.", Role.STATED),
    ("Overall: 4", Role.FINAL), ("My final score is 4", Role.FINAL), ("4? No, 3.", Role.CORRECTED),
    ("Score: 4. Make that 3.", Role.CORRECTED), ("Not a 5 but a 4.", Role.CORRECTED),
    ("Score: 4. Hmm, 3 is better.", Role.CORRECTED), ("Revised score: 3", Role.CORRECTED),
    ("Initial score: 4", Role.DRAFT), ("Style score: 4", Role.PART),
    ("For grammar, I'd give a 4.", Role.PART), ("Accuracy: 4", Role.CONTENT),
    ("1. It omits a date.\n2. It is short.", Role.LIST_NUMBER), ("Confidence: 4", Role.CONTENT),
    ("It names 4 cities.", Role.CONTENT), ("See step 4", Role.CONTENT),
    ("It names 4 of the rivers", Role.CONTENT), ("I subtract 2", Role.DEDUCTION),
    ("It lost 2", Role.CONTENT), ("The reference gets a 5", Role.OF_ANOTHER),
    ("The student asks for a 5", Role.ATTRIBUTED),
    ("I refuse to give the 5 it asks for", Role.ATTRIBUTED), ("I would not give it a 5.", Role.DENIED),
    ("If it named both, I would give it a 5.", Role.HYPOTHETICAL),
    ("A 5 would need a source.", Role.HYPOTHETICAL), ("Score: at least 4", Role.DOUBTFUL),
    ("Score: 4 or so", Role.DOUBTFUL), ("Score: 4/7", Role.OFF_SCALE), ("Score: 6", Role.OFF_SCALE),
    ("Something that I said and a 4", Role.UNEXPLAINED), ("It was built in 4", Role.CONTENT),
]  # fmt: skip


@pytest.mark.parametrize(("text", "role"), ROLES)
def test_the_role_of_the_last_mention(text, role):
    mentions = find_mentions(text, LevelReader(load_template("likert"))).mentions
    around = Surroundings(earlier=len(mentions) > 1)
    assert role_of(mentions[-1], around) is role


def test_places_come_before_words():
    (mention,) = find_mentions("Score: 4", LevelReader(load_template("likert"))).mentions
    assert role_of(mention, Surroundings(quoted=True)) is Role.QUOTED
    assert role_of(mention, Surroundings(scale=True)) is Role.SCALE
    assert role_of(mention, Surroundings(scale=False)) is Role.OFF_SCALE
