"""What consistency means, in words: the same on the screen, in JSON and in the report."""

from typing import TYPE_CHECKING

from semscale.report.wording import count, counted, coverage, listed, number, one_line, percent
from semscale.self_consistency.length_baselines import NULLS

if TYPE_CHECKING:
    from semscale.self_consistency.summary import ConsistencySummary

MEASURE_NAMES = {
    "consistency": "consistency",
    "cosine_sim": "cosine similarity (NCS)",
    "ncs_above_floor": "cosine above floor",
    "uncontradicted": "uncontradicted samples",
    "bert_score": "BERTScore F1",
    "exact_match": "exact match",
    "exact_match_normalised": "exact match, normalised",
    "equal_lengths": "null: equal lengths",
    "brevity": "null: brevity",
}
MEANINGS = {
    "missing": "no answer, or no question: the cell is empty or null",
    "not-text": "a number or something else that is not text stands in the column",
    "empty": "nothing but white space",
    "too-few-samples": "not enough usable samples to compare the answer with",
    "refused": "the model declined to answer",
    "failed": "no reply came",
}
GUARD_MEANINGS = {
    "negation": "one text denies what the other states",
    "number": "a number or a unit differs",
    "opposite": "a word has become its opposite, or the other side",
    "name": "one named thing stands where the answer has another",
    "answer": "a short answer gives something else, or yes has become no",
}
_IN_WORDS = {"not-text": "not text", "too-few-samples": "with too few samples"}
_FEW_SAMPLES = 3
_ENOUGH = 0.6


def left_out(summary: "ConsistencySummary") -> dict[str, int]:
    """Count the items without values, by status, the most frequent first."""
    counts = {str(status): n for status, n in summary.found.counts.items() if status != "scored"}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def items_that_count(summary: "ConsistencySummary") -> str:
    """Say how many items have values, and why the others have none: together they are all items."""
    n = int(summary.found.scored.sum())
    verb = "counts" if 1 in {n, summary.n} else "count"
    reasons = [
        f"{count(items)} {_IN_WORDS.get(status, status)}" for status, items in left_out(summary).items()
    ]
    others = f"; left out: {listed(reasons)}" if reasons else ""
    return f"{count(n)} of {counted(summary.n, 'prompt')} {verb}{others}"


def cautions(summary: "ConsistencySummary") -> tuple[str, ...]:
    """List what the figures must not be taken for; empty where there is nothing to say."""
    said, found = [], summary.found
    if dict(found.signature.fields).get("floor_from") == "too-few-answers":
        said.append(
            "There are fewer than 10 different answers, so the similarity of unrelated ones could not be "
            "estimated and nothing was taken off: give --floor, or compare within this table only."
        )
    used = found.n_samples[found.scored]
    if len(used) and (used < _FEW_SAMPLES).mean() > 0.5:  # noqa: PLR2004
        said.append(
            f"Most prompts have fewer than {_FEW_SAMPLES} samples: one sample that differs by chance decides."
        )
    if passed := int(found.samples_left_out.sum()):
        said.append(f"{counted(passed, 'sample')} missing, empty or no text, and left out.")
    said += _trust_cautions(summary)
    return tuple(said)


def _trust_cautions(summary: "ConsistencySummary") -> list[str]:
    if summary.trust is None:
        return []
    trust, said = summary.trust, []
    area = trust.areas[trust.measure]
    nulls = {name: max(trust.areas[name], 1 - trust.areas[name]) for name in NULLS}
    best = max(nulls, key=lambda name: nulls[name])
    if area < _ENOUGH:
        said.append(f"Consistency hardly tells right answers from wrong ones: {area_words(area)}.")
    if nulls[best] >= area:
        said.append(
            f"The lengths of the texts alone do as well ({MEASURE_NAMES[best]}, {number(nulls[best])}): "
            "do not build on this."
        )
    return said


def area_words(area: float) -> str:
    """Say what an area under the ROC curve is."""
    return f"a right answer has the higher value {percent(area)} of the time, and 50 % would by chance"


def promises(summary: "ConsistencySummary") -> list[tuple[str, str, str]]:
    """Say for accepting and abstaining from which value on, what it promises, and how many items it takes."""
    if summary.trust is None:
        return []
    accept, abstain = summary.trust.triage.accept, summary.trust.triage.abstain
    sure = coverage(summary.trust.triage.confidence)
    rows = []
    for name, sign, side, kind in (("accept", "≥", accept, "wrong"), ("abstain", "≤", abstain, "right")):
        if side.value is None:
            rows.append((name, "no threshold", str(side.note)))
            continue
        promise = f"at most {percent(side.error_rate, 0)} of these {kind}, with {sure} confidence for both"
        seen = f"{count(side.n_errors)} of {count(side.n_accepted)} labelled ones were"
        share = f"{percent(side.accepted)} of prompts"
        rows.append((name, f"{sign} {number(side.value, 3)}", f"{share}; {promise} ({seen})"))
    rows.append(("review", "between", f"{percent(summary.trust.triage.reviewed)} of prompts"))
    return rows


def asking_words(summary: "ConsistencySummary") -> str | None:
    """Say what asking took; ``None`` where nobody was asked."""
    replies = summary.replies
    if replies is None:
        return None
    saved = f", {count(replies.n_saved)} saved because the decision was settled" if replies.n_saved else ""
    why = f", most often because: {one_line(replies.why_failed)}" if replies.why_failed else ""
    failed = f", {count(replies.n_failed)} without a reply{why}" if replies.n_failed else ""
    return f"{counted(replies.n_calls, 'reply', 'replies')} asked for{saved}{failed}"


def interval_method(summary: "ConsistencySummary") -> str:
    """Say how the intervals were made."""
    method = summary.overall.method
    if method is None:
        return "none: it takes two prompts with a value"
    if method == "bootstrap":
        return f"{coverage(summary.interval)}, 2,000 bootstrap resamples of prompts, seed {summary.seed}"
    return f"{coverage(summary.interval)}, linearized variance over prompts, t quantiles"
