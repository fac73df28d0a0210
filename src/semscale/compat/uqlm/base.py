"""Base of the classes of ``uqlm``: results, the table of scorers, generation of responses."""

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from inspect import isawaitable, signature
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from semscale.answer_consistency.asking import AskedModel, Sampling, prompt_status
from semscale.answer_consistency.measures import measure_tokens, measures_needing
from semscale.answer_consistency.tokens import AnswerTokens, read_tokens
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import Message, Reply, TokenLogprob
from semscale.chat.runner import Runner, Running, run_to_end
from semscale.errors import InputError, MissingExtraError, ModelError
from semscale.matching.entailment import EntailmentModel, load_entailment_model
from semscale.text_preparation import TextPreparation
from semscale.types import Floats, Status
from semscale.weights.known import ENGLISH_NLI

S = TypeVar("S")
P = ParamSpec("P")
R = TypeVar("R")

BLACK_BOX = (
    "semantic_negentropy",
    "noncontradiction",
    "exact_match",
    "bert_score",
    "cosine_sim",
    "entailment",
    "semantic_sets_confidence",
)
"""Scorers that compare a response with its samples; each is a measure of ``Consistency``."""

ANSWERS = TextPreparation(reasoning="remove")
"""Preparation of responses: uqlm would score their reasoning."""

_SAMPLES = ("responses", "sampled_responses")

WHITE_BOX: Mapping[str, tuple[str, ...]] = {
    "min_probability": (),
    "sequence_probability": (),
    "min_token_negentropy": (),
    "mean_token_negentropy": (),
    "probability_margin": (),
    "semantic_negentropy": _SAMPLES,
    "semantic_density": (*_SAMPLES, "sampled_logprobs_results"),
    "monte_carlo_probability": (*_SAMPLES, "sampled_logprobs_results"),
    "consistency_and_confidence": _SAMPLES,
    "p_true": ("prompts", "responses"),
}
"""Scorers that need the log-probabilities of a response's tokens, with their other required arguments."""

_RETURNED = ("all", "raw", "postprocessed")
_SYSTEM = "You are a helpful assistant."
_ROLES = {"human": "user", "ai": "assistant", "system": "system"}
_INSTEAD = {
    "nli": "nli_model_name takes a name, a folder or an entailment model",
}


class UQResult:
    """Columns of results by name, and the settings behind them, as plain values that JSON can represent.

    Args:
        result: ``{"data": columns, "metadata": settings}``; settings may be left out.

    Attributes:
        data: columns of equal length; missing scores are ``None``.
        metadata: settings.

    Examples:
        >>> result = UQResult({"data": {"responses": ["a"], "cosine_sim": [float("nan")]}})
        >>> result.to_dict()
        {'data': {'responses': ['a'], 'cosine_sim': [None]}, 'metadata': {}}
    """

    def __init__(self, result: Mapping[str, Any]) -> None:
        data = dict(result["data"])
        if "prompts" in data:
            data = {"prompts": data.pop("prompts"), **data}
        self.data: dict[str, Any] = plain(data)
        self.metadata: dict[str, Any] = plain(result.get("metadata") or {})

    @property
    def result_dict(self) -> dict[str, Any]:
        """Data and metadata, as ``to_dict`` returns them."""
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Return data and metadata with values that ``json.dumps`` accepts."""
        return {"data": self.data, "metadata": self.metadata}

    def to_df(self) -> Any:
        """Return the data as a data frame with the same names.

        Returns:
            A pandas data frame, as in ``uqlm``, or a polars one if pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            import polars as pl

            return pl.DataFrame(self.data, strict=False)
        return pd.DataFrame(self.data)


