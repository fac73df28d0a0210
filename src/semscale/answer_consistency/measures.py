"""The measures of consistency: one table with the name, needs and function of each, and their values."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

import numpy as np

from semscale.answer_consistency import pairs, white_box
from semscale.answer_consistency.meanings import (
    Ground,
    Relations,
    alphabet_size,
    kernel_agreement,
    neighbour_agreement,
    semantic_negentropy,
    sets_agreement,
)
from semscale.answer_consistency.p_true import p_true
from semscale.answer_consistency.white_box import AnswerTokens, Tokens
from semscale.errors import InputError, UnknownNameError
from semscale.matching.entailment import EntailmentModel
from semscale.matching.pairs import Pairs
from semscale.messages import did_you_mean, unknown_name
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.types import Floats, Integers, Mask, ObjectArray
from semscale.weights.known import ENGLISH_NLI


class Kind(Enum):
    """Kinds of measures, by the argument and the result of their functions."""

    PAIRS = "PairParts to (p,): an item has the mean over its samples"
    MEANINGS = "Relations of an item's texts to its value"
    TOKENS = "tokens of an answer to its value"
    SAMPLES = "SampleProbabilities to (n,)"
    PRODUCT = "values of two other measures by name to (n,)"
    ASKED = "tokens of the reply of the model that judges its own answer to its value"


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes:
        label: its name in reports.
        about: what it is, in one sentence.
        kind: of the function.
        needs: the parts that it is computed from, as ``needed_parts`` names them.
        function: gives the values, as the kind describes.
        bounds: least and greatest value.
        factors: of a product, the names of a measure of pairs and of one of tokens.
    """

    label: str
    about: str
    kind: Kind
    needs: frozenset[str]
    function: Callable[..., Any]
    bounds: tuple[float, float] = (0.0, 1.0)
    factors: tuple[str, ...] = ()


def _measure(kind: Kind, label: str, about: str, function: Any, needs: str = "", **more: Any) -> Measure:  # noqa: ANN401
    """Make an entry of the table; ``needs`` names parts, separated by blanks."""
    return Measure(label, about, kind, frozenset(needs.split()), function, **more)


_pairs = partial(_measure, Kind.PAIRS)
_meanings = partial(_measure, Kind.MEANINGS)
_tokens = partial(_measure, Kind.TOKENS, needs="logprobs")
_samples = partial(_measure, Kind.SAMPLES)

FIRST_TOKEN = "first_token_probability"  # noqa: S105 - a name of a measure
"""The measure of tokens that others should beat."""
DENSITY = "semantic_density"

