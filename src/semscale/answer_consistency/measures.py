"""The measures of consistency: one table with the name, needs, function and bounds of each."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from semscale.answer_consistency import meanings, tokens
from semscale.answer_consistency.meanings import Ground, Relations
from semscale.answer_consistency.pairs import (
    ComparedPairs,
    compare_pairs,
    exact_match_normalised,
    rescale_cosine,
)
from semscale.answer_consistency.samples import PairReaders, item_means
from semscale.answer_consistency.tokens import AnswerTokens, Tokens
from semscale.errors import InputError, UnknownNameError
from semscale.matching.entailment import EntailmentModel
from semscale.matching.pairs import Pairs, pair_up
from semscale.messages import did_you_mean, unknown_name
from semscale.store.columns import as_list
from semscale.types import Floats
from semscale.weights.known import ENGLISH_NLI


def _no_pairs() -> ComparedPairs:
    return compare_pairs(pair_up([], []), 0.0, PairReaders())


@dataclass(frozen=True)
class Evidence:
    """Inputs of the measures of n items, as far as a measure needs them.

    Attributes:
        compared: p pairs of an answer and a sample.
        related: relations of the texts of each item, by item number.
        tokens: tokens of answers and samples, and P(True).
        entailment: entailment model, for semantic density.
    """

    compared: ComparedPairs = field(default_factory=_no_pairs)
    related: Mapping[int, Relations] = field(default_factory=dict)
    tokens: AnswerTokens = field(default_factory=AnswerTokens)
    entailment: EntailmentModel | None = None

    @property
    def pairs(self) -> Pairs:
        """The pairs of an answer (``prediction``) and a sample (``reference``)."""
        return self.compared.pairs


@dataclass(frozen=True)
class Measure:
    """One measure, with greater values for more consistent answers.

    Attributes:
        label: name in reports.
        about: description in one sentence.
        needs: parts that it is computed from, as in ``list_needed_parts``.
        function: returns the values of n items, shape (n,), NaN where missing.
        bounds: least and greatest possible value.
    """

    label: str
    about: str
    needs: frozenset[str]
    function: Callable[[Evidence], Floats]
    bounds: tuple[float, float] = (0.0, 1.0)


def _of_pairs(
    label: str,
    about: str,
    function: Callable[[ComparedPairs], Floats],
    needs: str = "",
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Measure:
    """Declare a measure that is a mean over an item's samples; ``needs`` is separated by blanks."""

    def means(evidence: Evidence) -> Floats:
        pairs = evidence.pairs
        return item_means(function(evidence.compared), pairs.item, pairs.n_items)

    return Measure(label, about, frozenset(needs.split()), means, bounds)


def _of_meanings(
    label: str, about: str, function: Callable[[Relations], float], needs: str = "meanings"
) -> Measure:
    """Declare a measure of the relations between an item's texts."""

    def values(evidence: Evidence) -> Floats:
        column: Floats = np.full(evidence.pairs.n_items, np.nan)
        for item, relations in evidence.related.items():
            if relations.is_read:
                column[item] = function(relations)
        return column

    return Measure(label, about, frozenset(needs.split()), values)


def _of_tokens(label: str, about: str, function: Callable[[Tokens], float]) -> Measure:
    """Declare a measure of an answer's tokens."""

    def values(evidence: Evidence) -> Floats:
        answers = evidence.tokens.answers or ()
        return np.array([function(listed) if listed else np.nan for listed in answers], np.float64)

    return Measure(label, about, frozenset({"logprobs"}), values)


def _consistency_and_confidence(evidence: Evidence) -> Floats:
    factors = ("cosine_sim", "normalised_probability")
    return tokens.confident_consistency(*(MEASURES[name].function(evidence) for name in factors))


def _monte_carlo_probability(evidence: Evidence) -> Floats:
    pairs, known = evidence.pairs, evidence.tokens
    return tokens.monte_carlo_probability(
        pairs.item, known.answer_probabilities(pairs.n_items), known.sample_probabilities(pairs)
    )


