"""The class ``WhiteBoxUQ`` of ``uqlm`` on Semscale's measures of tokens.

Intended differences from ``uqlm`` 0.6.7:

- A response without log-probabilities has no score (``None``) and does not end the run; any endpoint that
  gives them will do.
- ``semantic_negentropy`` finds texts that mean the same as ``SemanticEntropy`` does.
- ``semantic_density`` is that of ``SemanticDensity``.
- ``p_true`` compares the probabilities of True and False, instead of taking the one word that came. As there,
  it needs log-probabilities; no typed decision is asked for in their place.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import measure_tokens
from semscale.answer_consistency.p_true import ask_p_true
from semscale.answer_consistency.tokens import read_tokens
from semscale.compat.uqlm.density import SemanticDensity
from semscale.compat.uqlm.entropy import SemanticEntropy
from semscale.compat.uqlm.generation import ResponseGenerator
from semscale.compat.uqlm.result import UQResult
from semscale.compat.uqlm.synchronous import synchronous
from semscale.errors import InputError
from semscale.types import Floats
from semscale.weights.known import DEFAULT_MODEL

SINGLE = (
    "min_probability",
    "sequence_probability",
    "min_token_negentropy",
    "mean_token_negentropy",
    "probability_margin",
)
SAMPLED = (
    "semantic_negentropy",
    "semantic_density",
    "monte_carlo_probability",
    "consistency_and_confidence",
)
NEEDING_SAMPLE_TOKENS = ("monte_carlo_probability", "semantic_density")
SCORERS = (*SINGLE, *SAMPLED, "p_true")
DEFAULT_SCORERS = ("min_probability", "sequence_probability")


class WhiteBoxUQ:
    """Scores responses by the probabilities of their tokens.

    Args:
        llm: a LangChain chat model, or the name of a model.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        scorers: among ``SCORERS``; by default ``DEFAULT_SCORERS``.
        sampling_temperature: temperature of the samples, above 0.
        top_k_logprobs: ignored: as many of the likeliest tokens are asked for as most endpoints give.
        use_n_param: ignored.
        length_normalize: whether the probability of a response is the geometric mean of its tokens'.
        prompts_in_nli: whether prompts precede texts in ``semantic_density``.
        device: ignored.
        max_length: ignored.
        sentence_transformer: the model of ``consistency_and_confidence``.
        nli_model_name: a model of entailment for ``semantic_negentropy`` and ``semantic_density``.
        ledger: whether and where to store replies.

    Raises:
        InputError: (a ``ValueError``) a scorer is unknown.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the arguments of uqlm
        self,
        llm: Any = None,  # noqa: ANN401 - LangChain's model
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        scorers: Sequence[str] | None = None,
        sampling_temperature: float = 1.0,
        top_k_logprobs: int = 15,  # noqa: ARG002
        use_n_param: bool = False,  # noqa: FBT001, FBT002, ARG002
        length_normalize: bool = True,  # noqa: FBT001, FBT002
        prompts_in_nli: bool = True,  # noqa: FBT001, FBT002
        device: Any = None,  # noqa: ANN401, ARG002
        max_length: int = 2000,  # noqa: ARG002
        sentence_transformer: str = DEFAULT_MODEL,
        nli_model_name: Any = "",  # noqa: ANN401
        *,
        ledger: bool | str | Path = True,
    ) -> None:
        self.scorers = tuple(scorers or DEFAULT_SCORERS)
        for name in self.scorers:
            if name not in SCORERS:
                raise InputError(f"scorers must be among {', '.join(SCORERS)}, got {name!r}")
        self._generator = ResponseGenerator(
            llm, system_prompt, max_calls_per_min, sampling_temperature, ledger
        )
        self._sequence = "normalised_probability" if length_normalize else "sequence_probability"
        self._embedder, self._nli_name = sentence_transformer, nli_model_name
        self._density = (
            SemanticDensity(nli_model_name=nli_model_name, length_normalize=length_normalize)
            if "semantic_density" in self.scorers
            else None
        )
        self._has_prompts = prompts_in_nli

    async def generate_and_score(
        self,
        prompts: Sequence[Any],
        num_responses: int = 5,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Request a response for each prompt, and samples where a scorer needs them, and score them.

        Raises:
            InputError: there is no ``llm``, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        n = num_responses if any(name in SAMPLED for name in self.scorers) else 0
        found = await self._generator.generate(prompts, n, logprobs=True)
        return await self.score(
            found.tokens, prompts, found.responses, found.samples if n else None, found.sample_tokens
        )

    generate_and_score_sync = synchronous(generate_and_score)

    async def score(  # noqa: PLR0913, PLR0917 - the arguments of uqlm
        self,
        logprobs_results: Sequence[Any],
        prompts: Sequence[Any] | None = None,
        responses: Sequence[Any] | None = None,
        sampled_responses: Sequence[Sequence[Any]] | None = None,
        sampled_logprobs_results: Sequence[Sequence[Any]] | None = None,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Score existing responses.

        Args:
            logprobs_results: n lists of objects with ``logprob`` and perhaps ``top_logprobs``; ``None`` where
                they are not known.
            prompts: n prompts; only ``p_true`` needs them.
            responses: n texts; the scorers that compare texts need them.
            sampled_responses: n lists of texts, likewise.
            sampled_logprobs_results: for each sample a list as for a response.
            show_progress_bars: ignored.

        Raises:
            InputError: something that a scorer needs is missing, or lengths differ.
        """
        tokens = read_tokens(list(logprobs_results), len(logprobs_results))
        given = {"prompts": prompts, "responses": responses, "sampled_responses": sampled_responses}
        data: dict[str, Any] = {name: list(column) for name, column in given.items() if column is not None}
        single = [name for name in self.scorers if name in SINGLE]
        named = {name: self._sequence if name == "sequence_probability" else name for name in single}
        values = measure_tokens(tokens, (*SINGLE, self._sequence))
        data |= {name: values[measure] for name, measure in named.items()}
        if any(name in SAMPLED for name in self.scorers):
            if responses is None or sampled_responses is None:
                raise InputError(f"scorers {', '.join(SAMPLED)} need responses and sampled_responses")
            samples = [list(each) for each in sampled_responses]
            data |= self._sampled(list(responses), samples, values, sampled_logprobs_results, tokens)
            if self._density is not None:
                shown = prompts if self._has_prompts else None
                density = self._density.score(shown, responses, samples, None, sampled_logprobs_results)
                data["semantic_density"] = density.data["semantic_density_values"]
        if "p_true" in self.scorers:
            data["p_true"] = await self._p_true(prompts, responses, sampled_responses)
        return UQResult({"data": data, "metadata": {"temperature": self._generator.temperature}})

    def _sampled(
        self,
        responses: list[Any],
        samples: list[list[Any]],
        values: dict[str, Floats],
        sampled: Sequence[Sequence[Any]] | None,
        tokens: Sequence[Any],
    ) -> dict[str, Floats]:
        needing = [name for name in self.scorers if name in NEEDING_SAMPLE_TOKENS]
        if needing and sampled is None:
            raise InputError(f"scorer {needing[0]!r} needs sampled_logprobs_results")
        found: dict[str, Floats] = {}
        listed = sampled or [[None] * len(each) for each in samples]
        if "monte_carlo_probability" in self.scorers:
            found["monte_carlo_probability"] = np.array(
                [
                    _with_samples(own, self._probabilities(each))
                    for own, each in zip(values[self._sequence], listed, strict=True)
                ]
            )
        if "consistency_and_confidence" in self.scorers:
            tool = Consistency(measures=["cosine_sim"], embedder=self._embedder)
            found["consistency_and_confidence"] = (
                tool.measure(responses, samples).score * values[self._sequence]
            )
        if "semantic_negentropy" in self.scorers:
            scorer = SemanticEntropy(nli_model_name=self._nli_name, sentence_transformer=self._embedder)
            scored = scorer.score(None, responses, samples, tokens, listed)
            column = scored.data.get("tokenprob_confidence_scores", [None] * len(responses))
            found["semantic_negentropy"] = np.array(
                [np.nan if value is None else value for value in column], np.float64
            )
        return {name: found[name] for name in self.scorers if name in found}

    def _probabilities(self, cells: Sequence[Any]) -> list[float]:
        read = read_tokens(list(cells), len(cells))
        return list(measure_tokens(read, (self._sequence,))[self._sequence])

    async def _p_true(
        self,
        prompts: Sequence[Any] | None,
        responses: Sequence[Any] | None,
        samples: Sequence[Sequence[Any]] | None,
    ) -> Floats:
        if prompts is None or responses is None or not all(isinstance(one, str) for one in prompts):
            raise InputError("scorer 'p_true' needs prompts that are texts, and responses")
        shown = None if samples is None else [[text for text in each if text] for each in samples]
        return await ask_p_true(list(prompts), list(responses), shown, self._generator.runner)


def _with_samples(own: float, others: Sequence[float]) -> float:
    """Average a response's probability and its samples'; NaN where no sample has one."""
    there = [value for value in others if not np.isnan(value)]
    return float(np.mean([*there, *([] if np.isnan(own) else [own])])) if there else np.nan
