"""The classes ``BlackBoxUQ`` and ``SemanticEntropy`` of ``uqlm``, which compare a response with its samples.

Intended differences from ``uqlm`` 0.6.7:

- ``noncontradiction`` and ``entailment`` use ``nli_model_name``, by default the model that Semscale names. It
  is pulled on first use; without a connection the message says which command gets it.
- ``semantic_negentropy`` and ``semantic_sets_confidence`` use that model where one of these two is asked for,
  too, or ``nli_model_name`` is given, and so does ``SemanticEntropy``. Else short answers mean the same by
  their words, and other texts by the cosine of their vectors; ``metadata["same_by"]`` of ``BlackBoxUQ``
  counts the prompts of each. With the model two texts mean the same if each entails the other, where uqlm
  takes one direction.
- Long texts are read in windows instead of being cut at 2,000 characters and 256 tokens.
- ``bert_score`` uses Semscale's default model; ``bert_model="roberta-large"`` or another name changes it.
- A response that is missing or empty, has no samples or has texts that the model cannot read has no score
  (``None``), instead of a score of an empty text.
- Failed calls are repeated, replies are stored in a ledger, and the number of concurrent calls is limited, so
  that one refusal does not lose a run.
- ``to_dict`` returns values that JSON can represent, and ``to_df`` does not shorten names of columns.
- ``use_best`` counts where a scorer of meanings is asked for, as uqlm's documentation has it.
- ``device``, ``max_length``, ``verbose``, ``nli_batch_size``, ``use_n_param`` and ``prompts_in_nli`` are
  ignored; ``nli`` warns that it is.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.meanings import Relations, best_text, meaning_clusters, meaning_entropy
from semscale.answer_consistency.measures import measures_needing
from semscale.answer_consistency.samples import PairReaders, SampledAnswers, pair_samples, read_texts
from semscale.compat.uqlm.scorer import (
    BLACK_BOX,
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

T = TypeVar("T")

DEFAULT_SCORERS = tuple(name for name in BLACK_BOX if name != "bert_score")
_SELECTIONS = ("discrete", "token-based")


class BlackBoxUQ(UncertaintyScorer):
    """Scores how consistent sampled responses are.

    Args:
        llm: a LangChain chat model, or the name of a model; only needed for ``generate_and_score``.
        scorers: among ``BLACK_BOX``; by default ``DEFAULT_SCORERS``, as in uqlm.
        device: ignored.
        use_best: whether the response of the most probable meaning among response and samples takes the
            response's place before the other scorers are computed; only with a scorer of meanings.
        nli_model_name: a model of entailment: its name on the hub, its folder, or the model.
        sentence_transformer: the model of ``cosine_sim``.
        postprocessor: applied to every response before the comparison.
        structured_response: refused.
        output_extractor: refused.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        sampling_temperature: temperature of the samples, above 0.
        return_responses: with a postprocessor: ``all``, ``raw`` or ``postprocessed`` responses are returned.
        use_n_param: ignored.
        max_length: ignored.
        verbose: ignored.
        nli_batch_size: ignored.
        bert_model: the model of ``bert_score``.
        ledger: whether and where to store replies, see ``semscale.chat.runner.Runner``.

    Raises:
        InputError: (a ``ValueError``) a scorer is unknown, or a setting is out of range.
        ModelError: the model of entailment cannot be loaded; the message names the scorers that need it.
    """

    reads_tokens = False

    def __init__(
        self,
        llm: Any = None,
        scorers: Sequence[str] | None = None,
        device: Any = None,
        use_best: bool = True,
        nli_model_name: Any = "",
        sentence_transformer: str = DEFAULT_MODEL,
        postprocessor: Callable[[str], str] | None = None,
        structured_response: Any = None,
        output_extractor: Any = None,
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        sampling_temperature: float = 1.0,
        return_responses: str = "all",
        use_n_param: bool = False,
        max_length: int = 2000,
        verbose: bool = False,
        nli_batch_size: int = 32,
        *,
        bert_model: str = DEFAULT_MODEL,
        ledger: bool | str | Path = True,
    ) -> None:
        self.scorers = checked_scorers(DEFAULT_SCORERS if scorers is None else scorers, BLACK_BOX)
        if structured_response is not None or output_extractor is not None:
            raise InputError("structured_response and output_extractor are not offered: use a postprocessor")
        super().__init__(
            llm,
            system_prompt,
            max_calls_per_min,
            sampling_temperature,
            ledger,
            postprocessor=postprocessor,
            return_responses=return_responses,
        )
        of_meanings = measures_needing("meanings", self.scorers)
        entailed = of_meanings if nli_model_name else measures_needing("entailment", self.scorers)
        nli = entailment_model(nli_model_name, entailed) if entailed else None
        self._instrument = Consistency(
            measures=self.scorers,
            embedder=sentence_transformer,
            bert_embedder=bert_model,
            nli=nli,
            by_sentence=False,
        )
        self._meanings = _meaning_scorer(sentence_transformer, nli) if use_best and of_meanings else None

    async def _score_generated(self, prompts: Sequence[Any], generated: Generated) -> UQResult:
        result = self.score(generated.responses, generated.samples)
        return UQResult({"data": {**result.data, "prompts": list(prompts)}, "metadata": result.metadata})

    def score(
        self,
        responses: Sequence[Any],
        sampled_responses: Sequence[Sequence[Any]],
        show_progress_bars: bool | None = True,
    ) -> UQResult:
        """Score existing responses.

        Args:
            responses: n texts.
            sampled_responses: n lists of texts.
            show_progress_bars: ignored.

        Raises:
            InputError: the lists have unequal lengths.
        """
        return self.score_with_best(responses, sampled_responses)[0]

    def score_with_best(
        self, responses: Sequence[Any], sampled_responses: Sequence[Sequence[Any]]
    ) -> tuple[UQResult, list[int]]:
        """Score existing responses, and tell which text took the place of each response.

        Args:
            responses: n texts.
            sampled_responses: n lists of texts.

        Returns:
            The result of ``score``, and n positions by ``use_best``: 0 for the response, from 1 for its
            samples.

        Raises:
            InputError: the lists have unequal lengths.
        """
        raw = read_texts(list(responses), [list(row) for row in sampled_responses])
        texts, samples = self._processed(*raw)
        readers, best = self._instrument.readers(), [0] * len(texts)
        if self._meanings is not None:
            sampled, related = _related_samples(self._meanings, texts, samples, readers)
            best = _best_positions(sampled, related)
        processed = with_best_first(texts, samples, best)
        measured = self._instrument.measure_part(*processed, keep_unread=True, readers=readers)
        columns = self._text_columns(with_best_first(*raw, best), processed)
        metadata = {**self._sampling_metadata(raw[1]), "scorers": list(self.scorers)}
        grounds = [str(ground) for ground in measured.same_by if ground is not None]
        if grounds:
            metadata["same_by"] = {ground: grounds.count(ground) for ground in sorted(set(grounds))}
        return UQResult({"data": {**columns, **measured.measures}, "metadata": metadata}), best


class SemanticEntropy(UncertaintyScorer):
    """Entropy of the meanings of a response and its samples, and the confidence that follows from it.

    Args:
        llm: a LangChain chat model, or the name of a model.
        postprocessor: applied to every response before the comparison.
        device: ignored.
        use_best: whether the response of the most probable meaning takes the response's place in the result.
        best_response_selection: ``discrete``, by how many texts have a meaning, or ``token-based``, by the
            probabilities of their tokens where these are given.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        use_n_param: ignored.
        sampling_temperature: temperature of the samples, above 0.
        verbose: ignored.
        nli_model_name: a model of entailment: its name on the hub, its folder, or the model.
        max_length: ignored.
        return_responses: with a postprocessor: ``all``, ``raw`` or ``postprocessed`` responses are returned.
        length_normalize: whether the probability of a response is the geometric mean of its tokens'.
        prompts_in_nli: ignored.
        nli: not applied, with a warning.
        nli_batch_size: ignored.
        sentence_transformer: the model of cosines.
        ledger: whether and where to store replies.

    Raises:
        InputError: another ``best_response_selection``, or a setting is out of range.
        ModelError: the model of entailment cannot be loaded; the message says which command gets it.
    """

    def __init__(
        self,
        llm: Any = None,
        postprocessor: Callable[[str], str] | None = None,
        device: Any = None,
        use_best: bool = True,
        best_response_selection: str = "discrete",
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        use_n_param: bool = False,
        sampling_temperature: float = 1.0,
        verbose: bool = False,
        nli_model_name: Any = "",
        max_length: int = 2000,
        return_responses: str = "all",
        length_normalize: bool = True,
        prompts_in_nli: bool = True,
        nli: Any = None,
        nli_batch_size: int = 32,
        *,
        sentence_transformer: str = DEFAULT_MODEL,
        ledger: bool | str | Path = True,
    ) -> None:
        warn_of_ignored(nli=nli)
        if best_response_selection not in _SELECTIONS:
            raise InputError(
                f"best_response_selection must be one of {', '.join(_SELECTIONS)}, got "
                f"{best_response_selection!r}"
            )
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
        self._use_best, self._by_tokens = use_best, best_response_selection == "token-based"
        model = entailment_model(nli_model_name, ["semantic_negentropy"]) if nli_model_name else None
        self._meanings = _meaning_scorer(sentence_transformer, model)

    async def _score_generated(self, prompts: Sequence[Any], generated: Generated) -> UQResult:
        return self.score(
            prompts, generated.responses, generated.samples, generated.tokens, generated.sample_tokens
        )

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
        if prompts is not None and len(prompts) != len(responses):
            raise InputError("prompts and responses must have equal lengths")
        raw = list(responses), [list(row) for row in sampled_responses]
        texts, samples = self._processed(*raw)
        sampled, related = _related_samples(self._meanings, texts, samples)
        data: dict[str, Any] = {} if prompts is None else {"prompts": list(prompts)}
        data |= _entropies(related, None, len(texts))
        masses: dict[int, Floats] | None = None
        if logprobs_results is not None and sampled_logprobs_results is not None:
            check_token_lengths(samples, logprobs_results, sampled_logprobs_results)
            masses = self._masses(sampled, logprobs_results, sampled_logprobs_results)
            data |= _entropies(related, masses, len(texts))
        best = [0] * len(texts)
        if self._use_best:
            best = _best_positions(sampled, related, masses if self._by_tokens else None)
        data |= self._text_columns(with_best_first(*raw, best), with_best_first(texts, samples, best))
        return UQResult({"data": data, "metadata": {"parameters": self._sampling_metadata(samples)}})

    def _masses(
        self, sampled: SampledAnswers, own: Sequence[Any], of_samples: Sequence[Sequence[Any]]
    ) -> dict[int, Floats]:
        """Give the probabilities of the related texts of each item, the response first."""
        pairs, masses = sampled.pairs, {}
        probabilities = self._probabilities(own)
        for item in np.unique(pairs.item).tolist():
            positions = pairs.place[pairs.item == item]
            masses[item] = np.append(
                probabilities[item], self._probabilities(list(of_samples[item]))[positions]
            )
        return masses


def with_best_first(
    own: Sequence[T], samples: Sequence[Sequence[T]], best: Sequence[int]
) -> tuple[list[T], list[list[T]]]:
    """Put the best of each response and its samples into the response's place.

    Args:
        own: n values, one for each response.
        samples: n lists of values, one for each sample.
        best: n positions: 0 for the response, from 1 for its samples.

    Example:
        >>> with_best_first(["Rome"], [["Paris", "Oslo"]], [1])
        (['Paris'], [['Rome', 'Oslo']])
    """
    rows = [[first, *rest] for first, rest in zip(own, samples, strict=True)]
    for row, position in zip(rows, best, strict=True):
        row.insert(0, row.pop(position))
    return [row[0] for row in rows], [row[1:] for row in rows]


def _meaning_scorer(embedder: str, nli: Any) -> Consistency:
    return Consistency(measures=["semantic_negentropy"], embedder=embedder, nli=nli, by_sentence=False)


def _related_samples(
    scorer: Consistency,
    responses: list[Any],
    samples: list[list[Any]],
    readers: PairReaders | None = None,
) -> tuple[SampledAnswers, dict[int, Relations]]:
    """Pair responses with their samples, and relate their meanings by the number of the response."""
    sampled, used = pair_samples(responses, samples), readers or scorer.readers()
    pairs = sampled.pairs
    answers = [pairs.texts[number] for number in np.unique(pairs.prediction).tolist()]
    floor = scorer.applied_floor(answers, cosines=used.cosines)
    return sampled, scorer.relate(sampled, floor, used)


def _best_positions(
    sampled: SampledAnswers, related: Mapping[int, Relations], masses: Mapping[int, Floats] | None = None
) -> list[int]:
    """Give the position of the text that stands for the most probable meaning, 0 where none can be compared.

    Args:
        sampled: n responses with their samples.
        related: how the texts of a response relate, the response first.
        masses: probabilities of the related texts; where all of an item's are known, they decide.
    """
    pairs, best = sampled.pairs, [0] * sampled.pairs.n_items
    for item, relations in related.items():
        rows = np.flatnonzero(pairs.item == item).tolist()
        mass = None if masses is None else masses.get(item)
        is_unknown = masses is not None and (mass is None or np.isnan(mass).any())
        if not rows or not relations.is_read or is_unknown:
            continue
        numbers = [pairs.prediction[rows[0]], *pairs.reference[rows]]
        chosen = best_text(
            [pairs.texts[number] for number in numbers], meaning_clusters(relations.same), mass
        )
        best[item] = 1 + int(pairs.place[rows[chosen - 1]]) if chosen else 0
    return best


def _entropies(
    related: Mapping[int, Relations], masses: Mapping[int, Floats] | None, n: int
) -> dict[str, Any]:
    """Give entropy and confidence of n items, by their texts alone or by the probabilities of texts."""
    columns = np.full((3, n), np.nan)
    for item, relations in related.items():
        if relations.is_read:
            columns[:, item] = meaning_entropy(relations.same, None if masses is None else masses[item])
    entropy, confidence, sets = columns
    if masses is not None:
        return {"tokenprob_entropy_values": entropy, "tokenprob_confidence_scores": confidence}
    return {
        "discrete_entropy_values": entropy,
        "discrete_confidence_scores": confidence,
        "num_semantic_sets": sets,
    }
