"""The classes of ``uqlm`` for short responses, by samples and by the probabilities of tokens.

Intended differences from ``uqlm`` 0.6.7:

- ``noncontradiction``, ``entailment`` and ``semantic_density`` use ``nli_model_name``, by default the model
  that Semscale names. It is pulled on first use; without a connection the message says which command gets it.
- ``semantic_negentropy`` and ``semantic_sets_confidence`` use that model where one of the first two is
  requested, too, or ``nli_model_name`` is given, and so does ``SemanticEntropy``. Else short answers mean the
  same by their words, and other texts by the cosine of their vectors; ``metadata["same_by"]`` of
  ``BlackBoxUQ`` counts the prompts by ground. With the model two texts mean the same if each entails the
  other, where uqlm takes one direction.
- A model's reasoning before a response, such as ``<think>...</think>``, is not compared, nor are its tokens.
- Long texts are read in windows instead of being cut at 2,000 characters and 256 tokens.
- ``bert_score`` uses Semscale's default model; ``bert_model="roberta-large"`` or another name changes it.
- A response that is missing or empty, has no samples or has texts that the model cannot read has no score
  (``None``), instead of a score of an empty text. One without log-probabilities has no score by tokens and
  does not end the run; a sample without them does not count in ``SemanticDensity``.
- ``p_true`` compares the probabilities of True and False, instead of taking the one word that came. As there,
  it needs log-probabilities; no typed decision is requested in their stead.
- Any endpoint that gives log-probabilities will do. The results have no columns of them.
- Failed calls are repeated, replies are stored in a ledger, and the number of concurrent calls is limited, so
  that one refusal does not lose a run.
- ``to_dict`` returns values that JSON can represent, and ``to_df`` does not shorten names of columns.
- ``use_best`` counts where a scorer of meanings is requested, as uqlm's documentation has it.
- ``device``, ``max_length``, ``verbose``, ``nli_batch_size``, ``use_n_param``, ``top_k_logprobs`` and, in
  ``SemanticEntropy``, ``prompts_in_nli`` are ignored; ``nli`` warns that it is.
"""

from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.meanings import Relations, best_positions, item_entropies
from semscale.answer_consistency.measures import measure_tokens, measures_needing
from semscale.answer_consistency.p_true import ask_p_true
from semscale.answer_consistency.samples import PairReaders, SampledAnswers, pair_samples, read_texts
from semscale.answer_consistency.tokens import (
    confident_consistency,
    monte_carlo_probability,
    semantic_densities,
)
from semscale.chat.runner import Running
from semscale.compat.uqlm.base import (
    BLACK_BOX,
    WHITE_BOX,
    UncertaintyScorer,
    UQResult,
    answer_tokens,
    check_token_lengths,
    entailment_model,
    entailment_model_for,
    validate_scorers,
    warn_of_ignored,
    with_rate_limit,
)
from semscale.errors import InputError
from semscale.types import Floats
from semscale.weights.known import DEFAULT_MODEL

T = TypeVar("T")

DEFAULT_BLACK_BOX = tuple(name for name in BLACK_BOX if name != "bert_score")
DEFAULT_WHITE_BOX = ("min_probability", "sequence_probability")
_SELECTIONS = ("discrete", "token-based")


