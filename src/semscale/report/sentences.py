"""Sentences that all instruments share: rows that were scored, intervals, languages, what was left out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from semscale.embedding.languages.language_counts import LanguageCount, Languages, are_english
from semscale.embedding.languages.language_names import LANGUAGE_NAMES
from semscale.judging.asking import FormRefusal, refusals_in_words
from semscale.report.document import (
    Block,
    Cell,
    Count,
    DataTable,
    Paragraph,
    Quoted,
    Reason,
    Reasons,
    Section,
    Words,
)
from semscale.report.formatting import count, counted, coverage, has_interval, listed, one_line, percent
from semscale.results.shown_rows import EXAMPLES_PER_STATUS
from semscale.signature import Signature
from semscale.stats.intervals.resampling import FEWEST_CLUSTERS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.embedding.languages.unread_language import UnreadLanguage
    from semscale.results.estimates import Estimates
    from semscale.stats.intervals.means import MeanEstimate

STATUS_MEANINGS = {
    "not-text": "a number or something else that is not text stands in the column",
    "empty": "nothing but white space",
    "refused": "the model declined to answer",
    "failed": "no reply came",
    "unfinished": "the run stopped first; the same command goes on from there",
}
"""Why an item has no score, for the statuses that mean the same in every instrument."""
_LONGEST_EXAMPLE = 160
_STAND_INS = {
    "next-token": "its verdicts are probabilities of the levels’ letters as the next token",
    "prose": "its verdicts were read from its prose",
}
_EVEN = 0.5
_NAMED = 3  # figures whose method is said to differ
_IN_WORDS = {
    "not-text": "not text",
    "no-reference": "without reference",
    "too-few-samples": "with too few samples",
    "no-value": "without value",
    "weightless": "that the model cannot read",
    "other-language": "in a language that the model does not read",
    "no-weight": "without weight",
    "zero-weight": "with weight 0",
    "no-respondent": "without respondent",
}


class ResampledIntervals(Protocol):
    """How intervals were made, such as ``IntervalPlan`` or ``Estimates`` say it."""

    @property
    def interval(self) -> float:
        """Coverage, between 0 and 1."""
        ...

    @property
    def replicates(self) -> int:
        """Resamples of the bootstrap."""
        ...

    @property
    def seed(self) -> int | None:
        """Seed of the bootstrap; ``None`` where nothing is random."""
        ...


def rows_that_count(n: int, total: int, left_out: Mapping[str, int], noun: str = "row") -> str:
    """Say how many rows the figures rest on, and why the others do not count: together they are all rows.

    Example:
        >>> rows_that_count(3, 5, {"missing": 1, "unparsable": 1, "empty": 0})
        '3 of 5 rows count; left out: 1 missing and 1 unparsable'
    """
    verb = "counts" if 1 in {n, total} else "count"
    reasons = [
        f"{count(rows)} {_IN_WORDS.get(status, status)}" for status, rows in most_frequent(left_out).items()
    ]
    others = f"; left out: {listed(reasons)}" if reasons else ""
    return f"{count(n)} of {counted(total, noun)} {verb}{others}"


def most_frequent(left_out: Mapping[str, int]) -> dict[str, int]:
    """Put reasons in order, the most frequent first, without those that do not occur."""
    return {str(reason): n for reason, n in sorted(left_out.items(), key=lambda item: -item[1]) if n}


def interval_words(estimates: "Estimates", method: str | None, noun: str = "row") -> str:
    """Say how the intervals were made.

    Args:
        estimates: whose intervals they are.
        method: of the figure that is spoken of; ``None`` where it has no interval.
        noun: what an item is called.
    """
    words = plan_words(estimates, {"": method}, "respondents" if estimates.clustered else f"{noun}s")
    if not estimates.refits or method is None:
        return words
    fits = f"{count(estimates.refits)} fits that each lack a part of the labels"
    shares = "those of masses and boxes are at least as wide as the exact interval of a share of the labels"
    return f"{words}; wider by the error of the calibration itself, from {fits}; {shares}"


def plan_words(plan: ResampledIntervals, methods: Mapping[str, str | None], units: str) -> str:
    """Say how the intervals of several figures were made.

    Args:
        plan: coverage, resamples and seed.
        methods: of each figure by its name; ``None`` where it has no interval.
        units: what was resampled, such as "rows".

    Example:
        >>> from semscale.stats.intervals.estimates import IntervalPlan
        >>> plan_words(IntervalPlan(seed=7), {"match": "bootstrap", "F1": None}, "items")
        '95 %, 2,000 bootstrap resamples of items, seed 7'
        >>> plan_words(IntervalPlan(), {"match": "linearized", "F1": "bootstrap"}, "items").partition("; ")[2]
        'that of match: linearized variance over items, quantiles of the t distribution'
    """
    known = {method for method in methods.values() if method is not None}
    if not known:
        return f"none, because at least two counted {units} are needed"
    ways = {
        "bootstrap": f"{count(plan.replicates)} bootstrap resamples of {units}, seed {plan.seed}",
        "linearized": f"linearized variance over {units}, quantiles of the t distribution",
        "exact": f"exact bounds: all {units} have the same value, so there is no spread to resample",
    }
    usual, *others = sorted(known, key=list(ways).index)
    said = [f"{coverage(plan.interval)}, {ways[usual]}"]
    for method in others:
        names = [name for name, own in methods.items() if own == method]
        more = [f"{count(len(names) - _NAMED)} more"] if len(names) > _NAMED else []
        which = "that of" if len(names) == 1 else "those of"
        said.append(f"{which} {listed([*names[:_NAMED], *more])}: {ways[method]}")
    return "; ".join(said)


def nothing_words(noun: str = "row", total: int | None = None) -> str:
    """Say that no row counts, or that there is none.

    Args:
        noun: what a row is called.
        total: rows altogether, where that is known.

    Example:
        >>> nothing_words("prompt"), nothing_words(total=0)
        ('No prompt counts, so there is nothing to estimate.', 'The input has no rows.')
    """
    return (
        f"The input has no {noun}s." if total == 0 else f"No {noun} counts, so there is nothing to estimate."
    )


def stopped_cautions(stopped: str | None) -> tuple[str, ...]:
    """Say why not every item was asked about; nothing where all were."""
    return () if not stopped else (f"Not everything was asked: {one_line(stopped)}.",)


def small_base_words(noun: str = "row") -> str:
    """Say what the asterisk beside a small base means.

    Example:
        >>> small_base_words("item")
        '* fewer than 10 items: chance alone can move these figures far.'
    """
    return f"* fewer than {FEWEST_CLUSTERS} {noun}s: chance alone can move these figures far."


def windowed_words(n: int, noun: str = "row") -> str:
    """Say how many items have a text that was read in windows; empty for none."""
    return f"{counted(n, noun)} with texts read in overlapping windows, because of their length" if n else ""


def refused_words(model: str, refused: Sequence[str]) -> str | None:
    """Say which parameters a chat model refused; ``None`` if it took all.

    Args:
        model: its name.
        refused: names of parameters.

    Example:
        >>> refused_words("m", ["temperature"])
        'm refused the parameter temperature and was asked without it: its own default applies.'
    """
    if not refused:
        return None
    one = len(refused) == 1
    return (
        f"{model} refused the parameter{'' if one else 's'} {listed(list(refused))} and was asked without "
        f"{'it: its own default applies' if one else 'them: its own defaults apply'}."
    )


def stand_in_words(judge: str, signature: Signature, not_taken: Sequence[FormRefusal]) -> tuple[str, ...]:
    """Say what stood in for a judge's typed decisions, and why; nothing where it took them.

    Args:
        judge: its name.
        signature: what it applied.
        not_taken: forms of asking that its model did not take.
    """
    method = dict(signature.fields).get("method")
    if method not in _STAND_INS:
        return ()
    said = f"{judge} takes no typed decisions, so {_STAND_INS[method]}."
    forms = [each for each in not_taken if not each.form.startswith("prose")]
    return (said, *forms_not_taken_words(judge, refusals_in_words(forms)))


def forms_not_taken_words(model: str, told: str) -> tuple[str, ...]:
    """Say which forms of decisions a model did not take; nothing where it took the first one.

    Args:
        model: its name.
        told: forms and reasons; empty for none.

    Example:
        >>> forms_not_taken_words("m", "decisions: HTTP 400.")
        ('Forms of decisions that m did not take: decisions: HTTP 400.',)
    """
    shown = one_line(told).rstrip(".")
    return (f"Forms of decisions that {model} did not take: {shown}.",) if shown else ()


def first_place_words(judge: str, place: "MeanEstimate") -> str | None:
    """Say that a judge prefers what stands first or second; ``None`` where that may be chance.

    Args:
        judge: who is meant, such as the model's name.
        place: mean points of what stood first.

    Example:
        >>> from semscale.stats.intervals.means import MeanEstimate
        >>> first_place_words("m", MeanEstimate(0.7, 0.6, 0.8, 20, 0, 20, "bootstrap")).partition(": ")[0]
        'm prefers the answer that stands first'
        >>> first_place_words("m", MeanEstimate(0.6, 0.4, 0.8, 20, 0, 20, "bootstrap")) is None
        True
    """
    if not has_interval(place) or place.low <= _EVEN <= place.high:
        return None
    which = "first" if place.value > _EVEN else "second"
    return (
        f"{judge} prefers the answer that stands {which}: the first one gets {percent(place.value, 0)} of "
        f"the points ({percent(place.low, 0)} to {percent(place.high, 0)}); both orders even this out"
    )


def left_out_section(
    left_out: Mapping[str, int],
    total: int,
    meanings: Mapping[str, str],
    examples: Callable[[str], Iterable[tuple[int, object]]],
    *,
    noun: str = "row",
    further: Sequence[Block] = (),
) -> Section:
    """Say what was left out, and show some of it.

    Args:
        left_out: rows without a score by reason.
        total: rows altogether.
        meanings: of the reasons.
        examples: gives rows, counted from 0, with a text, for a reason.
        noun: what a row is called.
        further: blocks that follow.
    """
    reasons = tuple(
        Reason(status, meanings.get(status, ""), n, n / total, _examples(examples(status)))
        for status, n in most_frequent(left_out).items()
    )
    said: tuple[Block, ...] = (
        (
            Paragraph(f"These {noun}s have no score or do not count. They are never treated as 0.", "note"),
            Reasons(reasons, noun),
        )
        if reasons
        else (Paragraph(f"Nothing: every {noun} has a score." if total else nothing_words(noun, total)),)
    )
    return Section("left-out", "What was left out", (*said, *further))


def _examples(found: Iterable[tuple[int, object]]) -> tuple[tuple[int, Quoted], ...]:
    shown = []
    for row, text in found:
        if text is not None and str(text).strip():
            shown.append((row + 1, Quoted(text, _LONGEST_EXAMPLE)))
        if len(shown) == EXAMPLES_PER_STATUS:
            break
    return tuple(shown)


BY_ITSELF = "The language of each text is identified by itself; of a word or two it is often not clear."
_NAMED_LANGUAGES = 4  # languages in a sentence
_MOST_ROWS = 12


def language_name(code: str | None) -> str:
    """Name a language in English.

    Example:
        >>> language_name("de"), language_name(None)
        ('German', 'not clear')
    """
    return "not clear" if code is None else LANGUAGE_NAMES.get(code, code)


def foreign_warnings(
    counts: Sequence[LanguageCount],
    noun: str = "row",
    *,
    lack: str = "score",
    remedy: str = "--model e5-small",
) -> tuple[str, ...]:
    """Warn of rows that have no score because the model does not read their language.

    Args:
        counts: rows by language.
        noun: what a row is called.
        lack: what they have none of.
        remedy: option of the command line that chooses a model with many languages.

    Example:
        >>> counts = [LanguageCount(("de", "en"), 3, 0, unread=3), LanguageCount(("en", "en"), 7, 7)]
        >>> foreign_warnings(counts)[0].partition(": ")[2]
        'the model does not read their language (German–English 3). Use a model that does (--model e5-small).'
    """
    unread = [found for found in counts if found.unread]
    n, total = sum(found.unread for found in unread), sum(found.rows for found in counts)
    if not n:
        return ()
    named = [f"{_pair_name(found.languages)} {count(found.unread)}" for found in unread[:_NAMED_LANGUAGES]]
    named += ["others"] if len(unread) > _NAMED_LANGUAGES else []
    verb, their = ("has", "its") if n == 1 else ("have", "their")
    return (
        f"{count(n)} of {counted(total, noun)} ({percent(n / total, 0)}) {verb} no {lack}: the model does "
        f"not read {their} language ({listed(named)}). Use a model that does ({remedy}).",
    )


def counts_section(
    counts: Sequence[LanguageCount], heads: tuple[str, ...], noun: str = "row"
) -> Iterator[Section]:
    """Give the section of rows by language; none where all texts seem to be English.

    Args:
        counts: rows by language.
        heads: what the languages are of, such as ``prediction`` and ``reference``.
        noun: what a row is called.
    """
    if are_english(counts):
        return
    rows: list[tuple[Cell, ...]] = [
        (Words("–".join(map(language_name, found.languages))), Count(found.rows), Count(found.scored))
        for found in counts
    ]
    columns = ("–".join(heads), f"{noun}s", "scored")
    yield language_section(columns, rows, f"{noun.capitalize()}s by language")


def language_section(
    heads: tuple[str, ...], rows: Sequence[tuple[Cell, ...]], title: str, note: str = ""
) -> Section:
    """Lay counts by language out as a section.

    Args:
        heads: of the columns.
        rows: a row for each language, or for each pair of them.
        title: of the table.
        note: what else is to be known, after how languages are identified.
    """
    table = DataTable(heads, tuple(rows), title=title, most=_MOST_ROWS)
    return Section("languages", "Languages", (table, Paragraph(f"{BY_ITSELF} {note}".rstrip(), "note")))


def _pair_name(languages: Languages) -> str:
    """Name the languages of a row: one name where they are the same."""
    return "–".join(dict.fromkeys(map(language_name, languages)))


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
