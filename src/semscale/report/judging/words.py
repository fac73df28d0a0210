"""Sentences of a judging report: statuses, distributions, panels and cautions."""

import math
from typing import TYPE_CHECKING

from semscale.chat.calls.parameter_form import LEFT_OUT
from semscale.chat.messages import Parameters
from semscale.judging.human_labels import INCLUSION
from semscale.judging.summary import LITTLE_COVERED
from semscale.judging.verdict import Provenance
from semscale.report.formatting import count, counted, has_interval, listed, number, one_line, percent
from semscale.report.sentences import STATUS_MEANINGS, refused_words, stand_in_words
from semscale.signature import Signature
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.judging.summary import JudgeScores, JudgeSummary
    from semscale.stats.agreement.panels import EffectiveJudges

MEANINGS = STATUS_MEANINGS | {
    "missing": "the question or the answer is empty or null",
    "empty": "the question or the answer is nothing but white space",
    "no-reference": "no reference holds a text",
    "unparsable": "no reply states one score beyond doubt; every reply is kept",
    "refused": "the judge declined to give a score",
}
PROVENANCES = {
    "decision": "from the probabilities that a decision model gave for the levels",
    "next-token": "from the probabilities of the levels’ letters, averaged over orders of the levels",
    "logprobs": "from the probabilities of the tokens at the score's place",
    "samples": "from the shares of several replies",
    "single": "from one reply each, so all mass lies on the level it states",
}
_FEW_LABELS = 20
_MUCH_ORDER = 0.1
_SEVERAL_READINGS = (Provenance.NEXT_TOKEN, Provenance.SAMPLES)
_LOST = (Status.UNPARSABLE, Status.REFUSED, Status.FAILED)


def refused_parameters(signature: Signature) -> tuple[str, ...]:
    """Name the parameters that a judge's model refused, as its signature has them.

    Example:
        >>> refused_parameters(Signature.of("judge", template="default", temperature="default", max_tokens=5))
        ('temperature',)
    """
    return tuple(
        name
        for name, value in signature.fields
        if value == LEFT_OUT and name in Parameters.__dataclass_fields__
    )


def provenance_words(summary: "JudgeSummary") -> str:
    """Say where the distributions come from."""
    said = [
        f"{counted(n, 'distribution')} {PROVENANCES[str(provenance)]}"
        for provenance, n in summary.provenances.items()
    ]
    return "; ".join(said) or "none"


def error_words(summary: "JudgeSummary") -> str:
    """Say of how many distributions it is known how far other readings would differ."""
    several = [n for provenance, n in summary.provenances.items() if provenance in _SEVERAL_READINGS]
    one = sum(summary.provenances.values()) - sum(several)
    if not several:
        return "Each score is of one reading: how far another would differ is not known."
    left = f"; of {counted(one, 'score')} of one reading it is not known" if one else ""
    return f"The standard error of a score says how far other orders or replies would differ{left}."


def cautions(summary: "JudgeSummary") -> tuple[str, ...]:
    """List the limits of the figures that a reader must know; empty where there are none."""
    said = [
        said
        for name, own in summary.judges.items()
        for said in _cautions_on(one_line(name), own, is_panel=summary.is_panel)
    ]
    if summary.sampled is not None:
        said.append(_sample_caution(summary, summary.sampled))
    if summary.human is None:
        said.append(
            "No human label stands beside these scores, so nothing here says how right the judge is: "
            "name a column with --human."
        )
    elif summary.human.corrected.n_labelled < _FEW_LABELS:
        labelled = counted(summary.human.corrected.n_labelled, "row")
        said.append(f"Only {labelled} with a human label and a score: intervals are wide.")
    if summary.unused_inclusion:
        said.append(
            f"Labels count as those of a plain sample. The table has a column {INCLUSION!r}: if judge label "
            f"drew the rows, the corrected mean is wrong without --inclusion {INCLUSION}."
        )
    return tuple(said)


def _sample_caution(summary: "JudgeSummary", sampled: int) -> str:
    """Say which figures are made from a sample of many rows."""
    made = ["histograms"]
    if any(own.criteria for own in summary.judges.values()):
        made.append("means by criterion")
    if summary.is_panel:
        made += ["severities", "agreement of judges"]
    if summary.human is not None:
        made.append("the corrected mean")
    beside = ", and from all with a human label" if summary.human is not None else ""
    return (
        f"Made from a random sample of {count(sampled)} of the {counted(summary.n, 'row')}{beside}: "
        f"{listed(made)}. All else is of all rows."
    )


