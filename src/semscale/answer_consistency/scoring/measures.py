"""The measures of consistency by name, and what each is made from."""

from collections.abc import Iterable

from semscale.answer_consistency.meanings.meaning_measures import MEANING_MEASURES, MeaningMeasure
from semscale.answer_consistency.meanings.relations import Ground
from semscale.answer_consistency.scoring.pair_measures import PAIR_MEASURES, PairMeasure
from semscale.answer_consistency.white_box.mixed_measures import MIXED_MEASURES, MixedMeasure
from semscale.answer_consistency.white_box.sampled_measures import SAMPLED_MEASURES, SampledMeasure
from semscale.answer_consistency.white_box.token_scores import ASKED_MEASURES, TOKEN_MEASURES, TokenMeasure
from semscale.errors import InputError, UnknownNameError
from semscale.messages import did_you_mean, unknown_name
from semscale.store.columns import as_list
from semscale.weights.known import ENGLISH_NLI

MEASURES: dict[str, PairMeasure | MeaningMeasure | TokenMeasure | MixedMeasure | SampledMeasure] = {
    **PAIR_MEASURES,
    **MEANING_MEASURES,
    **TOKEN_MEASURES,
    **MIXED_MEASURES,
    **SAMPLED_MEASURES,
    **ASKED_MEASURES,
}
"""Every measure by its name."""

SAME_BY = ("auto", *(str(ground) for ground in Ground))
"""How texts are found to mean the same: by entailment where a model is given; else short answers by their
words, and other texts by cosine (``auto``). Or one of the three for all texts."""

DEFAULT_MEASURES = (
    "consistency",
    "cosine_sim",
    "ncs_above_floor",
    "uncontradicted",
    "exact_match_normalised",
)


def check_measures(names: Iterable[str]) -> tuple[str, ...]:
    """List measures that exist, each once, in the order that is asked for.

    Raises:
        UnknownNameError: no measure has this name; the nearest one is named.
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


def needed_parts(names: Iterable[str], same_by: str, *, has_entailment: bool) -> frozenset[str]:
    """Tell what measures are made from.

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
    parts: set[str] = set()
    for name in names:
        if name in PAIR_MEASURES:
            parts |= PAIR_MEASURES[name].needs
        elif name in MIXED_MEASURES:
            parts |= {*PAIR_MEASURES[MIXED_MEASURES[name].pairs].needs, "logprobs"}
        elif name in SAMPLED_MEASURES:
            parts.add("sample_logprobs")
            parts |= {"entailment"} if SAMPLED_MEASURES[name].needs_entailment else set()
        else:
            other = "p_true" if name in ASKED_MEASURES else "logprobs"
            parts.add("meanings" if name in MEANING_MEASURES else other)
    if "meanings" in parts and (same_by == Ground.COSINE or (same_by == "auto" and not has_entailment)):
        parts |= {"cosine", "floor", "contradicted"}
    relates = "meanings" in parts and same_by in {"auto", Ground.ENTAILMENT}
    if has_entailment and ("contradicted" in parts or relates):
        parts.add("entailment")
    return frozenset(parts)


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
        by = " where texts mean the same by exact words" if same_by == Ground.EXACT else ""
        said = (
            f"nli is not used by {', '.join(names)}{by}: leave it out, or add the measure consistency, whose "
            "contradictions it finds"
        )
        raise InputError(said, in_shell=f"--{said}")


def check_sample_tokens(names: Iterable[str]) -> None:
    """Refuse log-probabilities of the samples' tokens that no measure would use.

    Args:
        names: of measures.

    Raises:
        InputError: none of them is made of the samples' tokens.
    """
    names = tuple(names)
    if SAMPLED_MEASURES.keys().isdisjoint(names):
        said = f"is not used by {', '.join(names)}: leave it out, or add the measure monte_carlo_probability"
        raise InputError(f"sample_logprobs {said}", in_shell=f"--sample-logprobs {said}")


def check_same_by(same_by: str, names: Iterable[str], *, has_entailment: bool) -> str:
    """Check how texts are found to mean the same.

    Args:
        same_by: as ``SAME_BY`` has it.
        names: of measures.
        has_entailment: whether a model of entailment is given.

    Raises:
        InputError: an unknown way, or a model of entailment is missing.
    """
    names = tuple(names)
    if same_by not in SAME_BY:
        raise unknown_name("same_by", str(same_by), SAME_BY)
    asking = [name for name in names if name in MEANING_MEASURES and MEANING_MEASURES[name].needs_entailment]
    dense = [name for name in names if name in SAMPLED_MEASURES and SAMPLED_MEASURES[name].needs_entailment]
    wanting = [f"measure {name}" for name in (*asking, *dense)] or ["same_by entailment"] * (
        same_by == Ground.ENTAILMENT
    )
    if wanting and not has_entailment:
        raise InputError(
            f"nli: {wanting[0]} needs a model of entailment, such as {ENGLISH_NLI.hub_id}; "
            f"semscale models pull {ENGLISH_NLI.hub_id} gets it"
        )
    if asking and same_by not in {"auto", Ground.ENTAILMENT}:
        raise InputError(f"measure {asking[0]} needs same_by auto or entailment, got {same_by!r}")
    return same_by


def check_stopping(name: str) -> None:
    """Check that asking can stop early by a measure: one of single samples, from 0 to 1.

    Raises:
        InputError: a measure of meanings, of tokens or P(True), or one with other bounds.
    """
    measure = PAIR_MEASURES.get(name)
    if measure is None or measure.bounds != (0.0, 1.0):
        raise InputError(
            f"stopping needs a first measure of single samples from 0 to 1, such as consistency, got {name!r}"
        )
