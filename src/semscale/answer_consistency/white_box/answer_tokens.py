"""What the model that gave answers says of their tokens, and the measures that are made of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from semscale.answer_consistency.white_box.mixed_measures import MIXED_MEASURES
from semscale.answer_consistency.white_box.sampled_measures import (
    DENSITY,
    SAMPLED_MEASURES,
    SampleTokens,
    measure_sampled,
)
from semscale.answer_consistency.white_box.token_cells import read_sample_tokens, read_tokens
from semscale.answer_consistency.white_box.token_scores import (
    ASKED_MEASURES,
    NULL,
    TOKEN_MEASURES,
    Tokens,
    measure_tokens,
)
from semscale.errors import InputError
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.pairs import Pairs
from semscale.signature import Signature
from semscale.store.columns import as_list
from semscale.types import Floats


@dataclass(frozen=True)
class AnswerTokens:
    """What a model says of the tokens of n answers and their samples.

    Attributes:
        answers: the tokens of each answer, ``None`` for one whose tokens are not known; ``None`` where they
            are not known at all.
        samples: the tokens of each answer's samples, likewise.
        p_true: shape (n,), P(True) of the answers, NaN where it is not known; ``None`` where nobody asked.
        prompts: n questions, which precede both texts in semantic density; ``None`` to leave them out.
    """

    answers: Sequence[Tokens | None] | None = None
    samples: SampleTokens | None = None
    p_true: Floats | None = None
    prompts: Sequence[str] | None = None

    @classmethod
    def read(
        cls, logprobs: object, sample_logprobs: object, prompts: object, samples: Sequence[Sequence[object]]
    ) -> "AnswerTokens":
        """Read what callers give.

        Args:
            logprobs: n lists of log-probabilities, as ``read_tokens`` takes them, or ``None``.
            sample_logprobs: n lists with such a list for each sample, or ``None``.
            prompts: n questions, or ``None``.
            samples: n lists of samples.

        Raises:
            InputError: lists of unequal length, or something other than log-probabilities.
        """
        n, counts = len(samples), [len(each) for each in samples]
        asked = None if prompts is None else as_list(prompts, "prompts")
        if asked is not None and len(asked) != n:
            raise InputError(f"prompts must have {n} rows, one for each answer, got {len(asked)}")
        return cls(
            None if logprobs is None else read_tokens(logprobs, n),
            None if sample_logprobs is None else read_sample_tokens(sample_logprobs, counts),
            None,
            None if asked is None else [str(prompt or "") for prompt in asked],
        )


def check_tokens(measures: Sequence[str], tokens: AnswerTokens) -> None:
    """Check that what measures are made of is there.

    Raises:
        InputError: it is not; the measure and the remedy are named.
    """
    for name in measures:
        if (name in TOKEN_MEASURES or name in MIXED_MEASURES) and tokens.answers is None:
            raise InputError(f"measure {name} needs the log-probabilities of the answers' tokens: logprobs")
        if name in SAMPLED_MEASURES and tokens.samples is None:
            raise InputError(
                f"measure {name} needs the log-probabilities of the samples' tokens: sample_logprobs"
            )
        if name in ASKED_MEASURES and tokens.p_true is None:
            raise InputError(
                "measure p_true asks the model whether its answer is right: take ask(prompts) instead of "
                "measure(answers, samples), or ask_p_true for answers at hand"
            )


def with_density_texts(signature: Signature, measures: Sequence[str], tokens: AnswerTokens) -> Signature:
    """Say in a signature whether semantic density read the questions before the answers."""
    if DENSITY not in measures:
        return signature
    texts = "answers" if tokens.prompts is None else "prompts+answers"
    return signature.extended(Signature.of("density", density_texts=texts))


def token_values(
    measures: Sequence[str], tokens: AnswerTokens, pairs: Pairs, entailment: EntailmentModel | None
) -> dict[str, Floats]:
    """Compute the measures of tokens, their null where tokens are known, and what mixed measures need.

    Args:
        measures: names; those of other kinds are passed over.
        tokens: of n answers.
        pairs: p pairs of an answer (``prediction``) and a usable sample (``reference``).
        entailment: for semantic density.

    Returns:
        By name, each of shape (n,); NaN where there is none.
    """
    found: dict[str, Floats] = {}
    if tokens.answers is not None:
        mixed = [MIXED_MEASURES[name].tokens for name in measures if name in MIXED_MEASURES]
        own = [name for name in measures if name in TOKEN_MEASURES]
        found = measure_tokens(tokens.answers, dict.fromkeys((*own, *mixed, NULL)))
    sampled = [name for name in measures if name in SAMPLED_MEASURES]
    if sampled and tokens.samples is not None:
        found |= measure_sampled(sampled, pairs, (tokens.answers, tokens.samples), entailment, tokens.prompts)
    if tokens.p_true is not None:
        found |= {name: tokens.p_true for name in measures if name in ASKED_MEASURES}
    return found
