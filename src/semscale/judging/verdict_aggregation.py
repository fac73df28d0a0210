"""Turns everything that came back about an item into its verdict."""

from collections.abc import Sequence

from semscale.chat.replies import FailureKind
from semscale.judging.asking import Thread
from semscale.judging.prompts.template import Template
from semscale.judging.replies.reading import ReplyReading
from semscale.judging.replies.token_probabilities import token_shares
from semscale.judging.verdict import Provenance, Verdict, massed, most_frequent, sample_shares
from semscale.types import Status


def settle(threads: Sequence[Thread], template: Template, *, stopped: bool) -> Verdict:
    """Make a verdict of the threads of one item, one for each sample.

    Args:
        threads: with everything that came back.
        template: what the judge was asked.
        stopped: whether a cap ended the run early.
    """
    replies = tuple(reply.text for thread in threads for reply in thread.replies)
    if stopped and any(_is_open(thread) for thread in threads):
        return Verdict.without_score(Status.UNFINISHED, "a cap was reached first", replies)
    read = [thread for thread in threads if _reading(thread) is not None]
    if not read:
        return _without_score(threads, replies)
    if len(threads) == 1:
        return _of_one(read[0], template, replies)
    scores = [reading.score for thread in read if (reading := _reading(thread)) and reading.score is not None]
    score = most_frequent(scores)
    first = next(r for thread in read if (r := _reading(thread)) is not None and r.score == score)
    return Verdict(
        score=score,
        distribution=sample_shares(scores),
        provenance=Provenance.SAMPLES,
        covered=len(scores) / len(threads),
        explanation=first.explanation,
        replies=replies,
        status=Status.SCORED,
    )


def _of_one(thread: Thread, template: Template, replies: tuple[str, ...]) -> Verdict:
    reading, reply = thread.reading, thread.replies[-1]
    if reading is None or reading.score is None:
        return Verdict.without_score(Status.UNPARSABLE, "", replies)
    distribution: tuple[tuple[float, float], ...] = ((reading.score, 1.0),)
    provenance, covered = Provenance.SINGLE, float("nan")
    if reply.logprobs and reading.span is not None:
        shares = token_shares(reply.text, reply.logprobs, reading.span, template)
        stated = massed(template.scores, shares.masses) if shares else ()
        # Tokens that give nothing to the level that was read are not those of the score.
        if shares and reading.score in dict(stated):
            distribution, provenance, covered = stated, Provenance.LOGPROBS, shares.covered
    return Verdict(
        reading.score, distribution, provenance, covered, reading.explanation, replies, Status.SCORED
    )


def _without_score(threads: Sequence[Thread], replies: tuple[str, ...]) -> Verdict:
    failures = [thread.failure for thread in threads if thread.failure is not None]
    declined = any(failure.kind is FailureKind.REFUSED for failure in failures)
    if declined or any(thread.reading and thread.reading.status == "refused" for thread in threads):
        said = next((str(failure) for failure in failures if failure.kind is FailureKind.REFUSED), "")
        return Verdict.without_score(Status.REFUSED, said or "the judge declined to give a score", replies)
    if len(failures) == len(threads):
        return Verdict.without_score(Status.FAILED, str(failures[0]), replies)
    return Verdict.without_score(Status.UNPARSABLE, "no reply states one score beyond doubt", replies)


def _reading(thread: Thread) -> ReplyReading | None:
    """What a thread's last reply says, if it states a score."""
    if thread.failure is not None or thread.reading is None or thread.reading.score is None:
        return None
    return thread.reading


def _is_open(thread: Thread) -> bool:
    return thread.failure is None and (thread.reading is None or thread.unread)
