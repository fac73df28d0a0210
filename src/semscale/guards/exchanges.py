"""Exchanged roles of the words of two texts."""

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations, islice, pairwise
from typing import NamedTuple

from semscale.guards.phrases import Wording
from semscale.guards.reading import AnalysedText
from semscale.guards.words import read_lexicon

Places = tuple[tuple[int, int], tuple[int, int]]
"""The positions of two words in one text, and in the other."""

_PHRASE_REACH = 4
_MOST_SHARED = 60
_MOST_REVERSED = 200
_MOST_BEHIND_BY = 6


class _Shared(NamedTuple):
    """A word that occurs once in either text: its stem and both positions."""

    stem: str
    here: int
    there: int


def exchanged_places(left: AnalysedText, right: AnalysedText) -> Places | None:
    """Find two words that stand in each other's place.

    Returns:
        Their positions in both texts; ``None`` if there are none, or if the passive voice, an opposite
        ("more", "less") or a word of mutual relations ("met") lets the texts agree.
    """
    shared = _shared_words(left.wording, right.wording)
    if _cancelled(left, right):
        return None
    turned = _turned_round(shared, left.wording, right.wording)
    return turned or _exchanged_ends(shared, left.wording, right.wording)


def turned_voice(left: Wording, right: Wording) -> Places | None:
    """Find a verb in the passive voice in one text alone, though no word moved.

    "Ann hired Bob" and "Ann was hired by Bob".
    """
    for passive, active, flipped in ((left, right, False), (right, left, True)):
        order = _same_order_passive(passive, active)
        if order:
            return order[::-1] if flipped else order
    return None


def _shared_words(left: Wording, right: Wording) -> list[_Shared]:
    """List the words that occur once in either text, in the order of the first."""
    here, there = _once(left), _once(right)
    return sorted(
        (_Shared(stem, here[stem], there[stem]) for stem in here.keys() & there.keys()), key=_by_place
    )


def _by_place(word: _Shared) -> int:
    return word.here


@lru_cache(maxsize=512)
def _once(wording: Wording) -> dict[str, int]:
    """Return the positions of the words that occur once: content, persons, letters that name, and "than"."""
    first_positions: dict[str, int] = {}
    repeated = set()
    texts, content, persons = wording.words.texts, wording.content, _persons()
    discourse = _words("discourse") | _words("discourse_at_edges")
    for at, text in enumerate(texts):
        if text in discourse and _is_discourse(texts, at):
            continue
        is_letter = len(text) == 1
        stem = content.get(at) or persons.get(text) or (text if is_letter and _is_label(wording, at) else "")
        if stem in first_positions:
            repeated.add(stem)
        elif stem:
            first_positions[stem] = at
    return {stem: at for stem, at in first_positions.items() if stem not in repeated}


def _is_discourse(texts: Sequence[str], at: int) -> bool:
    """Tell whether a word only orders what is said, or asks: "please", and "first" in "first, lock it"."""
    if texts[at] not in _words("discourse_at_edges"):
        return texts[at] in _words("discourse")
    before, behind = texts[at - 1] if at else ",", texts[at + 1] if at + 1 < len(texts) else ","
    return before not in _words("before_nouns") and not _words("joins").isdisjoint((before, behind))


def _is_label(wording: Wording, at: int) -> bool:
    """Tell whether a single letter is a capital that names something: node A."""
    text = wording.words.texts[at]
    return (
        at > 0 and text.isalpha() and text != "i" and wording.words.text[wording.words.starts[at]].isupper()
    )


def _turned_round(shared: Sequence[_Shared], left: Wording, right: Wording) -> Places | None:
    """Find two words with a third one between them that the other text has in the reverse order."""
    if len(shared) > _MOST_SHARED or all(one.there < other.there for one, other in pairwise(shared)):
        return None
    for first, middle, last in islice(_reversed(shared), _MOST_REVERSED):
        crosses = _crosses_clauses(left, first.here, last.here) or _crosses_clauses(
            right, last.there, first.there
        )
        if crosses and not _is_plain_exchange(left, right, shared, first, last):
            continue
        here, there = (first.here, last.here), (last.there, first.there)
        reverse = _Triple(right, last.there, middle.there, first.there)
        if _is_exchange(_Triple(left, first.here, middle.here, last.here), reverse):
            return here, there
    return None


