"""A guard for short answers: finds two that name different things, or a yes beside a no."""

import math
from functools import lru_cache

from semscale.answer_consistency.scoring.answer_categories import differing_members, shares_member
from semscale.guards.findings import Finding, Span
from semscale.guards.name_guard import denied_names
from semscale.guards.reading import analyse
from semscale.guards.words import Word, read_words, stem
from semscale.matching.words.stop_words import stop_words
from semscale.signature import Signature
from semscale.weights.model_lookup import known_model

SAME_ANSWER = 0.78
"""Cosine by MiniLM from which two short answers without a word in common are wordings of one answer."""
_SAME_ANSWER_BY = {
    "all-MiniLM-L6-v2": SAME_ANSWER,
    "e5-small": 0.93,
}  # docs/decisions.md has the pairs' figures
_SAME_SHARE = 0.7  # of the way from the floor to 1, where MiniLM's bound stands

_Words = tuple[Word, ...]
_SHORT, _LONG = 3, 8  # content words of the shorter and of the longer answer
_YES = frozenset({"yes", "yeah", "yep", "true", "correct"})
_NO = frozenset({"no", "nope", "false", "incorrect"})
_NEGATIONS = frozenset({"not", "no", "never", "nor", "neither", "without", "except"})
_VAGUE = frozenset(
    {"something", "anything", "someone", "somebody", "thing", "things", "stuff", "one", "ones"}
)
_MOST_CHARACTERS, _ENDS = 200, 3
_AROUND = " \t\n\"'.,;:!?*()“”‘’"
_BEING = frozenset({"is", "are", "was", "were", "be"})
_ARTICLES = frozenset({"a", "an", "the"})


def same_answer_cosine(signature: Signature, floor: float) -> float:
    """Give the cosine from which two short answers count as wordings of one, for the model of a signature.

    Args:
        signature: of the vectors. For a model without a bound of its own it is the greater of MiniLM's and of
            seven tenths of the way from the floor to 1, as cosines of some models lie in a narrow band.
        floor: cosine of unrelated answers; 0 where it is not known.

    Example:
        >>> other = Signature.of("embed", model="organisation/other#0")
        >>> [round(same_answer_cosine(other, floor), 2) for floor in (0.0, 0.8)]
        [0.78, 0.94]
    """
    model = known_model(signature)
    if model is not None and model.name in _SAME_ANSWER_BY:
        return _SAME_ANSWER_BY[model.name]
    return max(SAME_ANSWER, floor + _SAME_SHARE * (1 - floor))


class ShortAnswerGuard:
    """Checks two answers to one prompt; unlike other guards it also takes the cosine of their vectors."""

    name = "answer"
    kinds = ("other-answer", "opposite-verdict")

    def check(
        self,
        answer: str,
        sample: str,
        cosine: float,
        same_answer: float = SAME_ANSWER,
        *,
        differing_cosine: float = math.nan,
    ) -> list[Finding]:
        """Report that the answers open with opposite verdicts, or give different things in a few words.

        They give different things if they name different members of one category, such as colours; if they
        are alike but for the word before or after a form of "be", and these words are unlike; or if they have
        no word in common and are unlike.

        Args:
            answer: the original.
            sample: another answer to the same prompt.
            cosine: of their vectors.
            same_answer: cosine from which they count as wordings of one answer.
            differing_cosine: cosine of the vectors of their ``differing_words``, where they have some.

        Example:
            >>> guard = ShortAnswerGuard()
            >>> [finding.kind for finding in guard.check("Paris", "It is London.", 0.6)]
            ['other-answer']
            >>> [finding.kind for finding in guard.check("Yes, it is safe.", "No, it is not safe.", 0.9)]
            ['opposite-verdict']
            >>> guard.check("couch", "sofa", 0.86), guard.check("It is not Paris.", "London it is.", 0.6)
            ([], [])
            >>> guard.check("The car is red.", "The car is blue.", 0.9)[0].reason
            'The answer says "red", the sample "blue".'
        """
        ours, theirs = _read(answer), _read(sample)
        if not ours or not theirs:
            return []
        if {_verdict(ours[0]), _verdict(theirs[0])} == {"yes", "no"}:
            reason = f'The answer begins with "{ours[0].text}", the sample with "{theirs[0].text}".'
            return [_finding("opposite-verdict", reason, _span(answer, ours[:1]), _span(sample, theirs[:1]))]
        others = _other_answers((answer, ours), (sample, theirs), cosine < same_answer)
        if others is None and differing_cosine < same_answer:
            others = _differing(ours, theirs)
        return [] if others is None else [_other_answer(answer, others[0], sample, others[1])]


