"""The classes ``WhiteBoxUQ`` and ``SemanticDensity`` of ``uqlm``, which read the probabilities of tokens.

Intended differences from ``uqlm`` 0.6.7:

- A response without log-probabilities has no score (``None``) and does not end the run; any endpoint that
  gives them will do. A sample without them does not count in ``SemanticDensity``.
- ``semantic_negentropy`` finds texts that mean the same as ``SemanticEntropy`` does.
- ``semantic_density`` is that of ``SemanticDensity``.
- ``p_true`` compares the probabilities of True and False, instead of taking the one word that came. As there,
  it needs log-probabilities; no typed decision is asked for in their place.
- Texts are not cut at 2,000 characters. ``device``, ``use_n_param``, ``verbose``, ``max_length``,
  ``top_k_logprobs`` and ``nli_batch_size`` are ignored; ``nli`` warns that it is.
- The results have no columns of log-probabilities.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import measure_tokens
from semscale.answer_consistency.p_true import ask_p_true
from semscale.answer_consistency.tokens import monte_carlo_probability, read_tokens, semantic_densities
from semscale.compat.uqlm.black_box import SemanticEntropy
from semscale.compat.uqlm.scorer import (
    WHITE_BOX,
    Generated,
    UncertaintyScorer,
    UQResult,
    check_token_lengths,
    checked_scorers,
    entailment_model,
    warn_of_ignored,
)
from semscale.errors import InputError
from semscale.types import Floats
from semscale.weights.known import DEFAULT_MODEL

DEFAULT_SCORERS = ("min_probability", "sequence_probability")


class WhiteBoxUQ(UncertaintyScorer):
    """Scores responses by the probabilities of their tokens.

    Args:
        llm: a LangChain chat model, or the name of a model.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        scorers: among ``WHITE_BOX``; by default ``DEFAULT_SCORERS``.
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
        InputError: (a ``ValueError``) a scorer is unknown, or a setting is out of range.
        ModelError: the model of entailment cannot be loaded; the message names the scorers that need it.
    """

    def __init__(
        self,
        llm: Any = None,
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        scorers: Sequence[str] | None = None,
        sampling_temperature: float = 1.0,
        top_k_logprobs: int = 15,
        use_n_param: bool = False,
        length_normalize: bool = True,
        prompts_in_nli: bool = True,
        device: Any = None,
        max_length: int = 2000,
        sentence_transformer: str = DEFAULT_MODEL,
        nli_model_name: Any = "",
        *,
        ledger: bool | str | Path = True,
    ) -> None:
        self.scorers = checked_scorers(scorers or DEFAULT_SCORERS, WHITE_BOX)
        super().__init__(
            llm,
            system_prompt,
            max_calls_per_min,
            sampling_temperature,
            ledger,
            length_normalize=length_normalize,
        )
        self._has_prompts = prompts_in_nli
        self._similarity = Consistency(measures=["cosine_sim"], embedder=sentence_transformer)
        self._density, self._entropy = None, None
        if "semantic_density" in self.scorers:
            self._density = SemanticDensity(nli_model_name=nli_model_name, length_normalize=length_normalize)
        if "semantic_negentropy" in self.scorers:
            self._entropy = SemanticEntropy(
                nli_model_name=nli_model_name, sentence_transformer=sentence_transformer
            )

    @property
    def needs_samples(self) -> bool:
        """Whether a scorer compares responses with samples."""
        return self._needing("samples") != []

    def _needing(self, part: str) -> list[str]:
        return [name for name in self.scorers if part in WHITE_BOX[name]]

    async def _score_generated(self, prompts: Sequence[Any], generated: Generated) -> UQResult:
        samples = generated.samples if self.needs_samples else None
        return await self.score(
            generated.tokens, prompts, generated.responses, samples, generated.sample_tokens
        )

    async def score(
        self,
        logprobs_results: Sequence[Any],
        prompts: Sequence[Any] | None = None,
        responses: Sequence[Any] | None = None,
        sampled_responses: Sequence[Sequence[Any]] | None = None,
        sampled_logprobs_results: Sequence[Sequence[Any]] | None = None,
        show_progress_bars: bool | None = True,
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
        texts = {"prompts": prompts, "responses": responses, "sampled_responses": sampled_responses}
        data: dict[str, Any] = {name: list(column) for name, column in texts.items() if column is not None}
        of_tokens = [name for name in self.scorers if not WHITE_BOX[name]]
        tokens = read_tokens(list(logprobs_results), len(logprobs_results))
        measured = measure_tokens(tokens, {*of_tokens, self._sequence} - {"sequence_probability"})
        measured["sequence_probability"] = self._probabilities(tokens)
        data |= {name: measured[name] for name in of_tokens}
        if self.needs_samples:
            if responses is None or sampled_responses is None:
                raise InputError(
                    f"scorers {', '.join(self._needing('samples'))} need responses and sampled_responses"
                )
            needing = self._needing("sample tokens")
            if needing and sampled_logprobs_results is None:
                raise InputError(f"scorer {needing[0]!r} needs sampled_logprobs_results")
            samples = [list(row) for row in sampled_responses]
            sample_tokens = sampled_logprobs_results or [[None] * len(row) for row in samples]
            if needing:
                check_token_lengths(samples, tokens, sample_tokens)
            data |= self._sampled(prompts, list(responses), samples, tokens, sample_tokens)
        if "p_true" in self.scorers:
            data["p_true"] = await self._p_true(prompts, responses, sampled_responses)
        return UQResult({"data": data, "metadata": {"temperature": getattr(self.llm, "temperature", None)}})

    def _sampled(
        self,
        prompts: Sequence[Any] | None,
        responses: list[Any],
        samples: list[list[Any]],
        tokens: Sequence[Any],
        sample_tokens: Sequence[Sequence[Any]],
    ) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        probabilities = self._probabilities(tokens)
        if "monte_carlo_probability" in self.scorers:
            item = np.repeat(np.arange(len(responses)), [len(row) for row in sample_tokens])
            of_samples = self._probabilities([*chain.from_iterable(sample_tokens)])
            columns["monte_carlo_probability"] = monte_carlo_probability(item, probabilities, of_samples)
        if "consistency_and_confidence" in self.scorers:
            similarity = self._similarity.measure(responses, samples).score
            columns["consistency_and_confidence"] = similarity * probabilities
        if self._entropy is not None:
            scored = self._entropy.score(None, responses, samples, tokens, sample_tokens)
            columns["semantic_negentropy"] = scored.data["tokenprob_confidence_scores"]
        if self._density is not None:
            shown = prompts if self._has_prompts else None
            density = self._density.score(shown, responses, samples, None, sample_tokens)
            columns["semantic_density"] = density.data["semantic_density_values"]
        return columns

    async def _p_true(
        self,
        prompts: Sequence[Any] | None,
        responses: Sequence[Any] | None,
        samples: Sequence[Sequence[Any]] | None,
    ) -> Floats:
        if prompts is None or responses is None or not all(isinstance(prompt, str) for prompt in prompts):
            raise InputError("scorer 'p_true' needs prompts that are texts, and responses")
        shown = None if samples is None else [[text for text in row if text] for row in samples]
        return await ask_p_true(list(prompts), list(responses), shown, self._runner())


class SemanticDensity(UncertaintyScorer):
    """Share of the probability of samples that lies near the meaning of the response.

    Args:
        llm: a LangChain chat model, or the name of a model.
        postprocessor: applied to every response before the comparison.
        device: ignored.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        use_n_param: ignored.
        sampling_temperature: temperature of the samples, above 0.
        verbose: ignored.
        nli_model_name: a model of entailment: its name on the hub, its folder, or the model.
        max_length: ignored.
        return_responses: with a postprocessor: ``all``, ``raw`` or ``postprocessed`` responses are returned.
        length_normalize: whether the probability of a sample is the geometric mean of its tokens'.
        nli: not applied, with a warning.
        nli_batch_size: ignored.
        ledger: whether and where to store replies.

    Raises:
        InputError: a setting is out of range.
        ModelError: the model of entailment cannot be loaded; the message says which command gets it.
    """

    def __init__(
        self,
        llm: Any = None,
        postprocessor: Callable[[str], str] | None = None,
        device: Any = None,
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        use_n_param: bool = False,
        sampling_temperature: float = 1.0,
        verbose: bool = False,
        nli_model_name: Any = "",
        max_length: int = 2000,
        return_responses: str = "all",
        length_normalize: bool = True,
        nli: Any = None,
        nli_batch_size: int = 32,
        *,
        ledger: bool | str | Path = True,
    ) -> None:
        warn_of_ignored(nli=nli)
        super().__init__(
            llm,
            system_prompt,
            max_calls_per_min,
            sampling_temperature,
            ledger,
            postprocessor=postprocessor,
            return_responses=return_responses,
            length_normalize=length_normalize,
        )
        self._nli = entailment_model(nli_model_name, ["semantic_density"])

    async def _score_generated(self, prompts: Sequence[Any], generated: Generated) -> UQResult:
        return self.score(prompts, generated.responses, generated.samples, None, generated.sample_tokens)

    def score(
        self,
        prompts: Sequence[Any] | None = None,
        responses: Sequence[Any] = (),
        sampled_responses: Sequence[Sequence[Any]] = (),
        logprobs_results: Sequence[Any] | None = None,
        sampled_logprobs_results: Sequence[Sequence[Any]] | None = None,
        show_progress_bars: bool | None = True,
    ) -> UQResult:
        """Score existing responses.

        Args:
            prompts: n prompts. Where all are texts, each precedes its response and samples in the comparison.
            responses: n texts.
            sampled_responses: n lists of texts.
            logprobs_results: ignored: the response's own probability does not count.
            sampled_logprobs_results: for each sample a list of objects with ``logprob``.
            show_progress_bars: ignored.

        Returns:
            ``semantic_density_values``, with the texts.

        Raises:
            InputError: there are no log-probabilities of samples, or lists of unequal length.
        """
        if sampled_logprobs_results is None:
            raise InputError("scorer 'semantic_density' needs sampled_logprobs_results")
        raw = list(responses), [list(row) for row in sampled_responses]
        processed = self._processed(*raw)
        are_texts = prompts is not None and all(isinstance(prompt, str) for prompt in prompts)
        data: dict[str, Any] = {} if prompts is None else {"prompts": list(prompts)}
        data |= self._text_columns(raw, processed)
        data["semantic_density_values"] = semantic_densities(
            *processed,
            [self._probabilities(row) for row in sampled_logprobs_results],
            self._nli,
            prompts if are_texts else None,
        )
        return UQResult({"data": data, "metadata": {"parameters": self._sampling_metadata(raw[1])}})