def _semantic_density(evidence: Evidence) -> Floats:
    pairs, known = evidence.pairs, evidence.tokens
    if evidence.entailment is None:
        return np.full(pairs.n_items, np.nan)
    weights = known.sample_probabilities(pairs)
    return tokens.density_of_pairs(pairs, weights, evidence.entailment, known.prompts)


def _p_true(evidence: Evidence) -> Floats:
    known = evidence.tokens.p_true
    return np.full(evidence.pairs.n_items, np.nan) if known is None else known


FIRST_TOKEN = "first_token_probability"
"""The measure of tokens that is the baseline of the others."""
DENSITY = "semantic_density"

MEASURES: dict[str, Measure] = {
    "consistency": _of_pairs(
        "consistency",
        "similarity above that of unrelated answers; samples that contradict the answer count a tenth",
        lambda compared: compared.consistency,
        "cosine floor contradicted",
    ),
    "cosine_sim": _of_pairs(
        "cosine similarity (NCS)",
        "normalised cosine similarity (NCS), as uqlm defines it",
        lambda compared: rescale_cosine(compared.cosine),
        "cosine",
    ),
    "ncs_above_floor": _of_pairs(
        "cosine above floor",
        "cosine similarity above that of unrelated answers",
        lambda compared: compared.above_floor,
        "cosine floor",
    ),
    "uncontradicted": _of_pairs(
        "uncontradicted samples",
        "share of samples in which neither a guard nor an entailment model finds a contradiction, among "
        "those that one of them reads",
        lambda compared: compared.uncontradicted,
        "cosine contradicted",
    ),
    "bert_score": _of_pairs(
        "BERTScore F1", "BERTScore F1, not rescaled", lambda compared: compared.f1, "f1", bounds=(-1.0, 1.0)
    ),
    "exact_match": _of_pairs(
        "exact match", "share of samples equal to the answer", lambda compared: compared.exact_match
    ),
    "exact_match_normalised": _of_pairs(
        "exact match, normalised",
        "the same, regardless of case, white space and punctuation",
        lambda compared: exact_match_normalised(compared.pairs),
    ),
    "semantic_negentropy": _of_meanings(
        "semantic negentropy",
        "1 - the entropy of the meanings that answer and samples have, divided by its maximum",
        lambda texts: meanings.semantic_negentropy(texts.counts),
    ),
    "semantic_sets_confidence": _of_meanings(
        "few semantic sets",
        "how few different meanings answer and samples have: 1 for one meaning, 0 if all differ",
        lambda texts: meanings.sets_agreement(texts.counts),
    ),
    "entailment": _of_meanings(
        "entailment",
        "mean probability that the answer and a sample entail each other",
        lambda texts: texts.entailment,
        "meanings entailment",
    ),
    "noncontradiction": _of_meanings(
        "non-contradiction",
        "mean probability that the answer and a sample do not contradict each other",
        lambda texts: texts.noncontradiction,
        "meanings entailment",
    ),
    "min_probability": _of_tokens(
        "least token probability",
        "probability of the answer's least likely token",
        tokens.min_probability,
    ),
    "normalised_probability": _of_tokens(
        "mean token probability",
        "geometric mean of the probabilities of the answer's tokens",
        tokens.normalised_probability,
    ),
    "sequence_probability": _of_tokens(
        "probability of all tokens",
        "product of the probabilities of the answer's tokens",
        tokens.sequence_probability,
    ),
    FIRST_TOKEN: _of_tokens(
        "baseline: first token",
        "probability of the answer's first token, a baseline",
        tokens.first_token_probability,
    ),
    "mean_token_negentropy": _of_tokens(
        "mean token negentropy",
        "1 - entropy of the likeliest tokens / its maximum, mean over the answer's tokens",
        tokens.mean_token_negentropy,
    ),
    "min_token_negentropy": _of_tokens(
        "least token negentropy",
        "1 - entropy of the likeliest tokens / its maximum, least over the answer's tokens",
        tokens.min_token_negentropy,
    ),
    "probability_margin": _of_tokens(
        "token probability margin",
        "the likeliest token's probability minus the second one's, mean over the answer's tokens",
        tokens.probability_margin,
    ),
    "consistency_and_confidence": Measure(
        "consistency and confidence",
        "normalised cosine similarity times the geometric mean of the probabilities of the answer's tokens",
        frozenset({"cosine", "logprobs"}),
        _consistency_and_confidence,
    ),
    "monte_carlo_probability": Measure(
        "Monte Carlo probability",
        "geometric mean of the probabilities of a text's tokens, mean over the answer and its samples",
        frozenset({"sample_logprobs"}),
        _monte_carlo_probability,
    ),
    DENSITY: Measure(
        "semantic density",
        "share of the samples' probability near the meaning of the answer",
        frozenset({"sample_logprobs", "entailment"}),
        _semantic_density,
    ),
    "p_true": Measure(
        "P(True)",
        "probability of True when the model is asked whether its answer is right",
        frozenset({"p_true"}),
        _p_true,
    ),
}
"""Every measure by its name."""