MEASURES: dict[str, Measure] = {
    "consistency": _pairs(
        "consistency",
        "similarity above that of unrelated answers; samples that contradict the answer count a tenth",
        pairs.consistency,
        "cosine floor contradicted",
    ),
    "cosine_sim": _pairs(
        "cosine similarity (NCS)",
        "normalised cosine similarity (NCS), as uqlm defines it",
        pairs.cosine_similarity,
        "cosine",
    ),
    "ncs_above_floor": _pairs(
        "cosine above floor",
        "cosine similarity above that of unrelated answers",
        lambda parts: pairs.above_floor(parts.cosine, parts.floor),
        "cosine floor",
    ),
    "uncontradicted": _pairs(
        "uncontradicted samples",
        "share of samples in which neither a guard nor a model of entailment finds a contradiction, of those "
        "that one of them reads",
        pairs.uncontradicted,
        "cosine contradicted",
    ),
    "bert_score": _pairs(
        "BERTScore F1", "BERTScore F1, not rescaled", lambda parts: parts.f1, "f1", bounds=(-1.0, 1.0)
    ),
    "exact_match": _pairs("exact match", "share of samples equal to the answer", pairs.exact_match),
    "exact_match_normalised": _pairs(
        "exact match, normalised",
        "the same, whatever the case, white space and marks",
        lambda parts: pairs.exact_match_normalised(parts.pairs),
    ),
    "semantic_negentropy": _meanings(
        "semantic negentropy",
        "1 - the entropy of the meanings that answer and samples have, divided by its maximum",
        lambda texts: semantic_negentropy(texts.counts),
        "meanings",
    ),
    "semantic_sets_confidence": _meanings(
        "few semantic sets",
        "how few different meanings answer and samples have: 1 for one meaning, 0 if all differ",
        lambda texts: sets_agreement(texts.counts),
        "meanings",
    ),
    "snne": _meanings(
        "neighbour agreement (SNNE)",
        "semantic nearest neighbour entropy of answer and samples, turned round and scaled to 0 to 1",
        lambda texts: neighbour_agreement(texts.similarity),
        "meanings",
    ),
    "kernel_agreement": _meanings(
        "kernel agreement (KLE)",
        "kernel language entropy of answer and samples, turned round and scaled to 0 to 1",
        lambda texts: kernel_agreement(texts.similarity),
        "meanings",
    ),
    "semantic_alphabet": _meanings(
        "small semantic alphabet",
        "1 / the estimated number of meanings that the model would give if it were asked for ever",
        lambda texts: 1 / alphabet_size(texts.counts, texts.similarity),
        "meanings",
    ),
    "entailment": _meanings(
        "entailment",
        "mean probability that the answer and a sample entail each other",
        lambda texts: texts.entailment,
        "meanings entailment",
    ),
    "noncontradiction": _meanings(
        "non-contradiction",
        "mean probability that the answer and a sample do not contradict each other",
        lambda texts: texts.noncontradiction,
        "meanings entailment",
    ),
    "min_probability": _tokens(
        "least token probability",
        "probability of the answer's least likely token",
        white_box.min_probability,
    ),
    "normalised_probability": _tokens(
        "mean token probability",
        "geometric mean of the probabilities of the answer's tokens",
        white_box.normalised_probability,
    ),
    "sequence_probability": _tokens(
        "probability of all tokens",
        "product of the probabilities of the answer's tokens",
        white_box.sequence_probability,
    ),
    FIRST_TOKEN: _tokens(
        "null: first token",
        "probability of the answer's first token, a null",
        white_box.first_token_probability,
    ),
    "mean_token_negentropy": _tokens(
        "mean token negentropy",
        "1 - entropy of the likeliest tokens / its maximum, mean over the answer's tokens",
        white_box.mean_token_negentropy,
    ),
    "min_token_negentropy": _tokens(
        "least token negentropy",
        "1 - entropy of the likeliest tokens / its maximum, least over the answer's tokens",
        white_box.min_token_negentropy,
    ),
    "probability_margin": _tokens(
        "token probability margin",
        "the likeliest token's probability less the second one's, mean over the answer's tokens",
        white_box.probability_margin,
    ),
    # The product is CoCoA's of uqlm 0.6 and of Vashurin et al. (2025), arXiv 2502.04964.
    "consistency_and_confidence": _measure(
        Kind.PRODUCT,
        "consistency and confidence",
        "normalised cosine similarity times the geometric mean of the probabilities of the answer's tokens",
        lambda values: values["cosine_sim"] * values["normalised_probability"],
        "cosine logprobs",
        factors=("cosine_sim", "normalised_probability"),
    ),
    "monte_carlo_probability": _samples(
        "Monte Carlo probability",
        "geometric mean of the probabilities of a text's tokens, mean over the answer and its samples",
        white_box.monte_carlo_probability,
        "sample_logprobs",
    ),
    DENSITY: _samples(
        "semantic density",
        "share of the samples' probability that lies near what the answer means",
        white_box.density_of_samples,
        "sample_logprobs entailment",
    ),
    "p_true": _measure(
        Kind.ASKED,
        "P(True)",
        "probability of True where the model is asked whether its answer is right",
        p_true,
        "p_true",
    ),
}
"""Every measure by its name. All point in the same direction: greater is more consistent."""

SAME_BY = ("auto", *(str(ground) for ground in Ground))
"""Grounds of equal meaning: entailment where a model is given, else short answers by their words, and other
texts by cosine (``auto``); or one of the three for all texts."""

_NO_VALUE = {
    Kind.PAIRS: "no token that counts stands in the answer or in any sample",
    Kind.MEANINGS: "the model of entailment cannot read the answer, or a sample",
    Kind.TOKENS: "the log-probabilities of the answer's tokens are not known",
    Kind.PRODUCT: "the log-probabilities of the answer's tokens are not known",
    Kind.SAMPLES: "the log-probabilities of the samples' tokens are not known",
    Kind.ASKED: "the model gave no log-probabilities for True or False and no typed decision, or its reply "
    "opened with another word",
}


def no_value_reason(name: str) -> str:
    """Explain why an answer with samples has no value of a measure."""
    return _NO_VALUE[MEASURES[name].kind]


def select_measures(names: Iterable[str], *kinds: Kind) -> tuple[str, ...]:
    """Select the measures of some kinds, in their order."""
    return tuple(name for name in names if MEASURES[name].kind in kinds)


def pair_measures(names: Iterable[str]) -> tuple[str, ...]:
    """List the measures of pairs, those that products need included."""
    names = tuple(names)
    factors = (MEASURES[name].factors[0] for name in select_measures(names, Kind.PRODUCT))
    return tuple(dict.fromkeys((*select_measures(names, Kind.PAIRS), *factors)))


