"""The class ``SemanticDensity`` of ``uqlm``.

Intended differences from ``uqlm`` 0.6.7:

- A sample without log-probabilities does not count; a response with no sample that counts has no score
  (``None``).
- Texts are not cut at 2,000 characters. ``device``, ``use_n_param``, ``verbose``, ``max_length`` and
  ``nli_batch_size`` are ignored; ``nli`` warns that it is.
- The result has no ``multiple_logprobs``.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semscale.answer_consistency.measures import measure_tokens
from semscale.answer_consistency.tokens import read_tokens, semantic_densities
from semscale.compat.uqlm.generation import ResponseGenerator, entailment_model
from semscale.compat.uqlm.not_applied import warn_of_ignored
from semscale.compat.uqlm.result import UQResult
from semscale.compat.uqlm.synchronous import synchronous
from semscale.errors import InputError
from semscale.types import Floats


class SemanticDensity:
    """How much of the probability of samples lies near what the response means.

    Args:
        llm: a LangChain chat model, or the name of a model.
        postprocessor: applied to every response before the comparison.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        sampling_temperature: temperature of the samples, above 0.
        nli_model_name: a model of entailment: its name on the hub, its folder, or the model.
        length_normalize: whether the probability of a sample is the geometric mean of its tokens'.
        ledger: whether and where to store replies.
        ignored: further arguments of uqlm, see above; ``nli`` warns that it is not applied.

    Raises:
        ModelError: the model of entailment cannot be had; the message says which command gets it.
    """

    def __init__(  # noqa: PLR0913 - the arguments of uqlm
        self,
        llm: Any = None,  # noqa: ANN401 - LangChain's model
        postprocessor: Callable[[str], str] | None = None,
        *,
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        sampling_temperature: float = 1.0,
        nli_model_name: Any = "",  # noqa: ANN401
        length_normalize: bool = True,
        ledger: bool | str | Path = True,
        **ignored: Any,  # noqa: ANN401
    ) -> None:
        warn_of_ignored(ignored)
        self._generator = ResponseGenerator(
            llm, system_prompt, max_calls_per_min, sampling_temperature, ledger
        )
        self._postprocessor = postprocessor
        self._nli = entailment_model(nli_model_name, "semantic_density")
        self._sequence = "normalised_probability" if length_normalize else "sequence_probability"

    async def generate_and_score(
        self,
        prompts: Sequence[Any],
        num_responses: int = 5,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Request a response and samples for each prompt, and score them.

        Raises:
            InputError: there is no ``llm``, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        found = await self._generator.generate(prompts, num_responses, logprobs=True)
        return self.score(prompts, found.responses, found.samples, None, found.sample_tokens)

    generate_and_score_sync = synchronous(generate_and_score)

    def score(  # noqa: PLR0913, PLR0917 - the arguments of uqlm
        self,
        prompts: Sequence[Any] | None = None,
        responses: Sequence[Any] = (),
        sampled_responses: Sequence[Sequence[Any]] = (),
        logprobs_results: Sequence[Any] | None = None,  # noqa: ARG002
        sampled_logprobs_results: Sequence[Sequence[Any]] | None = None,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
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
            ``semantic_density_values``, beside what was given.

        Raises:
            InputError: there are no log-probabilities of samples, or lists of unequal length.
        """
        if sampled_logprobs_results is None:
            raise InputError("scorer 'semantic_density' needs sampled_logprobs_results")
        weights = [self._probabilities(each) for each in sampled_logprobs_results]
        samples = [list(each) for each in sampled_responses]
        are_texts = prompts is not None and all(isinstance(prompt, str) for prompt in prompts)
        density = semantic_densities(
            [self._processed(text) for text in responses],
            [[self._processed(text) for text in each] for each in samples],
            weights,
            self._nli,
            prompts if are_texts else None,
        )
        given: dict[str, Any] = {} if prompts is None else {"prompts": list(prompts)}
        given |= {"responses": list(responses), "sampled_responses": samples}
        sampling = {
            "temperature": self._generator.temperature,
            "sampling_temperature": self._generator.sampling.temperature,
            "num_responses": len(samples[0]) if samples else 0,
        }
        data = {**given, "semantic_density_values": density}
        return UQResult({"data": data, "metadata": {"parameters": sampling}})

    def _processed(self, text: Any) -> Any:  # noqa: ANN401 - any cell
        return self._postprocessor(text) if self._postprocessor and isinstance(text, str) else text

    def _probabilities(self, cells: Sequence[Any]) -> Floats:
        read = read_tokens(list(cells), len(cells))
        return np.asarray(measure_tokens(read, (self._sequence,))[self._sequence], np.float64)
