"""The class ``LongTextUQ`` of ``uqlm`` on Semscale's claims.

Intended differences from ``uqlm`` 0.6.7:

- Claims are the sentences of a response; no model decomposes them (``claim_decomposition_llm`` is refused).
- ``mode`` is ``unit_response``: a claim beside each whole sample. Scorers are ``entailment``,
  ``noncontradiction`` and ``contrasted_entailment``.
- A refined response is the sentences that are kept, in their own words; none is written anew.
- A response without samples has no score (``None``).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from semscale.compat.uqlm.generation import ResponseGenerator, entailment_model
from semscale.compat.uqlm.result import UQResult
from semscale.compat.uqlm.synchronous import synchronous
from semscale.errors import InputError
from semscale.matching.entailment.probabilities import CONTRADICTION, ENTAILMENT
from semscale.matching.entailment.sentences import worded_sentences
from semscale.self_consistency.meanings.relations import distinct_entailments
from semscale.store.columns import text_status
from semscale.types import Floats, Status

SCORERS = ("entailment", "noncontradiction", "contrasted_entailment")
THRESHOLD = 1 / 3
"""Claims with a lower value are removed from a refined response, as in uqlm."""
_AGGREGATIONS = ("mean", "min")


class LongTextUQ:
    """Scores long responses sentence by sentence, by how far samples entail each sentence.

    Args:
        llm: a LangChain chat model, or the name of a model.
        granularity: ``claim`` or ``sentence``: both mean sentences.
        mode: ``unit_response``.
        scorers: among ``SCORERS``; by default ``entailment``.
        aggregation: of the claims of a response: ``mean`` or ``min``.
        response_refinement: whether claims with low values are removed.
        claim_filtering_scorer: by which scorer; the first one unless given.
        nli_model_name: a model of entailment: its name on the hub, its folder, or the model.
        system_prompt: precedes every prompt that is a text.
        max_calls_per_min: the most calls per minute.
        sampling_temperature: temperature of the samples, above 0.
        ledger: whether and where to store replies.
        others: ``device``, ``use_n_param`` and ``max_length`` of uqlm are ignored, what needs a model for
            claims is refused.

    Raises:
        InputError: a scorer, mode or aggregation is unknown, or a model for claims is given.
        ModelError: the model of entailment cannot be had; the message says which command gets it.
    """

    def __init__(  # noqa: PLR0913 - the arguments of uqlm
        self,
        llm: Any = None,  # noqa: ANN401 - LangChain's model
        granularity: str = "claim",
        mode: str = "unit_response",
        scorers: Sequence[str] | None = None,
        *,
        aggregation: str = "mean",
        response_refinement: bool = False,
        claim_filtering_scorer: str | None = None,
        nli_model_name: Any = "",  # noqa: ANN401
        system_prompt: str | None = None,
        max_calls_per_min: int | None = None,
        sampling_temperature: float = 1.0,
        ledger: bool | str | Path = True,
        **others: Any,  # noqa: ANN401
    ) -> None:
        refused = [name for name in ("claim_decomposition_llm", "nli_llm") if others.get(name) is not None]
        if refused or mode != "unit_response" or granularity not in {"claim", "sentence"}:
            raise InputError(
                "claims are sentences, compared with whole samples by a model of entailment: mode must be "
                f"unit_response, and {', '.join(refused) or 'other settings'} cannot be taken"
            )
        self.scorers = tuple(scorers or SCORERS[:1])
        for name in self.scorers:
            if name not in SCORERS:
                raise InputError(f"scorers must be among {', '.join(SCORERS)}, got {name!r}")
        if aggregation not in _AGGREGATIONS:
            raise InputError(f"aggregation must be mean or min, got {aggregation!r}")
        self._generator = ResponseGenerator(
            llm, system_prompt, max_calls_per_min, sampling_temperature, ledger
        )
        self._granularity, self._aggregation = granularity, aggregation
        self._filter = (claim_filtering_scorer or self.scorers[0]) if response_refinement else None
        if self._filter is not None and self._filter not in self.scorers:
            raise InputError(f"claim_filtering_scorer must be among the scorers, got {self._filter!r}")
        self._nli = entailment_model(nli_model_name, self.scorers[0])

    async def generate_and_score(
        self,
        prompts: Sequence[Any],
        num_responses: int = 5,
        response_refinement_threshold: float = THRESHOLD,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Request a response and samples for each prompt, and score its claims.

        Raises:
            InputError: there is no ``llm``, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        found = await self._generator.generate(prompts, num_responses, logprobs=False)
        result = await self.score(found.responses, found.samples, response_refinement_threshold)
        return UQResult({"data": {"prompts": list(prompts), **result.data}, "metadata": result.metadata})

    generate_and_score_sync = synchronous(generate_and_score)

    async def score(
        self,
        responses: Sequence[Any],
        sampled_responses: Sequence[Sequence[Any]],
        response_refinement_threshold: float = THRESHOLD,
        show_progress_bars: bool | None = True,  # noqa: FBT001, FBT002, ARG002
    ) -> UQResult:
        """Score the claims of existing responses.

        Args:
            responses: n texts.
            sampled_responses: n lists of texts.
            response_refinement_threshold: claims with a lower value are removed from refined responses.
            show_progress_bars: ignored.

        Returns:
            ``responses``, ``sampled_responses``, each scorer, ``claims_data`` (for each claim its text,
            whether it was removed, and each scorer), and with refinement ``refined_responses`` and
            ``refined_SCORER``.

        Raises:
            InputError: lists of unequal length.
        """
        if len(responses) != len(sampled_responses):
            raise InputError("responses and sampled_responses must have equal lengths")
        claims = [_claims(text) for text in responses]
        values = self._values(claims, [_usable(each) for each in sampled_responses])
        data: dict[str, Any] = {
            "responses": list(responses),
            "sampled_responses": [list(each) for each in sampled_responses],
        }
        columns = {name: [each[name] for each in values] for name in self.scorers}
        kept = [
            np.ones(len(each), bool)
            if self._filter is None
            else ~(value[self._filter] < response_refinement_threshold)
            for each, value in zip(claims, values, strict=True)
        ]
        data |= {name: self._aggregated(column) for name, column in columns.items()}
        if self._filter is not None:
            shown = [
                " ".join(one for one, is_kept in zip(each, mask, strict=True) if is_kept)
                for each, mask in zip(claims, kept, strict=True)
            ]
            left = [column[mask] for column, mask in zip(columns[self._filter], kept, strict=True)]
            data |= {"refined_responses": shown, f"refined_{self._filter}": self._aggregated(left)}
        data["claims_data"] = [
            [
                {
                    self._granularity: claim,
                    "removed": not mask[at],
                    **{name: float(value[name][at]) for name in self.scorers},
                }
                for at, claim in enumerate(each)
            ]
            for each, mask, value in zip(claims, kept, values, strict=True)
        ]
        return UQResult({"data": data, "metadata": {"temperature": self._generator.temperature}})

    def _values(self, claims: list[list[str]], samples: list[list[str]]) -> list[dict[str, Floats]]:
        """Give each claim's value by each scorer, the mean over samples that the model reads; in one call."""
        pairs = [
            (sample, claim)
            for each, texts in zip(claims, samples, strict=True)
            for claim in each
            for sample in texts
        ]
        found = np.zeros((0, 3))
        if pairs:
            found = distinct_entailments(self._nli, [one[0] for one in pairs], [one[1] for one in pairs])
        entailed, denied = found[:, ENTAILMENT], found[:, CONTRADICTION]
        both = entailed + denied
        contrasted = np.divide(entailed, both, out=np.full(len(both), 0.5), where=~(both <= 0))
        scored = dict(zip(SCORERS, (entailed, 1 - denied, contrasted), strict=True))
        listed, start = [], 0
        for each, texts in zip(claims, samples, strict=True):
            stop = start + len(each) * len(texts)
            listed.append({name: _means(scored[name][start:stop], len(each)) for name in self.scorers})
            start = stop
        return listed

    def _aggregated(self, columns: Sequence[Floats]) -> list[float]:
        function = np.mean if self._aggregation == "mean" else np.min
        known = [each[~np.isnan(each)] for each in columns]
        return [float(function(each)) if len(each) else np.nan for each in known]


def _means(values: Floats, n: int) -> Floats:
    rows = values.reshape(n, -1) if len(values) else np.zeros((n, 0))
    known = ~np.isnan(rows)
    counts = known.sum(axis=1)
    means: Floats = np.full(n, np.nan)
    np.divide(np.where(known, rows, 0.0).sum(axis=1), counts, out=means, where=counts > 0)
    return means


def _claims(text: Any) -> list[str]:  # noqa: ANN401 - any cell
    return worded_sentences(text) if text_status(text) is Status.SCORED else []


def _usable(texts: Sequence[Any]) -> list[str]:
    return [text for text in texts if text_status(text) is Status.SCORED]