def plain(value: Any) -> Any:
    """Convert a value for JSON: numbers to Python's, NaN to ``None``, messages and tokens to dicts."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    elif isinstance(value, TokenLogprob):
        likeliest = [{"token": token, "logprob": logprob} for token, logprob in value.top]
        value = {"token": value.token, "logprob": value.logprob, "top_logprobs": likeliest}
    elif hasattr(value, "content") and hasattr(value, "type"):  # a LangChain message
        value = {"type": str(value.type), "content": value.content}
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float) else str(value)


def synchronous(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate[S, P], R]:
    """Turn an asynchronous method into a synchronous one, which also works in notebooks.

    Args:
        method: asynchronous method of a class, with any arguments.

    Examples:
        >>> class Greeter:
        ...     async def greet(self, name):
        ...         return f"Hello {name}"
        ...
        ...     greet_sync = synchronous(greet)
        >>> Greeter().greet_sync("Ann")
        'Hello Ann'
    """
    name = method.__name__

    @wraps(method)
    def call(self: S, /, *arguments: P.args, **settings: P.kwargs) -> R:
        return run_to_end(method(self, *arguments, **settings))

    call.__doc__ = f"Like ``{name}``, for programs without an event loop and for notebooks."
    call.__name__ = f"{name}_sync"
    call.__qualname__ = f"{method.__qualname__}_sync"
    return call


class UncertaintyScorer(ABC):
    """Base of the classes that ask a chat model for responses and samples, and score them.

    Args:
        llm: a LangChain chat model, or the name of a model; ``None`` if nothing is generated.
        system_prompt: precedes every prompt that is a text.
        running: how calls are made and stored.
        sampling_temperature: temperature of the samples, above 0.
        postprocessor: applied to every response before the comparison.
        return_responses: with a postprocessor: ``all``, ``raw`` or ``postprocessed`` responses are returned.
        length_normalize: whether the probability of a text is the geometric mean of its tokens'.

    Raises:
        InputError: a setting is out of range.
    """

    reads_tokens: bool = True
    """True where log-probabilities are requested."""

    def __init__(
        self,
        llm: Any,
        system_prompt: str | None,
        running: Running,
        sampling_temperature: float = 1.0,
        *,
        postprocessor: Callable[[str], str] | None = None,
        return_responses: str = "all",
        length_normalize: bool = True,
    ) -> None:
        if return_responses not in _RETURNED:
            raise InputError(
                "return_responses", f"must be one of {', '.join(_RETURNED)}, got {return_responses!r}"
            )
        self.llm, self.running, self.sampling_temperature = llm, running, sampling_temperature
        self.postprocessor, self.return_responses = postprocessor, return_responses
        self._sampling = Sampling(temperature=sampling_temperature, system=system_prompt or _SYSTEM)
        self._sequence = "normalised_probability" if length_normalize else "sequence_probability"

    async def generate_and_score(
        self, prompts: Sequence[Any], num_responses: int = 5, show_progress_bars: bool | None = True
    ) -> UQResult:
        """Request a response for each prompt, and samples where a scorer needs them, and score them.

        Args:
            prompts: texts, or lists of LangChain's messages.
            num_responses: number of samples for each prompt.
            show_progress_bars: ignored.

        Raises:
            InputError: there is no ``llm``, ``num_responses`` is below 1, or a prompt has another type.
            ReplyError: no call can succeed, such as with a wrong key.
        """
        return await self._score_replies(prompts, num_responses)

    generate_and_score_sync = synchronous(generate_and_score)

    async def generate_original_responses(
        self,
        prompts: Sequence[Any],
        top_k_logprobs: int | None = None,
        progress_bar: object = None,
    ) -> list[str | None]:
        """Request a response for each prompt; ``score`` applies a postprocessor.

        Args:
            prompts: texts, or lists of LangChain's messages.
            top_k_logprobs: ignored.
            progress_bar: ignored.

        Returns:
            n responses, ``None`` where there is none. Their tokens are in the attribute ``logprobs``.

        Raises:
            InputError: there is no ``llm``, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        replies = await self._replies(prompts, (0,))
        self.logprobs = [None if reply is None else reply.logprobs for (reply,) in replies]
        return [None if reply is None else reply.text for (reply,) in replies]

    generate_original_responses_sync = synchronous(generate_original_responses)

    async def generate_candidate_responses(
        self,
        prompts: Sequence[Any],
        num_responses: int = 5,
        progress_bar: object = None,
    ) -> list[list[str | None]]:
        """Request samples for each prompt; ``score`` applies a postprocessor.

        Args:
            prompts: texts, or lists of LangChain's messages.
            num_responses: number of samples for each prompt.
            progress_bar: ignored.

        Returns:
            n lists of samples, ``None`` where there is none. Their tokens are in ``multiple_logprobs``.

        Raises:
            InputError: there is no ``llm``, ``num_responses`` is below 1, or a prompt has another type.
            ReplyError: no call can succeed.
        """
        _check_number(num_responses)
        replies = await self._replies(prompts, range(1, num_responses + 1))
        self.multiple_logprobs = [
            [None if reply is None else reply.logprobs for reply in row] for row in replies
        ]
        return [[None if reply is None else reply.text for reply in row] for row in replies]

    generate_candidate_responses_sync = synchronous(generate_candidate_responses)

    @abstractmethod
    def score(self, *arguments: Any, **columns: Any) -> Any:
        """Score existing responses; the names of the arguments are those of uqlm."""

    @property
    def needs_samples(self) -> bool:
        """True if a scorer compares responses with samples."""
        return True

    async def _score_replies(self, prompts: Sequence[Any], num_responses: int, **settings: Any) -> UQResult:
        """Ask the model, and pass the columns to ``score`` that it has arguments for."""
        columns = await self._ask(prompts, num_responses)
        accepted = signature(self.score).parameters
        scored = self.score(**{name: columns[name] for name in columns if name in accepted}, **settings)
        result: UQResult = await scored if isawaitable(scored) else scored
        return UQResult({"data": {"prompts": list(prompts), **result.data}, "metadata": result.metadata})

    async def _ask(self, prompts: Sequence[Any], num_responses: int) -> dict[str, Any]:
        """Return responses, and samples if they are needed, by the names of the arguments of ``score``."""
        if self.needs_samples:
            _check_number(num_responses)
        runner, plan = self._runner(), self._plan
        asked = [_as_prompt(prompt) for prompt in prompts]
        columns: dict[str, Any] = {"prompts": list(prompts), "num_responses": num_responses}
        if self.needs_samples:
            sampled = await AskedModel(replace(plan, n_samples=num_responses), runner).ask(asked)
            return columns | {
                "responses": sampled.answers,
                "sampled_responses": sampled.samples,
                "logprobs_results": sampled.tokens,
                "sampled_logprobs_results": sampled.sample_tokens,
            }
        responses = await self.generate_original_responses(prompts)
        return columns | {"responses": responses, "logprobs_results": self.logprobs}

    @property
    def _plan(self) -> Sampling:
        return self._sampling.for_parts({"logprobs"}) if self.reads_tokens else self._sampling

    async def _replies(self, prompts: Sequence[Any], samples: Sequence[int]) -> list[list[Reply | None]]:
        """Request samples of each prompt by their numbers, 0 for the response; ``None`` for those lost."""
        asked = [_as_prompt(prompt) for prompt in prompts]
        answerable = [index for index, prompt in enumerate(asked) if prompt_status(prompt) is Status.SCORED]
        requests = [self._plan.request(asked[index], sample) for index in answerable for sample in samples]
        outcomes = iter(await self._runner().collect(requests))
        replies: list[list[Reply | None]] = [[None] * len(samples) for _ in asked]
        for index in answerable:
            replies[index] = [next(outcomes).reply for _ in samples]
        return replies

    def _runner(self) -> Runner:
        if self.llm is None:
            raise InputError(
                "llm must be a chat model that answers the prompts; or call score with responses"
            )
        return Runner(load_chat_model(self.llm), self.running)

    def _process(
        self, responses: Sequence[Any], samples: Sequence[Sequence[Any]]
    ) -> tuple[list[Any], list[list[Any]]]:
        """Remove reasoning from responses and samples, and apply the postprocessor to these texts."""

        def process(text: Any) -> Any:
            return self.postprocessor(text) if self.postprocessor and isinstance(text, str) else text

        answers, rows = ANSWERS.prepare(list(responses)), ANSWERS.prepare([list(row) for row in samples])
        return [process(text) for text in answers], [[process(text) for text in row] for row in rows]

    def _text_columns(
        self, raw: tuple[list[Any], list[list[Any]]], processed: tuple[list[Any], list[list[Any]]]
    ) -> dict[str, Any]:
        """Return the columns of responses and samples that ``return_responses`` asks for."""
        shown = raw if self.postprocessor is None or self.return_responses == "raw" else processed
        columns = {"responses": shown[0], "sampled_responses": shown[1]}
        if self.postprocessor is not None and self.return_responses == "all":
            columns |= {"raw_responses": raw[0], "raw_sampled_responses": raw[1]}
        return columns

    def _probabilities(self, cells: Sequence[Any]) -> Floats:
        """Compute the probabilities of texts from their tokens; NaN if these are not known."""
        read = answer_tokens(cells)
        return np.asarray(measure_tokens(read, (self._sequence,))[self._sequence], np.float64)

    def _sampling_metadata(self, samples: Sequence[Sequence[Any]]) -> dict[str, Any]:
        return {
            "temperature": getattr(self.llm, "temperature", None),
            "sampling_temperature": self.sampling_temperature,
            "num_responses": max(map(len, samples), default=0),
        }


