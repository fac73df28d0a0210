"""Sentences of a consistency report: measures, statuses, promises and cautions."""

from typing import TYPE_CHECKING

from semscale.answer_consistency.consistencies import NO_ANSWER
from semscale.answer_consistency.measures import no_value_reason
from semscale.answer_consistency.pairs import FEWEST_ANSWERS, LENGTH_NULLS, TOO_FEW_ANSWERS
from semscale.answer_consistency.summary import FEW_SAMPLES
from semscale.report.formatting import counted, coverage, number, one_line, percent, percent_with_interval
from semscale.report.sentences import STATUS_MEANINGS, refused_words
from semscale.results.reasons import UNREAD

if TYPE_CHECKING:
    from semscale.answer_consistency.claim_summary import AgreementSummary
    from semscale.answer_consistency.correctness import CorrectnessProbability
    from semscale.answer_consistency.summary import ConsistencySummary
    from semscale.stats.calibration.acceptance import AcceptanceThreshold
    from semscale.stats.intervals.estimates import Estimate

MEASURE_NAMES = {
    "consistency": "consistency",
    "cosine_sim": "cosine similarity (NCS)",
    "ncs_above_floor": "cosine above floor",
    "uncontradicted": "uncontradicted samples",
    "bert_score": "BERTScore F1",
    "exact_match": "exact match",
    "exact_match_normalised": "exact match, normalised",
    "semantic_negentropy": "semantic negentropy",
    "semantic_sets_confidence": "few semantic sets",
    "snne": "neighbour agreement (SNNE)",
    "kernel_agreement": "kernel agreement (KLE)",
    "semantic_alphabet": "small semantic alphabet",
    "entailment": "entailment",
    "noncontradiction": "non-contradiction",
    "min_probability": "least token probability",
    "normalised_probability": "mean token probability",
    "sequence_probability": "probability of all tokens",
    "first_token_probability": "null: first token",
    "mean_token_negentropy": "mean token negentropy",
    "min_token_negentropy": "least token negentropy",
    "probability_margin": "token probability margin",
    "consistency_and_confidence": "consistency and confidence",
    "monte_carlo_probability": "Monte Carlo probability",
    "semantic_density": "semantic density",
    "p_true": "P(True)",
    "ensemble_mean": "ensemble, plain mean",
    "ensemble_tuned": "ensemble, tuned weights",
    "equal_lengths": "null: equal lengths",
    "brevity": "null: brevity",
}
MEANINGS = STATUS_MEANINGS | {
    "missing": "no answer, or no question: the cell is empty or null",
    "refused": NO_ANSWER,
    "too-few-samples": "not enough usable samples to compare the answer with",
    "other-language": "the answer, or every sample, is in a language that the model does not read",
    "weightless": UNREAD,
    "no-value": no_value_reason("consistency"),
}
_OTHER_NULLS = ("exact_match_normalised", "exact_match", "first_token_probability")
_ENOUGH = 0.6


def cautions(summary: "ConsistencySummary") -> tuple[str, ...]:
    """List the limits of the figures that a reader must know; empty where there are none."""
    said = []
    if summary.replies is not None:
        model = dict(summary.signature.fields).get("chat_model", "the model")
        refused = refused_words(one_line(model), summary.replies.left_out)
        said += [] if refused is None else [refused]
    if summary.floor_from == TOO_FEW_ANSWERS:
        said.append(
            f"There are fewer than {FEWEST_ANSWERS} different answers, so the similarity of unrelated ones "
            "could not be estimated and nothing was taken off: give --floor, or compare within this table "
            "only."
        )
    if 2 * summary.n_few_samples > summary.counts.get("scored", 0):
        said.append(
            f"Most prompts have fewer than {FEW_SAMPLES} samples: one sample that differs by chance decides."
        )
    if summary.n_samples_left_out:
        samples = counted(summary.n_samples_left_out, "sample")
        said.append(f"{samples} left out: missing, empty, no text, or not read by the model.")
    if summary.n_unguarded:
        said.append(
            f"Guards read English alone: of {counted(summary.n_unguarded, 'prompt')} they passed over "
            "samples in other languages, where contradictions are not seen. A model of entailment that reads "
            "them finds these, too: --nli."
        )
    said += _p_true_cautions(summary)
    if summary.n_null_words:
        answers = counted(summary.n_null_words, "answer")
        said.append(
            f"{answers} read None, null, nil or NaN and count as answers: where these stand for no answer, "
            "leave the cells empty."
        )
    if (few := summary.too_few_labels) is not None:
        said.append(
            f"P(correct) and decisions are missing: they need at least {few.needed.total} labelled answers "
            f"with a consistency{few.needed.kinds}, and there are {few.counts}{few.needed.remedy}."
        )
    return (*said, *([] if summary.correctness is None else _correctness_cautions(summary.correctness)))


