"""Languages of rated texts in a report: counts, whose anchors rated them, and what was not read."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from semscale.embedding.languages.language_counts import LanguageCount
from semscale.rating.anchors import stated_language
from semscale.report.document import Count, Section, Words
from semscale.report.formatting import count, counted, listed, percent
from semscale.report.sentences import foreign_warnings, language_name, language_section
from semscale.scales.library import languages_in
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.rating.summary import LanguageTexts, RatingSummary

_NAMED = 4  # languages in a sentence
_ANCHORS = (
    "Texts in a language that has no translated anchors for this scale, or whose anchors have not passed "
    "their check, are rated with the scale's own."
)


def rated_languages(summary: "RatingSummary") -> Iterator[Section]:
    """Give the section about languages, where some text is in another one than the scale."""
    scale_language = summary.scale.language
    if all(found.language in {scale_language, None} for found in summary.languages):
        return
    rows = [
        (
            Words(language_name(found.language)),
            Count(found.texts),
            Count(found.rated),
            Words("–" if found.anchors is None else language_name(found.anchors)),
        )
        for found in summary.languages
    ]
    yield language_section(("language", "texts", "rated", "anchors"), rows, "Texts by language", _ANCHORS)


def other_language_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Warn of texts in languages that the model does not read; they have no rating."""
    counts = [
        LanguageCount((found.language,), found.texts, found.rated, found.unread)
        for found in summary.languages
    ]
    return foreign_warnings(counts, "text", lack="rating")


def said_language_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Warn of texts that seem to be in another language than the user says."""
    found, said = summary.other_language, stated_language(summary.signature)
    if found is None or said is None or summary.unread_language is not None:
        return ()
    texts = (
        f"Read together, the {count(found.n)} sampled texts seem to be {found.name}"
        if found.share is None
        else f"{percent(found.share, 0)} of the {count(found.n)} sampled texts whose language is clear seem "
        f"to be in other languages, most often {found.name}"
    )
    return (
        f"{texts}, but --language says that all are {language_name(said)}. Do not trust these figures, and "
        "use --language auto.",
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
        else f"their {count(rated)} of {counted(n, 'rating')}"
    )
    translated = set(languages_in(summary.scale))
    failed = [one for one in found if one.language in translated]
    lacking = (
        [_named(one for one in found if one.language not in translated)] if len(failed) < len(found) else []
    )
    if failed:
        lacking.append(f"{_named(failed)} that passed their check with this model")
    return (
        f"This scale has no anchors in {', and none in '.join(lacking)}, so {ratings} "
        f"{'is' if rated == 1 else 'are'} by {language_name(found[0].anchors)} anchors."
    )


def _named(found: "Iterable[LanguageTexts]") -> str:
    """List languages by name, the last of many as a number."""
    names = [language_name(one.language) for one in found]
    return listed(
        names if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} others"]
    )