def silent_judges(summary: "JudgeSummary") -> tuple[str, ...]:
    """Warn of a panel's judges without any score, as the figures are those of the others alone."""
    scoring = [one_line(name) for name, own in summary.judges.items() if own.is_scored_anywhere]
    silent = [one_line(name) for name, own in summary.judges.items() if not own.is_scored_anywhere]
    if not scoring or not silent:
        return ()
    return (f"{listed(silent)} scored nothing: these figures are those of {listed(scoring)} alone.",)


def panel_words(summary: "JudgeSummary") -> str | None:
    """Say how many independent judges a panel amounts to; ``None`` for one judge."""
    found = summary.effective_judges
    if found is None:
        return None
    n = len(summary.judges)
    if math.isinf(found.value):
        return f"The errors of these {n} judges cancel: no number of independent judges would be as good."
    if math.isnan(found.value):
        return _unknown_panel(found, n)
    share = f"{number(found.value, 1)} independent judges"
    interval = f" ({number(found.low, 1)} to {number(found.high, 1)})" if has_interval(found) else ""
    told = (
        "judged by their errors against the human labels"
        if found.of == "errors"
        else "at least, if all of them measure the same thing: judges who agree because they are right count "
        "as dependent too"
    )
    return f"These {n} judges amount to {share}{interval}, {told}."


def _unknown_panel(found: "EffectiveJudges", n: int) -> str:
    """Say why it is not known how many independent judges a panel of n amounts to."""
    unknown = f"How many independent judges these {n} amount to cannot be said: {found.note}"
    r = found.correlation
    if math.isnan(r.value):
        return f"{unknown}."
    interval = f", {number(r.low)} to {number(r.high)}" if has_interval(r) else ""
    return (
        f"{unknown} (mean correlation {number(r.value)}{interval}). Judges who measure different things, or "
        "nothing, look like this too; human labels (--human) tell."
    )


def _cautions_on(name: str, own: "JudgeScores", *, is_panel: bool) -> list[str]:
    said = []
    lost = sum(own.counts.get(status, 0) for status in _LOST)
    if lost and own.is_scored_anywhere:
        which = "its figures" if is_panel else "the figures"
        said.append(f"{name} gave no score to {counted(lost, 'row')}; {which} hold for the others only.")
    elif lost:
        said.append(f"{name} gave no score to any of {counted(lost, 'row')}.")
    if own.failure is not None:
        why, rows = one_line(own.failure).rstrip("."), counted(own.counts.get(Status.FAILED, 0), "row")
        said.append(f"{name} gave no usable reply to {rows}, most often because: {why}.")
    if refused := refused_words(name, refused_parameters(own.signature)):
        said.append(refused)
    said += _cautions_on_decisions(name, own)
    if own.n_little_covered:
        said.append(
            f"For {counted(own.n_little_covered, 'row')} less than {percent(LITTLE_COVERED, 0)} of what "
            f"{name} might have said states a level; their distributions rest on the rest."
        )
    return said


def _cautions_on_decisions(name: str, own: "JudgeScores") -> list[str]:
    """Say what stood in for decisions, which probabilities were mended, and what the order of levels did."""
    said = list(stand_in_words(name, own.signature, own.not_taken))
    method = dict(own.signature.fields).get("method")
    if own.unusable and method not in {None, "prose"}:
        rows = counted(own.counts.get(Status.UNPARSABLE, 0), "row")
        why = one_line(own.unusable).rstrip(".")
        said.append(f"{name} gave no usable answer about {rows}, most often because: {why}.")
    if own.n_normalised:
        said.append(
            f"The probabilities of {counted(own.n_normalised, 'decision')} of {name} did not sum to 1, "
            "within what rounding explains, and were made to."
        )
    if own.order_bias > _MUCH_ORDER:
        said.append(
            f"The order of the levels moves {percent(own.order_bias, 0)} of the probability of {name}’s "
            "verdicts on average; they are means over all orders."
        )
    return said