SAME_BY = ("auto", *(str(ground) for ground in Ground))
"""Methods of deciding on equal meaning: one of entailment, words and cosine for all texts, or ``auto``:
entailment if there is a model, else words for short answers and cosine for other texts."""

_NO_VALUE = {
    "p_true": "the model gave no log-probabilities for True or False and no typed decision, or its reply "
    "opened with another word",
    "sample_logprobs": "the log-probabilities of the samples' tokens are not known",
    "logprobs": "the log-probabilities of the answer's tokens are not known",
    "meanings": "the entailment model cannot read the answer, or a sample",
}


def no_value_reason(name: str) -> str:
    """Explain why an answer with samples has no value of a measure."""
    reasons = (reason for part, reason in _NO_VALUE.items() if part in MEASURES[name].needs)
    return next(reasons, "neither the answer nor a sample contains a token that counts")


def measures_needing(part: str, names: Iterable[str]) -> tuple[str, ...]:
    """Select the measures that are computed from a part, in their order."""
    return tuple(name for name in names if part in MEASURES[name].needs)


def list_needed_parts(names: Iterable[str], same_by: str, *, has_entailment: bool) -> frozenset[str]:
    """List the parts that measures are computed from.

    Args:
        names: names of measures.
        same_by: one of ``SAME_BY``.
        has_entailment: whether there is an entailment model.

    Returns:
        Some of ``cosine``, ``floor``, ``contradicted``, ``f1``, ``meanings``, ``entailment``, ``logprobs``,
        ``sample_logprobs`` and ``p_true``.

    Examples:
        >>> sorted(list_needed_parts(["semantic_negentropy"], "exact", has_entailment=False))
        ['meanings']
        >>> sorted(list_needed_parts(["semantic_negentropy"], "auto", has_entailment=False))
        ['contradicted', 'cosine', 'floor', 'meanings']
        >>> sorted(list_needed_parts(["uncontradicted"], "auto", has_entailment=True))
        ['contradicted', 'cosine', 'entailment']
    """
    parts = {part for name in names for part in MEASURES[name].needs}
    if "meanings" in parts and (same_by == Ground.COSINE or (same_by == "auto" and not has_entailment)):
        parts |= {"cosine", "floor", "contradicted"}
    relates = "meanings" in parts and same_by in {"auto", Ground.ENTAILMENT}
    if has_entailment and ("contradicted" in parts or relates):
        parts.add("entailment")
    return frozenset(parts)


def check_measures(names: Iterable[str]) -> tuple[str, ...]:
    """Check names of measures, and list each once in their order.

    Raises:
        UnknownNameError: no measure has this name; the message suggests the nearest one.
        InputError: there is no name.
    """
    chosen = [names] if isinstance(names, str) else as_list(names, "measures")
    for name in chosen:
        if name not in tuple(MEASURES):  # a request may have a list or an object here, which has no hash
            hint = did_you_mean(str(name), MEASURES)
            raise UnknownNameError("measures", f"must be among {', '.join(MEASURES)}, got {name!r}{hint}")
    if not chosen:
        raise InputError("measures", f"must name at least one of {', '.join(MEASURES)}, got none")
    return tuple(dict.fromkeys(chosen))