def _check_number(num_responses: int) -> None:
    if num_responses < 1:
        raise InputError("num_responses", f"must be at least 1, got {num_responses!r}")


def answer_tokens(cells: Sequence[Any]) -> Sequence[Any]:
    """Parse the tokens of n responses, without those of reasoning."""
    return AnswerTokens(read_tokens(list(cells), len(cells))).without_reasoning().answers or []


def with_rate_limit(running: Running, max_calls_per_min: int | None) -> Running:
    """Return the settings with a limit on calls per minute, if there is one."""
    if max_calls_per_min is None:
        return running
    return replace(running, limits=running.limits.with_values(requests_per_minute=max_calls_per_min))


def validate_scorers(scorers: Sequence[str], known: Collection[str]) -> tuple[str, ...]:
    """Return the names of scorers.

    Raises:
        InputError: one of them is unknown.
    """
    for name in scorers:
        if name not in known:
            raise InputError("scorers", f"must be among {', '.join(known)}, got {name!r}")
    return tuple(scorers)


def check_token_lengths(
    samples: Sequence[Sequence[Any]], tokens: Sequence[Any], sample_tokens: Sequence[Sequence[Any]]
) -> None:
    """Check that every response and every sample has an entry for its tokens.

    Args:
        samples: n lists of samples.
        tokens: entries of the responses.
        sample_tokens: entries of the samples.

    Raises:
        InputError: an entry is missing, or there are too many.
    """
    for name, listed in (("logprobs_results", tokens), ("sampled_logprobs_results", sample_tokens)):
        if len(listed) != len(samples):
            raise InputError(
                name, f"must have {len(samples)} entries, one for each response, got {len(listed)}"
            )
    for row, (texts, lists) in enumerate(zip(samples, sample_tokens, strict=True)):
        if len(lists) != len(texts):
            raise InputError(
                f"sampled_logprobs_results[{row}] must have {len(texts)} entries, one for each sample, "
                f"got {len(lists)}"
            )