def _reversed(shared: Sequence[_Shared]) -> Iterator[tuple[_Shared, _Shared, _Shared]]:
    """Yield three words at a time that the other text has in the reverse order."""
    for position, middle in enumerate(shared):
        before = [word for word in shared[:position] if word.there > middle.there]
        after = [word for word in shared[position + 1 :] if word.there < middle.there] if before else []
        yield from ((first, middle, last) for first in before for last in after)


def _is_plain_exchange(
    left: Wording, right: Wording, shared: Sequence[_Shared], first: _Shared, last: _Shared
) -> bool:
    """Tell whether two words alone have moved: all others stand in the same order in both texts."""
    positions = {first: last.there, last: first.there}
    there = [positions.get(word, word.there) for word in shared]
    return set(left.content.values()) == set(right.content.values()) and all(
        one < other for one, other in pairwise(there)
    )


def _crosses_clauses(wording: Wording, first: int, last: int) -> bool:
    return not _words("clause_marks").isdisjoint(wording.words.texts[first:last])


class _Triple(NamedTuple):
    """Three words of a text, in the order of the text, by their positions."""

    text: Wording
    first: int
    middle: int
    last: int


def _is_exchange(first: _Triple, second: _Triple) -> bool:
    """Tell whether three words that the other text has in reverse exchanged their roles."""
    if _slots(first) != _slots(second) or _speaks_otherwise(first) != _speaks_otherwise(second):
        return False
    if any(_is_mutual(each.text, each.first, each.last) for each in (first, second)):
        return False
    if _is_done_together(first) and _is_done_together(second):
        return False
    if _turns_compound(first, second) or _turns_compound(second, first):
        return False
    listed = _is_listed(first.text, first.middle) and _is_listed(second.text, second.middle)
    return not listed and not (_equates(first) and _equates(second))


def _slots(triple: _Triple) -> tuple[str, str]:
    """Return the prepositions of the outer two words."""
    return _slot(triple.text, triple.first), _slot(triple.text, triple.last)


def _speaks_otherwise(triple: _Triple) -> tuple[int, int, bool]:
    """Return what turns a sentence round: agents in the passive voice, relative pronouns, a passive verb.

    "He flags what she adds" is "she adds what he flags".
    """
    texts = triple.text.words.texts
    relatives = sum(text in _words("relatives") for text in texts[triple.first : triple.last])
    return texts.count("by"), relatives, _is_passive_at(texts, triple.middle)


def _exchanged_ends(shared: Sequence[_Shared], left: Wording, right: Wording) -> Places | None:
    """Find two words that exchanged their prepositions: "from A to B", "from B to A"."""
    slots = [(word, _slot(left, word.here), _slot(right, word.there)) for word in shared[:_MOST_SHARED]]
    directed = [entry for entry in slots if entry[1] != entry[2] and _is_directed(*entry[1:])]
    for (first, here, there), (second, here_other, there_other) in combinations(directed, 2):
        if here == there_other and there == here_other and not _is_mutual(left, first.here, second.here):
            return (first.here, second.here), (first.there, second.there)
    return None


def _is_directed(here: str, there: str) -> bool:
    return here in _words("directed") and there in _words("directed")