def _p_true_cautions(summary: "ConsistencySummary") -> list[str]:
    if "p_true" not in summary.scores:
        return []
    decided = 0 if summary.replies is None else summary.replies.n_decided
    lacking = summary.counts.get("scored", 0) - summary.estimates.overall_mean("p_true").n
    why = no_value_reason("p_true")
    said = [f"P(True) is not known for {counted(lacking, 'prompt')}: {why}."] if lacking else []
    if decided:
        said.append(
            f"P(True) of {counted(decided, 'prompt')} is a typed decision, as the model gave no "
            "log-probabilities; how sure a model says it is and how probable its words are need not agree."
        )
    return said


def _correctness_cautions(correctness: "CorrectnessProbability") -> list[str]:
    said, area = [], correctness.areas[correctness.measure]
    if area.value < _ENOUGH:
        said.append(f"Consistency hardly tells right answers from wrong ones: {area_words(area)}.")
    compared = correctness.comparison.compared
    nulls = {
        name: max(compared[name].value, 1 - compared[name].value)
        for name in (*LENGTH_NULLS, *_OTHER_NULLS)
        if name in compared and name != correctness.measure
    }
    best = max(nulls, key=lambda name: nulls[name], default=None)
    if best is not None and nulls[best] >= compared[correctness.measure].value:
        simple = (
            "The lengths of the texts alone do" if best in LENGTH_NULLS else "A much simpler measure does"
        )
        said.append(f"{simple} as well ({MEASURE_NAMES[best]}, {number(nulls[best])}): do not build on this.")
    if correctness.filled:
        lacking = ", ".join(
            f"{MEASURE_NAMES[name]} in {counted(n, 'prompt')}" for name, n in correctness.filled.items()
        )
        said.append(
            "Where a prompt lacks a measure, the ensemble takes the mean of that measure over the other "
            f"prompts: {lacking}."
        )
    return said


def comparison_words(correctness: "CorrectnessProbability") -> str | None:
    """Say on which answers measures may be compared; ``None`` where all have the same ones."""
    comparison = correctness.comparison
    if not comparison.common:
        return None
    if comparison.compared is comparison.separate:
        return "No right and wrong answer have all measures, so that no two areas are of the same answers."
    return (
        "Not all measures have a value for the same answers. Compare them in the last column, where every "
        "area is of the same answers."
    )


def area_words(area: "Estimate") -> str:
    """Say what an area under the ROC curve is."""
    shown = percent_with_interval(area)
    return f"a right answer has the higher value {shown} of the time, and {percent(0.5, 0)} would by chance"


def labels_words(correctness: "CorrectnessProbability") -> str:
    """Say what the curve rests on, or why there is none."""
    labels, curve = counted(correctness.labels.total, "labelled answer"), correctness.curve
    if curve is None:
        kind = "right" if correctness.labels.right else "wrong"
        return (
            f"All {labels} are {kind}: thresholds rest on their number, while P(correct) and the AUC need "
            "right and wrong ones and are not known."
        )
    return f"{labels}: the curve ({curve}) was fitted and checked in five turns, each on other answers."


def promise_words(side: "AcceptanceThreshold", sign: str, kind: str, confidence: float) -> str:
    """Say what a threshold promises, or why there is none.

    Args:
        side: the threshold.
        sign: on which side of it items lie.
        kind: of answers that are counted as errors: ``wrong`` or ``right``.
        confidence: with which both promises hold together.
    """
    if side.value is None:
        if side.labels_needed is not None:
            return str(side.note)
        group = "accepted" if kind == "wrong" else "given up"
        most = percent(side.error_rate, 0)
        return f"no threshold keeps {kind} answers among those {group} below {most}: nothing is {group}"
    return (
        f"{sign}: at most {percent(side.error_rate, 0)} of these {kind}, with {coverage(confidence)} "
        f"confidence for both ({side.n_errors:,} of {side.n_accepted:,} labelled ones were)"
    )


def asking_words(summary: "ConsistencySummary | AgreementSummary") -> str | None:
    """Say how many replies were asked for; ``None`` where no model was asked."""
    replies = summary.replies
    if replies is None:
        return None
    asked = counted(replies.n_calls, "reply", "replies")
    saved = f", {replies.n_saved:,} saved because the decision was settled" if replies.n_saved else ""
    why = f", most often because: {one_line(replies.why_failed)}" if replies.why_failed else ""
    failed = f", {replies.n_failed:,} without a reply{why}" if replies.n_failed else ""
    return f"{asked} asked for{saved}{failed}"


_GROUNDS = {
    "entailment": "by entailment in both directions",
    "cosine": "by the cosine of their vectors, where no guard finds a contradiction",
    "exact": "as short answers with the same words",
}


def same_by_words(summary: "ConsistencySummary") -> str | None:
    """Say by what texts were found to mean the same; ``None`` where no measure asks."""
    grounds = [f"{_GROUNDS[name]} in {counted(n, 'prompt')}" for name, n in summary.same_by.items()]
    return f"texts mean the same {', '.join(grounds)}" if grounds else None


def contradicted_words(summary: "ConsistencySummary") -> str | None:
    """Say how often a sample contradicts the answer; ``None`` where none does."""
    if not summary.n_contradicted:
        return None
    share = percent(summary.n_contradicted / summary.counts["scored"])
    return f"In {share} of prompts some sample contradicts the answer"