def entailment_model_for(scorers: Sequence[str], nli_model_name: Any) -> EntailmentModel | None:
    """Load the entailment model if a scorer needs it, or if it is named and a scorer compares meanings.

    Raises:
        ModelError: as ``entailment_model``.
    """
    needing = set(measures_needing("entailment", scorers))
    if nli_model_name:
        needing.update(measures_needing("meanings", scorers))
    entailed = [name for name in scorers if name in needing]
    return entailment_model(nli_model_name, entailed) if entailed else None


def entailment_model(nli_model_name: Any, scorers: Sequence[str]) -> EntailmentModel:
    """Load the entailment model that scorers need.

    Args:
        nli_model_name: a name, a folder, a model, or empty for Semscale's default.
        scorers: the scorers' names, for messages.

    Raises:
        ModelError: the model cannot be loaded or run; the message names the scorers and a remedy.
    """
    name = nli_model_name or ENGLISH_NLI.hub_id
    try:
        return load_entailment_model(name)
    except (ModelError, MissingExtraError) as error:
        raise ModelError(
            f"scorers that cannot run without an entailment model: {', '.join(scorers)}; get it with "
            f"semscale models pull {name}, or name other scorers ({' '.join(str(error).split())})"
        ) from error


def warn_of_ignored(**arguments: object) -> None:
    """Warn, at the line of the user's call, of each ignored argument that would affect a result.

    Args:
        arguments: arguments by name; ``None`` and false values are not reported.
    """
    for name, value in arguments.items():
        if value:
            warnings.warn(f"{name} is not applied: {_INSTEAD[name]}", UserWarning, stacklevel=3)


def _as_prompt(prompt: Any) -> Any:
    """Read a prompt: a text, or a list of LangChain's messages."""
    if prompt is None or isinstance(prompt, str):
        return prompt
    return [_message(message) for message in (prompt if isinstance(prompt, Sequence) else [prompt])]


def _message(message: Any) -> Message:
    if isinstance(message, Message):
        return message
    role = _ROLES.get(getattr(message, "type", ""))
    if role is None or not isinstance(message.content, str):
        raise InputError(
            "prompts",
            f"must be texts or lists of messages from people, models or systems with texts in them, "
            f"got {type(message).__name__}",
        )
    return Message(role, message.content)
