"""Languages of rated texts in a report: counts, whose anchors rated them, and what was not read."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.embedding.languages.language_names import LANGUAGE_NAMES
from semscale.rating.languages.anchor_languages import said_language
from semscale.report.document.blocks import Block, DataTable, Paragraph
from semscale.report.document.document import Section
from semscale.report.document.values import Count, Words
from semscale.report.formatting import count, counted, listed, percent
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.rating.summary import RatingSummary

_NAMED = 4  # languages in a sentence


def language_section(summary: "RatingSummary") -> Iterator[Section]:
    """Give the section about languages, where some text is in another one than the scale."""
    scale_language = summary.scale.language
    if all(found.language in {scale_language, None} for found in summary.languages):
        return
    yield Section("languages", "Languages", tuple(_blocks(summary)))


def other_language_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Warn of texts in languages that the model does not read; they have no rating."""
    n = summary.counts.get(Status.OTHER_LANGUAGE, 0)
    if not n:
        return ()
    unread = [found for found in summary.languages if found.unread]
    named = [f"{_name(found.language)} {count(found.unread)}" for found in unread[:_NAMED]]
    named += ["others"] if len(unread) > _NAMED else []
    total = sum(found.texts for found in summary.languages)
    verb, their = ("has", "its") if n == 1 else ("have", "their")
    return (
        f"{count(n)} of {counted(total, 'text')} ({percent(n / total, 0)}) {verb} no rating: the model does "
        f"not read {their} language ({listed(named)}). Use a model that does (--model e5-small).",
    )


def said_language_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Warn of texts that seem to be in another language than the user says."""
    found, said = summary.other_language, said_language(summary.signature)
    if found is None or said is None or summary.unread_language is not None:
        return ()
    texts = (
        f"Read together, the {count(found.n)} sampled texts seem to be {found.name}"
        if found.share is None
        else f"{percent(found.share, 0)} of the {count(found.n)} sampled texts whose language is clear seem "
        f"to be in other languages, most often {found.name}"
    )
    return (
        f"{texts}, but --language says that all are {_name(said)}. Do not trust these figures, and use "
        "--language auto.",
    )


def without_anchors_words(summary: "RatingSummary") -> str | None:
    """Say that texts were rated with anchors in another language than ``--language`` asks for."""
    found = summary.without_anchors
    if not found:
        return None
    rated, n = sum(one.rated for one in found), summary.counts.get(Status.SCORED, 0)
    ratings = (
        ("the rating" if n == 1 else "all ratings")
        if rated == n
        else f"{count(rated)} of {counted(n, 'rating')}"
    )
    named = [_name(one.language) for one in found]
    named = named if len(named) <= _NAMED else [*named[: _NAMED - 1], f"{len(named) - _NAMED + 1} others"]
    return (
        f"This scale has no anchors in {listed(named)} that passed their check, so {ratings} "
        f"{'is' if rated == 1 else 'are'} by {_name(found[0].anchors)} anchors."
    )


def _blocks(summary: "RatingSummary") -> Iterator[Block]:
    rows = tuple(
        (
            Words(_name(found.language)),
            Count(found.texts),
            Count(found.rated),
            Words("–" if found.anchors is None else _name(found.anchors)),
        )
        for found in summary.languages
    )
    yield DataTable(("language", "texts", "rated", "anchors"), rows, title="Texts by language")
    yield Paragraph(
        "The language of each text is identified by itself; of a word or two it is often not clear. Texts in "
        "a language that has no translated anchors for this scale, or whose anchors have not passed their "
        "check, are rated with the scale's own.",
        "note",
    )


def _name(code: str | None) -> str:
    return "not clear" if code is None else LANGUAGE_NAMES.get(code, code)