def differing_words(answer: str, sample: str) -> tuple[str, str] | None:
    """Give the word in which two short answers of one wording differ: what is something, or what it is.

    Returns:
        One word of each; ``None`` where they are alike in no words that count, differ elsewhere or in more,
        where one denies something, and where one of the two says nothing there.

    Example:
        >>> differing_words("The animal is a dog.", "The animal is a cat.")
        ('dog', 'cat')
        >>> differing_words("Mars is the largest.", "Jupiter is the largest."), differing_words("dog", "cat")
        (('mars', 'jupiter'), None)
    """
    if not _look_alike(answer, sample):
        return None
    ends = _differing(_read(answer), _read(sample))
    return None if ends is None else (" ".join(_texts(ends[0])), " ".join(_texts(ends[1])))


def _look_alike(answer: str, sample: str) -> bool:
    """Tell quickly whether two short texts could begin or end alike; most pairs do not, and are not read."""
    if max(len(answer), len(sample)) > _MOST_CHARACTERS:
        return False
    ours, theirs = answer.strip(_AROUND).casefold(), sample.strip(_AROUND).casefold()
    return ours[:_ENDS] == theirs[:_ENDS] or ours[-_ENDS:] == theirs[-_ENDS:]


def _other_answers(
    ours: tuple[str, _Words], theirs: tuple[str, _Words], is_unlike: bool
) -> tuple[_Words, _Words] | None:
    """Give the words by which two short answers differ: other members of a category, or nothing in common."""
    (answer, words), (sample, others) = ours, theirs
    said, other = _content(words), _content(others)
    if not _short(said, other):
        return None
    members = differing_members(_texts(words), _texts(others))
    if members is not None:
        return None if _denies(words) or _denies(others) else _places(members, words, others)
    if not is_unlike or _stems(said) & _stems(other) or shares_member(_texts(words), _texts(others)):
        return None
    said, other = _affirmed(said, answer), _affirmed(other, sample)
    return (said, other) if said and other else None


def _differing(ours: _Words, theirs: _Words) -> tuple[_Words, _Words] | None:
    if not _short(_content(ours), _content(theirs)) or _denies(ours) or _denies(theirs):
        return None
    before, after = _alike(ours, theirs), _alike(ours[::-1], theirs[::-1])
    start, end = ours[:before], ours[len(ours) - after :]
    names = [word for word in start if word.text not in _ARTICLES]
    hinge = names[-1:] if not end else end[:1] if not start else []
    if not hinge or hinge[0].text not in _BEING or not _content(start or end):
        return None
    rests = tuple(_exact(words[before : len(words) - after]) for words in (ours, theirs))
    if not all(len(rest) == 1 for rest in rests) or _stems(rests[0]) & _stems(rests[1]):
        return None
    return rests[0], rests[1]


def _alike(ours: _Words, theirs: _Words) -> int:
    """Count the words with which both begin."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    return next((at for at, (one, other) in pairs if one.text != other.text), min(len(ours), len(theirs)))


def _places(names: tuple[str, str], ours: _Words, theirs: _Words) -> tuple[_Words, _Words]:
    here, there = (
        tuple(word for word in words if word.text == name)[:1]
        for words, name in zip((ours, theirs), names, strict=True)
    )
    return here, there


def _exact(words: _Words) -> _Words:
    """Keep words that name something; none of a text with a word that could be anything."""
    kept = tuple(word for word in _content(words) if word.text not in stop_words())
    return () if any(word.text in _VAGUE for word in words) else kept


def _denies(words: _Words) -> bool:
    return any(word.text in _NEGATIONS or word.text.endswith("n't") for word in words)


def _texts(words: _Words) -> list[str]:
    return [word.text for word in words]


def _other_answer(answer: str, said: _Words, sample: str, other: _Words) -> Finding:
    here, there = _span(answer, said), _span(sample, other)
    reason = f'The answer says "{here.text}", the sample "{there.text}".'
    return _finding("other-answer", reason, here, there)


def _finding(kind: str, reason: str, here: Span, there: Span) -> Finding:
    return Finding("answer", kind, reason, here, there)


@lru_cache(maxsize=4096)
def _read(text: str) -> _Words:
    return tuple(word for word in read_words(text) if word.kind != "p")


def _verdict(word: Word) -> str | None:
    return "yes" if word.text in _YES else "no" if word.text in _NO else None


def _content(words: _Words) -> _Words:
    """Keep what an answer gives: no stop words, no verdict, no numbers, which have a guard of their own."""
    return tuple(
        word
        for word in words
        if word.kind == "w" and not _verdict(word) and (word.text not in stop_words() or len(words) == 1)
    )


def _affirmed(words: _Words, text: str) -> _Words:
    """Keep what an answer says; who says "not Paris" does not say Paris."""
    denied = denied_names(analyse(text))
    return tuple(word for word in words if not any(name.start <= word.start < name.end for name in denied))


def _short(said: _Words, other: _Words) -> bool:
    fewer, more = sorted((len(said), len(other)))
    return 0 < fewer <= _SHORT and more <= _LONG


def _stems(words: _Words) -> frozenset[str]:
    return frozenset(stem(word.text) for word in words)


def _span(text: str, words: _Words) -> Span:
    start, end = words[0].start, words[-1].end
    return Span(start, end, text[start:end])