def needed_parts(names: Iterable[str], same_by: str, *, has_entailment: bool) -> frozenset[str]:
    """List the parts that measures are computed from.

    Args:
        names: of measures.
        same_by: as ``SAME_BY`` has it.
        has_entailment: whether a model of entailment is given.

    Returns:
        Some of ``cosine``, ``floor``, ``contradicted``, ``f1``, ``meanings``, ``entailment``, ``logprobs``,
        ``sample_logprobs`` and ``p_true``.

    Example:
        >>> sorted(needed_parts(["snne"], "exact", has_entailment=False))
        ['meanings']
        >>> sorted(needed_parts(["snne"], "auto", has_entailment=False))
        ['contradicted', 'cosine', 'floor', 'meanings']
        >>> sorted(needed_parts(["uncontradicted"], "auto", has_entailment=True))
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
    """List measures that exist, each once, in the order of the names.

    Raises:
        UnknownNameError: no measure has this name; the nearest is named.
        InputError: none is named.
    """
    chosen = [names] if isinstance(names, str) else as_list(names, "measures")
    for name in chosen:
        if name not in MEASURES:
            hint = did_you_mean(str(name), MEASURES)
            raise UnknownNameError(f"measures must be among {', '.join(MEASURES)}, got {name!r}{hint}")
    if not chosen:
        raise InputError(f"measures must name at least one of {', '.join(MEASURES)}, got none")
    return tuple(dict.fromkeys(chosen))


def check_nli(names: Iterable[str], same_by: str) -> None:
    """Refuse a model of entailment that no measure would use.

    Args:
        names: of measures.
        same_by: as ``SAME_BY`` has it.

    Raises:
        InputError: no measure looks for contradictions or relates meanings by entailment.
    """
    names = tuple(names)
    if "entailment" not in needed_parts(names, same_by, has_entailment=True):
        ground = " where texts mean the same by exact words" if same_by == Ground.EXACT else ""
        message = (
            f"nli is not used by {', '.join(names)}{ground}: leave it out, or add the measure consistency, "
            "whose contradictions it finds"
        )
        raise InputError(message, in_shell=f"--{message}")


def check_sample_tokens(names: Iterable[str]) -> None:
    """Refuse log-probabilities of the samples' tokens that no measure would use.

    Args:
        names: of measures.

    Raises:
        InputError: none of them is computed from the samples' tokens.
    """
    names = tuple(names)
    if not select_measures(names, Kind.SAMPLES):
        remedy = "leave it out, or add the measure monte_carlo_probability"
        message = f"is not used by {', '.join(names)}: {remedy}"
        raise InputError(f"sample_logprobs {message}", in_shell=f"--sample-logprobs {message}")


def check_same_by(same_by: str, names: Iterable[str], *, has_entailment: bool) -> str:
    """Check the ground on which texts mean the same.

    Args:
        same_by: as ``SAME_BY`` has it.
        names: of measures.
        has_entailment: whether a model of entailment is given.

    Raises:
        InputError: an unknown ground, or a model of entailment is missing.
    """
    if same_by not in SAME_BY:
        raise unknown_name("same_by", str(same_by), SAME_BY)
    entailed = [name for name in names if "entailment" in MEASURES[name].needs]
    related = select_measures(entailed, Kind.MEANINGS)
    needing = [f"measure {name}" for name in (*related, *select_measures(entailed, Kind.SAMPLES))]
    if same_by == Ground.ENTAILMENT:
        needing.append("same_by entailment")
    if needing and not has_entailment:
        raise InputError(
            f"nli: {needing[0]} needs a model of entailment, such as {ENGLISH_NLI.hub_id}; "
            f"semscale models pull {ENGLISH_NLI.hub_id} gets it"
        )
    if related and same_by not in {"auto", Ground.ENTAILMENT}:
        raise InputError(f"measure {related[0]} needs same_by auto or entailment, got {same_by!r}")
    return same_by


def check_stopping(name: str) -> None:
    """Check that asking can stop early by a measure: one of single samples, from 0 to 1.

    Raises:
        InputError: a measure of meanings, of tokens or P(True), or one with other bounds.
    """
    measure = MEASURES.get(name)
    if measure is None or measure.kind is not Kind.PAIRS or measure.bounds != (0.0, 1.0):
        raise InputError(
            f"stopping needs a first measure of single samples from 0 to 1, such as consistency, got {name!r}"
        )


def check_tokens(names: Sequence[str], tokens: AnswerTokens) -> None:
    """Check that the tokens and replies that measures need are there.

    Raises:
        InputError: they are not; the measure and the remedy are named.
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
                "measure(answers, samples), or ask_p_true for answers at hand"
            )