def check_sample_tokens(names: Iterable[str]) -> None:
    """Check that a measure uses log-probabilities of the samples' tokens.

    Args:
        names: names of measures.

    Raises:
        InputError: no measure uses the samples' tokens.
    """
    names = tuple(names)
    if not measures_needing("sample_logprobs", names):
        remedy = "leave it out, or add the measure monte_carlo_probability"
        raise InputError("sample_logprobs", f"is not used by {', '.join(names)}: {remedy}")


def check_entailment(names: Sequence[str], same_by: str, *, has_entailment: bool) -> None:
    """Check that measures have their entailment model, and that a measure uses the model.

    Args:
        names: names of measures.
        same_by: method of deciding whether texts mean the same, one of ``SAME_BY``.
        has_entailment: whether there is an entailment model.

    Raises:
        InputError: an unknown method, a missing entailment model, or no measure of contradictions or of
            meanings by entailment.
    """
    if same_by not in SAME_BY:
        raise unknown_name("same_by", str(same_by), SAME_BY)
    entailed = measures_needing("entailment", names)
    related = measures_needing("meanings", entailed)
    needing = [f"measure {name}" for name in (*related, *measures_needing("sample_logprobs", entailed))]
    if same_by == Ground.ENTAILMENT:
        needing.append("same_by entailment")
    if needing and not has_entailment:
        raise InputError(
            "nli",
            f": {needing[0]} needs an entailment model, such as {ENGLISH_NLI.hub_id}; "
            f"semscale models pull {ENGLISH_NLI.hub_id} gets it",
        )
    if related and same_by not in {"auto", Ground.ENTAILMENT}:
        raise InputError(f"measure {related[0]} needs same_by auto or entailment, got {same_by!r}")
    if has_entailment and "entailment" not in list_needed_parts(names, same_by, has_entailment=True):
        ground = " where texts mean the same by exact words" if same_by == Ground.EXACT else ""
        raise InputError(
            "nli",
            f"is not used by {', '.join(names)}{ground}: leave it out, or add the measure consistency, whose "
            "contradictions it finds",
        )


def check_stopping(name: str) -> None:
    """Check that a measure supports early stopping: a measure of single samples, from 0 to 1.

    Raises:
        InputError: a measure of meanings, of tokens or P(True), or one with other bounds.
    """
    measure = MEASURES.get(name)
    if measure is None or not measure.needs <= {"cosine", "floor", "contradicted"}:
        raise InputError(
            "stopping",
            f"needs a first measure of single samples from 0 to 1, such as consistency, got {name!r}",
        )


def check_tokens(names: Sequence[str], tokens: AnswerTokens) -> None:
    """Check that there are the tokens and replies that measures need.

    Raises:
        InputError: some are missing; the message names the measure and the remedy.
    """
    for name in names:
        needs = MEASURES[name].needs
        if "logprobs" in needs and tokens.answers is None:
            raise InputError(f"measure {name} needs the log-probabilities of the answers' tokens: logprobs")
        if "sample_logprobs" in needs and tokens.samples is None:
            raise InputError(
                f"measure {name} needs the log-probabilities of the samples' tokens: sample_logprobs"
            )
        if "p_true" in needs and tokens.p_true is None:
            raise InputError(
                "measure p_true asks the model whether its answer is right: take ask(prompts) instead of "
                "measure(answers, samples), or ask_p_true for answers that you have"
            )


def measure_tokens(answers: Sequence[Tokens | None], names: Iterable[str]) -> dict[str, Floats]:
    """Compute measures of n answers' tokens.

    Args:
        answers: tokens of each answer; ``None`` or empty if unknown.
        names: of measures of tokens.

    Returns:
        Values of each measure, shape (n,); NaN if tokens are unknown.

    Examples:
        >>> from semscale.chat.messages import TokenLogprob
        >>> measure_tokens([[TokenLogprob("Paris", 0.0)], None], ["min_probability"])["min_probability"]
        array([ 1., nan])
    """
    evidence = Evidence(tokens=AnswerTokens(answers))
    return {name: MEASURES[name].function(evidence) for name in names}