class BlackBoxUQ(UncertaintyScorer):
    """Scorer of the consistency of a response with sampled responses.

    Args:
        llm: a LangChain chat model, or the name of a model; only needed for ``generate_and_score``.
        scorers: names from ``BLACK_BOX``; by default ``DEFAULT_BLACK_BOX``, as in uqlm.
        device: ignored.
        use_best: whether to replace the response by the one with the most probable meaning among response and
            samples before the other scorers are computed; only with a scorer of meanings.
        nli_model_name: an entailment model: its name on the hub, its folder, or the model.
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
        ModelError: the entailment model cannot be loaded; the message names the scorers that need it.
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
        self.scorers = validate_scorers(DEFAULT_BLACK_BOX if scorers is None else scorers, BLACK_BOX)
        if structured_response is not None or output_extractor is not None:
            raise InputError("structured_response and output_extractor are not offered: use a postprocessor")
        super().__init__(
            llm,
            system_prompt,
            with_rate_limit(Running(ledger=ledger), max_calls_per_min),
            sampling_temperature,
            postprocessor=postprocessor,
            return_responses=return_responses,
        )
        nli = entailment_model_for(self.scorers, nli_model_name)
        self._instrument = Consistency(
            measures=self.scorers,
            embedder=sentence_transformer,
            bert_embedder=bert_model,
            nli=nli,
            by_sentence=False,
        )
        picks_best = use_best and measures_needing("meanings", self.scorers)
        self._meanings = _meaning_scorer(sentence_transformer, nli) if picks_best else None

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
        raw = read_texts(list(responses), [list(row) for row in sampled_responses])
        texts, samples = self._process(*raw)
        readers, best = self._instrument.readers(), [0] * len(texts)
        if self._meanings is not None:
            sampled, related = _relate_samples(self._meanings, texts, samples, readers)
            best = best_positions(sampled.pairs, related)
        processed = _with_best_first(texts, samples, best)
        measured = self._instrument.measure_part(*processed, keep_unread=True, readers=readers)
        columns = self._text_columns(_with_best_first(*raw, best), processed)
        metadata = {**self._sampling_metadata(raw[1]), "scorers": list(self.scorers)}
        grounds = [str(ground) for ground in measured.same_by if ground is not None]
        if grounds:
            metadata["same_by"] = {ground: grounds.count(ground) for ground in sorted(set(grounds))}
        return UQResult({"data": {**columns, **measured.measures}, "metadata": metadata})


class SemanticEntropy(UncertaintyScorer):
    """Entropy of the meanings of a response and its samples, and the confidence that follows from it.

    Args:
        llm: a LangChain chat model, or the name of a model.
        postprocessor: applied to every response before the comparison.
        device: ignored.
        use_best: whether to replace the response in the result by the one with the most probable meaning.
        best_response_selection: ``discrete``, by the number of texts with a meaning, or ``token-based``, by
            the probabilities of their tokens if available.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        use_n_param: ignored.
        sampling_temperature: temperature of the samples, above 0.
        verbose: ignored.
        nli_model_name: an entailment model: its name on the hub, its folder, or the model.
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
        ModelError: the entailment model cannot be loaded; the message says which command gets it.
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
                "best_response_selection",
                f"must be one of {', '.join(_SELECTIONS)}, got {best_response_selection!r}",
            )
        super().__init__(
            llm,
            system_prompt,
            with_rate_limit(Running(ledger=ledger), max_calls_per_min),
            sampling_temperature,
            postprocessor=postprocessor,
            return_responses=return_responses,
            length_normalize=length_normalize,
        )
        self._use_best, self._by_tokens = use_best, best_response_selection == "token-based"
        nli = entailment_model_for(["semantic_negentropy"], nli_model_name)
        self._meanings = _meaning_scorer(sentence_transformer, nli)

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
            prompts: n prompts, only for the result.
            responses: n texts.
            sampled_responses: n lists of texts.
            logprobs_results: for each response a list of objects with ``logprob``, for the entropy of token
                probabilities.
            sampled_logprobs_results: the same for each sample.
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
        texts, samples = self._process(*raw)
        sampled, related = _relate_samples(self._meanings, texts, samples)
        data: dict[str, Any] = {} if prompts is None else {"prompts": list(prompts)}
        discrete = ("discrete_entropy_values", "discrete_confidence_scores", "num_semantic_sets")
        data |= dict(zip(discrete, item_entropies(related, len(texts)), strict=True))
        masses: dict[int, Floats] | None = None
        if logprobs_results is not None and sampled_logprobs_results is not None:
            check_token_lengths(samples, logprobs_results, sampled_logprobs_results)
            masses = self._masses(sampled, logprobs_results, sampled_logprobs_results)
            entropy, confidence, _ = item_entropies(related, len(texts), masses)
            data |= {"tokenprob_entropy_values": entropy, "tokenprob_confidence_scores": confidence}
        best = [0] * len(texts)
        if self._use_best:
            best = best_positions(sampled.pairs, related, masses if self._by_tokens else None)
        data |= self._text_columns(_with_best_first(*raw, best), _with_best_first(texts, samples, best))
        return UQResult({"data": data, "metadata": {"parameters": self._sampling_metadata(samples)}})

    def _masses(
        self, sampled: SampledAnswers, tokens: Sequence[Any], sample_tokens: Sequence[Sequence[Any]]
    ) -> dict[int, Floats]:
        """Return the probabilities of the related texts of each item, the response first."""
        pairs, masses = sampled.pairs, {}
        probabilities = self._probabilities(tokens)
        for item in np.unique(pairs.item).tolist():
            positions = pairs.place[pairs.item == item]
            masses[item] = np.append(
                probabilities[item], self._probabilities(list(sample_tokens[item]))[positions]
            )
        return masses


