"""Sentences that all documents share: scored rows, intervals, chat models, languages and warnings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from semscale.report.formatting import count, count_of, coverage, has_interval, join_list, one_line, percent
from semscale.results.languages import LanguageCount
from semscale.signature import Signature
from semscale.spelling import hint
from semscale.stats.intervals import FEWEST_CLUSTERS
from semscale.types import LANGUAGE_NAMES, Status

if TYPE_CHECKING:
    from semscale.chat.negotiation import FormRefusal
    from semscale.results.estimates import Estimates
    from semscale.results.languages import UnreadLanguage
    from semscale.results.summary import Summary
    from semscale.stats.intervals import MeanEstimate

STATUS_MEANINGS = {
    "not-text": "the cell holds a number or something else that is not text",
    "empty": "nothing but white space",
    "too-long": "more than 100,000 characters: split the text, or leave out what was pasted into it",
    "refused": "the model declined to answer",
    "failed": "no reply came",
    "unfinished": "the run stopped first; the note on the incomplete run states how to continue",
}
"""Explanation of statuses without a score that mean the same in every instrument."""

_REASONS = {
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


def rows_scored(
    n: int, total: int, left_out: Mapping[str, int], noun: str = "row", *, verb: str = "scored"
) -> str:
    """State the number of rows behind the figures, and the number of excluded rows by reason.

    Args:
        n: number of rows behind the figures.
        total: total number of rows.
        left_out: number of excluded rows by reason.
        noun: name of a row.
        verb: verb for the rows, such as "included" if nothing was scored.

    Examples:
        >>> rows_scored(3, 5, {"missing": 1, "unparsable": 1, "empty": 0})
        '3 of 5 rows were scored; left out: 1 missing and 1 unparsable'
    """
    was = "was" if 1 in {n, total} else "were"
    reasons = [
        f"{count(rows)} {_REASONS.get(status, status)}" for status, rows in most_frequent(left_out).items()
    ]
    others = f"; left out: {join_list(reasons)}" if reasons else ""
    return f"{count(n)} of {count_of(total, noun)} {was} {verb}{others}"


def counts_scored(
    counts: Mapping[Status, int] | Mapping[str, int], noun: str = "row", *, verb: str = "scored"
) -> str:
    """State the number of scored and excluded rows from counts by status; see ``rows_scored``.

    Args:
        counts: number of rows by status.
        noun: name of a row.
        verb: verb for the rows.

    Examples:
        >>> counts_scored({"scored": 3, "missing": 1})
        '3 of 4 rows were scored; left out: 1 missing'
    """
    left_out = {str(status): n for status, n in counts.items()}
    scored = left_out.pop(Status.SCORED, 0)
    return rows_scored(scored, sum(counts.values()), left_out, noun, verb=verb)


def most_frequent(left_out: Mapping[str, int]) -> dict[str, int]:
    """Return reasons with at least one row, the most frequent first."""
    return {str(reason): n for reason, n in sorted(left_out.items(), key=lambda item: -item[1]) if n}


def nothing_scored(noun: str = "row", total: int | None = None) -> str:
    """State that no row was scored, or that there is none.

    Args:
        noun: name of a row.
        total: total number of rows, if known.

    Examples:
        >>> nothing_scored("prompt"), nothing_scored(total=0)
        ('No prompt was scored, so there is nothing to estimate.', 'The input has no rows.')
    """
    if total == 0:
        return f"The input has no {noun}s."
    return f"No {noun} was scored, so there is nothing to estimate."


def windows_note(n: int, noun: str = "row") -> str:
    """State the number of items with a text that was read in windows; empty for none."""
    return f"{count_of(n, noun)} with texts read in overlapping windows, because of their length" if n else ""


def asterisk_note(noun: str = "row") -> str:
    """Explain the asterisk of a small base.

    Examples:
        >>> asterisk_note("item")
        '* fewer than 10 items: these figures vary widely by chance.'
    """
    return f"* fewer than {FEWEST_CLUSTERS} {noun}s: these figures vary widely by chance."


def sample_caution(figures: Sequence[str], n: int, total: int, labelled: str = "") -> str:
    """State which figures are computed from a sample of rows.

    Args:
        figures: names of the figures.
        n: number of rows in the sample.
        total: total number of rows.
        labelled: name of the rows that are all used in addition to the sample, if any.

    Examples:
        >>> sample_caution(["drivers"], 2000, 5000, "hand-coded rows").partition(": ")[0]
        'Computed from a random sample of 2,000 of the 5,000 rows, and from all hand-coded rows'
    """
    further = f", and from all {labelled}" if labelled else ""
    return (
        f"Computed from a random sample of {count(n)} of the {count_of(total, 'row')}{further}: "
        f"{join_list(list(figures))}. All other figures are of all rows."
    )


def stop_cautions(stopped: str | None) -> tuple[str, ...]:
    """State why some items were not asked about; empty if all were."""
    return () if not stopped else (f"The run is incomplete: {one_line(stopped)}.",)


def unlikely_to_be_chance(n_differences: int) -> str:
    """State that significant differences are unlikely to be chance."""
    subject = "the difference is" if n_differences == 1 else "these differences are"
    return f"{subject} unlikely to be chance"


def unseen_codes_note(codes: Sequence[str], texts: str | None = None) -> tuple[str, ...]:
    """State that no text has codes that the user named for missing answers; empty without such codes.

    Args:
        codes: the codes.
        texts: title or column of the texts in which they were looked for; ``None`` for texts in memory.

    Examples:
        >>> from semscale.spelling import with_hints
        >>> [with_hints(note) for note in unseen_codes_note(["-99"], "why")]
        ['No text of ‘why’ is the code -99 for no answer: check its spelling (`missing`).']
    """
    if not codes:
        return ()
    where = f" of ‘{one_line(texts)}’" if texts else ""
    named = join_list([one_line(code) for code in codes])
    return (
        f"No text{where} is the code {named} for no answer: check its spelling" + hint(" (`missing`)") + "."
        if len(codes) == 1
        else f"No text{where} is one of the codes {named} for no answer: check their spelling"
        + hint(" (`missing`)")
        + ".",
    )


class ResampledIntervals(Protocol):
    """Coverage and resamples of intervals, as in ``IntervalPlan`` and ``Estimates``."""

    @property
    def interval(self) -> float:
        """Coverage, between 0 and 1."""
        ...

    @property
    def replicates(self) -> int:
        """Number of bootstrap resamples."""
        ...

    @property
    def seed(self) -> int | None:
        """Seed of the bootstrap; ``None`` if nothing is random."""
        ...


_MOST_NAMED = 3  # figures whose method differs from the usual one


def interval_methods(plan: ResampledIntervals, methods: Mapping[str, str | None], units: str) -> str:
    """State the methods of the intervals of several figures.

    Args:
        plan: coverage, resamples and seed.
        methods: method of each figure by its name; ``None`` if it has no interval.
        units: name of the resampled units, such as "rows".

    Examples:
        >>> from semscale.stats.intervals import IntervalPlan
        >>> interval_methods(IntervalPlan(seed=7), {"match": "bootstrap", "F1": None}, "items")
        '95 %, 2,000 bootstrap resamples of items, seed 7'
        >>> methods = {"match": "linearized", "F1": "bootstrap"}
        >>> interval_methods(IntervalPlan(), methods, "items").partition("; ")[2]
        'that of match: linearized variance over items, quantiles of the t distribution'
    """
    known = {method for method in methods.values() if method is not None}
    if not known:
        return f"none, because at least two scored {units} are needed"
    sentences = {
        "bootstrap": f"{count(plan.replicates)} bootstrap resamples of {units}, seed {plan.seed}",
        "linearized": f"linearized variance over {units}, quantiles of the t distribution",
        "exact": f"exact bounds: all {units} have the same value, so there is no spread to resample",
    }
    usual, *unusual = sorted(known, key=list(sentences).index)
    parts = [f"{coverage(plan.interval)}, {sentences[usual]}"]
    for method in unusual:
        names = [name for name, used in methods.items() if used == method]
        more = [f"{count(len(names) - _MOST_NAMED)} more"] if len(names) > _MOST_NAMED else []
        which = "that of" if len(names) == 1 else "those of"
        parts.append(f"{which} {join_list([*names[:_MOST_NAMED], *more])}: {sentences[method]}")
    return "; ".join(parts)


def estimate_method(estimates: "Estimates", noun: str = "row") -> str:
    """State the method of the interval of the main figure.

    Args:
        estimates: figures about all items and each group.
        noun: name of an item.
    """
    overall = estimates.overall
    method = overall.basis(overall.main).method
    units = "respondents" if estimates.clustered else f"{noun}s"
    sentence = interval_methods(estimates, {"": method}, units)
    if not estimates.refits or method is None:
        return sentence
    fits = f"{count(estimates.refits)} fits that each leave out some of the labels"
    shares = "intervals of shares are at least as wide as the exact interval of a share of the labels"
    return f"{sentence}; wider by the error of the calibration itself, from {fits}; {shares}"


def parameters_note(model: str, refused: Sequence[str]) -> str | None:
    """Name the parameters that a chat model refused; ``None`` if it took all.

    Args:
        model: its name.
        refused: names of parameters.

    Examples:
        >>> parameters_note("m", ["temperature"])
        'm refused the parameter temperature and was asked without it: its own default applies.'
    """
    if not refused:
        return None
    names = join_list(list(refused))
    if len(refused) == 1:
        return f"{model} refused the parameter {names} and was asked without it: its own default applies."
    return f"{model} refused the parameters {names} and was asked without them: its own defaults apply."


_STAND_INS = {
    "next-token": "its verdicts are probabilities of the levels’ letters as the next token",
    "prose": "its verdicts were read from its prose",
}


def stand_in_notes(
    judge: str, signature: Signature, refused_forms: "Sequence[FormRefusal]"
) -> tuple[str, ...]:
    """State the substitute for a judge's typed decisions and the reason; empty if it made typed decisions.

    Args:
        judge: its name.
        signature: settings that it applied.
        refused_forms: forms of decisions that its model did not support.
    """
    from semscale.chat.negotiation import refusals_in_words

    method = dict(signature.fields).get("method")
    if method not in _STAND_INS:
        return ()
    sentence = f"{judge} takes no typed decisions, so {_STAND_INS[method]}."
    forms = [refusal for refusal in refused_forms if not refusal.form.startswith("prose")]
    return (sentence, *forms_notes(judge, refusals_in_words(forms)))


def forms_notes(model: str, reasons: str) -> tuple[str, ...]:
    """State the forms of decisions that a model did not support; empty if it supported the first.

    Args:
        model: its name.
        reasons: forms and reasons; empty for none.

    Examples:
        >>> forms_notes("m", "decisions: HTTP 400.")
        ('Forms of decisions that m did not take: decisions: HTTP 400.',)
    """
    shown = one_line(reasons).rstrip(".")
    return (f"Forms of decisions that {model} did not take: {shown}.",) if shown else ()


def unusable_answers_note(name: str, n: int, noun: str, reason: str) -> str:
    """State the number of rows without a usable answer of a model, and the most frequent reason."""
    return (
        f"{name} gave no usable answer about {count_of(n, noun)}, most often because: "
        f"{one_line(reason).rstrip('.')}."
    )


def normalisation_note(name: str, n: int) -> str:
    """State that probabilities of some decisions were normalised."""
    return (
        f"The probabilities of {count_of(n, 'decision')} of {name} did not sum to 1, within what rounding "
        "explains, and were normalised."
    )


_EVEN = 0.5


def position_bias_note(judge: str, first: "MeanEstimate") -> str | None:
    """State that a judge prefers the first or the second answer; ``None`` if that may be chance.

    Args:
        judge: its name, such as the model's.
        first: mean points of the first answer.

    Examples:
        >>> from semscale.stats.intervals import MeanEstimate
        >>> position_bias_note("m", MeanEstimate(0.7, 0.6, 0.8, 20, 0, 20, "bootstrap")).partition(": ")[0]
        'm prefers the answer shown first'
        >>> position_bias_note("m", MeanEstimate(0.6, 0.4, 0.8, 20, 0, 20, "bootstrap")) is None
        True
    """
    if not has_interval(first) or first.low <= _EVEN <= first.high:
        return None
    which = "first" if first.value > _EVEN else "second"
    interval = f"{percent(first.low, 0)} to {percent(first.high, 0)}"
    return (
        f"{judge} prefers the answer shown {which}: the first answer gets {percent(first.value, 0)} of "
        f"the points ({interval})"
    )


LANGUAGE_NOTE = "The language of each text is detected separately; for one or two words it is often unclear."

_MOST_LANGUAGES = 4  # in a sentence


def language_name(code: str | None) -> str:
    """Return the English name of a language.

    Examples:
        >>> language_name("de"), language_name(None)
        ('German', 'not clear')
    """
    return "not clear" if code is None else LANGUAGE_NAMES.get(code, code)


def language_warnings(summary: "Summary", noun: str = "row", *, lack: str = "score") -> tuple[str, ...]:
    """Warn of rows, or of most texts, in languages that the model does not read.

    Args:
        summary: summary of an instrument.
        noun: name of a row.
        lack: name of the value that an unread row lacks.
    """
    return (
        *unread_rows_warnings(summary.languages, noun, lack=lack),
        *unread_language_warnings(summary.unread_language),
    )


def unread_rows_warnings(
    counts: Sequence[LanguageCount], noun: str = "row", *, lack: str = "score"
) -> tuple[str, ...]:
    """Warn of rows without a score because the model does not read their language.

    Args:
        counts: number of rows by language.
        noun: name of a row.
        lack: name of the value that such a row lacks.

    Examples:
        >>> counts = [LanguageCount(("de", "en"), 3, 0, unread=3), LanguageCount(("en", "en"), 7, 7)]
        >>> from semscale.spelling import with_hints
        >>> with_hints(unread_rows_warnings(counts)[0]).partition(": ")[2].partition(". ")[2]
        "Use a model that does (`embedder='e5-small'`)."
    """
    unread = [language for language in counts if language.unread]
    n, total = sum(language.unread for language in unread), sum(language.rows for language in counts)
    if not n:
        return ()
    names = [
        f"{'–'.join(dict.fromkeys(map(language_name, language.languages)))} {count(language.unread)}"
        for language in unread[:_MOST_LANGUAGES]
    ]
    names += ["others"] if len(unread) > _MOST_LANGUAGES else []
    verb, their = ("has", "its") if n == 1 else ("have", "their")
    return (
        f"{count(n)} of {count_of(total, noun)} ({percent(n / total, 0)}) {verb} no {lack}: the model does "
        f"not read {their} language ({join_list(names)}). Use a model that does"
        + hint(" (`embedder='e5-small'`)")
        + ".",
    )


def unread_language_warnings(language: "UnreadLanguage | None") -> tuple[str, ...]:
    """Warn that most texts are in a language that the model does not read; empty for ``None``.

    Args:
        language: the language.
    """
    if language is None:
        return ()
    model = one_line(language.model)
    remedy = "Do not trust these figures, and use a model that reads such texts" + hint(" (`embedder`)") + "."
    if language.share is None:
        texts = f"Read together, the {count(language.n)} sampled texts"
        return (f"{texts} seem to be {language.name}, which {model} does not read. {remedy}",)
    share = f"{percent(language.share, 0)} of the {count(language.n)} texts whose language is clear"
    return (
        f"Most texts seem to be in languages that {model} does not read: {share} are in such languages, most "
        f"often {language.name}. {remedy}",
    )


WARNED_SHARE = 0.2
"""Share of unread or off-topic texts above which a warning appears."""

_WITH_TEXTS = (Status.SCORED, Status.OFF_TOPIC, Status.NOT_ABOUT, Status.WEIGHTLESS)


def unread_warnings(counts: Mapping[Status, int], noun: str = "row") -> tuple[str, ...]:
    """Warn if more than a fifth of the rows with texts are not read.

    Args:
        counts: number of rows by status.
        noun: name of a row.

    Examples:
        >>> unread_warnings({Status.SCORED: 7, Status.WEIGHTLESS: 3})[0].partition(" (")[0]
        'In 3 of 10 rows'
        >>> unread_warnings({Status.SCORED: 8, Status.WEIGHTLESS: 2})
        ()
    """
    rows = _large_share(counts, Status.WEIGHTLESS, noun)
    if rows is None:
        return ()
    return (
        f"In {rows} the model cannot read a text: more than half of its tokens are unknown to it, as emoji "
        "and some scripts are. The figures are based on the other rows. Use a model that reads these "
        "texts" + hint(" (`embedder`)") + ".",
    )


def off_topic_warnings(counts: Mapping[Status, int]) -> tuple[str, ...]:
    """Warn if more than a fifth of the texts are off topic.

    Args:
        counts: number of texts by status.

    Examples:
        >>> off_topic_warnings({Status.SCORED: 5, Status.OFF_TOPIC: 25})[0].partition(" (")[0]
        '25 of 30 texts'
    """
    texts = _large_share(counts, Status.OFF_TOPIC, "text")
    if texts is None:
        return ()
    verb = "is" if counts[Status.OFF_TOPIC] == 1 else "are"
    return (
        f"{texts} {verb} off topic: the figures are based on the other texts. Such texts answer another "
        "question, are in another language, or need another scale.",
    )


def _large_share(counts: Mapping[Status, int], status: Status, noun: str) -> str | None:
    """State the number of rows with texts that have a status; ``None`` if at most a fifth."""
    n = counts.get(status, 0)
    total = n + sum(counts.get(other, 0) for other in _WITH_TEXTS if other != status)
    if n <= WARNED_SHARE * total:
        return None
    return f"{count(n)} of {count_of(total, noun)} ({percent(n / total, 0)})"