def with_density_texts(signature: Signature, names: Sequence[str], tokens: AnswerTokens) -> Signature:
    """Add to a signature whether semantic density read the questions before the answers."""
    if DENSITY not in names:
        return signature
    texts = "answers" if tokens.prompts is None else "prompts+answers"
    return signature.extended(Signature.of("density", density_texts=texts))


def measure_tokens(answers: Sequence[Tokens | None], names: Iterable[str]) -> dict[str, Floats]:
    """Compute measures of n answers' tokens.

    Args:
        answers: the tokens of each; ``None``, or none, where they are not known.
        names: of measures of tokens.

    Returns:
        For each measure its values, shape (n,); NaN where tokens are not known.

    Example:
        >>> from semscale.chat.replies import TokenLogprob
        >>> measure_tokens([[TokenLogprob("Paris", 0.0)], None], ["min_probability"])["min_probability"]
        array([ 1., nan])
    """
    functions = {name: MEASURES[name].function for name in names}
    return {
        name: np.array([function(tokens) if tokens else np.nan for tokens in answers], np.float64)
        for name, function in functions.items()
    }


def token_values(
    names: Sequence[str], tokens: AnswerTokens, pairs: Pairs, entailment: EntailmentModel | None
) -> dict[str, Floats]:
    """Compute the measures of tokens, their null where tokens are known, and what products need.

    Args:
        names: of measures; those of pairs and meanings are skipped.
        tokens: of n answers.
        pairs: p pairs of an answer (``prediction``) and a usable sample (``reference``).
        entailment: for semantic density.

    Returns:
        By name, each of shape (n,); NaN where there is none.
    """
    values: dict[str, Floats] = {}
    if tokens.answers is not None:
        factors = (MEASURES[name].factors[1] for name in select_measures(names, Kind.PRODUCT))
        chosen = dict.fromkeys((*select_measures(names, Kind.TOKENS), *factors, FIRST_TOKEN))
        values = measure_tokens(tokens.answers, chosen)
    sampled = select_measures(names, Kind.SAMPLES)
    if sampled and tokens.samples is not None:
        known = tokens.probabilities(pairs, entailment)
        values |= {name: MEASURES[name].function(known) for name in sampled}
    if tokens.p_true is not None:
        values |= dict.fromkeys(select_measures(names, Kind.ASKED), tokens.p_true)
    return values


@dataclass(frozen=True)
class Meanings:
    """The meanings of the texts of n items.

    Attributes:
        measures: for each measure its values, shape (n,); NaN where an item has no samples, or texts that
            the model of entailment cannot read.
        n_meanings: shape (n,), how many different meanings answer and samples have; 0 without values.
        grounds: shape (n,), on which texts mean the same, a ``Ground`` or ``None``.
    """

    measures: Mapping[str, Floats]
    n_meanings: Integers
    grounds: ObjectArray


def measure_meanings(related: Mapping[int, Relations], names: Sequence[str], n: int) -> Meanings:
    """Compute the measures of meanings.

    Args:
        related: relations of the texts of items, by the item's number.
        names: of measures; those of other kinds are skipped.
        n: how many items there are.
    """
    functions = {name: MEASURES[name].function for name in select_measures(names, Kind.MEANINGS)}
    measures: dict[str, Floats] = {name: np.full(n, np.nan) for name in functions}
    n_meanings: Integers = np.zeros(n, np.int64)
    grounds: ObjectArray = np.full(n, None, dtype=object)
    for item, relations in related.items():
        if not relations.is_read:
            continue
        n_meanings[item], grounds[item] = len(relations.counts), relations.ground
        for name, function in functions.items():
            measures[name][item] = function(relations)
    return Meanings(measures, n_meanings, grounds)


def item_measures(
    names: Sequence[str],
    means: Mapping[str, Floats],
    meanings: Mapping[str, Floats],
    tokens: Mapping[str, Floats],
    is_scored: Mask,
) -> dict[str, Floats]:
    """Bring measures of all kinds together, in their order.

    Args:
        names: of all measures.
        means: of pairs, shape (n,) each.
        meanings: measures of meanings, likewise.
        tokens: as ``token_values`` gives them; NaN for items that are not scored.
        is_scored: shape (n,).
    """
    values = {**means, **meanings}
    values |= {name: np.where(is_scored, column, np.nan) for name, column in tokens.items()}
    for name in select_measures(names, Kind.PRODUCT):
        values[name] = MEASURES[name].function(values)
    return {name: values[name] for name in names}
