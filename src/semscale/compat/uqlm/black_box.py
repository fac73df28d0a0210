"""The class ``BlackBoxUQ`` of ``uqlm`` on Semscale's measures of consistency.

Intended differences from ``uqlm`` 0.6.7:

- ``noncontradiction`` and ``entailment`` use ``nli_model_name``, by default the model that Semscale names. It
  is pulled on first use; without a connection the message says which command gets it.
- ``semantic_negentropy`` and ``semantic_sets_confidence`` use that model where one of these two is asked for,
  too, or ``nli_model_name`` is given. Else short answers mean the same by their words, and other texts by the
  cosine of their vectors; ``metadata["same_by"]`` counts the prompts of each.
- Long texts are read in windows instead of being cut at 2,000 characters and 256 tokens.
- ``bert_score`` uses Semscale's default model; ``bert_model="roberta-large"`` or another name changes it.
- A missing or empty response or sample has no score (``None``), instead of a score of an empty text.
- Failed calls are repeated, replies are stored in a ledger, and the number of concurrent calls is limited, so
  that one refusal does not lose a run.
- ``to_dict`` returns values that JSON can represent, and ``to_df`` does not shorten names of columns.
- ``use_best`` counts where a scorer of meanings is asked for, as uqlm's documentation has it.
- ``device``, ``max_length``, ``verbose``, ``nli_batch_size`` and ``use_n_param`` are ignored.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from semscale.answer_consistency.consistencies import Consistencies
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.measures import measures_needing
from semscale.answer_consistency.samples import PairReaders, read_texts
from semscale.compat.uqlm.best_response import Order, best_orders, meaning_scorer, related_samples, reordered
from semscale.compat.uqlm.generation import ResponseGenerator, entailment_model
from semscale.compat.uqlm.result import UQResult
from semscale.compat.uqlm.synchronous import synchronous
from semscale.errors import InputError
from semscale.weights.known import DEFAULT_MODEL

SCORERS = (
    "semantic_negentropy",
    "noncontradiction",
    "exact_match",
    "bert_score",
    "cosine_sim",
    "entailment",
    "semantic_sets_confidence",
)
DEFAULT_SCORERS = (
    "semantic_negentropy",
    "noncontradiction",
    "exact_match",
    "cosine_sim",
    "entailment",
    "semantic_sets_confidence",
)
NEEDING_ENTAILMENT = frozenset({"noncontradiction", "entailment"})
_RETURNED = ("all", "raw", "postprocessed")


class BlackBoxUQ:
    """Scores how consistent sampled responses are.

    Args:
        llm: a LangChain chat model, or the name of a model; only needed for ``generate_and_score``.
        scorers: among ``SCORERS``; by default ``DEFAULT_SCORERS``, as in uqlm.
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
    """

    def __init__(  # noqa: PLR0913, PLR0917 - the arguments of uqlm
        self,
        llm: Any = None,  # noqa: ANN401 - LangChain's model
        scorers: Sequence[str] | None = None,
        device: Any = None,  # noqa: ANN401, ARG002
        use_best: bool = True,  # noqa: FBT001, FBT002
        nli_model_name: Any = "",  # noqa: ANN401
        sentence_transformer: str = DEFAULT_MODEL,
        postprocessor: Callable[[str], str] | None = None,
        structured_response: Any = None,  # noqa: ANN401
        output_extractor: Any = None,  # noqa: ANN401
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        sampling_temperature: float = 1.0,
        return_responses: str = "all",
        use_n_param: bool = False,  # noqa: FBT001, FBT002, ARG002
        max_length: int = 2000,  # noqa: ARG002
        verbose: bool = False,  # noqa: FBT001, FBT002, ARG002
        nli_batch_size: int = 32,  # noqa: ARG002
        *,
        bert_model: str = DEFAULT_MODEL,
        ledger: bool | str | Path = True,
    ) -> None:
        self.scorers = _checked_scorers(scorers)
        if structured_response is not None or output_extractor is not None:
            raise InputError("structured_response and output_extractor are not offered: use a postprocessor")
        if return_responses not in _RETURNED:
            raise InputError(
                f"return_responses must be one of {', '.join(_RETURNED)}, got {return_responses!r}"
            )
        self.llm = llm
        self.postprocessor = postprocessor
        self.return_responses = return_responses
        self.sampling_temperature = sampling_temperature
        self._generator = ResponseGenerator(
            llm, system_prompt, max_calls_per_min, sampling_temperature, ledger
        )
        needing = [name for name in self.scorers if name in NEEDING_ENTAILMENT]
        nli = (
            entailment_model(nli_model_name, (*needing, *self.scorers)[0])
            if needing or (nli_model_name and measures_needing("meanings", self.scorers))
            else None
        )
        self._instrument = Consistency(
            measures=self.scorers,
            embedder=sentence_transformer,
            bert_embedder=bert_model,
            nli=nli,
            by_sentence=False,
        )
        self._same_by: dict[str, int] = {}
        picks = use_best and bool(measures_needing("meanings", self.scorers))
        self._picking = meaning_scorer(sentence_transformer, nli) if picks else None

    async def generate_and_score(
        self,
        prompts: Sequence[Any],
        num_responses: int = 5,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Request a response and samples for each prompt, and score them.

        Args:
            prompts: texts, or lists of LangChain's messages.
            num_responses: number of samples for each prompt.
            show_progress_bars: ignored.

        Raises:
            InputError: there is no ``llm``, no sample is wanted, or a prompt has another type.
            ReplyError: no call can succeed, such as with a wrong key.
        """
        if num_responses < 1:
            raise InputError(f"num_responses must be at least 1, got {num_responses!r}")
        found = await self._generator.generate(prompts, num_responses, logprobs=False)
        data, _ = self._scored(found.responses, found.samples)
        return self._result({"prompts": list(prompts), **data}, num_responses)

    generate_and_score_sync = synchronous(generate_and_score)

    def score(
        self,
        responses: Sequence[str],
        sampled_responses: Sequence[Sequence[str]],
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Score existing responses.

        Args:
            responses: n texts.
            sampled_responses: n lists of texts.
            show_progress_bars: ignored.

        Raises:
            InputError: the lists have unequal lengths.
        """
        return self.score_in_order(responses, sampled_responses)[0]

    def score_in_order(
        self, responses: Sequence[Any], sampled_responses: Sequence[Sequence[Any]]
    ) -> tuple[UQResult, list[Order]]:
        """Score existing responses, and say in which order each response and its samples were taken.

        Args:
            responses: n texts.
            sampled_responses: n lists of texts.

        Returns:
            What ``score`` gives, and n orders by ``use_best``; as the texts were where it does not count.

        Raises:
            InputError: the lists have unequal lengths.
        """
        n = len(sampled_responses[0]) if len(sampled_responses) else 0
        data, orders = self._scored(list(responses), [list(one) for one in sampled_responses])
        return self._result(data, n), orders

    def _orders(self, texts: list[Any], sampled: list[list[Any]], readers: PairReaders) -> list[Order]:
        if self._picking is None:
            return [list(range(len(row) + 1)) for row in sampled]
        related = related_samples(self._picking, texts, sampled, readers)
        return best_orders(*related, list(map(len, sampled)))

    def _scored(self, responses: list[Any], samples: list[list[Any]]) -> tuple[dict[str, Any], list[Order]]:
        texts = [self._processed(text) for text in responses]
        sampled = [[self._processed(text) for text in row] for row in samples]
        readers, orders = self._instrument.readers(), list[Order]()
        if len(texts) == len(sampled):  # else scoring refuses them
            orders = self._orders(texts, sampled, readers)
            responses, samples = reordered(responses, samples, orders)
            texts, sampled = reordered(texts, sampled, orders)
        given = {"responses": responses, "sampled_responses": samples}
        scores = self._scores(texts, sampled, readers)
        if self.postprocessor is None:
            return {**given, **scores}, orders
        processed = {"responses": texts, "sampled_responses": sampled}
        raw = {f"raw_{name}": column for name, column in given.items()}
        returned: dict[str, dict[str, Any]] = {
            "all": {**processed, **raw},
            "raw": given,
            "postprocessed": processed,
        }
        return {**returned[self.return_responses], **scores}, orders

    def _scores(self, responses: list[Any], samples: list[list[Any]], readers: PairReaders) -> dict[str, Any]:
        measured: Consistencies = self._instrument.measure_part(
            *read_texts(responses, samples), keep_unread=True, readers=readers
        )
        grounds = [str(ground) for ground in measured.same_by if ground is not None]
        self._same_by = {ground: grounds.count(ground) for ground in sorted(set(grounds))}
        return dict(measured.measures)

    def _processed(self, text: str | None) -> str | None:
        return text if text is None or self.postprocessor is None else self.postprocessor(text)

    def _result(self, data: dict[str, Any], n: int) -> UQResult:
        metadata = {
            "temperature": getattr(self.llm, "temperature", None),
            "sampling_temperature": self.sampling_temperature,
            "num_responses": n,
            "scorers": list(self.scorers),
            **({"same_by": self._same_by} if self._same_by else {}),
        }
        return UQResult({"data": data, "metadata": metadata})


def _checked_scorers(scorers: Sequence[str] | None) -> tuple[str, ...]:
    names = DEFAULT_SCORERS if scorers is None else tuple(scorers)
    for name in names:
        if name not in SCORERS:
            raise InputError(f"scorers must be among {', '.join(SCORERS)}, got {name!r}")
    return names
