"""Warnings above the headline: texts that the model does not read, or that do not fit the scale."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from semscale.report.formatting import count, counted, one_line, percent
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.embedding.languages.unread_language import UnreadLanguage

WARNED_SHARE = 0.2
"""Share of texts above which those that are unread or off topic are warned of."""

_WITH_TEXTS = (Status.SCORED, Status.OFF_TOPIC, Status.WEIGHTLESS)


def language_warnings(found: "UnreadLanguage | None", option: str = "--model") -> tuple[str, ...]:
    """Warn of texts in a language that the model does not read; nothing where there is none.

    Args:
        found: the language.
        option: of the command line, which chooses the model.
    """
    if found is None:
        return ()
    model = one_line(found.model)
    remedy = f"Do not trust these figures, and use a model that reads such texts ({option})."
    if found.share is None:
        texts = f"Read together, the {count(found.n)} sampled texts"
        return (f"{texts} seem to be {found.name}, which {model} does not read. {remedy}",)
    share = f"{percent(found.share, 0)} of the {count(found.n)} texts whose language is clear"
    return (
        f"Most texts seem to be in languages that {model} does not read: {share} are in such languages, most "
        f"often {found.name}. {remedy}",
    )


def unread_warnings(counts: Mapping[str, int], noun: str = "row", option: str = "--model") -> tuple[str, ...]:
    """Warn where more than a fifth of the rows with texts are not read.

    Args:
        counts: rows by status.
        noun: what a row is called.
        option: of the command line, which chooses the model.

    Example:
        >>> unread_warnings({"scored": 7, "weightless": 3, "missing": 5})[0].partition(" (")[0]
        'In 3 of 10 rows'
        >>> unread_warnings({"scored": 8, "weightless": 2})
        ()
    """
    said = _share_words(counts, Status.WEIGHTLESS, noun)
    if said is None:
        return ()
    return (
        f"In {said} the model cannot read a text: more than half of its tokens are unknown to it, as emoji "
        "and some scripts are. The figures rest on the others. Use a model that reads these texts "
        f"({option}).",
    )


def off_topic_warnings(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Warn where more than a fifth of the texts are off topic.

    Args:
        counts: texts by status.

    Example:
        >>> off_topic_warnings({"scored": 5, "off-topic": 25})[0].partition(" (")[0]
        '25 of 30 texts'
    """
    said = _share_words(counts, Status.OFF_TOPIC, "text")
    if said is None:
        return ()
    verb = "is" if counts[Status.OFF_TOPIC] == 1 else "are"
    return (
        f"{said} {verb} off topic: the figures rest on the others alone. Such texts answer another question, "
        "are in another language, or need another scale.",
    )


def _share_words(counts: Mapping[str, int], status: Status, noun: str) -> str | None:
    """Say how many rows with texts have a status; ``None`` up to a fifth of them."""
    n = counts.get(status, 0)
    total = n + sum(counts.get(other, 0) for other in _WITH_TEXTS if other != status)
    if n <= WARNED_SHARE * total:
        return None
    return f"{count(n)} of {counted(total, noun)} ({percent(n / total, 0)})"
