"""The damage "negate": reverses the meaning of sentences by rules of English grammar."""

from semscale.damage.denial import denied
from semscale.damage.sentences import Sentence
from semscale.damage.verbs import word_class
from semscale.matching.entailment import sentences_of

_STEMS = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_POSITIVE = {
    "nothing": "something",
    "nobody": "somebody",
    "nowhere": "somewhere",
    "never": "always",
    "cannot": "can",
}
_NEAR = 3


def negated(text: str) -> str | None:
    """Reverse each sentence of a text that a rule can reverse.

    If a sentence has a negation, it is removed ("is not" becomes "is", "no" becomes "some"). Otherwise one is
    inserted at the first finite verb ("is" becomes "is not", "shows" becomes "does not show", "Add" becomes
    "Do not add"). Questions, and sentences without a known verb, stay unchanged.

    Returns:
        The changed text; ``None`` if no sentence could be reversed.

    Example:
        >>> negated("It works. Nothing is missing. Great phone.")
        'It does not work. Something is missing. Great phone.'
    """
    pieces = sentences_of(text)
    reversed_ = [_reversed(piece) for piece in pieces]
    if all(piece is None for piece in reversed_):
        return None
    return "".join(new or old for new, old in zip(reversed_, pieces, strict=True))


def _reversed(text: str) -> str | None:
    if text.rstrip().endswith("?"):
        return None
    sentence = Sentence(text)
    for rule in (_affirmed, denied):
        for at in range(len(sentence.spans)):
            changed = rule(sentence, at)
            if changed is not None:
                return changed
    return None


def _affirmed(sentence: Sentence, at: int) -> str | None:
    """Remove the negation at a word; ``None`` if there is none."""
    word, after = sentence.word(at), sentence.word(at + 1)
    if word.endswith("n't"):
        return sentence.put(at, _STEMS.get(word[:-3], word[:-3]))
    if word in _POSITIVE:
        return sentence.put(at, _POSITIVE[word]) if after != "but" else None
    before = {sentence.word(back) for back in range(at - _NEAR, at)}
    if word == "not" and after not in word_class("stays_not") and before & word_class("auxiliary"):
        return sentence.before(at).rstrip(" ") + sentence.after(at)
    return _some(sentence, at) if word == "no" else None


def _some(sentence: Sentence, at: int) -> str | None:
    """Write "still" for "no longer", and "some" for "no" after a verb or "with"."""
    after = sentence.word(at + 1)
    if after == "longer":
        return sentence.put(at, "still", words=2)
    before = {sentence.word(back) for back in range(at - _NEAR, at)}
    stays = not after or after in word_class("stays_no") or not before & word_class("with_no")
    return None if stays else sentence.put(at, "some")
