"""Contradictions between an answer and its samples, found by guards."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.answer_consistency.scoring.short_answers import SAME_ANSWER, ShortAnswerGuard
from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.guards.registry import GUARDS
from semscale.store.columns import as_list
from semscale.types import Floats, Integers, Mask

CONTRADICTING = frozenset(
    {
        "negation:negated-prediction",
        "negation:negated-reference",
        "opposite:opposed",
        "opposite:reversed-order",
        "number:other-value",
        "number:other-unit",
        "number:other-bound",
        "number:other-label",
        "answer:other-answer",
        "answer:opposite-verdict",
    }
)
"""Kinds of findings by which a sample contradicts the answer; one that only says more or less does not."""

_EXCHANGED = frozenset({"name:missing-name", "name:invented-name"})  # one for the other, if both are found
_SHORT_ANSWERS = ShortAnswerGuard()

_SAMPLE_GUARDS = tuple(
    name
    for name, guard in GUARDS.items()
    if not (CONTRADICTING | _EXCHANGED).isdisjoint(f"{name}:{kind}" for kind in guard.kinds)
)
GUARD_NAMES = (*_SAMPLE_GUARDS, _SHORT_ANSWERS.name)
"""The guards that look at samples: those whose findings contradict an answer, and one for short answers."""


@dataclass(frozen=True)
class Contradiction:
    """Something in one sample that contradicts the answer.

    Attributes:
        sample: which of the item's samples, counted from 0 as they were given.
        finding: what a guard found; its ``prediction`` lies in the answer, its ``reference`` in the sample.
    """

    sample: int
    finding: Finding


@dataclass(frozen=True)
class PairTexts:
    """p pairs of an answer and a sample.

    Attributes:
        texts: distinct texts.
        answer: shape (p,), which text is the answer.
        sample: shape (p,), which text is the sample.
        cosine: shape (p,), of their vectors; NaN where it is not known.
        guarded: shape (p,), whether guards look at the pair: they read English alone.
        same_answer: cosine from which two short answers count as wordings of one, which depends on the model.
        differing: shape (p,), cosine of the words in which two short answers of one wording differ; NaN where
            there are none, or where it is not known.
    """

    texts: Sequence[str]
    answer: Integers
    sample: Integers
    cosine: Floats
    guarded: Mask
    same_answer: float = SAME_ANSWER
    differing: Floats | None = None


def check_guards(names: Iterable[str]) -> tuple[str, ...]:
    """Give the chosen guards in their fixed order.

    Raises:
        InputError: a guard that does not exist.

    Example:
        >>> check_guards(["number", "negation"])
        ('negation', 'number')
    """
    chosen = as_list(names, "guards")
    for name in chosen:
        if name not in GUARD_NAMES:
            raise InputError(f"guards must be among {', '.join(GUARD_NAMES)}, got {name!r}")
    return tuple(name for name in GUARD_NAMES if name in chosen)


def find_contradictions(pairs: PairTexts, guards: Sequence[str]) -> list[tuple[Finding, ...]]:
    """Find in each pair what contradicts the answer; equal pairs are checked once.

    Args:
        pairs: p pairs.
        guards: names of the guards that look.

    Returns:
        p tuples, empty where nothing contradicts, and where guards do not look.
    """
    known: dict[tuple[int, int], tuple[Finding, ...]] = {}
    found: list[tuple[Finding, ...]] = []
    differing = np.full(len(pairs.answer), np.nan) if pairs.differing is None else pairs.differing
    for answer, sample, cosine, apart, guarded in zip(
        pairs.answer.tolist(), pairs.sample.tolist(), pairs.cosine, differing, pairs.guarded, strict=True
    ):
        if not guarded:
            found.append(())
            continue
        if (answer, sample) not in known:
            both = pairs.texts[answer], pairs.texts[sample]
            known[answer, sample] = _contradicting(*both, (cosine, pairs.same_answer, apart), guards)
        found.append(known[answer, sample])
    return found


def _contradicting(
    answer: str, sample: str, cosines: tuple[float, float, float], guards: Sequence[str]
) -> tuple[Finding, ...]:
    if answer == sample:
        return ()
    findings = [
        finding for name in guards if name in GUARDS for finding in GUARDS[name].check(answer, sample)
    ]
    if _SHORT_ANSWERS.name in guards:
        cosine, same_answer, differing = cosines
        findings += _SHORT_ANSWERS.check(answer, sample, cosine, same_answer, differing_cosine=differing)
    return tuple(_reworded(finding) for finding in contradicting(findings))


def contradicting(findings: Sequence[Finding]) -> list[Finding]:
    """Keep the findings that are contradictions.

    Those of ``CONTRADICTING`` do; a name does if another one stands in its place.

    Args:
        findings: all of one pair.
    """
    kinds = {_kind(finding) for finding in findings}
    telling = CONTRADICTING | _EXCHANGED if kinds >= _EXCHANGED else CONTRADICTING
    return [finding for finding in findings if _kind(finding) in telling]


def _reworded(finding: Finding) -> Finding:
    """Speak of the answer and the sample; what is quoted stays."""
    pieces = finding.reason.split('"')
    pieces[::2] = [
        piece.replace("prediction", "answer").replace("reference", "sample") for piece in pieces[::2]
    ]
    return replace(finding, reason='"'.join(pieces))


def _kind(finding: Finding) -> str:
    return f"{finding.guard}:{finding.kind}"


def marked(found: Sequence[tuple[Finding, ...]]) -> npt.NDArray[np.bool_]:
    """Which pairs have a finding, shape (p,)."""
    return np.array([bool(findings) for findings in found], dtype=bool)
