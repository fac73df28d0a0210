"""Why a row has no score, in words."""

from semscale.types import Status

UNREAD = "the model cannot read the text: more than half of its tokens are unknown to it"
"""Why a text is weightless, in every output."""

_REASONS = {
    Status.MISSING: "{} is missing",
    Status.NOT_TEXT: "{} is not a text",
    Status.EMPTY: "{} is empty",
    Status.UNINFORMATIVE: "{} has neither a letter nor a digit",
    Status.NO_REFERENCE: "no reference holds a text",
    Status.TOO_FEW_SAMPLES: "too few samples are usable",
    Status.WEIGHTLESS: UNREAD,
    Status.OFF_TOPIC: "{} is off the topic of the scale",
    Status.OTHER_LANGUAGE: "{} is in a language that the model does not read",
    Status.UNPARSABLE: "no reply contains exactly one score",
    Status.REFUSED: "the model declined to answer",
    Status.FAILED: "no reply came",
    Status.UNFINISHED: "the run stopped first",
}


def reason_words(status: Status, what: str) -> str | None:
    """Say why a row has no score; ``None`` where it has one.

    Args:
        status: of the row.
        what: what is measured, such as "the answer".

    Example:
        >>> reason_words(Status.EMPTY, "the answer"), reason_words(Status.SCORED, "the answer")
        ('the answer is empty', None)
    """
    return None if status is Status.SCORED else _REASONS[status].format(what)
