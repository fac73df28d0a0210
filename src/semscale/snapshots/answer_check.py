"""Check of an answer against the right one: it passes, fails, or is unsure, so that a person reads it.

An answer that contradicts the right one fails: another number or unit, a negation, an opposite, or another
name. Any other answer is scored by its meaning, alone and after its question, with which a short answer such
as "59 euros" says the same as a sentence. ``bench/answer_check.py`` measures how often the check errs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from semscale.answer_consistency.pairs import contradicting
from semscale.errors import InputError
from semscale.guards.actors import find_other_actors
from semscale.guards.findings import Finding
from semscale.guards.text import read_text
from semscale.history.items import Output
from semscale.snapshots.compare_outputs import SnapshotMeter
from semscale.types import Floats

Outcome = Literal["pass", "unsure", "fail"]

PASS, FAIL = 0.5, 0.2
"""Score from which an answer passes, and below which it fails."""

MOST_LOST = 0.1
"""Share of content that an answer which passes may lose, both texts after the question."""

REJECTED = "a person rejected it"
"""Reason for which an answer fails that people call wrong."""

MEASURED = (
    "The check errs. On other questions, 4 % of wrong answers of a help desk passed and 3 % of right "
    "ones failed; of students’ answers, 10 % and 29 %. About a third of all were unsure."
)
"""Sentences on how often the check errs, by ``bench/answer_check.py``."""


@dataclass(frozen=True)
class AnswerCheck:
    """An answer compared with the right one.

    Attributes:
        outcome: whether it passes, fails, or a person should read it.
        reason: the outcome in a sentence without a full stop.
        score: likeness of the meanings, 0 to 1; NaN if it was not measured.
        findings: contradictions; the answer is the "prediction", the right one the "reference".
    """

    outcome: Outcome
    reason: str
    score: float = np.nan
    findings: tuple[Finding, ...] = ()


def check_answer(
    answer: str,
    right: str | Sequence[str],
    meter: SnapshotMeter,
    *,
    question: str = "",
    rejected: Sequence[str] = (),
) -> AnswerCheck:
    """Check an answer against the right one; no model is loaded for a text that is known.

    Args:
        answer: the answer; text within tags of reasoning is left out.
        right: the right answer, or several, of which the one counts that the answer agrees with best.
        meter: scores texts.
        question: the question; without it, texts are compared alone.
        rejected: answers that people call wrong; the same text fails, unless it is a right answer, too.

    Raises:
        InputError: no right answer is given.
        ModelError: the model's files cannot be pulled or run.
    """
    answer, *rights = map(_without_reasoning, (answer, *([right] if isinstance(right, str) else right)))
    if not rights:
        raise InputError("right", "must have at least one answer")
    if not answer:
        return AnswerCheck("fail", "there is no answer")
    if answer in rights:
        return AnswerCheck("pass", "the same text", 1.0)
    if answer in map(_without_reasoning, rejected):
        return AnswerCheck("fail", REJECTED)
    checks: list[AnswerCheck] = []
    for one in rights:
        checks.append(_compare(answer, one, meter, question))
        if checks[-1].outcome == "pass":
            return checks[-1]
    return next((check for check in checks if check.outcome == "unsure"), checks[0])


def _without_reasoning(text: str) -> str:
    return (Output(text).separate_reasoning().text or "").strip()


def _compare(answer: str, right: str, meter: SnapshotMeter, question: str) -> AnswerCheck:
    """Compare two different texts."""
    texts, expected = [answer], [right]
    if question.strip():
        with_answer, with_right = f"{question} {answer}", f"{question} {right}"
        texts, expected = [answer, with_answer, question], [right, with_right, with_right]
    matches = meter.match(texts, expected, "weigh")
    score = _score(matches.score / matches.components["findings"])
    findings = tuple(finding for finding in contradicting(matches.findings[0]) if not _abridges(finding))
    if findings:
        return AnswerCheck("fail", "it contradicts the right answer", score, findings)
    if not score >= PASS:
        return _without_pass(score)
    actors = next(find_other_actors(read_text(answer), read_text(right)), None)
    if actors and actors[0].is_denied == actors[1].is_denied:
        return AnswerCheck(
            "unsure",
            f'it states what "{actors[0].person}" do, the right answer what "{actors[1].person}" do',
            score,
        )
    lost = meter.lost_content(texts[1:2] or texts, expected[1:2] or expected)[0]
    if lost > MOST_LOST:
        return AnswerCheck("unsure", "content of the right answer may be missing", score)
    return AnswerCheck("pass", f"its meaning is near the right answer ({score:.2f})", score)


def _without_pass(score: float) -> AnswerCheck:
    if np.isnan(score):
        return AnswerCheck("unsure", "its meaning cannot be measured")
    if score < FAIL:
        return AnswerCheck("fail", f"its meaning is far from the right answer ({score:.2f})", score)
    return AnswerCheck("unsure", f"its meaning is neither near the right answer nor far ({score:.2f})", score)


def _score(matches: Floats) -> float:
    """Return the mean of the match of the texts alone, and of the way that they lead from the question.

    With the question, all texts are similar, so the match of the question without any answer counts as 0.
    """
    if len(matches) == 1:
        return float(matches[0])
    alone, together, none = matches.tolist()
    gain = (together - none) / (1 - none) if none < 1 else 1.0
    return float((alone + np.clip(gain, 0, 1)) / 2)


def _abridges(finding: Finding) -> bool:
    """Return true if one side states a unit of the other in fewer words, such as euros per month as euros."""
    if finding.kind != "other-unit" or finding.prediction is None or finding.reference is None:
        return False
    short, long = sorted((finding.prediction.text.casefold(), finding.reference.text.casefold()), key=len)
    return long.startswith(short)