class WhiteBoxUQ(UncertaintyScorer):
    """Scorer of responses by the probabilities of their tokens.

    Args:
        llm: a LangChain chat model, or the name of a model.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        scorers: names from ``WHITE_BOX``; by default ``DEFAULT_WHITE_BOX``.
        sampling_temperature: temperature of the samples, above 0.
        top_k_logprobs: ignored; requests ask for the number of likeliest tokens that most endpoints support.
        use_n_param: ignored.
        length_normalize: whether the probability of a response is the geometric mean of its tokens'.
        prompts_in_nli: whether prompts precede texts in ``semantic_density``.
        device: ignored.
        max_length: ignored.
        sentence_transformer: the model of ``consistency_and_confidence``.
        nli_model_name: an entailment model for ``semantic_negentropy`` and ``semantic_density``.
        ledger: whether and where to store replies.

    Raises:
        InputError: (a ``ValueError``) a scorer is unknown, or a setting is out of range.
        ModelError: the entailment model cannot be loaded; the message names the scorers that need it.
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
        self.scorers = validate_scorers(scorers or DEFAULT_WHITE_BOX, WHITE_BOX)
        super().__init__(
            llm,
            system_prompt,
            with_rate_limit(Running(ledger=ledger), max_calls_per_min),
            sampling_temperature,
            length_normalize=length_normalize,
        )
        self._has_prompts = prompts_in_nli
        self._similarity = Consistency(measures=["cosine_sim"], embedder=sentence_transformer)
        nli = entailment_model_for(self.scorers, nli_model_name)
        self._density, self._entropy = None, None
        if "semantic_density" in self.scorers:
            self._density = SemanticDensity(nli_model_name=nli, length_normalize=length_normalize)
        if "semantic_negentropy" in self.scorers:
            model = nli if nli_model_name else None
            self._entropy = SemanticEntropy(nli_model_name=model, sentence_transformer=sentence_transformer)

    @property
    def needs_samples(self) -> bool:
        """True if a scorer compares responses with samples."""
        return any("sampled_responses" in WHITE_BOX[name] for name in self.scorers)

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
        self._check_inputs({**texts, "sampled_logprobs_results": sampled_logprobs_results})
        data: dict[str, Any] = {name: list(column) for name, column in texts.items() if column is not None}
        by_tokens = [name for name in self.scorers if not WHITE_BOX[name]]
        tokens = answer_tokens(logprobs_results)
        data |= measure_tokens(tokens, by_tokens)
        if "sequence_probability" in data:
            data["sequence_probability"] = self._probabilities(tokens)
        if self.needs_samples:
            samples = data["sampled_responses"] = [list(row) for row in sampled_responses or ()]
            sample_tokens = sampled_logprobs_results or [[None] * len(row) for row in samples]
            data |= self._score_samples(prompts, data["responses"], samples, tokens, sample_tokens)
        if "p_true" in self.scorers:
            shown = None
            if sampled_responses is not None:
                shown = [[text for text in row if text] for row in sampled_responses]
            data["p_true"] = await ask_p_true(data["prompts"], data["responses"], shown, self._runner())
        return UQResult({"data": data, "metadata": {"temperature": getattr(self.llm, "temperature", None)}})

    def _check_inputs(self, inputs: dict[str, Any]) -> None:
        """Refuse scorers with missing inputs, and prompts of P(True) that are not texts."""
        for name in self.scorers:
            missing = [needed for needed in WHITE_BOX[name] if inputs[needed] is None]
            if missing:
                raise InputError(f"scorer {name!r} needs {' and '.join(missing)}")
        if "p_true" in self.scorers and not all(isinstance(prompt, str) for prompt in inputs["prompts"]):
            raise InputError("scorer 'p_true' needs prompts that are texts")

    def _score_samples(
        self,
        prompts: Sequence[Any] | None,
        responses: list[Any],
        samples: list[list[Any]],
        tokens: Sequence[Any],
        sample_tokens: Sequence[Sequence[Any]],
    ) -> dict[str, Any]:
        """Compute the scorers that compare responses with samples."""
        check_token_lengths(samples, tokens, sample_tokens)
        columns: dict[str, Any] = {}
        probabilities = self._probabilities(tokens)
        if "monte_carlo_probability" in self.scorers:
            item = np.repeat(np.arange(len(responses)), [len(row) for row in sample_tokens])
            sampled = self._probabilities([*chain.from_iterable(sample_tokens)])
            columns["monte_carlo_probability"] = monte_carlo_probability(item, probabilities, sampled)
        if "consistency_and_confidence" in self.scorers:
            similarity = self._similarity.measure(responses, samples).score
            columns["consistency_and_confidence"] = confident_consistency(similarity, probabilities)
        if self._entropy is not None:
            scored = self._entropy.score(None, responses, samples, tokens, sample_tokens)
            columns["semantic_negentropy"] = scored.data["tokenprob_confidence_scores"]
        if self._density is not None:
            shown = prompts if self._has_prompts else None
            density = self._density.score(shown, responses, samples, None, sample_tokens)
            columns["semantic_density"] = density.data["semantic_density_values"]
        return columns


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
        nli_model_name: an entailment model: its name on the hub, its folder, or the model.
        max_length: ignored.
        return_responses: with a postprocessor: ``all``, ``raw`` or ``postprocessed`` responses are returned.
        length_normalize: whether the probability of a sample is the geometric mean of its tokens'.
        nli: not applied, with a warning.
        nli_batch_size: ignored.
        ledger: whether and where to store replies.

    Raises:
        InputError: a setting is out of range.
        ModelError: the entailment model cannot be loaded; the message says which command gets it.
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
            with_rate_limit(Running(ledger=ledger), max_calls_per_min),
            sampling_temperature,
            postprocessor=postprocessor,
            return_responses=return_responses,
            length_normalize=length_normalize,
        )
        self._nli = entailment_model(nli_model_name, ["semantic_density"])

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
        processed = self._process(*raw)
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


def _with_best_first(
    responses: Sequence[T], samples: Sequence[Sequence[T]], best: Sequence[int]
) -> tuple[list[T], list[list[T]]]:
    """Exchange each response with the best of itself and its samples.

    Args:
        responses: n values, one for each response.
        samples: n lists of values, one for each sample.
        best: n positions: 0 for the response, from 1 for its samples.

    Examples:
        >>> _with_best_first(["Rome"], [["Paris", "Oslo"]], [1])
        (['Paris'], [['Rome', 'Oslo']])
    """
    rows = [[first, *rest] for first, rest in zip(responses, samples, strict=True)]
    for row, position in zip(rows, best, strict=True):
        row.insert(0, row.pop(position))
    return [row[0] for row in rows], [row[1:] for row in rows]


def _meaning_scorer(embedder: str, nli: Any) -> Consistency:
    return Consistency(measures=["semantic_negentropy"], embedder=embedder, nli=nli, by_sentence=False)


def _relate_samples(
    scorer: Consistency,
    responses: list[Any],
    samples: list[list[Any]],
    readers: PairReaders | None = None,
) -> tuple[SampledAnswers, dict[int, Relations]]:
    """Pair responses with their samples, and compare their meanings, by the index of the response."""
    sampled, used = pair_samples(responses, samples), readers or scorer.readers()
    pairs = sampled.pairs
    answers = [pairs.texts[number] for number in np.unique(pairs.prediction).tolist()]
    floor = scorer.choose_floor(answers, cosines=used.cosines)
    return sampled, scorer.relate(sampled, floor, used)
