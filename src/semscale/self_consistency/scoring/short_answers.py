"""A guard for short answers: finds two that name different things, or a yes beside a no."""

from functools import lru_cache

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

_SHORT, _LONG = 3, 8  # content words of the shorter and of the longer answer
_YES = frozenset({"yes", "yeah", "yep", "true", "correct"})
_NO = frozenset({"no", "nope", "false", "incorrect"})


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
        self, answer: str, sample: str, cosine: float, same_answer: float = SAME_ANSWER
    ) -> list[Finding]:
        """Report that the answers open with opposite verdicts, or give different things in a few words.

        Args:
            answer: the original.
            sample: another answer to the same prompt.
            cosine: of their vectors.
            same_answer: cosine from which they count as wordings of one answer.

        Example:
            >>> guard = ShortAnswerGuard()
            >>> [finding.kind for finding in guard.check("Paris", "It is London.", 0.6)]
            ['other-answer']
            >>> [finding.kind for finding in guard.check("Yes, it is safe.", "No, it is not safe.", 0.9)]
            ['opposite-verdict']
            >>> guard.check("couch", "sofa", 0.86), guard.check("It is not Paris.", "London it is.", 0.6)
            ([], [])
        """
        ours, theirs = _read(answer), _read(sample)
        if not ours or not theirs:
            return []
        if {_verdict(ours[0]), _verdict(theirs[0])} == {"yes", "no"}:
            reason = f'The answer begins with "{ours[0].text}", the sample with "{theirs[0].text}".'
            return [_finding("opposite-verdict", reason, _span(answer, ours[:1]), _span(sample, theirs[:1]))]
        if cosine >= same_answer:
            return []
        said, other = _content(ours), _content(theirs)
        if not said or not other or not _short(said, other) or _stems(said) & _stems(other):
            return []
        said, other = _affirmed(said, answer), _affirmed(other, sample)
        if not said or not other:
            return []
        here, there = _span(answer, said), _span(sample, other)
        reason = f'The answer says "{here.text}", the sample "{there.text}".'
        return [_finding("other-answer", reason, here, there)]


def _finding(kind: str, reason: str, here: Span, there: Span) -> Finding:
    return Finding("answer", kind, reason, here, there)


@lru_cache(maxsize=4096)
def _read(text: str) -> tuple[Word, ...]:
    return tuple(word for word in read_words(text) if word.kind != "p")


def _verdict(word: Word) -> str | None:
    return "yes" if word.text in _YES else "no" if word.text in _NO else None


def _content(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Keep what an answer gives: no stop words, no verdict, no numbers, which have a guard of their own."""
    return tuple(
        word
        for word in words
        if word.kind == "w" and not _verdict(word) and (word.text not in stop_words() or len(words) == 1)
    )


def _affirmed(words: tuple[Word, ...], text: str) -> tuple[Word, ...]:
    """Keep what an answer says; who says "not Paris" does not say Paris."""
    denied = denied_names(analyse(text))
    return tuple(word for word in words if not any(name.start <= word.start < name.end for name in denied))


def _short(said: tuple[Word, ...], other: tuple[Word, ...]) -> bool:
    fewer, more = sorted((len(said), len(other)))
    return fewer <= _SHORT and more <= _LONG


def _stems(words: tuple[Word, ...]) -> frozenset[str]:
    return frozenset(stem(word.text) for word in words)


def _span(text: str, words: tuple[Word, ...]) -> Span:
    start, end = words[0].start, words[-1].end
    return Span(start, end, text[start:end])