def _same_order_passive(passive: Wording, active: Wording) -> Places | None:
    if "by" not in passive.words.distinct:
        return None
    texts, once = passive.words.texts, _once(active)
    for at in (at for at, text in enumerate(texts) if text == "by" and at):
        verb = next(
            (position for position in range(at - 1, max(at - 3, -1), -1) if position in passive.content), -1
        )
        if verb < 1 or not _is_passive_at(texts, verb):
            continue
        acted = once.get(passive.content[verb], -1)
        behind = (
            position
            for position in range(at + 1, min(at + _MOST_BEHIND_BY, len(texts)))
            if position in passive.content
        )
        agent = next(behind, -1)
        before = next((position for position in range(verb - 1, -1, -1) if position in passive.content), -1)
        if acted < 0 or agent < 0 or before < 0 or _has_agent(active, acted - 1, len(active.words.texts) - 1):
            continue
        whom, who = once.get(passive.content[before], -1), once.get(passive.content[agent], -1)
        if 0 <= whom < acted < who and not _slot(active, who) and not _slot(active, whom):
            return (before, agent), (whom, who)
    return None


def _is_passive_at(texts: Sequence[str], verb: int) -> bool:
    return any(text in _words("be") for text in texts[max(0, verb - 3) : verb])


def _cancelled(left: AnalysedText, right: AnalysedText) -> bool:
    """Tell whether the texts have an opposite or a negation that only one of them has."""
    here, there = left.polarity, right.polarity
    undecided = (here.affirmed & here.negated) | (there.affirmed & there.negated)
    return bool(((here.affirmed & there.negated) | (here.negated & there.affirmed)) - undecided)


def _is_listed(wording: Wording, at: int) -> bool:
    """Tell whether a word is a member of a list: "Ann, Bob and Eve"."""
    texts = wording.words.texts
    ahead = texts[at + 1] if at + 1 < len(texts) else ""
    return texts[at - 1] in _words("listing") or ahead in _words("listing")


def _is_mutual(wording: Wording, first: int, last: int) -> bool:
    """Tell whether what is between two words relates them both ways: "Ann met Bob"."""
    between = wording.words.texts[first:last]
    return not _words("mutual").isdisjoint(between)


def _is_done_together(triple: _Triple) -> bool:
    """Tell whether a verb without an object joins two words by "with": "Ann waltzed with Bob"."""
    texts, content = triple.text.words.texts, triple.text.content
    inside = [at for at in range(triple.first + 1, triple.last) if at in content]
    return (
        inside == [triple.middle]
        and texts[triple.middle + 1] == "with"
        and not _is_passive_at(texts, triple.middle)
    )


def _has_agent(wording: Wording, first: int, last: int) -> bool:
    """Tell whether an agent in the passive voice stands between two words: "was hired by"."""
    texts = wording.words.texts
    return any(texts[at] == "by" for at in range(first + 1, last))


def _equates(triple: _Triple) -> bool:
    """Tell whether two words are said to be one thing: "the left lung is affected"."""
    wording, first, _, last = triple
    inside = [at for at in range(first + 1, last) if at in wording.content]
    between = wording.words.texts[first:last]
    return len(inside) <= 1 and "by" not in between and not _words("be").isdisjoint(between)


def _turns_compound(first: _Triple, second: _Triple) -> bool:
    """Tell whether two words stand side by side in one text, with a preposition between in the other.

    "The bank in the high street", "the high street bank".
    """
    between = first.text.words.texts[first.first + 1 : first.middle]
    beside = second.text.words.texts[second.middle + 1 : second.last]
    return not beside and not _words("prepositions").isdisjoint(between)


def _slot(wording: Wording, at: int) -> str:
    """Return the preposition of a word's phrase; "" for none."""
    texts = wording.words.texts
    for position in range(at - 1, max(at - 1 - _PHRASE_REACH, -1), -1):
        text = texts[position]
        if text in _words("prepositions"):
            return text
        if text in _words("phrase_ends") or (text != "-" and not text[0].isalnum()):
            return ""
    return ""


@cache
def _persons() -> dict[str, str]:
    """Return the stem that stands for each pronoun of a person, and for "than"."""
    listed = read_lexicon("roles")["persons"]
    return {form: f"<{line.split()[0]}>" for line in listed for form in line.split()}


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_lexicon("roles")[name].split())
