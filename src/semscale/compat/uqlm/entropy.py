"""The class ``SemanticEntropy`` of ``uqlm`` on Semscale's clusters of meanings.

Intended differences from ``uqlm`` 0.6.7:

- Without ``nli_model_name`` short answers mean the same by their words, and other texts by the cosine of
  their vectors; with it two texts mean the same if each entails the other, where uqlm takes one direction.
- ``device``, ``use_n_param``, ``verbose``, ``max_length``, ``prompts_in_nli`` and ``nli_batch_size`` are
  ignored.
- A response without samples has no score (``None``), nor has one with texts that the model cannot read.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semscale.answer_consistency.meanings import Relations, meaning_clusters, share_entropy
from semscale.answer_consistency.measures import measure_tokens
from semscale.answer_consistency.tokens import read_tokens
from semscale.compat.uqlm.best_response import best_orders, meaning_scorer, related_samples, reordered
from semscale.compat.uqlm.generation import ResponseGenerator, entailment_model
from semscale.compat.uqlm.not_applied import warn_of_ignored
from semscale.compat.uqlm.result import UQResult
from semscale.compat.uqlm.synchronous import synchronous
from semscale.errors import InputError
from semscale.types import Floats, Integers
from semscale.weights.known import DEFAULT_MODEL

_SELECTIONS = ("discrete", "token-based")


class SemanticEntropy:
    """Entropy of the meanings of a response and its samples, and confidence made of it.

    Args:
        llm: a LangChain chat model, or the name of a model.
        postprocessor: applied to every response before the comparison.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        sampling_temperature: temperature of the samples, above 0.
        use_best: whether the response of the most probable meaning takes the response's place in the result.
        best_response_selection: ``discrete``, by how many texts have a meaning, or ``token-based``, by the
            probabilities of their tokens where these are given.
        nli_model_name: a model of entailment: its name on the hub, its folder, or the model.
        length_normalize: whether the probability of a response is the geometric mean of its tokens'.
        sentence_transformer: the model of cosines.
        ledger: whether and where to store replies.
        ignored: further arguments of uqlm, see above.

    Raises:
        InputError: another ``best_response_selection``.
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
        use_best: bool = True,
        best_response_selection: str = "discrete",
        nli_model_name: Any = "",  # noqa: ANN401
        length_normalize: bool = True,
        sentence_transformer: str = DEFAULT_MODEL,
        ledger: bool | str | Path = True,
        **ignored: Any,  # noqa: ANN401
    ) -> None:
        warn_of_ignored(ignored)
        if best_response_selection not in _SELECTIONS:
            raise InputError(
                f"best_response_selection must be one of {', '.join(_SELECTIONS)}, got "
                f"{best_response_selection!r}"
            )
        self._use_best, self._by_tokens = use_best, best_response_selection == "token-based"
        self._generator = ResponseGenerator(
            llm, system_prompt, max_calls_per_min, sampling_temperature, ledger
        )
        self._postprocessor = postprocessor
        nli = entailment_model(nli_model_name, "semantic_negentropy") if nli_model_name else None
        self._scorer = meaning_scorer(sentence_transformer, nli)
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
        return self.score(prompts, found.responses, found.samples, found.tokens, found.sample_tokens)

    generate_and_score_sync = synchronous(generate_and_score)

    def score(  # noqa: PLR0913, PLR0917 - the arguments of uqlm
        self,
        prompts: Sequence[Any] | None = None,
        responses: Sequence[Any] = (),
        sampled_responses: Sequence[Sequence[Any]] = (),
        logprobs_results: Sequence[Any] | None = None,
        sampled_logprobs_results: Sequence[Sequence[Any]] | None = None,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Score existing responses.

        Args:
            prompts: n prompts, for the result alone.
            responses: n texts.
            sampled_responses: n lists of texts.
            logprobs_results: for each response a list of objects with ``logprob``, for the entropy of token
                probabilities.
            sampled_logprobs_results: for each sample likewise.
            show_progress_bars: ignored.

        Returns:
            ``discrete_entropy_values``, ``discrete_confidence_scores`` and ``num_semantic_sets``, and where
            log-probabilities are given ``tokenprob_entropy_values`` and ``tokenprob_confidence_scores``.

        Raises:
            InputError: lists of unequal length.
        """
        samples = [list(each) for each in sampled_responses]
        if prompts is not None and len(prompts) != len(responses):
            raise InputError("prompts and responses must have equal lengths")
        texts = [self._processed(text) for text in responses]
        processed = [[self._processed(text) for text in each] for each in samples]
        taken, related = related_samples(self._scorer, texts, processed)
        used: dict[int, Floats] | None = None
        data: dict[str, Any] = {} if prompts is None else {"prompts": list(prompts)}
        data |= _entropies(related, None, len(texts), "discrete")
        if logprobs_results is not None and sampled_logprobs_results is not None:
            _check_lengths(samples, logprobs_results, sampled_logprobs_results)
            weights = [
                [*self._probabilities([own]), *self._probabilities(list(each))]
                for own, each in zip(logprobs_results, sampled_logprobs_results, strict=True)
            ]
            used = {item: np.array([weights[item][0], *(weights[item][1 + at] for at in places)])
                    for item, places in _places(taken.pairs.item, taken.pairs.place).items()}  # fmt: skip
            data |= _entropies(related, used, len(texts), "tokenprob")
        own = list(responses)
        if self._use_best:
            mass = _known(used) if used is not None and self._by_tokens else None
            own, samples = reordered(own, samples, best_orders(taken, related, list(map(len, samples)), mass))
        data |= {"responses": own, "sampled_responses": samples}
        n = len(samples[0]) if samples else 0
        sampling = {"temperature": self._generator.temperature, "num_responses": n}
        return UQResult({"data": data, "metadata": {"parameters": sampling}})

    def _processed(self, text: Any) -> Any:  # noqa: ANN401 - any cell
        return self._postprocessor(text) if self._postprocessor and isinstance(text, str) else text

    def _probabilities(self, cells: list[Any]) -> list[float]:
        read = read_tokens(cells, len(cells))
        return list(measure_tokens(read, (self._sequence,))[self._sequence])


def _known(weights: dict[int, Floats]) -> dict[int, Floats]:
    """Keep the probabilities of responses that have them all."""
    return {item: mass for item, mass in weights.items() if not np.isnan(mass).any()}


def _check_lengths(
    samples: Sequence[Sequence[Any]], own: Sequence[Any], sampled: Sequence[Sequence[Any]]
) -> None:
    for name, given in (("logprobs_results", own), ("sampled_logprobs_results", sampled)):
        if len(given) != len(samples):
            raise InputError(
                f"{name} must have {len(samples)} entries, one for each response, got {len(given)}"
            )
    for at, (texts, lists) in enumerate(zip(samples, sampled, strict=True)):
        if len(lists) != len(texts):
            raise InputError(
                f"sampled_logprobs_results[{at}] must have {len(texts)} entries, one for each sample, "
                f"got {len(lists)}"
            )


def _places(item: Integers, place: Integers) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for one, at in zip(item.tolist(), place.tolist(), strict=True):
        found.setdefault(one, []).append(at)
    return found


def _entropies(
    related: dict[int, Relations], weights: dict[int, Floats] | None, n: int, kind: str
) -> dict[str, Floats]:
    """Give entropy and confidence of n items; of their texts alone, or with the probabilities of texts."""
    entropy, confidence, sets = (np.full(n, np.nan) for _ in range(3))
    for item, relations in related.items():
        if not relations.is_read:
            continue
        clusters = meaning_clusters(relations.same)
        mass = np.ones(len(clusters)) if weights is None else weights[item]
        if np.isnan(mass).any() or not mass.sum():
            continue
        shares = np.bincount(clusters, weights=mass) / mass.sum()
        entropy[item] = share_entropy(shares)
        confidence[item] = 1 - entropy[item] / np.log(len(clusters))
        sets[item] = len(shares)
    counted = {} if weights is not None else {"num_semantic_sets": sets}
    return {f"{kind}_entropy_values": entropy, f"{kind}_confidence_scores": confidence, **counted}
